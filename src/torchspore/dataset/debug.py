"""Hooks that look at the data between the operations of `map`, in the debug mode of `config.set_debug_mode`."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

__all__ = ["DebugHook", "PrintDataHook", "PrintMetaDataHook"]


class DebugHook(abc.ABC):
    """The base of hooks: override `compute`.

    Each hook of the debug mode is called before the first operation of a `map`, and after each one, and prints which. A
    hook can also be one of the operations; then it passes the data on.

    Args:
        prev_op_name: kept unchanged. Default: None.

    Examples:
        >>> import torchspore.dataset as ds
        >>> from torchspore.dataset import debug
        >>> class Largest(debug.DebugHook):
        ...     def compute(self, *args):
        ...         print("the largest one is", args[0][0].max())
        >>> ds.config.set_debug_mode(True, [Largest()])
        >>> data = ds.NumpySlicesDataset([[1, 2]], ["x"]).map(lambda x: x + 1)
        >>> for _ in data:
        ...     pass
        [Dataset debugger] Print the [INPUT] of the operation [<lambda>].
        the largest one is 2
        [Dataset debugger] Print the [OUTPUT] of the operation [<lambda>].
        the largest one is 3
        >>> ds.config.set_debug_mode(False)
    """

    def __init__(self, prev_op_name: str | None = None) -> None:
        self.prev_op_name = prev_op_name
        self.is_first_op: bool | None = None

    def __call__(self, *args: Any) -> Any:
        """Look at the arguments, and return them."""
        self.compute(args)
        return args

    @abc.abstractmethod
    def compute(self, *args: Any) -> Any:
        """Look at the data.

        Args:
            *args: a tuple of the columns.
        """

    def set_previous_op_name(self, prev_op_name: str) -> None:
        """Note the name of the previous operation."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first_op: bool) -> None:
        """Note whether there is no previous operation."""
        self.is_first_op = is_first_op


class PrintMetaDataHook(DebugHook):
    """Prints the data type and the shape of each column.

    Examples:
        >>> import torchspore.dataset as ds
        >>> from torchspore.dataset import debug
        >>> ds.config.set_debug_mode(True, [debug.PrintMetaDataHook()])
        >>> for _ in ds.NumpySlicesDataset([[1.0, 2.0]], ["x"]).map(lambda x: x > 1):
        ...     pass
        [Dataset debugger] Print the [INPUT] of the operation [<lambda>].
        Column 0. The dtype is [float64]. The shape is [(2,)].
        [Dataset debugger] Print the [OUTPUT] of the operation [<lambda>].
        Column 0. The dtype is [bool]. The shape is [(2,)].
        >>> ds.config.set_debug_mode(False)
    """

    def compute(self, *args: Any) -> Any:
        """Print the data types and the shapes, and return the columns."""
        for number, value in enumerate(args[0]):
            print(f"Column {number}. {_described(value)}")
        return args


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"The dtype is [{value.dtype}]. The shape is [{value.shape}]."
    if hasattr(value, "mode"):  # a PIL image
        return f"The type is [{type(value)}]. The shape is [{value.size}]."
    return f"The type is [{type(value)}]. The size is [{len(value)}]." if isinstance(value, dict) else ""


class PrintDataHook(DebugHook):
    """Prints each column.

    Examples:
        >>> import torchspore.dataset as ds
        >>> from torchspore.dataset import debug
        >>> ds.config.set_debug_mode(True, [debug.PrintDataHook()])
        >>> for _ in ds.NumpySlicesDataset([[1, 2]], ["x"]).map(lambda x: x > 1):
        ...     pass
        [Dataset debugger] Print the [INPUT] of the operation [<lambda>].
        Column 0. The data is [[1 2]].
        [Dataset debugger] Print the [OUTPUT] of the operation [<lambda>].
        Column 0. The data is [[False  True]].
        >>> ds.config.set_debug_mode(False)
    """

    def compute(self, *args: Any) -> Any:
        """Print the columns, and return them."""
        for number, value in enumerate(args[0]):
            print(f"Column {number}. The data is [{value}].")
        return args
