"""Checks of arguments under the names that packages import from MindSpore.

MindSpore: `mindspore._checkparam`, of which this has what networks and optimizers outside MindSpore use.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from torchspore.engine import checks
from torchspore.engine.errors import describe

__all__: list[str] = []

EQ, NE, LT, LE, GT, GE = range(1, 7)
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = range(7, 11)

_RELATIONS: dict[int, tuple[Callable[[Any, Any], bool], str]] = {
    EQ: (operator.eq, "=="),
    NE: (operator.ne, "!="),
    LT: (operator.lt, "<"),
    LE: (operator.le, "<="),
    GT: (operator.gt, ">"),
    GE: (operator.ge, ">="),
}
_RANGES: dict[int, tuple[Callable[[Any, Any], bool], Callable[[Any, Any], bool], str]] = {
    INC_NEITHER: (operator.gt, operator.lt, "({}, {})"),
    INC_LEFT: (operator.ge, operator.lt, "[{}, {})"),
    INC_RIGHT: (operator.gt, operator.le, "({}, {}]"),
    INC_BOTH: (operator.ge, operator.le, "[{}, {}]"),
}


def _names(name: str | None, api: str | None) -> tuple[str, str]:
    return name or "the argument", api or "the check"


def _is_float(value: Any, name: str | None, api: str | None) -> float:
    return checks.check_float(value, *_names(name, api))


def _is_int(value: Any, name: str | None, api: str | None) -> int:
    return checks.check_int(value, *_names(name, api), minimum=None)


def _related(value: Any, limit: Any, relation: int, name: str | None, api: str | None) -> Any:
    holds, sign = _RELATIONS[relation]
    name, api = _names(name, api)
    if not holds(value, limit):
        raise ValueError(f"For '{api}', '{name}' must be {sign} {limit}, but got {describe(value)}.")
    return value


def _within(value: Any, low: Any, high: Any, ends: int, name: str | None, api: str | None) -> Any:
    above, below, form = _RANGES[ends]
    name, api = _names(name, api)
    if not (above(value, low) and below(value, high)):
        raise ValueError(f"For '{api}', '{name}' must be in {form.format(low, high)}, but got {describe(value)}.")
    return value


def check_int(arg_value: Any, value: int, rel: int, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Return an int that has a relation (`GE`, ...) to `value`."""
    return _related(_is_int(arg_value, arg_name, prim_name), value, rel, arg_name, prim_name)


def check_is_int(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Return an int."""
    return _is_int(arg_value, arg_name, prim_name)


def check_positive_int(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Return an int above 0."""
    return check_int(arg_value, 0, GT, arg_name, prim_name)


def check_non_negative_int(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Return an int from 0 on."""
    return check_int(arg_value, 0, GE, arg_name, prim_name)


def check_int_range(
    arg_value: Any,
    lower_limit: int,
    upper_limit: int,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> int:
    """Return an int between two limits; `rel` says which of them are in: `INC_BOTH`, ..."""
    return _within(_is_int(arg_value, arg_name, prim_name), lower_limit, upper_limit, rel, arg_name, prim_name)


def check_float(
    arg_value: Any, value: float, rel: int, arg_name: str | None = None, prim_name: str | None = None
) -> float:
    """Return a float that has a relation (`GE`, ...) to `value`."""
    return _related(_is_float(arg_value, arg_name, prim_name), value, rel, arg_name, prim_name)


def check_is_float(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> float:
    """Return a float."""
    return _is_float(arg_value, arg_name, prim_name)


def check_positive_float(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> float:
    """Return a float above 0."""
    return check_float(arg_value, 0, GT, arg_name, prim_name)


def check_non_negative_float(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> float:
    """Return a float from 0 on."""
    return check_float(arg_value, 0, GE, arg_name, prim_name)


def check_float_range(
    arg_value: Any,
    lower_limit: float,
    upper_limit: float,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> float:
    """Return a float between two limits; `rel` says which of them are in: `INC_BOTH`, ..."""
    return _within(_is_float(arg_value, arg_name, prim_name), lower_limit, upper_limit, rel, arg_name, prim_name)


def check_bool(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> bool:
    """Return a bool."""
    return checks.check_bool(arg_value, *_names(arg_name, prim_name))


def check_string(arg_value: Any, valid_values: Any, arg_name: str | None = None, prim_name: str | None = None) -> str:
    """Return a string that is among some."""
    if not isinstance(arg_value, str) or arg_value not in valid_values:
        name, api = _names(arg_name, prim_name)
        raise ValueError(f"For '{api}', '{name}' must be one of {valid_values}, but got {describe(arg_value)}.")
    return arg_value


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any, prim_name: str | None = None) -> Any:
    """Return a value of one of some types; a bool is of type bool alone."""
    kinds = tuple(valid_types) if isinstance(valid_types, (list, tuple)) else (valid_types,)
    if not isinstance(arg_value, kinds) or (isinstance(arg_value, bool) and bool not in kinds):
        wanted = " or ".join([getattr(kind, "__name__", str(kind)) for kind in kinds])
        name, api = _names(arg_name, prim_name)
        raise TypeError(f"For '{api}', '{name}' must be of type {wanted}, but got {describe(arg_value)}.")
    return arg_value


def check_isinstance(arg_name: str, arg_value: Any, classes: Any) -> Any:
    """Return an instance of a class."""
    if not isinstance(arg_value, classes):
        raise ValueError(f"'{arg_name}' must be an instance of {classes}, but got {describe(arg_value)}.")
    return arg_value
