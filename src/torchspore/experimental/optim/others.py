"""ASGD and Rprop, as in PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, TypeAlias

import torch

from torchspore.common.parameter import ParameterTuple
from torchspore.engine.parameters import Length, StrictFloat, Where, checked
from torchspore.experimental.optim.optimizer import ElementwiseOptimizer, NotNegativeNumber, Rate, Step, value_of
from torchspore.ops.updates.rules import asgd, asgd_numbers, rprop, set_first_sizes

__all__ = ["ASGD", "Rprop"]

_Etas: TypeAlias = Annotated[
    Sequence[StrictFloat],
    Length(2, 2),
    Where("a factor in (0, 1) and a factor > 1", lambda etas: 0 < etas[0] < 1 < etas[1]),
]
_Sizes: TypeAlias = Annotated[
    Sequence[int | float],
    Length(2, 2),
    Where("two numbers in ascending order", lambda sizes: sizes[0] <= sizes[1]),
]


class ASGD(ElementwiseOptimizer):
    r"""Stochastic gradient descent that also keeps the average of the parameters.

    .. math::
        p \leftarrow (1 - \lambda \eta) p - \eta g, \qquad a \leftarrow a + \mu (p - a), \qquad
        \eta = \frac{lr}{(1 + \lambda\, lr\, t)^\alpha}, \qquad \mu = \frac{1}{\max(1, t - t_0)}

    :math:`\eta` and :math:`\mu` are from the previous step; in the first step, :math:`lr` and 1.

    Args:
        params, lr, weight_decay, maximize: see `Optimizer`.
        lambd: the decay :math:`\lambda`. Default: 1e-4.
        alpha: the exponent :math:`\alpha`. Default: 0.75.
        t0: the step :math:`t_0` after which the average starts. Default: 1e6.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.ASGD([weight], lr=0.5, lambd=0.0)
        >>> optimizer((ms.Tensor([1.0, 1.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 1.5]
    """

    eta: ParameterTuple
    mu: ParameterTuple

    _rule = staticmethod(asgd)
    _state_names = ("ax",)
    _hyperparameters: ClassVar = {"lambd": "lambd"}
    _step_name = "step_t"

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 1e-2,
        lambd: int | float = 1e-4,
        alpha: int | float = 0.75,
        t0: int | float = 1e6,
        weight_decay: NotNegativeNumber = 0.0,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay}
        super().__init__(params, {**options, "maximize": maximize})

    def _numbers(self) -> dict[str, float]:
        return {"eta": 0.0, "mu": 1.0}

    def _settings(self, step: Step) -> dict[str, Any]:
        options, count = step.options, self._count()
        eta, mu = (value_of(kind[step.number]) for kind in (self.eta, self.mu))
        if isinstance(count, torch.Tensor):
            eta, mu = torch.where(count == 1, step.rate, eta), mu.clone()  # both states are about to change
        elif count == 1:
            eta = step.rate
        later = asgd_numbers(step.rate, count, options["lambd"], options["alpha"], options["t0"])
        self._change(step, "eta", lambda value: later[0])
        self._change(step, "mu", lambda value: later[1])
        return {"eta": eta, "mu": mu}


class Rprop(ElementwiseOptimizer):
    r"""Resilient backpropagation: every element has a step size, and only the sign of its gradient matters.

    The step size starts as the learning rate. It is multiplied by :math:`\eta_+` when the gradient keeps its sign, and
    by :math:`\eta_-` when the sign changes; then the element is not moved, and its next gradient is not compared.
    Otherwise :math:`p \leftarrow p - \Delta \operatorname{sign}(g)`.

    Args:
        params, maximize: see `Optimizer`.
        lr: the learning rate of the first step, a number or a Tensor. Default: 1e-2.
        etas: the factors :math:`\eta_-`, in (0, 1), and :math:`\eta_+`, > 1. Default: (0.5, 1.2).
        step_sizes: the smallest and the largest step size. Default: (1e-6, 50).

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Rprop([weight], lr=0.5)
        >>> optimizer((ms.Tensor([3.0, -0.01]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(rprop)
    _state_names = ("prev", "step_size")
    _hyperparameters: ClassVar = {"etas": "etas", "limits": "step_sizes"}
    _step_name = "step_t"

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 1e-2,
        etas: _Etas = (0.5, 1.2),
        step_sizes: _Sizes = (1e-6, 50),
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize, "weight_decay": 0.0}
        super().__init__(params, options)

    def _settings(self, step: Step) -> dict[str, Any]:
        set_first_sizes(step.states[1], step.rate, self._count() == 1)
        return {}
