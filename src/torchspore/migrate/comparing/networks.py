"""The two sides of a comparison: cells and modules under one interface."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from torchspore.common import device as devices
from torchspore.common import mode as modes
from torchspore.common import random as seeds
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients.differentiate import in_scope, value_and_grad
from torchspore.migrate.comparing.values import as_cell_value, as_module_value, inner
from torchspore.migrate.weights.slots import Slot, slots_of
from torchspore.nn.cell import Cell

__all__ = ["CellNetwork", "ModuleNetwork", "Network", "network", "restored", "same_random_numbers"]

Before = Callable[[Any, tuple[Any, ...], dict[str, Any]], None]
After = Callable[[Any, tuple[Any, ...], Any], Any]


class Network:
    """A cell or a module: what a comparison needs to know and to do.

    Attributes:
        net: the Cell or Module.
        label: how the report names this side.
    """

    def __init__(self, net: Any, label: str) -> None:
        self.net = net
        self.label = label

    def layers(self) -> list[tuple[str, Any]]:
        """Return the layers with their paths, the network itself first under the name ""."""
        return self.inside(self.net)

    def inside(self, layer: Any) -> list[tuple[str, Any]]:
        """Return a layer, under the name "", and those inside with their paths."""
        raise NotImplementedError

    def children(self, layer: Any) -> bool:
        """Return whether a layer has layers inside."""
        raise NotImplementedError

    def hooked(self, layer: Any, before: Before, after: After) -> list[Any]:
        """Register functions that run before and after a layer, and return the handles that remove them."""
        raise NotImplementedError

    def inputs(self, values: Any) -> Any:
        """Return copies of values as this side takes them, on its device."""
        raise NotImplementedError

    def device(self) -> torch.device:
        """Return the device of the first weight or buffer; without any, the one on which this side makes tensors."""
        first = next((_held(holder) for holder in self.holders()), None)
        return self._default_device() if first is None else first.device

    def _default_device(self) -> torch.device:
        raise NotImplementedError

    def gradients(
        self, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> tuple[Any, torch.Tensor, dict[int, torch.Tensor], list[torch.Tensor]]:
        """Return the output, the loss, gradients by the identity of the parameter, and gradients of float inputs."""
        raise NotImplementedError

    def call(self, function: Callable[[], Any]) -> Any:
        """Call a function in which the network runs as plain Python, so that its layers can be observed."""
        return function()

    def set_training(self, on: bool) -> None:
        """Switch all layers to training or evaluation."""
        raise NotImplementedError

    def slots(self) -> list[Slot]:
        """Return the weights and buffers."""
        return slots_of(self.net, "compare", "cell")

    def holders(self) -> list[Any]:
        """Return whatever holds a value: parameters, buffers, and tensors that are plain attributes."""
        found: dict[int, Any] = {id(slot.holder): slot.holder for slot in self.slots()}
        for _, layer in self.layers():
            for value in [*vars(layer).values(), *vars(layer).get("_buffers", {}).values()]:
                if isinstance(value, (Tensor, torch.Tensor)):
                    found.setdefault(id(value), value)
        return list(found.values())

    def to_double(self) -> None:
        """Convert all floats to float64; `restored` undoes it."""
        for holder in self.holders():
            value = inner(holder).detach()
            if value.is_floating_point():
                hold(holder, value.double())


class CellNetwork(Network):
    """A Cell."""

    def inside(self, layer: Any) -> list[tuple[str, Any]]:
        return list(layer.cells_and_names()) if isinstance(layer, Cell) else []

    def children(self, layer: Any) -> bool:
        return any(cell is not None for cell in layer._cells.values())

    def hooked(self, layer: Any, before: Before, after: After) -> list[Any]:
        return [
            layer.register_forward_pre_hook(before, with_kwargs=True),
            layer.register_forward_hook(after),
        ]

    def inputs(self, values: Any) -> Any:
        return as_cell_value(values, self.device())

    def _default_device(self) -> torch.device:
        return devices.current()

    def gradients(
        self, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> tuple[Any, torch.Tensor, dict[int, torch.Tensor], list[torch.Tensor]]:
        weights = list({id(p): p for p in self.net.trainable_params()}.values())
        places = tuple(i for i, arg in enumerate(args) if isinstance(arg, Tensor) and arg._t.is_floating_point())

        def forward(*values: Any) -> Any:
            loss, output = function(*values)
            return loss, output

        if not weights and not places:
            loss, output = forward(*args)
            return output, loss._t, {}, []
        request = value_and_grad(forward, places or None, weights or None, has_aux=True)
        (loss, output), found = request(*args)
        if places and weights:
            of_inputs, of_weights = found
        else:
            of_inputs, of_weights = (found, ()) if places else ((), found)
        of_inputs = of_inputs if isinstance(of_inputs, tuple) else (of_inputs,)
        by_identity = {id(p): g._t for p, g in zip(weights, of_weights)}
        return output, inner(loss), by_identity, [g._t for g in of_inputs]

    def call(self, function: Callable[[], Any]) -> Any:
        # In a scope, functions that are captured elsewhere run as Python.
        return in_scope(function, (), {}, (), [], lambda output, _, __: output)

    def set_training(self, on: bool) -> None:
        self.net.set_train(on)


class ModuleNetwork(Network):
    """A torch.nn.Module."""

    def inside(self, layer: Any) -> list[tuple[str, Any]]:
        return list(layer.named_modules()) if isinstance(layer, torch.nn.Module) else []

    def children(self, layer: Any) -> bool:
        return any(True for _ in layer.children())

    def hooked(self, layer: Any, before: Before, after: After) -> list[Any]:
        return [
            layer.register_forward_pre_hook(before, with_kwargs=True),
            layer.register_forward_hook(after),
        ]

    def inputs(self, values: Any) -> Any:
        return as_module_value(values, self.device())

    def _default_device(self) -> torch.device:
        return torch.get_default_device()

    def gradients(
        self, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> tuple[Any, torch.Tensor, dict[int, torch.Tensor], list[torch.Tensor]]:
        weights = [p for p in self.net.parameters() if p.requires_grad]
        floats = [arg for arg in args if isinstance(arg, torch.Tensor) and arg.is_floating_point()]
        # An in-place layer may write to the input, which a leaf of autograd refuses.
        leaves = [value.requires_grad_() for value in floats]
        uses = {id(leaf): leaf.clone() for leaf in leaves}
        loss, output = function(*[uses.get(id(arg), arg) for arg in args])
        wanted = [*weights, *leaves]
        if not wanted or not loss.requires_grad:
            found: list[torch.Tensor] = [torch.zeros_like(value) for value in wanted]
        else:
            grads = torch.autograd.grad(loss, wanted, allow_unused=True)
            found = [torch.zeros_like(v) if g is None else g.detach() for v, g in zip(wanted, grads)]
        by_identity = {id(p): g for p, g in zip(weights, found)}
        return output, loss.detach(), by_identity, found[len(weights) :]

    def set_training(self, on: bool) -> None:
        self.net.train(on)


def network(net: Any, label: str) -> Network:
    """Return a side for a Cell or a Module."""
    if isinstance(net, Cell):
        return CellNetwork(net, label)
    if isinstance(net, torch.nn.Module):
        return ModuleNetwork(net, label)
    raise TypeError(
        "For 'compare', the networks must be Cells or torch.nn.Modules, the second may be the path of a dump, "
        f"but got {describe(net)}."
    )


def hold(holder: Any, value: torch.Tensor) -> None:
    """Make `value` the torch tensor of a Parameter, a Tensor or a torch tensor."""
    if isinstance(holder, Tensor):
        holder._hold(value)
    else:
        holder.data = value


@contextlib.contextmanager
def restored(*sides: Network | None, pynative: bool = False, trained: bool = True) -> Iterator[None]:
    """Undo all changes to weights, buffers, flags and random states, whatever happens in the block.

    Args:
        sides: the networks.
        pynative: whether the block runs in PYNATIVE_MODE. Default: False.
        trained: whether the block may write to trained weights; only then are they copied. Default: True.
    """
    nets = [side for side in sides if side is not None]
    safe = set() if trained else {id(s.holder) for side in nets for s in side.slots() if s.trained}
    kept = []
    for holder in [holder for side in nets for holder in side.holders()]:
        value = _held(holder)
        kept.append((holder, value, None if id(holder) in safe else value.clone()))
    flags = [(layer, layer.training) for side in nets for _, layer in side.layers()]
    graph = modes.graph
    try:
        if pynative:
            modes.set_graph(False)
        with same_random_numbers():
            yield
    finally:
        modes.set_graph(graph)
        with torch.no_grad():
            for holder, value, copy in kept:
                hold(holder, value)
                if copy is not None and not torch.equal(value, copy):
                    value.copy_(copy)
        for layer, training in flags:
            layer.training = training


def _held(holder: Any) -> torch.Tensor:
    if isinstance(holder, Tensor):
        if holder.has_init:
            holder.init_data()
        return holder._t
    return holder.data


@contextlib.contextmanager
def same_random_numbers() -> Iterator[None]:
    """Run the block from the random states as they are, and leave these behind."""
    states = (torch.get_rng_state(), np.random.get_state(), random.getstate(), seeds.all_states())
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else None
    try:
        yield
    finally:
        torch.set_rng_state(states[0])
        np.random.set_state(states[1])
        random.setstate(states[2])
        seeds.restore_all_states(states[3])
        if cuda is not None:
            torch.cuda.set_rng_state_all(cuda)
