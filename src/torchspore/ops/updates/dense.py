"""One step of optimizers whose gradients are whole tensors, in place."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.ops.updates.decorator import Gradient, Scalar, Written, update_rule
from torchspore.ops.updates.rules import adam, as_scalar, descend
from torchspore.ops.updates.unfused_rules import adadelta, adagrad, adamax, ftrl, proximal_adagrad, rms, shrink

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


def corrected_rate(lr: Any, beta1_power: Any, beta2_power: Any) -> Any:
    """Return the learning rate of Adam with its correction of the bias."""
    return lr * _power(1 - beta2_power, 0.5) / (1 - beta1_power)


def adam_step(var: Tensor, m: Tensor, v: Tensor, grad: Tensor, numbers: tuple[Any, ...], nesterov: bool) -> None:
    """Apply a step of Adam; `numbers` are the powers of the betas, the learning rate, the betas and epsilon."""
    *powers, lr, beta1, beta2, epsilon = numbers
    rate = corrected_rate(lr, *powers)
    options = {"beta1": beta1, "beta2": beta2, "eps": epsilon, "nesterov": nesterov}
    adam([var], [grad], [m], [v], [], rate=rate, fused=False, **options)


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
    adamax([var], [grad], [m], [v], lr / (1 - beta1_power), beta1, beta2, epsilon)
    return var, m, v


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
    adadelta([var], [grad], [accum], [accum_update], lr, rho, epsilon)
    return var, accum, accum_update


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
    adagrad([var], [grad], [accum], lr, update=update_slots)
    return var, accum


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
    adagrad([var], [grad], [accum], lr, epsilon, update_slots)
    return var, accum


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
    rate = corrected_rate(lr, beta1_power, beta2_power)
    adam([var], [grad], [m], [v], [vhat], rate=rate, beta1=beta1, beta2=beta2, eps=epsilon, fused=False)
    return var, m, v, vhat


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
    rate = corrected_rate(lr, beta1_power, beta2_power)
    adam([var], [grad], [m], [v], [vhat], rate=rate, beta1=beta1, beta2=beta2, eps=epsilon, fused=False)
    return var, m, v, vhat


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
    rms([var], [grad], [mean_square], [moment], [], learning_rate, decay, momentum, epsilon)
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
    rms([var], [grad], [mean_square], [moment], [mean_gradient], learning_rate, decay, momentum, epsilon)
    return var


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
    ftrl([var], [grad], [accum], [linear], lr, -lr_power, l1, l2)
    return var


@update_rule
def ApplyGradientDescent(var: Written, alpha: Scalar, delta: Gradient) -> Any:
    """One step of gradient descent, in place: `var - alpha * delta`.

    The call takes (var, alpha, delta) and returns the new value of `var`.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    descend([var], [delta], alpha)
    return var


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
    proximal_adagrad([var], [grad], [accum], lr, l1, l2)
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
    descend([var], [delta], alpha)
    shrink([var], [as_scalar(alpha, var)], l1, l2)
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
    adam_step(step, m, v, gradient, (beta1_power, beta2_power, lr, beta1, beta2, epsilon), use_nesterov)
    return step
