"""One step of optimizers whose gradients are whole tensors, in place."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.ops.updates.decorator import Gradient, Scalar, Written, update_rule

__all__ = [
    "AdamNoUpdateParam", "ApplyAdaMax", "ApplyAdadelta", "ApplyAdagrad", "ApplyAdagradDA", "ApplyAdagradV2",
    "ApplyAdamWithAmsgrad", "ApplyAdamWithAmsgradV2", "ApplyAddSign", "ApplyCenteredRMSProp", "ApplyFtrl",
    "ApplyGradientDescent", "ApplyKerasMomentum", "ApplyPowerSign", "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent", "ApplyRMSProp",
]  # fmt: skip


def _power(base: Any, exponent: Any) -> Any:
    return base**exponent


def mean_to(mean: Tensor, value: Tensor, decay: Any) -> Tensor:
    """Move a running mean towards a value."""
    return mean.mul_(decay).add_(value * (1 - decay))


# Rules that the sparse updates share; they change their first arguments.


def adadelta_step(var: Tensor, accum: Tensor, updates: Tensor, lr: Any, rho: Any, epsilon: Any, grad: Tensor) -> None:
    mean_to(accum, grad * grad, rho)
    update = ((updates + epsilon) / (accum + epsilon)).sqrt() * grad
    mean_to(updates, update * update, rho)
    var.sub_(lr * update)


def ftrl_step(
    var: Tensor,
    accum: Tensor,
    linear: Tensor,
    grad: Tensor,
    lr: Any,
    l1: Any,
    l2: Any,
    power: Any,
    shrinkage: Any = 0.0,
) -> None:
    total = accum + grad * grad
    now, before = _power(total, -power), _power(accum, -power)
    linear.add_(grad + 2 * shrinkage * var - (now - before) / lr * var)
    accum.copy_(total)
    shrunk = linear.clamp(min=-l1, max=l1) if not isinstance(l1, Tensor) else linear.minimum(l1).maximum(-l1)
    var.copy_(torch.where(linear.abs() > l1, (shrunk - linear) / (now / lr + 2 * l2), 0))


def rms_step(
    var: Tensor, square: Tensor, moment: Tensor, lr: Any, grad: Tensor, decay: Any, momentum: Any, epsilon: Any
) -> None:
    mean_to(square, grad * grad, decay)
    var.sub_(moment.mul_(momentum).add_(lr * grad / (square + epsilon).sqrt()))


def _proximal(var: Tensor, rate: Any, l1: Any, l2: Any, step: Any) -> None:
    """Move by -step, then towards 0 by the proximal operator of l1 and l2."""
    moved = var - step
    var.copy_(moved.sign() / (1 + rate * l2) * (moved.abs() - rate * l1).clamp(min=0))


def proximal_adagrad_step(var: Tensor, accum: Tensor, lr: Any, l1: Any, l2: Any, grad: Tensor) -> None:
    rate = lr / accum.add_(grad * grad).sqrt()
    _proximal(var, rate, l1, l2, rate * grad)


def adam_step(
    var: Tensor, m: Tensor, v: Tensor, rate: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Tensor, nesterov: bool
) -> None:
    mean_to(m, grad, beta1)
    mean_to(v, grad * grad, beta2)
    ahead = m * beta1 + grad * (1 - beta1) if nesterov else m
    var.sub_(rate * ahead / (v.sqrt() + epsilon))


def corrected_rate(lr: Any, beta1_power: Any, beta2_power: Any) -> Any:
    """Return the learning rate of Adam with its correction of the bias."""
    return lr * _power(1 - beta2_power, 0.5) / (1 - beta1_power)


# The primitives


@update_rule
def ApplyAdaMax(
    var: Written,
    m: Written,
    v: Written,
    beta1_power: Scalar,
    lr: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    epsilon: Scalar,
    grad: Gradient,
) -> Any:
    r"""One step of AdaMax, in place.

    .. math::
        m = \beta_1 m + (1 - \beta_1) g, \quad v = \max(\beta_2 v, |g|), \quad
        var = var - lr / (1 - \beta_1^t) \cdot m / (v + \epsilon)

    The call takes (var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad): three Parameters of one shape, numbers or
    scalar Tensors, a Tensor of that shape. It returns the new values of (var, m, v).

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    mean_to(m, grad, beta1)
    v.copy_(torch.maximum(v * beta2, grad.abs()))
    return var.sub_(lr / (1 - beta1_power) * m / (v + epsilon)), m, v


@update_rule
def ApplyAdadelta(
    var: Written, accum: Written, accum_update: Written, lr: Scalar, rho: Scalar, epsilon: Scalar, grad: Gradient
) -> Any:
    r"""One step of Adadelta, in place.

    .. math::
        accum = \rho accum + (1 - \rho) g^2, \quad u = g \sqrt{accum\_update + \epsilon} / \sqrt{accum + \epsilon},
        \quad accum\_update = \rho accum\_update + (1 - \rho) u^2, \quad var = var - lr \cdot u

    The call takes (var, accum, accum_update, lr, rho, epsilon, grad) and returns the new values of the first three.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    adadelta_step(var, accum, accum_update, lr, rho, epsilon, grad)
    return var, accum, accum_update


def _adagrad(var: Tensor, accum: Tensor, lr: Any, grad: Tensor, epsilon: float, update_slots: bool) -> Any:
    if update_slots:
        accum.add_(grad * grad)
    return var.sub_(lr * grad / (accum.sqrt() + epsilon)), accum


@update_rule
def ApplyAdagrad(var: Written, accum: Written, lr: Scalar, grad: Gradient, *, update_slots: bool = True) -> Any:
    r"""One step of Adagrad, in place: :math:`accum = accum + g^2, var = var - lr \cdot g / \sqrt{accum}`.

    The call takes (var, accum, lr, grad) and returns the new values of (var, accum).

    Args:
        update_slots: whether `accum` is updated. Default: True.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.

    Examples:
        >>> import torchspore as ms
        >>> var, accum = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> print(ms.ops.ApplyAdagrad()(var, accum, 0.1, ms.Tensor([2.0]))[0], accum.asnumpy())
        [0.9] [4.]
    """
    return _adagrad(var, accum, lr, grad, 0.0, update_slots)


@update_rule
def ApplyAdagradV2(
    var: Written, accum: Written, lr: Scalar, grad: Gradient, *, epsilon: float, update_slots: bool = True
) -> Any:
    r"""One step of Adagrad, in place: :math:`accum = accum + g^2, var = var - lr \cdot g / (\sqrt{accum} + \epsilon)`.

    The call takes (var, accum, lr, grad) and returns the new values of (var, accum).

    Args:
        epsilon: what is added to the root.
        update_slots: whether `accum` is updated. Default: True.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    return _adagrad(var, accum, lr, grad, epsilon, update_slots)


@update_rule
def ApplyAdagradDA(
    var: Written,
    gradient_accumulator: Written,
    gradient_squared_accumulator: Written,
    grad: Gradient,
    lr: Scalar,
    l1: Scalar,
    l2: Scalar,
    global_step: Scalar,
    *,
    use_locking: bool = False,
) -> Any:
    r"""One step of Adagrad with dual averaging, in place.

    .. math::
        G = G + g, \quad S = S + g^2, \quad
        var = -lr \cdot sign(G) \max(|G| - l1 \cdot t, 0) / (l2 \cdot t \cdot lr + \sqrt{S})

    The call takes (var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step) and returns
    the new value of `var`.

    Args:
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    total = gradient_accumulator.add_(grad)
    squares = gradient_squared_accumulator.add_(grad * grad)
    shrunk = total.sign() * (total.abs() - l1 * global_step).clamp(min=0)
    return var.copy_(-lr * shrunk / (l2 * global_step * lr + squares.sqrt()))


def _amsgrad(
    var: Tensor, m: Tensor, v: Tensor, vhat: Tensor, rate: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Tensor
) -> Any:
    mean_to(m, grad, beta1)
    mean_to(v, grad * grad, beta2)
    vhat.copy_(torch.maximum(vhat, v))
    return var.sub_(rate * m / (vhat.sqrt() + epsilon)), m, v, vhat


@update_rule
def ApplyAdamWithAmsgrad(
    var: Written,
    m: Written,
    v: Written,
    vhat: Written,
    beta1_power: Scalar,
    beta2_power: Scalar,
    lr: Scalar,
    grad: Gradient,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    use_locking: bool = False,
) -> Any:
    r"""One step of Adam with AMSGrad, in place.

    .. math::
        m = \beta_1 m + (1 - \beta_1) g, \quad v = \beta_2 v + (1 - \beta_2) g^2, \quad \hat v = \max(\hat v, v), \quad
        var = var - lr \sqrt{1 - \beta_2^t} / (1 - \beta_1^t) \cdot m / (\sqrt{\hat v} + \epsilon)

    The call takes (var, m, v, vhat, beta1_power, beta2_power, lr, grad) and returns the new values of the first four.

    Args:
        beta1, beta2: the decays of the means. Default: 0.9 and 0.999.
        epsilon: what is added to the root. Default: 1e-8.
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    return _amsgrad(var, m, v, vhat, corrected_rate(lr, beta1_power, beta2_power), beta1, beta2, epsilon, grad)


@update_rule
def ApplyAdamWithAmsgradV2(
    var: Written,
    m: Written,
    v: Written,
    vhat: Written,
    beta1_power: Scalar,
    beta2_power: Scalar,
    lr: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    epsilon: Scalar,
    grad: Gradient,
    *,
    use_locking: bool = False,
) -> Any:
    """One step of Adam with AMSGrad, in place; `ApplyAdamWithAmsgrad` with all numbers as inputs.

    The call takes (var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad) and returns the new
    values of the first four.

    Args:
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    return _amsgrad(var, m, v, vhat, corrected_rate(lr, beta1_power, beta2_power), beta1, beta2, epsilon, grad)


@update_rule
def ApplyAddSign(
    var: Written, m: Written, lr: Scalar, alpha: Scalar, sign_decay: Scalar, beta: Scalar, grad: Gradient
) -> Any:
    r"""One step of AddSign, in place.

    .. math::
        m = \beta m + (1 - \beta) g, \quad var = var - lr (\alpha + sign\_decay \cdot sign(g) sign(m)) g

    The call takes (var, m, lr, alpha, sign_decay, beta, grad) and returns the new values of (var, m).

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    mean_to(m, grad, beta)
    return var.sub_(lr * (alpha + sign_decay * grad.sign() * m.sign()) * grad), m


@update_rule
def ApplyPowerSign(
    var: Written, m: Written, lr: Scalar, logbase: Scalar, sign_decay: Scalar, beta: Scalar, grad: Gradient
) -> Any:
    r"""One step of PowerSign, in place.

    .. math::
        m = \beta m + (1 - \beta) g, \quad var = var - lr \exp(logbase \cdot sign\_decay \cdot sign(g) sign(m)) g

    The call takes (var, m, lr, logbase, sign_decay, beta, grad) and returns the new values of (var, m).

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    mean_to(m, grad, beta)
    return var.sub_(lr * torch.exp(logbase * sign_decay * grad.sign() * m.sign()) * grad), m


@update_rule
def ApplyRMSProp(
    var: Written,
    mean_square: Written,
    moment: Written,
    learning_rate: Scalar,
    grad: Gradient,
    decay: Scalar,
    momentum: Scalar,
    epsilon: Scalar,
    *,
    use_locking: bool = False,
) -> Any:
    r"""One step of RMSProp, in place.

    .. math::
        s = \rho s + (1 - \rho) g^2, \quad m = \beta m + lr \cdot g / \sqrt{s + \epsilon}, \quad var = var - m

    The call takes (var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon) and returns the new value
    of `var`.

    Args:
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    rms_step(var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon)
    return var


@update_rule
def ApplyCenteredRMSProp(
    var: Written,
    mean_gradient: Written,
    mean_square: Written,
    moment: Written,
    grad: Gradient,
    learning_rate: Scalar,
    decay: Scalar,
    momentum: Scalar,
    epsilon: Scalar,
    *,
    use_locking: bool = False,
) -> Any:
    r"""One step of RMSProp with an estimate of the variance, in place.

    .. math::
        \bar g = \rho \bar g + (1 - \rho) g, \quad s = \rho s + (1 - \rho) g^2, \quad
        m = \beta m + lr \cdot g / \sqrt{s - \bar g^2 + \epsilon}, \quad var = var - m

    The call takes (var, mean_gradient, mean_square, moment, grad, learning_rate, decay, momentum, epsilon) and returns
    the new value of `var`.

    Args:
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    mean_to(mean_square, grad * grad, decay)
    mean_to(mean_gradient, grad, decay)
    scale = (mean_square - mean_gradient * mean_gradient + epsilon).sqrt()
    return var.sub_(moment.mul_(momentum).add_(learning_rate * grad / scale))


@update_rule
def ApplyFtrl(
    var: Written,
    accum: Written,
    linear: Written,
    grad: Gradient,
    lr: Scalar,
    l1: Scalar,
    l2: Scalar,
    lr_power: Scalar,
    *,
    use_locking: bool = False,
) -> Any:
    """One step of FTRL-proximal, in place; H. B. McMahan et al., Ad Click Prediction, 2013.

    The call takes (var, accum, linear, grad, lr, l1, l2, lr_power) and returns the new value of `var`.

    Args:
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    ftrl_step(var, accum, linear, grad, lr, l1, l2, lr_power)
    return var


@update_rule
def ApplyGradientDescent(var: Written, alpha: Scalar, delta: Gradient) -> Any:
    """One step of gradient descent, in place: `var - alpha * delta`.

    The call takes (var, alpha, delta) and returns the new value of `var`.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    return var.sub_(alpha * delta)


@update_rule
def ApplyKerasMomentum(
    var: Written,
    accum: Written,
    lr: Scalar,
    grad: Gradient,
    momentum: Scalar,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> Any:
    """One step of gradient descent with momentum, in place: `accum = accum * momentum - lr * grad`, added to `var`.

    The call takes (var, accum, lr, grad, momentum) and returns the new values of (var, accum).

    Args:
        use_locking: without effect: updates are never disturbed.
        use_nesterov: whether `accum * momentum - lr * grad` with the new `accum` is added instead. Default: False.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    accum.mul_(momentum).sub_(lr * grad)
    return var.add_(accum * momentum - lr * grad if use_nesterov else accum), accum


@update_rule
def ApplyProximalAdagrad(
    var: Written, accum: Written, lr: Scalar, l1: Scalar, l2: Scalar, grad: Gradient, *, use_locking: bool = False
) -> Any:
    r"""One step of proximal Adagrad, in place.

    .. math::
        accum = accum + g^2, \quad r = lr / \sqrt{accum}, \quad p = var - r \cdot g, \quad
        var = sign(p) \max(|p| - r \cdot l1, 0) / (1 + r \cdot l2)

    The call takes (var, accum, lr, l1, l2, grad) and returns the new values of (var, accum).

    Args:
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    proximal_adagrad_step(var, accum, lr, l1, l2, grad)
    return var, accum


@update_rule
def ApplyProximalGradientDescent(var: Written, alpha: Scalar, l1: Scalar, l2: Scalar, delta: Gradient) -> Any:
    r"""One step of proximal gradient descent, in place.

    .. math::
        p = var - alpha \cdot delta, \quad var = sign(p) \max(|p| - alpha \cdot l1, 0) / (1 + alpha \cdot l2)

    The call takes (var, alpha, l1, l2, delta) and returns the new value of `var`.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    _proximal(var, alpha, l1, l2, alpha * delta)
    return var


@update_rule
def AdamNoUpdateParam(
    m: Written,
    v: Written,
    beta1_power: Scalar,
    beta2_power: Scalar,
    lr: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    epsilon: Scalar,
    gradient: Gradient,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> Any:
    """One step of Adam that updates the means in place and returns what to add to the variable.

    The call takes (m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient).

    Args:
        use_locking: without effect: updates are never disturbed.
        use_nesterov: whether the gradient is taken where the momentum leads to. Default: False.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    step = torch.zeros_like(m)
    rate = corrected_rate(lr, beta1_power, beta2_power)
    adam_step(step, m, v, rate, beta1, beta2, epsilon, gradient, use_nesterov)
    return step
