"""Weights as a tree of layers, by their names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from torchspore.migrate.weights.forms import squeezed
from torchspore.migrate.weights.names import is_standard, role
from torchspore.migrate.weights.slots import Slot

__all__ = ["Node", "Signature", "counts", "tree"]

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

    @cached_property
    def all_slots(self) -> list[Slot]:
        """All weights inside, in order."""
        return self.slots + [slot for child in self.children for slot in child.all_slots]

    @cached_property
    def signature(self) -> Signature:
        """What two layers that correspond have in common, whatever their names: roles and shapes of the weights."""
        return tuple(sorted(self._leaf_signatures(loose=False)))

    @cached_property
    def loose_signature(self) -> Signature:
        """The signature without the order of sizes."""
        return tuple(sorted(self._leaf_signatures(loose=True)))

    def _leaf_signatures(self, loose: bool) -> Iterator[Signature]:
        if own := tuple(sorted(_signature(slot, loose) for slot in self.slots if counts(slot))):
            yield own
        for child in self.children:
            yield from child._leaf_signatures(loose)


def counts(slot: Slot) -> bool:
    """Return whether a slot is a weight that the other side must have, too: not a mask, an index or a counter."""
    holder = slot.holder
    floating = holder.is_floating_point() or holder.is_complex()
    return floating and (is_standard(role(slot.leaf)) or not slot.is_buffer)


def _signature(slot: Slot, loose: bool) -> Signature:
    name = role(slot.leaf)
    shape = squeezed(slot.shape)
    return (name if is_standard(name) else "", tuple(sorted(shape)) if loose else shape)


def tree(slots: list[Slot]) -> Node:
    """Return the tree of weights by their names."""
    root = Node("")
    nodes = {"": root}
    for slot in slots:
        path = slot.path.rpartition(".")[0]
        _node(nodes, path).slots.append(slot)
    for path, node in nodes.items():
        node.children.sort(key=_number)
        if node.slots and node.children:
            own = Node(f"{path}." if path else "")
            own.slots, node.slots = node.slots, []
            node.children.insert(0, own)
    return root


def _number(node: Node) -> int:
    """Return the place among children with numbers; others stay in their order."""
    return int(node.label) if node.label.isdecimal() else -1


def _node(nodes: dict[str, Node], path: str) -> Node:
    if path not in nodes:
        nodes[path] = Node(path)
        _node(nodes, path.rpartition(".")[0]).children.append(nodes[path])
    return nodes[path]
