"""Elementwise mathematics."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common.indexing import as_signed
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.op import NumpyType, op
from torchspore.engine.parameter_names import with_parameters
from torchspore.numpy.arrays import array, binary, common_type, floating, promoted, real, unary
from torchspore.ops.array import division
from torchspore.ops.math import arithmetic, elementwise

__all__ = [
    "abs", "absolute", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "around",
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "cbrt", "ceil", "clip", "copysign", "cos", "cosh",
    "deg2rad", "divide", "divmod", "exp", "exp2", "expm1", "fabs", "fix", "float_power", "floor", "floor_divide",
    "fmod", "gcd", "heaviside", "hypot", "invert", "lcm", "log", "log1p", "log2", "log10", "logaddexp", "logaddexp2",
    "maximum", "minimum", "mod", "multiply", "negative", "positive", "power", "rad2deg", "radians", "reciprocal",
    "remainder", "rint", "round", "sign", "signbit", "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh",
    "true_divide", "trunc",
]  # fmt: skip


def _divisor(x1: Tensor, x2: Tensor) -> Tensor:
    if not x1.is_floating_point():
        return torch.gcd(x1, x2)
    # Euclid's algorithm; a float of 64 bits needs at most as many steps as the logarithm of 2**53 to the golden ratio.
    divisor, rest = torch.broadcast_tensors(torch.abs(x1), torch.abs(x2))
    for _ in range(77):
        divisor, rest = torch.where(rest == 0, divisor, rest), torch.where(rest == 0, 0, torch.fmod(divisor, rest))
    return divisor


def _multiple(x1: Tensor, x2: Tensor) -> Tensor:
    if not x1.is_floating_point():
        return torch.lcm(x1, x2)
    divisor = _divisor(x1, x2)
    return torch.where(divisor == 0, 0, torch.abs(x1 / divisor * x2))


_unary, _binary = functools.partial(unary, __name__), functools.partial(binary, __name__)


def _keeping_integers(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Make a function keep the type of integers, with truncated results; bools become int64."""

    def truncated(x: Tensor) -> Tensor:
        if x.is_floating_point() or x.is_complex():
            return function(x)
        return function(x.double()).to(torch.int64 if x.dtype is torch.bool else x.dtype)

    return truncated


def _of_floats(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """Make a function of floating-point arrays accept integer arrays as float32."""
    return lambda x1, x2: function(floating(x1), floating(x2))


def _cube_root(x: Tensor) -> Tensor:
    x = x.float() if x.dtype is torch.float16 else floating(x)
    return torch.sign(x) * torch.abs(x) ** (1 / 3)


def _inverted(x: Tensor) -> Tensor:
    return torch.bitwise_not(as_signed(x)).view(x.dtype)  # torch inverts uint8 but no wider unsigned type


def _sign(x: Tensor) -> Tensor:
    x = floating(x)
    if x.is_complex():
        return torch.where(x.real != 0, torch.sign(x.real), torch.sign(x.imag)).to(x.dtype)
    return torch.where(torch.isnan(x), torch.nan, torch.sign(x))


def _truncated(x: Tensor) -> Tensor:
    result = torch.trunc(floating(x))
    return result if x.dtype is torch.float16 else result.float()


def _scaled(x: Tensor, function: Callable[[Tensor], Tensor], factor: float) -> Tensor:
    return x * factor if x.is_complex() else function(x)  # torch does not convert complex angles


absolute = _unary("absolute", lambda x: x.clone() if x.dtype is torch.bool else torch.abs(x), "Absolute value.")
abs = fabs = absolute
negative = with_parameters(_unary("negative", torch.neg, "The negative."), x="a")
positive = with_parameters(_unary("positive", torch.clone, "A copy."), x="a")
sign = _unary(
    "sign",
    _sign,
    "The sign: -1, 0 or 1; nan for nan. Integers become float32. The sign of a complex number is that of its real "
    "part, or of the imaginary part if the real one is 0.",
)
signbit = _unary("signbit", torch.signbit, "Whether the element is negative, or -0.")
ceil = _unary("ceil", lambda x: torch.ceil(floating(x)).float(), "Rounded up to an integer, in float32.")
floor = _unary("floor", torch.floor, "Rounded down to an integer.")
trunc = _unary("trunc", _truncated, "Truncated to an integer, in float32; float16 stays float16.")
rint = _unary("rint", torch.round, "Rounded to the nearest integer, halves to even.")
square = _unary("square", torch.square, "The square.")
sqrt = _unary("sqrt", torch.sqrt, "The square root; integers become float32.")
cbrt = _unary("cbrt", _cube_root, "The cube root; integers and float16 become float32.")
reciprocal = _unary("reciprocal", _keeping_integers(torch.reciprocal), "The reciprocal; integers stay integers.")
exp = _unary("exp", torch.exp, "e to the power of the element.")
exp2 = _unary("exp2", _keeping_integers(torch.exp2), "2 to the power of the element; integers stay integers.")
expm1 = _unary("expm1", torch.expm1, "e to the power of the element, minus one.")
log = _unary("log", torch.log, "The natural logarithm.")
log1p = _unary("log1p", torch.log1p, "The natural logarithm of one plus the element.")
log2 = _unary("log2", torch.log2, "The logarithm to base 2.")
log10 = _unary("log10", torch.log10, "The logarithm to base 10.")
sin = _unary("sin", lambda x: torch.sin(real(x)), "The sine, of radians.")
cos = _unary("cos", lambda x: torch.cos(real(x)), "The cosine, of radians.")
tan = _unary("tan", lambda x: torch.tan(real(x)), "The tangent, of radians.")
sinh = _unary("sinh", lambda x: torch.sinh(real(x)), "The hyperbolic sine.")
cosh = _unary("cosh", lambda x: torch.cosh(real(x)), "The hyperbolic cosine.")
tanh = _unary("tanh", lambda x: torch.tanh(real(x)), "The hyperbolic tangent.")
arcsin = _unary("arcsin", lambda x: torch.asin(real(x)), "The arc sine, in radians.")
arctan = _unary("arctan", lambda x: torch.atan(real(x)), "The arc tangent, in radians.")
arcsinh = _unary("arcsinh", lambda x: torch.asinh(real(x)), "The inverse hyperbolic sine.")
arccosh = _unary("arccosh", lambda x: torch.acosh(real(x)), "The inverse hyperbolic cosine.")
arctanh = _unary("arctanh", lambda x: torch.atanh(real(x)), "The inverse hyperbolic tangent.")
deg2rad = _unary("deg2rad", lambda x: _scaled(x, torch.deg2rad, math.pi / 180), "Degrees in radians.")
radians = _unary("radians", lambda x: _scaled(x, torch.deg2rad, math.pi / 180), "Degrees in radians.")
rad2deg = _unary("rad2deg", lambda x: _scaled(x, torch.rad2deg, 180 / math.pi), "Radians in degrees.")
invert = _unary("invert", _inverted, "Bitwise not; logical not for bools.")
bitwise_not = invert

add = _binary("add", torch.add, "The sum.")
subtract = _binary("subtract", elementwise.sub.body, "The difference.")
multiply = _binary("multiply", torch.mul, "The product, element by element.")
divide = _binary("divide", torch.true_divide, "The quotient; integers become float32.")
true_divide = divide
floor_divide = _binary("floor_divide", elementwise.floor_divide.body, "The quotient, rounded down.")
remainder = _binary("remainder", elementwise.modulo.body, "The remainder of the division, with the sign of `x2`.")
mod = remainder
fmod = _binary("fmod", division.truncated_modulo, "The remainder of the division, with the sign of `x1`.")
power = _binary("power", elementwise.pow.body, "`x1` to the power of `x2`.")
float_power = _binary("float_power", torch.pow, "`x1` to the power of `x2`, in float32.", prepare=torch.Tensor.float)
maximum = _binary("maximum", torch.maximum, "The larger of two elements; nan if one is nan.", numbers_adapt=True)
minimum = _binary("minimum", torch.minimum, "The smaller of two elements; nan if one is nan.", numbers_adapt=True)
arctan2 = _binary("arctan2", torch.atan2, "The angle of the point (`x2`, `x1`), in radians.", prepare=real)
hypot = _binary("hypot", _of_floats(torch.hypot), "The length of the vector (`x1`, `x2`).")
heaviside = _binary("heaviside", arithmetic.heaviside.body, "0 where `x1` is negative, 1 where positive, else `x2`.")
logaddexp = _binary("logaddexp", _of_floats(torch.logaddexp), "`log(exp(x1) + exp(x2))`, without overflow.")
logaddexp2 = _binary("logaddexp2", _of_floats(torch.logaddexp2), "`log2(2**x1 + 2**x2)`, without overflow.")
gcd = _binary("gcd", _divisor, "The greatest common divisor, also of floats.")
lcm = _binary("lcm", _multiple, "The least common multiple, also of floats.")
bitwise_and = _binary("bitwise_and", torch.bitwise_and, "Bitwise and; logical and for bools.")
bitwise_or = _binary("bitwise_or", torch.bitwise_or, "Bitwise or; logical or for bools.")
bitwise_xor = _binary("bitwise_xor", torch.bitwise_xor, "Bitwise exclusive or; logical for bools.")


@op
def arccos(input: Any, dtype: NumpyType | None = None) -> Tensor:
    """The arc cosine, in radians, with the data type `dtype` (default: its own)."""
    result = torch.acos(real(array(input)))
    return result if dtype is None else result.to(dtype)


@op
def copysign(x1: Any, x2: Any, dtype: NumpyType | None = None) -> Tensor:
    """The absolute values of `x1` with the signs of `x2`, in the type of `x1` (or in `dtype`)."""
    size = torch.abs(array(x1))
    result = torch.where(torch.signbit(array(x2)), -size, size)
    return result if dtype is None else result.to(dtype)


@op
def divmod(x1: Any, x2: Any, dtype: NumpyType | None = None) -> tuple[Tensor, Tensor]:
    """The quotient rounded down, and the remainder of the division; arguments as for `floor_divide`.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(*np.divmod([1, 2, 3, -4], 3))
        [ 0  0  1 -2] [1 2 0 2]
    """
    x1, x2 = promoted(x1, x2)
    results = elementwise.floor_divide.body(x1, x2), elementwise.modulo.body(x1, x2)
    return results if dtype is None else (results[0].to(dtype), results[1].to(dtype))


@op
def fix(x: Any) -> Tensor:
    """Truncate to integers; see `trunc`."""
    return _truncated(array(x))


@op
def around(a: Any, decimals: int = 0) -> Tensor:
    """Round to `decimals` decimal places, halves to even."""
    a = array(a)
    if not decimals or not a.is_floating_point():
        return torch.round(a)
    return torch.round(a, decimals=decimals)


round = around


@op
def clip(x: Any, xmin: Any, xmax: Any, dtype: NumpyType | None = None) -> Tensor:
    """Limit the elements to [`xmin`, `xmax`].

    Args:
        x: an array.
        xmin, xmax: the minimum and the maximum, numbers or arrays that are broadcast; None for no limit.
        dtype: the data type of the result. Default: None, the type of `x`, which Tensors as limits can widen.

    Raises:
        ValueError: both limits are None.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.clip([1, 5, 3], 2, np.array([4, 4, 2])))
        [2 4 2]
    """
    if xmin is None and xmax is None:
        raise ValueError("'xmin' and 'xmax' are both None: pass at least one limit")
    result = x = array(x)
    limit_types = [limit._t.dtype for limit in (xmin, xmax) if isinstance(limit, _Tensor)]
    kind = functools.reduce(common_type, limit_types, x.dtype)
    if xmin is not None:
        result = torch.maximum(*promoted(result, xmin))
    if xmax is not None:
        result = torch.minimum(*promoted(result, xmax))
    return result.to(kind if dtype is None else dtype)
