"""Checks of the arguments that only `dataset` has: workers, columns, folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from torchspore.common.error_classes import WrongValue, also
from torchspore.dataset.value_checks import check_choice, check_int, wrong_type

__all__ = [
    "as_names", "check_file", "check_folder", "check_row_sizes", "check_usage",
    "indexes",
]  # fmt: skip


_BAD_NAMES = also(ValueError, RuntimeError)  # sources of files find them when they run, in MindSpore


def check_row_sizes(api: str, value: Any) -> None:
    """Check MindSpore's `max_rowsize`, which must be None, an int from -1 on, or a list of two of them."""
    if not isinstance(value, (list, tuple)):
        if value is not None:
            check_int(value, "max_rowsize", api, minimum=-1, kinds=(int, list))
        return
    if len(value) != 2:
        raise TypeError(f"For '{api}', 'max_rowsize' must be an int, or a list of two, but got {value!r}.")
    for at, size in enumerate(value):
        check_int(size, f"max_rowsize[{at}]", api, minimum=-1)


def check_folder(api: str, path: Any) -> str:
    """Return `dataset_dir`, which must be a folder."""
    return _check_path(api, "dataset_dir", path, "folder {} does not exist or is not a directory", os.path.isdir)


def check_file(api: str, name: str, path: Any) -> str:
    """Return a path, which must be the path of a file."""
    return _check_path(api, name, path, "file {} does not exist", os.path.isfile)


def _check_path(api: str, name: str, path: Any, fault: str, exists: Callable[[Any], bool]) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise wrong_type(path, (str,), name, api)
    if not exists(path):
        raise WrongValue(f"For '{api}', '{name}': The {fault.format(os.fspath(path))} or permission denied!")
    return os.fspath(path)


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
