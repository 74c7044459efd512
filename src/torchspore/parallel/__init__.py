"""Descriptions of training in several processes, and files of cut networks; some names only raise."""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.common.unsupported import refusing, unsupported
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

globals().update({name: refusing("parallel", name) for name in unsupported("parallel")})

__all__ = [
    "Layout", "build_searched_strategy", "convert_checkpoint_by_rank", "convert_checkpoints", "get_algo_parameters",
    "load_distributed_checkpoint", "load_segmented_checkpoints", "merge_pipeline_strategys", "merge_sliced_parameter",
    "rank_list_for_convert", "rank_list_for_transform", "reset_algo_parameters", "restore_group_info_list",
    "set_algo_parameters", "shard", "transform_checkpoint_by_rank", "transform_checkpoints", "unified_safetensors",
]  # fmt: skip
__all__ += [*unsupported("parallel")]

_suggest_names(globals())
