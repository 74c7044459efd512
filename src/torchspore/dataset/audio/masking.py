"""Masks over bands of frequencies and stretches of time."""

from __future__ import annotations

from typing import Any

from torchspore.dataset.audio.base import AudioOperation, check_real
from torchspore.dataset.transforms.base import Array, Random
from torchspore.engine.checks import check_bool, check_int

__all__ = ["FrequencyMasking", "MaskAlongAxis", "MaskAlongAxisIID", "TimeMasking"]


class _Masking(AudioOperation, Random):
    """The base of masks: `_axis` is -2 for frequencies and -1 for times."""

    _shape = ("freq", "time")
    _axis: int
    mask_value: float

    def _masked(self, spectrogram: Array, start: int, width: int) -> Array:
        result = spectrogram.copy()
        result.swapaxes(self._axis, -1)[..., start : start + width] = self.mask_value
        return result

    def _masked_at_random(self, spectrogram: Array, longest: int, name: str) -> Array:
        length = self._length(spectrogram, longest, name)
        width = int(self._random().integers(0, longest, endpoint=True))
        start = int(self._random().integers(0, length - width, endpoint=True))
        return self._masked(spectrogram, start, width)

    def _length(self, spectrogram: Array, reach: int, name: str) -> int:
        length = spectrogram.shape[self._axis]
        if reach > length:
            raise ValueError(
                f"For '{type(self).__name__}', {name} must be at most the length of the axis, {length}, but got "
                f"{reach}."
            )
        return length


class MaskAlongAxis(_Masking):
    """Covers a part of a spectrogram (..., freq, time) by one value.

    Args:
        mask_start: where the part begins, >= 0.
        mask_width: how long it is, > 0.
        mask_value: the value.
        axis: 1 for a part of the frequencies, 2 for one of the times.

    Raises:
        ValueError: the part reaches beyond the spectrogram.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.MaskAlongAxis(1, 2, 0.5, 2)(np.zeros((1, 4)))
        array([[0. , 0.5, 0.5, 0. ]])
    """

    def __init__(self, mask_start: int, mask_width: int, mask_value: float, axis: int) -> None:
        self.mask_start = check_int(mask_start, "mask_start", "MaskAlongAxis", least=0)
        self.mask_width = check_int(mask_width, "mask_width", "MaskAlongAxis")
        self.mask_value = check_real(mask_value, "mask_value", "MaskAlongAxis")
        self._axis = check_int(axis, "axis", "MaskAlongAxis", least=1, most=2) - 3

    def _apply(self, spectrogram: Array) -> Array:
        self._length(spectrogram, self.mask_start + self.mask_width, "'mask_start' and 'mask_width' together")
        return self._masked(spectrogram, self.mask_start, self.mask_width)


class MaskAlongAxisIID(_Masking):
    """Covers a part of a spectrogram (..., freq, time), drawn at random, by one value.

    Args:
        mask_param: how long the part may be at most, >= 0.
        mask_value: the value.
        axis: 1 for a part of the frequencies, 2 for one of the times.

    Raises:
        ValueError: `mask_param` is greater than the length of the axis.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> int(audio.MaskAlongAxisIID(2, 1.0, 2)(np.zeros((1, 8))).sum()) <= 2
        True
    """

    def __init__(self, mask_param: int, mask_value: float, axis: int) -> None:
        self.mask_param = check_int(mask_param, "mask_param", "MaskAlongAxisIID", least=0)
        self.mask_value = check_real(mask_value, "mask_value", "MaskAlongAxisIID")
        self._axis = check_int(axis, "axis", "MaskAlongAxisIID", least=1, most=2) - 3

    def _apply(self, spectrogram: Array) -> Array:
        return self._masked_at_random(spectrogram, self.mask_param, "'mask_param'")


class _AxisMasking(_Masking):
    _parameter: str

    def _setup(self, iid_masks: Any, longest: Any, mask_start: Any, mask_value: Any) -> None:
        api = type(self).__name__
        self.iid_masks = check_bool(iid_masks, "iid_masks", api)
        self._longest = check_int(longest, self._parameter, api, least=0)
        self.mask_start = check_int(mask_start, "mask_start", api, least=0)
        self.mask_value = check_real(mask_value, "mask_value", api, least=0)

    def _apply(self, spectrogram: Array) -> Array:
        if self.iid_masks:
            return self._masked_at_random(spectrogram, self._longest, f"'{self._parameter}'")
        self._length(spectrogram, self.mask_start + self._longest, f"'mask_start' and '{self._parameter}' together")
        return self._masked(spectrogram, self.mask_start, self._longest)


class FrequencyMasking(_AxisMasking):
    """Covers a band of the frequencies of a spectrogram (..., freq, time) by one value.

    Args:
        iid_masks: whether the band is drawn at random at each call. Default: False.
        freq_mask_param: how wide the band is, or at most if it is drawn, >= 0. Default: 0.
        mask_start: where it begins, if it is not drawn, >= 0. Default: 0.
        mask_value: the value, >= 0. Default: 0.0.

    Raises:
        ValueError: the band reaches beyond the spectrogram.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.FrequencyMasking(False, 1, 1)(np.ones((3, 2)))
        array([[1., 1.],
               [0., 0.],
               [1., 1.]])
    """

    _axis, _parameter = -2, "freq_mask_param"

    def __init__(
        self, iid_masks: bool = False, freq_mask_param: int = 0, mask_start: int = 0, mask_value: float = 0.0
    ) -> None:
        self._setup(iid_masks, freq_mask_param, mask_start, mask_value)


class TimeMasking(_AxisMasking):
    """Covers a stretch of the time of a spectrogram (..., freq, time) by one value.

    Args:
        iid_masks: whether the stretch is drawn at random at each call. Default: False.
        time_mask_param: how long it is, or at most if it is drawn, >= 0. Default: 0.
        mask_start: where it begins, if it is not drawn, >= 0. Default: 0.
        mask_value: the value, >= 0. Default: 0.0.

    Raises:
        ValueError: the stretch reaches beyond the spectrogram.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.TimeMasking(False, 1, 1)(np.ones((1, 3)))
        array([[1., 0., 1.]])
    """

    _axis, _parameter = -1, "time_mask_param"

    def __init__(
        self, iid_masks: bool = False, time_mask_param: int = 0, mask_start: int = 0, mask_value: float = 0.0
    ) -> None:
        self._setup(iid_masks, time_mask_param, mask_start, mask_value)
