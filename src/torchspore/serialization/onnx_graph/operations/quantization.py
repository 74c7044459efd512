"""Integers with scales in place of floating-point numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.serialization.onnx_graph.operations.convolutions import convolve
from torchspore.serialization.onnx_graph.operations.elementwise import cast
from torchspore.serialization.onnx_graph.operations.matrices import exact_product
from torchspore.serialization.onnx_graph.table import Operation, Table
from torchspore.serialization.onnx_graph.tensor_values import DTYPES, dtype_of

__all__ = ["MICROSOFT", "TABLE"]

_NUMBERS = {dtype: number for number, dtype in DTYPES.items()}


def _for_axis(value: Tensor, x: Tensor, axis: int, block_size: int) -> Tensor:
    """Return a scale or a zero point in a form that is broadcast with `x`."""
    if value.ndim == 0 or value.numel() == 1:
        return value.reshape(())
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"the axis {axis} is not one of {tuple(x.shape)}")
    axis, sizes = axis % x.ndim, list(x.shape)
    if value.ndim == 1 and not block_size:
        if len(value) != sizes[axis]:
            raise ValueError(f"{len(value)} scales or zero points are not for the axis {axis} of {tuple(x.shape)}")
        return value.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    block = min(block_size or -(-sizes[axis] // max(value.shape[axis], 1)), max(sizes[axis], 1))
    sizes[axis] = -(-sizes[axis] // block)
    if list(value.shape) != sizes:
        raise ValueError(f"scales of shape {tuple(value.shape)} are not for blocks of {block} of {tuple(x.shape)}")
    return value.repeat_interleave(block, axis).narrow(axis, 0, x.shape[axis])


def _to_integers(x: Tensor, dtype: torch.dtype) -> Tensor:
    limits = torch.iinfo(dtype)
    return x.clamp(limits.min, limits.max).to(dtype)


def _quantize(
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
) -> Tensor:
    dtype = zero_point.dtype if zero_point is not None else dtype_of(output_dtype) if output_dtype else torch.uint8
    wide = torch.float64 if x.dtype is torch.float64 else torch.float32
    scaled = x.to(wide) / _for_axis(scale, x, axis, block_size).to(wide)
    if dtype.is_floating_point:
        if zero_point is not None:
            scaled = scaled + _for_axis(zero_point, x, axis, block_size).to(wide)
        return cast(scaled, to=_NUMBERS[dtype], saturate=saturate)
    rounded = torch.round(scaled)
    if zero_point is not None:
        rounded = rounded + _for_axis(zero_point, x, axis, block_size).to(wide)
    return _to_integers(rounded, dtype)


def _dequantize(
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Tensor:
    dtype = dtype_of(output_dtype) if output_dtype else scale.dtype
    value = x.to(torch.float32)
    if zero_point is not None:
        value = value - _for_axis(zero_point, x, axis, block_size).to(torch.float32)
    return (value * _for_axis(scale, x, axis, block_size).to(torch.float32)).to(dtype)


def _dynamically(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    low, high = x.amin().clamp(max=0), x.amax().clamp(min=0)
    scale = (high - low) / 255
    safe = torch.where(scale == 0, torch.ones_like(scale), scale)
    zero_point = _to_integers(torch.round(-low / safe), torch.uint8)
    return _quantize(x, safe, zero_point), scale, zero_point


def _zero_point(value: Tensor | None, rank: int, axis: int) -> Tensor | float:
    if value is None:
        return 0.0
    value = value.double()
    return value.reshape([-1 if i == axis else 1 for i in range(rank)]) if value.ndim == 1 else value


def _conv_integer(
    x: Tensor, w: Tensor, x_zero_point: Tensor | None = None, w_zero_point: Tensor | None = None, **options: Any
) -> Tensor:
    x, w = x.double() - _zero_point(x_zero_point, x.ndim, 1), w.double() - _zero_point(w_zero_point, w.ndim, 0)
    return torch.round(convolve(x, w, **options)).to(torch.int32)


def _qlinear_conv(
    x: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor,
    w: Tensor,
    w_scale: Tensor,
    w_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
    b: Tensor | None = None,
    **options: Any,
) -> Tensor:
    x, w = x.double() - _zero_point(x_zero_point, x.ndim, 1), w.double() - _zero_point(w_zero_point, w.ndim, 0)
    y = convolve(x, w, None if b is None else b.double(), **options)
    factor = x_scale.double() * w_scale.double() / y_scale.double()
    factor = factor.reshape(-1, *[1] * (y.ndim - 2)) if factor.ndim else factor
    return _to_integers(torch.round(y * factor) + y_zero_point.double(), y_zero_point.dtype)


def _qlinear_matmul(
    a: Tensor,
    a_scale: Tensor,
    a_zero_point: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
) -> Tensor:
    def by_row(value: Tensor) -> Tensor:
        return value.double().unsqueeze(-1) if value.ndim == 1 and value.numel() > 1 else value.double()

    y = exact_product(a.double() - by_row(a_zero_point), b.double() - b_zero_point.double())
    factor = by_row(a_scale) * b_scale.double() / y_scale.double()
    return _to_integers(torch.round(y * factor) + y_zero_point.double(), y_zero_point.dtype)


def _real(x: Tensor, scale: Tensor, zero_point: Tensor | None) -> Tensor:
    return _dequantize(x, scale, zero_point)


def _qlinear_pair(function: Callable[[Tensor, Tensor], Tensor]) -> Operation:
    def compute(
        a: Tensor, a_scale: Tensor, a_zero_point: Tensor | None, b: Tensor, b_scale: Tensor,
        b_zero_point: Tensor | None, scale: Tensor, zero_point: Tensor | None = None,
    ) -> Tensor:  # fmt: skip
        result = function(_real(a, a_scale, a_zero_point), _real(b, b_scale, b_zero_point))
        return _quantize(result, scale, zero_point)

    return Operation(compute, fixed=(1, 4, 6))


def _qlinear_one(function: Callable[..., Tensor]) -> Operation:
    def compute(
        x: Tensor, x_scale: Tensor, x_zero_point: Tensor | None, scale: Tensor, zero_point: Tensor | None = None,
        **attributes: float,
    ) -> Tensor:  # fmt: skip
        return _quantize(function(_real(x, x_scale, x_zero_point), **attributes), scale, zero_point)

    return Operation(compute, fixed=(1, 3))


def _leaky(x: Tensor, *, alpha: float = 0.01) -> Tensor:
    return torch.nn.functional.leaky_relu(x, alpha)


def _global_average(x: Tensor, *, channels_last: float = 0) -> Tensor:
    if channels_last:
        raise ValueError("channels at the end have no counterpart")
    return x.mean(tuple(range(2, x.ndim)), keepdim=True)


def _softmax(x: Tensor, *, axis: float = -1, opset: float = 13) -> Tensor:
    axis = int(axis) % x.ndim
    return torch.softmax(x, axis) if opset >= 13 else torch.softmax(x.flatten(axis), -1).reshape(x.shape)


def _qlinear_concat(scale: Tensor, zero_point: Tensor, *parts: Tensor, axis: int) -> Tensor:
    values = [_real(*parts[i : i + 3]) for i in range(0, len(parts), 3)]
    return _quantize(torch.cat(values, axis), scale, zero_point)


def _qgemm(
    a: Tensor,
    a_scale: Tensor,
    a_zero_point: Tensor | None,
    b: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor | None,
    c: Tensor | None = None,
    scale: Tensor | None = None,
    zero_point: Tensor | None = None,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Tensor:
    a, b = a.double(), b.double()
    a = a if a_zero_point is None else a - a_zero_point
    b, a = b.T if transB else b, a.T if transA else a
    b = b if b_zero_point is None else b - b_zero_point
    y = torch.matmul(a, b) if c is None else torch.matmul(a, b) + c
    y = (y * (alpha * a_scale.double() * b_scale.double())).float()
    return y if scale is None else _quantize(y, scale, zero_point)


def _size(x: Tensor, *others: Any) -> int:
    return x.numel()


TABLE: Table = {
    "ConvInteger": Operation(_conv_integer),
    "DequantizeLinear": Operation(_dequantize, fixed=(1, 2), count=_size),
    "DynamicQuantizeLinear": Operation(_dynamically),
    "QLinearConv": Operation(_qlinear_conv, fixed=(1, 4, 6)),
    "QLinearMatMul": Operation(_qlinear_matmul, fixed=(1, 4, 6)),
    "QuantizeLinear": Operation(_quantize, fixed=(1, 2), count=_size),
}
MICROSOFT: dict[str, Operation] = {
    "QGemm": Operation(_qgemm, fixed=(1, 4, 7)),
    "QLinearAdd": _qlinear_pair(torch.add),
    "QLinearConcat": Operation(_qlinear_concat, fixed=(0,)),
    "QLinearGlobalAveragePool": _qlinear_one(_global_average),
    "QLinearLeakyRelu": _qlinear_one(_leaky),
    "QLinearMul": _qlinear_pair(torch.mul),
    "QLinearSigmoid": _qlinear_one(torch.sigmoid),
    "QLinearSoftmax": _qlinear_one(_softmax),
    "DequantizeLinear": Operation(_dequantize, fixed=(1, 2), count=_size),
    "QuantizeLinear": Operation(_quantize, fixed=(1, 2), count=_size),
}
