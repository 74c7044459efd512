"""Discrete Fourier transforms, the frequencies that belong to them, and the shift of zero frequency to the centre.

Transforms take any real type (integers and half precision count as float32) and complex ones; `norm` says which
direction divides: "backward" (default) the inverse by n, "forward" the forward by n, "ortho" both by its root.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common.memory import check_room
from torchspore.engine.op import Size, Type, op
from torchspore.engine.primitive import as_primitive

__all__ = [
    "FFTWithSize", "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn",
    "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

_NORMS = (None, "backward", "forward", "ortho")
_COMMON = (
    'norm: None, "backward", "forward" or "ortho". Default: None, which is "backward".\n\n'
    "Returns:\n    A Tensor of {kind} numbers.\n\n"
    "Raises:\n    TypeError: `input` is not a Tensor.\n"
    "    ValueError: a dimension that `input` does not have, a length below 1, or another `norm`.\n\n"
    "MindSpore: `mindspore.ops.{name}`."
)


def _checked(input: Tensor, lengths: Any, norm: str | None, api: str) -> Tensor:
    if norm not in _NORMS:
        raise ValueError(f"For '{api}', 'norm' must be one of {_NORMS}, but got {norm!r}.")
    if any(length < 1 for length in lengths):
        raise ValueError(f"For '{api}', lengths must be positive, but got {tuple(lengths)}.")
    if lengths and all(type(length) is int for length in lengths):
        check_room(math.prod(lengths), torch.complex64.itemsize)
    return input.float() if input.dtype in (torch.float16, torch.bfloat16) else input


def _transform(function: Callable[..., Tensor], summary: str, kind: str) -> Any:
    """Make a transform in one dimension an operation."""
    name = function.__name__.removeprefix("fft_")

    def body(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
        return function(_checked(input, () if n is None else (n,), norm, name), n, dim, norm)

    return _named(
        body,
        name,
        f"{summary} in one dimension.\n\nArgs:\n    input: a Tensor of at least one dimension.\n"
        "    n: the length of the dimension, which is cut or filled with zeros. Default: None, as it is (for results\n"
        "        that are real, the length of the result: twice one less).\n"
        "    dim: the dimension. Default: -1.\n    " + _COMMON.format(kind=kind, name=name),
    )


def _transforms(function: Callable[..., Tensor], summary: str, kind: str, default: tuple[int, int] | None) -> Any:
    """Make a transform in several dimensions an operation."""
    name = function.__name__.removeprefix("fft_")

    def body(
        input: Tensor,
        s: int | tuple[int, ...] | None = None,
        dim: int | tuple[int, ...] | None = default,
        norm: str | None = None,
    ) -> Tensor:
        lengths = s if s is None or isinstance(s, tuple) else (s,)
        return function(_checked(input, lengths or (), norm, name), lengths, dim, norm)

    return _named(
        body,
        name,
        f"{summary} in {'two' if default else 'several'} dimensions.\n\nArgs:\n    input: a Tensor.\n"
        "    s: the lengths of the dimensions, which are cut or filled with zeros. Default: None, as they are.\n"
        f"    dim: the dimensions. Default: {default or 'None, all, or the last ones if `s` is given'}.\n    "
        + _COMMON.format(kind=kind, name=name),
    )


def _named(body: Any, name: str, doc: str) -> Any:
    body.__name__ = body.__qualname__ = name
    body.__doc__ = doc
    return op(body)


_FFT, _IFFT = "Discrete Fourier transform", "Inverse discrete Fourier transform"
_RFFT, _IRFFT = "Discrete Fourier transform of real numbers", "Inverse of the transform of real numbers"
_HFFT, _IHFFT = "Discrete Fourier transform of a Hermitian signal", "Inverse of the transform of a Hermitian signal"

fft = _transform(torch.fft.fft, _FFT, "complex")
ifft = _transform(torch.fft.ifft, _IFFT, "complex")
rfft = _transform(torch.fft.rfft, _RFFT, "complex")
irfft = _transform(torch.fft.irfft, _IRFFT, "real")
hfft = _transform(torch.fft.hfft, _HFFT, "real")
ihfft = _transform(torch.fft.ihfft, _IHFFT, "complex")
fft2 = _transforms(torch.fft.fft2, _FFT, "complex", (-2, -1))
ifft2 = _transforms(torch.fft.ifft2, _IFFT, "complex", (-2, -1))
rfft2 = _transforms(torch.fft.rfft2, _RFFT, "complex", (-2, -1))
irfft2 = _transforms(torch.fft.irfft2, _IRFFT, "real", (-2, -1))
hfft2 = _transforms(torch.fft.hfft2, _HFFT, "real", (-2, -1))
ihfft2 = _transforms(torch.fft.ihfft2, _IHFFT, "complex", (-2, -1))
fftn = _transforms(torch.fft.fftn, _FFT, "complex", None)
ifftn = _transforms(torch.fft.ifftn, _IFFT, "complex", None)
rfftn = _transforms(torch.fft.rfftn, _RFFT, "complex", None)
irfftn = _transforms(torch.fft.irfftn, _IRFFT, "real", None)
hfftn = _transforms(torch.fft.hfftn, _HFFT, "real", None)
ihfftn = _transforms(torch.fft.ihfftn, _IHFFT, "complex", None)


@op
def fftfreq(n: int, d: float = 1.0, dtype: Type | None = None) -> Tensor:
    """The frequencies of the `n` results of `fft`, for samples `d` apart.

    Args:
        n: the number of samples.
        d: the distance of the samples. Default: 1.0.
        dtype: the data type. Default: None: float32.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.fftfreq(4))
        [ 0.    0.25 -0.5  -0.25]

    MindSpore: `mindspore.ops.fftfreq`.
    """
    return torch.fft.fftfreq(n, d, dtype=dtype or torch.float32, device=devices.current())


@op
def rfftfreq(n: int, d: float = 1.0, dtype: Type | None = None) -> Tensor:
    """The frequencies of the `n // 2 + 1` results of `rfft`; arguments as for `fftfreq`."""
    return torch.fft.rfftfreq(n, d, dtype=dtype or torch.float32, device=devices.current())


@op
def fftshift(input: Tensor, dim: int | tuple[int, ...] | None = None) -> Tensor:
    """Move the zero frequency to the centre of the dimensions `dim` (default: all).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.fftshift(ms.ops.fftfreq(4)))
        [-0.5  -0.25  0.    0.25]

    MindSpore: `mindspore.ops.fftshift`.
    """
    return torch.fft.fftshift(input, dim) if input.dim() and dim != () else input.clone()


@op
def ifftshift(input: Tensor, dim: int | tuple[int, ...] | None = None) -> Tensor:
    """Undo `fftshift`."""
    return torch.fft.ifftshift(input, dim) if input.dim() and dim != () else input.clone()


@as_primitive
def FFTWithSize(
    x: Tensor,
    *,
    signal_ndim: int,
    inverse: bool,
    real: bool,
    norm: str = "backward",
    onesided: bool = True,
    signal_sizes: Size = (),
) -> Tensor:
    """A Fourier transform of the last dimensions, whose kind the arguments choose.

    Args:
        signal_ndim: the number of dimensions: 1, 2 or 3.
        inverse: whether to transform back.
        real: whether the signal is real.
        norm: "backward", "forward" or "ortho". Default: "backward".
        onesided: whether the transform of a real signal has no negative frequencies. Default: True.
        signal_sizes: the shape of the real signal to return. Default: (), twice one less in the last dimension.

    Raises:
        ValueError: `signal_ndim` or `norm` is none of the above.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.FFTWithSize(1, False, True)(ms.Tensor([1.0, 2.0, 3.0])))
        [ 6. +0.j        -1.5+0.8660254j]
    """
    if signal_ndim not in (1, 2, 3):
        raise ValueError(f"For 'FFTWithSize', 'signal_ndim' must be 1, 2 or 3, but got {signal_ndim}.")
    x, dims = _checked(x, (), norm, "FFTWithSize"), tuple(range(-signal_ndim, 0))
    if real and onesided:
        if inverse:
            return torch.fft.irfftn(x, signal_sizes or None, dims, norm)
        return torch.fft.rfftn(x, None, dims, norm)
    if inverse:
        result = torch.fft.ifftn(x, None, dims, norm)
        return result.real if real else result
    return torch.fft.fftn(x, None, dims, norm)
