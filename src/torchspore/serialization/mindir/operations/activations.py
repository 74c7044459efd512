"""Operations that compute element by element, by simpler ones that every engine has."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchspore.serialization.mindir.operations.expansions import EXPANSIONS, expansion

aten = torch.ops.aten

EXPANSIONS |= {
    aten.log_sigmoid.default: lambda x: -torch.nn.functional.softplus(-x),
    aten.prelu.default: lambda x, weight: torch.where(x > 0, x, x * _of_channels(weight, x)),
    aten.fmax.default: lambda x, y: torch.where(x.isnan() | (y >= x), y, x),
    aten.fmin.default: lambda x, y: torch.where(x.isnan() | (y <= x), y, x),
    aten.hypot.default: lambda x, y: (x * x + y * y).sqrt(),
    aten.signbit.default: lambda x: torch.where(x == 0, 1 / x < 0, x < 0) if x.dtype.is_floating_point else x < 0,
    aten.copysign.Tensor: lambda x, y: torch.where(aten.signbit(y), -x.abs(), x.abs()),
    aten.exp2.default: lambda x: (x * math.log(2)).exp(),
    aten.log2.default: lambda x: x.log() * (1 / math.log(2)),
    aten.log10.default: lambda x: x.log() * (1 / math.log(10)),
    aten.sign.default: lambda x: (x > 0).to(x.dtype) - (x < 0).to(x.dtype),
    aten.tan.default: lambda x: x.sin() / x.cos(),
    aten.trunc.default: lambda x: torch.where(x < 0, x.ceil(), x.floor()) if x.dtype.is_floating_point else x,
    aten.isnan.default: lambda x: x != x,
    aten.isinf.default: lambda x: x.abs() == math.inf,
    aten.isfinite.default: lambda x: x.abs() < math.inf,
    aten.logical_xor.default: lambda x, y: ((x != 0) | (y != 0)) & ~((x != 0) & (y != 0)),
    aten.polar.default: lambda x, angle: torch.complex(x * angle.cos(), x * angle.sin()),
    aten.__lshift__.Tensor: lambda x, y: x * _power_of_two(y, x.dtype),
    aten.__lshift__.Scalar: lambda x, y: x * 2**y,
    aten.__rshift__.Tensor: lambda x, y: torch.div(x, _power_of_two(y, x.dtype), rounding_mode="floor"),
    aten.__rshift__.Scalar: lambda x, y: torch.div(x, 2**y, rounding_mode="floor"),
}  # fmt: skip


@expansion(aten.isclose.default)
def _isclose(x: torch.Tensor, y: torch.Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    if not x.dtype.is_floating_point and not x.dtype.is_complex:
        x, y = x.to(torch.float64), y.to(torch.float64)
    apart = (x - y).abs()
    found = (x == y) | ((apart <= atol + rtol * y.abs()) & apart.isfinite())
    return found | (x.isnan() & y.isnan()) if equal_nan else found


def _power_of_two(y: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return (2 ** y.to(torch.int64)).to(dtype)


def _of_channels(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return weight.reshape((1, -1, *[1] * (x.ndim - 2))) if weight.numel() > 1 and x.ndim > 1 else weight.reshape(-1)


@expansion(aten.elu.default)
def _elu(x: torch.Tensor, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> torch.Tensor:
    below = (x.clamp(max=0) * input_scale if input_scale != 1 else x.clamp(max=0)).exp() - 1
    found = x.clamp(min=0) + (below if alpha == 1 else below * alpha)
    return found if scale == 1 else found * scale


@expansion(aten.celu.default)
def _celu(x: torch.Tensor, alpha: Any = 1) -> torch.Tensor:
    return _elu(x, alpha, 1, 1 / alpha)


@expansion(aten.selu.default)
def _selu(x: torch.Tensor) -> torch.Tensor:
    return _elu(x, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


@expansion(aten.softshrink.default)
def _softshrink(x: torch.Tensor, lambd: Any = 0.5) -> torch.Tensor:
    return (x - lambd).clamp(min=0) - (-x - lambd).clamp(min=0)


@expansion(aten.var.correction)
def _var(x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> torch.Tensor:
    return _var_mean(x, dim, correction=correction, keepdim=keepdim)[0]


@expansion(aten.var_mean.correction)
def _var_mean(
    x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    dims = list(range(x.ndim)) if dim is None or len(dim) == 0 else list(dim)
    mean = x.mean(dims, keepdim=True)
    apart = x - mean
    count: Any = 1
    for each in dims:
        count = count * x.shape[each]
    rest = count - (1 if correction is None else correction)
    found = (apart * apart).mean(dims, keepdim=keepdim)
    found = found * (count / rest if rest > 0 else math.inf if rest == 0 else math.nan) if rest != count else found
    return found, mean if keepdim else x.mean(dims)


@expansion(aten.roll.default)
def _roll(x: torch.Tensor, shifts: Any, dims: Any = ()) -> torch.Tensor:
    shifts, dims = [[each] if isinstance(each, int) else each for each in (shifts, dims)]
    if not dims:
        return _roll(x.reshape(-1), shifts, [0]).reshape(x.shape)
    for shift, dim in zip(shifts, dims):
        if not isinstance(x.shape[dim], int):
            x = x.index_select(dim, (torch.arange(x.shape[dim]) - shift) % x.shape[dim])
            continue
        cut = -shift % x.shape[dim] if x.shape[dim] else 0
        if cut:
            x = torch.cat([x.narrow(dim, cut, x.shape[dim] - cut), x.narrow(dim, 0, cut)], dim)
    return x


@expansion(aten.unfold.default)
def _unfold(x: torch.Tensor, dimension: int, size: int, step: int) -> torch.Tensor:
    if x.ndim == 0:
        return x.reshape(1)
    dim = dimension % x.ndim
    count = (x.shape[dim] - size) // step + 1
    places = torch.arange(count).unsqueeze(1) * step + torch.arange(size)
    found = x.index_select(dim, places.reshape(-1)).reshape((*x.shape[:dim], count, size, *x.shape[dim + 1 :]))
    return found.movedim(dim + 1, -1)


@expansion(aten.diagonal.default)
def _diagonal(x: torch.Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> torch.Tensor:
    moved = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = moved.shape[-2:]
    count = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    start = offset if offset >= 0 else -offset * columns
    places = torch.arange(count) * (columns + 1) + start
    return moved.reshape((*moved.shape[:-2], rows * columns)).index_select(-1, places)


@expansion(aten.pad.default)
def _pad(x: torch.Tensor, pad: Any, mode: str = "constant", value: Any = None) -> torch.Tensor:
    if mode == "constant":
        return aten.constant_pad_nd(x, pad, 0 if value is None else value)
    for number in range(len(pad) // 2):
        dim = x.ndim - 1 - number
        size = x.shape[dim]
        places = torch.arange(-pad[2 * number], size + pad[2 * number + 1])
        if mode == "replicate":
            places = places.clamp(0, size - 1)
        elif mode == "circular":
            places = places % size
        else:
            places = (size - 1) - ((size - 1) - places.abs()).abs()
        x = x.index_select(dim, places)
    return x


@expansion(aten.group_norm.default)
def _group_norm(
    x: torch.Tensor, num_groups: int, weight: torch.Tensor | None = None, bias: torch.Tensor | None = None,
    eps: float = 1e-5, cudnn_enabled: bool = True,
) -> torch.Tensor:  # fmt: skip
    groups = x.reshape((-1, num_groups, math.prod(x.shape[1:]) // num_groups))
    variance, mean = _var_mean(groups, [2], correction=0, keepdim=True)
    found = ((groups - mean) * (variance + eps).rsqrt()).reshape(x.shape)
    shape = (-1, *[1] * (x.ndim - 2))
    found = found if weight is None else found * weight.reshape(shape)
    return found if bias is None else found + bias.reshape(shape)
