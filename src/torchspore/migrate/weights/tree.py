"""Weights as a tree of layers, by their names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from torchspore.migrate.weights.forms import squeezed
from torchspore.migrate.weights.names import is_standard
from torchspore.migrate.weights.slots import Slot

__all__ = ["Node", "Signature", "counts", "slot_signature", "tree"]

Signature = tuple[Any, ...]


class Node:
    """A layer: weights of its own or children. A layer with both has a nameless child with its own.

    Args:
        path: its name from the root.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.label = path.rpartition(".")[2]
        self.slots: list[Slot] = []
        self.children: list[Node] = []

    @property
    def all_slots(self) -> list[Slot]:
        """All weights inside, in order."""
        return self.slots + [slot for child in self.children for slot in child.all_slots]

    @property
    def place(self) -> int:
        """The place of its first weight in the order of definition."""
        return min(slot.place for slot in self.all_slots)

    @property
    def leaves(self) -> Iterator[Node]:
        """The layers inside that have weights of their own."""
        if self.slots:
            yield self
        for child in self.children:
            yield from child.leaves

    @cached_property
    def signature(self) -> Signature:
        """What two layers that correspond have in common, whatever their names: roles and shapes of the weights."""
        return tuple(sorted(leaf.own_signature(False) for leaf in self.leaves if leaf.own_signature(False)))

    @cached_property
    def loose_signature(self) -> Signature:
        """The signature without the order of sizes."""
        return tuple(sorted(leaf.own_signature(True) for leaf in self.leaves if leaf.own_signature(True)))

    @cached_property
    def inner_signatures(self) -> frozenset[Signature]:
        """The signatures of all layers inside."""
        own = {child.signature for child in self.children}
        return frozenset(own.union(*(child.inner_signatures for child in self.children)))

    def own_signature(self, loose: bool) -> Signature:
        """Return the roles and shapes of its own weights."""
        return tuple(sorted(slot_signature(slot, loose) for slot in self.slots if counts(slot)))

    def without(self, done: set[Slot]) -> Node | None:
        """Return the layer without some weights, or None if nothing is left."""
        result = Node(self.path)
        result.slots = [slot for slot in self.slots if slot not in done]
        result.children = [left for child in self.children if (left := child.without(done))]
        return result if result.slots or result.children else None


def counts(slot: Slot) -> bool:
    """Return whether a slot is a weight that the other side must have, too: not a mask, an index or a counter."""
    holder = slot.holder
    floating = holder.is_floating_point() or holder.is_complex()
    return floating and (slot.trained or is_standard(slot.role))


def slot_signature(slot: Slot, loose: bool = False) -> Signature:
    """Return the role, "" if it is not one of a layer of torch.nn, and the shape."""
    shape = squeezed(slot.shape)
    return (slot.role if is_standard(slot.role) else "", tuple(sorted(shape)) if loose else shape)


def tree(slots: list[Slot]) -> Node:
    """Return the tree of weights by their names."""
    root = Node("")
    nodes = {"": root}
    for slot in slots:
        _node(nodes, slot.path.rpartition(".")[0]).slots.append(slot)
    for path, node in nodes.items():
        node.children.sort(key=_number)
        if node.slots and node.children:
            own = Node(f"{path}.")
            own.slots, node.slots = node.slots, []
            node.children.insert(0, own)
    return root


def _node(nodes: dict[str, Node], path: str) -> Node:
    if path not in nodes:
        nodes[path] = Node(path)
        _node(nodes, path.rpartition(".")[0]).children.append(nodes[path])
    return nodes[path]


def _number(node: Node) -> int:
    """Return the place among children with numbers; others stay in their order."""
    return int(node.label) if node.label.isdecimal() else -1
