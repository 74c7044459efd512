"""Checkpoints, parameters in files, and networks in files."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.serialization.background import async_ckpt_thread_status
from torchspore.serialization.conversion import ckpt_to_safetensors, safetensors_to_ckpt
from torchspore.serialization.into_network import (
    _load_dismatch_prefix_params,  # noqa: F401 - packages import it
    _update_param,  # noqa: F401
    load_param_into_net,
)
from torchspore.serialization.loading import load_checkpoint, load_checkpoint_async
from torchspore.serialization.models import export, load
from torchspore.serialization.parts import (  # noqa: F401
    _exec_save,
    _parse_ckpt_proto,
    tensor_to_ms_type,
    tensor_to_np_type,
)
from torchspore.serialization.saving import save_checkpoint
from torchspore.serialization.sharded import (
    build_searched_strategy,
    get_ckpt_path_with_strategy,
    load_distributed_checkpoint,
    merge_sliced_parameter,
    restore_group_info_list,
)

__all__ = [
    "async_ckpt_thread_status", "build_searched_strategy", "ckpt_to_safetensors", "export",
    "get_ckpt_path_with_strategy", "load", "load_checkpoint", "load_checkpoint_async", "load_distributed_checkpoint",
    "load_param_into_net", "merge_sliced_parameter", "restore_group_info_list", "safetensors_to_ckpt",
    "save_checkpoint",
]  # fmt: skip

_suggest_names(globals())
