"""Operations that rearrange elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torchspore.serialization.mindir.building import Builder, NoForm, Value
from torchspore.serialization.mindir.operations.forms import form

aten = torch.ops.aten


@form(aten.view.default, aten.reshape.default, aten._unsafe_view.default)
def _view(b: Builder, x: Value, shape: Sequence[Any]) -> Value:
    return b.reshape(x, shape)


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
    return strided(b, x, {dim % x.rank: (0 if start is None else start, end, step)})


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
    if index < 0 and not isinstance(size, int):
        raise NoForm("it counts from the end of an open size")
    index = index % size if isinstance(size, int) else index
    return b.call("Squeeze", strided(b, x, {dim: (index, index + 1, 1)}), axis=(dim,))


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
    if not all(isinstance(each, int) for each in size):
        raise NoForm("it extends a tensor to an open size")
    offset = len(size) - x.rank
    wanted = [x.shape[number - offset] if each == -1 else each for number, each in enumerate(size)]
    return b.call("BroadcastTo", x, shape=tuple(wanted))


@form(aten.constant_pad_nd.default)
def padded(b: Builder, x: Value, pad: Sequence[int], value: float = 0) -> Value:
    """Return a tensor with edges of a value: before and after the last dimension, then the one before it, and so on."""
    pairs = [(pad[2 * number], pad[2 * number + 1]) for number in range(len(pad) // 2)]
    first = x.rank - 1
    cut = {first - number: (max(-low, 0), min(high, 0) or None, 1) for number, (low, high) in enumerate(pairs)}
    x = strided(b, x, cut) if min(pad, default=0) < 0 else x
    pairs = [(max(low, 0), max(high, 0)) for low, high in pairs]
    is_bool = x.dtype == torch.bool
    x = b.cast(x, torch.int32) if is_bool else x
    inner = x.shape[x.rank - len(pairs) :]
    x = b.call("Pad", x, paddings=tuple([(0, 0)] * (x.rank - len(pairs)) + pairs[::-1]))
    if value != 0:  # zeros within, the value at the edges: it holds for an open number of images, too
        if not all(isinstance(size, int) for size in inner):
            raise NoForm("it pads an open size")
        edges = torch.zeros(inner, dtype=x.dtype)
        x = b.call(
            "Add", x, b.constant(torch.nn.functional.pad(edges, [n for pair in pairs for n in pair], value=value))
        )
    return b.cast(x, torch.bool) if is_bool else x


def filled(b: Builder, shape: Sequence[Any], value: Any, dtype: torch.dtype) -> Value:
    """Return a constant tensor of equal elements."""
    if not all(isinstance(size, int) for size in shape):
        raise NoForm("it makes a tensor of an open size")
    return b.constant(torch.full(tuple(shape), value, dtype=dtype))


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
    return source if source.shape == x.shape else _expand(b, source, x.shape)


@form(aten.flip.default)
def _flip(b: Builder, x: Value, dims: Sequence[int]) -> Value:
    return b.call("ReverseV2", x, axis=tuple([dim % x.rank for dim in dims])) if dims else x


@form(aten.repeat.default)
def _repeat(b: Builder, x: Value, repeats: Sequence[int]) -> Value:
    if len(repeats) > x.rank:
        x = b.reshape(x, (*[1] * (len(repeats) - x.rank), *x.shape))
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
