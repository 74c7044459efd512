"""The base of sparse tensors: parts, a shape, and conversions between coordinates and compressed rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch

from torchspore.common import dtype as mstype
from torchspore.common.conversion import converted
from torchspore.common.error_classes import WrongType, WrongValue
from torchspore.common.indexing import as_signed
from torchspore.common.private_torch.error_texts import OUT_OF_RANGE, says
from torchspore.common.showing import printing
from torchspore.common.tensor import Tensor, wrap

__all__ = ["MATRIX", "Matrix", "Sparse", "dense", "row_numbers", "row_starts"]

_S = TypeVar("_S", bound="Sparse")
_M = TypeVar("_M", bound="Matrix")
MATRIX = 2  # dimensions
_LONGEST = 29  # elements of a printed part; longer parts are abbreviated


class Sparse:
    """The base of the sparse tensors.

    Attributes:
        parts: the tensors of indices, and last the tensor of the values.
        full_shape: the shape of the dense tensor.
    """

    __slots__ = ("__weakref__", "full_shape", "parts")

    _names: tuple[str, ...] = ("indices", "values")
    _printed_as = ""

    parts: tuple[Tensor, ...]
    full_shape: tuple[int, ...]

    def take(self, shape: Any, *parts: Any) -> None:
        """Set the parts and the shape, after checking their types."""
        api = type(self).__name__
        for name, part in zip(self._names, parts):
            if not isinstance(part, Tensor):
                raise TypeError(f"For '{api}', '{name}' must be a Tensor, but got {type(part).__name__}.")
        if not isinstance(shape, tuple):
            raise TypeError(f"For '{api}', 'shape' must be a tuple of ints, but got {type(shape).__name__}.")
        for size in shape:
            if not isinstance(size, int):
                raise WrongType(f"For '{api}', 'shape' must be a tuple of ints, but got {size!r} in it.")
            if size <= 0:
                raise ValueError(f"For '{api}', the sizes in 'shape' must be positive, but got {shape}.")
        self.parts = parts
        self.full_shape = tuple(map(int, shape))

    def share(self, other: Any, given: Sequence[Any], parameter: str) -> None:
        """Share the parts and the shape of another tensor of this class, which must be the only argument."""
        api = type(self).__name__
        if any(argument is not None for argument in given):
            raise TypeError(f"For '{api}', give either '{parameter}', or the parts and the shape, not both.")
        if not isinstance(other, type(self)):
            raise TypeError(f"For '{api}', '{parameter}' must be a {api}, but got {type(other).__name__}.")
        self.parts, self.full_shape = other.parts, other.full_shape

    @classmethod
    def of(cls: type[_S], shape: tuple[int, ...], *parts: Any) -> _S:
        """Return a tensor of parts that are known to fit."""
        result = object.__new__(cls)
        result.parts, result.full_shape = parts, shape
        return result

    def with_parts(self: _S, parts: Sequence[Any]) -> _S:
        """Return the same kind of tensor, of the same shape, around other parts."""
        return self.of(self.full_shape, *parts)

    def with_values(self: _S, values: Tensor) -> _S:
        """Return a tensor with other values at the same positions."""
        return self.with_parts((*self.parts[:-1], values))

    @property
    def values(self) -> Tensor:
        """The values."""
        return self.parts[-1]

    @property
    def indices(self) -> Tensor:
        """The indices of the values."""
        return self.parts[-2]

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={_printed(part)}" for name, part in zip(self._names, self.parts))
        kind = self._printed_as or type(self).__name__
        return f"{kind}(shape={list(self.full_shape)}, dtype={self.values.dtype}, {parts})"


class Matrix(Sparse):
    """The base of `COOTensor` and `CSRTensor`."""

    __slots__ = ()

    def check_index_types(self) -> None:
        """Raise the error for indices that are not int16, int32 or int64."""
        for name, part in zip(self._names, self.parts[:-1]):
            if part.dtype not in (mstype.int16, mstype.int32, mstype.int64):
                raise TypeError(
                    f"For '{type(self).__name__}', '{name}' must be of int16, int32 or int64, but got {part.dtype}."
                )

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the dense tensor."""
        return self.full_shape

    @property
    def ndim(self) -> int:
        """The number of dimensions of the dense tensor."""
        return len(self.full_shape)

    @property
    def dtype(self) -> mstype.Type:
        """The data type of the values."""
        return self.values.dtype

    @property
    def size(self) -> int:
        """The number of stored values."""
        return self.values.size

    @property
    def itemsize(self) -> int:
        """The bytes of one value."""
        return self.values.itemsize

    def to_dense(self) -> Tensor:
        """Return the tensor with all elements; both kinds define it."""
        raise NotImplementedError(f"For '{type(self).__name__}', define 'to_dense' in the subclass.")

    def to_tuple(self) -> tuple[Any, ...]:
        """Return the tensors of indices, the values and the shape."""
        return (*self.parts, self.full_shape)

    def astype(self: _M, dtype: Any) -> _M:
        """Return a copy with values of a data type.

        Args:
            dtype: a data type, or what names one.

        Raises:
            TypeError: there is no such data type.
        """
        target = mstype.to_torch(dtype, f"{type(self).__name__}.astype")
        return self.map_values(lambda values: converted(values, target))

    def abs(self: _M) -> _M:
        """Return a tensor of the absolute values."""
        return self.map_values(lambda values: values if values.dtype is torch.bool else values.abs())

    def __neg__(self: _M) -> _M:
        return self.with_values(-self.values)

    def map_values(self: _M, function: Callable[[torch.Tensor], torch.Tensor]) -> _M:
        """Return a tensor with the values that a function over torch tensors makes."""
        return self.with_values(wrap(function(self.values._t)))

    def check_same_shape(self, other: Any, api: str) -> None:
        """Raise if a tensor has another shape."""
        if other.shape != self.full_shape:
            raise ValueError(f"For '{api}', the shapes must be equal, but got {self.full_shape} and {other.shape}.")

    def refuse(self, verb: str, other: Any, accepted: str) -> TypeError:
        """Return the error for an operand of another type."""
        kind = type(self).__name__
        return TypeError(f"For '{kind}', {verb} takes {accepted}, but got {type(other).__name__}.")

    def check_matrix(self, api: str) -> None:
        """Raise if there are more than two dimensions."""
        if len(self.full_shape) != MATRIX:
            raise ValueError(f"For '{api}', the tensor must have two dimensions, but its shape is {self.full_shape}.")


def dense(indices: torch.Tensor, values: torch.Tensor, shape: tuple[int, ...], api: str) -> torch.Tensor:
    """Return zeros of a shape, with values added at coordinates.

    Args:
        indices: the coordinates, of shape (N, dimensions).
        values: of shape (N,).
        shape: the shape.
        api: the name in the error for a coordinate that is out of range.
    """
    if values.dtype is torch.bool:
        return dense(indices, values.to(torch.uint8), shape, api).bool()
    try:
        signed = as_signed(values)  # sums have the same bits
        # Negative coordinates would count from the end.
        places = torch.where(indices < 0, torch.iinfo(torch.int64).max, indices.long()).unbind(1)
        total = signed.new_zeros(shape).index_put(tuple(places), signed, accumulate=True)
        return total if signed is values else total.view(values.dtype)
    except (IndexError, RuntimeError) as error:
        if not says(error, OUT_OF_RANGE):
            raise
        raise WrongValue(f"For '{api}', a coordinate is out of range: the shape is {shape}.") from None


def row_starts(rows: torch.Tensor, height: int) -> torch.Tensor:
    """Return where each of `height` rows begins and ends in a sorted list of row numbers, in its data type."""
    bounds = torch.arange(height + 1, dtype=rows.dtype, device=rows.device)
    return torch.searchsorted(rows.contiguous(), bounds).to(rows.dtype)


def row_numbers(indptr: torch.Tensor, count: int) -> torch.Tensor:
    """Return the row of each of `count` values, from where each row begins and ends, in its data type."""
    positions = torch.arange(count, dtype=indptr.dtype, device=indptr.device)
    # not repeat_interleave, which writes beyond its result if the numbers do not fit
    return (torch.searchsorted(indptr.contiguous(), positions, right=True) - 1).to(indptr.dtype)


def _printed(tensor: Tensor) -> str:
    if tensor.size > _LONGEST:
        return f"Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype}, value=[...])"
    head, _, values = printing.to_repr(tensor._t).partition("value=")
    return f"{head}value={values.replace(',', '').removeprefix(' ')}"
