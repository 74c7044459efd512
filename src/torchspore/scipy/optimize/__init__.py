"""Minimization of functions, line search, and assignment.

The names are from `mindspore.scipy.optimize`. All functions raise a TypeError if an argument has the wrong type,
and a ValueError if it has the wrong shape or none of the documented values. Their documentation lists further errors.
"""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.scipy.optimize.assigning import linear_sum_assignment
from torchspore.scipy.optimize.lagrange import LagrangeResults
from torchspore.scipy.optimize.minimizing import OptimizeResults, minimize
from torchspore.scipy.optimize.searching import LineSearchResults, line_search

__all__ = [
    "LagrangeResults", "LineSearchResults", "OptimizeResults", "line_search", "linear_sum_assignment", "minimize",
]  # fmt: skip

_suggest_names(globals())
