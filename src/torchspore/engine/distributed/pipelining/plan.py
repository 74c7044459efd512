"""Which stage computes what of a network, found by a run without values.

The network's Python runs whole in every process. Its *steps* are the calls of its cells that are on one stage, and the
operations outside them. A process computes the steps of its own stage; steps of other stages it replaces by what it
has received, or by a tensor without values that nobody reads.

A *position* is the number of a stage along the way of the data. Without segments it is the stage; a stage with several
segments has several positions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from torchspore.common.parameter import Parameter
from torchspore.common.private_torch import DispatchMode, no_modes
from torchspore.common.scopes.scope import NotRecordable, Tracing, scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.capture.recording.fake_values import RecordingFakeMode
from torchspore.engine.capture.recording.random_state import draws
from torchspore.engine.capture.recording.undo import Undo
from torchspore.engine.distributed.pipelining.cuts import StepCut, step_cuts
from torchspore.engine.distributed.pipelining.transfer import Spec
from torchspore.engine.values.nested import filled, map_tensors, rebuilt, tensors

__all__ = ["Key", "Plan", "Step", "Walk", "active", "is_unnumbered", "make_plan", "results_of"]

Part = tuple[Any, Any]  # the arguments and keyword arguments of a call
Key = tuple[int, int]  # the number of a step, and of a tensor among its results

_T = torch.Tensor
_COMPUTED = {_T.T, _T.H, _T.mT, _T.mH, _T.real, _T.imag, _T.data}  # attributes that are results, and not facts


def is_unnumbered(func: Any) -> bool:
    """Return whether a function of torch reads a fact of a tensor, such as its shape, or how it was made."""
    attribute: Any = getattr(func, "__self__", None)
    return hasattr(attribute, "__get__") and func == attribute.__get__ and attribute not in _COMPUTED


class _Active(threading.local):
    walk: Walk | None = None


active = _Active()


@dataclass
class Step:
    """A call of a cell, or of a function of torch.

    Attributes:
        what: the cell or the function.
        position: where it is computed; None: everywhere.
        result: its result, with other tensors.
        given: the shapes of the tensors that it is computed from.
        specs: the tensors in the result.
        same: the number of the argument that is the result, of a function that returns an argument; else None.
    """

    what: Any
    position: int | None
    result: Any
    given: list[tuple[int, ...]] = field(default_factory=list)
    specs: list[Spec] = field(default_factory=list)
    same: int | None = None

    @property
    def is_cell(self) -> bool:
        """Whether the step is a call of a cell."""
        return hasattr(self.what, "cells_and_names")

    def tensors(self, result: Any) -> list[torch.Tensor]:
        """Return the torch tensors in a result."""
        return [tensor._t for tensor in tensors(result)] if self.is_cell else results_of(result)

    def filled(self, values: Sequence[torch.Tensor]) -> Any:
        """Return the result with these tensors."""
        return filled(self.result, values) if self.is_cell else _with_results(self.result, iter(values))


@dataclass
class Plan:
    """How a network is computed in stages.

    Attributes:
        network: the network.
        device: where tensors are.
        positions: the number of positions.
        stage_of: the stage of each position.
        glue: the cells of which each process runs the Python, as they have cells of several stages.
        steps: the steps, in their order.
        crossing: for each position but the last the tensors that the next one receives.
        owners: the stages that use each parameter.
        cuts: where the rows are in the tensors of each step; empty: the processes of a stage do not cut tensors.
        output: the network's output, with other tensors.
        output_specs: the tensors in the output.
    """

    network: Any
    device: torch.device
    positions: int
    stage_of: list[int]
    glue: frozenset[Any]
    steps: list[Step] = field(default_factory=list)
    crossing: list[list[Key]] = field(default_factory=list)
    owners: dict[Parameter, set[int]] = field(default_factory=dict)
    cuts: list[StepCut] = field(default_factory=list)
    output: Any = None
    output_specs: list[Spec] = field(default_factory=list)

    def spec(self, key: Key) -> Spec:
        """Return what is known of a result."""
        return self.steps[key[0]].specs[key[1]]


class Walk(TorchFunctionMode):
    """A run of a network's Python, which sees its cells and the operations outside them."""

    def __init__(self) -> None:
        super().__init__()
        self.is_inside = False  # a step is being computed

    def call(self, cell: Any, run: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Return the result of a cell's call."""
        raise NotImplementedError

    @contextmanager
    def walking(self) -> Iterator[None]:
        """See the calls of a block, which runs without reading values."""
        before, tracing = active.walk, scope.tracing
        active.walk, scope.tracing = self, _Valueless(_refuse)
        try:
            with self:
                yield
        finally:
            active.walk, scope.tracing = before, tracing


def results_of(tree: Any) -> list[torch.Tensor]:
    """Return the torch tensors in the result of a function of torch."""
    if isinstance(tree, torch.Tensor):
        return [tree]
    return [t for branch in tree for t in results_of(branch)] if isinstance(tree, (tuple, list)) else []


def _with_results(tree: Any, values: Iterator[torch.Tensor]) -> Any:
    """Return the result of a function of torch with other tensors."""
    if isinstance(tree, torch.Tensor):
        return next(values)
    if isinstance(tree, (tuple, list)):
        return rebuilt(tree, [_with_results(branch, values) for branch in tree])
    return tree


class _Valueless(Tracing):
    """Refuses to read values, which only some processes have."""

    keeps_summaries = False

    def refuse(self, reason: str) -> None:
        _refuse()


def _refuse(*_: Any) -> Any:
    raise NotRecordable("the value of a tensor is read, which only the processes of one stage have")


@dataclass
class _Known:
    """What a run without values knows of a tensor.

    Attributes:
        tensor: the tensor.
        position: where it is computed; None: everywhere.
        key: the step that it comes from; None: everywhere.
        parameters: those that it was computed from, if it is computed everywhere.
        users: the positions that use the random numbers that it was computed from.
        is_recorded: whether autograd was on.
    """

    tensor: torch.Tensor
    position: int | None = None
    key: Key | None = None
    parameters: frozenset[Parameter] = frozenset()
    users: tuple[set[int], ...] = ()
    is_recorded: bool = True


class _Draws(DispatchMode):
    """Notes whether operations draw random numbers."""

    seen = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen = self.seen or draws(func)
        return func(*args, **(kwargs or {}))


class _Planning(Walk):
    """The run that finds the steps."""

    def __init__(self, plan: Plan, places: dict[Any, int], api: str) -> None:
        super().__init__()
        self.plan = plan
        self.api = api
        self.known: dict[int, _Known] = {}
        self.needs: dict[Key, set[int]] = {}
        self.draws = _Draws()
        self._places = places
        self._default: int | None = None
        self._names = {cell: name for name, cell in plan.network.cells_and_names()}
        self._position: int | None = None  # of the cell that is being run

    def know(self, value: torch.Tensor, **facts: Any) -> None:
        """Note what is known of a tensor."""
        self.known[id(value)] = _Known(value, **facts)

    def use(self, values: list[torch.Tensor], position: int) -> None:
        """Note that a position needs tensors."""
        for value in values:
            known = self.known.get(id(value))
            if known is None:
                continue
            for parameter in known.parameters:
                self.plan.owners[parameter].add(self.plan.stage_of[position])
            for users in known.users:
                users.add(position)
                if len(users) > 1:
                    raise ValueError(
                        f"For '{self.api}', random numbers are drawn outside of cells with a stage, and several stages "
                        "use them. Draw them in a cell with a 'pipeline_stage'."
                    )
            if known.position is not None and known.position < position:
                assert known.key is not None
                if not known.is_recorded and value.requires_grad:
                    raise ValueError(
                        f"For '{self.api}', a tensor that crosses to another stage comes from an operation with its "
                        "own backward outside of a cell. Put the operation into a cell with a 'pipeline_stage'."
                    )
                self.needs.setdefault(known.key, set()).add(position)

    def call(self, cell: Any, run: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Note a call of a cell."""
        own = self._places.get(cell, self._default)
        if cell in self.plan.glue:
            before, self._default = self._default, own
            try:
                return run(*args, **kwargs)
            finally:
                self._default = before
        given = [tensor._t for tensor in tensors((args, kwargs))]
        reached = self._last(given)
        if own is not None and reached is not None and reached > own:
            raise ValueError(
                f"For '{self.api}', the cell '{self._names.get(cell, type(cell).__name__)}' on stage "
                f"{self.plan.stage_of[own]} has an input from stage {self.plan.stage_of[reached]}. Stages must not "
                "decrease along the way of the data."
            )
        position = reached if own is None else own
        if position is None and next(cell.get_parameters(), None) is not None:
            position = 0
        self.is_inside, self.draws.seen, self._position = True, False, position
        inputs = {id(value) for value in given}

        def renewed(tensor: Tensor) -> Tensor:
            return wrap(tensor._t.view_as(tensor._t)) if id(tensor._t) in inputs else tensor

        try:
            result = map_tensors(renewed, run(*args, **kwargs))
        finally:
            self.is_inside, self._position = False, None
        if position is None and self.draws.seen:
            position = 0
        if position is not None:
            self.use(given, position)
            for parameter in cell.get_parameters():
                self.plan.owners.setdefault(parameter, set()).add(self.plan.stage_of[position])
        number = len(self.plan.steps)
        found = [tensor._t for tensor in tensors(result)]
        self.plan.steps.append(Step(cell, position, result, _shapes(given)))
        if position is None:
            union = self._union(given)
            for value in found:
                self.know(value, **union)
        else:
            for i, value in enumerate(found):
                self.know(value, position=position, key=(number, i))
        return result

    def _last(self, given: list[torch.Tensor]) -> int | None:
        found = [self.known[id(value)].position for value in given if id(value) in self.known]
        return max([position for position in found if position is not None], default=None)

    def _union(self, given: list[torch.Tensor]) -> dict[str, Any]:
        """Return what a result that is computed everywhere depends on."""
        known = [self.known[id(value)] for value in given if id(value) in self.known]
        users = {id(each): each for one in known for each in one.users}
        return {
            "parameters": frozenset().union(*[one.parameters for one in known]),
            "users": tuple(users.values()),
        }

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = results_of((args, tuple(kwargs.values())))
        if self.is_inside:
            if self._position is not None:
                for value in given:
                    for parameter in self.known[id(value)].parameters if id(value) in self.known else ():
                        self.plan.owners[parameter].add(self.plan.stage_of[self._position])
            return func(*args, **kwargs)
        if is_unnumbered(func):
            return func(*args, **kwargs)
        position = self._last(given)
        versions = [value._version for value in given]
        self.draws.seen = False
        result = func(*args, **kwargs)
        found = results_of(result)
        for value, version in zip(given, versions):
            known = self.known.get(id(value))
            if value._version != version and position != (known.position if known else None):
                raise ValueError(
                    f"For '{self.api}', an operation outside of cells writes a result of stage "
                    f"{self.plan.stage_of[position or 0]} into a tensor that another stage has. Use the result of an "
                    "operation that does not write in place."
                )
        if not found:
            return result
        if position is None:
            facts = self._union(given)
            if self.draws.seen:
                facts["users"] = (*facts["users"], set())
            for value in found:
                if id(value) not in self.known:
                    self.know(value, **facts)
            return result
        self.use(given, position)
        same = next((i for i, value in enumerate(given) if value is result), None)
        number = len(self.plan.steps)
        self.plan.steps.append(Step(func, position, result, _shapes(given), same=same))
        if same is None:
            for i, value in enumerate(found):
                self.know(value, position=position, key=(number, i), is_recorded=torch.is_grad_enabled())
        return result


def _shapes(values: list[torch.Tensor]) -> list[tuple[int, ...]]:
    return [tuple(value.shape) for value in values]


def make_plan(network: Any, part: Part, wide: Part | None, width: int, stages: int, scheduler: str, api: str) -> Plan:
    """Return how a network is computed in stages, for one part of the batch.

    Args:
        network: the network.
        part: the inputs of one process.
        wide: the inputs of all processes of a stage together, if these cut the tensors of the stage among them.
        width: the number of processes of a stage.
        stages: the number of stages.
        scheduler: the name of the schedule.
        api: what was called, for messages.

    Raises:
        ValueError: the stages of its cells do not fit together.
        TypeError: the network reads a value.
    """
    plan = _plan_for(network, *part, stages, scheduler, api)
    if wide is not None:
        plan.cuts = step_cuts(plan.steps, _plan_for(network, *wide, stages, scheduler, api).steps, width, api)
    return plan


def _plan_for(network: Any, args: Any, kwargs: Any, stages: int, scheduler: str, api: str) -> Plan:
    plan, places = _arranged(network, stages, scheduler, api)
    cells = [cell for _, cell in network.cells_and_names()]
    parameters = list(network.get_parameters())
    before = [(parameter, parameter._t) for parameter in parameters]
    writes, stashed = dict(scope.writes), dict(scope.stashed)
    undo = Undo(cells)
    planning = _Planning(plan, places, api)
    try:
        with no_modes(), RecordingFakeMode():  # without the mode that computes with tensors that are cut
            for parameter, value in before:
                parameter._t = _fake(value, plan.device)
                plan.owners[parameter] = set()
                planning.know(parameter._t, parameters=frozenset([parameter]))
            given = map_tensors(lambda tensor: _stand_in(tensor, plan.device), (args, kwargs))
            with planning.draws, planning.walking():
                plan.output = network(*given[0], **given[1])
    except NotRecordable as error:
        raise TypeError(
            f"For '{api}', a network in stages cannot read the value of a tensor, as in 'if x.sum() > 0', outside of "
            f"cells with a stage: {error}."
        ) from error
    finally:
        for parameter, value in before:
            parameter._t = value
        undo.restore()
        scope.writes.clear()
        scope.writes.update(writes)
        scope.stashed.clear()
        scope.stashed.update(stashed)
    _finish(plan, planning)
    _check_stages(plan, stages, api)
    return plan


def _fake(value: torch.Tensor, device: torch.device) -> torch.Tensor:
    device = device if value.is_meta else value.device
    fake = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=device)
    return fake.requires_grad_() if value.requires_grad else fake


def _stand_in(tensor: Tensor, device: torch.device) -> Tensor:
    return tensor if isinstance(tensor, Parameter) else wrap(_fake(tensor._t, device))


def _arranged(network: Any, stages: int, scheduler: str, api: str) -> tuple[Plan, dict[Any, int]]:
    """Return an empty plan, and the positions of cells that have a stage."""
    named = {cell: name for name, cell in network.cells_and_names()}
    own = {cell: cell.__dict__["_pipeline_stage"] for cell in named if "_pipeline_stage" in cell.__dict__}
    segments = {cell: cell.__dict__.get("_pipeline_segment", 0) for cell in own}
    for cell, stage in own.items():
        if stage >= stages:
            raise ValueError(
                f"For '{api}', 'pipeline_stage' of '{named[cell] or type(cell).__name__}' must be less than the number "
                f"of stages, {stages}, but got {stage}."
            )
    count = max(segments.values(), default=0) + 1
    turns = scheduler == "zero_bubble_v" and count == 2  # the second segment goes back through the stages
    stage_of = [*range(stages), *reversed(range(stages))] if turns else [*range(stages)] * count

    def position(cell: Any) -> int:
        stage, segment = own[cell], segments[cell]
        return 2 * stages - 1 - stage if turns and segment else segment * stages + stage

    places = {cell: position(cell) for cell in own}
    glue = frozenset(cell for cell in named if _is_glue(cell, places))
    devices = [p._t.device for p in network.get_parameters() if not p._t.is_meta]
    device = devices[0] if devices else torch.get_default_device()
    return Plan(network, device, len(stage_of), stage_of, glue), places


def _is_glue(cell: Any, places: dict[Any, int]) -> bool:
    """Return whether a cell has cells of another stage, or cells with a stage while it has none."""
    inner = {places[each] for _, each in cell.cells_and_names() if each is not cell and each in places}
    return bool(inner - {places.get(cell)})


def _spec_of(value: torch.Tensor) -> Spec:
    return Spec(tuple(value.shape), value.dtype, value.requires_grad)


def _finish(plan: Plan, planning: _Planning) -> None:
    """Note what crosses, and what the output is."""
    outputs = [tensor._t for tensor in tensors(plan.output)]
    last = plan.positions - 1
    planning.use(outputs, last)
    plan.output_specs = [_spec_of(value) for value in outputs]
    nothing = torch.empty(0)
    plan.output = map_tensors(lambda _: wrap(nothing), plan.output)
    for step in plan.steps:
        step.specs = [_spec_of(value) for value in step.tensors(step.result)]
        step.result = step.filled([nothing] * len(step.specs))
    plan.crossing = [
        [
            key
            for key in sorted(planning.needs)
            if plan.steps[key[0]].position <= boundary < max(planning.needs[key])  # type: ignore[operator]
        ]
        for boundary in range(last)
    ]


def _check_stages(plan: Plan, stages: int, api: str) -> None:
    """Refuse positions without a cell."""
    used = {step.position for step in plan.steps}
    missing = [position for position in range(plan.positions) if position not in used]
    if missing:
        stage, segment = plan.stage_of[missing[0]], missing[0] // stages
        where = f"stage {stage}" + (f", segment {segment}," if plan.positions > stages else "")
        raise ValueError(
            f"For '{api}', {where} has no cell in '{type(plan.network).__name__}'. Set 'pipeline_stage' of its cells "
            f"from 0 to {stages - 1}, or give fewer 'pipeline_stages'."
        )
