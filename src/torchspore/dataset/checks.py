"""Checks of arguments, with one wording for all of `dataset`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["as_names", "check_bool", "check_callable", "check_int", "check_number", "check_workers", "indexes"]

INT32_MAX = 2**31 - 1


def check_int(api: str, name: str, value: Any, low: int = 0, high: int = INT32_MAX, also: str = "") -> int:
    """Return `value` if it is an int in [low, high].

    Raises:
        TypeError: it is no int.
        ValueError: it is outside.
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise TypeError(
            f"For '{api}', '{name}' must be an int{also}, but got {value!r} of type {type(value).__name__}."
        )
    if not low <= value <= high:
        raise ValueError(f"For '{api}', '{name}' must be in [{low}, {high}]{also}, but got {value}.")
    return int(value)


def check_number(api: str, name: str, value: Any, low: float, high: float) -> float:
    """Return `value` if it is a number in [low, high].

    Raises:
        TypeError: it is no number.
        ValueError: it is outside.
    """
    if not isinstance(value, (int, float, np.number)) or isinstance(value, bool):
        raise TypeError(f"For '{api}', '{name}' must be a number, but got {value!r} of type {type(value).__name__}.")
    if not low <= value <= high:
        raise ValueError(f"For '{api}', '{name}' must be in [{low}, {high}], but got {value}.")
    return float(value)


def check_bool(api: str, name: str, value: Any) -> bool:
    """Return `value` if it is a bool.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(value, bool):
        raise TypeError(f"For '{api}', '{name}' must be a bool, but got {value!r} of type {type(value).__name__}.")
    return value


def check_callable(api: str, name: str, value: Any) -> Any:
    """Return `value` if it can be called.

    Raises:
        TypeError: it cannot.
    """
    if not callable(value):
        raise TypeError(f"For '{api}', '{name}' must be callable, but got {value!r} of type {type(value).__name__}.")
    return value


def check_workers(api: str, value: Any) -> int | None:
    """Return `num_parallel_workers` if it is None or an int from 1 on.

    Raises:
        TypeError: it is neither.
        ValueError: it is less than 1.
    """
    return None if value is None else check_int(api, "num_parallel_workers", value, 1)


def as_names(api: str, name: str, value: Any) -> list[str]:
    """Return column names, given as one or as a list of them.

    Raises:
        TypeError: something else is given.
        ValueError: a name is empty, or comes twice.
    """
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(each, str) for each in names):
        raise TypeError(f"For '{api}', '{name}' must be a str or a list of them, but got {value!r}.")
    if not all(names):
        raise ValueError(f"For '{api}', '{name}' must not have an empty name, but got {value!r}.")
    if len(set(names)) != len(names):
        raise ValueError(f"For '{api}', '{name}' must name a column only once, but got {value!r}.")
    return list(names)


def indexes(api: str, names: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the places of columns.

    Raises:
        RuntimeError: there is no such column.
    """
    missing = [name for name in wanted if name not in names]
    if missing:
        raise RuntimeError(f"For '{api}', the dataset has the columns {list(names)}, but not {missing}.")
    return [names.index(name) for name in wanted]
