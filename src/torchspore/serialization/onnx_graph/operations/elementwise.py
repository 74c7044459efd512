"""Operators on single elements."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.serialization.onnx_graph.small import broadcast_count
from torchspore.serialization.onnx_graph.table import Operation, Table, of_numbers
from torchspore.serialization.onnx_graph.tensor_values import dtype_of

__all__ = ["TABLE", "cast", "in_wide"]

_WIDE = {torch.uint16, torch.uint32, torch.uint64}  # for which torch has few kernels
_SATURATED = {torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz}


def in_wide(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return a function that computes unsigned integers of more than 8 bits as int64."""

    @functools.wraps(function)
    def compute(*inputs: Tensor) -> Tensor:
        dtype = inputs[0].dtype
        if dtype not in _WIDE:
            return function(*inputs)
        result = function(*[value.to(torch.int64) if value.dtype in _WIDE else value for value in inputs])
        return result.to(dtype) if result.dtype is torch.int64 else result

    return compute


def _divided(a: Tensor, b: Tensor) -> Tensor:
    if a.is_floating_point():
        return a / b
    is_negation = b == -1  # the smallest integer by -1 ends the process
    return torch.where(is_negation, -a, torch.div(a, torch.where(is_negation, 1, b), rounding_mode="trunc"))


def _power(a: Tensor, b: Tensor) -> Tensor:
    if a.is_floating_point() or not b.is_floating_point():
        return torch.pow(a, b).to(a.dtype)
    return torch.pow(a.double(), b.double()).to(a.dtype)


def _modulo(a: Tensor, b: Tensor, *, fmod: int = 0) -> Tensor:
    function = in_wide(torch.fmod if fmod else torch.remainder)
    return function(a, b)


def _shifted(a: Tensor, b: Tensor, *, direction: str) -> Tensor:
    wide, count = a.to(torch.int64), b.to(torch.int64)
    if direction == "LEFT":
        return (wide << count).to(a.dtype)
    if a.dtype is torch.uint64:
        return torch.where(count == 0, wide, (wide >> 1 & (2**63 - 1)) >> (count - 1).clamp(min=0)).to(a.dtype)
    return (wide >> count).to(a.dtype)


def _of_several(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    def compute(*inputs: Tensor) -> Tensor:
        return functools.reduce(in_wide(function), inputs)

    return compute


def _mean(*inputs: Tensor) -> Tensor:
    return functools.reduce(torch.add, inputs) / len(inputs)


def _clip(x: Tensor, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    if min is None and max is None:
        return x
    if x.dtype not in _WIDE:
        return torch.clamp(x, min, max)  # type: ignore[arg-type]
    bounds = [bound.to(torch.int64) if isinstance(bound, Tensor) else bound for bound in (min, max)]
    return torch.clamp(x.to(torch.int64), *bounds).to(x.dtype)  # type: ignore[arg-type]


def cast(x: Tensor, *, to: int, saturate: int = 1, round_mode: Literal["up"] = "up") -> Tensor:
    """Return a tensor of another type, by its number in the format."""
    return _cast(x, dtype_of(to), saturate)


def _cast(x: Tensor, dtype: torch.dtype, saturate: int) -> Tensor:
    if dtype in _SATURATED and saturate:
        x = x.float()
        bound = torch.finfo(dtype).max
        return torch.where(x.isnan(), x, x.clamp(-bound, bound)).to(dtype)
    if x.is_floating_point() and not dtype.is_floating_point and dtype is not torch.bool and not dtype.is_complex:
        return x.to(torch.int64).to(dtype)
    return x.to(dtype)


def _cast_like(x: Tensor, like: Tensor, *, saturate: int = 1, round_mode: Literal["up"] = "up") -> Tensor:
    return _cast(x, like.dtype, saturate)


def _is_infinite(x: Tensor, *, detect_negative: int = 1, detect_positive: int = 1) -> Tensor:
    if x.dtype in _SATURATED:
        x = x.float()
    if detect_negative and detect_positive:
        return torch.isinf(x)
    none = torch.zeros_like(x, dtype=torch.bool)
    return torch.isneginf(x) if detect_negative else torch.isposinf(x) if detect_positive else none


def _is_nan(x: Tensor) -> Tensor:
    return torch.isnan(x.float() if x.dtype in _SATURATED else x)


def _selu(x: Tensor, *, alpha: float = 1.6732632423543772, gamma: float = 1.0507009873554805) -> Tensor:
    return gamma * torch.where(x > 0, x, alpha * torch.expm1(x.clamp(max=0)))


def _celu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return F.celu(x, alpha)


def _elu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return torch.where(x > 0, x, alpha * torch.expm1(x.clamp(max=0)))


def _leaky(x: Tensor, *, alpha: float = 0.01) -> Tensor:
    return F.leaky_relu(x, alpha)


def _thresholded(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return torch.where(x > alpha, x, 0)


def _hard_sigmoid(x: Tensor, *, alpha: float = 0.2, beta: float = 0.5) -> Tensor:
    return (alpha * x + beta).clamp(0, 1)


def _shrunk(x: Tensor, *, lambd: float = 0.5, bias: float = 0.0) -> Tensor:
    moved = torch.where(x < -lambd, x + bias, x - bias)
    return torch.where(x.abs() > lambd, moved, 0).to(x.dtype)


def _gelu(x: Tensor, *, approximate: str = "none") -> Tensor:
    return F.gelu(x, approximate=approximate)


def _prelu(x: Tensor, slope: Tensor) -> Tensor:
    return torch.where(x < 0, x * slope, x)


def _swish(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return F.silu(x) if alpha == 1 else x * torch.sigmoid(alpha * x)


def _hard_swish(x: Tensor) -> Tensor:
    return F.hardswish(x)


def _sign(x: Tensor) -> Tensor:
    return in_wide(torch.sign)(x)


def _identity(x: Any) -> Any:
    return x


def _where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return torch.where(condition, x, y)


def _bits_as(x: Tensor, *, to: int) -> Tensor:
    dtype = dtype_of(to)
    if dtype.itemsize != x.dtype.itemsize or dtype is torch.bool:
        raise ValueError(f"the bits of {x.dtype} cannot be {dtype}")
    return x.contiguous().view(dtype)


_OTHERS: dict[str, Any] = {
    "Acos": torch.acos, "Acosh": torch.acosh, "Asin": torch.asin, "Asinh": torch.asinh, "Atan": torch.atan,
    "Atanh": torch.atanh, "BitwiseNot": in_wide(torch.bitwise_not), "Cos": torch.cos, "Cosh": torch.cosh,
    "Erf": torch.erf, "Exp": torch.exp, "HardSwish": _hard_swish, "IsNaN": _is_nan, "Log": torch.log,
    "Mish": F.mish, "Reciprocal": torch.reciprocal, "Relu": torch.relu, "Round": torch.round,
    "Sigmoid": torch.sigmoid, "Sin": torch.sin, "Sinh": torch.sinh, "Softplus": F.softplus, "Softsign": F.softsign,
    "Tan": torch.tan, "Tanh": torch.tanh, "BitCast": _bits_as, "Celu": _celu, "Elu": _elu, "Gelu": _gelu,
    "HardSigmoid": _hard_sigmoid, "IsInf": _is_infinite, "LeakyRelu": _leaky, "Selu": _selu, "Shrink": _shrunk,
    "Swish": _swish, "ThresholdedRelu": _thresholded, "PRelu": _prelu, "BitShift": _shifted, "Mean": _mean,
    "BitwiseAnd": in_wide(torch.bitwise_and), "BitwiseOr": in_wide(torch.bitwise_or),
    "BitwiseXor": in_wide(torch.bitwise_xor), "CastLike": _cast_like,
}  # fmt: skip
# With these, shapes are computed.
_NUMERIC: dict[str, Any] = {
    "Abs": torch.abs, "Add": in_wide(torch.add), "And": torch.logical_and, "Cast": cast, "Ceil": torch.ceil,
    "Clip": _clip, "Div": in_wide(_divided), "Equal": torch.eq, "Floor": torch.floor, "Greater": in_wide(torch.gt),
    "GreaterOrEqual": in_wide(torch.ge), "Identity": _identity, "Less": in_wide(torch.lt),
    "LessOrEqual": in_wide(torch.le), "Max": _of_several(torch.maximum), "Min": _of_several(torch.minimum),
    "Mod": _modulo, "Mul": in_wide(torch.mul), "Neg": torch.neg, "Not": torch.logical_not, "Or": torch.logical_or,
    "Pow": _power, "Sign": _sign, "Sqrt": torch.sqrt, "Sub": in_wide(torch.sub), "Sum": _of_several(torch.add),
    "Where": _where, "Xor": torch.logical_xor,
}  # fmt: skip
TABLE: Table = {
    **{name: Operation(function) for name, function in _OTHERS.items()},
    **{name: of_numbers(function, broadcast_count) for name, function in _NUMERIC.items()},
}
