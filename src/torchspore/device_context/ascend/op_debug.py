"""How errors on Ascend cards are found: checked, and without effect."""

from __future__ import annotations

from typing import Any, Literal

from torchspore.engine.parameters import NotNegative, checked

__all__ = ["aclinit_config", "debug_option", "execute_timeout"]


@checked
def execute_timeout(op_timeout: NotNegative) -> None:
    """Accept a time limit for operations, in seconds; 0 for no limit. MindSpore's default: 900."""


@checked
def debug_option(option_value: Literal["oom"]) -> None:
    """Accept what operations are checked for: "oom", accesses out of bounds."""


@checked
def aclinit_config(config: dict[str, Any]) -> None:
    """Accept settings for the start of Ascend's runtime."""
