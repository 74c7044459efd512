"""Debugging: tensors and gradients dumped to files, and assertions."""

from __future__ import annotations

import itertools
import os
from typing import Any, Literal, TypeAlias

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients.custom import InsertGradientOf
from torchspore.engine.parameters import Positive, checked, take_as
from torchspore.engine.primitive import Primitive
from torchspore.engine.storage.writing import save_array

__all__ = ["Assert", "DumpGradient", "TensorDump", "tensordump"]

_Direction: TypeAlias = Literal["in", "out"]

_numbers: dict[str, itertools.count[int]] = {}


def _array(value: Tensor) -> np.ndarray[Any, Any]:
    return (value.astype(mstype.float32) if value.dtype == mstype.bfloat16 else value).asnumpy()


@checked
def tensordump(file_name: str, tensor: Tensor, mode: _Direction = "out") -> None:
    """Write a tensor to a file `{file_name}_{dtype}_{number}.npy`; the number counts the files of that name.

    Args:
        file_name: the path; a suffix ".npy" is left out.
        tensor: the Tensor; bfloat16 is written as float32.
        mode: "out", or "in", which is put before the dtype; ValueError otherwise. Default: "out".

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore as ms
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> ms.ops.tensordump(str(folder / "x"), ms.Tensor([1.0, 2.0]))
        >>> [path.name for path in folder.iterdir()]
        ['x_float32_0.npy']
    """
    kind = str(tensor.dtype).lower()
    stem = "_".join([file_name.removesuffix(".npy"), *([mode] if mode == "in" else []), kind])
    array = _array(tensor)
    number = next(_numbers.setdefault(os.path.abspath(stem), itertools.count()))
    save_array(f"{stem}_{number}.npy", array)


class TensorDump(Primitive):
    """`tensordump` as a primitive: `TensorDump()(file, x)`; `input_output` is its `mode`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore as ms
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> ms.ops.TensorDump("in")(str(folder / "x"), ms.Tensor([1.0, 2.0]))
        >>> [path.name for path in folder.iterdir()]
        ['x_in_float32_0.npy']
    """

    @checked
    def __init__(self, input_output: _Direction = "out") -> None:
        super().__init__()
        self.input_output = input_output

    def __call__(self, file: str, input_x: Tensor) -> None:
        """Write `input_x`."""
        tensordump(file, input_x, self.input_output)


class DumpGradient(Primitive):
    """Return a tensor, and write its gradient to a file when it is computed: `DumpGradient()(path, x, "out")`.

    The call takes the path of an npy file, a Tensor, and "in" or "out".

    Examples:
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> import torchspore as ms
        >>> path = str(pathlib.Path(tempfile.mkdtemp()) / "gradient.npy")
        >>> dump = ms.ops.DumpGradient()
        >>> print(ms.grad(lambda x: (dump(path, x, "out") ** 2).sum())(ms.Tensor([1.0, 2.0])), np.load(path))
        [2. 4.] [2. 4.]
    """

    @checked
    def __call__(self, path: str, x: Tensor, input_output: _Direction) -> Tensor:
        """Return `x`."""

        def write(gradient: Tensor) -> Tensor:
            save_array(path if path.endswith(".npy") else f"{path}.npy", _array(gradient))
            return gradient

        return InsertGradientOf(write)(x)


class Assert(Primitive):
    """Raise RuntimeError, showing tensors, unless a condition holds: `Assert()(condition, tensors)`.

    Args:
        summarize: the number of elements to show of each tensor. Default: 3.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([1, 2])
        >>> ms.ops.Assert()(x.sum() > 0, [x])
    """

    def __init__(self, summarize: int = 3) -> None:
        super().__init__()
        self.summarize = take_as(Positive, summarize, "summarize", "Assert")

    def __call__(self, condition: Any, input_data: Any) -> None:
        """Raise if `condition`, a bool or a Tensor of one, is false; `input_data` is a list or tuple of Tensors."""
        if not isinstance(condition, (bool, Tensor)):
            raise TypeError(f"For 'Assert', 'condition' must be a bool or a Tensor, but got {describe(condition)}.")
        if not isinstance(input_data, (list, tuple)):
            raise TypeError(f"For 'Assert', 'input_data' must be a list of Tensors, but got {describe(input_data)}.")
        if not condition:
            shown = "".join(f"\ninput data: {data.asnumpy().ravel()[: self.summarize]}" for data in input_data)
            raise RuntimeError(f"For 'Assert', the condition is false.{shown}")
