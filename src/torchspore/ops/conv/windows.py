"""Sliding windows: sizes and padding, as convolutions and poolings share them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import Any

import torch
from torch import Tensor

from torchspore.common import device
from torchspore.engine.arguments.argument_forms import takes
from torchspore.engine.arguments.conversions import as_int, as_ints
from torchspore.engine.failures.errors import describe, of_value

__all__ = [
    "at_least", "check_format", "check_pad_mode", "check_windows", "compact", "each", "padded", "remembered",
    "same_total", "sides",
]  # fmt: skip

_WINDOWS = {"dilation", "dilations", "kernel_size", "ksize", "ksizes", "stride", "strides"}


def at_least(value: Any, minimum: int, name: str, api: str) -> int:
    """Return `value` if it is an int >= `minimum`; raise TypeError or ValueError otherwise."""
    value = as_int(value, api, name)
    if value < minimum:
        raise ValueError(f"For '{api}', '{name}' must be >= {minimum}, but got {value}.")
    return value


def each(value: Any, count: int, name: str, api: str, minimum: int = 1) -> tuple[int, ...]:
    """Return an int, or a tuple of `count` ints, as one int per spatial dimension.

    Raises TypeError if `value` is neither an int nor a tuple or list of ints; ValueError if it has another length, or
    contains a number below `minimum`.
    """
    ints = value if value.__class__ is int else as_ints(value, api, name)
    if not isinstance(value, (int, tuple, list)) and ints.__class__ is tuple and takes("tensor", name, api):
        ints = ints[0] if len(ints) == 1 else ints  # of a Tensor
    values = ints if ints.__class__ is tuple else (ints,) * count
    if len(values) != count or min(values) < minimum:
        # A wrong number of ints is a TypeError in some of MindSpore's operations.
        raise of_value(value, *((int, tuple) if len(values) == count else ()))(
            f"For '{api}', '{name}' must be an int or a tuple of {count} ints >= {minimum}, but got {value}."
        )
    return values


def sides(padding: Any, count: int, name: str, api: str) -> tuple[int, ...]:
    """Return the padding as (begin, end) of every spatial dimension, or as one int each where both ends agree.

    Args:
        padding: an int for all sides, or a tuple of 2 * `count` ints, (begin, end) of every dimension.
        count: the number of spatial dimensions.
        name, api: the names of the argument and of the function, for the errors, which `each` raises.
    """
    both = each(padding, 2 * count, name, api, minimum=0)
    return both[::2] if both[::2] == both[1::2] else both


def check_pad_mode(pad_mode: Any, api: str, accepted: Sequence[str] = ("valid", "same", "pad")) -> str:
    """Return `pad_mode` in lower case if it is accepted; raise TypeError or ValueError otherwise."""
    if not isinstance(pad_mode, str):
        raise TypeError(f"For '{api}', 'pad_mode' must be a string, but got {describe(pad_mode)}.")
    if pad_mode.lower() not in accepted:
        options = ", ".join(map(repr, accepted))
        raise ValueError(f"For '{api}', 'pad_mode' must be one of {options}, but got {pad_mode!r}.")
    return pad_mode.lower()


def check_format(data_format: Any, api: str, accepted: Sequence[str] = ("NCHW", "NHWC")) -> str:
    """Return `data_format` if it is accepted on the device in use ("NHWC" on GPUs only); raise ValueError otherwise."""
    if data_format not in accepted:
        options = ", ".join(map(repr, accepted))
        raise of_value(data_format, str)(
            f"For '{api}', 'data_format' must be one of {options}, but got {data_format!r}."
        )
    if data_format == "NHWC" and device.target() != "GPU":
        raise ValueError(
            f"For '{api}', 'data_format' may be 'NHWC' on a GPU only, but the device in use is {device.target()}. "
            "Use 'NCHW' and transpose the input."
        )
    return str(data_format)


def remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    """Cache a function of numbers, strings and tuples, except for symbolic sizes, which have no hash."""
    cached = lru_cache(maxsize=4096)(function)

    @wraps(function)
    def call(*args: Any) -> Any:
        try:
            return cached(*args)
        except TypeError:
            return function(*args)

    return call


def compact(values: tuple[Any, ...]) -> Any:
    """Return one value if all are equal: torch reads it faster than a tuple."""
    return values[0] if all(value == values[0] for value in values) else values


def same_total(size: int, reach: int, stride: int) -> int:
    """Return the padding for ceil(size / stride) windows, each spanning `reach` elements, in one dimension."""
    if stride == 1:
        return reach - 1
    total = (size - 1) // stride * stride + reach - size
    return total if reach >= stride else torch.sym_max(total, 0)


def padded(input: Tensor, both: tuple[int, ...], value: float = 0) -> Tensor:
    """Return `input` with its last dimensions padded with a value by (begin, end) of each."""
    return torch.constant_pad_nd(input, _last_first(both), value)


@remembered
def _last_first(both: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([end for i in range(len(both) - 2, -1, -2) for end in both[i : i + 2]])


def check_windows(count: int, *made: type) -> None:
    """Let the constructors of primitives check the sizes of their windows, as the calls do.

    Args:
        count: the number of spatial dimensions.
        made: the primitives.
    """
    for primitive in made:
        primitive.__init__ = _with_windows(primitive.__init__, count, primitive.__name__)  # type: ignore[misc]


def _with_windows(init: Callable[..., None], count: int, api: str) -> Callable[..., None]:
    @wraps(init)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        for name in _WINDOWS & vars(self).keys():
            if getattr(self, name) is not None:
                each(getattr(self, name), count, name, api)

    return checked
