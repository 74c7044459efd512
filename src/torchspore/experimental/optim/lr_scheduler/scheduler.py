"""The base of schedulers: they count epochs, and write the learning rates of an optimizer's groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

from torchspore.common.scopes.scope import number, writable
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.naming import name_constructor
from torchspore.engine.parameters import Limits, checked
from torchspore.experimental.optim.lr_scheduler.graph_steps import Count, in_graphs
from torchspore.experimental.optim.optimizer import Optimizer
from torchspore.nn.member_operations import set_counting

__all__ = ["LRScheduler"]

Epoch: TypeAlias = Annotated[int, Limits(-1)]
Rates: TypeAlias = float | Tensor | Sequence[float | Tensor]  # one for all groups, or one for each


class LRScheduler:
    """The base of schedulers: subclasses define `get_lr`, and set their attributes before they call the constructor.

    Args:
        optimizer: an optimizer of `experimental.optim` or `mint.optim`, whose learning rates are written.
        last_epoch: the number of the last epoch; -1 starts, and takes the learning rates as the initial ones.
            Default: -1.

    Attributes:
        last_epoch: the number of the epoch, 0 after the constructor, incremented by each `step`; a Tensor in a graph.
        base_lrs: the initial learning rates of the groups.

    Raises:
        TypeError: `optimizer` is not such an optimizer, or `last_epoch` is not an int.
        ValueError: `last_epoch` is less than -1.
        KeyError: `last_epoch` is not -1, and a group has no "initial_lr".

    Examples:
        >>> import torchspore as ms
        >>> class Halving(ms.experimental.optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [lr * (0.5 if self.last_epoch else 1.0) for lr in self._last_lr]
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = Halving(optimizer)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.5)]
    """

    last_epoch = Count()
    __setattr__ = set_counting

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        name_constructor(cls)

    @checked
    def __init__(self, optimizer: Optimizer, last_epoch: Epoch = -1) -> None:
        api = type(self).__name__
        for group in optimizer.param_groups:
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"].value())
            elif "initial_lr" not in group:
                raise KeyError(f"For '{api}', groups must have 'initial_lr' when 'last_epoch' is {last_epoch}.")
        self.optimizer = optimizer
        if "base_lrs" not in vars(self):
            self.base_lrs = [number(group["initial_lr"], float) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._last_lr = rates_of(optimizer)
        self.step()

    def get_lr(self) -> list[Any]:
        """Return the learning rates of the epoch `last_epoch`, one for each group, as numbers or Tensors."""
        raise NotImplementedError(f"For '{type(self).__name__}', define 'get_lr'.")

    @in_graphs(True)
    def step(self, epoch: int | None = None) -> Any:
        """Proceed to the next epoch, or to a given one, and write its learning rates.

        Args:
            epoch: the epoch; None for the next one. Default: None.

        Returns:
            True.
        """
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._write(self.get_lr() if epoch is None else self._rates_of_epoch())
        return True

    def get_last_lr(self) -> list[Tensor]:
        """Return the learning rates, one for each group."""
        return [rate.value() for rate in self._last_lr]

    def _rates_of_epoch(self) -> list[Any]:
        """Return the learning rates of `last_epoch`, whatever they were before."""
        return self.get_lr()

    def _rates(self) -> list[float]:
        """Return the learning rates of the groups as they are now."""
        return [number(group["lr"], float) for group in self.optimizer.param_groups]

    def _write(self, rates: list[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates):
            set_rate(group, rate)


def rates_of(optimizer: Optimizer) -> list[Tensor]:
    """Return the parameters that hold the learning rates of the groups."""
    return [group["lr"] for group in optimizer.param_groups]


def set_rate(group: dict[str, Any], rate: Any) -> None:
    """Write the learning rate of a group, a number or a Tensor."""
    value = writable(group["lr"])
    if isinstance(rate, Tensor):
        value.copy_(rate._t.reshape(value.shape))
    else:
        value.fill_(rate)


def for_each_group(value: Any, name: str, api: str, optimizer: Optimizer) -> list[Any]:
    """Return a list with an element for each group: the given ones, or one for all."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"For '{api}', '{name}' must have {count} elements, one for each group, but has {len(value)}.")
    return list(value)
