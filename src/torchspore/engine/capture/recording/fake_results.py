"""Fake results of operations whose fake kernels in torch fix the sizes of their inputs, or fail on open ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from torchspore.common.private_torch import FakeTensorMode, tree_leaves, tree_map_only

__all__ = ["open_result"]

_aten = torch.ops.aten


def _halved(x: torch.Tensor, dims: Sequence[int], _: int, onesided: bool) -> list[Any]:
    """Return the shape of a Fourier transform of real numbers: half of the last dimension determines the rest."""
    return [size // 2 + 1 if onesided and d == dims[-1] % x.dim() else size for d, size in enumerate(x.shape)]


def _doubled(x: torch.Tensor, dims: Sequence[int], _: int, last: Any) -> list[Any]:
    return [last if d == dims[-1] % x.dim() else size for d, size in enumerate(x.shape)]


def _padded(x: torch.Tensor, pad: Sequence[Any], *_: Any) -> list[Any]:
    shape = list(x.shape)
    for i, (before, after) in enumerate(zip(pad[::2], pad[1::2])):
        shape[-1 - i] = shape[-1 - i] + before + after
    return shape


def _broadcast(x: torch.Tensor, y: torch.Tensor) -> Sequence[Any]:
    return torch.broadcast_shapes(x.shape, y.shape)


def _resized(x: torch.Tensor, size: Sequence[Any], *_: Any) -> list[Any]:
    return [*x.shape[:2], *size]


_RESIZES = ("linear1d", "bilinear2d", "bicubic2d", "trilinear3d")
# operation -> the shape of its result
_SHAPES: Mapping[Any, Callable[..., Sequence[Any]]] = {
    _aten._fft_c2c.default: lambda x, *_: x.shape,
    _aten._fft_r2c.default: _halved,
    _aten._fft_c2r.default: _doubled,
    _aten.complex.default: _broadcast,
    _aten.polar.default: _broadcast,
    _aten.constant_pad_nd.default: _padded,
    _aten.linalg_pinv.atol_rtol_tensor: lambda x, **_: [*x.shape[:-2], x.shape[-1], x.shape[-2]],
    **{getattr(_aten, f"upsample_{kind}").default: _resized for kind in _RESIZES},
    **{getattr(_aten, f"upsample_{kind}_backward").default: lambda _, old, new, *__: new for kind in _RESIZES},
}


def open_result(mode: FakeTensorMode, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the fake result of an operation on tensors of open sizes, or None if torch's own is as good.

    The order of its dimensions in memory is the one that the operation has for the sizes at hand.
    """
    if func not in _SHAPES:
        return None
    given = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    if not any(isinstance(size, torch.SymInt) for value in given for size in value.shape):
        return None
    known_args, known_kwargs = tree_map_only((torch.Tensor, torch.SymInt), _at_hand, (tuple(args), dict(kwargs)))
    known = func(*known_args, **known_kwargs)
    shape = _SHAPES[func](*args, **kwargs)
    order = sorted(range(known.dim()), key=lambda d: -known.stride(d))
    with mode:
        result = torch.empty([shape[d] for d in order], dtype=known.dtype, device=given[0].device)
        return result.permute([order.index(d) for d in range(known.dim())])


def _at_hand(value: Any) -> Any:
    """Return a tensor or number of the present sizes in place of one of open sizes."""
    if isinstance(value, torch.SymInt):
        return value.node.hint
    shape, strides = ([_at_hand(n) if isinstance(n, torch.SymInt) else n for n in each] for each in _layout(value))
    return torch.empty_strided(shape, strides, dtype=value.dtype, device="meta")


def _layout(value: torch.Tensor) -> tuple[Sequence[Any], Sequence[Any]]:
    return value.shape, value.stride()
