"""Loudness of waves: gains, offsets, fades, waveshaping, and encodings of levels."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from torchspore.dataset.audio.base import AudioOperation
from torchspore.dataset.audio.enums import DensityFunction, FadeShape, GainType, ScaleType
from torchspore.dataset.parameters import Float32, PositiveFloat32, Whole, ruled
from torchspore.dataset.transforms.base import Array, Random
from torchspore.dataset.value_checks import MAX_INT
from torchspore.engine.parameters import Limits, Rule

__all__ = [
    "AmplitudeToDB", "Contrast", "DBToAmplitude", "DCShift", "Dither", "Fade", "Gain", "MuLawDecoding",
    "MuLawEncoding", "Vol",
]  # fmt: skip

_MAX_LEVEL, _LEVELS = 2**15 - 2, 2**15  # of `Dither`: the level of a sample of 1, and the number of levels
_GAUSSIAN_DRAWS = 7


class AmplitudeToDB(AudioOperation):
    """Converts powers or magnitudes to decibels.

    Args:
        stype: what the spectrogram (..., freq, time) holds. Default: `ScaleType.POWER`.
        ref_value: the value of 0 dB, > 0. Default: 1.0.
        amin: the minimum to which values are clamped, > 0. Default: 1e-10.
        top_db: the dynamic range below the maximum in dB, > 0. Default: 80.0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.AmplitudeToDB()(np.array([[1.0, 0.01, 0.0]]))
        array([[  0., -20., -80.]])
    """

    _shape = ("freq", "time")

    def __init__(
        self, stype: ScaleType = ScaleType.POWER, ref_value: PositiveFloat32 = 1.0, amin: PositiveFloat32 = 1e-10,
        top_db: PositiveFloat32 = 80.0,
    ) -> None:  # fmt: skip
        self._factor = 10 if stype is ScaleType.POWER else 20
        self.ref_value = ref_value
        self.amin = amin
        self.top_db = top_db

    def _apply(self, spectrogram: Array) -> Array:
        reference = np.log10(max(self.amin, self.ref_value))
        decibels = self._factor * (np.log10(np.maximum(spectrogram, spectrogram.dtype.type(self.amin))) - reference)
        maximum = decibels.max(axis=tuple(range(-min(decibels.ndim, 3), 0)), keepdims=True, initial=-np.inf)
        return np.maximum(decibels, maximum - self.top_db).astype(spectrogram.dtype)


class DBToAmplitude(AudioOperation):
    """Converts decibels to powers or magnitudes: `ref * 10 ** (decibels / 10) ** power`.

    Args:
        ref: the value of 0 dB.
        power: 1 for powers, 0.5 for magnitudes.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.DBToAmplitude(1.0, 0.5)(np.array([0.0, 20.0]))
        array([ 1., 10.])
    """

    def __init__(self, ref: Float32, power: Float32) -> None:
        self.ref = ref
        self.power = power

    def _apply(self, decibels: Array) -> Array:
        return self.ref * 10 ** (decibels * (0.1 * self.power))


class Vol(AudioOperation):
    """Amplifies or attenuates a wave, and clamps it to [-1, 1].

    Args:
        gain: the gain.
        gain_type: the unit of `gain`: a factor >= 0, a factor of power > 0, or decibels. Default: `GainType.AMPLITUDE`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Vol(2.0)(np.array([0.2, -0.3, 0.8]))
        array([ 0.4, -0.6,  1. ])
    """

    @ruled(
        Rule(
            "'gain' must be >= 0 as an amplitude, and > 0 as a power",
            lambda gain, gain_type: (
                gain > 0 or gain_type is GainType.DB or (not gain and gain_type is not GainType.POWER)
            ),
        )
    )
    def __init__(self, gain: Float32, gain_type: GainType = GainType.AMPLITUDE) -> None:
        of_type = {GainType.DB: 10 ** (gain / 20), GainType.POWER: abs(gain) ** 0.5}
        self._factor = of_type.get(gain_type, gain)

    def _apply(self, wave: Array) -> Array:
        return (wave * self._factor).clip(-1, 1)


class Gain(AudioOperation):
    """Amplifies or attenuates a wave.

    Args:
        gain_db: the gain in dB. Default: 1.0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Gain(20.0)(np.array([0.2, -0.3]))
        array([ 2., -3.])
    """

    def __init__(self, gain_db: Float32 = 1.0) -> None:
        self._factor = 10 ** (gain_db / 20)

    def _apply(self, wave: Array) -> Array:
        return wave * self._factor


class DCShift(AudioOperation):
    """Adds a constant to a wave, and less where the result would leave [-1, 1].

    Args:
        shift: the constant, in [-2, 2].
        limiter_gain: the gain of the limiter near the limit, much less than 1. Default: None, the result is clamped.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.DCShift(0.5, 0.02)(np.array([-1.0, 0.25]))
        array([-0.5 ,  0.75])
    """

    def __init__(self, shift: Annotated[float, Limits(-2.0, 2.0)], limiter_gain: Float32 | None = None) -> None:
        self.shift = shift
        self.limiter_gain = limiter_gain

    def _apply(self, wave: Array) -> Array:
        shifted = (wave + self.shift).clip(-1, 1)
        if self.limiter_gain is None or abs(self.shift) == self.limiter_gain:
            return shifted
        sign = -1 if self.shift < 0 else 1
        limit = 1 - (abs(self.shift) - self.limiter_gain)
        excess = wave * sign - limit
        limited = np.minimum(excess * (self.limiter_gain / (1 - limit)) + limit + abs(self.shift), limit)
        return np.where(excess > 0, limited * sign, shifted).astype(wave.dtype)


class Contrast(AudioOperation):
    """Makes a wave sound louder by amplifying soft parts more than loud ones.

    Args:
        enhancement_amount: the amount, in [0, 100]; 0 still changes the wave. Default: 75.0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Contrast()(np.array([0.0, 0.2, 1.0])).round(4)
        array([0.    , 0.3979, 1.    ])
    """

    def __init__(self, enhancement_amount: Annotated[float, Limits(0, 100)] = 75.0) -> None:
        self._amount = enhancement_amount / 750

    def _apply(self, wave: Array) -> Array:
        angle = wave * (np.pi / 2)
        return np.sin(angle + self._amount * np.sin(angle * 4))


class Fade(AudioOperation):
    """Fades a wave in and out.

    Args:
        fade_in_len: the number of samples of the fade-in, >= 0. Default: 0.
        fade_out_len: the number of samples of the fade-out, >= 0. Default: 0.
        fade_shape: the curve. Default: `FadeShape.LINEAR`.

    Raises:
        ValueError: a length is greater than the length of the wave.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Fade(3, 2)(np.array([1.0] * 6))
        array([0. , 0.5, 1. , 1. , 1. , 0. ])
    """

    def __init__(
        self, fade_in_len: Whole = 0, fade_out_len: Whole = 0, fade_shape: FadeShape = FadeShape.LINEAR
    ) -> None:
        self.fade_in_len = fade_in_len
        self.fade_out_len = fade_out_len
        self.fade_shape = fade_shape

    def _apply(self, wave: Array) -> Array:
        length = wave.shape[-1]
        for name, value in (("fade_in_len", self.fade_in_len), ("fade_out_len", self.fade_out_len)):
            if value > length:
                raise ValueError(f"For 'Fade', '{name}' must be at most the length of the wave, {length}, not {value}.")
        factors = np.ones(length)
        factors[: self.fade_in_len] = self._curve(self.fade_in_len, False)
        factors[length - self.fade_out_len :] *= self._curve(self.fade_out_len, True)
        return wave * factors.astype(wave.dtype)

    def _curve(self, length: int, falling: bool) -> Array:
        ramp = np.linspace(0, 1, length)
        level = 1 - ramp if falling else ramp
        if self.fade_shape is FadeShape.EXPONENTIAL:
            return level * 2.0 ** (-ramp if falling else ramp - 1)
        if self.fade_shape is FadeShape.LOGARITHMIC:
            return np.log10(0.1 + level) + 1
        if self.fade_shape is FadeShape.QUARTER_SINE:
            return np.sin(level * (np.pi / 2))
        return np.sin(np.pi * level - np.pi / 2) / 2 + 0.5 if self.fade_shape is FadeShape.HALF_SINE else level


class MuLawEncoding(AudioOperation):
    """Encodes a wave in [-1, 1] by the mu-law, with finer levels near 0.

    Args:
        quantization_channels: the number of levels, > 1. Default: 256.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.MuLawEncoding()(np.array([-1.0, 0.0, 0.1, 1.0]))
        array([  0, 128, 203, 255], dtype=int32)
    """

    def __init__(self, quantization_channels: Annotated[int, Limits(2, MAX_INT)] = 256) -> None:
        self._mu = quantization_channels - 1

    def _apply(self, wave: Array) -> Array:
        compressed = np.sign(wave) * np.log1p(self._mu * np.abs(wave)) / math.log1p(self._mu)
        return ((compressed + 1) / 2 * self._mu + 0.5).astype(np.int32)


class MuLawDecoding(MuLawEncoding):
    """Reverses `MuLawEncoding`; arguments as there.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.MuLawDecoding()(np.array([0, 128, 203, 255])).round(2)
        array([-1. ,  0. ,  0.1,  1. ], dtype=float32)
    """

    def _apply(self, levels: Array) -> Array:
        compressed = levels * (2 / self._mu) - 1
        return np.sign(compressed) * np.expm1(np.abs(compressed) * math.log1p(self._mu)) / self._mu


class Dither(AudioOperation, Random):
    """Rounds a wave to 16 bits after adding noise, so that the rounding error is independent of the wave.

    Args:
        density_function: the noise: a triangle over the length of the wave (TPDF), a random sample of the wave (RPDF),
            or the sum of several (GPDF). Default: `DensityFunction.TPDF`.
        noise_shaping: whether the error of each sample is added to the next. Default: False.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Dither()(np.array([0.1, 0.2])).round(3)
        array([0.1, 0.2])
    """

    def __init__(self, density_function: DensityFunction = DensityFunction.TPDF, noise_shaping: bool = False) -> None:
        self.density_function = density_function
        self.noise_shaping = noise_shaping

    def _apply(self, wave: Array) -> Array:
        rounded = np.round(wave * _MAX_LEVEL + self._noise(wave)) / _LEVELS
        if self.noise_shaping:
            rounded[..., 1:] += (rounded - wave)[..., :-1]
        return rounded.astype(wave.dtype)

    def _noise(self, wave: Array) -> Array:
        if self.density_function is DensityFunction.TPDF:
            return np.bartlett(wave.shape[-1] + 1)[:-1]
        draws, waves = self._random(), wave.reshape(-1, wave.shape[-1])
        is_one = self.density_function is DensityFunction.RPDF
        count = 1 if is_one else _GAUSSIAN_DRAWS
        levels = [waves[draws.below(len(waves)), draws.below(wave.shape[-1])] for _ in range(count)]
        return levels[0] - 0.5 if is_one else sum(levels)
