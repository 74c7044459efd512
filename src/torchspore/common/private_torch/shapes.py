"""Symbolic sizes, which torch.export creates only for its own kinds of arguments. It loads sympy. (All 2.11.)"""

from __future__ import annotations

# ShapeEnv holds the symbols of one trace; a StatelessSymbolicContext says which dimensions vary, by DimDynamic;
# SYMPY_INTERP has the functions that the text of a condition on the symbols calls.
from torch.fx.experimental.symbolic_shapes import SYMPY_INTERP, DimDynamic, ShapeEnv, StatelessSymbolicContext

# Computes an expression of symbols with Python's operators: on proxies, so that the graph computes it.
from torch.utils._sympy.interp import sympy_interp
from torch.utils._sympy.reference import PythonReferenceAnalysis

__all__ = [
    "SYMPY_INTERP", "DimDynamic", "PythonReferenceAnalysis", "ShapeEnv", "StatelessSymbolicContext", "sympy_interp",
]  # fmt: skip
