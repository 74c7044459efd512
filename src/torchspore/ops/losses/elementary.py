"""Losses: distances, cross entropies, divergences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.common.frames.user_lines import warn_user
from torchspore.common.private_torch import nn_kernels
from torchspore.common.private_torch.error_texts import NOT_PROBABILITIES, says
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import as_bool
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients.custom import _Custom
from torchspore.engine.op import Operand, op
from torchspore.engine.parameters import Fraction, Limits, PositiveFloat, Reduction
from torchspore.engine.primitive import Primitive, primitive
from torchspore.engine.widening import in_floats
from torchspore.ops.array.gathering import is_checked
from torchspore.ops.math.elementwise import clamp_halving

__all__ = [
    "BCEWithLogitsLoss", "BinaryCrossEntropy", "KLDivLoss", "L2Loss", "NLLLoss", "SigmoidCrossEntropyWithLogits",
    "SmoothL1Loss", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy", "huber_loss", "kl_div", "l1_loss",
    "margin_ranking_loss", "mse_loss", "nll_loss", "smooth_l1_loss",
]  # fmt: skip

MODES = {"none": 0, "mean": 1, "sum": 2}  # torch's numbers for the reductions
_IGNORE_NOTHING = -(2**63)
_CLASS_TYPES = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def reduced(loss: Tensor, mode: int) -> Tensor:
    """Reduce a loss as the number of a reduction says."""
    return loss if mode == 0 else loss.mean() if mode == 1 else loss.sum()


def _promoted(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    dtype = torch.promote_types(x.dtype, y.dtype)
    return x.to(dtype), y.to(dtype)


def _matched(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Return two tensors of one dtype and one shape: the kernels do not differentiate through broadcasting."""
    if x.dtype is not y.dtype:
        x, y = _promoted(x, y)
    if x.shape != y.shape:
        x, y = torch.broadcast_tensors(x, y)
    return x, y


# Distances, element by element

_l1_loss = in_floats(nn_kernels.l1_loss, keeps_dtype=True)
_huber_loss = in_floats(nn_kernels.huber_loss)


@op
def mse_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """The squared difference.

    Args:
        input: a Tensor of any shape.
        target: a Tensor of a shape that broadcasts with the shape of `input`.
        reduction: "mean", "sum" or "none". Default: "mean".

    Returns a scalar Tensor, for "none" of the broadcast shape; the dtypes are promoted, integers to float32.
    Raises ValueError for another reduction, or shapes that do not broadcast.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.mse_loss(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([1.0, 1.0, 1.0]), "sum"))
        5.0
    """
    input, target = _matched(input, target)
    if not input.is_floating_point():
        input, target = input.float(), target.float()
    return nn_kernels.mse_loss(input, target, MODES[reduction])


@op
def l1_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """The absolute difference; see `mse_loss`. Of bools, whether they differ, or whether any two do."""
    input, target = _matched(input, target)
    if input.dtype is torch.bool:
        loss = input ^ target
        return loss if MODES[reduction] == MODES["none"] else loss.any()
    return _l1_loss(input, target, MODES[reduction])


@op
def smooth_l1_loss(
    input: Annotated[Tensor, "*S"],
    target: Annotated[Tensor, "*S"],
    beta: PositiveFloat = 1.0,
    reduction: Reduction = "none",
) -> Tensor:
    """The absolute difference minus `beta / 2`; below `beta` its square over `2 * beta`, so that there is no kink.

    Args:
        input, target: Tensors of the same shape.
        beta: where the line becomes a parabola, > 0. Default: 1.0.
        reduction: "mean", "sum" or "none". Default: "none".

    Raises ValueError for different shapes, another reduction, or a `beta` that is not positive.
    """
    input, target = _matched(input, target)
    return nn_kernels.smooth_l1_loss(input, target, MODES[reduction], beta)


@op
def huber_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean", delta: PositiveFloat = 1.0) -> Tensor:
    """Half the squared difference; above `delta`, where that would be steep, `delta * (difference - delta / 2)`.

    Args:
        input, target, reduction: as for `mse_loss`.
        delta: where the parabola becomes a line, > 0. Default: 1.0.

    Raises ValueError for another reduction, shapes that do not broadcast, or a `delta` that is not positive.
    """
    input, target = _matched(input, target)
    return _huber_loss(input, target, MODES[reduction], delta)


@op(name="L2Loss")
def _l2_loss(input_x: Tensor) -> Tensor:
    """Half the sum of the squares."""
    return input_x.square().sum() / 2


@op(name="LossBase.get_loss")
def weighted_loss(x: Tensor, weights: Operand, reduction: Reduction) -> Tensor:
    """Multiply a loss by weights and reduce it, in float32 or float64; the result has the dtype of the loss.

    Args:
        x: the loss of every element.
        weights: a number or a Tensor that broadcasts with `x`.
        reduction: "mean", "sum" or "none".
    """
    wide = torch.promote_types(x.dtype, torch.float32)
    loss = x.to(wide) * (weights.to(wide) if isinstance(weights, Tensor) else weights)
    return reduced(loss, MODES[reduction]).to(x.dtype)


# Classes


def _for_each(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the scores once for each class index, where several stand along the axis of the classes."""
    if labels.dim() != logits.dim() or labels.dim() == 0:
        return logits
    count = labels.shape[min(labels.dim() - 1, 1)]
    if count == 1:
        return logits
    if labels.dim() == 1:
        return logits.expand(count, -1)
    return logits.unsqueeze(2).expand(-1, -1, count, *logits.shape[2:])


def _classes(logits: Tensor, labels: Tensor, api: str) -> Tensor:
    """Return class indices as torch wants them: int64, without the axis of the classes, which may have length 1."""
    if labels.dtype is not torch.int64:
        if labels.dtype not in _CLASS_TYPES:
            raise TypeError(f"For '{api}', class labels must be integers, but got {describe(labels)}.")
        labels = labels.long()
    if labels.dim() + 1 != logits.dim():
        axis = min(logits.dim() - 1, 1)
        if labels.dim() != logits.dim() or axis < 0 or labels.shape[axis] != 1:
            raise ValueError(
                f"For '{api}', labels that are class indices must have the shape of the scores without the axis of the "
                f"classes, but got scores {describe(logits)} and labels {describe(labels)}."
            )
        labels = labels.squeeze(axis)
    return labels


def _with_classes(
    loss: Callable[[Tensor], Tensor], scores: Tensor, labels: Tensor, ignore_index: int, api: str
) -> Tensor:
    """Return a loss of labels; negative ones, but `ignore_index`, count from the last class, as in MindSpore.

    Eager calls on the CPU look for them after torch has raised, and warn. Elsewhere torch does not raise in time.
    """
    if is_checked(labels):
        try:
            return loss(labels)
        except (IndexError, RuntimeError):
            if not bool(((labels < 0) & (labels != ignore_index)).any()):
                raise
    size = scores.shape[min(1, scores.dim() - 1)]
    result = loss(torch.where((labels < 0) & (labels != ignore_index), labels + size, labels))
    if is_checked(labels):
        warn_user(f"For '{api}', negative labels count from the last class. Pass 'ignore_index' to leave them out.")
    return result


@op
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
    label_smoothing: Fraction = 0.0,
) -> Tensor:
    """The negative logarithm of the probability of the right class under `softmax(input)`.

    Args:
        input: the scores, a Tensor of shape (C,), (N, C) or (N, C, d1, d2, ...), C being the number of classes.
        target: class indices, integers in [-C, C) of shape (), (N,) or (N, d1, d2, ...), or (N, K, d1, d2, ...) for K
            of them; negative ones count from the last class, with a warning. Or the probabilities of all classes,
            floats of the shape of `input`.
        weight: the weight of each class, of shape (C,). Default: None, all the same.
        ignore_index: the class index to ignore; without effect on probabilities. Default: -100.
        reduction: "mean" (weighted, over the class indices that are not ignored; of probabilities over the batch),
            "sum" or "none". Default: "mean".
        label_smoothing: the share of the target, in [0, 1], that is spread evenly over all classes. Default: 0.0.

    Returns a scalar Tensor, for "none" of the shape of class indices.

    Raises:
        TypeError: `target` holds bools, or `input` is not floating-point.
        ValueError: shapes that do not fit, a class index outside [-C, C), another reduction, or `label_smoothing`
            outside [0, 1].

    Examples:
        >>> import torchspore as ms
        >>> logits = ms.Tensor([[1.0, 1.0], [2.0, 2.0]])
        >>> print(ms.ops.cross_entropy(logits, ms.Tensor([0, 1], ms.int32)))
        0.6931472
    """
    if target.is_floating_point():
        if input.shape != target.shape:
            raise ValueError("'input' and the probabilities 'target' must be of the same shape")
        ignore_index = -100  # torch refuses others here
    else:
        input = _for_each(input, target)
        target = _classes(input, target, "cross_entropy")
    if weight is not None and weight.dtype is not input.dtype:
        input, weight = _promoted(input, weight)
    mode = MODES[reduction]
    if weight is not None and weight.requires_grad and not target.is_floating_point():
        logs = torch.log_softmax(input, 0 if input.dim() == 1 else 1)
        return nll_loss.body(logs, target, weight, ignore_index, reduction, label_smoothing)

    def of_classes(classes: Tensor) -> Tensor:
        return nn_kernels.cross_entropy_loss(input, classes, weight, mode, ignore_index, label_smoothing)

    if target.is_floating_point():
        return of_classes(target)
    return _with_classes(of_classes, input, target, ignore_index, "cross_entropy")


@op
def nll_loss(
    inputs: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: Any = "mean",
    label_smoothing: Fraction = 0.0,
) -> Tensor:
    """`cross_entropy` of class indices, where `inputs` are logarithms of probabilities already.

    Args:
        inputs: a Tensor of shape (C,), (N, C) or (N, C, d1, d2, ...), C being the number of classes.
        target: class indices, integers in [-C, C) of shape (), (N,) or (N, d1, d2, ...).
        weight, ignore_index, reduction, label_smoothing: as for `cross_entropy`.

    Raises:
        TypeError: `target` is not integer, or `inputs` not floating-point.
        ValueError: as for `cross_entropy`.
    """
    inputs = _for_each(inputs, target)
    target = _classes(inputs, target, "nll_loss")
    if not inputs.is_floating_point():
        inputs = inputs.float()
    if weight is not None and weight.dtype != inputs.dtype:
        wider = torch.promote_types(inputs.dtype, weight.dtype)
        inputs, weight = inputs.to(wider), weight.to(wider)
    if not isinstance(reduction, str) or reduction not in MODES:
        warn_user("For 'nll_loss', 'reduction' is not 'none', 'mean' or 'sum': 'none' is used, as in MindSpore.")
        reduction = "none"
    mode = MODES[reduction]

    def of_classes(classes: Tensor) -> Tensor:
        return _smoothed(inputs, classes, weight, mode, ignore_index, label_smoothing)

    return _with_classes(of_classes, inputs, target, ignore_index, "nll_loss")


def _smoothed(
    inputs: Tensor, target: Tensor, weight: Tensor | None, mode: int, ignore_index: int, label_smoothing: float
) -> Tensor:
    loss = _of_classes(inputs, target, weight, mode, ignore_index)
    if not label_smoothing:
        return loss
    axis = 0 if inputs.dim() == 1 else 1
    even = inputs if weight is None else inputs * weight.reshape(-1, *[1] * (inputs.dim() - axis - 1))
    even = -even.mean(axis).masked_fill(target == ignore_index, 0)
    if mode:
        even = even.sum()
    if mode == 1:
        even = even / _counted(inputs, target, weight, ignore_index)
    return torch.lerp(loss, even, label_smoothing)


def _of_classes(inputs: Tensor, target: Tensor, weight: Tensor | None, mode: int, ignore_index: int) -> Tensor:
    if weight is None or not weight.requires_grad:
        return nn_kernels.nll_loss_nd(inputs, target, weight, mode, ignore_index)
    axis = 0 if inputs.dim() == 1 else 1  # torch's kernel has no gradient with respect to the weights
    counts = target != ignore_index
    classes = target.masked_fill(~counts, 0).long()
    weights = weight[classes] * counts
    losses = -inputs.gather(axis, classes.unsqueeze(axis)).squeeze(axis) * weights
    if mode == MODES["none"]:
        return losses
    return losses.sum() / weights.sum() if mode == MODES["mean"] else losses.sum()


def _counted(inputs: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> Tensor:
    """Return the sum of the weights of the targets that are not ignored."""
    counts = target != ignore_index
    if weight is None:
        return counts.sum().to(inputs.dtype)
    return (weight[target.masked_fill(~counts, 0).long()] * counts).sum().to(inputs.dtype)


@op(name="SoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy(logits: Tensor, labels: Tensor, reduction: Reduction) -> Tensor:
    """The cross entropy of class indices, the classes being the last axis of `logits`.

    As in MindSpore, a label that is not a class has the loss 0 and the gradient `softmax(logits)`, as a vector of zeros
    in place of a one-hot one has; for "mean" it is an error.
    """
    labels = _classes(logits, labels, "SoftmaxCrossEntropyWithLogits")
    scores = logits if logits.dim() == 2 else logits.movedim(-1, 1)  # where torch wants the classes
    if reduction == "mean" or is_checked(labels):
        try:
            return nn_kernels.cross_entropy_loss(scores, labels, None, MODES[reduction], _IGNORE_NOTHING, 0.0)
        except IndexError:
            if reduction == "mean":
                raise
    is_class = (labels >= 0) & (labels < logits.shape[-1])
    picked = logits.gather(-1, (labels * is_class).unsqueeze(-1)).squeeze(-1)
    loss = _of_probabilities(logits, picked * is_class, is_class.to(logits.dtype))
    if is_checked(labels):
        warn_user(
            "For 'SoftmaxCrossEntropyWithLogits', some labels are not classes: their loss is 0, their gradient is not. "
            "'nn.CrossEntropyLoss' has 'ignore_index' to leave labels out."
        )
    return reduced(loss, MODES[reduction])


@op(name="SoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy(logits: Tensor, labels: Tensor, reduction: Reduction) -> Tensor:
    """The cross entropy of probabilities, both of shape (N, C); no gradient flows into the labels.

    The gradient is `softmax(logits) - labels`, as in MindSpore, even where the labels do not sum up to 1.
    """
    if not labels.is_floating_point():  # torch would take integers for class indices
        raise TypeError(
            f"'labels' must be probabilities of all classes, floats, but got {describe(labels)}. For class indices use "
            "nn.SoftmaxCrossEntropyWithLogits(sparse=True)."
        )
    if logits.shape != labels.shape or logits.dim() != 2:
        raise ValueError("'logits' and 'labels' must be of the same shape (N, C)")
    labels = labels.detach()
    logits = logits - logits.detach().amax(-1, keepdim=True)
    loss = _of_probabilities(logits, (labels * logits).sum(-1), labels.sum(-1))
    return reduced(loss, MODES[reduction])


def _of_probabilities(logits: Tensor, products: Tensor, sums: Tensor) -> Tensor:
    """Return the losses of labels that have these products with the scores, and add up to these sums."""
    total = logits.logsumexp(-1)
    return total - products + (sums - 1) * total.detach()


@op(name="SoftmaxCrossEntropyWithLogits")
def _loss_and_gradient(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    loss = softmax_cross_entropy.body(logits, labels, "none")
    return loss, torch.softmax(logits.detach(), -1) - labels.detach()


@op(name="SparseSoftmaxCrossEntropyWithLogits")
def _sparse_gradient(logits: Tensor, labels: Tensor) -> Tensor:
    """The gradient, with respect to `logits`, of the mean cross entropy of class indices."""
    labels = _classes(logits, labels, "SparseSoftmaxCrossEntropyWithLogits").unsqueeze(-1)
    minus_one = torch.full_like(labels, -1, dtype=logits.dtype)
    return torch.softmax(logits.detach(), -1).scatter_add(-1, labels, minus_one) / labels.numel()


# Binary answers


@op
def binary_cross_entropy(
    logits: Annotated[Tensor, "*S"],
    labels: Annotated[Tensor, "*S"],
    weight: Tensor | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """The negative logarithm of the predicted probability of binary answers.

    Args:
        logits: the predicted probabilities, in [0, 1], a floating-point Tensor of any shape.
        labels: the probabilities of a positive answer, a Tensor of the same shape and dtype; those outside [0, 1] count
            as they are, with a warning.
        weight: the weight of each element, broadcasts to the shape of `logits`; no gradient flows into it.
            Default: None.
        reduction: "mean", "sum" or "none". Default: "mean".

    Returns a scalar Tensor, for "none" of the shape of `logits`. No element is greater than 100.

    Raises:
        TypeError: different dtypes, or not floating-point.
    """
    if weight is not None:
        weight = weight.detach().expand(logits.shape)
    mode = MODES[reduction]
    try:
        return nn_kernels.binary_cross_entropy(logits, labels, weight, mode)
    except RuntimeError as error:
        if not says(error, NOT_PROBABILITIES):
            raise
    warn_user("For 'binary_cross_entropy', some labels are not probabilities: they are outside [0, 1].")
    loss = -(labels * logits.log().clamp(min=-100) + (1 - labels) * (1 - logits).log().clamp(min=-100))
    return reduced(loss if weight is None else loss * weight, mode)


@op
def binary_cross_entropy_with_logits(
    input: Annotated[Tensor, "*S"],
    target: Annotated[Tensor, "*S"],
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """`binary_cross_entropy` of `sigmoid(input)`, without its loss of precision.

    Args:
        input: the scores, a floating-point Tensor of any shape.
        target: the probabilities of a positive answer, a Tensor of the same shape.
        weight, reduction: as for `binary_cross_entropy`.
        pos_weight: the weight of positive answers, likewise. Default: None.

    The result has the dtype of `target`, if that is floating-point.

    Raises ValueError if the shapes do not fit, or for another reduction.
    """
    dtype = target.dtype if target.is_floating_point() else input.dtype
    input, target = _matched(input, target)
    if weight is not None:
        weight = weight.detach()
    if pos_weight is not None:
        pos_weight = pos_weight.detach()
    mode = MODES[reduction]
    return torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, mode).to(dtype)


@op(name="SigmoidCrossEntropyWithLogits")
def _sigmoid_cross_entropy(logits: Annotated[Tensor, "*S"], label: Annotated[Tensor, "*S"]) -> Tensor:
    return binary_cross_entropy_with_logits.body(logits, label.detach(), reduction="none")


# Distributions, directions, orders


def _divergence(arguments: Any) -> tuple[Tensor]:
    logits, labels = arguments
    return (torch.where(labels <= 0, 0, labels * (labels.log() - logits)),)


def _divergence_gradients(arguments: Any, results: Any, outer: Any) -> tuple[Tensor, None]:
    return -arguments[1] * outer[0], None  # MindSpore's, also where the loss itself leaves a label out


@op
def kl_div(
    logits: Annotated[Tensor, "*S"],
    labels: Annotated[Tensor, "*S"],
    reduction: Literal["mean", "sum", "none", "batchmean"] = "mean",
) -> Tensor:
    """The Kullback-Leibler divergence, `labels * (log(labels) - logits)`.

    Args:
        logits: the logarithms of the predicted probabilities, a floating-point Tensor of any shape.
        labels: the probabilities, a Tensor of the same shape; no gradient flows into it. Those <= 0 count as 0.
        reduction: "mean" (over all elements), "batchmean" (the sum over the length of the first axis), "sum" or
            "none". Default: "mean".

    Raises ValueError for different shapes, or another reduction.
    """
    loss = _Custom.apply(_divergence, _divergence_gradients, logits, labels.detach())[0]
    if reduction == "batchmean":
        return loss.sum() / logits.shape[0]
    return reduced(loss, MODES[reduction])


@op
def cosine_embedding_loss(
    input1: Annotated[Tensor, "N D *S"],
    input2: Annotated[Tensor, "N D *S"],
    target: Annotated[Tensor, "N *S"],
    margin: Annotated[float, Limits(-1, 1)] = 0.0,
    reduction: Reduction = "mean",
) -> Tensor:
    """The cosine distance of pairs of vectors that should be similar, or the cosine of those that should differ.

    Args:
        input1, input2: Tensors of shape (N, D, *), whose vectors run along the second axis.
        target: a Tensor of shape (N, *): for 1 the loss is `1 - cosine`, for -1 `max(0, cosine - margin)`.
        margin: the cosine, in [-1, 1], that pairs with target -1 may have. Default: 0.0.
        reduction: "mean", "sum" or "none". Default: "mean".

    Raises ValueError for shapes that do not fit, a margin outside [-1, 1], or another reduction.
    """
    cosine = in_floats(F.cosine_similarity)(input1, input2, dim=1)
    above = clamp_halving(cosine - margin, 0, None)
    loss = torch.where(target == 1, 1 - cosine, 0) + torch.where(target == -1, above, 0)
    return reduced(loss, MODES[reduction])


@op
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: Reduction = "mean"
) -> Tensor:
    """The loss of the order of pairs of numbers, `max(0, margin - target * (input1 - input2))`.

    Args:
        input1, input2: Tensors whose shapes broadcast.
        target: a Tensor whose shape broadcasts with theirs: 1 where `input1` should be greater, else -1.
        margin: the required difference. Default: 0.0.
        reduction: "mean", "sum" or "none". Default: "mean".

    Raises ValueError for shapes that do not broadcast, or another reduction.
    """
    return torch.margin_ranking_loss(input1, input2, target, margin, MODES[reduction])


SmoothL1Loss = primitive("SmoothL1Loss", smooth_l1_loss, beta=1.0, reduction="none")
L2Loss = primitive("L2Loss", _l2_loss)
BinaryCrossEntropy = primitive("BinaryCrossEntropy", binary_cross_entropy, reduction="mean")
BCEWithLogitsLoss = primitive("BCEWithLogitsLoss", binary_cross_entropy_with_logits, reduction="mean")
SigmoidCrossEntropyWithLogits = primitive("SigmoidCrossEntropyWithLogits", _sigmoid_cross_entropy)
KLDivLoss = primitive("KLDivLoss", kl_div, reduction="mean")
SoftmaxCrossEntropyWithLogits = primitive("SoftmaxCrossEntropyWithLogits", _loss_and_gradient)


@op(name="NLLLoss")
def _loss_and_weight(
    logits: Tensor, labels: Tensor, weight: Tensor, reduction: Reduction, ignore_index: int
) -> tuple[Tensor, Tensor]:
    """`nll_loss`, and the sum of the weights of the labels that are not ignored; the weights have no gradient."""
    weight = weight.detach().to(logits.dtype)
    loss = nll_loss.body(logits, labels, weight, ignore_index, reduction)
    return loss, _counted(logits, labels, weight, ignore_index)


NLLLoss = primitive("NLLLoss", _loss_and_weight, reduction="mean", ignore_index=-100)


class SparseSoftmaxCrossEntropyWithLogits(Primitive):
    """The mean cross entropy of class indices, or its gradient.

    Args:
        is_grad: whether to return the gradient with respect to the scores instead. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> logits, labels = ms.Tensor([[1.0, 1.0], [1.0, 1.0]]), ms.Tensor([0, 1], ms.int32)
        >>> print(ms.ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels))
        0.6931472
    """

    def __init__(self, is_grad: bool = False) -> None:
        super().__init__()
        self.is_grad = is_grad if isinstance(is_grad, bool) else as_bool(is_grad, self.name, "is_grad")
        self.sens = 1.0

    def __call__(self, logits: _Tensor, labels: _Tensor) -> _Tensor:
        """Return the loss of scores (*, C) and class indices (*), or its gradient times the attribute `sens`."""
        if self.is_grad:
            return _sparse_gradient(logits, labels) * self.sens
        return sparse_softmax_cross_entropy(logits, labels, "mean")


rules.cut_by(rules.aligned, KLDivLoss, L2Loss, SigmoidCrossEntropyWithLogits)
rules.cut_by(rules.named("rows _", "rows _"), SoftmaxCrossEntropyWithLogits)
rules.cut_by(rules.named("_ _", "_"), SparseSoftmaxCrossEntropyWithLogits)
