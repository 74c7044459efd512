"""Names that MindSpore's compiler gives to Python's operators and to operations, and that programs use now and then."""

from __future__ import annotations

import math
import operator
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.engine.errors import describe
from torchspore.engine.primitive import primitive
from torchspore.engine.tree import map_tensors
from torchspore.ops import arithmetic, creation, elementwise, facts, linear_algebra, reshaping, slicing
from torchspore.ops.composite import HyperMap

__all__ = [
    "ScalarCast", "ScalarToArray", "_ones_like_for_grad", "add_flags", "augassign_add", "augassign_div",
    "augassign_floordiv", "augassign_mod", "augassign_mul", "augassign_sub", "baddbmm_ext", "bool_and", "bool_eq",
    "bool_not", "bool_or", "dict_getitem", "dict_setitem", "einsum_ext", "float_power_ext", "floordiv", "floormod",
    "hyper_add", "in_dict", "is_", "is_not", "list_equal", "list_getitem", "list_len", "list_setitem", "make_dict",
    "make_list", "make_range", "make_slice", "make_tuple", "mixed_precision_cast", "move_to", "not_in_dict", "pows",
    "reduced_shape", "reshape_", "scalar_add", "scalar_cast", "scalar_div", "scalar_eq", "scalar_floordiv",
    "scalar_ge", "scalar_gt", "scalar_le", "scalar_log", "scalar_lt", "scalar_max", "scalar_min", "scalar_mod",
    "scalar_mul", "scalar_ne", "scalar_pow", "scalar_sub", "scalar_to_array", "scalar_uadd", "scalar_usub",
    "shape_", "shape_mul", "string_concat", "string_eq", "tensor_add", "tensor_div", "tensor_exp", "tensor_expm1",
    "tensor_floordiv", "tensor_ge", "tensor_gt", "tensor_le", "tensor_lt", "tensor_mod", "tensor_mul",
    "tensor_muls", "tensor_pow", "tensor_range", "tensor_slice", "tensor_sub", "tuple_equal", "tuple_getitem",
    "tuple_len", "tuple_reversed", "tuple_setitem",
]  # fmt: skip

# Tensors

tensor_add, tensor_sub, tensor_mul, tensor_muls = elementwise.add, elementwise.sub, elementwise.mul, elementwise.mul
tensor_div, tensor_pow, tensor_exp, tensor_expm1 = (
    elementwise.RealDiv(), elementwise.pow, elementwise.exp, elementwise.expm1,
)  # fmt: skip
tensor_floordiv, tensor_mod = elementwise.floor_divide, elementwise.remainder
tensor_lt, tensor_le, tensor_gt, tensor_ge = elementwise.lt, elementwise.le, elementwise.gt, elementwise.ge
floordiv, floormod, pows = elementwise.floor_divide, elementwise.remainder, elementwise.pow
tensor_range, tensor_slice = creation.range, slicing.slice
reshape_, shape_ = reshaping.reshape, facts.shape
float_power_ext, baddbmm_ext, einsum_ext = arithmetic.float_power, linear_algebra.baddbmm, linear_algebra.einsum
scalar_to_array = creation.scalar_to_tensor


def hyper_add(*args: Any) -> Any:
    """Add the elements of two tensors, or of two nested sequences of one build."""
    return _hyper_add(*args) if isinstance(args[0], (tuple, list)) else elementwise.add(*args)


_hyper_add = HyperMap(elementwise.add)

_ones_like_for_grad = HyperMap(creation.ones_like)


def add_flags(fn: Any = None, **flags: Any) -> Any:
    """Note flags for MindSpore's compiler on a function or cell, as the attribute `_func_graph_flags`.

    Args:
        fn: the function or cell. Default: None, which returns a decorator.
        flags: the names and values to note.

    Returns:
        The function or cell.

    MindSpore: `mindspore.ops.add_flags`.
    """

    def note(function: Any) -> Any:
        noted = getattr(function, "_func_graph_flags", {})
        function._func_graph_flags = {**noted, **flags}
        return function

    return note if fn is None else note(fn)


# Numbers, strings, identity

augassign_add, augassign_sub, augassign_mul, augassign_div = operator.add, operator.sub, operator.mul, operator.truediv
augassign_floordiv, augassign_mod = operator.floordiv, operator.mod
scalar_add, scalar_sub, scalar_mul, scalar_div = operator.add, operator.sub, operator.mul, operator.truediv
scalar_floordiv, scalar_mod, scalar_pow = operator.floordiv, operator.mod, operator.pow
scalar_uadd, scalar_usub, scalar_log, scalar_max, scalar_min = operator.pos, operator.neg, math.log, max, min
scalar_eq, scalar_ne, scalar_lt, scalar_le = operator.eq, operator.ne, operator.lt, operator.le
scalar_gt, scalar_ge, bool_eq, string_eq = operator.gt, operator.ge, operator.eq, operator.eq
bool_not, bool_and, bool_or = operator.not_, operator.and_, operator.or_
string_concat, is_, is_not = operator.concat, operator.is_, operator.is_not

# Sequences and dicts

tuple_getitem = list_getitem = dict_getitem = operator.getitem
tuple_len = list_len = len
tuple_equal = list_equal = operator.eq
make_slice = slice
shape_mul = math.prod


def tuple_setitem(sequence: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    """Return a tuple with one element replaced."""
    return tuple(list_setitem(list(sequence), index, value))


def list_setitem(sequence: list[Any], index: int, value: Any) -> list[Any]:
    """Return a list with one element replaced."""
    result = list(sequence)
    result[index] = value
    return result


def dict_setitem(mapping: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    """Return a dict with one value replaced or added."""
    return {**mapping, key: value}


def tuple_reversed(sequence: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the elements from the last to the first."""
    return tuple(reversed(sequence))


def make_tuple(*elements: Any) -> tuple[Any, ...]:
    """Return the arguments as a tuple."""
    return elements


def make_list(*elements: Any) -> list[Any]:
    """Return the arguments as a list."""
    return list(elements)


def make_dict(keys: tuple[Any, ...], values: tuple[Any, ...]) -> dict[Any, Any]:
    """Return the dict of keys and their values."""
    return dict(zip(keys, values))


def make_range(*limits: int) -> tuple[int, ...]:
    """Return the ints of a `range` as a tuple."""
    return tuple(range(*limits))


def in_dict(key: Any, mapping: dict[Any, Any]) -> bool:
    """Tell whether a dict has a key."""
    return key in mapping


def not_in_dict(key: Any, mapping: dict[Any, Any]) -> bool:
    """Tell whether a dict lacks a key."""
    return key not in mapping


def reduced_shape(shape: tuple[int, ...], axis: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape with 1 for the dimensions `axis`; for no axis, all of them."""
    reduced = {i % len(shape) for i in axis} if axis else set(range(len(shape)))
    return tuple(1 if i in reduced else size for i, size in enumerate(shape))


# Conversions

_KINDS = {mstype.int64: int, mstype.float64: float, mstype.bool_: bool, int: int, float: float, bool: bool}


def scalar_cast(input_x: Any, input_y: Any) -> Any:
    """Convert a number to another kind.

    Args:
        input_x: a number.
        input_y: int64, float64 or bool.

    Raises:
        ValueError: another data type.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.scalar_cast(3.7, ms.int64)
        3
    """
    if input_y not in _KINDS:
        raise ValueError(f"For 'scalar_cast', 'input_y' must be int64, float64 or bool, but got {describe(input_y)}.")
    return _KINDS[input_y](input_x)


def mixed_precision_cast(dst_dtype: mstype.Type, x: Any) -> Any:
    """Convert the tensors of floating point types in a tensor or nested tuples and lists to a data type."""
    return map_tensors(lambda tensor: tensor.astype(dst_dtype) if tensor.is_floating_point() else tensor, x)


def move_to(input: Any, to: str = "CPU", blocking: bool = True) -> Tensor:
    """Return a tensor on a device.

    Args:
        input: a Tensor, or a list or tuple of ints.
        to: "CPU", "GPU" or "Ascend". Default: "CPU".
        blocking: whether the copy is waited for. Default: True.

    Raises:
        ValueError: there is no device of that name.
        RuntimeError: this machine has no such device.
    """
    tensor = input if isinstance(input, Tensor) else Tensor(input)
    return tensor.move_to(to, blocking)


ScalarCast = primitive("ScalarCast", scalar_cast)
ScalarToArray = primitive("ScalarToArray", scalar_to_array)
