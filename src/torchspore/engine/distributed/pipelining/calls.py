"""Running a program's calls of networks in stages."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
import torch.distributed as dist

from torchspore.common import change_count
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.private_torch import functorch_level
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.capture.recording.random_state import RandomState
from torchspore.engine.capture.state.guards import fingerprint
from torchspore.engine.capture.state.reachable_state import UntrackedState, find_reachable
from torchspore.engine.capture.state.signature import objects
from torchspore.engine.distributed.agreement import raise_first
from torchspore.engine.distributed.cutting.calls import Computing, Cutting, place
from torchspore.engine.distributed.cutting.operations import has_strategies
from torchspore.engine.distributed.cutting.placements import Placements, is_cut, replicated
from torchspore.engine.distributed.cutting.region import region
from torchspore.engine.distributed.optimizer_states import states_of
from torchspore.engine.distributed.pipelining.parameters import MissingParameters, Parameters, write
from torchspore.engine.distributed.pipelining.plan import Plan, active, make_plan
from torchspore.engine.distributed.pipelining.processes import Processes
from torchspore.engine.distributed.pipelining.schedules import Failure, Run
from torchspore.engine.values.nested import filled, map_tensors, tensors

__all__ = ["Pipelining"]

_MAX_PLANS = 8  # of a network; each keeps memory for what its stages receive


class Pipelining:
    """How the networks of a program run in stages.

    Attributes:
        stages: the number of stages.
        scheduler: the name of the schedule.
        device: where the networks are.
        cutting: how the processes of a stage cut its tensors among them.
    """

    def __init__(self, stages: int) -> None:
        self.stages = stages
        self.scheduler = "1f1b"
        self.device = torch.device("cpu")
        self.cutting = Cutting()
        self._parameters = Parameters()
        self._made: Processes | None = None
        self._plans: WeakKeyDictionary[Any, dict[Any, _Planned]] = WeakKeyDictionary()
        self._reached: WeakKeyDictionary[Any, tuple[int, _Reached]] = WeakKeyDictionary()
        self.scale = 1.0  # the last gradient of a loss: the next one is likely the same

    @property
    def processes(self) -> Processes:
        """The processes of each stage."""
        if self._made is None or self._made.world is not dist.group.WORLD:
            self._made = Processes(self.stages)
        return self._made

    # Calls

    def is_settled(self, _function: Any, _level: str, _args: tuple[Any, ...], _kwargs: dict[str, Any]) -> bool:
        """Return whether a captured function may be recorded: never."""
        return False

    def run(self, run: Callable[..., Any], function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what a call returns; arguments as for `Cutting.run`."""
        if region.is_open or not dist.is_initialized():
            return run(*args, **kwargs)
        reached = self._reach(function, args, kwargs)
        self._place(reached)
        region.is_open, region.is_agreed = True, True  # see `_agree`
        try:
            with Computing() if self.cuts() else nullcontext():
                try:
                    return run(*args, **kwargs)
                except MissingParameters:
                    self._parameters.release()
                    self._place(reached)
                    return run(*args, **kwargs)
        finally:
            region.is_open = False
            self._parameters.release()
            self._cut_as_wanted(reached)

    def cuts(self) -> bool:
        """Return whether the processes of a stage cut its tensors among them."""
        return self.processes.width > 1 and (has_strategies() or self.cutting.optimizer_level > 0)

    def _place(self, reached: _Reached) -> None:
        """Put parameters and the states of optimizers where they are needed."""
        self._parameters.place_states(reached.states, self.processes, self.device)
        if self.cuts():
            for parameter in reached.parameters:
                if not is_cut(parameter._storage):
                    self._put(parameter, replicated())
            self._cut_states(reached)

    def _cut_states(self, reached: _Reached) -> None:
        for parameter, state in reached.states:
            if is_cut(parameter._storage):
                self._put(state, self.cutting.updated_as(parameter._storage))

    def _cut_as_wanted(self, reached: _Reached) -> None:
        """Cut the parameters of this stage as its operations have asked for."""
        region.gradients.clear()
        for parameter, placements in region.wanted.items():
            self._put(parameter, placements)
        region.wanted.clear()
        if self.cuts():
            for parameter in reached.parameters if self.cutting.optimizer_level == 3 else ():
                if parameter.requires_grad and is_cut(parameter._storage):
                    self._put(parameter, self.cutting.updated_as(parameter._storage))
            self._cut_states(reached)

    def _put(self, parameter: Parameter, placements: Placements) -> None:
        """Cut a parameter, if this process holds it."""
        stages = self._parameters.owners(parameter._storage)
        if not parameter._storage.is_meta:
            place(parameter, placements)
            if stages is not None:
                self._parameters.note(parameter._storage, stages)

    def _reach(self, function: Any, args: Any, kwargs: Any) -> _Reached:
        """Return the parameters that a function reaches; let its cells ask how they run."""
        known = self._reached.get(function)
        if known is not None and known[0] == change_count.current():
            return known[1]
        fn = function.fn
        try:
            cells = find_reachable(fn, *objects((args, kwargs))).cells
        except UntrackedState:
            cells = [fn] if hasattr(fn, "cells_and_names") else []
        for cell in cells:
            _note_cells(cell)
        found = _Reached(
            list(dict.fromkeys(p for cell in cells if _is_of_network(cell) for p in _floats_of(cell))),
            [pair for cell in cells for pair in states_of(cell)],
        )
        self._reached[function] = change_count.current(), found
        return found

    def call(self, cell: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a cell: in stages if it is the innermost one with all cells that have a stage."""
        walk = active.walk
        if walk is not None:
            return run(*args, **kwargs) if walk.is_inside else walk.call(cell, run, args, kwargs)
        if not dist.is_initialized() or not _has_stages(cell):
            return run(*args, **kwargs)
        return self.compute(cell, lambda: [(args, kwargs)], type(cell).__name__, adds=False)

    def is_computing(self) -> bool:
        """Return whether this thread is inside a network in stages."""
        return active.walk is not None

    def compute(self, network: Any, split: Callable[[], list[tuple[Any, Any]]], api: str, *, adds: bool) -> Any:
        """Return the output of a network in stages.

        Args:
            network: the network.
            split: returns the inputs of each part of the batch.
            api: what was called, for messages.
            adds: whether the outputs of the parts, one tensor each, are added.
        """
        _note_cells(network)
        error: Exception | None = None
        parts: list[tuple[Any, Any]] = []
        key: Any = None
        planned = None
        try:
            if functorch_level() is not None or scope.depth > 1:
                raise NotImplementedError(
                    f"For '{api}', a network in stages has first gradients by 'grad', 'value_and_grad' and training "
                    "cells only: not derivatives of derivatives, and not derivatives by 'vmap', 'jvp' and 'vjp'."
                )
            parts = split()
            key = f"{len(parts)} parts", *_key(parts[0])
            planned = self._planned(network, key, parts[0], api)
            if adds and not isinstance(planned.plan.output, Tensor):
                raise TypeError(f"For '{api}', the network must return one Tensor.")
        except Exception as found:
            error = found
        is_new = self._agree(error, key, planned is not None and not planned.has_run, api)
        assert planned is not None
        if is_new:
            planned.begin_again()
        plan = planned.plan
        self.device = plan.device
        self._parameters.place(plan, self.processes, scope.depth > 0)
        holders = [self.holders(parameter) for parameter in plan.owners]
        self.processes.prepare(stages for stages in holders if stages)
        call = _Call(self, planned, parts, adds)
        leaves = call.leaves()
        if not leaves or not torch.is_grad_enabled():
            return call.output(call.values())
        results = _Pipelined.apply(call, *leaves)
        return call.output(list(results))

    def _planned(self, network: Any, key: Any, part: tuple[Any, Any], api: str) -> _Planned:
        plans = self._plans.setdefault(network, {})
        key = (
            key,
            bool(scope.depth),
            torch.is_grad_enabled(),
            self.scheduler,
            self.cuts(),
            self.cutting.dataset_strategy,
        )
        known = plans.pop(key, None)
        if known is None or not known.holds():
            wide = self._wide(part) if self.cuts() else None
            known = _Planned(make_plan(network, part, wide, self.processes.width, self.stages, self.scheduler, api))
        plans[key] = known
        if len(plans) > _MAX_PLANS:
            del plans[next(iter(plans))]
        return known

    def _wide(self, part: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return inputs without values, of the shapes that the inputs of all processes of a stage have together."""
        strategy, width = self.cutting.dataset_strategy, self.processes.width
        data = [tensor for tensor in tensors(part) if not isinstance(tensor, Parameter)]
        rows = (width,) if isinstance(strategy, str) and strategy == "data_parallel" else (1,)
        parts = [rows[: len(tensor.shape)] for tensor in data] if isinstance(strategy, str) else list(strategy)
        is_fitting = [
            isinstance(one, tuple) and one[:1] in ((), (1,), (width,)) and set(one[1:]) <= {1} for one in parts
        ]
        if len(parts) != len(data) or not all(is_fitting):
            raise ValueError(
                f"For 'dataset_strategy', a network in stages needs a tuple of numbers for each of its {len(data)} "
                f"inputs, of which the first is 1 or {width}, and the others are 1, but got {strategy}."
            )
        counts = iter(parts)

        def widened(tensor: Tensor) -> Tensor:
            if isinstance(tensor, Parameter):
                return tensor
            one = next(counts)
            shape = [size * (one[i] if i < len(one) else 1) for i, size in enumerate(tensor.shape)]
            return wrap(torch.empty(shape, dtype=tensor._t.dtype, device="meta", requires_grad=tensor._t.requires_grad))

        wide: tuple[Any, Any] = map_tensors(widened, part)
        return wide

    def _agree(self, error: Exception | None, key: Any, is_new: bool, api: str) -> bool:
        """Raise an error that any process has in all of them: a process alone would leave the others waiting.

        Args:
            error: the error of this process.
            key: describes the inputs.
            is_new: whether this process has a plan that has not run.
            api: what was called, for messages.

        Returns:
            Whether any process has such a plan: in their first run, stages tell each other what they send.
        """
        number = zlib.crc32(repr(key).encode())
        facts = torch.tensor([error is not None, number, -number, is_new])
        if self.processes.pipe is not None and dist.get_backend() == "nccl":
            facts = facts.cuda()
        dist.all_reduce(facts, dist.ReduceOp.MAX)
        failed, most, least, any_is_new = facts.tolist()
        if failed:
            raise_first(error)
        if most != -least:
            raise ValueError(
                f"For '{api}', the processes of a pipeline must have inputs of the same shapes and types, but this one "
                f"has {key}."
            )
        return bool(any_is_new)

    def check(self, failure: Failure | None) -> None:
        """Raise what has failed in any process in all of them."""
        failed = torch.tensor([failure is not None], dtype=torch.int32, device=self.device)
        dist.all_reduce(failed, dist.ReduceOp.MAX)
        if failed.item():
            error, position = (None, 0) if failure is None else (failure.error, failure.position)
            raise_first(error, position)

    # Parameters: what `Cutting` does for tensors that are cut

    def holds(self, value: torch.Tensor) -> bool:
        """Return whether only some stages hold a tensor."""
        return value.is_meta or is_cut(value) or self._parameters.owners(value) is not None

    def whole(self, value: torch.Tensor) -> torch.Tensor:
        """Return the value of a tensor; all processes must ask for it if only some stages hold it."""
        if self._parameters.owners(value) is None:
            if not value.is_meta:
                return self.cutting.whole(value)
            raise RuntimeError(
                "a value is read that was computed from parameters of other stages, or their gradients, which this "
                "process does not have. 'ops.clip_by_global_norm' and 'amp.all_finite' work across all stages."
            )
        return self._parameters.whole(value, self.processes, self.device)

    def holders(self, parameter: Parameter) -> frozenset[int]:
        """Return the stages that hold a parameter; none of one that no network in stages uses."""
        return self._parameters.owners(parameter._storage) or frozenset()

    def copy(self, value: torch.Tensor) -> torch.Tensor:
        """Return a copy of a tensor, which is where the tensor is."""
        copy = value.detach().clone()
        self._parameters.copied(value, copy)
        return copy

    def write(self, value: torch.Tensor, whole: torch.Tensor) -> None:
        """Write a whole tensor into one of a parameter, where this process holds it."""
        write(value, whole)

    def like(self, value: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        """Return a tensor that belongs to a parameter; `run` frees it if this process does not hold the parameter."""
        return self.cutting.like(value, other) if is_cut(other) else value

    def fit_gradients(self, gradients: Any, values: Sequence[torch.Tensor], create_graph: bool) -> Any:
        """Return gradients that lie as the values that they belong to."""
        return self.cutting.fit_gradients(gradients, values, create_graph)

    def want(self, parameter: Parameter, placements: Placements) -> bool:
        """Note how an operation wants to have a parameter; return whether it then is as this operation wants it."""
        return self.cutting.want(parameter, placements)

    def is_cut_by_program(self, _function: Any, _args: tuple[Any, ...], _kwargs: dict[str, Any]) -> bool:
        """Return whether the program itself cuts tensors: it does not."""
        return False

    def local(self, value: torch.Tensor) -> torch.Tensor:
        """Return the very tensor that holds the part of this process."""
        return self.cutting.local(value)

    def most(self, values: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return the maximum over all processes of each number, of those that have it."""
        if self.is_computing():
            return torch.stack(list(values))
        device = self.device
        values = list(map(self.cutting.whole, values))
        own = torch.stack([torch.zeros_like(v, device=device) if v.is_meta else v for v in values])
        found = [torch.empty_like(own) for _ in range(dist.get_world_size())]
        dist.all_gather(found, own)
        return torch.stack(found).amax(0)


class _Reached(NamedTuple):
    """What a function reaches.

    Attributes:
        parameters: the parameters of networks in stages.
        states: pairs of a parameter and a state of its optimizer.
    """

    parameters: list[Parameter]
    states: list[tuple[Parameter, Parameter]]


class _Planned:
    """A plan with its runs, valid while the network's cells do not change."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._cells = [cell for _, cell in plan.network.cells_and_names()]
        self._state = fingerprint(self._cells)
        self._edits = change_count.current()
        self._runs: dict[Any, Run] = {}
        self.has_run = False

    def begin_again(self) -> None:
        """Forget the runs: other processes begin with theirs."""
        self._runs.clear()
        self.has_run = True

    def holds(self) -> bool:
        """Return whether the cells are what they were."""
        if change_count.current() != self._edits:
            cells = [cell for _, cell in self.plan.network.cells_and_names()]
            if len(cells) != len(self._cells) or fingerprint(cells) != self._state:
                return False
            self._edits = change_count.current()
        return True

    def run(self, processes: Processes, parts: int, trains: bool, scheduler: str) -> Run:
        """Return the run of a schedule."""
        key = (parts, trains, scheduler)
        if key not in self._runs:
            self._runs[key] = Run(self.plan, processes, parts, trains, scheduler)
        return self._runs[key]


class _Call:
    """One call of a network in stages."""

    def __init__(self, pipelining: Pipelining, planned: _Planned, parts: list[tuple[Any, Any]], adds: bool) -> None:
        self.pipelining = pipelining
        self._planned = planned
        self._plan = planned.plan
        self._parts = parts
        self.adds = adds
        self._trained = [p for p in self._plan.owners if p._t.requires_grad]
        self._share = pipelining.processes.width if self._plan.cuts else 1  # of the loss, which is an average
        self._random = RandomState()
        inputs = [tensor._t for part in parts for tensor in tensors(part) if not isinstance(tensor, Parameter)]
        self._inputs = list({id(value): value for value in inputs if value.requires_grad}.values())

    def leaves(self) -> list[torch.Tensor]:
        """Return the tensors that have a gradient."""
        return [*[parameter._t for parameter in self._trained], *self._inputs]

    def values(self) -> list[torch.Tensor]:
        """Return the tensors of the output, without gradients."""
        return self._results(self._computed(self._parts, [], None))

    def gradients(self, seeds: Sequence[Any], again: bool) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Return the tensors of the output, and the gradients of the leaves.

        Args:
            seeds: the gradients of the output's tensors.
            again: whether the output has been computed before.
        """
        written = [p for p in self._plan.owners if again and not p._t.requires_grad and not p._t.is_meta]
        before = [(parameter, parameter._t) for parameter in (*self._trained, *written)]
        random = RandomState()
        if again:
            self._random.restore()
        own = [parameter for parameter in self._trained if not parameter._storage.is_meta]
        weights = [parameter._t.detach().requires_grad_() for parameter in own]
        inputs = {id(value): value.detach().requires_grad_() for value in self._inputs}
        for parameter in written:
            parameter._t = parameter._t.clone()  # statistics are updated once
        for parameter, weight in zip(own, weights):
            parameter._t = weight

        def with_gradient(tensor: Tensor) -> Tensor:
            value = inputs.get(id(tensor._t))
            return tensor if value is None else wrap(value)

        try:
            own_seeds = [seed / self._share for seed in seeds]
            outputs = self._computed(map_tensors(with_gradient, self._parts), weights, own_seeds)
        finally:
            kept = {id(weight) for weight in weights} | {id(p._t) for p in written}
            for parameter, value in before:
                if id(parameter._t) in kept:
                    parameter._t = value
            if again:
                random.restore()
        found = dict(zip(own, [weight.grad for weight in weights]))
        return self._results(outputs), [*self._of_weights(found), *self._of_inputs(list(inputs.values()))]

    def _computed(self, parts: list[tuple[Any, Any]], weights: list[torch.Tensor], seeds: Any) -> list[Any]:
        """Return what the schedule computes; with gradients if there are gradients of the output."""
        pipelining = self.pipelining
        run = self._planned.run(pipelining.processes, len(parts), seeds is not None, pipelining.scheduler)
        outputs, failure = run(parts, weights, seeds)
        pipelining.check(failure)
        return outputs

    def _of_weights(self, found: dict[Parameter, torch.Tensor | None]) -> list[torch.Tensor]:
        """Return the gradients of the parameters: sums over the stages that hold them."""
        processes = self.pipelining.processes
        gradients = {parameter: torch.zeros_like(parameter._t) for parameter in self._trained}
        by_stages: dict[frozenset[int], list[Parameter]] = {}
        for parameter in self._trained:
            by_stages.setdefault(self.pipelining.holders(parameter), []).append(parameter)
        for stages, parameters in by_stages.items():
            if processes.stage in stages:
                given = [found[p] for p in parameters]
                own = [torch.zeros_like(p._storage) if g is None else g for p, g in zip(parameters, given)]
                if self._plan.cuts:
                    summed = self._of_cut_weights(parameters, own, stages)
                else:
                    summed = processes.sum_gradients(own, stages)
                gradients |= dict(zip(parameters, summed))
        return list(gradients.values())

    def _of_cut_weights(
        self, parameters: list[Parameter], gradients: list[torch.Tensor], stages: frozenset[int]
    ) -> list[torch.Tensor]:
        """Return the gradients of parameters that the processes of a stage have cut: they are sums over the rows."""
        fitted = self.pipelining.fit_gradients(gradients, [p._storage for p in parameters], False)
        if len(stages) == 1:
            return list(fitted)
        wholes = self.pipelining.processes.sum_gradients(list(map(self.pipelining.cutting.whole, fitted)), stages)
        return list(self.pipelining.fit_gradients(wholes, [p._storage for p in parameters], False))

    def _of_inputs(self, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
        """Return the gradients of the inputs, which every stage may use."""
        processes = self.pipelining.processes
        own = [torch.zeros_like(value) if value.grad is None else value.grad for value in inputs]
        share = processes.width if self.adds else 1  # the output is the average of several processes'
        return [processes.sum_over_stages(value) * (self._share / share) for value in own]

    def _results(self, outputs: list[list[torch.Tensor]]) -> list[torch.Tensor]:
        """Return the tensors of the output in all processes, which the last stage gives the others."""
        processes, plan = self.pipelining.processes, self._plan
        with torch.no_grad():
            if outputs and self.adds:
                first, *others = [output[0] for output in outputs]
                found = [sum(others, first)]
            elif outputs:
                (found,) = outputs
            else:
                found = [spec.empty(plan.device) for spec in plan.output_specs]
            found = [processes.from_stage(value, plan.stage_of[-1]) for value in found]
            return [processes.average(value) for value in found] if self.adds else found

    def output(self, values: list[torch.Tensor]) -> Any:
        """Return the output with these tensors."""
        return filled(self._plan.output, values)


class _Pipelined(torch.autograd.Function):
    """The output of a network in stages, whose gradients the stages have computed or will compute."""

    @staticmethod
    def forward(ctx: Any, call: _Call, *leaves: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.call, ctx.gradients = call, None
        if not call.adds:
            values = call.values()
        else:
            ctx.scale = call.pipelining.scale
            values, ctx.gradients = call.gradients([ctx.scale], again=False)
        ctx.mark_non_differentiable(*[value for value in values if not value.is_floating_point()])
        return tuple(values)

    @staticmethod
    def backward(ctx: Any, *seeds: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        if ctx.gradients is not None:
            (seed,) = seeds
            first = float(seed.reshape(-1)[0])
            if bool((seed == first).all()):
                factor = first / ctx.scale
                if first and math.isfinite(first):
                    ctx.call.pipelining.scale = first
                if factor == 1:
                    return None, *ctx.gradients
                return None, *[value * factor for value in ctx.gradients]
        return None, *ctx.call.gradients(list(seeds), again=True)[1]


def _key(tree: Any) -> Any:
    """Return what a plan depends on in the inputs, as text that is the same in all processes."""
    if isinstance(tree, Tensor):
        return f"{tree.shape} {tree.dtype}"
    if isinstance(tree, (tuple, list)):
        return (type(tree).__name__, *map(_key, tree))
    if isinstance(tree, dict):
        return tuple([(str(name), _key(value)) for name, value in tree.items()])
    return repr(tree) if isinstance(tree, (bool, int, float, str, type(None))) else type(tree).__name__


def _is_of_network(cell: Any) -> bool:
    """Return whether a cell is in a network with stages, and no optimizer."""
    return cell._asks and not isinstance(cell.__dict__.get("parameters"), ParameterTuple)


def _floats_of(cell: Any) -> list[Parameter]:
    return [parameter for parameter in cell.get_parameters(expand=False) if parameter._t.is_floating_point()]


def _note_cells(cell: Any) -> None:
    """Let the cells of a network with stages ask how they run."""
    cells = [each for _, each in cell.cells_and_names()]
    if any("_pipeline_stage" in each.__dict__ for each in cells):
        for each in cells:
            if not each._asks:
                each.__dict__["_asks"] = True
                each._refresh_plain()


def _has_stages(cell: Any) -> bool:
    """Return whether a cell is the innermost one that has all cells with a stage."""
    if "_pipeline_stage" in cell.__dict__:
        return True
    return sum(map(_reaches_stages, _called_children(cell))) > 1


def _reaches_stages(cell: Any) -> bool:
    return any("_pipeline_stage" in each.__dict__ for _, each in cell.cells_and_names())


def _called_children(cell: Any) -> list[Any]:
    """Return the cells that a cell calls; containers are not called."""
    found = []
    for child in cell.cells():
        found += _called_children(child) if _is_container(child) else [child]
    return found


def _is_container(cell: Any) -> bool:
    return not getattr(type(cell).construct, "is_called", True)
