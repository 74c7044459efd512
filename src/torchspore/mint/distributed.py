"""Communication between processes: `mint.distributed`, over `torch.distributed`.

Start a program several times with `torchrun --nproc-per-node 2 program.py` and call `init_process_group()` in it. A
program that is started without torchrun is a single process, in which all of this works too. The functions come from
`torchspore.ops.distributed.functions`.
"""
# ruff: noqa: F403, F405

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.ops.distributed.functions import *
from torchspore.ops.distributed.functions import gather, scatter
from torchspore.ops.distributed.process_groups import *

__all__ = [
    "P2POp", "TCPStore", "all_gather", "all_gather_into_tensor", "all_gather_into_tensor_uneven", "all_gather_object",
    "all_reduce", "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast",
    "broadcast_object_list", "destroy_process_group", "gather", "gather_object", "get_backend", "get_global_rank",
    "get_group_rank", "get_process_group_ranks", "get_rank", "get_world_size", "init_process_group", "irecv",
    "is_available", "is_initialized", "isend", "new_group", "recv", "recv_object_list", "reduce", "reduce_scatter",
    "reduce_scatter_tensor", "reduce_scatter_tensor_uneven", "scatter", "scatter_object_list", "send",
    "send_object_list",
]  # fmt: skip

_suggest_names(globals())
