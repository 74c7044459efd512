"""Networks in stages: each process computes some of the cells, on one part of the batch after the other."""

from __future__ import annotations

from typing import Any

import torch.distributed as dist

from torchspore.common import mode
from torchspore.engine.distributed.strategies import started_processes

__all__ = ["SCHEDULERS", "start_pipelines", "stop_pipelines"]


SCHEDULERS = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")  # MindSpore's names

_known: dict[int, Any] = {}  # by their number of stages; they know where parameters are


def start_pipelines(stages: int, scheduler: str, api: str) -> Any:
    """Run networks in stages from now on; return the `Pipelining` that does.

    Raises:
        ValueError: the number of stages does not divide the number of processes.
        NotImplementedError: the program has tensors on meshes.
    """
    if mode.meshes:
        raise NotImplementedError(
            f"For '{api}', stages are not supported in a program that has tensors on meshes (DTensor, fully_shard). "
            "Use 'parallel.PipelineStage' and its schedules for the stages instead."
        )
    count = dist.get_world_size() if dist.is_available() and dist.is_initialized() else started_processes()
    if count % stages:
        raise ValueError(
            f"For '{api}', the number of stages must divide the number of processes, {count}, but got {stages}."
        )
    from torchspore.engine.distributed.cutting.calls import replicate_constants  # it loads a part of torch
    from torchspore.engine.distributed.cutting.placements import use_stages
    from torchspore.engine.distributed.pipelining.calls import Pipelining

    use_stages(stages)
    replicate_constants(True)
    pipelining = _known.setdefault(stages, Pipelining(stages))
    if mode.cut is not None and mode.cut.stages == 1:
        pipelining.cutting = mode.cut
    pipelining.scheduler = scheduler
    if mode.cut is not pipelining:
        mode.set_cut(pipelining)
    return pipelining


def stop_pipelines() -> None:
    """Do not run networks in stages any more."""
    if mode.cut is not None and mode.cut.stages > 1:
        from torchspore.engine.distributed.cutting.calls import replicate_constants
        from torchspore.engine.distributed.cutting.placements import use_stages

        use_stages(1)
        replicate_constants(False)
        mode.set_cut(None)
