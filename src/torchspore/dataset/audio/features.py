"""Features of speech: cepstral coefficients, their changes, their means, and pitch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from torchspore.dataset.audio.banks import cosines, linear_triangles
from torchspore.dataset.audio.base import AudioOperation, check_real
from torchspore.dataset.audio.enums import BorderType, NormMode
from torchspore.dataset.audio.levels import AmplitudeToDB
from torchspore.dataset.audio.spectrograms import MelSpectrogram, Spectrogram, check_band
from torchspore.dataset.transforms.base import Array
from torchspore.engine.checks import check_bool, check_int, check_kind
from torchspore.engine.errors import describe

__all__ = ["LFCC", "MFCC", "ComputeDeltas", "DetectPitchFrequency", "SlidingWindowCmn"]

_SILENCE = 1e-6  # what logarithms add
_EPSILON = 1e-9
_FIRST_HALF = 0.99  # how near to the best correlation that of a shorter period must come


class _Cepstrum(AudioOperation):
    """The base of cepstral coefficients: a spectrogram, its bands, their logarithms, and a cosine transform.

    They are of float32, also those of waves of float64.
    """

    _logarithm: bool

    def _check(
        self, dct_type: Any, norm: Any, logarithm: Any, name: str, options: Any, options_name: str
    ) -> dict[str, Any]:
        api = type(self).__name__
        if dct_type != 2:
            raise ValueError(f"For '{api}', 'dct_type' must be 2, but got {dct_type!r}.")
        check_kind(norm, NormMode, "norm", api)
        self._logarithm = check_bool(logarithm, name, api)
        given = {} if options is None else options
        if not isinstance(given, dict):
            raise TypeError(f"For '{api}', '{options_name}' must be a dict or None, but got {describe(options)}.")
        return given

    def _made(self, kind: Any, options: dict[str, Any], options_name: str, **fixed: Any) -> Any:
        """Return the transform of the first step; errors say that the argument came in a dict."""
        try:
            return kind(**fixed, **options)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"For '{type(self).__name__}', '{options_name}' must suit {kind.__name__}: {error}"
            ) from None

    def _cepstrum(self, bands: Array) -> Array:
        levels = np.log(bands + bands.dtype.type(_SILENCE)) if self._logarithm else AmplitudeToDB()(bands)
        return (self._matrix.T.astype(levels.dtype) @ levels).astype(np.float32)

    _matrix: Array


class MFCC(_Cepstrum):
    """Finds the cepstral coefficients of a wave on the mel scale.

    Args:
        sample_rate: how many samples a second has, > 0. Default: 16000.
        n_mfcc: how many coefficients, at most as many as there are bands. Default: 40.
        dct_type: the type of the cosine transform, 2. Default: 2.
        norm: whether its vectors have length one. Default: `NormMode.ORTHO`.
        log_mels: whether to take logarithms of the bands instead of decibels. Default: False.
        melkwargs: arguments of `MelSpectrogram`, but for `sample_rate`; those that are missing have its defaults.
            Default: None.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.MFCC(8000, 4, melkwargs={"n_fft": 32, "n_mels": 8})(np.ones((1, 64))).shape
        (1, 4, 5)
    """

    def __init__(
        self,
        sample_rate: int = 16000,
        n_mfcc: int = 40,
        dct_type: int = 2,
        norm: NormMode = NormMode.ORTHO,
        log_mels: bool = False,
        melkwargs: dict[str, Any] | None = None,
    ) -> None:
        api = "MFCC"
        check_int(sample_rate, "sample_rate", api)
        count = check_int(n_mfcc, "n_mfcc", api, least=0)
        options = self._check(dct_type, norm, log_mels, "log_mels", melkwargs, "melkwargs")
        self._spectrogram = self._made(MelSpectrogram, options, "melkwargs", sample_rate=sample_rate)
        bands = options.get("n_mels", 128)
        if count > bands:
            raise ValueError(f"For '{api}', 'n_mfcc' must be at most the number of bands, {bands}, but got {count}.")
        self._matrix = cosines(count, bands, norm)

    def _apply(self, wave: Array) -> Array:
        return self._cepstrum(self._spectrogram(wave))


class LFCC(_Cepstrum):
    """Finds the cepstral coefficients of a wave on a linear scale.

    Args:
        sample_rate: how many samples a second has, > 0. Default: 16000.
        n_filter: how many bands, > 0. Default: 128.
        n_lfcc: how many coefficients, >= 0. Default: 40.
        f_min: where the bands begin, in Hz. Default: 0.0.
        f_max: where they end, in Hz, > `f_min`. Default: None, half the rate.
        dct_type: the type of the cosine transform, 2. Default: 2.
        norm: whether its vectors have length one. Default: `NormMode.ORTHO`.
        log_lf: whether to take logarithms of the bands instead of decibels. Default: False.
        speckwargs: arguments of `Spectrogram`; those that are missing have its defaults. Default: None.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.LFCC(8000, 8, 4, speckwargs={"n_fft": 32})(np.ones((1, 64))).shape
        (1, 4, 5)
    """

    def __init__(
        self,
        sample_rate: int = 16000,
        n_filter: int = 128,
        n_lfcc: int = 40,
        f_min: float = 0.0,
        f_max: float | None = None,
        dct_type: int = 2,
        norm: NormMode = NormMode.ORTHO,
        log_lf: bool = False,
        speckwargs: dict[str, Any] | None = None,
    ) -> None:
        api = "LFCC"
        rate, bands = check_int(sample_rate, "sample_rate", api), check_int(n_filter, "n_filter", api)
        count = check_int(n_lfcc, "n_lfcc", api, least=0)
        low, high = check_band(api, f_min, f_max, rate)
        options = self._check(dct_type, norm, log_lf, "log_lf", speckwargs, "speckwargs")
        self._spectrogram = self._made(Spectrogram, options, "speckwargs")
        self._bands = linear_triangles(options.get("n_fft", 400) // 2 + 1, low, high, bands, rate)
        self._matrix = cosines(count, bands, norm)

    def _apply(self, wave: Array) -> Array:
        spectrogram = self._spectrogram(wave)
        return self._cepstrum(self._bands.T.astype(spectrogram.dtype) @ spectrogram)


class ComputeDeltas(AudioOperation):
    """Finds how coefficients (..., freq, time) change over time: the slope of a line through each window.

    Args:
        win_length: the length of a window, >= 3. Default: 5.
        pad_mode: how the coefficients continue at their ends. Default: `BorderType.EDGE`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.ComputeDeltas(3)(np.array([[0.0, 1.0, 4.0, 9.0]]))
        array([[0.5, 2. , 4. , 2.5]])
    """

    _shape = ("freq", "time")

    def __init__(self, win_length: int = 5, pad_mode: BorderType = BorderType.EDGE) -> None:
        self._reach = (check_int(win_length, "win_length", "ComputeDeltas", least=3) - 1) // 2
        check_kind(pad_mode, BorderType, "pad_mode", "ComputeDeltas")
        self._border: Any = pad_mode.value

    def _apply(self, value: Array) -> Array:
        reach = self._reach
        padded = np.pad(value, [(0, 0)] * (value.ndim - 1) + [(reach, reach)], self._border)
        windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, -1)
        weights = np.arange(-reach, reach + 1)
        return windows @ (weights / (weights**2).sum()).astype(value.dtype)


class SlidingWindowCmn(AudioOperation):
    """Takes from coefficients (..., time, freq) their mean over a window of time.

    Args:
        cmn_window: the length of the window, >= 0; where `center` is False, the time itself is added. Default: 600.
        min_cmn_window: its least length at the start, where `center` is False, >= 0. Default: 100.
        center: whether the window has its middle at each time, and does not end there. Default: False.
        norm_vars: whether to divide by the deviation, too. Default: False.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.SlidingWindowCmn(2, 1)(np.array([[1.0], [3.0], [5.0]]))
        array([[0.],
               [1.],
               [2.]])
    """

    _shape = ("time", "freq")

    def __init__(
        self, cmn_window: int = 600, min_cmn_window: int = 100, center: bool = False, norm_vars: bool = False
    ) -> None:
        self.cmn_window = check_int(cmn_window, "cmn_window", "SlidingWindowCmn", least=0)
        self.min_cmn_window = check_int(min_cmn_window, "min_cmn_window", "SlidingWindowCmn", least=0)
        self.center = check_bool(center, "center", "SlidingWindowCmn")
        self.norm_vars = check_bool(norm_vars, "norm_vars", "SlidingWindowCmn")

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
    """Finds the pitch of each frame of a wave, from the period after which it is most like itself.

    Args:
        sample_rate: how many samples a second has, > 0.
        frame_time: the length of a frame in seconds, > 0. Default: 0.01.
        win_length: over how many frames the median is taken, > 0; of less than half as many there is none. Default: 30.
        freq_low: the lowest pitch to look for, in Hz, > 0. Default: 85.
        freq_high: the highest one, in Hz, > 0. Default: 3400.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> wave = np.sin(2 * np.pi * 200 * np.arange(800) / 8000)
        >>> audio.DetectPitchFrequency(8000, win_length=3)(wave)[:2]
        array([200., 200.], dtype=float32)
    """

    def __init__(
        self,
        sample_rate: int,
        frame_time: float = 0.01,
        win_length: int = 30,
        freq_low: float = 85,
        freq_high: float = 3400,
    ) -> None:
        api = "DetectPitchFrequency"
        self.sample_rate = check_int(sample_rate, "sample_rate", api)
        self.frame_time = check_real(frame_time, "frame_time", api, above=0)
        self.win_length = check_int(win_length, "win_length", api)
        self.freq_low = check_real(freq_low, "freq_low", api, above=0)
        self.freq_high = check_real(freq_high, "freq_high", api, above=0)

    def _apply(self, wave: Array) -> Array:
        likeness = self._likeness(wave.reshape(-1, wave.shape[-1]))
        half, shortest = likeness.shape[-1] // 2, math.ceil(self.sample_rate / self.freq_high)
        best, place = likeness[..., shortest:].max(-1)
        early, early_place = likeness[..., shortest : max(half, shortest + 1)].max(-1)
        period = torch.where(early > _FIRST_HALF * best, early_place, place) + shortest + 1
        frequencies = self.sample_rate / (_EPSILON + self._smooth(period.float()))
        return frequencies.float().reshape(*wave.shape[:-1], -1).numpy()

    def _likeness(self, wave: Array) -> torch.Tensor:
        """Return the correlation (waves, frames, delays) of each frame with the wave 1, 2, ... samples later."""
        length, size = wave.shape[-1], math.ceil(self.sample_rate * self.frame_time)
        longest = math.ceil(self.sample_rate / self.freq_low)
        frames = -(-length // size)
        end = frames * size
        padded = torch.nn.functional.pad(torch.from_numpy(wave), (0, longest + end - length))
        here = padded[:, :end].reshape(-1, frames, size)
        later = padded[:, 1:].unfold(-1, end, 1)[:, :longest].reshape(len(wave), -1, frames, size)
        products = torch.einsum("wfs,wdfs->wfd", here, later)
        lengths = (_EPSILON + here.norm(dim=-1))[..., None], (_EPSILON + later.norm(dim=-1)).transpose(1, 2)
        return products / lengths[0] ** 2 / lengths[1] ** 2

    def _smooth(self, periods: torch.Tensor) -> torch.Tensor:
        padded = torch.cat([periods[:, :1].expand(-1, (self.win_length - 1) // 2), periods], -1)
        if padded.shape[-1] < self.win_length:
            return periods[:, :0]
        return padded.unfold(-1, self.win_length, 1).median(-1).values
