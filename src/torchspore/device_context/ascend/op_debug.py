"""How errors on Ascend cards are found: checked, and without effect."""

from __future__ import annotations

from typing import Any

from torchspore.engine.checks import check_choice, check_int, check_kind

__all__ = ["aclinit_config", "debug_option", "execute_timeout"]


def execute_timeout(op_timeout: int) -> None:
    """Accept a time limit for operations, in seconds; 0 for no limit. MindSpore's default: 900."""
    check_int(op_timeout, "op_timeout", "execute_timeout", minimum=0)


def debug_option(option_value: str) -> None:
    """Accept what operations are checked for: "oom", accesses out of bounds."""
    check_choice(option_value, ("oom",), "option_value", "debug_option")


def aclinit_config(config: dict[str, Any]) -> None:
    """Accept settings for the start of Ascend's runtime."""
    check_kind(config, dict, "config", "aclinit_config")
