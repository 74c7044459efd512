"""Running a program's calls on tensors that are cut over the processes.

A call of the program's outermost cell or function is a region. Its arguments and the parameters that it reaches go onto
the mesh; inside, torch's DTensors compute what a single device would, in whatever way their tensors lie. Its results
leave the mesh, except for gradients.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.experimental import implicit_replication
from torch.utils.weak import WeakIdKeyDictionary

from torchspore.common import change_count, mode
from torchspore.common.parameter import Parameter
from torchspore.common.private_torch import DispatchMode, no_modes, read_scalars_of_meshes, schema_of, tree_map_only
from torchspore.common.private_torch.error_texts import NOT_CUT, says
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.capture.recording.dead_code import written_arguments
from torchspore.engine.capture.recording.random_state import draws
from torchspore.engine.capture.state.reachable_state import UntrackedState, find_reachable
from torchspore.engine.capture.state.signature import objects
from torchspore.engine.distributed.cutting.convolutions import CONVOLUTIONS
from torchspore.engine.distributed.cutting.operations import strategies_given
from torchspore.engine.distributed.cutting.placements import (
    Placements,
    cut,
    is_cut,
    is_interleaved,
    local,
    mesh,
    of_layout,
    of_strategies,
    replicated,
    resolved,
    share,
    write_parts,
)
from torchspore.engine.distributed.cutting.region import agree_on_shapes, begin, region
from torchspore.engine.distributed.cutting.substitutes import taken
from torchspore.engine.distributed.optimizer_states import states_of
from torchspore.engine.values.nested import map_tensors, tensors
from torchspore.engine.values.plain_reads import attributes

__all__ = ["Computing", "Cutting", "allow", "place", "replicate_constants", "start", "stop"]


# Captured functions -> how tensors lay after their run, and whether their processes must have the same shapes.
_settled: WeakKeyDictionary[Any, tuple[Any, bool]] = WeakKeyDictionary()
_reach_cut: WeakKeyDictionary[Any, tuple[int, bool]] = WeakKeyDictionary()  # whether they reach cut parameters
_agreed: WeakSet[torch.Generator] = WeakSet()
_placed = 0  # how many times a parameter has been put somewhere


class Cutting:
    """How the tensors of a program are cut.

    Attributes:
        stages: 1; see `Pipelining`.
        cutting: itself, which reads and updates tensors that are cut.
        dataset_strategy: "data_parallel": each process has its part of the rows of the inputs; "full_batch": all have
            all; or a tuple with the numbers of parts, or a Layout, for each input.
        optimizer_level: 0: each process updates all of the parameters that it has; 1 and 2: those that several have are
            updated in parts, and the states of optimizers are cut so; 3: the parameters are cut, too.
        threshold: the bytes from which on a parameter is updated in parts.
    """

    stages = 1

    def __init__(self) -> None:
        self.cutting = self
        self.dataset_strategy: Any = "data_parallel"
        self.optimizer_level = 0
        self.threshold = 64 * 1024
        self._kept = WeakIdKeyDictionary()  # parameters -> how the first operation wants them

    def is_settled(self, function: Any, level: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Return whether a captured function may be recorded: a run of it has left everything where it was."""
        if level != "O0" or region.is_open:
            return False
        state, exchanges = _settled.get(function, (None, False))
        if state != self._state():
            return False
        if exchanges:
            begin(function, tensors((args, kwargs)))
            agree_on_shapes()
        return True

    def is_cut_by_program(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Return whether a captured function computes with tensors that the program itself has cut."""
        if any(is_cut(tensor._t) for tensor in tensors((args, kwargs))):
            return True
        count, reaches = _reach_cut.get(function, (-1, False))
        if count != change_count.current():
            reaches = any(is_cut(parameter._t) for parameter in _parameters(_cells(function.fn, (), {})))
            _reach_cut[function] = change_count.current(), reaches
        return reaches

    def _state(self) -> Any:
        return _placed, strategies_given(), self.dataset_strategy, self.optimizer_level, self.threshold

    def run(self, run: Callable[..., Any], function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what a call returns.

        Args:
            run: runs the function as Python.
            function: the captured function.
            args: the arguments.
            kwargs: the keyword arguments.
        """
        if region.is_open or not dist.is_initialized():
            return run(*args, **kwargs)
        before = self._state()
        if scope.tracing is not None:
            scope.tracing.exchange(lambda: self._state() == before)
        begin(function, tensors((args, kwargs)))
        region.is_agreed = scope.tracing is not None  # see `is_settled`
        reached = _cells(function.fn, args, kwargs)
        self._place_all(reached)
        given = iter(self._cut_inputs(tensors((args, kwargs))))
        args, kwargs = map_tensors(lambda _: next(given), (args, kwargs))
        region.is_open = True
        try:
            with Computing():
                result = run(*args, **kwargs)
            for parameter, placements in region.wanted.items():
                place(parameter, placements)
            self._place_all(reached)
            result = map_tensors(self._leave, result)
        finally:
            region.is_open = False
            region.gradients.clear()
            region.wanted.clear()
        is_result_cut = any(is_cut(tensor._t) for tensor in tensors(result) if not isinstance(tensor, Parameter))
        if scope.tracing is None and not is_result_cut and self._state() == before:
            _settled[function] = self._state(), region.is_agreed
        return result

    # Inputs and results

    def _cut_inputs(self, given: list[Tensor]) -> list[Tensor]:
        """Put inputs onto the mesh: each process has whole ones, or its part."""
        data = [i for i, tensor in enumerate(given) if not isinstance(tensor, Parameter) and not is_cut(tensor._t)]
        found = list(given)
        region.rows = 0
        for i, placements in zip(data, self._placements_of_inputs([given[i].shape for i in data])):
            found[i] = wrap(DTensor.from_local(given[i]._t, mesh(), placements, run_check=False))
            if not region.rows and placements == _rows():
                region.rows = found[i].shape[0]
        return found

    def _placements_of_inputs(self, shapes: list[tuple[int, ...]]) -> list[Placements]:
        strategy = self.dataset_strategy
        if isinstance(strategy, str):
            return [replicated() if strategy == "full_batch" or not shape else _rows() for shape in shapes]
        api = "dataset_strategy"
        if len(strategy) != len(shapes):
            raise ValueError(
                f"For '{api}', there must be a strategy for each of {len(shapes)} inputs, but got {strategy}."
            )
        found = []
        for one, shape in zip(strategy, shapes):
            if isinstance(one, (tuple, list)):
                whole = [size * parts for size, parts in zip(shape, one)]
                found += of_strategies([tuple(one)], [whole], None, api)
            else:
                found.append(of_layout(one, [size * mesh().size() for size in shape], api))
        return found

    def _leave(self, tensor: Tensor) -> Tensor:
        value = tensor._t
        if not is_cut(value):
            return tensor
        placements = resolved(value.placements)
        if isinstance(tensor, Parameter) or id(value) in region.gradients:
            return tensor if placements == value.placements else wrap(value.redistribute(placements=placements))
        is_row_wise = region.rows and value.ndim and value.shape[0] == region.rows
        return wrap(cut(value, _rows() if is_row_wise else replicated()).to_local())

    # Parameters

    def want(self, parameter: Parameter, placements: Placements) -> bool:
        """Note how an operation wants to have a parameter: it is cut as the first one says, when the call ends.

        Returns whether it then is as this operation wants it.
        """
        value: Any = parameter._t
        kept = self._in_parts(value, placements) if self.optimizer_level == 3 else placements
        kept = self._kept.setdefault(parameter, kept)
        if value.placements != kept:
            region.wanted[parameter] = kept
        return kept == placements

    def fit_gradients(
        self, gradients: Sequence[torch.Tensor | None], values: Sequence[torch.Tensor], create_graph: bool
    ) -> list[torch.Tensor | None]:
        """Return gradients that lie as their values, whole ones if these do not; None stands for zeros."""
        fitted = []
        for gradient, value in zip(gradients, values):
            left = taken(value)
            if left is not None and create_graph:
                raise NotImplementedError("For 'fully_shard', gradients of gradients are not supported.")
            gradient = gradient if left is None else left
            if is_cut(value):
                gradient = torch.zeros_like(value) if gradient is None else gradient
                gradient = cut(gradient, resolved(value.placements), value.device_mesh)
                if region.is_open:
                    region.gradients[id(gradient)] = gradient
            elif is_cut(gradient):
                gradient = gradient.full_tensor()
            fitted.append(gradient)
        return fitted

    def _place_all(self, cells: Sequence[Any]) -> None:
        """Put the parameters of cells onto the mesh; the states of an optimizer lie as their parameters do."""
        trained = {id(state): parameter for cell in cells for parameter, state in states_of(cell)}
        for parameter in _parameters(cells):
            own = trained.get(id(parameter))
            if own is not None and is_cut(own._t):
                place(parameter, self.updated_as(own._t))
            elif not is_cut(parameter._t):
                place(parameter, replicated())
            if self.optimizer_level == 3 and own is None and parameter.requires_grad:
                place(parameter, self.updated_as(parameter._t))

    # Updates

    def updated_as(self, value: torch.Tensor) -> Placements:
        """Return the placements of the parts of a parameter that the processes update."""
        if not is_cut(value):
            return ()
        return self._in_parts(value, value.placements)

    def _in_parts(self, value: torch.Tensor, own: Placements) -> Placements:
        """Return placements in which no two processes have the same of a tensor, if it is large enough for that."""
        if not self.optimizer_level or value.device_mesh is not mesh():  # type: ignore[attr-defined]
            return own
        free = [axis for axis, placement in enumerate(own) if placement == Replicate()]
        cut_axes = [axis for axis, placement in enumerate(own) if placement == Shard(0)]
        parts = math.prod(mesh().size(axis) for axis in (*free, *cut_axes))
        if (
            not value.ndim
            or value.numel() * value.element_size() < self.threshold
            or value.shape[0] % parts
            or any(axis > free[0] for axis in cut_axes if free)
        ):
            return own
        return tuple([Shard(0) if axis in free else placement for axis, placement in enumerate(own)])

    def part(self, value: torch.Tensor, placements: Placements) -> torch.Tensor:
        """Return this process's part of a tensor, over the same memory."""
        if not is_cut(value):
            return value
        part = value.to_local()
        for axis, (own, wanted) in enumerate(zip(value.placements, placements)):
            if own != wanted:
                part = part.chunk(value.device_mesh.size(axis))[value.device_mesh.get_local_rank(axis)]
        return part

    def parts(
        self, values: Sequence[torch.Tensor], like: Sequence[torch.Tensor], placements: Sequence[Placements]
    ) -> list[torch.Tensor]:
        """Return this process's parts of tensors that lie with other processes' parts, in these placements."""
        return [
            cut(value, wanted, other.device_mesh).to_local() if is_cut(other) else self.whole(value)
            for value, other, wanted in zip(values, like, placements)
        ]

    def gather(self, value: torch.Tensor, placements: Placements) -> None:
        """Bring the parts of a tensor that the processes have updated to all that hold it."""
        if is_cut(value) and value.placements != placements:
            parts = DTensor.from_local(self.part(value, placements), value.device_mesh, placements, run_check=False)
            write_parts(value, parts)

    def copy(self, value: torch.Tensor) -> torch.Tensor:
        """Return a copy of a tensor, which lies as the tensor does."""
        return value.detach().clone()

    def write(self, value: torch.Tensor, whole: torch.Tensor) -> None:
        """Write a whole tensor into the parts of one that is cut."""
        if is_cut(value):
            write_parts(value, whole)

    def like(self, value: torch.Tensor, other: DTensor) -> torch.Tensor:
        """Return a tensor that all processes have, cut as another one."""
        part = cut(value, other.placements, other.device_mesh).to_local()
        own = torch.empty_like(local(other), dtype=part.dtype).copy_(part)  # so that the whole can be freed
        return DTensor.from_local(
            own, other.device_mesh, other.placements, run_check=False, shape=other.shape, stride=other.stride()
        )

    def holds(self, value: torch.Tensor) -> bool:
        """Return whether a tensor lies on the mesh."""
        return is_cut(value)

    def local(self, value: torch.Tensor) -> torch.Tensor:
        """Return the very tensor that holds this process's part."""
        return local(value)

    def whole(self, value: torch.Tensor) -> torch.Tensor:
        """Return a tensor with all elements; all processes must ask for it if it is cut."""
        return value.full_tensor() if is_cut(value) else value


def _rows() -> Placements:
    return (Shard(0),) * mesh().ndim


def place(parameter: Parameter, placements: Placements) -> None:
    """Put a parameter onto the mesh, with its value in the first process, or cut it in another way."""
    value = parameter._t
    if is_cut(value) and placements == value.placements:
        return
    global _placed
    with torch.no_grad():
        if not is_cut(value):
            share(value)  # processes that draw their own weights would each train another network
        parameter._t = parameter._storage = cut(value, placements).detach()
    _placed += 1
    change_count.increase()


def _cells(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Return the cells that a function reaches."""
    try:
        return find_reachable(fn, *objects((args, kwargs))).cells
    except UntrackedState:
        return [cell for _, cell in fn.cells_and_names()] if hasattr(fn, "cells_and_names") else []


def _parameters(cells: Sequence[Any]) -> list[Parameter]:
    """Return the parameters of cells that have dimensions."""
    members = ((attributes(cell) or {}).get("_params", {}) for cell in cells)
    found = dict.fromkeys(p for own in members for p in own.values() if p is not None)
    return [p for p in found if p._t.is_floating_point() and p._t.ndim]


class Computing(DispatchMode):
    """Computes what torch does not compute with cut tensors, with tensors of which all processes have larger parts."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if scope.depth and not region.is_agreed:  # gradients are sums over the processes
            agree_on_shapes()
        if draws(func):
            _agree_on_random_numbers((*args, *(kwargs or {}).values()))
        if types and func in CONVOLUTIONS:
            return CONVOLUTIONS[func](*args, **kwargs or {})
        given = args, kwargs or {}
        written = written_arguments(func, *given, DTensor)
        # DTensors do not know of some writes, and draw other random numbers in each process.
        if not (draws(func) and types) and (not written or schema_of(func).is_mutable):
            axes = list(range(mesh().ndim))
            while True:
                try:
                    result = func(*given[0], **given[1])
                    if written or not axes or not is_interleaved(result):
                        return result
                    given = tree_map_only(DTensor, partial(_gathered, axis=axes.pop()), given)
                except NotImplementedError:
                    if not any(issubclass(kind, DTensor) for kind in types):
                        raise
                    break
                except (RuntimeError, TypeError) as error:
                    if not says(error, NOT_CUT):
                        raise
                    if written or not axes:
                        break
                    given = tree_map_only(DTensor, partial(_gathered, axis=axes.pop()), given)
        wholes: dict[int, torch.Tensor] = {}

        def whole(value: DTensor) -> torch.Tensor:
            return wholes.setdefault(id(value), value.full_tensor())

        given = tree_map_only(DTensor, whole, (args, kwargs or {}))
        result = func(*given[0], **given[1])
        for value in written:
            write_parts(value, wholes[id(value)])
        return tree_map_only(torch.Tensor, lambda value: cut(value, replicated()), result)


def _agree_on_random_numbers(values: Sequence[Any]) -> None:
    """Give the generator that an operation uses the state that it has in the first process, once."""
    given = next((value for value in values if isinstance(value, torch.Generator)), torch.default_generator)
    if given not in _agreed:
        _agreed.add(given)
        with no_modes():
            state = given.get_state()
            share(state)
            given.set_state(state)


def _gathered(value: DTensor, axis: int) -> DTensor:
    """Return a tensor that is not cut along an axis of the mesh."""
    placements = [Replicate() if i == axis else placement for i, placement in enumerate(value.placements)]
    return cut(value, tuple(placements))


_replicating: ExitStack | None = None


def allow() -> None:
    """Let the program cut tensors itself.

    Raises:
        NotImplementedError: it has networks in stages.
    """
    if mode.reader is not None and mode.reader.stages > 1:
        raise NotImplementedError(
            "For 'DTensor', tensors on meshes are not supported in a program that has set 'pipeline_stages'. Use "
            "'parallel.PipelineStage' and its schedules for the stages instead."
        )
    mode.set_meshes()
    replicate_constants(True)
    if mode.reader is None:
        mode.set_reader(Cutting())


def start() -> Cutting:
    """Cut the tensors of the program from now on; return how."""
    if not isinstance(mode.cut, Cutting):
        replicate_constants(True)
        mode.set_cut(Cutting())
    cutting: Cutting = mode.cut
    return cutting


def stop() -> None:
    """Do not cut tensors any more."""
    if isinstance(mode.cut, Cutting):
        replicate_constants(False)
        mode.set_cut(None)


def replicate_constants(on: bool) -> None:
    """Compute with tensors that are not on the mesh as with those that all processes have."""
    global _replicating
    if on and _replicating is None:
        # A number that is read is the same in all processes, which may branch by it. This stays, as cut tensors do.
        read_scalars_of_meshes(lambda operation, args, kwargs: args[0].full_tensor().item())
        _replicating = ExitStack()
        _replicating.enter_context(implicit_replication())
        _replicating.enter_context(_without_warnings())
    elif not on and _replicating is not None and not mode.meshes:
        _replicating.close()
        _replicating = None


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Silence torch, which warns of tensors of one element that are not on the mesh."""
    warnings.filterwarnings("ignore", "Found a non-scalar tensor with numel=1")
    added = warnings.filters[0]
    yield
    with suppress(ValueError):  # the program has left a block of `warnings.catch_warnings`
        warnings.filters.remove(added)  # type: ignore[attr-defined]  # it is a list
