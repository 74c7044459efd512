"""All rows, and the rows of a name."""

from __future__ import annotations

import functools

from .domains import DOMAINS
from .functional import FUNCTIONAL
from .functions import FUNCTIONS
from .mathematics import MATHEMATICS
from .nn import LAYERS, MODULES
from .optim import INIT, OPTIMIZERS, SCHEDULES
from .row import Row
from .tensor import TENSOR
from .training import DATA, DEVICES, DISTRIBUTED, GRADIENTS

__all__ = ["ROWS", "rows_of"]

ROWS: tuple[Row, ...] = (
    *LAYERS,
    *MODULES,
    *FUNCTIONAL,
    *FUNCTIONS,
    *MATHEMATICS,
    *TENSOR,
    *OPTIMIZERS,
    *SCHEDULES,
    *INIT,
    *DATA,
    *GRADIENTS,
    *DEVICES,
    *DISTRIBUTED,
    *DOMAINS,
)


@functools.cache
def _index() -> dict[str, tuple[Row, ...]]:
    found: dict[str, list[Row]] = {}
    for row in ROWS:
        for name in {row.torch, row.mindspore} - {None}:
            found.setdefault(str(name), []).append(row)
    return {name: tuple(rows) for name, rows in found.items()}


def rows_of(name: str) -> tuple[Row, ...]:
    """Return the rows of a full name in PyTorch or MindSpore, the first choice first; () if there are none."""
    return _index().get(name, ())
