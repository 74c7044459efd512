"""Kernels of gradients of convolutions and of operations of images."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore import ops
from torchspore.common.tensor import wrap
from torchspore.engine.op import Size
from torchspore.engine.primitive import as_primitive
from torchspore.ops.gradients.pull_back import gradient_of_shape, pull_back

__all__ = [
    "Conv2DBackpropFilter", "Conv3DBackpropFilter", "Conv3DBackpropInput", "ConvolutionGrad",
    "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput", "GridSampler2DGrad",
    "GridSampler3DGrad", "ROIAlignGrad", "ResizeBicubicGrad", "ResizeBilinearGrad", "ResizeLinear1DGrad",
    "ResizeNearestNeighborGrad", "ResizeNearestNeighborV2Grad", "ScaleAndTranslateGrad", "UpsampleBicubic2DGrad",
    "UpsampleBilinear2DGrad", "UpsampleLinear1DGrad", "UpsampleNearest1DGrad", "UpsampleNearest2DGrad",
    "UpsampleNearest3DGrad", "UpsampleTrilinear3DGrad",
]  # fmt: skip


def _called(primitive: Any, *inputs: Any) -> Tensor:
    result: Tensor = primitive(*[wrap(value) if isinstance(value, Tensor) else value for value in inputs])._t
    return result


# Resizing


def _named(body: Any, name: str, doc: str) -> Any:
    body.__name__ = body.__qualname__ = name
    body.__doc__ = doc
    return as_primitive(body)


def _resized(forward: Any, grads: Tensor, image: Tensor) -> Tensor:
    size = tuple(grads.shape[2:])
    return gradient_of_shape(lambda x: _called(forward, x, size), image.shape, grads).to(image.dtype)


def _resize_gradient(name: str, forward: str) -> Any:
    def body(grads: Tensor, image: Tensor, *, align_corners: bool = False, half_pixel_centers: bool = False) -> Tensor:
        return _resized(getattr(ops, forward)(align_corners, half_pixel_centers), grads, image)

    return _named(body, name, f"The gradient of `{forward}`.")


ResizeBilinearGrad = _resize_gradient("ResizeBilinearGrad", "ResizeBilinearV2")
ResizeBicubicGrad = _resize_gradient("ResizeBicubicGrad", "ResizeBicubic")


@as_primitive
def ResizeLinear1DGrad(grads: Tensor, x: Tensor, *, coordinate_transformation_mode: str = "align_corners") -> Tensor:
    """The gradient of `ResizeLinear1D`."""
    return _resized(ops.ResizeLinear1D(coordinate_transformation_mode), grads, x)


def _nearest_gradient(forward: str) -> Any:
    def body(grads: Tensor, size: Size, *, align_corners: bool = False, half_pixel_centers: bool = False) -> Tensor:
        resize = ops.ResizeNearestNeighborV2(align_corners, half_pixel_centers)
        new = wrap(torch.tensor(grads.shape[-2:], dtype=torch.int32))
        return gradient_of_shape(lambda x: _called(resize, x, new), (*grads.shape[:2], *size), grads)

    return _named(body, f"{forward}Grad", f"The gradient of `{forward}`, by the size of its input's images.")


ResizeNearestNeighborGrad = _nearest_gradient("ResizeNearestNeighbor")
ResizeNearestNeighborV2Grad = _nearest_gradient("ResizeNearestNeighborV2")


def _upsample_gradient(name: str, mode: str) -> Any:
    corners = None if "nearest" in mode else False

    def resized(dy: Tensor, input_size: Any, align_corners: bool | None) -> Tensor:
        size = tuple(dy.shape[2:])
        return gradient_of_shape(
            lambda x: torch.nn.functional.interpolate(x, size, mode=mode, align_corners=align_corners), input_size, dy
        )

    def nearest(dy: Tensor, input_size: Size, output_size: Any = None, scales: Any = None) -> Tensor:
        return resized(dy, input_size, None)

    def linear(
        dy: Tensor, input_size: Size, output_size: Any = None, scales: Any = None, align_corners: bool = False
    ) -> Tensor:
        return resized(dy, input_size, align_corners)

    def volume(
        dy: Tensor, input_size: Size, output_size: Any = None, scales: Any = None, *, align_corners: bool = False
    ) -> Tensor:
        return resized(dy, input_size, align_corners)

    body: Any = nearest if corners is None else volume if mode == "trilinear" else linear
    doc = f"The gradient of upsampling by mode '{mode}'; the sizes of input and output determine the scales."
    return _named(body, f"Upsample{name}Grad", doc)


UpsampleNearest1DGrad = _upsample_gradient("Nearest1D", "nearest")
UpsampleNearest2DGrad = _upsample_gradient("Nearest2D", "nearest")
UpsampleNearest3DGrad = _upsample_gradient("Nearest3D", "nearest")
UpsampleLinear1DGrad = _upsample_gradient("Linear1D", "linear")
UpsampleBilinear2DGrad = _upsample_gradient("Bilinear2D", "bilinear")
UpsampleBicubic2DGrad = _upsample_gradient("Bicubic2D", "bicubic")
UpsampleTrilinear3DGrad = _upsample_gradient("Trilinear3D", "trilinear")


# Sampling


def _sampler_gradient(rank: int) -> Any:
    def body(
        grad: Tensor, input_x: Tensor, grid: Tensor, *,
        interpolation_mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = False,
        output_mask: Any = (1, 1),
    ) -> tuple[Tensor, ...]:  # fmt: skip
        forward = getattr(ops, f"GridSampler{rank}D")(interpolation_mode, padding_mode, align_corners)
        return tuple(pull_back(lambda x, grid: _called(forward, x, grid), [input_x, grid], [grad]))

    return _named(body, f"GridSampler{rank}DGrad", f"The gradients of the input and the grid of `GridSampler{rank}D`.")


GridSampler2DGrad, GridSampler3DGrad = _sampler_gradient(2), _sampler_gradient(3)


@as_primitive
def ROIAlignGrad(
    dy: Tensor, rois: Tensor, xdiff_shape: Size, *,
    pooled_height: int, pooled_width: int, spatial_scale: float, sample_num: int = 2,
) -> Tensor:  # fmt: skip
    """The gradient of the features of `ROIAlign`."""
    forward = ops.ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num)
    wide = torch.promote_types(dy.dtype, torch.float32)
    return gradient_of_shape(lambda x: _called(forward, x, rois.to(wide)), xdiff_shape, dy.to(wide)).to(dy.dtype)


@as_primitive
def ScaleAndTranslateGrad(
    grads: Tensor, original_image: Tensor, scale: Tensor, translation: Tensor, *,
    kernel_type: str = "lanczos3", antialias: bool = True,
) -> Tensor:  # fmt: skip
    """The gradient of `ScaleAndTranslate`."""
    forward = ops.ScaleAndTranslate(kernel_type, antialias)
    size = wrap(torch.tensor(grads.shape[1:3], dtype=torch.int32))
    return gradient_of_shape(lambda x: _called(forward, x, size, scale, translation), original_image.shape, grads)


# Convolutions


def _filter_gradient(forward: Any, x: Tensor, shape: Any, dout: Tensor) -> Tensor:
    return gradient_of_shape(lambda weight: _called(forward, x, weight), shape, dout)


def _side_padding(pad: Any, pad_list: Any) -> Any:
    return tuple(pad_list) if pad == 0 else pad


@as_primitive
def Conv2DBackpropFilter(
    out_backprop: Tensor, input: Tensor, filter_sizes: Size, *,
    out_channel: int, kernel_size: Any, pad_mode: str = "valid", pad: Any = 0, pad_list: Any = (0, 0, 0, 0),
    mode: int = 1, stride: Any = (1, 1), dilation: Any = (1, 1, 1, 1), group: int = 1, data_format: str = "NCHW",
) -> Tensor:  # fmt: skip
    """The gradient of the weight of `Conv2D`."""
    step, reach = (tuple(value)[-2:] if isinstance(value, tuple) else value for value in (stride, dilation))
    sides = _side_padding(pad, pad_list) if pad_mode == "pad" else 0
    forward = ops.Conv2D(out_channel, kernel_size, mode, pad_mode, sides, step, reach, group, data_format)
    return _filter_gradient(forward, input, filter_sizes, out_backprop)


@as_primitive
def Conv3DBackpropFilter(
    x: Tensor, out_backprop: Tensor, filter_size: Size, *,
    out_channel: int, kernel_size: Any, mode: int = 1, pad_mode: str = "valid", pad: Any = 0,
    stride: Any = (1, 1, 1, 1, 1), dilation: Any = (1, 1, 1, 1, 1), group: int = 1, data_format: str = "NCDHW",
) -> Tensor:  # fmt: skip
    """The gradient of the weight of `Conv3D`."""
    step, reach = (value[-3:] if isinstance(value, tuple) else value for value in (stride, dilation))
    forward = ops.Conv3D(out_channel, kernel_size, mode, pad_mode, pad, step, reach, group, data_format)
    return _filter_gradient(forward, x, filter_size, out_backprop)


@as_primitive
def Conv3DBackpropInput(
    filter: Tensor, out_backprop: Tensor, input_size: Size, *,
    out_channel: int, kernel_size: Any, mode: int = 1, pad_mode: str = "valid", pad: Any = 0,
    stride: Any = 1, dilation: Any = 1, group: int = 1, data_format: str = "NCDHW",
) -> Tensor:  # fmt: skip
    """The gradient of the input of `Conv3D`."""
    step, reach = (value[-3:] if isinstance(value, tuple) else value for value in (stride, dilation))
    forward = ops.Conv3D(out_channel, kernel_size, mode, pad_mode, pad, step, reach, group, data_format)
    return gradient_of_shape(lambda x: _called(forward, x, filter), input_size, out_backprop)


@as_primitive
def DepthwiseConv2dNativeBackpropFilter(
    input: Tensor, filter_size: Size, dout: Tensor, *,
    channel_multiplier: int, kernel_size: Any, pad_mode: str = "valid", pad: Any = 0, pad_list: Any = (0, 0, 0, 0),
    mode: int = 3, stride: Any = 1, dilation: Any = 1, group: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of the weight of `DepthwiseConv2dNative`."""
    sides = _side_padding(pad, pad_list) if pad_mode == "pad" else 0
    forward = ops.DepthwiseConv2dNative(channel_multiplier, kernel_size, 3, pad_mode, sides, stride, dilation, group)
    return _filter_gradient(forward, input, filter_size, dout)


@as_primitive
def DepthwiseConv2dNativeBackpropInput(
    input_size: Size, filter: Tensor, dout: Tensor, *,
    channel_multiplier: int, kernel_size: Any, pad_mode: str = "valid", pad: Any = 0, pad_list: Any = (0, 0, 0, 0),
    mode: int = 3, stride: Any = 1, dilation: Any = 1, group: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of the input of `DepthwiseConv2dNative`."""
    sides = _side_padding(pad, pad_list) if pad_mode == "pad" else 0
    forward = ops.DepthwiseConv2dNative(channel_multiplier, kernel_size, 3, pad_mode, sides, stride, dilation, group)
    return gradient_of_shape(lambda x: _called(forward, x, filter), input_size, dout)


@as_primitive
def ConvolutionGrad(
    dout: Tensor, input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = (1, 1), transposed: bool = False, output_padding: Any = 0, groups: int = 1, output_mask: Any = (),
) -> tuple[Tensor, ...]:  # fmt: skip
    """The gradients of the input, the weight and the bias of `convolution`."""
    rank = input.ndim - 2
    step, sides, reach, extra = (
        list(value) if isinstance(value, (tuple, list)) else [value] * rank
        for value in (stride, padding, dilation, output_padding)
    )
    zeros = weight.new_zeros(dout.shape[1])
    return tuple(
        pull_back(
            lambda x, w, b: torch.convolution(x, w, b, step, sides, reach, transposed, extra, groups),
            [input, weight, zeros], [dout],
        )
    )  # fmt: skip
