"""Checks of MindSpore 1.5 to 2.2 that programs import with its transformer layers, which check by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["accept", "accepting", "keep_function"]


def keep_function(*_kinds: Any, **_named: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that returns the function that it decorates.

    Source: MindSpore 1.10, `nn.transformer.layers._args_type_validator_check`.
    """
    return lambda function: function


def accept(*_args: Any, **_named: Any) -> bool:
    """Return True.

    Source: MindSpore 1.10, `nn.transformer.layers._check_input_shape` and others.
    """
    return True


def accepting(*_args: Any) -> Callable[..., bool]:
    """Return a function that returns True.

    Source: MindSpore 1.10, `nn.transformer.layers._valid_value_checks` and others.
    """
    return accept
