"""The user's line for warnings: the innermost frame outside torch and this package."""

from __future__ import annotations

import pathlib
import sys
import warnings
from collections.abc import Iterable

# Prefixes of files that are not the user's; "<" marks generated code.
NOT_THE_USERS = (*(str(pathlib.Path(str(sys.modules[name].__file__)).parent) for name in ("torch", "torchspore")), "<")


def user_stack_level() -> int:
    """Return the number of frames from the caller up to the user's line, as `warnings.warn` counts them."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(NOT_THE_USERS):
        frame = frame.f_back
        level += not frame.f_code.co_filename.startswith("<frozen importlib")  # which `warn` does not count
    return level


def warn_user(message: str) -> None:
    """Issue a RuntimeWarning at the user's line."""
    warnings.warn(message, RuntimeWarning, stacklevel=user_stack_level())


def warn_of_unknown(names: Iterable[str], api: str, known: Iterable[str]) -> None:
    """Warn of each argument that a function of MindSpore takes and ignores, as it does any name."""
    for name in names:
        warn_user(f"For '{api}', there is no argument '{name}': it has no effect. Arguments: {', '.join(known)}.")
