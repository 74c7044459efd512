"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import NotNegativeFloat, PositiveFloat, Rule, checked
from torchspore.nn.optim.fused import Bucket, FusedOptimizer
from torchspore.nn.optim.optimizer import opt_init_args_register
from torchspore.ops.updates.rules import sgd, sgd_first
from torchspore.ops.updates.tensor_lists import Scalar, Tensors, is_traced

__all__ = ["SGD"]

_NESTEROV = Rule(
    "'momentum' must be > 0 and 'dampening' 0 when 'nesterov' is True",
    lambda momentum, dampening, nesterov: not nesterov or (momentum > 0 and dampening == 0),
)


class SGD(FusedOptimizer):
    r"""Stochastic gradient descent, with momentum if asked for.

    .. math::
        v \leftarrow \mu v + (1 - dampening) g, \qquad p \leftarrow p - lr \cdot v

    With `nesterov` the second step is :math:`p \leftarrow p - lr \cdot (g + \mu v)`. The first step of an element is
    not damped, :math:`v \leftarrow g`: its `stat` is 1 before, and 0 from then on. Without momentum there is no
    :math:`v`.

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        momentum: the factor :math:`\mu`, a number >= 0. Default: 0.0.
        dampening: the part of the gradient that does not enter the momentum, a number >= 0. Default: 0.0.
        nesterov: whether to use Nesterov momentum; it needs a `momentum` > 0 and
            `dampening` 0. Default: False.

    Raises:
        TypeError: a `weight_decay` that is a Cell.
        ValueError: `nesterov` without momentum or with dampening.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.SGD([weight], learning_rate=0.5)
        >>> optimizer((ms.Tensor([1.0, 1.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.5 1.5]
    """

    _state_names = ("accum", "stat")

    @opt_init_args_register
    @checked(_NESTEROV)
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        momentum: NotNegativeFloat = 0.0,
        dampening: NotNegativeFloat = 0.0,
        weight_decay: Any = 0.0,
        nesterov: bool = False,
        loss_scale: PositiveFloat = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_weight_decay:
            raise TypeError("'weight_decay' must be a number: one that changes with the step is not supported")
        self.dampening, self.nesterov = dampening, nesterov
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum")
        self.accum = self._states("accum", "zeros")
        self.stat = self._states("stat", "ones")

    def _update(self, bucket: Bucket, gradients: Tensors, rate: Scalar, decay: Scalar, fused: bool) -> None:
        momentum = self._read("momentum")
        moments, stats = bucket.states
        settings = {"rate": rate, "momentum": momentum, "dampening": self.dampening, "decay": decay}
        settings["nesterov"] = self.nesterov
        if momentum != 0.0:
            bucket.memo = have_started(stats, bucket.memo)
        if momentum == 0.0:
            sgd(bucket.parameters, gradients, rate=rate, decay=decay, fused=fused)
        elif bucket.memo is not None:
            sgd(bucket.parameters, gradients, moments, fused=fused, **settings)
        else:
            sgd_first(bucket.parameters, gradients, moments, stats, **settings)


def have_started(stats: Tensors, known: list[int] | None) -> list[int] | None:
    """Return whether all elements had their first step: None if not, else the versions of `stats`.

    The elements are read only after a write to `stats`, whose versions were `known`.
    """
    versions = [stat._version for stat in stats]
    if known != versions and (is_traced() or any((stat > 0).any() for stat in stats)):
        return None
    return versions
