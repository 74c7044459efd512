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
    shown = f"{name} should not be an empty str" if isinstance(value, str) else "{} should not be empty"
    for at, each in enumerate(names):
        if not isinstance(each, str):
            raise wrong_type(each, (str,), f"{name}[{at}]", api)
        if not each:
            raise _BAD_NAMES(f"For '{api}', {shown.format(f'{name}[{at}]')}. Got {value!r}.")
    if not names:
        raise _BAD_NAMES(f"For '{api}', {name} should not be empty.")
    if len(set(names)) != len(names):
        raise _BAD_NAMES(
            f"For '{api}', Every column name should not be same with others in column_names. Got {name}={value!r}."
        )
    return list(names)


def indexes(api: str, names: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the indexes of the wanted columns, which must all exist."""
    missing = [name for name in wanted if name not in names]
    if missing:
        raise RuntimeError(
            f"For '{api}', Invalid column, column name: {missing[0]} does not exist in the dataset columns. They are "
            f"{list(names)}."
        )
    return [names.index(name) for name in wanted]
