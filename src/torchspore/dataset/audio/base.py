"""The base class of audio transforms, and checks of their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from torchspore.dataset.transforms.base import Array, TensorOperation, as_array, check_array
from torchspore.dataset.value_checks import MAX_INT, MIN_INT, check_number, outside, wrong_type

__all__ = [
    "AudioOperation", "check_coefficients", "check_frequencies", "check_nonzero", "check_sample_rate",
]  # fmt: skip


_OTHER_TYPE = "the data type of input tensor does not match the requirement of operator. Expecting tensor in type of"


class AudioOperation(TensorOperation):
    """The base class of audio transforms.

    They take waves (..., time), spectrograms (..., freq, time) or complex numbers (..., 2), and compute
    float64 values in float64 and all other numbers in float32.
    """

    _shape: Sequence[str] = ("time",)
    _takes_lists = False  # as a few do in MindSpore

    def _taken(self, value: Any) -> Array:
        api = type(self).__name__
        array = as_array(api, value) if self._takes_lists else check_array(api, value, "NumPy audio")
        if array.dtype.kind not in "biuf":
            raise TypeError(f"For '{api}', {_OTHER_TYPE} [int, float, double]. But got type {array.dtype}.")
        if not array.size:
            raise ValueError(f"For '{api}', Input Tensor has no data. Its shape is {array.shape}.")
        pair = self._shape[-1] == "2"
        if array.ndim < len(self._shape) or (pair and array.shape[-1] != 2):
            raise ValueError(
                f"For '{api}', the shape of input tensor does not match the requirement of operator. Expecting "
                f"tensor in "
                f"shape of <..., {', '.join(['complex=2' if each == '2' else each for each in self._shape])}>. But got "
                f"{array.shape}."
            )
        return self._floats(array)

    def _check_floats(self, array: Array, hint: str = "") -> None:
        if array.dtype.kind != "f":
            raise TypeError(
                f"For '{type(self).__name__}', {_OTHER_TYPE} [float, double]. But got type {array.dtype}.{hint}"
            )

    def _floats(self, array: Array) -> Array:
        return array if array.dtype == np.float64 else array.astype(np.float32, copy=False)


def check_sample_rate(value: Any, api: str, *, positive: bool = False) -> int:
    """Return a sample rate, an int other than 0, or above it."""
    rate = check_nonzero(value, "sample_rate", api)
    if positive and rate < 0:
        raise ValueError(f"For '{api}', 'sample_rate' must be > 0, but got {rate}.")
    return rate


def check_nonzero(value: Any, name: str, api: str) -> int:
    """Return an int other than 0."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise wrong_type(value, (int,), name, api)
    if value == 0 or not MIN_INT <= int(value) <= MAX_INT:
        raise outside(value, f"[{MIN_INT}, 0) and (0, {MAX_INT}]", name, api)
    return int(value)


def check_frequencies(api: str, spectrogram: Array, count: int, arguments: str, axis: int = -2) -> None:
    """Check that a spectrogram has the number of frequencies, or bands, that follows from some arguments."""
    if spectrogram.shape[axis] != count:
        raise ValueError(
            f"For '{api}', the spectrogram must have {count} frequencies (see {arguments}), but got the shape "
            f"{spectrogram.shape}."
        )


def check_coefficients(a_coeffs: Any, b_coeffs: Any, api: str) -> tuple[Array, Array]:
    """Return the coefficients of a filter, lists of numbers, as arrays."""
    for name, given in (("a_coeffs", a_coeffs), ("b_coeffs", b_coeffs)):
        if not isinstance(given, (list, tuple)):
            raise wrong_type(given, (list, tuple), name, api)
        for index, each in enumerate(given):
            check_number(each, f"{name}[{index}]", api)
    if len(a_coeffs) != len(b_coeffs):
        raise ValueError(
            f"For '{api}', The size of a_coeffs should be the same as that of b_coeffs. Got {len(a_coeffs)} and "
            f"{len(b_coeffs)}: add zeros."
        )
    if not a_coeffs or not a_coeffs[0]:
        raise ValueError(f"For '{api}', 'a_coeffs' must start with a number other than 0, but got {a_coeffs}.")
    return np.array(a_coeffs, np.float64), np.array(b_coeffs, np.float64)
