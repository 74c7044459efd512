"""What `import hyper_parallel` imports where MindSpore's library of that name is not installed.

Its modules have the names of this package, and `names_of` says which other ones: programs import a name from several
of them. Names that are part of the library's own design are in `internals`, which refuses them.
"""

from __future__ import annotations

from importlib import import_module

from torchspore.ops.distributed.process_groups import (
    destroy_process_group,
    get_backend,
    get_process_group_ranks,
    init_process_group,
)
from torchspore.parallel import mesh as _mesh
from torchspore.parallel.mesh.fully_sharded import HSDPModule
from torchspore.parallel.mesh.hyper_parallel.functions import (
    custom_shard,
    empty,
    full,
    init_parameters,
    ones,
    parallelize_value_and_grad,
    zeros,
)
from torchspore.parallel.mesh.hyper_parallel.platforms import get_platform, split_group
from torchspore.parallel.mesh.hyper_parallel.schedules import MetaStep, MetaStepType
from torchspore.parallel.mesh.layouts import Layout, build_layout

HSDPCell = HSDPModule

globals().update({name: getattr(_mesh, name) for name in _mesh.__all__})
__all__ = [
    *_mesh.__all__, "HSDPCell", "Layout", "MetaStep", "MetaStepType", "custom_shard",
    "destroy_process_group", "empty", "full", "get_backend", "get_platform", "get_process_group_ranks",
    "init_parameters", "init_process_group", "ones", "parallelize_value_and_grad", "split_group", "zeros",
]  # fmt: skip

# The modules of the library, by the module of this package whose names they have in addition to the package's own.
_PATHS = {
    "": """
        collectives collectives.cc core core.device_mesh core.dtensor core.dtensor.device_mesh core.dtensor.dtensor
        core.dtensor.layout core.dtensor.parameter_init core.dtensor.placement_types core.fully_shard
        core.fully_shard.api core.fully_shard.utils core.hsdp core.hsdp.api core.layout core.parameter_init
        core.placement_types core.shard
        core.shard.api core.shard.custom_shard core.shard.local_func core.shard.sharding_plan core.tensor_parallel
        core.tensor_parallel.api core.tensor_parallel.style core.pipeline_parallel.stage core.pipeline_parallel.utils
    """,
    "checkpoints": """
        core.checkpoint core.checkpoint.api core.checkpoint.filesystem_storage core.checkpoint.layout
        core.checkpoint.loader core.checkpoint.metadata core.checkpoint.saver
    """,
    "platforms": """
        core.activation_checkpoint core.activation_checkpoint.activation_checkpoint platform platform.platform
    """,
    "resharding": "core.checkpoint core.checkpoint.reshard",
    "schedules": "core.pipeline_parallel core.pipeline_parallel.scheduler",
    "internals": """
        core.activation_checkpoint core.activation_checkpoint.swap core.fully_shard.hsdp_utils core.hsdp.hsdp_utils
        core.random core.redistribute_infer core.shard.ops core.tensor_redistribution platform.mindspore
        platform.mindspore.hsdp platform.mindspore.hsdp.param platform.mindspore.hsdp.scheduler
        platform.mindspore.pipeline_parallel platform.mindspore.pipeline_parallel._utils
    """,
}


def names_of(path: str) -> dict[str, object] | None:
    """Return the names that a module of the library has, or None if there is no such module.

    Args:
        path: the module without "hyper_parallel.".
    """
    if path.startswith("core.shard.ops."):  # which has a module for each kind of operation
        path = "core.shard.ops"
    others = [name for name, paths in _PATHS.items() if path in paths.split()]
    if path and not others:
        return None
    found = {name: globals()[name] for name in __all__}
    found["_build_layout"] = build_layout  # which programs import, too
    for other in filter(None, others):
        module = import_module(f"{__name__}.{other}")
        found.update({name: getattr(module, name) for name in module.__all__})
    return found
