"""Features of speech: cepstral coefficients, their changes, their means, and pitch."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import numpy as np
import torch

from torchspore.dataset.audio.banks import cosines, linear_triangles
from torchspore.dataset.audio.base import AudioOperation, PositiveRate
from torchspore.dataset.audio.enums import BorderType, NormMode
from torchspore.dataset.audio.levels import AmplitudeToDB
from torchspore.dataset.audio.spectrograms import BAND, MelSpectrogram, Spectrogram, highest
from torchspore.dataset.parameters import Float32, Natural, PositiveFloat32, Whole, ruled
from torchspore.dataset.transforms.base import Array
from torchspore.dataset.value_checks import MAX_INT
from torchspore.engine.parameters import Limits

__all__ = ["LFCC", "MFCC", "ComputeDeltas", "DetectPitchFrequency", "SlidingWindowCmn"]

_LOG_OFFSET = 1e-6
_EPSILON = 1e-9
_SHORT_PERIOD_RATIO = 0.99  # a shorter period wins when its correlation reaches this part of the best


class _Cepstrum(AudioOperation):
    """The base class of cepstral coefficients: a spectrogram, its bands, their logarithms, and a cosine transform.

    The result is float32, for waves of float64, too.
    """

    _logarithm: bool

    def _create(self, kind: Any, options: dict[str, Any], options_name: str, **fixed: Any) -> Any:
        """Return the transform of the first step; errors name the dict that its arguments came in."""
        try:
            return kind(**fixed, **options)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"For '{type(self).__name__}', '{options_name}' must be valid for {kind.__name__}: {error}"
            ) from None

    def _cepstrum(self, bands: Array) -> Array:
        levels = np.log(bands + bands.dtype.type(_LOG_OFFSET)) if self._logarithm else AmplitudeToDB()(bands)
        return (self._matrix.T.astype(levels.dtype) @ levels).astype(np.float32)

    _matrix: Array


class MFCC(_Cepstrum):
    """Computes the cepstral coefficients of a wave on the mel scale.

    Args:
        sample_rate: the sampling rate in Hz, > 0. Default: 16000.
        n_mfcc: the number of coefficients, at most the number of bands. Default: 40.
        dct_type: the type of the cosine transform, 2. Default: 2.
        norm: whether it is orthonormal. Default: `NormMode.ORTHO`.
        log_mels: whether to use logarithms of the bands instead of decibels. Default: False.
        melkwargs: further arguments of `MelSpectrogram`. Default: None.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.MFCC(8000, 4, melkwargs={"n_fft": 32, "n_mels": 8})(np.array([[1.0] * 64])).shape
        (1, 4, 5)
    """

    def __init__(
        self, sample_rate: Natural = 16000, n_mfcc: Whole = 40,
        dct_type: Annotated[Literal[2], ValueError] = 2,
        norm: NormMode = NormMode.ORTHO, log_mels: bool = False, melkwargs: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        count = n_mfcc
        options = melkwargs or {}
        self._logarithm = log_mels
        self._spectrogram = self._create(MelSpectrogram, options, "melkwargs", sample_rate=sample_rate)
        bands = options.get("n_mels", 128)
        if count > bands:
            raise ValueError(f"For 'MFCC', 'n_mfcc' must be at most the number of bands, {bands}, but got {count}.")
        self._matrix = cosines(count, bands, norm)

    def _apply(self, wave: Array) -> Array:
        return self._cepstrum(self._spectrogram(wave))


class LFCC(_Cepstrum):
    """Computes the cepstral coefficients of a wave on a linear scale.

    Args:
        sample_rate: the sampling rate in Hz, > 0. Default: 16000.
        n_filter: the number of bands, > 0. Default: 128.
        n_lfcc: the number of coefficients, >= 0. Default: 40.
        f_min: the lowest frequency in Hz. Default: 0.0.
        f_max: the highest frequency in Hz, > `f_min`. Default: None, half the sampling rate.
        dct_type, norm: as for `MFCC`.
        log_lf: whether to use logarithms of the bands instead of decibels. Default: False.
        speckwargs: arguments of `Spectrogram`. Default: None.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.LFCC(8000, 8, 4, speckwargs={"n_fft": 32})(np.array([[1.0] * 64])).shape
        (1, 4, 5)
    """

    @ruled(BAND)
    def __init__(
        self, sample_rate: Natural = 16000, n_filter: Natural = 128, n_lfcc: Whole = 40, f_min: Float32 = 0.0,
        f_max: PositiveFloat32 | None = None,
        dct_type: Annotated[Literal[2], ValueError] = 2,
        norm: NormMode = NormMode.ORTHO, log_lf: bool = False, speckwargs: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        high, options = highest(f_max, sample_rate), speckwargs or {}
        self._logarithm = log_lf
        self._spectrogram = self._create(Spectrogram, options, "speckwargs")
        self._bands = linear_triangles(options.get("n_fft", 400) // 2 + 1, f_min, high, n_filter, sample_rate)
        self._matrix = cosines(n_lfcc, n_filter, norm)

    def _apply(self, wave: Array) -> Array:
        spectrogram = self._spectrogram(wave)
        return self._cepstrum(self._bands.T.astype(spectrogram.dtype) @ spectrogram)


class ComputeDeltas(AudioOperation):
    """Computes how coefficients (..., freq, time) change over time: the slope of a line fitted to each window.

    Args:
        win_length: the length of a window, >= 3. Default: 5.
        pad_mode: the padding of the coefficients at their ends. Default: `BorderType.EDGE`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.ComputeDeltas(3)(np.array([[0.0, 1.0, 4.0, 9.0]]))
        array([[0.5, 2. , 4. , 2.5]])
    """

    _shape = ("freq", "time")

    def __init__(
        self, win_length: Annotated[int, Limits(3, MAX_INT)] = 5, pad_mode: BorderType = BorderType.EDGE
    ) -> None:
        self._radius = (win_length - 1) // 2
        self._border: Any = pad_mode.value

    def _apply(self, value: Array) -> Array:
        radius = self._radius
        padded = np.pad(value, [(0, 0)] * (value.ndim - 1) + [(radius, radius)], self._border)
        windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * radius + 1, -1)
        weights = np.arange(-radius, radius + 1)
        return windows @ (weights / (weights**2).sum()).astype(value.dtype)


class SlidingWindowCmn(AudioOperation):
    """Subtracts the mean over a window of time from coefficients (..., time, freq).

    Args:
        cmn_window: the length of the window, >= 0; without `center`, it is one longer. Default: 600.
        min_cmn_window: the minimum length at the start without `center`, >= 0. Default: 100.
        center: whether the window is centered at each time instead of ending there. Default: False.
        norm_vars: whether to divide by the standard deviation, too. Default: False.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.SlidingWindowCmn(2, 1)(np.array([[1.0], [3.0], [5.0]])).T
        array([[0., 1., 2.]])
    """

    _shape = ("time", "freq")

    def __init__(
        self, cmn_window: Whole = 600, min_cmn_window: Whole = 100, center: bool = False, norm_vars: bool = False
    ) -> None:
        self.cmn_window = cmn_window
        self.min_cmn_window = min_cmn_window
        self.center = center
        self.norm_vars = norm_vars

    def _apply(self, value: Array) -> Array:
        start, stop = self._windows(value.shape[-2])
        count = (stop - start)[:, None]
        mean = _sums(value, start, stop) / count
        result = value - mean
        if self.norm_vars:
            variance = _sums(value**2, start, stop) / count - mean**2
            with np.errstate(divide="ignore", invalid="ignore"):
                result = np.where(count > 1, result / np.sqrt(variance), 0)
        return result.astype(value.dtype)

    def _windows(self, length: int) -> tuple[Array, Array]:
        """Return where the window of each time begins and ends."""
        time = np.arange(length)
        start = time - (self.cmn_window // 2 if self.center else self.cmn_window)
        stop = start + self.cmn_window if self.center else time + 1
        stop, start = np.where(start < 0, stop - start, stop), start.clip(0)
        if not self.center:
            stop = np.where(stop > time, np.maximum(time + 1, self.min_cmn_window), stop)
        start = np.where(stop > length, start - (stop - length), start).clip(0)
        return start, stop.clip(None, length)


def _sums(value: Array, start: Array, stop: Array) -> Array:
    """Return the sums of rows from each start to each stop."""
    sums = np.zeros((*value.shape[:-2], value.shape[-2] + 1, value.shape[-1]))
    np.cumsum(value, axis=-2, dtype=np.float64, out=sums[..., 1:, :])
    return sums[..., stop, :] - sums[..., start, :]


class DetectPitchFrequency(AudioOperation):
    """Detects the pitch of each frame of a wave by autocorrelation.

    Args:
        sample_rate: the sampling rate in Hz, > 0.
        frame_time: the length of a frame in seconds, > 0. Default: 0.01.
        win_length: the number of frames of the median, > 0; fewer than half as many give no result. Default: 30.
        freq_low: the lowest pitch in Hz, > 0. Default: 85.
        freq_high: the highest pitch in Hz, > 0. Default: 3400.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> wave = np.sin(2 * np.pi * 200 * np.arange(800) / 8000)
        >>> audio.DetectPitchFrequency(8000, win_length=3)(wave)[:2]
        array([200., 200.], dtype=float32)
    """

    _only_floats = True

    def __init__(
        self, sample_rate: PositiveRate, frame_time: PositiveFloat32 = 0.01, win_length: Natural = 30,
        freq_low: PositiveFloat32 = 85, freq_high: PositiveFloat32 = 3400,
    ) -> None:  # fmt: skip
        self.sample_rate = sample_rate
        self.frame_time = frame_time
        self.win_length = win_length
        self.freq_low = freq_low
        self.freq_high = freq_high

    def _apply(self, wave: Array) -> Array:
        correlation = self._correlation(wave.reshape(-1, wave.shape[-1]))
        half, shortest = correlation.shape[-1] // 2, math.ceil(self.sample_rate / self.freq_high)
        best, lag = correlation[..., shortest:].max(-1)
        early, early_lag = correlation[..., shortest : max(half, shortest + 1)].max(-1)
        period = torch.where(early > _SHORT_PERIOD_RATIO * best, early_lag, lag) + shortest + 1
        frequencies = self.sample_rate / (_EPSILON + self._smooth(period.float()))
        return frequencies.float().reshape(*wave.shape[:-1], -1).numpy()

    def _correlation(self, wave: Array) -> torch.Tensor:
        """Return the correlation (waves, frames, lags) of each frame with the wave 1, 2, ... samples later."""
        length, size = wave.shape[-1], math.ceil(self.sample_rate * self.frame_time)
        longest = math.ceil(self.sample_rate / self.freq_low)
        frames = -(-length // size)
        end = frames * size
        padded = torch.nn.functional.pad(torch.from_numpy(wave), (0, longest + end - length))
        frame = padded[:, :end].reshape(-1, frames, size)
        later = padded[:, 1:].unfold(-1, end, 1)[:, :longest].reshape(len(wave), -1, frames, size)
        products = torch.einsum("wfs,wdfs->wfd", frame, later)
        lengths = (_EPSILON + frame.norm(dim=-1))[..., None], (_EPSILON + later.norm(dim=-1)).transpose(1, 2)
        return products / lengths[0] ** 2 / lengths[1] ** 2

    def _smooth(self, periods: torch.Tensor) -> torch.Tensor:
        padded = torch.cat([periods[:, :1].expand(-1, (self.win_length - 1) // 2), periods], -1)
        if padded.shape[-1] < self.win_length:
            return periods[:, :0]
        return padded.unfold(-1, self.win_length, 1).median(-1).values
