"""The arguments that transforms and sources are made with, from which `serialize` writes them."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any, NamedTuple

__all__ = ["change_argument", "given_arguments", "name_missing", "note_arguments"]

_MISSING = re.compile(r"missing \d+ required \S+ arguments?:")


class Given(NamedTuple):
    """The arguments of a constructor.

    Attributes:
        args: those by position.
        kwargs: those by name.
        complete: whether the constructor has ended.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    complete: bool = False


def note_arguments(cls: type) -> None:
    """Let the constructor of a class note its arguments as `given`."""
    init = vars(cls).get("__init__")
    if init is None:
        return

    @functools.wraps(init)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        outermost = "given" not in vars(self)
        vars(self).setdefault("given", Given(args, kwargs))
        try:
            init(self, *args, **kwargs)
        except TypeError as error:
            name_missing(error, init)
            raise
        if outermost:
            vars(self)["given"] = Given(args, kwargs, complete=True)

    cls.__init__ = run  # type: ignore[misc]


def name_missing(error: TypeError, function: Any) -> None:
    """Let Python's error about missing arguments of a function name the first as `inspect` and MindSpore do."""
    if error.args and str(error.args[0]).startswith(f"{function.__qualname__}() missing "):
        error.args = (_MISSING.sub("missing a required argument:", error.args[0]), *error.args[1:])


def given_arguments(made: Any) -> dict[str, Any]:
    """Return the arguments that an object was made with, by name, defaults included."""
    return dict(_bound(made).arguments)


def change_argument(made: Any, name: str, value: Any) -> None:
    """Let an object be as if its constructor had got another value; what the constructor refuses changes nothing."""
    bound = _bound(made)
    bound.arguments[name] = value
    vars(made).update(vars(type(made)(*bound.args, **bound.kwargs)))


def _bound(made: Any) -> inspect.BoundArguments:
    given = vars(made).get("given", Given((), {}))
    bound = inspect.signature(type(made)).bind(*given.args, **given.kwargs)
    bound.apply_defaults()
    return bound
