"""NumPy's type of bfloat16, which the package ml_dtypes has.

MindSpore: `mindspore.common.np_dtype`.
"""

from __future__ import annotations

__all__ = ["bfloat16", "np_dtype_valid"]

try:
    from ml_dtypes import bfloat16
except ImportError:  # numbers of bfloat16 are float32 in NumPy
    bfloat16 = None


def np_dtype_valid(is_bfloat16: bool) -> bool:
    """Return whether NumPy has the type here."""
    return bfloat16 is not None
