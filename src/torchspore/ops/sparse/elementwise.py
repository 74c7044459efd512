"""Elementwise functions of sparse tensors: they apply to the stored values only.

`coo_exp(x)` and `csr_exp(x)` are `ops.exp` of the values; zeros that are not stored stay zeros, though exp(0) is 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore.common.sparse import COOTensor, CSRTensor
from torchspore.common.sparse_base import Sparse
from torchspore.engine.failures.errors import describe
from torchspore.ops.array.overloads import documented
from torchspore.ops.math import arithmetic, elementwise
from torchspore.ops.neural import activation


def _for(kind: type[Sparse], prefix: str, function: Callable[..., Any]) -> Any:
    """Make the form of an operation for a kind of sparse tensor."""
    name = f"{prefix}_{function.__name__}"

    def apply(x: Any) -> Any:
        if not isinstance(x, kind):
            raise TypeError(f"For '{name}', 'x' must be a {kind.__name__}, but got {describe(x)}.")
        return x.with_values(function(x.values))

    doc = f"`{function.__name__}` of the values of a {kind.__name__}."
    return documented(apply, name, doc)


_OPERATIONS = (
    elementwise.abs, elementwise.acos, elementwise.acosh, elementwise.asin, elementwise.asinh, elementwise.atan,
    elementwise.atanh, elementwise.ceil, elementwise.cos, elementwise.cosh, elementwise.exp, elementwise.expm1,
    elementwise.floor, arithmetic.inv, elementwise.isfinite, elementwise.isinf, elementwise.isnan, elementwise.log,
    elementwise.log1p, elementwise.neg, activation.relu, activation.relu6, elementwise.round, activation.sigmoid,
    elementwise.sin, elementwise.sinh, activation.softsign, elementwise.sqrt, elementwise.square, elementwise.tan,
    activation.tanh,
)  # fmt: skip
_FUNCTIONS = {
    f"{prefix}_{function.__name__}": _for(kind, prefix, function)
    for prefix, kind in (("coo", COOTensor), ("csr", CSRTensor))
    for function in _OPERATIONS
}
globals().update(_FUNCTIONS)
__all__ = [*_FUNCTIONS]
