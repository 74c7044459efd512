"""Functions of checkpoints as MindSpore 1 had them."""

from __future__ import annotations

from typing import Any

from torchspore.earlier.forms import form
from torchspore.nn.cell import Cell
from torchspore.serialization import load_param_into_net

__all__ = []


@form("serialization.load_param_into_net", until="1.10", now="load_param_into_net(net, parameter_dict)[0]")
def names_not_loaded(net: Cell, parameter_dict: dict[str, Any], strict_load: bool = False) -> list[str]:
    """Return only the names of parameters that were not loaded."""
    return load_param_into_net(net, parameter_dict, strict_load)[0]
