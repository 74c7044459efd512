"""Losses, with torch's signatures."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.op import op
from torchspore.ops import cosine_embedding_loss, cross_entropy, l1_loss, mse_loss
from torchspore.ops.losses import elementary as ops

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy", "kl_div",
    "l1_loss", "mse_loss", "nll_loss", "smooth_l1_loss", "soft_margin_loss",
]  # fmt: skip


@op
def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """The absolute difference minus `beta / 2`; below `beta` its square over `2 * beta`, so that there is no kink.

    Args:
        input: a Tensor of any shape.
        target: a Tensor of the same shape.
        reduction: "mean", "sum" or "none". Default: "mean".
        beta: where the line becomes a parabola, > 0. Default: 1.0.
    """
    return ops.smooth_l1_loss.body(input, target, beta, reduction)


@op
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The negative logarithm of the probability that predictions give to answers that are yes or no.

    Args:
        input: the predicted probabilities, in [0, 1], a Tensor of floats of any shape.
        target: the probabilities that the answers are yes, a Tensor of the same shape and dtype.
        weight: how much each element counts, of a shape that broadcasts to that of `input`. Default: None.
        reduction: "mean", "sum" or "none". Default: "mean".
    """
    return ops.binary_cross_entropy.body(input, target, weight, reduction)


@op
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of `sigmoid(input)`, without its loss of precision.

    Args:
        input: the scores, a Tensor of floats of any shape.
        target: the probabilities that the answers are yes, a Tensor of the same shape.
        weight: how much each element counts, of a shape that broadcasts to that of `input`. Default: None.
        reduction: "mean", "sum" or "none". Default: "mean".
        pos_weight: how much the answer yes counts, in the same way. Default: None.
    """
    return ops.binary_cross_entropy_with_logits.body(input, target, weight, pos_weight, reduction)


@op
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """The negative of the value that `input`, the logarithms of probabilities, has for the right class.

    Args:
        input: a Tensor of shape (C,), (N, C) or (N, C, d1, d2, ...), C being the number of classes.
        target: class indices, integers in [0, C) of shape (), (N,) or (N, d1, d2, ...).
        weight: how much each class counts, of shape (C,). Default: None, all the same.
        ignore_index: the class index that does not count. Default: -100.
        reduction: "mean" (weighted, over what counts), "sum" or "none". Default: "mean".
    """
    return ops.nll_loss.body(input, target, weight, ignore_index, reduction)


@op
def kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """The Kullback-Leibler divergence, `target * (log(target) - input)`.

    Args:
        input: the logarithms of the predicted probabilities, a Tensor of floats of any shape.
        target: the probabilities, or with `log_target` their logarithms, a Tensor of a shape that broadcasts with it.
        reduction: "mean" (over all elements), "batchmean" (the sum over the length of the first dimension), "sum" or
            "none". Default: "mean".
        log_target: whether `target` holds logarithms. Default: False.
    """
    if reduction == "batchmean":
        return torch.kl_div(input, target, ops._MODES["sum"], log_target=log_target) / input.shape[0]
    return torch.kl_div(input, target, ops.check_reduction(reduction, "kl_div"), log_target=log_target)


@op
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """`log(1 + exp(-target * input))`, the targets being 1 and -1.

    Args:
        input: the scores, a Tensor of floats of any shape.
        target: a Tensor of the same shape; no gradient flows into it.
        reduction: "mean", "sum" or "none". Default: "mean".
    """
    ops._check_shapes(input, target, "soft_margin_loss", "'input' and 'target'")
    ops.check_reduction(reduction, "soft_margin_loss")
    return F.soft_margin_loss(input, target.detach(), reduction=reduction)
