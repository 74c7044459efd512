"""Recursive filters by given coefficients, forwards only or forwards and backwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from torchspore.dataset.audio.base import AudioOperation
from torchspore.dataset.audio.recursion import recursive_filter
from torchspore.dataset.parameters import MAX_FLOAT, Float32, ruled
from torchspore.dataset.transforms.base import Array
from torchspore.engine.parameters import Rule, Where

__all__ = ["Biquad", "Filtfilt", "LFilter", "RecursiveFilter"]


class RecursiveFilter(AudioOperation):
    """The base class of recursive filters: `_a` and `_b` hold the coefficients, `_clamp` clamps outputs to [-1, 1]."""

    _a: Array
    _b: Array
    _clamp = True
    _only_floats = True

    def _floats(self, array: Array) -> Array:
        return array

    def _apply(self, wave: Array) -> Array:
        return self._clamped(recursive_filter(wave, self._a, self._b)).astype(wave.dtype)

    def _clamped(self, wave: Array) -> Array:
        return wave.clip(-1, 1) if self._clamp else wave


class LFilter(RecursiveFilter):
    """Filters a wave by a difference equation: `a[0] y[n] = b[0] x[n] + b[1] x[n-1] + ... - a[1] y[n-1] - ...`.

    Args:
        a_coeffs: the coefficients of outputs, a[0] first.
        b_coeffs: the coefficients of inputs, b[0] first; of the same length, padded with zeros.
        clamp: whether the outputs are clamped to [-1, 1]. Default: True.

    Raises:
        ValueError: the lists have different lengths, or `a_coeffs` is empty or starts with 0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.LFilter([1.0, -0.5], [1.0, 0.0])(np.array([0.5, 0.0, 0.0, 0.0]))
        array([0.5   , 0.25  , 0.125 , 0.0625])
    """

    @ruled(
        Rule(
            "'a_coeffs' and 'b_coeffs' must have the same length (add zeros)",
            lambda a_coeffs, b_coeffs: len(a_coeffs) == len(b_coeffs),
        ),
        Rule("'a_coeffs' must start with a number other than 0", lambda a_coeffs: a_coeffs and a_coeffs[0]),
    )
    def __init__(self, a_coeffs: Sequence[Float32], b_coeffs: Sequence[Float32], clamp: bool = True) -> None:
        self._a, self._b = np.array(a_coeffs), np.array(b_coeffs)
        self._clamp = clamp


class Filtfilt(LFilter):
    """Filters a wave forwards and then backwards, without delay; arguments as for `LFilter`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Filtfilt([1.0, 0.0], [0.5, 0.5])(np.array([0.0, 0.0, 1.0, 0.0, 0.0]))
        array([0.  , 0.25, 0.5 , 0.25, 0.  ])
    """

    def _apply(self, wave: Array) -> Array:
        forwards = recursive_filter(wave, self._a, self._b)
        both = recursive_filter(forwards[..., ::-1], self._a, self._b)[..., ::-1]
        return self._clamped(both).astype(wave.dtype)


_NOT_ZERO = Where(f"in [-{MAX_FLOAT}, 0) or (0, {MAX_FLOAT}]", lambda number: number and abs(number) <= MAX_FLOAT)


class Biquad(RecursiveFilter):
    """Filters a wave with two delays of inputs and outputs, and clamps it to [-1, 1].

    Args:
        b0, b1, b2: the coefficients of the input now, one and two samples ago.
        a0, a1, a2: the coefficients of the output now, one and two samples ago; `a0` must not be 0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Biquad(0.5, 0.5, 0.0, 1.0, 0.0, 0.0)(np.array([0.0, 1.0, 1.0, 0.0]))
        array([0. , 0.5, 1. , 0.5])
    """

    _takes_lists = True

    def __init__(
        self, b0: Float32, b1: Float32, b2: Float32, a0: Annotated[float, _NOT_ZERO], a1: Float32, a2: Float32
    ) -> None:
        self._b, self._a = np.array([b0, b1, b2]), np.array([a0, a1, a2])
