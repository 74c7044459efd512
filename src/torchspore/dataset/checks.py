"""Checks of the arguments that only `dataset` has: workers and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchspore.engine.checks import check_int

__all__ = ["as_names", "check_workers", "indexes"]


def check_workers(api: str, value: Any) -> int | None:
    """Return `num_parallel_workers` if it is None or an int from 1 on.

    Raises:
        TypeError: it is neither.
        ValueError: it is less than 1.
    """
    return None if value is None else check_int(value, "num_parallel_workers", api)


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
