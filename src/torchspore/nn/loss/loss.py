"""Loss cells: the functions of `torchspore.ops.losses.elementary` with their arguments as attributes.

The argument `reduction`, "mean" (the default), "sum" or "none", is explained at `LossBase`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from torchspore.common.dtype import float32
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import AnyFloat, Fraction, Limits, StrictPositive, checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.checks import rank
from torchspore.ops.losses import elementary as ops
from torchspore.ops.losses.cell_losses import poisson_nll_loss, rmse_loss
from torchspore.ops.losses.margin import gaussian_nll_loss

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss", "HuberLoss",
    "KLDivLoss", "L1Loss", "L1LossExt", "LossBase", "MAELoss", "MSELoss", "MarginRankingLoss", "NLLLoss",
    "PoissonNLLLoss", "RMSELoss", "SmoothL1Loss", "SoftmaxCrossEntropyWithLogits",
]  # fmt: skip

Reduction: TypeAlias = Annotated[Literal["mean", "sum", "none"], ValueError]
_OPERATIONS = ("cast", "mul", "reduce_mean", "reduce_sum")


class LossBase(Cell):
    """The base of losses: a subclass computes the loss of every element in `construct` and reduces it by `get_loss`.

    Args:
        reduction: "mean", "sum" or "none". Default: "mean".

    Examples:
        >>> import torchspore as ms
        >>> class AbsoluteError(ms.nn.LossBase):
        ...     def construct(self, logits, labels):
        ...         return self.get_loss((logits - labels).abs())
        >>> print(AbsoluteError("sum")(ms.Tensor([1.0, 2.0]), ms.Tensor([0.0, 4.0])))
        3.0
    """

    # What a subclass may replace, for `get_loss` to compute by it.
    cast: Any
    mul: Any
    reduce_mean: Any
    reduce_sum: Any

    reduction: str

    @checked
    def __init__(self, reduction: Reduction = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    # MindSpore's two attributes for the same: each way, a change of one changes the other.

    @property
    def reduce(self) -> bool:
        """Whether the losses of the elements become one number."""
        return self.reduction != "none"

    @reduce.setter
    def reduce(self, value: bool) -> None:
        if value is not self.reduce:
            self.reduction = "mean" if value else "none"

    @property
    def average(self) -> bool:
        """Whether that number is their mean, not their sum."""
        return self.reduction != "sum"

    @average.setter
    def average(self, value: bool) -> None:
        if self.reduce:
            self.reduction = "mean" if value else "sum"

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Compute the loss; every subclass defines it."""
        raise NotImplementedError(f"For '{type(self).__name__}', define the method 'construct'.")

    def get_axis(self, x: Tensor) -> tuple[int, ...]:
        """Return all axes of a tensor."""
        return tuple(range(rank(x, "LossBase.get_axis")))

    def get_loss(self, x: Tensor, weights: float | Tensor = 1.0) -> Tensor:
        """Multiply the losses of the elements by weights, and reduce them.

        Args:
            x: the losses, a Tensor of any shape.
            weights: a number, or a Tensor of a shape that broadcasts with the shape of `x`. Default: 1.0.

        Returns:
            A Tensor without dimensions, for the reduction "none" of the broadcast shape; of the dtype of `x`.
        """
        if self.__dict__.keys().isdisjoint(_OPERATIONS):
            return ops.weighted_loss(x, weights, self.reduction)
        loss = self.mul(self.cast(weights, float32), self.cast(x, float32))
        if self.reduce:
            loss = (self.reduce_mean if self.average else self.reduce_sum)(loss, self.get_axis(loss))
        return self.cast(loss, x.dtype)


_Loss = LossBase  # the older name, which packages import


class MSELoss(LossBase):
    """The squared difference, `ops.mse_loss`.

    Inputs: (logits, labels), Tensors whose shapes broadcast.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.MSELoss()(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([1.0, 1.0, 0.0])))
        3.3333333
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        loss = ops.mse_loss(logits, labels, self.reduction)
        if logits.is_floating_point() or labels.is_floating_point():
            return loss
        return loss.astype((logits - labels).dtype)  # of integers it is truncated, other than the function's


class L1Loss(LossBase):
    """The absolute difference, `ops.l1_loss`.

    Inputs: (logits, labels), Tensors whose shapes broadcast.
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.l1_loss(logits, labels, self.reduction)


class MAELoss(L1Loss):
    """Another name of `L1Loss`."""

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        return super().construct(logits, label)


class L1LossExt(L1Loss):
    """Another name of `L1Loss`."""


class RMSELoss(LossBase):
    """The square root of the mean of the squared differences.

    Inputs:
        - logits: a Tensor of any shape; integers are converted to float32.
        - label: a Tensor of a shape that broadcasts with it.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.RMSELoss()(ms.Tensor([1.0, 2.0, 3.0, 4.0]), ms.Tensor([1.0, 2.0, 3.0, 2.0])))
        1.0
    """

    def __init__(self) -> None:
        super().__init__()

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        return rmse_loss(logits, label)


class SmoothL1Loss(LossBase):
    """The absolute difference, smoothed around 0, `ops.smooth_l1_loss`.

    Args:
        beta: where the line becomes a parabola, > 0. Default: 1.0.
        reduction: "mean", "sum" or "none". Default: "none".

    Inputs: (logits, labels), Tensors of one shape.
    """

    @checked
    def __init__(self, beta: AnyFloat = 1.0, reduction: Reduction = "none") -> None:
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    """Half the squared difference, linear where it is large, `ops.huber_loss`.

    Args:
        delta: where the parabola becomes a line, > 0. Default: 1.0.

    Inputs: (logits, labels), Tensors whose shapes broadcast.
    """

    @checked
    def __init__(self, reduction: Reduction = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


class CrossEntropyLoss(LossBase):
    """The negative logarithm of the probability given to the right class, `ops.cross_entropy`.

    Args:
        weight: the weights of the classes, of shape (C,). Default: None, all the same.
        ignore_index: the class index that does not count. Default: -100.
        label_smoothing: the part of the target, in [0, 1], that is distributed evenly over all classes. Default: 0.0.

    Inputs:
        - logits: the scores, of shape (C,), (N, C) or (N, C, d1, d2, ...).
        - labels: class indices of shape (), (N,) or (N, d1, d2, ...), or probabilities of the shape of the scores.

    Examples:
        >>> import torchspore as ms
        >>> logits = ms.Tensor([[1.0, 1.0], [2.0, 2.0]])
        >>> print(ms.nn.CrossEntropyLoss()(logits, ms.Tensor([0, 1], ms.int32)))
        0.6931472
    """

    @checked
    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: Reduction = "mean",
        label_smoothing: Fraction = 0.0,
    ) -> None:
        super().__init__(reduction)
        self.weight = weight
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.cross_entropy(logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing)


class NLLLoss(LossBase):
    """The negative of the log probability given to the right class, `ops.nll_loss`.

    Args:
        weight: the weights of the classes, of shape (C,). Default: None, all the same.
        ignore_index: the class index that does not count. Default: -100.

    Inputs:
        - logits: the log probabilities, of shape (C,), (N, C) or (N, C, d1, d2, ...).
        - labels: class indices of shape (), (N,) or (N, d1, d2, ...).
    """

    @checked
    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight
        self.ignore_index = ignore_index

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """The cross entropy of scores, before the softmax, and either class indices or probabilities.

    Args:
        sparse: whether the labels are class indices. Default: False, probabilities such as one-hot vectors.
        reduction: "mean", "sum" or "none". Default: "none".

    Inputs:
        - logits: the scores, of shape (N, C).
        - labels: class indices in [0, C) of shape (N,), or probabilities of shape (N, C).

    Outputs: a Tensor without dimensions, for "none" of shape (N,).

    Examples:
        >>> import torchspore as ms
        >>> loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        >>> logits = ms.Tensor([[1.0, 1.0], [2.0, 2.0]])
        >>> print(loss(logits, ms.Tensor([0, 1], ms.int32)))
        0.6931472
    """

    @checked
    def __init__(self, sparse: bool = False, reduction: Reduction = "none") -> None:
        super().__init__(reduction)
        self.sparse = sparse

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        if self.sparse:
            return ops.sparse_softmax_cross_entropy(logits, labels, self.reduction)
        return ops.softmax_cross_entropy(logits, labels, self.reduction)

    # Which of its operations MindSpore's layer calls.

    @property
    def _averages_indices(self) -> bool:
        return self.sparse and self.reduction == "mean"

    @property
    def _spreads_indices(self) -> bool:
        return self.sparse and self.reduction != "mean"

    def _class_count(self, logits: Tensor) -> int:
        return logits.shape[-1]


class BCELoss(LossBase):
    """The binary cross entropy of predicted probabilities, `ops.binary_cross_entropy`.

    Args:
        weight: the weights of the elements, of a shape that broadcasts to the shape of the input. Default: None.

    Inputs:
        - logits: the probabilities, in [0, 1], of any shape.
        - labels: a Tensor of the same shape and dtype.
    """

    @checked
    def __init__(self, weight: Tensor | None = None, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """The binary cross entropy of scores, before the sigmoid, `ops.binary_cross_entropy_with_logits`.

    Args:
        weight: the weights of the elements, of a shape that broadcasts to the shape of the input. Default: None.
        pos_weight: the weights of positive targets, likewise. Default: None.

    Inputs:
        - input: the scores, of any shape.
        - target: a Tensor of the same shape.
    """

    @checked
    def __init__(
        self, reduction: Reduction = "mean", weight: Tensor | None = None, pos_weight: Tensor | None = None
    ) -> None:
        super().__init__(reduction)
        self.weight = weight
        self.pos_weight = pos_weight

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return ops.binary_cross_entropy_with_logits(input, target, self.weight, self.pos_weight, self.reduction)


class KLDivLoss(LossBase):
    """The Kullback-Leibler divergence, `ops.kl_div`.

    Args:
        reduction: "mean", "batchmean", "sum" or "none". Default: "mean".

    Inputs:
        - logits: log probabilities, of any shape.
        - labels: probabilities, of the same shape.
    """

    @checked
    def __init__(self, reduction: Annotated[Literal["mean", "batchmean", "sum", "none"], ValueError] = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.kl_div(logits, labels, self.reduction)


class GaussianNLLLoss(LossBase):
    """The negative log-likelihood of the targets under normal distributions, `ops.gaussian_nll_loss`.

    Args:
        full: whether to add the constant log(2 pi) / 2, a keyword argument. Default: False.
        eps: the minimum variance, a float > 0, a keyword argument. Default: 1e-6.
        reduction: "mean", "sum" or "none", a keyword argument. Default: "mean".

    Inputs:
        - logits: the means, a Tensor of floats of any shape.
        - labels: a Tensor of a shape that broadcasts.
        - var: the variances, of a shape that broadcasts, or of the shape of `logits` without the last dimension.
    """

    @checked
    def __init__(self, *, full: bool = False, eps: StrictPositive = 1e-6, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.full = full
        self.eps = eps

    def construct(self, logits: Tensor, labels: Tensor, var: Tensor) -> Tensor:  # type: ignore[override]
        return gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class PoissonNLLLoss(LossBase):
    r"""The negative log-likelihood of counts under Poisson distributions.

    .. math::
        input - target \cdot \log(input + eps) + \log(target!)

    Args:
        log_input: whether the input is the logarithm of the means: then exp(input) - target * input. Default: True.
        full: whether to add the last term, by Stirling's formula where the target is more than 1. Default: False.
        eps: what is added to the input before the logarithm. Default: 1e-8.

    Inputs:
        - input: a Tensor of floats of any shape.
        - target: the counts, a Tensor of floats of a shape that broadcasts.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.PoissonNLLLoss()(ms.Tensor([0.0, 0.0]), ms.Tensor([1.0, 2.0])))
        1.0
    """

    @checked
    def __init__(
        self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: Reduction = "mean"
    ) -> None:
        super().__init__(reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return poisson_nll_loss(input, target, self.log_input, self.full, self.eps, self.reduction)


class CosineEmbeddingLoss(LossBase):
    """The loss of pairs of vectors that should, or should not, have the same direction, `ops.cosine_embedding_loss`.

    Args:
        margin: the cosine, in [-1, 1], that pairs of different directions may have. Default: 0.0.

    Inputs:
        - logits_x1: a Tensor of shape (N, D, *).
        - logits_x2: a Tensor of the same shape.
        - labels: 1 for the same direction, -1 for different ones, of shape (N, *).
    """

    @checked
    def __init__(self, margin: Annotated[float, Limits(-1, 1)] = 0.0, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def construct(self, logits_x1: Tensor, logits_x2: Tensor, labels: Tensor) -> Tensor:  # type: ignore[override]
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


class MarginRankingLoss(LossBase):
    """How far pairs of numbers are from the right order, `ops.margin_ranking_loss`.

    Args:
        margin: by how much one number should exceed the other. Default: 0.0.

    Inputs:
        - input1: a Tensor of any shape.
        - input2: a Tensor of a shape that broadcasts with it.
        - target: 1 where `input1` should be greater, else -1.
    """

    @checked
    def __init__(self, margin: float = 0.0, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)
