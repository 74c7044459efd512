"""Checks of arguments that are not converted: flags, counts, numbers and choices."""

from __future__ import annotations

import math
import numbers
from typing import Any

from torchspore.engine.errors import describe

__all__ = [
    "check_bool", "check_callable", "check_choice", "check_float", "check_int", "check_kind", "check_number",
    "check_string",
]  # fmt: skip


def check_bool(value: Any, name: str, api: str) -> bool:
    """Return `value`, which must be a bool."""
    if not isinstance(value, bool):
        raise TypeError(f"For '{api}', '{name}' must be a bool, but got {describe(value)}.")
    return value


def check_kind(value: Any, kind: type, name: str, api: str) -> None:
    """Check that `value` is of a type."""
    if not isinstance(value, kind):
        raise TypeError(f"For '{api}', '{name}' must be of type {kind.__name__}, but got {describe(value)}.")


def check_string(value: Any, name: str, api: str) -> str:
    """Return `value`, which must be a string."""
    if not isinstance(value, str):
        raise TypeError(f"For '{api}', '{name}' must be a string, but got {describe(value)}.")
    return value


def check_choice(value: Any, choices: tuple[Any, ...] | range, name: str, api: str) -> None:
    """Check that `value` is one of some values of one type, or in a range."""
    check_kind(value, type(choices[0]), name, api)
    if value not in choices:
        words = f"in [{choices[0]}, {choices[-1]}]" if isinstance(choices, range) else f"one of {choices}"
        raise ValueError(f"For '{api}', '{name}' must be {words}, but got {value!r}.")


def check_callable(value: Any, name: str, api: str, *, optional: bool = False) -> Any:
    """Return `value`, which must be callable; `optional` allows None."""
    if callable(value) or (optional and value is None):
        return value
    wanted = "a function or None" if optional else "a function"
    raise TypeError(f"For '{api}', '{name}' must be {wanted}, but got {describe(value)}.")


def check_int(
    value: Any, name: str, api: str, *, least: int | None = 1, most: int | None = None, also: str = ""
) -> int:
    """Return `value`, which must be an int from `least` to `most`; None stands for no limit.

    `also` tells users in the error what other types are accepted.
    """
    if not isinstance(value, (int, numbers.Integral)) or isinstance(value, bool):
        raise TypeError(f"For '{api}', '{name}' must be an int{also}, but got {describe(value)}.")
    number = int(value)
    if (least is not None and number < least) or (most is not None and number > most):
        raise ValueError(f"For '{api}', '{name}' must be {_range(least, most)}{also}, but got {number}.")
    return number


def _range(least: int | None, most: int | None) -> str:
    if most is None:
        return "> 0" if least == 1 else f">= {least}"
    return f"<= {most}" if least is None else f"in [{least}, {most}]"


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
    most: float = math.inf,
) -> float:
    """Return `value`, which must be a number of the types `kinds`, > `above`, >= `least`, < `below` and <= `most`."""
    if not isinstance(value, kinds) or isinstance(value, bool):
        wanted = "a float" if kinds is float else "a number"
        raise TypeError(f"For '{api}', '{name}' must be {wanted}, but got {describe(value)}.")
    if not (value > above and value >= least and value < below and value <= most):
        limits = [f"> {above}"] * (above > -math.inf)
        if most < math.inf:
            limits += [f"in [{least}, {most}]"]
        else:
            limits += [f">= {least}"] * (least > -math.inf) + [f"< {below}" if below < math.inf else "finite"]
        raise ValueError(f"For '{api}', '{name}' must be {' and '.join(limits)}, but got {value}.")
    return float(value)
