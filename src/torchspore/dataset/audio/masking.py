"""Masks over frequency bands and time intervals."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from torchspore.dataset.audio.base import AudioOperation
from torchspore.dataset.parameters import Float32, Natural, NotNegativeFloat32, Whole
from torchspore.dataset.transforms.base import Array, Random
from torchspore.dataset.value_checks import MAX_FLOAT
from torchspore.engine.parameters import Limits

__all__ = ["FrequencyMasking", "MaskAlongAxis", "MaskAlongAxisIID", "TimeMasking"]

_Width: TypeAlias = Annotated[int, Limits(0, MAX_FLOAT)]


class _Masking(AudioOperation, Random):
    """The base class of masks: `_axis` is -2 for frequencies and -1 for times."""

    _shape = ("freq", "time")
    _axis: int
    mask_value: float

    def _masked(self, spectrogram: Array, start: int, width: int) -> Array:
        result = spectrogram.copy()
        result.swapaxes(self._axis, -1)[..., start : start + width] = self.mask_value
        return result

    def _masked_randomly(self, spectrogram: Array, max_width: int, name: str) -> Array:
        length = self._length(spectrogram, max_width, name)
        draws = self._random()
        width = draws.below(max_width + 1)
        start = draws.below(length - width + 1)
        return self._masked(spectrogram, start, width)

    def _length(self, spectrogram: Array, width: int, name: str) -> int:
        length = spectrogram.shape[self._axis]
        if width > length:
            api = type(self).__name__
            raise ValueError(f"For '{api}', {name} must be at most the length of the axis, {length}, but got {width}.")
        return length


class MaskAlongAxis(_Masking):
    """Masks an interval of a spectrogram (..., freq, time) with a value.

    Args:
        mask_start: the start of the interval, >= 0.
        mask_width: its length, > 0.
        mask_value: the value.
        axis: 1 for frequencies, 2 for times.

    Raises:
        ValueError: the interval reaches beyond the spectrogram.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.MaskAlongAxis(1, 2, 0.5, 2)(np.array([[0.0] * 4]))
        array([[0. , 0.5, 0.5, 0. ]])
    """

    def __init__(
        self, mask_start: Whole, mask_width: Natural, mask_value: Float32, axis: Annotated[int, Limits(1, 2)]
    ) -> None:
        self.mask_start = mask_start
        self.mask_width = mask_width
        self.mask_value = mask_value
        self._axis = axis - 3

    def _apply(self, spectrogram: Array) -> Array:
        self._length(spectrogram, self.mask_start + self.mask_width, "'mask_start' and 'mask_width' together")
        return self._masked(spectrogram, self.mask_start, self.mask_width)


class MaskAlongAxisIID(_Masking):
    """Masks a random interval of a spectrogram (..., freq, time) with a value.

    Args:
        mask_param: the maximum length of the interval, >= 0.
        mask_value, axis: as for `MaskAlongAxis`.

    Raises:
        ValueError: `mask_param` is greater than the length of the axis.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> int(audio.MaskAlongAxisIID(2, 1.0, 2)(np.array([[0.0] * 8])).sum()) <= 2
        True
    """

    def __init__(self, mask_param: Whole, mask_value: Float32, axis: Annotated[int, Limits(1, 2)]) -> None:
        self.mask_param = mask_param
        self.mask_value = mask_value
        self._axis = axis - 3

    def _apply(self, spectrogram: Array) -> Array:
        return self._masked_randomly(spectrogram, self.mask_param, "'mask_param'")


class _AxisMasking(_Masking):
    _parameter: str

    def _setup(self, iid_masks: bool, max_width: int, mask_start: int, mask_value: float) -> None:
        self.iid_masks, self._max_width, self.mask_start, self.mask_value = iid_masks, max_width, mask_start, mask_value

    def _apply(self, spectrogram: Array) -> Array:
        if self.iid_masks:
            return self._masked_randomly(spectrogram, self._max_width, f"'{self._parameter}'")
        self._length(spectrogram, self.mask_start + self._max_width, f"'mask_start' and '{self._parameter}' together")
        return self._masked(spectrogram, self.mask_start, self._max_width)


class FrequencyMasking(_AxisMasking):
    """Masks a frequency band of a spectrogram (..., freq, time) with a value.

    Args:
        iid_masks: whether each call draws a random band. Default: False.
        freq_mask_param: the width of the band, or its maximum with `iid_masks`, >= 0. Default: 0.
        mask_start: its start, unless `iid_masks`, >= 0. Default: 0.
        mask_value: the value, >= 0. Default: 0.0.

    Raises:
        ValueError: the band reaches beyond the spectrogram.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.FrequencyMasking(False, 1, 1)(np.array([[1.0] * 2] * 3)).T[0]
        array([1., 0., 1.])
    """

    _axis, _parameter = -2, "freq_mask_param"

    def __init__(
        self, iid_masks: bool = False, freq_mask_param: _Width = 0,
        mask_start: _Width = 0, mask_value: NotNegativeFloat32 = 0.0,
    ) -> None:  # fmt: skip
        self._setup(iid_masks, freq_mask_param, mask_start, mask_value)


class TimeMasking(_AxisMasking):
    """Masks a time interval of a spectrogram (..., freq, time) with a value.

    Args:
        time_mask_param: the length of the interval, or its maximum with `iid_masks`, >= 0. Default: 0.
        iid_masks, mask_start, mask_value: as for `FrequencyMasking`.

    Raises:
        ValueError: the interval reaches beyond the spectrogram.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.TimeMasking(False, 1, 1)(np.array([[1.0] * 3]))
        array([[1., 0., 1.]])
    """

    _axis, _parameter = -1, "time_mask_param"

    def __init__(
        self, iid_masks: bool = False, time_mask_param: _Width = 0,
        mask_start: _Width = 0, mask_value: NotNegativeFloat32 = 0.0,
    ) -> None:  # fmt: skip
        self._setup(iid_masks, time_mask_param, mask_start, mask_value)
