"""More elementwise arithmetic: fractions, signs, interpolation, safe quotients, sums of many tensors."""

from __future__ import annotations

import functools
import operator
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common.conversion import fitted
from torchspore.common.scopes.scope import scope
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Operand, op, unary
from torchspore.engine.primitive import as_primitive, primitive, primitives
from torchspore.engine.widening import dividing, wrapping
from torchspore.ops.array.division import truncated_modulo
from torchspore.ops.array.overloads import renaming_method
from torchspore.ops.math.elementwise import binary, div, modulo, of_tensors, sub

__all__ = [
    "DivNoNan", "MulNoNan", "NanToNum", "SquareSumAll", "SquaredDifference", "accumulate_n", "addcdiv", "addcmul",
    "addn", "copysign", "deg2rad", "eps", "exp2", "fills", "float_power", "floor_mod", "fmax", "fmin", "frac",
    "heaviside", "hypot", "inv", "ldexp", "lerp", "logaddexp", "logaddexp2", "nan_to_num", "nextafter", "positive",
    "rad2deg", "sgn", "signbit", "truncate_div", "truncate_mod", "xdivy",
]  # fmt: skip


def _step(input: Tensor, values: Tensor) -> Tensor:
    dtype = torch.result_type(input, values)
    return torch.where(input == 0, values.to(dtype), (input > 0).to(dtype))


def _quotient_or_zero(numerator: Any, denominator: Any, is_zero: Tensor) -> Tensor:
    # Where the quotient is not used, the replaced denominator keeps its gradient from being nan.
    return torch.where(is_zero, 0, numerator / torch.where(is_zero, 1, denominator))


def _product_or_zero(x: Tensor, y: Tensor) -> Tensor:
    is_zero = y == 0
    return torch.where(is_zero, 0, torch.where(is_zero, 0, x) * y)


def _signed(x: Tensor, other: Tensor) -> Tensor:
    signed = torch.copysign(x, other)
    return signed.to(x.dtype) if x.is_floating_point() else signed.float()


def _times_power(x: Tensor, other: Tensor) -> Tensor:
    """Return `x * 2**other`; by powers of integers in at least float32, as in MindSpore."""
    if other.is_floating_point():
        return torch.ldexp(x, other)
    x = x if x.dtype is torch.float64 else x.float()
    return torch.ldexp(x, other.to(x.dtype))  # torch's gradient for integers is 0 below 0


def _power_of_2(x: Tensor) -> Tensor:
    return torch.exp2(x.float() if x.dtype is torch.bfloat16 else x)


@dividing
def _truncated_quotient(x: Any, y: Any) -> Tensor:
    return div.body(x, y, rounding_mode="trunc")


fmax = binary(of_tensors(torch.fmax), "fmax", "The maximum of two elements, ignoring nan.", ("fmax",))
fmin = binary(of_tensors(torch.fmin), "fmin", "The minimum of two elements, ignoring nan.", ("fmin",))
hypot = binary(of_tensors(torch.hypot), "hypot", "The length of the vector (`input`, `other`).", ("hypot",))
logaddexp = binary(
    of_tensors(torch.logaddexp), "logaddexp", "`log(exp(input) + exp(other))`, without overflow.", ("logaddexp",)
)
logaddexp2 = binary(
    of_tensors(torch.logaddexp2), "logaddexp2", "`log2(2**input + 2**other)`, without overflow.", ("logaddexp2",)
)
nextafter = binary(
    of_tensors(torch.nextafter), "nextafter", "The next number after `input` towards `other`.", ("nextafter",)
)
copysign = binary(
    of_tensors(_signed), "copysign", "The magnitude of `x` with the sign of `other`.", ("copysign",), first="x"
)
ldexp = binary(of_tensors(_times_power), "ldexp", "`x * 2**other`.", ("ldexp",), first="x")
heaviside = binary(
    of_tensors(_step),
    "heaviside",
    "0 where `input` is negative, 1 where it is positive, `values` where it is 0.",
    ("heaviside",),
    second="values",
)
float_power = binary(
    torch.float_power, "float_power", "`input` to the power of `exponent`, in float64.", second="exponent"
)
renaming_method("float_power", float_power, other="exponent")
xdivy = binary(
    of_tensors(lambda x, y: _quotient_or_zero(x, y, x == 0)),
    "xdivy",
    "`x / y`, and 0 where `x` is 0 for any `y`.",
    ("xdivy",),
    first="x",
    second="y",
)
truncate_div = binary(_truncated_quotient, "truncate_div", "Quotient rounded towards zero.", first="x", second="y")
truncate_mod = binary(
    of_tensors(truncated_modulo), "truncate_mod", "Remainder with the sign of `x`.", first="x", second="y"
)
floor_mod = binary(
    modulo.body, "floor_mod", "Remainder of the floor division, with the sign of `y`.", first="x", second="y"
)

_rint = unary(torch.round, "The nearest integer, rounding halves to even.", name="Rint", method=())
exp2 = unary(_power_of_2, "2 to the power of the element; of bfloat16 in float32.", name="exp2", method=())
deg2rad = unary(torch.deg2rad, "Degrees in radians.")
rad2deg = unary(torch.rad2deg, "Radians in degrees.")
signbit = unary(torch.signbit, "Whether the sign bit is set, as for -0.")


@op(method="sgn")
def sgn(input: Tensor) -> Tensor:
    """The sign; of a complex number other than 0, the number divided by its magnitude."""
    return torch.sgn(input) if input.is_complex() else torch.sign(input)


@op(method="frac")
def frac(x: Tensor) -> Tensor:
    """The fractional part, with the sign of the element; of integers, 0."""
    if x.is_floating_point():
        return torch.frac(x)
    return torch.zeros_like(x, dtype=torch.int64 if x.dtype is torch.bool else x.dtype)


@op(method="positive")
def positive(input: Tensor) -> Tensor:
    """The elements themselves, as by the operator `+x`."""
    return input


@op(method="inv")
def inv(x: Tensor) -> Tensor:
    """The reciprocal; of integers truncated towards zero, and of 0 the maximum of the dtype."""
    return (
        torch.reciprocal(x) if x.is_floating_point() or x.is_complex() else _truncated_quotient(torch.ones_like(x), x)
    )


@op
def eps(x: Tensor) -> Tensor:
    """The machine epsilon of the dtype of `x`, in the shape of `x`."""
    return torch.full_like(x, torch.finfo(x.dtype).eps)


@op(method="fills")
def fills(x: Tensor, value: Operand) -> Tensor:
    """A Tensor of the shape and dtype of `x` filled with `value`, a number or a scalar Tensor.

    Raises:
        ValueError: `value` is a Tensor with dimensions.
    """
    if not isinstance(value, torch.Tensor):
        return torch.full_like(x, value)
    if value.dim() != 0:
        raise ValueError("'value' must have no dimensions")
    return value.to(x.dtype).expand_as(x).clone()


@op(method="addcdiv")
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Operand = 1) -> Tensor:
    """`input + value * tensor1 / tensor2`, element by element.

    Args:
        input: a Tensor.
        tensor1, tensor2: Tensors; all shapes are broadcast.
        value: a number or a Tensor. Default: 1.
    """
    if isinstance(value, torch.Tensor) or not (tensor1.is_floating_point() or tensor1.is_complex()):
        total = input + value * (tensor1 / tensor2)
        return total if input.is_floating_point() or input.is_complex() else total.to(input.dtype)
    if value != 1 and fitted(value, input.dtype) != value:  # which the gradient of `torch.addcdiv` refuses
        return input + value * (tensor1 / tensor2)
    return torch.addcdiv(input, tensor1, tensor2, value=value)


@op(method="addcmul")
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Operand = 1) -> Tensor:
    """`input + value * tensor1 * tensor2`, element by element; arguments as for `addcdiv`."""
    if isinstance(value, torch.Tensor):
        total = input + value * (tensor1 * tensor2)
        return total if input.is_floating_point() or input.is_complex() else total.to(input.dtype)
    return torch.addcmul(input, tensor1, tensor2, value=value)


@op(method="lerp")
def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """Linear interpolation: `input + weight * (end - input)`.

    Args:
        input: a floating-point Tensor.
        end: a Tensor of the same dtype; all shapes are broadcast.
        weight: a number or a Tensor.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.lerp(ms.Tensor([0.0, 10.0]), ms.Tensor([4.0, 20.0]), 0.25))
        [ 1.  12.5]
    """
    if isinstance(weight, Tensor) and weight.is_floating_point() and input.is_floating_point():
        weight = weight.to(input.dtype)
    return torch.lerp(input, end, weight)


@op(method="nan_to_num")
def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """Replace nan and infinities.

    Args:
        input: a Tensor.
        nan: the replacement of nan. Default: None: 0.
        posinf: the replacement of inf. Default: None: the maximum of the dtype.
        neginf: the replacement of -inf. Default: None: the minimum of the dtype.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.nan_to_num(ms.Tensor([float("nan"), float("inf"), 1.0]), posinf=9.0))
        [0. 9. 1.]
    """
    return torch.nan_to_num(input, nan, posinf, neginf)


@op(trait=wrapping)
def addn(x: list[Tensor]) -> Tensor:
    """The elementwise sum of a list of tensors of the same shape and dtype.

    With the level "auto" of mixed precision, floating-point dtypes may differ.

    Raises:
        ValueError: `x` is empty, or the shapes differ.
    """
    if not x or any(tensor.shape != x[0].shape for tensor in x):
        raise ValueError("'x' must hold tensors of one shape")
    mixes = scope.mixes_floats and all(tensor.is_floating_point() for tensor in x)
    if not mixes and any(tensor.dtype is not x[0].dtype for tensor in x):
        raise TypeError("'x' must hold tensors of one dtype")
    return functools.reduce(operator.add, x)


accumulate_n = addn


@as_primitive
def DivNoNan(x1: Operand, x2: Operand) -> Tensor:
    """`x1 / x2`, and 0 where `x2` is 0."""
    return of_tensors(lambda x, y: _quotient_or_zero(x, y, y == 0))(x1, x2)


@as_primitive
def MulNoNan(x: Operand, y: Operand) -> Tensor:
    """`x * y`, and 0 where `y` is 0, even if `x` is nan or infinite."""
    return of_tensors(_product_or_zero)(x, y)


@as_primitive
def SquaredDifference(x: Operand, y: Operand) -> Tensor:
    """The square of `x - y`."""
    return torch.square(sub.body(x, y))


@as_primitive
def SquareSumAll(x: Annotated[Tensor, "*S"], y: Annotated[Tensor, "*S"]) -> tuple[Tensor, Tensor]:
    """The sums of the squares of the elements of `x` and of `y`."""
    return torch.sum(x * x), torch.sum(y * y)


NanToNum = primitive("NanToNum", nan_to_num, nan=None, posinf=None, neginf=None)
_PRIMITIVES = primitives(
    AddN=addn, AccumulateNV2=accumulate_n, Addcdiv=addcdiv, Addcmul=addcmul, Eps=eps, Fills=fills, Fmax=fmax,
    Fmin=fmin, Heaviside=heaviside, Hypot=hypot, Inv=inv, Lerp=lerp, LerpScalar=lerp, NextAfter=nextafter,
    Rint=_rint, TruncateDiv=truncate_div, TruncateMod=truncate_mod, Xdivy=xdivy,
)  # fmt: skip
globals().update(_PRIMITIVES)
__all__ += _PRIMITIVES
rules.cut_by(rules.aligned, DivNoNan, MulNoNan, SquareSumAll, SquaredDifference)
