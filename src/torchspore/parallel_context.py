"""Settings of training in several processes, and of parameter servers.

MindSpore: `mindspore.context`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypedDict

from torchspore.engine.distributed.cutting import planned
from torchspore.engine.distributed.pipelining import SCHEDULERS, start_pipelines, stop_pipelines
from torchspore.engine.distributed.strategies import check_parts, in_several_processes
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import named
from torchspore.engine.parameters import Kind, Limits, NotNegative, Positive, Where, kind_of
from torchspore.engine.parameters.kinds import Choice, Table
from torchspore.ops.distributed import process_groups

__all__ = [
    "ParallelMode", "get_auto_parallel_context", "get_ps_context", "reset_auto_parallel_context", "reset_ps_context",
    "set_auto_parallel_context", "set_ps_context",
]  # fmt: skip

_SET = "set_auto_parallel_context"


class ParallelMode:
    """The modes of training in several processes.

    Attributes:
        STAND_ALONE: every process on its own.
        DATA_PARALLEL: each process has its part of a batch; gradients are summed or averaged.
        HYBRID_PARALLEL: the same; parameters with `layerwise_parallel` are left to each process.
        SEMI_AUTO_PARALLEL, AUTO_PARALLEL: tensors are cut over the processes, and the program computes what a single
            device would, see `set_auto_parallel_context`.
        MODE_LIST: all of these.

    Examples:
        >>> import torchspore as ms
        >>> ms.ParallelMode.DATA_PARALLEL
        'data_parallel'
    """

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST: ClassVar[list[str]] = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


class _Setting(NamedTuple):
    default: Any
    kind: Kind = kind_of(bool)
    refused: tuple[Any, ...] = ()  # values of MindSpore that are not supported
    instead: str = ""


_MODES = ParallelMode.MODE_LIST
_COUNT = kind_of(Annotated[int, Limits(1, 2**31 - 1)])
_INDICES = kind_of(Annotated[list[int], Where("strictly increasing", lambda indices: sorted(set(indices)) == indices)])
_SETTINGS = {
    "device_num": _Setting(None, _COUNT),  # None: the number of processes
    "global_rank": _Setting(None, kind_of(Annotated[int, Limits(0, 4095)])),  # None: the number of this process
    "parallel_mode": _Setting("stand_alone", Choice(tuple(_MODES))),
    "gradients_mean": _Setting(False),
    "parameter_broadcast": _Setting(False),
    "force_fp32_communication": _Setting(False),
    "pipeline_stages": _Setting(1, _COUNT),
    "enable_parallel_optimizer": _Setting(False),
    "optimizer_level": _Setting("level1", Choice(("level1", "level2", "level3"))),
    "parallel_optimizer_threshold": _Setting(64, kind_of(int)),
    "dump_local_norm": _Setting(False, refused=(True,), instead="Compute 'ops.norm' of the gradients."),
    "dump_device_local_norm": _Setting(False, refused=(True,), instead="Compute 'ops.norm' of the gradients."),
    # All others say how MindSpore's compiler splits operations and joins messages. They change no result.
    "auto_parallel_search_mode": _Setting(
        "recursive_programming", Choice(("recursive_programming", "dynamic_programming", "sharding_propagation"))
    ),
    "communi_parallel_mode": _Setting(
        "all_group_parallel", Choice(("all_group_parallel", "same_server_group_parallel", "no_group_parallel"))
    ),
    "dataset_strategy": _Setting("data_parallel", Choice(("data_parallel", "full_batch"))),
    "pipeline_interleave": _Setting(False),
    "pipeline_scheduler": _Setting("1f1b", Choice(SCHEDULERS)),
    "optimizer_weight_shard_size": _Setting(-1, kind_of(int)),
    "strategy_ckpt_load_file": _Setting("", kind_of(str)),
    "strategy_ckpt_save_file": _Setting("", kind_of(str)),
    "strategy_ckpt_only_trainable_params": _Setting(True),
    "all_reduce_fusion_config": _Setting([], _INDICES),
    "comm_fusion": _Setting({}, kind_of(dict[Any, Any])),
    "gradient_fp32_sync": _Setting(True),
    "loss_repeated_mean": _Setting(True),
    "sharding_propagation": _Setting(False),
    "enable_alltoall": _Setting(False),
    "optimizer_weight_shard_aggregated_save": _Setting(False),
    "pipeline_result_broadcast": _Setting(False),
    "auto_pipeline": _Setting(False),
    "init_param_in_compile": _Setting(True),
    "auto_parallel_new_interface": _Setting(False),
}
_PARTS = (
    "pipeline_interleave", "pipeline_scheduler", "strategy_ckpt_only_trainable_params", "optimizer_level",
    "parallel_optimizer_threshold",
)  # fmt: skip  # of dictionaries only
_settings: dict[str, Any] = {}  # those that have been set


def set_auto_parallel_context(**kwargs: Any) -> None:
    """Set how a program trains in several processes.

    Args:
        parallel_mode: one of `ParallelMode`. With "data_parallel" and "hybrid_parallel" training steps sum the
            gradients of all processes, see `nn.DistributedGradReducer`. Default of the environment: "stand_alone".
        gradients_mean: whether the sum is divided by `device_num`. Default of the environment: False.
        device_num: the number of devices. Default of the environment: the number of processes.
        global_rank: the number of this process. Default of the environment: its number.
        parameter_broadcast: whether a training step of these modes starts from the first process's parameters.
            Default of the environment: False.
        force_fp32_communication: whether gradients are summed in float32. Default of the environment: False.
        full_batch, dataset_strategy: how inputs lie in the modes "semi_auto_parallel" and "auto_parallel". By default,
            and with "data_parallel", each process gives its part of the rows; with True or "full_batch" all give all
            rows; with a tuple of the numbers of parts for each input, each gives its part.
        enable_parallel_optimizer: whether, in these modes, each process updates only its part of the parameters, and
            holds the optimizer's states of that part. Default of the environment: False.
        parallel_optimizer_config: a dict with "optimizer_level", "level1" to "level3", the last of which cuts the
            parameters, too; and "parallel_optimizer_threshold", the size in KB from which on a parameter is cut.
        pipeline_stages: the number of stages of networks, in these modes: each stage is computed by as many of the
            processes, see `nn.PipelineCell`. Default of the environment: 1.
        pipeline_config: a dict with "pipeline_scheduler", the order of the parts of a batch: "1f1b", "gpipe", or
            "zero_bubble_v", in which the second segment goes back through the stages; and "pipeline_interleave". Orders
            change no result; segments alone interleave stages. The others of MindSpore are "1f1b".
        kwargs: MindSpore's other settings are checked and kept; they change no result.

    In "semi_auto_parallel" and "auto_parallel" every call of a cell or a captured function works on tensors that are
    cut over the processes, as `Primitive.shard` and `parallel.shard` say or as their inputs are. Cells have the meaning
    of graphs then. A parameter that is cut is gathered when its value is read: all processes must read it. With several
    `pipeline_stages` tensors are not cut, and a parameter of other stages is received when its value is read.

    Raises:
        ValueError: a setting that MindSpore does not have, or a value out of its range; or the number of
            `pipeline_stages` does not divide the number of processes.
        NotImplementedError: `dump_local_norm` or `dump_device_local_norm`.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
        >>> ms.get_auto_parallel_context("gradients_mean")
        True
        >>> ms.reset_auto_parallel_context()
    """
    changes: dict[str, Any] = {}
    for name, value in kwargs.items():
        if name in _COMPOUND:
            changes.update(_COMPOUND[name](value))
        elif name in _SETTINGS and name not in _PARTS:
            changes[name] = _checked(name, value)
        else:
            raise ValueError(f"For '{_SET}', there is no setting {name!r}. Settings: {_names()}.")
    before = dict(_settings)
    _settings.update(changes)
    try:
        _cut_tensors()
    except ValueError:
        _settings.clear()
        _settings.update(before)
        raise


def _cut_tensors() -> None:
    """Start or stop cutting the tensors of all calls over processes, or running networks in stages."""
    if not in_several_processes():
        planned.set_plan(_plan())
        return
    from torchspore.engine.distributed.cutting import calls  # it loads a part of torch

    stages = _get("pipeline_stages")
    if _get("parallel_mode") not in _MODES[3:] or stages > 1:
        calls.stop()
    if _get("parallel_mode") not in _MODES[3:] or stages == 1:
        stop_pipelines()
    if _get("parallel_mode") not in _MODES[3:]:
        return
    if stages > 1:
        cutting = start_pipelines(stages, _get("pipeline_scheduler"), _SET).cutting
    else:
        cutting = calls.start()
    strategy = _get("dataset_strategy")
    cutting.dataset_strategy = tuple(map(tuple, strategy)) if isinstance(strategy, list) else strategy
    cutting.optimizer_level = int(_get("optimizer_level")[-1]) if _get("enable_parallel_optimizer") else 0
    cutting.threshold = _get("parallel_optimizer_threshold") * 1024


def _plan() -> planned.Plan | None:
    """Return the devices for which a program of a single process is written, if it says so."""
    devices = _settings.get("device_num")
    if devices is None or _get("parallel_mode") not in _MODES[3:]:
        return None
    if _get("parallel_mode") == "auto_parallel" and _get("auto_parallel_search_mode") == "recursive_programming":
        return None  # MindSpore's compiler chooses all strategies
    rows = 1 if _get("dataset_strategy") == "full_batch" else devices
    return planned.Plan(devices // _get("pipeline_stages"), rows, _global_rank() < devices)


@named
def get_auto_parallel_context(attr_key: str) -> Any:
    """Return a setting of the training in several processes.

    Args:
        attr_key: the name of the setting, see `set_auto_parallel_context`.

    Raises:
        ValueError: there is no such setting.

    Examples:
        >>> import torchspore as ms
        >>> ms.get_auto_parallel_context("parallel_mode"), ms.get_auto_parallel_context("device_num")
        ('stand_alone', 1)
    """
    if attr_key in _READ:
        return _READ[attr_key]()
    if attr_key not in _SETTINGS or attr_key == "strategy_ckpt_only_trainable_params":
        raise ValueError(
            f"For 'get_auto_parallel_context', there is no setting {describe(attr_key)}. Settings: {_names()}."
        )
    return _get(attr_key)


def has_setting(name: str) -> bool:
    """Return whether `get_auto_parallel_context` knows a setting."""
    return name in _READ or name in _SETTINGS


def is_set(name: str) -> bool:
    """Return whether a setting has been set."""
    return name in _settings


def reset_auto_parallel_context() -> None:
    """Reset all settings of the training in several processes to their defaults.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_auto_parallel_context(device_num=8)
        >>> ms.reset_auto_parallel_context()
        >>> ms.get_auto_parallel_context("device_num")
        1
    """
    _settings.clear()
    _cut_tensors()


def _get(name: str) -> Any:
    return _settings.get(name, _SETTINGS[name].default)


def _names() -> str:
    return ", ".join(sorted({*_SETTINGS, *_COMPOUND} - {*_PARTS}))


def _checked(name: str, value: Any) -> Any:
    """Return the value of a simple setting, which must be valid."""
    setting = _SETTINGS[name]
    value = setting.kind.take(value, name, _SET)
    if value in setting.refused:
        raise NotImplementedError(f"For '{_SET}', {name}={value!r} is not supported. {setting.instead}")
    return value


class _Optimizer(TypedDict, total=False):
    gradient_accumulation_shard: bool
    parallel_optimizer_threshold: NotNegative
    optimizer_weight_shard_size: Positive
    optimizer_level: Literal["level1", "level2", "level3"]


class _Sums(TypedDict, total=False):
    mode: Literal["auto", "size", "index"]
    config: Any


class _Messages(TypedDict, total=False):
    mode: Literal["auto", "size"]
    config: Any


class _Fusion(TypedDict, total=False):
    openstate: bool
    allreduce: _Sums
    allgather: _Messages
    reducescatter: _Messages


class _Files(TypedDict, total=False):
    load_file: Any
    save_file: Any
    only_trainable_params: Any


class _Pipelines(TypedDict, total=False):
    pipeline_interleave: Any
    pipeline_scheduler: Any


def _taken(annotation: Any, value: object, name: str) -> Any:
    return kind_of(annotation).take(value, name, _SET)


# Compound settings: the simple settings that each one sets, and what reading one returns.


def _dataset_strategy(value: Any) -> dict[str, Any]:
    if not isinstance(value, tuple):
        return {"dataset_strategy": _checked("dataset_strategy", value)}
    if not all(isinstance(item, tuple) and all(type(part) is int for part in item) for item in value):
        raise TypeError(f"For '{_SET}', 'dataset_strategy' must be a string or tuples of ints, but got {value!r}.")
    check_parts(value, "dataset_strategy", _SET)
    return {"dataset_strategy": [list(item) for item in value]}


def _shard_size(value: Any) -> dict[str, Any]:
    size = _checked("optimizer_weight_shard_size", value)
    return {"optimizer_weight_shard_size": size if size > 0 else -1}


def _strategy_files(value: Any) -> dict[str, Any]:
    given = _taken(_Files, value, "strategy_ckpt_config")
    return {f"strategy_ckpt_{key}": _checked(f"strategy_ckpt_{key}", item) for key, item in given.items()}


def _pipeline(value: Any) -> dict[str, Any]:
    return {key: _checked(key, item) for key, item in _taken(_Pipelines, value, "pipeline_config").items()}


def _parallel_optimizer(value: Any) -> dict[str, Any]:
    """Check how optimizers are split."""
    given = _taken(_Optimizer, value, "parallel_optimizer_config")
    if given.get("optimizer_level") == "level3" and given.get("gradient_accumulation_shard"):
        raise ValueError(
            f"For '{_SET}', 'optimizer_level' 'level3' goes without 'gradient_accumulation_shard'. Give one of them."
        )
    return {key: given[key] for key in ("optimizer_level", "parallel_optimizer_threshold") if key in given}


_FUSED = ("allreduce", "allgather", "reducescatter")


def _comm_fusion(value: Any) -> dict[str, Any]:
    given = _taken(_Fusion, value, "comm_fusion")
    changes: dict[str, Any] = {"comm_fusion": given}
    for kind in _FUSED:
        options, name = given.get(kind, {}), f"comm_fusion['{kind}']"
        if options and {"mode", "config"} - {*options}:
            raise ValueError(f"For '{_SET}', {name} must have the keys 'mode' and 'config', but got {options}.")
        if options.get("mode") == "size":
            _taken(NotNegative, options["config"], f"{name}['config']")
        if options.get("mode") == "index":
            changes["all_reduce_fusion_config"] = _INDICES.take(options["config"], f"{name}['config']", _SET)
    return changes


def _grad_accumulation_step(value: Any) -> dict[str, Any]:
    if _taken(Positive, value, "grad_accumulation_step") > 1:
        raise ValueError(f"For '{_SET}', 'grad_accumulation_step' has gone. Use 'nn.GradAccumulationCell'.")
    return {}


def _group_ckpt_save_file(value: Any) -> dict[str, Any]:
    _taken(str, value, "group_ckpt_save_file")
    return {}


_COMPOUND: dict[str, Callable[[Any], dict[str, Any]]] = {
    "search_mode": lambda value: {"auto_parallel_search_mode": _checked("auto_parallel_search_mode", value)},
    "full_batch": lambda value: {
        "dataset_strategy": "full_batch" if _taken(bool, value, "full_batch") else "data_parallel"
    },
    "dataset_strategy": _dataset_strategy,
    "optimizer_weight_shard_size": _shard_size,
    "strategy_ckpt_config": _strategy_files,
    "pipeline_config": _pipeline,
    "parallel_optimizer_config": _parallel_optimizer,
    "comm_fusion": _comm_fusion,
    "grad_accumulation_step": _grad_accumulation_step,
    "group_ckpt_save_file": _group_ckpt_save_file,
}


def _device_num() -> Any:
    number = _get("device_num")
    return process_groups.get_world_size() if number is None else number


def _global_rank() -> Any:
    number = _get("global_rank")
    return process_groups.get_rank() if number is None else number


def _all_comm_fusion() -> dict[str, Any]:
    defaults: dict[str, Any] = {kind: {"mode": "auto", "config": None} for kind in _FUSED}
    return {"openstate": True, **defaults, **_get("comm_fusion")}


_READ: dict[str, Callable[[], Any]] = {
    "device_num": _device_num,
    "global_rank": _global_rank,
    "search_mode": lambda: _get("auto_parallel_search_mode"),
    "full_batch": lambda: _get("dataset_strategy") == "full_batch",
    "full_batch_is_set": lambda: is_set("dataset_strategy"),
    "dump_local_norm_path": lambda: "",
    "strategy_ckpt_config": lambda: {
        key: _get(f"strategy_ckpt_{key}") for key in ("load_file", "save_file", "only_trainable_params")
    },
    "comm_fusion": _all_comm_fusion,
    "grad_accumulation_step": lambda: 1,
}

# Parameter servers. There are none: parameters stay in the process, whatever is set.

_SERVER_DEFAULTS: dict[str, Any] = {"enable_ps": False, "config_file_path": "", "enable_ssl": False}
_PASSWORDS = ("client_password", "server_password")
_SERVER = Table({name: kind_of(type(_SERVER_DEFAULTS.get(name, ""))) for name in (*_SERVER_DEFAULTS, *_PASSWORDS)})
_server = dict(_SERVER_DEFAULTS)


def set_ps_context(**kwargs: Any) -> None:
    """Accept settings of parameter servers; there are none here, and parameters stay in the process.

    Args:
        enable_ps: whether parameters may be on servers. Default of the environment: False.
        config_file_path: the file of their settings. Default of the environment: "".
        enable_ssl: whether they are reached by encrypted connections. Default of the environment: False.
        client_password, server_password: strings; they are not kept.

    Raises:
        ValueError: there is no such setting.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_ps_context(enable_ps=False)
    """
    _SERVER.take(kwargs, "", "set_ps_context")
    _server.update({name: value for name, value in kwargs.items() if name not in _PASSWORDS})


@named
def get_ps_context(attr_key: str) -> Any:
    """Return a setting of parameter servers, see `set_ps_context`.

    Args:
        attr_key: the name of the setting; no password.

    Raises:
        ValueError: there is no such setting.

    Examples:
        >>> import torchspore as ms
        >>> ms.get_ps_context("enable_ps")
        False
    """
    if attr_key not in _server:
        raise ValueError(
            f"For 'get_ps_context', there is no setting {describe(attr_key)}. Settings: {', '.join(_server)}."
        )
    return _server[attr_key]


def reset_ps_context() -> None:
    """Reset the settings of parameter servers to their defaults.

    Examples:
        >>> import torchspore as ms
        >>> ms.context.reset_ps_context()
    """
    _server.update(_SERVER_DEFAULTS)
