"""Cells as torch modules: children of torch modules that torch's optimizers train and `state_dict` has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from torchspore.common import thread_values
from torchspore.common.parameter import Parameter
from torchspore.common.scope import scope, transformation
from torchspore.engine.errors import describe
from torchspore.engine.torch_values import to_tensors, to_torch_tensors
from torchspore.nn.cell import Cell
from torchspore.nn.module_cell import ModuleCell, as_cell, swapping
from torchspore.nn.torch_parameters import modules, pair, refresh, torch_parameter_of

__all__ = ["CellModule", "as_module"]


def as_module(cell: Cell) -> torch.nn.Module:
    """Return a cell as a torch module: it takes and returns torch tensors, and its parameters are the cell's.

    Args:
        cell: the cell. Its parameters, its buffers and the cells inside are members of the module, under their names;
            they share the memory, so that updates on either side are seen on the other.

    Returns:
        A module, always the same one for a cell; `module.cell` is the cell. It is in the mode of the cell (training or
        not). `backward()` through it works, and gradients of gradients.

    Raises:
        TypeError: `cell` is not a Cell.

    Members that are added to the cell later are found by the next call of the module. A cell that is set as an
    attribute of a module without `as_module` is no child: calling it there raises an error.

    Examples:
        >>> import torch
        >>> import torchspore as ms
        >>> from torchspore import migrate
        >>> module = migrate.as_module(ms.nn.Dense(2, 3))
        >>> module(torch.ones(4, 2)).sum().backward()
        >>> [(name, tuple(parameter.grad.shape)) for name, parameter in module.named_parameters()]
        [('weight', (3, 2)), ('bias', (3,))]
    """
    if isinstance(cell, ModuleCell):
        return cell.module
    if not isinstance(cell, Cell):
        raise TypeError(f"For 'as_module', 'cell' must be a Cell, but got {describe(cell)}.")
    return modules.get(id(cell)) or CellModule(cell)


class CellModule(torch.nn.Module):
    """A cell as a torch module; `as_module` makes it."""

    cell: Cell
    _mirrored: dict[str, torch.nn.Parameter]

    def __init__(self, cell: Cell) -> None:
        super().__init__()
        self.__dict__["cell"] = cell
        self.__dict__["_mirrored"] = {}
        self._note()
        self._mirror()

    def _note(self) -> None:
        modules[id(self.cell)] = self

    @property
    def _cell_inside(self) -> Cell:
        """The cell, for `as_cell`."""
        return self.cell

    def _mirror(self) -> None:
        """Take over what the cell has now; inside scopes and graphs nothing changes."""
        if scope.depth or scope.tracing is not None:
            return
        cell = self.cell
        self.__dict__["training"] = cell.training
        self._mirror_parameters(cell._params)
        for name, buffer in cell._buffers.items():
            value = None if buffer is None else buffer._t
            if name not in self._buffers or self._buffers[name] is not value:
                self._buffers[name] = value
        self._non_persistent_buffers_set.clear()
        self._non_persistent_buffers_set.update(cell.__dict__["_transient_buffers"])
        for name, child in cell._cells.items():
            module = None if child is None else as_module(child)
            if self._modules.get(name) is not module or name not in self._modules:
                self._modules[name] = module
            if isinstance(module, CellModule):
                module._mirror()
        _drop(self._parameters, cell._params)
        _drop(self._buffers, cell._buffers)
        _drop(self._modules, cell._cells)

    def _mirror_parameters(self, members: Any) -> None:
        for name, parameter in members.items():
            known = self._parameters.get(name)
            if known is not None and known is not self._mirrored.get(name):
                continue  # torch put another value there for a while, as functional_call does
            if parameter is None:
                self._parameters[name] = None
                continue
            if known is not None and parameter.twin is None:
                pair(parameter, known)  # a copy of both
            self._parameters[name] = self._mirrored[name] = torch_parameter_of(parameter)
            refresh(parameter)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the cell."""
        self._mirror()
        self._check_recomputation()
        with swapping, transformation():
            places = list(self._places())
            parameters = [parameter for parameter, _ in places]
            thread_values.protect(parameters)
            before = [parameter._t for parameter in parameters]
            for parameter, value in places:
                parameter._t = value
            try:
                return to_torch_tensors(self.cell(*to_tensors(args), **to_tensors(kwargs)))
            finally:
                for (parameter, value), old in zip(places, before):
                    if parameter._t is value:  # else it was written, and the scope's end takes the new value over
                        parameter._t = old

    def _check_recomputation(self) -> None:
        """Refuse cells that would be run again by `backward()`, when they no longer have the module's parameters."""
        if not scope.depth and torch.is_grad_enabled():
            for path, cell in self.cell.cells_and_names():
                if cell._recompute:
                    raise NotImplementedError(
                        f"For 'as_module', recompute() of the cell '{path or type(cell).__name__}' is not supported in "
                        "a torch module. Use torch.utils.checkpoint.checkpoint(module, x, use_reentrant=False)."
                    )

    def _places(self) -> Iterator[tuple[Parameter, Any]]:
        """Yield the parameters of the cell and those inside with the values that the modules have now."""
        for module in self.modules():
            for name, parameter in as_cell(module)._params.items():
                value = module._parameters.get(name)
                if value is not None and parameter is not None and parameter._t is not value:
                    yield parameter, value

    def train(self, mode: bool = True) -> CellModule:
        """Put the cell and all inside into training (True) or inference (False) mode; return the module."""
        super().train(mode)
        self.cell.set_train(mode)
        return self

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._note()
        self._mirror()

    def extra_repr(self) -> str:
        """Return what `repr` shows: the class of the cell."""
        return type(self.cell).__name__


ModuleCell._module_of = staticmethod(as_module)


def _drop(members: Any, known: Any) -> None:
    for name in members.keys() - known.keys():
        del members[name]
