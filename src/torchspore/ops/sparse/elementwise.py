"""Functions of single elements on sparse tensors: each works on the stored values.

MindSpore names them by the kind of tensor: `coo_exp(x)` and `csr_exp(x)` are `ops.exp` of the values. What a function
would make of the zeros that are not stored (`exp(0)` is 1) does not count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore.common.sparse import COOTensor, CSRTensor
from torchspore.common.sparse_base import Sparse
from torchspore.engine.errors import describe
from torchspore.ops.math import arithmetic, elementwise
from torchspore.ops.neural import activation

__all__ = [
    "coo_abs", "coo_acos", "coo_acosh", "coo_asin", "coo_asinh", "coo_atan", "coo_atanh", "coo_ceil", "coo_cos",
    "coo_cosh", "coo_exp", "coo_expm1", "coo_floor", "coo_inv", "coo_isfinite", "coo_isinf", "coo_isnan", "coo_log",
    "coo_log1p", "coo_neg", "coo_relu", "coo_relu6", "coo_round", "coo_sigmoid", "coo_sin", "coo_sinh", "coo_softsign",
    "coo_sqrt", "coo_square", "coo_tan", "coo_tanh", "csr_abs", "csr_acos", "csr_acosh", "csr_asin", "csr_asinh",
    "csr_atan", "csr_atanh", "csr_ceil", "csr_cos", "csr_cosh", "csr_exp", "csr_expm1", "csr_floor", "csr_inv",
    "csr_isfinite", "csr_isinf", "csr_isnan", "csr_log", "csr_log1p", "csr_neg", "csr_relu", "csr_relu6", "csr_round",
    "csr_sigmoid", "csr_sin", "csr_sinh", "csr_softsign", "csr_sqrt", "csr_square", "csr_tan", "csr_tanh",
]  # fmt: skip


def _for(kind: type[Sparse], prefix: str, function: Callable[..., Any]) -> Any:
    """Make the form for one kind of sparse tensor of an operation on tensors."""
    name = f"{prefix}_{function.__name__}"

    def apply(x: Any) -> Any:
        if not isinstance(x, kind):
            raise TypeError(f"For '{name}', 'x' must be a {kind.__name__}, but got {describe(x)}.")
        return x.with_values(function(x.values))

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = (
        f"`{function.__name__}` of the values of a {kind.__name__}.\n\nArgs:\n    x: a {kind.__name__}.\n\n"
        f"Returns:\n    A {kind.__name__} with the same indices.\n\n"
        f"Raises:\n    TypeError: `x` is no {kind.__name__}, or of a dtype without `{function.__name__}`.\n\n"
        f"MindSpore: `mindspore.ops.{name}`.\n"
    )
    return apply


def _both(function: Callable[..., Any]) -> tuple[Any, Any]:
    return _for(COOTensor, "coo", function), _for(CSRTensor, "csr", function)


coo_abs, csr_abs = _both(elementwise.abs)
coo_acos, csr_acos = _both(elementwise.acos)
coo_acosh, csr_acosh = _both(elementwise.acosh)
coo_asin, csr_asin = _both(elementwise.asin)
coo_asinh, csr_asinh = _both(elementwise.asinh)
coo_atan, csr_atan = _both(elementwise.atan)
coo_atanh, csr_atanh = _both(elementwise.atanh)
coo_ceil, csr_ceil = _both(elementwise.ceil)
coo_cos, csr_cos = _both(elementwise.cos)
coo_cosh, csr_cosh = _both(elementwise.cosh)
coo_exp, csr_exp = _both(elementwise.exp)
coo_expm1, csr_expm1 = _both(elementwise.expm1)
coo_floor, csr_floor = _both(elementwise.floor)
coo_inv, csr_inv = _both(arithmetic.inv)
coo_isfinite, csr_isfinite = _both(elementwise.isfinite)
coo_isinf, csr_isinf = _both(elementwise.isinf)
coo_isnan, csr_isnan = _both(elementwise.isnan)
coo_log, csr_log = _both(elementwise.log)
coo_log1p, csr_log1p = _both(elementwise.log1p)
coo_neg, csr_neg = _both(elementwise.neg)
coo_relu, csr_relu = _both(activation.relu)
coo_relu6, csr_relu6 = _both(activation.relu6)
coo_round, csr_round = _both(elementwise.round)
coo_sigmoid, csr_sigmoid = _both(activation.sigmoid)
coo_sin, csr_sin = _both(elementwise.sin)
coo_sinh, csr_sinh = _both(elementwise.sinh)
coo_softsign, csr_softsign = _both(activation.softsign)
coo_sqrt, csr_sqrt = _both(elementwise.sqrt)
coo_square, csr_square = _both(elementwise.square)
coo_tan, csr_tan = _both(elementwise.tan)
coo_tanh, csr_tanh = _both(activation.tanh)
