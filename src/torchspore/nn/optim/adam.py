"""Adam, and Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.frames.user_lines import warn_user
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import PositiveFloat, Rule, StrictPositive, checked
from torchspore.nn.optim.fused import FusedOptimizer
from torchspore.nn.optim.optimizer import Beta, opt_init_args_register
from torchspore.ops.updates import primitives as ops
from torchspore.ops.updates.rules import adam
from torchspore.ops.updates.tensor_lists import Scalar

__all__ = ["Adam", "AdamOffload", "AdamWeightDecay", "LazyAdam"]


_ONE_FORM = Rule(
    "only one of 'use_lazy', 'use_offload' and 'use_amsgrad' can be True",
    lambda use_lazy, use_offload, use_amsgrad: use_lazy + use_offload + use_amsgrad <= 1,
)


def _warn_of_offload(api: str, target: str) -> None:
    if target != "CPU":
        warn_user(f"For '{api}', the states are kept on the {target}, with the same results.")


class _Adam(FusedOptimizer):
    """What the forms of Adam with bias correction have in common."""

    _rule = staticmethod(adam)
    _state_names: tuple[str, ...] = ("moment1", "moment2")
    beta1: float
    beta2: float
    beta1_power: Parameter
    beta2_power: Parameter
    _hyperparameters: ClassVar = {"beta1": "beta1", "beta2": "beta2", "eps": "eps", "nesterov": "use_nesterov"}

    def _make_states(self, shape: list[int]) -> None:
        for name in ("beta1_power", "beta2_power"):
            setattr(self, name, Parameter(Tensor(np.ones(shape), mstype.float32), name=name))
        self.moment1 = self._states("moment1", "zeros")
        self.moment2 = self._states("moment2", "zeros")

    def _begin_step(self) -> Scalar:
        """Return the correction of the bias of both means, which start with zeros."""
        first = self._multiply("beta1_power", self.beta1)
        second = self._multiply("beta2_power", self.beta2)
        return (1 - second) ** 0.5 / (1 - first)


class Adam(_Adam):
    r"""Adam: steps scaled by running means of the gradient and of its square.

    .. math::
        m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \qquad
        p \leftarrow p - lr \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \cdot \frac{m}{\sqrt v + \epsilon}

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        beta1: the factor :math:`\beta_1`, a float in (0, 1). Default: 0.9.
        beta2: the factor :math:`\beta_2`, a float in (0, 1). Default: 0.999.
        eps: the term :math:`\epsilon`, a float > 0. Default: 1e-8.
        use_locking: whether the update is protected from other writers; it always is. Default: False.
        use_nesterov: whether :math:`\beta_1 m + (1 - \beta_1) g` replaces :math:`m` in the last step; without
            effect with `use_amsgrad`, as in MindSpore, with a warning. Default: False.
        use_amsgrad: whether the largest :math:`v` so far replaces :math:`v` in the last step. Default: False.
        use_lazy: whether only the rows of sparse gradients change; dense ones have the same result. Default: False.
        use_offload: whether to keep the states in the host's memory, which the CPU does anyway; on another device they
            stay there, with a warning. Default: False.
        kwargs: no others; KeyError.

    Raises:
        ValueError: `use_amsgrad` with `use_lazy` or `use_offload`, or both of the latter.
        KeyError: an unknown keyword.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.Adam([weight], learning_rate=0.5)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    @opt_init_args_register
    @checked(_ONE_FORM)
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: Beta = 0.9,
        beta2: Beta = 0.999,
        eps: StrictPositive = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: PositiveFloat = 1.0,
        use_amsgrad: bool = False,
        *,
        use_lazy: bool = False,
        use_offload: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if kwargs:
            hint = " The learning rate is 'learning_rate'." if "lr" in kwargs else ""
            raise KeyError(
                f"For 'Adam', the keywords 'use_lazy' and 'use_offload' are known, but got {sorted(kwargs)}.{hint}"
            )
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.use_locking, self.use_nesterov, self.use_amsgrad = use_locking, use_nesterov, use_amsgrad
        self.use_lazy, self.use_offload = use_lazy, use_offload
        if self.use_amsgrad and self.use_nesterov:
            warn_user("For 'Adam', 'use_nesterov' has no effect with 'use_amsgrad', as in MindSpore.")
            self.use_nesterov = False
        if self.use_offload:
            _warn_of_offload("Adam", self.target)
        self._make_states([])
        if self.use_amsgrad:
            self.vhat = self._states("vhat", "zeros")
            self._state_names = ("moment1", "moment2", "vhat")

    def _apply_adam(
        self, params: Any, beta1_power: Tensor, beta2_power: Tensor, moment1: Any, moment2: Any, lr: Any, gradients: Any
    ) -> tuple[bool, ...]:
        """Apply one step with powers and moments that a subclass has computed: subclasses in packages call it."""
        if self.use_amsgrad:
            raise NotImplementedError("For 'Adam', '_apply_adam' is not supported with 'use_amsgrad'. Set it to False.")
        primitive: Any = ops.Adam
        update = primitive(use_locking=self.use_locking, use_nesterov=self.use_nesterov)
        rates = lr if isinstance(lr, (tuple, list)) else [lr] * len(gradients)
        powers, numbers = (beta1_power, beta2_power), (self.beta1, self.beta2, self.eps)
        for param, first, second, rate, gradient in zip(params, moment1, moment2, rates, gradients):
            update(param, first, second, *powers, rate, *numbers, gradient)
        return (True,) * len(gradients)


class _PlainAdam(_Adam):
    """`Adam` without its last options."""

    @opt_init_args_register
    @checked
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: Beta = 0.9,
        beta2: Beta = 0.999,
        eps: StrictPositive = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: PositiveFloat = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.use_locking, self.use_nesterov = use_locking, use_nesterov
        self._make_states([1])


class LazyAdam(_PlainAdam):
    """Adam as in `Adam`: dense gradients, which all gradients here are, have the same result.

    Arguments as for `Adam`, without the last two. `weight_decay` must be a number.

    Raises:
        TypeError: `weight_decay` is a Cell.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.LazyAdam([weight], learning_rate=0.5)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    def _make_states(self, shape: list[int]) -> None:
        if self.dynamic_weight_decay:
            raise TypeError("'weight_decay' must be a number: one that changes with the step is not supported")
        super()._make_states(shape)


class AdamOffload(_PlainAdam):
    """Adam as in `Adam`, which keeps its states in the host's memory, as the CPU does anyway.

    Arguments as for `Adam`, without the last two. On another device the states stay there, with a warning.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.AdamOffload([weight], learning_rate=0.5)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    _centralizes = False

    def _make_states(self, shape: list[int]) -> None:
        _warn_of_offload("AdamOffload", self.target)
        super()._make_states(shape)


class AdamWeightDecay(FusedOptimizer):
    r"""Adam without bias correction, and with a weight decay that does not go through the means.

    .. math::
        m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \qquad
        p \leftarrow p - lr \left( \frac{m}{\sqrt v + \epsilon} + \lambda p \right)

    Args:
        params, learning_rate: see `Optimizer`.
        beta1: the factor :math:`\beta_1`, a float in (0, 1). Default: 0.9.
        beta2: the factor :math:`\beta_2`, a float in (0, 1). Default: 0.999.
        eps: the term :math:`\epsilon`, a float > 0. Default: 1e-6.
        weight_decay: the factor :math:`\lambda`, a number >= 0 or a Cell. Default: 0.0.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.nn.AdamWeightDecay([weight], learning_rate=0.1, weight_decay=0.5)
        >>> optimizer((ms.Tensor([0.0, 0.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.95 1.9 ]
    """

    _rule = staticmethod(adam)
    _state_names = ("moments1", "moments2")
    _hyperparameters: ClassVar = {"beta1": "beta1", "beta2": "beta2", "eps": "eps"}
    _centralizes = False

    @checked
    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: Beta = 0.9,
        beta2: Beta = 0.999,
        eps: StrictPositive = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.moments1 = self._states("adam_m", "zeros")
        self.moments2 = self._states("adam_v", "zeros")

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "decoupled": True}
