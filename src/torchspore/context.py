"""Global settings: the execution mode, the device and MindSpore's context options."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from torchspore.common import device, mode
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.near_names import suggestion
from torchspore.engine.capture.compiling import disk_cache
from torchspore.engine.capture.settings import set_from_context
from torchspore.engine.gradients.custom import set_check_bprop
from torchspore.engine.jit_config import JitConfig
from torchspore.engine.parameters import Limits, Where, take_as
from torchspore.parallel_context import (
    ParallelMode,
    get_auto_parallel_context,
    get_ps_context,
    reset_auto_parallel_context,
    reset_ps_context,
    set_auto_parallel_context,
    set_ps_context,
)

__all__ = [
    "COMPATIBLE", "GRAPH_MODE", "LAX", "PYNATIVE_MODE", "STRICT", "DeviceInfo", "ParallelMode",
    "get_auto_parallel_context", "get_context", "get_current_device", "get_ps_context", "reset_auto_parallel_context",
    "reset_ps_context", "set_auto_parallel_context", "set_context", "set_device", "set_ps_context",
]  # fmt: skip

GRAPH_MODE = 0
PYNATIVE_MODE = 1

STRICT = 0  # the values of jit_syntax_level
COMPATIBLE = 1
LAX = 2

_IN_GB = r"[1-9]\d*(\.\d*)?GB|0\.\d*GB"
_Size: TypeAlias = Annotated[str, Where("a size such as '2.5GB'", re.compile(_IN_GB).fullmatch)]
_SizeOr0: TypeAlias = Annotated[str, Where("a size such as '2.5GB', or '0'", re.compile(f"0|{_IN_GB}").fullmatch)]
_Natural: TypeAlias = Annotated[int, Limits(0, 2**31 - 1)]


class _Option(NamedTuple):
    default: Any
    accepts: Any  # a type or another annotation
    read: Callable[[Any], Any] | None = None  # converts the value for get_context


def _gigabytes(size: str) -> float:
    return float(size.removesuffix("GB"))


_OPTIONS = {
    "mode": _Option(PYNATIVE_MODE, Literal[0, 1], int),
    "pynative_synchronize": _Option(False, bool),
    "deterministic": _Option("OFF", Literal["ON", "OFF"]),
    "jit_level": _Option("", Literal["", "O0", "O1", "O2"]),
    "jit_syntax_level": _Option(LAX, Literal[0, 1, 2]),
    "jit_config": _Option({}, dict),
    "enable_compile_cache": _Option(None, bool),
    "compile_cache_path": _Option("", str),
    "check_bprop": _Option(False, bool),
    # The others have no effect here: they tune MindSpore's own compiler, memory manager or Ascend cards.
    "max_call_depth": _Option(1000, Annotated[int, Limits(1, 2**31 - 1)]),
    "max_device_memory": _Option("1024GB", _Size, _gigabytes),
    "memory_optimize_level": _Option("O0", Literal["O0", "O1"], ("O0", "O1").index),
    "mempool_block_size": _Option("1GB", _Size, _gigabytes),
    "variable_memory_max_size": _Option("0", _SizeOr0),
    "save_graphs": _Option(0, bool | Literal[0, 1, 2, 3], lambda value: 2 if value is True else int(value)),
    "save_graphs_path": _Option(".", str),
    "env_config_path": _Option("", str),
    "enable_graph_kernel": _Option(False, bool),
    "graph_kernel_flags": _Option("", str),
    "inter_op_parallel_num": _Option(0, _Natural),
    "runtime_num_threads": _Option(30, _Natural),
    "auto_tune_mode": _Option("NO_TUNE", str),
    "grad_for_scalar": _Option(False, bool),
    "precompile_only": _Option(False, bool),
    "print_file_path": _Option("", str),
    "reserve_class_name_in_scope": _Option(True, bool),
    "support_binary": _Option(False, bool),
    "ascend_config": _Option({}, dict),
    "gpu_config": _Option({}, dict),
    "aoe_tune_mode": _Option("", Literal["online", "offline"]),
    "aoe_config": _Option({}, dict),
    "exec_order": _Option("bfs", Literal["bfs", "dfs", "gpto"]),
    "op_timeout": _Option(900, _Natural),
    "debug_level": _Option(0, Literal[0, 1]),
    "enable_sparse": _Option(False, bool),
    "enable_dump": _Option(False, bool),
    "save_dump_path": _Option(".", str),
    "enable_reduce_precision": _Option(True, bool),
    "enable_auto_mixed_precision": _Option(False, bool),
    "enable_profiling": _Option(False, bool),
    "profiling_options": _Option("training_trace", str),
    "enable_mem_reuse": _Option(True, bool),
}
# Options of MindSpore's graphs on Ascend cards, of its parallel training and of its fault tolerance, by their default.
_ENGINE: tuple[tuple[Any, str], ...] = (
    (0, """
        compute_communicate_fusion_level cur_step_num dataset_broadcast_opt_level last_triggered_step
        save_checkpoint_steps
    """),
    (False, """
        bias_add_comm_swap disable_format_transform enable_allreduce_slice_to_reducescatter enable_begin_end_inline_opt
        enable_concat_eliminate_opt enable_flash_attention_load_balance enable_fused_cast_add_opt enable_grad_comm_opt
        enable_interleave_parallel_branch enable_interleave_split_concat_branch enable_opt_shard_comm_opt
        enable_parallel_split enable_task_opt interleaved_layernorm_comm interleaved_matmul_comm matmul_allow_tf32
        need_ckpt recompute_allgather_overlap_fagrad
    """),
    (True, "conv_allow_tf32 enable_offloading_packed_experts hccl_watchdog"),
    ("", "matmul_grad_comm_overlap pp_1f1b_overlap recompute_comm_overlap topo_order"),
    ("normal", "conv_dgrad_algo conv_fprop_algo conv_wgrad_algo"),
    ("2", "aoe_job_type"),
    ("off", "infer_boost"),
)  # fmt: skip
_OPTIONS |= {name: _Option(default, type(default)) for default, names in _ENGINE for name in names.split()}

# Options that can only be read: `enable_ge`, which MindSpore sets, and keys of `ascend_config`.
_ASCEND_KEYS = """atomic_clean_policy conv_allow_hf32 ge_options host_scheduling_max_threshold jit_compile
    matmul_allow_hf32 op_debug_option op_precision_mode precision_mode"""
_READ_ONLY: dict[str, Any] = {"enable_ge": False} | dict.fromkeys(_ASCEND_KEYS.split(), "")

_JIT_CONFIG = ("jit_level", "infer_boost", "tiered", "fullgraph")
_settings: dict[str, Any] = {name: option.default for name, option in _OPTIONS.items()}


class DeviceInfo(NamedTuple):
    """A device: its kind and its number among devices of the kind."""

    device_target: str
    device_id: int


def set_context(**kwargs: Any) -> None:
    """Set options of the execution environment.

    Args:
        mode: GRAPH_MODE (0) or PYNATIVE_MODE (1). Default of the environment: PYNATIVE_MODE.
        device_target: "CPU", "GPU" or "Ascend". Without the package `torch_npu`, "Ascend" means the GPU, or the CPU if
            there is no GPU, with one warning.
        device_id: the number of the device among devices of its kind. Default: 0; a CPU takes any.
        pynative_synchronize: whether to wait for every operation, so that errors point at their line.
        deterministic: "ON" for deterministic algorithms, or "OFF".
        jit_level: the level of captured graphs whose function or cell has none of its own: "O0", "O1", "O2", or "" for
            "O0". It applies to graphs captured afterwards. Default: "".
        jit_config: the same and more, as a dictionary: `jit_level`, `infer_boost`, `tiered` and `fullgraph`, as in
            `JitConfig`. Of this one's level and `jit_level`, the one set last holds; in one call, `jit_level`.
        jit_syntax_level: STRICT (0) makes it an error when a cell cannot be captured in GRAPH_MODE; COMPATIBLE (1) and
            LAX (2) let it run eagerly, with a warning. Default of the environment: LAX.
        check_bprop: whether what the `bprop` of a cell returns must have the number, shapes and data types of its
            inputs. Default: False: shapes may be broadcast.
        kwargs: MindSpore's other options are accepted and recorded; they tune its own compiler and Ascend cards.

    Raises:
        ValueError: an option that MindSpore does not have, or a value out of its range.
        RuntimeError: this machine has no such device.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
        >>> ms.get_context("device_target")
        'CPU'
    """
    changes = {name: value for name, value in kwargs.items() if name not in ("device_target", "device_id")}
    for name, value in changes.items():  # check everything before changing anything
        _check(name, value)
    _check_jit_config(changes.get("jit_config", {}))
    if "jit_level" in changes.get("jit_config", ()):
        changes.setdefault("jit_level", changes["jit_config"]["jit_level"])
    chosen = None
    if len(changes) < len(kwargs):
        chosen = device.choose(kwargs.get("device_target", device.target()), kwargs.get("device_id"), "set_context")
    if "pynative_synchronize" in changes:
        device.set_synchronous(changes["pynative_synchronize"])
    if chosen is not None:
        device.use(chosen)
    if "deterministic" in changes:
        device.set_deterministic(changes["deterministic"] == "ON")
    if "check_bprop" in changes:
        set_check_bprop(changes["check_bprop"])
    if "enable_compile_cache" in changes:
        disk_cache.set_enabled(changes["enable_compile_cache"])
    if "compile_cache_path" in changes:
        disk_cache.set_directory(changes["compile_cache_path"])
    _settings.update(changes)
    mode.set_graph(_settings["mode"] == GRAPH_MODE)
    syntax = "STRICT" if _settings["jit_syntax_level"] == STRICT else "LAX"
    options = _settings["jit_config"] | {"jit_level": _settings["jit_level"], "jit_syntax_level": syntax}
    set_from_context(JitConfig(**options).settings())


def _check(name: str, value: Any) -> None:
    option = _OPTIONS.get(name)
    if option is None:
        raise ValueError(
            f"For 'set_context', there is no option '{name}'. Options: {_names()}.{suggestion(name, _OPTIONS)}"
        )
    take_as(option.accepts, value, name, "set_context")


def _check_jit_config(options: dict[str, Any]) -> None:
    unknown = [key for key in options if key not in _JIT_CONFIG]
    if unknown:
        raise ValueError(f"For 'set_context', the keys of 'jit_config' are {_JIT_CONFIG}, but got {unknown}.")
    JitConfig(**options)


def _names() -> str:
    return ", ".join(sorted([*_OPTIONS, "device_target", "device_id"]))


def get_context(attr_key: str) -> Any:
    """Return the value of an option; sizes as a number of gigabytes.

    Raises:
        ValueError: there is no such option.

    Examples:
        >>> import torchspore as ms
        >>> ms.get_context("max_call_depth")
        1000
    """
    if take_as(str, attr_key, "attr_key", "get_context") == "device_target":
        return device.target()
    if attr_key == "device_id":
        return device.index()
    if attr_key in _READ_ONLY:
        return _settings["ascend_config"].get(attr_key, _READ_ONLY[attr_key])
    if attr_key not in _OPTIONS:
        raise ValueError(
            f"For 'get_context', there is no option {attr_key!r}. Options: {_names()}.{suggestion(attr_key, _OPTIONS)}"
        )
    read = _OPTIONS[attr_key].read
    value = _settings[attr_key]
    return value if read is None else read(value)


def _get_mode() -> int:
    """Return the mode, under a name that packages import."""
    return int(_settings["mode"])


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Choose the device on which tensors are made and operations run.

    Args:
        device_target: "CPU", "GPU" or "Ascend"; the last one may become another, as in `set_context`.
        device_id: its number among devices of its kind. Default: None, the first; a CPU takes any.

    Raises:
        ValueError: another target, or a number that this machine does not have.
        RuntimeError: this machine, or this build of PyTorch, has no such device.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_device("CPU")
    """
    device.use(device.choose(device_target, device_id, "set_device"))


def get_current_device() -> DeviceInfo:
    """Return the device in use.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_device("CPU")
        >>> ms.context.get_current_device()
        DeviceInfo(device_target='CPU', device_id=0)
    """
    return DeviceInfo(device.target(), device.index())


_suggest_names(globals())
