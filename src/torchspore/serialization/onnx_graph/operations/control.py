"""Branches, loops, shapes, ranges, and sequences of tensors."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common.private_torch import FakeTensor
from torchspore.common.scopes.scope import scope
from torchspore.serialization.onnx_graph.operations.movement import listed
from torchspore.serialization.onnx_graph.small import LIMIT, Small, as_tensor, numbers, outside, truth
from torchspore.serialization.onnx_graph.table import Operation, Table

if TYPE_CHECKING:
    from torchspore.serialization.onnx_graph.body import Body

__all__ = ["TABLE"]


def _asks_for_shapes(value: Any) -> bool:
    """Return whether only the memory of what is computed is asked for, and a value is unknown."""
    return isinstance(value, FakeTensor) and scope.tracing is None


def _unpacked(results: list[Any]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


def _if(*given: Any, then_branch: Body, else_branch: Body) -> Any:
    if _asks_for_shapes(given[0]):
        else_branch.run(given)
        return _unpacked(then_branch.run(given))
    return _unpacked((then_branch if truth(given[0]) else else_branch).run(given))


def _stacked(parts: Sequence[Any], sizes: Any, axis: int = 0) -> Tensor:
    """Return the results of all passes as one tensor; `sizes` are those that the file declares for one result."""
    if parts:
        return torch.stack([as_tensor(part) for part in parts], axis)
    shape = list(sizes or ())
    shape.insert(axis, 0)
    return torch.zeros(shape, device=devices.current())


def _loop(*given: Any, body: Body) -> Any:
    trips, condition = given[:2]
    carried = list(given[2 : body.own])
    count = len(carried)
    if _asks_for_shapes(trips) or _asks_for_shapes(condition):
        results = body.run(given, _scalar(0), _scalar(True), *carried)
        return _unpacked([*results[1 : count + 1], *[_stacked([part], None) for part in results[count + 1 :]]])
    limit = math.inf if trips is None else listed(numbers(trips))[0]
    scanned: list[list[Any]] = [[] for _ in body.sizes[count + 1 :]]
    number = 0
    while number < limit and (condition is None or truth(condition)):
        results = body.run(given, _scalar(number), _scalar(True) if condition is None else condition, *carried)
        if condition is not None or trips is None:
            condition = results[0]
        carried = results[1 : count + 1]
        for parts, part in zip(scanned, results[count + 1 :]):
            parts.append(part)
        number += 1
        if condition is not None and _asks_for_shapes(condition):
            break
    stacks = [_stacked(parts, sizes) for parts, sizes in zip(scanned, body.sizes[count + 1 :])]
    return _unpacked([*carried, *stacks])


# The same small values are the same objects, so that steps find their last results.


@functools.lru_cache(1024, typed=True)
def _scalar(value: int) -> Small:
    return Small(outside(functools.partial(torch.tensor, value)))


@functools.lru_cache(1024)
def _sizes(sizes: tuple[int, ...]) -> Small:
    return Small(outside(functools.partial(torch.tensor, sizes, dtype=torch.int64)))


def _scan(
    *given: Any,
    body: Body,
    num_scan_inputs: int,
    scan_input_axes: Sequence[int] | None = None,
    scan_input_directions: Sequence[int] | None = None,
    scan_output_axes: Sequence[int] | None = None,
    scan_output_directions: Sequence[int] | None = None,
) -> Any:
    inputs = list(given[: body.own])
    states = inputs[: len(inputs) - num_scan_inputs]
    axes = list(scan_input_axes or [0] * num_scan_inputs)
    backwards = list(scan_input_directions or [0] * num_scan_inputs)
    sequences = []
    for value, axis, is_backward in zip(inputs[len(states) :], axes, backwards):
        parts = list(as_tensor(value).unbind(axis))
        sequences.append(parts[::-1] if is_backward else parts)
    if len({len(parts) for parts in sequences}) != 1:
        raise ValueError("the sequences of a scan have different lengths, or there are none")
    scanned: list[list[Any]] = [[] for _ in body.sizes[len(states) :]]
    for slices in zip(*sequences):
        results = body.run(given, *states, *slices)
        for found, part in zip(scanned, results[len(states) :]):
            found.append(part)
        states = results[: len(states)]
    output_axes = list(scan_output_axes or [0] * len(scanned))
    output_backwards = list(scan_output_directions or [0] * len(scanned))
    stacks = [
        _stacked(found[::-1] if is_backward else found, sizes, axis)
        for found, axis, is_backward, sizes in zip(scanned, output_axes, output_backwards, body.sizes[len(states) :])
    ]
    return _unpacked([*states, *stacks])


def _batched_scan(*given: Any, body: Body, num_scan_inputs: int, directions: Sequence[int] | None = None) -> Any:
    """Return the version of opset 8: a scan of each part of a batch."""
    if given[0] is not None:
        raise ValueError("a scan over sequences of different lengths has no counterpart")
    inputs = [as_tensor(value).unbind(0) for value in given[1 : body.own]]
    rows = []
    for parts in zip(*inputs):
        result = _scan(
            *parts, *given[body.own :], body=body.without_first(), num_scan_inputs=num_scan_inputs,
            scan_input_directions=directions,
        )  # fmt: skip
        rows.append(result if isinstance(result, tuple) else (result,))
    return _unpacked([_stacked(parts, None) for parts in zip(*rows)])


def _shape(x: Any, *, start: int = 0, end: int | None = None) -> Small:
    shape = x.tensor.shape if type(x) is Small else x.shape
    return _sizes(tuple([int(size) for size in shape][start:end]))


def _size(x: Any) -> Small:
    return _scalar(int(x.tensor.numel() if type(x) is Small else x.numel()))


def _range(start: Any, limit: Any, delta: Any, *, stash_type: int | None = None) -> Any:
    dtype = (start.tensor if type(start) is Small else start).dtype
    low, high, step = [listed(numbers(value))[0] for value in (start, limit, delta)]
    if step == 0:
        raise ValueError("a range has the step 0")
    count = max(math.ceil((high - low) / step), 0)
    if count <= LIMIT and all(type(value) is Small for value in (start, limit, delta)):
        return _small_range(low, step, count, dtype)
    return _values(low, step, count, dtype, devices.current())


def _values(low: float, step: float, count: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    return (torch.arange(count, device=device) * step + low).to(dtype)


@functools.lru_cache(1024, typed=True)
def _small_range(low: float, step: float, count: int, dtype: torch.dtype) -> Small:
    return Small(outside(lambda: _values(low, step, count, dtype, torch.device("cpu"))))


def _sequence(*parts: Any) -> list[Any]:
    return list(parts)


def _element(sequence: list[Any], position: int) -> Any:
    return sequence[listed(position)[0]]


def _inserted(sequence: list[Any], tensor: Any, position: int | None = None) -> list[Any]:
    place = len(sequence) if position is None else listed(position)[0]
    if not -len(sequence) <= place <= len(sequence):
        raise ValueError(f"the position {place} is not in a sequence of {len(sequence)}")
    place = place + len(sequence) if place < 0 else place
    return [*sequence[:place], tensor, *sequence[place:]]


def _erased(sequence: list[Any], position: int | None = None) -> list[Any]:
    place = len(sequence) - 1 if position is None else listed(position)[0]
    if not -len(sequence) <= place < len(sequence):
        raise ValueError(f"the position {place} is not in a sequence of {len(sequence)}")
    return [part for number, part in enumerate(sequence) if number != place % len(sequence)]


def _length(sequence: list[Any]) -> Small:
    return _scalar(len(sequence))


def _joined(sequence: list[Any], *, axis: int, new_axis: int = 0) -> Tensor:
    parts = [as_tensor(part) for part in sequence]
    return torch.stack(parts, axis) if new_axis else torch.cat(parts, axis)


def _split_sequence(x: Tensor, split: Any = None, *, axis: int = 0, keepdims: int = 1) -> list[Tensor]:
    parts = list(torch.split(x, 1 if split is None else split, axis))
    return parts if keepdims or split is not None else [part.squeeze(axis) for part in parts]


def _has_element(value: Any = None) -> Small:
    return _scalar(value is not None)


def _optional(value: Any = None, *, type: Any = None) -> Any:
    return value


TABLE: Table = {
    "ConcatFromSequence": Operation(_joined, raw=True),
    "If": Operation(_if, raw=True),
    "Loop": Operation(_loop, raw=True),
    "Optional": Operation(_optional, raw=True),
    "OptionalGetElement": Operation(_optional, raw=True),
    "OptionalHasElement": Operation(_has_element, raw=True),
    "Range": Operation(_range, raw=True),
    "Scan": {8: Operation(_batched_scan, raw=True), 9: Operation(_scan, raw=True)},
    "SequenceAt": Operation(_element, (1,)),
    "SequenceConstruct": Operation(_sequence),
    "SequenceEmpty": Operation(lambda *, dtype=1: [], raw=True),
    "SequenceErase": Operation(_erased, (1,)),
    "SequenceInsert": Operation(_inserted, (2,)),
    "SequenceLength": Operation(_length, raw=True),
    "Shape": Operation(_shape, raw=True),
    "Size": Operation(_size, raw=True),
    "SplitToSequence": Operation(_split_sequence, (1,)),
}
