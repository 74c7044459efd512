"""Settings that only a kind of device has which is not there: their arguments are checked by their annotations."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any, TypeVar

from torchspore.engine.checks import check_bool, check_choice, check_int, check_kind

__all__ = ["checked"]

_F = TypeVar("_F", bound=Callable[..., None])


def _check(kind: Any, value: Any, name: str, api: str) -> None:
    if kind is bool:
        check_bool(value, name, api)
    elif kind is int:
        check_int(value, name, api, minimum=0)
    elif typing.get_origin(kind) is typing.Literal:
        check_choice(value, typing.get_args(kind), name, api)
    else:
        check_kind(value, typing.get_origin(kind) or kind, name, api)


def checked(setting: _F) -> _F:
    """Make a function check its arguments: bools, ints >= 0, literals, and instances of other types."""
    kinds = typing.get_type_hints(setting)
    signature = inspect.signature(setting)

    @functools.wraps(setting)
    def run(*args: Any, **kwargs: Any) -> None:
        setting(*args, **kwargs)  # has no body, but raises Python's error for a wrong number of arguments
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            _check(kinds[name], value, name, setting.__name__)

    return run  # type: ignore[return-value]
