"""Fan-in and fan-out of weights, under the private names that packages import."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__: list[str] = []


def _calculate_fan_in_and_fan_out(shape: Sequence[int]) -> tuple[int, int]:
    """Return the number of inputs of one output of a weight, and the number of outputs of one input."""
    if len(shape) < 2:
        raise ValueError(f"A weight must have 2 or more dimensions, but got shape {tuple(shape)}.")
    outputs, inputs, *field = shape
    return inputs * math.prod(field), outputs * math.prod(field)


def _calculate_correct_fan(shape: Sequence[int], mode: str) -> int:
    """Return one of `_calculate_fan_in_and_fan_out`, by its name "fan_in" or "fan_out"."""
    fans = dict(zip(("fan_in", "fan_out"), _calculate_fan_in_and_fan_out(shape)))
    if mode.lower() not in fans:
        raise ValueError(f"'mode' must be 'fan_in' or 'fan_out', but got {mode!r}.")
    return fans[mode.lower()]
