"""Biquad filters that are designed from a frequency; `coefficients.py` has the formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.dataset.audio import coefficients
from torchspore.dataset.audio.base import NonZero
from torchspore.dataset.audio.filters import RecursiveFilter
from torchspore.dataset.parameters import Float32, Int32
from torchspore.engine.parameters import Limits, Where

__all__ = [
    "AllpassBiquad", "BandBiquad", "BandpassBiquad", "BandrejectBiquad", "BassBiquad", "DeemphBiquad",
    "EqualizerBiquad", "HighpassBiquad", "LowpassBiquad", "RiaaBiquad", "TrebleBiquad",
]  # fmt: skip

_Q: TypeAlias = Annotated[float, Limits(above=0, maximum=1)]


def _one_of(known: Iterable[int]) -> Where:
    return Where(f"one of {[*known]} (resample the wave)", frozenset(known).__contains__)


_Deemphasized: TypeAlias = Annotated[Int32, _one_of(coefficients.DEEMPHASIS)]
_Riaa: TypeAlias = Annotated[Int32, _one_of(coefficients.RIAA)]


class _Designed(RecursiveFilter):
    """A filter with the coefficients that `_formula` returns."""

    _formula: Callable[..., tuple[coefficients.Three, coefficients.Three]]

    def _design(self, sample_rate: int, frequency: float, Q: float, *others: Any) -> None:
        angular_frequency = 2 * np.pi * frequency / sample_rate
        b, a = type(self)._formula(angular_frequency, Q, *others)
        self._b, self._a = np.array(b), np.array(a)


class AllpassBiquad(_Designed):
    """Changes the phases of a wave around a frequency and keeps its amplitudes.

    Args:
        sample_rate: the sampling rate in Hz, not 0.
        central_freq: the center frequency in Hz.
        Q: the Q factor, in (0, 1]: the higher, the narrower the band. Default: 0.707.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.AllpassBiquad(16000, 200.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0895, 0.1591])
    """

    _formula = staticmethod(coefficients.allpass)

    def __init__(self, sample_rate: NonZero, central_freq: Float32, Q: _Q = 0.707) -> None:
        self._design(sample_rate, central_freq, Q)


class BandBiquad(_Designed):
    """Keeps a band of frequencies; amplitudes fall off evenly on both sides of its center.

    Args:
        sample_rate, central_freq, Q: as for `AllpassBiquad`.
        noise: whether the filter is for sounds without pitch, such as drums. Default: False.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.BandBiquad(16000, 200.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.001 , 0.0039])
    """

    _formula = staticmethod(coefficients.band)

    def __init__(self, sample_rate: NonZero, central_freq: Float32, Q: _Q = 0.707, noise: bool = False) -> None:
        self._design(sample_rate, central_freq, Q, noise)


class BandpassBiquad(_Designed):
    """Keeps a band of frequencies.

    Args:
        sample_rate, central_freq, Q: as for `AllpassBiquad`.
        const_skirt_gain: whether the gain at the center is Q instead of 1. Default: False.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.BandpassBiquad(16000, 2000.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0333, 0.0981])
    """

    _formula = staticmethod(coefficients.bandpass)

    def __init__(
        self, sample_rate: NonZero, central_freq: Float32, Q: _Q = 0.707, const_skirt_gain: bool = False
    ) -> None:
        self._design(sample_rate, central_freq, Q, const_skirt_gain)


class BandrejectBiquad(_Designed):
    """Removes a band of frequencies; arguments as for `AllpassBiquad`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.BandrejectBiquad(16000, 200.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0947, 0.1796])
    """

    _formula = staticmethod(coefficients.bandreject)

    def __init__(self, sample_rate: NonZero, central_freq: Float32, Q: _Q = 0.707) -> None:
        self._design(sample_rate, central_freq, Q)


class BassBiquad(_Designed):
    """Amplifies or attenuates low frequencies.

    Args:
        sample_rate, Q: as for `AllpassBiquad`.
        gain: the gain of these frequencies in dB.
        central_freq: the frequency in Hz where the gain begins. Default: 100.0; of `TrebleBiquad` 3000.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.BassBiquad(16000, 10.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.1016, 0.2066])
    """

    _formula = staticmethod(coefficients.bass)

    def __init__(self, sample_rate: NonZero, gain: Float32, central_freq: Float32 = 100.0, Q: _Q = 0.707) -> None:
        self._design(sample_rate, central_freq, Q, gain)


class EqualizerBiquad(_Designed):
    """Amplifies or attenuates a band of frequencies.

    Args:
        sample_rate, center_freq, Q: as for `AllpassBiquad`.
        gain: the gain at the center in dB.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.EqualizerBiquad(16000, 1500.0, 10.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.1391, 0.3316])
    """

    _formula = staticmethod(coefficients.equalizer)

    def __init__(self, sample_rate: NonZero, center_freq: Float32, gain: Float32, Q: _Q = 0.707) -> None:
        self._design(sample_rate, center_freq, Q, gain)


class HighpassBiquad(_Designed):
    """Keeps high frequencies.

    Args:
        sample_rate, Q: as for `AllpassBiquad`.
        cutoff_freq: the cutoff frequency in Hz.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.HighpassBiquad(16000, 1500.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0657, 0.0785])
    """

    _formula = staticmethod(coefficients.highpass)

    def __init__(self, sample_rate: NonZero, cutoff_freq: Float32, Q: _Q = 0.707) -> None:
        self._design(sample_rate, cutoff_freq, Q)


class LowpassBiquad(_Designed):
    """Keeps low frequencies; arguments as for `HighpassBiquad`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.LowpassBiquad(16000, 1500.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.006 , 0.0314])
    """

    _formula = staticmethod(coefficients.lowpass)

    def __init__(self, sample_rate: NonZero, cutoff_freq: Float32, Q: _Q = 0.707) -> None:
        self._design(sample_rate, cutoff_freq, Q)


class TrebleBiquad(_Designed):
    """Amplifies or attenuates high frequencies; arguments as for `BassBiquad`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.TrebleBiquad(16000, -20.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0245, 0.079 ])
    """

    _formula = staticmethod(coefficients.treble)

    def __init__(self, sample_rate: NonZero, gain: Float32, central_freq: Float32 = 3000, Q: _Q = 0.707) -> None:
        self._design(sample_rate, central_freq, Q, gain)


class DeemphBiquad(RecursiveFilter):
    """Reverses the pre-emphasis of high frequencies on compact discs.

    Args:
        sample_rate: the sampling rate in Hz, 44100 or 48000.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.DeemphBiquad(44100)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.046 , 0.1122])
    """

    def __init__(self, sample_rate: _Deemphasized) -> None:
        b, a = coefficients.deemph(sample_rate)
        self._b, self._a = np.array(b), np.array(a)


class RiaaBiquad(RecursiveFilter):
    """Reverses the pre-emphasis of vinyl records.

    Args:
        sample_rate: the sampling rate in Hz, 44100, 48000, 88200 or 96000.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.RiaaBiquad(44100)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0238, 0.0709])
    """

    def __init__(self, sample_rate: _Riaa) -> None:
        self._b, self._a = coefficients.riaa(sample_rate)
