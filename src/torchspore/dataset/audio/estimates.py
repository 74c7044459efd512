"""Waves and spectrograms that are searched for, as what they come from has lost a part of them."""

from __future__ import annotations

import numpy as np
import torch

from torchspore.dataset.audio.base import AudioOperation, check_real
from torchspore.dataset.audio.enums import MelType, NormType, WindowType
from torchspore.dataset.audio.fourier import check_frames, check_power, spectrums, wave_of
from torchspore.dataset.audio.spectrograms import check_mels
from torchspore.dataset.transforms.base import Array, Random
from torchspore.engine.checks import check_bool, check_int
from torchspore.engine.errors import describe

__all__ = ["GriffinLim", "InverseMelScale"]

_SMALLEST = 1e-16


class GriffinLim(AudioOperation, Random):
    """Searches for a wave with a given spectrogram (..., freq, time) of magnitudes.

    Args:
        n_fft: the length of a frame, > 0. Default: 400.
        n_iter: how many steps, > 0. Default: 32.
        win_length: the length of the window in a frame, in [0, n_fft]; 0 stands for `n_fft`. Default: None, `n_fft`.
        hop_length: the distance of frames, >= 0; 0 stands for `win_length // 2`. Default: None, that.
        window_type: the window. Default: `WindowType.HANN`.
        power: the power of magnitudes, > 0. Default: 2.0.
        momentum: how much of the step before each one repeats, >= 0. Default: 0.99.
        length: how many samples to give, > `n_fft`; 0 stands for as many as the frames reach. Default: None, that.
        rand_init: whether to begin with angles at random, and not with one angle for all. Default: True.

    Raises:
        ValueError: the spectrogram has a different number of frequencies.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.GriffinLim(n_fft=8)(np.ones((5, 6))).shape
        (20,)
    """

    _shape = ("freq", "time")

    def __init__(
        self,
        n_fft: int = 400,
        n_iter: int = 32,
        win_length: int | None = None,
        hop_length: int | None = None,
        window_type: WindowType = WindowType.HANN,
        power: float = 2.0,
        momentum: float = 0.99,
        length: int | None = None,
        rand_init: bool = True,
    ) -> None:
        api = "GriffinLim"
        self._frames = check_frames(api, n_fft, win_length, hop_length, window_type, least=0)
        self.n_iter = check_int(n_iter, "n_iter", api)
        self.power = check_power(api, power, positive=True)
        self.momentum = check_real(momentum, "momentum", api, least=0)
        self._length = None if not length else check_int(length, "length", api, least=self._frames.n_fft + 1)
        self.rand_init = check_bool(rand_init, "rand_init", api)

    def _apply(self, spectrogram: Array) -> Array:
        bins = self._frames.n_fft // 2 + 1
        if spectrogram.shape[-2] != bins:
            raise ValueError(
                f"For 'GriffinLim', a spectrogram of frames of {self._frames.n_fft} samples must have {bins} "
                f"frequencies, but got the shape {spectrogram.shape}: set 'n_fft' as it was."
            )
        magnitudes = torch.from_numpy(spectrogram) ** (1 / self.power)
        return self._search(magnitudes).numpy()

    def _search(self, magnitudes: torch.Tensor) -> torch.Tensor:
        share = self.momentum / (1 + 2 * self.momentum)
        angles, before = self._first_angles(magnitudes), torch.zeros((), dtype=magnitudes.dtype)
        for _ in range(self.n_iter):
            wave = wave_of(magnitudes * angles, self._frames)
            found = spectrums("GriffinLim", wave.numpy(), self._frames)
            angles = found - before * share
            angles = angles / (angles.abs() + _SMALLEST)
            before = found
        return wave_of(magnitudes * angles, self._frames, length=self._length)

    def _first_angles(self, magnitudes: torch.Tensor) -> torch.Tensor:
        if not self.rand_init:
            return torch.ones(magnitudes.shape, dtype=magnitudes.dtype.to_complex())
        parts = self._random().random((*magnitudes.shape, 2))
        return torch.view_as_complex(torch.from_numpy(parts)).to(magnitudes.dtype.to_complex())


class InverseMelScale(AudioOperation, Random):
    """Searches for a spectrogram with given bands (..., freq, time) of the mel scale, from values at random.

    Each step goes down the slope of the squared differences, and then sets what is negative to 0.

    Args:
        n_stft: how many frequencies the spectrogram has, > 0.
        n_mels: how many bands there are, > 0. Default: 128.
        sample_rate: how many samples a second has, > 0. Default: 16000.
        f_min: where the bands begin, in Hz. Default: 0.0.
        f_max: where they end, in Hz, > `f_min`. Default: None, half the rate.
        max_iter: how many steps at most, > 0. Default: 100000.
        tolerance_loss: the squared difference that is small enough, >= 0. Default: 1e-5.
        tolerance_change: its change from step to step that is small enough, >= 0. Default: 1e-8.
        sgdargs: the size of the steps, `sgd_lr`, and how much of the step before each one repeats, `sgd_momentum`.
            Default: None, 0.1 and 0.9.
        norm: `NormType.SLANEY` for bands of equal areas. Default: `NormType.NONE`.
        mel_type: the formula of the scale. Default: `MelType.HTK`.

    Raises:
        ValueError: there is a different number of bands.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.InverseMelScale(9, 4, max_iter=10)(np.ones((4, 3))).shape
        (9, 3)
    """

    _shape = ("freq", "time")

    def __init__(
        self,
        n_stft: int,
        n_mels: int = 128,
        sample_rate: int = 16000,
        f_min: float = 0.0,
        f_max: float | None = None,
        max_iter: int = 100000,
        tolerance_loss: float = 1e-5,
        tolerance_change: float = 1e-8,
        sgdargs: dict[str, float] | None = None,
        norm: NormType = NormType.NONE,
        mel_type: MelType = MelType.HTK,
    ) -> None:
        api = "InverseMelScale"
        bins, bands = check_int(n_stft, "n_stft", api), check_int(n_mels, "n_mels", api)
        rate = check_int(sample_rate, "sample_rate", api)
        self._mels = check_mels(api, bins, bands, f_min, f_max, rate, norm, mel_type)
        self.max_iter = check_int(max_iter, "max_iter", api)
        self.tolerance_loss = check_real(tolerance_loss, "tolerance_loss", api, least=0)
        self.tolerance_change = check_real(tolerance_change, "tolerance_change", api, least=0)
        steps = {"sgd_lr": 0.1, "sgd_momentum": 0.9}
        if sgdargs is not None and not isinstance(sgdargs, dict):
            raise TypeError(f"For '{api}', 'sgdargs' must be a dict or None, but got {describe(sgdargs)}.")
        for name, value in (sgdargs or {}).items():
            if name not in steps:
                raise ValueError(f"For '{api}', 'sgdargs' may have {list(steps)}, but got {name!r}.")
            steps[name] = check_real(value, name, api, least=0)
        self._step, self._momentum = steps.values()

    def _apply(self, bands: Array) -> Array:
        bins, count = self._mels.shape
        if bands.shape[-2] != count:
            raise ValueError(
                f"For 'InverseMelScale', there must be 'n_mels', {count} bands, but got the shape {bands.shape}."
            )
        rows = np.moveaxis(bands, -2, -1)
        wanted = rows.reshape(-1, count).astype(np.float64)
        found = self._search(wanted, self._random().random((len(wanted), bins)))
        return np.moveaxis(found.reshape(*rows.shape[:-1], bins), -1, -2).astype(bands.dtype)

    def _search(self, wanted: Array, found: Array) -> Array:
        speed, loss = np.zeros_like(found), np.inf
        for _ in range(self.max_iter):
            difference = wanted - found @ self._mels
            before, loss = loss, (difference**2).sum(-1).mean()
            speed = speed * self._momentum + difference @ self._mels.T * (2 / len(wanted))
            found = np.maximum(0, found + self._step * speed)
            if loss < self.tolerance_loss or abs(before - loss) < self.tolerance_change:
                break
        return found
