"""Names of MindSpore's layers and optimizers that cannot be supported: using one says why, and what to use instead."""

from __future__ import annotations

from typing import Any

from torchspore.common.names.unsupported import unsupported
from torchspore.nn.cell import Cell

UNSUPPORTED = unsupported("nn")


def _refusing(name: str, reason: str) -> type[Cell]:
    """Return a class that refuses to be used."""

    def refuse_to_be_made(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"For '{name}', {reason}")

    doc = f"Not supported: {reason}"
    return type(name, (Cell,), {"__init__": refuse_to_be_made, "__doc__": doc, "__module__": __name__})


globals().update({name: _refusing(name, reason) for name, reason in UNSUPPORTED.items()})

__all__ = [*UNSUPPORTED]
