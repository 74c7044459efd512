"""Adam, and Adam with decoupled weight decay, as in PyTorch."""

from __future__ import annotations

from typing import Any

import torch

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.scope import writable
from torchspore.common.tensor import Tensor
from torchspore.engine.errors import describe
from torchspore.mint.optim.optimizer import Optimizer, Step
from torchspore.ops.optimization import decayed, descend

__all__ = ["Adam", "AdamW", "FusedAdamW"]


class Adam(Optimizer):
    r"""Adam: steps scaled by running means of the gradient and of its square.

    .. math::
        m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \qquad
        p \leftarrow p - lr \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon}

    Args:
        params: the Parameters to train, or groups of them: dicts with "params" and any of the other arguments.
        lr: the learning rate, a number or a Tensor. Default: 1e-3.
        betas: the two factors, in [0, 1). Default: (0.9, 0.999).
        eps: the term :math:`\epsilon`, >= 0. Default: 1e-8.
        weight_decay: the multiple of a parameter that is added to its gradient, >= 0. Default: 0.0.
        amsgrad: whether the largest :math:`v` so far takes its place. Default: False.
        maximize: whether to climb instead. Default: False.

    Inputs:
        A tuple or list of Tensors, the gradients in the order of `parameters`.

    Raises:
        TypeError: `params` holds something else than Parameters or dicts.
        ValueError: an argument is out of range.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.mint.optim.Adam([weight], lr=0.5)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]

    MindSpore: `mindspore.mint.optim.Adam`.
    """

    _decoupled = False

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        # Every parameter has the third state, so that groups may differ in `amsgrad`.
        self._state_names = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
        super().__init__(params, {**options, "amsgrad": amsgrad, "maximize": maximize})
        self.state_step = Parameter(Tensor(0, mstype.float32), name="state_step", requires_grad=False)

    def _check(self, group: dict[str, Any]) -> None:
        super()._check(group)
        self._check_least("eps", group["eps"])
        betas = group["betas"]
        if not isinstance(betas, (tuple, list)) or len(betas) != 2 or not all(0 <= beta < 1 for beta in betas):
            raise ValueError(f"For '{self.cls_name}', 'betas' must be two floats in [0, 1), but got {describe(betas)}.")

    def _begin(self) -> None:
        writable(self.state_step).add_(1)

    def _update(self, step: Step) -> None:
        options = step.options
        means, squares, largest = step.states
        largest = largest if options["amsgrad"] else []
        beta1, beta2 = options["betas"]
        count = self.state_step._t
        if step.fused:
            function = torch._fused_adamw_ if self._decoupled else torch._fused_adam_
            function(
                step.parameters,
                step.gradients,
                means,
                squares,
                largest,
                [count.to(step.parameters[0].device)] * len(step.parameters),
                lr=step.rate,
                beta1=beta1,
                beta2=beta2,
                weight_decay=options["weight_decay"],
                eps=options["eps"],
                amsgrad=options["amsgrad"],
                maximize=options["maximize"],
            )
            return
        gradients = list(torch._foreach_neg(step.gradients)) if options["maximize"] else step.gradients
        if self._decoupled:
            torch._foreach_mul_(step.parameters, 1 - step.rate * options["weight_decay"])
        else:
            gradients = decayed(step.parameters, gradients, options["weight_decay"])
        torch._foreach_lerp_(means, gradients, 1 - beta1)
        torch._foreach_mul_(squares, beta2)
        torch._foreach_addcmul_(squares, gradients, gradients, 1 - beta2)
        if largest:
            torch._foreach_maximum_(largest, squares)
        scales = list(torch._foreach_sqrt(largest or squares))
        exact = count.double()  # 1 - beta2 of few steps is a small difference
        torch._foreach_div_(scales, (1 - beta2**exact).sqrt().float())
        torch._foreach_add_(scales, options["eps"])
        descend(step.parameters, list(torch._foreach_div(means, scales)), (step.rate / (1 - beta1**exact)).float())


class AdamW(Adam):
    """Adam with a weight decay that does not go through the running means: p <- p - lr * weight_decay * p.

    The arguments are those of `Adam`, `weight_decay` being 0.01 by default.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.mint.optim.AdamW([weight], lr=0.1, weight_decay=0.5)
        >>> optimizer((ms.Tensor([0.0, 0.0]),))
        True
        >>> print(weight.asnumpy())
        [0.95 1.9 ]

    MindSpore: `mindspore.mint.optim.AdamW`.
    """

    _decoupled = True

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class FusedAdamW(AdamW):
    """`AdamW`; all optimizers use fused kernels where PyTorch has them.

    MindSpore: `mindspore.mint.optim.FusedAdamW`.
    """
