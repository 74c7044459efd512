"""FTRL."""

from __future__ import annotations

from typing import Annotated, Any

from torchspore.engine.parameters import Limits, PositiveFloat, StrictFloat, StrictNotNegative, checked
from torchspore.nn.optim.fused import Bucket, PiecewiseOptimizer
from torchspore.nn.optim.optimizer import opt_init_args_register
from torchspore.ops.updates.rules import ftrl
from torchspore.ops.updates.tensor_lists import Scalar

__all__ = ["FTRL"]


class FTRL(PiecewiseOptimizer):
    r"""FTRL: the parameters that would have been best for all gradients so far, with regularization.

    .. math::
        s' = s + g^2, \qquad u \leftarrow u + g - \frac{s'^{-q} - s^{-q}}{lr} p, \qquad
        p \leftarrow \frac{\operatorname{sign}(u)\, l_1 - u}{s'^{-q} / lr + 2 l_2} \text{ if } |u| > l_1
        \text{ else } 0, \qquad s \leftarrow s'

    Args:
        loss_scale: see `Optimizer`.
        params: the Parameters to train, or groups of them, without "lr"; see `Optimizer`.
        initial_accum: the initial value of :math:`s`, a float >= 0. Default: 0.1.
        learning_rate: a number > 0; it cannot change with the steps. Default: 0.001.
        lr_power: the exponent :math:`q`, a float <= 0. Default: -0.5.
        l1: the strength :math:`l_1`, a float >= 0. Default: 0.0.
        l2: the strength :math:`l_2`, a float >= 0. Default: 0.0.
        use_locking: whether the update is protected from other writers; it always is. Default: False.
        weight_decay: the multiple of a parameter that is added to its gradient, or a Cell. It concerns all parameters.
            Default: 0.0.

    Raises:
        ValueError: a learning rate that changes, or belongs to a group.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([0.0, 0.0]), name="weight")
        >>> optimizer = ms.nn.FTRL([weight], initial_accum=0.0, learning_rate=0.5, l1=1.0)
        >>> optimizer((ms.Tensor([2.0, 0.5]),))
        (True,)
        >>> print(weight.asnumpy())
        [-0.25  0.  ]
    """

    _rule = staticmethod(ftrl)
    _state_names = ("moments", "linear")

    @opt_init_args_register
    @checked
    def __init__(
        self,
        params: Any,
        initial_accum: StrictNotNegative = 0.1,
        learning_rate: Any = 0.001,
        lr_power: Annotated[StrictFloat, Limits(maximum=0)] = -0.5,
        l1: StrictNotNegative = 0.0,
        l2: StrictNotNegative = 0.0,
        use_locking: bool = False,
        loss_scale: PositiveFloat = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_lr or self.is_group_lr:
            raise ValueError(
                "the learning rate must be one number for all parameters and steps: neither a list or schedule, nor "
                "'lr' in a group"
            )
        if not self.is_group:
            self.decay_flags = (True,) * len(self.parameters)
        if not self.learning_rate.item() > 0:
            raise ValueError("'learning_rate' must be > 0")
        self.lr_power, self.l1, self.l2, self.use_locking = lr_power, l1, l2, use_locking
        self.moments = self._states("moments", initial_accum)
        self.linear = self._states("linear", 0.0)

    def _step_settings(self, bucket: Bucket, rate: Scalar) -> dict[str, Any]:
        return {"rate": rate, "power": -self.lr_power, "l1": self.l1, "l2": self.l2}
