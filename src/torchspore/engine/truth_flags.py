"""Flags of which MindSpore only reads the truth: programs give 0, 1 or None for them.

Other flags must be bools there, too.
"""

from __future__ import annotations

from typing import Any

__all__ = ["is_read_for_truth"]

# By API: the names of the flags.
_FLAGS = {
    "ASGD": "maximize",
    "Adadelta": "maximize",
    "Adagrad": "maximize",
    "Adam": "amsgrad maximize",
    "AdamW": "amsgrad maximize",
    "Adamax": "maximize",
    "AdaptiveMaxPool3d": "return_indices",
    "FixedLossScaleManager": "drop_overflow_update",
    "GeneratorDataset": "python_multiprocessing",
    "HausdorffDistance": "crop directed",
    "Lstsq": "fast",
    "MaxPool1d": "return_indices",
    "MaxPool2d": "return_indices",
    "MaxPool3d": "return_indices",
    "MultiheadAttention": "add_bias_kv add_zero_attn batch_first",
    "Places365Dataset": "small",
    "PoissonNLLLoss": "full log_input",
    "QMnistDataset": "compat",
    "RMSprop": "centered maximize",
    "Rprop": "maximize",
    "TFRecordDataset": "shard_equal_rows",
    "TenCrop": "use_vertical_flip",
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
    "batch": "python_multiprocessing",
    "combinations": "with_replacement",
    "cov": "bias",
    "digitize": "right",
    "histogram": "density",
    "histogram2d": "density",
    "histogramdd": "density",
    "in1d": "invert",
    "isin": "invert",
    "lu_unpack": "unpack_data unpack_pivots",
    "matrix_norm": "keepdim keepdims",
    "max_pool2d": "return_indices",
    "max_pool3d": "return_indices",
    "min": "keepdims",
    "multinomial": "replacement",
    "norm": "keepdim",
    "unique": "return_inverse",
}

# Those that are checked only when they are set: any value that counts as False is accepted.
_UNSET = {
    "MaxPool3d": "ceil_mode",
    "Upsample": "recompute_scale_factor",
    "interpolate": "recompute_scale_factor",
    "relu": "inplace",
    "stft": "center",
    "upsample": "recompute_scale_factor",
}


def is_read_for_truth(name: str, api: str, value: Any) -> bool:
    """Return whether a flag of an API may be `value`, which is not a bool."""
    api = api.removeprefix("Tensor.")
    return name in _FLAGS.get(api, "").split() or (_UNSET.get(api) == name and _is_false(value))


def _is_false(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float, str, tuple, list)) and not value)
