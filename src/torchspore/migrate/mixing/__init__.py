"""Torch modules in cells, and cells in torch modules: `as_cell` and `as_module`.

A torch module that is assigned as an attribute of a Cell, or put into a `SequentialCell`, `CellList` or `CellDict`,
becomes a child as if by `as_cell`. A Cell becomes a child of a torch module by `as_module`.
"""

from torchspore.nn.cell_module import as_module as as_module
from torchspore.nn.module_cell import as_cell as as_cell

__all__ = ["as_cell", "as_module"]
