"""Distances, similarities, clipping by norm, and overlaps of boxes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from torchspore.common import mode
from torchspore.common.scopes.scope import number
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.common.tensor import wrap
from torchspore.engine.arguments.conversions import as_float, as_tensors
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import op
from torchspore.engine.parameters import Dimensions, NotNegativeFloat, PositiveFloat
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.engine.values.nested import sequence_like
from torchspore.ops.linalg.products import cdist

__all__ = [
    "IOU", "Cdist", "EuclideanNorm", "LpNorm", "Pdist", "Renorm", "clip_by_global_norm", "clip_by_norm",
    "cosine_similarity", "dist", "iou", "pdist", "renorm",
]  # fmt: skip


@op
def dist(input: Tensor, other: Tensor, p: NotNegativeFloat = 2) -> Tensor:
    """The `p`-norm of the difference of two tensors, whose shapes are broadcast, for `p` >= 0: a scalar Tensor."""
    dtype = torch.result_type(input, other)  # torch does not subtract bools
    return torch.linalg.vector_norm(input.to(dtype) - other.to(dtype), p)


@op
def pdist(input: Annotated[Tensor, Dimensions(2)], p: NotNegativeFloat = 2.0) -> Tensor:
    """Distances between all pairs of rows of a matrix.

    Args:
        input: a Tensor of shape (n, m).
        p: the order of the norm, >= 0; 0 counts the elements that differ. Default: 2.0.

    Returns:
        A Tensor of shape (n * (n - 1) / 2,): the distances of the first row from all others, of the second from those
        after it, and so on.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.pdist(ms.Tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])))
        [5.        1.        4.2426405]
    """
    first, second = torch.triu_indices(input.shape[0], input.shape[0], 1, device=input.device)
    return torch.linalg.vector_norm(input[first] - input[second], p, -1)


@op
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int | None = 1, eps: float = 1e-08) -> Tensor:
    """The cosine similarity of vectors along dimension `dim`.

    Args:
        x1, x2: Tensors of the same shape.
        dim: the dimension; None: all, as one vector. Default: 1.
        eps: the minimum of the divisor, the product of the lengths. Default: 1e-08.

    Returns:
        A Tensor without dimension `dim`.
    """
    lengths = torch.linalg.vector_norm(x1, 2, dim) * torch.linalg.vector_norm(x2, 2, dim)
    return (x1 * x2).sum(dim) / lengths.clamp(min=eps)


@op(method="renorm")
def renorm(input: Tensor, p: PositiveFloat, axis: int, maxnorm: NotNegativeFloat) -> Tensor:
    """Scale slices along dimension `axis` down so that no `p`-norm exceeds `maxnorm`.

    Args:
        input: a Tensor with at least two dimensions.
        p: the order of the norm, > 0.
        axis: the dimension that indexes the slices.
        maxnorm: the maximum norm, >= 0.
    """
    if input.dim() < 2 or not -input.dim() <= axis < input.dim():
        raise ValueError(f"'input' must have dimension {axis} and at least one other")
    others = [dim for dim in range(input.dim()) if dim != range(input.dim())[axis]]
    norms = torch.linalg.vector_norm(input, p, others, keepdim=True)
    return input * torch.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1).to(input.dtype)


def _tensors(x: Any, api: str) -> list[Tensor]:
    return [x._t] if isinstance(x, _Tensor) else as_tensors(x, api, "x")


def _limit(value: Any, api: str, parameter: str) -> Any:
    """Return a limit as a number, or as a tensor without dimensions, whose value a graph need not know."""
    if isinstance(value, _Tensor) and value.size == 1:
        return value._t.reshape(()).to(torch.float32)
    return value if isinstance(value, (int, float)) else as_float(value, api, parameter)


def _total_norm(tensors: list[Tensor], order: Any) -> Tensor:
    norms = [torch.linalg.vector_norm(x if x.dtype is torch.float64 else x.float(), order) for x in tensors]
    if mode.cut is not None and mode.cut.stages > 1 and len(norms) > 1:  # gradients of parameters of all stages
        return torch.linalg.vector_norm(mode.cut.most(norms), order)
    return torch.linalg.vector_norm(torch.stack(norms), order)


def clip_by_norm(x: Any, max_norm: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """Scale tensors down so that the norm of all their elements together does not exceed `max_norm`.

    Args:
        x: a Tensor, or a list or tuple of Tensors.
        max_norm: the maximum norm, a number or a Tensor of one element.
        norm_type: the order of the norm. Default: 2.0.
        error_if_nonfinite: whether a norm that is nan or infinite is an error. Default: False.

    Returns:
        A Tensor if `x` is one, else a tuple of Tensors; in a captured function a list if `x` is one.

    Raises:
        RuntimeError: the norm is nan or infinite, and `error_if_nonfinite`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.clip_by_norm(ms.Tensor([3.0, 4.0]), 1.0).round(decimals=3))
        [0.6 0.8]
    """
    limit = _limit(max_norm, "clip_by_norm", "max_norm")
    norm_type = as_float(norm_type, "clip_by_norm", "norm_type")
    tensors = _tensors(x, "clip_by_norm")
    total = _total_norm(tensors, norm_type)
    if error_if_nonfinite and not wrap(torch.isfinite(total)):
        raise RuntimeError(f"For 'clip_by_norm', the norm of order {norm_type} is {float(total)}.")
    scale = (limit / (total + 1e-6)).clamp(max=1.0)
    clipped = [wrap((t * scale).to(t.dtype if t.is_floating_point() else scale.dtype)) for t in tensors]
    return clipped[0] if isinstance(x, _Tensor) else sequence_like(x, clipped)


def clip_by_global_norm(x: Any, clip_norm: Any = 1.0, use_norm: None = None) -> Any:
    """Scale tensors down so that their global norm does not exceed `clip_norm`.

    Args:
        x: a Tensor, or a list or tuple of Tensors.
        clip_norm: the maximum norm, a number > 0 or a Tensor of one element. Default: 1.0.
        use_norm: must be None; the norm is always computed.

    Returns:
        A Tensor if `x` is one, else a tuple of Tensors; in a captured function a list if `x` is one.

    Raises:
        TypeError: `clip_norm` is not a number.
        ValueError: `clip_norm` is not positive, or `use_norm` is not None.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.clip_by_global_norm((ms.Tensor([3.0]), ms.Tensor([4.0])), 2.5)[1])
        [2.]
    """
    if use_norm is not None:
        raise ValueError("For 'clip_by_global_norm', 'use_norm' must be None.")
    limit = _limit(clip_norm, "clip_by_global_norm", "clip_norm")
    if isinstance(limit, Tensor):  # which MindSpore does not differentiate
        limit = limit.detach()
    if not (number(wrap(limit > 0), bool) if isinstance(limit, Tensor) else limit > 0):
        raise ValueError(f"For 'clip_by_global_norm', 'clip_norm' must be a number > 0, but got {describe(clip_norm)}.")
    tensors = _tensors(x, "clip_by_global_norm")
    scale = limit / _total_norm(tensors, 2).clamp(min=limit)
    clipped = [wrap((t * scale).to(t.dtype)) for t in tensors]
    return clipped[0] if isinstance(x, _Tensor) else sequence_like(x, clipped)


@op
def iou(
    anchor_boxes: Annotated[Tensor, "N 4"],
    gt_boxes: Annotated[Tensor, "M 4"],
    mode: Literal["iou", "iof"] = "iou",
) -> Tensor:
    """The intersection over union of boxes.

    Args:
        anchor_boxes: a Tensor of shape (n, 4): boxes as x0, y0, x1, y1.
        gt_boxes: a Tensor of shape (m, 4), likewise.
        mode: "iou" divides by the area of the union, "iof" by the area of the box in `gt_boxes`. Default: "iou".

    Returns:
        A Tensor of shape (m, n).
    """
    truths = gt_boxes.unsqueeze(1)
    begin = torch.maximum(anchor_boxes[:, :2], truths[..., :2])
    end = torch.minimum(anchor_boxes[:, 2:], truths[..., 2:])
    intersection = (end - begin + 1).clamp(min=0).prod(-1)
    anchor_areas, areas = [(boxes[..., 2:] - boxes[..., :2] + 1).prod(-1) for boxes in (anchor_boxes, truths)]
    return intersection / (anchor_areas + areas - intersection if mode == "iou" else areas)


@as_primitive
def Renorm(input: Tensor, *, p: PositiveFloat, dim: int, maxnorm: NotNegativeFloat) -> Tensor:
    """Scale slices along dimension `dim` down; see `renorm`."""
    return renorm.body(input, p, dim, maxnorm)


@as_primitive
def LpNorm(
    input: Tensor,
    *,
    axis: int | tuple[int, ...],
    p: NotNegativeFloat = 2,
    keep_dims: bool = False,
    epsilon: NotNegativeFloat = 1e-12,
) -> Tensor:
    """The `p`-norm over the dimensions `axis`, at least `epsilon`, for `p` >= 0."""
    return torch.linalg.vector_norm(input, p, axis, keep_dims).clamp(min=epsilon)


@as_primitive
def EuclideanNorm(x: Tensor, axes: int | tuple[int, ...], *, keep_dims: bool = False) -> Tensor:
    """The Euclidean norm over the dimensions `axes`, an int, ints or a Tensor of them, in the dtype of `x`."""
    wide = x if x.is_floating_point() or x.is_complex() else x.double()
    return torch.linalg.vector_norm(wide, 2, axes, keep_dims).to(x.dtype)


Cdist = primitive("Cdist", cdist, p=2.0)
IOU = primitive("IOU", iou, mode="iou")
Pdist = primitive("Pdist", pdist, p=2.0)
rules.cut_by(rules.named("boxes _", "others _"), IOU)
rules.cut_by(rules.named("batch rows _", "batch columns _"), Cdist)
