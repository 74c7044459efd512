"""Tensors of open sizes, in steps that every version of MindSpore runs.

No primitive takes a size as a value in MindSpore 1.10, 2.0 and 2.10 alike. So a size is a vector of as many ones, cut
from a tensor that has such a dimension: its sum is the number, and its running sum counts places. Tensors get an open
size where rows are gathered at such places.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import torch

from torchspore.common.private_torch import expression_of, size_functions, size_of, without_remainders
from torchspore.serialization.mindir.building import Builder, NoForm, Value

__all__ = ["arange", "expanded_to", "is_open", "length", "number", "reshaped", "same_size"]


def is_open(sizes: Sequence[Any]) -> bool:
    """Return whether a size is open."""
    return not all(isinstance(size, int) for size in sizes)


def same_size(one: Any, other: Any) -> bool:
    """Return whether two sizes are equal for all inputs."""
    apart: Any = expression_of(one) - expression_of(other)
    return bool(apart == 0 or (not isinstance(apart, int) and apart.expand() == 0))


# Sizes


def length(b: Builder, size: Any) -> Value:
    """Return as many ones as a size, a vector of int32.

    Raises:
        NoForm: no tensor has this size.
    """
    if isinstance(size, int):
        return b.constant(torch.ones(size, dtype=torch.int32))
    return _ones(b, expression_of(size))


def _ones(b: Builder, size: Any) -> Value:
    if isinstance(size, int) or size.is_Integer:
        return length(b, int(size))
    if size not in b.lengths:
        b.lengths[size] = _cut(b, size) if size in b.sources else _composed(b, size)
    return b.lengths[size]


def _vector(b: Builder, *sizes: Any) -> torch.Tensor:
    """Return an example of int32: what torch computes of open sizes takes long."""
    key = ("example", *sizes)
    if key not in b.lengths:
        with b.mode:
            example = torch.empty([size_of(b.mode, size) for size in sizes], dtype=torch.int32)
        b.lengths[key] = Value("", example)
    found: torch.Tensor = b.lengths[key].example
    return found


def _cut(b: Builder, size: Any) -> Value:
    x, dim = b.sources[size]
    begin, steps = (0,) * x.rank, (1,) * x.rank
    masks = dict.fromkeys(["begin_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"], 0)
    end = tuple([0 if number == dim else 1 for number in range(x.rank)])
    like = _vector(b, size).to(x.dtype)
    shape = [-1 if number == dim else 1 for number in range(x.rank)]
    line = b.call("StridedSlice", x, begin, end, steps, end_mask=1 << dim, example=like.reshape(shape), **masks)
    line = b.call("Reshape", line, (-1,), example=like) if x.rank > 1 else line
    return b.call("OnesLike", b.cast(line, torch.int32))


def _composed(b: Builder, size: Any) -> Value:
    """Return ones whose number is a sum, a product or a quotient of sizes."""
    whole = without_remainders(size)
    if whole != size:
        return _ones(b, whole)
    if size.is_Add:
        fewer = sum([-int(part) for part in size.args if part.is_Integer and part < 0])
        parts = [_ones(b, part) for part in size.args if not (part.is_Integer and part < 0)]
        every = _vector(b, size + fewer)
        found = parts[0] if len(parts) == 1 else b.call("Concat", b.together(parts), axis=0, example=every)
        return _every(b, found, size, 0, 1, -fewer or None)
    if size.is_Mul and all(part.is_Symbol or part.is_Function or part > 0 for part in size.args):
        first, rest = size.as_two_terms()
        rows = b.call("ExpandDims", _ones(b, first), 1, example=_vector(b, first, 1))
        columns = b.call("ExpandDims", _ones(b, rest), 0, example=_vector(b, 1, rest))
        return b.call(
            "Reshape", b.call("Mul", rows, columns, example=_vector(b, first, rest)), (-1,), example=_vector(b, size)
        )
    if isinstance(size, size_functions().FloorDiv) and size.args[1].is_Integer:
        step = int(size.args[1])
        return _every(b, _ones(b, size.args[0]), size, step - 1, step, None)
    raise NoForm(f"no tensor has the size {size}")


def _every(b: Builder, x: Value, size: Any, start: int, step: int, end: int | None) -> Value:
    """Return elements of a vector from a start to an end."""
    if (start, step, end) == (0, 1, None):
        return x
    masks = dict.fromkeys(["begin_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"], 0)
    masks["end_mask"] = int(end is None)
    return b.call("StridedSlice", x, (start,), (end or 0,), (step,), example=_vector(b, size), **masks)


def arange(b: Builder, size: Any) -> Value:
    """Return the numbers from 0 to a size, in int32.

    Raises:
        NoForm: no tensor has this size.
    """
    if isinstance(size, int):
        return b.constant(torch.arange(size, dtype=torch.int32))
    key = "arange", expression_of(size)
    if key not in b.lengths:
        ones = length(b, size)
        b.lengths[key] = b.call("CumSum", ones, 0, exclusive=True, reverse=False, example=ones.example)
    return b.lengths[key]


def number(b: Builder, given: Any, dtype: torch.dtype) -> Value:
    """Return a number that depends on open sizes as a tensor without dimensions.

    Raises:
        NoForm: it is computed in a way that has no counterpart.
    """
    return b.call("Squeeze", b.cast(_number(b, given.node.expr), dtype), axis=(0,))


def _count(b: Builder, size: Any) -> Value:
    """Return a size as the only element of a vector."""
    return b.call("ReduceSum", _ones(b, size), (0,), keep_dims=True)


_FUNCTIONS = {
    "FloorDiv": "FloorDiv", "CleanDiv": "FloorDiv", "Mod": "FloorMod", "PythonMod": "FloorMod", "Max": "Maximum",
    "Min": "Minimum", "IntTrueDiv": "RealDiv", "FloatTrueDiv": "RealDiv", "Add": "Add", "Mul": "Mul", "Pow": "Pow",
    "FloatPow": "Pow", "PowByNatural": "Pow",
}  # fmt: skip


def _number(b: Builder, size: Any) -> Value:
    """Return the number in a vector, as MindSpore 2.10 takes what is cast to no dimensions for a number of Python."""
    if size.is_number:
        return b.constant(torch.tensor([int(size) if size.is_Integer else float(size)]))
    if size.is_Symbol or size in b.sources:
        return b.cast(_count(b, size), torch.int64)
    name = size.func.__name__
    parts = [_number(b, part) for part in size.args]
    if name == "ToFloat":
        return b.cast(parts[0], torch.float32)
    if name == "OpaqueUnaryFn_sqrt":
        return b.call("Sqrt", b.cast(parts[0], torch.float32))
    if name not in _FUNCTIONS:
        raise NoForm(f"it computes {size} of open sizes")
    if name.endswith("TrueDiv") or any(part.dtype.is_floating_point for part in parts):
        parts = [b.cast(part, torch.float32) for part in parts]
    return functools.reduce(lambda one, two: b.call(_FUNCTIONS[name], one, two), parts)


# Shapes


def expanded_to(b: Builder, x: Value, shape: Sequence[Any]) -> Value:
    """Return a tensor whose dimensions of the size 1 are extended.

    Raises:
        NoForm: no tensor has an open size of the shape.
    """
    for _ in range(len(shape) - x.rank):
        x = b.call("ExpandDims", x, 0)
    known = [wanted if isinstance(wanted, int) and own == 1 else 1 for own, wanted in zip(x.shape, shape)]
    if any(size != 1 for size in known):
        if is_open(x.shape):
            x = b.call("Tile", x, tuple(known))
        else:
            x = b.call("BroadcastTo", x, shape=tuple([max(*sizes) for sizes in zip(x.shape, known)]))
    for dim, size in enumerate(shape):
        if not isinstance(size, int) and isinstance(x.shape[dim], int):
            x = b.call("Gather", x, b.call("ZerosLike", length(b, size)), dim, batch_dims=0)
    return x


def reshaped(b: Builder, x: Value, shape: Sequence[Any]) -> Value:
    """Return a tensor with another shape, of which several sizes may be open.

    Raises:
        NoForm: its open sizes cannot be separated from the others.
    """
    shape = _complete(b, x, shape)
    if len(shape) == x.rank and all(map(same_size, x.shape, shape)):
        return x
    if sum([not isinstance(size, int) for size in shape]) < 2:
        return b.reshape(x, shape)
    groups = _groups(x.shape, shape)
    before = [dim for source, target in groups for dim in source if is_open([shape[n] for n in target])]
    order = [*before, *(dim for dim in range(x.rank) if dim not in before)]
    first = [dim for _, target in groups for dim in target if is_open([shape[n] for n in target])]
    last = [dim for dim in range(len(shape)) if dim not in first]
    x = x if order == sorted(order) else b.call("Transpose", x, tuple(order))
    rows = b.flat_forms.get(x.name, x) if len(before) > 1 and before == first else x
    rows = b.reshape(rows, (-1, *[shape[dim] for dim in last]))
    found = b.call("Gather", rows, _places(b, [shape[dim] for dim in first]), 0, batch_dims=0)
    b.flat_forms[found.name] = rows
    back = [*first, *last]
    if back == sorted(back):
        return found
    return b.call("Transpose", found, tuple([back.index(dim) for dim in range(len(back))]))


def _complete(b: Builder, x: Value, shape: Sequence[Any]) -> list[Any]:
    """Return a shape with a size in place of -1."""
    if all(not isinstance(size, int) or size != -1 for size in shape):
        return list(shape)
    others = [expression_of(size) for size in shape if not isinstance(size, int) or size != -1]
    whole = math.prod([expression_of(size) for size in x.shape])
    rest = size_of(b.mode, whole / math.prod(others)) if math.prod(others) != 0 else 0
    return [rest if isinstance(size, int) and size == -1 else size for size in shape]


def _groups(source: Sequence[Any], target: Sequence[Any]) -> list[tuple[range, range]]:
    """Return the dimensions of two shapes in groups that have as many elements."""
    found, first, second = [], 0, 0
    while first < len(source) or second < len(target):
        ends = [
            (i, j)
            for i in range(first, len(source) + 1)
            for j in range(second, len(target) + 1)
            if i + j > first + second and same_size(math.prod(source[first:i]), math.prod(target[second:j]))
        ]
        if not ends:
            raise NoForm("it mixes open sizes with others")
        i, j = min(ends, key=sum)
        found.append((range(first, i), range(second, j)))
        first, second = i, j
    return found


def _places(b: Builder, sizes: Sequence[Any]) -> Value:
    """Return the numbers from 0 on, in a tensor of these sizes."""
    known = [expression_of(size) for size in sizes]
    key = ("places", *known)
    if key not in b.lengths:
        found = arange(b, sizes[-1])
        for dim in range(len(sizes) - 2, -1, -1):
            step = functools.reduce(
                lambda one, two: b.call("Mul", one, two), [_count(b, each) for each in known[dim + 1 :]]
            )
            outer = b.call("Mul", arange(b, sizes[dim]), step)
            for number in range(found.rank):
                outer = b.call("ExpandDims", outer, number + 1, example=_vector(b, known[dim], *[1] * (number + 1)))
            inner = b.call("ExpandDims", found, 0, example=_vector(b, 1, *known[dim + 1 :]))
            found = b.call("Add", outer, inner, example=_vector(b, *known[dim:]))
        b.lengths[key] = found
    return b.lengths[key]
