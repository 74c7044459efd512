"""Gradient descent with momentum."""

from __future__ import annotations

from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import PositiveFloat, StrictNotNegative, checked
from torchspore.nn.optim.fused import Bucket, FusedOptimizer
from torchspore.nn.optim.optimizer import opt_init_args_register
from torchspore.ops.updates.rules import sgd
from torchspore.ops.updates.tensor_lists import Scalar, Tensors

__all__ = ["Momentum"]


class Momentum(FusedOptimizer):
    r"""Gradient descent with momentum.

    .. math::
        v \leftarrow \mu v + g, \qquad p \leftarrow p - lr \cdot v

    With `use_nesterov` the second step is :math:`p \leftarrow p - lr \cdot (g + \mu v)`.

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        momentum: the factor :math:`\mu`, a float >= 0.
        use_nesterov: whether to use Nesterov momentum. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.Momentum([weight], learning_rate=0.5, momentum=0.9)
        >>> optimizer((ms.Tensor([1.0, 1.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.5 1.5]
    """

    _state_names = ("moments",)

    @opt_init_args_register
    @checked
    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        momentum: StrictNotNegative,
        weight_decay: Any = 0.0,
        loss_scale: PositiveFloat = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.use_nesterov = use_nesterov
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum")
        self.moments = self._states("moments", "zeros")

    @property
    def params(self) -> ParameterTuple:
        """The parameters."""
        return self.parameters

    @params.setter
    def params(self, parameters: ParameterTuple) -> None:
        self.parameters = parameters

    def _update(self, bucket: Bucket, gradients: Tensors, rate: Scalar, decay: Scalar, fused: bool) -> None:
        sgd(
            bucket.parameters,
            gradients,
            bucket.states[0],
            rate=rate,
            momentum=self._read("momentum"),
            decay=decay,
            nesterov=self.use_nesterov,
            fused=fused,
        )
