"""Flags of which MindSpore only reads the truth: programs give 0, 1 or None for them.

Other flags must be bools there, too.
"""

from __future__ import annotations

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
    "MaxPool1d": "return_indices",
    "MaxPool2d": "return_indices",
    "MaxPool3d": "return_indices",
    "MultiheadAttention": "add_bias_kv add_zero_attn batch_first",
    "PoissonNLLLoss": "full log_input",
    "RMSprop": "centered maximize",
    "Rprop": "maximize",
    "TrainOneStepCell": "return_grad",
    "Transformer": "batch_first norm_first",
    "TransformerDecoderLayer": "batch_first norm_first",
    "TransformerEncoderLayer": "batch_first norm_first",
    "adaptive_max_pool3d": "return_indices",
    "argmin_with_value": "keep_dims",
    "array": "copy",
    "average": "returned",
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
    "multinomial": "replacement",
}


def is_read_for_truth(name: str, api: str) -> bool:
    """Return whether a flag of an API may be any value."""
    return name in _FLAGS.get(api, "").split()
