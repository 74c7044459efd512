"""The arguments that transforms and sources are made with, from which `serialize` writes them."""

from __future__ import annotations

import functools
import inspect
from typing import Any

__all__ = ["given_arguments", "note_arguments"]


def note_arguments(cls: type) -> None:
    """Let the constructor of a class note its arguments as `given`."""
    init = vars(cls).get("__init__")
    if init is None:
        return

    @functools.wraps(init)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        vars(self).setdefault("given", (args, kwargs))
        init(self, *args, **kwargs)

    cls.__init__ = run  # type: ignore[misc]


def given_arguments(made: Any) -> dict[str, Any]:
    """Return the arguments that an object was made with, by name, defaults included."""
    args, kwargs = vars(made).get("given", ((), {}))
    bound = inspect.signature(type(made)).bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)
