"""Averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import torch

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.scopes.scope import writable
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import StrictFloat, checked
from torchspore.nn.optim.fused import Bucket, PiecewiseOptimizer, scalar_of
from torchspore.nn.optim.optimizer import opt_init_args_register
from torchspore.ops.updates.rules import asgd, asgd_numbers
from torchspore.ops.updates.tensor_lists import Scalar, is_traced

__all__ = ["ASGD"]


class ASGD(PiecewiseOptimizer):
    r"""Stochastic gradient descent that also keeps the average of the parameters.

    .. math::
        p \leftarrow (1 - \lambda \eta) p - \eta g, \qquad a \leftarrow a + \mu (p - a), \qquad
        \eta = \frac{lr}{(1 + \lambda\, lr\, t)^\alpha}, \qquad \mu = \frac{1}{\max(1, t - t_0)}

    :math:`\eta` and :math:`\mu` are from the previous step; in the first step, :math:`lr` and 1.

    Args:
        params, learning_rate, weight_decay: see `Optimizer`.
        lambd: the decay :math:`\lambda`, a float. Default: 1e-4.
        alpha: the exponent :math:`\alpha`, a float. Default: 0.75.
        t0: the step :math:`t_0` after which the average starts, a float. Default: 1e6.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.ASGD([weight], learning_rate=0.5, lambd=0.0, t0=0.0)
        >>> for _ in range(2):
        ...     optimizer((ms.Tensor([1.0, 1.0]),))
        True
        True
        >>> print(weight.asnumpy(), optimizer.ax[0].asnumpy())
        [0. 1.] [0. 1.]
    """

    _rule = staticmethod(asgd)
    _state_names = ("ax",)
    _returns_each = False

    @opt_init_args_register
    @checked
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        lambd: StrictFloat = 1e-4,
        alpha: StrictFloat = 0.75,
        t0: StrictFloat = 1e6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.lambd, self.alpha, self.t0 = lambd, alpha, t0
        self.mu = self._scalars("mu_", 1.0)
        self.eta = self._scalars("eta_", 0.0)
        self.ax = self._states("ax_", 0.0)

    def _scalars(self, prefix: str, value: float) -> ParameterTuple:
        return ParameterTuple(
            [Parameter(Tensor(value, mstype.float32), name=f"{prefix}{p.name}") for p in self.parameters]
        )

    def _step_settings(self, bucket: Bucket, rate: Scalar) -> dict[str, Any]:
        # eta and mu are the same for all parameters of a bucket.
        first = bucket.positions[0] if bucket.positions else 0
        eta, mu = (scalar_of(kind[first]._t) for kind in (self.eta, self.mu))
        if is_traced():
            eta = torch.where(self.global_step._t.reshape(()) == 0, rate, eta)
        elif self._read("global_step") == 0:
            eta = rate
        return {"eta": eta, "mu": mu, "lambd": self.lambd}

    def _end_update(self, bucket: Bucket, rate: Scalar) -> None:
        eta, mu = asgd_numbers(rate, self._count(), self.lambd, self.alpha, self.t0)
        for kind, value in ((self.eta, eta), (self.mu, mu)):
            for state in kind if bucket.positions is None else [kind[position] for position in bucket.positions]:
                writable(state).fill_(value)
