"""Filters by what they are for: each finds its coefficients from a frequency, see `coefficients.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.dataset.audio import coefficients
from torchspore.dataset.audio.base import check_real, check_sample_rate
from torchspore.dataset.audio.filters import RecursiveFilter
from torchspore.engine.checks import check_bool, check_int

__all__ = [
    "AllpassBiquad", "BandBiquad", "BandpassBiquad", "BandrejectBiquad", "BassBiquad", "DeemphBiquad",
    "EqualizerBiquad", "HighpassBiquad", "LowpassBiquad", "RiaaBiquad", "TrebleBiquad",
]  # fmt: skip


class _Designed(RecursiveFilter):
    """A filter whose coefficients are those of the function in `coefficients` that is called as it is."""

    def _design(self, sample_rate: Any, frequency: Any, quality: Any, *others: Any, name: str = "central_freq") -> None:
        api = type(self).__name__
        rate = check_sample_rate(sample_rate, api)
        turn = 2 * np.pi * check_real(frequency, name, api) / rate
        check_real(quality, "Q", api, above=0, most=1)
        design = getattr(coefficients, api.removesuffix("Biquad").lower())
        b, a = design(turn, quality, *others)
        self._b, self._a = np.array(b), np.array(a)


class AllpassBiquad(_Designed):
    """Turns the phases of a wave around a frequency, and keeps all amplitudes.

    Args:
        sample_rate: how many samples a second has, not 0.
        central_freq: the frequency in the middle, in Hz.
        Q: the quality factor, in (0, 1]: the greater, the narrower. Default: 0.707.

    Raises:
        TypeError: the wave does not hold floats.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.AllpassBiquad(16000, 200.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0895, 0.1591])
    """

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707) -> None:
        self._design(sample_rate, central_freq, Q)


class BandBiquad(_Designed):
    """Keeps a band of a wave, whose amplitudes fall evenly on both sides of its middle.

    Args:
        sample_rate: how many samples a second has, not 0.
        central_freq: the frequency in the middle, in Hz.
        Q: the quality factor, in (0, 1]: the greater, the narrower. Default: 0.707.
        noise: whether it is for sounds without pitch, such as drums. Default: False.

    Raises:
        TypeError: the wave does not hold floats.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.BandBiquad(16000, 200.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.001 , 0.0039])
    """

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707, noise: bool = False) -> None:
        self._design(sample_rate, central_freq, Q, check_bool(noise, "noise", "BandBiquad"))


class BandpassBiquad(_Designed):
    """Keeps a band of a wave.

    Args:
        sample_rate: how many samples a second has, not 0.
        central_freq: the frequency in the middle, in Hz.
        Q: the quality factor, in (0, 1]: the greater, the narrower. Default: 0.707.
        const_skirt_gain: whether the gain at the middle is Q, instead of 1. Default: False.

    Raises:
        TypeError: the wave does not hold floats.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.BandpassBiquad(16000, 2000.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0333, 0.0981])
    """

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707, const_skirt_gain: bool = False) -> None:
        self._design(sample_rate, central_freq, Q, check_bool(const_skirt_gain, "const_skirt_gain", "BandpassBiquad"))


class BandrejectBiquad(_Designed):
    """Takes a band out of a wave.

    Args:
        sample_rate: how many samples a second has, not 0.
        central_freq: the frequency in the middle, in Hz.
        Q: the quality factor, in (0, 1]: the greater, the narrower. Default: 0.707.

    Raises:
        TypeError: the wave does not hold floats.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.BandrejectBiquad(16000, 200.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0947, 0.1796])
    """

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707) -> None:
        self._design(sample_rate, central_freq, Q)


class BassBiquad(_Designed):
    """Makes the low frequencies of a wave louder or softer.

    Args:
        sample_rate: how many samples a second has, not 0.
        gain: what the frequencies there gain, in dB.
        central_freq: the frequency where that begins, in Hz. Default: 100.0.
        Q: the quality factor, in (0, 1]: the greater, the narrower. Default: 0.707.

    Raises:
        TypeError: the wave does not hold floats.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.BassBiquad(16000, 10.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.1016, 0.2066])
    """

    def __init__(self, sample_rate: int, gain: float, central_freq: float = 100.0, Q: float = 0.707) -> None:
        self._design(sample_rate, central_freq, Q, check_real(gain, "gain", "BassBiquad"))


class EqualizerBiquad(_Designed):
    """Makes a band of a wave louder or softer.

    Args:
        sample_rate: how many samples a second has, not 0.
        center_freq: the frequency in the middle, in Hz.
        gain: what the frequencies there gain, in dB.
        Q: the quality factor, in (0, 1]: the greater, the narrower. Default: 0.707.

    Raises:
        TypeError: the wave does not hold floats.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.EqualizerBiquad(16000, 1500.0, 10.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.1391, 0.3316])
    """

    def __init__(self, sample_rate: int, center_freq: float, gain: float, Q: float = 0.707) -> None:
        self._design(sample_rate, center_freq, Q, check_real(gain, "gain", "EqualizerBiquad"), name="center_freq")


class HighpassBiquad(_Designed):
    """Keeps the high frequencies of a wave.

    Args:
        sample_rate: how many samples a second has, not 0.
        cutoff_freq: the frequency where the filter begins, in Hz.
        Q: the quality factor, in (0, 1]: the greater, the narrower. Default: 0.707.

    Raises:
        TypeError: the wave does not hold floats.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.HighpassBiquad(16000, 1500.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0657, 0.0785])
    """

    def __init__(self, sample_rate: int, cutoff_freq: float, Q: float = 0.707) -> None:
        self._design(sample_rate, cutoff_freq, Q, name="cutoff_freq")


class LowpassBiquad(_Designed):
    """Keeps the low frequencies of a wave.

    Args:
        sample_rate: how many samples a second has, not 0.
        cutoff_freq: the frequency where the filter begins, in Hz.
        Q: the quality factor, in (0, 1]: the greater, the narrower. Default: 0.707.

    Raises:
        TypeError: the wave does not hold floats.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.LowpassBiquad(16000, 1500.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.006 , 0.0314])
    """

    def __init__(self, sample_rate: int, cutoff_freq: float, Q: float = 0.707) -> None:
        self._design(sample_rate, cutoff_freq, Q, name="cutoff_freq")


class TrebleBiquad(_Designed):
    """Makes the high frequencies of a wave louder or softer.

    Args:
        sample_rate: how many samples a second has, not 0.
        gain: what the frequencies there gain, in dB.
        central_freq: the frequency where that begins, in Hz. Default: 3000.
        Q: the quality factor, in (0, 1]: the greater, the narrower. Default: 0.707.

    Raises:
        TypeError: the wave does not hold floats.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.TrebleBiquad(16000, -20.0)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0245, 0.079 ])
    """

    def __init__(self, sample_rate: int, gain: float, central_freq: float = 3000, Q: float = 0.707) -> None:
        self._design(sample_rate, central_freq, Q, check_real(gain, "gain", "TrebleBiquad"))


class DeemphBiquad(RecursiveFilter):
    """Takes back the emphasis of high frequencies that compact discs were recorded with.

    Args:
        sample_rate: how many samples a second has, 44100 or 48000.

    Raises:
        TypeError: the wave does not hold floats.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.DeemphBiquad(44100)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.046 , 0.1122])
    """

    def __init__(self, sample_rate: int) -> None:
        b, a = coefficients.deemph(_check_known(sample_rate, tuple(coefficients.DEEMPHASIS), "DeemphBiquad"))
        self._b, self._a = np.array(b), np.array(a)


class RiaaBiquad(RecursiveFilter):
    """Takes back the emphasis that records of vinyl are cut with.

    Args:
        sample_rate: how many samples a second has, 44100, 48000, 88200 or 96000.

    Raises:
        TypeError: the wave does not hold floats.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.RiaaBiquad(44100)(np.array([0.0, 0.1, 0.2])).round(4)
        array([0.    , 0.0238, 0.0709])
    """

    def __init__(self, sample_rate: int) -> None:
        self._b, self._a = coefficients.riaa(_check_known(sample_rate, tuple(coefficients.RIAA), "RiaaBiquad"))


def _check_known(sample_rate: Any, known: tuple[int, ...], api: str) -> int:
    rate = check_int(sample_rate, "sample_rate", api)
    if rate not in known:
        raise ValueError(f"For '{api}', 'sample_rate' must be one of {known}, but got {rate}: resample the wave.")
    return rate
