"""AdaMax."""

from __future__ import annotations

from typing import Any, ClassVar

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import PositiveFloat, StrictPositive, checked
from torchspore.nn.optim.fused import PiecewiseOptimizer
from torchspore.nn.optim.optimizer import Beta, opt_init_args_register
from torchspore.ops.updates.rules import adamax
from torchspore.ops.updates.tensor_lists import Scalar

__all__ = ["AdaMax"]


class AdaMax(PiecewiseOptimizer):
    r"""AdaMax: Adam with a decaying maximum of the gradients in place of the root of the mean square.

    .. math::
        m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad v \leftarrow \max(\beta_2 v, |g|), \qquad
        p \leftarrow p - \frac{lr}{1 - \beta_1^t} \cdot \frac{m}{v + \epsilon}

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        beta1: the factor :math:`\beta_1`, a float in (0, 1). Default: 0.9.
        beta2: the factor :math:`\beta_2`, a float in (0, 1). Default: 0.999.
        eps: the term :math:`\epsilon`, a float > 0. Default: 1e-8.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.AdaMax([weight], learning_rate=0.5)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(adamax)
    _state_names = ("moment1", "moment2")
    _hyperparameters: ClassVar = {"beta1": "beta1", "beta2": "beta2", "eps": "eps"}

    @opt_init_args_register
    @checked
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.001,
        beta1: Beta = 0.9,
        beta2: Beta = 0.999,
        eps: StrictPositive = 1e-8,
        weight_decay: Any = 0.0,
        loss_scale: PositiveFloat = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.beta1_power = Parameter(Tensor([1.0], mstype.float32), name="beta1_power")
        self.moment1 = self._states("moment1", 0.0)
        self.moment2 = self._states("moment2", 0.0)

    def _begin_step(self) -> Scalar:
        return 1 / (1 - self._multiply("beta1_power", self.beta1))
