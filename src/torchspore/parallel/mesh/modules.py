"""The torch modules of cells, to which torch's functions for parallel training are applied."""

from __future__ import annotations

from typing import Any

from torchspore.common.parameter import Parameter
from torchspore.engine.distributed.cutting.calls import allow
from torchspore.engine.failures.errors import describe
from torchspore.nn.cell import Cell
from torchspore.nn.cell_module import CellModule, as_module
from torchspore.nn.torch_parameters import torch_parameter_of

__all__ = ["clear_gradient", "module_of"]


def module_of(cell: Any, api: str) -> CellModule:
    """Return a cell as a module whose parameters and hooks torch may change.

    Raises:
        TypeError: it is not a Cell.
        NotImplementedError: there is a torch module inside.
    """
    if not isinstance(cell, Cell):
        raise TypeError(f"For '{api}', 'module' must be a Cell, but got {describe(cell)}.")
    module = as_module(cell)
    for path, inside in module.named_modules():
        if not isinstance(inside, CellModule):
            raise NotImplementedError(
                f"For '{api}', the torch module '{path or type(inside).__name__}' inside the cell is not supported. "
                "Use torch's function for a network of torch modules."
            )
    allow()
    assert isinstance(module, CellModule)
    return module


def clear_gradient(parameter: Parameter) -> None:
    """Forget the gradient of a parameter that a schedule has added up."""
    torch_parameter_of(parameter).grad = None
    parameter.__dict__.pop("grad", None)
