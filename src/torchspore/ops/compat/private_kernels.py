"""Kernels that MindSpore keeps in private modules: parts of transforms, normalizations, caches and in-place writes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from torchspore.common.scopes.scope import number, writable
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.common.tensor import wrap
from torchspore.engine.op import Operand, Size
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.compat.compiler_names import broadcast_gradient_args

__all__ = [
    "AllFinite", "AsStrided", "BNTrainingReduce", "ConfusionMulGrad", "DynamicAssign", "DynamicBroadcastGradientArgs",
    "FFTOrtho", "FFTShapeCopy", "IRFFTDouble", "InnerUnique", "InplaceAddsExt",
    "InplaceDivMod", "InplaceDivMods", "InplaceStopGradient", "InstanceNorm", "KVCacheMgr", "LpNormV2", "LstsqV2",
    "MaxPoolWithIndices", "MaxPoolWithMask", "NonZeroWithValueShape", "PadAndShift", "RaggedTensorToTensor",
    "ScaleGrad", "UpdateCache",
]  # fmt: skip


@as_primitive
def AsStrided(input: Tensor, size: Size, stride: Size, storage_offset: int = 0) -> Tensor:
    """A view of a tensor's memory with other sizes and strides."""
    return input.as_strided(size, stride, storage_offset)


@as_primitive
def InnerUnique(input: Tensor, sorted: bool = True, return_inverse: bool = False) -> tuple[Tensor, Tensor]:
    """The unique elements, and which of them each element is."""
    values, inverse = torch.unique(input, sorted=True, return_inverse=True)
    return values, inverse if return_inverse else inverse.new_empty(0)


@as_primitive
def NonZeroWithValueShape(value: Tensor, index: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
    """The first `count` of the results of `NonZeroWithValue`."""
    length = int(count)
    return value[:length], index[..., :length]


@as_primitive
def LpNormV2(input: Tensor, p: float = 2, dim: Any = None, keepdim: bool = False, epsilon: float = 1e-12) -> Tensor:
    """The p-norm over some dimensions; `epsilon` is without effect, as in MindSpore."""
    return torch.linalg.vector_norm(input, p, None if dim == () else dim, keepdim)


@as_primitive
def LstsqV2(A: Tensor, B: Tensor, driver: str | None = None) -> tuple[Tensor, ...]:
    """The least squares solution, the residuals, the rank and the singular values, as far as the driver has them.

    The solution has gradients.
    """
    solution, residuals, rank, values = torch.linalg.lstsq(A, B, driver=driver)
    return solution, residuals.detach(), rank, values.detach()


@as_primitive
def AllFinite(*args: Any) -> Tensor:
    """Whether any of several tensors has an element that is infinite or no number."""
    given = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    return torch.stack([~part._t.isfinite().all() for part in given]).any()


@as_primitive
def ScaleGrad(gradients: list[Tensor], scale: Tensor) -> tuple[Tensor, ...]:
    """Gradients times a number."""
    return tuple(part * scale.to(part.dtype) for part in gradients)


def _summed(shape: Any) -> tuple[int, ...]:
    return tuple(int(size) for size in (shape.asnumpy() if isinstance(shape, _Tensor) else shape))


def _gradient_args(x: Any, y: Any) -> tuple[_Tensor, _Tensor]:
    first, second = broadcast_gradient_args(_summed(x), _summed(y))
    return wrap(torch.tensor(first, dtype=torch.int64)), wrap(torch.tensor(second, dtype=torch.int64))


DynamicBroadcastGradientArgs = primitive("DynamicBroadcastGradientArgs", _gradient_args)


# Transforms


@as_primitive
def FFTShapeCopy(dout: Tensor, shape: Size) -> Tensor:
    """A tensor cut, or padded with zeros, to a shape."""
    for dim, size in enumerate(shape):
        dout = dout.narrow(dim, 0, min(size, dout.shape[dim]))
    rest = [length for size, own in zip(reversed(shape), reversed(dout.shape)) for length in (0, size - own)]
    return functional.pad(dout, rest)


@as_primitive
def FFTOrtho(input: Tensor, axes: Any = None, forward: bool = True) -> Tensor:
    """The factors that make a cosine transform orthonormal, or without `forward` their reciprocals."""
    for axis in axes or ():
        size = input.shape[axis]
        factors = torch.full((size,), (2 * size) ** -0.5, dtype=torch.float64, device=input.device)
        factors[0] = (4 * size) ** -0.5
        shape = [1] * input.dim()
        shape[axis] = size
        input = input * (factors if forward else 1 / factors).view(shape).to(input.real.dtype)
    return input


@as_primitive
def IRFFTDouble(input: Tensor, n: int, dim: int = -1) -> Tensor:
    """Twice the numbers of a half spectrum of a signal of length `n` that stand for two of the full spectrum."""
    factors = torch.full((input.shape[dim],), 2, device=input.device)
    factors[0] = 1
    if n % 2 == 0:
        factors[-1] = 1
    shape = [1] * input.dim()
    shape[dim] = -1
    return input * factors.view(shape)


@as_primitive
def RaggedTensorToTensor(
    shape: Size, values: Tensor, default_value: Tensor, row_partition_tensors: list[Tensor], *,
    row_partition_types: Any,
) -> Tensor:  # fmt: skip
    """Rows of different lengths as one tensor, filled up with a default.

    Args:
        shape: the shape of the result; -1 is the length of the longest row.
        values: the elements of all rows.
        default_value: the element that fills up.
        row_partition_tensors: for each dimension that varies its partition.
        row_partition_types: the kinds of the partitions: "ROW_SPLITS", the ends of the rows after a 0, or
            "VALUE_ROWIDS", the row of each element, after "FIRST_DIM_SIZE", the number of rows.
    """
    lengths, total = [], None
    for kind, partition in zip(row_partition_types, row_partition_tensors):
        if kind == "FIRST_DIM_SIZE":
            total = int(partition)
        elif kind == "ROW_SPLITS":
            lengths.append(partition.diff())
        else:
            known = total if total is not None else len(partition)
            lengths.append(partition.long().bincount(minlength=known if not lengths else int(lengths[-1].sum())))
    sizes = [len(lengths[0]), *(int(length.max()) for length in lengths), *values.shape[1:]]
    sizes = [own if size < 0 else size for own, size in zip(sizes, (*shape, *[-1] * len(sizes)))]
    index = torch.arange(len(lengths[0]), device=values.device).unsqueeze(0)
    for length in lengths:
        rows = torch.repeat_interleave(length)
        starts = (length.cumsum(0) - length)[rows]
        index = torch.cat((index[:, rows], (torch.arange(len(rows), device=rows.device) - starts).unsqueeze(0)))
    inside = (index < torch.tensor(sizes[: len(index)], device=index.device).unsqueeze(1)).all(0)
    result = default_value.to(values.dtype).expand(sizes).clone()
    return result.index_put(tuple(index[:, inside]), values[inside])


# Pooling and normalization


@as_primitive
def MaxPoolWithIndices(
    x: Tensor, *, kernel_size: Any, strides: Any = None, pads: Any = 0, dilation: Any = (1, 1),
    ceil_mode: bool = False, argmax_type: Any = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The maxima of windows, and their positions in the image."""
    return functional.max_pool2d(x, kernel_size, strides, pads, dilation, ceil_mode, return_indices=True)


@as_primitive
def MaxPoolWithMask(
    x: Tensor, *, kernel_size: Any, strides: Any = None, pads: Any = 0, dilation: Any = (1, 1),
    ceil_mode: bool = False, argmax_type: Any = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The maxima of windows, and their positions; on Ascend cards these have another form."""
    return functional.max_pool2d(x, kernel_size, strides, pads, dilation, ceil_mode, return_indices=True)


@as_primitive
def BNTrainingReduce(x: Tensor, *, data_format: str = "NCHW") -> tuple[Tensor, Tensor]:
    """The sums of each channel, and of its squares."""
    if data_format != "NCHW":
        raise NotImplementedError(f"'data_format' must be 'NCHW', but got {data_format!r}.")
    over = [0, *range(2, x.dim())]
    return x.sum(over), x.square().sum(over)


@as_primitive
def InstanceNorm(
    x: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor, *, epsilon: float = 1e-5,
    momentum: float = 0.1,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Instance normalization, and the means and variances of all instances."""
    over = list(range(2, x.dim()))
    return (
        functional.instance_norm(x, None, None, gamma, beta, True, momentum, epsilon),
        x.mean(over).detach(),
        x.var(over, correction=0).detach(),
    )


@as_primitive
def ConfusionMulGrad(
    input0: Tensor, input1: Tensor, input2: Tensor, *, axis: Any = (), keep_dims: bool = False
) -> tuple[Tensor, Tensor]:
    """The product of the first two, and the sum of the product of the last two."""
    return input0 * input1, (input1 * input2).sum(axis or None, keepdim=keep_dims)


# In place


def _written(result: Any, value: Tensor) -> Any:
    writable(result).copy_(value)
    return result


def _divided(input: _Tensor, other: Any, rounding_mode: str | None = None) -> _Tensor:
    return input.div_(other, rounding_mode=rounding_mode)


def _added(input: _Tensor, other: Any, alpha: Any = 1) -> _Tensor:
    return input.add_(other, alpha=alpha)


def _assigned(ref: _Tensor, value: _Tensor) -> _Tensor:
    return _written(ref, value._t)


def _updated(input_x: _Tensor, indices: _Tensor, update: _Tensor, max_num: Any) -> _Tensor:
    count = int(number(max_num, int) if isinstance(max_num, _Tensor) else max_num)
    rows = indices._t.flatten().long()
    valid = (rows >= 0) & (rows < count)
    writable(input_x)[rows[valid]] = update._t.reshape(len(rows), *input_x.shape[1:])[valid]
    return wrap(torch.zeros(1, device=input_x._t.device))


def _cached(past: _Tensor, cur: _Tensor, index: _Tensor) -> _Tensor:
    memory = writable(past)
    for row, position in enumerate(index._t.flatten().tolist()):
        memory[row, :, position : position + cur.shape[2]] = cur._t[row]
    return past


InplaceDivMod = primitive("InplaceDivMod", _divided)
InplaceDivMods = primitive("InplaceDivMods", _divided)
InplaceAddsExt = primitive("InplaceAddsExt", _added)
InplaceStopGradient = primitive("InplaceStopGradient", lambda input: _written(input, input._t.detach()))
DynamicAssign = primitive("DynamicAssign", _assigned)
UpdateCache = primitive("UpdateCache", _updated)
KVCacheMgr = primitive("KVCacheMgr", _cached)


@as_primitive
def PadAndShift(input_x: Tensor, cum_sum_arr: Tensor, shift_idx: Operand) -> Tensor:
    """The first elements at their place in the order of all shards, and -1 elsewhere."""
    ends, shard = cum_sum_arr.tolist(), int(shift_idx)
    result = input_x.new_full((ends[-1],), -1)
    result[ends[shard] : ends[shard + 1]] = input_x[: ends[shard + 1] - ends[shard]]
    return result
