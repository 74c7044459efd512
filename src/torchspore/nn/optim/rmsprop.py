"""RMSProp."""

from __future__ import annotations

from typing import Any, ClassVar

from torchspore.engine.parameters import PositiveFloat, StrictNotNegative, StrictPositive, checked
from torchspore.nn.optim.fused import PiecewiseOptimizer
from torchspore.nn.optim.optimizer import opt_init_args_register
from torchspore.ops.updates.rules import rms

__all__ = ["RMSProp"]


class RMSProp(PiecewiseOptimizer):
    r"""RMSProp: gradients divided by the root of the running mean of their squares.

    .. math::
        s \leftarrow \rho s + (1 - \rho) g^2, \qquad v \leftarrow \beta v + lr \frac{g}{\sqrt{s + \epsilon}}, \qquad
        p \leftarrow p - v

    With `centered`, :math:`s - m^2` replaces :math:`s` under the root, where
    :math:`m \leftarrow \rho m + (1 - \rho) g`.

    Args:
        params, learning_rate, loss_scale, weight_decay: see `Optimizer`.
        decay: the factor :math:`\rho`, a float >= 0. Default: 0.9.
        momentum: the factor :math:`\beta`, a float >= 0. Default: 0.0.
        epsilon: the term :math:`\epsilon`, a float > 0. Default: 1e-10.
        use_locking: whether the update is protected from other writers; it always is. Default: False.
        centered: whether the mean of the gradients is subtracted. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.RMSProp([weight], learning_rate=0.5, decay=0.0)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(rms)
    _state_names: tuple[str, ...] = ("ms", "moment")
    _hyperparameters: ClassVar = {"decay": "decay", "momentum": "momentum", "eps": "epsilon"}

    @opt_init_args_register
    @checked
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        decay: StrictNotNegative = 0.9,
        momentum: StrictNotNegative = 0.0,
        epsilon: StrictPositive = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: PositiveFloat = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.decay, self.momentum, self.epsilon = decay, momentum, epsilon
        self.use_locking, self.centered = use_locking, centered
        if centered:
            self.mg = self._states("mean_grad", 0.0)
            self._state_names = ("ms", "moment", "mg")
        self.ms = self._states("mean_square", 1.0)
        self.moment = self._states("moment", 0.0)
