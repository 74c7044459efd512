"""Global settings: the execution mode, the device and MindSpore's context options."""

from __future__ import annotations

from typing import Any

from torchspore.common import device
from torchspore.engine.errors import describe

__all__ = ["GRAPH_MODE", "PYNATIVE_MODE", "get_context", "set_context", "set_device"]

GRAPH_MODE = 0
PYNATIVE_MODE = 1

# The options that change nothing here: they tune MindSpore's own compiler, memory manager or Ascend cards. They are
# accepted, checked by type and given back by get_context.
_RECORDED: dict[str, tuple[type | tuple[type, ...], Any]] = {
    "max_call_depth": (int, 1000),
    "max_device_memory": (str, "1024GB"),
    "memory_optimize_level": (str, "O0"),
    "mempool_block_size": (str, "1GB"),
    "variable_memory_max_size": (str, "30GB"),
    "enable_compile_cache": ((bool, str), False),
    "compile_cache_path": (str, "./"),
    "save_graphs": ((bool, int), False),
    "save_graphs_path": (str, "."),
    "env_config_path": (str, ""),
    "enable_graph_kernel": (bool, False),
    "graph_kernel_flags": (str, ""),
    "inter_op_parallel_num": (int, 0),
    "runtime_num_threads": (int, 30),
    "auto_tune_mode": (str, "NO_TUNE"),
    "check_bprop": (bool, False),
    "grad_for_scalar": (bool, False),
    "precompile_only": (bool, False),
    "print_file_path": (str, ""),
    "reserve_class_name_in_scope": (bool, True),
    "support_binary": (bool, False),
    "ascend_config": (dict, {}),
    "gpu_config": (dict, {}),
    "aoe_tune_mode": (str, ""),
    "aoe_config": (dict, {}),
    "jit_syntax_level": (int, 2),
    "jit_config": (dict, {}),
    "exec_order": (str, "dfs"),
    "op_timeout": (int, 900),
    "debug_level": (int, 0),
    "enable_sparse": (bool, False),
    "enable_dump": (bool, False),
    "save_dump_path": (str, "."),
    "enable_reduce_precision": (bool, True),
    "enable_profiling": (bool, False),
    "profiling_options": (str, "training_trace"),
    "enable_mem_reuse": (bool, True),
}

_settings: dict[str, Any] = {"mode": PYNATIVE_MODE, "pynative_synchronize": False, "deterministic": "OFF"}
_settings.update({name: default for name, (_, default) in _RECORDED.items()})


def set_context(**kwargs: Any) -> None:
    """Set options of the execution environment.

    Args:
        mode: GRAPH_MODE (0) or PYNATIVE_MODE (1). Default of the environment: PYNATIVE_MODE.
        device_target: "CPU", "GPU" or "Ascend".
        device_id: the number of the device among those of its kind.
        pynative_synchronize: whether every operation is waited for, so that errors point at their line.
        deterministic: "ON" for algorithms that give the same results in every run, or "OFF".
        kwargs: MindSpore's other options are accepted and recorded; they tune its own compiler and Ascend cards.

    Raises:
        ValueError: an option that MindSpore does not have, or a value out of its range.
        TypeError: a value of the wrong type.
        RuntimeError: this machine has no such device.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
        >>> ms.get_context("device_target")
        'CPU'

    MindSpore: `mindspore.set_context`.
    """
    known = {"mode", "device_target", "device_id", "pynative_synchronize", "deterministic", *_RECORDED}
    for name, value in kwargs.items():  # check everything before changing anything
        if name not in known:
            raise ValueError(f"For 'set_context', there is no option '{name}'. Options: {', '.join(sorted(known))}.")
        if name in _RECORDED:
            _check_type(name, value, _RECORDED[name][0])
    if kwargs.get("mode", PYNATIVE_MODE) not in (GRAPH_MODE, PYNATIVE_MODE) or isinstance(kwargs.get("mode"), bool):
        raise ValueError(f"For 'set_context', 'mode' must be GRAPH_MODE (0) or PYNATIVE_MODE (1): {kwargs['mode']!r}.")
    _check_type("pynative_synchronize", kwargs.get("pynative_synchronize", False), bool)
    if kwargs.get("deterministic", "OFF") not in ("ON", "OFF"):
        raise ValueError(f"For 'set_context', 'deterministic' must be 'ON' or 'OFF', but got {kwargs['deterministic']!r}.")
    if "device_target" in kwargs or "device_id" in kwargs:
        device.select(kwargs.pop("device_target", None) or device.target(), kwargs.pop("device_id", None), "set_context")
    if "deterministic" in kwargs:
        device.set_deterministic(kwargs["deterministic"] == "ON")
    if "pynative_synchronize" in kwargs:
        device.set_synchronous(kwargs["pynative_synchronize"])
    _settings.update(kwargs)


def get_context(attr_key: str) -> Any:
    """Return the value of an option.

    Raises:
        ValueError: there is no such option.

    MindSpore: `mindspore.get_context`.
    """
    if attr_key == "device_target":
        return device.target()
    if attr_key == "device_id":
        return device.index()
    if attr_key not in _settings:
        options = ", ".join(sorted([*_settings, "device_target", "device_id"]))
        raise ValueError(f"For 'get_context', there is no option {attr_key!r}. Options: {options}.")
    return _settings[attr_key]


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Choose the device on which tensors are made and operations run.

    Args:
        device_target: "CPU", "GPU" or "Ascend".
        device_id: its number among those of its kind. Default: None, the first.

    Raises:
        ValueError: another target, or a number that this machine does not have.
        TypeError: `device_id` is not an int.
        RuntimeError: this machine, or this build of PyTorch, has no such device.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_device("CPU")

    MindSpore: `mindspore.set_device`.
    """
    device.select(device_target, device_id, "set_device")


def _check_type(name: str, value: Any, kind: type | tuple[type, ...]) -> None:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        expected = " or ".join(k.__name__ for k in kinds)
        raise TypeError(f"For 'set_context', '{name}' must be of type {expected}, but got {describe(value)}.")
