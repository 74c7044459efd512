"""LAMB and LARS: rates for each layer, by the size of its update relative to its weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import torch

from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.parameters import StrictFloat, StrictPositive, checked
from torchspore.nn.cell import Cell
from torchspore.nn.optim.fused import Bucket, FusedOptimizer
from torchspore.nn.optim.optimizer import Beta, Optimizer, opt_init_args_register
from torchspore.ops.updates.rules import lamb, lars_gradient
from torchspore.ops.updates.tensor_lists import Scalar, Tensors

__all__ = ["LARS", "Lamb"]


class Lamb(FusedOptimizer):
    r"""LAMB: steps of Adam, scaled to the norm of the parameter that they change.

    .. math::
        m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \qquad
        u = \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon} + \lambda p, \qquad
        p \leftarrow p - lr \frac{\|p\|}{\|u\|} u

    Where one of the norms is 0 their quotient counts as 1.

    Args:
        params, learning_rate: see `Optimizer`.
        beta1: the factor :math:`\beta_1`, a float in (0, 1). Default: 0.9.
        beta2: the factor :math:`\beta_2`, a float in (0, 1). Default: 0.999.
        eps: the term :math:`\epsilon`, a float > 0. Default: 1e-6.
        weight_decay: the factor :math:`\lambda`, a number >= 0 or a Cell. Default: 0.0.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([3.0, 4.0]), name="weight")
        >>> optimizer = ms.nn.Lamb([weight], learning_rate=0.1)
        >>> optimizer((ms.Tensor([1.0, 0.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [2.5 4. ]
    """

    _is_elementwise = False
    _hyperparameters: ClassVar = {"beta1": "beta1", "beta2": "beta2", "eps": "eps"}
    _state_names = ("moments1", "moments2")

    @opt_init_args_register
    @checked
    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        beta1: Beta = 0.9,
        beta2: Beta = 0.999,
        eps: StrictPositive = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.moments1 = self._states("lamb_m", 0.0)
        self.moments2 = self._states("lamb_v", 0.0)

    def _update(self, bucket: Bucket, gradients: Tensors, rate: Scalar, decay: Scalar, fused: bool) -> None:
        step = self._count()
        settings = {**bucket.settings, "corrections": (1 - self.beta1**step, 1 - self.beta2**step)}
        lamb(bucket.parameters, gradients, *bucket.states, rate=rate, decay=decay, **settings)


class LARS(Optimizer):
    r"""LARS around another optimizer: each layer's gradient is scaled by the norm of its weight relative to its own.

    .. math::
        g \leftarrow \eta \frac{\|p\|}{\|g\| + \lambda \|p\| + \epsilon} (g + \lambda p)

    The optimizer then takes its step with these gradients, without decaying the weights and without dividing the
    gradients by its `loss_scale`, both of which happen here. From then on it belongs to `LARS`.

    Args:
        optimizer: the optimizer, from whose `weight_decay` :math:`\lambda` comes.
        epsilon: the term :math:`\epsilon`, a float. Default: 1e-5.
        coefficient: the factor :math:`\eta`, a float. Default: 0.001.
        use_clip: whether the scale is limited to the learning rate, and divided by it. Default: False.
        lars_filter: a function that returns whether to scale the gradient of a Parameter. Other gradients go to the
            optimizer unchanged. Default: those without "LayerNorm" and "bias" in their names.

    Outputs:
        What the optimizer returns.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([3.0, 4.0]), name="weight")
        >>> optimizer = ms.nn.LARS(ms.nn.SGD([weight], 1.0), epsilon=0.0, coefficient=0.5)
        >>> optimizer((ms.Tensor([2.0, 0.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [0.5 4. ]
    """

    @checked
    def __init__(
        self,
        optimizer: Optimizer,
        epsilon: StrictFloat = 1e-5,
        coefficient: StrictFloat = 0.001,
        use_clip: bool = False,
        lars_filter: Callable[[Any], bool] = lambda x: "LayerNorm" not in x.name and "bias" not in x.name,
    ) -> None:
        Cell.__init__(self, auto_prefix=False)
        self.epsilon, self.coefficient, self.use_clip = epsilon, coefficient, use_clip
        for name in _SETTINGS:
            self.__dict__[name] = getattr(optimizer, name)
        self.lars_flag = tuple(lars_filter(parameter) for parameter in optimizer.parameters)
        self.opt = optimizer
        # For wrappers that create another LARS like it.
        self.init_args = {name: getattr(self, name) for name in ("epsilon", "coefficient", "use_clip")}
        self.init_args["lars_filter"] = lars_filter
        optimizer.decay_flags = (False,) * len(optimizer.parameters)
        optimizer.exec_weight_decay = optimizer.need_scale = False

    @property
    def learning_rate(self) -> Any:
        """The learning rate of the optimizer inside."""
        return self.opt.learning_rate

    def construct(self, gradients: Any) -> Any:
        """Change the parameters by their gradients, a tuple or list of Tensors in the order of `parameters`."""
        with torch.no_grad():
            return self.opt(self._scaled(gradients))

    def _scaled(self, gradients: Any) -> tuple[Tensor, ...]:
        given = self.scale_grad(gradients)
        decays = self.get_weight_decay()
        rates = self.get_lr()
        scaled = []
        for i, (parameter, gradient) in enumerate(zip(self.parameters, given)):
            if self.lars_flag[i] and not parameter._t.is_meta:
                decay = (decays[i] if self.is_group else decays)._t.reshape(()) / self.loss_scale
                rate = (rates[i] if self.is_group_lr else rates)._t
                gradient = self._of_layer(parameter._t, gradient._t, decay if self.decay_flags[i] else 0.0, rate)
            scaled.append(gradient)
        return tuple(scaled)

    def _of_layer(self, weight: torch.Tensor, gradient: torch.Tensor, decay: Scalar, rate: torch.Tensor) -> Tensor:
        norms = weight.norm(), gradient.norm()
        clip_rate = rate if self.use_clip else None
        settings = {"decay": decay, "coefficient": self.coefficient, "eps": self.epsilon}
        return wrap(lars_gradient(weight, gradient, norms=norms, clip_rate=clip_rate, **settings))


# The attributes that an optimizer shares with the one inside.
_SETTINGS = [
    "parameters", "param_length", "loss_scale", "need_scale", "reciprocal_scale", "weight_decay", "decay_flags",
    "dynamic_decay_flags", "dynamic_weight_decay", "exec_weight_decay", "is_group", "is_group_lr",
    "is_group_params_ordered", "grad_centralization", "dynamic_lr", "optim_filter", "global_step", "_unique",
]  # fmt: skip
