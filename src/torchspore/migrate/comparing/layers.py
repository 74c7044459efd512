"""The comparison of layers: every layer of the first side gets what the second side's layers computed.

The second side runs first; what its layers return is kept. Then the first side runs, and after each of its layers the
output is compared and replaced by the second side's. So differences do not accumulate: a layer that diverges is
wrong itself, or what comes between it and the previous layer is. A run of one side in float64, with the same outputs
put in place, measures what rounding does in each layer.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from torchspore.common.generator import manual_seed
from torchspore.migrate.comparing.alignment import aligned, kind
from torchspore.migrate.comparing.calls import Call, Key, Store, observed
from torchspore.migrate.comparing.causes import Case, Cause, find, in_words, is_same
from torchspore.migrate.comparing.networks import Network, restored
from torchspore.migrate.comparing.report import Report
from torchspore.migrate.comparing.rounding import Difference, difference, largest, spread, unit
from torchspore.migrate.comparing.rows import Row, row
from torchspore.migrate.comparing.settings import changed, settings_of
from torchspore.migrate.comparing.values import copied, doubled, inner, tensors
from torchspore.migrate.weights.weight_map import Entry

__all__ = ["Sides", "Trained", "compare_layers", "forward"]

Visit = Callable[[Call, list[torch.Tensor]], "list[torch.Tensor] | None"]
Received = tuple[tuple[Any, ...], dict[str, Any]]
_NOTHING: Received = ((), {})

_EXPLAINED = 20  # layers, and buffers: every search runs the network again


@dataclass
class Trained:
    """What a run of forward, backward and steps computed; weights and gradients are by the identity of the holder."""

    outputs: list[torch.Tensor] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    gradients: list[dict[int, torch.Tensor]] = field(default_factory=list)
    of_inputs: list[torch.Tensor] = field(default_factory=list)
    weights: list[dict[int, torch.Tensor]] = field(default_factory=list)


@dataclass
class Sides:
    """What is compared.

    Attributes:
        first: the side that is corrected.
        second: the side that it should equal; None for a dump.
        inputs: of the networks.
        labels: of the losses, after the output.
        losses: one for each side, or None.
        entries: the map of the weights.
        tolerance: of the user's, or None.
        recorded: the calls of a dump, and its tensors.
        trained: the outputs and gradients of a dump.
    """

    first: Network
    second: Network | None
    inputs: tuple[Any, ...]
    labels: tuple[Any, ...]
    losses: tuple[Any, Any]
    entries: list[Entry]
    tolerance: float | None = None
    recorded: tuple[list[Call], Store] | None = None
    trained: Trained | None = None

    def loss(self, side: Network) -> Any:
        """Return the loss of a side."""
        return self.losses[0] if side is self.first else self.losses[1]


@dataclass
class Run:
    """What a run of a side left."""

    calls: list[Call]
    error: Exception | None = None
    buffers: dict[int, torch.Tensor] = field(default_factory=dict)


def forward(sides: Sides, side: Network, visit: Visit | None = None, before: Any = None, double: bool = False) -> Run:
    """Run a side with its loss, from its present weights and random states, which remain."""
    with restored(side, pynative=True, trained=False):
        if double:
            side.to_double()
        args, labels = side.inputs(sides.inputs), side.inputs(sides.labels)
        if double:
            args, labels = doubled(args), doubled(labels)
        calls: list[Call] = []
        error: Exception | None = None
        try:
            with observed(side, visit, before) as calls:

                def run() -> None:
                    with torch.no_grad():
                        output = side.net(*args)
                        loss = sides.loss(side)
                        if loss is not None:
                            calls.append(_call_loss(loss, (output, *labels), visit, before))

                side.call(run)
        except Exception as raised:
            error = raised
        return Run(calls, error, {id(holder): inner(holder).detach().clone() for holder in _buffers(sides, side)})


def _call_loss(loss: Any, args: tuple[Any, ...], visit: Visit | None, before: Any) -> Call:
    is_layer = hasattr(loss, "training")
    call = Call("loss", 0, type(loss).__name__ if is_layer else getattr(loss, "__name__", "loss"), loss)
    if before is not None:
        before(call, args, {})
    found = tensors(loss(*args))
    call.shapes, call.dtypes, call.finished = [tuple(t.shape) for t in found], [t.dtype for t in found], True
    if visit is not None:
        visit(call, found)
    return call


def _buffers(sides: Sides, side: Network) -> list[Any]:
    slots = [entry._cell if side is sides.first else entry._torch for entry in sides.entries]
    return [slot.holder for slot in slots if not slot.trained]


class _Forcing:
    """Replaces the outputs of a run by the stored ones, and measures the distance to them."""

    def __init__(self, keys: dict[Key, Call], store: Store) -> None:
        self._keys, self._store = keys, store
        self.distances: dict[Key, list[float]] = {}
        self.outputs: dict[Key, list[torch.Tensor]] = {}
        self.wanted: set[Key] = set()
        self.compared: dict[Key, list[Difference | None]] = {}
        self.compare: Callable[[Call, Call, list[torch.Tensor], list[torch.Tensor]], Any] | None = None

    def __call__(self, call: Call, found: list[torch.Tensor]) -> list[torch.Tensor] | None:
        other = self._keys.get(call.key)
        if other is None:
            return None
        stored = [self._store.get(number) for number in other.stored]
        if call.key in self.wanted:
            self.outputs[call.key] = [t.detach().clone() for t in found]
        if self.compare is not None:
            self.compare(call, other, found, stored)
        elif len(stored) == len(found):
            pairs = zip(found, stored)
            self.distances[other.key] = [spread(a, b) if a.shape == b.shape else math.inf for a, b in pairs]
        # Copies, as a layer that works in place may get them.
        return [value.clone() for value in stored] if len(stored) == len(found) else None


def compare_layers(sides: Sides, report: Report) -> dict[Key, Key]:
    """Add the rows of the layers and buffers; return which call of the first side is which of the second."""
    store = Store()
    try:
        layers = _Layers(sides, report, store)
        layers.run()
        return {key: call.key for key, call in layers.keys.items()}
    finally:
        store.close()


class _Layers:
    def __init__(self, sides: Sides, report: Report, store: Store) -> None:
        self.sides, self.report, self.store = sides, report, store
        self.random: tuple[set[Key], set[Key]] | None = None

    def run(self) -> None:
        """Compare."""
        sides = self.sides
        self.second = self._second()
        self._align(forward(sides, sides.first))
        while self.first.error is not None:  # with the right values in place it may get further
            further = forward(sides, sides.first, _Forcing(self.keys, self.store))
            if _finished(further) <= _finished(self.first):
                break
            self._align(further)
        rounding = self._without_random(self._rounding())
        self.rows: dict[Key, Row] = {}
        forcing = _Forcing(self.keys, self.store)
        forcing.compare = lambda call, other, found, stored: self._add(call, other, found, stored, rounding)
        forced = forward(sides, sides.first, forcing)
        self._add_rows(forced)
        self._explain()
        self._compare_buffers(forced)
        self._note_settings()

    def _align(self, first: Run) -> None:
        """Find the pairs of calls."""
        layers = {(e.cell.rpartition(".")[0], e.torch.rpartition(".")[0]) for e in self.sides.entries}
        calls = self.second.calls
        self.pairs = [(i, j) for i, j in aligned(first.calls, calls, layers) if calls[j].finished]
        self.keys = {first.calls[i].key: calls[j] for i, j in self.pairs}
        self.first = first

    def _second(self) -> Run:
        if self.sides.recorded is not None:
            calls, self.store = self.sides.recorded
            return Run(calls)

        def keep(call: Call, found: list[torch.Tensor]) -> None:
            call.stored = [self.store.put(tensor) for tensor in found]

        assert self.sides.second is not None
        return forward(self.sides, self.sides.second, keep)

    def _rounding(self) -> dict[Key, list[float]]:
        """Return the measured rounding of the second side's calls; of a dump, of the first side's."""
        sides = self.sides
        if sides.second is not None:
            forcing = _Forcing({call.key: call for call in self.second.calls if call.finished}, self.store)
            self.reference = forward(sides, sides.second, forcing, double=True)
            return forcing.distances
        single, double = _Forcing(self.keys, self.store), _Forcing(self.keys, self.store)
        single.wanted = double.wanted = set(self.keys)
        forward(sides, sides.first, single)
        self.reference = forward(sides, sides.first, double, double=True)
        return {
            self.keys[key].key: [spread(a, b) if a.shape == b.shape else math.inf for a, b in zip(outputs, others)]
            for key, outputs in single.outputs.items()
            if (others := double.outputs.get(key)) is not None
        }

    def _without_random(self, rounding: dict[Key, list[float]]) -> dict[Key, list[float]]:
        """Return the distances without those that other random numbers, not rounding, may explain."""
        calls = {call.key: call for call in self.second.calls}
        suspicious = {
            key for key, distances in rounding.items()
            for number, distance in zip(calls[key].stored, distances)
            if distance > unit((stored := self.store.get(number)).dtype) ** 0.5 * largest(stored)
        }  # fmt: skip
        if suspicious:
            self.random = self._random_calls()
            draws = {self.keys[key].key for key in self.random[0] if key in self.keys} | self.random[1]
            rounding = {key: distances for key, distances in rounding.items() if key not in draws}
        return rounding

    def _add(
        self, call: Call, other: Call, found: list[torch.Tensor], stored: list[torch.Tensor], rounding: dict[Key, Any]
    ) -> None:
        """Make the row of a pair of calls."""
        types = call.kind if call.kind == other.kind else f"{call.kind} / {other.kind}"
        shape = ", ".join(str(tuple(t.shape)) for t in found)
        names = {"other": other.title, "type": types, "shape": shape}
        if len(found) != len(stored):
            text = f"the numbers of tensors in the outputs are {len(found)} and {len(stored)}"
            self.rows[call.key] = Row("layers", call.title, other.title, types, shape, verdict="diverged", note=text)
            return
        measured = rounding.get(other.key) or [None] * len(found)
        terms = _terms(call)
        differences = [
            difference(a, b, r, terms if call.leaf else max(terms, 16), self.sides.tolerance)
            for a, b, r in zip(found, stored, measured)
        ]
        worst = max(differences, key=lambda d: (d.diverged, d.absolute), default=Difference(0, 0, 0, False))
        made = self.rows[call.key] = row("layers", call.title, worst, **names)
        if not all(bool(torch.isfinite(t).all()) for t in stored):
            made.note = "; ".join(text for text in (made.note, "has nan or inf") if text)
        if not worst.diverged and [t.dtype for t in found] != [t.dtype for t in stored]:
            ours, theirs = found[0].dtype, stored[0].dtype
            made.note = f"the dtypes are {ours} and {theirs}".replace("torch.", "")

    def _add_rows(self, forced: Run) -> None:
        """Add the rows in order of execution, with the calls that only one side has, and errors."""
        places = dict(self.pairs)
        done = 0
        for i, call in enumerate(self.first.calls):
            if i in places:
                for other in self.second.calls[done : places[i]]:
                    self._add_alone(other, 1)
                done = places[i] + 1
                if call.key in self.rows and (call.finished or call.error is None):
                    self.report.rows.append(self.rows[call.key])
            elif call.finished:
                self._add_alone(call, 0)
        for other in self.second.calls[done:]:
            self._add_alone(other, 1)
        for run, side, label in ((self.second, 1, self.report.labels[1]), (forced, 0, self.report.labels[0])):
            if run.error is not None:
                self._add_error(run, label, side)

    def _add_alone(self, call: Call, side: int) -> None:
        if call.finished and not (call.name == "" or call.name == "loss"):
            shape = ", ".join(map(str, call.shapes))
            label = self.report.labels[side]
            self.report.rows.append(
                Row("layers", call.title, "", call.kind, shape, verdict="alone", note=f"only in {label}")
            )

    def _add_error(self, run: Run, label: str, side: int) -> None:
        """Add the row of an exception of one side: it names the innermost layer that was running."""
        failed = next((call for call in run.calls if call.error is not None), None)
        name, of = (failed.title, failed.kind) if failed else ("(network)", "")
        text = f"{label} raised {type(run.error).__name__} in '{name}': {run.error}"
        made = Row("layers", name, "", of, verdict="raised", cause=Cause(text, True, "error"))
        self.report.rows.append(made)

    # Causes

    def _explain(self) -> None:
        """Find the causes of the divergences that are not random: every layer received the right inputs."""
        keys = {id(made): key for key, made in self.rows.items()}
        diverged: dict[Key, Row] = {}
        for made in self.report.rows:
            if made.verdict == "diverged" and not self._is_random(keys[id(made)], made):
                diverged[keys[id(made)]] = made
            if made.verdict == "raised":
                break
        searched = list(diverged)[:_EXPLAINED]
        if searched:
            self._capture(set(searched))
        for key, made in diverged.items():
            made.cause = (
                self._cause(key)
                if key in searched
                else Cause(f"not searched, as {_EXPLAINED} layers before it diverge", False)
            )

    def _is_random(self, key: Key, made: Row) -> bool:
        """Return whether both sides draw random numbers in a call; then the row says so."""
        if self.random is None:
            self.random = self._random_calls()
        ours, theirs = key in self.random[0], self.keys[key].key in self.random[1]
        if ours and (theirs or self.sides.second is None):
            call, other = self._call(key), self.keys[key]
            own, others = settings_of(call.layer), settings_of(other.layer) if other.layer is not None else {}
            if own.get("p") is not None and others.get("p") is not None and abs(own["p"] - others["p"]) > 1e-9:
                return False
            made.verdict, made.note = "random", "draws random numbers: not compared"
            return True
        return False

    def _random_calls(self) -> tuple[set[Key], set[Key]]:
        """Return the calls of both sides whose outputs change with the random state."""
        found: list[set[Key]] = []
        for side, keys in ((self.sides.first, self.keys), (self.sides.second, None)):
            if side is None:
                found.append(set())
                continue
            keys = keys or {call.key: call for call in self.second.calls if call.finished}
            outputs = []
            for seed in (0, 1):
                forcing = _Forcing(keys, self.store)
                forcing.wanted = set(keys)
                with restored(side):
                    torch.manual_seed(seed)
                    manual_seed(seed)
                    forward(self.sides, side, forcing)
                outputs.append(forcing.outputs)
            found.append({
                key for key, values in outputs[0].items()
                if any(a.shape != b.shape or spread(a, b) > 0 for a, b in zip(values, outputs[1].get(key, [])))
            })  # fmt: skip
        return found[0], found[1]

    def _call(self, key: Key) -> Call:
        return next(call for call in self.first.calls if call.key == key)

    def _capture(self, keys: set[Key]) -> None:
        """Run both sides again to have what some pairs of calls receive, and the outputs of the first's."""
        sides, others = self.sides, {self.keys[key].key for key in keys}
        forcing = _Forcing(self.keys, self.store)
        forcing.wanted = keys
        first = self._received(sides.first, forcing, keys)
        self.outputs = forcing.outputs
        forcing = _Forcing({call.key: call for call in self.second.calls if call.finished}, self.store)
        second = {} if sides.second is None else self._received(sides.second, forcing, others)
        self.received = {key: (first.get(key, _NOTHING), second.get(self.keys[key].key, _NOTHING)) for key in keys}
        self.exact: dict[Key, Received] = {}
        if sides.second is not None and not all(_same_inputs(*pair) for pair in self.received.values()):
            self.exact = self._received(sides.second, forcing, others, double=True)

    def _received(self, side: Network, visit: Visit, keys: set[Key], double: bool = False) -> dict[Key, Received]:
        """Return what calls of a side receive in a run."""
        found: dict[Key, Received] = {}

        def before(call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            if call.key in keys:
                found[call.key] = copied(args), copied(kwargs)

        forward(self.sides, side, visit, before, double)
        return found

    def _cause(self, key: Key) -> Cause:
        """Search with the captured inputs of a pair of calls: only its layer runs again."""
        sides, other, call = self.sides, self.keys[key], self._call(key)
        (args, kwargs), (second_args, second_kwargs) = self.received[key]
        second_inputs = tensors((second_args, second_kwargs))
        with restored(sides.first, sides.second, pynative=True, trained=False):
            case = Case(
                sides.first, sides.second, call, other, args, kwargs, second_args, second_kwargs,
                [self.store.get(n) for n in other.stored], self.outputs.get(key, []), self._layer_weights(call),
                self._inputs_differ(tensors((args, kwargs)), second_inputs, self.exact.get(other.key)),
                self._runs_alone(call), self._alone(key), second_inputs,
            )  # fmt: skip
            return find(case)

    def _inputs_differ(self, own: list[torch.Tensor], other: list[torch.Tensor], reference: Any) -> bool:
        if self.sides.second is None or not other:
            return False
        exact = tensors(reference) if reference is not None else []
        for i, (a, b) in enumerate(zip(own, other)):
            rounding = spread(b, exact[i]) if i < len(exact) and exact[i].shape == b.shape else None
            if a.dtype != b.dtype or difference(a, b, rounding, tolerance=self.sides.tolerance).diverged:
                return True
        return False

    def _runs_alone(self, call: Call) -> bool:
        """Return whether no layer inside of a call is aligned, so that its outputs are its own."""
        return call.layer is not None and not any(
            inside.parent is not None and inside.parent.key == call.key and inside.key in self.keys
            for inside in self.first.calls
        )

    def _alone(self, key: Key) -> list[str]:
        """Return the layers of one side between the previous pair of calls and this."""
        position = next(n for n, (i, _) in enumerate(self.pairs) if self.first.calls[i].key == key)
        i, j = self.pairs[position]
        before = self.pairs[position - 1] if position else (-1, -1)
        texts = []
        for calls, start, end, label in (
            (self.first.calls, before[0], i, self.report.labels[0]),
            (self.second.calls, before[1], j, self.report.labels[1]),
        ):
            between = {call.key: call for call in calls[start + 1 : end]}
            outermost = [c for c in between.values() if c.parent is None or c.parent.key not in between]
            names = [f"'{call.title}' ({call.kind})" for call in outermost]
            if names:
                texts.append(f"only {label} has {', '.join(names)}")
        return texts

    def _layer_weights(self, call: Call) -> list[tuple[Any, torch.Tensor]]:
        found = []
        for entry in self.sides.entries:
            if entry.cell.rpartition(".")[0] == call.name:
                with contextlib.suppress(RuntimeError, ValueError):
                    found.append((entry._cell.holder, entry.to_cell(entry._torch.tensor)))
        return found

    # Buffers and settings

    def _compare_buffers(self, forced: Run) -> None:
        """Add rows of the running statistics after the forward pass."""
        if self.sides.second is None or forced.error or self.second.error:
            return
        explained = 0
        for entry in self.sides.entries:
            ours, theirs = entry._cell, entry._torch
            if ours.trained or id(ours.holder) not in forced.buffers or id(theirs.holder) not in self.second.buffers:
                continue
            after = forced.buffers[id(ours.holder)]
            expected = self.second.buffers[id(theirs.holder)]
            if torch.equal(expected, theirs.tensor) and torch.equal(after, ours.tensor):
                continue
            exact = self.reference.buffers.get(id(theirs.holder))
            found = self._buffer_difference(entry, after, expected, exact)
            made = row("buffers", entry.cell, found, other=entry.torch, shape=str(tuple(after.shape)))
            self.report.rows.append(made)
            if made.is_bad:
                explained += 1
                made.cause = (
                    self._buffer_cause(entry, expected, exact)
                    if explained <= _EXPLAINED
                    else Cause(f"not searched, as {_EXPLAINED} buffers before it diverge", False)
                )

    def _buffer_difference(
        self, entry: Entry, after: torch.Tensor, expected: torch.Tensor, exact: torch.Tensor | None
    ) -> Difference:
        of_second = entry.of_torch(expected)
        rounding = None if exact is None else spread(of_second, entry.of_torch(exact))
        return difference(entry.of_cell(after), of_second, rounding, 16, self.sides.tolerance)

    def _buffer_cause(self, entry: Entry, expected: torch.Tensor, exact: torch.Tensor | None) -> Cause:
        """Try the other layer's settings in a run of the whole side."""
        call = next((c for c in self.first.calls if entry.cell.rpartition(".")[0] == c.name), None)
        other = self.keys.get(call.key) if call else None
        if call is None or other is None:
            return Cause("the running statistics differ", False, "buffers")
        own, theirs = settings_of(call.layer), settings_of(other.layer)
        possible = []
        for name in own:
            if name not in theirs or is_same(own[name], theirs[name]):
                continue
            with changed(call.layer, {name: theirs[name]}):
                after = forward(self.sides, self.sides.first, _Forcing(self.keys, self.store)).buffers
            agrees = not self._buffer_difference(entry, after[id(entry._cell.holder)], expected, exact).diverged
            cause = Cause(in_words(name, own[name], theirs[name]), agrees, name)
            if agrees:
                return cause
            possible.append(cause)
        return possible[0] if possible else Cause("the running statistics differ", False, "buffers")

    def _note_settings(self) -> None:
        """Note settings that differ although the outputs agree."""
        causes = {
            (row.name.rpartition(".")[0], row.cause.setting)
            for row in self.report.rows
            if row.part == "buffers" and row.cause is not None
        }
        for i, j in self.pairs:
            call, other = self.first.calls[i], self.second.calls[j]
            if call.count or kind(call.kind) != kind(other.kind) or call.key not in self.rows:
                continue
            own = settings_of(call.layer)
            theirs = settings_of(other.layer) if other.layer is not None else other.settings or {}
            for name in own:  # whether a layer is in training is not a setting
                if (
                    name != "training"
                    and name in theirs
                    and not self.rows[call.key].is_bad
                    and (call.name, name) not in causes
                    and not is_same(own[name], theirs[name])
                ):
                    words = in_words(name, own[name], theirs[name])
                    self.report.notes.append(f"{call.title} ({call.kind}): {words}; no effect on these outputs.")


def _same_inputs(first: Received, second: Received) -> bool:
    pairs = tensors(first), tensors(second)
    same = (a.dtype == b.dtype and torch.equal(a, b.to(a.device)) for a, b in zip(*pairs))
    return len(pairs[0]) == len(pairs[1]) and all(same)


def _finished(run: Run) -> int:
    return sum(call.finished for call in run.calls)


def _terms(call: Call) -> float:
    """Return the length of the sums of a layer: its weight's size for each output channel, or its inputs'."""
    sizes = [inner(p).numel() / max(inner(p).shape[0], 1) for p in _parameters(call.layer) if inner(p).dim() > 1]
    return max([16.0 if call.name == "loss" else 1.0, *sizes])


def _parameters(layer: Any) -> list[Any]:
    found = getattr(layer, "_params", None) or getattr(layer, "_parameters", None) or {}
    return [p for p in found.values() if p is not None]
