"""Discrete cosine transforms (of type 2, orthonormal) and their inverses; the names are from `mindspore.scipy.fft`.

All functions raise a TypeError if `x` is not a Tensor, and a ValueError if another argument is not one of the
documented values or does not match the shape.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.engine.op import op

__all__ = ["dct", "dctn", "idct", "idctn"]


def _prepared(x: Tensor, kind: int, norm: str | None, api: str) -> Tensor:
    if kind != 2:
        raise ValueError(f"For '{api}', 'type' must be 2, but got {kind}.")
    if norm not in (None, "ortho"):
        raise ValueError(f"For '{api}', 'norm' must be None or 'ortho', which are equivalent, but got {norm!r}.")
    if x.dtype in (torch.float16, torch.bfloat16) or not (x.is_floating_point() or x.is_complex()):
        return x.float()
    return x


def _resized(x: Tensor, length: int | None, axis: int) -> Tensor:
    """Return `x` with its dimension `axis` last, cut or padded with zeros to a length."""
    if not -x.dim() <= axis < x.dim():
        raise ValueError(f"'axis' must be in [{-x.dim()}, {x.dim()}), but got {axis}")
    moved = x.movedim(axis, -1)
    if length is None or length == moved.shape[-1]:
        return moved
    if length < 1:
        raise ValueError(f"the length must be positive, but got {length}")
    return torch.nn.functional.pad(moved, (0, length - moved.shape[-1]))


def _rotations(x: Tensor, sign: int) -> Tensor:
    """Return exp(sign * i * pi * k / 2n) for k from 0 to n - 1, where n is the length of the last dimension."""
    size = x.shape[-1]
    real = x.real.dtype if x.is_complex() else x.dtype
    angles = torch.arange(size, device=x.device).to(real) * (sign * math.pi / (2 * size))
    return torch.polar(torch.ones_like(angles), angles)


def _scale(x: Tensor) -> Tensor:
    """Return the factors of the sums of cosines that make the transform orthonormal."""
    size = x.shape[-1]
    first = torch.arange(size, device=x.device) == 0
    squares = torch.where(first, 1.0, 2.0).double() / size  # a root of a Python number would fix an open size
    return squares.sqrt().to(x.real.dtype if x.is_complex() else x.dtype)


def _forward(x: Tensor) -> Tensor:
    """Transform the last dimension by a Fourier transform of the even elements and the reversed odd ones."""
    if x.is_complex():
        return torch.complex(_forward(x.real), _forward(x.imag))
    ordered = torch.cat((x[..., ::2], x[..., 1::2].flip(-1)), -1)
    return (torch.fft.fft(ordered) * _rotations(x, -1)).real * _scale(x)


def _backward(x: Tensor) -> Tensor:
    """Undo `_forward`."""
    if x.is_complex():
        return torch.complex(_backward(x.real), _backward(x.imag))
    sums = x / _scale(x)
    mirrored = torch.cat((torch.zeros_like(sums[..., :1]), sums[..., 1:].flip(-1)), -1)
    ordered = torch.fft.ifft(torch.complex(sums, -mirrored) * _rotations(x, 1)).real
    size = x.shape[-1]
    indices = torch.arange(size, device=x.device)
    return ordered[..., torch.where(indices % 2 == 0, indices // 2, size - 1 - indices // 2)]


@op
def dct(x: Tensor, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """Discrete cosine transform.

    Args:
        x: a Tensor of numbers; integers and half precision become float32.
        type: 2, the only supported type. Default: 2.
        n: the length to which the dimension is cut or padded with zeros. Default: None, unchanged.
        axis: the dimension. Default: -1.
        norm: None or "ortho"; the transform is orthonormal either way. Default: None.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.scipy.fft import dct
        >>> print(dct(ms.Tensor([1.0, 1.0, 1.0, 1.0])))
        [2. 0. 0. 0.]
    """
    return _forward(_resized(_prepared(x, type, norm, "dct"), n, axis)).movedim(-1, axis)


@op
def idct(x: Tensor, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """Inverse of `dct`; arguments as there."""
    return _backward(_resized(_prepared(x, type, norm, "idct"), n, axis)).movedim(-1, axis)


def _over_axes(function: Any, x: Tensor, lengths: Any, axes: Any) -> Tensor:
    lengths = (lengths,) if isinstance(lengths, int) else lengths
    if axes is None:
        axes = range(x.dim()) if lengths is None else range(-len(lengths), 0)
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    if lengths is not None and len(lengths) != len(axes):
        raise ValueError(f"'s' must have a length for each of the dimensions {axes}, but got {lengths}")
    if len({axis % max(x.dim(), 1) for axis in axes}) < len(axes):
        raise ValueError(f"'axes' must not have a dimension twice, but got {axes}")
    for axis, length in zip(axes, lengths or [None] * len(axes)):
        x = function(_resized(x, length, axis)).movedim(-1, axis)
    return x


@op
def dctn(
    x: Tensor,
    type: int = 2,
    s: int | tuple[int, ...] | None = None,
    axes: int | tuple[int, ...] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Discrete cosine transform in several dimensions.

    Args:
        x, type, norm: as for `dct`.
        s: the lengths to which the dimensions are cut or padded with zeros. Default: None, unchanged.
        axes: the dimensions. Default: None, all, or the last ones if `s` is given.
    """
    return _over_axes(_forward, _prepared(x, type, norm, "dctn"), s, axes)


@op
def idctn(
    x: Tensor,
    type: int = 2,
    s: int | tuple[int, ...] | None = None,
    axes: int | tuple[int, ...] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Inverse of `dctn`; arguments as there."""
    return _over_axes(_backward, _prepared(x, type, norm, "idctn"), s, axes)


_suggest_names(globals())
