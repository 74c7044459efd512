"""Adadelta, Adagrad and RMSprop, as in PyTorch."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from torchspore.engine.parameters import Limits, checked
from torchspore.experimental.optim.optimizer import ElementwiseOptimizer, NotNegativeNumber, Rate, Step
from torchspore.ops.updates.rules import adadelta, adagrad, rmsprop
from torchspore.ops.updates.tensor_lists import NO_TENSORS, Tensors

__all__ = ["Adadelta", "Adagrad", "RMSprop"]


class Adadelta(ElementwiseOptimizer):
    r"""Adadelta: steps scaled by the mean of previous steps over the mean of squared gradients.

    .. math::
        s \leftarrow \rho s + (1 - \rho) g^2, \qquad d = g \sqrt{\frac{u + \epsilon}{s + \epsilon}}, \qquad
        u \leftarrow \rho u + (1 - \rho) d^2, \qquad p \leftarrow p - lr \cdot d

    Args:
        params, lr, weight_decay, maximize: see `Optimizer`.
        rho: the factor :math:`\rho`, in [0, 1]. Default: 0.9.
        eps: the term :math:`\epsilon`, > 0. Default: 1e-6.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([2.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Adadelta([weight], rho=0.0, eps=3.0)
        >>> optimizer((ms.Tensor([3.0, 0.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2. ]
    """

    _rule = staticmethod(adadelta)
    _state_names = ("accum", "accum_update")
    _hyperparameters: ClassVar = {"rho": "rho", "eps": "eps"}

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 1.0,
        rho: Annotated[int | float, Limits(0, 1)] = 0.9,
        eps: Annotated[int | float, Limits(above=0)] = 1e-6,
        weight_decay: NotNegativeNumber = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, options)


class Adagrad(ElementwiseOptimizer):
    r"""Adagrad: steps divided by the root of the sum of all squared gradients.

    .. math::
        s \leftarrow s + g^2, \qquad p \leftarrow p - \frac{lr}{1 + (t - 1) \eta} \cdot \frac{g}{\sqrt s + \epsilon}

    Args:
        params, lr, weight_decay, maximize: see `Optimizer`.
        lr_decay: the number :math:`\eta`, >= 0. Default: 0.0.
        initial_accumulator_value: the initial value of the sums, >= 0. Default: 0.0.
        eps: the term :math:`\epsilon`, >= 0. Default: 1e-10.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Adagrad([weight], lr=0.5)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(adagrad)
    _state_names = ("accum",)
    _hyperparameters: ClassVar = {"eps": "eps"}
    _step_name = "step_t"

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 1e-2,
        lr_decay: NotNegativeNumber = 0.0,
        weight_decay: NotNegativeNumber = 0.0,
        initial_accumulator_value: NotNegativeNumber = 0.0,
        eps: NotNegativeNumber = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        super().__init__(
            params, {**options, "initial_accumulator_value": initial_accumulator_value, "maximize": maximize}
        )

    def _initial(self, kind: str, group: dict[str, Any]) -> float:
        return float(group["initial_accumulator_value"])

    def _settings(self, step: Step) -> dict[str, Any]:
        decay = step.options["lr_decay"]
        return {"rate": step.rate / (1 + (self._count() - 1) * decay) if decay else step.rate}


class RMSprop(ElementwiseOptimizer):
    r"""RMSprop: gradients divided by the root of the running mean of their squares.

    .. math::
        s \leftarrow \alpha s + (1 - \alpha) g^2, \qquad d = \frac{g}{\sqrt s + \epsilon}, \qquad
        v \leftarrow \mu v + d, \qquad p \leftarrow p - lr \cdot v

    Without momentum :math:`d` replaces :math:`v`. With `centered`, :math:`s - m^2` replaces
    :math:`s` under the root, where :math:`m` is the running mean of the gradients.

    Args:
        params, lr, weight_decay, maximize: see `Optimizer`.
        alpha: the factor :math:`\alpha`, >= 0. Default: 0.99.
        eps: the term :math:`\epsilon`, >= 0. Default: 1e-8.
        momentum: the factor :math:`\mu`, >= 0. Default: 0.0.
        centered: whether the mean of the gradients is subtracted. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.RMSprop([weight], lr=0.5, alpha=0.0)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(rmsprop)
    _state_names = ("mean_grad", "mean_square", "moment")
    _hyperparameters: ClassVar = {"decay": "alpha", "momentum": "momentum", "eps": "eps"}

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 1e-2,
        alpha: NotNegativeNumber = 0.99,
        eps: NotNegativeNumber = 1e-8,
        weight_decay: NotNegativeNumber = 0.0,
        momentum: NotNegativeNumber = 0.0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered}
        super().__init__(params, {**options, "weight_decay": weight_decay, "maximize": maximize})

    def _used_states(self, step: Step) -> list[Tensors]:
        means, squares, moments = step.states
        return [
            means if step.options["centered"] else NO_TENSORS,
            squares,
            moments if step.options["momentum"] else NO_TENSORS,
        ]
