"""Caches of keys and values, paged or whole: writes, attention, and rotary positions."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import op
from torchspore.engine.parameters import NotSupported, Only
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.array.assignment import update
from torchspore.ops.attention.masks_and_scores import attend, packed_positions
from torchspore.ops.neural.fused import rotary_position_embedding

__all__ = ["ApplyRotaryPosEmb", "PagedAttention", "PagedAttentionMask", "ReshapeAndCache"]


# Writing


_QuantMode: TypeAlias = Annotated[str, Only("DEFAULT")]


def _tensors(api: str, **given: Any) -> None:
    for name, value in given.items():
        if not isinstance(value, _Tensor):
            raise TypeError(f"For '{api}', '{name}' must be a Tensor, but got {describe(value)}.")


def _write_pages(rows: _Tensor, cache: _Tensor, slots: Tensor, api: str, name: str) -> None:
    """Write rows into the slots of a cache, except for negative slots, without reading the slots on the host."""
    pages = cache._t
    values = rows._t
    if pages.dim() < 3 or values.numel() != slots.numel() * pages[0, 0].numel() or values.dtype is not pages.dtype:
        raise ValueError(
            f"For '{api}', '{name}' must have {pages[0, 0].numel() if pages.dim() > 2 else '?'} numbers per slot, of "
            f"the cache's dtype, and the cache must be of shape (pages, rows, ...), but got {describe(rows)}, "
            f"{describe(cache)} and {slots.numel()} slots."
        )
    if slots.numel() == 0:
        return
    values = values.reshape(-1, *pages.shape[2:])
    # Rows not to be written repeat one that is; if there is none, the first slot keeps its value.
    written = slots >= 0
    source = torch.where(written, torch.arange(slots.numel(), device=slots.device), written.int().argmax())
    slots = slots.long()[source].clamp(min=0)
    page, row = slots // pages.shape[1], slots % pages.shape[1]
    values = torch.where(written.any(), values[source], pages[page, row])
    update(cache, "index_put_", (page, row), values)


def reshape_and_cache(
    key: _Tensor,
    value: _Tensor | None = None,
    key_cache: Any = None,
    value_cache: _Tensor | None = None,
    slot_mapping: Any = None,
) -> _Tensor:
    """Write keys and values into paged caches, in place, and return `key`.

    Args:
        key: the keys of new tokens, of shape (tokens, N, D) or with the same number of elements.
        value: their values, likewise, or None. Default: None.
        key_cache: the cache of keys, a Parameter or Tensor of shape (pages, rows, N, D).
        value_cache: the cache of values, likewise, if there is a `value`. Default: None.
        slot_mapping: the slot of each token: the page times the rows of a page plus the row, ints of shape (tokens,);
            a token with a negative number is left out.

    Raises ValueError if the shapes or dtypes do not fit, or a slot is out of range.
    """
    api = "ReshapeAndCache"
    _tensors(api, key=key, key_cache=key_cache, slot_mapping=slot_mapping)
    slots = slot_mapping._t.reshape(-1)
    _write_pages(key, key_cache, slots, api, "key")
    if value is not None:
        _tensors(api, value=value, value_cache=value_cache)
        _write_pages(value, value_cache, slots, api, "value")  # type: ignore[arg-type]
    return key


ReshapeAndCache = primitive("ReshapeAndCache", reshape_and_cache)
ReshapeAndCache.__doc__ = f"""{reshape_and_cache.__doc__}
    Examples:
        >>> import torchspore as ms
        >>> cache = ms.Parameter(ms.ops.zeros((2, 2, 1, 1)))  # two pages of two rows
        >>> key = ms.Tensor([5.0, 6.0]).reshape((2, 1, 1))
        >>> _ = ms.ops.ReshapeAndCache()(key, None, cache, None, ms.Tensor([3, 0], ms.int32))
        >>> print(cache.flatten())
        [6. 0. 0. 5.]
"""


def kv_cache_scatter_update(var: Any, indices: Any, updates: Any, axis: int, reduce: str = "none") -> _Tensor:
    """Write the keys or values of new tokens into a cache, in place, and return it.

    Args:
        var: the cache, a Parameter or Tensor of 4 dimensions, the first being the batch.
        indices: the start of each sample's new tokens, ints of shape (B,).
        updates: the new tokens, of the shape of `var` except for dimension `axis`.
        axis: the dimension of the tokens, -1 or -2.
        reduce: "none" or "update", which are the same. Default: "none".
    """
    api = "KVCacheScatterUpdate"
    _tensors(api, var=var, indices=indices, updates=updates)
    if axis not in (-1, -2) or reduce not in ("none", "update"):
        raise ValueError(
            f"For '{api}', 'axis' must be -1 or -2, and 'reduce' 'none' or 'update', but got {axis!r} and {reduce!r}."
        )
    sizes, others = [[size for d, size in enumerate(x._t.shape) if d != 4 + axis] for x in (var, updates)]
    if var._t.dim() != 4 or updates._t.dim() != 4 or sizes != others or indices._t.shape != var._t.shape[:1]:
        raise ValueError(
            f"For '{api}', 'var' and 'updates' must have 4 dimensions, of the same sizes except 'axis', and "
            f"'indices' one number per sample, but got {describe([var, updates, indices])}."
        )
    ranges = [torch.arange(size, device=var._t.device) for size in updates._t.shape]
    at = list(torch.meshgrid(ranges, indexing="ij"))
    at[axis] = at[axis] + indices._t.long()[:, None, None, None]
    return update(var, "index_put_", tuple(at), updates)


# Attention


def _rows_of(cache: Tensor, table: Tensor, heads: int) -> Tensor:
    """Return the rows of the pages in each line of a table, of shape (lines, rows, heads, D)."""
    return cache[table].flatten(1, 2).reshape(table.shape[0], -1, heads, cache[0, 0].numel() // heads)


def _fitted(bias: Tensor | None, count: int) -> Tensor | None:
    """Pad a bias to the scores of `count` keys; the missing keys are hidden anyway."""
    if bias is None or bias.shape[-1] in (1, count):
        return bias
    return F.pad(bias, (0, count - bias.shape[-1]))


def _bias(query: Tensor, *masks: Tensor | None) -> Tensor | None:
    """Return the sum of masks, broadcastable to (tokens, N, keys); True hides a key."""
    total = None
    for mask in masks:
        if mask is not None:
            mask = mask.unsqueeze(1) if mask.dim() == 2 else mask.flatten(2) if mask.dim() == 4 else mask
            if mask.dtype is torch.bool:
                mask = query.new_zeros(()).masked_fill(mask, torch.finfo(query.dtype).min)
            total = mask.to(query.dtype) if total is None else total + mask.to(query.dtype)
    return total


def _each(queries: Tensor, keys: Tensor, values: Tensor, counts: Tensor, bias: Tensor | None, scale: float) -> Tensor:
    """Return the attention of tokens (T, N, D), each with its own keys (T, rows, N of the keys, D)."""
    hidden = torch.arange(keys.shape[1], device=keys.device) >= counts[:, None]
    shift = None if bias is None else bias.unsqueeze(2)
    k, v = keys.transpose(1, 2), values.transpose(1, 2)
    return attend(queries.unsqueeze(2), k, v, shift, hidden[:, None, None], scale, 0.0).squeeze(2)


def _sequences(
    queries: Tensor, keys: Tensor, values: Tensor, counts: Tensor, bias: Tensor | None, scale: float, rows: Tensor,
    causal: bool,
) -> Tensor:  # fmt: skip
    """Return the attention of the packed tokens (T, N, D) of sequences, as one sequence with all keys.

    `rows` is the number of tokens of each sequence. If causal, the last token of a sequence sees the last key.
    """
    lines, size = keys.shape[:2]
    line, position, length = packed_positions(rows.cumsum(0), queries.shape[0])
    line = line.clamp(max=lines - 1)  # tokens after all sequences see the keys of the last one
    keys_position = torch.arange(size, device=keys.device)
    last = counts[line] - length + position if causal else counts[line] - 1
    hidden = (keys_position > last[:, None])[:, None].expand(-1, lines, -1)
    foreign = (line[:, None] != torch.arange(lines, device=keys.device))[..., None].expand(-1, -1, size)
    shift = queries.new_zeros(()).masked_fill(foreign, -torch.inf)[:, None]
    shift = shift if bias is None else shift + bias.unsqueeze(2)
    q, k, v = [x.transpose(0, 1)[None] for x in (queries, keys.flatten(0, 1), values.flatten(0, 1))]
    shift = shift.flatten(2).transpose(0, 1)[None]
    return attend(q, k, v, shift, (hidden & ~foreign).flatten(1), scale, 0.0)[0].transpose(0, 1)


def _paged_attention(
    query: Tensor, caches: tuple[Tensor, Tensor], table: Tensor | None, counts: Tensor | None,
    heads: tuple[int, int], scale: float, bias: Tensor | None, rows: Tensor | None = None, causal: bool = False,
) -> Tensor:  # fmt: skip
    """Return the attention to paged caches, of the shape of the queries except for the size of a head."""
    if table is None or counts is None or table.dim() != 2 or counts.numel() != table.shape[0]:
        raise ValueError("'block_tables' must be of shape (sequences, pages) and 'context_lens' (sequences,)")
    keys, values = [_rows_of(cache, table, heads[1]) for cache in caches]
    if heads[0] % heads[1] or query.numel() % (heads[0] * keys.shape[-1]):
        raise ValueError(
            f"the queries must have {heads[0]} heads of size {keys.shape[-1]}, as the keys, and 'kv_head_num' must "
            "divide 'head_num'"
        )
    queries = query.reshape(-1, heads[0], keys.shape[-1])
    bias, counts = _fitted(bias, keys.shape[1]), counts.reshape(-1)
    if rows is not None:
        result = _sequences(queries, keys, values, counts, bias, scale, rows.reshape(-1), causal)
    elif queries.shape[0] == keys.shape[0]:
        result = _each(queries, keys, values, counts, bias, scale)
    else:
        raise ValueError(
            f"{queries.shape[0]} tokens of {keys.shape[0]} sequences need 'q_seq_lens', the number of tokens of each "
            "sequence"
        )
    sizes = result.shape[-1:] if query.shape[-1] == keys.shape[-1] else (result[0].numel(),)
    return result.reshape(*query.shape[:-1], *sizes)


@as_primitive
def PagedAttention(
    query: Tensor, key_cache: Tensor, value_cache: Tensor | None = None, block_tables: Tensor | None = None,
    context_lens: Tensor | None = None, antiquant_scale: NotSupported = None, antiquant_offset: NotSupported = None,
    attn_mask: Tensor | None = None, q_seq_lens: Tensor | None = None, alibi_mask: Tensor | None = None, *,
    head_num: int, scale_value: float, kv_head_num: int, kv_cache_quant_mode: _QuantMode = "DEFAULT",
    mask_mode: Literal["MASK_DEFAULT", "TRAPEZOIDAL"] = "MASK_DEFAULT", mla_v_dim: int = 0,
) -> Tensor:  # fmt: skip
    """Attention of new tokens to paged caches of keys and values.

    Args:
        query: the queries, of shape (tokens, N, D), or (..., N * D).
        key_cache: the keys, of shape (pages, rows, N of the keys, D).
        value_cache: the values, likewise. Default: None, they are a part of the keys.
        block_tables: the pages of each sequence, ints of shape (sequences, pages of a sequence). Each token is a
            sequence, unless there are `q_seq_lens`.
        context_lens: the number of keys of each sequence, ints of shape (sequences,).
        antiquant_scale, antiquant_offset: None.
        attn_mask, alibi_mask: what is added to the scores, of shape (tokens, keys of a sequence), or (tokens, N, keys
            of a sequence); bools hide the keys where they are True. Default: None.
        q_seq_lens: the number of tokens of each sequence; the tokens are packed. Default: None.
        head_num: the number of heads of the queries, N.
        scale_value: the scale, usually 1 / sqrt(D).
        kv_head_num: the number of heads of the keys.
        kv_cache_quant_mode: "DEFAULT".
        mask_mode: "MASK_DEFAULT", or "TRAPEZOIDAL": causal, the last token of each sequence sees the last key.
            Default: "MASK_DEFAULT".
        mla_v_dim: without a cache of values, the number of elements of the keys that are the values. Default: 0.

    Returns a Tensor of the shape of `query`, in which D is the D of the values.

    Raises:
        NotImplementedError: quantized caches.

    Examples:
        >>> import torchspore as ms
        >>> cache = ms.Tensor([1.0, 3.0, 5.0, 7.0]).reshape((2, 2, 1, 1))  # two pages of two rows
        >>> attention = ms.ops.PagedAttention(1, 1.0, 1)
        >>> tables, lengths = ms.Tensor([[1, 0]], ms.int32), ms.Tensor([3], ms.int32)
        >>> print(attention(ms.ops.zeros((1, 1, 1)), cache, cache, tables, lengths).flatten())
        [4.3333335]
    """
    if (value_cache is None) is (mla_v_dim == 0):
        raise ValueError("exactly one of 'value_cache' and 'mla_v_dim' must be given")
    caches = (key_cache, key_cache[..., :mla_v_dim] if value_cache is None else value_cache)
    bias = _bias(query, attn_mask, alibi_mask)
    heads, causal = (head_num, kv_head_num), mask_mode == "TRAPEZOIDAL"
    return _paged_attention(query, caches, block_tables, context_lens, heads, scale_value, bias, q_seq_lens, causal)


@as_primitive
def PagedAttentionMask(
    query: Tensor, key_cache: Tensor, value_cache: Tensor, block_tables: Tensor, context_lens: Tensor,
    antiquant_scale: NotSupported = None, antiquant_offset: NotSupported = None,
    alibi_mask: Annotated[Tensor, "T N 1 K"] | None = None, *,
    head_num: int, scale_value: float, kv_head_num: int, kv_cache_quant_mode: _QuantMode = "DEFAULT",
) -> Tensor:  # fmt: skip
    """`PagedAttention` of one token of each sequence; `alibi_mask` is of shape (tokens, N, 1, keys of a sequence).

    Arguments and errors as for `PagedAttention`.

    Examples:
        >>> import torchspore as ms
        >>> cache = ms.Tensor([1.0, 3.0]).reshape((1, 2, 1, 1))
        >>> tables, lengths = ms.Tensor([[0]], ms.int32), ms.Tensor([2], ms.int32)
        >>> print(ms.ops.PagedAttentionMask(1, 1.0, 1)(ms.ops.zeros((1, 1, 1)), cache, cache, tables, lengths))
        [[[2.]]]
    """
    caches, bias = (key_cache, value_cache), _bias(query, alibi_mask)
    heads = (head_num, kv_head_num)
    return _paged_attention(query, caches, block_tables, context_lens, heads, scale_value, bias)


# Positions


@op(name="ApplyRotaryPosEmb")
def apply_rotary_pos_emb_(
    query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, position_ids: Tensor, cos_format: int = 0
) -> tuple[Tensor, Tensor]:
    """Rotate pairs of elements of queries and keys by the angles of their positions.

    Args:
        query: the queries of T tokens, of shape (..., N * D).
        key: their keys, of shape (..., N of the keys * D).
        cos: the cosines, of shape (positions, D), or, for `cos_format` 2 and 3, (T, D): the cosines of the tokens.
        sin: the sines, likewise.
        position_ids: the position of each token, T ints; without effect for `cos_format` 2 and 3.
        cos_format: 0 and 2 pair the first half of a head with the second, 1 and 3 neighbours. Default: 0.

    Returns the rotated queries and keys, of the same shapes and dtypes.
    Raises ValueError if the shapes do not fit, or for another `cos_format`.
    """
    size = cos.shape[-1]
    tokens = query[..., 0].numel()
    if cos_format not in (0, 1, 2, 3) or query.shape[-1] % size or key.shape[-1] % size or cos.dim() != 2:
        raise ValueError(
            "'cos_format' must be 0, 1, 2 or 3, and 'cos' of shape (positions, D), where D divides the last size of "
            "'query' and of 'key'"
        )
    if cos_format < 2 and position_ids.numel() != tokens:
        raise ValueError(f"there must be {tokens} positions")
    if cos_format >= 2 and cos.shape[0] < tokens:
        raise ValueError(f"there must be {tokens} rows of 'cos'")
    rows = [x[position_ids.reshape(-1)] if cos_format < 2 else x[:tokens] for x in (cos, sin)]
    rotated = []
    for x in (query, key):
        heads = x.reshape(tokens, -1, size)
        result = rotary_position_embedding.body(heads, rows[0][:, None], rows[1][:, None], cos_format % 2)
        rotated.append(result.to(x.dtype).reshape(x.shape))
    return rotated[0], rotated[1]


ApplyRotaryPosEmb = primitive("ApplyRotaryPosEmb", apply_rotary_pos_emb_, cos_format=0)
ApplyRotaryPosEmb.__doc__ = f"""{apply_rotary_pos_emb_.__doc__}
    Examples:
        >>> import torchspore as ms
        >>> cos, sin = ms.Tensor([[1.0, 1.0], [0.0, 0.0]]), ms.Tensor([[0.0, 0.0], [1.0, 1.0]])  # none, a quarter
        >>> x = ms.Tensor([[2.0, 3.0], [2.0, 3.0]])
        >>> print(ms.ops.ApplyRotaryPosEmb()(x, x, cos, sin, ms.Tensor([0, 1]))[0])
        [[ 2.  3.]
         [-3.  2.]]
"""
