"""Names that NumPy had in the years of earlier versions, for programs that declare one of them."""

from __future__ import annotations

import builtins

import numpy as np

__all__ = ["add_earlier_names"]

_BUILTINS = "bool complex float int object str"
_RENAMED = {
    "Inf": "inf", "Infinity": "inf", "NaN": "nan", "PINF": "inf", "alltrue": "all",
    "complex_": "complex128", "cumproduct": "cumprod", "float_": "float64", "in1d": "isin", "infty": "inf",
    "product": "prod", "row_stack": "vstack", "sometrue": "any", "string_": "bytes_", "trapz": "trapezoid",
    "unicode_": "str_",
}  # fmt: skip


def add_earlier_names() -> None:
    """Add to NumPy the names that it had until 1.23 or 1.26, and no longer has."""
    values = {name: getattr(builtins, name) for name in _BUILTINS.split()}
    values |= {name: getattr(np, today) for name, today in _RENAMED.items() if hasattr(np, today)}
    for name, value in values.items():
        vars(np).setdefault(name, value)
