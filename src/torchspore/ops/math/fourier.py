"""Discrete Fourier transforms, their sample frequencies, and the shift of the zero frequency to the center.

Transforms take real tensors (integers and half precision are computed in float32) and complex ones. `norm` selects the
scaling: "backward" (default) divides the inverse transform by n, "forward" the forward one, "ortho" both by sqrt(n).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common.memory import check_room
from torchspore.engine.failures.errors import of_value
from torchspore.engine.op import Size, Type, op
from torchspore.engine.primitive import as_primitive
from torchspore.ops.array.overloads import documented

__all__ = [
    "FFTWithSize", "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn",
    "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

_NORMS = (None, "backward", "forward", "ortho")
_COMMON = (
    'norm: None, "backward", "forward" or "ortho". Default: None, which is "backward".\n\n'
    "Returns:\n    A Tensor of {kind} numbers."
)


def _checked(input: Tensor, lengths: Any, norm: str | None, api: str) -> Tensor:
    if norm not in _NORMS:
        raise of_value(norm, str)(f"For '{api}', 'norm' must be one of {_NORMS}, but got {norm!r}.")
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

    doc = (
        f"{summary} in one dimension.\n\nArgs:\n    input: a Tensor of at least one dimension.\n"
        "    n: the length of the dimension, which is cropped or padded with zeros. Default: None, its length, or for\n"
        "        real results 2 * (length - 1).\n"
        "    dim: the dimension. Default: -1.\n    " + _COMMON.format(kind=kind)
    )
    return op(documented(body, name, doc))


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

    doc = (
        f"{summary} in {'two' if default else 'several'} dimensions.\n\nArgs:\n    input: a Tensor.\n"
        "    s: the lengths of the dimensions, which are cropped or padded with zeros. Default: None, as they are.\n"
        f"    dim: the dimensions. Default: {default or 'None, all, or the last `len(s)`'}.\n    "
        + _COMMON.format(kind=kind)
    )
    return op(documented(body, name, doc))


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
    """The frequencies of the `n` elements of a result of `fft`, for the sample spacing `d`.

    Args:
        n: the number of samples.
        d: the sample spacing. Default: 1.0.
        dtype: the data type. Default: None: float32.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.fftfreq(4))
        [ 0.    0.25 -0.5  -0.25]
    """
    return torch.fft.fftfreq(n, d, dtype=dtype or torch.float32, device=devices.current())


@op
def rfftfreq(n: int, d: float = 1.0, dtype: Type | None = None) -> Tensor:
    """The frequencies of the `n // 2 + 1` elements of a result of `rfft`; arguments as for `fftfreq`."""
    return torch.fft.rfftfreq(n, d, dtype=dtype or torch.float32, device=devices.current())


@op
def fftshift(input: Tensor, dim: int | tuple[int, ...] | None = None) -> Tensor:
    """Move the zero frequency to the center of the dimensions `dim` (default: all).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.fftshift(ms.ops.fftfreq(4)))
        [-0.5  -0.25  0.    0.25]
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
    signal_ndim: Literal[1, 2, 3],
    inverse: bool,
    real: bool,
    norm: str = "backward",
    onesided: bool = True,
    signal_sizes: Size = (),
) -> Tensor:
    """A Fourier transform of the last dimensions, of the kind that the arguments select.

    Args:
        signal_ndim: the number of dimensions: 1, 2 or 3.
        inverse: whether to compute the inverse.
        real: whether the signal is real.
        norm: "backward", "forward" or "ortho". Default: "backward".
        onesided: whether the transform of a real signal omits negative frequencies. Default: True.
        signal_sizes: the shape of the real signal to return. Default: (), 2 * (length - 1) in the last dimension.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.FFTWithSize(1, False, True)(ms.Tensor([1.0, 2.0, 3.0])))
        [ 6. +0.j        -1.5+0.8660254j]
    """
    x, dims = _checked(x, (), norm, "FFTWithSize"), tuple(range(-signal_ndim, 0))
    if real and onesided:
        if inverse:
            return torch.fft.irfftn(x, signal_sizes or None, dims, norm)
        return torch.fft.rfftn(x, None, dims, norm)
    if inverse:
        result = torch.fft.ifftn(x, None, dims, norm)
        return result.real if real else result
    return torch.fft.fftn(x, None, dims, norm)
