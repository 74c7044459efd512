"""Shapes with open sizes: `Symbol`, and tensors without elements that describe the inputs of a graph."""

from __future__ import annotations

from typing import Any, NoReturn

from torchspore.common.dtype import FROM_TORCH, Type, to_torch
from torchspore.common.frames.user_lines import warn_of_unknown
from torchspore.common.tensor import Tensor

__all__ = ["OpenTensor", "Symbol", "is_open", "open_tensor", "open_up"]

_ANY_SIZE = -1
_ANY_RANK = -2


_NUMBERS = {"max": 0, "min": 1, "divisor": 1, "remainder": 0}


class Symbol:
    """A constraint on an open size in the shape of an input.

    Args:
        max: the largest size; no limit unless it exceeds `min`. Default: 0.
        min: the smallest size. Default: 1.
        divisor: with `remainder`, the size is divisor * n + remainder for an n >= 1. Default: 1.
        remainder: at least 0 and below `divisor`. Default: 0.
        unique: whether all sizes with this symbol are equal. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> ms.Symbol(max=8).refuses(9)
        'at most 8'
    """

    def __init__(
        self, max: int = 0, min: int = 1, divisor: int = 1, remainder: int = 0, unique: bool = False, **kwargs: Any
    ) -> None:
        warn_of_unknown(kwargs, "Symbol", ["max", "min", "divisor", "remainder", "unique"])
        given = {"max": max, "min": min, "divisor": divisor, "remainder": remainder}
        for name, value in given.items():
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"For 'Symbol', '{name}' must be an int, but got {value!r}.")
        if not isinstance(unique, bool):
            raise TypeError(f"For 'Symbol', 'unique' must be a bool, but got {unique!r}.")
        for name in ("min", "divisor"):
            if given[name] < 1:
                raise ValueError(f"For 'Symbol', '{name}' must be > 0, but got {given[name]}.")
        if not 0 <= remainder < divisor:
            raise ValueError(f"For 'Symbol', 'remainder' must be >= 0 and < {divisor}, but got {remainder}.")
        self.max = max
        self.min = min
        self.divisor = divisor
        self.remainder = remainder
        self.unique = unique

    def refuses(self, size: int) -> str:
        """Return a description of the accepted sizes if `size` is not one of them, else ""."""
        if size < self.min:
            return f"at least {self.min}"
        if self.max > self.min and size > self.max:
            return f"at most {self.max}"
        if size % self.divisor != self.remainder or size < self.divisor:
            return f"{self.divisor} * n + {self.remainder} for an n >= 1"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers that are not the default; of a unique symbol also its identity."""
        found = {name: getattr(self, name) for name, default in _NUMBERS.items() if getattr(self, name) != default}
        return found | ({"id": id(self)} if self.unique else {})

    def __repr__(self) -> str:
        given = {name: value for name, value in self.to_dict().items() if name != "id"}
        given |= {"unique": True} if self.unique else {}
        return f"Symbol({', '.join(f'{name}={value}' for name, value in given.items())})"


class OpenTensor(Tensor):
    """A tensor without elements, some of whose sizes are open: it describes an input, for `Cell.set_inputs`.

    It is what `Tensor(shape=[None, 3], dtype=...)` makes. As in MindSpore, its `shape` has -1 for each open size, and
    is (-2,) when the number of dimensions is open, too.

    Attributes:
        open_shape: its sizes: an int, None, or a Symbol each; None when the number of dimensions is open.
    """

    __slots__ = ()

    open_shape: tuple[int | Symbol | None, ...] | None

    @property
    def _t(self) -> NoReturn:  # type: ignore[override]
        raise TypeError(
            f"For 'Tensor', a tensor of the shape {self.open_shape} has no elements: it only describes an input, for "
            "'Cell.set_inputs' or 'enable_dynamic'. Give sizes to make one with elements."
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes: -1 for an open one; (-2,) for any number of dimensions."""
        if self.open_shape is None:
            return (_ANY_RANK,)
        return tuple([size if isinstance(size, int) else _ANY_SIZE for size in self.open_shape])

    def _shown_values(self) -> None:
        return None

    @property
    def dtype(self) -> Type:
        """The data type."""
        dtype: Type = self.__dict__["open_dtype"]
        return dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions; 1 when it is open."""
        return len(self.shape)

    def __repr__(self) -> str:
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value= )"

    __str__ = __repr__

    def __copy__(self) -> OpenTensor:
        return self  # nothing in it can be changed

    def __deepcopy__(self, memo: dict[int, Any]) -> OpenTensor:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return open_tensor, (self.open_shape, self.dtype)


def is_open(shape: Any) -> bool:
    """Return whether a shape has an open size (None, -1 or a Symbol), or is None: any number of dimensions."""
    if shape is None or (isinstance(shape, (tuple, list)) and tuple(shape) == (_ANY_RANK,)):
        return True
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    return any(isinstance(size, Symbol) or size is None or _is_any_size(size) for size in sizes)


def open_tensor(shape: Any, dtype: Type) -> OpenTensor:
    """Return a tensor without elements.

    Args:
        shape: a size or a list or tuple of sizes: an int, None or -1 for any, or a Symbol; None or (-2,) for any
            number of dimensions.
        dtype: the data type.

    Raises:
        TypeError: a size of another type.
        ValueError: a negative size other than -1.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.common.open_shape import open_tensor
        >>> open_tensor([None, 3], ms.float32).shape
        (-1, 3)
    """
    tensor = object.__new__(OpenTensor)
    open_up(tensor, shape, dtype)
    return tensor


def open_up(tensor: Tensor, shape: Any, dtype: Type) -> None:
    """Make `tensor`, which is still empty, one without elements; `shape` and `dtype` as in `open_tensor`."""
    tensor.__dict__.update(open_shape=_sizes(shape), open_dtype=dtype)
    tensor.__class__ = OpenTensor


def _opened(tensor: Tensor, shape: Any, dtype: Any) -> bool:
    if not is_open(shape):
        return False
    open_up(tensor, shape, FROM_TORCH[to_torch(dtype, "Tensor")])
    return True


Tensor._opened = _opened


def _sizes(shape: Any) -> tuple[int | Symbol | None, ...] | None:
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if shape is None or sizes == (_ANY_RANK,):
        return None
    for size in sizes:
        if not (size is None or isinstance(size, Symbol) or (isinstance(size, int) and not isinstance(size, bool))):
            raise TypeError(f"For 'Tensor', a size in 'shape' must be an int, None or a Symbol, but got {size!r}.")
        if isinstance(size, int) and size < _ANY_SIZE:
            raise ValueError(f"For 'Tensor', a size in 'shape' must be >= 0, or -1 or None for any, but got {size}.")
    return tuple([None if _is_any_size(size) else size for size in sizes])


def _is_any_size(size: Any) -> bool:
    return isinstance(size, int) and size == _ANY_SIZE
