"""Operations made of functions: overloads by argument types, and functions mapped over sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.error_classes import also
from torchspore.common.frames.tracebacks import shortens_tracebacks
from torchspore.common.frames.user_lines import warn_user
from torchspore.common.scopes.scope import scope
from torchspore.common.sparse import COOTensor, CSRTensor, RowTensor
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as

__all__ = ["HyperMap", "Map", "MultitypeFuncGraph"]

RUNS_USER_CODE = True  # errors name what the user passed, see `engine.failures.errors`

# The types that the names in `register` stand for.
_KINDS: dict[str, Any] = {
    "Tensor": Tensor, "Number": (bool, int, float, complex, np.number), "Bool": bool, "Int": int, "Float": float,
    "String": str, "Tuple": tuple, "List": list, "Dict": dict, "Dictionary": dict, "None": type(None), "Slice": slice,
    "COOTensor": COOTensor, "CSRTensor": CSRTensor, "RowTensor": RowTensor,
    **dict.fromkeys(["Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64"], int),
    **dict.fromkeys(["Float16", "Float32", "Float64"], float),
}  # fmt: skip


class MultitypeFuncGraph:
    """A function with several definitions, chosen by the types of the arguments.

    Args:
        name: its name in messages.
        read_value: accepted as in MindSpore; parameters are passed unchanged. Default: False.

    A call without a matching definition raises TypeError.

    Examples:
        >>> import torchspore as ms
        >>> add = ms.ops.MultitypeFuncGraph("add")
        >>> @add.register("Number", "Number")
        ... def add_numbers(x, y):
        ...     return x + y
        >>> add(1, 2)
        3
    """

    def __init__(self, name: str, read_value: bool = False) -> None:
        if not isinstance(name, str):
            raise TypeError(f"For 'MultitypeFuncGraph', 'name' must be a string, but got {describe(name)}.")
        take_as(bool, read_value, "read_value", "MultitypeFuncGraph")
        self.name = name
        self.entries: list[tuple[tuple[Any, ...], Callable[..., Any]]] = []

    def register(self, *type_names: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Make the decorated function the definition for arguments of these types.

        Args:
            type_names: one for each argument: "Tensor", "Number", "Bool", "Int", "Float", "String", "Tuple", "List",
                "Dict", "None", "Slice", "Function", a kind of sparse tensors, a numeric data type ("Int64" or
                `mindspore.int64`; a Python number has no specific one, so any of its kind fits), or a class; TypeError
                for anything else.
        """
        kinds = tuple([_kind(name) for name in type_names])

        def define(function: Callable[..., Any]) -> Callable[..., Any]:
            self.entries.append((kinds, function))
            return function

        return define

    def __call__(self, *args: Any) -> Any:
        """Call the first definition for the arguments' types."""
        for accepts in (_is_exactly, _is_of_kind):  # a bool is an int only if nothing takes bools
            for kinds, function in self.entries:
                if len(kinds) == len(args) and all(map(accepts, args, kinds)):
                    return function(*args)
        known = ", ".join(f"({', '.join(map(_name_of_kind, kinds))})" for kinds, _ in self.entries)
        given = ", ".join(map(describe, args))
        raise also(TypeError, ValueError)(
            f"For 'MultitypeFuncGraph', '{self.name}' has no definition for ({given}). It has: {known or 'none'}. "
            "Register one."
        )

    def __repr__(self) -> str:
        return f"MultitypeFuncGraph_{self.name}{{{len(self.entries)}}}"


def _kind(name: Any) -> Any:
    title = str(name) if isinstance(name, mstype.Type) else name  # `mindspore.number` is "Number"
    if title in ("Function", "Func"):
        return callable
    if isinstance(title, str) and title in _KINDS:
        return _KINDS[title]
    if isinstance(name, type):
        return name
    raise TypeError(
        f"For 'MultitypeFuncGraph.register', a type must be one of {sorted([*_KINDS, 'Function'])} or a class, "
        f"but got {describe(name)}."
    )


def _is_exactly(value: Any, kind: Any) -> bool:
    return _is_of_kind(value, kind) and not (kind is int and isinstance(value, bool))


def _is_of_kind(value: Any, kind: Any) -> bool:
    return callable(value) if kind is callable else isinstance(value, kind)


def _name_of_kind(kind: Any) -> str:
    if kind is callable:
        return "Function"
    return next((name for name, known in _KINDS.items() if known == kind), getattr(kind, "__name__", str(kind)))


class Map:
    """Applies a function to the elements of sequences, and returns a tuple of its results; in a graph a list of lists'.

    Args:
        ops: the function. Default: None: it is the first argument of each call.
        reverse: accepted as in MindSpore; the order of the elements does not change the result. Default: False.

    Raises:
        TypeError: `ops` is not a function, or an input is not a sequence (tuple, list, Tensor, ...).
        RuntimeError: in a graph, the sequences have different lengths; elsewhere the rest is ignored, with a warning.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.Map(lambda x, y: x + y)((1, 2), (3, 4))
        (4, 6)
    """

    def __init__(self, ops: Callable[..., Any] | None = None, reverse: bool = False) -> None:
        name = type(self).__name__
        take_as(Callable | None, ops, "ops", name)
        self.ops = ops
        self.reverse = take_as(bool, reverse, "reverse", name)

    @shortens_tracebacks
    def __call__(self, *args: Any) -> Any:
        """Apply the function."""
        function = self.ops
        if function is None:
            if not args or not callable(args[0]):
                raise TypeError(f"For '{type(self).__name__}', the first argument of the call must be the function.")
            function, *args = args  # type: ignore[assignment]
        if not args:
            raise TypeError(f"For '{type(self).__name__}', there must be at least one sequence.")
        return self._apply(function, args)

    def _apply(self, function: Callable[..., Any], sequences: Any) -> Any:
        return _like(sequences[0], [function(*row) for row in _rows(sequences, type(self).__name__)])


class HyperMap(Map):
    """A `Map` that applies its function to the elements of nested tuples and lists, too, and keeps the nesting.

    Anything else is an element: a Tensor gives what the function itself returns. In a graph, the values of dicts
    are elements too.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.HyperMap(lambda x, y: x + y)((1, (2, 3)), (10, (20, 30)))
        (11, (22, 33))
    """

    def _apply(self, function: Callable[..., Any], sequences: Any) -> Any:
        first = sequences[0]
        if isinstance(first, dict) and scope.captured:
            return {key: self._apply(function, [sequence[key] for sequence in sequences]) for key in first}
        if not isinstance(first, (tuple, list)):
            return function(*sequences)
        return _like(first, [self._apply(function, row) for row in _rows(sequences, type(self).__name__)])


def _like(sequence: Any, results: list[Any]) -> Any:
    """Return the results in a list, if the sequence is one in a graph; else in a tuple."""
    return results if type(sequence) is list and scope.captured else tuple(results)


def _rows(sequences: Any, api: str) -> list[tuple[Any, ...]]:
    for sequence in sequences:
        if not hasattr(sequence, "__len__") or (isinstance(sequence, Tensor) and not sequence.ndim):
            raise TypeError(f"For '{api}', every input must be a sequence, but got {describe(sequence)}.")
    lengths = [len(sequence) for sequence in sequences]
    if len(set(lengths)) > 1:
        text = f"For '{api}', the sequences must have the same length, but got the lengths {lengths}."
        if scope.captured:
            raise also(RuntimeError, ValueError)(text)
        warn_user(f"{text} The elements beyond the shortest are ignored, as in MindSpore outside of graphs.")
    return list(zip(*sequences))
