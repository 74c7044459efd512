"""Checkpoints of networks that are cut over devices: strategy files, and files cut in other ways.

A parameter without a layout is whole on every rank. Ranks are the numbers of devices; ranks of a pipeline's stage
follow the ranks of the stages before.
"""

from __future__ import annotations

from torchspore.serialization.sharded.into_networks import load_distributed_checkpoint, merge_sliced_parameter
from torchspore.serialization.sharded.layouts import ParameterLayout
from torchspore.serialization.sharded.other_ranks import get_ckpt_path_with_strategy
from torchspore.serialization.sharded.strategy_files import (
    build_searched_strategy,
    merge_pipeline_strategys,
    read_strategy,
    restore_group_info_list,
    write_strategy,
)
from torchspore.serialization.sharded.transforming import (
    convert_checkpoint_by_rank,
    convert_checkpoints,
    rank_list_for_convert,
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)
from torchspore.serialization.sharded.unified import unified_safetensors

__all__ = [
    "ParameterLayout", "build_searched_strategy", "convert_checkpoint_by_rank", "convert_checkpoints",
    "get_ckpt_path_with_strategy", "load_distributed_checkpoint", "merge_pipeline_strategys", "merge_sliced_parameter",
    "rank_list_for_convert", "rank_list_for_transform", "read_strategy", "restore_group_info_list",
    "transform_checkpoint_by_rank", "transform_checkpoints", "unified_safetensors", "write_strategy",
]  # fmt: skip
