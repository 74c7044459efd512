"""Stochastic gradient descent, as in PyTorch."""

from __future__ import annotations

from typing import Any

from torchspore.engine.parameters import NotNegativeFloat, Rule, checked
from torchspore.experimental.optim.optimizer import NESTEROV, Optimizer, Rate, Step
from torchspore.nn.optim.sgd import have_started
from torchspore.ops.updates.rules import sgd, sgd_first
from torchspore.ops.updates.tensor_lists import is_traced

__all__ = ["SGD"]

_NOT_CENTRALIZED = Rule(
    "'grad_centralization' needs nn.SGD", lambda grad_centralization: not grad_centralization, NotImplementedError
)


class SGD(Optimizer):
    r"""Stochastic gradient descent, with momentum if asked for.

    .. math::
        v \leftarrow \mu v + (1 - dampening) g, \qquad p \leftarrow p - lr \cdot v

    The first step of an element takes :math:`v \leftarrow g`: its `stat` is 1 before, and 0 from then on. With
    `nesterov`, :math:`g + \mu v` replaces :math:`v` in the second formula.

    Args:
        params, lr, weight_decay, maximize: see `Optimizer`.
        momentum: the factor :math:`\mu`, >= 0. Default: 0.
        dampening: the part of the gradient that does not enter the momentum. Default: 0.
        nesterov: whether to use Nesterov momentum; it needs a `momentum` > 0 and
            `dampening` 0. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.SGD([weight], lr=0.5)
        >>> optimizer((ms.Tensor([1.0, 1.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 1.5]
    """

    _state_names = ("accum", "stat")
    _rules = (NESTEROV, _NOT_CENTRALIZED)

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate,
        momentum: NotNegativeFloat = 0,
        dampening: float = 0,
        weight_decay: NotNegativeFloat = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        self._started: dict[int, list[int] | None] = {}
        super().__init__(params, {**options, "nesterov": nesterov, "maximize": maximize, "grad_centralization": False})

    def _initial(self, kind: str, group: dict[str, Any]) -> float:
        return 1.0 if kind == "stat" else 0.0

    def _update(self, step: Step) -> None:
        moments, stats = step.states
        names = {"momentum": "momentum", "dampening": "dampening", "decay": "weight_decay", "nesterov": "nesterov"}
        settings = {"rate": step.rate, **step.hyperparameters(names)}
        if not settings["momentum"]:
            sgd(step.parameters, step.gradients, fused=step.fused, **settings)
        elif self._all_started(step):
            sgd(step.parameters, step.gradients, moments, fused=step.fused, **settings)
        else:
            sgd_first(step.parameters, step.gradients, moments, stats, **settings)

    def _all_started(self, step: Step) -> bool:
        if is_traced():
            return False
        known = self._started[step.number] = have_started(step.states[1], self._started.get(step.number))
        return known is not None
