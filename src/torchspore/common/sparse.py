"""Sparse tensors: indices, values and a shape, held together as plain objects around tensors.

What they compute is done by operations on their values, so gradients flow through the values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from torchspore.common.error_classes import also
from torchspore.common.sparse_base import MATRIX, Matrix, Sparse, dense, row_numbers, row_starts
from torchspore.common.tensor import Tensor, wrap

__all__ = ["COOTensor", "CSRTensor", "RowTensor", "RowTensorInner", "SparseTensor"]

_WrongPart = also(ValueError, TypeError)  # in graphs, MindSpore checks the data types first


class COOTensor(Matrix):
    """A sparse tensor as a list of coordinates: `dense[indices[i]] = values[i]`.

    Args:
        indices: the coordinates, a Tensor of ints of shape (N, 2).
        values: their values, a Tensor of shape (N,).
        shape: the shape of the dense tensor, a tuple of two ints.
        coo_tensor: instead of all these, a COOTensor to share the parts of.

    Raises:
        TypeError: a part is not a Tensor, `indices` are not int16, int32 or int64, `shape` is not a tuple of ints,
            `coo_tensor` is not a COOTensor, or it is not alone.

    Values with equal coordinates count as their sum. Coordinates are not compared with the shape.

    Examples:
        >>> import torchspore as ms
        >>> indices, values = ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, 2.0])
        >>> x = ms.COOTensor(indices, values, (3, 4))
        >>> print(x.to_dense())
        [[0. 1. 0. 0.]
         [0. 0. 2. 0.]
         [0. 0. 0. 0.]]
        >>> print((-x).values)
        [-1. -2.]
    """

    __slots__ = ()

    def __init__(
        self, indices: Any = None, values: Any = None, shape: Any = None, coo_tensor: COOTensor | None = None
    ) -> None:
        if coo_tensor is not None:
            self.share(coo_tensor, (indices, values, shape), "coo_tensor")
            return
        self.take(shape, indices, values)
        if indices.ndim != MATRIX or values.ndim != 1 or indices.shape[0] != values.shape[0]:
            raise _WrongPart(
                f"For 'COOTensor', 'indices' must be of shape (N, 2) and 'values' of shape (N,), but got "
                f"{indices.shape} and {values.shape}."
            )
        if len(shape) != MATRIX or indices.shape[1] != MATRIX:
            raise _WrongPart(
                f"For 'COOTensor', 'shape' and the rows of 'indices' must have two numbers, but got {shape} and "
                f"indices of shape {indices.shape}."
            )
        if values.size > math.prod(shape):
            raise _WrongPart(f"For 'COOTensor', the shape {shape} is too small for {values.size} values.")
        self.check_index_types()

    def _rows_columns(self) -> tuple[torch.Tensor, torch.Tensor]:
        rows, columns = self.indices._t.unbind(1)
        return rows.long(), columns.long()

    def to_dense(self) -> Tensor:
        """Return the dense Tensor.

        Raises:
            ValueError: a coordinate is out of range.
        """
        return wrap(dense(self.indices._t, self.values._t, self.full_shape, "COOTensor.to_dense"))

    def to_csr(self) -> CSRTensor:
        """Return the same tensor row by row, a CSRTensor of int32 or int64 indices as here."""
        indices, values = self.indices._t, self.values._t
        order = self._order()
        rows, columns = indices[order].unbind(1)
        indptr = row_starts(rows, self.full_shape[0])
        return CSRTensor.of(self.full_shape, wrap(indptr), wrap(columns.contiguous()), wrap(values[order]))

    def coalesce(self) -> COOTensor:
        """Return the tensor with sorted coordinates, each of them once, with the sum of its values."""
        places, where = torch.unique(self._places(), return_inverse=True)
        values = self.values._t
        total = values.new_zeros(places.shape[0]).index_add(0, where, values)
        coordinates = torch.stack((places // self.full_shape[1], places % self.full_shape[1]), 1).to(
            self.indices._t.dtype
        )
        return self.with_parts((wrap(coordinates), wrap(total)))

    def add(self, other: COOTensor, thresh: Tensor) -> COOTensor:
        """Return the sum with another COOTensor.

        Args:
            other: a COOTensor of the same shape.
            thresh: a Tensor without dimensions; sums of a smaller magnitude are left out.

        Raises:
            ValueError: the shapes differ, or `thresh` has dimensions.

        Examples:
            >>> import torchspore as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1, 2]), (3, 4))
            >>> print(x.add(x, ms.Tensor(3)).values)
            [4]
        """
        if not isinstance(other, COOTensor):
            raise self.refuse("'add'", other, "a COOTensor")
        if not isinstance(thresh, Tensor):
            raise TypeError(f"For 'COOTensor.add', 'thresh' must be a Tensor, but got {type(thresh).__name__}.")
        if thresh.ndim != 0:
            raise ValueError(f"For 'COOTensor.add', 'thresh' must have no dimensions, but got shape {thresh.shape}.")
        total = self + other
        kept = (~(total.values._t.abs() < thresh._t)).nonzero().squeeze(1)
        return total.with_parts([wrap(part._t[kept]) for part in total.parts])

    def __add__(self, other: Any) -> Any:
        if isinstance(other, COOTensor):
            self.check_same_shape(other, "COOTensor.__add__")
            return self.with_parts(_joined([self.parts, other.parts])).coalesce()
        return wrap(self._dense_for("addition", other, "a COOTensor or a Tensor") + other._t)

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, COOTensor):
            return self + -other
        return wrap(self._dense_for("subtraction", other, "a COOTensor or a Tensor") - other._t)

    def __mul__(self, other: Any) -> COOTensor:
        return self.map_values(lambda values: values * self._gathered("multiplication", other))

    def __truediv__(self, other: Any) -> COOTensor:
        return self.map_values(lambda values: values / self._gathered("division", other))

    def _dense_for(self, verb: str, other: Any, accepted: str) -> torch.Tensor:
        self._check_dense(verb, other, accepted)
        return self.to_dense()._t

    def _gathered(self, verb: str, other: Any) -> torch.Tensor:
        """Return the elements of a dense tensor at the coordinates."""
        self._check_dense(verb, other, "a Tensor")
        return other._t[self._rows_columns()]

    def _check_dense(self, verb: str, other: Any, accepted: str) -> None:
        if not isinstance(other, Tensor):
            raise self.refuse(verb, other, accepted)
        self.check_same_shape(other, f"COOTensor {verb}")

    def _places(self) -> torch.Tensor:
        """Return the flat indices of the values in the dense tensor."""
        rows, columns = self._rows_columns()
        return rows * self.full_shape[1] + columns

    def _order(self) -> torch.Tensor:
        return torch.argsort(self._places(), stable=True)

    def _sorted(self) -> COOTensor:
        order = self._order()
        return self.with_parts([wrap(part._t[order]) for part in self.parts])


class CSRTensor(Matrix):
    """A sparse tensor in compressed rows: row i has `values[indptr[i]:indptr[i + 1]]` in the columns `indices[...]`.

    Args:
        indptr: where each row begins and ends, a Tensor of ints of shape (rows + 1,).
        indices: the columns, a Tensor of ints of shape (N,).
        values: a Tensor of shape (N, ...); its further dimensions are the dimensions of `shape` after the second.
        shape: the shape of the dense tensor, a tuple of ints.
        csr_tensor: instead of all these, a CSRTensor to share the parts of.

    Raises:
        TypeError: a part is not a Tensor, `indptr` or `indices` are not int16, int32 or int64, `shape` is not a tuple
            of ints, `csr_tensor` is not a CSRTensor, or it is not alone.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([0, 1]), ms.Tensor([2.0, 1.0]), (2, 4))
        >>> print(x.to_dense())
        [[2. 0. 0. 0.]
         [0. 1. 0. 0.]]
        >>> print(x.mv(ms.ops.ones((4, 1))))
        [[2.]
         [1.]]
    """

    __slots__ = ()

    _names = ("indptr", "indices", "values")

    def __init__(
        self,
        indptr: Any = None,
        indices: Any = None,
        values: Any = None,
        shape: Any = None,
        csr_tensor: CSRTensor | None = None,
    ) -> None:
        if csr_tensor is not None:
            self.share(csr_tensor, (indptr, indices, values, shape), "csr_tensor")
            return
        self.take(shape, indptr, indices, values)
        if len(shape) != values.ndim + 1 or shape[2:] != values.shape[1:]:
            raise _WrongPart(
                f"For 'CSRTensor', 'shape' must be (rows, columns, ...) with the further sizes of 'values' (N, ...), "
                f"but got {shape} and values of shape {values.shape}."
            )
        if indptr.shape != (shape[0] + 1,):
            raise _WrongPart(
                f"For 'CSRTensor', 'indptr' must be of shape (rows + 1,) = ({shape[0] + 1},), but got {indptr.shape}."
            )
        if indices.shape != values.shape[:1]:
            raise _WrongPart(
                f"For 'CSRTensor', 'indices' must be of shape (N,) = {values.shape[:1]}, but got {indices.shape}."
            )
        self.check_index_types()

    @property
    def indptr(self) -> Tensor:
        """Where each row begins and ends."""
        return self.parts[0]

    def _rows(self) -> torch.Tensor:
        return row_numbers(self.indptr._t, self.values._t.shape[0])

    def _rows_columns(self) -> tuple[torch.Tensor, torch.Tensor]:
        return self._rows().long(), self.indices._t.long()

    def to_coo(self) -> COOTensor:
        """Return the same tensor as coordinates.

        Raises:
            ValueError: it has more than two dimensions.
        """
        self.check_matrix("CSRTensor.to_coo")
        columns = self.indices._t
        indices = torch.stack((self._rows().to(columns.dtype), columns), 1)
        return COOTensor.of(self.full_shape, wrap(indices), self.values)

    def to_dense(self) -> Tensor:
        """Return the dense Tensor.

        Raises:
            ValueError: the tensor has more than two dimensions, or a column is out of range.
        """
        self.check_matrix("CSRTensor.to_dense")
        return self.to_coo().to_dense()

    def mv(self, dense_vector: Tensor) -> Tensor:
        """Return the product with a dense column.

        Args:
            dense_vector: a Tensor of shape (columns, 1).

        Returns:
            A Tensor of shape (rows, 1).
        """
        if not isinstance(dense_vector, Tensor):
            raise self.refuse("'mv'", dense_vector, "a Tensor")
        if dense_vector.shape != (self.full_shape[1], 1):
            raise ValueError(
                f"For 'CSRTensor.mv', 'dense_vector' must be of shape ({self.full_shape[1]}, 1), but got "
                f"{dense_vector.shape}."
            )
        return self._times_dense(dense_vector)

    def mm(self, matrix: Any) -> Any:
        """Return the product with a matrix.

        Args:
            matrix: a Tensor or CSRTensor of shape (columns, K).

        Returns:
            A Tensor or CSRTensor of shape (rows, K).

        Examples:
            >>> import torchspore as ms
            >>> x = ms.Tensor([[0.0, 2.0], [1.0, 0.0]]).to_csr()
            >>> print(x.mm(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
            [[6. 8.]
             [1. 2.]]
            >>> print(x.mm(x).values)
            [2. 2.]
        """
        if not isinstance(matrix, (Tensor, CSRTensor)):
            raise self.refuse("'mm'", matrix, "a Tensor or a CSRTensor")
        self.check_matrix("CSRTensor.mm")
        if matrix.ndim != MATRIX or matrix.shape[0] != self.full_shape[1]:
            raise ValueError(
                f"For 'CSRTensor.mm', 'matrix' must be of shape ({self.full_shape[1]}, K), but got {matrix.shape}."
            )
        return self._times_dense(matrix) if isinstance(matrix, Tensor) else self._times_csr(matrix)

    def _times_dense(self, matrix: Tensor) -> Tensor:
        self.check_matrix("CSRTensor.mm")
        rows, columns = self._rows_columns()
        products = self.values._t.unsqueeze(1) * matrix._t[columns]
        return wrap(products.new_zeros(self.full_shape[0], matrix.shape[1]).index_add(0, rows, products))

    def _times_csr(self, matrix: CSRTensor) -> CSRTensor:
        # Each value is multiplied by one row of the other matrix; products at equal coordinates are summed.
        rows, columns = self._rows_columns()
        starts = matrix.indptr._t.long()
        counts = starts.diff()[columns]
        ours = torch.repeat_interleave(counts)
        theirs = (
            starts[columns][ours] + torch.arange(ours.shape[0], device=ours.device) - (counts.cumsum(0) - counts)[ours]
        )
        indices = self.indices._t.dtype
        coordinates = torch.stack((rows[ours].to(indices), matrix.indices._t[theirs].to(indices)), 1)
        products = self.values._t[ours] * matrix.values._t[theirs]
        shape = (self.full_shape[0], matrix.shape[1])
        return COOTensor.of(shape, wrap(coordinates), wrap(products)).coalesce().to_csr()

    def sum(self, axis: int) -> Tensor:
        """Return the sums of the rows.

        Args:
            axis: 1, or 1 - ndim.

        Returns:
            A Tensor of shape (rows, 1, ...).

        Raises:
            ValueError: it is another int.
        """
        if not isinstance(axis, int):
            raise TypeError(f"For 'CSRTensor.sum', 'axis' must be an int, but got {type(axis).__name__}.")
        if axis not in (1, 1 - self.ndim):
            raise ValueError(f"For 'CSRTensor.sum', 'axis' must be 1 or {1 - self.ndim}, but got {axis}.")
        values = self.values._t
        total = values.new_zeros(self.full_shape[0], *values.shape[1:]).index_add(0, self._rows(), values)
        return wrap(total.unsqueeze(1))

    def add(self, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
        """Return `alpha * self + beta * b`.

        Args:
            b: a CSRTensor of the same shape.
            alpha: a Tensor without dimensions or of one element.
            beta: likewise.

        Raises:
            ValueError: the shapes differ, or `alpha` or `beta` has more elements.
        """
        for name, factor in (("alpha", alpha), ("beta", beta)):
            if not isinstance(factor, Tensor):
                raise TypeError(f"For 'CSRTensor.add', '{name}' must be a Tensor, but got {type(factor).__name__}.")
            if factor.size != 1:
                raise ValueError(f"For 'CSRTensor.add', '{name}' must have one element, but got shape {factor.shape}.")
        return self._sum(b, "'add'", lambda ours: ours * alpha._t.reshape(()), lambda its: its * beta._t.reshape(()))

    def __add__(self, other: Any) -> CSRTensor:
        return self._sum(other, "addition", lambda ours: ours, lambda its: its)

    def __sub__(self, other: Any) -> CSRTensor:
        return self._sum(other, "subtraction", lambda ours: ours, torch.neg)

    def _sum(self, other: Any, verb: str, of_ours: Any, of_other: Any) -> CSRTensor:
        if not isinstance(other, CSRTensor):
            raise self.refuse(verb, other, "a CSRTensor")
        self.check_same_shape(other, f"CSRTensor {verb}")
        ours = self.map_values(of_ours)
        return (ours.to_coo() + other.map_values(of_other).to_coo()).to_csr()

    def __mul__(self, other: Any) -> Tensor:
        return wrap(self.values._t * self._gathered("multiplication", other))

    def __truediv__(self, other: Any) -> Tensor:
        return wrap(self.values._t / self._gathered("division", other))

    def _gathered(self, verb: str, other: Any) -> Any:
        """Return a number, or the elements of a dense tensor, broadcast to this shape, at the stored coordinates."""
        if isinstance(other, (bool, int, float, complex)):
            return other
        if not isinstance(other, Tensor):
            raise self.refuse(verb, other, "a Tensor or a number")
        try:
            broadcast = other._t.expand(self.full_shape)
        except RuntimeError:
            raise ValueError(
                f"For 'CSRTensor', {verb} broadcasts a Tensor to the shape {self.full_shape}, but got {other.shape}."
            ) from None
        return broadcast[self._rows_columns()]

    def transposed(self) -> CSRTensor:
        """Return the transposed tensor."""
        coordinates = self.to_coo()
        indices = wrap(coordinates.indices._t.flip(1))
        return COOTensor.of(self.full_shape[::-1], indices, coordinates.values).to_csr()


class RowTensor(Sparse):
    """Some rows of a tensor: `dense[indices[i]] = values[i]`, and zeros elsewhere.

    Args:
        indices: the numbers of the rows, a Tensor of ints of shape (N,).
        values: the rows, a Tensor of shape (N, ...).
        shape: the shape of the dense tensor, a tuple of ints.
        row_tensor: instead of all these, a RowTensor to share the parts of.

    Raises:
        TypeError: a part is not a Tensor, `shape` is not a tuple of ints, `row_tensor` is not a RowTensor, or
            it is not alone.
        ValueError: a size in `shape` is not positive.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.RowTensor(ms.Tensor([0]), ms.Tensor([[1.0, 2.0]]), (3, 2))
        >>> print(x.values, x.indices, x.dense_shape)
        [[1. 2.]] [0] (3, 2)
    """

    __slots__ = ()

    def __init__(
        self, indices: Any = None, values: Any = None, shape: Any = None, row_tensor: RowTensor | None = None
    ) -> None:
        if row_tensor is not None:
            self.share(row_tensor, (indices, values, shape), "row_tensor")
        else:
            self.take(shape, indices, values)

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """The shape of the dense tensor."""
        return self.full_shape


RowTensorInner = RowTensor


class SparseTensor(Sparse):
    """The older name of `COOTensor`: it has the parts and the shape, and no operations.

    Args:
        indices: the coordinates, a Tensor of ints of shape (N, ndim).
        values: their values, a Tensor of shape (N,).
        shape: the shape of the dense tensor, a tuple of ints.

    Raises:
        TypeError: a part is not a Tensor, or `shape` is not a tuple of ints.
        ValueError: a size in `shape` is not positive.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.SparseTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, 2.0]), (3, 4))
        >>> x.shape, x.indices.shape, x.values.shape
        ((3, 4), (2, 2), (2,))
    """

    __slots__ = ()

    _printed_as = "COOTensor"

    def __init__(self, indices: Any, values: Any, shape: Any) -> None:
        self.take(shape, indices, values)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the dense tensor."""
        return self.full_shape


def joined(tensors: Sequence[COOTensor], axis: int) -> COOTensor:
    """Return the concatenation of COO tensors along `axis`; their other sizes are equal."""
    offset, lists = 0, []
    for tensor in tensors:
        step = torch.tensor([offset if axis == d else 0 for d in range(MATRIX)], device=tensor.indices._t.device)
        indices = tensor.indices._t
        lists.append((wrap(indices + step.to(indices.dtype)), tensor.values))
        offset += tensor.shape[axis]
    shape = tuple(offset if d == axis else size for d, size in enumerate(tensors[0].shape))
    return COOTensor.of(shape, *_joined(lists))._sorted()


def _joined(lists: Sequence[tuple[Tensor, ...]]) -> list[Tensor]:
    return [wrap(torch.cat([part._t for part in parts])) for parts in zip(*lists)]
