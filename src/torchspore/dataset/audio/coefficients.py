"""Coefficients (b, a) of the filters in `biquads.py`, by the Audio EQ Cookbook and by SoX.

`turn` is the angle that a frequency passes from one sample to the next, 2π times the frequency by the rate.
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


def _resonant(turn: float, quality: float) -> tuple[float, float, Three]:
    """Return the cosine, half the band's width, and the coefficients of outputs of most filters."""
    cosine, width = math.cos(turn), math.sin(turn) / 2 / quality
    return cosine, width, (1 + width, -2 * cosine, 1 - width)


def allpass(turn: float, quality: float) -> tuple[Three, Three]:
    """Return the coefficients of `AllpassBiquad`."""
    _, _, a = _resonant(turn, quality)
    return (a[2], a[1], a[0]), a


def bandpass(turn: float, quality: float, const_skirt_gain: bool) -> tuple[Three, Three]:
    """Return the coefficients of `BandpassBiquad`."""
    _, width, a = _resonant(turn, quality)
    gain = math.sin(turn) / 2 if const_skirt_gain else width
    return (gain, 0.0, -gain), a


def bandreject(turn: float, quality: float) -> tuple[Three, Three]:
    """Return the coefficients of `BandrejectBiquad`."""
    _, _, a = _resonant(turn, quality)
    return (1.0, a[1], 1.0), a


def lowpass(turn: float, quality: float) -> tuple[Three, Three]:
    """Return the coefficients of `LowpassBiquad`."""
    cosine, _, a = _resonant(turn, quality)
    return ((1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2), a


def highpass(turn: float, quality: float) -> tuple[Three, Three]:
    """Return the coefficients of `HighpassBiquad`."""
    cosine, _, a = _resonant(turn, quality)
    return ((1 + cosine) / 2, -1 - cosine, (1 + cosine) / 2), a


def equalizer(turn: float, quality: float, decibels: float) -> tuple[Three, Three]:
    """Return the coefficients of `EqualizerBiquad`."""
    cosine, width, _ = _resonant(turn, quality)
    root = 10 ** (decibels / 40)
    b = (1 + width * root, -2 * cosine, 1 - width * root)
    return b, (1 + width / root, -2 * cosine, 1 - width / root)


def band(turn: float, quality: float, noise: bool) -> tuple[Three, Three]:
    """Return the coefficients of `BandBiquad`."""
    a2 = math.exp(-turn / quality)
    a1 = -4 * a2 / (1 + a2) * math.cos(turn)
    if noise:
        gain = math.sqrt(((1 + a2) ** 2 - a1**2) * (1 - a2) / (1 + a2))
    else:
        gain = math.sqrt(1 - a1**2 / (4 * a2)) * (1 - a2)
    return (gain, 0.0, 0.0), (1.0, a1, a2)


def _shelf(turn: float, width: float, decibels: float, side: int) -> tuple[Three, Three]:
    """Return the coefficients of a shelf of high (1) or low (-1) frequencies."""
    root = 10 ** (decibels / 40)
    slope, cosine = 2 * math.sqrt(root) * width, side * math.cos(turn)
    more, less = root + 1, root - 1
    b = (more + less * cosine + slope, -2 * side * (less + more * cosine), more + less * cosine - slope)
    a = (more - less * cosine + slope, 2 * side * (less - more * cosine), more - less * cosine - slope)
    return (root * b[0], root * b[1], root * b[2]), a


def bass(turn: float, quality: float, decibels: float) -> tuple[Three, Three]:
    """Return the coefficients of `BassBiquad`."""
    return _shelf(turn, math.sin(turn) / 2 / quality, decibels, -1)


def treble(turn: float, quality: float, decibels: float) -> tuple[Three, Three]:
    """Return the coefficients of `TrebleBiquad`."""
    return _shelf(turn, math.sin(turn) / 2 / quality, decibels, 1)


def deemph(sample_rate: int) -> tuple[Three, Three]:
    """Return the coefficients of `DeemphBiquad`."""
    frequency, slope, decibels = DEEMPHASIS[sample_rate]
    turn, root = 2 * math.pi * frequency / sample_rate, 10 ** (decibels / 40)
    width = math.sin(turn) / 2 * math.sqrt((root + 1 / root) * (1 / slope - 1) + 2)
    return _shelf(turn, width, decibels, 1)


def riaa(sample_rate: int) -> tuple[Array, Array]:
    """Return the coefficients of `RiaaBiquad`, with a gain of one at 1000 Hz."""
    b, a = (np.poly(roots) for roots in RIAA[sample_rate])
    turned = np.exp(-2j * np.pi * 1000 / sample_rate * np.arange(3))
    return b * abs(a @ turned) / abs(b @ turned), a
