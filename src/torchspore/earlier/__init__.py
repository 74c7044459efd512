"""MindSpore's earlier versions: names that today's no longer has, with the meaning that they had.

`names.json` has them in groups: the packages, or MindSpore's modules, that had them; the last version that did; the
module of ours that has them now (`name=ours` where it calls one differently);
and what to write today. A group without a module says why nothing stands for its names: they can be imported, and
refuse to be used. `module_paths.json` has modules that are gone, by the module of ours that stands for them.
`arguments.json` has arguments of constructors that are gone, and the last version that had them; `forms` has how
operations and constructors were called. A program that uses one runs, with a warning that says this once.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from torchspore.common.frames.user_lines import warn_user
from torchspore.common.names.loading import load
from torchspore.common.names.unsupported import refusing_with
from torchspore.earlier import forms
from torchspore.earlier.forms import Form, declared_version, forms_of, is_before
from torchspore.engine.generated_functions import ABSENT

__all__ = [
    "MODULES", "answer", "declare", "find", "is_before", "method", "paths", "todays_arguments",
    "what_it_was", "what_to_write",
]  # fmt: skip

MODULES: dict[str, str] = json.loads(Path(__file__).with_name("module_paths.json").read_text())
"""Modules of ours, and the paths of those of earlier versions for which they stand."""


def declare(version: str) -> None:
    """Give the operations, layers and methods of a version to programs that import `mindspore` from now on."""
    forms.declare(version)
    load("torchspore.earlier.modules").show_its_time()


@functools.cache
def _names() -> dict[str, dict[str, dict[str, str]]]:
    """Return the names by package, each with its group; its `name` is what our module calls it."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for group in json.loads(Path(__file__).with_name("names.json").read_text()):
        for word in group["names"].split():
            name, _, ours = word.partition("=")
            for package in group["in"].split() or [""]:
                found.setdefault(package, {})[name] = {**group, "name": ours or name}
    return found


@functools.cache
def _arguments() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("arguments.json").read_text())
    return found


def paths() -> Iterable[str]:
    """Return the packages, and MindSpore's modules without the root, that have names of earlier versions."""
    return _names()


def todays_arguments(
    kind: type, args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Return the arguments that a constructor takes today for those of an earlier version.

    Args:
        kind: the class.
        args, named: the arguments.

    Returns:
        The arguments, or None if today's constructor has these parameters, or no version had them. A warning says once
        which are of an earlier version.
    """
    try:
        inspect.signature(kind).bind(*args, **named)
    except TypeError:
        pass
    else:
        return None
    dropped = _arguments().get(kind.__name__, {})
    kept = {name: value for name, value in named.items() if name not in dropped}
    if len(kept) < len(named):
        for name in sorted(named.keys() - kept.keys()):
            _say(f"{kind.__name__}({name}=...)", dropped[name], f"leave '{name}' out, it changes nothing")
        return args, kept
    package = kind.__module__.partition(".")[2].partition(".")[0]
    names = inspect.signature(kind).parameters
    for form in forms_of(f"{package}.{kind.__name__}"):
        if named.keys() <= form.takes.keys() and len(args) <= len(form.takes) and named.keys() - names.keys():
            today = form.todays(args, named)
            _say_form(f"{package}.{kind.__name__}", form, named.keys() - names.keys())
            return (), today
    return None


def answer(
    name: str, operation: Any, args: tuple[Any, ...], named: dict[str, Any], others: dict[str, Any]
) -> Callable[[], Any] | None:
    """Return what computes a call by names of parameters that only an earlier version had.

    Args:
        name: the public name of the operation.
        operation: the operation as it is today.
        args: the values of its parameters, in their order.
        named: the values of those that it takes by name only.
        others: the arguments by other names.

    Returns:
        A function without parameters, or None if no version had these names, or positions would mean something else.
    """
    parameters = inspect.signature(operation).parameters
    given = {
        parameter: value
        for parameter, value in (dict(zip(parameters, args)) | named).items()
        if value is not ABSENT and value is not parameters[parameter].default
    }
    method = f"Tensor.{name.rpartition('.')[2]}"
    for form in [*forms_of(name), *forms_of(method)]:
        its_names = form.placed(parameters, given, others)
        if its_names is not None:
            _say_form(name, form, others)
            return functools.partial(form.call, operation, (), its_names)
    return None


def method(kind: str, instance: Any, name: str) -> Callable[..., Any] | None:
    """Return a method that a class had up to an earlier version, of an instance; None if no version had it."""
    path = f"{kind}.{name}"
    form = next(iter(forms_of(path)), None)
    if form is None:
        return None

    def called(*args: Any, **named: Any) -> Any:
        _say(f"mindspore.{path}", form.until, form.now(path, ()))
        return form.call(called, (instance, *args), named)

    return called


def what_it_was(name: str) -> str:
    """Return a sentence about the newest form of an operation that meant something else by position, or nothing."""
    for form in forms_of(name):
        if form.template is not None and not form.is_of(declared_version()):
            return (
                f"In MindSpore up to {form.until}, it took ({', '.join(form.takes)}): declare the version of such a "
                f"program, as in `python -m torchspore --mindspore {form.until}`, or write {form.now(name, ())}."
            )
    return ""


def find(package: str, name: str) -> Any:
    """Return what a name of a package meant in an earlier version.

    Args:
        package: the package, without `torchspore.`.
        name: the name.

    Raises:
        KeyError: no version had it.
    """
    group = _names()[package][name]
    if "why" in group:
        return _refusing(name, f"MindSpore had it up to {group['until']}: {group['why']}")
    found = _meant(group)
    _say(".".join(filter(None, ("mindspore", package, name))), group["until"], group["now"])
    return found


_refusing = functools.cache(refusing_with)


def _meant(group: dict[str, str]) -> Any:
    return getattr(load(f"torchspore.{group['is']}"), group["name"])


def what_to_write(full: str) -> str | None:
    """Return what to write today for the full name of an earlier version: a full name, or words; None if unknown."""
    package, _, name = full.partition(".")[2].rpartition(".")
    group = _names().get(package, {}).get(name)
    if group is None:
        return None
    if "why" in group:
        return group["why"]
    now = group["now"].removeprefix("mindspore.")
    return f"mindspore.{now}" if _found(now) is _meant(group) else group["now"]


def _found(path: str) -> Any:
    """Return what a public path means today, or None: it may be words."""
    package, _, name = path.rpartition(".")
    if not path.replace(".", "_").isidentifier():
        return None
    try:
        return getattr(load(f"torchspore.{package}".rstrip(".")), name, None)
    except ModuleNotFoundError:
        return None


@functools.cache
def _say(name: str, until: str, now: str) -> None:
    """Warn, once for each name, that it is an earlier version's, unless the program was written for one that had it."""
    declared = declared_version()
    if declared is not None and not is_before(until, declared):
        return
    warn_user(f"'{name}' was in MindSpore up to {until}, and works as it did there. Today: {now}.")


def _say_form(name: str, form: Form, old: Iterable[str]) -> None:
    names = sorted(old)
    _say(f"mindspore.{name}({', '.join([f'{each}=...' for each in names])})", form.until, form.now(name, names))
