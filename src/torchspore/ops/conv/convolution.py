"""Convolutions in one to three spatial dimensions, and transposed ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchspore.common.private_torch import has_onednn_bfloat16
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import op
from torchspore.engine.primitive import Primitive
from torchspore.ops.conv.windows import (
    at_least,
    check_format,
    check_pad_mode,
    each,
    padded,
    remembered,
    same_total,
    sides,
)

_Ints = tuple[int, ...]

__all__ = ["Conv2D", "Conv3D", "conv1d", "conv2d", "conv3d"]


def _onednn_types() -> tuple[torch.dtype, ...]:
    """Return the data types that oneDNN convolves; torch's own kernels are slower for channels-last memory."""
    if not torch.backends.mkldnn.is_available():
        return ()
    return (torch.float32, torch.bfloat16) if has_onednn_bfloat16() else (torch.float32,)


ONEDNN_TYPES = _onednn_types()


def laid_out(weight: Tensor, groups: int) -> Tensor:
    """Return the weight of a 2D convolution, channels last in memory where that speeds networks up.

    On the CPU oneDNN convolves channels-last images directly and reorders others before and after; pooling them
    takes a tenth of the time. Torch chooses by the strides of input and weight and orders the output alike, so the
    weights decide for the whole network. Training steps took 15 to 30 % less time (ResNet-50, MobileNet-V2, ResNet-20,
    small networks for MNIST and CIFAR). With few channels there is no gain, but more waiting between threads.

    Args:
        weight: a tensor of shape (outputs, inputs / groups, height, width).
        groups: the number of groups of channels.
    """
    outputs, inputs = weight.shape[0], weight.shape[1] * groups
    few = outputs < 16 or 4 < inputs < 16  # up to 4: the images themselves
    # With a kernel of one element and a stride, oneDNN's gradient of few channels writes out of bounds (torch 2.13).
    overflows = inputs < 16 and weight.shape[2:].numel() == 1
    if few or overflows or not weight.is_cpu or weight.dtype not in ONEDNN_TYPES:
        return weight
    return weight.clone(memory_format=torch.channels_last)


def plan_padding(
    pad_mode: str, padding: _Ints, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int], api: str
) -> _Ints | None:
    """Return the padding for `convolve`: one int per dimension, (begin, end) per dimension, or None.

    None stands for "same" with strides, where the padding depends on the size of the input.

    Raises TypeError if `pad_mode` is not a string; ValueError if it is not "valid", "same" or "pad", or there is
    padding in another mode than "pad".
    """
    if _checked_mode(pad_mode, padding, api) != "same":
        return padding
    return None if max(stride) > 1 else _split([(k - 1) * d for k, d in zip(kernel, dilation)])


@remembered
def _same_padding(
    sizes: Sequence[int], kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> tuple[int, ...]:
    return _split([same_total(n, (k - 1) * d + 1, s) for n, k, s, d in zip(sizes, kernel, stride, dilation)])


def _split(totals: Sequence[int]) -> tuple[int, ...]:
    """Distribute the padding of every dimension over its two ends, the odd element at the end, as `sides` does."""
    if any(total % 2 for total in totals):
        return tuple([part for total in totals for part in (total // 2, total - total // 2)])
    return tuple([total // 2 for total in totals])


def plan_transposed(
    pad_mode: str, padding: _Ints, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int],
    output_padding: _Ints, api: str,
) -> tuple[_Ints, _Ints, tuple[Any, ...] | None]:  # fmt: skip
    """Return `padding`, `extra` and `cut` for `convolve_transposed`; raises like `plan_padding`.

    `padding` is cut off both ends of every dimension, `extra` elements are computed beyond the end, and `cut`, if it is
    not None, slices the result, as torch cuts both ends alike only. In the mode "valid" the output has at least
    stride * size elements, in the mode "same" exactly as many; in the mode "pad", `extra` is `output_padding`.
    """
    mode = _checked_mode(pad_mode, padding, api)
    surplus = [(k - 1) * d + 1 - s for k, s, d in zip(kernel, stride, dilation)]
    extra = output_padding if mode == "pad" else tuple([max(-n, 0) for n in surplus])
    if mode == "same":
        padding = _split([max(n, 0) for n in surplus])
    if len(padding) == len(stride):
        return padding, extra, None
    begins, ends = padding[::2], padding[1::2]
    common = tuple(map(min, begins, ends))
    cut = tuple([slice(b - n, n - e or None) for b, e, n in zip(begins, ends, common)])
    return common, extra, (..., *cut)


def _checked_mode(pad_mode: str, padding: tuple[int, ...], api: str) -> str:
    mode = check_pad_mode(pad_mode, api)
    if mode != "pad" and any(padding):
        raise ValueError(
            f"For '{api}', the padding must be 0 unless pad_mode is 'pad', but got {padding} and "
            f"pad_mode={pad_mode!r}. Pass pad_mode='pad' too."
        )
    return mode


def convolve(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Tensor:
    """Convolve with checked and expanded arguments; `padding` is as `plan_padding` returns it."""
    if padding is None:
        padding = _same_padding(input.shape[2:], weight.shape[2:], stride, dilation)
    zeros = (0,) * len(stride)
    if len(padding) > len(stride):
        input = padded(input, padding)
        padding = zeros
    try:
        return torch.convolution(input, weight, bias, stride, padding, dilation, False, zeros, groups)
    except RuntimeError as error:
        raise _explained(error, input, weight) from None


def _explained(error: RuntimeError, input: Tensor, weight: Tensor) -> Exception:
    """Return the error to raise instead of torch's, which does not distinguish types from shapes."""
    if input.dtype is not weight.dtype:
        return TypeError("the input and the weight must have the same dtype")
    if input.ndim == weight.ndim - 1:
        return ValueError(
            f"'input' must have {weight.ndim} dimensions. If the batch is missing, "
            "dataset.batch(n) adds it, or x.expand_dims(0) for a single image"
        )
    return error


def _convolve_1d(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Tensor:
    return convolve(input, weight.squeeze(2), bias, stride, padding, dilation, groups)


def _convolve_nhwc(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Tensor:
    result = convolve(input.permute(0, 3, 1, 2), weight.permute(0, 3, 1, 2), bias, stride, padding, dilation, groups)
    return result.permute(0, 2, 3, 1)


def convolve_transposed(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: Any,
    extra: Any, cut: Any, zeros: Any,
) -> Tensor:  # fmt: skip
    """Convolve transposed, as `plan_transposed` says; `zeros`, if not None, are appended to the last dimensions."""
    try:
        output = torch.convolution(input, weight, bias, stride, padding, dilation, True, extra, groups)
    except RuntimeError as error:
        raise _explained(error, input, weight) from None
    if cut is not None:
        output = output[cut]
    return output if zeros is None else torch.constant_pad_nd(output, zeros)


def _convolve_transposed_1d(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: Any,
    extra: Any, cut: Any, zeros: Any,
) -> Tensor:  # fmt: skip
    return convolve_transposed(input, weight.squeeze(2), bias, stride, padding, dilation, groups, extra, cut, zeros)


# What the layers call; weights of layers with one spatial dimension have an axis of size 1 for the height.
LAYERS = {
    "Conv1d": op(_convolve_1d, name="Conv1d"),
    "Conv2d": op(convolve, name="Conv2d"),
    "Conv2d NHWC": op(_convolve_nhwc, name="Conv2d"),
    "Conv3d": op(convolve, name="Conv3d"),
    "Conv1dTranspose": op(_convolve_transposed_1d, name="Conv1dTranspose"),
    "Conv2dTranspose": op(convolve_transposed, name="Conv2dTranspose"),
    "Conv3dTranspose": op(convolve_transposed, name="Conv3dTranspose"),
}


@remembered
def _checked(
    api: str, count: int, weight: Sequence[int], stride: Any, pad_mode: str, padding: Any, dilation: Any, groups: int
) -> tuple[Any, ...]:
    """Return the last four arguments of `convolve` from a function's, for `count` dimensions and the weight's shape."""
    kernel = weight[2:]
    if len(kernel) != count:
        raise ValueError(f"the weight must have {count + 2} dimensions")
    stride = each(stride, count, "stride", api)
    dilation = each(dilation, count, "dilation", api)
    padding = each(padding, count, "padding", api, minimum=0)
    at_least(groups, 1, "groups", api)
    return stride, plan_padding(pad_mode, padding, kernel, stride, dilation, api), dilation, groups


@op
def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1,
    pad_mode: str = "valid", padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """Convolve a batch of sequences, (N, C, L), with a weight (outputs, C / groups, kernel); see `conv2d`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.conv1d(ms.ops.ones((1, 1, 4)), ms.ops.ones((1, 1, 2))))
        [[[2. 2. 2.]]]
    """
    geometry = _checked("conv1d", 1, weight.shape, stride, pad_mode, padding, dilation, groups)
    return convolve(input, weight, bias, *geometry)


def _uniform_padding(weight: Tensor, stride: Any, pad_mode: str, padding: Any, dilation: Any) -> int | None:
    """Return the number of zeros on all four sides, or None where they may differ or are not allowed."""
    if pad_mode == "valid":
        return 0 if padding == 0 else None
    if padding.__class__ is not int or padding < 0:
        return None
    if pad_mode == "pad":
        return padding
    shape = weight.shape
    odd = len(shape) == 4 and shape[2] == shape[3] and shape[2] % 2
    return shape[2] // 2 * dilation if odd and stride == 1 and padding == 0 and pad_mode == "same" else None


@op
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1,
    pad_mode: str = "valid", padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """Convolve a batch of images.

    Args:
        input: a Tensor of shape (N, C, H, W).
        weight: a Tensor of shape (outputs, C / groups, kernel height, kernel width).
        bias: a Tensor of shape (outputs,) or None, default: None.
        stride: the stride of the window, an int or (vertical, horizontal), default: 1.
        pad_mode: "valid" pads nothing; "same" pads zeros so that the output has ceil(size / stride) elements, the odd
            one at the end; "pad" pads by `padding`. Default: "valid".
        padding: the zeros at both ends, an int or (vertical, horizontal); 0 unless `pad_mode` is "pad". Default: 0.
        dilation: the spacing of the kernel's elements, an int or (vertical, horizontal), default: 1.
        groups: the number of groups of channels, default: 1.

    Returns a Tensor of shape (N, outputs, H', W').

    Raises:
        TypeError: `input` and `weight` differ in dtype.
        ValueError: the shapes do not fit, a number is out of its range, or `pad_mode` is another string.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.conv2d(ms.ops.ones((1, 1, 2, 2)), ms.ops.ones((1, 1, 2, 2)), pad_mode="same"))
        [[[[4. 2.]
           [2. 1.]]]]
    """
    plain = stride.__class__ is int and stride > 0 and dilation.__class__ is int and dilation > 0 and groups > 0
    uniform = _uniform_padding(weight, stride, pad_mode, padding, dilation) if plain else None
    if uniform is not None and input.dim() == 4:
        try:
            return torch.conv2d(input, weight, bias, stride, uniform, dilation, groups)
        except RuntimeError as error:
            raise _explained(error, input, weight) from None
    geometry = _checked("conv2d", 2, weight.shape, stride, pad_mode, padding, dilation, groups)
    return convolve(input, weight, bias, *geometry)


@op
def conv3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1,
    pad_mode: str = "valid", padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """Convolve a batch of volumes, (N, C, D, H, W), with a weight (outputs, C / groups, *kernel); see `conv2d`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.conv3d(ms.ops.ones((1, 1, 2, 2, 2)), ms.ops.ones((1, 1, 2, 2, 2))))
        [[[[[8.]]]]]
    """
    geometry = _checked("conv3d", 3, weight.shape, stride, pad_mode, padding, dilation, groups)
    return convolve(input, weight, bias, *geometry)


def _convolve_as_declared(
    x: Tensor, w: Tensor, outputs: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, groups: Any, nhwc: Any
) -> Tensor:
    found = (w.shape[0], *(w.shape[1:-1] if nhwc else w.shape[2:]))
    if found != (outputs, *kernel):
        raise ValueError(f"the weight must have {outputs} outputs and a kernel of {kernel}, but has {found}")
    return (_convolve_nhwc if nhwc else convolve)(x, w, None, stride, padding, dilation, groups)


class Conv2D(Primitive):
    """A convolution with fixed attributes: `Conv2D(outputs, kernel)(x, weight)`; see `conv2d`.

    Args:
        out_channel: the number of outputs, `weight.shape[0]`.
        kernel_size: the size of the kernel, an int or (height, width).
        mode: 1, the cross-correlation; there is no other. Default: 1.
        pad: the zeros on every side, an int or (top, bottom, left, right), default: 0.
        pad_mode, stride, dilation, group: as for `conv2d`.
        data_format: "NCHW", or "NHWC" (input, weight and output) on a GPU. Default: "NCHW".

    Raises ValueError if an argument is out of its range, or, when called, the shapes do not fit.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.Conv2D(5, 3)(ms.ops.ones((1, 2, 8, 8)), ms.ops.ones((5, 2, 3, 3))).shape
        (1, 5, 6, 6)
    """

    _count = 2
    _formats: tuple[str, ...] = ("NCHW", "NHWC")
    _operation = staticmethod(op(_convolve_as_declared, name="Conv2D"))

    def __init__(
        self, out_channel: int, kernel_size: int | tuple[int, ...], mode: int = 1, pad_mode: str = "valid",
        pad: int | tuple[int, ...] = 0, stride: int | tuple[int, ...] = 1, dilation: int | tuple[int, ...] = 1,
        group: int = 1, data_format: str = "NCHW",
    ) -> None:  # fmt: skip
        super().__init__()
        self.out_channel = at_least(out_channel, 1, "out_channel", self.name)
        self.kernel_size = each(kernel_size, self._count, "kernel_size", self.name)
        if mode != 1:
            raise ValueError("'mode' must be 1 (cross-correlation)")
        self.mode = mode
        self.pad_mode = pad_mode
        self.pad = self.padding = pad if isinstance(pad, tuple) else (pad,) * (2 * self._count)
        strides = each(stride, self._count, "stride", self.name)
        dilations = each(dilation, self._count, "dilation", self.name)
        self.stride, self.dilation = (1, 1, *strides), (1, 1, *dilations)  # as MindSpore shows them
        self.group = self.groups = at_least(group, 1, "group", self.name)
        self.data_format = self.format = check_format(data_format, self.name, self._formats)
        both = sides(pad, self._count, "pad", self.name)
        planned = plan_padding(pad_mode, both, self.kernel_size, strides, dilations, self.name)
        self._geometry = (self.kernel_size, strides, planned, dilations, self.group)

    def __call__(self, x: Any, w: Any) -> Any:
        """Convolve `x` with the weight `w`."""
        nhwc = self.data_format == "NHWC"
        return self._operation(x, w, self.out_channel, *self._geometry, nhwc)


class Conv3D(Conv2D):
    """`Conv2D` with three spatial dimensions: sizes are (depth, height, width), `pad` has six numbers."""

    _count = 3
    _formats = ("NCDHW",)
    _operation = staticmethod(op(_convolve_as_declared, name="Conv3D"))

    def __init__(
        self, out_channel: int, kernel_size: int | tuple[int, ...], mode: int = 1, pad_mode: str = "valid",
        pad: int | tuple[int, ...] = 0, stride: int | tuple[int, ...] = 1, dilation: int | tuple[int, ...] = 1,
        group: int = 1, data_format: str = "NCDHW",
    ) -> None:  # fmt: skip
        super().__init__(out_channel, kernel_size, mode, pad_mode, pad, stride, dilation, group, data_format)


rules.cut_by(rules.convolution, Conv2D)
