"""MindSpore's compiler names for Python's operators and for operations, which some programs use."""

from __future__ import annotations

import functools
import inspect
import math
import operator
from collections.abc import Callable
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import named
from torchspore.engine.primitive import Primitive, primitive
from torchspore.engine.values.nested import map_tensors
from torchspore.ops.array import creation, properties, reshaping, slicing
from torchspore.ops.control.composite import HyperMap
from torchspore.ops.linalg import products
from torchspore.ops.math import arithmetic, elementwise

__all__ = [
    "CopyWithSlice", "DynamicShape", "ScalarCast", "ScalarToArray", "_ones_like_for_grad", "add_flags",
    "array_to_scalar", "augassign_add", "augassign_div", "augassign_floordiv", "augassign_mod", "augassign_mul",
    "augassign_sub", "baddbmm_ext", "bool_and", "bool_eq", "bool_not", "bool_or", "broadcast_gradient_args",
    "dict_getitem", "dict_setitem", "einsum_ext", "float_power_ext", "floordiv", "floormod", "hyper_add", "in_dict",
    "is_", "is_dynamic_sequence_element_unknown", "is_not", "is_sequence_shape_unknown", "is_sequence_value_unknown",
    "is_tensor_bool_cond", "isconstant", "list_equal", "list_getitem", "list_len", "list_setitem", "make_dict",
    "make_list", "make_range", "make_slice", "make_tuple", "mixed_precision_cast", "move_to", "not_in_dict", "pows",
    "reduced_shape", "reshape_", "scalar_add", "scalar_cast", "scalar_div", "scalar_eq", "scalar_floordiv",
    "scalar_ge", "scalar_gt", "scalar_le", "scalar_log", "scalar_lt", "scalar_max", "scalar_min", "scalar_mod",
    "scalar_mul", "scalar_ne", "scalar_pow", "scalar_sub", "scalar_to_array", "scalar_uadd", "scalar_usub", "shape_",
    "shape_mul", "string_concat", "string_eq", "switch", "switch_layer", "tail", "tensor_add", "tensor_div",
    "tensor_exp", "tensor_expm1", "tensor_floordiv", "tensor_ge", "tensor_gt", "tensor_le", "tensor_lt", "tensor_mod",
    "tensor_mul", "tensor_muls", "tensor_pow", "tensor_range", "tensor_slice", "tensor_sub", "tuple_div",
    "tuple_equal", "tuple_getitem", "tuple_len", "tuple_reversed", "tuple_setitem", "typeof", "zip_operation",
]  # fmt: skip

# Tensors

tensor_add, tensor_sub, tensor_mul, tensor_muls = elementwise.add, elementwise.sub, elementwise.mul, elementwise.mul
tensor_div, tensor_pow, tensor_exp, tensor_expm1 = (
    elementwise.RealDiv(), elementwise.pow, elementwise.exp, elementwise.expm1,
)  # fmt: skip
tensor_floordiv, tensor_mod = elementwise.floor_divide, elementwise.modulo
tensor_lt, tensor_le, tensor_gt, tensor_ge = elementwise.lt, elementwise.le, elementwise.gt, elementwise.ge
floordiv, floormod, pows = elementwise.floor_divide, elementwise.modulo, elementwise.pow
tensor_range, tensor_slice = creation.range, slicing.slice
reshape_, shape_ = reshaping.reshape, properties.shape
float_power_ext, baddbmm_ext, einsum_ext = arithmetic.float_power, products.baddbmm, products.einsum
scalar_to_array = creation.scalar_to_tensor


def hyper_add(*args: Any) -> Any:
    """Add two tensors or numbers, or the elements of two nested sequences of the same structure."""
    return _hyper_add(*args) if isinstance(args[0], (tuple, list)) else _add(*args)


def _add(*args: Any) -> Any:
    return sum(args) if all(isinstance(each, (int, float)) for each in args) else elementwise.add(*args)


_hyper_add = HyperMap(_add)

_ones_like_for_grad = HyperMap(creation.ones_like)


def add_flags(fn: Any = None, **flags: Any) -> Any:
    """Set flags for MindSpore's compiler as the attribute `_func_graph_flags` of a function or cell, and return it.

    Args:
        fn: the function or cell. Default: None, which returns a decorator.
        flags: the names and values.

    Examples:
        >>> from torchspore import ops
        >>> @ops.add_flags(inline=True)
        ... def double(x):
        ...     return 2 * x
        >>> double._func_graph_flags
        {'inline': True}
    """

    def add(function: Any) -> Any:
        function._func_graph_flags = {**getattr(function, "_func_graph_flags", {}), **flags}
        return function

    return add if fn is None else add(fn)


# Numbers, strings, identity

augassign_add, augassign_sub, augassign_mul, augassign_div = operator.add, operator.sub, operator.mul, operator.truediv
augassign_floordiv, augassign_mod = operator.floordiv, operator.mod
is_, is_not = operator.is_, operator.is_not


def _scalar(name: str, function: Callable[..., Any]) -> Any:
    """Return a function of one or two numbers by names of its arguments, which functions of `operator` lack."""
    if name in ("uadd", "usub", "log"):

        def made(x: Any) -> Any:
            return function(x)

    else:

        def made(x: Any, y: Any) -> Any:  # type: ignore[misc]
            return function(x, y)

    made.__name__ = made.__qualname__ = f"scalar_{name}"
    made.__doc__ = function.__doc__
    return made


scalar_uadd, scalar_usub = _scalar("uadd", operator.pos), _scalar("usub", operator.neg)
scalar_add, scalar_sub = _scalar("add", operator.add), _scalar("sub", operator.sub)
scalar_mul, scalar_div = _scalar("mul", operator.mul), _scalar("div", operator.truediv)
scalar_floordiv, scalar_mod = _scalar("floordiv", operator.floordiv), _scalar("mod", operator.mod)
scalar_pow, scalar_log = _scalar("pow", operator.pow), _scalar("log", math.log)
scalar_max, scalar_min = _scalar("max", max), _scalar("min", min)
scalar_eq, scalar_ne = _scalar("eq", operator.eq), _scalar("ne", operator.ne)
scalar_lt, scalar_le = _scalar("lt", operator.lt), _scalar("le", operator.le)
scalar_gt, scalar_ge = _scalar("gt", operator.gt), _scalar("ge", operator.ge)


_WORDS = {list: "a tuple or a list", dict: "a dict", bool: "a bool", str: "a string"}


def _taking(*kinds: type | None, name: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that checks the types of arguments by position: `list` is a tuple or a list, None any."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        api = name or function.__name__

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            for value, kind in zip(args, kinds):
                if kind is not None and not isinstance(value, (tuple, list) if kind is list else kind):
                    raise TypeError(f"For '{api}', {_WORDS[kind]} is required, but got {describe(value)}.")
            try:
                return function(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"For '{api}', {error}.") from error

        checked.__name__ = checked.__qualname__ = api
        checked.__module__ = __name__
        return checked

    return decorate


bool_not, bool_eq = _taking(bool, name="bool_not")(operator.not_), _taking(bool, bool, name="bool_eq")(operator.eq)
bool_and, bool_or = [
    _taking(bool, bool, name=f"bool_{each.__name__[:-1]}")(each) for each in (operator.and_, operator.or_)
]
string_eq = _taking(str, str, name="string_eq")(operator.eq)
string_concat = _taking(str, str, name="string_concat")(operator.concat)

# Sequences and dicts

tuple_len, list_len = [_taking(list, name=name)(len) for name in ("tuple_len", "list_len")]
tuple_getitem, list_getitem = [_taking(list, name=name)(operator.getitem) for name in ("tuple_getitem", "list_getitem")]
tuple_equal, list_equal = [_taking(list, list, name=name)(operator.eq) for name in ("tuple_equal", "list_equal")]
dict_getitem = _taking(dict, name="dict_getitem")(operator.getitem)
shape_mul = _taking(list, name="shape_mul")(math.prod)
make_slice = slice


@_taking(list)
def tuple_setitem(sequence: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    """Return a tuple with one element replaced."""
    result = list(sequence)
    result[index] = value
    return tuple(result)


@_taking(list)
def list_setitem(sequence: list[Any], index: int, value: Any) -> list[Any]:
    """Return a list with one element replaced."""
    result = list(sequence)
    result[index] = value
    return result


@_taking(dict)
def dict_setitem(mapping: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    """Return a dict with one value replaced or added."""
    return {**mapping, key: value}


@_taking(list)
def tuple_reversed(sequence: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the elements from the last to the first."""
    return tuple(reversed(sequence))


def make_tuple(*elements: Any) -> tuple[Any, ...]:
    """Return the arguments as a tuple."""
    return elements


def make_list(*elements: Any) -> list[Any]:
    """Return the arguments as a list."""
    return list(elements)


@_taking(list, list)
def make_dict(keys: tuple[Any, ...], values: tuple[Any, ...]) -> dict[Any, Any]:
    """Return the dict of keys and their values."""
    return dict(zip(keys, values))


def make_range(*limits: int) -> tuple[int, ...]:
    """Return the ints of a `range` as a tuple."""
    return tuple(range(*limits))


@_taking(None, dict)
def in_dict(key: Any, mapping: dict[Any, Any]) -> bool:
    """Return whether a dict has a key."""
    return key in mapping


@_taking(None, dict)
def not_in_dict(key: Any, mapping: dict[Any, Any]) -> bool:
    """Return whether a dict lacks a key."""
    return key not in mapping


def reduced_shape(shape: tuple[int, ...], axis: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape with 1 for the dimensions `axis`; for no axis, all of them."""
    reduced = {i % len(shape) for i in axis} if axis else set(range(len(shape)))
    return tuple(1 if i in reduced else size for i, size in enumerate(shape))


def tuple_div(dividend: tuple[int, ...], divisor: tuple[int, ...]) -> tuple[int, ...]:
    """Return the quotients of corresponding ints.

    Raises:
        ValueError: the lengths differ, or a division leaves a remainder.
    """
    if len(dividend) != len(divisor) or any(a % b for a, b in zip(dividend, divisor)):
        raise ValueError(
            f"For 'tuple_div', 'divisor' must have an int for each of 'dividend', which divides it without a "
            f"remainder, but got {dividend} and {divisor}."
        )
    return tuple([a // b for a, b in zip(dividend, divisor)])


def tail(sequence: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a tuple without its first element."""
    return sequence[1:]


def zip_operation(*sequences: Any) -> tuple[tuple[Any, ...], ...]:
    """Return the tuple of what `zip` yields."""
    return tuple(zip(*sequences))


def broadcast_gradient_args(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the dimensions of the result over which the gradients of two operands are summed.

    Args:
        x, y: the shapes of the operands.

    Returns:
        A tuple of dimensions for each operand. Where both sizes are 1, both are summed; equal shapes need no sum.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.broadcast_gradient_args((2, 3), (3,))
        ((), (0,))
    """
    if x == y:
        return (), ()
    rank = max(len(x), len(y))
    wide = [(1,) * (rank - len(shape)) + tuple(shape) for shape in (x, y)]
    if any(a != b and 1 not in (a, b) for a, b in zip(*wide)):
        raise ValueError(f"For 'broadcast_gradient_args', {x} and {y} cannot be broadcast to one shape.")
    first, second = (tuple([i for i, size in enumerate(shape) if size == 1]) for shape in wide)
    return first, second


# Control flow


def switch(condition: Any, first: Any, second: Any) -> Any:
    """Return `first` if a condition is true, else `second`."""
    return first if condition else second


def switch_layer(index: Any, layers: Any) -> Any:
    """Return the function or cell at an index, an int or a Tensor of one element."""
    return layers[int(index)]


# Whether values are known


def isconstant(x: Any) -> bool:
    """Return whether a value is the same in each call of a graph; outside of graphs True."""
    if isinstance(x, (tuple, list)):
        return all(map(isconstant, x))
    if isinstance(x, Parameter):
        return not scope.captured
    return scope.tracing is None or not isinstance(x, Tensor) or not scope.tracing.is_recorded(x._t)


def is_sequence_value_unknown(sequence: Any) -> bool:
    """Return False: the elements of the tuple or list are known."""
    return False


is_sequence_shape_unknown = is_dynamic_sequence_element_unknown = is_sequence_value_unknown


def is_tensor_bool_cond(x: Tensor) -> bool:
    """Return True if a Tensor, of shape () or (1,), can be a condition; raise ValueError otherwise."""
    if not isinstance(x, Tensor):
        raise TypeError(f"For 'is_tensor_bool_cond', 'x' must be a Tensor, but got {describe(x)}.")
    if x.shape not in ((), (1,)):
        raise ValueError(f"For 'is_tensor_bool_cond', 'x' must be of shape () or (1,), but got {describe(x)}.")
    return True


def typeof(x: Any) -> mstype.Type:
    """Return the data type of a value: for a tensor the `TensorType` of its elements, for a float float32.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.typeof(ms.Tensor([1.0])), ms.ops.typeof(1)
        (torchspore.tensor[float32], torchspore.int64)
    """
    return mstype.float32 if isinstance(x, float) else mstype.get_py_obj_dtype(x)


# Conversions

_NUMBER_TYPES = {
    mstype.int64: int, mstype.float64: float, mstype.float32: float, mstype.bool_: bool,
    int: int, float: float, bool: bool,
}  # fmt: skip


def scalar_cast(input_x: Any, input_y: Any) -> Any:
    """Convert a number to another type.

    Args:
        input_x: a number.
        input_y: int64, float64, float32 (which is a float too) or bool.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.scalar_cast(3.7, ms.int64)
        3
    """
    if input_y not in _NUMBER_TYPES:
        raise ValueError(f"For 'scalar_cast', 'input_y' must be int64, float64 or bool, but got {describe(input_y)}.")
    return _NUMBER_TYPES[input_y](input_x)


def array_to_scalar(x: Tensor) -> Any:
    """Return the number in a Tensor of one element."""
    return x.item()


def mixed_precision_cast(dst_dtype: mstype.Type, x: Any) -> Any:
    """Convert a floating-point tensor, or those in nested tuples and lists, to a data type."""
    return map_tensors(lambda tensor: tensor.astype(dst_dtype) if tensor.is_floating_point() else tensor, x)


def move_to(input: Any, to: str = "CPU", blocking: bool = True) -> Tensor:
    """Return a tensor on a device.

    Args:
        input: a Tensor, or a list or tuple of ints.
        to: "CPU", "GPU" or "Ascend". Default: "CPU".
        blocking: whether to wait for the copy. Default: True.

    Raises:
        ValueError: there is no device of that name.
        RuntimeError: this machine has no such device.
    """
    tensor = input if isinstance(input, Tensor) else Tensor(input)
    return tensor.move_to(to, blocking)


class CopyWithSlice(Primitive):
    """Copy a tensor into another of the same shape, which may be a view: `CopyWithSlice()(x[0], value)`."""

    @named
    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        """Write `y` into `x`, and return `x`."""
        if x.shape != y.shape:
            raise ValueError("the shapes must be equal")
        return x.copy_(y)


DynamicShape = primitive("DynamicShape", properties.dyn_shape)
ScalarCast = primitive("ScalarCast", scalar_cast)
ScalarToArray = primitive("ScalarToArray", scalar_to_array)

for _name, _function in [(name, globals()[name]) for name in __all__]:
    if inspect.isfunction(_function) and _function.__module__ == __name__ and not hasattr(_function, "body"):
        globals()[_name] = named(_function)
