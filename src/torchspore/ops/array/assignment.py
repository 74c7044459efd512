"""Assignment, and in-place methods of tensors.

Inside a differentiated function a write gives the tensor a new value for the rest of the function; the storage is
written when the outermost scope ends without an error (`common/scopes/scope.py`), so values saved for the backward
pass are never overwritten. In-place methods are differentiated. An assigned value is a constant: the gradient of
the variable flows to its value before, so a parameter stays a leaf.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import torch

from torchspore.common.conversion import saturated
from torchspore.common.dtype import FROM_TORCH
from torchspore.common.error_classes import also
from torchspore.common.lowered import own_type
from torchspore.common.private_torch import get_unwrapped, is_batchedtensor, is_functorch_wrapped_tensor
from torchspore.common.private_torch.error_texts import BOOLS_OR_NUMBERS_IN_PLACE, says
from torchspore.common.scopes.scope import scope, writable
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments.conversions import NUMBERS
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.failures.errors import describe, explain, of_value
from torchspore.engine.op import attach
from torchspore.engine.primitive import Primitive, primitive
from torchspore.engine.widening import widened
from torchspore.ops.array.division import quotient, remainder, scaled_difference
from torchspore.ops.array.overloads import documented, renaming_method

__all__ = ["Assign", "AssignAdd", "AssignSub", "Depend", "assign", "assign_add", "assign_sub", "depend"]

_DTYPES = {bool: torch.bool, int: torch.int64, float: torch.float32, complex: torch.complex64}
_WIDE = (torch.uint16, torch.uint32, torch.uint64)  # torch promotes these only with floats


def keeps_dtype(dtype: torch.dtype, target: torch.dtype) -> bool:
    """Return whether values of `dtype` may be written into a variable of `target`: the sum of both has its dtype."""
    if dtype is target or dtype is torch.bool:
        return True
    return dtype not in _WIDE and target not in _WIDE and torch.promote_types(dtype, target) is target


_ONE_ELEMENT = {torch.Size(), torch.Size([1])}


def _incoming(variable: Any, value: Any, api: str, *, one_element: bool = False) -> torch.Tensor:
    """Return `value` in the dtype of `variable`, or raise an error before anything is written.

    Args:
        variable: what is written.
        value: a tensor or a number.
        api: the name for errors.
        one_element: whether the shapes (1,) and () count as the same.
    """
    if not isinstance(variable, Tensor):
        raise TypeError(f"For '{api}', 'variable' must be a Parameter or a Tensor, but got {describe(variable)}.")
    target = variable._t
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (Tensor, torch.Tensor)):
        given = value._t if isinstance(value, Tensor) else value
        shape, dtype = given.shape, given.dtype
        fits = keeps_dtype(dtype, target.dtype)
    elif value.__class__ in NUMBERS:
        shape, dtype = torch.Size(), _DTYPES[value.__class__]
        fits = torch.can_cast(dtype, target.dtype)
    else:
        raise TypeError(f"For '{api}', 'value' must be a Tensor or a number, but got {describe(value)}.")
    if shape != target.shape and not (one_element and {shape, target.shape} == _ONE_ELEMENT):
        raise also(ValueError, TypeError, RuntimeError)(
            f"For '{api}', 'value' must have the shape of 'variable', {tuple(target.shape)}, but got {tuple(shape)}."
        )
    if not fits:
        raise TypeError(
            f"For '{api}', 'value' of dtype {FROM_TORCH[dtype]} cannot become {FROM_TORCH[target.dtype]}, the dtype "
            "of 'variable', without loss. Convert it: value.astype(...)."
        )
    if value.__class__ not in NUMBERS:
        given = given if shape == target.shape else given.reshape(target.shape)
        return given if dtype is target.dtype else given.to(target.dtype)
    return torch.full(target.shape, value, dtype=target.dtype, device=target.device)


def assign(variable: Tensor, value: Any) -> Tensor:
    """Assign a new value to a variable.

    Args:
        variable: a Parameter, or a Tensor, of any shape.
        value: a Tensor of the same shape, or a number for a scalar variable, of a dtype that converts to the variable's
            without loss, such as an integer to a float.

    Returns:
        A Tensor of the new value, which later assignments do not change.

    Raises:
        TypeError: the dtype of `value` does not convert.

    Examples:
        >>> import torchspore as ms
        >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
        >>> print(ms.ops.assign(w, ms.Tensor([3.0, 4.0])))
        [3. 4.]
        >>> print(w.asnumpy())
        [3. 4.]
    """
    with own_type(variable) as low:
        result = _incoming(variable, value, "assign")
        _set(variable, result, "assign")
        if scope.depth:
            result = variable._t if hasattr(variable, "_storage") else variable._t.clone()
    return wrap(result if low is None else result.to(low))


def _set(tensor: Tensor, value: torch.Tensor, api: str) -> None:
    if scope.depth == 0:
        tensor._t.copy_(value.detach() if value.requires_grad else value)
        return
    if _varies(value) and not _varies(tensor._t):
        raise _outside_vmap(api)
    with torch.no_grad():
        writable(tensor).copy_(value)


def _outside_vmap(api: str) -> ValueError:
    return ValueError(
        f"For '{api}', a tensor from outside the function under 'vmap' cannot take a value per sample. "
        "Return the value from the function instead."
    )


def _varies(value: torch.Tensor) -> bool:
    """Return whether a value varies over the samples of an active `vmap`."""
    while is_functorch_wrapped_tensor(value):
        if is_batchedtensor(value):
            return True
        value = get_unwrapped(value)
    return False


def _accumulate(variable: Tensor, value: Any, operation: Callable[[Any, Any], torch.Tensor], api: str) -> Tensor:
    with own_type(variable) as low:
        given = _incoming(variable, value, api, one_element=True)
        try:
            result = operation(variable._t, given)
        except RuntimeError as error:
            result = widened(error, operation, (variable._t, given), {})
            if result is error:
                raise explain(error, api, {"variable": variable, "value": value}) from None
        _set(variable, result, api)
    return wrap(result if low is None else result.to(low))


def assign_add(variable: Tensor, value: Any) -> Tensor:
    """Add `value` to `variable`; arguments, result and errors as for `assign`.

    Examples:
        >>> import torchspore as ms
        >>> step = ms.Parameter(ms.Tensor(0, ms.int32), name="step")
        >>> print(ms.ops.assign_add(step, 1))
        1
    """
    return _accumulate(variable, value, operator.add, "assign_add")


def assign_sub(variable: Tensor, value: Any) -> Tensor:
    """Subtract `value` from `variable`; arguments, result and errors as for `assign`."""
    return _accumulate(variable, value, operator.sub, "assign_sub")


Assign = primitive("Assign", assign)
AssignAdd = primitive("AssignAdd", assign_add)
AssignSub = primitive("AssignSub", assign_sub)


class Depend(Primitive):
    """Return the first input after the second is computed; here operations always run in program order.

    Examples:
        >>> import torchspore as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> print(ms.ops.depend(ms.Tensor([5.0]), ms.ops.assign_add(w, ms.Tensor([1.0]))))
        [5.]
    """

    def __call__(self, value: Any, expr: Any) -> Any:
        return value


depend = Depend()


def update(tensor: Tensor, api: str, *operands: Any, **options: Any) -> Tensor:
    """Apply torch's in-place method `api` to the value of `tensor`, and return the tensor; of a Parameter its value."""
    return _update(tensor, api, operands, options)


def _update(
    tensor: Tensor,
    api: str,
    operands: tuple[Any, ...],
    options: dict[str, Any],
    anew: Callable[..., torch.Tensor] | None = None,
    method: str | None = None,
) -> Tensor:
    """Do what `update` does, by torch's `method`; `anew` computes what arithmetic does not compute in place."""
    given = [getattr(operand, "_t", operand) for operand in operands]  # before the write, if `tensor` is one of them
    try:
        value = writable(tensor)
    except AttributeError:
        if isinstance(tensor, Tensor):
            raise
        raise TypeError(f"For '{api}', 'input' must be a Tensor, but got {describe(tensor)}.") from None
    try:
        getattr(value, method or api)(*given, **options)
    except Exception as error:
        if not _varies(value) and any(isinstance(operand, torch.Tensor) and _varies(operand) for operand in given):
            raise _outside_vmap(api) from None
        result: Any = error
        if anew is not None and says(error, BOOLS_OR_NUMBERS_IN_PLACE):
            with suppress(RuntimeError):
                result = anew(value, *given, **options)
        else:  # not all methods have a form that is not in place
            body = anew or getattr(torch.Tensor, api.removesuffix("_"), None) or _on_a_copy(api)
            result = widened(error, body, (value.clone(), *given), options)
        if anew is not None and result is not error and not torch.can_cast(result.dtype, value.dtype):
            return _not_in_place(result, value, api)
        if result is error:
            named = {"self": tensor, **{f"argument {i}": operand for i, operand in enumerate(operands, 1)}, **options}
            raise explain(error, api, named) from None
        value.copy_(result)
    return tensor if tensor.__class__ is Tensor else wrap(tensor._t)


def _on_a_copy(api: str) -> Callable[..., torch.Tensor]:
    return lambda value, *given, **options: getattr(value.clone(), api)(*given, **options)


def _not_in_place(result: torch.Tensor, value: torch.Tensor, api: str) -> Tensor:
    warnings.warn(
        f"For '{api}', the result is of {FROM_TORCH[result.dtype]}, which a tensor of {FROM_TORCH[value.dtype]} cannot "
        "hold. It is a new tensor, and the old one keeps its values, as in MindSpore.",
        stacklevel=4,
    )
    return wrap(result)


def _unary(api: str, summary: str) -> None:
    def method(self: Tensor) -> Tensor:
        return update(self, api)

    attach(documented(method, api, f"{summary}, in place; return the tensor."), api)


_unary("zero_", "Set all elements to 0")
_unary("exp_", "Replace the elements by their exponential")
_unary("log_", "Replace the elements by their natural logarithm")
_unary("floor_", "Round the elements down")
_unary("sign_", "Replace the elements by their sign")
_unary("sigmoid_", "Replace the elements by their sigmoid")
_unary("tanh_", "Replace the elements by their hyperbolic tangent")
_unary("erfinv_", "Replace the elements by the inverse of the error function")


def _add_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Add `alpha * other`, a Tensor or a number, in place; return the tensor.

    A result that does not convert to the tensor's dtype (a float to an integer) is a new tensor, with a warning.
    """
    return _update(self, "add_", (other,), {"alpha": alpha}, torch.Tensor.add)


def _sub_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Subtract `alpha * other`, a Tensor or a number, in place; return the tensor. Results as for `add_`."""
    return _update(self, "sub_", (other,), {"alpha": alpha}, scaled_difference)


def _mul_(self: Tensor, other: Any) -> Tensor:
    """Multiply by `other`, a Tensor or a number, in place; return the tensor. Results as for `add_`."""
    return _update(self, "mul_", (other,), {}, torch.Tensor.mul)


def _div_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Divide by `other`, a Tensor or a number, in place; return the tensor. Results as for `add_`.

    Args:
        other: the divisor.
        rounding_mode: None (exact), "floor" or "trunc". Default: None.
    """
    if rounding_mode not in (None, "floor", "trunc"):
        raise of_value(rounding_mode, str)(
            f"For 'div_', 'rounding_mode' must be None, 'floor' or 'trunc', but got {rounding_mode!r}."
        )
    return _update(self, "div_", (other,), {"rounding_mode": rounding_mode}, quotient)


def _remainder_(self: Tensor, other: Any) -> Tensor:
    """Replace the elements by the remainder of the floor division by `other`, in place; return the tensor."""
    return _update(self, "remainder_", (other,), {}, remainder)


def _floor_divide_(self: Tensor, other: Any) -> Tensor:
    """Divide by `other` and round down, in place; return the tensor."""
    # torch's own has no derivative
    return _update(self, "floor_divide_", (other,), {"rounding_mode": "floor"}, quotient, "div_")


def _fill_(self: Tensor, value: Any) -> Tensor:
    """Set all elements to a number or the value of a scalar Tensor; return the tensor."""
    return update(self, "fill_", value)


def _fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Set the elements of the main diagonal to a number; return the tensor.

    Args:
        fill_value: the number.
        wrap: whether to repeat the diagonal in tall matrices, one row further down. Default: False.
    """
    return update(self, "fill_diagonal_", fill_value, wrap)


def _copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Copy the values of `src`, broadcast and converted to the tensor's dtype; return the tensor.

    Args:
        src: a Tensor.
        non_blocking: whether to copy asynchronously from another device. Default: False.
    """
    if isinstance(src, torch.Tensor):
        src = wrap(src)
    if not isinstance(src, Tensor):
        raise TypeError(f"For 'copy_', 'src' must be a Tensor, but got {describe(src)}.")
    return update(self, "copy_", src, non_blocking)


def _clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Clamp the elements to [`min`, `max`], in place; return the tensor.

    Args:
        min, max: numbers, Tensors that can be broadcast, or None. Default: None.

    Raises:
        TypeError: the bounds do not convert to the tensor's dtype (floats for an integer tensor).
        ValueError: both bounds are None.
    """
    bounds = [getattr(bound, "_t", bound) for bound in (min, max)]
    if bounds == [None, None]:
        raise ValueError("For 'clamp_', 'min' and 'max' are both None. Give at least one bound.")
    if any(isinstance(bound, torch.Tensor) for bound in bounds):  # torch takes two tensors, or two numbers
        bounds = [bound if bound is None else torch.as_tensor(bound, device=self._t.device) for bound in bounds]
    bounds = [saturated(bound, self._t.dtype) if bound.__class__ is int else bound for bound in bounds]
    return update(self, "clamp_", *bounds)


def _addmm_(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Replace the matrix by `beta * self + alpha * (mat1 @ mat2)`; return the tensor."""
    return update(self, "addmm_", mat1, mat2, beta=beta, alpha=alpha)


for _method in (
    _add_, _mul_, _div_, _remainder_, _floor_divide_, _fill_, _fill_diagonal_, _copy_, _clamp_, _addmm_,
):  # fmt: skip
    attach(_method, _method.__name__[1:])
renaming_method("sub_", documented(_sub_, "sub_"), y="other")
rules.cut_by(rules.aligned, Assign, AssignAdd, AssignSub)
