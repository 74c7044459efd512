"""Checks of settings of Ascend cards."""

from __future__ import annotations

from typing import Any

from torchspore.engine.errors import describe

__all__ = ["check_choice", "check_kind"]


def check_kind(value: Any, kind: type, name: str, api: str) -> None:
    """Check the type of a setting."""
    if not isinstance(value, kind):
        raise TypeError(f"For '{api}', '{name}' must be of type {kind.__name__}, but got {describe(value)}.")


def check_choice(value: Any, choices: tuple[Any, ...], name: str, api: str) -> None:
    """Check that a setting is one of some values."""
    check_kind(value, type(choices[0]), name, api)
    if value not in choices:
        raise ValueError(f"For '{api}', '{name}' must be one of {choices}, but got {value!r}.")
