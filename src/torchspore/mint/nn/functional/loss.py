"""Losses, with torch's signatures."""

from __future__ import annotations

from typing import Annotated, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.parameters import PositiveFloat, Reduction
from torchspore.ops import cosine_embedding_loss, cross_entropy, l1_loss, mse_loss
from torchspore.ops.losses import elementary as ops

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy", "kl_div",
    "l1_loss", "mse_loss", "nll_loss", "smooth_l1_loss", "soft_margin_loss",
]  # fmt: skip


@op
def smooth_l1_loss(
    input: Annotated[Tensor, "*S"],
    target: Annotated[Tensor, "*S"],
    reduction: Reduction = "mean",
    beta: PositiveFloat = 1.0,
) -> Tensor:
    """`ops.smooth_l1_loss` with `beta` as the last argument."""
    return ops.smooth_l1_loss.body(input, target, beta, reduction)


@op
def binary_cross_entropy(
    input: Annotated[Tensor, "*S"],
    target: Annotated[Tensor, "*S"],
    weight: Tensor | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """`ops.binary_cross_entropy`: the negative log-likelihood of binary targets under predicted probabilities."""
    return ops.binary_cross_entropy.body(input, target, weight, reduction)


@op
def binary_cross_entropy_with_logits(
    input: Annotated[Tensor, "*S"],
    target: Annotated[Tensor, "*S"],
    weight: Tensor | None = None,
    reduction: Reduction = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of `sigmoid(input)`, without its loss of precision.

    Args:
        input: the scores, a Tensor of floats of any shape.
        target: the probabilities of the positive class, a Tensor of the same shape.
        weight: the weights of the elements, of a shape that broadcasts to the shape of `input`. Default: None.
        reduction: "mean", "sum" or "none". Default: "mean".
        pos_weight: the weights of positive targets, likewise. Default: None.
    """
    return ops.binary_cross_entropy_with_logits.body(input, target, weight, pos_weight, reduction)


@op
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, ignore_index: int = -100, reduction: Reduction = "mean"
) -> Tensor:
    """`ops.nll_loss`: the negative log-likelihood of class indices, `input` being log probabilities."""
    return ops.nll_loss.body(input, target, weight, ignore_index, reduction)


@op
def kl_div(
    input: Tensor,
    target: Tensor,
    reduction: Literal["mean", "sum", "none", "batchmean"] = "mean",
    log_target: bool = False,
) -> Tensor:
    """The Kullback-Leibler divergence, `target * (log(target) - input)`.

    Args:
        input: the log probabilities, a Tensor of floats of any shape.
        target: the probabilities, or with `log_target` their logarithms, a Tensor of a shape that broadcasts with it.
        reduction: "mean" (over all elements), "batchmean" (the sum over the length of the first dimension), "sum" or
            "none". Default: "mean".
        log_target: whether `target` holds logarithms. Default: False.
    """
    if reduction == "batchmean":
        return torch.kl_div(input, target, ops.MODES["sum"], log_target=log_target) / input.shape[0]
    return torch.kl_div(input, target, ops.MODES[reduction], log_target=log_target)


@op
def soft_margin_loss(
    input: Annotated[Tensor, "*S"], target: Annotated[Tensor, "*S"], reduction: Reduction = "mean"
) -> Tensor:
    """`log(1 + exp(-target * input))`, where targets are 1 and -1; no gradient flows into `target`."""
    return F.soft_margin_loss(input, target.detach(), reduction=reduction)
