"""The weights of a Cell, a torch Module or a dictionary, by name, in the order of definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe
from torchspore.nn.cell import Cell

__all__ = ["Slot", "slots_of"]


_LONGEST, _DEEPEST = 1000, 100  # characters and dots in a name: files may have any names


@dataclass(eq=False)
class Slot:
    """A parameter or a buffer.

    Attributes:
        name: the path of attributes, such as "layer1.0.bn.gamma".
        holder: the Parameter, Tensor or torch tensor.
        layer: the name of the class that has it; "" if unknown.
        is_buffer: whether it is a buffer of a Module or a Cell.
        trained: whether training changes it.
        first: the slot that has the same tensor, if several names share one.
        path: the name after the user's rules, by which it is matched.
        role: torch's name of this parameter of the layer.
        place: the place in the order of definition.
    """

    name: str
    holder: Any
    layer: str = ""
    is_buffer: bool = False
    trained: bool = True
    first: Slot | None = None
    path: str = ""
    role: str = ""
    place: int = 0

    def __post_init__(self) -> None:
        self.path = self.path or self.name

    @property
    def tensor(self) -> torch.Tensor:
        """The value, without its graph."""
        if isinstance(self.holder, Tensor):
            if self.holder.has_init:
                self.holder.init_data()
            return self.holder._t.detach()
        return self.holder.detach()

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        return tuple(self.holder.shape)

    @property
    def label(self) -> str:
        """The last part of the path."""
        return self.leaf

    @property
    def leaf(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]

    def write(self, value: torch.Tensor) -> None:
        """Replace the value by one of the same shape."""
        if isinstance(self.holder, Parameter):
            self.holder.set_data(wrap(value))
        elif isinstance(self.holder, Tensor):
            self.holder.assign_value(wrap(value.to(self.holder._t.dtype)))
        else:
            with torch.no_grad():
                self.holder.copy_(value)


def slots_of(source: Any, api: str, argument: str) -> list[Slot]:
    """Return the weights of a Cell, a Module, or a dictionary of tensors.

    Raises:
        TypeError: it is something else.
        ValueError: a name is too long.
    """
    if isinstance(source, Cell):
        slots = list(_of_cell(source, "", ()))
    elif isinstance(source, torch.nn.Module):
        slots = list(_of_module(source))
    elif isinstance(source, Mapping):
        slots = [_of_item(name, value, api, argument) for name, value in source.items() if not isinstance(value, str)]
    else:
        raise TypeError(
            f"For '{api}', '{argument}' must be a Cell, a torch.nn.Module or a dict of tensors, but got "
            f"{describe(source)}."
        )
    _find_shared(slots)
    return slots


def _of_cell(cell: Cell, prefix: str, outer: tuple[Cell, ...]) -> Iterator[Slot]:
    if cell in outer:
        return
    for name, parameter in cell._params.items():
        if parameter is not None:
            yield Slot(f"{prefix}{name}", parameter, _class_name(cell, "module"), trained=parameter.requires_grad)
    for name, buffer in cell._buffers.items():
        if buffer is not None and name not in cell.__dict__["_transient_buffers"]:
            yield Slot(f"{prefix}{name}", buffer, _class_name(cell, "module"), is_buffer=True, trained=False)
    for name, child in cell._cells.items():
        if isinstance(child, Cell):
            yield from _of_cell(child, f"{prefix}{name}.", (*outer, cell))


def _of_module(module: torch.nn.Module) -> Iterator[Slot]:
    for path, layer in module.named_modules(remove_duplicate=False):
        prefix = f"{path}." if path else ""
        kind = _class_name(layer, "cell")
        for name, parameter in layer._parameters.items():
            if parameter is not None:
                yield Slot(f"{prefix}{name}", parameter, kind, trained=parameter.requires_grad)
        for name, buffer in layer._buffers.items():
            if buffer is not None and name not in layer._non_persistent_buffers_set:
                yield Slot(f"{prefix}{name}", buffer, kind, is_buffer=True, trained=False)


def _class_name(layer: Any, inner: str) -> str:
    """Return the name of a layer's class; for a module as a cell or a cell as a module, the original's."""
    original = layer.__dict__.get(inner)
    return type(original if isinstance(original, (Cell, torch.nn.Module)) else layer).__name__


def _of_item(name: Any, value: Any, api: str, argument: str) -> Slot:
    if isinstance(name, str) and (len(name) > _LONGEST or name.count(".") > _DEEPEST):
        raise ValueError(f"For '{api}', a name in '{argument}' is too long or has too many parts: '{name:.100}...'.")
    if isinstance(name, str) and isinstance(value, (Tensor, torch.Tensor)):
        return Slot(name, value)
    raise TypeError(
        f"For '{api}', '{argument}' must have strings as names and tensors as values, but has {describe(name)}: "
        f"{describe(value)}."
    )


def _find_shared(slots: list[Slot]) -> None:
    """Set `first` of slots whose tensor an earlier slot has."""
    known: dict[Any, Slot] = {}
    for slot in slots:
        first = known.setdefault(_identity(slot.holder), slot)
        if first is not slot:
            slot.first = first


def _identity(holder: Any) -> Any:
    """Return what is equal for two holders of the same memory."""
    if isinstance(holder, Parameter) and holder.has_init:
        return id(holder)
    tensor = holder._t if isinstance(holder, Tensor) else holder
    try:
        address = tensor.data_ptr()
    except RuntimeError:  # a tensor without memory
        return id(holder)
    return (address, tensor.device, tensor.shape, tensor.stride()) if address else id(holder)
