"""Products of vectors and matrices, traces, norms and convolutions."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchspore.engine.arguments.argument_forms import number_in
from torchspore.engine.arguments.conversions import as_ints
from torchspore.engine.op import NumpyType, op
from torchspore.numpy.arrays import array, floating, in_range, promoted, single
from torchspore.numpy.arrays import arrays as _arrays
from torchspore.ops.linalg.matrix_functions import sum_of_diagonal
from torchspore.ops.linalg.products import kron as kronecker

__all__ = [
    "convolve", "correlate", "cross", "diagonal", "dot", "inner", "kron", "matmul", "matrix_power", "multi_dot", "norm",
    "outer", "tensordot", "trace",
]  # fmt: skip


@op
def dot(a: Any, b: Any) -> Tensor:
    """The product of two arrays: of the last dimension of `a` with the last but one (of vectors, the only one) of `b`.

    Args:
        a: an array.
        b: an array; if either has no dimensions, the product is elementwise.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.dot([[1, 2], [3, 4]], [1, 10]))
        [21 43]
    """
    a, b = promoted(a, b)
    if a.dim() == 0 or b.dim() == 0:
        return a * b
    if a.dim() <= 2 and b.dim() <= 2:
        return torch.matmul(a, b)
    return torch.tensordot(a, b, dims=([a.dim() - 1], [max(b.dim() - 2, 0)]))


@op
def inner(a: Any, b: Any) -> Tensor:
    """The product of two arrays over the last dimension of both."""
    return torch.inner(*promoted(a, b))


@op
def outer(a: Any, b: Any) -> Tensor:
    """The products of all elements of `a` with all of `b`; both are flattened."""
    a, b = promoted(a, b)
    return torch.outer(a.reshape(-1), b.reshape(-1))


@op
def matmul(x1: Any, x2: Any, dtype: NumpyType | None = None) -> Tensor:
    """The product of (stacks of) matrices, which are broadcast; vectors are rows in `x1` and columns in `x2`."""
    result = torch.matmul(*promoted(x1, x2))
    return result if dtype is None else result.to(dtype)


@op
def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """The product of arrays over the last `axes` dimensions of `a` and the first of `b`, or over two lists of them."""
    a, b = promoted(a, b)
    if not isinstance(axes, int):
        given = [as_ints(dims, "tensordot", "axes") for dims in axes]
        axes = tuple((dims,) if isinstance(dims, int) else dims for dims in given)
    return torch.tensordot(a, b, axes)


@op
def kron(a: Any, b: Any) -> Tensor:
    """The Kronecker product: blocks of `b`, each multiplied by an element of `a`."""
    return kronecker.body(*promoted(a, b))


@op
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Tensor:
    """The cross products of vectors of two or three components.

    Args:
        a, b: arrays of vectors; a missing third component is 0. The product of vectors of two components is a number.
        axisa, axisb, axisc: the dimension of the components in `a`, in `b` and in the result. Default: -1.
        axis: the dimension in all three. Default: None.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = promoted(a, b)
    a, b = a.movedim(in_range(axisa, a.dim(), "axisa")[0], -1), b.movedim(in_range(axisb, b.dim(), "axisb")[0], -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError(f"vectors must have two or three components, but got {a.shape[-1]} and {b.shape[-1]}")
    if a.shape[-1] == b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a, b = [torch.nn.functional.pad(vectors, (0, 3 - vectors.shape[-1])) for vectors in (a, b)]
    result = torch.linalg.cross(*torch.broadcast_tensors(a, b))
    return result.movedim(-1, in_range(axisc, result.dim(), "axisc")[0])


@op
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonals `offset` (`k` of `eye`) of matrices in the dimensions `axis1` and `axis2`, as last dimension."""
    a = array(a)
    in_range((axis1, axis2), a.dim(), "axis1 and axis2")
    return torch.diagonal(a, offset, axis1, axis2)


@op
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: NumpyType | None = None) -> Tensor:
    """The sums of the diagonals of matrices; arguments as for `diagonal`, and the data type to sum in."""
    elements = diagonal.body(a, offset, axis1, axis2)
    return sum_of_diagonal(elements, dtype)


@op
def multi_dot(arrays: Any) -> Tensor:
    """The product of several matrices, in the order with the fewest multiplications.

    Args:
        arrays: a list or tuple of at least two matrices; the first may be a row vector, the last a column vector.
    """
    given = promoted(*_arrays(arrays)) if len(arrays) > 1 else []
    if len(given) < 2 or any(matrix.dim() != 2 for matrix in given[1:-1]):
        raise ValueError("'arrays' must hold at least two arrays, and all but the first and the last must be matrices")
    return torch.linalg.multi_dot(given)


@op
def matrix_power(a: Any, n: int) -> Tensor:
    """A square matrix to the power of an int."""
    a = array(a)
    if a.dim() < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"'a' must hold square matrices, but has the shape {tuple(a.shape)}")
    if n < 0 or a.dtype is torch.bool:
        a = floating(a)
    return torch.linalg.matrix_power(a, n)


_MATRIX_ORDERS = (None, "fro", 1, -1, math.inf, -math.inf)


@op
def norm(x: Any, ord: Any = None, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
    """The norms of vectors or matrices.

    Args:
        x: an array; integers become float32.
        ord: for vectors the exponent; for matrices "fro" (the root of the sum of squares), 1 or inf (the maximum sum of
            a column or a row), -1 or -inf (the minimum). Default: None, 2 or "fro".
        axis: the dimension of the vectors, or the two of the matrices. Default: None, all, at most two if `ord` is
            given.
        keepdims: whether the dimensions are kept with size 1. Default: False.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.norm([3.0, 4.0]), np.norm([[1, -2], [3, 4]], 1))
        5.0 6
    """
    given, x, ord = x, single(array(x)), number_in(ord)
    if axis is None and ord is None:
        axes = tuple(range(x.dim()))
        return torch.linalg.vector_norm(x, 2, axes, keepdims)
    axes = tuple(range(x.dim())) if axis is None else in_range(axis, x.dim())
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"'ord' must be a number for vectors, but got {ord!r}")
        norms = torch.linalg.vector_norm(x, 2 if ord is None else ord, axes, keepdims)
        return _like(given, norms) if ord in (math.inf, -math.inf) else norms
    if len(axes) != 2 or ord not in _MATRIX_ORDERS:
        raise ValueError(f"norms need one dimension, or two and an 'ord' in {_MATRIX_ORDERS}; got {axes}, {ord!r}")
    norms = torch.linalg.matrix_norm(x, "fro" if ord is None else ord, axes, keepdims)
    return norms if ord in (None, "fro") else _like(given, norms)


def _like(x: Any, norms: Tensor) -> Tensor:
    """Return norms that are elements or sums in the data type of the array."""
    dtype = array(x).dtype
    return norms if dtype is torch.bool else norms.to(dtype)


def _sliding_products(a: Tensor, v: Tensor, mode: str) -> Tensor:
    """Return the products of `a` with the shorter `v` at the offsets of `mode` (see `convolve`)."""
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"'mode' must be 'full', 'same' or 'valid', but got {mode!r}")
    if a.dim() != 1 or v.dim() != 1 or not a.numel() or not v.numel():
        raise ValueError("both arguments must be vectors and not empty")
    short = v.numel() - 1
    padding = {"full": (short, short), "valid": (0, 0), "same": (short - short // 2, short // 2)}[mode]
    windows = torch.nn.functional.pad(a, padding).unfold(0, v.numel(), 1)
    return torch.sum(windows * v, -1, dtype=a.dtype)


@op
def convolve(a: Any, v: Any, mode: str = "full") -> Tensor:
    """The convolution of two vectors.

    Args:
        a, v: vectors.
        mode: "full" for all offsets with an overlap, "same" for the length of the longer vector, "valid" for offsets
            with a complete overlap. Default: "full".

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.convolve([1, 2, 3], [0.0, 1.0, 0.5]))
        [0.  1.  2.5 4.  1.5]
    """
    a, v = promoted(a, v)
    if v.numel() > a.numel():
        a, v = v, a
    return _sliding_products(a, torch.flip(v, [0]) if v.dim() else v, mode)


@op
def correlate(a: Any, v: Any, mode: str = "valid") -> Tensor:
    """The correlation of two vectors: the sums of `a` times the complex conjugate of the shifted `v`.

    Args:
        a, v: vectors; int64 becomes float64, narrower integers float32.
        mode: as for `convolve`. Default: "valid".
    """
    a, v = [x.double() if x.dtype is torch.int64 else floating(x) for x in promoted(a, v)]
    swapped = v.numel() > a.numel()
    long, short = (v, a) if swapped else (a, v)
    result = _sliding_products(long, torch.conj(short), mode)
    return torch.conj(torch.flip(result, [0])) if swapped else result
