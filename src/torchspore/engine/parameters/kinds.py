"""Kinds of values: which values a parameter accepts, how they are converted, and the words of the error otherwise.

`kind_of` makes the kind of an annotation. A kind has

- `words`, which follow "must be" in an error: "an int", "a tuple of 2 ints",
- `has(value)`, whether a value is of the right type, and
- `take(value, name, api)`, which returns what the function gets, or raises the error about an argument of `api`.
"""

from __future__ import annotations

import math
import numbers
import types
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

import numpy as np

from torchspore.common.error_classes import WrongType, also
from torchspore.engine.argument_forms import as_flag, as_number
from torchspore.engine.errors import describe
from torchspore.engine.parameters.limits import Length, Limits, Strict, Unbounded

__all__ = ["Anything", "Kind", "kind_of"]


class Kind:
    """The base of all kinds."""

    words: str
    error: ClassVar[type[Exception]] = WrongType

    def has(self, value: Any) -> bool:
        raise NotImplementedError

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
        """Return the error for a value of a wrong type."""
        return self.error(f"For '{api}', '{name}' must be {self.words}, but got {describe(value)}.")


class Anything(Kind):
    """Any value."""

    words = "any value"

    def has(self, value: Any) -> bool:
        return True


class Nothing(Kind):
    """None."""

    words = "None"

    def has(self, value: Any) -> bool:
        return value is None


class Flag(Kind):
    """A bool, or what stands for one by the forms of the parameter."""

    words = "a bool"

    def has(self, value: Any) -> bool:
        return isinstance(value, bool)

    def take(self, value: Any, name: str, api: str) -> Any:
        if isinstance(value, bool):
            return value
        flag = as_flag(value, name, api)
        if flag is None:
            raise self.refused(value, name, api)
        return flag


class Number(Kind):
    """An int or a float in an interval: of Python, of NumPy, or what stands for one by the forms of the parameter."""

    def __init__(self, type_: type, limits: Limits, is_strict: bool, is_bounded: bool) -> None:
        self.type_, self.limits, self.is_bounded = type_, limits, is_bounded
        self._abstract = numbers.Integral if type_ is int else (float, np.floating) if is_strict else numbers.Real
        self.words = "an int" if type_ is int else "a float" if is_strict else "a number"

    def has(self, value: Any) -> bool:
        return isinstance(value, self._abstract) and not isinstance(value, bool)

    def take(self, value: Any, name: str, api: str) -> Any:
        number = value if self.has(value) else as_number(value, name, api)
        if number is None or (self.type_ is int and not isinstance(number, numbers.Integral)):
            raise self.refused(value, name, api)
        if number not in self.limits or (self.is_bounded and not math.isfinite(number)):
            raise ValueError(f"For '{api}', '{name}' must be {self.limits}, but got {value}.")
        return self.type_(number)


class Text(Kind):
    """A string."""

    words = "a string"

    def has(self, value: Any) -> bool:
        return isinstance(value, str)


class Choice(Kind):
    """One of some values of one type."""

    error = also(TypeError, ValueError, AttributeError)  # MindSpore looks for an attribute of some of them first

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values
        self.type_ = type(values[0])
        self.words = f"of type {self.type_.__name__}" if self.type_ is not str else "a string"

    def has(self, value: Any) -> bool:
        return isinstance(value, self.type_)

    def take(self, value: Any, name: str, api: str) -> Any:
        if not self.has(value):
            raise self.refused(value, name, api)
        if value not in self.values:
            raise ValueError(f"For '{api}', '{name}' must be one of {list(self.values)}, but got {value!r}.")
        return value


class Instance(Kind):
    """An object of a class."""

    error = also(TypeError, ValueError, AttributeError)

    def __init__(self, class_: type) -> None:
        self.class_ = class_
        article = "an" if class_.__name__[0] in "AEIOUaeiou" else "a"
        self.words = f"{article} {class_.__name__}"

    def has(self, value: Any) -> bool:
        return isinstance(value, self.class_)


class Function(Kind):
    """What can be called."""

    words = "a function"
    error = also(TypeError, ValueError, RuntimeError)  # MindSpore's transforms of functions raise each of these

    def has(self, value: Any) -> bool:
        return callable(value)


class Elements(Kind):
    """A tuple or a list, each of whose elements is of a kind."""

    def __init__(self, type_: Any, items: Sequence[Kind], length: Length | None) -> None:
        self.types = (tuple, list) if type_ is Sequence else (type_,)
        self.items, self.length = items, length
        (first, *others) = [item.words.removeprefix("a ").removeprefix("an ") + "s" for item in items]
        number = f"{length} " if length else ""
        what = f"{number}{first}" if not {*others} - {first} else ", ".join([item.words for item in items])
        self.words = f"{' or '.join([f'a {kind.__name__}' for kind in self.types])} of {what}"

    def has(self, value: Any) -> bool:
        return isinstance(value, self.types) and all(self._item(at).has(element) for at, element in enumerate(value))

    def _item(self, at: int) -> Kind:
        return self.items[min(at, len(self.items) - 1)]

    def take(self, value: Any, name: str, api: str) -> Any:
        if not isinstance(value, self.types):
            raise self.refused(value, name, api)
        if self.length is not None and not self.length.minimum <= len(value) <= self.length.maximum:
            raise ValueError(f"For '{api}', '{name}' must have {self.length} elements, but got {value!r}.")
        taken = [self._item(at).take(element, f"{name}[{at}]", api) for at, element in enumerate(value)]
        return taken if isinstance(value, list) else tuple(taken)


class Mapping(Kind):
    """A dict whose keys and values are of kinds."""

    def __init__(self, key: Kind, item: Kind) -> None:
        self.key, self.item = key, item
        self.words = "a dict"

    def has(self, value: Any) -> bool:
        return isinstance(value, dict)

    def take(self, value: Any, name: str, api: str) -> Any:
        if not self.has(value):
            raise self.refused(value, name, api)
        return {
            self.key.take(key, f"the keys of {name}", api): self.item.take(item, f"{name}[{key!r}]", api)
            for key, item in value.items()
        }


class Either(Kind):
    """A value of one of several kinds, of which the first that has it takes it."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self.kinds = kinds
        *first, last = [kind.words for kind in kinds]
        self.words = f"{', '.join(first)} or {last}"
        self.error = next((kind.error for kind in kinds if not isinstance(kind, Nothing)), WrongType)  # type: ignore[misc]

    def has(self, value: Any) -> bool:
        return any(kind.has(value) for kind in self.kinds)

    def take(self, value: Any, name: str, api: str) -> Any:
        for kind in self.kinds:
            if kind.has(value):
                return kind.take(value, name, api)
        containers = [kind for kind in self.kinds if isinstance(kind, Elements) and isinstance(value, kind.types)]
        if len(containers) == 1:
            return containers[0].take(value, name, api)  # whose error names the element
        return self._converted(value, name, api)

    def _converted(self, value: Any, name: str, api: str) -> Any:
        """Return a value that stands for a number or a flag."""
        for kind in self.kinds:
            if isinstance(kind, (Number, Flag)):
                try:
                    return kind.take(value, name, api)
                except TypeError:
                    continue
        raise self.refused(value, name, api)


_PLAIN: dict[Any, Callable[[], Kind]] = {
    Any: Anything, object: Anything, None: Nothing, type(None): Nothing, bool: Flag, str: Text, Callable: Function,
}  # fmt: skip


def kind_of(annotation: Any, limits: tuple[Any, ...] = ()) -> Kind:
    """Return the kind of values that an annotation means.

    Args:
        annotation: a type, a Literal, an Annotated with `Limits` or `Length`, or a tuple, list, dict or union of them.
        limits: what stands beside it in an Annotated.

    Raises:
        TypeError: the annotation has no kind.
    """
    if annotation in (int, float):
        interval = next((limit for limit in limits if isinstance(limit, Limits)), Limits())
        is_bounded = not any(isinstance(limit, Unbounded) for limit in limits)
        return Number(annotation, interval, any(isinstance(limit, Strict) for limit in limits), is_bounded)
    if annotation in _PLAIN:
        return _PLAIN[annotation]()
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return kind_of(inner[0], (*inner[1:], *limits))
    if origin is Literal:
        return Choice(inner)
    if origin in (Union, types.UnionType):
        return Either([kind_of(each, limits) for each in inner])
    if origin in (tuple, list, Sequence):
        length = next((limit for limit in limits if isinstance(limit, Length)), None)
        if origin is tuple and inner[-1] is not ...:
            return Elements(tuple, [kind_of(each, limits) for each in inner], Length(len(inner), len(inner)))
        return Elements(origin, [kind_of(inner[0], limits)], length)
    if origin is dict:
        return Mapping(kind_of(inner[0]), kind_of(inner[1], limits))
    if origin is Callable:
        return Function()
    if isinstance(annotation, type):
        return Instance(annotation)
    raise TypeError(f"the annotation {annotation!r} has no kind of values")
