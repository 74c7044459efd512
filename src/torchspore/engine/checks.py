"""Checks of arguments that are not converted: flags, counts, numbers and choices."""

from __future__ import annotations

import math
from typing import Any

from torchspore.engine.errors import describe

__all__ = ["check_bool", "check_callable", "check_choice", "check_float", "check_int", "check_kind", "check_number"]


def check_bool(value: Any, name: str, api: str) -> bool:
    """Return `value`, which must be a bool."""
    if not isinstance(value, bool):
        raise TypeError(f"For '{api}', '{name}' must be a bool, but got {describe(value)}.")
    return value


def check_kind(value: Any, kind: type, name: str, api: str) -> None:
    """Check that `value` is of a type."""
    if not isinstance(value, kind):
        raise TypeError(f"For '{api}', '{name}' must be of type {kind.__name__}, but got {describe(value)}.")


def check_choice(value: Any, choices: tuple[Any, ...], name: str, api: str) -> None:
    """Check that `value` is one of some values of one type."""
    check_kind(value, type(choices[0]), name, api)
    if value not in choices:
        raise ValueError(f"For '{api}', '{name}' must be one of {choices}, but got {value!r}.")


def check_callable(fn: Any, api: str) -> None:
    """Check that `fn` is what a transformation takes."""
    if not callable(fn):
        raise TypeError(f"For '{api}', 'fn' must be a function or a Cell, but got {describe(fn)}.")


def check_int(value: Any, name: str, api: str, *, least: int | None = 1) -> int:
    """Return `value`, which must be an int >= `least`; None allows all."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"For '{api}', '{name}' must be an int, but got {describe(value)}.")
    if least is not None and value < least:
        limit = "> 0" if least == 1 else f">= {least}"
        raise ValueError(f"For '{api}', '{name}' must be {limit}, but got {value}.")
    return value


def check_float(value: Any, name: str, api: str) -> float:
    """Return `value`, which must be a float."""
    if not isinstance(value, float):
        raise TypeError(f"For '{api}', '{name}' must be a float, but got {describe(value)}.")
    return value


def check_number(
    value: Any,
    name: str,
    api: str,
    kinds: Any = float,
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    below: float = math.inf,
) -> float:
    """Return `value`, which must be a number of the types `kinds`, > `above`, >= `least` and < `below`."""
    if not isinstance(value, kinds) or isinstance(value, bool):
        wanted = "a float" if kinds is float else "a number"
        raise TypeError(f"For '{api}', '{name}' must be {wanted}, but got {describe(value)}.")
    if not (value > above and value >= least and value < below):
        limits = [f"> {above}"] * (above > -math.inf) + [f">= {least}"] * (least > -math.inf)
        limits += [f"< {below}" if below < math.inf else "finite"]
        raise ValueError(f"For '{api}', '{name}' must be {' and '.join(limits)}, but got {value}.")
    return float(value)
