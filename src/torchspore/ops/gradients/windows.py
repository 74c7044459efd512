"""Kernels of gradients of pooling and convolution, of crops of images, and of CTC."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.nn import functional

from torchspore.engine.op import Size, Type
from torchspore.engine.primitive import as_primitive
from torchspore.ops.compat.generated_forms import convolution
from torchspore.ops.gradients.pull_back import gradient_of_shape, pull_back
from torchspore.ops.image.cropping import crop_and_resize
from torchspore.ops.image.regions import pooled, resized
from torchspore.ops.losses.ctc_kernel import ctc

__all__ = [
    "AdaptiveAvgPool2DGradExt", "AdaptiveAvgPool3DGradExt", "AvgPool2DGrad", "AvgPool3DGradExt", "CTCLossV2Grad",
    "ConvolutionStrGrad", "CropAndResizeGradBoxes", "CropAndResizeGradImage", "MaxPoolGradWithMask",
    "PSROIPoolingGrad", "ResizeV2Grad",
]  # fmt: skip


@as_primitive
def AdaptiveAvgPool2DGradExt(grad_output: Tensor, x: Tensor) -> Tensor:
    """The gradient of `adaptive_avg_pool2d`."""
    height, width = grad_output.shape[-2:]
    return pull_back(lambda x: functional.adaptive_avg_pool2d(x, (height, width)), [x], [grad_output])[0]


@as_primitive
def AdaptiveAvgPool3DGradExt(input_grad: Tensor, input: Tensor) -> Tensor:
    """The gradient of `adaptive_avg_pool3d`."""
    depth, height, width = input_grad.shape[-3:]
    return pull_back(lambda x: functional.adaptive_avg_pool3d(x, (depth, height, width)), [input], [input_grad])[0]


@as_primitive
def AvgPool2DGrad(
    grad: Tensor, image: Tensor, kernel_size: Size, stride: Any, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of `mint.nn.functional.avg_pool2d`."""
    settings = (kernel_size, stride or None, padding, ceil_mode, count_include_pad, divisor_override)
    return pull_back(lambda x: functional.avg_pool2d(x, *settings), [image], [grad])[0]


@as_primitive
def AvgPool3DGradExt(
    grad: Tensor, input: Tensor, kernel_size: Size, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of `mint.nn.functional.avg_pool3d`."""
    settings = (kernel_size, stride or None, padding, ceil_mode, count_include_pad, divisor_override)
    return pull_back(lambda x: functional.avg_pool3d(x, *settings), [input], [grad])[0]


@as_primitive
def MaxPoolGradWithMask(
    x: Tensor, grad: Tensor, mask: Any, *, kernel_size: Any, strides: Any = None, pads: Any = 0,
    dilation: Any = (1, 1), ceil_mode: bool = False, argmax_type: Any = None,
) -> Tensor:  # fmt: skip
    """The gradient of `MaxPoolWithMask`; the input determines the maxima again."""
    settings = (kernel_size, strides, pads, dilation, ceil_mode)
    return pull_back(lambda x: functional.max_pool2d(x, *settings), [x], [grad])[0]


@as_primitive
def ConvolutionStrGrad(
    dout: Tensor, input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Size = 1,
    padding: str = "valid", dilation: Size = 1, transposed: bool = False, output_padding: Size = 0, groups: int = 1,
    output_mask: Any = (),
) -> tuple[Tensor, ...]:  # fmt: skip
    """The gradients of the input, the weight and the bias of a convolution with padding by name."""
    settings = (stride, padding, dilation, transposed, output_padding, groups)
    zeros = weight.new_zeros(weight.shape[0]) if bias is None else bias
    return tuple(pull_back(lambda *values: convolution.body(*values, *settings), [input, weight, zeros], [dout]))


# Images


@as_primitive
def CropAndResizeGradImage(
    grads: Tensor, boxes: Tensor, box_index: Tensor, image_size: Size, *, T: Type, method: str = "bilinear"
) -> Tensor:
    """The gradient of the images of `CropAndResize`, by their shape."""
    size = tuple(grads.shape[1:3])
    return gradient_of_shape(
        lambda image: crop_and_resize.body(image, boxes, box_index, size, method), image_size, grads
    ).to(T)


@as_primitive
def CropAndResizeGradBoxes(
    grads: Tensor, images: Tensor, boxes: Tensor, box_index: Tensor, *, method: str = "bilinear"
) -> Tensor:
    """The gradient of the boxes of `CropAndResize`."""
    size = tuple(grads.shape[1:3])
    return pull_back(lambda boxes: crop_and_resize.body(images, boxes, box_index, size, method), [boxes], [grads])[0]


@as_primitive
def CTCLossV2Grad(
    grad_out: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor,
    neg_log_likelihood: Any, log_alpha: Any, *, blank: int, reduction: str = "none", zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """The gradient of `CTCLossV2`."""
    rest = (targets.long(), input_lengths.long(), target_lengths.long(), blank, zero_infinity)
    return pull_back(lambda x: ctc(x, *rest)[0], [log_probs], [grad_out])[0]


@as_primitive
def ResizeV2Grad(
    grads: Tensor, roi: Tensor, scales: Tensor, original_size: Size, *,
    coordinate_transformation_mode: str = "half_pixel", mode: str = "nearest",
) -> Tensor:  # fmt: skip
    """The gradient of `ResizeV2`, by the shape of its input."""
    size = tuple(grads.shape)
    return gradient_of_shape(
        lambda x: resized("ResizeV2Grad", x, size, mode, coordinate_transformation_mode), original_size, grads
    )


@as_primitive
def PSROIPoolingGrad(
    dy: Tensor, rois: Tensor, *, input_size: Size, spatial_scale: float, group_size: int, output_dim: int
) -> Tensor:
    """The gradient of `PSROIPooling`, by the height and the width of the features."""
    height, width = (input_size * 2)[:2]
    shape = (rois.shape[0], output_dim * group_size**2, height, width)
    return gradient_of_shape(lambda x: pooled(x, rois, spatial_scale, group_size, output_dim), shape, dy)
