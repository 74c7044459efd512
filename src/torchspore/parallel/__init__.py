"""Training in several processes: networks on meshes, descriptions of how they are cut, and files of cut networks.

Some names only raise. The names of `torchspore.parallel.mesh` are here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from torchspore.common.names.loading import load as _load
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.unsupported import refusing as _refusing
from torchspore.common.names.unsupported import unsupported as _unsupported
from torchspore.parallel import nn as nn
from torchspore.parallel.algorithm_parameters import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from torchspore.parallel.auto_parallel import shard
from torchspore.parallel.layout import Layout
from torchspore.parallel.segments import load_segmented_checkpoints
from torchspore.serialization.sharded import (
    build_searched_strategy,
    convert_checkpoint_by_rank,
    convert_checkpoints,
    load_distributed_checkpoint,
    merge_pipeline_strategys,
    merge_sliced_parameter,
    rank_list_for_convert,
    rank_list_for_transform,
    restore_group_info_list,
    transform_checkpoint_by_rank,
    transform_checkpoints,
    unified_safetensors,
)

if _TYPE_CHECKING:
    from torchspore.parallel.mesh import BatchDimSpec as BatchDimSpec
    from torchspore.parallel.mesh import ColwiseParallel as ColwiseParallel
    from torchspore.parallel.mesh import CPUOffloadPolicy as CPUOffloadPolicy
    from torchspore.parallel.mesh import DeviceMesh as DeviceMesh
    from torchspore.parallel.mesh import DTensor as DTensor
    from torchspore.parallel.mesh import HSDPModule as HSDPModule
    from torchspore.parallel.mesh import MixedPrecisionPolicy as MixedPrecisionPolicy
    from torchspore.parallel.mesh import OffloadPolicy as OffloadPolicy
    from torchspore.parallel.mesh import ParallelStyle as ParallelStyle
    from torchspore.parallel.mesh import Partial as Partial
    from torchspore.parallel.mesh import PipelineStage as PipelineStage
    from torchspore.parallel.mesh import Placement as Placement
    from torchspore.parallel.mesh import PrepareModuleInput as PrepareModuleInput
    from torchspore.parallel.mesh import PrepareModuleInputOutput as PrepareModuleInputOutput
    from torchspore.parallel.mesh import PrepareModuleOutput as PrepareModuleOutput
    from torchspore.parallel.mesh import Replicate as Replicate
    from torchspore.parallel.mesh import RowwiseParallel as RowwiseParallel
    from torchspore.parallel.mesh import Schedule1F1B as Schedule1F1B
    from torchspore.parallel.mesh import ScheduleGPipe as ScheduleGPipe
    from torchspore.parallel.mesh import ScheduleInterleaved1F1B as ScheduleInterleaved1F1B
    from torchspore.parallel.mesh import SequenceParallel as SequenceParallel
    from torchspore.parallel.mesh import Shard as Shard
    from torchspore.parallel.mesh import ShardingPlan as ShardingPlan
    from torchspore.parallel.mesh import SkipDTensorDispatch as SkipDTensorDispatch
    from torchspore.parallel.mesh import distribute_module as distribute_module
    from torchspore.parallel.mesh import distribute_tensor as distribute_tensor
    from torchspore.parallel.mesh import fully_shard as fully_shard
    from torchspore.parallel.mesh import hsdp as hsdp
    from torchspore.parallel.mesh import hsdp_sync_stream as hsdp_sync_stream
    from torchspore.parallel.mesh import init_device_mesh as init_device_mesh
    from torchspore.parallel.mesh import parallelize_module as parallelize_module
    from torchspore.parallel.mesh import shard_module as shard_module

globals().update({name: _refusing("parallel", name) for name in _unsupported("parallel")})

__all__ = [
    "Layout", "build_searched_strategy", "convert_checkpoint_by_rank", "convert_checkpoints", "get_algo_parameters",
    "load_distributed_checkpoint", "load_segmented_checkpoints", "merge_pipeline_strategys", "merge_sliced_parameter",
    "rank_list_for_convert", "rank_list_for_transform", "reset_algo_parameters", "restore_group_info_list",
    "set_algo_parameters", "shard", "transform_checkpoint_by_rank", "transform_checkpoints", "unified_safetensors",
]  # fmt: skip
__all__ += [*_unsupported("parallel")]

# The names of networks on meshes, for which much of torch is imported. The main package does not have them.
_ON_MESHES = (
    "BatchDimSpec", "CPUOffloadPolicy", "ColwiseParallel", "DTensor", "DeviceMesh", "HSDPModule",
    "MixedPrecisionPolicy", "OffloadPolicy", "ParallelStyle", "Partial", "PipelineStage", "Placement",
    "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput", "Replicate", "RowwiseParallel",
    "Schedule1F1B", "ScheduleGPipe", "ScheduleInterleaved1F1B", "SequenceParallel", "Shard", "ShardingPlan",
    "SkipDTensorDispatch", "distribute_module", "distribute_tensor", "fully_shard", "hsdp", "hsdp_sync_stream",
    "init_device_mesh", "parallelize_module", "shard_module",
)  # fmt: skip


def _find_on_meshes(name: str) -> _Any:
    if name not in _ON_MESHES:
        raise KeyError(name)
    return getattr(_load("torchspore.parallel.mesh"), name)


_suggest_names(globals(), _find_on_meshes)
