"""The map between the weights of a cell and of a torch module."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor as TorchTensor

from torchspore.migrate.weights.forms import Form
from torchspore.migrate.weights.matching import Match, match, slot_form
from torchspore.migrate.weights.names import canonical, close_name
from torchspore.migrate.weights.rules import Rename, Rules, checked_rules
from torchspore.migrate.weights.slots import Slot, slots_of
from torchspore.migrate.weights.squares import settle_squares
from torchspore.migrate.weights.training_state import not_weights
from torchspore.migrate.weights.tree import counts

__all__ = ["Entry", "WeightMap", "map_weights", "mapped"]

_API = "map_weights"
_SHOWN = 20
_COMPARED = 200  # names, for hints: comparing takes time
_FIXED = {"weight": 1, "bias": 0}  # of normalizations without `affine`


@dataclass(frozen=True)
class Entry:
    """A weight of the cell and the corresponding one of torch.

    Attributes:
        cell: the name in the cell.
        torch: the name in the module.
        form: how one is made from the other: "identity", "reshape", "transpose", or parts of rows.
        why: why they correspond.
    """

    cell: str
    torch: str
    form: Form
    why: str
    _cell: Slot = field(repr=False)
    _torch: Slot = field(repr=False)

    def of_cell(self, tensor: TorchTensor) -> TorchTensor:
        """Return what corresponds of a torch tensor of the cell's shape (its weight or gradient), in torch's form."""
        part = self.form.cell_part(tensor)
        shape = tuple(self.form.torch_part(_shaped(self._torch.shape)).shape)
        return self.form.changed(part, shape)

    def of_torch(self, tensor: TorchTensor) -> TorchTensor:
        """Return what corresponds of a tensor of the module's shape, to compare with `of_cell`."""
        return self.form.torch_part(tensor)

    def to_cell(self, tensor: TorchTensor) -> TorchTensor:
        """Return what corresponds of a tensor of the module's shape, in the cell's form."""
        shape = tuple(self.form.cell_part(_shaped(self._cell.shape)).shape)
        return self.form.changed(self.form.torch_part(tensor), shape)


def _shaped(shape: tuple[int, ...]) -> TorchTensor:
    return torch.empty(shape, device="meta")


@dataclass
class WeightMap:
    """Which weight of a cell is which of a torch module. It prints as a table.

    Attributes:
        entries: the pairs, in the order of the cell.
        only_in_cell, only_in_torch: names without a counterpart.
        ambiguous: pairs of lists of names that correspond in an order that is not certain, or of one name each that may
            be transposed; they are not copied.
        unneeded: names that need no counterpart -> why.

    Examples:
        >>> import torch
        >>> from torchspore import migrate, nn
        >>> found = migrate.map_weights(nn.Dense(2, 3), torch.nn.Linear(2, 3))
        >>> [(entry.cell, entry.torch) for entry in found.entries], found.only_in_cell
        ([('weight', 'weight'), ('bias', 'bias')], [])
    """

    entries: list[Entry]
    only_in_cell: list[str]
    only_in_torch: list[str]
    ambiguous: list[tuple[list[str], list[str]]]
    unneeded: dict[str, str]
    hints: tuple[dict[str, str], dict[str, str]] = field(repr=False)
    _api: str = field(default=_API, repr=False)

    @property
    def complete(self) -> bool:
        """Whether every weight of both sides has a counterpart or needs none."""
        return not (self.only_in_cell or self.only_in_torch or self.ambiguous)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __str__(self) -> str:
        return "\n".join([*_table(self.entries), *self.problems()])

    __repr__ = __str__

    def problems(self) -> list[str]:
        """Return a line for each name without a certain counterpart."""
        lines = [f"only in the cell: {name}{self.hints[0].get(name, '')}" for name in self.only_in_cell]
        lines += [f"only in torch: {name}{self.hints[1].get(name, '')}" for name in self.only_in_torch]
        for ours, theirs in self.ambiguous:
            one = f"{ours[0]} is {theirs[0]}, transposed or not; give the module instead of its weights"
            several = f"{_few(ours)} are, in this or another order, {_few(theirs)}; give 'rules'"
            lines.append(f"ambiguous: {one if len(ours) == 1 else several}")
        return lines

    def copy_to_cell(self, strict: bool = True) -> None:
        """Copy the values of torch into the cell. Nothing is written if a value does not fit.

        Args:
            strict: whether names without a counterpart are an error. Default: True.

        Raises:
            ValueError: with `strict`, names have no certain counterpart; or shared weights have different values.
        """
        self._copy(strict, "cell")

    def copy_to_torch(self, strict: bool = True) -> None:
        """Copy the values of the cell into torch's tensors. Arguments and errors as for `copy_to_cell`."""
        self._copy(strict, "torch")

    def check(self, strict: bool, argument: str = "rules") -> None:
        """Raise a ValueError for names without a certain counterpart, if that is an error."""
        if strict and not self.complete:
            raise ValueError(
                f"For '{self._api}', nothing was copied, because not all names match: {_few(self.problems())}. Give "
                f"'{argument}' for them, or strict=False to copy the others."
            )

    def values(self, side: str) -> dict[str, TorchTensor]:
        """Return the new values of one side, "cell" or "torch", by its names."""
        return {slot.name: value for slot, value in self._new_values(side)}

    def _copy(self, strict: bool, side: str) -> None:
        self.check(strict)
        for slot, value in self._new_values(side):
            slot.write(value)

    def _new_values(self, side: str) -> list[tuple[Slot, TorchTensor]]:
        groups: dict[Slot, list[Entry]] = defaultdict(list)
        for entry in self.entries:
            target = entry._cell if side == "cell" else entry._torch
            groups[target.first or target].append(entry)
        return [(target, _new_value(target, entries, side, self._api)) for target, entries in groups.items()]


def _new_value(target: Slot, entries: list[Entry], side: str, api: str) -> TorchTensor:
    """Return the new value of a weight, on its device; several entries make it if it has parts or several names."""
    sources = [(entry._torch if side == "cell" else entry._cell) for entry in entries]
    for slot in (target, *sources):
        if slot.tensor.device.type == "meta":
            raise ValueError(f"For '{api}', '{slot.name}' has no values: it is on the device 'meta'.")
        _check_kinds(target, slot, api)
    device = target.tensor.device
    tensors = [slot.tensor.to(device) for slot in sources]
    values = [(entry.to_cell if side == "cell" else entry.of_cell)(tensor) for entry, tensor in zip(entries, tensors)]
    rows = [entry.form.cell_rows if side == "cell" else entry.form.torch_rows for entry in entries]
    if rows[0] is None:
        if any(not torch.equal(values[0], value) for value in values[1:]):
            names = ", ".join(f"'{slot.name}'" for slot in sources)
            raise ValueError(f"For '{api}', {names} have different values, but share one as '{target.name}'.")
        return values[0]
    result = target.tensor.clone()
    for entry, value in zip(entries, values):
        part = entry.form.cell_part(result) if side == "cell" else entry.form.torch_part(result)
        part.copy_(value)
    return result


def _check_kinds(target: Slot, source: Slot, api: str) -> None:
    """Check that a value is converted at most between floats, or between integers."""
    kinds = [("complex" if t.is_complex() else "float" if t.is_floating_point() else "int")
             for t in (target.tensor, source.tensor)]  # fmt: skip
    if kinds[0] != kinds[1]:
        raise ValueError(
            f"For '{api}', '{source.name}' has the dtype {source.tensor.dtype}, which is not converted to "
            f"{target.tensor.dtype} of '{target.name}'."
        )


def map_weights(cell: Any, module_or_state_dict: Any, rules: Rules | None = None) -> WeightMap:
    """Find which weight of a cell is which of a torch module: parameters, and statistics of normalizations.

    Weights correspond by their names, with the names that MindSpore and torch have for the same (`gamma`, `weight`),
    whatever prefixes or blocks one side adds; then by the structure of the layers, their shapes and their order.
    Queries, keys and values may be one tensor on one side. What is not certain is not matched, but listed.

    Args:
        cell: a Cell; or, as the second argument, a module or a dictionary.
        module_or_state_dict: a torch.nn.Module, or a dictionary of tensors; or a Cell.
        rules: torch's names -> the cell's, where both are not found to be the same: regular expressions with
            replacements (as for `re.sub`; None leaves the name out), or a function. Default: None.

    Returns:
        A WeightMap: its `entries`, names `only_in_cell`, `only_in_torch` and `ambiguous` ones; `copy_to_cell()` and
        `copy_to_torch()` copy the values.

    Examples:
        >>> import torch, torchspore as ms
        >>> from torchspore import migrate
        >>> cell = ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.BatchNorm1d(2))
        >>> module = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
        >>> weights = migrate.map_weights(cell, module)
        >>> print([(entry.cell, entry.torch) for entry in weights][2:4])
        [('1.moving_mean', '1.running_mean'), ('1.moving_variance', '1.running_var')]
        >>> weights.copy_to_cell()
        >>> bool((cell[0].weight.torch == module[0].weight).all())
        True
    """
    return mapped(cell, module_or_state_dict, checked_rules(rules, _API), _API)


def mapped(cell: Any, other: Any, rename: Rename, api: str) -> WeightMap:
    """Return the map, for a function that the user called by the name `api`."""
    ours, theirs = slots_of(cell, api, "cell"), slots_of(other, api, "module_or_state_dict")
    states = [not_weights(source) if isinstance(source, Mapping) else {} for source in (cell, other)]
    ours, theirs = ([s for s in slots if s.name not in state] for slots, state in zip((ours, theirs), states))
    unneeded = states[0] | states[1]
    ruled, theirs_left = _by_rules(ours, theirs, rename, unneeded)
    matching = match([s for s in ours if s not in {p.cell for p in ruled}], theirs_left, ruled)
    settle_squares(matching)
    pairs = matching.pairs
    done = {slot for pair in pairs for slot in (pair.cell, pair.torch)}
    done |= {slot for sides in matching.uncertain for side in sides for slot in side}
    lists: tuple[list[str], list[str]] = ([], [])
    for names, slots in zip(lists, (ours, theirs_left)):
        for slot in slots:
            if slot not in done:
                if reason := _why_unneeded(slot, done):
                    unneeded[slot.name] = reason
                else:
                    names.append(slot.name)
    places = {slot: i for i, slot in enumerate(ours)}
    pairs = sorted(pairs, key=lambda pair: places[pair.cell])
    entries = [Entry(p.cell.name, p.torch.name, p.form, p.why, p.cell, p.torch) for p in pairs]
    ambiguous = [([s.name for s in a], [s.name for s in b]) for a, b in matching.uncertain]
    hints = (_hints(ours, theirs, *lists), _hints(theirs, ours, *lists[::-1]))
    return WeightMap(entries, *lists, ambiguous, unneeded, hints, api)


def _by_rules(
    ours: list[Slot], theirs: list[Slot], rename: Rename, unneeded: dict[str, str]
) -> tuple[list[Match], list[Slot]]:
    """Return the pairs of names that a rule changed, and the slots of torch that remain."""
    by_name = {canonical(slot.name): slot for slot in ours} | {slot.name: slot for slot in ours}
    pairs, left = [], []
    for slot in theirs:
        name = rename(slot.name)
        if name is None:
            unneeded[slot.name] = "left out by a rule"
            continue
        slot.path = name
        target = by_name.get(name) or by_name.get(canonical(name)) if name != slot.name else None
        form = slot_form(target, slot, transposed=True) if target else None
        if target and form:
            pairs.append(Match(target, slot, form, "a rule"))
        else:
            left.append(slot)
    return pairs, left


def _why_unneeded(slot: Slot, done: set[Slot]) -> str:
    """Return why a slot needs no counterpart, or ""."""
    if slot.first in done:
        return f"shares the tensor of '{slot.first.name}'" if slot.first else ""
    if slot.leaf == "num_batches_tracked":
        return "a counter"
    if not counts(slot):
        return "not a weight" if slot.trained else "not trained"
    if slot.layer.startswith("InstanceNorm") and slot.role.startswith("running_"):
        return "statistics that MindSpore's layer keeps, but does not use"
    if not slot.trained and slot.role in _FIXED and bool((slot.tensor == _FIXED[slot.role]).all()):
        return f"not trained, and {_FIXED[slot.role]}"
    return ""


def _hints(ours: list[Slot], theirs: list[Slot], names: list[str], candidates: list[str]) -> dict[str, str]:
    """Return the shapes of names without a counterpart, and the closest of the other side's names."""
    shapes, other_shapes = ({slot.name: slot.shape for slot in slots} for slots in (ours, theirs))
    result = {}
    for name in names[:_SHOWN]:
        close = close_name(name, candidates[:_COMPARED])
        result[name] = f" {shapes[name]}" + (f"; close: {close} {other_shapes[close]}" if close else "")
    return result


def _few(texts: list[str]) -> str:
    more = f", and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more


def _table(entries: list[Entry]) -> list[str]:
    rows = [("cell", "torch", "form", "why")] + [(e.cell, e.torch, str(e.form), e.why) for e in entries]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return ["  ".join([*(text.ljust(width) for text, width in zip(row, widths)), row[3]]) for row in rows]
