"""Operations that compute element by element."""

from __future__ import annotations

from typing import Any

import torch

from torchspore.serialization.mindir.building import Builder, NoForm, Value
from torchspore.serialization.mindir.operations.forms import FORMS, form, from_unary, operand

aten = torch.ops.aten

from_unary(
    Abs=aten.abs.default, ACos=aten.acos.default, Acosh=aten.acosh.default, Asin=aten.asin.default,
    Asinh=aten.asinh.default, Atan=aten.atan.default, Atanh=aten.atanh.default, Ceil=aten.ceil.default,
    Cos=aten.cos.default, Cosh=aten.cosh.default, Erf=aten.erf.default, Erfc=aten.erfc.default, Exp=aten.exp.default,
    Expm1=aten.expm1.default, Floor=aten.floor.default, IsFinite=aten.isfinite.default, IsInf=aten.isinf.default,
    IsNan=aten.isnan.default, Log=aten.log.default, Log1p=aten.log1p.default, LogicalNot=aten.logical_not.default,
    Neg=aten.neg.default, Reciprocal=aten.reciprocal.default, ReLU=aten.relu.default, Round=aten.round.default,
    Rsqrt=aten.rsqrt.default, Sigmoid=aten.sigmoid.default, Sign=aten.sign.default, Sin=aten.sin.default,
    Sinh=aten.sinh.default, Softplus=aten.softplus.default, Sqrt=aten.sqrt.default, Square=aten.square.default,
    Tan=aten.tan.default, Tanh=aten.tanh.default, Trunc=aten.trunc.default,
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
    aten.pow.Tensor_Scalar: _binary("Pow"), aten.pow.Scalar: _binary("Pow"),
    aten.logical_and.default: lambda b, x, y: b.call("LogicalAnd", b.cast(x, torch.bool), b.cast(y, torch.bool)),
    aten.logical_or.default: lambda b, x, y: b.call("LogicalOr", b.cast(x, torch.bool), b.cast(y, torch.bool)),
}  # fmt: skip


@form(aten.rsub.Scalar)
def _rsub(b: Builder, x: Value, y: float, alpha: float = 1) -> Value:
    return FORMS[aten.sub.Tensor](b, y, x, alpha=alpha)


@form(aten.clamp.default)
def _clamp(b: Builder, x: Value, min: Any = None, max: Any = None) -> Value:
    x = x if min is None else FORMS[aten.maximum.default](b, x, min)
    return x if max is None else FORMS[aten.minimum.default](b, x, max)


@form(aten.where.self)
def _where(b: Builder, condition: Value, x: Value, y: Value) -> Value:
    dtype = _promoted(x, y)
    shape = torch.broadcast_shapes(condition.shape, x.shape, y.shape)
    taken = [_broadcast(b, each, shape) for each in (condition, b.cast(x, dtype), b.cast(y, dtype))]
    return b.call("Select", *taken)


def _broadcast(b: Builder, x: Value, shape: Any) -> Value:
    if tuple(x.shape) == tuple(shape):
        return x
    if not all(isinstance(size, int) for size in shape):
        raise NoForm("it extends a tensor to an open size")
    return b.call("BroadcastTo", x, shape=tuple(shape))


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


@form(aten._to_copy.default, aten.to.dtype)
def _to(b: Builder, x: Value, dtype: torch.dtype | None = None) -> Value:
    return x if dtype is None else b.cast(x, dtype)
