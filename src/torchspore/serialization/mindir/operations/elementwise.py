"""Operations that compute element by element."""

from __future__ import annotations

from typing import Any

import torch

from torchspore.serialization.mindir.building import Builder, Value
from torchspore.serialization.mindir.open_sizes import expanded_to
from torchspore.serialization.mindir.operations.forms import FORMS, form, from_unary, operand

aten = torch.ops.aten

from_unary(
    Abs=aten.abs.default, ACos=aten.acos.default, Acosh=aten.acosh.default, Asin=aten.asin.default,
    Asinh=aten.asinh.default, Atan=aten.atan.default, Atanh=aten.atanh.default, Ceil=aten.ceil.default,
    Cos=aten.cos.default, Cosh=aten.cosh.default, Erf=aten.erf.default, Erfc=aten.erfc.default, Exp=aten.exp.default,
    Expm1=aten.expm1.default, Floor=aten.floor.default, Log=aten.log.default, Log1p=aten.log1p.default,
    LogicalNot=aten.logical_not.default,
    Neg=aten.neg.default, Reciprocal=aten.reciprocal.default, ReLU=aten.relu.default, Round=aten.round.default,
    Rsqrt=aten.rsqrt.default, Sigmoid=aten.sigmoid.default, Sin=aten.sin.default,
    Sinh=aten.sinh.default, Softplus=aten.softplus.default, Sqrt=aten.sqrt.default, Square=aten.square.default,
    Tanh=aten.tanh.default, Lgamma=aten.lgamma.default,
    Digamma=aten.digamma.default, Erfinv=aten.erfinv.default, BesselI0=aten.special_i0.default,
    BesselI0e=aten.special_i0e.default, BesselI1=aten.special_i1.default, BesselI1e=aten.special_i1e.default,
    BesselJ0=aten.special_bessel_j0.default, BesselJ1=aten.special_bessel_j1.default,
    BesselY0=aten.special_bessel_y0.default, BesselY1=aten.special_bessel_y1.default,
    BesselK0=aten.special_modified_bessel_k0.default, BesselK0e=aten.special_scaled_modified_bessel_k0.default,
    BesselK1=aten.special_modified_bessel_k1.default, BesselK1e=aten.special_scaled_modified_bessel_k1.default,
    Real=aten.real.default, Imag=aten.imag.default, Conj=aten._conj.default, Angle=aten.angle.default,
)  # fmt: skip


def _promoted(x: Any, y: Any) -> torch.dtype:
    given = [each.example if isinstance(each, Value) else each for each in (x, y)]
    return torch.result_type(*given)


def _binary(primitive: str, *, floating: bool = False) -> Any:
    """Return the form of an operation of two tensors or numbers."""

    def write(b: Builder, x: Any, y: Any, alpha: float = 1) -> Value:
        dtype = _promoted(x, y)
        if floating and not (dtype.is_floating_point or dtype.is_complex):
            dtype = torch.get_default_dtype()
        second = operand(b, y, dtype)
        if alpha != 1:
            second = b.call("Mul", second, operand(b, alpha, dtype))
        return b.call(primitive, operand(b, x, dtype), second)

    return write


for _primitive, _packet in {
    "Add": aten.add, "Sub": aten.sub, "Mul": aten.mul, "Equal": aten.eq, "NotEqual": aten.ne, "Less": aten.lt,
    "LessEqual": aten.le, "Greater": aten.gt, "GreaterEqual": aten.ge, "FloorMod": aten.remainder,
    "FloorDiv": aten.floor_divide, "Mod": aten.fmod,
}.items():  # fmt: skip
    for _overload in ("Tensor", "Scalar", "default"):
        if hasattr(_packet, _overload):
            FORMS[getattr(_packet, _overload)] = _binary(_primitive)
FORMS |= {
    aten.div.Tensor: _binary("RealDiv", floating=True), aten.div.Scalar: _binary("RealDiv", floating=True),
    aten.atan2.default: _binary("Atan2", floating=True), aten.maximum.default: _binary("Maximum"),
    aten.minimum.default: _binary("Minimum"), aten.pow.Tensor_Tensor: _binary("Pow"),
    aten.pow.Scalar: _binary("Pow"),
    aten.nextafter.default: _binary("NextAfter"), aten.gcd.default: _binary("Gcd"), aten.lcm.default: _binary("Lcm"),
    aten.special_gammainc.default: _binary("Igamma"), aten.special_gammaincc.default: _binary("Igammac"),
    aten.special_zeta.default: _binary("Zeta"), aten.complex.default: _binary("Complex"),
    aten.logical_and.default: lambda b, x, y: b.call("LogicalAnd", b.cast(x, torch.bool), b.cast(y, torch.bool)),
    aten.logical_or.default: lambda b, x, y: b.call("LogicalOr", b.cast(x, torch.bool), b.cast(y, torch.bool)),
}  # fmt: skip


@form(aten.pow.Tensor_Scalar)
def _pow(b: Builder, x: Value, y: float) -> Value:
    if x.dtype.is_floating_point and y in _POWERS:
        return b.call(_POWERS[y], x)
    return b.call("Mul", x, x) if y == 2 and x.dtype != torch.bool else _binary("Pow")(b, x, y)


_POWERS = {0.5: "Sqrt", -0.5: "Rsqrt", -1: "Reciprocal"}


@form(aten.rsub.Scalar)
def _rsub(b: Builder, x: Value, y: float, alpha: float = 1) -> Value:
    return FORMS[aten.sub.Tensor](b, y, x, alpha=alpha)


@form(aten.clamp.default, aten.clamp.Tensor)
def _clamp(b: Builder, x: Value, min: Any = None, max: Any = None) -> Value:
    x = x if min is None else FORMS[aten.maximum.default](b, x, min)
    return x if max is None else FORMS[aten.minimum.default](b, x, max)


@form(aten.where.self, aten.where.ScalarSelf, aten.where.ScalarOther, aten.where.Scalar)
def _where(b: Builder, condition: Value, x: Any, y: Any) -> Value:
    dtype = _promoted(x, y)
    x, y = operand(b, x, dtype), operand(b, y, dtype)
    shape = torch.broadcast_shapes(condition.shape, x.shape, y.shape)
    taken = [_broadcast(b, each, shape) for each in (b.cast(condition, torch.bool), x, y)]
    return b.call("Select", *taken)


def _bitwise(primitive: str, of_bools: str) -> Any:
    def write(b: Builder, x: Any, y: Any) -> Value:
        return _binary(of_bools if _promoted(x, y) == torch.bool else primitive)(b, x, y)

    return write


for _packet, _form in {
    aten.bitwise_and: _bitwise("BitwiseAnd", "LogicalAnd"), aten.bitwise_or: _bitwise("BitwiseOr", "LogicalOr"),
    aten.bitwise_xor: _bitwise("BitwiseXor", "NotEqual"),
}.items():  # fmt: skip
    FORMS |= dict.fromkeys([_packet.Tensor, _packet.Scalar, _packet.Scalar_Tensor], _form)


@form(aten.bitwise_not.default)
def _bitwise_not(b: Builder, x: Value) -> Value:
    if x.dtype == torch.bool:
        return b.call("LogicalNot", x)
    ones = torch.iinfo(x.dtype).max if x.dtype == torch.uint8 else -1
    return b.call("BitwiseXor", x, operand(b, ones, x.dtype))


@form(aten.div.Tensor_mode, aten.div.Scalar_mode)
def _rounded_division(b: Builder, x: Any, y: Any, rounding_mode: str | None = None) -> Value:
    dtype = _promoted(x, y)
    if rounding_mode is None:
        return FORMS[aten.div.Tensor](b, x, y)
    if rounding_mode == "floor":
        return _binary("FloorDiv")(b, x, y)
    if dtype.is_floating_point:
        return b.call("Trunc", _binary("RealDiv")(b, x, y))
    x, y = operand(b, x, dtype), operand(b, y, dtype)
    quotient = b.call("FloorDiv", x, y)
    inexact = b.call("NotEqual", b.call("Mul", quotient, y), x)
    up = b.call("LogicalAnd", inexact, b.call("Less", quotient, operand(b, 0, dtype)))
    return b.call("Add", quotient, b.cast(up, dtype))


@form(aten.clamp_min.default)
def _clamp_min(b: Builder, x: Value, min: Any) -> Value:
    return _clamp(b, x, min=min)


@form(aten.clamp_max.default)
def _clamp_max(b: Builder, x: Value, max: Any) -> Value:
    return _clamp(b, x, max=max)


def _broadcast(b: Builder, x: Value, shape: Any) -> Value:
    if tuple(x.shape) == tuple(shape):
        return x
    return expanded_to(b, x, shape)


@form(aten.gelu.default)
def _gelu(b: Builder, x: Value, approximate: str = "none") -> Value:
    if approximate == "tanh":
        return b.call("GeLU", x)
    half = b.call("Mul", x, operand(b, 0.5, x.dtype))
    inner = b.call("Erf", b.call("Mul", x, operand(b, 0.5**0.5, x.dtype)))
    return b.call("Mul", half, b.call("Add", inner, operand(b, 1.0, x.dtype)))


@form(aten.silu.default)
def _silu(b: Builder, x: Value) -> Value:
    return b.call("Mul", x, b.call("Sigmoid", x))


@form(aten._to_copy.default, aten.to.dtype, torch.ops.prims.convert_element_type.default)
def _to(b: Builder, x: Value, dtype: torch.dtype | None = None) -> Value:
    return x if dtype is None else b.cast(x, dtype)


# Torch's own primitives, in which some of its decompositions are written
for _name in dir(torch.ops.prims):
    for _overload in ("Tensor", "default", "Tensor_Tensor", "self"):
        _operation = getattr(getattr(aten, _name, None), _overload, None)
        if _operation in FORMS:
            FORMS.setdefault(getattr(torch.ops.prims, _name).default, FORMS[_operation])
            break
