"""The arguments that transforms and sources are made with, from which `serialize` writes them."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any

__all__ = ["given_arguments", "name_missing", "note_arguments"]

_MISSING = re.compile(r"missing \d+ required \S+ arguments?:")


def note_arguments(cls: type) -> None:
    """Let the constructor of a class note its arguments as `given`."""
    init = vars(cls).get("__init__")
    if init is None:
        return

    @functools.wraps(init)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        vars(self).setdefault("given", (args, kwargs))
        try:
            init(self, *args, **kwargs)
        except TypeError as error:
            name_missing(error, init)
            raise

    cls.__init__ = run  # type: ignore[misc]


def name_missing(error: TypeError, function: Any) -> None:
    """Let Python's error about missing arguments of a function name the first as `inspect` and MindSpore do."""
    if error.args and str(error.args[0]).startswith(f"{function.__qualname__}() missing "):
        error.args = (_MISSING.sub("missing a required argument:", error.args[0]), *error.args[1:])


def given_arguments(made: Any) -> dict[str, Any]:
    """Return the arguments that an object was made with, by name, defaults included."""
    args, kwargs = vars(made).get("given", ((), {}))
    bound = inspect.signature(type(made)).bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)
