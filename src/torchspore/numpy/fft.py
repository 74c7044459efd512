"""Discrete Fourier transforms, with NumPy's names of arguments; see `torchspore.ops` for what they compute."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.engine.op import op
from torchspore.numpy.arrays import array
from torchspore.ops.math import fourier
from torchspore.ops.math.fourier import fftfreq, rfftfreq

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip


def _renamed(function: Any, body: Any, *old_and_new: tuple[str, str]) -> Any:
    doc = function.__doc__.replace("mindspore.ops", "mindspore.numpy.fft")
    for old, new in old_and_new:
        doc = doc.replace(f"{old}: ", f"{new}: ").replace(f"`{old}`", f"`{new}`")
    body.__name__ = body.__qualname__ = function.__name__
    body.__doc__ = doc
    return op(body)


def _transform(function: Any) -> Any:
    def body(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
        return function.body(array(a), n, axis, norm)

    return _renamed(function, body, ("input", "a"), ("dim", "axis"))


def _transforms(function: Any, default: tuple[int, int] | None = None) -> Any:
    def body(
        a: Any,
        s: int | tuple[int, ...] | None = None,
        axes: int | tuple[int, ...] | None = default,
        norm: str | None = None,
    ) -> Tensor:
        return function.body(array(a), s, axes, norm)

    return _renamed(function, body, ("input", "a"), ("dim", "axes"))


def _shift(function: Any) -> Any:
    def body(x: Any, axes: int | tuple[int, ...] | None = None) -> Tensor:
        return function.body(array(x), axes)

    return _renamed(function, body, ("input", "x"), ("dim", "axes"))


fft, ifft = _transform(fourier.fft), _transform(fourier.ifft)
rfft, irfft = _transform(fourier.rfft), _transform(fourier.irfft)
hfft, ihfft = _transform(fourier.hfft), _transform(fourier.ihfft)
fft2, ifft2 = _transforms(fourier.fft2, (-2, -1)), _transforms(fourier.ifft2, (-2, -1))
rfft2, irfft2 = _transforms(fourier.rfft2, (-2, -1)), _transforms(fourier.irfft2, (-2, -1))
hfft2, ihfft2 = _transforms(fourier.hfft2, (-2, -1)), _transforms(fourier.ihfft2, (-2, -1))
fftn, ifftn = _transforms(fourier.fftn), _transforms(fourier.ifftn)
rfftn, irfftn = _transforms(fourier.rfftn), _transforms(fourier.irfftn)
hfftn, ihfftn = _transforms(fourier.hfftn), _transforms(fourier.ihfftn)
fftshift, ifftshift = _shift(fourier.fftshift), _shift(fourier.ifftshift)

_suggest_names(globals())
