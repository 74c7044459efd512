"""Margin losses: the functions of `torchspore.ops.losses.margin` as cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from torchspore.common.dtype import float32
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Rule, StrictFloat, checked, take_as
from torchspore.nn.layer.planned import Planned
from torchspore.nn.loss.loss import LossBase, Reduction
from torchspore.ops.linalg.matrix_functions import norm
from torchspore.ops.losses import margin as ops

__all__ = [
    "HingeEmbeddingLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "MultilabelMarginLoss", "SoftMarginLoss",
    "TripletMarginLoss", "TripletMarginWithDistanceLoss",
]  # fmt: skip

_MULTI_MARGIN: Any = ops.MultiMarginLoss
_TRIPLET: Any = ops.TripletMarginLoss
_VECTORS = Rule(
    "one of the tensors must have 2 dimensions or more",
    lambda x, positive, negative: max(x.ndim, positive.ndim, negative.ndim) > 1,
)


class SoftMarginLoss(LossBase):
    """The loss `log(1 + exp(-label * logit))`, `ops.soft_margin_loss`.

    Inputs:
        - logits: a Tensor of floats of any shape.
        - labels: a Tensor of the same shape, of 1 and -1.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.SoftMarginLoss()(ms.Tensor([0.0, 0.0]), ms.Tensor([1.0, -1.0])))
        0.6931472
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.soft_margin_loss(logits, labels, self.reduction)


class HingeEmbeddingLoss(LossBase):
    """The distance where the label is 1, `max(0, margin - distance)` where it is -1, `ops.hinge_embedding_loss`.

    Args:
        margin: the minimum distance of dissimilar samples. Default: 1.0.

    Inputs:
        - logits: distances, a Tensor of floats of any shape.
        - labels: a Tensor of 1 and -1, of a shape that broadcasts.
    """

    @checked
    def __init__(self, margin: float = 1.0, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class MultiMarginLoss(Planned, LossBase):
    """How far the score of the right class is from being greater than all others by a margin, `ops.multi_margin_loss`.

    Args:
        p: 1 or 2. Default: 1.
        margin: the margin. Default: 1.0.
        weight: the weights of the classes, of shape (C,). Default: None, all the same.

    Inputs:
        - x: the scores, of shape (N, C).
        - target: the right classes, a Tensor of int64 of shape (N,).
        - weight: used if the constructor got none. Default: None.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.MultiMarginLoss()(ms.Tensor([[0.5, 2.0, 1.25, 0.25]]), ms.Tensor([1])))
        0.0625
    """

    @checked
    def __init__(
        self,
        p: Literal[1, 2] = 1,
        margin: StrictFloat = 1.0,
        reduction: Reduction = "mean",
        weight: Tensor | None = None,
    ) -> None:
        super().__init__(reduction)
        self.p = p
        self.margin = margin
        self.weight = weight
        self._planned()

    def _make_plan(self) -> tuple[Any]:
        return (_MULTI_MARGIN(self.p, self.margin, self.reduction),)

    def construct(self, x: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor:
        weight = weight if self.weight is None else self.weight
        (loss,) = self._plan or self._planned()
        return loss(x, target) if weight is None else loss(x, target, weight)


class MultilabelMarginLoss(LossBase):
    """How far the scores of several right classes are from being greater than all others by 1.

    Inputs:
        - x: the scores, of shape (C,) or (N, C).
        - target: the right classes, of the same shape, in int32 or int64; only those before the first -1.

    Examples:
        >>> import torchspore as ms
        >>> x, target = ms.Tensor([[0.1, 0.2, 0.4, 0.8]]), ms.Tensor([[3, 0, -1, 1]], ms.int32)
        >>> print(ms.nn.MultilabelMarginLoss()(x, target))
        0.85
    """

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        return ops.multilabel_margin_loss(x, target, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    """The binary cross entropy, averaged over the classes, `ops.multilabel_soft_margin_loss`.

    Args:
        weight: the weights of the classes, of a shape that broadcasts to the shape of the scores. Default: None.

    Inputs:
        - x: the scores, of shape (N, C).
        - target: 1 for right classes, 0 for others, of the same shape.
    """

    @checked
    def __init__(self, weight: Tensor | None = None, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class TripletMarginLoss(Planned, LossBase):
    """`ops.triplet_margin_loss`: a sample should be nearer to a positive than to a negative one, by a margin.

    Args:
        p: the degree of the norm. Default: 2.
        swap: whether the distance of the two others is used if it is smaller. Default: False.
        eps: what is added to the differences. Default: 1e-6.
        margin: the margin, a number or a Tensor without dimensions. Default: 1.0.

    Inputs:
        - x: a Tensor of floats of shape (N, *, D).
        - positive: samples of the same class, of the same shape.
        - negative: samples of other classes, of the same shape.
        - margin: a margin for this call, a number or a Tensor without dimensions; 1.0 means the constructor's.
          Default: 1.0.

    Examples:
        >>> import torchspore as ms
        >>> x, near, far = ms.Tensor([[0.0, 0.0]]), ms.Tensor([[0.0, 1.0]]), ms.Tensor([[1.5, 0.0]])
        >>> print(ms.nn.TripletMarginLoss(eps=0.0)(x, near, far))
        0.5
    """

    @checked
    def __init__(
        self,
        p: int = 2,
        swap: bool = False,
        eps: StrictFloat = 1e-6,
        reduction: Reduction = "mean",
        margin: float | Tensor = 1.0,
    ) -> None:
        super().__init__(reduction)
        self.p = p
        self.swap = swap
        self.eps = eps
        self.margin = margin
        self._planned()

    def _make_plan(self) -> tuple[Any, Tensor]:
        return _TRIPLET(self.p, self.swap, self.eps, self.reduction), _margin(self.margin)

    def construct(  # type: ignore[override]
        self, x: Tensor, positive: Tensor, negative: Tensor, margin: float | Tensor = 1.0
    ) -> Tensor:
        _VECTORS.check({"x": x, "positive": positive, "negative": negative}, "TripletMarginLoss")
        is_default = isinstance(margin, float) and margin == 1.0
        loss, default = self._plan or self._planned()
        return loss(x, positive, negative, default if is_default else _margin(margin))


def _margin(margin: Any) -> Tensor:
    if not isinstance(margin, Tensor):
        return Tensor(take_as(float, margin, "margin", "TripletMarginLoss"), float32)
    if margin.ndim:
        raise ValueError(f"For 'TripletMarginLoss', 'margin' must have no dimensions, but got {describe(margin)}.")
    return margin


def _distance(x: Tensor, y: Tensor) -> Tensor:
    return norm(x - y, None, 1)


class TripletMarginWithDistanceLoss(LossBase):
    """`TripletMarginLoss` with any distance.

    Args:
        distance_function: the distance, a function of two Tensors; None for the Euclidean one of the vectors along
            dimension 1. Default: None.
        swap, margin: as for `TripletMarginLoss`.

    Inputs: (x, positive, negative), as for `TripletMarginLoss`, of shape (N, D).

    Examples:
        >>> import torchspore as ms
        >>> x, near, far = ms.Tensor([[0.0, 0.0]]), ms.Tensor([[0.5, 1.0]]), ms.Tensor([[1.5, 0.0]])
        >>> print(ms.nn.TripletMarginWithDistanceLoss(lambda a, b: (a - b).abs().sum(-1))(x, near, far))
        1.0
    """

    @checked
    def __init__(
        self,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        swap: bool = False,
        reduction: Reduction = "mean",
        margin: StrictFloat = 1.0,
    ) -> None:
        super().__init__(reduction)
        self.distance_function = _distance if distance_function is None else distance_function
        self.swap = swap
        self.margin = margin

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor) -> Tensor:  # type: ignore[override]
        _VECTORS.check({"x": x, "positive": positive, "negative": negative}, "TripletMarginWithDistanceLoss")
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        if self.swap:
            far = far.minimum(self.distance_function(positive, negative))
        return self.get_loss((near - far + self.margin).clip(0))
