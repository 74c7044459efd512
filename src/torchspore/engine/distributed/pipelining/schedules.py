"""Torch's schedules for a plan: in which order the stages compute which part of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch.distributed.pipelining import schedules

from torchspore.common.private_torch import is_multithreaded, set_multithreading
from torchspore.engine.distributed.pipelining.plan import Plan
from torchspore.engine.distributed.pipelining.processes import Processes
from torchspore.engine.distributed.pipelining.stage import Stage, StageModule

__all__ = ["Failure", "Run"]


def _objective(output: torch.Tensor, _: Any) -> torch.Tensor:
    return output


class Failure(NamedTuple):
    """What a part of a network has raised.

    Attributes:
        position: the position of the part in the network.
        error: the error.
    """

    position: int
    error: Exception


class Run:
    """What this process does of a plan.

    Args:
        plan: the plan.
        processes: the processes.
        parts: the number of parts of the batch.
        trains: whether gradients are computed.
        scheduler: "gpipe", or another name of MindSpore.
    """

    def __init__(self, plan: Plan, processes: Processes, parts: int, trains: bool, scheduler: str) -> None:
        own = [position for position, stage in enumerate(plan.stage_of) if stage == processes.stage]
        self.modules = [StageModule(plan, position) for position in own]
        self._is_last = plan.positions - 1 in own
        stages = [self._stage(module, processes) for module in self.modules]
        loss = _objective if trains else None
        common: dict[str, Any] = {"n_microbatches": parts, "loss_fn": loss, "scale_grads": False}
        rounds = max(1, parts // processes.stages)
        if len(stages) == 1:
            kind: Any = schedules.Schedule1F1B
            if not trains or scheduler == "gpipe" or parts < processes.stages:
                kind = schedules.ScheduleGPipe
            self._schedule: Any = kind(stages[0], **common)
        elif plan.stage_of[0] == plan.stage_of[-1]:
            self._schedule = schedules.ScheduleZBVZeroBubble(stages, **common)
        elif not trains or scheduler == "gpipe" or parts % rounds:
            self._schedule = schedules.ScheduleLoopedBFS(stages, **common)
        else:
            self._schedule = schedules.ScheduleInterleaved1F1B(stages, **common)
        self._parts = parts
        self._trains = trains

    @staticmethod
    def _stage(module: StageModule, processes: Processes) -> Any:
        plan, position = module.plan, module.position
        number = torch.empty(1, device="meta", requires_grad=True)
        return Stage(
            module,
            position,
            plan.positions,
            plan.device,
            input_args=tuple([plan.spec(key).message() for key in module.takes]),
            output_args=tuple([plan.spec(key).message() for key in module.gives]) or (number,),
            group=processes.pipe,
        )

    def __call__(
        self, parts: Sequence[tuple[Any, Any]], weights: list[torch.Tensor], seeds: Any
    ) -> tuple[list[Any], Failure | None]:
        """Compute all parts; return the outputs, if this process has the last position, and what has failed."""
        for module in self.modules:
            module.begin(parts, weights, seeds)
        target = torch.empty(self._parts) if self._is_last and self._trains else None
        before = is_multithreaded()
        set_multithreading(False)  # scopes are thread-local, and a bprop or a hook must run in this one
        try:
            with torch.set_grad_enabled(self._trains):
                self._schedule.step(target=target)
        finally:
            set_multithreading(before)
            ended = [(module.position, *module.end()) for module in self.modules]
        failures = [Failure(position, error) for position, _, error in ended if error is not None]
        return [output for _, outputs, _ in ended for output in outputs], failures[0] if failures else None
