"""The base class of audio transforms, and what they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.dataset.transforms.base import Array, TensorOperation, as_array, given_array
from torchspore.dataset.value_checks import MAX_INT, MIN_INT
from torchspore.engine.parameters import Where

__all__ = [
    "AudioOperation", "NonZero", "PositiveRate",
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
    _only_floats = False  # whether it refuses ints
    _frequencies: int | None = None  # the number that a spectrogram must have, and the arguments that it depends on
    _depends_on = ""

    def _taken(self, value: Any) -> Array:
        api = type(self).__name__
        array = as_array(api, value) if self._takes_lists else given_array(api, value, "NumPy audio")
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
        if self._only_floats and array.dtype.kind != "f":
            raise TypeError(
                f"For '{api}', the value must hold floats, but got {array.dtype}: convert it, for example int16 by "
                f"value.astype(numpy.float32) / 32768."
            )
        wanted = self._frequencies
        if wanted is not None and array.shape[self._shape.index("freq") - len(self._shape)] != wanted:
            raise ValueError(
                f"For '{api}', the spectrogram must have {wanted} frequencies (see {self._depends_on}), but "
                f"got the shape {array.shape}."
            )
        return self._floats(array)

    def _floats(self, array: Array) -> Array:
        return array if array.dtype == np.float64 else array.astype(np.float32, copy=False)
