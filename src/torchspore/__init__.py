"""TorchSpore: MindSpore programs on the PyTorch engine.

Every function raises a TypeError for an argument of the wrong type, and a ValueError for a value outside the range that
its documentation states. The sections "Raises" of docstrings list what is raised beyond that.
"""

from __future__ import annotations

from itertools import chain as _chain
from types import ModuleType as _ModuleType
from typing import Any as _Any

from torchspore import _parts, amp, common, log, nn, ops  # noqa: F401
from torchspore.amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, build_train_network
from torchspore.common.dtype import (
    TensorType,
    Type,
    bfloat16,
    bool,
    bool_,
    byte,
    cdouble,
    cfloat,
    complex64,
    complex128,
    double,
    dtype_to_nptype,
    dtype_to_pytype,
    float,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    float_,
    get_py_obj_dtype,
    half,
    hifloat8,
    int,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    intp,
    list_,
    long,
    number,
    pytype_to_dtype,
    qint4x2,
    short,
    single,
    string,
    tensor_type,
    tuple_,
    type_none,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ushort,
)
from torchspore.common.generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from torchspore.common.names.earlier_names import load_earlier_with as _load_earlier_with
from torchspore.common.names.loading import load as _load_module
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.open_shape import Symbol
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.random import get_seed, set_seed
from torchspore.common.sparse import COOTensor, CSRTensor, RowTensor, SparseTensor
from torchspore.common.tensor import Tensor, from_dlpack, from_numpy, is_tensor, tensor, to_dlpack
from torchspore.context import (
    COMPATIBLE,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    STRICT,
    ParallelMode,
    get_auto_parallel_context,
    get_context,
    get_current_device,
    get_ps_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
    set_context,
    set_device,
    set_ps_context,
)
from torchspore.engine.arguments.mutable import mutable
from torchspore.engine.dynamic import enable_dynamic
from torchspore.engine.gradients.custom import recompute
from torchspore.engine.gradients.differentiate import get_grad, grad, value_and_grad
from torchspore.engine.gradients.transforms import jacfwd, jacrev, jvp, vjp, vmap
from torchspore.engine.inline import lazy_inline, no_inline
from torchspore.engine.jit import jit, jit_class, set_recursion_limit
from torchspore.engine.jit_config import JitConfig
from torchspore.engine.primitive import constexpr
from torchspore.log import get_level, get_log_config
from torchspore.nn.layer.thor_conversion import ConvertNetUtils
from torchspore.nn.saved_tensors import register_saved_tensors_hooks, saved_tensors_hooks
from torchspore.ops import auto_generate as _auto_generate
from torchspore.version import __version__

__all__ = [
    "COMPATIBLE", "GRAPH_MODE", "LAX", "PYNATIVE_MODE", "STRICT", "COOTensor", "CSRTensor",
    "ConvertNetUtils", "DynamicLossScaleManager", "FixedLossScaleManager", "Generator", "JitConfig", "LossScaleManager",
    "ParallelMode", "Parameter", "ParameterTuple", "RowTensor", "SparseTensor", "Symbol", "Tensor", "TensorType",
    "Type", "__version__", "amp", "bfloat16", "bool", "bool_", "build_train_network", "byte", "cdouble", "cfloat",
    "common", "complex64", "complex128", "constexpr", "default_generator", "double", "dtype_to_nptype",
    "dtype_to_pytype", "enable_dynamic", "float", "float8_e4m3fn", "float8_e5m2", "float16", "float32", "float64",
    "float_", "from_dlpack", "from_numpy", "get_auto_parallel_context", "get_context", "get_current_device", "get_grad",
    "get_level", "get_log_config", "get_ps_context", "get_py_obj_dtype", "get_rng_state", "get_seed", "grad", "half",
    "hifloat8", "initial_seed", "int", "int8", "int16", "int32", "int64", "int_", "intc", "intp", "is_tensor", "jacfwd",
    "jacrev", "jit", "jit_class", "jvp", "lazy_inline", "list_", "log", "long", "manual_seed", "mint", "mutable", "nn",
    "no_inline", "number", "ops", "pytype_to_dtype", "qint4x2", "recompute", "register_saved_tensors_hooks",
    "reset_auto_parallel_context", "saved_tensors_hooks", "seed", "set_auto_parallel_context", "set_context",
    "set_device", "set_ps_context", "set_recursion_limit", "set_rng_state", "set_seed", "short", "single", "string",
    "tensor", "tensor_type", "to_dlpack", "tuple_", "type_none", "ubyte", "uint", "uint8", "uint16", "uint32", "uint64",
    "uintc", "uintp", "ushort", "value_and_grad", "vjp", "vmap",
]  # fmt: skip

# Packages that are imported when they are first asked for.
_LAZY = {
    "boost", "communication", "dataset", "device_context", "experimental", "hal", "mindrecord", "mint", "numpy", "onnx",
    "parallel", "profiler", "rewrite", "runtime", "safeguard", "scipy", "train", "utils",
}  # fmt: skip
# The names of other packages that are names of this one, too: all of some packages, and single ones with their modules.
# They are listed here, so that a mistyped name imports nothing.
_PACKAGES = {
    "runtime": {
        "Event", "MemPool", "PluggableAllocator", "Stream", "StreamCtx", "StreamLimitCtx", "communication_stream",
        "current_stream", "default_stream", "dispatch_threads_num", "empty_cache", "get_device_limit",
        "get_stream_limit", "launch_blocking", "max_memory_allocated", "max_memory_reserved", "memory_allocated",
        "memory_replay", "memory_reserved", "memory_stats", "memory_summary", "reset_max_memory_allocated",
        "reset_max_memory_reserved", "reset_peak_memory_stats", "reset_stream_limit", "set_cpu_affinity",
        "set_cur_stream", "set_device_limit", "set_kernel_launch_capture", "set_kernel_launch_group", "set_memory",
        "set_stream_limit", "synchronize", "use_mem_pool",
    },
    "train": {
        "Accuracy", "BackupAndRestore", "BleuScore", "Callback", "CheckpointConfig", "ConfusionMatrix",
        "ConfusionMatrixMetric", "ConvertModelUtils", "CosineSimilarity", "DatasetHelper", "Dice", "EarlyStopping",
        "F1", "Fbeta", "FlopsUtilizationCollector", "HausdorffDistance", "History", "LambdaCallback",
        "LearningRateScheduler", "Loss", "LossMonitor", "MAE", "MSE", "MeanSurfaceDistance", "Metric", "Model",
        "ModelCheckpoint", "OcclusionSensitivity", "OnRequestExit", "Perplexity", "Precision", "ProgressBar", "ROC",
        "Recall", "ReduceLROnPlateau", "ResumeTraining", "RootMeanSquareDistance", "RunContext", "SummaryCollector",
        "SummaryLandscape", "SummaryRecord", "TimeMonitor", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy",
        "TopKCategoricalAccuracy", "TrainFaultTolerance", "async_ckpt_thread_status", "auc",
        "build_searched_strategy", "ckpt_to_safetensors", "connect_network_with_dataset", "data_sink", "export",
        "export_split_mindir", "flops_collection", "get_ckpt_path_with_strategy", "get_metric_fn", "load",
        "load_checkpoint", "load_checkpoint_async", "load_distributed_checkpoint", "load_mindir",
        "load_param_into_net", "load_training_state", "merge_sliced_parameter", "names", "rearrange_inputs",
        "restore_group_info_list", "safetensors_to_ckpt", "save_checkpoint", "save_mindir", "save_training_state",
    },
    "parallel": {
        "Layout", "convert_checkpoint_by_rank", "convert_checkpoints", "get_algo_parameters",
        "load_segmented_checkpoints", "merge_pipeline_strategys", "parameter_broadcast", "rank_list_for_convert",
        "rank_list_for_transform", "reset_algo_parameters", "set_algo_parameters", "set_op_strategy_config", "shard",
        "sync_pipeline_shared_parameters", "transform_checkpoint_by_rank", "transform_checkpoints",
        "unified_safetensors",
    },
    "rewrite": {
        "Node", "NodeType", "ScopedValue", "SymbolTree", "ValueType",
    },
    "safeguard": {
        "load_obf_params_into_net", "obfuscate_ckpt",
    },
}  # fmt: skip
_NAMES = {
    "DeviceCtx": "hal.device",
    "MsDispatchMode": "utils",
    "Profiler": "profiler",
    "QuantDtype": "common.quantization",
    "UntypedStorage": "common.buffers",
    "_Function": "engine.gradients.custom",
    "_no_grad": "engine.gradients.no_grad",
    "frombuffer": "common.buffers",
    "mindio_preload": "utils.mindio",
    "ms_memory_recycle": "hal.memory",
    "run_check": "utils.checking",
    "set_deterministic": "runtime.device_manager",
    "set_dump": "train.dumping",
    "set_mindio_server_info": "utils.mindio",
    "summary": "train.summary_table",  # not of `train`, where MindSpore has a package of that name
    "swap_tensors": "common.buffers",
}

# `from torchspore import *` imports them all, but not private ones, nor data types that would hide Python's.
_LEFT_OUT = {"bool", "float", "int", "_Function", "_no_grad"}
__all__ = [name for name in (*__all__, *sorted(_chain(*_PACKAGES.values(), _NAMES))) if name not in _LEFT_OUT]


def _load(path: str) -> _ModuleType:
    return _load_module(f"torchspore.{path}")


_auto_generate.load_packages_with(_load)
_load_earlier_with(lambda: _load("earlier"))


def _found(name: str) -> _Any:
    if name in _LAZY or name == "as_mindspore":
        return _load(name)
    modules = [_NAMES[name]] if name in _NAMES else [package for package in _PACKAGES if name in _PACKAGES[package]]
    if not modules:
        raise KeyError(name)
    return getattr(_load(modules[0]), name)


_suggest_names(globals(), _found, also=[*_LAZY, *_NAMES, *_chain(*_PACKAGES.values())])
