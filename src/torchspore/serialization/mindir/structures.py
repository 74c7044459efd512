"""Nodes of graphs that compute no tensors: they build and take apart sequences, and compute with Python's numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common import device as devices
from torchspore.common.tensor import Tensor, wrap

__all__ = ["STRUCTURES"]


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


def _shape(tensor: Any) -> tuple[int, ...]:
    return tuple(tensor.shape)


def _divided(x: Any, y: Any) -> Any:
    return x / y


STRUCTURES: dict[str, Callable[..., Any]] = {
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
    **dict.fromkeys(["TensorToTuple", "TensorToList"], lambda tensor: tuple(tensor.asnumpy().tolist())),
    **dict.fromkeys(["sequence_len", "SequenceLen", "tuple_len", "list_len"], len),
    **dict.fromkeys(["ScalarAdd", "scalar_add", "SequenceAdd", "TupleAdd", "ListAdd"], operator.add),
    **dict.fromkeys(["ScalarSub", "scalar_sub"], operator.sub),
    **dict.fromkeys(["ScalarMul", "scalar_mul", "SequenceMul"], operator.mul),
    **dict.fromkeys(["ScalarDiv", "scalar_div"], _divided),
    **dict.fromkeys(["ScalarFloorDiv", "scalar_floordiv", "ScalarFloordiv"], operator.floordiv),
    **dict.fromkeys(["ScalarMod", "scalar_mod"], operator.mod),
    **dict.fromkeys(["ScalarPow", "scalar_pow"], operator.pow),
    **dict.fromkeys(["ScalarUsub", "scalar_usub"], operator.neg),
    **dict.fromkeys(["ScalarEqual", "scalar_eq", "ScalarEq"], operator.eq),
    **dict.fromkeys(["scalar_ne", "ScalarNe"], operator.ne),
    **dict.fromkeys(["scalar_lt", "ScalarLt", "ScalarLess"], operator.lt),
    **dict.fromkeys(["scalar_le", "ScalarLe", "ScalarLessEqual"], operator.le),
    **dict.fromkeys(["scalar_gt", "ScalarGt", "ScalarGreater"], operator.gt),
    **dict.fromkeys(["scalar_ge", "ScalarGe", "ScalarGreaterEqual"], operator.ge),
    **dict.fromkeys(["bool_not", "BoolNot"], operator.not_),
    **dict.fromkeys(["ScalarLog", "scalar_log"], math.log),
    "ScalarBool": bool,
    "ScalarMax": max,
    "ScalarMin": min,
    "SequenceMax": max,
    "SequenceMin": min,
    "Shape": _shape,
    "MakeSlice": slice,
    "SequenceSlice": lambda parts, start, stop, step: parts[start:stop:step],
    "InSequence": lambda value, parts: value in parts,
}  # fmt: skip
"""Functions by MindSpore's names of the nodes, which take the inputs and return the output."""
