"""Waves and spectrograms estimated from magnitudes or mel bands, which have lost part of the information."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import torch

from torchspore.dataset.audio.banks import mel_triangles
from torchspore.dataset.audio.base import AudioOperation
from torchspore.dataset.audio.enums import MelType, NormType, WindowType
from torchspore.dataset.audio.fourier import FITTING, frames_of, spectrums, wave_of
from torchspore.dataset.audio.spectrograms import BAND, highest
from torchspore.dataset.parameters import Float32, Natural, NotNegativeFloat32, PositiveFloat32, Whole, ruled
from torchspore.dataset.transforms.base import Array, Random
from torchspore.engine.parameters import Rule

__all__ = ["GriffinLim", "InverseMelScale"]

_EPSILON = 1e-16


class GriffinLim(AudioOperation, Random):
    """Estimates a wave from a spectrogram (..., freq, time) of magnitudes.

    Args:
        n_fft, win_length, hop_length, window_type, power: as for the `Spectrogram`; a length of 0 is the default.
        n_iter: the number of iterations, > 0. Default: 32.
        momentum: the momentum of the iterations, >= 0. Default: 0.99.
        length: the number of samples to return, > `n_fft`; 0 or None for all that the frames cover. Default: None.
        rand_init: whether the initial phases are random instead of zero. Default: True.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.GriffinLim(n_fft=8)(np.array([[1.0] * 6] * 5)).shape
        (20,)
    """

    _shape = ("freq", "time")
    _depends_on = "'n_fft'"

    @ruled(
        FITTING, Rule("'length' must be greater than 'n_fft', or 0", lambda length, n_fft: not length or length > n_fft)
    )
    def __init__(
        self, n_fft: Natural = 400, n_iter: Natural = 32, win_length: Whole | None = None,
        hop_length: Whole | None = None, window_type: WindowType = WindowType.HANN, power: PositiveFloat32 = 2.0,
        momentum: NotNegativeFloat32 = 0.99, length: Whole | None = None, rand_init: bool = True,
    ) -> None:  # fmt: skip
        self._frames = frames_of(n_fft, win_length, hop_length, window_type)
        self._frequencies = n_fft // 2 + 1
        self.n_iter = n_iter
        self.power = power
        self.momentum = momentum
        self._length = length or None
        self.rand_init = rand_init

    def _apply(self, spectrogram: Array) -> Array:
        magnitudes = torch.from_numpy(spectrogram) ** (1 / self.power)
        return self._search(magnitudes).numpy()

    def _search(self, magnitudes: torch.Tensor) -> torch.Tensor:
        factor = self.momentum / (1 + 2 * self.momentum)
        phases, before = self._initial_phases(magnitudes), torch.zeros((), dtype=magnitudes.dtype)
        for _ in range(self.n_iter):
            wave = wave_of(magnitudes * phases, self._frames)
            found = spectrums("GriffinLim", wave.numpy(), self._frames)
            phases = found - before * factor
            phases = phases / (phases.abs() + _EPSILON)
            before = found
        return wave_of(magnitudes * phases, self._frames, length=self._length)

    def _initial_phases(self, magnitudes: torch.Tensor) -> torch.Tensor:
        if not self.rand_init:
            return torch.ones(magnitudes.shape, dtype=magnitudes.dtype.to_complex())
        draws = self._random()
        parts = np.array([draws.fraction() for _ in range(2 * magnitudes.numel())])  # imaginary and real, by columns
        columns = parts.reshape(*magnitudes.mT.shape, 2)[..., ::-1].copy()
        return torch.view_as_complex(torch.from_numpy(columns)).mT.to(magnitudes.dtype.to_complex())


class _Descent(TypedDict, total=False):
    """Settings of the gradient descent."""

    sgd_lr: NotNegativeFloat32
    sgd_momentum: NotNegativeFloat32


class InverseMelScale(AudioOperation, Random):
    """Estimates a spectrogram from bands (..., freq, time) of the mel scale.

    It starts from random values and minimizes the squared differences by gradient descent, clamped to >= 0.

    Args:
        n_stft, n_mels, sample_rate, f_min, f_max, norm, mel_type: as for `MelScale`.
        max_iter: the maximum number of iterations, > 0. Default: 100000.
        tolerance_loss: the squared difference at which the iteration stops, >= 0. Default: 1e-5.
        tolerance_change: the change of that difference at which the iteration stops, >= 0. Default: 1e-8.
        sgdargs: a dict with the learning rate `sgd_lr` and the momentum `sgd_momentum`. Default: None, 0.1 and 0.9.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.InverseMelScale(9, 4, max_iter=10)(np.array([[1.0] * 3] * 4)).shape
        (1, 9, 3)
    """

    _shape = ("freq", "time")
    _depends_on = "'n_mels'"

    @ruled(BAND)
    def __init__(
        self, n_stft: Natural, n_mels: Natural = 128, sample_rate: Natural = 16000, f_min: Float32 = 0.0,
        f_max: PositiveFloat32 | None = None, max_iter: Natural = 100000, tolerance_loss: PositiveFloat32 = 1e-5,
        tolerance_change: PositiveFloat32 = 1e-8, sgdargs: _Descent | None = None,
        norm: NormType = NormType.NONE, mel_type: MelType = MelType.HTK,
    ) -> None:  # fmt: skip
        self._mels = mel_triangles(n_stft, f_min, highest(f_max, sample_rate), n_mels, sample_rate, norm, mel_type)
        self._frequencies = n_mels
        self.max_iter = max_iter
        self.tolerance_loss = tolerance_loss
        self.tolerance_change = tolerance_change
        options = sgdargs or {}
        self._learning_rate, self._momentum = options.get("sgd_lr", 0.1), options.get("sgd_momentum", 0.9)

    def _apply(self, bands: Array) -> Array:
        bins, count = self._mels.shape
        rows = np.moveaxis(bands, -2, -1)
        wanted = rows.reshape(-1, count).astype(np.float64)
        first = self._random().fractions32((*bands.shape[:-2], bins, bands.shape[-1])).astype(np.float64)
        found = self._search(wanted, np.moveaxis(first, -2, -1).reshape(-1, bins))
        result: Array = np.moveaxis(found.reshape(*rows.shape[:-1], bins), -1, -2).astype(bands.dtype)
        return result[None] if result.ndim == 2 else result  # MindSpore adds the channel

    def _search(self, wanted: Array, found: Array) -> Array:
        velocity, loss = np.zeros_like(found), np.inf
        for _ in range(self.max_iter):
            difference = wanted - found @ self._mels
            before, loss = loss, (difference**2).sum(-1).mean()
            velocity = velocity * self._momentum + difference @ self._mels.T * (2 / len(wanted))
            found = np.maximum(0, found + self._learning_rate * velocity)
            if loss < self.tolerance_loss or abs(before - loss) < self.tolerance_change:
                break
        return found
