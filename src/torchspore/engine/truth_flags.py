"""Flags of which MindSpore only reads the truth: programs give 0, 1 or None for them.

Other flags must be bools there, too.
"""

from __future__ import annotations

from typing import Any

__all__ = ["is_read_for_truth"]

# By API: the names of the flags.
_FLAGS = {
    "ASGD": "maximize",
    "AdaFactor": "warmup_init",
    "Adadelta": "maximize",
    "Adagrad": "maximize",
    "Adam": "amsgrad maximize",
    "AdamW": "amsgrad maximize",
    "Adamax": "maximize",
    "AdaptiveMaxPool3d": "return_indices",
    "Cell.recompute": "early_stop recompute_slice_activation use_reentrant",
    "DistributedGradReducer": "mean",
    "FixedLossScaleManager": "drop_overflow_update",
    "ForiLoop": "unroll",
    "HyperMap": "reverse",
    "IndexAdd": "check_index_bound use_lock",
    "JitConfig": "fullgraph",
    "Lstsq": "fast",
    "Map": "reverse",
    "MaxPool1d": "return_indices",
    "MaxPool2d": "return_indices",
    "MaxPool3d": "return_indices",
    "MultiheadAttention": "add_bias_kv add_zero_attn batch_first",
    "MultitypeFuncGraph": "read_value",
    "PoissonNLLLoss": "full log_input",
    "RMSprop": "centered maximize",
    "Rprop": "maximize",
    "TrainOneStepCell": "return_grad",
    "Transformer": "batch_first norm_first",
    "TransformerDecoderLayer": "batch_first norm_first",
    "TransformerEncoderLayer": "batch_first norm_first",
    "adaptive_max_pool3d": "return_indices",
    "argmin": "keepdims",
    "argmin_with_value": "keep_dims",
    "array": "copy",
    "astype": "copy",
    "average": "returned",
    "combinations": "with_replacement",
    "cov": "bias",
    "digitize": "right",
    "export": "incremental",
    "histogram": "density",
    "histogram2d": "density",
    "histogramdd": "density",
    "in1d": "invert",
    "index_add": "check_index_bound use_lock",
    "isin": "invert",
    "load_checkpoint": "strict_load",
    "lu_unpack": "unpack_data unpack_pivots",
    "matrix_norm": "keepdim keepdims",
    "max_pool2d": "return_indices",
    "max_pool3d": "return_indices",
    "min": "keepdims",
    "multinomial": "replacement",
    "norm": "keepdim",
    "solve_triangular": "check_finite debug overwrite_b",
    "unique": "return_inverse",
}

# Those that may be None.
_NONE = {"HausdorffDistance": "crop directed"}

# Those that are checked only when they are set: any value that counts as False is accepted.
_UNSET = {
    "AvgPool1d": "ceil_mode",
    "AvgPool2d": "ceil_mode",
    "Cell.recompute": "mp_comm_recompute parallel_optimizer_comm_recompute",
    "GeneratorDataset": "python_multiprocessing",
    "MaxPool1d": "ceil_mode",
    "MaxPool2d": "ceil_mode",
    "MaxPool3d": "ceil_mode",
    "Places365Dataset": "small",
    "QMnistDataset": "compat",
    "TFRecordDataset": "shard_equal_rows",
    "TenCrop": "use_vertical_flip",
    "Upsample": "recompute_scale_factor",
    "batch": "python_multiprocessing",
    "interpolate": "recompute_scale_factor",
    "relu": "inplace",
    "set_algo_parameters": "elementwise_op_strategy_follow fully_use_devices",
    "set_auto_parallel_context": "full_batch gradient_fp32_sync gradients_mean parameter_broadcast",
    "set_context": "disable_format_transform enable_reduce_precision",
    "set_ps_context": "enable_ps",
    "stft": "center",
    "upsample": "recompute_scale_factor",
}


def is_read_for_truth(name: str, api: str, value: Any) -> bool:
    """Return whether a flag of an API may be `value`, which is not a bool."""
    api = api.removeprefix("Tensor.")
    if value is None and name in _NONE.get(api, "").split():
        return True
    return name in _FLAGS.get(api, "").split() or (name in _UNSET.get(api, "").split() and _is_false(value))


def _is_false(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float, str, tuple, list)) and not value)
