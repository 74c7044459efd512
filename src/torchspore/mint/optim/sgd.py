"""Stochastic gradient descent, as in PyTorch."""

from __future__ import annotations

from typing import Any

import torch

from torchspore.common.parameter import Parameter
from torchspore.engine.parameters import checked
from torchspore.experimental.optim.optimizer import NESTEROV, NotNegativeNumber, Optimizer, Rate, Step
from torchspore.ops.updates.rules import sgd_in_passes
from torchspore.ops.updates.tensor_lists import NO_TENSORS, Scalar

__all__ = ["SGD"]


class SGD(Optimizer):
    """Stochastic gradient descent, as `experimental.optim.SGD`, with the number of the step in place of `stat`.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.mint.optim.SGD([weight], lr=0.5)
        >>> optimizer((ms.Tensor([1.0, 1.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 1.5]
    """

    _state_names = ("momentum_buf",)
    _rules = (NESTEROV,)
    _step_name = "step_t"
    step_t: Parameter

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate,
        momentum: NotNegativeNumber = 0,
        dampening: int | float = 0,
        weight_decay: NotNegativeNumber = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {**options, "nesterov": nesterov, "maximize": maximize})
        self._make_step()

    def _update(self, step: Step) -> None:
        settings = step.hyperparameters({"momentum": "momentum", "decay": "weight_decay", "nesterov": "nesterov"})
        settings["rate"] = step.rate
        moments = NO_TENSORS
        dampening: Scalar = 0.0
        if settings["momentum"]:
            # Damped by 0 in the first step, which the number of the step on the device decides: nothing waits for it.
            dampening = torch.where(self.step_t._t == 1, 0.0, step.options["dampening"])
            moments = step.states[0]
        sgd_in_passes(step.parameters, step.gradients, moments, dampening=dampening, **settings)
