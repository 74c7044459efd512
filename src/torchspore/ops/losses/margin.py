"""Losses that ask for a distance between right and wrong, and the loss of a predicted variance."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.parameters import PositiveFloat, Reduction, TypeOf, holding
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.losses.elementary import MODES, reduced
from torchspore.ops.math.elementwise import clamp_halving

__all__ = [
    "MultiMarginLoss", "MultilabelMarginLoss", "SoftMarginLoss", "TripletMarginLoss", "gaussian_nll_loss",
    "hinge_embedding_loss", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
    "soft_margin_loss", "triplet_margin_loss",
]  # fmt: skip


@op
def soft_margin_loss(
    input: Annotated[Tensor, "*S"], target: Annotated[Tensor, "*S"], reduction: Reduction = "mean"
) -> Tensor:
    """The loss `log(1 + exp(-target * input))`.

    Args:
        input: a floating-point Tensor of any shape.
        target: a Tensor of the same shape, of 1 and -1.
        reduction: "mean", "sum" or "none". Default: "mean".

    Raises ValueError for different shapes, or another reduction.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.soft_margin_loss(ms.Tensor([0.0, 0.0]), ms.Tensor([1.0, -1.0])))
        0.6931472
    """
    mode = MODES[reduction]
    return reduced(F.softplus(-target * input), mode)


SoftMarginLoss = primitive("SoftMarginLoss", soft_margin_loss, reduction="mean")


def _widened(x: Tensor) -> Tensor:
    """Return float16 and bfloat16 as float32, the lowest precision of torch's kernels."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


@op
def multi_margin_loss(
    input: Annotated[Tensor, "N C"],
    target: Annotated[Tensor, "N", holding(torch.int64)],
    p: Literal[1, 2] = 1,
    margin: int = 1,
    weight: Annotated[Tensor, TypeOf("input")] | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """The loss of scores of the right class that do not exceed all others by a margin.

    The loss of a sample is the mean over all other classes i of `max(0, margin - x[right] + x[i]) ** p`.

    Args:
        input: the scores, a floating-point Tensor of shape (N, C).
        target: the right classes, a Tensor of int64 of shape (N,).
        p: 1 or 2. Default: 1.
        margin: the margin, an int. Default: 1.
        weight: the weight of each class, of shape (C,); no gradient flows into it. Default: None, all the same.
        reduction: "mean", "sum" or "none". Default: "mean".

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.multi_margin_loss(ms.Tensor([[0.5, 2.0, 1.25, 0.25]]), ms.Tensor([1])))
        0.0625
    """
    weight = None if weight is None else _widened(weight.detach())
    return F.multi_margin_loss(_widened(input), target, p, margin, weight, reduction=reduction).to(input.dtype)


@as_primitive
def MultiMarginLoss(
    x: Annotated[Tensor, "N C"],
    target: Annotated[Tensor, "N", holding(torch.int64)],
    weight: Annotated[Tensor, TypeOf("x")] | None = None,
    *,
    p: Literal[1, 2] = 1,
    margin: float = 1.0,
    reduction: Reduction = "mean",
) -> Tensor:
    """`multi_margin_loss`, its `input` being `x`, with a `margin` that may be a float."""
    return multi_margin_loss.body(x, target, p, margin, weight, reduction)


def _multilabel_margin(input: Tensor, target: Tensor, reduction: str) -> Any:
    if input.shape != target.shape or input.dim() not in (1, 2):
        raise ValueError("the input and the target must both be of shape (C,) or (N, C)")
    labels = target.long()
    # The labels are those before the first -1.
    counts = (labels >= 0).long().cumprod(-1).bool()
    indices = torch.where(counts, labels, 0)
    is_target = torch.zeros_like(labels).scatter_add(-1, indices, counts.long()) > 0
    loss = F.multilabel_margin_loss(_widened(input), labels, reduction=reduction)
    return loss.to(input.dtype), is_target.to(target.dtype)


@op
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """The loss of scores of several right classes that do not exceed all others by 1.

    The loss of a sample is the sum over right classes j and wrong ones i of `max(0, 1 - (x[j] - x[i]))`, over the
    number of classes.

    Args:
        input: the scores, a floating-point Tensor of shape (C,) or (N, C).
        target: the right classes, of the same shape, in int32 or int64, up to the first -1.
        reduction: "mean", "sum" or "none". Default: "mean".

    Raises ValueError if the shapes do not fit, or for another reduction.

    Examples:
        >>> import torchspore as ms
        >>> x, target = ms.Tensor([[0.1, 0.2, 0.4, 0.8]]), ms.Tensor([[3, 0, -1, 1]], ms.int32)
        >>> print(ms.ops.multilabel_margin_loss(x, target))
        0.85
    """
    return _multilabel_margin(input, target, reduction)[0]


@as_primitive
def MultilabelMarginLoss(x: Tensor, target: Tensor, *, reduction: Reduction = "mean") -> Any:
    """Return `multilabel_margin_loss` of `x`, and is_target: 1 for right classes, like `target`."""
    return _multilabel_margin(x, target, reduction)


@op
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: Reduction = "mean"
) -> Tensor:
    """The binary cross entropy of the sigmoid of the scores, averaged over the classes.

    Args:
        input: the scores, a floating-point Tensor of shape (N, C).
        target: 1 for right classes, 0 for others, of the same shape.
        weight: the weight of each class, of a shape that broadcasts. Default: None, all the same.
        reduction: "mean", "sum" or "none". Default: "mean".

    Raises ValueError if the shapes do not fit, or for another reduction.
    """
    mode = MODES[reduction]
    loss = -(target * F.logsigmoid(input) + (1 - target) * F.logsigmoid(-input))
    return reduced((loss if weight is None else loss * weight).mean(-1), mode)


@op
def triplet_margin_loss(
    anchor: Tensor, positive: Annotated[Tensor, TypeOf("anchor")], negative: Annotated[Tensor, TypeOf("anchor")],
    margin: float = 1.0, p: int = 2, eps: float = 1e-06,
    swap: bool = False, reduction: Reduction = "mean",
) -> Tensor:  # fmt: skip
    """The loss of anchors that are not nearer to a positive example than to a negative one by a margin.

    The loss of a sample is `max(0, margin + |anchor - positive| - |anchor - negative|)`.

    Args:
        anchor: a floating-point Tensor of shape (N, D) or more dimensions, the last of which is the vectors'.
        positive, negative: Tensors of shapes that broadcast, of the same dtype.
        margin: the margin. Default: 1.0.
        p: the degree of the norm. Default: 2.
        eps: what is added to the differences. Default: 1e-6.
        swap: whether to use the distance of the two examples if it is less than the anchor's. Default: False.
        reduction: "mean", "sum" or "none". Default: "mean".

    Raises:
        TypeError: the dtypes differ.
    """
    mode = MODES[reduction]

    def distance(a: Tensor, b: Tensor) -> Tensor:
        return torch.linalg.vector_norm(a - b + eps, p, -1)

    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return reduced((margin + near - far).clamp(min=0), mode)


@as_primitive
def TripletMarginLoss(
    x: Tensor, positive: Annotated[Tensor, TypeOf("x")], negative: Annotated[Tensor, TypeOf("x")], margin: Tensor, *,
    p: int = 2, swap: bool = False, eps: float = 1e-6, reduction: Reduction = "mean",
) -> Tensor:  # fmt: skip
    """`triplet_margin_loss`, its `anchor` being `x`, with a `margin` that is a scalar Tensor."""
    return triplet_margin_loss.body(x, positive, negative, margin, p, eps, swap, reduction)


@op
def hinge_embedding_loss(inputs: Tensor, targets: Tensor, margin: float = 1.0, reduction: Reduction = "mean") -> Tensor:
    """The input where the target is positive, and `max(0, margin - input)` where it is negative.

    Args:
        inputs: distances, a floating-point Tensor of any shape.
        targets: a Tensor of 1 and -1, of a shape that broadcasts.
        margin: the required distance of different things. Default: 1.0.
        reduction: "mean", "sum" or "none". Default: "mean".

    Raises ValueError if the shapes do not broadcast, or for another reduction.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.hinge_embedding_loss(ms.Tensor([0.5, 0.25]), ms.Tensor([1.0, -1.0]), reduction="none"))
        [0.5  0.75]
    """
    mode = MODES[reduction]
    far = torch.where(targets < 0, clamp_halving(margin - inputs, 0, None), 0)
    return reduced(torch.where(targets > 0, inputs, far), mode)


@op
def gaussian_nll_loss(
    x: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: PositiveFloat = 1e-6, reduction: Reduction = "mean"
) -> Tensor:
    r"""The negative log likelihood of targets under normal distributions.

    .. math::
        (\log(v) + (x - target)^2 / v) / 2, \quad v = \max(var, eps)

    Args:
        x: the means, a floating-point Tensor of any shape.
        target: a Tensor of a shape that broadcasts.
        var: the variances, of a shape that broadcasts, or of the shape of `x` without the last dimension.
        full: whether to add the constant log(2 pi) / 2. Default: False.
        eps: the minimum variance, > 0. Default: 1e-6.
        reduction: "mean", "sum" or "none". Default: "mean".

    Raises ValueError if the shapes do not fit, `eps` is not positive, or for another reduction.
    """
    mode = MODES[reduction]
    if var.shape != x.shape and var.dim() == x.dim() - 1 and var.shape == x.shape[:-1]:
        var = var.unsqueeze(-1)
    var = var.clamp(min=eps)
    loss = (var.log() + (x - target).square() / var) / 2
    return reduced(loss + math.log(2 * math.pi) / 2 if full else loss, mode)
