"""Activation functions."""

from __future__ import annotations

from typing import Annotated, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.common.conversion import saturated
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import as_ints, refuse_as_tensor
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Type, op, unary
from torchspore.engine.parameters import NotNegativeFloat, Rule, Where
from torchspore.engine.parameters.of_operations import ruled
from torchspore.engine.primitive import Primitive, primitive
from torchspore.engine.widening import cut_integers, of_integers
from torchspore.ops.math.elementwise import greater

__all__ = [
    "GLU", "CeLU", "Elu", "FastGeLU", "FastGelu", "GeLU", "Gelu", "HShrink", "HSigmoid", "HSwish", "LogSoftmax",
    "Mish", "PReLU", "ReLU", "ReLU6", "SeLU", "Sigmoid", "SoftShrink", "Softmax", "Softplus", "Softsign", "Tanh",
    "celu", "elu", "fast_gelu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
    "log_softmax", "logit", "logsigmoid", "mish", "prelu", "relu", "relu6", "rrelu", "selu", "sigmoid", "silu",
    "soft_shrink", "softmax", "softmin", "softplus", "softshrink", "softsign", "swiglu", "tanh", "tanh_",
    "tanhshrink", "threshold",
]  # fmt: skip

sigmoid = unary(torch.sigmoid, "`1 / (1 + exp(-input))`, in (0, 1).")
tanh = unary(torch.tanh, "The hyperbolic tangent, in (-1, 1).")
silu = unary(F.silu, "`input * sigmoid(input)`.", method=())
hardswish = unary(cut_integers(F.hardswish), "`input * hardsigmoid(input)`.", method=())
hardsigmoid = unary(cut_integers(F.hardsigmoid), "`input / 6 + 1 / 2`, clamped to [0, 1].", method=())
tanhshrink = unary(F.tanhshrink, "`input - tanh(input)`.", method=())


_NOT_ZERO = Where("nonzero", bool)


@op
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The positive part, `max(input, 0)`; nan stays nan.

    Args:
        input: a Tensor of any shape, of floats or integers.
        inplace: whether to write the result into `input`. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.relu(ms.Tensor([-1.0, 0.5, 2.0])))
        [0.  0.5 2. ]
    """
    return torch.relu_(input) if inplace else torch.relu(input)


@op
def relu6(x: Tensor) -> Tensor:
    """Clamp the elements to [0, 6]."""
    return F.relu6(x)


@op
@of_integers(lambda input_x: input_x.clamp(min=0))  # the result with the constants cut to integers
def selu(input_x: Tensor) -> Tensor:
    """`scale * elu(input_x, alpha)`, with the two constants that preserve mean 0 and variance 1."""
    return torch.selu(input_x)


@op
def softsign(x: Tensor) -> Tensor:
    """`x / (1 + |x|)`."""
    return F.softsign(x)


@op
def mish(x: Tensor) -> Tensor:
    """`x * tanh(softplus(x))`."""
    return F.mish(x)


@op
def logsigmoid(x: Tensor) -> Tensor:
    """The logarithm of `sigmoid(x)`, exact where the sigmoid itself is too small for its dtype."""
    if x.is_complex():
        return -torch.log(1 + torch.exp(-x))
    return F.logsigmoid(x)


@op
def fast_gelu(x: Tensor) -> Tensor:
    """`x * sigmoid(1.702 * x)`, a quick approximation of `gelu`."""
    return x * torch.sigmoid(1.702 * x)


@op
def gelu(input: Tensor, approximate: Literal["none", "tanh"] = "none") -> Tensor:
    """The Gaussian error linear unit: `input` times the probability that a standard normal variable is below `input`.

    Args:
        input: a floating-point Tensor of any shape.
        approximate: "none" for the exact probability, "tanh" for a formula with tanh; ValueError otherwise.
            Default: "none".

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.gelu(ms.Tensor([0.0, 1.0])))
        [0.        0.8413447]
    """
    return F.gelu(input, approximate=approximate)


@op
def elu(input_x: Tensor, alpha: float = 1.0) -> Tensor:
    """`input_x` where it is positive, else `alpha * (exp(input_x) - 1)`."""
    return F.elu(input_x, alpha)


@op
def celu(x: Tensor, alpha: Annotated[float, _NOT_ZERO] = 1.0) -> Tensor:
    """`x` where it is positive, else `alpha * (exp(x / alpha) - 1)`; ValueError if `alpha` is 0."""
    return torch.celu(x, alpha)


@op
@of_integers(lambda input, alpha: torch.where(input > 0, input, input * int(alpha)))
def leaky_relu(input: Tensor, alpha: float = 0.2) -> Tensor:
    """`input` where it is positive, else `alpha * input`.

    Args:
        input: a Tensor of any shape; for one of integers, `alpha` is truncated to an integer.
        alpha: the slope on the negative side. Default: 0.2.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.leaky_relu(ms.Tensor([-1.0, 2.0]), alpha=0.25))
        [-0.25  2.  ]
    """
    return F.leaky_relu(input, alpha)


@op
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`input` where it is positive, else `weight * input`, with a slope per channel.

    Args:
        input: a floating-point Tensor of shape (N, C, *), or with less than two dimensions.
        weight: the slopes, of shape (C,) or (1,); ValueError otherwise.
    """
    return F.prelu(input, weight if weight.dtype is input.dtype else weight.to(input.dtype))


@op
@ruled(Rule("'lower' must be <= 'upper'", lambda lower, upper: lower <= upper))
@of_integers(lambda input, lower, upper: input.clamp(min=0))
def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3) -> Tensor:
    """`input` where it is not negative, else `input` times a slope drawn from [`lower`, `upper`) for each element."""
    return torch.where(input >= 0, input, input * torch.empty_like(input).uniform_(lower, upper))


@op
def softplus(input: Tensor, beta: Annotated[float, _NOT_ZERO] = 1, threshold: float = 20) -> Tensor:
    """`log(1 + exp(beta * input)) / beta`, a smooth `relu`.

    Args:
        input: a floating-point Tensor of any shape.
        beta: the sharpness of the bend, not 0 (ValueError). Default: 1.
        threshold: where `beta * input` exceeds it, the result is `input` itself. Default: 20.
    """
    return F.softplus(input, beta, threshold)


@op
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Clamp the elements to [`min_val`, `max_val`]; all are `max_val` if `min_val` is greater."""
    if not input.dtype.is_floating_point:
        min_val, max_val = saturated(min_val, input.dtype), saturated(max_val, input.dtype)
    return F.hardtanh(input, min_val, max_val) if min_val <= max_val else input.clamp(min_val, max_val)


@op(method="hardshrink")
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """0 where the element is in [-`lambd`, `lambd`], else the element."""
    return torch.hardshrink(input, lambd)


@op(method="soft_shrink")
def softshrink(input: Tensor, lambd: NotNegativeFloat = 0.5) -> Tensor:
    """Move the elements towards 0 by `lambd`, those within `lambd` of 0 to 0; ValueError if `lambd` is negative."""
    if lambd > 65504 and input.dtype.is_floating_point:  # torch refuses what the type cannot hold
        lambd = min(lambd, torch.finfo(input.dtype).max)
    return F.softshrink(input, lambd)


soft_shrink = softshrink


@op
def threshold(input: Tensor, thr: float, value: float) -> Tensor:
    """The element where it is greater than `thr`, else `value`."""
    if input.dtype.is_floating_point:
        return F.threshold(input, thr, value)
    return torch.where(greater.body(input, thr), input, torch.full((), value, dtype=input.dtype, device=input.device))


@op(method="logit")
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """The inverse of `sigmoid`, `log(input / (1 - input))`; with `eps`, of the elements clamped to [eps, 1 - eps]."""
    return torch.logit(input, eps)


@op
def softmax(input: Tensor, axis: int = -1, *, dtype: Type | None = None) -> Tensor:
    """Exponentials divided by their sum along an axis: positive numbers that sum to 1.

    Args:
        input: a floating-point Tensor of any shape.
        axis: the axis; ValueError if there is none. Default: -1.
        dtype: the dtype to convert `input` to first, and of the result. Default: None, the dtype of `input`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.softmax(ms.Tensor([1.0, 2.0, 3.0])))
        [0.09003057 0.24472848 0.66524094]
    """
    return torch.softmax(input, axis, dtype=dtype)


@op(method="softmax")
def _softmax(self: Tensor, axis: int, dtype: Type | None = None) -> Tensor:
    """Exponentials divided by their sum along an axis; see `ops.softmax`."""
    return torch.softmax(self, axis, dtype=dtype)


@op
def softmin(x: Tensor, axis: int = -1, *, dtype: Type | None = None) -> Tensor:
    """`softmax(-x)`."""
    return torch.softmax(-x, axis, dtype=dtype)


@op
def log_softmax(logits: Tensor, axis: int = -1) -> Tensor:
    """The logarithm of `softmax(logits)`, computed without overflow."""
    return torch.log_softmax(logits, axis)


@op
def glu(x: Tensor, axis: int = -1) -> Tensor:
    """The first half along an axis times the sigmoid of the second half; ValueError if the axis has an odd length."""
    return F.glu(x, axis)


@op
def swiglu(input: Tensor, dim: int = -1) -> Tensor:
    """`silu` of the first half along an axis times the second half; ValueError if the axis has an odd length."""
    if input.shape[dim] % 2:
        raise ValueError(f"dimension {dim} must have an even length")
    gate, value = input.chunk(2, dim)
    return F.silu(gate) * value


def tanh_(input: _Tensor) -> _Tensor:
    """Write `tanh(input)` into `input`, and return it."""
    if not isinstance(input, _Tensor):
        refuse_as_tensor(input, "tanh_", "input")
    return input.tanh_()


ReLU = primitive("ReLU", relu)
ReLU6 = primitive("ReLU6", relu6)
Sigmoid = primitive("Sigmoid", sigmoid)
Tanh = primitive("Tanh", tanh)
LogSoftmax = primitive("LogSoftmax", log_softmax, axis=-1)
FastGeLU = primitive("FastGeLU", fast_gelu)
FastGelu = primitive("FastGelu", fast_gelu)
Elu = primitive("Elu", elu, alpha=1.0)
CeLU = primitive("CeLU", celu, alpha=1.0)
SeLU = primitive("SeLU", selu)
HSwish = primitive("HSwish", hardswish)
HSigmoid = primitive("HSigmoid", hardsigmoid)
Mish = primitive("Mish", mish)
Softplus = primitive("Softplus", softplus)
Softsign = primitive("Softsign", softsign)
PReLU = primitive("PReLU", prelu)
GLU = primitive("GLU", glu, axis=-1)
HShrink = primitive("HShrink", hardshrink, lambd=0.5)
SoftShrink = primitive("SoftShrink", softshrink, lambd=0.5)


class GeLU(Primitive):
    """`gelu` by the formula with tanh."""

    def __init__(self) -> None:
        super().__init__()

    def __call__(self, input: _Tensor) -> _Tensor:
        return gelu(input, "tanh")


class Gelu(GeLU):
    """The old name of `GeLU`."""


class Softmax(Primitive):
    """`softmax` as a primitive; `axis` may be a tuple of one axis, ValueError for other tuples."""

    def __init__(self, axis: int | tuple[int, ...] = -1) -> None:
        super().__init__()
        axes = as_ints(axis, "Softmax", "axis")
        self.axis: tuple[int, ...] = axes if isinstance(axes, tuple) else (axes,)
        if len(self.axis) != 1:
            raise ValueError(f"'axis' must be one axis, but got {self.axis}")

    def __call__(self, input: _Tensor) -> _Tensor:
        return softmax(input, self.axis[0])


rules.cut_by(rules.aligned, Elu, FastGeLU, GeLU, HShrink, HSigmoid, Mish, ReLU, ReLU6, SeLU, Sigmoid)
rules.cut_by(rules.aligned, SoftShrink, Softplus, Softsign, Tanh)
rules.cut_by(rules.along_axis, LogSoftmax, Softmax)
rules.cut_by(rules.channels, PReLU)
