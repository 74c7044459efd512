"""A log on stderr of when and why functions are recorded, enabled by TORCHSPORE_LOG=recompiles."""

from __future__ import annotations

import os
import sys

__all__ = ["log", "logged"]


def logged() -> bool:
    """Return whether the environment asks for the log."""
    return "recompiles" in os.environ.get("TORCHSPORE_LOG", "").split(",")


def log(name: str, reason: str) -> None:
    """Write a line."""
    if logged():
        sys.stderr.write(f"torchspore: '{name}' is recorded: {reason}\n")
