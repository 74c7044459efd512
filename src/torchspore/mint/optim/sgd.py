"""Stochastic gradient descent, as in PyTorch."""

from __future__ import annotations

from typing import Any

import torch

from torchspore.common.tensor import Tensor
from torchspore.experimental.optim.optimizer import Optimizer, Step
from torchspore.ops.updates.rules import decayed, descend

__all__ = ["SGD"]


class SGD(Optimizer):
    r"""Stochastic gradient descent, with momentum if asked for.

    .. math::
        v \leftarrow \mu v + (1 - dampening) g, \qquad p \leftarrow p - lr \cdot v

    The first step takes :math:`v \leftarrow g`. With `nesterov`, :math:`g + \mu v` takes the place of :math:`v` in the
    second formula.

    Args:
        params: the Parameters to train, or groups of them: dicts with "params" and any of the other arguments.
        lr: the learning rate, a number or a Tensor.
        momentum: the factor :math:`\mu`, >= 0. Default: 0.
        dampening: the part of the gradient that does not enter the momentum. Default: 0.
        weight_decay: the multiple of a parameter that is added to its gradient, >= 0. Default: 0.
        nesterov: whether the gradient is taken where the momentum leads to; it needs a `momentum` > 0 and
            `dampening` 0. Default: False.
        maximize: whether to climb instead. Default: False.

    Inputs:
        A tuple or list of Tensors, the gradients in the order of `parameters`.

    Raises:
        TypeError: `params` holds something else than Parameters or dicts, or an argument is of a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.mint.optim.SGD([weight], lr=0.5)
        >>> optimizer((ms.Tensor([1.0, 1.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 1.5]

    MindSpore: `mindspore.mint.optim.SGD`.
    """

    _state_names = ("momentum_buf",)
    _step_name = "step_t"

    def __init__(
        self,
        params: Any,
        lr: float | Tensor,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {**options, "nesterov": nesterov, "maximize": maximize})
        self._make_step()

    def _check(self, group: dict[str, Any]) -> None:
        super()._check(group)
        self._check_least("momentum", group["momentum"])
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise ValueError(
                f"For 'SGD', 'nesterov' needs 'momentum' > 0 and 'dampening' 0, but got momentum={group['momentum']} "
                f"and dampening={group['dampening']}."
            )

    def _update(self, step: Step) -> None:
        options, momentum = step.options, step.options["momentum"]
        gradients = decayed(step.parameters, step.gradients, options["weight_decay"])
        if momentum:
            # Damped by 0 in the first step, told by a number on the device: nothing waits for it.
            share = torch.where(self.step_t._t == 1, 1.0, 1.0 - options["dampening"])
            moments = step.states[0]
            torch._foreach_mul_(moments, momentum)
            torch._foreach_add_(moments, torch._foreach_mul(gradients, share))
            gradients = list(torch._foreach_add(gradients, moments, alpha=momentum)) if options["nesterov"] else moments
        descend(step.parameters, gradients, step.rate)
