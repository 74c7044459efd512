"""Resilient backpropagation."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from torchspore.engine.parameters import Limits, StrictFloat, Where, checked
from torchspore.nn.optim.fused import Bucket, PiecewiseOptimizer
from torchspore.nn.optim.optimizer import Beta, opt_init_args_register
from torchspore.ops.updates.rules import rprop, set_first_sizes
from torchspore.ops.updates.tensor_lists import Scalar

__all__ = ["Rprop"]

_Increase: TypeAlias = Annotated[StrictFloat, Limits(above=1)]
_Sizes: TypeAlias = Annotated[
    tuple[StrictFloat, StrictFloat], Where("two floats in ascending order", lambda sizes: sizes[0] <= sizes[1])
]


class Rprop(PiecewiseOptimizer):
    r"""Resilient backpropagation: every element has a step size, and only the sign of its gradient matters.

    The step size starts as the learning rate. It is multiplied by :math:`\eta_+` when the gradient keeps its sign, and
    by :math:`\eta_-` when the sign changes; then the element is not moved, and its next gradient is not compared.
    Otherwise :math:`p \leftarrow p - \Delta \operatorname{sign}(g)`.

    Args:
        params, weight_decay: see `Optimizer`.
        learning_rate: a number, the numbers for every step, or a schedule; see `Optimizer`. Only the rate of the first
            step matters. Default: 0.1.
        etas: the factors :math:`\eta_-`, in (0, 1), and :math:`\eta_+`, > 1, a tuple of floats. Default: (0.5, 1.2).
        step_sizes: the smallest and the largest step size, a tuple of floats. Default: (1e-6, 50.0).

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.Rprop([weight], learning_rate=0.5)
        >>> optimizer((ms.Tensor([3.0, -0.01]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    _rule = staticmethod(rprop)
    _state_names = ("prev", "step_size")
    _returns_each = False

    @opt_init_args_register
    @checked
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        etas: tuple[Beta, _Increase] = (0.5, 1.2),
        step_sizes: _Sizes = (1e-6, 50.0),
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.etaminus, self.etaplus = etas
        self.step_size_min, self.step_size_max = step_sizes
        self.prev = self._states("prev", 0.0)
        self.step_size = self._states("step_size", 0.0)

    def _step_settings(self, bucket: Bucket, rate: Scalar) -> dict[str, Any]:
        set_first_sizes(bucket.states[1], rate, self._count() == 1)
        return {"etas": (self.etaminus, self.etaplus), "limits": (self.step_size_min, self.step_size_max)}
