"""Primitives that MindSpore keeps in private modules, and that have a meaning on any device."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from torchspore.common.parameter import Parameter
from torchspore.engine.op import Operand
from torchspore.engine.primitive import Primitive, as_primitive, primitive
from torchspore.ops.linalg.decompositions import hermitian
from torchspore.ops.neural.activation import relu
from torchspore.ops.pooling.windowed import AvgPool, MaxPool

__all__ = [
    "AddV2", "AdjustContrastv2", "ArgminV2", "AvgPoolV1", "Centralization", "ClipByNorm", "ConcatOffset",
    "ConcatOffsetV1", "ConvertToDynamic", "DynamicBroadcastTo", "DynamicStitch", "Eigh", "ErrorOnDynamicShapeInput",
    "GpuConvertToDynamicShape", "InstanceNormV2", "IsParameter", "Load", "Lu", "MaxPoolV1",
    "NonZeroWithValue", "RangeV2", "ReLUV3", "SameTypeShape", "SelfAdjointEig", "SparseSoftmaxCrossEntropyWithLogitsV2",
    "TransShape", "TridiagonalSolve", "same_type_shape_",
]  # fmt: skip


@as_primitive
def AddV2(x: Tensor, y: Tensor) -> Tensor:
    """The sum of two tensors."""
    return x + y


ReLUV3 = primitive("ReLUV3", relu)


class AvgPoolV1(AvgPool):
    """`AvgPool`, with attributes of four numbers too."""


class MaxPoolV1(MaxPool):
    """`MaxPool`, with attributes of four numbers too."""


# Numbers


@as_primitive
def ArgminV2(x: Tensor, axis: int = -1) -> Tensor:
    """The indices of the minima along an axis."""
    return x.argmin(axis)


@as_primitive
def NonZeroWithValue(x: Tensor, *, transpose: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """The elements that are not zero, their indices and their number."""
    index = x.nonzero()
    count = torch.tensor(len(index), dtype=torch.int32, device=x.device)
    return x[tuple(index.unbind(1))], index if transpose else index.t(), count


@as_primitive
def RangeV2(start: Tensor, limit: Tensor, delta: Tensor, *, maxlen: int = 1000000) -> Tensor:
    """The numbers from `start` to below `limit` by steps of `delta`."""
    return torch.arange(start.item(), limit.item(), delta.item(), dtype=start.dtype, device=start.device)


@as_primitive
def Centralization(input_x: Tensor, axis: Any) -> Tensor:
    """A tensor minus its mean over `axis`."""
    return input_x - input_x.mean(axis, keepdim=True)


@as_primitive
def ClipByNorm(x: Tensor, clip_norm: Operand, *, axis: Any = None) -> Tensor:
    """A tensor scaled down so that its norm over `axis`, or of all elements, does not exceed `clip_norm`."""
    norm = torch.linalg.vector_norm(x.float(), dim=axis, keepdim=True)
    return x * clip_norm / torch.clamp(norm, min=clip_norm)


@as_primitive
def AdjustContrastv2(images: Tensor, contrast_factor: Tensor) -> Tensor:
    """Images (..., height, width, channels) with more or less contrast around the mean of each channel."""
    mean = images.mean((-3, -2), keepdim=True)
    return (images - mean) * contrast_factor + mean


@as_primitive
def SparseSoftmaxCrossEntropyWithLogitsV2(features: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """The cross entropy of each sample, and the gradient of the sum of these."""
    loss = functional.cross_entropy(features, labels.long(), reduction="none")
    return loss, features.softmax(-1) - functional.one_hot(labels.long(), features.shape[-1]).to(features.dtype)


@as_primitive
def InstanceNormV2(
    x: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor, *,
    is_training: bool = True, momentum: float = 0.1, epsilon: float = 1e-5,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Instance normalization, and the means and reciprocal deviations that it used; zeros unless `is_training`.

    The statistics have no gradients.
    """
    over = list(range(2, x.ndim))
    if not is_training:
        return (
            (x - mean.detach()) * (variance.detach() + epsilon).rsqrt() * gamma + beta,
            torch.zeros_like(mean),
            torch.zeros_like(variance),
        )
    own_mean, own = x.mean(over, keepdim=True), x.var(over, correction=0, keepdim=True)
    rstd = (own + epsilon).rsqrt()
    return (x - own_mean) * rstd * gamma + beta, own_mean.detach(), rstd.detach()


# Linear algebra


@as_primitive
def Eigh(A: Tensor, *, compute_eigenvectors: bool = True, lower: bool = True) -> Any:
    """The eigenvalues, and the eigenvectors, of symmetric matrices of which one half is read."""
    matrices = hermitian(A, lower)
    return tuple(torch.linalg.eigh(matrices)) if compute_eigenvectors else torch.linalg.eigvalsh(matrices)


@as_primitive
def SelfAdjointEig(x: Tensor, *, compute_v: bool = True) -> tuple[Tensor, Tensor]:
    """The eigenvalues and eigenvectors of symmetric matrices."""
    values, vectors = torch.linalg.eigh(x)
    return values.to(x.dtype), vectors if compute_v else x.new_zeros(0)


@as_primitive
def Lu(input: Tensor, *, output_idx_type: Any) -> tuple[Tensor, Tensor]:
    """Both factors of matrices in one, and the rows in the order of the pivots."""
    packed, pivots = torch.linalg.lu_factor(input)
    order, _, _ = torch.lu_unpack(packed, pivots)
    return packed, order.argmax(-2).to(getattr(torch, str(output_idx_type).lower()))


@as_primitive
def TridiagonalSolve(diagonals: Tensor, rhs: Tensor, *, partial_pivoting: bool = True) -> Tensor:
    """The solution of equations whose matrix has three diagonals: the upper, the main and the lower one."""
    upper, main, lower = diagonals.unbind(-2)
    matrix = main.diag_embed() + upper[..., :-1].diag_embed(1) + lower[..., 1:].diag_embed(-1)
    return torch.linalg.solve(matrix, rhs)


# Shapes


class ErrorOnDynamicShapeInput(Primitive):
    """Return a value unchanged: the shapes of tensors that are computed with are always known."""

    def __call__(self, input: Any) -> Any:
        """Return `input`."""
        return input


@as_primitive
def ConcatOffset(x: list[Tensor], *, N: int = 2, axis: int = 0) -> Tensor:
    """Where each of several tensors begins in their concatenation."""
    result = torch.zeros(len(x), x[0].ndim, dtype=torch.int64, device=x[0].device)
    result[1:, axis] = torch.tensor([part.shape[axis] for part in x[:-1]]).cumsum(0)
    return result


@as_primitive
def ConcatOffsetV1(axis: Tensor, x: list[Tensor]) -> tuple[Tensor, ...]:
    """Where each of several tensors, given by their shapes, begins in their concatenation."""
    result = torch.zeros(len(x), len(x[0]), dtype=torch.int32, device=x[0].device)
    result[1:, int(axis)] = torch.stack([shape[int(axis)] for shape in x[:-1]]).cumsum(0)
    return tuple(result.unbind())


@as_primitive
def TransShape(x: Tensor, out_shape: Any) -> Tensor:
    """A tensor in another shape."""
    return x.reshape(out_shape)


@as_primitive
def DynamicBroadcastTo(x: Tensor, shape: Any) -> Tensor:
    """A tensor broadcast to a shape."""
    return x.expand([int(size) for size in shape])


@as_primitive
def DynamicStitch(indices: list[Tensor], data: list[Tensor]) -> Tensor:
    """The rows of several tensors at the given indices; the last of several for one index."""
    rest = data[0].shape[indices[0].ndim :]
    result = data[0].new_zeros((max(int(index.max()) for index in indices) + 1, *rest))
    for index, rows in zip(indices, data):
        result = result.index_copy(0, index.flatten().long(), rows.reshape(-1, *rest))
    return result


# What a compiler asks


def _same(x: Any, y: Any) -> Any:
    if x.dtype != y.dtype or x.shape != y.shape:
        raise ValueError(
            f"'x' and 'y' must have the same shape and dtype, but got {x.shape}, {x.dtype} and {y.shape}, {y.dtype}."
        )
    return x


def _load(ref: Any, u: Any = None) -> Any:
    return ref


SameTypeShape = primitive("SameTypeShape", _same)
same_type_shape_ = SameTypeShape()
IsParameter = primitive("IsParameter", lambda x: isinstance(x, Parameter))
ConvertToDynamic = primitive("ConvertToDynamic", lambda input, is_dynamic_rank: input, is_dynamic_rank=False)
GpuConvertToDynamicShape = primitive("GpuConvertToDynamicShape", lambda input: input)
Load = primitive("Load", _load)
