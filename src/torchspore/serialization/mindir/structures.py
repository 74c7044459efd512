"""Nodes of graphs that compute no tensors: they build and take apart sequences, and compute with Python's numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common import device as devices
from torchspore.common.tensor import Tensor, wrap

__all__ = ["STRUCTURES", "bounded", "check_size"]

# A file of a few bytes may double a sequence or a number again and again.
_MAX_PARTS = 1 << 20
_MAX_DEPTH = 100
_INT64 = 1 << 63
_KINDS = (tuple, list, dict)


def check_size(value: Any) -> None:
    """Check that a value is no larger than what MindSpore's graphs have.

    Raises:
        ValueError: an int is beyond 64 bits, or a nested sequence has too many parts.
    """
    if isinstance(value, int):
        if not -_INT64 <= value < _INT64:
            raise ValueError("an int is beyond 64 bits")
        return
    waiting, count = [(value, 0)], 0
    while waiting:
        node, depth = waiting.pop()
        if not isinstance(node, (*_KINDS, str)):
            continue
        count += len(node)
        if count > _MAX_PARTS or depth > _MAX_DEPTH:
            raise ValueError(f"a sequence has more than {_MAX_PARTS} parts, or is nested more than {_MAX_DEPTH} times")
        if not isinstance(node, str):
            parts = node.values() if isinstance(node, dict) else node
            waiting += [(part, depth + 1) for part in parts if isinstance(part, (*_KINDS, str))]


def bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of Python's values that raises a ValueError for a result that is too large."""

    def call(*args: Any) -> Any:
        result = function(*args)
        if type(result) in (tuple, list, dict, str, int):
            check_size(result)
        return result

    return call


def _of_numbers(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def compute(x: Any, y: Any) -> Any:
        if isinstance(x, (str, tuple, list)) or isinstance(y, (str, tuple, list)):
            raise TypeError("numbers are computed with numbers")
        return function(x, y)

    return compute


def _power(x: Any, y: Any) -> Any:
    if isinstance(x, int) and isinstance(y, int) and abs(x) > 1 and y > _INT64.bit_length():
        raise ValueError("an int is beyond 64 bits")
    return x**y


def _repeated(parts: Any, times: Any) -> Any:
    if len(parts) * int(times) > _MAX_PARTS:
        raise ValueError(f"a sequence has more than {_MAX_PARTS} parts")
    return parts * int(times)


def _elements(tensor: Any) -> tuple[Any, ...]:
    if tensor.size > _MAX_PARTS:
        raise ValueError(f"a sequence has more than {_MAX_PARTS} parts")
    return tuple(tensor.asnumpy().tolist())


def _item(parts: Any, index: Any) -> Any:
    return parts[index if isinstance(index, str) else int(index)]


def _with_item(parts: Any, index: int, value: Any) -> Any:
    kind = type(parts)
    return kind((*parts[:index], value, *parts[index + 1 :]))


def _first(value: Any, *_: Any) -> Any:
    return value


def _number(tensor: Any, dtype: Any = None) -> Any:
    return tensor.item() if isinstance(tensor, Tensor) else tensor


def _tensor(value: Any, dtype: Any = None) -> Tensor:
    kind = dtype.torch if hasattr(dtype, "torch") else None
    if isinstance(value, Tensor):
        return value if kind is None else wrap(value._t.to(kind))
    if kind is None and isinstance(value, float):
        kind = torch.float32
    return wrap(torch.as_tensor(value, dtype=kind, device=devices.current()))


def _dictionary(keys: Any, values: Any) -> dict[Any, Any]:
    return dict(zip(keys, values))


def _zeros(size: Any, dtype: Any = None, *_: Any) -> Tensor:
    kind = dtype.torch if hasattr(dtype, "torch") else torch.float32
    return wrap(torch.zeros(size if isinstance(size, tuple) else tuple(size), dtype=kind, device=devices.current()))


def _zeros_like(tensor: Any, dtype: Any = None, *_: Any) -> Tensor:
    return _zeros(tensor.shape, dtype or tensor.dtype)


def _shape(tensor: Any) -> tuple[int, ...]:
    return tuple(tensor.shape)


def _divided(x: Any, y: Any) -> Any:
    return x / y


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(["MakeTuple", "RealMakeTuple"], lambda *parts: parts),
    **dict.fromkeys(["MakeList", "RealMakeList", "make_list"], lambda *parts: list(parts)),
    **dict.fromkeys(
        ["TupleGetItem", "ListGetItem", "RealTupleGetItem", "RealListGetItem", "tuple_getitem", "list_getitem",
         "dict_getitem", "DictGetItem", "SequenceGetItem"], _item,
    ),
    **dict.fromkeys(["TupleSetItem", "ListSetItem", "tuple_setitem", "list_setitem"], _with_item),
    **dict.fromkeys(["MakeDict", "make_dict"], _dictionary),
    **dict.fromkeys(["Depend", "TensorMove", "Identity", "identity", "stop_gradient"], _first),
    **dict.fromkeys(["ScalarToTensor", "TupleToTensor", "ListToTensor", "SequenceToTensor"], _tensor),
    **dict.fromkeys(["TensorToScalar", "ScalarCast"], _number),
    **dict.fromkeys(["TensorToTuple", "TensorToList"], _elements),
    **dict.fromkeys(["sequence_len", "SequenceLen", "tuple_len", "list_len"], len),
    **dict.fromkeys(["ScalarAdd", "scalar_add", "SequenceAdd", "TupleAdd", "ListAdd"], operator.add),
    **dict.fromkeys(["ScalarSub", "scalar_sub"], _of_numbers(operator.sub)),
    **dict.fromkeys(["ScalarMul", "scalar_mul"], _of_numbers(operator.mul)),
    **dict.fromkeys(["ScalarDiv", "scalar_div"], _of_numbers(_divided)),
    **dict.fromkeys(["ScalarFloorDiv", "scalar_floordiv", "ScalarFloordiv"], _of_numbers(operator.floordiv)),
    **dict.fromkeys(["ScalarMod", "scalar_mod"], _of_numbers(operator.mod)),
    **dict.fromkeys(["ScalarPow", "scalar_pow"], _of_numbers(_power)),
    **dict.fromkeys(["ScalarUsub", "scalar_usub"], operator.neg),
    **dict.fromkeys(["ScalarEqual", "scalar_eq", "ScalarEq"], operator.eq),
    **dict.fromkeys(["scalar_ne", "ScalarNe"], operator.ne),
    **dict.fromkeys(["scalar_lt", "ScalarLt", "ScalarLess"], operator.lt),
    **dict.fromkeys(["scalar_le", "ScalarLe", "ScalarLessEqual"], operator.le),
    **dict.fromkeys(["scalar_gt", "ScalarGt", "ScalarGreater"], operator.gt),
    **dict.fromkeys(["scalar_ge", "ScalarGe", "ScalarGreaterEqual"], operator.ge),
    **dict.fromkeys(["bool_not", "BoolNot"], operator.not_),
    **dict.fromkeys(["ScalarLog", "scalar_log"], math.log),
    "SequenceMul": _repeated,
    "ScalarBool": bool,
    "ScalarMax": max,
    "ScalarMin": min,
    "SequenceMax": max,
    "SequenceMin": min,
    "Shape": _shape,
    "Empty": _zeros,
    "NewEmpty": lambda tensor, size, dtype=None, *_: _zeros(size, dtype or tensor.dtype),
    "EmptyLike": _zeros_like,
    "ListAppend": lambda parts, part: [*parts, part],
    "ListInsert": lambda parts, index, part: [*parts[:index], part, *parts[index:]],
    "SequenceCount": lambda parts, value: parts.count(value),
    "SequenceIndex": lambda parts, value: parts.index(value),
    "ScalarUadd": operator.pos,
    "MakeSlice": slice,
    "SequenceSlice": lambda parts, start, stop, step: parts[start:stop:step],
    **dict.fromkeys(["tuple_equal", "list_equal"], operator.eq),
    "InSequence": lambda value, parts: value in parts,
}  # fmt: skip
STRUCTURES = {name: bounded(function) for name, function in _FUNCTIONS.items()}
"""Functions by MindSpore's names of the nodes, which take the inputs and return the output."""
