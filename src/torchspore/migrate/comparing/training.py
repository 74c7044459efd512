"""The comparison of whole networks: outputs, loss, gradients, and steps of the optimizers."""

from __future__ import annotations

import contextlib
import copy
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from torchspore.common import mode as modes
from torchspore.common.tensor import Tensor, wrap
from torchspore.migrate.comparing.calls import Call, Key, Store, observed
from torchspore.migrate.comparing.causes import Cause, in_words, is_same
from torchspore.migrate.comparing.layers import Sides, Trained, Visit
from torchspore.migrate.comparing.networks import CellNetwork, Network, hold, restored
from torchspore.migrate.comparing.optimizers import explain, known_difference
from torchspore.migrate.comparing.report import Report
from torchspore.migrate.comparing.rounding import Difference, difference, largest, spread, unit
from torchspore.migrate.comparing.rows import Row, row
from torchspore.migrate.comparing.settings import can_set, changed, settings_of
from torchspore.migrate.comparing.values import doubled, inner, mapped, tensors
from torchspore.migrate.weights.weight_map import Entry
from torchspore.nn.cell import Cell
from torchspore.nn.optim.sgd import SGD

__all__ = ["compare_training"]


_ROUNDINGS = 64.0  # of one update


def compare_training(
    sides: Sides, report: Report, keys: dict[Key, Key], steps: int, optimizers: Any, graph: bool
) -> None:
    """Add the rows of outputs, gradients and steps.

    Args:
        keys: which call of the first side is which of the second.
    """
    made = _optimizers(sides, optimizers) if steps else (None, None)
    random = [row.name for row in report.rows if row.verdict == "random"]
    switched = [name for side in (sides.first, sides.second) if side for name, layer in side.layers() if _draws(layer)]
    others = [name for name in random if name.partition(" (call")[0] not in switched or sides.second is None]
    if others:
        report.notes.append(f"Gradients and steps are not compared: {', '.join(others)} draws random numbers.")
        return
    if switched:
        names = ", ".join(dict.fromkeys(switched))
        report.notes.append(f"Dropout is switched off for gradients and steps: {names}.")
    store = Store()
    try:
        _Training(sides, report, steps, made, graph, bool(switched), keys, store).run()
    finally:
        store.close()


@dataclass
class _Training:
    """The runs of the whole.

    Both sides run unchanged, for outputs and losses. Gradients are compared at the same activations, as the second
    side's replace the first side's, and weights after steps with the same gradients: otherwise a ReLU of a
    number close to 0 would make rounding a difference of any size.
    """

    sides: Sides
    report: Report
    steps: int
    optimizers: tuple[Any, Any]
    graph: bool
    calm: bool
    keys: dict[Key, Key]
    store: Store
    numbers: dict[Key, list[int]] = field(default_factory=dict)
    exact: Trained | None = None

    def run(self) -> None:
        """Run both sides, and the second in float64, and compare."""
        self.depth = max(16, sum(1 for _ in self.sides.first.layers()))
        if self.sides.second is None:
            calls, self.store = self.sides.recorded or ([], self.store)
            self.numbers = {call.key: call.stored for call in calls}
            second: Trained | None = self.sides.trained
        else:
            second = self._guarded(self.sides.second, self.optimizers[1], self.report.labels[1], self._keep)
        first = self._guarded(self.sides.first, self.optimizers[0], self.report.labels[0], None)
        if first is None or second is None:
            return
        forced = self._train(self.sides.first, None, visit=self._force, graph=False)
        if self.graph:
            self._compare_graph(first, self._train(self.sides.first, None, graph=False))
        first.gradients, first.of_inputs = forced.gradients, forced.of_inputs
        with contextlib.suppress(Exception):  # networks with dtypes of their own may not run in float64
            self.exact = self._exact(forced, second)
        self.first, self.second = first, second
        self._compare_outputs()
        self._compare_gradients()
        self._compare_steps()

    def _keep(self, call: Call, found: list[torch.Tensor]) -> None:
        self.numbers[call.key] = [self.store.put(tensor) for tensor in found]

    def _force(self, call: Call, found: list[torch.Tensor]) -> list[torch.Tensor] | None:
        return self._replaced(self.keys.get(call.key), found)

    def _force_second(self, call: Call, found: list[torch.Tensor]) -> list[torch.Tensor] | None:
        return self._replaced(call.key, found)

    def _replaced(self, key: Key | None, found: list[torch.Tensor]) -> list[torch.Tensor] | None:
        """Return the stored values, whose gradients go to what was computed."""
        stored = [self.store.get(number) for number in self.numbers.get(key, [])] if key else []
        if len(stored) != len(found):
            return None
        return [_Put.apply(a, b) if a.is_floating_point() and a.shape == b.shape else a for a, b in zip(found, stored)]

    def _exact(self, first: Trained, second: Trained) -> Trained:
        """Return the second side's run in float64; of a dump, its values with the rounding of the first side added."""
        if self.sides.second is not None:
            exact = self._train(self.sides.second, None, double=True)
            forced = self._train(self.sides.second, None, double=True, visit=self._force_second)
            exact.gradients, exact.of_inputs = forced.gradients, forced.of_inputs
            return exact
        exact = self._train(self.sides.first, None, double=True, visit=self._force, graph=False)
        plain = self._train(self.sides.first, None, double=True, graph=False)
        result = Trained(losses=plain.losses, outputs=plain.outputs)
        found = {}
        for entry in self.sides.entries:
            holder = id(entry._torch.holder)
            if id(entry._cell.holder) in first.gradients[0] and holder in second.gradients[0]:
                error = exact.gradients[0][id(entry._cell.holder)] - first.gradients[0][id(entry._cell.holder)]
                own = second.gradients[0][holder]
                found[holder] = own + entry.of_cell(error).reshape(entry._torch.shape).to(own.device)
        result.gradients = [found]
        return result

    def _guarded(self, side: Network, optimizer: Any, label: str, visit: Visit | None) -> Trained | None:
        try:
            return self._train(side, optimizer, visit=visit)
        except Exception as error:
            text = f"{label} raised {type(error).__name__}: {error}"
            self.report.rows.append(
                Row("outputs", "forward and backward", verdict="raised", cause=Cause(text, True, "error"))
            )
            return None

    def _train(
        self, side: Network, optimizer: Any, double: bool = False, graph: bool | None = None, visit: Visit | None = None
    ) -> Trained:
        """Run a side: the steps of its optimizer, or once without one; `visit` sees the layers of the first step."""
        with restored(side, trained=optimizer is not None and not double), _kept_optimizer(optimizer, double):
            modes.set_graph((self.graph if graph is None else graph) and side is self.sides.first)
            if self.calm:
                _calm(side)
            if double:
                side.to_double()
            result = Trained()
            for step in range(self.steps if optimizer is not None else 1):
                args, labels = side.inputs(self.sides.inputs), side.inputs(self.sides.labels)
                if double:
                    args, labels = doubled(args), doubled(labels)
                function = with_loss(side, self.sides.loss(side), labels)
                observing = observed(side, visit) if visit is not None and step == 0 else contextlib.nullcontext()
                with observing, torch.enable_grad():
                    output, loss, gradients, of_inputs = side.gradients(function, args)
                result.losses.append(float(loss))
                if step == 0 or side is self.sides.second:
                    result.gradients.append(gradients)
                if step == 0:
                    result.outputs = [t.detach().clone() for t in tensors(output)]
                    result.of_inputs = of_inputs
                if optimizer is not None:
                    _step(side, optimizer, gradients)
                if optimizer is not None and side is self.sides.second:
                    result.weights.append({id(s.holder): s.tensor.clone() for s in side.slots()})
            return result

    # Comparing

    def _rounding(self, value: torch.Tensor, exact: torch.Tensor | None) -> float | None:
        return None if exact is None or exact.shape != value.shape else spread(value, exact)

    def _compare_outputs(self) -> None:
        ours, theirs = self.first.outputs, self.second.outputs
        if len(ours) != len(theirs):
            text = f"the numbers of tensors in the outputs are {len(ours)} and {len(theirs)}"
            self.report.rows.append(Row("outputs", "outputs", verdict="diverged", note=text))
        exact = self.exact.outputs if self.exact else []
        self._compare("outputs", "output", ours, theirs, exact)
        if self.sides.losses != (None, None):
            losses = [[torch.tensor(run.losses[:1], dtype=torch.float64)] for run in (self.first, self.second)]
            known = [torch.tensor(self.exact.losses[:1], dtype=torch.float64)] if self.exact else []
            lowest = min((t.dtype for t in theirs if t.is_floating_point()), key=lambda d: -torch.finfo(d).eps,
                         default=torch.float32)  # fmt: skip
            self._compare("outputs", "loss", [losses[0][0].to(lowest)], [losses[1][0].to(lowest)], known)
        of_inputs = self.exact.of_inputs if self.exact else []
        self._compare("gradients", "gradient of input", self.first.of_inputs, self.second.of_inputs, of_inputs)

    def _compare(
        self, part: str, name: str, ours: list[torch.Tensor], theirs: list[torch.Tensor], exact: list[torch.Tensor]
    ) -> None:
        for i, (a, b) in enumerate(zip(ours, theirs)):
            rounding = self._rounding(b, exact[i] if i < len(exact) else None)
            found = difference(a, b, rounding, self.depth, self.sides.tolerance)
            made = row(part, name if len(ours) == 1 else f"{name} {i}", found, shape=str(tuple(a.shape)))
            if made.is_bad and self.report.equal:
                made.cause = self._whole_cause()
            self.report.rows.append(made)

    def _whole_cause(self) -> Cause:
        """Return why the whole diverges although the layers agree."""
        if self.graph and self._agrees_without_graph():
            return Cause("the first side differs in GRAPH_MODE only", True, "mode")
        return Cause("rounding accumulates differently, or something that is not a layer differs", False, "operation")

    def _agrees_without_graph(self) -> bool:
        run = self._train(self.sides.first, None, graph=False)
        exact = self.exact.outputs if self.exact else []
        return not any(
            difference(a, b, self._rounding(b, exact[i] if i < len(exact) else None), self.depth).diverged
            for i, (a, b) in enumerate(zip(run.outputs, self.second.outputs))
        )

    def _gradient_difference(self, entry: Entry, run: Trained, step: int) -> Any:
        ours, theirs = (
            run.gradients[step].get(id(entry._cell.holder)),
            self._of_second(self.second.gradients, entry, step),
        )
        if ours is None or theirs is None:
            return None
        exact = self._of_second(self.exact.gradients, entry, step) if self.exact else None
        a, b = entry.of_cell(ours), entry.of_torch(theirs)
        rounding = None if exact is None else self._rounding(b, entry.of_torch(exact))
        return difference(a, b, rounding, self.depth, self.sides.tolerance)

    def _of_second(self, values: list[dict[int, torch.Tensor]], entry: Entry, step: int) -> torch.Tensor | None:
        return values[step].get(id(entry._torch.holder))

    def _compare_graph(self, graph: Trained, plain: Trained) -> None:
        """Add a row for the gradients in GRAPH_MODE: the weight that is furthest from PYNATIVE_MODE."""
        rows = []
        for entry in self.sides.entries:
            holder = id(entry._cell.holder)
            if holder in plain.gradients[0]:
                a, b = graph.gradients[0][holder], plain.gradients[0][holder]
                found = difference(a, b, unit(b.dtype) ** 0.5 * largest(b), self.depth, self.sides.tolerance)
                rows.append(row("gradients", "GRAPH_MODE", found, note=f"furthest: {entry.cell}"))
        if rows:
            worst = max(rows, key=lambda made: (made.is_bad, made.absolute or 0))
            if worst.is_bad:
                worst.cause = Cause("the first side differs in GRAPH_MODE only", True, "mode")
            self.report.rows.append(worst)

    def _compare_gradients(self) -> None:
        """Add rows of the weights' gradients, the last layers first: so run the gradients."""
        for entry in reversed(self.sides.entries):
            ours, theirs = entry._cell.holder, entry._torch.holder
            trained = id(ours) in self.first.gradients[0], id(theirs) in self.second.gradients[0]
            if not any(trained):
                continue
            if not all(trained):
                label = self.report.labels[trained.index(False)]
                cause = Cause(f"{label} does not train it (requires_grad)", True, "requires_grad")
                self.report.rows.append(Row("gradients", entry.cell, entry.torch, verdict="diverged", cause=cause))
                continue
            found = self._gradient_difference(entry, self.first, 0)
            made = row("gradients", entry.cell, found, other=entry.torch, shape=str(tuple(ours.shape)))
            if made.is_bad and self.report.equal:
                made.cause = self._gradient_cause(entry)
            self.report.rows.append(made)

    def _gradient_cause(self, entry: Entry) -> Cause:
        """Try the other layer's settings in a run of the whole."""
        layers = [dict(side.layers()) if side else {} for side in (self.sides.first, self.sides.second)]
        layer = layers[0].get(entry.cell.rpartition(".")[0])
        other = layers[1].get(entry.torch.rpartition(".")[0])
        possible = [Cause("the backward pass of the layer, or of one after it, differs", False, "gradient")]
        if layer is not None and other is not None:
            own, theirs = settings_of(layer), settings_of(other)
            for name in set(own) | set(theirs):
                if is_same(own.get(name), theirs.get(name)):
                    continue
                text = in_words(name, own.get(name), theirs.get(name))
                run = None
                if can_set(layer, name, theirs.get(name)):
                    with changed(layer, {name: theirs.get(name)}):
                        run = self._train(self.sides.first, None, graph=False, visit=self._force)
                if run is not None and not self._gradient_difference(entry, run, 0).diverged:
                    return Cause(text, True, name)
                if name == "padding_idx":
                    return self._padding_cause(entry, text, theirs.get(name), own.get(name))
                possible.insert(0, Cause(text, False, name))
        return possible[0]

    def _padding_cause(self, entry: Entry, text: str, theirs: Any, own: Any) -> Cause:
        """Check that the gradients differ in the rows of `padding_idx` only."""
        a, b = self.first.gradients[0][id(entry._cell.holder)], self.second.gradients[0][id(entry._torch.holder)]
        a, b = a.clone(), b.clone()
        for number in (theirs, own):
            if number is not None:
                a[number], b[number] = 0, 0
        return Cause(text, not difference(a, b, None, self.depth).diverged, "padding_idx")

    def _compare_steps(self) -> None:
        """Add a row for each step: the weight that is furthest away, after the same gradients on both sides."""
        failed: tuple[Row, int, dict[int, torch.Tensor]] | None = None
        self.report.losses = list(zip(self.first.losses, self.second.losses))
        for step, forced in enumerate(self._forced_updates() if None not in self.optimizers else ()):
            worst: Row | None = None
            for entry in self.sides.entries:
                if id(entry._cell.holder) not in self.first.gradients[0]:
                    continue
                found = self._step_difference(entry, forced, step)
                if worst is None or found.diverged or found.absolute > (worst.absolute or 0):
                    worst = row("steps", f"step {step + 1}", found, note=f"furthest: {entry.cell}")
                if found.diverged:
                    break
            if worst is None:
                continue
            first, second = self.report.losses[step]
            worst.note = f"losses {first:.6g} and {second:.6g}; {worst.note}"
            if worst.is_bad and self.report.equal:
                failed = worst, step, {holder: value.clone() for holder, value in forced.items()}
            elif not worst.is_bad and not self._losses_agree(step):
                worst.verdict = "diverged"
                if self.report.equal:
                    worst.cause = Cause("the losses differ, though layers, gradients and updates agree", False, "loss")
            self.report.rows.append(worst)
        if failed is not None:  # the optimizers are as they were before the steps
            pairs = [e for e in self.sides.entries if id(e._cell.holder) in self.first.gradients[0]]
            first_failed, step, forced = failed
            first_failed.cause = explain(self.optimizers, pairs, self.second, forced, step)

    def _losses_agree(self, step: int) -> bool:
        """Return whether the losses are as close as rounding in training allows, which steps amplify."""
        first, second = self.report.losses[step]
        lowest = max((unit(t.dtype) for t in self.second.outputs if t.is_floating_point()), default=unit(torch.float32))
        allowed = lowest**0.5 * max(abs(second), abs(self.second.losses[0]))
        if self.exact is not None and step == 0:
            allowed += 4 * abs(self.exact.losses[step] - second)
        agree = abs(first - second) <= allowed or first == second or (first != first and second != second)
        return agree or (step > 0 and abs(self._loss_at(step) - second) <= allowed)

    def _loss_at(self, step: int) -> float:
        """Return the first side's loss at the weights that the second has before a step.

        Small batches may amplify the rounding of earlier steps without bounds.
        """
        with restored(self.sides.first), torch.no_grad():
            for entry in self.sides.entries:
                value = self.second.weights[step - 1][id(entry._torch.holder)]
                hold(entry._cell.holder, entry.to_cell(value).reshape(entry._cell.shape).to(entry._cell.tensor))
            return self._train(self.sides.first, None, graph=False).losses[0]

    def _step_difference(self, entry: Entry, forced: dict[int, torch.Tensor], step: int) -> Difference:
        a = entry.of_cell(forced[id(entry._cell.holder)])
        b = entry.of_torch(self.second.weights[step][id(entry._torch.holder)])
        moved = spread(b, entry.of_torch(entry._torch.tensor))
        rounding = _ROUNDINGS * unit(b.dtype) * moved
        found = difference(a, b, rounding, 1, self.sides.tolerance)
        if not found.diverged:
            return found
        rounding += known_difference(self.optimizers, entry, self.second, step)
        return difference(a, b, rounding, 1, self.sides.tolerance)

    def _forced_updates(self) -> Iterator[dict[int, torch.Tensor]]:
        """Yield the first side's weights after each step, if its optimizer gets the second side's gradients."""
        side, optimizer = self.sides.first, self.optimizers[0]
        with restored(side, pynative=True), _kept_optimizer(optimizer, False):
            for number in range(self.steps):
                gradients = dict(self.first.gradients[0])
                for entry in self.sides.entries:
                    value, holder = self._of_second(self.second.gradients, entry, number), id(entry._cell.holder)
                    if value is not None and holder in gradients:
                        own = gradients[holder]
                        gradients[holder] = entry.to_cell(value).reshape(own.shape).to(own.device)
                _step(side, optimizer, gradients)
                yield {id(s.holder): s.tensor for s in side.slots()}


class _Put(torch.autograd.Function):
    """Returns another value; the gradient goes to the first as if it were its own."""

    @staticmethod
    def forward(ctx: Any, own: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return value.to(own.device, own.dtype, copy=True)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return gradient, None


def with_loss(side: Network, loss: Any, labels: tuple[Any, ...]) -> Callable[..., Any]:
    """Return a function of the inputs that returns the loss and the output."""

    def run(*args: Any) -> tuple[Any, Any]:
        output = side.net(*args)
        return (_mean_of_squares(side, output) if loss is None else loss(output, *labels)), output

    return run


def _mean_of_squares(side: Network, output: Any) -> Any:
    """Return what is differentiated without a loss: mean squares, weighted so that signs and places matter."""
    if isinstance(side, CellNetwork):
        total: Any = Tensor(0.0)
        for tensor in _float_tensors(output):
            total = total + (tensor * (tensor + _weights_like(inner(tensor)))).mean()
        return total
    total = torch.zeros(())
    for tensor in _float_tensors(output):
        total = total + (tensor * (tensor + inner(_weights_like(tensor)))).mean()
    return total


def _float_tensors(output: Any) -> list[Any]:
    found: list[Any] = []
    mapped(lambda t: found.append(t) or t, output)  # type: ignore[func-returns-value]
    return [t for t in found if inner(t).is_floating_point()]


def _weights_like(value: torch.Tensor) -> Any:
    numbers = torch.arange(value.numel(), dtype=torch.float64, device=value.device)
    return wrap(torch.sin(numbers).reshape(value.shape).to(value.dtype))


def _calm(side: Network) -> None:
    """Switch off the layers that draw random numbers."""
    for _, layer in side.layers():
        if _draws(layer):
            layer.training = False


def _draws(layer: Any) -> bool:
    """Return whether a layer is a Dropout in training."""
    return layer.training and any("Dropout" in base.__name__ for base in type(layer).__mro__)


# Optimizers


def _optimizers(sides: Sides, given: Any) -> tuple[Any, Any]:
    """Return the optimizers of both sides."""
    given = given or (None, None)
    assert sides.second is not None
    return _optimizer(sides.first, given[0]), _optimizer(sides.second, given[1])


def _optimizer(side: Network, given: Any) -> Any:
    is_cell = isinstance(side, CellNetwork)
    weights = side.net.trainable_params() if is_cell else [p for p in side.net.parameters() if p.requires_grad]
    if not weights:
        return None
    if given is None:
        return SGD(weights, 0.01) if is_cell else torch.optim.SGD(weights, lr=0.01)
    return given if isinstance(given, (Cell, torch.optim.Optimizer)) else given(weights)


def _step(side: Network, optimizer: Any, gradients: dict[int, torch.Tensor]) -> None:
    if optimizer is None:
        return
    if not isinstance(optimizer, torch.optim.Optimizer):  # of `nn`, `mint.optim` or `experimental.optim`
        found = ((p, gradients.get(id(p))) for p in optimizer.parameters)
        optimizer(tuple(wrap(torch.zeros_like(p._t) if g is None else g) for p, g in found))
        return
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            gradient = gradients.get(id(parameter))
            parameter.grad = None if gradient is None else gradient.to(parameter.dtype)
    optimizer.step()


@contextlib.contextmanager
def _kept_optimizer(optimizer: Any, double: bool) -> Iterator[None]:
    """Restore an optimizer's state at the end of the block."""
    if optimizer is None:
        yield
    elif isinstance(optimizer, Cell):
        side = CellNetwork(optimizer, "optimizer")
        with restored(side):
            if double:
                side.to_double()
            yield
    else:
        state, groups = optimizer.state, [{k: copy.copy(v) for k, v in g.items()} for g in optimizer.param_groups]
        grads = [(p, p.grad) for group in optimizer.param_groups for p in group["params"]]
        optimizer.state = defaultdict(dict, {p: copy.deepcopy(value) for p, value in state.items()})
        try:
            yield
        finally:
            optimizer.state = state
            for group, old in zip(optimizer.param_groups, groups):
                group.update(old)
            for parameter, grad in grads:
                parameter.grad = None  # of another dtype, perhaps
                parameter.grad = grad if grad is None or grad.dtype == parameter.dtype else grad.to(parameter.dtype)
