"""What stands beside a type in an annotation: `Annotated[int, Limits(1, 8)]`."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import torch

from torchspore.common.dtype import Type, bool_, float_type, int_type, uint_type

__all__ = [
    "Among", "AnyFloat", "AnyNumber", "AnyPath", "Bools", "Dimensions", "Example", "Floats", "Fraction", "Holding",
    "IndexType", "Indices", "Ints", "Length", "Limits", "Named", "NotNegative", "NotNegativeFloat", "NotSupported",
    "Only", "Positive", "PositiveFloat", "Reals", "Reduction", "Shape", "StrictFloat", "StrictNotNegative",
    "StrictPositive", "TypeOf", "Where", "holding", "one_of",
]  # fmt: skip


@dataclass(frozen=True, eq=False)  # `typing` would take equal ones for each other, and so 0.0 for 0
class Limits:
    """The interval of a number, or of each number in a tuple or list.

    Args:
        minimum, maximum: limits that are part of the interval.
        above, below: limits that are not; they take the place of the others.
    """

    minimum: float = -math.inf
    maximum: float = math.inf
    above: float | None = None
    below: float | None = None

    def __contains__(self, number: Any) -> bool:
        is_high_enough = number >= self.minimum if self.above is None else number > self.above
        return bool(is_high_enough and (number <= self.maximum if self.below is None else number < self.below))

    def __str__(self) -> str:
        has_low = self.above is not None or self.minimum > -math.inf
        has_high = self.below is not None or self.maximum < math.inf
        if self.minimum == self.maximum:
            return str(self.minimum)
        if has_low and has_high:
            low = f"[{self.minimum}" if self.above is None else f"({self.above}"
            return f"in {low}, {self.maximum}]" if self.below is None else f"in {low}, {self.below})"
        if has_low:
            return f">= {self.minimum}" if self.above is None else f"> {self.above}"
        if has_high:
            return f"<= {self.maximum}" if self.below is None else f"< {self.below}"
        return "finite"


@dataclass(frozen=True)
class Length:
    """The number of elements of a tuple, a list or a string: from `minimum` to `maximum`.

    Args:
        minimum, maximum: the limits.
        error: the class of the error. Default: ValueError.
    """

    minimum: int
    maximum: float = math.inf
    error: type[Exception] = ValueError

    def __str__(self) -> str:
        if self.minimum == self.maximum:
            return str(self.minimum)
        return f"at least {self.minimum}" if self.maximum == math.inf else f"{self.minimum} to {self.maximum}"


@dataclass(frozen=True)
class Dimensions:
    """The number of dimensions of a tensor, for parameters of operations: `minimum`, or from it to `maximum`."""

    minimum: int
    maximum: float | None = None


@dataclass(frozen=True)
class Shape:
    """The shape of a tensor, for parameters of operations: `Annotated[Tensor, "N C 4"]`, "... H W", "*B N".

    Args:
        sizes: a number is a size; a parameter's name is its value; another name is one size wherever the operation
            declares it; one after `*` is any number of sizes, the same wherever it stands; `...` is any sizes.
    """

    sizes: str

    def __str__(self) -> str:
        sizes = self.sizes.split()
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


@dataclass(frozen=True)
class TypeOf:
    """The data type of another tensor, for parameters of operations: its parameter's name."""

    name: str


@dataclass(frozen=True)
class Holding:
    """The data types of a tensor, for parameters of operations, and the words for its elements: "ints"."""

    words: str
    dtypes: frozenset[torch.dtype]


@dataclass(frozen=True)
class Among:
    """The data types that a parameter of an operation may name.

    Args:
        dtypes: the data types.
        error: the class of the error. Default: TypeError.
    """

    dtypes: tuple[torch.dtype, ...]
    error: type[Exception] = TypeError

    def __str__(self) -> str:
        return _names(self.dtypes)


class Only:
    """What is supported of a parameter's values; others are a NotImplementedError.

    Args:
        values: the values.
        advice: what the error says to do instead. Default: "".
    """

    def __init__(self, *values: Any, advice: str = "") -> None:
        self.values, self.advice = values, advice

    def __str__(self) -> str:
        return f"{' or '.join(map(repr, self.values))}{'. ' * bool(self.advice)}{self.advice}"


def _names(dtypes: tuple[torch.dtype, ...]) -> str:
    *first, last = [str(dtype).removeprefix("torch.") for dtype in dtypes]
    return f"{', '.join(first)} or {last}" if first else last


@dataclass(frozen=True)
class Where:
    """A condition that a value must meet.

    Args:
        words: what it must be, as the error says it: "-1 or > 0".
        holds: a function of the value that returns whether it is.
        error: the class of the error. Default: ValueError.
    """

    words: str
    holds: Callable[[Any], Any]
    error: type[Exception] = ValueError


def one_of(*dtypes: Type) -> Where:
    """Return the condition of a data type that must be one of some."""
    *first, last = [dtype.name for dtype in dtypes]
    return Where(f"{', '.join(first)} or {last}", dtypes.__contains__)


@dataclass(frozen=True)
class Example:
    """A value that the error shows: "a set such as {'accuracy'}"."""

    text: str


class Strict:
    """Beside `float`: an int is refused, as by MindSpore for some parameters."""


class Unbounded:
    """Beside `float`: infinity and nan are accepted."""


def holding(*dtypes: torch.dtype) -> Holding:
    """Return the declaration of a tensor of one of some data types."""
    return Holding(_names(dtypes), frozenset(dtypes))


_REAL = (*int_type, *uint_type, *float_type[:-1], bool_)
_INDICES = (torch.int32, torch.int64)
Indices: TypeAlias = Annotated[torch.Tensor, holding(*_INDICES)]
IndexType: TypeAlias = Annotated[Any, Among(_INDICES)]
Floats: TypeAlias = Annotated[torch.Tensor, Holding("floats", frozenset(t.torch for t in float_type[:-1]))]
Reals: TypeAlias = Annotated[torch.Tensor, Holding("real numbers", frozenset(t.torch for t in _REAL))]
Ints: TypeAlias = Annotated[torch.Tensor, Holding("ints", frozenset(t.torch for t in (*int_type, *uint_type)))]
Bools: TypeAlias = Annotated[torch.Tensor, Holding("bools", frozenset([torch.bool]))]
Positive: TypeAlias = Annotated[int, Limits(above=0)]
NotNegative: TypeAlias = Annotated[int, Limits(0)]
NotNegativeFloat: TypeAlias = Annotated[float, Limits(0)]
PositiveFloat: TypeAlias = Annotated[float, Limits(above=0)]
Fraction: TypeAlias = Annotated[float, Limits(0, 1)]
StrictNotNegative: TypeAlias = Annotated[float, Strict(), Limits(0)]
StrictPositive: TypeAlias = Annotated[float, Strict(), Limits(above=0)]
StrictFloat: TypeAlias = Annotated[float, Strict()]
AnyFloat: TypeAlias = Annotated[float, Unbounded()]
NotSupported: TypeAlias = Annotated[Any, Only(None)]
Named: TypeAlias = Annotated[str, Where("a string that is not blank", str.strip)]
AnyNumber: TypeAlias = bool | int | AnyFloat
Reduction: TypeAlias = Literal["mean", "sum", "none"]
AnyPath: TypeAlias = str | os.PathLike[str]
