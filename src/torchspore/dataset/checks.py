"""Checks of the arguments that only `dataset` has: columns, and the parts of data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchspore.common.error_classes import also
from torchspore.dataset.value_checks import check_choice, wrong_type

__all__ = ["as_names", "check_usage", "indexes"]


_BAD_NAMES = also(ValueError, RuntimeError)  # sources of files find them when they run, in MindSpore


def check_usage(api: str, usage: Any, allowed: Sequence[str], default: str = "all") -> str:
    """Return the part of a dataset to read, one of those allowed, if there are any; None means `default`."""
    if usage is not None and allowed:
        check_choice(usage, allowed, "usage", api)
    return usage or default


def as_names(api: str, name: str, value: Any, *, kinds: tuple[type, ...] = (list, str)) -> list[str]:
    """Return column names, given as one or as a list; there must be one, and none may be empty or come twice.

    Args:
        api, name, value: what was called, the argument and its value.
        kinds: the types that MindSpore accepts, which errors list.
    """
    if not isinstance(value, (list, str)):
        raise wrong_type(value, kinds, name, api)
    names = [value] if isinstance(value, str) else value
    for at, each in enumerate(names):
        if not isinstance(each, str):
            raise wrong_type(each, (str,), f"{name}[{at}]", api)
        if not each:
            raise _BAD_NAMES(f"For '{api}', '{name}' must not have an empty name, but got {value!r}.")
    if not names:
        raise _BAD_NAMES(f"For '{api}', '{name}' must name a column, but is empty.")
    if len(set(names)) != len(names):
        raise _BAD_NAMES(f"For '{api}', '{name}' must name a column only once, but got {value!r}.")
    return list(names)


def indexes(api: str, names: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the indexes of the wanted columns, which must all exist."""
    missing = [name for name in wanted if name not in names]
    if missing:
        raise RuntimeError(f"For '{api}', the dataset has the columns {list(names)}, but not {missing}.")
    return [names.index(name) for name in wanted]
