"""Windows, short-time Fourier transforms of waves, and their inverse."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import torch

from torchspore.dataset.audio.enums import WindowType
from torchspore.dataset.transforms.base import Array
from torchspore.engine.parameters import Rule

__all__ = ["FITTING", "Frames", "frames_of", "spectrums", "wave_of"]

_KAISER_BETA = 12.0


class Frames(NamedTuple):
    """How a wave is cut into frames: their length, the window and its length, and the hop between frames."""

    n_fft: int
    win_length: int
    hop_length: int
    window: WindowType

    def weights(self, dtype: torch.dtype = torch.float64) -> torch.Tensor:
        """Return the window, padded with zeros on both sides to the length of a frame; not to be written to."""
        return _weights(self, dtype)

    def _computed_weights(self, dtype: torch.dtype) -> torch.Tensor:
        length = self.win_length
        if self.window is WindowType.KAISER:
            window = torch.kaiser_window(length, True, _KAISER_BETA, dtype=torch.float64)
        else:
            window = getattr(torch, f"{self.window.value}_window")(length, True, dtype=torch.float64)
        before = (self.n_fft - length) // 2
        return torch.nn.functional.pad(window, (before, self.n_fft - length - before)).to(dtype)


@functools.lru_cache(64)
def _weights(frames: Frames, dtype: torch.dtype) -> torch.Tensor:
    return frames._computed_weights(dtype)


# What holds for the arguments of `frames_of`.
FITTING = Rule("'win_length' must be at most 'n_fft'", lambda win_length, n_fft: (win_length or 0) <= n_fft)


def frames_of(
    n_fft: int, win_length: int | None, hop_length: int | None, window: WindowType, *, hops: int = 2
) -> Frames:
    """Return how to cut a wave; by default windows fill the frames and have `hops` hops."""
    length = win_length or n_fft
    return Frames(n_fft, length, hop_length or max(1, length // hops), window)


def spectrums(
    api: str, wave: Array, frames: Frames, center: bool = True, pad_mode: str = "reflect", onesided: bool = True
) -> torch.Tensor:
    """Return the spectrums (..., freq, frames) of a wave (..., time), as complex numbers.

    Raises:
        ValueError: the wave is shorter than a frame.
    """
    flat = wave.reshape(-1, wave.shape[-1])
    half = frames.n_fft // 2
    if center and pad_mode == "reflect" and 0 < half < flat.shape[-1]:  # np.pad takes as long as the transform
        flat = np.concatenate([flat[:, half:0:-1], flat, flat[:, -2 : -2 - half : -1]], 1)
    elif center:
        flat = np.pad(flat, ((0, 0), (half, half)), pad_mode)  # type: ignore[call-overload]
    if flat.shape[-1] < frames.n_fft:
        given = f"{flat.shape[-1]} samples"
        raise ValueError(f"For '{api}', a wave must not be shorter than 'n_fft', {frames.n_fft}, but got {given}.")
    pieces = torch.from_numpy(flat).unfold(-1, frames.n_fft, frames.hop_length)
    pieces = pieces * frames.weights(pieces.dtype)
    found = torch.fft.rfft(pieces) if onesided else torch.fft.fft(pieces)
    return found.transpose(-1, -2).reshape(*wave.shape[:-1], -1, pieces.shape[1])


def wave_of(spectrum: torch.Tensor, frames: Frames, center: bool = True, length: int | None = None) -> torch.Tensor:
    """Return the wave (..., time) with given spectrums (..., freq, frames) of its frames.

    Overlapping frames are added and divided by the sum of their windows. `length` cuts the wave or pads it with zeros.
    """
    lead, count, size = spectrum.shape[:-2], spectrum.shape[-1], frames.n_fft
    halves = spectrum.reshape(-1, *spectrum.shape[-2:])[:, : size // 2 + 1]
    pieces = torch.fft.irfft(halves, size, dim=1)
    window = frames.weights(pieces.dtype)[:, None]
    total = size + frames.hop_length * (count - 1)
    stacked = torch.cat([pieces * window, (window**2).expand(1, -1, count)])
    added = torch.nn.functional.fold(stacked, (1, total), (1, size), stride=(1, frames.hop_length))[:, 0, 0]
    wave, weight = added[:-1], added[-1]
    wave = wave / torch.where(weight.abs() > 1e-11, weight, 1)
    start = size // 2 if center else 0
    end = total - start if length is None else start + length
    wave = torch.nn.functional.pad(wave, (0, max(0, end - total)))[:, start:end]
    return wave.reshape(*lead, -1)
