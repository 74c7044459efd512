"""Which weight of a cell is which of torch's: by names, by the structure of the layers, by their order.

Both sides are trees of layers. Two lists of layers are compared, at first the children of the roots: layers of the same
name are a pair, then those that alone on each side have the same weights inside (roles and shapes), then layers of
which both sides have the same number, in their order, if the pairs found already agree with it. The children of a pair
are compared in the same way. When layers remain, the largest is replaced by its children, which removes prefixes and
blocks that only one side has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torchspore.migrate.weights.forms import Form, form_between
from torchspore.migrate.weights.fused import fused_pairs
from torchspore.migrate.weights.names import is_standard, plain, roles
from torchspore.migrate.weights.order import Anchor, are_numbered, groups, in_number_order, is_crossed, is_disturbed
from torchspore.migrate.weights.slots import Slot
from torchspore.migrate.weights.tree import Node, Signature, counts, slot_signature, tree

__all__ = ["Match", "Matching", "match", "slot_form"]


@dataclass(frozen=True)
class Match:
    """Two weights that correspond, and why."""

    cell: Slot
    torch: Slot
    form: Form
    why: str


@dataclass
class Matching:
    """The result: pairs, and groups of which the order is uncertain."""

    pairs: list[Match] = field(default_factory=list)
    uncertain: list[tuple[list[Slot], list[Slot]]] = field(default_factory=list)


Nodes = list[Node]


def match(cell: list[Slot], torch: list[Slot], taken: list[Match]) -> Matching:
    """Return which weights correspond.

    Args:
        cell, torch: the weights of both sides.
        taken: pairs that are known.
    """
    for slots in (cell, torch):
        for place, (slot, role) in enumerate(zip(slots, roles([slot.path for slot in slots]))):
            slot.place, slot.role = place, role
    return _Matcher(taken, _are_ordered(cell) and _are_ordered(torch)).run(cell, torch)


def _are_ordered(slots: list[Slot]) -> bool:
    """Return whether weights can be in the order of definition: many files have them in alphabetical order."""
    names = [slot.path for slot in slots]
    places = {name: i for i, name in enumerate(names)}
    biases = [name for name in names if name.endswith("bias")]
    is_before_weight = any(places.get(name.removesuffix("bias") + "weight", -1) > places[name] for name in biases)
    return not is_before_weight and (len(names) < 3 or sorted(names) != names)


def slot_form(cell: Slot, torch: Slot, transposed: bool = False) -> Form | None:
    """Return the form of two weights, or None if they do not correspond."""
    layers = (cell.layer, torch.layer)
    is_one_transposed = "" not in layers and layers.count("Conv1D") == 1  # the layer of transformers: (inputs, outputs)
    if is_one_transposed and len(cell.shape) == len(torch.shape) == 2:
        return Form("transpose") if cell.shape == torch.shape[::-1] else None
    return form_between(cell.shape, torch.shape, transposed)


class _Matcher:
    def __init__(self, taken: list[Match], ordered: bool) -> None:
        self.ordered = ordered
        self.result = Matching(list(taken))
        self.done = {slot for pair in taken for slot in (pair.cell, pair.torch)}

    def run(self, cell: list[Slot], torch: list[Slot]) -> Matching:
        a, b = tree(self._free(cell)), tree(self._free(torch))
        self._align([a] if a.slots else a.children, [b] if b.slots else b.children, [])
        # What was left over in different parts of the trees.
        a, b = tree(self._free(cell)), tree(self._free(torch))
        anchors = [(pair.cell.place, pair.torch.place) for pair in self.result.pairs]
        self._align(list(a.leaves), list(b.leaves), anchors, are_siblings=False)
        return self.result

    def _free(self, slots: list[Slot]) -> list[Slot]:
        return [slot for slot in slots if slot not in self.done]

    # Lists of layers

    def _align(self, a: Nodes, b: Nodes, anchors: list[Anchor], are_siblings: bool = True) -> None:
        a, b = self._without_fused(a, b)
        while a and b:
            self._by_name(a, b, anchors, are_siblings)
            self._alone(a, b, anchors, lambda node: node.signature)
            self._by_order(a, b, anchors, lambda node: node.signature)
            self._alone(a, b, anchors, lambda node: node.loose_signature)
            are_siblings = False
            if not a or not b or not _expand_largest(a, b):
                break
            a, b = self._without_fused(a, b)
        # One side may have a bias that the other lacks.
        self._alone(a, b, anchors, lambda node: node.matrix_signature)
        self._by_order(a, b, anchors, lambda node: node.matrix_signature)
        self._note_uncertain(a, b)
        ours, theirs = (self._free([slot for node in nodes for slot in node.all_slots]) for nodes in (a, b))
        self._single(ours, theirs)

    def _without_fused(self, a: Nodes, b: Nodes) -> tuple[Nodes, Nodes]:
        """Pair queries, keys and values that are one tensor on one side, and return the lists without them."""
        ours, theirs = (self._free([slot for node in nodes for slot in node.all_slots]) for nodes in (a, b))
        found = fused_pairs(ours, theirs)
        for pair in found:
            self._add(*pair)
        if not found:
            return list(a), list(b)
        left = ([new for node in nodes if (new := node.without(self.done))] for nodes in (a, b))
        return next(left), next(left)

    def _by_name(self, a: Nodes, b: Nodes, anchors: list[Anchor], are_siblings: bool) -> None:
        ours, theirs = _by_unique_label(a), _by_unique_label(b)
        for labels in _label_pairs(a, b, are_siblings):
            first, second = ours.pop(labels[0], None), theirs.pop(labels[1], None)
            if first and second and _share(first, second):
                why = "same name" if first.label == second.label else f"names '{first.label}' and '{second.label}'"
                self._pair(a, b, first, second, why, anchors)

    def _alone(self, a: Nodes, b: Nodes, anchors: list[Anchor], of: Callable[[Node], Signature]) -> None:
        """Pair the layers that alone on each side have the same weights."""
        for ours, theirs in self._alike(a, b, of):
            if len(ours) == 1:
                self._pair(a, b, ours[0], theirs[0], "the only one with these shapes", anchors)

    def _by_order(self, a: Nodes, b: Nodes, anchors: list[Anchor], of: Callable[[Node], Signature]) -> None:
        """Pair the layers of which both sides have the same number, if the order is certain."""
        found = [(ours, theirs) for ours, theirs in self._alike(a, b, of) if len(ours) > 1]
        for ours, theirs in found:
            if are_numbered(ours) and are_numbered(theirs):
                ours, theirs = in_number_order(ours), in_number_order(theirs)
            elif not self._is_certain(ours, theirs, [*anchors, *_places(found, ours)]):
                continue
            for i, (first, second) in enumerate(zip(ours, theirs)):
                self._pair(a, b, first, second, f"order: {i + 1} of {len(ours)} with these shapes", anchors)

    def _is_certain(self, ours: list[Any], theirs: list[Any], anchors: list[Anchor]) -> bool:
        labels = ([element.label for element in elements] for elements in (ours, theirs))
        return self.ordered and not is_crossed(*labels) and not is_disturbed(ours, theirs, anchors)

    def _alike(self, a: Nodes, b: Nodes, of: Callable[[Node], Signature]) -> list[tuple[Nodes, Nodes]]:
        """Return the layers of equal weights of which both sides have the same number, and none inside others."""
        inner = frozenset().union(*(node.inner_signatures for node in (*a, *b)))
        return [
            (ours, theirs)
            for key, (ours, theirs) in groups(a, b, of).items()
            if key and len(ours) == len(theirs) and ours[0].signature not in inner
        ]

    def _note_uncertain(self, a: Nodes, b: Nodes) -> None:
        for ours, theirs in self._alike(a, b, lambda node: node.signature):
            first, second = ([s for node in nodes for s in node.all_slots if counts(s)] for nodes in (ours, theirs))
            self._uncertain(first, second)

    def _uncertain(self, ours: list[Slot], theirs: list[Slot]) -> None:
        self.result.uncertain.append((ours, theirs))
        self.done.update(ours, theirs)

    def _pair(self, a: Nodes, b: Nodes, first: Node, second: Node, why: str, anchors: list[Anchor]) -> None:
        a.remove(first)
        b.remove(second)
        anchors.append((first.place, second.place))
        if first.children or second.children:
            ours, theirs = (node.children or [_nameless(node)] for node in (first, second))
            self._align(ours, theirs, [])
        else:
            self._slots(first.slots, second.slots, why)

    # Single layers

    def _slots(self, a: list[Slot], b: list[Slot], why: str) -> None:
        """Pair the weights of two layers: by name, by role, then those without a standard name by shape and order."""
        for name in (lambda slot: slot.leaf, lambda slot: slot.role):
            for ours, theirs in groups(self._free(a), self._free(b), name).values():
                for first, second in zip(ours, theirs):
                    self._try(first, second, why)
        self._single(a, b)

    def _single(self, a: list[Slot], b: list[Slot]) -> None:
        """Pair weights that do not belong to layers of torch.nn, such as position embeddings."""
        self._similar(a, b, _joined)
        a, b = ([slot for slot in slots if counts(slot) and not is_standard(slot.role)] for slots in (a, b))
        self._similar(a, b, lambda slot: plain(slot.leaf))
        found = groups(self._free(a), self._free(b), slot_signature)
        for ours, theirs in [pair for pair in found.values() if len(pair[0]) == len(pair[1])]:
            if are_numbered(ours) and are_numbered(theirs):
                ours, theirs = in_number_order(ours), in_number_order(theirs)
            elif len(ours) > 1 and not self._is_certain(ours, theirs, _places(found.values(), ours)):
                self._uncertain(ours, theirs)
                continue
            for i, (first, second) in enumerate(zip(ours, theirs)):
                alone = len(ours) == 1
                self._try(first, second, "the only one of this shape" if alone else f"order: {i + 1} of {len(ours)}")

    def _similar(self, a: list[Slot], b: list[Slot], name: Callable[[Slot], str]) -> None:
        for ours, theirs in groups(self._free(a), self._free(b), name).values():
            if len(ours) == len(theirs) == 1:
                self._try(ours[0], theirs[0], "a similar name")

    def _try(self, first: Slot, second: Slot, why: str) -> None:
        form = slot_form(first, second, transposed=True)
        if form is not None:
            self._add(first, second, form, _because(first, second, why))

    def _add(self, first: Slot, second: Slot, form: Form, why: str) -> None:
        self.result.pairs.append(Match(first, second, form, why))
        self.done.update((first, second))


def _because(first: Slot, second: Slot, why: str) -> str:
    if first.name == second.name:
        return "same name"
    return "same layer, other name" if why == "same name" and first.leaf != second.leaf else why


def _joined(slot: Slot) -> str:
    """Return the path without separators, of which sides have different ones."""
    return re.sub(r"[._]", "", slot.path).lower()


def _nameless(node: Node) -> Node:
    """Return a layer as the nameless child that a layer with children has."""
    result = Node(f"{node.path}.")
    result.slots = node.slots
    return result


def _places(found: Any, without: list[Any]) -> list[Anchor]:
    """Return the pairs of places of groups of equal lengths, but of one."""
    return [
        (first.place, second.place)
        for ours, theirs in found
        if ours is not without and len(ours) == len(theirs)
        for first, second in zip(ours, theirs)
    ]


def _by_unique_label(nodes: Nodes) -> dict[str, Node]:
    number = Counter(node.label for node in nodes)
    return {node.label: node for node in nodes if number[node.label] == 1}


def _share(first: Node, second: Node) -> bool:
    """Return whether two layers may be the same: the weights of common roles have the same shapes."""
    if first.children or second.children:
        return bool(set(first.loose_signature) & set(second.loose_signature))
    common = [slot_form(a, b, True) for a in first.slots for b in second.slots if a.role == b.role]
    is_same_place = not first.label and not second.label
    return None not in common and (bool(common) or is_same_place)


def _label_pairs(a: Nodes, b: Nodes, are_siblings: bool) -> list[tuple[str, str]]:
    """Return the labels that are the same, or the same but for case and usual words; numbers as `_numbers` says."""
    ours, theirs = ({node.label: None for node in nodes} for nodes in (a, b))
    words = [label for label in ours if not label.isdecimal()]
    result = [(label, label) for label in words if label in theirs]
    if are_siblings:
        result += _numbers(a, b)
    by_word = {plain(label): label for label in theirs if not label.isdecimal()}
    result += [(label, by_word[plain(label)]) for label in words if plain(label) in by_word and label not in theirs]
    return result


def _numbers(a: Nodes, b: Nodes) -> list[tuple[str, str]]:
    """Return pairs of the numbers of layers in a sequence.

    If both sides have equally many, only one may also count layers without weights. If one side has more, the same
    numbers mean the same layers if all of these are alike.
    """
    ours, theirs = ({node.label: node for node in nodes if node.label.isdecimal()} for nodes in (a, b))
    if len(ours) == len(theirs):
        return list(zip(sorted(ours, key=int), sorted(theirs, key=int)))
    common = ours.keys() & theirs.keys()
    is_part = len(common) == min(len(ours), len(theirs))
    alike = all(ours[label].signature == theirs[label].signature for label in common)
    return [(label, label) for label in ours if label in common] if is_part and alike else []


def _expand_largest(a: Nodes, b: Nodes) -> bool:
    """Replace the layers with the most weights by their children."""
    sizes = {node: len(node.all_slots) for node in (*a, *b) if node.children}
    largest = max(sizes.values(), default=0)
    for nodes in (a, b):
        nodes[:] = [new for node in nodes for new in (node.children if sizes.get(node) == largest else [node])]
    return bool(sizes)
