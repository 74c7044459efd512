"""Adagrad, and Adagrad with proximal steps."""

from __future__ import annotations

from typing import Any, ClassVar

from torchspore.engine.parameters import PositiveFloat, StrictNotNegative, checked
from torchspore.nn.optim.fused import PiecewiseOptimizer
from torchspore.nn.optim.optimizer import opt_init_args_register
from torchspore.ops.updates.rules import adagrad, proximal_adagrad

__all__ = ["Adagrad", "ProximalAdagrad"]


class Adagrad(PiecewiseOptimizer):
    r"""Adagrad: steps divided by the root of the sum of all squared gradients.

    .. math::
        s \leftarrow s + g^2, \qquad p \leftarrow p - lr \frac{g}{\sqrt s}

    Args:
        params, learning_rate, loss_scale, weight_decay: see `Optimizer`.
        accum: the initial value of the sums, a float >= 0. Default: 0.1.
        update_slots: whether the sums grow. Default: True.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.Adagrad([weight], accum=0.0, learning_rate=0.5)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(adagrad)
    _state_names = ("accum",)
    _hyperparameters: ClassVar = {"update": "update_slots"}

    @opt_init_args_register
    @checked
    def __init__(
        self,
        params: Any,
        accum: StrictNotNegative = 0.1,
        learning_rate: Any = 0.001,
        update_slots: bool = True,
        loss_scale: PositiveFloat = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.update_slots = update_slots
        self.accum = self._states("accum", accum)


class ProximalAdagrad(PiecewiseOptimizer):
    r"""Adagrad with regularization: each step ends with a proximal step towards 0.

    .. math::
        s \leftarrow s + g^2, \qquad r = \frac{lr}{\sqrt s}, \qquad q = p - r g, \qquad
        p \leftarrow \frac{\operatorname{sign}(q)}{1 + r\, l_2} \max(|q| - r\, l_1, 0)

    Args:
        params, learning_rate, loss_scale, weight_decay: see `Optimizer`.
        accum: the initial value of the sums, a float >= 0. Default: 0.1.
        l1: the strength :math:`l_1`, a float >= 0. Default: 0.0.
        l2: the strength :math:`l_2`, a float >= 0. Default: 0.0.
        use_locking: whether the update is protected from other writers; it always is. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 0.25]), name="weight")
        >>> optimizer = ms.nn.ProximalAdagrad([weight], accum=1.0, learning_rate=0.5, l1=0.5)
        >>> optimizer((ms.Tensor([0.0, 0.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.75 0.  ]
    """

    _rule = staticmethod(proximal_adagrad)
    _state_names = ("accum",)
    _hyperparameters: ClassVar = {"l1": "l1", "l2": "l2"}

    @opt_init_args_register
    @checked
    def __init__(
        self,
        params: Any,
        accum: StrictNotNegative = 0.1,
        learning_rate: Any = 0.001,
        l1: StrictNotNegative = 0.0,
        l2: StrictNotNegative = 0.0,
        use_locking: bool = False,
        loss_scale: PositiveFloat = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.l1, self.l2, self.use_locking = l1, l2, use_locking
        self.accum = self._states("accum", accum)
