"""Pooling, with torch's signatures."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.op import op
from torchspore.ops import adaptive_avg_pool2d, adaptive_avg_pool3d, adaptive_max_pool2d

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool2d", "max_unpool2d",
]  # fmt: skip


def _check_window(kernel_size: Any) -> None:
    if min(kernel_size if isinstance(kernel_size, tuple) else (kernel_size,)) < 1:
        raise ValueError(f"'kernel_size' must be positive, but is {kernel_size}")


@op
def avg_pool1d(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The averages over sliding windows of sequences, shape (N, C, L) or (C, L); arguments as for `avg_pool2d`."""
    _check_window(kernel_size)
    stride = kernel_size if stride is None else stride
    return torch.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def _average(count: int) -> Any:
    """Make `avg_pool2d` or `avg_pool3d`."""
    function: Any = F.avg_pool2d if count == 2 else F.avg_pool3d
    sizes = "H, W" if count == 2 else "D, H, W"

    def body(
        input: Tensor,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        _check_window(kernel_size)
        window = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        if count == 3 and input.dtype is torch.float16 and input.is_cpu:  # torch has no kernel for that
            return function(input.float(), *window).half()
        return function(input, *window)

    body.__name__ = body.__qualname__ = f"avg_pool{count}d"
    body.__doc__ = f"""The averages over sliding windows of an input of shape (N, C, {sizes}) or (C, {sizes}).

    Args:
        input: a Tensor of floats.
        kernel_size: the size of the window, an int or one for each spatial dimension.
        stride: the stride of the window, likewise. Default: None, its size.
        padding: the zeros on both ends of each dimension, at most half of the window. Default: 0.
        ceil_mode: whether the last window may reach over the end. Default: False.
        count_include_pad: whether the padding counts as elements. Default: True.
        divisor_override: the divisor of the sum. Default: None, the number of elements.
    """
    return op(body)


avg_pool2d = _average(2)
avg_pool3d = _average(3)


@op
def max_pool2d(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The maxima over sliding windows of images; arguments and result as for `ops.max_pool2d`.

    A `stride` of None is the size of the window.
    """
    function: Any = F.max_pool2d_with_indices if return_indices else torch.max_pool2d
    _check_window(kernel_size)
    stride = kernel_size if stride is None else stride
    return function(input, kernel_size, stride, padding, dilation, ceil_mode)


@op
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    output_size: Any = None,
) -> Tensor:
    """Put maxima back to their positions; everything else is zero.

    Args:
        input: the maxima, a Tensor of shape (N, C, H, W) or (C, H, W).
        indices: their indices, as `max_pool2d` returns them.
        kernel_size, stride, padding: the arguments of the pooling.
        output_size: the size of the result, of which several may fit. Default: None, the smallest.
    """
    function: Any = F.max_unpool2d
    return function(input, indices.long(), kernel_size, stride, padding, output_size)


@op
def adaptive_avg_pool1d(input: Tensor, output_size: int | tuple[int, ...]) -> Tensor:
    """Average sequences, shape (N, C, L) or (C, L), over `output_size` windows of nearly equal size."""
    return torch.adaptive_avg_pool1d(input, output_size)


@op
def adaptive_max_pool1d(input: Tensor, output_size: int | tuple[int, ...], return_indices: bool = False) -> Any:
    """The maxima over `output_size` windows of nearly equal size of sequences, shape (N, C, L) or (C, L).

    With `return_indices` also an int64 Tensor of their indices.
    """
    values, indices = F.adaptive_max_pool1d(input, output_size, return_indices=True)
    return (values, indices) if return_indices else values
