"""Which weight of a cell is which of torch's: by names, by the structure of the layers, by their order.

Both sides are trees of layers. Two lists of layers are compared, at first the children of the roots: layers of the same
name are a pair, then those that alone on each side have the same weights inside (roles and shapes), then those of which
both sides have the same number, in their order. The children of a pair are compared in the same way. When layers
remain, the largest is replaced by its children, which removes prefixes and blocks that only one side has.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from torchspore.migrate.weights.forms import Form, form_between
from torchspore.migrate.weights.fused import fused_pairs
from torchspore.migrate.weights.names import plain, role, similarity
from torchspore.migrate.weights.slots import Slot
from torchspore.migrate.weights.tree import Node, Signature, counts, tree

__all__ = ["Match", "Matching", "match", "slot_form"]

_CLEARLY = 0.25  # more similar names in another order make the order uncertain


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


Names = list[Node]
T = TypeVar("T")

_NUMBER = re.compile(r"\d+")


def match(cell: list[Slot], torch: list[Slot], taken: list[Match]) -> Matching:
    """Return which weights correspond.

    Args:
        cell, torch: the weights of both sides.
        taken: pairs that are known.
    """
    return _Matcher(taken, _are_ordered(cell) and _are_ordered(torch)).run(cell, torch)


def _are_ordered(slots: list[Slot]) -> bool:
    """Return whether weights can be in the order of definition: many files have them in alphabetical order."""
    names = [slot.path for slot in slots]
    places = {name: i for i, name in enumerate(names)}
    reversed_pairs = (name for name in names if places.get(name.removesuffix("bias") + "weight", -1) > places[name])
    return not any(name.endswith("bias") for name in reversed_pairs) and (len(names) < 3 or sorted(names) != names)


def slot_form(cell: Slot, torch: Slot, transposed: bool = False) -> Form | None:
    """Return the form of two weights, or None if they do not correspond."""
    if "Conv1D" in (cell.layer, torch.layer) and len(cell.shape) == len(torch.shape) == 2:
        both = cell.layer == torch.layer
        return form_between(cell.shape, torch.shape) if both else _transposed(cell.shape, torch.shape)
    return form_between(cell.shape, torch.shape, transposed)


def _transposed(cell: tuple[int, ...], torch: tuple[int, ...]) -> Form | None:
    return Form("transpose") if cell == torch[::-1] else None


class _Matcher:
    def __init__(self, taken: list[Match], ordered: bool) -> None:
        self.ordered = ordered
        self.result = Matching(list(taken))
        self.done = {slot for pair in taken for slot in (pair.cell, pair.torch)}

    def run(self, cell: list[Slot], torch: list[Slot]) -> Matching:
        self._by_exact_trees(cell, torch)
        return self.result

    def _free(self, slots: list[Slot]) -> list[Slot]:
        return [slot for slot in slots if slot not in self.done]

    def _by_exact_trees(self, cell: list[Slot], torch: list[Slot]) -> None:
        a, b = tree(self._free(cell)), tree(self._free(torch))
        self._align([a] if a.slots else a.children, [b] if b.slots else b.children)
        # What was left over in different parts of the trees.
        a, b = tree(self._free(cell)), tree(self._free(torch))
        self._leaves(_leaf_nodes(a), _leaf_nodes(b))

    # Lists of layers

    def _align(self, a: Names, b: Names) -> None:
        a, b = list(a), list(b)
        while a and b:
            for pair in fused_pairs(_own_slots(self, a), _own_slots(self, b)):
                self._add(*pair)
            self._by_name(a, b)
            self._by_signature(a, b, lambda node: node.signature)
            self._by_signature(a, b, lambda node: node.loose_signature)
            if not a or not b or not _expand_largest(a, b):
                break
        self._leaves(a, b)

    def _by_name(self, a: Names, b: Names) -> None:
        for labels in _label_pairs(a, b):
            first, second = (_only(nodes, label) for nodes, label in zip((a, b), labels))
            if first and second and _share(first, second):
                why = "same name" if first.label == second.label else f"names '{first.label}' and '{second.label}'"
                self._pair(a, b, first, second, why)

    def _by_signature(self, a: Names, b: Names, of: Callable[[Node], Signature]) -> None:
        for ours, theirs in _groups([n for n in a if of(n)], [n for n in b if of(n)], of).values():
            if len(ours) != len(theirs):
                continue
            if not self._in_order(ours, theirs, lambda node: node.path):
                self._uncertain(ours, theirs)
                for nodes, group in ((a, ours), (b, theirs)):
                    nodes[:] = [node for node in nodes if node not in group]
                continue
            for i, (first, second) in enumerate(zip(ours, theirs)):
                alone = len(ours) == 1
                why = "the only one with these shapes" if alone else f"order: {i + 1} of {len(ours)} with these shapes"
                self._pair(a, b, first, second, why)

    def _in_order(self, ours: list[T], theirs: list[T], name: Callable[[T], str]) -> bool:
        """Bring two lists of alike layers or weights of equal lengths in the same order, and return whether it is sure.

        Names that differ by numbers only are in the order of the numbers; for others the order of definition decides,
        unless names are more similar in another order.
        """
        if len(ours) == 1:
            return True
        if _are_numbered(map(name, ours)) and _are_numbered(map(name, theirs)):
            for side in (ours, theirs):
                side.sort(key=lambda element: list(map(int, _NUMBER.findall(name(element)))))
            return True
        labels = ([name(element).rstrip(".").rpartition(".")[2] for element in side] for side in (ours, theirs))
        return self.ordered and not _is_crossed(*labels)

    def _uncertain(self, ours: Names, theirs: Names) -> None:
        first, second = (
            [slot for node in nodes for slot in node.all_slots if counts(slot)] for nodes in (ours, theirs)
        )
        self.result.uncertain.append((first, second))
        self.done.update(first, second)

    def _pair(self, a: Names, b: Names, first: Node, second: Node, why: str) -> None:
        a.remove(first)
        b.remove(second)
        if first.children or second.children:
            ours, theirs = (node.children or [_nameless(node)] for node in (first, second))
            self._align(ours, theirs)
        else:
            self._slots(first.slots, second.slots, why)

    # Single layers

    def _leaves(self, a: Names, b: Names) -> None:
        """Pair what is left of two lists of layers, slot by slot, where only one is possible."""
        ours, theirs = (_own_slots(self, nodes) for nodes in (a, b))
        self._slots(ours, theirs, "the only one of this name and shape", unique=True)

    def _slots(self, a: list[Slot], b: list[Slot], why: str, unique: bool = False) -> None:
        """Pair the weights of two layers: by name, by role, then those without a standard name by shape and order."""
        for name in (lambda s: s.leaf, lambda s: role(s.leaf), lambda s: plain(s.leaf)):
            for ours, theirs in _groups(self._free(a), self._free(b), name).values():
                if len(ours) == len(theirs) == 1 or (not unique and len(ours) == len(theirs)):
                    for first, second in zip(ours, theirs):
                        self._try(first, second, why)
        if not unique:
            self._by_shape(a, b)

    def _by_shape(self, a: list[Slot], b: list[Slot]) -> None:
        a, b = ([slot for slot in self._free(slots) if counts(slot)] for slots in (a, b))
        for ours, theirs in _groups(a, b, lambda slot: slot.shape).values():
            if len(ours) != len(theirs):
                continue
            if not self._in_order(ours, theirs, lambda slot: slot.path):
                self.result.uncertain.append((ours, theirs))
                self.done.update(ours, theirs)
                continue
            for i, (first, second) in enumerate(zip(ours, theirs)):
                why = "the only one of this shape" if len(ours) == 1 else f"order: {i + 1} of {len(ours)} of this shape"
                self._try(first, second, why)

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
    if role(first.leaf) == role(second.leaf) and first.leaf != second.leaf and why == "same name":
        return "same layer, other name"
    return why


def _nameless(node: Node) -> Node:
    """Return a layer as the nameless child that a layer with children has."""
    result = Node(f"{node.path}.")
    result.slots = node.slots
    return result


def _groups(a: list[T], b: list[T], key: Callable[[T], Any]) -> dict[Any, tuple[list[T], list[T]]]:
    """Return the elements of both lists that have the same key, by the key."""
    groups: dict[Any, tuple[list[T], list[T]]] = defaultdict(lambda: ([], []))
    for side, elements in enumerate((a, b)):
        for element in elements:
            groups[key(element)][side].append(element)
    return groups


def _own_slots(matcher: _Matcher, nodes: Names) -> list[Slot]:
    return matcher._free([slot for node in nodes for slot in node.all_slots])


def _leaf_nodes(node: Node) -> Names:
    return ([node] if node.slots else []) + [leaf for child in node.children for leaf in _leaf_nodes(child)]


def _only(nodes: Names, label: str) -> Node | None:
    found = [node for node in nodes if node.label == label]
    return found[0] if len(found) == 1 else None


def _share(first: Node, second: Node) -> bool:
    """Return whether two layers may be the same: the weights of common roles have the same shapes."""
    if first.children or second.children:
        return bool(set(first.loose_signature) & set(second.loose_signature))
    common = [slot_form(a, b, True) for a in first.slots for b in second.slots if role(a.leaf) == role(b.leaf)]
    return bool(common) and None not in common


def _label_pairs(a: Names, b: Names) -> list[tuple[str, str]]:
    """Return the labels that are the same, or the same but for case and usual words; numbers as `_numbers` says."""
    ours, theirs = ([node.label for node in nodes] for nodes in (a, b))
    words = [label for label in ours if not label.isdecimal()]
    result = [(label, label) for label in words if label in theirs]
    result += _numbers([label for label in ours if label.isdecimal()], [label for label in theirs if label.isdecimal()])
    by_word = {plain(label): label for label in theirs if not label.isdecimal()}
    result += [(label, by_word[plain(label)]) for label in words if plain(label) in by_word and label not in theirs]
    return result


def _numbers(ours: list[str], theirs: list[str]) -> list[tuple[str, str]]:
    """Return pairs of the numbers of layers in a sequence.

    The same numbers mean the same layers. If both sides have the same number of other ones, one side also counts layers
    without weights, and the order decides. If one side has more, only those of the other are the same.
    """
    if len(ours) == len(theirs):
        return list(zip(sorted(ours, key=int), sorted(theirs, key=int)))
    if set(ours) <= set(theirs) or set(theirs) <= set(ours):
        return [(label, label) for label in ours if label in theirs]
    return []


def _expand_largest(a: Names, b: Names) -> bool:
    """Replace the layer with the most weights by its children."""
    _, nodes, i = max(
        ((len(node.all_slots) if node.children else 0, nodes, i) for nodes in (a, b) for i, node in enumerate(nodes)),
        key=lambda item: item[0],
    )
    node = nodes[i]
    nodes[i : i + 1] = node.children
    return bool(node.children)


def _are_numbered(names: Iterable[str]) -> bool:
    """Return whether names differ only by numbers."""
    return len({_NUMBER.sub("0", name) for name in names}) == 1


def _is_crossed(ours: list[str], theirs: list[str]) -> bool:
    """Return whether two layers in another order would have much more similar names."""
    for i in range(len(ours)):
        for j in range(i + 1, len(ours)):
            kept = similarity(ours[i], theirs[i]) + similarity(ours[j], theirs[j])
            swapped = similarity(ours[i], theirs[j]) + similarity(ours[j], theirs[i])
            if swapped > kept + _CLEARLY:
                return True
    return False
