"""Networks on meshes of processes, as in MindSpore's library `hyper_parallel`: torch's parts, for cells and Tensors.

`dtensor` has the tensors that lie on meshes; `fully_sharded`, `tensor_parallel`, `plans` and `pipelines` cut networks.
A program may write `import hyper_parallel`, too. This package is imported once a program asks for it.
"""

from __future__ import annotations

from torchspore.parallel.mesh.batches import BatchDimSpec
from torchspore.parallel.mesh.device_mesh import DeviceMesh, init_device_mesh
from torchspore.parallel.mesh.dtensor import (
    DTensor,
    Partial,
    Placement,
    Replicate,
    Shard,
    SkipDTensorDispatch,
    distribute_tensor,
)
from torchspore.parallel.mesh.fully_sharded import (
    CPUOffloadPolicy,
    HSDPModule,
    MixedPrecisionPolicy,
    OffloadPolicy,
    fully_shard,
    hsdp,
    hsdp_sync_stream,
)
from torchspore.parallel.mesh.pipelines import PipelineStage, Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B
from torchspore.parallel.mesh.plans import ShardingPlan, shard_module
from torchspore.parallel.mesh.tensor_parallel import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    distribute_module,
    parallelize_module,
)

__all__ = [
    "BatchDimSpec", "CPUOffloadPolicy", "ColwiseParallel", "DTensor", "DeviceMesh", "HSDPModule",
    "MixedPrecisionPolicy", "OffloadPolicy", "ParallelStyle", "Partial", "PipelineStage", "Placement",
    "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput", "Replicate", "RowwiseParallel",
    "Schedule1F1B", "ScheduleGPipe", "ScheduleInterleaved1F1B", "SequenceParallel", "Shard", "ShardingPlan",
    "SkipDTensorDispatch", "distribute_module", "distribute_tensor", "fully_shard", "hsdp", "hsdp_sync_stream",
    "init_device_mesh", "parallelize_module", "shard_module",
]  # fmt: skip
