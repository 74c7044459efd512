"""Modules under MindSpore's names that show the operations and layers of a declared version."""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any

from torchspore.common.initializer import Initializer
from torchspore.common.names.loading import load, one_import
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.context import GRAPH_MODE, set_context
from torchspore.earlier.forms import declared_version, is_before, names_with_forms, of_version
from torchspore.earlier.numpy_names import add_earlier_names
from torchspore.earlier.parameters import show_parameters_of
from torchspore.nn.cell import Cell

__all__ = ["ModuleOfItsTime", "as_declared", "show_its_time"]

_KINDS: dict[str, type] = {"Tensor": Tensor, "Parameter": Parameter, "Initializer": Initializer}
_shown: dict[ModuleType, ModuleOfItsTime] = {}
_of_its_time = functools.cache(of_version)  # several modules show one function


@functools.cache
def _with_forms() -> dict[str, list[str]]:
    """Return the public functions and classes with forms, by what follows the package."""
    found: dict[str, list[str]] = {}
    for path in names_with_forms():
        found.setdefault(path.partition(".")[2], []).append(path)
    return found


class ModuleOfItsTime(ModuleType):
    """A module of ours as the declared version of MindSpore had it. What a program sets in it is set in ours.

    Args:
        today: the module.
    """

    def __init__(self, today: ModuleType) -> None:
        super().__init__(today.__name__, today.__doc__)
        package = f"{today.__name__}.".split(".")[1]
        names = [name.partition(".")[2] for name in names_with_forms() if name.startswith(f"{package}.")]
        vars(self).update(_today=today)
        if today is sys.modules.get(f"torchspore.{package}"):
            _show_methods_of_classes(today, package, names)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._today, name)
        if isinstance(value, ModuleType):
            return as_declared(value) if f"{value.__name__}.".startswith("torchspore.") else value
        for path in _with_forms().get(name, ()):
            package = path.partition(".")[0]
            if package not in _KINDS and value is getattr(load(f"torchspore.{package}"), name, None):
                value = vars(self)[name] = _of_its_time(path, value, declared_version())
                break
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if not name.startswith("__") and not isinstance(value, ModuleOfItsTime):  # which the import system sets
            setattr(self._today, name, value)

    def __delattr__(self, name: str) -> None:
        vars(self).pop(name, None)
        delattr(self._today, name)

    def __dir__(self) -> list[str]:
        return dir(self._today)


def _show_methods_of_classes(today: ModuleType, package: str, names: list[str]) -> None:
    for name in names:
        owner, _, method = name.partition(".")
        if method:
            kind = getattr(today, owner)
            its_own = getattr(kind, method, None)  # None if it is gone
            of_its_time = of_version(f"{package}.{name}", its_own, declared_version())
            if of_its_time is not its_own:
                setattr(kind, method, of_its_time)


def as_declared(module: ModuleType) -> ModuleOfItsTime:
    """Return a module of ours as the declared version had it; there is one for each."""
    with one_import:
        if module not in _shown:
            _shown[module] = ModuleOfItsTime(module)
        return _shown[module]


def show_its_time() -> None:
    """Give tensors, cells and NumPy what they had in the declared version, and programs its mode."""
    version = str(declared_version())
    if is_before(version, "2.0"):
        set_context(mode=GRAPH_MODE)
    if is_before(version, "2.5"):
        Cell._brackets = ("<", ">", "\n  >")
        add_earlier_names()
    show_parameters_of(version)
    for name in names_with_forms():
        owner, _, method = name.partition(".")
        kind = _KINDS.get(owner)
        if kind is not None:
            of_its_time = of_version(name, getattr(kind, method, None), declared_version())
            if of_its_time is not None:
                setattr(kind, method, of_its_time)
