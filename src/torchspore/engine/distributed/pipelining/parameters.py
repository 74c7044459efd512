"""Parameters in stages: each process holds those that its stage uses, with the states of their optimizers.

The others lie on torch's device "meta": they have a shape and a type, and no memory.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence

import torch
import torch.distributed as dist

from torchspore.common.parameter import Parameter
from torchspore.engine.distributed.cutting.placements import is_cut, local, write_parts
from torchspore.engine.distributed.pipelining.plan import Plan
from torchspore.engine.distributed.pipelining.processes import Processes

__all__ = ["MissingParameters", "Parameters", "write"]


def write(value: torch.Tensor, whole: torch.Tensor) -> None:
    """Write a whole tensor into one, which the processes of a stage may have cut."""
    if is_cut(value):
        write_parts(value, whole.detach())
    else:
        value.copy_(whole.detach())


class MissingParameters(BaseException):
    """A scope is open, and this process gets parameters that it does not hold: the call must start again."""


class Parameters:
    """Which stages hold which parameters."""

    def __init__(self) -> None:
        self._owners: dict[int, tuple[weakref.ref[torch.Tensor], frozenset[int]]] = {}  # by id of the value
        self._leaving: dict[Parameter, frozenset[int]] = {}  # that this process will no longer hold

    def owners(self, value: torch.Tensor) -> frozenset[int] | None:
        """Return the stages that hold a tensor; None: all, or it is not a parameter's value."""
        found = self._owners.get(id(value))
        return found[1] if found is not None and found[0]() is value else None

    def place(self, plan: Plan, processes: Processes, is_in_scope: bool) -> None:
        """Make this process hold the parameters that its stage uses."""
        self._find_copies([p for p, stages in plan.owners.items() if stages], processes)
        missing = []
        for parameter, stages in plan.owners.items():
            value = parameter._storage
            before = self.owners(value)
            after = (before or frozenset()) | stages
            if before == after or not after:
                continue
            if before is None:
                # Processes that draw their own weights would each train another network.
                dist.broadcast(local(value), 0)
                self.note(value, after)
            else:
                is_new = processes.stage in after and processes.stage not in before
                missing.append((parameter, self.whole(value, processes, plan.device), after, is_new))
            if processes.stage not in after:
                self._leaving[parameter] = after
        for parameter, whole, after, is_new in missing:
            self._leaving.pop(parameter, None)
            if is_new and parameter._storage.is_meta:
                parameter._hold(whole)
            elif is_new:
                write(parameter._storage, whole)
            self.note(parameter._storage, after)
        if missing and is_in_scope:
            raise MissingParameters
        if not is_in_scope:
            self.release()

    def _find_copies(self, parameters: Sequence[Parameter], processes: Processes) -> None:
        """Note where parameters are that the program has copied from others."""
        unknown = [parameter._storage for parameter in parameters if self.owners(parameter._storage) is None]
        if not unknown:
            return
        held: list[list[bool]] = [[] for _ in range(dist.get_world_size())]
        dist.all_gather_object(held, [not value.is_meta for value in unknown])
        for i, value in enumerate(unknown):
            stages = frozenset(stage for stage in range(processes.stages) if held[processes.first_of(stage)][i])
            if len(stages) < processes.stages:
                self.note(value, stages)

    def copied(self, value: torch.Tensor, copy: torch.Tensor) -> None:
        """Note that the program has copied a tensor."""
        stages = self.owners(value)
        if stages is not None:
            self.note(copy, stages)

    def release(self) -> None:
        """Free the memory of parameters that this process no longer needs."""
        for parameter, stages in self._leaving.items():
            if parameter.twin is None:
                self._free(parameter, stages)
        self._leaving.clear()

    def place_states(
        self, states: Sequence[tuple[Parameter, Parameter]], processes: Processes, device: torch.device
    ) -> None:
        """Make this process hold the states of optimizers for the parameters that it holds, and no others.

        Args:
            states: pairs of a parameter and a state.
            processes: the processes.
            device: where a state lies that other processes have held.
        """
        for parameter, state in states:
            stages, before = self.owners(parameter._storage), self.owners(state._storage)
            if stages is None or stages == before:
                continue
            if before is not None:
                whole = self.whole(state._storage, processes, device)
                if state._storage.is_meta:
                    state._hold(whole)
            self.note(state._storage, stages)
            if processes.stage not in stages and not state._storage.is_meta:
                self._free(state, stages)

    def whole(self, value: torch.Tensor, processes: Processes, device: torch.device) -> torch.Tensor:
        """Return the value of a parameter, in all processes."""
        stages = self.owners(value)
        if stages is None:
            return value
        first = processes.first_of(min(stages))
        value = value.full_tensor() if is_cut(value) else value
        if dist.get_rank() == first:
            dist.broadcast(value, first)
            return value
        found = torch.empty(value.shape, dtype=value.dtype, device=device)
        dist.broadcast(found, first)
        return found

    def _free(self, parameter: Parameter, stages: frozenset[int]) -> None:
        value = parameter._storage
        parameter._hold(torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta"))
        self.note(parameter._storage, stages)

    def note(self, value: torch.Tensor, stages: frozenset[int]) -> None:
        """Note which stages hold a tensor."""
        key = id(value)
        self._owners[key] = weakref.ref(value, lambda _: self._owners.pop(key, None)), stages
