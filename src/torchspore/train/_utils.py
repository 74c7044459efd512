"""Folders and shapes, under names that packages import from `mindspore.train._utils`."""

from __future__ import annotations

import os

from torchspore.engine.errors import describe
from torchspore.parallel_context import ParallelMode  # noqa: F401 - packages import it from here

__all__: list[str] = []


def _make_directory(path: str, arg_name: str = "path") -> str:
    """Make a folder that may exist, and return its absolute path.

    Raises:
        ValueError: `path` is blank.
    """
    if not isinstance(path, str):
        raise TypeError(f"The {arg_name} must be a string, but got {describe(path)}.")
    if not path.strip():
        raise ValueError(f"The {arg_name} must not be blank, but got {path!r}.")
    os.makedirs(path, exist_ok=True)
    return os.path.realpath(path)
