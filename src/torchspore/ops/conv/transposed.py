"""Transposed convolutions, and the convolution of each channel by itself."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor

from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Size, op
from torchspore.engine.parameters import take_as
from torchspore.engine.primitive import as_primitive
from torchspore.ops.conv.convolution import convolve, convolve_transposed, plan_padding, plan_transposed
from torchspore.ops.conv.windows import check_format, check_pad_mode, check_windows, each, same_total, sides

__all__ = [
    "Conv2DBackpropInput", "Conv2DTranspose", "Conv3DTranspose", "DepthwiseConv2dNative", "conv3d_transpose",
    "conv_transpose2d",
]  # fmt: skip


@op
def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0, output_padding: int | tuple[int, ...] = 0, groups: int = 1,
    dilation: int | tuple[int, ...] = 1,
) -> Tensor:  # fmt: skip
    """Convolve images transposed: every element of the input adds a kernel to the output.

    Args:
        input: a Tensor of shape (N, C, H, W) or (C, H, W).
        weight: a Tensor of shape (C, outputs / groups, kernel height, kernel width).
        bias: a Tensor of shape (outputs,). Default: None.
        stride: the spacing of the kernels in the output, an int or two. Default: 1.
        padding: what is cut off all ends of the output, an int or two. Default: 0.
        output_padding: what is added at the end, an int or two. Default: 0.
        groups: the number of groups of channels. Default: 1.
        dilation: the spacing of the kernel's elements, an int or two. Default: 1.

    Raises ValueError if the shapes do not fit, or a number is out of its range.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.conv_transpose2d(ms.ops.ones((1, 4, 5, 5)), ms.ops.ones((4, 8, 3, 3))).shape
        (1, 8, 7, 7)
    """
    return torch.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation)


@as_primitive
def Conv2DTranspose(
    dout: Tensor, weight: Tensor, input_size: Size, *, out_channel: int, kernel_size: int | tuple[int, ...],
    pad_mode: str = "valid", pad: int | tuple[int, ...] = 0, pad_list: Any = None, mode: int = 1,
    stride: int | tuple[int, ...] = 1, dilation: int | tuple[int, ...] = 1, group: int = 1, data_format: str = "NCHW",
) -> Tensor:  # fmt: skip
    """The gradient of `Conv2D` with respect to its input: `Conv2DTranspose(outputs, kernel)(dout, weight, shape)`.

    Args:
        dout: the gradient of the convolution's output, of shape (N, out_channel, H', W').
        weight: the convolution's weight, of shape (out_channel, C / group, *kernel).
        input_size: the shape of its input, (N, C, H, W).
        pad_list: the same as `pad`, and takes precedence. Default: None.
        out_channel, kernel_size, pad_mode, pad, mode, stride, dilation, group, data_format: its attributes; see
            `Conv2D`.

    Returns a Tensor of shape `input_size`.
    Raises TypeError or ValueError for an argument of a wrong type, shape or value.

    Examples:
        >>> import torchspore as ms
        >>> dout, weight = ms.ops.ones((1, 2, 3, 3)), ms.ops.ones((2, 4, 3, 3))
        >>> ms.ops.Conv2DTranspose(2, 3)(dout, weight, (1, 4, 5, 5)).shape
        (1, 4, 5, 5)
    """
    api = "Conv2DTranspose"
    take_as(Literal[1], mode, "mode", api)
    nhwc = check_format(data_format, api) == "NHWC"
    if nhwc:
        dout, weight = dout.permute(0, 3, 1, 2), weight.permute(0, 3, 1, 2)
    sizes = input_size[1:3] if nhwc else input_size[2:]
    kernel, stride = each(kernel_size, 2, "kernel_size", api), each(stride, 2, "stride", api)
    dilation = each(dilation, 2, "dilation", api)
    if tuple(weight.shape[2:]) != kernel or weight.shape[0] != out_channel:
        raise ValueError(f"the weight must have {out_channel} outputs and a kernel of {kernel}")
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    begins, ends = _ends(api, pad_mode, pad_list or pad, sizes, spans, stride)
    found = tuple(dout.shape[2:])
    expected = tuple([(n + b + e - r) // s + 1 for n, b, e, r, s in zip(sizes, begins, ends, spans, stride)])
    if found != expected:
        raise ValueError(
            f"a convolution of an input of shape {tuple(input_size)} returns {expected} elements in the spatial "
            f"dimensions, but 'dout' has {found}"
        )
    full = torch.convolution(dout, weight, None, stride, (0, 0), dilation, True, (0, 0), group)
    rows, columns = [n + b - m for n, b, m in zip(sizes, begins, full.shape[2:])]
    result = torch.constant_pad_nd(full, (-begins[1], columns, -begins[0], rows))
    return result.permute(0, 2, 3, 1) if nhwc else result


def _ends(api: str, pad_mode: str, pad: Any, sizes: Any, spans: Any, stride: Any) -> Any:
    """Return the padding at the beginning and at the end of the convolution's input."""
    mode = check_pad_mode(pad_mode, api)
    both = each(pad, 4, "pad", api, minimum=0)
    if mode == "pad":
        return both[::2], both[1::2]
    if any(both):
        raise ValueError(f"For '{api}', 'pad' must be 0 unless pad_mode is 'pad', but got {both} and {mode!r}.")
    if mode == "valid":
        return (0, 0), (0, 0)
    totals = [same_total(n, span, s) for n, span, s in zip(sizes, spans, stride)]
    return [total // 2 for total in totals], [total - total // 2 for total in totals]


check_windows(2, Conv2DTranspose)


class Conv2DBackpropInput(Conv2DTranspose):  # type: ignore[misc, valid-type]
    """The old name of `Conv2DTranspose`."""


def _transposed_3d(
    api: str, dout: Tensor, weight: Tensor, pad_mode: str, pad: Any, stride: Any, dilation: Any, group: int,
    output_padding: Any,
) -> Tensor:  # fmt: skip
    if weight.dim() != 5 or dout.dim() != 5:
        raise ValueError("the input and the weight must have 5 dimensions")
    stride, dilation = each(stride, 3, "stride", api), each(dilation, 3, "dilation", api)
    added = each(output_padding, 3, "output_padding", api, minimum=0)
    if any(added) and check_pad_mode(pad_mode, api) != "pad":
        raise ValueError(f"'output_padding' must be 0 unless pad_mode is 'pad', but got {added}")
    both = sides(pad, 3, "pad", api)
    padding, extra, cut = plan_transposed(pad_mode, both, weight.shape[2:], stride, dilation, added, api)
    extra, zeros = _as_zeros(extra, stride, dilation)
    return convolve_transposed(dout, weight, None, stride, padding, dilation, group, extra, cut, zeros)


def _as_zeros(extra: tuple[int, ...], stride: Any, dilation: Any) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Split the additional elements of the output: torch computes fewer than a stride or dilation, the rest are 0."""
    computed = tuple([min(n, max(s, d) - 1) for n, s, d in zip(extra, stride, dilation)])
    if computed == extra:
        return extra, None
    return computed, tuple([end for n, c in reversed([*zip(extra, computed)]) for end in (0, n - c)])


@op
def conv3d_transpose(
    inputs: Tensor, weight: Tensor, pad_mode: str = "valid", padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1, dilation: int | tuple[int, ...] = 1, group: int = 1,
    output_padding: int | tuple[int, ...] = 0,
) -> Tensor:  # fmt: skip
    """Convolve volumes transposed: every element of the input adds a kernel to the output.

    Args:
        inputs: a Tensor of shape (N, C, D, H, W).
        weight: a Tensor of shape (C, outputs / group, *kernel).
        pad_mode: "valid" cuts nothing off, "same" leaves stride * size elements, "pad" cuts off `padding`.
            Default: "valid".
        padding: what is cut off the ends of the output, an int or six. Default: 0.
        stride, dilation, group: as for `conv_transpose2d`, an int or three. Default: 1.
        output_padding: what is added at the end, for "pad" only, an int or three. Default: 0.

    Raises ValueError if the shapes do not fit, or a number is out of its range.
    """
    return _transposed_3d(
        "conv3d_transpose", inputs, weight, pad_mode, padding, stride, dilation, group, output_padding
    )


@as_primitive
def Conv3DTranspose(
    dout: Tensor, weight: Tensor, *, in_channel: int, out_channel: int, kernel_size: int | tuple[int, ...],
    mode: int = 1, pad_mode: str = "valid", pad: int | tuple[int, ...] = 0, stride: int | tuple[int, ...] = 1,
    dilation: int | tuple[int, ...] = 1, group: int = 1, output_padding: int | tuple[int, ...] = 0,
    data_format: str = "NCDHW",
) -> Tensor:  # fmt: skip
    """`conv3d_transpose` with fixed attributes; `pad` is its `padding`.

    Args:
        dout: a Tensor of shape (N, in_channel, D, H, W).
        weight: a Tensor of shape (in_channel, out_channel / group, *kernel).
        in_channel, out_channel, kernel_size: the sizes of the weight.
        mode: 1, the only value.
        data_format: "NCDHW", nothing else.
        pad_mode, pad, stride, dilation, group, output_padding: as for `conv3d_transpose`.

    Raises ValueError if the shapes do not fit, or an argument is out of its range.
    """
    api = "Conv3DTranspose"
    take_as(Literal[1], mode, "mode", api)
    check_format(data_format, api, ("NCDHW",))
    expected = (in_channel, out_channel // group, *each(kernel_size, 3, "kernel_size", api))
    if tuple(weight.shape) != expected:
        raise ValueError(f"the weight must be of shape {expected}")
    return _transposed_3d(api, dout, weight, pad_mode, pad, stride, dilation, group, output_padding)


@as_primitive
def DepthwiseConv2dNative(
    x: Tensor, weight: Tensor, *, channel_multiplier: int, kernel_size: int | tuple[int, ...], mode: int = 3,
    pad_mode: str = "valid", pad: int | tuple[int, ...] = 0, stride: int | tuple[int, ...] = 1,
    dilation: int | tuple[int, ...] = 1, group: int = 1,
) -> Tensor:  # fmt: skip
    """Convolve every channel by itself with `channel_multiplier` kernels.

    Args:
        x: a Tensor of shape (N, C, H, W).
        weight: a Tensor of shape (channel_multiplier, C, *kernel).
        channel_multiplier, kernel_size: the sizes of the weight.
        mode: 3, the only value.
        pad_mode, pad, stride, dilation: as for `Conv2D`.
        group: without effect: the channels are their own groups. Default: 1.

    Returns a Tensor of shape (N, C * channel_multiplier, H', W'), the outputs of each channel together.
    Raises ValueError if an argument is out of its range, or the shapes do not fit.
    """
    api = "DepthwiseConv2dNative"
    take_as(Literal[3], mode, "mode", api)
    channels = x.shape[1]
    kernel, stride = each(kernel_size, 2, "kernel_size", api), each(stride, 2, "stride", api)
    dilation = each(dilation, 2, "dilation", api)
    if tuple(weight.shape) != (channel_multiplier, channels, *kernel):
        raise ValueError(f"the weight must be of shape {(channel_multiplier, channels, *kernel)}")
    kernels = weight.transpose(0, 1).reshape(channels * channel_multiplier, 1, *kernel)
    padding = plan_padding(pad_mode, sides(pad, 2, "pad", api), kernel, stride, dilation, api)
    return convolve(x, kernels, None, stride, padding, dilation, channels)


check_windows(3, Conv3DTranspose)
rules.cut_by(rules.transposed_convolution, Conv2DTranspose)
