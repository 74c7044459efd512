"""Adadelta."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from torchspore.engine.parameters import Limits, PositiveFloat, StrictFloat, StrictNotNegative, checked
from torchspore.nn.optim.fused import PiecewiseOptimizer
from torchspore.nn.optim.optimizer import opt_init_args_register
from torchspore.ops.updates.rules import adadelta

__all__ = ["Adadelta"]


class Adadelta(PiecewiseOptimizer):
    r"""Adadelta: steps scaled by the mean of previous steps over the mean of squared gradients.

    .. math::
        s \leftarrow \rho s + (1 - \rho) g^2, \qquad d = g \sqrt{\frac{u + \epsilon}{s + \epsilon}}, \qquad
        u \leftarrow \rho u + (1 - \rho) d^2, \qquad p \leftarrow p - lr \cdot d

    Args:
        params, learning_rate, loss_scale, weight_decay: see `Optimizer`.
        rho: the factor :math:`\rho`, a float in [0, 1]. Default: 0.9.
        epsilon: the term :math:`\epsilon`, a float >= 0. Default: 1e-6.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([2.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.Adadelta([weight], rho=0.0, epsilon=3.0)
        >>> optimizer((ms.Tensor([3.0, 0.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.5 2. ]
    """

    _rule = staticmethod(adadelta)
    _hyperparameters: ClassVar = {"rho": "rho", "eps": "epsilon"}
    _state_names = ("accum", "accum_update")

    @opt_init_args_register
    @checked
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1.0,
        rho: Annotated[StrictFloat, Limits(0, 1)] = 0.9,
        epsilon: StrictNotNegative = 1e-6,
        loss_scale: PositiveFloat = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho, self.epsilon = rho, epsilon
        self.accum = self._states("accum", 0.0)
        self.accum_update = self._states("accum_update", 0.0)
