"""Checks of the arguments that only `dataset` has: workers, columns, folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from torchspore.common.error_classes import also
from torchspore.dataset.cache import DatasetCache
from torchspore.engine.checks import check_int, check_kind

__all__ = [
    "as_names",
    "check_cache",
    "check_file",
    "check_folder",
    "check_row_sizes",
    "check_usage",
    "check_workers",
    "indexes",
]  # fmt: skip


_MAX_WORKERS = 256  # MindSpore's limit is the number of cores
_BAD_NAMES = also(ValueError, RuntimeError)  # sources of files find them when they run, in MindSpore


def check_workers(api: str, value: Any) -> int | None:
    """Return `num_parallel_workers`, which must be None or positive, and not so many that they exhaust the machine."""
    if value is None:
        return None
    limit = max(_MAX_WORKERS, os.cpu_count() or 1)
    if check_int(value, "num_parallel_workers", api) > limit:
        raise ValueError(f"For '{api}', 'num_parallel_workers' must be at most {limit}, but got {value}.")
    return int(value)


def check_row_sizes(api: str, value: Any) -> None:
    """Check MindSpore's `max_rowsize`, which must be None, an int from -1 on, or a list of one or two of them."""
    if isinstance(value, (list, tuple)) and len(value) not in (1, 2):
        raise TypeError(f"For '{api}', 'max_rowsize' must be an int, or a list of one or two, but got {value!r}.")
    for size in value if isinstance(value, (list, tuple)) else [] if value is None else [value]:
        check_int(size, "max_rowsize", api, minimum=-1)


def check_folder(api: str, path: Any) -> str:
    """Return `dataset_dir`, which must be a folder."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"For '{api}', 'dataset_dir' must be a path, but got {path!r}.")
    if not os.path.isdir(path):
        raise ValueError(f"For '{api}', 'dataset_dir' must be a folder, but there is none at {os.fspath(path)!r}.")
    return os.fspath(path)


def check_file(api: str, name: str, path: Any) -> str:
    """Return a path, which must be that of a file."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"For '{api}', '{name}' must be a path, but got {path!r}.")
    if not os.path.isfile(path):
        raise ValueError(f"For '{api}', '{name}' must be a file, but there is none at {os.fspath(path)!r}.")
    return os.fspath(path)


def check_usage(api: str, usage: Any, allowed: Sequence[str], default: str = "all") -> str:
    """Return the part of a dataset to read, which must be one of those allowed; None means `default`."""
    if usage is None or (isinstance(usage, str) and usage in allowed):
        return usage or default
    error = ValueError if isinstance(usage, str) else TypeError
    raise error(f"For '{api}', 'usage' must be one of {list(allowed)}, but got {usage!r}.")


def check_cache(api: str, cache: Any) -> None:
    """Check that `cache` is None or a DatasetCache, which has no effect."""
    if cache is not None:
        check_kind(cache, DatasetCache, "cache", api)


def as_names(api: str, name: str, value: Any) -> list[str]:
    """Return column names, given as one or as a list; none may be empty or come twice."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(each, str) for each in names):
        raise TypeError(f"For '{api}', '{name}' must be a str or a list of them, but got {value!r}.")
    if not all(names):
        raise _BAD_NAMES(f"For '{api}', '{name}' must not have an empty name, but got {value!r}.")
    if len(set(names)) != len(names):
        raise _BAD_NAMES(f"For '{api}', '{name}' must name a column only once, but got {value!r}.")
    return list(names)


def indexes(api: str, names: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the indexes of the wanted columns, which must all exist."""
    missing = [name for name in wanted if name not in names]
    if missing:
        raise RuntimeError(f"For '{api}', the dataset has the columns {list(names)}, but not {missing}.")
    return [names.index(name) for name in wanted]
