"""The base class of audio transforms, and checks of their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.dataset.transforms.base import Array, TensorOperation, as_array, check_array
from torchspore.dataset.value_checks import MAX_INT, MIN_INT, check_number, wrong_type
from torchspore.engine.parameters import Where

__all__ = [
    "AudioOperation", "NonZero", "PositiveRate", "check_coefficients", "check_frequencies",
]  # fmt: skip

NonZero: TypeAlias = Annotated[
    int,
    Where(
        f"in [{MIN_INT}, 0) or (0, {MAX_INT}]",
        lambda number: number and MIN_INT <= number <= MAX_INT,
    ),
]
PositiveRate: TypeAlias = Annotated[NonZero, Where("> 0", lambda rate: rate > 0)]


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
            raise TypeError(f"For '{api}', the value must hold ints or floats, but got {array.dtype}.")
        if not array.size:
            raise ValueError(f"For '{api}', the value must not be empty, but got {array.shape}.")
        pair = self._shape[-1] == "2"
        if array.ndim < len(self._shape) or (pair and array.shape[-1] != 2):
            raise ValueError(
                f"For '{api}', the value must have the shape (..., {', '.join(self._shape)})"
                f"{', the last axis real and imaginary parts' if pair else ''}, but got {array.shape}."
            )
        return self._floats(array)

    def _check_floats(self, array: Array) -> None:
        if array.dtype.kind != "f":
            raise TypeError(
                f"For '{type(self).__name__}', the value must hold floats, but got {array.dtype}: convert it, "
                f"for example int16 by value.astype(numpy.float32) / 32768."
            )

    def _floats(self, array: Array) -> Array:
        return array if array.dtype == np.float64 else array.astype(np.float32, copy=False)


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
        given_lengths = f"{len(a_coeffs)} and {len(b_coeffs)}: add zeros"
        raise ValueError(f"For '{api}', 'a_coeffs' and 'b_coeffs' must have the same length, but got {given_lengths}.")
    if not a_coeffs or not a_coeffs[0]:
        raise ValueError(f"For '{api}', 'a_coeffs' must start with a number other than 0, but got {a_coeffs}.")
    return np.array(a_coeffs, np.float64), np.array(b_coeffs, np.float64)
