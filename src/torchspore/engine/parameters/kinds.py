"""Kinds of values: which values a parameter accepts, how they are converted, and the words of the error otherwise.

`kind_of` makes the kind of an annotation. A kind has

- `words`, which follow "must be" in an error: "an int", "a tuple of 2 ints",
- `has(value)`, whether a value is of the right type, and
- `take(value, name, api)`, which returns what the function gets, or raises the error about an argument of `api`.
"""

from __future__ import annotations

import enum
import functools
import math
import numbers
import operator
import os
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from torchspore.common.dtype import Type
from torchspore.common.error_classes import WrongType, WrongValue, also
from torchspore.engine.arguments.argument_forms import as_flag, as_number
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters.limits import Example, Length, Limits, Strict, Unbounded, Where

__all__ = ["Anything", "Kind", "kind_of", "take_as"]


class Kind:
    """The base of all kinds."""

    words: str
    error: type[Exception] = WrongType

    def has(self, value: Any) -> bool:
        raise NotImplementedError

    def is_container(self, value: Any) -> bool:
        """Return whether a value is of a right type, apart from its elements."""
        return False

    def take(self, value: Any, name: str, api: str) -> Any:
        """Return the value to compute with.

        Raises:
            TypeError: it is of a wrong type.
            ValueError: it is of a right type, and outside what is accepted.
        """
        if not self.has(value):
            raise self.refused(value, name, api)
        return value

    def refused(self, value: Any, name: str, api: str) -> Exception:
        """Return the error for a value that is not of this kind."""
        return self.error_of(value)(f"For '{api}', '{name}' must be {self.words}, but got {describe(value)}.")

    def error_of(self, value: Any) -> type[Exception]:
        return self.error

    @functools.cached_property
    def plural(self) -> str:
        """The words for several."""
        return f"{self.words.removeprefix('a ').removeprefix('an ')}s"


class Anything(Kind):
    """Any value."""

    words = "any value"

    def has(self, value: Any) -> bool:
        return True


class Nothing(Kind):
    """None."""

    words = plural = "None"

    def has(self, value: Any) -> bool:
        return value is None


class Flag(Kind):
    """A bool, or what stands for one by the forms of the parameter of `owner`."""

    words = "a bool"

    def __init__(self, owner: str = "") -> None:
        self.owner = owner

    def has(self, value: Any) -> bool:
        return isinstance(value, bool)

    def take(self, value: Any, name: str, api: str) -> Any:
        if isinstance(value, bool):
            return value
        flag = as_flag(value, name, api)
        if flag is None and self.owner:
            flag = as_flag(value, name, self.owner)
        if flag is None:
            raise self.refused(value, name, api)
        return flag


class Number(Kind):
    """An int or a float in an interval: of Python, of NumPy, or what stands for one by the forms of the parameter."""

    def __init__(self, type_: type, limits: tuple[Any, ...], owner: str) -> None:
        self.type_, self.owner = type_, owner
        self.limits = next((limit for limit in limits if isinstance(limit, Limits)), Limits())
        self.is_bounded = not any(isinstance(limit, Unbounded) for limit in limits)
        is_strict = any(isinstance(limit, Strict) for limit in limits)
        self._abstract = numbers.Integral if type_ is int else (float, np.floating) if is_strict else numbers.Real
        self.words = "an int" if type_ is int else "a float" if is_strict else "a number"

    def has(self, value: Any) -> bool:
        return isinstance(value, self._abstract) and not isinstance(value, bool)

    def take(self, value: Any, name: str, api: str) -> Any:
        number = value if self.has(value) else as_number(value, name, api)
        if number is None and self.owner:
            number = as_number(value, name, self.owner)
        if number is None or (self.type_ is int and not isinstance(number, numbers.Integral)):
            raise self.refused(value, name, api)
        is_free = not self.is_bounded and str(self.limits) == "finite"  # nan is in no interval
        if not is_free and (number not in self.limits or (self.is_bounded and not math.isfinite(number))):
            raise ValueError(f"For '{api}', '{name}' must be {self.limits}, but got {value}.")
        return self.type_(number)


class Text(Kind):
    """A string."""

    words = "a string"

    def has(self, value: Any) -> bool:
        return isinstance(value, str)


# MindSpore looks for an attribute or a key of some arguments first.
_NO_ATTRIBUTE = also(TypeError, ValueError, RuntimeError, AttributeError, KeyError)


class Choice(Kind):
    """One of some values of one type."""

    error = _NO_ATTRIBUTE

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values
        self.type_ = type(values[0])
        shown = [f"{self.type_.__name__}.{each.name}" if isinstance(each, enum.Enum) else repr(each) for each in values]
        self.words = self.plural = f"one of [{', '.join(shown)}]" if len(values) > 1 else shown[0]

    def has(self, value: Any) -> bool:
        return self._is_of_type(value) and value in self.values

    def error_of(self, value: Any) -> type[Exception]:
        return WrongValue if self._is_of_type(value) else self.error

    def _is_of_type(self, value: Any) -> bool:
        return isinstance(value, self.type_) and (self.type_ is bool or not isinstance(value, bool))


_WORDS: dict[type, str] = {
    os.PathLike: "a path", Type: "a data type", np.ndarray: "an array", np.generic: "a NumPy number",
}  # fmt: skip


class Instance(Kind):
    """An object of a class."""

    error = _NO_ATTRIBUTE

    def __init__(self, class_: type) -> None:
        self.class_ = class_
        article = "an" if class_.__name__[0] in "AEIOUaeiou" else "a"
        self.words = _WORDS.get(class_, f"{article} {class_.__name__}")

    def has(self, value: Any) -> bool:
        return isinstance(value, self.class_)


class Subclass(Kind):
    """A class that is derived from another one, or from one of several."""

    def __init__(self, class_: Any) -> None:
        self.class_ = class_
        names = [each.__name__ for each in get_args(class_) or (class_,)]
        self.words = f"a subclass of {' or '.join(names)}"
        self.plural = f"subclasses of {' or '.join(names)}"

    def has(self, value: Any) -> bool:
        return isinstance(value, type) and issubclass(value, self.class_)

    def error_of(self, value: Any) -> type[Exception]:
        return ValueError if isinstance(value, type) else self.error


class Function(Kind):
    """What can be called."""

    words = "a function"
    error = also(TypeError, ValueError, RuntimeError)  # MindSpore's transforms of functions raise each of these

    def has(self, value: Any) -> bool:
        return callable(value)


class Bytes(Kind):
    """Bytes."""

    words = plural = "bytes"

    def has(self, value: Any) -> bool:
        return isinstance(value, bytes)


class Elements(Kind):
    """A tuple, a list or a set, each of whose elements is of a kind."""

    def __init__(self, type_: Any, items: Sequence[Kind], length: Length | None) -> None:
        self.types = (tuple, list) if type_ is Sequence else (type_,)
        self.items, self.length = items, length
        plurals = {item.plural: item for item in items}
        number = f"{length} " if length and str(length) != "at least 1" else ""
        what = f"{number}{items[0].plural}" if len(plurals) == 1 else ", ".join([item.words for item in items])
        self.words = f"{' or '.join([f'a {kind.__name__}' for kind in self.types])} of {what}"
        self.plural = f"{' or '.join([f'{kind.__name__}s' for kind in self.types])} of {what}"

    def is_container(self, value: Any) -> bool:
        return isinstance(value, self.types)

    def has(self, value: Any) -> bool:
        return isinstance(value, self.types) and all(self._item(at).has(element) for at, element in enumerate(value))

    def _item(self, at: int) -> Kind:
        return self.items[min(at, len(self.items) - 1)]

    def take(self, value: Any, name: str, api: str) -> Any:
        if not isinstance(value, self.types):
            raise self.refused(value, name, api)
        if self.length is not None and not self.length.minimum <= len(value) <= self.length.maximum:
            must = "not be empty" if str(self.length) == "at least 1" else f"have {self.length} elements"
            raise self.length.error(f"For '{api}', '{name}' must {must}, but got {describe(value)}.")
        taken = [self._item(at).take(element, f"{name}[{at}]", api) for at, element in enumerate(value)]
        if all(map(operator.is_, taken, value)):
            return value
        return next(kind for kind in self.types if isinstance(value, kind))(taken)


class Iterated(Kind):
    """What can be iterated, whose elements are of a kind; the function gets a list of them."""

    def __init__(self, item: Kind) -> None:
        self.item = item
        self.words = f"a tuple, a list or an iterator of {item.plural}"

    def has(self, value: Any) -> bool:
        return isinstance(value, Iterable)

    def take(self, value: Any, name: str, api: str) -> Any:
        if not self.has(value):
            raise self.refused(value, name, api)
        return [self.item.take(element, f"{name}[{at}]", api) for at, element in enumerate(value)]


class Pairs(Kind):
    """A dict or another mapping, whose keys and values are of kinds."""

    words = "a dict"

    def __init__(self, class_: type, key: Kind, item: Kind) -> None:
        self.class_, self.key, self.item = class_, key, item

    def has(self, value: Any) -> bool:
        return isinstance(value, self.class_)

    def take(self, value: Any, name: str, api: str) -> Any:
        if not self.has(value):
            raise self.refused(value, name, api)
        taken = {
            self.key.take(key, f"a key of {name}", api): self.item.take(item, f"{name}[{key!r}]", api)
            for key, item in value.items()
        }
        is_same = all(map(operator.is_, taken, value)) and all(map(operator.is_, taken.values(), value.values()))
        return value if is_same else taken


class Table(Kind):
    """A dict with some of the keys of a TypedDict, whose values are of its kinds; without a name, of settings."""

    words = "a dict"

    def __init__(self, kinds: dict[str, Kind]) -> None:
        self.kinds = kinds

    def has(self, value: Any) -> bool:
        return isinstance(value, dict)

    def take(self, value: Any, name: str, api: str) -> Any:
        if not self.has(value):
            raise self.refused(value, name, api)
        unknown = [key for key in value if key not in self.kinds]
        if unknown:
            known = f"the keys of '{name}' are {[*self.kinds]}, but got {unknown}"
            text = known if name else f"there is no setting {unknown[0]!r}. Settings: {', '.join(self.kinds)}"
            raise also(ValueError, KeyError)(f"For '{api}', {text}.")
        return {key: self.kinds[key].take(item, key, api) for key, item in value.items()}


class Conditional(Kind):
    """A value of a kind that meets a condition."""

    def __init__(self, kind: Kind, condition: Where) -> None:
        self.kind, self.condition, self.words = kind, condition, kind.words

    def is_container(self, value: Any) -> bool:
        return self.kind.is_container(value)

    def has(self, value: Any) -> bool:
        return self.kind.has(value)

    def take(self, value: Any, name: str, api: str) -> Any:
        taken = self.kind.take(value, name, api)
        if not self.condition.holds(taken):
            wrong = f"For '{api}', '{name}' must be {self.condition.words}, but got {describe(value)}."
            raise self.condition.error(wrong)
        return taken


class Either(Kind):
    """A value of one of several kinds, of which the first that has it takes it."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self.kinds = kinds
        words = [kind.words for kind in kinds]
        numbers = {"an int", "a bool"} if {"an int", "a number"} <= {*words} else set()  # which are numbers, too
        *first, last = [word for word in words if word not in numbers]
        self.words = f"{', '.join(first)} or {last}" if first else last
        self.plural = " or ".join([kind.plural for kind in kinds])
        self.error = next((kind.error for kind in kinds if not isinstance(kind, Nothing)), WrongType)

    def has(self, value: Any) -> bool:
        return any(kind.has(value) for kind in self.kinds)

    def take(self, value: Any, name: str, api: str) -> Any:
        for kind in self.kinds:
            if kind.has(value):
                return kind.take(value, name, api)
        containers = [kind for kind in self.kinds if kind.is_container(value)]
        if len(containers) == 1:
            return containers[0].take(value, name, api)  # whose error names the element
        return self._converted(value, name, api)

    def _converted(self, value: Any, name: str, api: str) -> Any:
        """Return a value that stands for a number or a flag."""
        for kind in self.kinds:
            if isinstance(kind, (Number, Flag, Conditional)):
                try:
                    return kind.take(value, name, api)
                except TypeError:
                    continue
        raise self.refused(value, name, api)

    def error_of(self, value: Any) -> type[Exception]:
        is_text = any(isinstance(kind, Choice) and isinstance(value, kind.type_) for kind in self.kinds)
        return also(ValueError, TypeError) if is_text else self.error


_PLAIN: dict[Any, Callable[[], Kind]] = {
    Any: Anything, object: Anything, None: Nothing, type(None): Nothing, str: Text, bytes: Bytes, Callable: Function,
    os.PathLike[str]: lambda: Instance(os.PathLike),
}  # fmt: skip


def kind_of(annotation: Any, owner: str = "", limits: tuple[Any, ...] = ()) -> Kind:
    """Return the kind of values that an annotation means.

    Args:
        annotation: a type, a Literal, an Annotated with `Limits` or `Length`, or a tuple, list, dict or union of them.
        owner: the API that declares the parameter, whose forms apply in subclasses, too. Default: "".
        limits: what stands beside it in an Annotated.

    Raises:
        TypeError: the annotation has no kind.
    """
    if annotation in (int, float):
        return Number(annotation, limits, owner)
    if annotation is bool:
        return Flag(owner)
    if annotation in _PLAIN:
        return _PLAIN[annotation]()
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        kind = kind_of(inner[0], owner, (*inner[1:], *limits))
        for condition in [each for each in inner[1:] if isinstance(each, Where)]:
            kind = Conditional(kind, condition)
        kind.error = next((each for each in inner[1:] if isinstance(each, type)), kind.error)
        for example in [each for each in inner[1:] if isinstance(each, Example)]:
            kind.words += f" such as {example.text}"
        return kind
    if origin is Literal:
        return Choice(inner)
    if origin in (Union, types.UnionType):
        return Either([kind_of(each, owner, limits) for each in inner])
    if origin is type:
        return Subclass(inner[0])
    if origin in (tuple, list, set, frozenset, Sequence):
        length = next((limit for limit in limits if isinstance(limit, Length)), None)
        if origin is tuple and inner[-1] is not ...:
            return Elements(tuple, [kind_of(each, owner, limits) for each in inner], Length(len(inner), len(inner)))
        return Elements(origin, [kind_of(inner[0], owner, limits)], length)
    if origin is Iterable:
        return Iterated(kind_of(inner[0], owner, limits))
    if is_typeddict(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        return Table({key: kind_of(hint, owner) for key, hint in hints.items()})
    if origin in (dict, Mapping):
        return Pairs(origin, kind_of(inner[0], owner), kind_of(inner[1], owner, limits))
    if origin is Callable:
        return Function()
    if isinstance(annotation, TypeVar):
        return kind_of(annotation.__bound__, owner, limits)
    if isinstance(origin or annotation, type):
        return Instance(origin or annotation)
    raise TypeError(f"the annotation {annotation!r} has no kind of values")


_cached_kind = functools.lru_cache(maxsize=256)(kind_of)


def take_as(annotation: Any, value: Any, name: str, api: str) -> Any:
    """Return what an annotation takes of a value, for values that are not parameters of a function by themselves.

    Args:
        annotation: what is accepted; one with `Limits` is made once, not in each call.
        value: the value.
        name: its name in errors.
        api: what was called.

    Raises:
        TypeError: it is of a wrong type.
        ValueError: it is outside what is accepted.
    """
    return _cached_kind(annotation).take(value, name, api)
