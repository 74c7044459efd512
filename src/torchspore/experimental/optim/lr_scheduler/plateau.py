"""A scheduler that watches a metric."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from torchspore.common.scopes.scope import number
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Limits, NotNegative, checked
from torchspore.experimental.optim.lr_scheduler.graph_steps import Count, in_graphs
from torchspore.experimental.optim.lr_scheduler.scheduler import Rates, for_each_group, rates_of, set_rate
from torchspore.experimental.optim.optimizer import Optimizer
from torchspore.nn.member_operations import set_counting

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau:
    """Multiply the learning rates by a factor when a metric no longer improves.

    Args:
        optimizer: an optimizer of `experimental.optim` or `mint.optim`.
        mode: "min" if smaller metrics are better, "max" if larger ones are. Default: "min".
        factor: the factor, a number < 1. Default: 0.1.
        patience: the number of epochs without improvement that are tolerated. Default: 10.
        threshold: the margin by which a metric must be better than the best so far. Default: 1e-4.
        threshold_mode: "rel": `threshold` is relative to the best; "abs": it is not. Default: "rel".
        cooldown: the number of epochs after a change in which the metric is not watched. Default: 0.
        min_lr: the smallest learning rate, a number, or a list of them, one for each group. Default: 0.
        eps: smaller changes are not made. Default: 1e-8.

    Raises:
        ValueError: a number out of its range, an unknown mode, or a list that does not have one number for each group.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
        >>> for metric in (0.5, 0.6):
        ...     scheduler.step(metric)
        True
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.5)]
    """

    __setattr__ = set_counting
    last_epoch = Count()
    best = Count(float)
    num_bad_epochs = Count()
    cooldown_counter = Count()

    @checked
    def __init__(
        self,
        optimizer: Optimizer,
        mode: Literal["min", "max"] = "min",
        factor: Annotated[float, Limits(below=1)] = 0.1,
        patience: NotNegative = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: NotNegative = 0,
        min_lr: Rates = 0,
        eps: float = 1e-8,
    ) -> None:
        self.optimizer, self.mode, self.threshold_mode = optimizer, mode, threshold_mode
        self.factor, self.patience, self.threshold = factor, patience, threshold
        self.cooldown, self.eps = cooldown, eps
        self.min_lrs = for_each_group(min_lr, "min_lr", "ReduceLROnPlateau", optimizer)
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0
        self._last_lr = rates_of(optimizer)

    @property
    def in_cooldown(self) -> bool:
        """Whether the metric is not watched."""
        return self.cooldown_counter > 0

    def get_last_lr(self) -> list[Tensor]:
        """Return the learning rates after the last step, one for each group."""
        return [rate.value() for rate in self._last_lr]

    @in_graphs(True)
    def step(self, metrics: Any) -> bool:
        """Record the metric of an epoch, a number or a Tensor, and reduce the learning rates if it is time.

        Returns:
            True.
        """
        self.last_epoch += 1
        metric = number(metrics, float) if isinstance(metrics, Tensor) else float(metrics)
        if self._is_better(metric):
            self.best = metric
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        return True

    def _is_better(self, metric: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        margin = self.threshold
        if self.threshold_mode == "rel":
            margin = self.threshold * self.best * sign if math.isfinite(self.best) else 0.0
        return sign * metric < sign * self.best - margin

    def _reduce(self) -> None:
        for group, minimum in zip(self.optimizer.param_groups, self.min_lrs):
            old = number(group["lr"], float)
            new = max(old * self.factor, minimum)
            if old - new > self.eps:
                set_rate(group, new)
