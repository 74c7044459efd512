"""Coefficients (b, a) of the filters in `biquads.py`, by the Audio EQ Cookbook and by SoX.

`omega` is the angular frequency in radians per sample, `q` the Q factor.
"""

from __future__ import annotations

import math

import numpy as np

from torchspore.dataset.transforms.base import Array

__all__ = [
    "DEEMPHASIS", "RIAA", "Three", "allpass", "band", "bandpass", "bandreject", "bass", "deemph", "equalizer",
    "highpass", "lowpass", "riaa", "treble",
]  # fmt: skip

Three = tuple[float, float, float]

DEEMPHASIS = {44100: (5283.0, 0.4845, -9.477), 48000: (5356.0, 0.479, -9.62)}  # frequency, slope, decibels
RIAA = {  # zeros and poles
    44100: ((-0.2014898, 0.9233820), (0.7083149, 0.9924091)),
    48000: ((-0.1766069, 0.9321590), (0.7396325, 0.9931330)),
    88200: ((-0.1168735, 0.9648312), (0.8590646, 0.9964002)),
    96000: ((-0.1141486, 0.9676817), (0.8699137, 0.9966946)),
}


def _resonant(omega: float, q: float) -> tuple[float, float, Three]:
    """Return cos(omega), alpha (half the bandwidth), and the denominator that most filters share."""
    cosine, alpha = math.cos(omega), math.sin(omega) / 2 / q
    return cosine, alpha, (1 + alpha, -2 * cosine, 1 - alpha)


def allpass(omega: float, q: float) -> tuple[Three, Three]:
    """Return the coefficients of `AllpassBiquad`."""
    _, _, a = _resonant(omega, q)
    return (a[2], a[1], a[0]), a


def bandpass(omega: float, q: float, const_skirt_gain: bool) -> tuple[Three, Three]:
    """Return the coefficients of `BandpassBiquad`."""
    _, alpha, a = _resonant(omega, q)
    gain = math.sin(omega) / 2 if const_skirt_gain else alpha
    return (gain, 0.0, -gain), a


def bandreject(omega: float, q: float) -> tuple[Three, Three]:
    """Return the coefficients of `BandrejectBiquad`."""
    _, _, a = _resonant(omega, q)
    return (1.0, a[1], 1.0), a


def lowpass(omega: float, q: float) -> tuple[Three, Three]:
    """Return the coefficients of `LowpassBiquad`."""
    cosine, _, a = _resonant(omega, q)
    return ((1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2), a


def highpass(omega: float, q: float) -> tuple[Three, Three]:
    """Return the coefficients of `HighpassBiquad`."""
    cosine, _, a = _resonant(omega, q)
    return ((1 + cosine) / 2, -1 - cosine, (1 + cosine) / 2), a


def equalizer(omega: float, q: float, decibels: float) -> tuple[Three, Three]:
    """Return the coefficients of `EqualizerBiquad`."""
    cosine, alpha, _ = _resonant(omega, q)
    root = 10 ** (decibels / 40)
    b = (1 + alpha * root, -2 * cosine, 1 - alpha * root)
    return b, (1 + alpha / root, -2 * cosine, 1 - alpha / root)


def band(omega: float, q: float, noise: bool) -> tuple[Three, Three]:
    """Return the coefficients of `BandBiquad`."""
    a2 = math.exp(-omega / q)
    a1 = -4 * a2 / (1 + a2) * math.cos(omega)
    if noise:
        gain = math.sqrt(((1 + a2) ** 2 - a1**2) * (1 - a2) / (1 + a2))
    else:
        gain = math.sqrt(1 - a1**2 / (4 * a2)) * (1 - a2)
    return (gain, 0.0, 0.0), (1.0, a1, a2)


def _shelf(omega: float, alpha: float, decibels: float, side: int) -> tuple[Three, Three]:
    """Return the coefficients of a shelf filter of high (`side` 1) or low (-1) frequencies."""
    root = 10 ** (decibels / 40)
    slope, cosine = 2 * math.sqrt(root) * alpha, side * math.cos(omega)
    plus, minus = root + 1, root - 1
    b = (plus + minus * cosine + slope, -2 * side * (minus + plus * cosine), plus + minus * cosine - slope)
    a = (plus - minus * cosine + slope, 2 * side * (minus - plus * cosine), plus - minus * cosine - slope)
    return (root * b[0], root * b[1], root * b[2]), a


def bass(omega: float, q: float, decibels: float) -> tuple[Three, Three]:
    """Return the coefficients of `BassBiquad`."""
    return _shelf(omega, math.sin(omega) / 2 / q, decibels, -1)


def treble(omega: float, q: float, decibels: float) -> tuple[Three, Three]:
    """Return the coefficients of `TrebleBiquad`."""
    return _shelf(omega, math.sin(omega) / 2 / q, decibels, 1)


def deemph(sample_rate: int) -> tuple[Three, Three]:
    """Return the coefficients of `DeemphBiquad`."""
    frequency, slope, decibels = DEEMPHASIS[sample_rate]
    omega, root = 2 * math.pi * frequency / sample_rate, 10 ** (decibels / 40)
    alpha = math.sin(omega) / 2 * math.sqrt((root + 1 / root) * (1 / slope - 1) + 2)
    return _shelf(omega, alpha, decibels, 1)


def riaa(sample_rate: int) -> tuple[Array, Array]:
    """Return the coefficients of `RiaaBiquad`, with unit gain at 1000 Hz."""
    b, a = (np.poly(roots) for roots in RIAA[sample_rate])
    response = np.exp(-2j * np.pi * 1000 / sample_rate * np.arange(3))
    return b * abs(a @ response) / abs(b @ response), a
