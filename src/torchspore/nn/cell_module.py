"""Cells as torch modules: children of torch modules that torch's optimizers train and `state_dict` has."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import torch

from torchspore.common.parameter import Parameter
from torchspore.common.scopes import thread_values
from torchspore.common.scopes.scope import scope, transformation
from torchspore.engine.distributed.cutting.substitutes import substituted
from torchspore.engine.failures.errors import describe
from torchspore.engine.values.torch_values import to_tensors, to_torch_tensors
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
    attribute of a module without `as_module` is not a child: calling it there raises an error.

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


class _Running(threading.local):
    """What runs between the hooks of modules, innermost last.

    Attributes:
        calls: calls of cells, with their modules, which torch is about to run.
        entered: modules that torch runs, whose cells are about to be called.
        placed: the values that parameters have instead of their own.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[CellModule, Callable[..., Any]]] = []
        self.entered: list[CellModule] = []
        self.placed: dict[Parameter, torch.Tensor] = {}


_running = _Running()


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

    def take_over(self) -> None:
        """Give the cell what torch has done to its module: other parameters, and hooks, between which it runs from now.

        All modules inside must belong to cells.
        """
        for module in self.modules():
            assert isinstance(module, CellModule)
            for parameter, name, value in module._replaced():
                pair(parameter, value)
                module._mirrored[name] = value
            if module._forward_pre_hooks or module._forward_hooks:
                module.cell.__dict__["_module"] = module
                module.cell._refresh_plain()

    def take_new(self) -> None:
        """Take over what the cell has now."""
        self._mirror()

    def _replaced(self) -> list[tuple[Parameter, str, torch.nn.Parameter]]:
        """Return the parameters of the cell in whose places torch has put others: with their names, and those."""
        mirrored = self._mirrored
        return [
            (parameter, name, value)
            for name, parameter in self.cell._params.items()
            if parameter is not None
            and (value := self._parameters.get(name)) is not None
            and value is not mirrored.get(name)
        ]

    def run_between_hooks(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return what a call of the cell returns between the hooks of the module.

        Args:
            call: the call.
            args: its arguments.
            kwargs: its keyword arguments.
        """
        if _running.entered and _running.entered[-1] is self:
            _running.entered.pop()
            return call(*args, **kwargs)
        _running.calls.append((self, call))
        count = len(_running.calls)
        try:
            return to_tensors(self(*to_torch_tensors(args), **to_torch_tensors(kwargs)))
        except BaseException:
            del _running.calls[count - 1 :]
            reset = getattr(self, "reset_iter_state", None)  # of `fully_shard`
            if reset is not None:
                with contextlib.suppress(RuntimeError):  # only the outermost one can
                    reset()
            raise

    def run_with_values(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return what a call returns with the values that hooks have put in the places of parameters.

        Args:
            call: the call.
            args: its arguments.
            kwargs: its keyword arguments.

        Raises:
            RuntimeError: it has written to one of these parameters.
        """
        places = []
        for module in self.modules():
            assert isinstance(module, CellModule)
            places += [(parameter, value, module._mirrored[name]) for parameter, name, value in module._replaced()]
        places = [place for place in places if _running.placed.get(place[0]) is not place[1]]
        parameters: list[Any] = [parameter for parameter, _, _ in places]
        _running.placed.update({parameter: value for parameter, value, _ in places})
        thread_values.protect(parameters)
        before = [parameter._t for parameter in parameters]
        used = [substituted(parameter._t, value, own) for parameter, value, own in places]
        versions = [value._version for value in used]
        for parameter, value in zip(parameters, used):
            parameter._t = value
        try:
            result = call(*args, **kwargs)
            for parameter, value, version in zip(parameters, used, versions):
                if parameter._t is not value or value._version != version:
                    raise RuntimeError(
                        f"For '{type(self.cell).__name__}', 'construct' has written to the parameter "
                        f"'{parameter.name}', of which each process keeps only a part. Name it in 'ignored_params'."
                    )
            return result
        finally:
            for parameter, old in zip(parameters, before):
                parameter._t = old
                _running.placed.pop(parameter, None)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the cell."""
        if _running.calls and _running.calls[-1][0] is self:
            call = _running.calls.pop()[1]
            return to_torch_tensors(self.run_with_values(call, *to_tensors(args), **to_tensors(kwargs)))
        self._mirror()
        self._check_recomputation()
        count = len(_running.entered)
        if self.cell.__dict__["_module"] is not None:
            _running.entered.append(self)
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
                del _running.entered[count:]
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

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> CellModule:
        """Convert or move the members, as `to` and `double` do; what torch replaces reaches the cell."""
        self._mirror()
        super()._apply(fn, recurse)
        for name, buffer in self.cell._buffers.items():
            value = self._buffers[name]
            if buffer is not None and value is not None:
                buffer._hold(value)
        self._mirror()
        return self

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
