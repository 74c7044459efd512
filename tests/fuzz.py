"""How many random inputs a seeded test tries: few in `make test`, many in `make fuzz`."""

from __future__ import annotations

import os

__all__ = ["inputs"]


def inputs(default: int) -> int:
    """Return the number of inputs to try: `default`, times TORCHSPORE_FUZZ where the environment sets it."""
    return default * int(os.environ.get("TORCHSPORE_FUZZ", "1"))
