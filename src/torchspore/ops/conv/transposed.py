"""Transposed convolutions, and the convolution of each channel by itself."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.engine.checks import check_choice
from torchspore.engine.op import Size, op
from torchspore.engine.primitive import as_primitive
from torchspore.ops.conv.convolution import convolve, convolve_transposed, plan_padding, plan_transposed
from torchspore.ops.conv.windows import check_format, check_pad_mode, each, same_total, sides

__all__ = [
    "Conv2DBackpropInput", "Conv2DTranspose", "Conv3DTranspose", "DepthwiseConv2dNative", "conv3d_transpose",
    "conv_transpose2d",
]  # fmt: skip


@op
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    output_padding: int | tuple[int, ...] = 0,
    groups: int = 1,
    dilation: int | tuple[int, ...] = 1,
) -> Tensor:
    """Convolve images transposed: every element of the input adds a kernel to the output.

    Args:
        input: a Tensor of shape (N, C, H, W) or (C, H, W).
        weight: a Tensor of shape (C, outputs / groups, kernel height, kernel width).
        bias: a Tensor of shape (outputs,). Default: None.
        stride: the distance of the kernels in the output, an int or two. Default: 1.
        padding: what is cut off all ends of the output, an int or two. Default: 0.
        output_padding: what is added at the end, an int or two. Default: 0.
        groups: the number of groups into which the channels are split. Default: 1.
        dilation: the distance between the elements of the kernel, an int or two. Default: 1.

    Raises TypeError or ValueError for an argument of a wrong type, shape or value.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.conv_transpose2d(ms.ops.ones((1, 4, 5, 5)), ms.ops.ones((4, 8, 3, 3))).shape
        (1, 8, 7, 7)
    """
    return torch.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation)


def _gradient_of_input(
    api: str, dout: Tensor, weight: Tensor, input_size: Any, attributes: dict[str, Any], layout: str
) -> Tensor:
    check_format(layout, api)
    nhwc = layout == "NHWC"
    if nhwc:
        dout, weight = dout.permute(0, 3, 1, 2), weight.permute(0, 3, 1, 2)
    sizes = input_size[1:3] if nhwc else input_size[2:]
    kernel = each(attributes["kernel_size"], 2, "kernel_size", api)
    stride, dilation = each(attributes["stride"], 2, "stride", api), each(attributes["dilation"], 2, "dilation", api)
    if tuple(weight.shape[2:]) != kernel or weight.shape[0] != attributes["out_channel"]:
        raise ValueError(
            f"For '{api}', the weight must have {attributes['out_channel']} outputs and a kernel of {kernel}, but its "
            f"shape is {tuple(weight.shape)}."
        )
    begins, ends = _cut(api, attributes, sizes, kernel, stride, dilation)
    found = tuple(dout.shape[2:])
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    fits = [(n + b + e - r) // s + 1 for n, b, e, r, s in zip(sizes, begins, ends, reach, stride)]
    if found != tuple(fits):
        raise ValueError(
            f"For '{api}', a convolution of an input of shape {tuple(input_size)} gives {tuple(fits)} elements in the "
            f"spatial dimensions, but 'dout' has {found}."
        )
    zeros = (0, 0)
    full = torch.convolution(dout, weight, None, stride, zeros, dilation, True, zeros, attributes["group"])
    rows, columns = [n + b - m for n, b, m in zip(sizes, begins, full.shape[2:])]
    result = torch.constant_pad_nd(full, (-begins[1], columns, -begins[0], rows))
    return result.permute(0, 2, 3, 1) if nhwc else result


def _cut(api: str, attributes: dict[str, Any], sizes: Any, kernel: Any, stride: Any, dilation: Any) -> Any:
    """Return the padding at the beginning and at the end of the convolution's input."""
    mode = check_pad_mode(attributes["pad_mode"], api)
    both = each(attributes["pad_list"] or attributes["pad"], 4, "pad", api, least=0)
    if mode == "pad":
        return both[::2], both[1::2]
    if any(both):
        raise ValueError(f"For '{api}', 'pad' must be 0 unless pad_mode is 'pad', but got {both} and {mode!r}.")
    if mode == "valid":
        return (0, 0), (0, 0)
    totals = [same_total(n, (k - 1) * d + 1, s) for n, k, s, d in zip(sizes, kernel, stride, dilation)]
    return [total // 2 for total in totals], [total - total // 2 for total in totals]


@as_primitive
def Conv2DTranspose(
    dout: Tensor,
    weight: Tensor,
    input_size: Size,
    *,
    out_channel: int,
    kernel_size: int | tuple[int, ...],
    pad_mode: str = "valid",
    pad: int | tuple[int, ...] = 0,
    pad_list: Any = None,
    mode: int = 1,
    stride: int | tuple[int, ...] = 1,
    dilation: int | tuple[int, ...] = 1,
    group: int = 1,
    data_format: str = "NCHW",
) -> Tensor:
    """The gradient of a convolution with respect to its input: `Conv2DTranspose(outputs, kernel)(dout, weight, shape)`.

    Args:
        dout: the gradient of the convolution's output, of shape (N, out_channel, H', W').
        weight: the convolution's weight, of shape (out_channel, C / group, *kernel).
        input_size: the shape of its input, (N, C, H, W).
        out_channel: the number of its outputs.
        kernel_size: the size of its kernel, an int or (height, width).
        pad_mode: its padding, "valid", "same" or "pad". Default: "valid".
        pad: for "pad", the zeros on every side, an int or (top, bottom, left, right). Default: 0.
        pad_list: the same; it goes before `pad`. Default: None.
        mode: 1, the only value.
        stride, dilation: its steps and distances, an int or two. Default: 1.
        group: its number of groups. Default: 1.
        data_format: "NCHW", or "NHWC" on a GPU. Default: "NCHW".

    Returns:
        A Tensor of shape `input_size`.

    Raises TypeError or ValueError for an argument of a wrong type, shape or value.

    Examples:
        >>> import torchspore as ms
        >>> dout, weight = ms.ops.ones((1, 2, 3, 3)), ms.ops.ones((2, 4, 3, 3))
        >>> ms.ops.Conv2DTranspose(2, 3)(dout, weight, (1, 4, 5, 5)).shape
        (1, 4, 5, 5)
    """
    check_choice(mode, (1,), "mode", "Conv2DTranspose")
    attributes = {
        "out_channel": out_channel, "kernel_size": kernel_size, "pad_mode": pad_mode, "pad": pad, "pad_list": pad_list,
        "stride": stride, "dilation": dilation, "group": group,
    }  # fmt: skip
    return _gradient_of_input("Conv2DTranspose", dout, weight, input_size, attributes, data_format)


class Conv2DBackpropInput(Conv2DTranspose):  # type: ignore[misc, valid-type]
    """The old name of `Conv2DTranspose`."""


def _transposed_3d(
    api: str,
    dout: Tensor,
    weight: Tensor,
    pad_mode: str,
    pad: Any,
    stride: Any,
    dilation: Any,
    group: int,
    output_padding: Any,
) -> Tensor:
    if weight.dim() != 5 or dout.dim() != 5:
        raise ValueError(f"For '{api}', the input and the weight must have 5 dimensions.")
    stride, dilation = each(stride, 3, "stride", api), each(dilation, 3, "dilation", api)
    added = each(output_padding, 3, "output_padding", api, least=0)
    if any(added) and check_pad_mode(pad_mode, api) != "pad":
        raise ValueError(f"For '{api}', 'output_padding' must be 0 unless pad_mode is 'pad', but got {added}.")
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
    inputs: Tensor,
    weight: Tensor,
    pad_mode: str = "valid",
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
    dilation: int | tuple[int, ...] = 1,
    group: int = 1,
    output_padding: int | tuple[int, ...] = 0,
) -> Tensor:
    """Convolve volumes transposed: every element of the input adds a kernel to the output.

    Args:
        inputs: a Tensor of shape (N, C, D, H, W).
        weight: a Tensor of shape (C, outputs / group, *kernel).
        pad_mode: "valid" cuts nothing off, "same" leaves stride * size elements, "pad" cuts off what `padding` says.
            Default: "valid".
        padding: what is cut off the ends of the output, an int or six. Default: 0.
        stride: the distance of the kernels in the output, an int or three. Default: 1.
        dilation: the distance between the elements of the kernel, an int or three. Default: 1.
        group: the number of groups into which the channels are split. Default: 1.
        output_padding: what is added at the end, for "pad" only, an int or three. Default: 0.

    Raises TypeError or ValueError for an argument of a wrong type, shape or value.
    """
    return _transposed_3d(
        "conv3d_transpose", inputs, weight, pad_mode, padding, stride, dilation, group, output_padding
    )


@as_primitive
def Conv3DTranspose(
    dout: Tensor,
    weight: Tensor,
    *,
    in_channel: int,
    out_channel: int,
    kernel_size: int | tuple[int, ...],
    mode: int = 1,
    pad_mode: str = "valid",
    pad: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
    dilation: int | tuple[int, ...] = 1,
    group: int = 1,
    output_padding: int | tuple[int, ...] = 0,
    data_format: str = "NCDHW",
) -> Tensor:
    """Convolve volumes transposed: `conv3d_transpose` with fixed attributes.

    Args:
        dout: a Tensor of shape (N, in_channel, D, H, W).
        weight: a Tensor of shape (in_channel, out_channel / group, *kernel).
        in_channel, out_channel: the numbers of channels of the input and the output.
        kernel_size: the size of the kernel, an int or three.
        mode: 1, the only value.
        pad_mode, pad, stride, dilation, group, output_padding: as for `conv3d_transpose`, `pad` being its `padding`.
        data_format: "NCDHW", nothing else.

    Raises TypeError or ValueError for an argument of a wrong type, shape or value.
    """
    api = "Conv3DTranspose"
    check_choice(mode, (1,), "mode", api)
    check_format(data_format, api, ("NCDHW",))
    expected = (in_channel, out_channel // group, *each(kernel_size, 3, "kernel_size", api))
    if tuple(weight.shape) != expected:
        raise ValueError(f"For '{api}', the weight must be of shape {expected}, but got {tuple(weight.shape)}.")
    return _transposed_3d(api, dout, weight, pad_mode, pad, stride, dilation, group, output_padding)


@as_primitive
def DepthwiseConv2dNative(
    x: Tensor,
    weight: Tensor,
    *,
    channel_multiplier: int,
    kernel_size: int | tuple[int, ...],
    mode: int = 3,
    pad_mode: str = "valid",
    pad: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
    dilation: int | tuple[int, ...] = 1,
    group: int = 1,
) -> Tensor:
    """Convolve every channel by itself with `channel_multiplier` kernels.

    Args:
        x: a Tensor of shape (N, C, H, W).
        weight: a Tensor of shape (channel_multiplier, C, *kernel).
        channel_multiplier: the number of outputs for each channel.
        kernel_size: the size of the kernel, an int or (height, width).
        mode: 3, the only value.
        pad_mode: "valid", "same" or "pad", as in `conv2d`. Default: "valid".
        pad: for "pad", the zeros on every side, an int or (top, bottom, left, right). Default: 0.
        stride, dilation: as for `conv2d`. Default: 1.
        group: without effect: the channels are their own groups. Default: 1.

    Returns:
        A Tensor of shape (N, C * channel_multiplier, H', W'), the outputs of each channel together.

    Raises TypeError or ValueError for an argument of a wrong type, shape or value.
    """
    api = "DepthwiseConv2dNative"
    check_choice(mode, (3,), "mode", api)
    channels = x.shape[1]
    kernel, steps = each(kernel_size, 2, "kernel_size", api), each(stride, 2, "stride", api)
    distances = each(dilation, 2, "dilation", api)
    if tuple(weight.shape) != (channel_multiplier, channels, *kernel):
        raise ValueError(
            f"For '{api}', the weight must be of shape {(channel_multiplier, channels, *kernel)}, but got "
            f"{tuple(weight.shape)}."
        )
    kernels = weight.transpose(0, 1).reshape(channels * channel_multiplier, 1, *kernel)
    padding = plan_padding(pad_mode, sides(pad, 2, "pad", api), kernel, steps, distances, api)
    return convolve(x, kernels, None, steps, padding, distances, channels)
