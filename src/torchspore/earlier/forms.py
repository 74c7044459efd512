"""How MindSpore's operations and constructors were called in earlier versions.

`forms.json` has the parameters of their time by public name. Each form has the last version that had it (`until`) and
what it `takes`, in order: today's name of a parameter, or `old=today`. `defaults` are the values of their time. Where
values or results meant something else, a function of `earlier.meanings` is the form: it has the parameters of that time
and computes the result; for a class, it returns today's arguments, or is the class of that time itself.

A program that declares its version gets the forms of that version (`of_version`). In others, a call by names that only
a form has is answered by that form.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from torchspore.common.names.loading import load

__all__ = [
    "TODAY", "Form", "declare", "declared_version", "form", "forms_of", "is_before", "names_with_forms", "of_version",
]  # fmt: skip

TODAY = "2.10"

_meanings: dict[str, list[Form]] = {}
_declared: str | None = None


def _parse(text: str) -> tuple[int, int]:
    """Return the first two numbers of a version: (1, 10) for "1.10.0".

    Raises:
        ValueError: the text is not a version.
    """
    try:
        first, second = [int(part) for part in text.split(".")[:2]]
    except ValueError:
        raise ValueError(f"A version of MindSpore is written as in '1.10', but got {text!r}.") from None
    return first, second


def is_before(version: str, other: str) -> bool:
    """Return whether a version is before another one."""
    return _parse(version) < _parse(other)


def declare(version: str) -> None:
    """Set the version that the program was written for."""
    global _declared
    _declared = version


def declared_version() -> str | None:
    """Return the version that the program was written for, or None if it is today's."""
    return _declared


class Form:
    """How an operation was called, or a class was made, up to a version.

    Args:
        takes: the parameters of that time, in order, and what each is today.
        until: the last version that had the form.
        since: the first one.
        defaults: the default values of that time, by today's names, where they are others.
        meaning: what computes the result from arguments of that time, or today's arguments of a class. Default: the
            operation or class itself, with the arguments under today's names.
        now: what to write today: code with the parameters in braces, in brackets if it is there for an argument that is
            given, or words. Default: the operation, with the arguments by today's names.
    """

    def __init__(
        self,
        takes: dict[str, str],
        until: str,
        since: str = "0.1",
        defaults: dict[str, Any] | None = None,
        meaning: Callable[..., Any] | None = None,
        now: str | None = None,
    ) -> None:
        self.takes = takes
        self.until = until
        self._now = now
        self._since = since
        self._defaults = defaults or {}
        self._meaning = meaning

    def now(self, name: str, old: Iterable[str]) -> str:
        """Return what to write today for a call of a name that gives `old` parameters by their names."""
        if self._now is not None:
            return re.sub(r"[][{}]", "", self._now)
        return f"mindspore.{name}({', '.join([f'{self.takes[each]}=...' for each in old])})"

    @property
    def template(self) -> str | None:
        """The code of today, with the parameters of the form in braces, if that is more than other arguments."""
        return self._now if self._now and "{" in self._now else None

    @property
    def is_listed(self) -> bool:
        """Whether today's operation computes the result from the arguments under today's names."""
        return self._meaning is None

    def defaults(self) -> dict[str, str]:
        """Return the source of the defaults of that time: by today's names, for a meaning by those of the form."""
        if self._meaning is None:
            return {name: repr(value) for name, value in self._defaults.items()}
        parameters = inspect.signature(self._meaning).parameters.values()
        return {p.name: repr(p.default) for p in parameters if p.default is not p.empty}

    def is_of(self, version: str | None) -> bool:
        """Return whether a version had this form; None is today's."""
        return version is not None and _parse(self._since) <= _parse(version) <= _parse(self.until)

    @property
    def class_of_its_time(self) -> type | None:
        """The class whose results are of that time, if there is one."""
        return self._meaning if isinstance(self._meaning, type) else None

    def is_other_by_position(self, today: Sequence[str]) -> bool:
        """Return whether a call by position means something else with today's parameters."""
        return bool(self._meaning or self._defaults) or list(today[: len(self.takes)]) != list(self.takes.values())

    def todays(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        """Return a class's arguments of today."""
        if isinstance(self._meaning, type):
            raise TypeError("its results are others today")
        if self._meaning is not None:
            result: dict[str, Any] = self._meaning(*args, **named)
            return result
        if len(args) > len(self.takes):
            raise TypeError(f"it takes at most {len(self.takes)} arguments, but {len(args)} were given")
        given = {**dict(zip(self.takes, args)), **named}
        return {**self._defaults, **{self.takes.get(name, name): value for name, value in given.items()}}

    def call(self, today: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """Return the result of an operation for arguments of the form.

        Args:
            today: the operation as it is today.
            args, named: the arguments.
        """
        return self._meaning(*args, **named) if self._meaning else today(**self.todays(args, named))

    def signature(self) -> inspect.Signature:
        """Return the signature of that time, as far as the table knows it."""
        if self._meaning is not None:
            return inspect.signature(self._meaning)
        return inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in self.takes]
        )

    def placed(self, names: Iterable[str], given: dict[str, Any], others: dict[str, Any]) -> dict[str, Any] | None:
        """Return the arguments by the names of the form, for a call that was read as today's, or None if it is not one.

        Args:
            names: today's parameters, in their order.
            given: the arguments by today's names. The first ones, up to a parameter that is not given, may have been
                given by their positions.
            others: those that were given by names which today's operation does not have.
        """
        old_names = {today: old for old, today in self.takes.items()}
        found = dict(others)
        by_position = True
        for name, place in zip(names, [*self.takes, *[None] * len(given)]):
            by_position &= name in given
            if name not in given:
                continue
            old = name if name in self.takes and not by_position else old_names.get(name)
            if old is None and by_position:
                old = place  # it cannot have been given by its name
            elif old != place and by_position:
                return None  # it can have been given either way
            if old is None or old in found:
                return None
            found[old] = given[name]
        return found if found.keys() <= self.takes.keys() else None


def form(name: str, *, now: str, until: str, since: str = "0.1") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function the form that a public name had up to a version.

    Args:
        name: the public name, as in "ops.split" or "Tensor.split".
        now: what to write today.
        until, since: the last version that had the form, and the first one.
    """

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        takes = {parameter: parameter for parameter in inspect.signature(function).parameters}
        if not isinstance(function, type):
            function.__qualname__ = name  # which Python's errors show
        _meanings.setdefault(name, []).append(Form(takes, until, since, meaning=function, now=now))
        return function

    return enter


@functools.cache
def _table() -> dict[str, list[Form]]:
    entries = json.loads(Path(__file__).with_name("forms.json").read_text(encoding="utf-8"))
    return {name: [_listed(**entry) for entry in forms] for name, forms in entries.items()}


def _listed(takes: str, until: str, **others: Any) -> Form:
    pairs = [word.partition("=")[::2] for word in takes.split()]
    return Form({old: today or old for old, today in pairs}, until, **others)


# The modules of `meanings` with forms, by the first part of a public name: an error of an operation loads no layers.
_PLACES = {
    "ops": "operations classes constructors", "Tensor": "methods", "nn": "layers members",
    "dataset": "datasets members", "Parameter": "members", "Initializer": "members", "serialization": "files",
}  # fmt: skip


@functools.cache
def _meanings_of(owner: str) -> dict[str, list[Form]]:
    """Return the meanings, those of an owner of names among them."""
    for module in _PLACES.get(owner, "").split():
        load(f"torchspore.earlier.meanings.{module}")
    return _meanings


def names_with_forms() -> list[str]:
    """Return the public names that were called in another way in some version."""
    return sorted(set(_table()).union(*map(_meanings_of, _PLACES)))


def forms_of(name: str) -> list[Form]:
    """Return the forms of a public name, the newest first."""
    forms = _table().get(name, []) + _meanings_of(name.partition(".")[0]).get(name, [])
    return sorted(forms, key=lambda each: _parse(each.until), reverse=True)


def of_version(name: str, today: Any, version: str | None) -> Any:
    """Return an operation or a class as it was called in a version: `today` itself if that is the same.

    Args:
        name: the public name.
        today: what it is today.
        version: the version.
    """
    found = [each for each in forms_of(name) if each.is_of(version)]
    its_form = found[-1] if found else None
    if its_form is None or not its_form.is_other_by_position(_parameters(today) if its_form.is_listed else ()):
        return today
    if (made := its_form.class_of_its_time) is not None:
        made.__module__ = today.__module__
        return made
    if isinstance(today, type):
        return _class_of_its_time(today, its_form)

    @functools.wraps(today or its_form.call)
    def called(*args: Any, **named: Any) -> Any:
        return its_form.call(today, args, named)

    called.__signature__ = its_form.signature()  # type: ignore[attr-defined]
    return called


def _class_of_its_time(today: Any, its_form: Form) -> type:
    def __init__(self: Any, *args: Any, **named: Any) -> None:
        today.__init__(self, **its_form.todays(args, named))

    members = {"__init__": __init__, "__module__": today.__module__, "__doc__": today.__doc__}
    made: type = type(today)(today.__name__, (today,), members)
    made.__qualname__ = today.__qualname__
    return made


def _parameters(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]
