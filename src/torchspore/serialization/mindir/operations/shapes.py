"""Operations that rearrange elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from torchspore.serialization.mindir.building import Builder, NoForm, Value
from torchspore.serialization.mindir.open_sizes import arange, expanded_to, is_open, reshaped, same_size
from torchspore.serialization.mindir.operations.forms import form, operand

aten = torch.ops.aten


@form(aten.view.default, aten.reshape.default, aten._unsafe_view.default)
def _view(b: Builder, x: Value, shape: Sequence[Any]) -> Value:
    return reshaped(b, x, shape)


@form(
    aten.clone.default, aten.contiguous.default, aten.alias.default, aten.detach.default, aten.lift_fresh_copy.default
)
def _same(b: Builder, x: Value) -> Value:
    return x


@form(aten.permute.default)
def _permute(b: Builder, x: Value, dims: Sequence[int]) -> Value:
    return b.call("Transpose", x, tuple([dim % x.rank for dim in dims]))


@form(aten.transpose.int)
def _transpose(b: Builder, x: Value, dim0: int, dim1: int) -> Value:
    order = list(range(x.rank))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return _permute(b, x, order)


@form(aten.t.default)
def _t(b: Builder, x: Value) -> Value:
    return _permute(b, x, range(x.rank)[::-1])


@form(aten.unsqueeze.default)
def _unsqueeze(b: Builder, x: Value, dim: int) -> Value:
    return b.call("ExpandDims", x, dim)


@form(aten.squeeze.dim, aten.squeeze.dims)
def _squeeze(b: Builder, x: Value, dim: int | Sequence[int]) -> Value:
    dims = [dim] if isinstance(dim, int) else dim
    axes = tuple([each % x.rank for each in dims if x.shape[each] == 1])
    return b.call("Squeeze", x, axis=axes) if axes else x


@form(aten.squeeze.default)
def _squeeze_all(b: Builder, x: Value) -> Value:
    return _squeeze(b, x, range(x.rank))


@form(aten.slice.Tensor)
def _slice(b: Builder, x: Value, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Value:
    dim %= x.rank
    end = None if end is not None and same_size(end, x.shape[dim]) else end
    if is_open([each for each in (start, end) if each is not None]):
        return _cut(b, x, dim, 0 if start is None else start, x.shape[dim] if end is None else end, step)
    return strided(b, x, {dim: (0 if start is None else start, end, step)})


def _cut(b: Builder, x: Value, dim: int, start: Any, end: Any, step: int) -> Value:
    """Return the elements between limits that are open sizes."""
    places = arange(b, (end - start + step - 1) // step)
    if step != 1:
        places = b.call("Mul", places, operand(b, step, torch.int32))
    if isinstance(start, torch.SymInt) or start:
        places = b.call("Add", places, operand(b, start, torch.int32))
    return b.call("Gather", x, places, dim, batch_dims=0)


def strided(b: Builder, x: Value, parts: dict[int, tuple[int, int | None, int]]) -> Value:
    """Return the elements from a start to an end, by dimension."""
    begin, end, steps, mask = [0] * x.rank, [0] * x.rank, [1] * x.rank, 0
    for dim, size in enumerate(x.shape):
        first, last, step = parts.get(dim, (0, None, 1))
        if not all(isinstance(each, int) for each in (first, step)) or not isinstance(last, (int, type(None))):
            raise NoForm("its limits depend on an open size")
        known = isinstance(size, int)
        whole = last is None or last >= (size if known else 2**63 - 1)
        begin[dim] = max(first + size, 0) if known and first < 0 else first
        begin[dim] = min(begin[dim], size) if known else begin[dim]
        end[dim] = last if last is not None and not whole else size if known else 0
        steps[dim] = step
        mask |= (whole and not known) << dim
    masks = dict.fromkeys(["begin_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"], 0)
    return b.call("StridedSlice", x, tuple(begin), tuple(end), tuple(steps), end_mask=mask, **masks)


@form(aten.select.int)
def _select(b: Builder, x: Value, dim: int, index: int) -> Value:
    dim, size = dim % x.rank, x.shape[dim]
    index = index % size if isinstance(size, int) else index
    return b.call("Squeeze", strided(b, x, {dim: (index, index + 1 or None, 1)}), axis=(dim,))


@form(aten.cat.default)
def _cat(b: Builder, tensors: Sequence[Value], dim: int = 0) -> Value:
    dtype = tensors[0].dtype
    for each in tensors[1:]:
        dtype = torch.promote_types(dtype, each.dtype)
    parts = [b.cast(each, dtype) for each in tensors if each.rank > 1 or each.shape != (0,)]
    return parts[0] if len(parts) == 1 else b.call("Concat", b.together(parts), axis=dim % parts[0].rank)


@form(aten.stack.default)
def _stack(b: Builder, tensors: Sequence[Value], dim: int = 0) -> Value:
    return b.call("Stack", b.together(tensors), axis=dim % (tensors[0].rank + 1))


@form(aten.split.Tensor)
def _split(b: Builder, x: Value, size: int, dim: int = 0) -> tuple[Value, ...]:
    total = x.shape[dim]
    sizes = [min(size, total - start) for start in range(0, total, size)]
    return _split_sizes(b, x, sizes, dim)


@form(aten.split_with_sizes.default)
def _split_sizes(b: Builder, x: Value, sizes: Sequence[int], dim: int = 0) -> tuple[Value, ...]:
    dim %= x.rank
    if len(set(sizes)) == 1:
        found = b.call("Split", x, axis=dim, output_num=len(sizes), num_split=len(sizes))
        return tuple([b.item(found, number) for number in range(len(sizes))])
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    return tuple([strided(b, x, {dim: (start, start + size, 1)}) for start, size in zip(starts, sizes)])


@form(aten.expand.default)
def _expand(b: Builder, x: Value, size: Sequence[Any]) -> Value:
    offset = len(size) - x.rank
    wanted = [
        x.shape[number - offset] if isinstance(each, int) and each == -1 else each for number, each in enumerate(size)
    ]
    return expanded_to(b, x, wanted)


torch.library.define("torchspore::edged", "(Tensor x, SymInt[] pad, Scalar value) -> Tensor")
torch.library.impl("torchspore::edged", "CompositeExplicitAutograd")(aten.constant_pad_nd.default)


@torch.library.register_fake("torchspore::edged")
def _fake_edged(x: torch.Tensor, pad: Sequence[Any], value: float) -> torch.Tensor:
    shape = list(x.shape)
    for number in range(len(pad) // 2):
        shape[-1 - number] += pad[2 * number] + pad[2 * number + 1]
    return x.new_empty(shape)


def edged(x: torch.Tensor, pad: Sequence[Any], value: float = 0) -> torch.Tensor:
    """Return what constant_pad_nd does, in expansions: torch's fixes open sizes."""
    return torch.ops.torchspore.edged(x, pad, value)


@form(aten.constant_pad_nd.default, torch.ops.torchspore.edged.default)
def padded(b: Builder, x: Value, pad: Sequence[Any], value: float = 0) -> Value:
    """Return a tensor with edges of a value: before and after the last dimension, then the one before it, and so on."""
    pairs = {x.rank - 1 - number: (pad[2 * number], pad[2 * number + 1]) for number in range(len(pad) // 2)}
    moved = {dim: pair for dim, pair in pairs.items() if is_open(pair)}
    pairs = {dim: (1, 1) if dim in moved else pair for dim, pair in pairs.items()}
    cut = {dim: (max(-low, 0), min(high, 0) or None, 1) for dim, (low, high) in pairs.items()}
    x = strided(b, x, cut) if min([0, *[each for pair in pairs.values() for each in pair]]) < 0 else x
    edges = tuple([tuple([max(each, 0) for each in pairs.get(dim, (0, 0))]) for dim in range(x.rank)])
    is_bool = x.dtype == torch.bool
    x = b.cast(x, torch.int32) if is_bool else x
    found = _with_zeros(b, x, edges)
    if value != 0:  # zeros within, the value at the edges
        first = strided(b, x, {dim: (0, 1, 1) for dim, pair in enumerate(edges) if pair == (0, 0)})
        within = _with_zeros(b, b.call("OnesLike", first), edges)
        if abs(value) == math.inf:  # times 0 it is NaN
            found = b.call("Add" if value < 0 else "Sub", found, b.call("Log", within))
        else:
            outside = b.call("Sub", operand(b, 1, x.dtype), within)
            found = b.call("Add", found, b.call("Mul", outside, operand(b, value, x.dtype)))
    for dim, (low, high) in moved.items():
        found = _between_edges(b, found, dim, low, high)
    return b.cast(found, torch.bool) if is_bool else found


def _with_zeros(b: Builder, x: Value, edges: Sequence[tuple[int, ...]]) -> Value:
    sizes = [size + low + high for size, (low, high) in zip(x.shape, edges)]
    with b.mode:
        return b.call("Pad", x, paddings=tuple(edges), example=x.example.new_empty(sizes))


def _between_edges(b: Builder, x: Value, dim: int, low: Any, high: Any) -> Value:
    """Return a tensor with edges of open sizes: it has one element of each edge, which is repeated or cut."""
    size = x.shape[dim] - 2
    places = b.call("Sub", arange(b, size + low + high), operand(b, low - 1, torch.int32))
    places = b.call("Maximum", places, operand(b, 0, torch.int32))
    return b.call("Gather", x, b.call("Minimum", places, operand(b, size + 1, torch.int32)), dim, batch_dims=0)


def filled(b: Builder, shape: Sequence[Any], value: Any, dtype: torch.dtype) -> Value:
    """Return a tensor of equal elements."""
    known = [size if isinstance(size, int) else 1 for size in shape]
    filled = (
        operand(b, value, dtype)
        if isinstance(value, torch.SymInt)
        else b.constant(torch.full(known, value, dtype=dtype))
    )
    return expanded_to(b, filled, shape)


@form(aten.full.default)
def _full(b: Builder, size: Sequence[Any], value: Any, dtype: torch.dtype | None = None) -> Value:
    return filled(b, size, value, dtype or torch.full((), value).dtype)


@form(aten.zeros.default, aten.empty.memory_format)
def _zeros(b: Builder, size: Sequence[Any], dtype: torch.dtype | None = None) -> Value:
    return filled(b, size, 0, dtype or torch.get_default_dtype())


@form(aten.ones.default)
def _ones(b: Builder, size: Sequence[Any], dtype: torch.dtype | None = None) -> Value:
    return filled(b, size, 1, dtype or torch.get_default_dtype())


@form(aten.scalar_tensor.default)
def _scalar_tensor(b: Builder, value: Any, dtype: torch.dtype | None = None) -> Value:
    return operand(b, value, dtype or torch.get_default_dtype())


@form(aten.arange.default)
def _arange(b: Builder, end: Any, dtype: torch.dtype | None = None) -> Value:
    return b.cast(arange(b, end), dtype or torch.int64)


@form(aten.arange.start, aten.arange.start_step)
def _arange_from(b: Builder, start: Any, end: Any, step: Any = 1, dtype: torch.dtype | None = None) -> Value:
    if not all(isinstance(each, (int, torch.SymInt)) for each in (start, end, step)):
        raise NoForm("it counts in fractions to an open size")
    dtype = dtype or torch.int64
    found = b.cast(arange(b, (end - start + step - 1) // step), dtype)
    found = found if step == 1 else b.call("Mul", found, operand(b, step, dtype))
    return b.call("Add", found, operand(b, start, dtype))


@form(aten.full_like.default, aten.fill.Scalar)
def _full_like(b: Builder, x: Value, value: float, dtype: torch.dtype | None = None) -> Value:
    return filled(b, x.shape, value, dtype or x.dtype)


@form(aten.zeros_like.default, aten.empty_like.default, aten.zero.default)
def _zeros_like(b: Builder, x: Value, dtype: torch.dtype | None = None) -> Value:
    return filled(b, x.shape, 0, dtype or x.dtype)


@form(aten.ones_like.default)
def _ones_like(b: Builder, x: Value, dtype: torch.dtype | None = None) -> Value:
    return filled(b, x.shape, 1, dtype or x.dtype)


@form(aten.new_zeros.default, aten.new_empty.default)
def _new_zeros(b: Builder, x: Value, size: Sequence[Any], dtype: torch.dtype | None = None) -> Value:
    return filled(b, size, 0, dtype or x.dtype)


@form(aten.new_ones.default)
def _new_ones(b: Builder, x: Value, size: Sequence[Any], dtype: torch.dtype | None = None) -> Value:
    return filled(b, size, 1, dtype or x.dtype)


@form(aten.new_full.default)
def _new_full(b: Builder, x: Value, size: Sequence[Any], value: float, dtype: torch.dtype | None = None) -> Value:
    return filled(b, size, value, dtype or x.dtype)


@form(aten.copy.default)
def _copy(b: Builder, x: Value, source: Value) -> Value:
    source = b.cast(source, x.dtype)
    return expanded_to(b, source, x.shape)


@form(aten.flip.default)
def _flip(b: Builder, x: Value, dims: Sequence[int]) -> Value:
    return b.call("ReverseV2", x, axis=tuple([dim % x.rank for dim in dims])) if dims else x


@form(aten.repeat.default)
def _repeat(b: Builder, x: Value, repeats: Sequence[int]) -> Value:
    for _ in range(len(repeats) - x.rank):
        x = b.call("ExpandDims", x, 0)
    if is_open(repeats) and all(size == 1 for size, count in zip(x.shape, repeats) if not isinstance(count, int)):
        return expanded_to(b, x, [count if size == 1 else size for size, count in zip(x.shape, repeats)])
    return b.call("Tile", x, tuple(repeats))


@form(aten.index_select.default)
def _index_select(b: Builder, x: Value, dim: int, index: Value) -> Value:
    if x.rank == 0:
        return x
    index = index if index.rank else b.call("ExpandDims", index, 0)
    return b.call("Gather", x, index, dim % x.rank, batch_dims=0)


@form(aten.gather.default)
def _gather(b: Builder, x: Value, dim: int, index: Value, sparse_grad: bool = False) -> Value:
    return b.call("GatherD", x, dim % x.rank, index) if x.rank else x


@form(aten.nonzero.default)
def _nonzero(b: Builder, x: Value) -> Value:
    return b.call("NonZero", x)


@form(aten.masked_select.default)
def _masked_select(b: Builder, x: Value, mask: Value) -> Value:
    return b.call("MaskedSelect", x, mask)


@form(aten.view_as_real.default)
def _view_as_real(b: Builder, x: Value) -> Value:
    return b.call("Stack", b.together([b.call("Real", x), b.call("Imag", x)]), axis=x.rank)
