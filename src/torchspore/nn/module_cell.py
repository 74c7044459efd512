"""Torch modules as cells: children of cells that MindSpore's optimizers train and its checkpoints save."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import torch
from torch.nn.parameter import is_lazy

from torchspore.common import change_count
from torchspore.common import device as devices
from torchspore.common.frames.user_lines import warn_user
from torchspore.common.parameter import Parameter
from torchspore.common.scopes.scope import replace_value, scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.values.torch_values import to_tensors, to_torch_tensors
from torchspore.nn.cell import Cell, Members
from torchspore.nn.torch_parameters import cells, modules, pair, parameter_of, refresh, torch_parameter_of

__all__ = ["ModuleCell", "as_cell", "swapping"]

# While a module runs, it has the values of the scope instead of its parameters: one thread at a time.
swapping = threading.RLock()

_META = torch.device("meta")
_OF_MODULES = frozenset(dir(torch.nn.Module))
_WITH_STATISTICS = (
    torch.nn.BatchNorm1d, torch.nn.BatchNorm2d, torch.nn.BatchNorm3d, torch.nn.SyncBatchNorm, torch.nn.InstanceNorm1d,
    torch.nn.InstanceNorm2d, torch.nn.InstanceNorm3d,
)  # fmt: skip


def as_cell(module: torch.nn.Module) -> Cell:
    """Return a torch module as a cell: it takes and returns Tensors, and its parameters are the module's.

    Args:
        module: the module. It is moved to the device in use, where the Tensors of a program are. Its parameters, its
            buffers and the modules inside are members of the cell, under their names; they share the memory, so that
            updates on either side are seen on the other. A buffer that is saved is a Parameter that is not trained,
            like `moving_mean` of `BatchNorm2d`.

    Returns:
        A Cell, always the same one for a module; `cell.module` is the module. Other attributes are the module's:
        modules as cells, parameters as Parameters, methods as functions of Tensors. The cell is in the mode of the
        module (training or not). Assigned as an attribute of another cell, a module becomes such a cell without
        `as_cell`, in the mode of that cell.

    Raises:
        TypeError: `module` is not a torch module.
        ValueError: the parameters of the module are not initialised yet.
        NotImplementedError: the module is a script: its parameters cannot be replaced while it runs.

    Gradients flow through the module in `grad` and `value_and_grad`, in graphs too. A call outside them records
    nothing for the parameters, as a call of any other cell.

    Examples:
        >>> import torch
        >>> import torchspore as ms
        >>> from torchspore import migrate
        >>> cell = migrate.as_cell(torch.nn.Linear(2, 3))
        >>> [(parameter.name, parameter.shape) for parameter in cell.trainable_params()]
        [('weight', (3, 2)), ('bias', (3,))]
        >>> cell(ms.ops.ones((4, 2), ms.float32)).shape
        (4, 3)
    """
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"For 'as_cell', 'module' must be a torch.nn.Module, but got {describe(module)}.")
    wrapped = getattr(module, "_cell_inside", None)
    if wrapped is not None:
        return wrapped
    known = cells.get(id(module))
    if known is not None:
        known._mirror()
        return known
    if isinstance(module, torch.jit.ScriptModule):
        raise NotImplementedError(
            "For 'as_cell', a script module is not supported: its parameters cannot be replaced while it runs. "
            "Give the module that the script was made of."
        )
    return ModuleCell(module)


class _Mirrored(Members):
    """The members of a module's cell: found through the module, not as attributes."""

    def __setitem__(self, name: str, value: Any) -> None:
        change_count.increase()
        super(Members, self).__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        change_count.increase()
        super(Members, self).__delitem__(name)


def _registry(name: str) -> Any:
    """Return the property for a registry of a module's cell: what the module has now."""

    def read(cell: ModuleCell) -> Any:
        cell._mirror()
        return cell.__dict__[name]

    return property(read)


class ModuleCell(Cell):
    """A torch module as a cell; `as_cell` makes it."""

    _params = _registry("_params")
    _cells = _registry("_cells")
    _buffers = _registry("_buffers")

    _internals = Cell._internals - {"_cells"}  # the children are not attributes too

    module: torch.nn.Module
    _module_of: ClassVar[Any]  # returns a cell as a module; set by `cell_module`, which imports this module

    @property
    def training(self) -> bool:
        """Whether the module is in training mode."""
        return self.module.training

    @training.setter
    def training(self, value: bool) -> None:
        change_count.increase()
        self.module.training = value

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        _move(module)
        self._adopt(module)
        self._take_over()
        for path, parameter in self.parameters_and_names():
            if "." in path and "." not in parameter.name:
                parameter.name = path

    def _adopt(self, module: torch.nn.Module) -> None:
        for registry in ("_params", "_cells", "_buffers"):
            self.__dict__[registry] = _Mirrored(self)
        self.__dict__["module"] = module
        self.__dict__["_held"] = ()  # the buffers that are not parameters; graphs find them here
        cells[id(module)] = self

    # The members, as the module has them now

    def _mirror(self) -> None:
        """Take over what the module has; inside scopes and graphs nothing changes."""
        if not scope.depth and scope.tracing is None:
            self._take_over()

    def _take_over(self) -> None:
        module, attributes = self.module, self.__dict__
        buffers, transient = module._buffers, module._non_persistent_buffers_set
        if not buffers:
            self._mirror_parameters(module._parameters)
        else:
            saved = {name: value for name, value in buffers.items() if name not in transient}
            self._mirror_parameters({**module._parameters, **saved})
        if transient or attributes["_buffers"]:
            self._mirror_buffers({name: value for name, value in buffers.items() if name in transient})
        if module._modules or attributes["_cells"]:
            self._mirror_modules(attributes["_cells"])

    def _mirror_parameters(self, values: Mapping[str, torch.Tensor | None]) -> None:
        members = self.__dict__["_params"]
        for name, value in values.items():
            known = members.get(name)
            if value is None:
                if known is not None or name not in members:
                    members[name] = None
            elif known is None or known.twin is None or known.twin.value is not value:
                members[name] = self._parameter(name, value, known)
            else:
                refresh(known)
        _drop_others(members, values)

    def _parameter(self, name: str, value: torch.Tensor, known: Parameter | None) -> Parameter:
        """Return the Parameter for a tensor of the module that it did not have under this name."""
        if known is not None and (known.twin is None or name in self.module._buffers):
            pair(known, value)  # a copy of both, or a buffer's new value
            return known
        parameter = parameter_of(value)
        if parameter.has_default_name:
            parameter.name = name if known is None else known.name
        return parameter

    def _mirror_buffers(self, values: dict[str, torch.Tensor | None]) -> None:
        members = self.__dict__["_buffers"]
        for name, value in values.items():
            if name not in members or getattr(members[name], "_t", None) is not value:
                members[name] = None if value is None else wrap(value)
        _drop_others(members, values)
        self.__dict__["_transient_buffers"] = set(members)
        held = tuple([buffer for buffer in members.values() if buffer is not None])
        if len(held) != len(self._held) or any(new is not old for new, old in zip(held, self._held)):
            self.__dict__["_held"] = held

    def _mirror_modules(self, members: Any) -> None:
        modules = self.module._modules
        for name, module in modules.items():
            known = members.get(name)
            if module is None:
                if known is not None or name not in members:
                    members[name] = None
            elif known is None or getattr(known, "module", None) is not module:
                cell = as_cell(module)
                if cell is not known:
                    members[name] = cell
                    _take_names(cell, known)
        _drop_others(members, modules)

    # Running

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module."""
        return self._run_module(self.module, args, kwargs)

    def _run_module(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a function of the module with the values that the parameters have in the open scope."""
        with swapping:
            places: list[tuple[dict[str, Any], str, Tensor]] = []
            self._collect(places, set())
            before = [members[name] for members, name, _ in places]
            self._warn_of_hooks(before)
            given = [tensor._t for _, _, tensor in places]
            for (members, name, _), value in zip(places, given):
                members[name] = value
            try:
                with self._kernels():
                    return to_tensors(function(*to_torch_tensors(args), **to_torch_tensors(kwargs)))
            finally:
                for (members, name, tensor), value, old in zip(places, given, before):
                    now = members.get(name)
                    members[name] = old
                    if now is not value and now is not None:
                        _set_buffer(members, name, tensor, now)

    def _warn_of_hooks(self, parameters: list[Any]) -> None:
        """Warn once of hooks of torch's parameters: gradients of other tensors, in their places, are computed."""
        if "_warned" not in self.__dict__ and any(getattr(each, "_backward_hooks", None) for each in parameters):
            self.__dict__["_warned"] = True
            warn_user(
                f"For '{type(self.module).__name__}' in a Cell, hooks of torch parameters are not called: register "
                "them with register_hook of the parameters of the Cell, in get_parameters(). This is said once."
            )

    def _kernels(self) -> contextlib.AbstractContextManager[None]:
        """Return the context for running the module: a graph cannot repeat oneDNN's LSTM."""
        if scope.tracing is None or not any(isinstance(inside, torch.nn.LSTM) for inside in self.module.modules()):
            return contextlib.nullcontext()
        return torch.backends.mkldnn.flags(enabled=False)

    def _collect(self, places: list[tuple[dict[str, Any], str, Tensor]], seen: set[int]) -> None:
        """Note where the module and those inside hold tensors: (dict, name, the Tensor of the cell)."""
        if id(self) in seen:
            return
        seen.add(id(self))
        self._mirror()
        module, attributes = self.module, self.__dict__
        for name, parameter in attributes["_params"].items():
            if parameter is not None:
                places.append((module._parameters if name in module._parameters else module._buffers, name, parameter))
        for name, buffer in attributes["_buffers"].items():
            if buffer is not None:
                places.append((module._buffers, name, buffer))
        for cell in attributes["_cells"].values():
            if isinstance(cell, ModuleCell):
                cell._collect(places, seen)
            elif cell is not None:
                _collect_cell(cell, places, seen)

    def _compute(self, *args: Any, **kwargs: Any) -> Any:
        if self._precision is None:
            return self._construct(args, kwargs)
        held = [parameter for cell in self._precise_cells() for parameter in cell._params.values()]
        return self._precision.call(self._construct, held, args, kwargs)

    def _precise_cells(self) -> Iterator[Cell]:
        """Yield the cells inside whose parameters are computed with in the cell's precision; statistics are not."""
        for _, cell in self.cells_and_names():
            if isinstance(cell, ModuleCell) and not isinstance(cell.module, _WITH_STATISTICS):
                yield cell

    # What a captured graph depends on

    def _module_state(self) -> list[Any]:
        """Return the attributes of the module: modes, settings, hooks and members."""
        self._mirror()
        state: list[Any] = []
        for name, value in vars(self.module).items():
            if name.startswith("_flat_weight"):  # what a recurrent layer derives from its parameters
                continue
            state.append(value)
            if isinstance(value, dict):
                state.extend(value.values())
        return state

    # Attributes

    def __getattr__(self, name: str) -> Any:
        module = self.__dict__.get("module")
        if module is None or name.startswith("__") or not hasattr(module, name):
            return self._missing(name)
        value = getattr(module, name)
        if isinstance(value, torch.nn.Module):
            self._mirror()  # a new one takes the names of the one that it replaces
            return as_cell(value)
        if isinstance(value, torch.Tensor):
            members = self._params if name in self._params else self._buffers
            return members[name] if name in members else to_tensors(value)
        if callable(value) and name not in _OF_MODULES and getattr(value, "__self__", None) is module:
            return self._method(value)
        return value

    def _method(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a method of the module that takes and returns Tensors."""

        @functools.wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            return self._run_module(method, args, kwargs)

        return call

    def __setattr__(self, name: str, value: Any) -> None:
        own = name.startswith("_") or name in self.__dict__ or name in self._flags or hasattr(Cell, name)
        if "module" not in self.__dict__ or own:
            super().__setattr__(name, value)
            return
        setattr(self.module, name, _as_torchs(value))
        self._mirror()

    def __delattr__(self, name: str) -> None:
        if name in self.__dict__:
            super().__delattr__(name)
        else:
            delattr(self.module, name)
            self._mirror()

    def __getitem__(self, index: Any) -> Any:
        self._mirror()
        found = self.module[index]  # type: ignore[index]
        return as_cell(found) if isinstance(found, torch.nn.Module) else to_tensors(found)

    def __len__(self) -> int:
        return len(self.module)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Any]:
        self._mirror()
        for found in self.module:  # type: ignore[attr-defined]
            yield as_cell(found) if isinstance(found, torch.nn.Module) else to_tensors(found)

    def __bool__(self) -> bool:
        return True

    def _set_mode(self, training: bool) -> list[Cell]:
        self.module.train(training)  # a module may keep parts of it in another mode
        return [cell for _, cell in self.cells_and_names()]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        members = {name: list(state[name]) for name in ("_params", "_cells", "_buffers")}
        self._adopt(state["module"])
        for name, items in members.items():
            for key, value in items:
                self.__dict__[name][key] = value
        self._mirror()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n  {self.module!r}".replace("\n", "\n  ") + "\n)"


def _child(cell: Cell, module: torch.nn.Module) -> Cell:
    """Return a module that becomes a child of a cell as a cell, in the mode of its parent."""
    return as_cell(module).set_train(cell.training)


Cell._of_module = staticmethod(_child)
Cell._of_torch_parameter = staticmethod(parameter_of)


def _collect_cell(cell: Cell, places: list[tuple[dict[str, Any], str, Tensor]], seen: set[int]) -> None:
    """Note where the module of a cell inside a module, and those inside, hold the parameters."""
    for _, inside in cell.cells_and_names():
        if isinstance(inside, ModuleCell):
            inside._collect(places, seen)
        elif id(inside) not in seen:
            seen.add(id(inside))
            members = modules[id(inside)]._parameters
            places += [(members, name, p) for name, p in inside._params.items() if p is not None]


def _drop_others(members: Any, known: Any) -> None:
    """Remove the members that a module no longer has; it has no others than these."""
    if len(members) != len(known):
        for name in members.keys() - known.keys():
            del members[name]


def _take_names(cell: Cell, known: Any) -> None:
    """Give the parameters of a module that replaces another the names of those in the same places."""
    before = dict(known.parameters_and_names()) if known is not None else {}
    for path, parameter in cell.parameters_and_names():
        if path in before:
            parameter.name = before[path].name


def _move(module: torch.nn.Module) -> None:
    """Move a module to the device in use; what is on "meta", or has no shape yet, has no values to move."""
    device = devices.current()
    held = (*module.parameters(), *module.buffers())
    if any(tensor.device not in (device, _META) for tensor in held) and not any(map(is_lazy, held)):
        module._apply(lambda tensor: tensor if tensor.device == _META else tensor.to(device))


def _set_buffer(members: dict[str, Any], name: str, tensor: Tensor, value: torch.Tensor) -> None:
    """Give a buffer the value that a module's call has assigned to it."""
    if scope.depth or scope.tracing is not None:
        replace_value(tensor, value)
    else:
        members[name] = value.detach()


def _as_torchs(value: Any) -> Any:
    """Return what a module gets for an attribute that is set in its cell."""
    if isinstance(value, Cell):
        return ModuleCell._module_of(value)
    return torch_parameter_of(value) if isinstance(value, Parameter) else to_torch_tensors(value)
