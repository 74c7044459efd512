"""Sliding blocks of images as columns, and their sums as images."""

from __future__ import annotations

from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.parameters import Dimensions
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.conv.windows import check_pad_mode, check_windows, each, padded, same_total

__all__ = ["Col2Im", "ExtractImagePatches", "ExtractVolumePatches", "Im2Col", "col2im", "fold", "unfold"]


def _pair(value: Any, name: str, api: str, minimum: int = 1) -> tuple[int, ...]:
    return each(value[0] if isinstance(value, (tuple, list)) and len(value) == 1 else value, 2, name, api, minimum)


def _window(api: str, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> list[tuple[int, ...]]:
    named = (("kernel_size", kernel_size, 1), ("dilation", dilation, 1), ("padding", padding, 0), ("stride", stride, 1))
    window = [_pair(value, name, api, minimum) for name, value, minimum in named]
    if any(number >= 2**31 for pair in window for number in pair):  # which torch does not check
        raise ValueError(f"For '{api}', sizes must be less than 2**31, but got {window}.")
    return window


def _columns(x: Tensor, api: str, *window: Any) -> Tensor:
    if x.dim() != 4:
        raise ValueError(f"For '{api}', the tensor must be of shape (N, C, H, W), but got {tuple(x.shape)}.")
    wide = x if x.is_floating_point() or x.is_complex() or x.dtype is torch.bool else x.double()
    blocks = torch.nn.functional.unfold(wide, *_window(api, *window))
    return blocks if blocks.dtype is x.dtype else blocks.to(x.dtype)


def _image(x: Tensor, api: str, size: Any, *window: Any) -> Tensor:
    return torch.nn.functional.fold(x, _pair(size, "output_size", api), *_window(api, *window))


@op(method="unfold")
def unfold(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
) -> Tensor:
    """Extract the blocks that a window covers as it slides over images.

    Args:
        input: a Tensor of shape (N, C, H, W).
        kernel_size: the size of the window, an int or one for height and width.
        dilation: the spacing of the elements in a window, likewise. Default: 1.
        padding: the number of zeros around the images, likewise. Default: 0.
        stride: the stride of the window, likewise. Default: 1.

    Returns a Tensor of shape (N, C * elements of the window, number of blocks).
    Raises ValueError if `input` has another number of dimensions, or a size is too small.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.unfold(ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]]), 2))
        [[[1. 2.]
          [2. 3.]
          [4. 5.]
          [5. 6.]]]
    """
    return _columns(input, "unfold", kernel_size, dilation, padding, stride)


@op(method="fold")
def fold(
    input: Tensor,
    output_size: int | tuple[int, ...],
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
) -> Tensor:
    """Sum up overlapping blocks to images of shape (N, C, H, W), the inverse of `unfold` except for the overlaps.

    Args:
        input: a Tensor of shape (N, C * elements of the window, number of blocks), as `unfold` returns it.
        output_size: height and width of the images, two ints or a Tensor of them.
        kernel_size, dilation, padding, stride: as for `unfold`.

    Raises ValueError if the sizes do not fit.
    """
    return _image(input, "fold", output_size, kernel_size, dilation, padding, stride)


@op(method="col2im")
def col2im(
    input_x: Annotated[Tensor, Dimensions(4)],
    output_size: int | tuple[int, ...],
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...],
    padding_value: int | tuple[int, ...],
    stride: int | tuple[int, ...],
) -> Tensor:
    """`fold` for columns of shape (N, C, elements of the window, number of blocks)."""
    return _image(input_x.flatten(1, 2), "col2im", output_size, kernel_size, dilation, padding_value, stride)


@op(name="Col2Im")
def _col2im(
    x: Annotated[Tensor, Dimensions(4)],
    output_size: int | tuple[int, ...],
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
) -> Tensor:
    """`fold` for columns of shape (N, C, elements of the window, number of blocks)."""
    return col2im.body(x, output_size, kernel_size, dilation, padding, stride)


@op(name="Im2Col")
def _im2col(
    x: Tensor,
    ksizes: int | tuple[int, ...],
    strides: int | tuple[int, ...] = 1,
    dilations: int | tuple[int, ...] = 1,
    pads: int | tuple[int, ...] = 0,
) -> Tensor:
    """`unfold`, with channels apart: of shape (N, C, elements of the window, number of blocks)."""
    return _columns(x, "Im2Col", ksizes, dilations, pads, strides).unflatten(1, (x.shape[1], -1))


Col2Im = primitive("Col2Im", _col2im, "kernel_size", dilation=1, padding=0, stride=1)
Im2Col = primitive("Im2Col", _im2col, "ksizes", strides=1, dilations=1, pads=0)
check_windows(2, Col2Im)


def _patches(api: str, x: Tensor, kernel: Any, strides: Any, rates: Any, padding: str) -> Tensor:
    """Return the windows of the spatial dimensions as channels: all first elements, then all second ones, and so on."""
    count = x.dim() - 2
    reach = [(k - 1) * r + 1 for k, r in zip(kernel, rates)]
    if check_pad_mode(padding, api, ("valid", "same")) == "same":
        totals = [same_total(n, k, s) for n, k, s in zip(x.shape[2:], reach, strides)]
        x = padded(x, tuple([end for total in totals for end in (total // 2, total - total // 2)]))
    if any(n < k for n, k in zip(x.shape[2:], reach)):
        raise ValueError(f"the windows, {tuple(reach)}, are larger than the input, {tuple(x.shape)}")
    for dim, (size, stride, rate) in enumerate(zip(reach, strides, rates), 2):
        x = x.unfold(dim, size, stride)[..., ::rate]
    # (N, C, positions ..., window ...) -> (N, window * C, positions ...)
    order = (0, *range(2 + count, 2 + 2 * count), 1, *range(2, 2 + count))
    return x.permute(order).flatten(1, 1 + count)


def _spatial(api: str, name: str, value: Any, count: int) -> tuple[int, ...]:
    """Return the spatial numbers of an int, or of a tuple with one number per dimension."""
    if isinstance(value, (tuple, list)) and len(value) == count + 2:
        if tuple(value[:2]) != (1, 1):
            raise ValueError(f"'{name}' must be 1 for the batch and the channels")
        value = tuple(value[2:])
    return each(value, count, name, api)


@as_primitive
def ExtractImagePatches(input_x: Tensor, *, ksizes: Any, strides: Any, rates: Any, padding: str = "VALID") -> Tensor:
    """Extract the windows of images as channels.

    Args:
        input_x: a Tensor of shape (N, C, H, W).
        ksizes, strides, rates: the size, stride and dilation of the window, an int, two, or four, the first two being
            1.
        padding: "VALID" or "SAME" (zeros around, for one window per stride). Default: "VALID".

    Returns a Tensor of shape (N, elements of the window * C, H', W'), the channels of the first elements first.
    Raises ValueError if an argument is out of its range, or the window is larger than the images.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.ExtractImagePatches((1, 1, 1, 2), (1, 1, 1, 1), (1, 1, 1, 1))(ms.Tensor([[[[1, 2, 3]]]])))
        [[[[1 2]]
          [[2 3]]]]
    """
    api = "ExtractImagePatches"
    named = (("ksizes", ksizes), ("strides", strides), ("rates", rates))
    kernel, stride, dilation = [_spatial(api, name, value, 2) for name, value in named]
    return _patches(api, input_x, kernel, stride, dilation, padding)


@as_primitive
def ExtractVolumePatches(input_x: Tensor, *, kernel_size: Any, strides: Any, padding: str) -> Tensor:
    """`ExtractImagePatches` for volumes of shape (N, C, D, H, W), without dilation.

    Args:
        input_x: the volumes.
        kernel_size, strides: the size and stride of the window, an int, three, or five, the first two being 1.
        padding: "VALID" or "SAME".
    """
    api = "ExtractVolumePatches"
    kernel, stride = _spatial(api, "kernel_size", kernel_size, 3), _spatial(api, "strides", strides, 3)
    return _patches(api, input_x, kernel, stride, (1, 1, 1), padding)
