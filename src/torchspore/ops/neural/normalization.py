"""Normalization over batches, layers, groups, instances and neighbouring channels."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from torchspore.common.private_torch.error_texts import CHANNELS, says
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import Size, op
from torchspore.engine.parameters import Dimensions, Floats, Fraction
from torchspore.engine.primitive import Primitive, primitive
from torchspore.ops.neural.channel_statistics import loses_precision, normalized

__all__ = [
    "LRN", "BatchNorm", "L2Normalize", "LayerNorm", "RmsNorm", "batch_norm", "group_norm", "layer_norm", "lrn",
    "rms_norm",
]  # fmt: skip


@op
def batch_norm(
    input_x: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor, bias: Tensor, training: bool = False,
    momentum: Fraction = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    r"""Normalize every channel over the batch and the space, then scale and shift it.

    .. math::
        y = (x - mean) / \sqrt{variance + eps} \cdot weight + bias

    In training, mean and (biased) variance are computed from the input, and the running statistics move towards them in
    place: new = (1 - momentum) * old + momentum * observed, with the unbiased variance.

    Args:
        input_x: a floating-point Tensor of shape (N, C, *).
        running_mean, running_var: the statistics to use outside training, of shape (C,).
        weight, bias: the scale and shift, of shape (C,).
        training: whether to use the statistics of the input. Default: False.
        momentum: the weight of the observed statistics. Default: 0.1.
        eps: what is added to the variance. Default: 1e-5.

    Raises:
        TypeError: an argument is not a Tensor, or the dtypes are incompatible.
        ValueError: the number of channels differs.

    Examples:
        >>> import torchspore as ms
        >>> mean, variance, weight, bias = [ms.Tensor([value]) for value in (2.0, 4.0, 3.0, 1.0)]
        >>> print(ms.ops.batch_norm(ms.Tensor([[2.0], [6.0]]), mean, variance, weight, bias, eps=0.0).flatten())
        [1. 7.]
    """
    if running_mean.requires_grad or running_var.requires_grad:  # to be differentiated: their gradients are zero
        running_mean, running_var = running_mean.detach(), running_var.detach()
    if weight.dtype is torch.float16 and input_x.dtype is torch.float32:
        # MindSpore computes in the precision of the input, which torch refuses.
        wide = [each.to(input_x.dtype) for each in (running_mean, running_var, weight, bias)]
        y = batch_norm.body(input_x, *wide, training, momentum, eps)
        if training:
            running_mean.copy_(wide[0])
            running_var.copy_(wide[1])
        return y
    if training and loses_precision(input_x, running_mean, running_var, weight, bias):
        return normalized(input_x, running_mean, running_var, weight, bias, momentum, eps)
    try:
        # The last argument has no effect: torch.backends.cudnn.enabled decides.
        return torch.batch_norm(input_x, weight, bias, running_mean, running_var, training, momentum, eps, True)
    except RuntimeError as error:
        raise _about_channels(error, input_x, weight, "batch_norm") from None


def _about_channels(error: RuntimeError, input: Tensor, weight: Tensor, api: str) -> Exception:
    if not says(error, CHANNELS):
        return error
    return ValueError(
        f"For '{api}', the parameters must have one element per channel, but got {describe(weight)} for an input of "
        f"shape {tuple(input.shape)}."
    )


class BatchNorm(Primitive):
    """`batch_norm` as a primitive.

    Args:
        is_training, epsilon, momentum: its `training`, `eps` and `momentum`.
        data_format: "NCHW", or "NHWC" with the channels last. Default: "NCHW".

    Inputs:
        (input_x, scale, bias, mean, variance).

    Outputs:
        (output, mean, variance, mean, variance): the statistics used, the variance biased. Gradients pass through the
        output only.
    """

    def __init__(
        self, is_training: bool = False, epsilon: float = 1e-5, momentum: float = 0.1, data_format: str = "NCHW"
    ) -> None:
        super().__init__()
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError("'data_format' must be 'NCHW' or 'NHWC'")
        self.is_training = is_training
        self.epsilon = epsilon
        self.momentum = momentum
        self.data_format = data_format

    def __call__(self, input_x: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
        return _batch_norm_with_statistics(
            input_x, scale, bias, mean, variance, self.is_training, self.epsilon, self.momentum, self.data_format
        )


@op(name="BatchNorm")
def _batch_norm_with_statistics(
    input_x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor, is_training: bool, epsilon: float,
    momentum: Fraction, data_format: str,
) -> Any:  # fmt: skip
    x = input_x.movedim(-1, 1) if data_format == "NHWC" else input_x
    if is_training:
        others = [dim for dim in range(x.dim()) if dim != 1]
        used = torch.var_mean(x.detach().to(mean.dtype), others, correction=0)[::-1]
    else:
        used = (mean.clone(), variance.clone())
    y = batch_norm.body(x, mean, variance, scale, bias, is_training, momentum, epsilon)
    return (y.movedim(1, -1) if data_format == "NHWC" else y, *used, *used)


@op
def layer_norm(
    input: Tensor, normalized_shape: Size, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Normalize over the last dimensions, then scale and shift.

    Args:
        input: a floating-point Tensor.
        normalized_shape: the sizes of the dimensions to normalize over, an int or a tuple.
        weight, bias: the scale and shift, of shape `normalized_shape`, or None for ones and zeros. Default: None.
        eps: what is added to the (biased) variance. Default: 1e-5.

    Raises ValueError if the input does not end with `normalized_shape`, or a parameter has another shape.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.layer_norm(ms.Tensor([[1.0, 3.0], [2.0, 6.0]]), (2,), eps=0.0))
        [[-1.  1.]
         [-1.  1.]]
    """
    weight, bias = _of_dtype(weight, input), _of_dtype(bias, input)
    return torch.layer_norm(input, normalized_shape, weight, bias, eps)


@op(name="LayerNorm")
def scaled_layer_norm(
    input_x: Tensor, gamma: Tensor, beta: Tensor, begin_norm_axis: int, begin_params_axis: int, epsilon: float
) -> Tensor:
    """Normalize over the dimensions from `begin_norm_axis` on; the parameters span those from `begin_params_axis`."""
    if gamma.dtype is not input_x.dtype:
        gamma, beta = gamma.to(input_x.dtype), beta.to(input_x.dtype)
    shape = input_x.shape
    if begin_norm_axis == begin_params_axis:
        return torch.layer_norm(input_x, shape[begin_norm_axis:], gamma, beta, epsilon)
    if gamma.shape != shape[begin_params_axis:]:
        raise ValueError(
            f"'gamma' and 'beta' must have the shape of the input from axis {begin_params_axis} on, "
            f"{tuple(shape[begin_params_axis:])}"
        )
    return torch.layer_norm(input_x, shape[begin_norm_axis:], eps=epsilon) * gamma + beta


@op(name="LayerNorm")
def _layer_norm_with_statistics(
    input_x: Tensor, gamma: Tensor, beta: Tensor, begin_norm_axis: int, begin_params_axis: int, epsilon: float
) -> Any:
    """Normalize as `scaled_layer_norm` does; return (output, mean, variance) with sizes of 1 where normalized.

    Gradients pass through the output only.
    """
    y = scaled_layer_norm.body(input_x, gamma, beta, begin_norm_axis, begin_params_axis, epsilon)
    dims = list(range(input_x.dim()))[begin_norm_axis:]
    x = input_x.detach() if input_x.dtype is torch.float64 else input_x.detach().float()
    variance, mean = torch.var_mean(x, dims, correction=0, keepdim=True)
    return y, mean, variance


LayerNorm = primitive("LayerNorm", _layer_norm_with_statistics, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7)


@op
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Normalize over groups of channels and the space, then scale and shift every channel.

    Args:
        input: a floating-point Tensor of shape (N, C, *).
        num_groups: the number of groups, a divisor of C.
        weight, bias: the scale and shift, of shape (C,), or None for ones and zeros. Default: None.
        eps: what is added to the (biased) variance. Default: 1e-5.

    Raises ValueError if `num_groups` does not divide C, or a parameter has another shape.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.group_norm(ms.Tensor([[1.0, 3.0, 2.0, 6.0]]), 2, eps=0.0))
        [[-1.  1. -1.  1.]]
    """
    return torch.group_norm(input, num_groups, _of_dtype(weight, input), _of_dtype(bias, input), eps)


@op(name="InstanceNorm")
def instance_norm(
    input_x: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor, training: bool, momentum: float,
    epsilon: float,
) -> Tensor:  # fmt: skip
    """Normalize every channel of every sample over the space; in training, move the running statistics in place."""
    running_mean, running_var = (mean.detach(), variance.detach()) if training else (None, None)
    try:
        return torch.instance_norm(input_x, gamma, beta, running_mean, running_var, True, momentum, epsilon, True)
    except RuntimeError as error:
        raise _about_channels(error, input_x, gamma, "InstanceNorm") from None


@op
def rms_norm(x: Floats, gamma: Tensor, epsilon: float = 1e-6) -> Any:
    r"""Divide by the root mean square over the last dimensions, then scale.

    .. math::
        y = x \cdot rstd \cdot gamma, \quad rstd = 1 / \sqrt{mean(x^2) + epsilon}

    Args:
        x: a floating-point Tensor; TypeError otherwise.
        gamma: a Tensor of the shape of the dimensions to normalize over; ValueError if `x` does not end with it.
        epsilon: what is added to the mean square. Default: 1e-6.

    Returns (y, rstd): y of x's shape and dtype, rstd in float32 (of float64: float64) with sizes of 1 where normalized.

    Examples:
        >>> import torchspore as ms
        >>> y, rstd = ms.ops.rms_norm(ms.Tensor([[1.0, 7.0]]), ms.Tensor([1.0, 1.0]))
        >>> print(y, rstd)
        [[0.2 1.4]] [[0.2]]
    """
    if any(isinstance(size, torch.SymInt) for size in gamma.shape):  # torch's operation would fix the open sizes
        if x.shape[x.dim() - gamma.dim() :] != gamma.shape:
            raise ValueError(f"'x' must end with the shape of 'gamma', {tuple(gamma.shape)}")
        value = x if x.dtype is torch.float64 else x.float()
        rstd = torch.rsqrt(value.square().mean(tuple(range(-gamma.dim(), 0)), keepdim=True) + epsilon)
        return (value * rstd * gamma).to(x.dtype), rstd
    return torch.ops.aten._fused_rms_norm(x, gamma.shape, _of_dtype(gamma, x), epsilon)


RmsNorm = primitive("RmsNorm", rms_norm, epsilon=1e-6)


@op(name="L2Normalize")
def _l2_normalize(input_x: Tensor, axis: int | tuple[int, ...], epsilon: float) -> Tensor:
    r"""Divide by the Euclidean norm along `axis`: :math:`x / \sqrt{\max(\sum x^2, epsilon)}`."""
    return input_x * input_x.square().sum(axis, keepdim=True).clamp(min=epsilon).rsqrt()


L2Normalize = primitive("L2Normalize", _l2_normalize, axis=0, epsilon=1e-4)


@op
def lrn(
    x: Annotated[Tensor, Dimensions(4)],
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: Literal["ACROSS_CHANNELS"] = "ACROSS_CHANNELS",
) -> Tensor:
    r"""Divide every element by a power of the energy in the neighbouring channels.

    .. math::
        y_c = x_c \cdot (bias + alpha \sum_{|i - c| <= depth\_radius} x_i^2)^{-beta}

    Args:
        x: a floating-point Tensor of shape (N, C, H, W).
        depth_radius: the number of neighbouring channels on either side. Default: 5.
        bias, alpha, beta: the offset, factor and exponent. Default: 1.0, 1.0 and 0.5.
        norm_region: "ACROSS_CHANNELS", nothing else.

    Raises ValueError for another `norm_region`, or if `x` does not have 4 dimensions.
    """
    window = 2 * depth_radius + 1
    # torch's factor applies to the mean over the window
    return torch.nn.functional.local_response_norm(x, window, alpha * window, beta, bias)


LRN = primitive("LRN", lrn, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS")


def _of_dtype(parameter: Tensor | None, input: Tensor) -> Tensor | None:
    # Not all of torch's devices take parameters of another dtype than the input's.
    if parameter is None or parameter.dtype is input.dtype:
        return parameter
    return parameter.to(input.dtype)


rules.cut_by(rules.channels, BatchNorm)
rules.cut_by(rules.along_axis, L2Normalize)
rules.cut_by(rules.layer_norm, LayerNorm)
rules.cut_by(rules.aligned, RmsNorm)
