"""Adam and its relatives, as in PyTorch."""

from __future__ import annotations

from typing import Any, ClassVar

import torch

from torchspore.common.parameter import Parameter
from torchspore.engine.parameters import checked
from torchspore.experimental.optim.optimizer import (
    Betas,
    ElementwiseOptimizer,
    NotNegativeNumber,
    Optimizer,
    Rate,
    Step,
)
from torchspore.ops.updates.rules import adam, adamax, corrected_adam, fused_adam, nadam, radam
from torchspore.ops.updates.tensor_lists import NO_TENSORS, Scalar, Tensors

__all__ = ["Adam", "AdamW", "Adamax", "NAdam", "RAdam"]


class AdamBase(Optimizer):
    """The base of the forms of Adam: options and states."""

    _state_names = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    _step_name = "state_step"

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: NotNegativeNumber = 1e-8,
        weight_decay: NotNegativeNumber = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**options, "amsgrad": amsgrad, "maximize": maximize})

    def _lists(self, step: Step) -> tuple[Tensors, Tensors, Tensors, Tensors, Tensors]:
        """Return what the rules change; they use the largest mean squares only with "amsgrad"."""
        means, squares, max_squares = step.states
        return step.parameters, step.gradients, means, squares, max_squares if step.options["amsgrad"] else NO_TENSORS


class Adam(AdamBase):
    r"""Adam: steps scaled by running means of the gradient and of its square.

    .. math::
        m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \qquad
        p \leftarrow p - lr \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \cdot \frac{m}{\sqrt v + \epsilon}

    Here :math:`\epsilon` is added before the correction of :math:`v`, and after it in `mint.optim.Adam`.

    Args:
        params, lr, weight_decay, maximize: see `Optimizer`.
        betas: the two factors, in [0, 1). Default: (0.9, 0.999).
        eps: the term :math:`\epsilon`, >= 0. Default: 1e-8.
        amsgrad: whether the largest :math:`v` so far takes its place. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Adam([weight], lr=0.5)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    def _update(self, step: Step) -> None:
        settings = step.hyperparameters({"eps": "eps", "decay": "weight_decay"})
        count = self._count()
        correction = (1 - settings["beta2"] ** count) ** 0.5 / (1 - settings["beta1"] ** count)
        rate = in_single_precision(step.rate * correction)
        adam(*self._lists(step), rate=rate, fused=step.fused, **settings)


class CorrectedAdam(AdamBase):
    """The base of those that add `eps` after the correction of the bias; `_decoupled` is how the weights decay."""

    state_step: Parameter

    _decoupled = False

    def _update(self, step: Step) -> None:
        settings = step.hyperparameters({"eps": "eps", "decay": "weight_decay"})
        settings |= {"rate": step.rate, "decoupled": self._decoupled}
        if step.fused:
            count = self.state_step._t.to(step.parameters[0].device, torch.float32)
            fused_adam(*self._lists(step), count=count, **settings)
        else:
            steps = self._count()
            corrections = 1 - settings["beta1"] ** steps, 1 - settings["beta2"] ** steps
            corrected_adam(*self._lists(step), corrections=corrections, **settings)


class AdamW(CorrectedAdam):
    r"""Adam with a weight decay that does not go through the running means: p <- p - lr * weight_decay * p.

    .. math::
        m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \qquad
        p \leftarrow p - lr \left( \lambda p + \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon} \right)

    Arguments as for `Adam`; `weight_decay` is 0.01 by default.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.AdamW([weight], lr=0.1, weight_decay=0.5)
        >>> optimizer((ms.Tensor([0.0, 0.0]),))
        True
        >>> print(weight.asnumpy())
        [0.95 1.9 ]
    """

    _decoupled = True

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: NotNegativeNumber = 1e-8,
        weight_decay: NotNegativeNumber = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class Adamax(ElementwiseOptimizer):
    r"""Adamax: Adam with a decaying maximum of the gradients in place of the root of the mean square.

    .. math::
        m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad u \leftarrow \max(\beta_2 u, |g| + \epsilon), \qquad
        p \leftarrow p - \frac{lr}{1 - \beta_1^t} \cdot \frac m u

    Args:
        params, lr, weight_decay, maximize: see `Optimizer`.
        betas: the two factors, in [0, 1). Default: (0.9, 0.999).
        eps: the term :math:`\epsilon`, >= 0. Default: 1e-8.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Adamax([weight], lr=0.5)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(adamax)
    _state_names = ("exp_avg", "exp_inf")
    _hyperparameters: ClassVar = {"eps": "eps"}
    _step_name = "step_t"
    _counts_first = True

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 2e-3,
        betas: Betas = (0.9, 0.999),
        eps: NotNegativeNumber = 1e-8,
        weight_decay: NotNegativeNumber = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, options)

    def _settings(self, step: Step) -> dict[str, Any]:
        return {"rate": step.rate / (1 - step.options["betas"][0] ** self._count()), "eps_inside": True}


class RAdam(ElementwiseOptimizer):
    r"""RAdam: Adam that takes steps of plain momentum until the mean square is known well enough.

    .. math::
        \rho = \rho_\infty - \frac{2 t \beta_2^t}{1 - \beta_2^t}, \qquad \rho_\infty = \frac{2}{1 - \beta_2} - 1, \qquad
        r = \sqrt{\frac{(\rho - 4)(\rho - 2)\rho_\infty}{(\rho_\infty - 4)(\rho_\infty - 2)\rho}}

    Where :math:`\rho > 5`, :math:`p \leftarrow p - lr \frac{m}{1 - \beta_1^t} \cdot r
    \frac{\sqrt{1 - \beta_2^t}}{\sqrt v + \epsilon}`, with the means :math:`m` and :math:`v` of Adam; else without the
    second factor.

    Args:
        params, lr, weight_decay: see `Optimizer`.
        betas: the two factors, in [0, 1). Default: (0.9, 0.999).
        eps: the term :math:`\epsilon`, >= 0. Default: 1e-8.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.RAdam([weight], lr=0.5)
        >>> optimizer((ms.Tensor([1.0, -1.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(radam)
    _state_names = ("exp_avg", "exp_avg_sq")
    _hyperparameters: ClassVar = {"eps": "eps"}
    _step_name = "step_t"
    _counts_first = True

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: NotNegativeNumber = 1e-8,
        weight_decay: NotNegativeNumber = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def _settings(self, step: Step) -> dict[str, Scalar]:
        beta1, beta2 = step.options["betas"]
        count = self._count()
        correction = 1 - beta2**count
        limit = 2 / (1 - beta2) - 1
        length = limit - 2 * count * (1 - correction) / correction
        rate = step.rate / (1 - beta1**count)
        if not isinstance(length, torch.Tensor) and length <= 5:
            return {"rate": rate, "factor": 0.0, "offset": 1.0}
        square = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
        factor = 1 / (square * correction) ** 0.5
        if isinstance(length, torch.Tensor):
            known = length > 5
            return {
                "rate": rate,
                "factor": torch.where(known, factor, 0.0),
                "offset": torch.where(known, 0.0, 1.0),
            }
        return {"rate": rate, "factor": factor, "offset": 0.0}


class NAdam(ElementwiseOptimizer):
    r"""NAdam: Adam with Nesterov momentum.

    .. math::
        \mu_t = \beta_1 (1 - 0.5 \cdot 0.96^{t \psi}), \qquad
        p \leftarrow p - \frac{lr}{\sqrt{v / (1 - \beta_2^t)} + \epsilon}
        \left( \frac{1 - \mu_t}{1 - \prod_{i \le t} \mu_i} g + \frac{\mu_{t+1}}{1 - \prod_{i \le t+1} \mu_i} m \right)

    with the means :math:`m` and :math:`v` of Adam.

    Args:
        params, lr, weight_decay: see `Optimizer`.
        betas: the two factors, in [0, 1). Default: (0.9, 0.999).
        eps: the term :math:`\epsilon`, >= 0. Default: 1e-8.
        momentum_decay: the number :math:`\psi`, >= 0. Default: 4e-3.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.NAdam([weight], lr=0.5, betas=(0.0, 0.999))
        >>> optimizer((ms.Tensor([1.0, -1.0]),))
        True
        >>> print(weight.asnumpy().round(3))
        [0.5 2.5]
    """

    _rule = staticmethod(nadam)
    _state_names = ("exp_avg", "exp_avg_sq")
    _hyperparameters: ClassVar = {"eps": "eps"}
    _step_name = "step_t"
    _counts_first = True

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 2e-3,
        betas: Betas = (0.9, 0.999),
        eps: NotNegativeNumber = 1e-8,
        weight_decay: NotNegativeNumber = 0.0,
        momentum_decay: NotNegativeNumber = 4e-3,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**options, "momentum_decay": momentum_decay})

    def _numbers(self) -> dict[str, float]:
        return {"mu_product": 1.0}

    def _settings(self, step: Step) -> dict[str, Scalar]:
        beta1, beta2 = step.options["betas"]
        count = self._count()
        now, later = (
            beta1 * (1 - 0.5 * 0.96 ** (step.options["momentum_decay"] * number)) for number in (count, count + 1)
        )
        product = self._change(step, "mu_product", lambda value: value * now)
        return {
            "gradient_rate": step.rate * (1 - now) / (1 - product),
            "mean_rate": step.rate * later / (1 - product * later),
            "root_correction": (1 - beta2**count) ** 0.5,
        }


def in_single_precision(rate: Scalar) -> Scalar:
    """Return a learning rate in the data type that the fused kernels require."""
    return rate.float() if isinstance(rate, torch.Tensor) else rate
