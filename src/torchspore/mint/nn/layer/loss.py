"""Loss cells: functions of `mint.nn.functional` with their arguments as attributes."""

from __future__ import annotations

from torchspore import nn
from torchspore.common.tensor import Tensor
from torchspore.mint.nn import functional as F
from torchspore.nn import CosineEmbeddingLoss, CrossEntropyLoss, L1Loss, MSELoss, NLLLoss
from torchspore.nn.cell import Cell

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "KLDivLoss", "L1Loss", "MSELoss",
    "NLLLoss", "SmoothL1Loss", "SoftMarginLoss",
]  # fmt: skip


class SmoothL1Loss(Cell):
    """The absolute difference, smoothed around 0, `mint.nn.functional.smooth_l1_loss` with its arguments."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__()
        self.reduction = reduction
        self.beta = beta

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, self.reduction, self.beta)


class SoftMarginLoss(nn.SoftMarginLoss):
    """`log(1 + exp(-target * input))`, `mint.nn.functional.soft_margin_loss`."""

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, self.reduction)


class KLDivLoss(Cell):
    """The Kullback-Leibler divergence, `mint.nn.functional.kl_div` with its arguments."""

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__()
        self.reduction = reduction
        self.log_target = log_target

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, self.reduction, self.log_target)


class BCELoss(nn.BCELoss):
    """The binary cross entropy, `mint.nn.functional.binary_cross_entropy`; `weight` has a weight for each element."""

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(Cell):
    """`BCELoss` of the sigmoid, `mint.nn.functional.binary_cross_entropy_with_logits` with its arguments."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean", pos_weight: Tensor | None = None) -> None:
        super().__init__()
        self.weight = weight
        self.reduction = reduction
        self.pos_weight = pos_weight

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(input, target, self.weight, self.reduction, self.pos_weight)
