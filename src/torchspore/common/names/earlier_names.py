"""What MindSpore had in earlier versions: packages, operations and classes ask for what they do not know today."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from torchspore.common.names.class_modules import module_of
from torchspore.common.names.torch_habits import keyword_hint

__all__ = [
    "EarlierMethod", "answer_by_earlier_names", "answer_of_cell", "earlier", "earlier_method", "load_earlier_with",
    "saying_what_it_was", "todays_arguments",
]  # fmt: skip

_load: Callable[[], ModuleType] | None = None


def load_earlier_with(load: Callable[[], ModuleType]) -> None:
    """Set the function that loads the package that knows the earlier versions."""
    global _load
    _load = load


def earlier(package: str, name: str) -> Any:
    """Return what a name of a package meant.

    Args:
        package: the package, without `torchspore.`; "" for `torchspore` itself.
        name: the name.

    Raises:
        KeyError: no version had it, or it has no meaning here.
    """
    if _load is None or name.startswith("__"):
        raise KeyError(name)
    return _load().find(package, name)


def earlier_method(kind: str, instance: Any, name: str) -> Any:
    """Return a method that a class had in an earlier version, of an instance; None if no version had it."""
    return None if _load is None or name.startswith("_") else _load().method(kind, instance, name)


class EarlierMethod:
    """A class attribute that is a method of an earlier version; the class itself does not have it.

    Args:
        kind: the public name of the class.
        name: the name of the method.
    """

    def __init__(self, kind: str, name: str) -> None:
        self._kind, self._name = kind, name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        method = None if instance is None else earlier_method(self._kind, instance, self._name)
        if method is None:
            raise AttributeError(f"{self._kind!r} object has no attribute {self._name!r}", name=self._name)
        return method


def todays_arguments(
    kind: type, args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Return the arguments that a constructor takes today for those that it does not, or None if it never took them."""
    if _load is None:
        return None
    found: tuple[tuple[Any, ...], dict[str, Any]] | None = _load().todays_arguments(kind, args, named)
    return found


def answer_by_earlier_names(
    operation: Any, api: str, args: tuple[Any, ...], named: dict[str, Any], others: dict[str, Any]
) -> Any:
    """Return the result of an operation that is given arguments by names which it does not have today.

    Args:
        operation: the operation.
        api: its name in errors.
        args: the values of its parameters, in their order.
        named: the values of those that it takes by name only.
        others: the arguments by other names.

    Raises:
        TypeError: no version had these names.
    """
    package = _package_of(operation)
    if _load is not None:
        answer: Callable[[], Any] | None
        answer = _load().answer(f"{package}.{api}", operation, args, named, others)
        if answer is not None:
            return answer()
    text = f"{api}() got an unexpected keyword argument '{next(iter(others))}'"
    raise TypeError(text + keyword_hint(text, inspect.signature(operation).parameters))


def answer_of_cell(cell: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Callable[[], Any] | None:
    """Return what computes the call of a layer by names of inputs that only an earlier version had, or None."""
    construct = cell.construct
    parameters = inspect.signature(construct).parameters
    others = {name: value for name, value in named.items() if name not in parameters}
    if _load is None or not others or named.keys() & list(parameters)[: len(args)]:
        return None

    @functools.wraps(construct)
    def called(**todays: Any) -> Any:
        return cell(**todays)

    known = {name: value for name, value in named.items() if name in parameters}
    kinds: list[Any] = list(type(cell).__mro__)
    for kind in kinds[: 1 + next(i for i, kind in enumerate(kinds) if "construct" in vars(kind))]:
        if module_of(kind).startswith("torchspore.nn."):
            answer: Callable[[], Any] | None
            answer = _load().answer(f"nn.{kind.__name__}.construct", called, args, known, others)
            if answer is not None:
                return answer
    return None


def saying_what_it_was(error: Exception, operation: Any, api: str) -> Exception:
    """Add to the error of an operation what its arguments meant in an earlier version, if they meant something else."""
    is_ours = isinstance(error, (TypeError, ValueError)) and str(error).startswith(f"For '{api}'")
    if _load is not None and is_ours:
        hint = _load().what_it_was(f"{_package_of(operation)}.{api}")
        if hint and hint not in str(error):
            error.args = (f"{error} {hint}",)
    return error


def _package_of(operation: Any) -> str:
    """Return the package that an operation belongs to, without `torchspore.`; "" for one of a program."""
    package: str = operation.__module__.partition(".")[2].partition(".")[0]
    return package
