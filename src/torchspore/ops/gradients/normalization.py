"""Kernels of gradients of normalizations and of losses with several forms."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from torchspore.engine.primitive import as_primitive
from torchspore.ops.gradients.pull_back import pull_back

__all__ = [
    "BatchNormGrad", "BatchNormGradGrad", "BinaryCrossEntropyWithLogitsBackward", "GroupNormGrad", "InstanceNormGrad",
    "InstanceNormV2Grad", "KLDivGrad", "L1LossBackwardExt", "LayerNormGrad", "LayerNormGradExt", "LayerNormGradGrad",
    "LayerNormGradV3", "MSELossGradExt", "NLLLoss2dGrad", "NLLLossGrad", "RmsNormGrad", "SmoothL1LossGrad",
]  # fmt: skip


def _reduced(dy: Tensor, x: Tensor, scale: Tensor, mean: Tensor, rstd: Tensor, over: list[int]) -> tuple[Tensor, ...]:
    """Return the gradients of a normalization's input, scale and shift, over the dimensions of its statistics."""
    normal = (x - mean) * rstd
    scaled = dy * scale
    centred = scaled - scaled.mean(over, keepdim=True)
    return (centred - normal * (scaled * normal).mean(over, keepdim=True)) * rstd, dy * normal, dy


def _of_input(x: Tensor, over: list[int], *given: Tensor) -> list[Tensor]:
    """Return mean and variance of an input: the values are those given, the gradients the input's."""
    values = [statistic.detach() for statistic in given]
    if not torch.is_grad_enabled():
        return values
    own = x.mean(over, keepdim=True), x.var(over, correction=0, keepdim=True)
    return [value + (part - part.detach()).view(value.shape) for value, part in zip(values, own)]


# Batches


def _batch_norm_gradients(
    dy: Tensor, x: Tensor, scale: Tensor, mean: Tensor, variance: Tensor, training: bool, eps: float
) -> tuple[Tensor, ...]:
    """Return the gradients of input, scale and shift, of which channels are the second dimension."""
    over = [dim for dim in range(x.ndim) if dim != 1]
    view = [-1 if dim == 1 else 1 for dim in range(x.ndim)]
    mean, variance = _of_input(x, over, mean, variance) if training else (mean.detach(), variance.detach())
    rstd = (variance + eps).rsqrt().view(view)
    dx, dscale, dshift = _reduced(dy, x, scale.view(view), mean.view(view), rstd, over)
    return dx if training else dy * scale.view(view) * rstd, dscale.sum(over), dshift.sum(over)


@as_primitive
def BatchNormGrad(
    dout: Tensor,
    x: Tensor,
    scale: Tensor,
    saved_mean: Tensor,
    saved_variance: Tensor,
    reserve: Any = None,
    *,
    is_training: bool = False,
    epsilon: float = 1e-5,
    data_format: str = "NCHW",
) -> tuple[Tensor, ...]:
    """The gradients of the input, the scale and the shift of `BatchNorm`."""
    last = data_format == "NHWC"
    dout, x = (t.movedim(-1, 1) if last else t for t in (dout, x))
    dx, *rest = _batch_norm_gradients(dout, x, scale, saved_mean, saved_variance, is_training, epsilon)
    return (dx.movedim(1, -1) if last else dx, *rest)


@as_primitive
def BatchNormGradGrad(
    x: Tensor,
    dy: Tensor,
    scale: Tensor,
    saved_mean: Tensor,
    saved_variance: Tensor,
    dout_dx: Tensor,
    dout_dscale: Tensor,
    dout_dbias: Tensor,
    *,
    is_training: bool = False,
    epsilon: float = 1e-5,
    data_format: str = "NCHW",
) -> tuple[Tensor, ...]:
    """The gradients of the input, the output's gradient and the scale of `BatchNormGrad`."""
    last = data_format == "NHWC"
    x, dy, dout_dx = (t.movedim(-1, 1) if last else t for t in (x, dy, dout_dx))

    def forward(x: Tensor, dy: Tensor, scale: Tensor) -> tuple[Tensor, ...]:
        return _batch_norm_gradients(dy, x, scale, saved_mean, saved_variance, is_training, epsilon)

    dx, ddy, dscale = pull_back(forward, [x, dy, scale], [dout_dx, dout_dscale, dout_dbias])
    return (*(t.movedim(1, -1) if last else t for t in (dx, ddy)), dscale)


def _instance_norm(dy: Tensor, x: Tensor, gamma: Tensor, mean: Tensor, variance: Tensor, eps: float) -> Any:
    over = list(range(2, x.ndim))
    mean, variance = _of_input(x, over, mean, variance)
    return _reduced(dy, x, gamma, mean, (variance + eps).rsqrt(), over)


@as_primitive
def InstanceNormGrad(
    dy: Tensor, x: Tensor, gamma: Tensor, save_mean: Tensor, save_variance: Tensor, *,
    epsilon: float = 0.0, momentum: float = 0.1,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The gradients of the input, the scale and the shift of `InstanceNorm`."""
    over = list(range(2, x.ndim))
    each = (*x.shape[:2], *[1] * len(over))
    scale = gamma.view(1, -1, *[1] * len(over))
    dx, *rest = _instance_norm(dy, x, scale, save_mean.view(each), save_variance.view(each), epsilon)
    return dx, *(part.sum([0, *over]) for part in rest)


@as_primitive
def InstanceNormV2Grad(
    dy: Tensor, x: Tensor, gamma: Tensor, mean: Tensor, variance: Tensor, save_mean: Tensor, save_variance: Tensor, *,
    is_training: bool = True, epsilon: float = 1e-5,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The gradients of the input, the scale and the shift of `InstanceNormV2`, which saves reciprocal deviations."""
    over = list(range(2, x.ndim))
    chosen = (save_mean, save_variance**-2 - epsilon) if is_training else (mean, variance)
    dx, *rest = _instance_norm(dy, x, gamma, *chosen, epsilon)
    if not is_training:
        dx = dy * gamma * (variance + epsilon).rsqrt()
    return dx, *(part.sum(over, keepdim=True) for part in rest)


# Layers


def _layer_norm_gradients(
    x: Tensor, dy: Tensor, variance: Tensor, mean: Tensor, gamma: Tensor, axis: int, params_axis: int
) -> tuple[Tensor, ...]:
    over = list(range(axis % x.ndim, x.ndim))
    mean, variance = _of_input(x, over, mean, variance)
    dx, dgamma, dbeta = _reduced(dy, x, gamma, mean, (variance + 1e-12).rsqrt(), over)
    before = list(range(params_axis % x.ndim))
    return dx, *((part.sum(before) if before else part).view(gamma.shape) for part in (dgamma, dbeta))


@as_primitive
def LayerNormGrad(
    x: Tensor, dy: Tensor, variance: Tensor, mean: Tensor, gamma: Tensor, *,
    begin_norm_axis: int = 1, begin_params_axis: int = 1,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The gradients of the input, the scale and the shift of `LayerNorm`."""
    return _layer_norm_gradients(x, dy, variance, mean, gamma, begin_norm_axis, begin_params_axis)


@as_primitive
def LayerNormGradV3(
    x: Tensor, dy: Tensor, variance: Tensor, mean: Tensor, gamma: Tensor, *,
    begin_norm_axis: int = 1, begin_params_axis: int = 1,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The gradients of the input, the scale and the shift of `LayerNormV3`, by the reciprocal standard deviation."""
    return _layer_norm_gradients(x, dy, variance**-2, mean, gamma, begin_norm_axis, begin_params_axis)


@as_primitive
def LayerNormGradExt(
    dy: Tensor, x: Tensor, normalized_shape: Any, mean: Tensor, variance: Tensor, gamma: Tensor, beta: Any,
    output_mask: Any = (1, 1, 1),
) -> tuple[Tensor, ...]:  # fmt: skip
    """The gradients of the input, the scale and the shift of `layer_norm`, by the reciprocal standard deviation."""
    axis = x.ndim - gamma.ndim
    return _layer_norm_gradients(x, dy, variance**-2, mean, gamma, axis, axis)


@as_primitive
def LayerNormGradGrad(
    x: Tensor, dy: Tensor, variance: Tensor, mean: Tensor, gamma: Tensor, d_dx: Tensor, d_dg: Tensor, d_db: Tensor, *,
    begin_norm_axis: int = 1, begin_params_axis: int = 1,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The gradients of the input, the output's gradient and the scale of `LayerNormGrad`."""

    def forward(x: Tensor, dy: Tensor, gamma: Tensor) -> tuple[Tensor, ...]:
        return _layer_norm_gradients(x, dy, variance, mean, gamma, begin_norm_axis, begin_params_axis)

    return tuple(pull_back(forward, [x, dy, gamma], [d_dx, d_dg, d_db]))


@as_primitive
def RmsNormGrad(dy: Tensor, x: Tensor, rstd: Tensor, gamma: Tensor) -> tuple[Tensor, ...]:
    """The gradients of the input and the scale of `RmsNorm`, by the reciprocal root of the mean square."""
    over = list(range(x.ndim - gamma.ndim, x.ndim))
    normal, scaled = x * rstd, dy * gamma
    dx = (scaled - normal * (scaled * normal).mean(over, keepdim=True)) * rstd
    return dx, (dy * normal).sum_to_size(gamma.shape)


@as_primitive
def GroupNormGrad(
    dy: Tensor, x: Tensor, mean: Tensor, rstd: Tensor, gamma_opt: Tensor, num_groups: int,
    dx_is_require: bool = True, dgamma_is_require: bool = True, dbeta_is_require: bool = True,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The gradients of the input, the scale and the shift of `group_norm`."""
    grouped = (x.shape[0], num_groups, -1, *x.shape[2:])
    one = [1] * (x.ndim - 1)
    dx, *rest = _reduced(
        dy.reshape(grouped), x.reshape(grouped), gamma_opt.view(1, num_groups, -1, *[1] * (x.ndim - 2)),
        mean.view(*mean.shape, *one), rstd.view(*rstd.shape, *one), list(range(2, x.ndim + 1)),
    )  # fmt: skip
    over = [0, *range(2, x.ndim)]
    return dx.reshape(x.shape), *(part.reshape(x.shape).sum(over) for part in rest)


# Losses


@as_primitive
def BinaryCrossEntropyWithLogitsBackward(
    grad_output: Tensor, input: Tensor, target: Tensor, weight: Tensor | None = None, posWeight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The gradient of `BCEWithLogitsLoss`."""
    return pull_back(
        lambda x: functional.binary_cross_entropy_with_logits(
            x, target, weight, reduction=reduction, pos_weight=posWeight
        ), [input], [grad_output],
    )[0]  # fmt: skip


@as_primitive
def KLDivGrad(
    grad_output: Tensor, input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """The gradient of `kl_div`."""
    loss = "sum" if reduction == "mean" else reduction
    gradient = pull_back(
        lambda x: functional.kl_div(x, target, reduction=loss, log_target=log_target), [input], [grad_output]
    )[0]
    return gradient / input.numel() if reduction == "mean" else gradient


@as_primitive
def L1LossBackwardExt(grad_output: Tensor, input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The gradient of `l1_loss`."""
    return pull_back(lambda x: functional.l1_loss(x, target, reduction=reduction), [input], [grad_output])[0]


@as_primitive
def MSELossGradExt(dout: Tensor, x: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The gradient of `mse_loss`."""
    return pull_back(lambda x: functional.mse_loss(x, target, reduction=reduction), [x], [dout])[0]


@as_primitive
def SmoothL1LossGrad(
    prediction: Tensor, target: Tensor, dout: Tensor, *, beta: float = 1.0, reduction: str = "none"
) -> Tensor:
    """The gradient of `SmoothL1Loss`."""
    return pull_back(
        lambda x: functional.smooth_l1_loss(x, target, reduction=reduction, beta=beta), [prediction], [dout]
    )[0]


@as_primitive
def NLLLossGrad(
    logits: Tensor, loss_grad: Tensor, labels: Tensor, weight: Tensor, total_weight: Tensor, *,
    reduction: str = "mean", ignore_index: int = -100,
) -> Tensor:  # fmt: skip
    """The gradient of `NLLLoss`; for the mean it is the sum's gradient, divided by `total_weight`."""
    mode = "none" if reduction == "none" else "sum"
    gradient = pull_back(
        lambda x: functional.nll_loss(x, labels.long(), weight, ignore_index=ignore_index, reduction=mode),
        [logits], [loss_grad],
    )[0]  # fmt: skip
    return gradient / total_weight if reduction == "mean" else gradient


@as_primitive
def NLLLoss2dGrad(
    loss_grad: Tensor, input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, ignore_index: int,
    total_weight: Any,
) -> Tensor:  # fmt: skip
    """The gradient of `nll_loss` of images."""
    return pull_back(
        lambda x: functional.nll_loss(x, target.long(), weight, ignore_index=ignore_index, reduction=reduction),
        [input], [loss_grad],
    )[0]  # fmt: skip
