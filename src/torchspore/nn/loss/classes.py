"""Loss cells of classification: focal, Dice, CTC and sampled softmax losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Length, NotNegative, Positive, Rule, StrictFloat, StrictPositive, checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.activation import get_activation
from torchspore.nn.layer.checks import rank
from torchspore.nn.loss.loss import LossBase, Reduction
from torchspore.ops.losses import cell_losses as ops
from torchspore.ops.losses.sequence import ctc_loss

__all__ = ["CTCLoss", "DiceLoss", "FocalLoss", "MultiClassDiceLoss", "SampledSoftmaxLoss"]


class CTCLoss(LossBase):
    """The loss of label sequences whose alignment with the scores is unknown, `ops.ctc_loss`.

    Args:
        blank: the blank class. Default: 0.
        reduction: "mean" (over the batch, each loss over its number of labels), "sum" or "none". Default: "mean".
        zero_infinity: whether the loss of label sequences that are too long is 0, not infinite. Default: False.

    Inputs:
        - log_probs: the logarithms of the classes' probabilities, of shape (T, N, C), or (T, C) without a batch.
        - targets: the labels, of shape (N, S), or (S,) without a batch.
        - input_lengths: the lengths of the inputs, of shape (N,), or (1,), a Tensor or a tuple.
        - target_lengths: the lengths of the label sequences, likewise.

    Examples:
        >>> import torchspore as ms
        >>> log_probs = ms.ops.log_softmax(ms.ops.zeros((4, 1, 3)), -1)
        >>> loss = ms.nn.CTCLoss(reduction="sum")(log_probs, ms.Tensor([[1, 2]]), (4,), (2,))
        >>> round(float(loss), 4)
        1.6864
    """

    @checked
    def __init__(self, blank: int = 0, reduction: Reduction = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def construct(  # type: ignore[override]
        self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any
    ) -> Tensor:
        settings = (self.blank, self.reduction, self.zero_infinity)
        if rank(log_probs, "CTCLoss") != 2 or rank(targets, "CTCLoss") != 1:
            return ctc_loss(log_probs, targets, input_lengths, target_lengths, *settings)[0]
        log_probs, targets = log_probs.expand_dims(1), targets.expand_dims(0)
        return ctc_loss(log_probs, targets, input_lengths, target_lengths, *settings)[0].reshape(())


class FocalLoss(LossBase):
    r"""The cross entropy with lower weights for what is easy.

    .. math::
        -w (1 - p)^\gamma \log p

    p being the probability of the right class. T.-Y. Lin et al., Focal Loss for Dense Object Detection, 2017.

    Args:
        weight: the weights of the classes, of shape (C,). Default: None, all the same.
        gamma: the exponent, a float. Default: 2.0.

    Inputs:
        - logits: the scores, of shape (N, C), (N, C, H) or (N, C, H, W).
        - labels: the right classes, of that shape with 1 instead of C; or factors for all classes, such as one-hot
          vectors, of the same shape.

    Outputs: a Tensor without dimensions, for "none" of shape (N,), or (N, C) for factors: the mean over H and W.

    Examples:
        >>> import torchspore as ms
        >>> logits, labels = ms.Tensor([[1.0, 1.0], [2.0, 2.0]]), ms.Tensor([[0], [1]], ms.int32)
        >>> print(ms.nn.FocalLoss(gamma=1.0)(logits, labels))
        0.3465736
    """

    @checked
    def __init__(self, weight: Tensor | None = None, gamma: StrictFloat = 2.0, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight
        if weight is not None and weight.ndim != 1:
            raise ValueError("'weight' must have one dimension")
        self.gamma = gamma

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.focal_loss(logits, labels, self.weight, self.gamma, self.reduction)


class DiceLoss(LossBase):
    r"""One minus the overlap of two sets.

    .. math::
        1 - \frac{2 \sum x y}{\sum x^2 + \sum y^2 + smooth}

    Args:
        smooth: what keeps the denominator away from 0, a float > 0. Default: 1e-5.

    Inputs:
        - logits: the degree to which each element belongs to the set, of any shape.
        - label: whether it does, 1 or 0, of the same shape.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.DiceLoss(1.0)(ms.Tensor([1.0, 1.0, 0.0]), ms.Tensor([1.0, 0.0, 0.0])))
        0.5
    """

    @checked
    def __init__(self, smooth: StrictPositive = 1e-5) -> None:
        super().__init__()
        self.smooth = smooth

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        return ops.dice_loss(logits, label, self.smooth)


class MultiClassDiceLoss(LossBase):
    """The mean of the `DiceLoss` of all classes.

    Args:
        weights: the weights of the classes, of shape (C, D); the result then has shape (D,). Default: None.
        ignore_indiex: the class to ignore. Default: None.
        activation: what the scores go through first: the name of an activation, a Cell, or None for nothing.
            Default: "softmax".

    Inputs:
        - logits: the scores, of shape (N, C, *).
        - label: whether each element belongs to each class, 1 or 0, of the same shape.

    Examples:
        >>> import torchspore as ms
        >>> loss = ms.nn.MultiClassDiceLoss(activation=None)
        >>> x = ms.Tensor([[1.0, 0.0], [1.0, 1.0]])
        >>> print(loss(x, ms.Tensor([[1.0, 0.0], [1.0, 1.0]])).round(decimals=4))
        0.0
    """

    @checked
    def __init__(
        self, weights: Tensor | None = None, ignore_indiex: int | None = None, activation: Any = "softmax"
    ) -> None:
        super().__init__()
        api = "MultiClassDiceLoss"
        self.weights = weights
        if weights is not None and weights.ndim != 2:
            raise ValueError("'weights' must have two dimensions")
        self.ignore_indiex = ignore_indiex
        self.activation = _activation(activation, api)

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        shapes = [tensor.shape for tensor in (logits, label) if rank(tensor, "MultiClassDiceLoss") > 1]
        if len(shapes) < 2 or shapes[0] != shapes[1]:
            raise ValueError("'logits' and 'label' must be of one shape (N, C, *)")
        if self.activation is not None:
            logits = self.activation(logits)
        return ops.multi_class_dice_loss(logits, label, self.weights, self.ignore_indiex, 1e-5)


def _activation(activation: Any, api: str) -> Cell | None:
    if activation is None or isinstance(activation, Cell):
        return activation
    if not isinstance(activation, str):
        raise TypeError(f"For '{api}', 'activation' must be a string, a Cell or None, but got {describe(activation)}.")
    try:
        return get_activation(activation.lower(), api)
    except KeyError as error:
        raise ValueError(error.args[0]) from None


class SampledSoftmaxLoss(LossBase):
    """The cross entropy over the right classes and some of the others, for training with very many classes.

    Args:
        num_sampled: the number of classes to draw, in [1, num_classes].
        num_classes: the number of classes.
        num_true: the number of right classes of each sample, in [1, num_classes]. Default: 1.
        sampled_values: what a sampler such as `ops.log_uniform_candidate_sampler` returned: the drawn classes, and the
            expected counts of the right and the drawn ones. Default: None, distinct classes are drawn in each call,
            all equally likely.
        remove_accidental_hits: whether a right class among the drawn ones does not count as a wrong one. Default: True.
        seed: the seed of the draw, >= 0; 0 follows `set_seed`. Default: 0.
        reduction: "mean", "sum" or "none". Default: "none".

    Inputs:
        - weights: of the last layer, of shape (num_classes, D).
        - biases: of the last layer, of shape (num_classes,).
        - labels: the right classes, a Tensor of int32 or int64 of shape (N, num_true).
        - logits: the input of the last layer, of shape (N, D).

    Examples:
        >>> import torchspore as ms
        >>> loss = ms.nn.SampledSoftmaxLoss(num_sampled=4, num_classes=9)
        >>> weights, biases, labels = ms.ops.zeros((9, 3)), ms.ops.zeros(9), ms.Tensor([[1], [5]])
        >>> print(loss(weights, biases, labels, ms.ops.ones((2, 3))))
        [1.609438 1.609438]
    """

    @checked(
        Rule("'num_sampled' must be <= 'num_classes'", lambda num_sampled, num_classes: num_sampled <= num_classes),
        Rule("'num_true' must be <= 'num_classes'", lambda num_true, num_classes: num_true <= num_classes),
    )
    def __init__(
        self,
        num_sampled: Positive,
        num_classes: Positive,
        num_true: Positive = 1,
        sampled_values: Annotated[Sequence[Any], Length(3)] | None = None,
        remove_accidental_hits: bool = True,
        seed: NotNegative = 0,
        reduction: Reduction = "none",
    ) -> None:
        super().__init__(reduction)
        self.num_classes = num_classes
        self.num_sampled = num_sampled
        self.num_true = num_true
        self.sampled_values = sampled_values
        self.remove_accidental_hits = remove_accidental_hits
        self.seed = seed

    def construct(self, weights: Tensor, biases: Tensor, labels: Tensor, logits: Tensor) -> Tensor:  # type: ignore[override]
        draw = (self.num_sampled, self.num_true, self.sampled_values, self.remove_accidental_hits, self.seed)
        return ops.sampled_softmax_loss(weights, biases, labels, logits, *draw, self.reduction)
