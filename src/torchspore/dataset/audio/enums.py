"""Modes of audio transforms."""

from __future__ import annotations

import enum

__all__ = [
    "BorderType", "DensityFunction", "FadeShape", "GainType", "Interpolation", "MelType", "Modulation", "NormMode",
    "NormType", "ResampleMethod", "ScaleType", "WindowType",
]  # fmt: skip


class BorderType(str, enum.Enum):
    """How a wave or a spectrogram is padded at its ends.

    CONSTANT: zeros. EDGE: the last value. REFLECT: mirrored without the last value. SYMMETRIC: mirrored with it.
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class DensityFunction(str, enum.Enum):
    """The distribution of the noise of `Dither`: triangular, rectangular or Gaussian."""

    TPDF = "TPDF"
    RPDF = "RPDF"
    GPDF = "GPDF"


class FadeShape(str, enum.Enum):
    """The curve of `Fade`."""

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(str, enum.Enum):
    """What the gain of `Vol` means: a factor of amplitudes, a factor of power, or decibels."""

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"


class Interpolation(str, enum.Enum):
    """How `Flanger` interpolates between samples."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(str, enum.Enum):
    """The formula of the mel scale: the HTK toolkit's or Slaney's."""

    HTK = "htk"
    SLANEY = "slaney"


class Modulation(str, enum.Enum):
    """The waveform that modulates the delay of `Flanger`."""

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


class NormMode(str, enum.Enum):
    """Whether a cosine transform is orthonormal."""

    ORTHO = "ortho"
    NONE = "none"


class NormType(str, enum.Enum):
    """Whether mel filters have equal areas (SLANEY) or equal heights (NONE)."""

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(str, enum.Enum):
    """The window of the filter of `Resample`: Hann's or Kaiser's."""

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class ScaleType(str, enum.Enum):
    """Whether the input of `AmplitudeToDB` is powers or magnitudes."""

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(str, enum.Enum):
    """The window of each frame of a spectrogram; Kaiser's has beta 12."""

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"
