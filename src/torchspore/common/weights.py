"""The tensors of the program that may be trained, and the flag that says whether they are."""

from __future__ import annotations

import weakref
from typing import Any

from torchspore.common import change_count

__all__ = ["Flag", "TrainedFlag", "is_weight", "note", "trained"]

_weights: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()  # by id: tensors compare by element


class Flag:
    """An attribute of parameters that is a bool, checked when it is set."""

    def __init__(self, default: bool) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, parameter: Any, owner: type | None = None) -> bool:
        return self._default if parameter is None else parameter.__dict__.get(self._name, self._default)

    def __set__(self, parameter: Any, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(
                f"For 'Parameter', '{self._name}' must be a bool, but got {value!r} of type {type(value).__name__}."
            )
        change_count.increase()
        parameter.__dict__[self._name] = value


class TrainedFlag(Flag):
    """The flag `requires_grad`, which makes a tensor a weight once it is set.

    Args:
        default: its value before. Default: None, the attribute is missing.
    """

    def __init__(self, default: bool | None = None) -> None:
        super().__init__(bool(default))
        self._is_missing = default is None

    def __get__(self, parameter: Any, owner: type | None = None) -> bool:
        if self._is_missing and (parameter is None or self._name not in parameter.__dict__):
            raise AttributeError(f"The tensor has no attribute '{self._name}'.")
        return super().__get__(parameter, owner)

    def __set__(self, parameter: Any, value: bool) -> None:
        super().__set__(parameter, value)
        note(parameter)


def note(copy: Any) -> None:
    """Note a tensor that has the attributes of another."""
    if is_weight(copy):
        _weights[id(copy)] = copy


def is_weight(tensor: Any) -> bool:
    """Return whether a tensor is a Parameter, or one that a package made a weight by setting `requires_grad`."""
    return "requires_grad" in tensor.__dict__


def trained() -> list[Any]:
    """Return all weights of the program that are to be trained."""
    return [weight for weight in _weights.values() if weight.requires_grad]
