"""Errors for missing attributes that suggest the nearest existing name, searched for when the message is read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from torchspore.common.frames.stack import is_imported
from torchspore.common.names.earlier_names import earlier
from torchspore.common.names.near_names import suggestion
from torchspore.common.names.public_names import list_public_names
from torchspore.common.names.torch_habits import module_hint

__all__ = ["MissingNameError", "missing_name", "suggest_names"]


class MissingNameError(AttributeError):
    """An object has no attribute of a name.

    Args:
        text: the message without the suggestion.
        names: returns the names that exist. It is called when the message is read: `hasattr` stays cheap.
        name: the name that was asked for.
        obj: the object that was asked.
    """

    def __init__(self, text: str, names: Callable[[], Iterable[str]], *, name: str, obj: object) -> None:
        super().__init__(text, name=name, obj=obj)
        self._names = names

    def __str__(self) -> str:
        return f"{self.args[0]}{suggestion(str(self.name), self._names())}"

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)


MissingNameError.__name__ = "AttributeError"  # what tracebacks show
MissingNameError.__module__ = "builtins"


def missing_name(names: dict[str, Any], name: str, also: Iterable[str] = ()) -> Exception:
    """Return the exception for a name that a package does not have: what its `__getattr__` raises.

    Args:
        names: the package's `globals()`.
        name: the name that was asked for.
        also: names of the package that are not in its `__all__`.

    Returns:
        An AttributeError. For `from package import name` an ImportError, because Python drops an AttributeError's text.
    """
    package = names["__name__"]

    hint = module_hint(package, name)

    def known() -> list[str]:
        return [] if hint else [*names["__all__"], *also]

    if is_imported():
        text = f"cannot import name {name!r} from {package!r} ({names['__file__']}).{hint or suggestion(name, known())}"
        return ImportError(text, name=package, path=names["__file__"])
    return MissingNameError(
        f"module {package!r} has no attribute {name!r}.{hint}", known, name=name, obj=sys.modules.get(package)
    )


def suggest_names(names: dict[str, Any], found: Callable[[str], Any] | None = None, also: Iterable[str] = ()) -> None:
    """Give a package a `__getattr__` that suggests the nearest name for a mistyped one, and a `__dir__`.

    It is set dynamically: type checkers would otherwise assume that the package has every name.

    Args:
        names: the package's `globals()`.
        found: a function that returns what further names mean, or raises KeyError. Default: None.
        also: names of the package that are not in its `__all__`. Default: none.
    """

    package = names["__name__"].partition(".")[2]

    def today(name: str) -> Any:
        if found is not None:
            with suppress(KeyError):
                return found(name)
        raise missing_name(names, name, also)

    def find(name: str) -> Any:
        try:
            return today(name)
        except (AttributeError, ImportError):
            with suppress(KeyError):
                return earlier(package, name)
            raise

    find.today = today  # type: ignore[attr-defined]  # for who has other answers before those of earlier versions
    names["__getattr__"] = find
    list_public_names(names)
