"""Kernels of gradients of operations that move elements, and of pooling, which get the shape of the forward's input."""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from torchspore import ops
from torchspore.common.tensor import wrap
from torchspore.engine.op import Size
from torchspore.engine.primitive import as_primitive
from torchspore.ops.gradients.pull_back import gradient_of_shape, pull_back

__all__ = [
    "AdaptiveAvgPool2DGrad", "AdaptiveAvgPool3DGrad", "AffineGridGrad", "AvgPool3DGrad", "BiasAddGrad", "Col2ImGrad",
    "EmbeddingDenseBackward", "FlattenGrad", "FractionalAvgPoolGrad", "FractionalMaxPoolGrad", "GatherDGradV2",
    "MaxPool3DGradGrad", "MaxPoolGradGrad", "MaxPoolGradGradWithArgmax", "MaxUnpool2DGrad", "MaxUnpool3DGrad",
    "MedianGrad", "MirrorPadGrad", "PadV3Grad", "ReflectionPad1DGrad", "ReflectionPad2DGrad", "ReflectionPad3DGrad",
    "RepeatInterleaveGrad", "ReplicationPad1DGrad", "ReplicationPad2DGrad", "ReplicationPad3DGrad", "SliceGrad",
    "SparseAddGrad", "SparseFillEmptyRowsGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad",
    "SparseSegmentSumGrad", "SparseSliceGrad", "StridedSliceGrad", "TraceGrad", "TraceV2Grad", "UniqueGrad",
]  # fmt: skip


def _called(primitive: Any, *inputs: Any) -> Tensor:
    """Return the first result of a primitive of torch tensors and other values."""
    result = primitive(*[wrap(value) if isinstance(value, Tensor) else value for value in inputs])
    return (result[0] if isinstance(result, tuple) else result)._t


# Shapes


@as_primitive
def FlattenGrad(x: Tensor, shape: Size) -> Tensor:
    """The gradient of `Flatten`."""
    return x.reshape(shape)


@as_primitive
def BiasAddGrad(dout: Tensor, *, data_format: str = "NCHW") -> Tensor:
    """The gradient of the bias of `BiasAdd`."""
    axis = dout.ndim - 1 if data_format == "NHWC" else 1
    return dout.sum([dim for dim in range(dout.ndim) if dim != axis], dtype=dout.dtype)


@as_primitive
def SliceGrad(dy: Tensor, x: Tensor, begin: Size, size: Size) -> Tensor:
    """The gradient of `Slice`."""
    window = tuple(slice(start, None if length == -1 else start + length) for start, length in zip(begin, size))
    return gradient_of_shape(lambda x: x[window], x.shape, dy)


@as_primitive
def StridedSliceGrad(
    dy: Tensor,
    shapex: Size,
    begin: Any,
    end: Any,
    strides: Any,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """The gradient of `StridedSlice`."""
    forward = ops.StridedSlice(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return gradient_of_shape(lambda x: _called(forward, x, begin, end, strides), shapex, dy)


@as_primitive
def TraceGrad(y_grad: Tensor, x_shape: Size) -> Tensor:
    """The gradient of `Trace`."""
    return gradient_of_shape(torch.trace, x_shape, y_grad)


@as_primitive
def TraceV2Grad(dout: Tensor, shape: Size, offset: int = 0, axis1: int = 1, axis2: int = 0) -> Tensor:
    """The gradient of the sums of diagonals."""
    return gradient_of_shape(lambda x: x.diagonal(offset, axis1, axis2).sum(-1), shape, dout)


@as_primitive
def UniqueGrad(dy: Any, y: Any) -> Tensor:
    """The gradient of `Unique`, from its outputs and their gradients."""
    return dy[0]._t[y[1]._t.long()]


@as_primitive
def GatherDGradV2(x: Tensor, dim: int, index: Tensor, dout: Tensor) -> Tensor:
    """The gradient of `GatherD`."""
    return gradient_of_shape(lambda x: torch.gather(x, dim, index.long()), x.shape, dout)


@as_primitive
def RepeatInterleaveGrad(input: Tensor, repeats: Tensor, dim: int) -> Tensor:
    """The gradient of `repeat_interleave`, by its output's, `input`."""
    count = input.shape[dim] // int(repeats) if repeats.numel() == 1 else repeats.numel()
    shape = list(input.shape)
    shape[dim] = count
    return gradient_of_shape(lambda x: x.repeat_interleave(repeats.long(), dim), shape, input)


@as_primitive
def EmbeddingDenseBackward(
    grad: Tensor, indices: Tensor, num_weights: int, padding_idx: int | None = None, scale_grad_by_freq: bool = False
) -> Tensor:
    """The gradient of the table of `embedding`."""
    return gradient_of_shape(
        lambda table: functional.embedding(indices.long(), table, padding_idx, scale_grad_by_freq=scale_grad_by_freq),
        (num_weights, grad.shape[-1]),
        grad,
    )


@as_primitive
def Col2ImGrad(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The gradient of `Col2Im`."""
    columns = functional.unfold(input, kernel_size, dilation, padding, stride)
    return columns.view(*input.shape[:2], -1, columns.shape[-1])


@as_primitive
def MedianGrad(
    y_grad: Tensor, x: Tensor, y: Tensor, indices: Tensor, *,
    global_median: bool = False, axis: int = 0, keep_dims: bool = False,
) -> Tensor:  # fmt: skip
    """The gradient of `Median`; for the median of all elements it is divided among the elements equal to it."""
    if global_median:
        equal = x == y
        exact = y_grad * equal / equal.sum()
        return exact if y_grad.is_floating_point() else exact.trunc()
    index, gradient = (indices, y_grad) if keep_dims else (indices.unsqueeze(axis), y_grad.unsqueeze(axis))
    dtype = x.dtype if x.is_floating_point() else torch.float32
    return torch.zeros_like(x, dtype=dtype).scatter(axis, index.long(), gradient.to(dtype))


# Padding


def _pad_gradient(mode: str, rank: int) -> Any:
    def body(grad_output: Tensor, input: Tensor, padding: Size) -> Tensor:
        return pull_back(lambda x: functional.pad(x, list(padding), mode), [input], [grad_output])[0]

    body.__name__ = body.__qualname__ = f"{'Reflection' if mode == 'reflect' else 'Replication'}Pad{rank}DGrad"
    body.__doc__ = f"The gradient of padding {rank} dimensions by mode '{mode}'."
    return as_primitive(body)


ReflectionPad1DGrad, ReflectionPad2DGrad, ReflectionPad3DGrad = (_pad_gradient("reflect", n) for n in (1, 2, 3))
ReplicationPad1DGrad, ReplicationPad2DGrad, ReplicationPad3DGrad = (_pad_gradient("replicate", n) for n in (1, 2, 3))


@as_primitive
def MirrorPadGrad(dy: Tensor, paddings: Tensor, *, mode: str = "REFLECT") -> Tensor:
    """The gradient of `MirrorPad`."""
    sides = paddings.tolist()
    shape = [size - sum(pair) for size, pair in zip(dy.shape, sides)]
    forward = ops.MirrorPad(mode)
    return gradient_of_shape(lambda x: _called(forward, x, paddings), shape, dy)


@as_primitive
def PadV3Grad(x: Tensor, paddings: Size, *, mode: str = "reflect", paddings_contiguous: bool = True) -> Tensor:
    """The gradient of `PadV3`, by its output's, `x`."""
    half = len(paddings) // 2
    pairs = [paddings[2 * n : 2 * n + 2] for n in range(half)]
    if not paddings_contiguous:
        pairs = list(zip(paddings[:half], paddings[half:]))
    shape = list(x.shape)
    for axis, (before, after) in enumerate(pairs):
        shape[-1 - axis] -= before + after
    torch_mode = "replicate" if mode == "edge" else mode
    flat = [size for pair in pairs for size in pair]
    return gradient_of_shape(lambda x: functional.pad(x, flat, torch_mode), shape, x)


# Pooling


@as_primitive
def AvgPool3DGrad(
    origin_input_shape: Size,
    grads: Tensor,
    *,
    kernel_size: Any = 1,
    strides: Any = 1,
    pads: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
    data_format: str = "NCDHW",
    pad_mode: str = "pad",
) -> Tensor:
    """The gradient of `AvgPool3D`."""
    forward = ops.AvgPool3D(
        kernel_size, strides, pad_mode, pads if pad_mode == "pad" else 0, ceil_mode, count_include_pad,
        divisor_override, data_format,
    )  # fmt: skip
    return gradient_of_shape(lambda x: _called(forward, x), origin_input_shape, grads)


@as_primitive
def AdaptiveAvgPool2DGrad(input_grad: Tensor, orig_input_shape: Size) -> Tensor:
    """The gradient of `AdaptiveAvgPool2D`."""
    size: Any = input_grad.shape[-2:]
    return gradient_of_shape(lambda x: functional.adaptive_avg_pool2d(x, size), orig_input_shape, input_grad)


@as_primitive
def AdaptiveAvgPool3DGrad(y_grad: Tensor, orig_input_shape: Size) -> Tensor:
    """The gradient of `AdaptiveAvgPool3D`."""
    size: Any = y_grad.shape[-3:]
    return gradient_of_shape(lambda x: functional.adaptive_avg_pool3d(x, size), orig_input_shape, y_grad)


def _tangent(forward: Any, x: Tensor, output: Tensor, grad: Tensor) -> Tensor:
    """Return the change of a function's output: the gradient of its gradient by the output's gradient."""
    like = torch.zeros_like(output)
    return pull_back(lambda of_output: pull_back(lambda x: _called(forward, x), [x], [of_output])[0], [like], [grad])[0]


@as_primitive
def MaxPoolGradGrad(
    x_origin: Tensor, out_origin: Tensor, grad: Tensor, *,
    kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID",
) -> Tensor:  # fmt: skip
    """The gradient of `MaxPoolGrad` by the output's gradient."""
    return _tangent(ops.MaxPool(kernel_size, strides, pad_mode), x_origin, out_origin, grad)


@as_primitive
def MaxPool3DGradGrad(
    x_origin: Tensor, out_origin: Tensor, grad: Tensor, *,
    kernel_size: Any = (1, 1, 1, 1, 1), strides: Any = (1, 1, 1, 1, 1), pad_mode: str = "VALID",
    data_format: str = "NCDHW",
) -> Tensor:  # fmt: skip
    """The gradient of `MaxPool3DGrad` by the output's gradient."""
    forward = ops.MaxPool3D(kernel_size, strides, pad_mode, data_format=data_format)
    return _tangent(forward, x_origin, out_origin, grad)


@as_primitive
def MaxPoolGradGradWithArgmax(
    x: Tensor, grad: Tensor, argmax: Tensor, *, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID"
) -> Tensor:
    """The gradient of `MaxPoolGradWithArgmax` by the output's gradient."""
    places = argmax.flatten(2).long() % x.shape[2:].numel()  # the indices count through all channels
    return grad.flatten(2).gather(-1, places).view(argmax.shape)


def _unpool_gradient(rank: int, channels_first: str) -> Any:
    def body(
        x: Tensor, grads: Tensor, argmax: Tensor, *,
        ksize: Any, strides: Any = 0, pads: Any = 0, output_shape: Any = (), data_format: str = channels_first,
    ) -> Tensor:  # fmt: skip
        last = data_format != channels_first
        grads, argmax = (t.movedim(-1, 1) if last else t for t in (grads, argmax))
        picked = grads.flatten(2).gather(-1, argmax.flatten(2).long()).view(argmax.shape)
        return picked.movedim(1, -1) if last else picked

    body.__name__ = body.__qualname__ = f"MaxUnpool{rank}DGrad"
    body.__doc__ = f"The gradient of `MaxUnpool{rank}D`."
    return as_primitive(body)


MaxUnpool2DGrad, MaxUnpool3DGrad = _unpool_gradient(2, "NCHW"), _unpool_gradient(3, "NCDHW")


def _cells(boundaries: Tensor, overlapping: bool, size: int) -> list[slice]:
    ends = boundaries.tolist()
    return [slice(a, min(b + overlapping, size)) for a, b in itertools.pairwise(ends)]


def _fractional(x: Tensor, rows: Tensor, columns: Tensor, overlapping: bool, average: bool) -> Tensor:
    """Pool cells of the dimensions 1 and 2."""

    def pooled(part: Tensor) -> Tensor:
        return part.mean(1) if average else part.flip(1).max(1).values

    lines = [
        [pooled(x[:, row, column].flatten(1, 2)) for column in _cells(columns, overlapping, x.shape[2])]
        for row in _cells(rows, overlapping, x.shape[1])
    ]
    return torch.stack([torch.stack(line, 1) for line in lines], 1)


@as_primitive
def FractionalMaxPoolGrad(
    orig_input: Tensor, orig_output: Tensor, out_backprop: Tensor, row_pooling_sequence: Tensor,
    col_pooling_sequence: Tensor, *, overlapping: bool = False,
) -> Tensor:  # fmt: skip
    """The gradient of `FractionalMaxPool`."""
    return pull_back(
        lambda x: _fractional(x, row_pooling_sequence, col_pooling_sequence, overlapping, False),
        [orig_input], [out_backprop],
    )[0]  # fmt: skip


@as_primitive
def FractionalAvgPoolGrad(
    orig_input_tensor_shape: Size, out_backprop: Tensor, row_pooling_sequence: Tensor, col_pooling_sequence: Tensor,
    *, overlapping: bool = False,
) -> Tensor:  # fmt: skip
    """The gradient of `FractionalAvgPool`."""
    return gradient_of_shape(
        lambda x: _fractional(x, row_pooling_sequence, col_pooling_sequence, overlapping, True),
        orig_input_tensor_shape, out_backprop,
    )  # fmt: skip


@as_primitive
def AffineGridGrad(y_grad: Tensor, x_size: Size, *, align_corners: bool = False) -> Tensor:
    """The gradient of `AffineGrid`."""
    rank = len(x_size) - 2
    return gradient_of_shape(
        lambda theta: functional.affine_grid(theta, list(x_size), align_corners), (x_size[0], rank, rank + 1), y_grad
    )


# Segments and sparse tensors


def _segment_gradient(name: str, scale: Any) -> Any:
    def body(grad: Tensor, indices: Tensor, segment_ids: Tensor, output_dim0: Tensor) -> Tensor:
        counts = torch.bincount(segment_ids, minlength=grad.shape[0]).to(grad.dtype)
        scaled = grad * scale(counts.clamp(min=1)).view(-1, *[1] * (grad.ndim - 1))
        zeros = grad.new_zeros((int(output_dim0), *grad.shape[1:]))
        return zeros.index_add(0, indices.long(), scaled[segment_ids.long()])

    body.__name__ = body.__qualname__ = f"SparseSegment{name}Grad"
    body.__doc__ = f"The gradient of `SparseSegment{name}`."
    return as_primitive(body)


SparseSegmentSumGrad = _segment_gradient("Sum", torch.ones_like)
SparseSegmentMeanGrad = _segment_gradient("Mean", torch.reciprocal)
SparseSegmentSqrtNGrad = _segment_gradient("SqrtN", torch.rsqrt)


@as_primitive
def SparseAddGrad(
    backprop_val_grad: Tensor, x1_indices: Tensor, x2_indices: Tensor, sum_indices: Tensor
) -> tuple[Tensor, Tensor]:
    """The gradients of the values of both inputs of `SparseAdd`; 0 for dropped sums."""

    def taken(indices: Tensor) -> Tensor:
        same = (indices.unsqueeze(1) == sum_indices).all(-1)
        return same.to(backprop_val_grad.dtype) @ backprop_val_grad

    return taken(x1_indices), taken(x2_indices)


@as_primitive
def SparseFillEmptyRowsGrad(reverse_index_map: Tensor, grad_values: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of the values and of the default value of `SparseFillEmptyRows`."""
    index = reverse_index_map.long()
    values = grad_values[index]
    wide = torch.int64 if values.dtype is torch.bool else values.dtype
    return values, (grad_values.sum(dtype=wide) - values.sum(dtype=wide)).to(values.dtype)


@as_primitive
def SparseSliceGrad(backprop_val_grad: Tensor, indices: Tensor, start: Tensor, new_indices: Tensor) -> Tensor:
    """The gradient of the values of `SparseSlice`."""
    equal = (indices[:, None] == new_indices + start).all(-1)
    return (equal * backprop_val_grad).sum(1).to(backprop_val_grad.dtype)
