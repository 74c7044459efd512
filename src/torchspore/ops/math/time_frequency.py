"""The short-time Fourier transform."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.engine.failures.errors import describe
from torchspore.engine.op import op
from torchspore.engine.primitive import as_primitive

__all__ = ["STFT", "stft"]


def _padded(x: Tensor, count: int, pad_mode: str) -> Tensor:
    if pad_mode == "CONSTANT":
        return torch.nn.functional.pad(x, (count, count))
    if pad_mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"For 'stft', 'pad_mode' must be 'REFLECT', 'CONSTANT' or 'SYMMETRIC', but got {pad_mode!r}.")
    edge = int(pad_mode == "REFLECT")  # the edge sample is not mirrored
    if x.shape[-1] < count + edge:
        raise ValueError(f"For 'stft', 'x' is too short to be padded by {count} on both sides: {describe(x)}.")
    before = x[..., edge : count + edge].flip(-1)
    after = x[..., x.shape[-1] - count - edge : x.shape[-1] - edge].flip(-1)
    return torch.cat([before, x, after], -1)


def _transformed(
    x: Tensor, window: Tensor, n_fft: int, hop_length: int, normalized: bool, onesided: bool, return_complex: bool
) -> Tensor:
    """Transform the windowed frames of a signal."""
    frames = x.unfold(-1, n_fft, hop_length) * window
    spectra = torch.fft.rfft(frames) if onesided else torch.fft.fft(frames)
    spectra = spectra.mT / n_fft**0.5 if normalized else spectra.mT
    return spectra if return_complex else torch.view_as_real(spectra)


def _check_lengths(x: Tensor, window: Tensor, n_fft: int, hop_length: int, win_length: int, api: str) -> None:
    if x.dim() not in (1, 2):
        raise ValueError(f"For '{api}', 'x' must have 1 or 2 dimensions, but got {describe(x)}.")
    if hop_length < 1 or not 0 < win_length <= n_fft <= x.shape[-1]:
        raise ValueError(
            f"For '{api}', 'hop_length' must be > 0 and 0 < win_length <= n_fft <= the length of the (padded) signal, "
            f"but got {hop_length}, {win_length}, {n_fft} and {x.shape[-1]}."
        )
    if window.shape != (win_length,):
        raise ValueError(f"For '{api}', 'window' must be of shape ({win_length},), but got {describe(window)}.")


@op
def stft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "REFLECT",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Tensor:
    """The short-time Fourier transform of a signal.

    Args:
        x: a Tensor of shape (length,) or (signals, length).
        n_fft: the length of a frame.
        hop_length: the distance between frames. Default: None: `n_fft // 4`.
        win_length: the length of the window. Default: None: `n_fft`.
        window: the window function, a Tensor of shape (win_length,), padded with zeros to the length of a frame.
            Default: None: ones.
        center: whether to pad the signal by `n_fft // 2` at both ends, so that frames are centered. Default: True.
        pad_mode: "REFLECT", "CONSTANT" or "SYMMETRIC". Default: "REFLECT".
        normalized: whether to divide by sqrt(n_fft). Default: False.
        onesided: whether to omit the second half of the frequencies, which is redundant for real signals.
            Default: None: for real signals.
        return_complex: whether the result is complex; else its last dimension holds real and imaginary parts.
            Default: None: for complex signals only.

    Returns:
        A Tensor of shape (..., frequencies, frames), or (..., frequencies, frames, 2).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.stft(ms.Tensor([1.0, 2.0, 3.0, 4.0]), 2, 2, center=False, return_complex=True))
        [[ 3.+0.j  7.+0.j]
         [-1.+0.j -1.+0.j]]
    """
    win_length = n_fft if win_length is None else win_length
    hop_length = n_fft // 4 if hop_length is None else hop_length
    window = torch.ones(max(win_length, 0), device=x.device) if window is None else window
    is_complex = x.is_complex() or window.is_complex()
    if center:
        x = _padded(x, n_fft // 2, pad_mode)
    _check_lengths(x, window, n_fft, hop_length, win_length, "stft")
    before = (n_fft - win_length) // 2
    window = torch.nn.functional.pad(window, (before, n_fft - win_length - before))
    onesided = not is_complex if onesided is None else onesided
    return _transformed(
        x, window, n_fft, hop_length, normalized, onesided, is_complex if return_complex is None else return_complex
    )


@as_primitive
def STFT(
    x: Tensor,
    window: Tensor,
    *,
    n_fft: int,
    hop_length: int,
    win_length: int,
    normalized: bool,
    onesided: bool,
    return_complex: bool,
) -> Tensor:
    """`stft` without padding."""
    return stft.body(x, n_fft, hop_length, win_length, window, False, "REFLECT", normalized, onesided, return_complex)
