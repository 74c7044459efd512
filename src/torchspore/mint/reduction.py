"""Sums, means, deviations, minima, maxima, norms, truth and cumulative values, with torch's signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.argument_forms import number_in
from torchspore.engine.arguments.conversions import as_int
from torchspore.engine.op import Operand, Type, op
from torchspore.engine.widening import ordering, wrapping
from torchspore.ops.math import reduction as ops
from torchspore.ops.math.cumulative import cummax as _cummax
from torchspore.ops.math.elementwise import maximum, minimum
from torchspore.ops.math.min_max import _ordered

__all__ = [
    "all", "amax", "amin", "any", "argmin", "count_nonzero", "cummax", "cummin", "cumsum", "diff", "kthvalue", "max",
    "mean", "median", "min", "nansum", "norm", "prod", "softmax", "std", "std_mean", "var", "var_mean",
]  # fmt: skip


@op
def mean(
    input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """Mean of the elements in the dimensions `dim`.

    Args:
        input: a Tensor; the mean of integers is truncated to an integer.
        dim: the dimensions to average over; None: all. Default: None.
        keepdim: whether they stay, with size 1. Default: False.
        dtype: the dtype to convert `input` to first. Default: None, its own.

    Raises:
        TypeError: `input` holds bools, `dim` is not an int, or `keepdim` is not a bool.
    """
    return ops.mean.body(input if dtype is None else input.to(dtype), dim, keepdim)


@op
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Type | None = None) -> Tensor:
    """Product of the elements along `dim`, by default of all; arguments as for `sum`."""
    return ops.prod.body(input, dim, keepdim, dtype)


@op
def nansum(
    input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """Sum of the elements in the dimensions `dim`, nan counting as 0; arguments as for `sum`."""
    return ops.nansum.body(input, dim, keepdim, dtype=dtype)


@op
def all(input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    """Whether all elements in the dimensions `dim` (default: all dimensions) are true, that is, not zero."""
    return ops.all.body(input, dim, keepdim)


@op
def any(input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    """Whether an element in the dimensions `dim` (default: all dimensions) is true, that is, not zero."""
    return ops.any.body(input, dim, keepdim)


@op
def count_nonzero(input: Tensor, dim: int | tuple[int, ...] | None = None) -> Tensor:
    """Count the elements that are not zero in the dimensions `dim`, by default all, as int64."""
    return torch.count_nonzero(input, dim)


# Deviations


@op
def var(
    input: Tensor, dim: int | tuple[int, ...] | None = None, *, correction: int = 1, keepdim: bool = False
) -> Tensor:
    """Variance in the dimensions `dim`.

    Args:
        input: a floating-point Tensor.
        dim: the dimensions; None: all. Default: None.
        correction: the difference of the number of elements and the divisor. Default: 1.
        keepdim: whether the dimensions stay, with size 1. Default: False.
    """
    return torch.var(input, dim, correction=correction, keepdim=keepdim)


@op
def std(
    input: Tensor, dim: int | tuple[int, ...] | None = None, *, correction: int = 1, keepdim: bool = False
) -> Tensor:
    """Standard deviation in the dimensions `dim`: the square root of `var`, with the same arguments."""
    return torch.std(input, dim, correction=correction, keepdim=keepdim)


@op
def var_mean(
    input: Tensor, dim: int | tuple[int, ...] | None = None, *, correction: int = 1, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Variance and mean in the dimensions `dim`; arguments as for `var`."""
    return torch.var_mean(input, dim, correction=correction, keepdim=keepdim)


@op
def std_mean(
    input: Tensor, dim: int | tuple[int, ...] | None = None, *, correction: int = 1, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean in the dimensions `dim`; arguments as for `var`."""
    return torch.std_mean(input, dim, correction=correction, keepdim=keepdim)


# Minimum and maximum


def _min_or_max(name: str, pair: Any, of_two: Any) -> Any:
    """Make `max` or `min`, which has three forms: of all elements, along a dimension, and of two tensors."""

    def body(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Operand | None = None) -> Any:
        if isinstance(dim, _Tensor):
            return of_two.body(input, dim._t)
        if isinstance(dim, (bool, float, np.floating)):
            return of_two.body(input, dim.item() if isinstance(dim, np.floating) else dim)
        if other is not None:
            return of_two.body(input, other)
        if dim is None:
            return pair(input)
        values, indices = pair(input, as_int(dim, name, "dim"), keepdim)
        return values, indices

    body.__name__ = body.__qualname__ = name
    body.__doc__ = f"""The {name}imum of one tensor, along a dimension or over all elements, or of two tensors.

    Args:
        input: a Tensor.
        dim: the dimension; or a Tensor, a float or a bool, which means `other`. Default: None, all elements.
        keepdim: whether the dimension stays, with size 1. Default: False.
        other: a Tensor to compare with, element by element. Default: None.

    Returns:
        A Tensor; along a dimension a tuple of the values and their int64 indices.
    """
    return op(body, trait=ordering)


max = _min_or_max("max", torch.max, maximum)
min = _min_or_max("min", torch.min, minimum)


@op(trait=ordering)
def amax(input: Tensor, dim: int | tuple[int, ...] = (), keepdim: bool = False) -> Tensor:
    """The maximum in the dimensions `dim`, by default of all; equal elements share the gradient."""
    return torch.amax(input, dim, keepdim)


@op(trait=ordering)
def amin(input: Tensor, dim: int | tuple[int, ...] = (), keepdim: bool = False) -> Tensor:
    """The minimum in the dimensions `dim`, by default of all; equal elements share the gradient."""
    return torch.amin(input, dim, keepdim)


@op(trait=ordering)
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the minimum along `dim`, as int64; None: the index in the flattened tensor."""
    return torch.argmin(_ordered(input), dim, keepdim and dim is not None)


@op
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median of all elements, or along `dim` with its int64 index; the lower of the two for an even count."""
    if dim is None:
        return torch.median(input)
    return torch.median(input, dim, keepdim)


@op
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The `k`-th smallest element (counted from 1) along `dim`, and its int64 index.

    Raises:
        ValueError: there is no such dimension, or fewer than `k` elements along it.
    """
    return torch.kthvalue(input, k, dim, keepdim)


# Norms


@op
def norm(
    input: Tensor,
    p: Any = "fro",
    dim: int | tuple[int, ...] | None = None,
    keepdim: bool = False,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """The norm of a vector or a matrix.

    Args:
        input: a floating-point or complex Tensor.
        p: a number for the vector norm over the dimensions `dim`; "fro" (Frobenius) or "nuc" (the sum of the singular
            values). Default: "fro".
        dim, keepdim, dtype: as for `mean`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.mint.norm(ms.Tensor([3.0, 4.0])))
        5.0
    """
    p = number_in(p)
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise ValueError(f"'p' must be a number, 'fro' or 'nuc', but is {p!r}")
    if dtype is not None:
        input = input.to(dtype)
    if p == "nuc":
        input = input if input.is_floating_point() or input.is_complex() else input.float()
        return torch.linalg.matrix_norm(input, "nuc", (0, 1) if dim is None else dim, keepdim)
    return torch.linalg.vector_norm(input, 2 if p == "fro" else p, dim, keepdim)


@op
def softmax(input: Tensor, dim: int, *, dtype: Type | None = None) -> Tensor:
    """Exponentials divided by their sum along `dim`: positive numbers that sum to 1; computed in `dtype`, if given."""
    return torch.softmax(input, dim, dtype=dtype)


# Cumulative values


@op(trait=wrapping)
def cumsum(input: Tensor, dim: int, dtype: Type | None = None) -> Tensor:
    """Cumulative sum along `dim`, in `dtype`; by default, bools and integers yield int64."""
    return torch.cumsum(input, dim, dtype=dtype)


@op(trait=ordering)
def cummax(input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Cumulative maximum along `dim`, and its int64 index."""
    return _cummax.body(input, dim)


@op(trait=ordering)
def cummin(input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Cumulative minimum along `dim`, and its int64 index."""
    return torch.cummin(input, dim)


@op(trait=wrapping)
def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Differences of neighbours along `dim`, taken `n` times; `prepend` and `append` are attached first."""
    return torch.diff(input, n, dim, prepend, append)
