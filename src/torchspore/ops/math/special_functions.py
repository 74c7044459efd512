"""Special functions: Bessel, gamma and zeta functions, and their relatives.

Torch computes them; derivatives that it lacks are defined here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.engine.gradients.custom import _Custom
from torchspore.engine.op import op, unary
from torchspore.engine.parameters import Floats, Positive, TypeOf
from torchspore.engine.primitive import as_primitive, primitive, primitives
from torchspore.ops.array.overloads import documented
from torchspore.ops.math.elementwise import binary, of_tensors

__all__ = [
    "Betainc", "Logit", "Mvlgamma", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1",
    "bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1", "digamma", "erfinv", "i0",
    "igamma", "igammac", "lgamma", "mvlgamma", "polygamma", "sinc", "zeta",
]  # fmt: skip

erfinv = unary(torch.erfinv, "The inverse of the error function, on (-1, 1).")
sinc = unary(torch.sinc, "`sin(pi * x) / (pi * x)`, 1 for 0.")
lgamma = unary(torch.lgamma, "The logarithm of the magnitude of the gamma function.")
digamma = unary(torch.digamma, "The derivative of the logarithm of the gamma function.")

# Bessel functions

_Function = Callable[[Tensor], Tensor]


def _with_derivative(function: _Function, derivative: Callable[[Tensor, Tensor], Tensor]) -> _Function:
    """Add a derivative, a function of argument and value, to a torch function that has none."""

    def values(arguments: Any) -> Any:
        return (function(arguments[0]),)

    def gradients(arguments: Any, results: Any, outer: Any) -> Any:
        return (outer[0] * derivative(arguments[0], results[0]),)

    def differentiable(x: Tensor) -> Tensor:
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x  # there are no kernels for half precision
        return _Custom.apply(values, gradients, wide)[0].to(x.dtype)

    return differentiable


def _over(y: Tensor, x: Tensor, at_zero: float) -> Tensor:
    is_zero = x == 0
    return torch.where(is_zero, at_zero, y / torch.where(is_zero, 1, x))


_j0: _Function = _with_derivative(torch.special.bessel_j0, lambda x, y: -_j1(x))
_j1: _Function = _with_derivative(torch.special.bessel_j1, lambda x, y: _j0(x) - _over(y, x, 0.5))
_y0: _Function = _with_derivative(torch.special.bessel_y0, lambda x, y: -_y1(x))
_y1: _Function = _with_derivative(torch.special.bessel_y1, lambda x, y: _y0(x) - y / x)
_k0: _Function = _with_derivative(torch.special.modified_bessel_k0, lambda x, y: -_k1(x))
_k1: _Function = _with_derivative(torch.special.modified_bessel_k1, lambda x, y: -_k0(x) - y / x)
_k0e: _Function = _with_derivative(torch.special.scaled_modified_bessel_k0, lambda x, y: y - _k1e(x))
_k1e: _Function = _with_derivative(torch.special.scaled_modified_bessel_k1, lambda x, y: y - _k0e(x) - y / x)


def _bessel(function: _Function, name: str, summary: str) -> Any:
    def body(x: Tensor) -> Tensor:
        if x.requires_grad and x.dtype in (torch.float16, torch.bfloat16):  # torch lacks their derivatives
            return function(x.float()).to(x.dtype)
        return function(x)

    return op(documented(body, name, f"{summary}\n\nArgs:\n    x: a floating-point Tensor.\n"))


bessel_i0 = _bessel(torch.special.i0, "bessel_i0", "The modified Bessel function of the first kind, of order 0.")
bessel_i1 = _bessel(torch.special.i1, "bessel_i1", "The modified Bessel function of the first kind, of order 1.")
bessel_i0e = _bessel(torch.special.i0e, "bessel_i0e", "`exp(-|x|) * bessel_i0(x)`.")
bessel_i1e = _bessel(torch.special.i1e, "bessel_i1e", "`exp(-|x|) * bessel_i1(x)`.")
bessel_j0 = _bessel(_j0, "bessel_j0", "The Bessel function of the first kind, of order 0.")
bessel_j1 = _bessel(_j1, "bessel_j1", "The Bessel function of the first kind, of order 1.")
bessel_k0 = _bessel(_k0, "bessel_k0", "The modified Bessel function of the second kind, of order 0.")
bessel_k1 = _bessel(_k1, "bessel_k1", "The modified Bessel function of the second kind, of order 1.")
bessel_k0e = _bessel(_k0e, "bessel_k0e", "`exp(x) * bessel_k0(x)`.")
bessel_k1e = _bessel(_k1e, "bessel_k1e", "`exp(x) * bessel_k1(x)`.")
bessel_y0 = _bessel(_y0, "bessel_y0", "The Bessel function of the second kind, of order 0.")
bessel_y1 = _bessel(_y1, "bessel_y1", "The Bessel function of the second kind, of order 1.")
i0 = unary(torch.special.i0, "The modified Bessel function of the first kind, of order 0.", name="i0")

# Relatives of the gamma function


def _slope(function: _Function, x: Tensor) -> Tensor:
    """Return a numerical derivative at positive numbers by fourth-order differences: about nine digits in float64."""
    step = 1e-3 * torch.where(x < 1, x, torch.sqrt(x))
    near, far = function(x + step) - function(x - step), function(x + 2 * step) - function(x - 2 * step)
    return (8 * near - far) / (12 * step)


def _summed(gradient: Tensor, like: Tensor) -> Tensor:
    return gradient.sum_to_size(like.shape).to(like.dtype)


def _incomplete_gamma(torch_function: Callable[[Tensor, Tensor], Tensor], sign: int) -> Callable[..., Tensor]:
    """Add the derivative by `a` to torch's function, which has only that by `x`."""

    def values(arguments: Any) -> Any:
        return (torch_function(*arguments),)

    def gradients(arguments: Any, results: Any, outer: Any) -> Any:
        a, x = arguments
        by_a = _slope(lambda shifted: regularized(shifted, x.double()), a.double())
        by_x = sign * torch.exp(torch.xlogy(a - 1, x) - x - torch.lgamma(a))
        return _summed(outer[0] * by_a, a), _summed(outer[0] * by_x, x)

    def regularized(a: Tensor, x: Tensor) -> Tensor:
        return _Custom.apply(values, gradients, a, x)[0]

    return regularized


igamma = binary(
    of_tensors(_incomplete_gamma(torch.special.gammainc, 1)),
    "igamma",
    "The regularized lower incomplete gamma function: the integral of `t**(input - 1) * exp(-t)` from 0 to `other`,"
    "\ndivided by the integral from 0 to infinity.",
    ("igamma",),
)
igammac = binary(
    of_tensors(_incomplete_gamma(torch.special.gammaincc, -1)), "igammac", "`1 - igamma(input, other)`.", ("igammac",)
)


@op
def polygamma(n: int, input: Tensor) -> Tensor:
    """The derivative of order `n` of the digamma function.

    Args:
        n: the order, an int or a scalar Tensor, >= 0.
        input: a floating-point Tensor.
    """
    return torch.polygamma(n, input)


@op(method="mvlgamma")
def mvlgamma(input: Tensor, p: Positive) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`.

    Args:
        input: a Tensor of numbers greater than (p - 1) / 2.
        p: the dimension, >= 1.
    """
    return torch.mvlgamma(input, p)


def _zeta(x: Tensor, q: Tensor) -> Tensor:
    return torch.special.zeta(x.detach(), q)


zeta = binary(
    of_tensors(_zeta),
    "zeta",
    "The Hurwitz zeta function: the sum of `(k + other)**-input` for k = 0, 1, ...; its gradient is for `other` only.",
)

# The incomplete beta function

_TERMS = 100  # pairs of the continued fraction; enough for a and b up to several thousand


def _log_beta(a: Tensor, b: Tensor) -> Tensor:
    return torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)


def _beta_values(arguments: Any) -> Any:
    """Evaluate the continued fraction backwards, on the side where it converges quickly."""
    a, b, x = torch.broadcast_tensors(*[argument.double() for argument in arguments])
    is_swapped = x > (a + 1) / (a + b + 2)
    a, b, x = torch.where(is_swapped, b, a), torch.where(is_swapped, a, b), torch.where(is_swapped, 1 - x, x)
    tail = torch.ones_like(x)
    for m in range(_TERMS, 0, -1):
        end = a + 2 * m
        tail = 1 - (a + m) * (a + b + m) * x / (end * (end + 1)) / tail
        tail = 1 + m * (b - m) * x / ((end - 1) * end) / tail
    tail = 1 - (a + b) * x / (a + 1) / tail
    integral = torch.exp(torch.xlogy(a, x) + torch.special.xlog1py(b, -x) - _log_beta(a, b)) / (a * tail)
    return (torch.where(is_swapped, 1 - integral, integral).to(arguments[0].dtype),)


def _beta_gradients(arguments: Any, results: Any, outer: Any) -> Any:
    a, b, x = [argument.double() for argument in arguments]
    by_a = _slope(lambda shifted: _incomplete_beta(shifted, b, x), a)
    by_b = _slope(lambda shifted: _incomplete_beta(a, shifted, x), b)
    by_x = torch.exp(torch.xlogy(a - 1, x) + torch.special.xlog1py(b - 1, -x) - _log_beta(a, b))
    return tuple([_summed(outer[0] * by, of) for by, of in zip((by_a, by_b, by_x), arguments)])


def _incomplete_beta(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    return _Custom.apply(_beta_values, _beta_gradients, a, b, x)[0]


@as_primitive
def Betainc(a: Floats, b: Annotated[Tensor, TypeOf("a")], x: Annotated[Tensor, TypeOf("a")]) -> Tensor:
    """The regularized incomplete beta function: the integral of `t**(a - 1) * (1 - t)**(b - 1)` from 0 to `x`, divided
    by the integral from 0 to 1.

    Args:
        a, b: Tensors of dtype float32 or float64, of positive numbers.
        x: a Tensor of the same dtype, of numbers in [0, 1].
    """
    return _incomplete_beta(a, b, x)


@as_primitive
def Logit(input: Tensor, *, eps: float = -1.0) -> Tensor:
    """The inverse of the sigmoid, of the elements clamped to [eps, 1 - eps] if `eps` is not negative."""
    return torch.logit(input, eps if eps >= 0 else None)


Mvlgamma = primitive("Mvlgamma", mvlgamma, "p")
_PRIMITIVES = primitives(
    BesselI0=bessel_i0, BesselI0e=bessel_i0e, BesselI1=bessel_i1, BesselI1e=bessel_i1e, BesselJ0=bessel_j0,
    BesselJ1=bessel_j1, BesselK0=bessel_k0, BesselK0e=bessel_k0e, BesselK1=bessel_k1, BesselK1e=bessel_k1e,
    BesselY0=bessel_y0, BesselY1=bessel_y1, Digamma=digamma, Erfinv=erfinv, Igamma=igamma, Igammac=igammac,
    Lgamma=lgamma, Polygamma=polygamma, Sinc=sinc, Zeta=zeta,
)  # fmt: skip
globals().update(_PRIMITIVES)
__all__ += _PRIMITIVES
