"""Scatter operations that write their result into their first argument, such as `scatter_add(w, indices, updates)`.

The results are the same as from the operations of `torchspore.ops.array.scattering`.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.scopes.scope import replace_value
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import op
from torchspore.engine.parameters import take_as
from torchspore.engine.primitive import primitive
from torchspore.ops.array.assignment import keeps_dtype
from torchspore.ops.array.overloads import documented
from torchspore.ops.array.scattering import (
    check_updates,
    quotients,
    tensor_scatter_add,
    tensor_scatter_div,
    tensor_scatter_max,
    tensor_scatter_min,
    tensor_scatter_mul,
    tensor_scatter_sub,
    tensor_scatter_update,
)

__all__ = [
    "ScatterAdd", "ScatterDiv", "ScatterMax", "ScatterMin", "ScatterMul", "ScatterNdAdd", "ScatterNdDiv",
    "ScatterNdMax", "ScatterNdMin", "ScatterNdMul", "ScatterNdSub", "ScatterNdUpdate", "ScatterSub", "ScatterUpdate",
    "scatter_add", "scatter_div", "scatter_max", "scatter_min", "scatter_mul", "scatter_nd_add", "scatter_nd_div",
    "scatter_nd_max", "scatter_nd_min", "scatter_nd_mul", "scatter_nd_sub", "scatter_nd_update", "scatter_update",
]  # fmt: skip

_SENTENCES = {
    "update": "Replace slices of",
    "add": "Add to slices of",
    "sub": "Subtract from slices of",
    "mul": "Multiply slices of",
    "div": "Divide slices of",
    "max": "Take the maximum of the updates and slices of",
    "min": "Take the minimum of the updates and slices of",
}
_DOC = """{sentence}.

Args:
    input_x: a Parameter or Tensor, which gets the new value.
    indices: {indices}.
    updates: a Tensor of shape `{shape}`.
{locking}
Returns:
    A Tensor of the new value.
"""


def _converted(updates: Tensor, input_x: Tensor) -> Tensor:
    if not keeps_dtype(updates.dtype, input_x.dtype):
        raise TypeError(
            f"'updates' of dtype {FROM_TORCH[updates.dtype]} cannot become {FROM_TORCH[input_x.dtype]}, the dtype of "
            "'input_x', without loss; convert them: updates.astype(...)"
        )
    return updates.to(input_x.dtype)


def _write_rows(how: str, function: Any) -> Any:
    """Make the operation that writes the slices of dimension 0 at `indices`."""
    name = f"scatter_{how}"

    def body(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        positions = indices.unsqueeze(-1)
        check_updates(name, positions, updates, input_x.shape)
        return function.body(input_x, positions, _converted(updates, input_x))

    compute = op(body, name=name)

    def write(input_x: _Tensor, indices: _Tensor, updates: _Tensor) -> _Tensor:
        result = compute(input_x, indices, updates)
        replace_value(input_x, result._t)
        return result

    doc = _DOC.format(
        sentence=f"{_SENTENCES[how]} a parameter along dimension 0",
        indices="a Tensor of ints, of any shape",
        shape="indices.shape + input_x.shape[1:]",
        locking="",
    )
    return documented(write, name, doc)


def _write_slices(how: str, function: Any, use_locking: bool) -> Any:
    """Make the operation that writes the elements or slices at the indices in the last dimension of `indices`."""
    name = f"scatter_nd_{how}"

    def body(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        check_updates(name, indices, updates, input_x.shape)
        return function.body(input_x, indices, _converted(updates, input_x))

    compute = op(body, name=name)

    def write(input_x: _Tensor, indices: _Tensor, updates: _Tensor, use_locking: bool = use_locking) -> _Tensor:
        take_as(bool, use_locking, "use_locking", name)
        result = compute(input_x, indices, updates)
        replace_value(input_x, result._t)
        return result

    doc = _DOC.format(
        sentence=f"{_SENTENCES[how]} a parameter",
        indices="a Tensor of ints; its last dimension holds the indices of an element or slice",
        shape="indices.shape[:-1] + input_x.shape[indices.shape[-1]:]",
        locking=f"    use_locking: of no effect: no update is lost in either case. Default: {use_locking}.\n",
    )
    return documented(write, name, doc)


scatter_update = _write_rows("update", tensor_scatter_update)
scatter_add = _write_rows("add", tensor_scatter_add)
scatter_mul = _write_rows("mul", tensor_scatter_mul)
scatter_div = _write_rows("div", tensor_scatter_div)
scatter_max = _write_rows("max", tensor_scatter_max)
scatter_min = _write_rows("min", tensor_scatter_min)
_scatter_sub = _write_rows("sub", tensor_scatter_sub)

scatter_nd_update = _write_slices("update", tensor_scatter_update, True)
scatter_nd_add = _write_slices("add", tensor_scatter_add, False)
scatter_nd_sub = _write_slices("sub", tensor_scatter_sub, False)
scatter_nd_mul = _write_slices("mul", tensor_scatter_mul, False)
scatter_nd_div = _write_slices("div", op(quotients), False)
scatter_nd_max = _write_slices("max", tensor_scatter_max, False)
scatter_nd_min = _write_slices("min", tensor_scatter_min, False)


def _row_primitive(name: str, function: Any, default: bool = False) -> Any:
    """Make the primitive of an operation on rows; its constructor takes `use_locking`, which has no effect."""

    def call(input_x: _Tensor, indices: _Tensor, updates: _Tensor, use_locking: bool = default) -> _Tensor:
        take_as(bool, use_locking, "use_locking", name)
        return function(input_x, indices, updates)

    return primitive(name, documented(call, function.__name__), use_locking=default)


ScatterUpdate = _row_primitive("ScatterUpdate", scatter_update, True)
ScatterAdd = _row_primitive("ScatterAdd", scatter_add)
ScatterSub = _row_primitive("ScatterSub", _scatter_sub)
ScatterMul = _row_primitive("ScatterMul", scatter_mul)
ScatterDiv = _row_primitive("ScatterDiv", scatter_div)
ScatterMax = _row_primitive("ScatterMax", scatter_max)
ScatterMin = _row_primitive("ScatterMin", scatter_min)
ScatterNdUpdate = primitive("ScatterNdUpdate", scatter_nd_update, use_locking=True)
ScatterNdAdd = primitive("ScatterNdAdd", scatter_nd_add, use_locking=False)
ScatterNdSub = primitive("ScatterNdSub", scatter_nd_sub, use_locking=False)
ScatterNdMul = primitive("ScatterNdMul", scatter_nd_mul, use_locking=False)
ScatterNdDiv = primitive("ScatterNdDiv", scatter_nd_div, use_locking=False)
ScatterNdMax = primitive("ScatterNdMax", scatter_nd_max, use_locking=False)
ScatterNdMin = primitive("ScatterNdMin", scatter_nd_min, use_locking=False)
rules.cut_by(rules.scattered(by_tuples=False, whole_rows=True), ScatterUpdate, ScatterMax, ScatterMin)
rules.cut_by(rules.scattered(by_tuples=False, whole_rows=False), ScatterAdd, ScatterSub, ScatterMul, ScatterDiv)
rules.cut_by(rules.scattered(by_tuples=True, whole_rows=True), ScatterNdUpdate)
rules.cut_by(rules.scattered(by_tuples=True, whole_rows=False), ScatterNdAdd, ScatterNdSub)
