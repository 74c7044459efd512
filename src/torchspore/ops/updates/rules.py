"""Update rules of optimizers: over lists of torch tensors, as the optimizers use them, and as primitives.

The lists of one call hold tensors of one data type, on one device, with the same shape and strides at each position:
the fused kernels walk through the memory and check nothing.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import torch

from torchspore.common.private_torch import open_modes
from torchspore.common.scope import writable
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments import as_float, as_tensor
from torchspore.engine.capture.decomposition import in_simple_operations
from torchspore.engine.checks import check_bool
from torchspore.engine.errors import describe
from torchspore.engine.primitive import Primitive

__all__ = ["SGD", "Adam", "AdamWeightDecay", "ApplyMomentum"]

Tensors: TypeAlias = list[torch.Tensor]
Scalar: TypeAlias = Any  # a Python number, or a tensor without dimensions

_FUSED_DEVICES = ("cpu", "cuda", "mps")  # torch's fused kernels exist there
_forever: dict[torch.device, torch.Tensor] = {}


def is_traced() -> bool:
    """Return whether a graph is being recorded, so that values may not be read."""
    return open_modes() > 0


def can_fuse(device: torch.device) -> bool:
    """Return whether the rules may use the fused kernels."""
    # Not in a recorded graph: a compiler may give its intermediate results other strides than the parameters have.
    return device.type in _FUSED_DEVICES and not is_traced()


def is_recorded(parameters: Tensors) -> bool:
    """Return whether a graph is being recorded for a device with fused kernels."""
    return is_traced() and parameters[0].device.type in _FUSED_DEVICES


def as_scalar(rate: Scalar, like: torch.Tensor) -> torch.Tensor:
    """Return a learning rate as a tensor without dimensions."""
    return rate.reshape(()) if isinstance(rate, torch.Tensor) else torch.tensor(rate, device=like.device)


def has_tensors(*scalars: Scalar) -> bool:
    """Return whether a scalar is a tensor: the kernels of PyTorch take most of them as numbers only."""
    return any(isinstance(scalar, torch.Tensor) for scalar in scalars)


def fitting(gradient: torch.Tensor, parameter: torch.Tensor) -> torch.Tensor:
    """Return the gradient with the data type, the device and the strides of the parameter."""
    if (
        gradient.dtype is parameter.dtype
        and gradient.device == parameter.device
        and gradient.stride() == parameter.stride()
    ):
        return gradient
    return torch.empty_like(parameter).copy_(gradient)


def check_real(gradient: torch.Tensor, api: str, name: str = "gradient") -> None:
    """Refuse a complex gradient, whose imaginary part a step of real numbers would drop.

    Raises:
        TypeError: `gradient` is complex.
    """
    if gradient.is_complex():
        raise TypeError(
            f"For '{api}', '{name}' must hold real numbers, but got {describe(gradient)}. "
            "Take its real part, or the gradient of a real loss with respect to real parameters."
        )


def writable_like(parameter: Tensor, like: torch.Tensor) -> torch.Tensor:
    """Return the torch tensor of `parameter` to write now, after giving it the strides of `like`."""
    value = writable(parameter)
    if value.stride() != like.stride():
        value.data = torch.empty_like(like, dtype=value.dtype).copy_(value.detach())
    return value


def decayed(parameters: Tensors, gradients: Tensors, decay: Scalar) -> Tensors:
    """Return `gradients + decay * parameters`."""
    if isinstance(decay, torch.Tensor):
        return list(torch._foreach_add(gradients, torch._foreach_mul(parameters, decay)))
    return list(torch._foreach_add(gradients, parameters, alpha=decay)) if decay else gradients


def descend(parameters: Tensors, updates: Tensors, rate: Scalar) -> None:
    """Subtract `rate * updates` from the parameters."""
    if isinstance(rate, torch.Tensor):
        torch._foreach_sub_(parameters, torch._foreach_mul(updates, rate))
    else:
        torch._foreach_add_(parameters, updates, alpha=-rate)


def move_to(means: Tensors, values: Tensors, decay: Scalar) -> None:
    """Move running means towards values: `mean = decay * mean + (1 - decay) * value`."""
    if not isinstance(decay, torch.Tensor) and means[0].dtype is values[0].dtype:
        torch._foreach_lerp_(means, values, 1 - decay)
    else:
        torch._foreach_mul_(means, decay)
        torch._foreach_add_(means, torch._foreach_mul(values, 1 - decay))


def move_to_squares(means: Tensors, values: Tensors, decay: Scalar) -> None:
    """Move running means towards squares: `mean = decay * mean + (1 - decay) * value ** 2`."""
    torch._foreach_mul_(means, decay)
    if isinstance(decay, torch.Tensor):
        squares = torch._foreach_mul(values, values)
        torch._foreach_add_(means, torch._foreach_mul(squares, 1 - decay))
    else:
        torch._foreach_addcmul_(means, values, values, 1 - decay)


def sgd(
    parameters: Tensors,
    gradients: Tensors,
    moments: Tensors,
    *,
    rate: Scalar,
    momentum: Scalar,
    dampening: float = 0.0,
    decay: Scalar = 0.0,
    nesterov: bool = False,
    fused: bool = True,
) -> None:
    """Stochastic gradient descent with momentum; without it when `moments` is empty."""
    if isinstance(decay, torch.Tensor):
        gradients, decay = decayed(parameters, gradients, decay), 0.0
    # The fused kernel leaves the moments alone when there is no momentum.
    if moments and (isinstance(momentum, torch.Tensor) or not momentum):
        step: Any = _sgd_in_passes
    elif fused:
        step = _sgd_fused
    elif is_recorded(parameters):
        step = torch.ops.torchspore.sgd_
        rate = as_scalar(rate, parameters[0])
    else:
        step = _sgd_in_passes
    step(parameters, gradients, moments, rate, momentum if moments else 0.0, dampening, decay, nesterov)


def _sgd_fused(
    parameters: Tensors,
    gradients: Tensors,
    moments: Tensors,
    rate: Scalar,
    momentum: float,
    dampening: float,
    decay: float,
    nesterov: bool,
) -> None:
    torch._fused_sgd_(
        parameters,
        gradients,
        moments,
        weight_decay=decay,
        momentum=momentum,
        lr=rate,
        dampening=dampening,
        nesterov=nesterov,
        maximize=False,
        is_first_step=False,
    )


def _sgd_in_passes(
    parameters: Tensors,
    gradients: Tensors,
    moments: Tensors,
    rate: Scalar,
    momentum: Scalar,
    dampening: float,
    decay: float,
    nesterov: bool,
) -> None:
    gradients = decayed(parameters, gradients, decay)
    if moments:
        torch._foreach_mul_(moments, momentum)
        torch._foreach_add_(moments, gradients, alpha=1 - dampening)
        gradients = decayed(moments, gradients, momentum) if nesterov else moments
    descend(parameters, gradients, rate)


def sgd_first(
    parameters: Tensors,
    gradients: Tensors,
    moments: Tensors,
    stats: Tensors,
    *,
    rate: Scalar,
    momentum: float,
    dampening: float,
    decay: Scalar,
    nesterov: bool,
) -> None:
    """The same while elements have a positive `stat`: their first step is not damped, and sets `stat` to 0."""
    gradients = decayed(parameters, gradients, decay)
    for gradient, moment, stat in zip(gradients, moments, stats):
        first = stat > 0
        moment.copy_(torch.where(first, gradient, momentum * moment + (1 - dampening) * gradient))
        stat.masked_fill_(first, 0)
    updates = list(torch._foreach_add(gradients, moments, alpha=momentum)) if nesterov else moments
    descend(parameters, updates, rate)


def adam(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    largest: Tensors,
    *,
    rate: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    eps: Scalar,
    decay: Scalar = 0.0,
    decoupled: bool = False,
    nesterov: bool = False,
    fused: bool = True,
) -> None:
    """Adam; with `largest` (not empty) AMSGrad. The bias correction is part of `rate`."""
    if isinstance(decay, torch.Tensor) and not decoupled:
        gradients, decay = decayed(parameters, gradients, decay), 0.0
    if nesterov or has_tensors(beta1, beta2, eps, decay):
        _adam_in_passes(
            parameters, gradients, means, squares, largest, rate, beta1, beta2, eps, decay, decoupled, nesterov
        )
        return
    if fused:
        step: Any = _adam_fused
    elif is_recorded(parameters):
        step = torch.ops.torchspore.adam_
        rate = as_scalar(rate, parameters[0])
    else:
        step = _adam_in_passes
    step(parameters, gradients, means, squares, largest, rate, beta1, beta2, eps, decay, decoupled)


def _adam_fused(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    largest: Tensors,
    rate: Scalar,
    beta1: float,
    beta2: float,
    eps: float,
    decay: float,
    decoupled: bool,
) -> None:
    step = torch._fused_adamw_ if decoupled else torch._fused_adam_
    # Torch corrects the bias for the number of steps: after infinitely many there is none, and eps is not scaled.
    steps = [_infinity(parameters[0].device)] * len(parameters)
    step(
        parameters,
        gradients,
        means,
        squares,
        largest,
        steps,
        lr=rate,
        beta1=beta1,
        beta2=beta2,
        weight_decay=decay,
        eps=eps,
        amsgrad=bool(largest),
        maximize=False,
    )


def _adam_in_passes(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    largest: Tensors,
    rate: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    eps: Scalar,
    decay: Scalar,
    decoupled: bool,
    nesterov: bool = False,
) -> None:
    if decoupled:
        torch._foreach_mul_(parameters, 1 - rate * decay)
    else:
        gradients = decayed(parameters, gradients, decay)
    move_to(means, gradients, beta1)
    move_to_squares(squares, gradients, beta2)
    if largest:
        torch._foreach_maximum_(largest, squares)
    scales = list(torch._foreach_sqrt(largest or squares))
    torch._foreach_add_(scales, eps)
    updates = means
    if nesterov:
        updates = [mean.clone() for mean in means]
        move_to(updates, gradients, beta1)
    descend(parameters, list(torch._foreach_div(updates, scales)), rate)


def _infinity(device: torch.device) -> torch.Tensor:
    if device not in _forever:
        _forever[device] = torch.tensor(torch.inf, device=device)
    return _forever[device]


# In recorded graphs, an update is one operation: straight code runs it fused, a compiler gets it in passes.

_library = torch.library.Library("torchspore", "FRAGMENT")
_library.define(
    "sgd_(Tensor(a!)[] parameters, Tensor[] gradients, Tensor(b!)[] moments, Tensor rate, float momentum, "
    "float dampening, float decay, bool nesterov) -> ()"
)
_library.define(
    "adam_(Tensor(a!)[] parameters, Tensor[] gradients, Tensor(b!)[] means, Tensor(c!)[] squares, "
    "Tensor(d!)[] largest, Tensor rate, float beta1, float beta2, float eps, float decay, bool decoupled) -> ()"
)


def _run(fused: Any, in_passes: Any, rate_at: int) -> Any:
    """Return the operation on real tensors."""

    def run(parameters: Tensors, gradients: Tensors, *rest: Any) -> None:
        given = list(rest)
        rate = given[rate_at]
        given[rate_at] = rate.item() if rate.is_cpu else rate
        fits = [fitting(gradient, parameter) for gradient, parameter in zip(gradients, parameters)]
        (fused if can_fuse(parameters[0].device) else in_passes)(parameters, fits, *given)

    return run


for _name, _fused, _in_passes, _rate_at in (
    ("sgd_", _sgd_fused, _sgd_in_passes, 1),
    ("adam_", _adam_fused, _adam_in_passes, 3),
):
    _library.impl(_name, _run(_fused, _in_passes, _rate_at), "CompositeExplicitAutograd")
    _library.impl(_name, lambda *args: None, "Meta")
    in_simple_operations[getattr(torch.ops.torchspore, _name).default] = _in_passes


class ApplyMomentum(Primitive):
    """One step of gradient descent with momentum, in place.

    Args:
        use_nesterov: whether the gradient is taken where the momentum leads to. Default: False.
        use_locking: whether the update is protected from other writers; it always is. Default: False.
        gradient_scale: must be 1.0.

    The call takes (variable, accumulation, learning_rate, gradient, momentum): two Parameters of one shape, a number or
    scalar Tensor, a Tensor of that shape, a number or scalar Tensor. It returns the new value of `variable`.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: the shapes differ.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> moment = ms.Parameter(ms.Tensor([0.0, 0.0]), name="moment")
        >>> print(ms.ops.ApplyMomentum()(weight, moment, 0.1, ms.Tensor([1.0, 1.0]), 0.9))
        [0.9 1.9]

    MindSpore: `mindspore.ops.ApplyMomentum`.
    """

    def __init__(self, use_nesterov: bool = False, use_locking: bool = False, gradient_scale: float = 1.0) -> None:
        super().__init__()
        _check_flags("ApplyMomentum", use_nesterov=use_nesterov, use_locking=use_locking)
        if as_float(gradient_scale, "ApplyMomentum", "gradient_scale") != 1.0:
            raise NotImplementedError(
                f"For 'ApplyMomentum', 'gradient_scale' must be 1.0, but got {gradient_scale}. "
                "Scale the gradient instead."
            )
        self.use_nesterov = use_nesterov
        self.use_locking = use_locking
        self.gradient_scale = gradient_scale

    def __call__(self, variable: Any, accumulation: Any, learning_rate: Any, gradient: Any, momentum: Any) -> Tensor:
        """Update `variable` and `accumulation`; return the new value of the former."""
        given = _Given("ApplyMomentum", variable=variable, accumulation=accumulation)
        gradients = given.like_variable("gradient", gradient)
        rate, momentum = given.scalar("learning_rate", learning_rate), given.scalar("momentum", momentum)
        variables, moments = given.writable()
        sgd(
            variables,
            gradients,
            moments,
            rate=rate,
            momentum=momentum,
            nesterov=self.use_nesterov,
            fused=can_fuse(variables[0].device),
        )
        return wrap(variables[0])


class SGD(Primitive):
    """One step of stochastic gradient descent with momentum, in place.

    Args:
        dampening: how much of the gradient is kept from the momentum. Default: 0.0.
        weight_decay: the multiple of the variable that is added to its gradient. Default: 0.0.
        nesterov: whether the gradient is taken where the momentum leads to; it needs `dampening` 0. Default: False.

    The call takes (parameters, gradient, learning_rate, accum, momentum, stat): `parameters`, `accum` and `stat` are
    Parameters of one shape, `gradient` a Tensor of that shape, the others numbers or scalar Tensors. Elements with a
    positive `stat` have their first step, which is not damped. It returns the new value of `parameters`.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: the shapes differ, or `nesterov` comes with a `dampening`.

    MindSpore: `mindspore.ops.SGD`.
    """

    def __init__(self, dampening: float = 0.0, weight_decay: float = 0.0, nesterov: bool = False) -> None:
        super().__init__()
        _check_flags("SGD", nesterov=nesterov)
        self.dampening = float(as_float(dampening, "SGD", "dampening"))
        self.weight_decay = float(as_float(weight_decay, "SGD", "weight_decay"))
        self.nesterov = nesterov
        if nesterov and self.dampening:
            raise ValueError(f"For 'SGD', 'dampening' must be 0 when 'nesterov' is True, but got {dampening}.")

    def __call__(
        self, parameters: Any, gradient: Any, learning_rate: Any, accum: Any, momentum: Any, stat: Any
    ) -> Tensor:
        """Update `parameters`, `accum` and `stat`; return the new value of the first."""
        given = _Given("SGD", parameters=parameters, accum=accum, stat=stat)
        gradients = given.like_variable("gradient", gradient)
        rate, momentum = given.scalar("learning_rate", learning_rate), given.scalar("momentum", momentum)
        variables, moments, stats = given.writable()
        sgd_first(
            variables,
            gradients,
            moments,
            stats,
            rate=rate,
            momentum=momentum,
            dampening=self.dampening,
            decay=self.weight_decay,
            nesterov=self.nesterov,
        )
        return wrap(variables[0])


class Adam(Primitive):
    """One step of Adam, in place.

    Args:
        use_locking: whether the update is protected from other writers; it always is. Default: False.
        use_nesterov: whether the gradient is taken where the momentum leads to. Default: False.

    The call takes (var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient): the first three are
    Parameters of one shape, `gradient` a Tensor of that shape, the others numbers or scalar Tensors. It returns the new
    values of (var, m, v).

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: the shapes differ.

    MindSpore: `mindspore.ops.Adam`.
    """

    def __init__(self, use_locking: bool = False, use_nesterov: bool = False) -> None:
        super().__init__()
        _check_flags("Adam", use_locking=use_locking, use_nesterov=use_nesterov)
        self.use_locking = use_locking
        self.use_nesterov = use_nesterov

    def __call__(
        self,
        var: Any,
        m: Any,
        v: Any,
        beta1_power: Any,
        beta2_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        gradient: Any,
    ) -> tuple[Tensor, ...]:
        """Update `var`, `m` and `v`; return their new values."""
        given = _Given("Adam", var=var, m=m, v=v)
        gradients = given.like_variable("gradient", gradient)
        first, second = given.scalar("beta1_power", beta1_power), given.scalar("beta2_power", beta2_power)
        return given.adam_step(
            gradients,
            rate=given.scalar("lr", lr) * (1 - second) ** 0.5 / (1 - first),
            beta1=given.scalar("beta1", beta1),
            beta2=given.scalar("beta2", beta2),
            eps=given.scalar("epsilon", epsilon),
            nesterov=self.use_nesterov,
        )


class AdamWeightDecay(Primitive):
    """One step of Adam without bias correction and with decoupled weight decay, in place.

    Args:
        use_locking: whether the update is protected from other writers; it always is. Default: False.

    The call takes (var, m, v, lr, beta1, beta2, epsilon, decay, gradient): the first three are Parameters of one shape,
    `gradient` a Tensor of that shape, the others numbers or scalar Tensors. It returns the new values of (var, m, v).

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: the shapes differ.

    MindSpore: `mindspore.ops.AdamWeightDecay`.
    """

    def __init__(self, use_locking: bool = False) -> None:
        super().__init__()
        _check_flags("AdamWeightDecay", use_locking=use_locking)
        self.use_locking = use_locking

    def __call__(
        self, var: Any, m: Any, v: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, decay: Any, gradient: Any
    ) -> tuple[Tensor, ...]:
        """Update `var`, `m` and `v`; return their new values."""
        given = _Given("AdamWeightDecay", var=var, m=m, v=v)
        return given.adam_step(
            given.like_variable("gradient", gradient),
            rate=given.scalar("lr", lr),
            beta1=given.scalar("beta1", beta1),
            beta2=given.scalar("beta2", beta2),
            eps=given.scalar("epsilon", epsilon),
            decay=given.scalar("decay", decay),
            decoupled=True,
        )


class _Given:
    """The checked arguments of a primitive: the Parameters or Tensors that it updates, all of the first one's shape."""

    def __init__(self, api: str, **parameters: Any) -> None:
        self.api = api
        for name, parameter in parameters.items():
            if not isinstance(parameter, Tensor):
                raise TypeError(
                    f"For '{api}', '{name}' must be a Parameter or a Tensor, which the update writes, "
                    f"but got {describe(parameter)}."
                )
        self.variable, *_ = self.parameters = list(parameters.values())
        self.name = next(iter(parameters))
        for name, parameter in parameters.items():
            self._check_shape(name, parameter._t)

    def _check_shape(self, name: str, value: torch.Tensor) -> None:
        if value.shape != self.variable._t.shape:
            raise ValueError(
                f"For '{self.api}', '{name}' must have the shape of '{self.name}', {self.variable.shape}, "
                f"but got {tuple(value.shape)}."
            )

    def like_variable(self, name: str, gradient: Any) -> Tensors:
        """Return the gradient, alone in a list, with the data type and the strides of the variable."""
        value = gradient._t if isinstance(gradient, Tensor) else as_tensor(gradient, self.api, name)
        self._check_shape(name, value)
        check_real(value, self.api, name)
        return [fitting(value.detach(), self.variable._t)]

    def scalar(self, name: str, value: Any) -> float:
        return float(as_float(value, self.api, name))

    def writable(self) -> list[Tensors]:
        """Return the tensors to write, each alone in a list."""
        return [[writable_like(parameter, self.variable._t).detach()] for parameter in self.parameters]

    def adam_step(self, gradients: Tensors, **options: Any) -> tuple[Tensor, ...]:
        variables, means, squares = self.writable()
        adam(variables, gradients, means, squares, [], fused=can_fuse(variables[0].device), **options)
        return tuple(wrap(values[0]) for values in (variables, means, squares))


def _check_flags(api: str, **flags: Any) -> None:
    for name, value in flags.items():
        check_bool(value, name, api)
