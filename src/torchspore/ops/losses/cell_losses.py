"""Losses that MindSpore has as cells only: Poisson, focal, dice and sampled softmax losses."""

from __future__ import annotations

import math
from typing import Annotated, Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.common.random import op_generator
from torchspore.engine.op import op
from torchspore.engine.parameters import Indices, Reduction
from torchspore.ops.losses.elementary import MODES, reduced

__all__ = ["dice_loss", "focal_loss", "multi_class_dice_loss", "poisson_nll_loss", "rmse_loss", "sampled_softmax_loss"]


@op(name="RMSELoss")
def rmse_loss(logits: Tensor, label: Tensor) -> Tensor:
    """The square root of the mean of the squared differences; integers count as float32."""
    dtype = torch.promote_types(logits.dtype, label.dtype)
    wide = dtype if dtype.is_floating_point else torch.float32
    return (logits.to(wide) - label.to(wide)).square().mean().sqrt()


@op(name="PoissonNLLLoss")
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: Reduction
) -> Tensor:
    """The negative log likelihood of counts under Poisson distributions."""
    mode = MODES[reduction]
    if log_input and not input.is_floating_point():
        raise TypeError("'input' must hold floats")
    input = input if input.is_floating_point() else input.float()
    target = target.to(input.dtype)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        counts = torch.where(target > 1, target, 1)
        stirling = counts * counts.log() - counts + (2 * math.pi * counts).log() / 2
        loss = loss + torch.where(target > 1, stirling, 0)
    return reduced(loss, mode)


@op(name="FocalLoss")
def focal_loss(logits: Tensor, labels: Tensor, weight: Tensor | None, gamma: float, reduction: Reduction) -> Tensor:
    """The cross entropy, each element times `(1 - probability) ** gamma`, so easy ones count less."""
    _check_focal(logits, labels)
    classes = logits.shape[1]
    scores = torch.log_softmax(logits.flatten(2) if logits.dim() > 2 else logits.unsqueeze(2), 1)
    labels = labels.flatten(2) if labels.dim() > 2 else labels.unsqueeze(2)
    factor: Any = 1 if weight is None else _focal_weight(weight, classes)
    if labels.shape[1] == 1:
        indices = labels.long() % classes
        if weight is not None:
            factor = factor.expand_as(scores).gather(1, indices)
        scores = scores.gather(1, indices)
    else:
        factor = factor * labels
    loss = (-((1 - scores.exp()) ** gamma) * scores * factor).mean(2)
    return reduced(loss.squeeze(1) if labels.shape[1] == 1 else loss, MODES[reduction])


def _check_focal(logits: Tensor, labels: Tensor) -> None:
    if not 2 <= logits.dim() <= 4 or logits.shape[1] == 1:
        raise ValueError("'logits' must be of shape (N, C), (N, C, H) or (N, C, H, W), C being more than 1")
    if labels.dim() != logits.dim() or labels.shape[1] not in (1, logits.shape[1]):
        raise ValueError("'labels' must be of the shape of 'logits', or of this shape with one class")
    if labels.shape[:1] + labels.shape[2:] != logits.shape[:1] + logits.shape[2:]:
        raise ValueError("'logits' and 'labels' must agree in all dimensions but the classes'")


def _focal_weight(weight: Tensor, classes: int) -> Tensor:
    if weight.shape != (classes,):
        raise ValueError(f"'weight' must be of shape ({classes},)")
    return weight.unsqueeze(1)


@op(name="DiceLoss")
def dice_loss(logits: Annotated[Tensor, "*S"], label: Annotated[Tensor, "*S"], smooth: float) -> Tensor:
    """One minus twice the overlap of two tensors of one shape over their sizes."""
    return _dice(logits, label, smooth)


def _dice(x: Tensor, y: Tensor, smooth: float) -> Tensor:
    overlap, sizes = (x * y).sum(), (x * x).sum() + (y * y).sum()
    return 1 - 2 * overlap / (sizes + smooth)


@op(name="MultiClassDiceLoss")
def multi_class_dice_loss(
    logits: Tensor, label: Tensor, weights: Tensor | None, ignored: int | None, smooth: float
) -> Tensor:
    """The sum of the dice losses of all classes, along the second dimension, over their number."""
    classes = label.shape[1]
    if weights is not None and weights.shape[0] != classes:
        raise ValueError(f"'weights' must have {classes} rows, one for each class")
    total = torch.zeros((), dtype=logits.dtype, device=logits.device)
    for number in range(classes):
        if number != ignored:
            loss = _dice(logits[:, number], label[:, number], smooth)
            total = total + (loss if weights is None else loss * weights[number])
    return total / classes


@op(name="SampledSoftmaxLoss")
def sampled_softmax_loss(
    weights: Tensor, biases: Tensor, labels: Indices, logits: Tensor, count: int, true_count: int, sampled: Any,
    remove_accidental_hits: bool, seed: int, reduction: Reduction,
) -> Tensor:  # fmt: skip
    """The cross entropy over the right classes and a sample of the others.

    Args:
        weights, biases: of shape (C, D) and (C,).
        labels: the right classes, of shape (N, true_count).
        logits: the input of the last layer, of shape (N, D).
        count: the number of classes to draw.
        true_count: the number of right classes per sample.
        sampled: drawn classes, and the expected counts of the right ones and of these; or None.
        remove_accidental_hits: whether right classes among the sample do not count as wrong ones.
        seed: the seed of the draw.
        reduction: "mean", "sum" or "none".
    """
    mode = MODES[reduction]
    labels = labels.reshape(-1, true_count).long()
    if sampled is None:
        # All classes are equally likely: the logarithms of the expected counts would shift all scores alike.
        drawn = _draw(weights.shape[0], count, labels if remove_accidental_hits else None, seed, weights.device)
        expected: list[Any] = [None, None]
    else:
        drawn, *expected = [getattr(part, "_t", part) for part in sampled]
        drawn = drawn.long()
    right = (weights[labels] @ logits.unsqueeze(2)).squeeze(2) + biases[labels]
    others = F.linear(logits, weights[drawn], biases[drawn])
    if sampled is not None:
        right, others = right - expected[0].reshape(right.shape).log(), others - expected[1].log()
    if remove_accidental_hits:
        hits = (labels.unsqueeze(2) == drawn).any(1)
        others = others.masked_fill(hits, torch.finfo(others.dtype).min)
    scores = torch.log_softmax(torch.cat((right, others), 1), 1)[:, :true_count]
    # The logarithm of the probability + 1e-20, which bounds the loss.
    scores = torch.logaddexp(scores, scores.new_full((), math.log(1e-20)))
    return reduced(-scores.mean(1), mode)


def _draw(classes: int, count: int, barred: Tensor | None, seed: int, device: torch.device) -> Tensor:
    """Draw distinct classes; those in `barred` only when no others are left."""
    order = torch.rand(classes, generator=op_generator("SampledSoftmaxLoss", seed), device=device)
    if barred is not None:
        order = order.index_fill(0, barred.flatten(), 2.0)
    return order.topk(count, largest=False).indices
