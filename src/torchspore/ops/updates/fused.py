"""One step of Adafactor, of Adam with mixed precision, and the scale of LARS."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from torchspore.engine.op import Operand
from torchspore.engine.primitive import as_primitive
from torchspore.ops.updates.decorator import Given, Gradient, Scalar, Slot, Written, update_rule
from torchspore.ops.updates.dense import mean_to
from torchspore.ops.updates.rules import adam, sgd

__all__ = [
    "FusedAdaFactor", "FusedAdaFactorWithGlobalNorm", "FusedCastAdamWeightDecay", "FusedWeightScaleApplyMomentum",
    "LARSUpdate",
]  # fmt: skip


@update_rule
def FusedCastAdamWeightDecay(
    var: Written,
    m: Slot,
    v: Slot,
    lr: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    epsilon: Scalar,
    decay: Scalar,
    gradient: Given,
    global_norm: Scalar,
    *,
    use_locking: bool = False,
) -> Any:
    """One step of Adam with decoupled weight decay for a variable of float16 with means of float32, in place.

    The call takes (var, m, v, lr, beta1, beta2, epsilon, decay, gradient, global_norm); the gradient is divided by
    `global_norm`. It returns the new values of (var, m, v).

    Args:
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    grad = gradient.to(m.dtype) / global_norm
    wide = var.to(m.dtype, copy=True)
    options = {"beta1": beta1, "beta2": beta2, "eps": epsilon, "decay": decay}
    adam([wide], [grad], [m], [v], [], rate=lr, decoupled=True, fused=False, **options)
    return var.copy_(wide), m, v


@update_rule
def FusedWeightScaleApplyMomentum(
    weight_decay: Scalar,
    loss_scale: Scalar,
    variable: Written,
    accumulation: Written,
    learning_rate: Scalar,
    gradient: Gradient,
    momentum: Scalar,
) -> Any:
    """One step of gradient descent with momentum, of the scaled gradient with weight decay, in place.

    The call takes (weight_decay, loss_scale, variable, accumulation, learning_rate, gradient, momentum), and returns
    the new value of `variable`; the gradient is multiplied by `loss_scale`.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.

    Examples:
        >>> import torchspore as ms
        >>> weight, moment = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
        >>> update = ms.ops.FusedWeightScaleApplyMomentum()
        >>> print(update(0.0, 0.5, weight, moment, 0.1, ms.Tensor([2.0]), 0.9))
        [0.9]
    """
    scaled = [gradient * loss_scale]
    sgd([variable], scaled, [accumulation], rate=learning_rate, momentum=momentum, decay=weight_decay, fused=False)
    return variable


def _rms(value: Tensor) -> Tensor:
    return value.square().mean().sqrt()


def _adafactor(
    epsilon: Any,
    clip_threshold: Any,
    beta1: Any,
    beta2: Any,
    weight_decay: Any,
    rate: Any,
    grad: Tensor,
    states: tuple[Tensor, ...],
    flags: tuple[bool, bool, bool],
) -> Tensor:
    param, mean, row, column, square = states
    by_parameter, with_mean, with_decay = flags
    least, least_rate = epsilon.tolist() if hasattr(epsilon, "tolist") else epsilon
    if by_parameter:
        rate = rate * _rms(param).clamp(min=least_rate)
    energy = grad * grad + least
    if param.dim() >= 2:
        mean_to(row, energy.mean(-1), beta2)
        mean_to(column, energy.mean(-2), beta2)
        share = row / row.mean(-1, keepdim=True)
        update = grad * share.rsqrt().unsqueeze(-1) * column.rsqrt().unsqueeze(-2)
    else:
        update = grad * mean_to(square, energy, beta2).rsqrt()
    update = update / (_rms(update) / clip_threshold).clamp(min=1) * rate
    if with_mean:
        update = mean_to(mean, update, beta1)
    if with_decay:
        param.sub_(param * (weight_decay * rate))
    return param.sub_(update)


@update_rule
def FusedAdaFactor(
    epsilon: Any,
    clip_threshold: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    weight_decay: Scalar,
    learning_rate: Scalar,
    gradient: Given,
    param: Slot,
    exp_avg: Slot,
    exp_avg_sq_row: Slot,
    exp_avg_sq_col: Slot,
    exp_avg_sq: Slot,
    *,
    enable_scale_parameter: bool = False,
    enable_first_moment: bool = False,
    enable_weight_decay: bool = False,
) -> Any:
    """One step of Adafactor, in place; N. Shazeer and M. Stern, 2018.

    The call takes (epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient, param, exp_avg,
    exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq). `epsilon` is a pair, what is added to the squared gradient and the
    least scale of the parameter. For parameters with 2 dimensions or more the means of the squared gradient over the
    last and the last but one dimension are kept, else `exp_avg_sq`. It returns the new value of `param`.

    Args:
        enable_scale_parameter: whether the learning rate is multiplied by the root mean square of the parameter.
            Default: False.
        enable_first_moment: whether the mean `exp_avg` of the updates is applied. Default: False.
        enable_weight_decay: whether the parameter decays. Default: False.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit.
    """
    return _adafactor(
        epsilon,
        clip_threshold,
        beta1,
        beta2,
        weight_decay,
        learning_rate,
        gradient.to(param.dtype),
        (param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq),
        (enable_scale_parameter, enable_first_moment, enable_weight_decay),
    )


@update_rule
def FusedAdaFactorWithGlobalNorm(
    epsilon: Any,
    clip_threshold: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    weight_decay: Scalar,
    learning_rate: Scalar,
    gradient: Given,
    param: Slot,
    exp_avg: Slot,
    exp_avg_sq_row: Slot,
    exp_avg_sq_col: Slot,
    exp_avg_sq: Slot,
    global_norm: Scalar,
    *,
    enable_scale_parameter: bool = False,
    enable_first_moment: bool = False,
    enable_weight_decay: bool = False,
) -> Any:
    """One step of Adafactor whose gradient is divided by a last input, `global_norm`; see `FusedAdaFactor`.

    Args:
        enable_scale_parameter, enable_first_moment, enable_weight_decay: as for `FusedAdaFactor`.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit.
    """
    return _adafactor(
        epsilon,
        clip_threshold,
        beta1,
        beta2,
        weight_decay,
        learning_rate,
        gradient.to(param.dtype) / global_norm,
        (param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq),
        (enable_scale_parameter, enable_first_moment, enable_weight_decay),
    )


@as_primitive
def LARSUpdate(
    weight: Tensor,
    gradient: Tensor,
    norm_weight: Tensor,
    norm_gradient: Tensor,
    weight_decay: Operand,
    learning_rate: Operand,
    *,
    epsilon: float = 1e-05,
    hyperpara: float = 0.001,
    use_clip: bool = False,
) -> Tensor:
    """Scale a gradient by how large it is beside its weight; Y. You et al., LARS, 2017.

    Args:
        weight: the weight, a Tensor of any shape.
        gradient: its gradient, of the same shape.
        norm_weight, norm_gradient: the sums of their squares, Tensors without dimensions.
        weight_decay: what multiple of the weight is added to the gradient.
        learning_rate: the learning rate, for `use_clip`.
        epsilon: what is added to the denominator. Default: 1e-5.
        hyperpara: the trust coefficient. Default: 0.001.
        use_clip: whether the rate becomes `min(rate / learning_rate, 1)`. Default: False.

    Returns:
        The new gradient.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ.
    """
    if gradient.shape != weight.shape:
        raise ValueError(
            f"For 'LARSUpdate', the gradient must be of the weight's shape, {tuple(weight.shape)}, but got "
            f"{tuple(gradient.shape)}."
        )
    size = norm_weight.sqrt()
    rate = hyperpara * size / (norm_gradient.sqrt() + weight_decay * size + epsilon)
    if use_clip:
        rate = (rate / learning_rate).clamp(max=1)
    return (gradient + weight_decay * weight) * rate
