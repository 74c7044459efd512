"""Reductions: sums, means, products, and whether any or all are true."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.common.dtype import Type, to_torch
from torchspore.engine.op import Operand, op

__all__ = ["mean", "sum"]


@op
def sum(
    input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """Sum of the elements in the dimensions `dim`.

    Args:
        input: a Tensor of any shape; bools count as 0 and 1.
        dim: the dimensions to sum over; None or an empty tuple: all. Default: None.
        keepdim: whether they stay, with size 1. Default: False.
        dtype: the type to sum in. Default: that of `input`, int64 for bools and integers.

    Raises:
        TypeError: `dim` is no int, `keepdim` no bool, or `dtype` no data type.
        ValueError: `input` has no such dimension.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [4. 6.]
    """
    return torch.sum(input, dim, keepdim, dtype=dtype)


@op(method="sum")
def _sum(
    self: Tensor,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    *,
    dim: int | tuple[int, ...] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """Sum in the dimensions `axis` (or `dim`), to which `initial` is added; also called as `sum(dim, keepdim)`."""
    if dtype is True or dtype is False:
        dtype, keepdims = None, dtype
    result = torch.sum(self, _axis(axis, dim, "sum"), keepdims or keepdim, dtype=dtype and to_torch(dtype, "sum"))
    return result if initial is None else result + initial


@op
def mean(x: Tensor, axis: int | tuple[int, ...] | None = None, keep_dims: bool = False) -> Tensor:
    """Mean of the elements in the dimensions `axis`.

    Args:
        x: a Tensor of any shape; the mean of integers is cut to an integer.
        axis: the dimensions to average over; None or an empty tuple: all. Default: None.
        keep_dims: whether they stay, with size 1. Default: False.

    Raises:
        TypeError: `x` holds bools, `axis` is no int, or `keep_dims` no bool.
        ValueError: `x` has no such dimension.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [1.5 3.5]
    """
    dtype = x.dtype
    if dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
        return torch.mean(x, axis, keep_dims)
    return torch.mean(x, axis, keep_dims, dtype=torch.float64).to(dtype)


@op(method="mean")
def _mean(
    self: Tensor,
    axis: int | tuple[int, ...] | None = None,
    keep_dims: bool = False,
    *,
    dtype: Type | None = None,
    dim: int | tuple[int, ...] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """Mean in the dimensions `axis` (or `dim`), of the elements as `dtype`."""
    if dtype is not None:
        self = self.to(dtype)
    return mean.body(self, _axis(axis, dim, "mean"), keep_dims or keepdim)


def _axis(axis: Any, dim: Any, api: str) -> Any:
    if dim is None:
        return axis
    if axis is not None:
        raise TypeError(f"For '{api}', give 'axis' or 'dim', but not both: {axis} and {dim}.")
    return dim
