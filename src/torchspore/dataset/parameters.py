"""What parameters of datasets accept, for annotations, and constructors that pass arguments on."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeAlias, TypeVar

import numpy as np

from torchspore.common.error_classes import WrongValue
from torchspore.dataset.cache import DatasetCache
from torchspore.dataset.value_checks import MAX_FLOAT, MAX_INT, MIN_INT, outside, wrong_type
from torchspore.engine.parameters import AnyPath, Kind, Limits, Rule, Where, kind_of
from torchspore.engine.parameters import checked as checked_in_our_words
from torchspore.engine.parameters.kinds import (
    Choice,
    Conditional,
    Either,
    Elements,
    Flag,
    Function,
    Instance,
    Nothing,
    Number,
    Pairs,
    Text,
)

__all__ = [
    "INT_FIRST", "BufferSize", "Cache", "Count", "File", "Float32", "Folder", "Int32", "IntOrFloat", "Natural",
    "NotNegativeFloat32", "NotNegativeIntOrFloat", "PositiveFloat32", "PositiveIntOrFloat", "RowSize", "RowSizes",
    "Shard", "Whole", "Workers", "check_arguments", "checked", "extends", "take_as", "worded",
]  # fmt: skip

_F = TypeVar("_F", bound=Callable[..., Any])


def _always(value: object) -> bool:
    return True


def worded(text: str, error: type[Exception] = TypeError) -> Where:
    """Return what gives an annotation the text of errors about types after the API.

    Args:
        text: the text with "{name}", "{value}", "{type}" or "{missing}", which says that a value is None.
        error: ValueError, if that is the class of the errors. Default: TypeError.
    """
    return Where(text, _always, error)


def _between(low: int, high: int, what: str = "") -> Where:
    words = f"{{name}} exceeds the boundary between {low} and {high}{what}! Got {{value}}."
    return Where(words, lambda number: low <= number <= high)


Int32: TypeAlias = Annotated[int, Limits(MIN_INT, MAX_INT)]
Whole: TypeAlias = Annotated[int, Limits(0, MAX_INT)]
Natural: TypeAlias = Annotated[int, Limits(1, MAX_INT)]
BufferSize: TypeAlias = Annotated[int, Limits(2, MAX_INT)]
RowSize: TypeAlias = Annotated[int, Limits(-1, MAX_INT)]
Float32: TypeAlias = Annotated[float, Limits(-MAX_FLOAT, MAX_FLOAT)]
NotNegativeFloat32: TypeAlias = Annotated[float, Limits(0, MAX_FLOAT)]
PositiveFloat32: TypeAlias = Annotated[float, Limits(above=0, maximum=MAX_FLOAT)]
# Some errors of MindSpore list the types in this order.
INT_FIRST = worded(
    "Argument {name} with value {value} is not of type [<class 'int'>, <class 'float'>], but got {type}."
)
IntOrFloat: TypeAlias = Annotated[float, INT_FIRST, Limits(-MAX_FLOAT, MAX_FLOAT)]
NotNegativeIntOrFloat: TypeAlias = Annotated[float, INT_FIRST, Limits(0, MAX_FLOAT)]
PositiveIntOrFloat: TypeAlias = Annotated[float, INT_FIRST, Limits(above=0, maximum=MAX_FLOAT)]
_Two: TypeAlias = Annotated[Sequence[RowSize], Where("one int or two", lambda sizes: len(sizes) == 2, TypeError)]
_INT_OR_LIST = worded(
    "Argument {name} with value {value} is not of type [<class 'int'>, <class 'list'>], but got {type}."
)
RowSizes: TypeAlias = Annotated[RowSize | _Two, _INT_OR_LIST] | None
Shard: TypeAlias = Int32 | None  # `choose` checks what is given together
Count: TypeAlias = Annotated[int, _between(0, 2**63 - 1, "(INT64_MAX)")] | None
Workers: TypeAlias = Annotated[int, _between(1, max(256, os.cpu_count() or 1))] | None  # MindSpore: as many as cores
Cache: TypeAlias = DatasetCache | None
Folder: TypeAlias = Annotated[
    AnyPath,
    Where(
        "'{name}': The folder {value} does not exist or is not a directory or permission denied!",
        os.path.isdir,
        WrongValue,
    ),
]
File: TypeAlias = Annotated[
    AnyPath, Where("'{name}': The file {value} does not exist or permission denied!", os.path.isfile, WrongValue)
]


def checked(*rules: Rule) -> Callable[[_F], _F]:
    """Check the arguments of a function as its annotations and rules say; errors have the words of MindSpore's.

    Words of a `Where` with "{name}" or "{value}" are the whole text after the API.
    """
    return checked_in_our_words(*rules, take=_take)


def take_as(annotation: Any, value: Any, name: str, api: str) -> Any:
    """Return what an annotation takes of a value, or raise the error about an argument of `api`."""
    return _take(kind_of(annotation), value, name, api)


def _take(kind: Kind, value: Any, name: str, api: str) -> Any:
    """Return what a kind takes of a value."""
    try:
        return kind.take(value, name, api)
    except (TypeError, ValueError) as error:
        raise _said(error, kind, value, name, api) from None


def _said(error: Exception, kind: Kind, value: Any, name: str, api: str) -> Exception:
    """Return the error about a value, or about the part of it that is not accepted, in MindSpore's words."""
    is_type = isinstance(error, TypeError)
    if isinstance(kind, Conditional):
        is_worded = kind.condition.holds is _always and (is_type or isinstance(kind.kind, Choice))
        if isinstance(kind.kind, Either) and any(_is_meant(each, value, is_type) for each in kind.kind.kinds):
            is_worded = False  # the error is about an element
        if is_worded or _is_taken(kind.kind, value, name, api):
            words = kind.condition.words
            if "{" not in words:
                words = f"'{{name}}' must be {words}, but got {{value!r}} ({type(value).__name__})."
            missing = f"{name} is not provided. " if value is None else ""
            text = words.format(name=name, value=value, type=type(value), missing=missing)
            is_value = is_worded and kind.condition.error is ValueError
            return (ValueError if is_value else type(error))(f"For '{api}', {text}")
        return _said(error, kind.kind, value, name, api)
    if isinstance(kind, Either):
        others = [each for each in kind.kinds if not isinstance(each, Nothing)]
        meant = [each for each in others if _is_meant(each, value, is_type)]
        if meant or len(others) == 1:
            return _said(error, (meant or others)[0], value, name, api)
    for part, of_kind, at in _parts(kind, value):
        if not _is_taken(of_kind, part, f"{name}{at}", api):
            return _said(error, of_kind, part, f"{name}{at}", api)
    if isinstance(kind, Choice) and isinstance(value, kind.type_):
        return WrongValue(f"For '{api}', Input {name} is not within the valid set of {[*kind.values]}. Got {value!r}.")
    if isinstance(kind, Number) and not is_type:
        return outside(value, str(kind.limits).removeprefix("in "), name, api)
    if isinstance(kind, Function):
        return type(error)(f"For '{api}', Argument {name} is not a callable object, but got {type(value)}.")
    return wrong_type(value, _types(kind), name, api, type(error)) if is_type else error


def _is_meant(kind: Kind, value: Any, is_type: bool) -> bool:
    """Return whether a value is of the type of a kind, so that the error is about something else."""
    if isinstance(kind, Conditional):
        return _is_meant(kind.kind, value, is_type)
    if isinstance(kind, Number):
        return not is_type
    if isinstance(kind, Elements):
        return isinstance(value, kind.types)
    return isinstance(value, kind.type_) if isinstance(kind, Choice) else kind.has(value)


def _parts(kind: Kind, value: Any) -> list[tuple[Any, Kind, str]]:
    """Return the elements of a value, with their kinds and where they are."""
    if isinstance(kind, Elements) and isinstance(value, kind.types):
        return [(each, kind.items[min(at, len(kind.items) - 1)], f"[{at}]") for at, each in enumerate(value)]
    if isinstance(kind, Pairs) and isinstance(value, Mapping):
        keys = [(key, kind.key, "") for key in value]
        return [*keys, *[(item, kind.item, f"[{key!r}]") for key, item in value.items()]]
    return []


def _is_taken(kind: Kind, value: Any, name: str, api: str) -> bool:
    try:
        kind.take(value, name, api)
    except (TypeError, ValueError):
        return False
    return True


def _types(kind: Kind) -> list[type]:
    """Return the types that a kind accepts; of paths, only str."""
    if isinstance(kind, Either):
        types = [each for inner in kind.kinds if not isinstance(inner, Nothing) for each in _types(inner)]
        return [each for each in dict.fromkeys(types) if each is not os.PathLike]
    if isinstance(kind, Conditional):
        return _types(kind.kind)
    if isinstance(kind, Elements):
        return [*kind.types]
    if isinstance(kind, Number):
        return [int] if kind.type_ is int else [float] if kind.words == "a float" else [float, int]
    if isinstance(kind, (Instance, Pairs)):
        return [kind.class_]
    if isinstance(kind, Choice):
        return [kind.type_]
    return [{"a bool": bool, "a string": str, "bytes": bytes}[kind.words]]


def extends(base: type, *rules: Rule) -> Callable[[_F], _F]:
    """Let a constructor check its arguments, and pass those that its base class takes, too, before its own body runs.

    Args:
        base: the base class.
        rules: relations between the arguments.
    """

    def decorate(init: _F) -> _F:
        signature = inspect.signature(init)
        shared = [name for name in inspect.signature(base).parameters if name in signature.parameters]

        @functools.wraps(init)
        def run(self: object, *args: object, **kwargs: object) -> None:
            given = signature.bind(self, *args, **kwargs)
            given.apply_defaults()
            base.__init__(self, **{name: given.arguments[name] for name in shared})  # type: ignore[misc]
            init(*given.args, **given.kwargs)

        return checked(*rules)(run)  # type: ignore[return-value]

    return decorate


def check_arguments(cls: type, api: str = "") -> None:
    """Let the constructor of a class of this package check its arguments, if it has one that does not yet.

    Errors name `api` or, without it, the class.

    Constructors check tuples, lists and arrays by themselves: what they accept depends on their elements together.
    """
    init = vars(cls).get("__init__")
    if init is not None and cls.__module__.startswith("torchspore.") and "is_checked" not in vars(init):
        cls.__init__ = checked_in_our_words(take=functools.partial(_take_single, api))(init)  # type: ignore[misc]


def _take_single(called: str, kind: Kind, value: Any, name: str, api: str) -> Any:
    return _take(kind, value, name, called or api) if _is_single(kind) else value


def _is_single(kind: Kind) -> bool:
    """Return whether a kind has a condition, or is of numbers, bools, strings or objects other than arrays."""
    if isinstance(kind, Either):
        return all(_is_single(each) for each in kind.kinds)
    is_plain = isinstance(kind, (Conditional, Number, Flag, Choice, Text, Nothing))
    return is_plain or (isinstance(kind, Instance) and kind.class_ is not np.ndarray)
