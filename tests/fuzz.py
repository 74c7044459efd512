"""The inputs of seeded random tests: few and always the same in `make test`, many and new ones each day in `make fuzz`.

TORCHSPORE_FUZZ       how many times as many inputs as usual. Default: 1.
TORCHSPORE_FUZZ_SEED  which inputs; a failure comes back with the same number. Default: 0.
"""

from __future__ import annotations

import os
import random
from typing import Any

__all__ = ["drawn", "inputs", "seeds"]

_TIMES = int(os.environ.get("TORCHSPORE_FUZZ", "1"))
_SEED = int(os.environ.get("TORCHSPORE_FUZZ_SEED", "0"))


def inputs(default: int) -> int:
    """Return the number of inputs to try."""
    return default * _TIMES


def seeds(default: int) -> range:
    """Return the seeds of the inputs to try."""
    return range(_SEED * 1000, _SEED * 1000 + inputs(default))


def drawn(key: Any) -> random.Random:
    """Return the generator for a test that draws all its inputs from one."""
    return random.Random(f"{key} {_SEED}" if _SEED else key)
