"""Numbers for which MindSpore takes bools: True counts as 1, False as 0.

`bool_numbers.json` has the names of the parameters, by API. Other numbers must not be bools there, too.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

__all__ = ["takes_bools"]


@functools.cache
def _numbers() -> dict[str, str]:
    found: dict[str, str] = json.loads(Path(__file__).with_suffix(".json").read_text())
    return found


def takes_bools(name: str, api: str) -> bool:
    """Return whether a number of an API may be a bool; that of elements such as `shear[0]` is noted as `shear[]`."""
    if name.endswith("]"):
        name = f"{name.partition('[')[0]}[]"
    return name in _numbers().get(api.removeprefix("Tensor."), "").split()
