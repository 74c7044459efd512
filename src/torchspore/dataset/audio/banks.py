"""Filter banks from frequencies to bands, and cosine transforms from bands to coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.dataset.audio.enums import MelType, NormMode, NormType
from torchspore.dataset.parameters import Natural, NotNegativeFloat32, PositiveFloat32, Whole, checked
from torchspore.dataset.transforms.base import Array
from torchspore.engine.parameters import Rule

__all__ = ["cosines", "create_dct", "linear_fbanks", "linear_triangles", "mel_triangles", "melscale_fbanks"]

_SLANEY_STEP, _SLANEY_KNEE, _SLANEY_LOG = 200 / 3, 1000.0, np.log(6.4) / 27


_ASCENDING = Rule("'f_min' must be at most 'f_max'", lambda f_min, f_max: f_min <= f_max)


@checked
def create_dct(n_mfcc: Natural, n_mels: Natural, norm: NormMode = NormMode.NONE) -> Array:
    """Return the matrix (n_mels, n_mfcc) of a cosine transform in float32; rows of bands are multiplied by it.

    Args:
        n_mfcc: the number of coefficients, > 0.
        n_mels: the number of bands, > 0.
        norm: `NormMode.ORTHO` makes the columns orthonormal. Default: `NormMode.NONE`.

    Examples:
        >>> import torchspore.dataset.audio as audio
        >>> audio.create_dct(2, 2, audio.NormMode.ORTHO).round(3)
        array([[ 0.707,  0.707],
               [ 0.707, -0.707]], dtype=float32)
    """
    return cosines(n_mfcc, n_mels, norm).astype(np.float32)


def cosines(coefficients: int, bands: int, norm: NormMode) -> Array:
    """Return the matrix of `create_dct` in float64."""
    matrix = 2 * np.cos(np.pi / bands * (np.arange(bands)[:, None] + 0.5) * np.arange(coefficients))
    if norm is NormMode.ORTHO:
        matrix[:, :1] /= np.sqrt(2)
        matrix /= np.sqrt(2 * bands)
    return matrix


@checked(_ASCENDING)
def melscale_fbanks(
    n_freqs: Whole, f_min: NotNegativeFloat32, f_max: PositiveFloat32, n_mels: Natural, sample_rate: Natural,
    norm: NormType = NormType.NONE, mel_type: MelType = MelType.HTK,
) -> Array:  # fmt: skip
    """Return the matrix (n_freqs, n_mels) of triangular filters, evenly spaced on the mel scale, in float32.

    Args:
        n_freqs: the number of input frequencies, from 0 to half the sampling rate, >= 0.
        f_min: the lowest frequency in Hz, >= 0.
        f_max: the highest frequency in Hz, >= 0 and > `f_min`.
        n_mels: the number of filters, > 0.
        sample_rate: the sampling rate in Hz, > 0.
        norm: `NormType.SLANEY` for filters of equal area. Default: `NormType.NONE`.
        mel_type: the formula of the scale. Default: `MelType.HTK`.

    Examples:
        >>> import torchspore.dataset.audio as audio
        >>> audio.melscale_fbanks(5, 0.0, 4000.0, 1, 8000).round(3).T
        array([[0.   , 0.898, 0.693, 0.346, 0.   ]], dtype=float32)
    """
    return mel_triangles(n_freqs, f_min, f_max, n_mels, sample_rate, norm, mel_type).astype(np.float32)


def mel_triangles(
    frequencies: int, low: float, high: float, bands: int, rate: int, norm: NormType, kind: MelType
) -> Array:
    """Return the matrix of `melscale_fbanks` in float64."""
    corners = _from_mel(np.linspace(_to_mel(low, kind), _to_mel(high, kind), bands + 2), kind)
    matrix = _triangles(frequencies, rate, corners)
    return matrix * 2 / (corners[2:] - corners[:-2]) if norm is NormType.SLANEY else matrix


@checked(_ASCENDING)
def linear_fbanks(
    n_freqs: Whole, f_min: NotNegativeFloat32, f_max: PositiveFloat32, n_filter: Natural, sample_rate: Natural
) -> Array:
    """Return the matrix (n_freqs, n_filter) of triangular filters, evenly spaced in Hz, in float32.

    Args:
        n_freqs, f_min, f_max, sample_rate: as for `melscale_fbanks`.
        n_filter: the number of filters, > 0.

    Examples:
        >>> import torchspore.dataset.audio as audio
        >>> audio.linear_fbanks(5, 0.0, 4000.0, 1, 8000).T
        array([[0. , 0.5, 1. , 0.5, 0. ]], dtype=float32)
    """
    return linear_triangles(n_freqs, f_min, f_max, n_filter, sample_rate).astype(np.float32)


def linear_triangles(frequencies: int, low: float, high: float, bands: int, rate: int) -> Array:
    """Return the matrix of `linear_fbanks` in float64."""
    return _triangles(frequencies, rate, np.linspace(low, high, bands + 2))


def _triangles(frequencies: int, rate: int, corners: Array) -> Array:
    """Return triangular filters that rise from each corner to the next and fall to the following one."""
    offsets = corners - np.linspace(0, rate / 2, frequencies)[:, None]
    widths = np.diff(corners)
    with np.errstate(divide="ignore", invalid="ignore"):
        rising, falling = -offsets[:, :-2] / widths[:-1], offsets[:, 2:] / widths[1:]
    return np.maximum(0, np.minimum(rising, falling)) + 0.0  # + 0.0 turns -0 into 0


def _to_mel(frequency: float, kind: MelType) -> float:
    if kind is MelType.HTK:
        return float(2595 * np.log10(1 + frequency / 700))
    if frequency < _SLANEY_KNEE:
        return frequency / _SLANEY_STEP
    return float(_SLANEY_KNEE / _SLANEY_STEP + np.log(frequency / _SLANEY_KNEE) / _SLANEY_LOG)


def _from_mel(mels: Any, kind: MelType) -> Array:
    if kind is MelType.HTK:
        return 700 * (10 ** (mels / 2595) - 1)
    above = mels - _SLANEY_KNEE / _SLANEY_STEP
    return np.where(above < 0, mels * _SLANEY_STEP, _SLANEY_KNEE * np.exp(_SLANEY_LOG * above))
