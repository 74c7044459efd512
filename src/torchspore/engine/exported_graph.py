"""Graphs from files: `load` returns them, `nn.GraphCell` runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from torchspore.common.dtype import FROM_TORCH
from torchspore.engine.exported_memory import check_memory
from torchspore.engine.failures.errors import describe, explain

__all__ = ["ExportedGraph", "GraphInput", "Held", "ModelInfo", "NotReadable", "Structure"]


class NotReadable(ValueError):
    """A file has something that its reader does not know, or does not follow its format."""


@dataclass
class ModelInfo:
    """What a file says about the model in it.

    Attributes:
        producer_name: the program that made it.
        producer_version: that program's version.
        user_info: further information: strings by name.
    """

    producer_name: str = "TorchSpore"
    producer_version: str = ""
    user_info: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Structure:
    """How the arguments or results of a graph are nested.

    Attributes:
        kind: tuple, list or dict; None for a leaf.
        keys: the keys of a dict.
        parts: the structures inside.
    """

    kind: type | None = None
    keys: tuple[Any, ...] = ()
    parts: tuple[Structure, ...] = ()

    def leaves(self, tree: Any, place: str) -> Iterator[Any]:
        """Yield the leaves of a tree that has this structure.

        Raises:
            ValueError: it has another one; `place` is what the message calls the tree.
        """
        if self.kind is None:
            yield tree
            return
        is_dict = self.kind is dict
        fits = isinstance(tree, dict) if is_dict else isinstance(tree, (tuple, list))
        if not fits or (set(tree) != set(self.keys) if is_dict else len(tree) != len(self.parts)):
            keys = f" with the keys {list(self.keys)}" if is_dict else f" of {len(self.parts)} elements"
            raise ValueError(f"{place} must be a {self.kind.__name__}{keys}, but got {describe(tree)}.")
        for key, part in zip(self.keys if is_dict else range(len(self.parts)), self.parts):
            yield from part.leaves(tree[key], f"{place}[{key!r}]")

    def build(self, leaves: Iterator[Any]) -> Any:
        """Return a tree of this structure."""
        if self.kind is None:
            return next(leaves)
        parts = [part.build(leaves) for part in self.parts]
        return dict(zip(self.keys, parts)) if self.kind is dict else self.kind(parts)


@dataclass(frozen=True)
class GraphInput:
    """One input of a graph.

    Attributes:
        name: its name in messages.
        dtype: the type of a tensor; None for a value that is fixed.
        sizes: a tensor's sizes: a number, the symbol of an open size, or None for an unknown size; None for any shape.
        value: the fixed value of an input that is not a tensor.
    """

    name: str
    dtype: torch.dtype | None = None
    sizes: tuple[int | str | None, ...] | None = ()
    value: Any = None

    def check(self, given: Any, symbols: dict[str, int], api: str) -> None:
        """Check what is given for the input; `symbols` has the open sizes that are known so far.

        Raises:
            TypeError: it is not a tensor, or of another dtype.
            ValueError: another shape, or another value than the fixed one.
        """
        what = f"For '{api}', the input '{self.name}'"
        if self.dtype is None:
            if type(given) is not type(self.value) or given != self.value:
                raise ValueError(f"{what} is {self.value!r} in the graph, but got {describe(given)}.")
            return
        if not isinstance(given, torch.Tensor):
            raise TypeError(f"{what} must be a Tensor, but got {describe(given)}.")
        if given.dtype is not self.dtype:
            raise TypeError(f"{what} must be of dtype {FROM_TORCH[self.dtype]}, but got {describe(given)}.")
        if self.sizes is not None and not self._fits(given.shape, self.sizes, symbols):
            shape = ", ".join("any" if size is None else str(size) for size in self.sizes)
            raise ValueError(
                f"{what} must have the shape ({shape}) with which the graph was exported, but got {describe(given)}. "
                "Export it with Tensor(shape=[None, ...], dtype=...) to leave sizes open."
            )

    @staticmethod
    def _fits(shape: torch.Size, sizes: tuple[int | str | None, ...], symbols: dict[str, int]) -> bool:
        if len(shape) != len(sizes):
            return False
        for wanted, size in zip(sizes, shape):
            known = symbols.setdefault(wanted, size) if isinstance(wanted, str) else wanted
            if known is not None and known != size:
                return False
        return True


@dataclass(frozen=True)
class Held:
    """A tensor that is stored with a graph.

    Attributes:
        name: the parameter's name; "" for a constant.
        value: the tensor.
        requires_grad: whether a parameter is trained.
    """

    name: str
    value: torch.Tensor
    requires_grad: bool = False


@dataclass(frozen=True)
class ExportedGraph:
    """A graph from a file, to be run by `nn.GraphCell`.

    Attributes:
        function: takes the held tensors and then the leaves of the inputs; returns what is written, then the results.
        held: the tensors that are stored with the graph.
        inputs: the inputs, in order.
        arguments: how they are nested in the arguments of a call.
        results: how the results are nested.
        writes: which of the held tensors are written, in the order of the function's first results.
        info: what the file says about the model.
    """

    function: Callable[..., Sequence[Any]]
    held: tuple[Held, ...]
    inputs: tuple[GraphInput, ...]
    arguments: Structure
    results: Structure
    writes: tuple[int, ...]
    info: ModelInfo
    _fits: set[Any] = field(default_factory=set, compare=False, repr=False)  # shapes for which the memory is checked

    def run(self, held: Sequence[torch.Tensor], args: tuple[Any, ...], api: str) -> tuple[Any, Sequence[torch.Tensor]]:
        """Run the graph.

        Args:
            held: the values of the held tensors.
            args: the arguments, with torch tensors.
            api: the name in messages.

        Returns:
            The results, with torch tensors, and the new values of the held tensors in `writes`.

        Raises:
            TypeError: an input is not a tensor, or of another dtype.
            ValueError: another number of inputs, shape or fixed value; or the machine has too little memory.
        """
        if len(args) != len(self.arguments.parts):
            raise ValueError(f"For '{api}', the graph has {len(self.arguments.parts)} inputs, but got {len(args)}.")
        leaves = list(self.arguments.leaves(args, f"For '{api}', the inputs"))
        symbols: dict[str, int] = {}
        for wanted, leaf in zip(self.inputs, leaves):
            wanted.check(leaf, symbols, api)
        shapes = tuple([leaf.shape if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves])
        sizes = [size for shape in shapes if isinstance(shape, torch.Size) for size in shape]
        is_traced = not all(isinstance(size, int) for size in sizes)  # with open sizes, as for a file
        if not is_traced and shapes not in self._fits:
            check_memory(self.function, (*held, *leaves), api)
            self._fits.add(shapes)
        try:
            values = self.function(*held, *leaves)
        except Exception as error:  # a hostile file may pass invalid arguments to operations
            explained = explain(error, api, {wanted.name: leaf for wanted, leaf in zip(self.inputs, leaves)})
            if hasattr(error, "node") and len(explained.args) == 1:
                explained.args = (f"{explained.args[0]} It is raised by the graph's node '{error.node:.200}'.",)
            raise explained from error
        return self.results.build(iter(values[len(self.writes) :])), values[: len(self.writes)]

    def __repr__(self) -> str:
        inputs = ", ".join(described.name for described in self.inputs)
        return f"ExportedGraph(inputs: {inputs}; {sum(bool(held.name) for held in self.held)} parameters)"
