"""Checks of arguments that are not converted: flags, counts, numbers and choices."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from torchspore.common.error_classes import WrongType, also
from torchspore.engine.arguments.argument_forms import as_flag, as_number
from torchspore.engine.failures.errors import describe

__all__ = [
    "check_bool", "check_callable", "check_choice", "check_float", "check_int", "check_kind", "check_number",
    "check_string",
]  # fmt: skip


def check_bool(value: Any, name: str, api: str) -> bool:
    """Return `value`, which must be a bool, or what it means for a flag of which MindSpore reads the truth."""
    if isinstance(value, bool):
        return value
    flag = as_flag(value, name, api)
    if flag is None:
        raise WrongType(f"For '{api}', '{name}' must be a bool, but got {describe(value)}.")
    return flag


def check_kind(value: Any, kind: type, name: str, api: str) -> None:
    """Check that `value` is of a type."""
    if not isinstance(value, kind):
        # MindSpore looks for an attribute of some of them first.
        kinds = also(TypeError, ValueError, AttributeError)
        raise kinds(f"For '{api}', '{name}' must be of type {kind.__name__}, but got {describe(value)}.")


def check_string(value: Any, name: str, api: str) -> str:
    """Return `value`, which must be a string."""
    if not isinstance(value, str):
        raise WrongType(f"For '{api}', '{name}' must be a string, but got {describe(value)}.")
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
    # MindSpore's transforms of functions raise each of these.
    raise also(TypeError, ValueError, RuntimeError)(
        f"For '{api}', '{name}' must be {wanted}, but got {describe(value)}."
    )


def check_int(
    value: Any, name: str, api: str, *, minimum: int | None = 1, maximum: int | None = None, also: str = ""
) -> int:
    """Return `value`, which must be an int from `minimum` to `maximum`; None stands for no limit.

    `also` tells users in the error what other types are accepted.
    """
    is_int = isinstance(value, (int, numbers.Integral)) and not isinstance(value, bool)
    number = value if is_int else as_number(value, name, api)
    if not isinstance(number, (int, numbers.Integral)):
        raise WrongType(f"For '{api}', '{name}' must be an int{also}, but got {describe(value)}.")
    number = int(number)
    if (minimum is not None and number < minimum) or (maximum is not None and number > maximum):
        raise ValueError(f"For '{api}', '{name}' must be {_range(minimum, maximum)}{also}, but got {number}.")
    return number


def _range(minimum: int | None, maximum: int | None) -> str:
    if maximum is None:
        return "> 0" if minimum == 1 else f">= {minimum}"
    return f"<= {maximum}" if minimum is None else f"in [{minimum}, {maximum}]"


def check_float(value: Any, name: str, api: str) -> float:
    """Return `value`, which must be a float."""
    if not isinstance(value, float):
        raise WrongType(f"For '{api}', '{name}' must be a float, but got {describe(value)}.")
    return value


def _is_of_numpy(value: Any, kinds: Any) -> bool:
    """Return whether a number of NumPy is of one of Python's types of numbers."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    return (float in kinds and isinstance(value, np.floating)) or (int in kinds and isinstance(value, np.integer))


def check_number(
    value: Any,
    name: str,
    api: str,
    kinds: Any = float,
    *,
    above: float = -math.inf,
    minimum: float = -math.inf,
    below: float = math.inf,
    maximum: float = math.inf,
) -> float:
    """Return `value`: a number of the types `kinds`, > `above`, >= `minimum`, < `below` and <= `maximum`."""
    is_number = isinstance(value, kinds) or _is_of_numpy(value, kinds)
    number = value if is_number and not isinstance(value, bool) else as_number(value, name, api)
    if number is None:
        wanted = "a float" if kinds is float else "a number"
        raise WrongType(f"For '{api}', '{name}' must be {wanted}, but got {describe(value)}.")
    if not (number > above and number >= minimum and number < below and number <= maximum):
        limits = [f"> {above}"] * (above > -math.inf)
        if maximum < math.inf:
            limits += [f"in [{minimum}, {maximum}]"]
        else:
            limits += [f">= {minimum}"] * (minimum > -math.inf) + [f"< {below}" if below < math.inf else "finite"]
        raise ValueError(f"For '{api}', '{name}' must be {' and '.join(limits)}, but got {value}.")
    return float(number)
