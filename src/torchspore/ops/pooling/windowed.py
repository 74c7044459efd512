"""Max, average and power-average pooling over sliding windows, in one to three spatial dimensions."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import op
from torchspore.engine.primitive import Primitive
from torchspore.engine.widening import in_floats
from torchspore.ops.array.overloads import documented
from torchspore.ops.conv.windows import (
    at_least,
    check_format,
    check_pad_mode,
    compact,
    each,
    padded,
    remembered,
    same_total,
    sides,
)

__all__ = [
    "AvgPool", "MaxPool", "avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d", "max_pool2d",
    "max_pool3d",
]  # fmt: skip


def _average_1d(
    input: Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, counts: bool, divisor: int | None
) -> Tensor:
    if divisor is None:
        return torch.avg_pool1d(input, kernel, stride, padding, ceil_mode, counts)
    kernel, stride, padding = [size if isinstance(size, int) else size[0] for size in (kernel, stride, padding)]
    flat = input.unsqueeze(-2)
    return F.avg_pool2d(flat, (1, kernel), (1, stride), (0, padding), ceil_mode, counts, divisor).squeeze(-2)


def _average_3d(
    input: Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, counts: bool, divisor: int | None
) -> Tensor:
    kernel, stride, padding = [(size,) * 3 if isinstance(size, int) else size for size in (kernel, stride, padding)]
    if input.dtype is torch.float16 and input.device.type == "cpu":  # torch has no kernel for it
        return _average_3d(input.float(), kernel, stride, padding, ceil_mode, counts, divisor).half()
    if any(padding) and any(n < k for n, k in zip(input.shape[-3:], kernel)):
        # Torch refuses windows that are larger than the input, even where they fit into the padded input.
        paddings = tuple([end for end in padding for _ in range(2)])
        return average_uneven(input, kernel, stride, paddings, ceil_mode, counts, divisor)
    return F.avg_pool3d(input, kernel, stride, padding, ceil_mode, counts, divisor)


def _maximum_1d(
    input: Tensor, kernel: Any, stride: Any, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Tensor:
    if isinstance(input.shape[-1], int):
        return torch.max_pool1d(input, kernel, stride, padding, dilation, ceil_mode)
    sizes = [size if isinstance(size, int) else size[0] for size in (kernel, stride, padding, dilation)]
    windows = [(other, size) for other, size in zip((1, 1, 0, 1), sizes)]  # torch's max_pool1d fixes an open size
    return torch.max_pool2d(input.unsqueeze(-2), *windows, ceil_mode).squeeze(-2)


_MAXIMUM: dict[int, Any] = {1: _maximum_1d, 2: torch.max_pool2d, 3: torch.max_pool3d}
_MAXIMUM_WITH_INDICES: dict[int, Any] = {
    1: F.max_pool1d_with_indices,
    2: F.max_pool2d_with_indices,
    3: F.max_pool3d_with_indices,
}
_AVERAGE: dict[int, Any] = {1: _average_1d, 2: F.avg_pool2d, 3: _average_3d}


def check_rank(input: Tensor, count: int) -> None:
    """Check that an input has `count` spatial dimensions, channels and perhaps a batch."""
    if input.dim() - count not in (1, 2):
        raise ValueError(f"the input must have {count + 2} dimensions, or {count + 1} without the batch")


def lowest_value(x: Tensor) -> Any:
    """Return the lowest number of a data type."""
    return -math.inf if x.is_floating_point() else torch.iinfo(x.dtype).min


@remembered
def _same_windows(
    sizes: tuple[int, ...], kernel: tuple[int, ...], stride: tuple[int, ...]
) -> tuple[Any, tuple[Any, ...] | None]:
    """Return torch's padding for the pad mode "same" in ceil mode, and the part of its result to keep.

    An odd total puts the odd element at the end. With a stride above 1 the last window of the ceil mode extends past
    the end by itself; otherwise both ends are padded by it and the first window is dropped. So the input is not copied.
    """
    totals = [same_total(n, k, s) for n, k, s in zip(sizes, kernel, stride)]
    is_odd = [s == 1 and total % 2 == 1 for s, total in zip(stride, totals)]
    padding = tuple([total // 2 + odd for total, odd in zip(totals, is_odd)])
    kept = (..., *[slice(1, None) if odd else slice(None) for odd in is_odd]) if any(is_odd) else None
    return compact(padding), kept


@remembered
def same_paddings(sizes: tuple[int, ...], kernel: tuple[int, ...], stride: tuple[int, ...]) -> tuple[int, ...]:
    """Return the padding (begin, end) of every dimension for the pad mode "same"."""
    totals = [same_total(n, k, s) for n, k, s in zip(sizes, kernel, stride)]
    return tuple([end for total in totals for end in (total // 2, total - total // 2)])


def _is_open(sizes: tuple[Any, ...], stride: tuple[int, ...]) -> bool:
    """Return whether the padding for the pad mode "same" depends on an open size, which torch's windows do not take."""
    return any(s > 1 and not isinstance(n, int) for n, s in zip(sizes, stride))


def _maximum(count: int) -> Any:
    """Make the operation of the layer `MaxPool{count}d`; `padding` is None for the pad mode "same"."""
    function = _MAXIMUM[count]

    def body(input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any) -> Tensor:
        check_rank(input, count)
        if padding is not None:
            return function(input, kernel, stride, padding, dilation, ceil_mode)
        sizes = input.shape[-count:]
        if _is_open(sizes, stride):
            input = padded(input, same_paddings(sizes, kernel, stride), lowest_value(input))
            return function(input, kernel, stride)
        padding, kept = _same_windows(sizes, kernel, stride)
        result = function(input, kernel, stride, padding, 1, True)
        return result if kept is None else result[kept]

    return op(body, name=f"MaxPool{count}d")


def _maximum_with_indices(count: int) -> Any:
    """Make the operation of the layer `MaxPool{count}d` with `return_indices`."""
    function = _MAXIMUM_WITH_INDICES[count]

    def body(input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any) -> Any:
        check_rank(input, count)
        return function(input, kernel, stride, padding, dilation, ceil_mode)

    return op(body, name=f"MaxPool{count}d")


def _average(count: int) -> Any:
    """Make the operation of the layer `AvgPool{count}d`; `padding` is None for the pad mode "same"."""
    function = _AVERAGE[count]

    def body(
        input: Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: Any, counts: Any, divisor: Any
    ) -> Tensor:
        check_rank(input, count)
        if padding is not None:
            return function(input, kernel, stride, padding, ceil_mode, counts, divisor)
        sizes = input.shape[-count:]
        if counts and divisor is None:
            divisor = math.prod(kernel)
        if _is_open(sizes, stride) or (count == 3 and any(n < k for n, k in zip(sizes, kernel))):
            return average_uneven(input, kernel, stride, same_paddings(sizes, kernel, stride), False, counts, divisor)
        padding, kept = _same_windows(sizes, kernel, stride)
        result = function(input, kernel, stride, padding, True, counts, divisor)
        return result if kept is None else result[kept]

    return op(body, name=f"AvgPool{count}d")


# What the layers call.
LAYERS: dict[str, Any] = {
    **{f"MaxPool{count}d": _maximum(count) for count in (1, 2, 3)},
    **{f"MaxPool{count}d with indices": _maximum_with_indices(count) for count in (1, 2, 3)},
    **{f"AvgPool{count}d": _average(count) for count in (1, 2, 3)},
}


@op(name="MaxPool2d")
def _maximum_nhwc(input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any) -> Tensor:
    result = LAYERS["MaxPool2d"].body(input.movedim(-1, -3), kernel, stride, padding, dilation, ceil_mode)
    return result.movedim(-3, -1)


@op(name="AvgPool2d")
def _average_nhwc(
    input: Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: Any, counts: Any, divisor: Any
) -> Tensor:
    result = LAYERS["AvgPool2d"].body(input.movedim(-1, -3), kernel, stride, padding, ceil_mode, counts, divisor)
    return result.movedim(-3, -1)


LAYERS["MaxPool2d NHWC"] = _maximum_nhwc
LAYERS["AvgPool2d NHWC"] = _average_nhwc


@remembered
def _maximum_window(api: str, kernel_size: Any, stride: Any, padding: Any, dilation: Any) -> tuple[Any, ...]:
    """Return kernel, stride, padding and dilation for torch from the arguments of max_pool2d or max_pool3d."""
    count = int(api[-2])
    kernel = each(kernel_size, count, "kernel_size", api)
    strides = kernel if stride is None else each(stride, count, "stride", api)
    paddings = each(padding, count, "padding", api, minimum=0)
    return compact(kernel), compact(strides), compact(paddings), compact(each(dilation, count, "dilation", api))


@op
def max_pool2d(
    x: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """Max pooling of images.

    Args:
        x: a Tensor of shape (N, C, H, W) or (C, H, W).
        kernel_size: the size of the window, an int or (height, width).
        stride: the stride of the window, an int or two. Default: None, the size of the window.
        padding: the padding of both ends, an int or two, at most half the window; it is lower than any number.
            Default: 0.
        dilation: the distance between the elements of the window, an int or two. Default: 1.
        return_indices: whether to return the indices of the maxima, too. Default: False.
        ceil_mode: whether the last window may extend past the end. Default: False.

    Returns:
        A Tensor of shape (N, C, H', W'); with `return_indices`, a tuple of it and an int64 Tensor of each maximum's
        index in its image, row by row.

    Examples:
        >>> import torchspore as ms
        >>> values, indices = ms.ops.max_pool2d(ms.Tensor([[[1.0, 5.0], [2.0, 3.0]]]), 2, return_indices=True)
        >>> print(values, indices)
        [[[5.]]] [[[1]]]
    """
    window = _maximum_window("max_pool2d", kernel_size, stride, padding, dilation)
    return LAYERS["MaxPool2d with indices" if return_indices else "MaxPool2d"].body(x, *window, ceil_mode)


@op
def max_pool3d(
    x: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """`max_pool2d` for volumes, shape (N, C, D, H, W) or (C, D, H, W).

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.max_pool3d(ms.ops.ones((1, 4, 4, 4)), 2).shape
        (1, 2, 2, 2)
    """
    window = _maximum_window("max_pool3d", kernel_size, stride, padding, dilation)
    return LAYERS["MaxPool3d with indices" if return_indices else "MaxPool3d"].body(x, *window, ceil_mode)


@remembered
def _average_window(api: str, kernel_size: Any, stride: Any, padding: Any, divisor: int) -> tuple[Any, ...]:
    """Return kernel, stride, padding (of both ends, if they differ) and divisor from the arguments of avg_pool*d."""
    count = int(api[-2])
    kernel = each(kernel_size, count, "kernel_size", api)
    strides = each(stride, count, "stride", api)
    paddings = each(padding, 1, "padding", api, minimum=0) if count == 1 else sides(padding, count, "padding", api)
    divided_by = at_least(divisor, 0, "divisor_override", api) or None
    if len(paddings) > count:
        return kernel, strides, paddings, divided_by
    return compact(kernel), compact(strides), compact(paddings), divided_by


def _average_of(input: Tensor, count: int, window: tuple[Any, ...], ceil_mode: bool, counts: bool) -> Tensor:
    kernel, stride, padding, divisor = window
    check_rank(input, count)
    is_uneven = padding.__class__ is tuple and len(padding) > count
    average = average_uneven if is_uneven else _AVERAGE[count]
    return average(input, kernel, stride, padding, ceil_mode, counts, divisor)


def average_uneven(
    input: Tensor,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    paddings: tuple[int, ...],
    ceil_mode: bool,
    counts: bool,
    divisor: int | None,
) -> Tensor:
    """Average with a padding (begin, end) whose ends differ, which torch does not support."""
    sizes, begins, ends = input.shape[-len(kernel) :], paddings[::2], paddings[1::2]
    if any(b + e > k for b, e, k in zip(begins, ends, kernel)):
        raise ValueError(
            f"the padding of a dimension, {paddings}, must not be more than the size of the window, {kernel}"
        )
    function = _AVERAGE[len(kernel)]
    window = (kernel, stride, 0, ceil_mode, False)
    if divisor is None and not counts:
        total = function(padded(input, paddings), *window, 1)
        real = padded(input.new_ones((1, *sizes)), paddings)
        result = total / function(real, *window, 1)
    else:
        result = function(padded(input, paddings), *window, divisor)
    if not ceil_mode:
        return result
    # A window must begin before the padding at the end, which torch took for a part of the input.
    kept = (..., *[slice(-(-(n + b) // s)) for n, b, s in zip(sizes, begins, stride)])
    return result[kept]


@op
def avg_pool1d(
    input_x: Tensor,
    kernel_size: int = 1,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """`avg_pool2d` for sequences, shape (N, C, L) or (C, L); `padding` is for both ends.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.avg_pool1d(ms.Tensor([[1.0, 2.0, 4.0]]), 2))
        [[1.5 3. ]]
    """
    window = _average_window("avg_pool1d", kernel_size, stride, padding, 0)
    return _average_of(input_x, 1, window, ceil_mode, count_include_pad)


def _average_pool(count: int, doc: str | None = None) -> Any:
    name = f"avg_pool{count}d"

    def body(
        input_x: Tensor,
        kernel_size: int | tuple[int, ...] = 1,
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int = 0,
    ) -> Tensor:
        """Average pooling of images.

        Args:
            input_x: a Tensor of shape (N, C, H, W) or (C, H, W).
            kernel_size: the size of the window, an int or (height, width). Default: 1.
            stride: the stride of the window, an int or two. Default: 1.
            padding: the zeros on every side, an int or (top, bottom, left, right); in each dimension at most the size
                of the window. Default: 0.
            ceil_mode: whether the last window may extend past the end. Default: False.
            count_include_pad: whether the padding counts as elements. Default: True.
            divisor_override: the divisor; 0 is the number of elements in the window. Default: 0.

        Returns:
            A Tensor of shape (N, C, H', W').

        Examples:
            >>> import torchspore as ms
            >>> print(ms.ops.avg_pool2d(ms.Tensor([[[1.0, 2.0], [3.0, 6.0]]]), 2))
            [[[3.]]]
        """
        window = _average_window(name, kernel_size, stride, padding, divisor_override)
        return _average_of(input_x, count, window, ceil_mode, count_include_pad)

    return op(documented(body, name, doc))


avg_pool2d = _average_pool(2)
avg_pool3d = _average_pool(
    3, "`avg_pool2d` for volumes, shape (N, C, D, H, W) or (C, D, H, W); `padding` may be six numbers."
)


@op
def lp_pool1d(
    x: Tensor, norm_type: float, kernel_size: int, stride: int | None = None, ceil_mode: bool = False
) -> Tensor:
    """`lp_pool2d` for sequences, shape (N, C, L) or (C, L).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.lp_pool1d(ms.Tensor([[3.0, 4.0, 0.0, 2.0]]), 2, 2))
        [[5. 2.]]
    """
    check_rank(x, 1)
    return in_floats(F.lp_pool1d)(x, norm_type, kernel_size, stride, ceil_mode)


@op
def lp_pool2d(
    x: Tensor,
    norm_type: float,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Power-average pooling of images: the p-norm, (sum of x ** p) ** (1 / p), of each window.

    Args:
        x: a Tensor of shape (N, C, H, W) or (C, H, W).
        norm_type: p, not 0.
        kernel_size, stride, ceil_mode: as for `max_pool2d`.
    """
    check_rank(x, 2)
    strides = None if stride is None else each(stride, 2, "stride", "lp_pool2d")
    window: Any = each(kernel_size, 2, "kernel_size", "lp_pool2d")
    return in_floats(F.lp_pool2d)(x, norm_type, window, strides, ceil_mode)


class _Pool(Primitive):
    """Pooling with fixed attributes, called with the input."""

    _layer: str

    def __init__(
        self,
        kernel_size: int | tuple[int, ...] = 1,
        strides: int | tuple[int, ...] = 1,
        pad_mode: str = "valid",
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        self._window = each(kernel_size, 2, "kernel_size", self.name)
        self._steps = each(strides, 2, "strides", self.name)
        self.pad_mode = check_pad_mode(pad_mode, self.name, ("valid", "same")).upper()
        self.data_format = check_format(data_format, self.name)
        self.kernel_size, self.strides = self._shown(self._window), self._shown(self._steps)

    def _shown(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        return sizes

    def _pooled(self, x: Any, *options: Any) -> Any:
        operation = LAYERS[f"{self._layer} NHWC" if self.data_format == "NHWC" else self._layer]
        return operation(x, self._window, self._steps, None if self.pad_mode == "SAME" else 0, *options)


class MaxPool(_Pool):
    """`max_pool2d` with fixed attributes: `MaxPool(kernel, strides)(x)`.

    Args:
        kernel_size: the size of the window, an int or (height, width). Default: 1.
        strides: the stride of the window, an int or two. Default: 1.
        pad_mode: "valid", or "same", which makes the size of the output ceil(size / strides). Default: "valid".
        data_format: "NCHW", or "NHWC" on a GPU. Default: "NCHW".

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.MaxPool(2, 2)(ms.ops.ones((1, 3, 8, 8))).shape
        (1, 3, 4, 4)
    """

    _layer = "MaxPool2d"

    def _shown(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        return (1, *sizes, 1) if self.data_format == "NHWC" else (1, 1, *sizes)

    def __call__(self, x: Any) -> Any:
        """Return the maxima."""
        return self._pooled(x, 1, False)


class AvgPool(_Pool):
    """`avg_pool2d` with the attributes of `MaxPool`, which are fixed; padding does not count as elements.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.AvgPool(2, 2)(ms.ops.ones((1, 3, 8, 8))).shape
        (1, 3, 4, 4)
    """

    _layer = "AvgPool2d"

    def __call__(self, x: Any) -> Any:
        """Return the averages."""
        return self._pooled(x, False, False, None)


rules.cut_by(rules.aligned, AvgPool, MaxPool)
