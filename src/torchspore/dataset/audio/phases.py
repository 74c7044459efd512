"""Complex spectrograms: magnitudes, phases, and time stretching."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np
import torch

from torchspore.dataset.audio.base import AudioOperation
from torchspore.dataset.parameters import Natural, NotNegativeFloat32, PositiveFloat32
from torchspore.dataset.transforms.base import Array
from torchspore.engine.parameters import Where

__all__ = ["Angle", "ComplexNorm", "Magphase", "PhaseVocoder", "TimeStretch", "stretch"]


class Angle(AudioOperation):
    """Computes the angles of complex numbers (..., 2).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Angle()(np.array([[1.0, 0.0], [-1.0, 0.0]])).round(4)
        array([0.    , 3.1416])
    """

    _shape = ("2",)

    def _apply(self, value: Array) -> Array:
        return np.arctan2(value[..., 1], value[..., 0])


class ComplexNorm(AudioOperation):
    """Computes the magnitudes of complex numbers (..., 2), raised to a power.

    Args:
        power: the power, >= 0. Default: 1.0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.ComplexNorm(2.0)(np.array([[3.0, 4.0]]))
        array([25.])
    """

    _shape = ("2",)

    def __init__(self, power: NotNegativeFloat32 = 1.0) -> None:
        self.power = power

    def _apply(self, value: Array) -> Any:
        return (value**2).sum(-1) ** (self.power / 2)


class Magphase(ComplexNorm):
    """Computes the magnitudes, raised to a power as by `ComplexNorm`, and the angles of complex numbers (..., 2).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Magphase()(np.array([[0.0, 2.0]]))
        (array([2.]), array([1.57079633]))
    """

    def _apply(self, value: Array) -> tuple[Array, Array]:
        return super()._apply(value), np.arctan2(value[..., 1], value[..., 0])


_Advance: TypeAlias = Annotated[
    Array, Where("an array (freq, 1)", lambda advance: advance.ndim == 2 and advance.shape[1] == 1)
]


class PhaseVocoder(AudioOperation):
    """Speeds up or slows down a complex spectrogram (..., freq, time, 2) without changing its pitch.

    Args:
        rate: the speed-up factor, > 0.
        phase_advance: the expected phase advance of each frequency between frames: an array (freq, 1) with the data
            type of the spectrogram.

    Raises:
        TypeError: the data types differ.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.PhaseVocoder(2.0, np.zeros((3, 1)))(np.ones((3, 8, 2))).shape
        (3, 4, 2)
    """

    _shape = ("freq", "time", "2")
    _depends_on = "'phase_advance'"

    def __init__(self, rate: PositiveFloat32, phase_advance: _Advance) -> None:
        self.rate = rate
        self.phase_advance = phase_advance
        self._frequencies = len(phase_advance)

    def _apply(self, value: Array) -> Array:
        if self.phase_advance.dtype != value.dtype:
            raise TypeError(
                f"For 'PhaseVocoder', 'phase_advance' must have the data type of the spectrogram, {value.dtype}, but "
                f"got {self.phase_advance.dtype}: convert it."
            )
        return _stretched(value, self.rate, self.phase_advance)


class TimeStretch(AudioOperation):
    """Speeds up or slows down a complex spectrogram (..., freq, time, 2) without changing its pitch.

    Args:
        hop_length: the hop between frames in samples, > 0. Default: None, `n_freq - 1`.
        n_freq: the number of frequencies of the spectrogram, > 0. Default: 201.
        fixed_rate: the speed-up factor, > 0. Default: None, 1.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.TimeStretch(n_freq=3, fixed_rate=0.5)(np.ones((3, 8, 2))).shape
        (3, 16, 2)
    """

    _shape = ("freq", "time", "2")
    _depends_on = "'n_freq'"

    def __init__(
        self, hop_length: Natural | None = None, n_freq: Natural = 201, fixed_rate: PositiveFloat32 | None = None
    ) -> None:
        hop = n_freq - 1 if hop_length is None else hop_length
        self.fixed_rate = 1.0 if fixed_rate is None else fixed_rate
        self._advance = np.linspace(0, np.pi * hop, n_freq)[:, None]
        self._frequencies = None if self.fixed_rate == 1 else n_freq

    def _apply(self, value: Array) -> Array:
        if self.fixed_rate == 1:
            return value.reshape(-1, *value.shape[-3:])  # of four dimensions, as in MindSpore
        return _stretched(value, self.fixed_rate, self._advance)


def _stretched(value: Array, rate: float, advance: Array) -> Array:
    if rate == 1:
        return value
    spectrum = torch.view_as_complex(torch.from_numpy(np.ascontiguousarray(value)))
    return torch.view_as_real(stretch(spectrum, rate, torch.from_numpy(advance))).numpy()


def stretch(spectrum: torch.Tensor, rate: float, advance: torch.Tensor) -> torch.Tensor:
    """Return a spectrum (..., freq, frames) sped up by `rate`.

    Magnitudes are interpolated. Phases accumulate from frame to frame: by `advance` (freq, 1), plus the deviation of
    the phase difference from it, wrapped to [-pi, pi].
    """
    times = torch.arange(0, spectrum.shape[-1], rate, dtype=torch.float64)
    frames = times.long()
    padded = torch.nn.functional.pad(spectrum.to(torch.complex128), (0, 2))
    first, second = padded[..., frames], padded[..., frames + 1]
    change = second.angle() - first.angle() - advance
    change = change - 2 * torch.pi * torch.round(change / (2 * torch.pi)) + advance
    phases = torch.cat([padded[..., :1].angle(), change[..., :-1]], -1).cumsum(-1)
    part = times - frames
    magnitudes = part * second.abs() + (1 - part) * first.abs()
    return torch.polar(magnitudes, phases).to(spectrum.dtype)
