"""Adadelta, Adagrad and RMSprop, as in PyTorch."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.checks import check_bool
from torchspore.experimental.optim.optimizer import ElementwiseOptimizer, Step
from torchspore.ops.updates.rules import Scalar, Tensors
from torchspore.ops.updates.unfused_rules import adadelta, adagrad, rmsprop

__all__ = ["Adadelta", "Adagrad", "RMSprop"]


class Adadelta(ElementwiseOptimizer):
    r"""Adadelta: steps as large as the mean of those before, relative to the mean of the squared gradients.

    .. math::
        s \leftarrow \rho s + (1 - \rho) g^2, \qquad d = g \sqrt{\frac{u + \epsilon}{s + \epsilon}}, \qquad
        u \leftarrow \rho u + (1 - \rho) d^2, \qquad p \leftarrow p - lr \cdot d

    Args:
        params: the Parameters to train, or groups of them: dicts with "params" and any of the other arguments.
        lr: the learning rate, a number or a Tensor. Default: 1.0.
        rho: the factor :math:`\rho`, in [0, 1]. Default: 0.9.
        eps: the term :math:`\epsilon`, > 0. Default: 1e-6.
        weight_decay: the multiple of a parameter that is added to its gradient, >= 0. Default: 0.0.
        maximize: whether to climb instead. Default: False.

    Inputs:
        A tuple or list of Tensors, the gradients in the order of `parameters`.

    Raises:
        TypeError: `params` holds something else than Parameters or dicts, or an argument is of a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([2.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Adadelta([weight], rho=0.0, eps=3.0)
        >>> optimizer((ms.Tensor([3.0, 0.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2. ]

    MindSpore: `mindspore.experimental.optim.Adadelta`.
    """

    _state_names = ("accum", "accum_update")

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, options)

    def _check(self, group: dict[str, Any]) -> None:
        super()._check(group)
        self._check_least("rho", group["rho"])
        if group["rho"] > 1:
            raise ValueError(f"For 'Adadelta', 'rho' must be <= 1, but got {group['rho']}.")
        if group["eps"] == 0:
            raise ValueError("For 'Adadelta', 'eps' must be > 0, but got 0.")

    def _rule(self, parameters: Tensors, gradients: Tensors, states: Any, step: Step, settings: Any) -> None:
        adadelta(parameters, gradients, states[0], states[1], step.rate, step.options["rho"], step.options["eps"])


class Adagrad(ElementwiseOptimizer):
    r"""Adagrad: steps divided by the root of the sum of all squared gradients.

    .. math::
        s \leftarrow s + g^2, \qquad p \leftarrow p - \frac{lr}{1 + (t - 1) \eta} \cdot \frac{g}{\sqrt s + \epsilon}

    Args:
        params: the Parameters to train, or groups of them: dicts with "params" and any of the other arguments.
        lr: the learning rate, a number or a Tensor. Default: 1e-2.
        lr_decay: the number :math:`\eta`, >= 0. Default: 0.0.
        weight_decay: the multiple of a parameter that is added to its gradient, >= 0. Default: 0.0.
        initial_accumulator_value: what the sums start with, >= 0. Default: 0.0.
        eps: the term :math:`\epsilon`, >= 0. Default: 1e-10.
        maximize: whether to climb instead. Default: False.

    Inputs:
        A tuple or list of Tensors, the gradients in the order of `parameters`.

    Raises:
        TypeError: `params` holds something else than Parameters or dicts, or an argument is of a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Adagrad([weight], lr=0.5)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]

    MindSpore: `mindspore.experimental.optim.Adagrad`.
    """

    _state_names = ("accum",)
    _step_name = "step_t"

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {**options, "initial_accumulator_value": initial_accumulator_value})
        self._make_step()

    def _check(self, group: dict[str, Any]) -> None:
        super()._check(group)
        self._check_least("lr_decay", group["lr_decay"])
        self._check_least("initial_accumulator_value", group["initial_accumulator_value"])

    def _initial(self, kind: str, group: dict[str, Any]) -> float:
        return float(group["initial_accumulator_value"])

    def _settings(self, step: Step) -> Scalar:
        decay = step.options["lr_decay"]
        return step.rate / (1 + (self._count() - 1) * decay) if decay else step.rate

    def _rule(self, parameters: Tensors, gradients: Tensors, states: Any, step: Step, settings: Any) -> None:
        adagrad(parameters, gradients, states[0], settings, step.options["eps"])


class RMSprop(ElementwiseOptimizer):
    r"""RMSprop: gradients divided by the root of the running mean of their squares.

    .. math::
        s \leftarrow \alpha s + (1 - \alpha) g^2, \qquad d = \frac{g}{\sqrt s + \epsilon}, \qquad
        v \leftarrow \mu v + d, \qquad p \leftarrow p - lr \cdot v

    Without momentum :math:`d` takes the place of :math:`v`. With `centered`, :math:`s - m^2` takes the place of
    :math:`s` under the root, where :math:`m` is the running mean of the gradients.

    Args:
        params: the Parameters to train, or groups of them: dicts with "params" and any of the other arguments.
        lr: the learning rate, a number or a Tensor. Default: 1e-2.
        alpha: the factor :math:`\alpha`, >= 0. Default: 0.99.
        eps: the term :math:`\epsilon`, >= 0. Default: 1e-8.
        weight_decay: the multiple of a parameter that is added to its gradient, >= 0. Default: 0.0.
        momentum: the factor :math:`\mu`, >= 0. Default: 0.0.
        centered: whether the mean of the gradients is taken off. Default: False.
        maximize: whether to climb instead. Default: False.

    Inputs:
        A tuple or list of Tensors, the gradients in the order of `parameters`.

    Raises:
        TypeError: `params` holds something else than Parameters or dicts, or an argument is of a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.RMSprop([weight], lr=0.5, alpha=0.0)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]

    MindSpore: `mindspore.experimental.optim.RMSprop`.
    """

    _state_names = ("mean_grad", "mean_square", "moment")

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered}
        super().__init__(params, {**options, "weight_decay": weight_decay, "maximize": maximize})

    def _check(self, group: dict[str, Any]) -> None:
        super()._check(group)
        self._check_least("alpha", group["alpha"])
        self._check_least("momentum", group["momentum"])
        check_bool(group["centered"], "centered", "RMSprop")

    def _rule(self, parameters: Tensors, gradients: Tensors, states: Any, step: Step, settings: Any) -> None:
        options = step.options
        means, squares, moments = states
        means = means if options["centered"] else []
        moments = moments if options["momentum"] else []
        numbers = (options["alpha"], options["momentum"], options["eps"])
        rmsprop(parameters, gradients, squares, moments, means, step.rate, *numbers)
