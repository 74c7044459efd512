"""Primitives of numbers, strings and sequences, which MindSpore keeps private: Python's own operations."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor, tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.primitive import primitive
from torchspore.ops.array.joining import cat, stack, unstack
from torchspore.ops.math.arithmetic import addn

__all__ = [
    "BoolNot", "Format", "InSequence", "IsDimUnKnown", "IsInstance", "IsSubClass", "ListAppend",
    "ListAppendAndInsertGrad", "ListInsert", "ListToTensor", "ScalarAdd", "ScalarBool", "ScalarDiv", "ScalarEq",
    "ScalarFloorDiv", "ScalarGe", "ScalarGt", "ScalarLe", "ScalarLog", "ScalarLt", "ScalarMax", "ScalarMin",
    "ScalarMod", "ScalarMul", "ScalarPow", "ScalarSub", "ScalarUadd", "ScalarUsub", "SequenceAdd", "SequenceAddN",
    "SequenceAddOffset", "SequenceConcat", "SequenceCount", "SequenceIndex", "SequenceMax", "SequenceMin",
    "SequenceMul", "SequenceSlice", "SequenceSliceGrad", "SequenceSliceSetItem", "SequenceStack", "SequenceUnstack",
    "SequenceZerosLike", "ShapeMulGrad", "TensorToList", "TileSize", "TopTypeof", "TupleToTensor", "bit_and",
    "bit_left_shift", "bit_or", "bit_right_shift", "bit_xor", "issubclass_", "list_greater_equal",
    "list_greater_than", "list_le", "list_lt", "scalar_bool", "sequence_len", "string_ge", "string_getitem",
    "string_gt", "string_in", "string_le", "string_lt", "string_mul", "string_not", "tuple_greater_equal",
    "tuple_greater_than", "tuple_le", "tuple_lt",
]  # fmt: skip


def _of_two(name: str, function: Callable[[Any, Any], Any]) -> Any:
    def body(x: Any, y: Any) -> Any:
        return function(x, y)

    body.__name__ = body.__qualname__ = name
    return primitive(name, body)


def _of_one(name: str, function: Callable[[Any], Any]) -> Any:
    def body(x: Any) -> Any:
        return function(x)

    body.__name__ = body.__qualname__ = name
    return primitive(name, body)


def _divided(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def divide(x: Any, y: Any) -> Any:
        if y == 0:
            raise ValueError(f"the divisor must not be 0, but got {x} and {y}.")
        return function(x, y)

    return divide


ScalarAdd = _of_two("ScalarAdd", operator.add)
ScalarSub = _of_two("ScalarSub", operator.sub)
ScalarMul = _of_two("ScalarMul", operator.mul)
ScalarDiv = _of_two("ScalarDiv", _divided(operator.truediv))
ScalarFloorDiv = _of_two("ScalarFloorDiv", _divided(operator.floordiv))
ScalarMod = _of_two("ScalarMod", _divided(operator.mod))
ScalarPow = _of_two("ScalarPow", operator.pow)
ScalarEq = _of_two("ScalarEq", operator.eq)
ScalarGe = _of_two("ScalarGe", operator.ge)
ScalarGt = _of_two("ScalarGt", operator.gt)
ScalarLe = _of_two("ScalarLe", operator.le)
ScalarLt = _of_two("ScalarLt", operator.lt)
ScalarMax = _of_two("ScalarMax", max)
ScalarMin = _of_two("ScalarMin", min)
ScalarBool = _of_one("ScalarBool", bool)
ScalarLog = _of_one("ScalarLog", math.log)
ScalarUadd = _of_one("ScalarUadd", lambda x: x)
ScalarUsub = _of_one("ScalarUsub", operator.neg)

list_greater_equal = _of_two("list_greater_equal", operator.ge)
list_greater_than = _of_two("list_greater_than", operator.gt)
list_le = _of_two("list_le", operator.le)
list_lt = _of_two("list_lt", operator.lt)
tuple_greater_equal = _of_two("tuple_greater_equal", operator.ge)
tuple_greater_than = _of_two("tuple_greater_than", operator.gt)
tuple_le = _of_two("tuple_le", operator.le)
tuple_lt = _of_two("tuple_lt", operator.lt)
sequence_len = _of_one("sequence_len", len)

bit_and, bit_or, bit_xor = operator.and_, operator.or_, operator.xor
bit_left_shift, bit_right_shift = operator.lshift, operator.rshift
string_ge, string_gt, string_le, string_lt = operator.ge, operator.gt, operator.le, operator.lt
string_getitem, string_mul, string_not, scalar_bool = operator.getitem, operator.mul, operator.not_, bool


def string_in(x: str, y: str) -> bool:
    """Return whether a string has another one in it."""
    return x in y


def _format(string: str, *args: Any) -> str:
    return string.format(*args)


def _append(input_data: list[Any], target: Any) -> list[Any]:
    return [*input_data, target]


def _insert(input_data: list[Any], index: int, target: Any) -> list[Any]:
    found = list(input_data)
    found.insert(index, target)
    return found


def _to_tensor(x: Any, dtype: Any) -> Tensor:
    return tensor(x, dtype)


def _index(sequence: Sequence[Any], target: Any, start: int | None = None, end: int | None = None) -> int:
    return sequence.index(target, start or 0, len(sequence) if end is None else end)


def _slice(seq: Sequence[Any], start: int, stop: int, step: int) -> Sequence[Any]:
    return seq[start:stop:step]


def _set_slice(seq: Sequence[Any], target: Sequence[Any], start: int, stop: int, step: int) -> Any:
    found = list(seq)
    found[start:stop:step] = target
    return type(seq)(found)  # type: ignore[call-arg]


def _zeros(sequence: Any) -> Any:
    return type(sequence)(value * 0 for value in sequence)


def _unstacked(x: Tensor, axis: int = 0, num: int | None = None) -> Any:
    parts = unstack(x, axis)
    if num is not None and num != len(parts):
        raise ValueError(f"'num' must be the size {len(parts)} of the dimension, but got {num}.")
    return parts


def _removed(input_data: list[Any], index: int) -> list[Any]:
    found = list(input_data)
    found.pop(index)
    return found


def _sliced_gradient(dy: Sequence[Any], x: Sequence[Any], start: int, stop: int, step: int) -> Any:
    return _set_slice(_zeros(x), dy, start, stop, step)


def _multiplied_gradient(input_data: Sequence[Any], dout: Any) -> Any:
    total = math.prod(input_data)
    return type(input_data)(total // value * dout for value in input_data)  # type: ignore[call-arg]


def _concatenated(x: Sequence[Any], axis: int = 0) -> Any:
    if not all(isinstance(part, Tensor) for part in x):
        raise TypeError(f"'x' must be a tuple or list of tensors, but got {describe(x)}.")
    return cat(list(x), axis)


def _tiled_size(shape: Sequence[int], out_shape: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Return how often to repeat each dimension, of size 1 or the size of the result."""
    return tuple(1 if own == out else out for own, out in zip(shape, out_shape))


# Types


def _is_subclass(sub_type: Any, type_: Any) -> bool:
    if type_ is mstype.tensor_type:
        return isinstance(sub_type, mstype.TensorType)
    return sub_type is type_ or (isinstance(sub_type, mstype.Number) and type_.name in _kinds(sub_type))


def _kinds(type_: Any) -> list[str]:
    """Return the names of the types to which a type of numbers belongs."""
    return [base.__name__.lower() for base in type(type_).__mro__]


def _is_instance(inst: Any, type_: Any) -> bool:
    if not isinstance(type_, mstype.Type):
        raise TypeError(f"'type_' must be a data type, but got {describe(type_)}.")
    if isinstance(inst, (tuple, list)):
        return type_ is (mstype.tuple_ if isinstance(inst, tuple) else mstype.list_)
    return _is_subclass(mstype.get_py_obj_dtype(inst), type_)


def _top_type(x: Any) -> Any:
    """Return the type of a value, for a tensor, tuple or list without the type of its elements."""
    kinds = {
        Tensor: mstype.tensor_type, tuple: mstype.tuple_, list: mstype.list_, bool: mstype.bool_, int: mstype.int_,
        float: mstype.float32, str: mstype.string,
    }  # fmt: skip
    return next((kind for python, kind in kinds.items() if isinstance(x, python)), mstype.type_none)


IsSubClass = primitive("IsSubClass", _is_subclass)
issubclass_ = IsSubClass()
IsInstance = primitive("IsInstance", _is_instance)
TopTypeof = primitive("TopTypeof", _top_type)
IsDimUnKnown = primitive("IsDimUnKnown", lambda data: False)
BoolNot = primitive("BoolNot", lambda x: not x)
TileSize = primitive("TileSize", _tiled_size)
SequenceConcat = primitive("SequenceConcat", _concatenated, axis=0)
SequenceAddOffset = primitive("SequenceAddOffset", lambda shape_0, shape_1: (0, len(shape_0)))
SequenceSliceGrad = primitive("SequenceSliceGrad", _sliced_gradient)
ListAppendAndInsertGrad = primitive("ListAppendAndInsertGrad", _removed)
ShapeMulGrad = primitive("ShapeMulGrad", _multiplied_gradient)

Format = primitive("Format", _format)
InSequence = primitive("InSequence", lambda target, sequence: target in sequence)
ListAppend = primitive("ListAppend", _append)
ListInsert = primitive("ListInsert", _insert)
ListToTensor = primitive("ListToTensor", _to_tensor)
TupleToTensor = primitive("TupleToTensor", _to_tensor)
TensorToList = _of_one("TensorToList", Tensor.tolist)
SequenceAdd = _of_two("SequenceAdd", operator.add)
SequenceAddN = primitive("SequenceAddN", addn)
SequenceCount = primitive("SequenceCount", lambda sequence, target: sequence.count(target))
SequenceIndex = primitive("SequenceIndex", _index)
SequenceMax = _of_one("SequenceMax", max)
SequenceMin = _of_one("SequenceMin", min)
SequenceMul = primitive("SequenceMul", lambda sequence, scalar: sequence * scalar)
SequenceSlice = primitive("SequenceSlice", _slice)
SequenceSliceSetItem = primitive("SequenceSliceSetItem", _set_slice)
SequenceStack = primitive("SequenceStack", stack, axis=0)
SequenceUnstack = primitive("SequenceUnstack", _unstacked, axis=0, num=None)
SequenceZerosLike = primitive("SequenceZerosLike", _zeros)
