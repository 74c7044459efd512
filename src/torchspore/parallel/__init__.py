"""Descriptions of training in several processes; names that only MindSpore's compiler supports raise."""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.common.unsupported import refusing, unsupported
from torchspore.parallel.algorithm_parameters import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from torchspore.parallel.auto_parallel import shard
from torchspore.parallel.layout import Layout
from torchspore.parallel.segments import load_segmented_checkpoints
from torchspore.train import (
    build_searched_strategy,
    load_distributed_checkpoint,
    merge_sliced_parameter,
    restore_group_info_list,
)

globals().update({name: refusing("parallel", name) for name in unsupported("parallel")})

__all__ = [
    "Layout", "build_searched_strategy", "get_algo_parameters", "load_distributed_checkpoint",
    "load_segmented_checkpoints", "merge_sliced_parameter", "reset_algo_parameters", "restore_group_info_list",
    "set_algo_parameters", "shard",
]  # fmt: skip
__all__ += [*unsupported("parallel")]

_suggest_names(globals())
