"""Spectrograms of waves, on linear and mel scales, and waves from them."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import torch

from torchspore.dataset.audio.banks import mel_triangles
from torchspore.dataset.audio.base import AudioOperation
from torchspore.dataset.audio.enums import BorderType, MelType, NormType, WindowType
from torchspore.dataset.audio.fourier import FITTING, frames_of, spectrums, wave_of
from torchspore.dataset.parameters import (
    Float32,
    Natural,
    NotNegativeFloat32,
    PositiveFloat32,
    Whole,
    ruled,
)
from torchspore.dataset.transforms.base import Array
from torchspore.engine.parameters import Rule, Where

__all__ = [
    "BAND", "InverseSpectrogram", "MelScale", "MelSpectrogram", "SpectralCentroid", "Spectrogram", "highest",
]  # fmt: skip


class _Framed(AudioOperation):
    """The base class of transforms with the arguments of `Spectrogram`."""

    def _setup(
        self, n_fft: Any, win_length: Any, hop_length: Any, pad: Any, window: Any, normalized: Any = False,
        center: Any = True, pad_mode: Any = BorderType.REFLECT, onesided: Any = True,
    ) -> None:  # fmt: skip
        self._frames = frames_of(n_fft, win_length, hop_length, window)
        self._pad = pad
        self._border = pad_mode.value
        self.normalized = normalized
        self._center = center
        self._onesided = onesided


class Spectrogram(_Framed):
    """Computes the spectrogram of a wave: the magnitudes of the frequencies in each of its frames.

    Args:
        n_fft: the length of a frame, > 0; there are `n_fft // 2 + 1` frequencies. Default: 400.
        win_length: the length of the window in a frame, in [1, n_fft]. Default: None, `n_fft`.
        hop_length: the hop between frames in samples, > 0. Default: None, `win_length // 2`.
        pad: the number of zeros on each side of the wave. Default: 0.
        window: the window. Default: `WindowType.HANN`.
        power: the power of magnitudes, >= 0; 0 for complex numbers (..., 2). Default: 2.0.
        normalized: whether to divide by the norm of the window. Default: False.
        center: whether frames are centered at each hop, so that the wave is padded at its ends. Default: True.
        pad_mode: how it is padded. Default: `BorderType.REFLECT`.
        onesided: whether to leave out the frequencies above half the sampling rate. Default: True.

    Raises:
        ValueError: the wave is shorter than a frame.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Spectrogram(n_fft=8)(np.array([[1.0] * 16])).shape
        (1, 5, 5)
    """

    _takes_lists = True

    @ruled(FITTING)
    def __init__(
        self, n_fft: Natural = 400, win_length: Natural | None = None, hop_length: Natural | None = None,
        pad: Whole = 0, window: WindowType = WindowType.HANN, power: NotNegativeFloat32 = 2.0,
        normalized: bool = False, center: bool = True, pad_mode: BorderType = BorderType.REFLECT, onesided: bool = True,
    ) -> None:  # fmt: skip
        self._setup(n_fft, win_length, hop_length, pad, window, normalized, center, pad_mode, onesided)
        self.power = power

    def _apply(self, wave: Array) -> Array:
        spectrum = self._spectrums(wave)
        if not self.power:
            return torch.view_as_real(spectrum.resolve_conj()).numpy()
        return self._powers(spectrum)

    def _spectrums(self, wave: Array) -> torch.Tensor:
        if self._pad:
            wave = np.pad(wave, [(0, 0)] * (wave.ndim - 1) + [(self._pad, self._pad)])
        spectrum = spectrums(type(self).__name__, wave, self._frames, self._center, self._border, self._onesided)
        return spectrum / self._frames.weights().norm().to(spectrum.real.dtype) if self.normalized else spectrum

    def _powers(self, spectrum: torch.Tensor) -> Array:
        if self.power == 2:
            numbers = spectrum.resolve_conj().numpy()
            return np.square(numbers.real) + np.square(numbers.imag)
        powers: Array = (spectrum.abs() ** self.power).numpy()
        return powers


class InverseSpectrogram(_Framed):
    """Reconstructs a wave from the complex spectrogram of `Spectrogram(power=0)`.

    Args:
        length: the number of samples to return, >= 0. Default: None, which like 0 means all that the frames cover.
        n_fft, win_length, hop_length, pad, window, normalized, center, pad_mode, onesided: as for the `Spectrogram`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> spectrogram = audio.Spectrogram(n_fft=4, power=0)(np.array([0.1, 0.2, 0.3, 0.4]))
        >>> audio.InverseSpectrogram(n_fft=4)(spectrogram).round(4)
        array([0.1, 0.2, 0.3, 0.4])
    """

    _shape = ("freq", "time", "2")
    _depends_on = "'n_fft' and 'onesided'"

    @ruled(FITTING)
    def __init__(
        self, length: Whole | None = None, n_fft: Natural = 400, win_length: Natural | None = None,
        hop_length: Natural | None = None, pad: Whole = 0, window: WindowType = WindowType.HANN,
        normalized: bool = False, center: bool = True, pad_mode: BorderType = BorderType.REFLECT, onesided: bool = True,
    ) -> None:  # fmt: skip
        self._length = length or None
        self._setup(n_fft, win_length, hop_length, pad, window, normalized, center, pad_mode, onesided)
        self._frequencies = n_fft // 2 + 1 if onesided else n_fft

    def _apply(self, value: Array) -> Array:
        spectrum = torch.view_as_complex(torch.from_numpy(np.ascontiguousarray(value)))
        if self.normalized:
            spectrum = spectrum * self._frames.weights().norm().to(spectrum.real.dtype)
        length = None if self._length is None else self._length + 2 * self._pad
        wave = wave_of(spectrum, self._frames, self._center, length).numpy()
        return wave[..., self._pad : wave.shape[-1] - self._pad]


def highest(f_max: float | None, sample_rate: int) -> float:
    """Return the highest frequency of a band, by default half the sampling rate."""
    return sample_rate // 2 if f_max is None else f_max


BAND = Rule(
    "'f_min' must be less than 'f_max', which is half the sampling rate by default",
    lambda f_min, f_max, sample_rate: f_min < highest(f_max, sample_rate),
)


class MelScale(AudioOperation):
    """Sums the frequencies of a spectrogram into bands of the mel scale.

    Args:
        n_mels: the number of bands, > 0. Default: 128.
        sample_rate: the sampling rate in Hz, > 0. Default: 16000.
        f_min: the lowest frequency in Hz. Default: 0.0.
        f_max: the highest frequency in Hz, > `f_min`. Default: None, half the sampling rate.
        n_stft: the number of frequencies of the spectrogram, > 0. Default: 201.
        norm: `NormType.SLANEY` for bands of equal area. Default: `NormType.NONE`.
        mel_type: the formula of the scale. Default: `MelType.HTK`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.MelScale(n_mels=2, n_stft=5)(np.array([[[1.0]] * 5])).round(3)
        array([[[0.495],
                [1.719]]])
    """

    _shape = ("freq", "time")
    _depends_on = "'n_stft'"

    @ruled(BAND)
    def __init__(
        self, n_mels: Natural = 128, sample_rate: Natural = 16000, f_min: Float32 = 0.0,
        f_max: PositiveFloat32 | None = None, n_stft: Natural = 201, norm: NormType = NormType.NONE,
        mel_type: MelType = MelType.HTK,
    ) -> None:  # fmt: skip
        self._mels = mel_triangles(n_stft, f_min, highest(f_max, sample_rate), n_mels, sample_rate, norm, mel_type)
        self._frequencies = n_stft

    def _apply(self, spectrogram: Array) -> Array:
        return self._mels.T.astype(spectrogram.dtype) @ spectrogram


class MelSpectrogram(Spectrogram):
    """Computes the spectrogram of a wave on the mel scale: `Spectrogram`, then `MelScale`.

    Args:
        sample_rate, f_min, f_max, n_mels, norm, mel_scale: as for `MelScale` (`mel_scale` is its `mel_type`).
        n_fft, win_length, hop_length, pad, window, normalized, center, pad_mode: as for `Spectrogram`.
        power: the power of magnitudes, > 0. Default: 2.0.
        onesided: must be True: bands consist of the frequencies up to half the sampling rate. Default: True.

    Raises:
        ValueError: `onesided` is False, or the wave is shorter than a frame.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.MelSpectrogram(8000, n_fft=32, n_mels=4)(np.array([[1.0] * 64] * 2)).shape
        (2, 4, 5)
    """

    @ruled(FITTING, BAND)
    def __init__(
        self, sample_rate: Natural = 16000, n_fft: Natural = 400, win_length: Natural | None = None,
        hop_length: Natural | None = None, f_min: Float32 = 0.0, f_max: PositiveFloat32 | None = None,
        pad: Whole = 0, n_mels: Whole = 128, window: WindowType = WindowType.HANN, power: PositiveFloat32 = 2.0,
        normalized: bool = False, center: bool = True, pad_mode: BorderType = BorderType.REFLECT,
        onesided: Annotated[bool, Where("True, as bands need the frequencies up to half the rate", bool)] = True,
        norm: NormType = NormType.NONE, mel_scale: MelType = MelType.HTK,
    ) -> None:  # fmt: skip
        self._setup(n_fft, win_length, hop_length, pad, window, normalized, center, pad_mode, onesided)
        self.power = power
        bins = self._frames.n_fft // 2 + 1
        mels = mel_triangles(bins, f_min, highest(f_max, sample_rate), n_mels, sample_rate, norm, mel_scale)
        self._mels = {dtype: np.ascontiguousarray(mels.T, dtype) for dtype in (np.dtype("f4"), np.dtype("f8"))}

    def _apply(self, wave: Array) -> Array:
        length, size = wave.shape[-1] + 2 * self._pad, self._frames.n_fft
        if self._center and self._border == BorderType.REFLECT.value and length <= size // 2:
            raise ValueError(
                f"For 'MelSpectrogram', the wave with its padding must be longer than half of 'n_fft', {size // 2}, "
                f"but has a length of {length}. Choose another 'pad_mode', or a smaller 'n_fft'."
            )
        return self._mels[wave.dtype] @ self._powers(self._spectrums(wave))


class SpectralCentroid(Spectrogram):
    """Computes the mean frequency of each frame of a wave, weighted by magnitudes.

    Args:
        sample_rate: the sampling rate in Hz, > 0.
        n_fft, win_length, hop_length, pad, window: as for `Spectrogram`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.SpectralCentroid(8000, n_fft=8)(np.array([1.0, -1.0] * 8)).round(1)
        array([[3666.7, 3666.7, 3666.7, 3666.7, 3666.7]])
    """

    _takes_lists = True

    @ruled(FITTING)
    def __init__(
        self, sample_rate: Natural, n_fft: Natural = 400, win_length: Natural | None = None,
        hop_length: Natural | None = None, pad: Whole = 0, window: WindowType = WindowType.HANN,
    ) -> None:  # fmt: skip
        self._setup(n_fft, win_length, hop_length, pad, window)
        self._rate = sample_rate

    def _apply(self, wave: Array) -> Array:
        magnitudes = self._spectrums(wave).abs().numpy()
        frequencies = np.linspace(0, self._rate // 2, magnitudes.shape[-2], dtype=magnitudes.dtype)
        total = magnitudes.sum(-2, keepdims=True)
        with np.errstate(invalid="ignore"):  # silence has no frequency: nan
            return (frequencies[:, None] * magnitudes).sum(-2, keepdims=True) / total
