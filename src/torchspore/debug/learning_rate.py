"""`find_learning_rate`: the losses of a short training whose learning rate grows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import torch

from torchspore.common.parameter import Parameter
from torchspore.common.showing.markup import page, plot, text
from torchspore.common.tensor import Tensor
from torchspore.debug.trial import cells_of, parameters_of, restored
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients.differentiate import value_and_grad
from torchspore.engine.parameters import Limits, PositiveFloat, Rule, checked
from torchspore.nn.cell import Cell

__all__ = ["LearningRates", "find_learning_rate"]

_RECENT = 4  # the number of earlier losses in the mean that shows divergence
_API = "find_learning_rate"


@dataclass(frozen=True, repr=False)
class LearningRates:
    """The result of `find_learning_rate`; a notebook shows a plot.

    Attributes:
        rates: the learning rates of the steps, in increasing order.
        losses: the loss of each step, before its update.
        smoothed: the means of the losses around each step.
        suggestion: the rate at which the loss falls most steeply; None if it does not fall.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore import debug
        >>> net = ms.nn.Dense(2, 1)
        >>> data = [(ms.ops.ones((4, 2)), ms.ops.ones((4, 1)))]
        >>> optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
        >>> found = debug.find_learning_rate(net, ms.nn.MSELoss(), optimizer, data, start=1e-3, stop=1e-2, steps=5)
        >>> len(found.losses), round(found.rates[0], 4), round(found.rates[-1], 4)
        (5, 0.001, 0.01)
    """

    rates: tuple[float, ...]
    losses: tuple[float, ...]
    smoothed: tuple[float, ...]
    suggestion: float | None

    def __str__(self) -> str:
        found = "none, as the loss does not fall" if self.suggestion is None else f"{self.suggestion:.3g}"
        return (
            f"Suggested learning rate: {found} ({len(self.rates)} steps, {self.rates[0]:.3g} to {self.rates[-1]:.3g})"
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = {"loss": zip(self.rates, self.losses), "smoothed": zip(self.rates, self.smoothed)}
        return page(text(self), plot(lines, log_x=True, mark=self.suggestion))


@checked(Rule("'stop' must be > 'start'", lambda stop, start: stop > start))
def find_learning_rate(
    net: Cell,
    loss_fn: Callable[..., Any] | None,
    optimizer: Cell,
    data: Any,
    *,
    start: PositiveFloat = 1e-7,
    stop: float = 10.0,
    steps: Annotated[int, Limits(2)] = 100,
    divergence: Annotated[float, Limits(above=1)] = 4.0,
) -> LearningRates:
    """Train a few steps with a growing learning rate, and return the losses and a suggestion.

    The rates grow by a constant factor. The training ends early when the loss diverges or the data ends. Then the
    network, the optimizer and the random generators are restored.

    Args:
        net: the network, which is in training mode meanwhile.
        loss_fn: a Cell or function of the output and the last column of a batch. Default: None, if the network takes
            all columns and returns the loss.
        optimizer: an optimizer of the network with a constant learning rate, of `nn`, `mint.optim` or
            `experimental.optim`. The rates of groups keep their ratios to the largest one.
        data: a dataset of batches, or an iterable of them: tuples, lists or dicts of Tensors or arrays. It is repeated,
            unless it is an iterator.
        start: the first rate, > 0. Default: 1e-7.
        stop: the last rate, > `start`. Default: 10.0.
        steps: the number of steps, > 1. Default: 100.
        divergence: the training ends when the mean of the last losses exceeds its minimum by this factor, > 1.
            Default: 4.0.

    Raises:
        TypeError: `net` or `optimizer` is not a Cell, or `data` cannot be iterated.
        ValueError: the data is empty, the learning rate is a schedule, or the loss is not one number.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> from torchspore import debug
        >>> net = ms.nn.Dense(2, 1, weight_init="zeros")
        >>> x = np.random.default_rng(0).normal(size=(32, 2)).astype(np.float32)
        >>> data = [(ms.Tensor(x), ms.Tensor(x.sum(1, keepdims=True)))]
        >>> optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
        >>> found = debug.find_learning_rate(net, ms.nn.MSELoss(), optimizer, data)
        >>> 1e-3 < found.suggestion < 10
        True
        >>> print(net.weight.asnumpy())
        [[0. 0.]]
    """
    rate_parameters = _rate_parameters(optimizer)
    cells = cells_of(net, optimizer, *([] if loss_fn is None else [loss_fn]))
    saved = [(parameter, parameter._t.detach().clone()) for parameter in parameters_of(cells)]
    with restored(cells):
        try:
            net.set_train()
            losses = _train(
                net, loss_fn, optimizer, rate_parameters, data, np.geomspace(start, stop, steps), divergence
            )
        finally:
            with torch.no_grad():
                for parameter, value in saved:
                    parameter._t.copy_(value)
    rates = [float(rate) for rate in np.geomspace(start, stop, steps)[: len(losses)]]
    reach = min(max(2, steps // 12), max(1, (len(losses) - 1) // 2))
    smoothed = _smoothed(losses, reach)
    return LearningRates(tuple(rates), tuple(losses), tuple(smoothed), _suggestion(rates, losses, smoothed, reach))


def _train(
    net: Cell,
    loss_fn: Any,
    optimizer: Any,
    rate_parameters: list[Parameter],
    data: Any,
    rates: Iterable[float],
    divergence: float,
) -> list[float]:
    """Return the losses of the steps."""

    def forward(*columns: Any) -> Any:
        return net(*columns) if loss_fn is None else loss_fn(net(*columns[:-1]), columns[-1])

    step = value_and_grad(forward, None, list(optimizer.parameters))
    initial = [float(parameter) for parameter in rate_parameters]
    ratios = [each / max(initial) if max(initial) else 1.0 for each in initial]
    losses: list[float] = []
    for rate, columns in zip(rates, _batches(data, loss_fn is not None)):
        for parameter, ratio in zip(rate_parameters, ratios):
            parameter.set_data(Tensor(float(rate) * ratio, parameter.dtype))
        loss, gradients = step(*columns)
        if not isinstance(loss, Tensor) or loss.size != 1:
            raise ValueError(f"For '{_API}', the loss must be one number, but got {describe(loss)}.")
        losses.append(float(loss))
        recent = _recent(losses)
        best = min(recent)
        if not math.isfinite(losses[-1]) or recent[-1] > best + (divergence - 1) * abs(best):
            break
        optimizer(gradients)
    if not losses:
        raise ValueError(f"For '{_API}', 'data' must have a batch, but is empty.")
    return losses


def _batches(data: Any, has_label: bool) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of batches, over and over."""
    if not hasattr(data, "create_tuple_iterator") and not isinstance(data, Iterable):
        raise TypeError(f"For '{_API}', 'data' must be a dataset or an iterable of batches, but got {describe(data)}.")
    while True:
        is_empty = True
        is_dataset = hasattr(data, "create_tuple_iterator")
        for batch in data.create_tuple_iterator(num_epochs=1) if is_dataset else data:
            is_empty = False
            columns = (
                batch.values() if isinstance(batch, dict) else batch if isinstance(batch, (tuple, list)) else [batch]
            )
            values = tuple([Tensor(each) if isinstance(each, np.ndarray) else each for each in columns])
            if has_label and len(values) < 2:
                raise ValueError(
                    f"For '{_API}', a batch must have a label after the inputs, but got {describe(batch)}."
                )
            yield values
        if is_empty:
            return


def _rate_parameters(optimizer: Any) -> list[Parameter]:
    """Return the Parameters with the learning rates, one for each group."""
    if hasattr(optimizer, "param_groups"):
        found = [group["lr"] for group in optimizer.param_groups]
    else:
        rate = getattr(optimizer, "learning_rate", None)
        found = list(dict.fromkeys(rate)) if isinstance(rate, tuple) else [rate]
    if not hasattr(optimizer, "parameters") or not found or not all(isinstance(each, Parameter) for each in found):
        raise ValueError(
            f"For '{_API}', 'optimizer' must be an optimizer with a constant learning rate, but got "
            f"{describe(optimizer)}. Make one with a number instead of a schedule."
        )
    return found


def _recent(losses: list[float]) -> list[float]:
    """Return the mean of the last losses at each step."""
    return [float(np.mean(losses[max(0, i - _RECENT) : i + 1])) for i in range(len(losses))]


def _smoothed(losses: list[float], reach: int) -> list[float]:
    """Return the mean of the losses around each step."""
    return [float(np.mean(losses[max(0, i - reach) : i + reach + 1])) for i in range(len(losses))]


def _suggestion(rates: list[float], losses: list[float], smoothed: list[float], reach: int) -> float | None:
    """Return the rate, up to the minimum's, at which the mean falls most from the steps before to the steps after."""
    finite = [value if math.isfinite(value) else math.inf for value in smoothed]
    falls = [
        (np.mean(losses[i + 1 : i + reach + 1]) - np.mean(losses[i - reach : i]), rates[i])
        for i in range(reach, min(len(losses) - reach, finite.index(min(finite)) + 1))
    ]
    fall, rate = min((fall for fall in falls if math.isfinite(fall[0])), default=(0.0, 0.0))
    return rate if fall < 0 else None
