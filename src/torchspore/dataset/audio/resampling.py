"""Resampling and pitch shifting of waves."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
import torch

from torchspore.dataset.audio.base import AudioOperation, NonZero
from torchspore.dataset.audio.enums import ResampleMethod, WindowType
from torchspore.dataset.audio.fourier import FITTING, frames_of, spectrums, wave_of
from torchspore.dataset.audio.phases import stretch
from torchspore.dataset.parameters import Float32, Int32, Natural, PositiveFloat32, ruled
from torchspore.dataset.transforms.base import Array
from torchspore.engine.parameters import Limits, Where
from torchspore.engine.parameters.limits import Strict

__all__ = ["PitchShift", "Resample"]

_KAISER_BETA = 14.769656459379492


class _Rates(NamedTuple):
    """A change of rates: `old` samples become `new` ones, each by a row of `weights`, `radius` samples before it on."""

    old: int
    new: int
    weights: Array
    radius: int

    def resampled(self, wave: torch.Tensor) -> torch.Tensor:
        """Return a wave (..., time) with the new rate."""
        length, taps = wave.shape[-1], self.weights.shape[1]
        numbers = torch.arange(-(-length * self.new // self.old))
        padded = torch.nn.functional.pad(wave, (self.radius, taps))
        pieces = padded.unfold(-1, taps, 1)[..., numbers * self.old // self.new, :]
        weights = torch.from_numpy(self.weights).to(wave.dtype)[numbers % self.new]
        return torch.einsum("...nt,nt->...n", pieces, weights)


def _rates(old: int, new: int, kind: ResampleMethod, width: int, rolloff: float, beta: float) -> _Rates:
    common = math.gcd(old, new)
    old, new = old // common, new // common
    cutoff = min(old, new) * rolloff
    radius = math.ceil(width * old / cutoff)
    number = np.arange(new)[:, None]
    times = (number * old // new + np.arange(-radius, radius + 2)) / old - number / new
    times = (times * cutoff).clip(-width, width)
    if kind is ResampleMethod.SINC_INTERPOLATION:
        window = np.cos(times * (np.pi / width / 2)) ** 2
    else:
        window = np.i0(beta * np.sqrt(1 - (times / width) ** 2)) / np.i0(beta)
    return _Rates(old, new, np.sinc(times) * window * (cutoff / old), radius)


_Rate: TypeAlias = Annotated[PositiveFloat32, Where("at least 1", lambda rate: rate >= 1)]


class Resample(AudioOperation):
    """Resamples a wave.

    Args:
        orig_freq: its sampling rate in Hz, > 0, rounded down to an integer. Default: 16000.
        new_freq: the new sampling rate, likewise. Default: 16000.
        resample_method: the window of the filter. Default: `ResampleMethod.SINC_INTERPOLATION`.
        lowpass_filter_width: the sharpness of the filter, > 0. Default: 6.
        rolloff: the cutoff as a fraction of the lower Nyquist frequency, in (0, 1]. Default: 0.99.
        beta: the shape of Kaiser's window. Default: None, about 14.77.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Resample(16000, 8000)(np.array([[1.0] * 16])).shape
        (1, 8)
    """

    def __init__(
        self, orig_freq: _Rate = 16000, new_freq: _Rate = 16000,
        resample_method: ResampleMethod = ResampleMethod.SINC_INTERPOLATION, lowpass_filter_width: Natural = 6,
        rolloff: Annotated[float, Strict(), Limits(above=0, maximum=1.0)] = 0.99, beta: Float32 | None = None,
    ) -> None:  # fmt: skip
        shape = _KAISER_BETA if beta is None else beta
        self._rates = _rates(int(orig_freq), int(new_freq), resample_method, lowpass_filter_width, rolloff, shape)

    def _apply(self, wave: Array) -> Array:
        if self._rates.old == self._rates.new:
            return wave
        return self._rates.resampled(torch.from_numpy(wave)).numpy()


class PitchShift(AudioOperation):
    """Changes the pitch of a wave and keeps its length.

    Args:
        sample_rate: the sampling rate in Hz, > 0.
        n_steps: the number of steps to raise the pitch by.
        bins_per_octave: the number of steps per octave, not 0. Default: 12.
        n_fft: the length of a frame, > 0. Default: 512.
        win_length: the length of the window in a frame, in [1, n_fft]. Default: None, `n_fft`.
        hop_length: the hop between frames in samples, > 0. Default: None, `win_length // 4`.
        window: the window. Default: `WindowType.HANN`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.PitchShift(16000, 4, n_fft=16)(np.array([[1.0] * 40])).shape
        (1, 40)
    """

    @ruled(FITTING)
    def __init__(
        self, sample_rate: Natural, n_steps: Int32, bins_per_octave: NonZero = 12, n_fft: Natural = 512,
        win_length: Natural | None = None, hop_length: Natural | None = None, window: WindowType = WindowType.HANN,
    ) -> None:  # fmt: skip
        self.sample_rate = sample_rate
        self._rate = 2.0 ** (-n_steps / bins_per_octave)
        self._frames = frames_of(n_fft, win_length, hop_length, window, hops=4)
        stretched = max(1, int(self.sample_rate / self._rate))
        self._rates = _rates(stretched, self.sample_rate, ResampleMethod.SINC_INTERPOLATION, 6, 0.99, 0)

    def _apply(self, wave: Array) -> Array:
        length = wave.shape[-1]
        spectrum = spectrums("PitchShift", wave, self._frames)
        bins = spectrum.shape[-2]
        advance = torch.linspace(0, torch.pi * self._frames.hop_length, bins, dtype=torch.float64)[:, None]
        stretched = wave_of(stretch(spectrum, self._rate, advance), self._frames, length=round(length / self._rate))
        shifted = self._rates.resampled(stretched)[..., :length]
        return torch.nn.functional.pad(shifted, (0, length - shifted.shape[-1])).numpy()
