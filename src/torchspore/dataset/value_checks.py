"""Checks of types and intervals of arguments, with the limits of MindSpore's datasets."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from torchspore.common.error_classes import WrongType, also
from torchspore.engine.arguments.argument_forms import as_flag, as_number
from torchspore.engine.failures.errors import describe

__all__ = [
    "INT_OR_FLOAT", "MAX_FLOAT", "MAX_INT", "MIN_INT", "check_bool", "check_choice", "check_int",
    "check_kind", "check_number", "check_string", "outside", "wrong_type",
]  # fmt: skip

MIN_INT, MAX_INT = -(2**31), 2**31 - 1
MAX_FLOAT = 2**24  # up to which float32 has every int

INT_OR_FLOAT = (int, float)  # in this order, which errors show

_LONGEST = 400  # characters of a value in an error

# MindSpore looks for an attribute or a key of some of them first.
_WRONG_KIND = also(TypeError, ValueError, RuntimeError, AttributeError, KeyError)


def check_bool(value: Any, name: str, api: str) -> bool:
    """Return `value`, which must be a bool, or what it means for a flag of which MindSpore reads the truth."""
    if isinstance(value, bool):
        return value
    flag = as_flag(value, name, api)
    if flag is None:
        raise wrong_type(value, (bool,), name, api)
    return flag


def check_string(value: Any, name: str, api: str) -> str:
    """Return `value`, which must be a string."""
    if not isinstance(value, str):
        raise wrong_type(value, (str,), name, api)
    return value


def check_kind(value: Any, kinds: type | tuple[type, ...], name: str, api: str) -> None:
    """Check that `value` is of a type, or of one of several."""
    if not isinstance(value, kinds):
        shown = kinds if isinstance(kinds, tuple) else (kinds,)
        raise wrong_type(value, shown, name, api, error=_WRONG_KIND)


def check_choice(value: Any, choices: Sequence[str], name: str, api: str) -> None:
    """Check that `value` is one of some strings."""
    check_kind(value, str, name, api)
    if value not in choices:
        raise also(ValueError, RuntimeError)(
            f"For '{api}', '{name}' must be one of {list(choices)}, but got {value!r}."
        )


def check_int(
    value: Any, name: str, api: str, *, minimum: int = 1, maximum: int = MAX_INT, kinds: tuple[type, ...] = (int,)
) -> int:
    """Return `value`, which must be an int from `minimum` to `maximum`.

    Args:
        value: the value.
        name: the name of the argument.
        api: what was called.
        minimum, maximum: the interval.
        kinds: all types that the argument accepts, of which this is one. Default: int.
    """
    is_int = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    number = value if is_int else as_number(value, name, api)
    if not isinstance(number, numbers.Integral):
        raise wrong_type(value, kinds, name, api)
    number = int(number)
    if not minimum <= number <= maximum:
        raise outside(value, f"[{minimum}, {maximum}]", name, api)
    return number


def check_number(
    value: Any, name: str, api: str, *, kinds: tuple[type, ...] = (float, int), above: float | None = None,
    minimum: float = -MAX_FLOAT, below: float | None = None, maximum: float = MAX_FLOAT,
) -> float:  # fmt: skip
    """Return `value`, which must be an int or a float in an interval, or a float if `kinds` has only that.

    Args:
        value, name, api: as for `check_int`.
        kinds: all types that the argument accepts, in the order in which the error lists them. Default: float, int.
        above, below: limits that are not part of the interval; they take the place of `minimum` and `maximum`.
        minimum, maximum: limits that are part of it.
    """
    accepted = float if kinds == (float,) else numbers.Real
    is_number = isinstance(value, accepted) and not isinstance(value, bool)
    number: Any = value if is_number else as_number(value, name, api)
    if number is None:
        raise wrong_type(value, kinds, name, api)
    high_enough = number >= minimum if above is None else number > above
    low_enough = number <= maximum if below is None else number < below
    if not (high_enough and low_enough):
        start = f"[{minimum}" if above is None else f"({above}"
        end = f"{maximum}]" if below is None else f"{below})"
        raise outside(value, f"{start}, {end}", name, api)
    return float(number)


def wrong_type(value: Any, kinds: Sequence[type], name: str, api: str, error: type[Exception] = WrongType) -> Exception:
    """Return the error for an argument of a type that is not accepted."""
    *others, last = [kind.__name__ for kind in kinds]
    accepted = f"{', '.join(others)} or {last}" if others else last
    return error(f"For '{api}', '{name}' must be of type {accepted}, but got {_shown(value)} ({type(value).__name__}).")


def outside(value: Any, interval: str, name: str, api: str) -> ValueError:
    """Return the error for an argument outside an interval."""
    return ValueError(f"For '{api}', '{name}' must be in {interval}, but got {_shown(value)}.")


def _shown(value: Any) -> str:
    try:
        text = str(value) or '""'
    except Exception:  # of a class of the user
        return describe(value)
    return text if len(text) <= _LONGEST else describe(value)
