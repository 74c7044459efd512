"""The sparse attention of DeepSeek-V3.2: an indexer chooses keys, and attention sees these.

The lengths of sequences are in Tensors that are not read, so one graph serves all lengths.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.failures.errors import describe
from torchspore.engine.op import op
from torchspore.engine.parameters import Only, Positive
from torchspore.ops.attention.masks_and_scores import as_lengths, packed_positions
from torchspore.ops.attention.sparse import attend_to, chosen, chunks, wide

__all__ = ["lightning_indexer", "sparse_flash_attention"]

_ALL = 2**63 - 1


class _Positions(NamedTuple):
    """The sequence of each row, its position there, the sequence's length, and whether the row is valid: (B, S)."""

    sequence: Tensor
    position: Tensor
    length: Tensor
    valid: Tensor

    def visible(self, keys: _Positions, causal: bool) -> Tensor:
        """Return the mask of the keys that a query sees, of shape (B, S, S of the keys)."""
        seen = (self.sequence[..., None] == keys.sequence[:, None]) & self.valid[..., None] & keys.valid[:, None]
        if causal:  # the last query sees the last key
            corner = keys.length[:, None] - self.length[..., None]
            seen = seen & (keys.position[:, None] - self.position[..., None] <= corner)
        return seen


def _positions(x: Tensor, lengths: Tensor | None, packed: bool) -> _Positions:
    """Return the positions of the rows of (B, S, N, D), or of packed sequences (T, N, D)."""
    if packed and lengths is not None:
        sequence, position, length = packed_positions(lengths, x.shape[0])
        valid = sequence < lengths.shape[0]
        return _Positions(sequence[None], position[None], length[None], valid[None])
    position = torch.arange(x.shape[1], device=x.device)[None]
    length = torch.full_like(position[:, :1], x.shape[1]) if lengths is None else lengths[:, None].long()
    return _Positions(torch.zeros_like(position), position, length.expand(-1, x.shape[1]), position < length)


def _flat(x: _Positions, batch: int) -> _Positions:
    """Return the positions of a batch of sequences as positions of packed sequences."""
    position, length, valid = [part.expand(batch, -1).reshape(1, -1) for part in x[1:]]
    numbers = torch.arange(batch, device=position.device)[:, None].expand(-1, x.position.shape[1])
    return _Positions(numbers.reshape(1, -1), position, length, valid)


class _Inputs(NamedTuple):
    """Queries (B, N, S, D) and keys (B, groups, S, D), each in one or more parts, and the keys that queries see."""

    queries: list[Tensor]
    keys: list[Tensor]
    visible: Tensor
    positions: Tensor  # of each key in its sequence


def _check(
    api: str, queries: list[Tensor], keys: list[Tensor], layouts: tuple[str, str], lengths: tuple[Any, Any], table: Any
) -> None:
    if layouts[0] not in ("BSND", "TND") or layouts[1] not in (layouts[0], "PA_BSND"):
        raise ValueError(
            f"For '{api}', the layout of the queries must be 'BSND' or 'TND', and the layout of the keys the same or "
            f"'PA_BSND', but got {layouts}."
        )
    for layout, parts, given in zip(layouts, (queries, keys), lengths):
        if {x.dim() for x in parts} != {3 if layout == "TND" else 4}:
            raise ValueError(f"For '{api}', tensors are not in the layout {layout!r}: {describe(parts)}.")
        if layout != "BSND" and given is None:
            raise ValueError(f"For '{api}', the layout {layout!r} needs the lengths of the sequences.")
    if (layouts[1] == "PA_BSND") is (table is None):
        raise ValueError(
            f"For '{api}', 'block_table' is for keys in the layout 'PA_BSND', but got {describe(table)} with "
            f"{layouts[1]!r}."
        )


def _inputs(
    api: str,
    queries: list[Tensor],
    keys: list[Tensor],
    layouts: tuple[str, str],
    lengths: tuple[Any, Any],
    table: Tensor | None,
    mode: int,
) -> _Inputs:
    """Convert queries and keys to one layout."""
    _check(api, queries, keys, layouts, lengths, table)
    if mode not in (0, 3):
        raise ValueError(f"For '{api}', 'sparse_mode' must be 0 or 3, but got {mode}.")
    packed = layouts[0] == "TND"
    of_queries, of_keys = [as_lengths(x, api, "actual_seq_lengths", queries[0].device) for x in lengths]
    at_queries = _positions(queries[0], of_queries, packed)
    if table is not None:
        keys = [x[table].flatten(1, 2) for x in keys]
    at_keys = _positions(keys[0], of_keys, packed and table is None)
    if packed and table is not None:
        at_keys = _flat(at_keys, keys[0].shape[0])
        keys = [x.flatten(0, 1) for x in keys]
    if packed:
        queries, keys = [x[None] for x in queries], [x[None] for x in keys]
    return _Inputs(
        [x.transpose(1, 2) for x in queries],
        [x.transpose(1, 2) for x in keys],
        at_queries.visible(at_keys, mode == 3),
        at_keys.position[0],
    )


def _as_queries(x: Tensor, layout: str) -> Tensor:
    """Return (B, N, S, D) in the layout of the queries."""
    x = x.transpose(1, 2)
    return x.squeeze(0) if layout == "TND" else x


@op
def lightning_indexer(
    query: Tensor, key: Tensor, weights: Tensor, *, actual_seq_lengths_query: Any = None,
    actual_seq_lengths_key: Any = None, block_table: Tensor | None = None, layout_query: str = "BSND",
    layout_key: str = "BSND", sparse_count: Positive = 2048, sparse_mode: int = 3,
    pre_tokens: Annotated[int, Only(_ALL)] = _ALL,
    next_tokens: Annotated[int, Only(_ALL)] = _ALL, return_value: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The most important keys of each query: those with the greatest `sum(weights * relu(query @ key.T))` over heads.

    Args:
        query: the queries, of shape (B, S, N, D), or packed, (T, N, D), in the layout "TND".
        key: the keys, in the same layout, with fewer heads; or in pages, of shape (pages, rows, N, D), "PA_BSND".
        weights: the weight of each head of the queries, of shape (B, S, N) or (T, N).
        actual_seq_lengths_query: the number of queries of each sequence, of shape (B,); in the layout "TND" the
            cumulative lengths. Default: None, all.
        actual_seq_lengths_key: the same for the keys; in pages, the number of keys. Default: None, all.
        block_table: the pages of each sequence, ints of shape (B, pages of a sequence). Default: None.
        layout_query: "BSND" or "TND". Default: "BSND".
        layout_key: the layout of the queries, or "PA_BSND". Default: "BSND".
        sparse_count: the number of keys to choose. Default: 2048.
        sparse_mode: 0: all keys of a sequence; 3: causal from the lower right corner. Default: 3.
        pre_tokens, next_tokens: 2**63 - 1.
        return_value: whether to return the values that the keys are chosen by. Default: False.

    Returns:
        The positions of the keys in their sequence, the most important first, of int32 and shape (B, S, N of the keys,
        sparse_count) or (T, N of the keys, sparse_count), filled up with -1. And the values that they are chosen by, of
        the same shape and the dtype of `query`, filled up with -inf; empty without `return_value`.

    Raises:
        NotImplementedError: other `pre_tokens` or `next_tokens`.

    Examples:
        >>> import torchspore as ms
        >>> key = ms.Tensor([1.0, 3.0, 2.0]).reshape((1, 3, 1, 1))
        >>> one = ms.ops.ones((1, 1, 1, 1))
        >>> print(ms.ops.lightning_indexer(one, key, one[0], sparse_count=2)[0])
        [[[[1 2]]]]
    """
    api = "lightning_indexer"
    layouts, lengths = (layout_query, layout_key), (actual_seq_lengths_query, actual_seq_lengths_key)
    inputs = _inputs(api, [query], [key], layouts, lengths, block_table, sparse_mode)
    if weights.shape != query.shape[:-1]:
        raise ValueError(f"'weights' must be of shape {tuple(query.shape[:-1])}")
    groups = inputs.keys[0].shape[1]
    q, k = inputs.queries[0].unflatten(1, (groups, -1)), wide(inputs.keys[0]).mT
    shares = (weights if layout_query == "BSND" else weights[None]).transpose(1, 2).unflatten(1, (groups, -1))
    count = min(sparse_count, k.shape[-1])
    found = []
    for rows in chunks(q, inputs.keys[0]):
        part = wide(q[..., rows, :])
        scores = torch.relu(part.flatten(2, 3) @ k).unflatten(2, part.shape[2:4])
        summed = (scores * shares[..., rows, None]).sum(2)
        found.append(summed.masked_fill(~inputs.visible[:, None, rows], -torch.inf).topk(count, -1))
    values, indices = [torch.cat(parts, -2) for parts in zip(*found)]
    indices = inputs.positions[indices].masked_fill(values == -torch.inf, -1).to(torch.int32)
    indices, values = [
        _as_queries(F.pad(x, (0, sparse_count - count), value=fill), layout_query)
        for x, fill in ((indices, -1), (values, -torch.inf))
    ]
    return indices, values.to(query.dtype) if return_value else values.new_empty(0, dtype=query.dtype)


@op
def sparse_flash_attention(
    query: Tensor, key: Tensor, value: Tensor, sparse_indices: Tensor, scale_value: float, *,
    block_table: Tensor | None = None, actual_seq_lengths_query: Any = None, actual_seq_lengths_kv: Any = None,
    query_rope: Tensor | None = None, key_rope: Tensor | None = None, sparse_block_size: Positive = 1,
    layout_query: str = "BSND", layout_kv: str = "BSND", sparse_mode: int = 3,
    pre_tokens: Annotated[int, Only(_ALL)] = _ALL,
    next_tokens: Annotated[int, Only(_ALL)] = _ALL, attention_mode: int = 0, return_softmax_lse: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Attention to the keys that `lightning_indexer` has chosen.

    Args:
        query, key, block_table, actual_seq_lengths_query, layout_query, pre_tokens, next_tokens: as for
            `lightning_indexer`.
        value, actual_seq_lengths_kv, layout_kv: the values, in the layout of the keys; their lengths and layout.
        sparse_indices: the positions of the keys that each query sees, ints of shape (B, S, N of the keys, count) or
            (T, N of the keys, count); -1 is none. One named twice is seen once.
        scale_value: the scale, usually 1 / sqrt(D).
        query_rope, key_rope: elements to append to the queries and keys, of the same shape except for the last
            dimension. Default: None.
        sparse_block_size: the number of keys that an index stands for. Default: 1.
        sparse_mode: 0: the chosen keys; 3: only the chosen keys that are causally visible, from the lower right corner.
            Default: 3.
        attention_mode: 0, or 2, which needs `query_rope` and `key_rope`. Default: 0.
        return_softmax_lse: whether to return the statistics. Default: False.

    Returns:
        The attention, of the shape of `query`, which is 0 for queries that see nothing. The maximum score of each
        query, and the sum of the exponentials of its scores minus that maximum, of float32 and shape (B, N of the keys,
        S, heads for each of them) or (N of the keys, T, heads for each of them); empty without `return_softmax_lse`.

    Raises:
        NotImplementedError: other `pre_tokens` or `next_tokens`.

    Examples:
        >>> import torchspore as ms
        >>> value = ms.Tensor([1.0, 3.0, 5.0]).reshape((1, 3, 1, 1))
        >>> chosen = ms.Tensor([0, 2], ms.int32).reshape((1, 1, 1, 2))
        >>> print(ms.ops.sparse_flash_attention(ms.ops.zeros((1, 1, 1, 1)), value, value, chosen, 1.0)[0])
        [[[[3.]]]]
    """
    api = "sparse_flash_attention"
    if attention_mode not in (0, 2) or (query_rope is None) is not (key_rope is None):
        raise ValueError("'attention_mode' must be 0 or 2, and 'query_rope' and 'key_rope' be given together")
    if attention_mode == 2 and query_rope is None:
        raise ValueError("'attention_mode' 2 needs 'query_rope' and 'key_rope'")
    queries = [query] if query_rope is None else [query, query_rope]
    keys = [key, value] if key_rope is None else [key, value, key_rope]
    layouts, lengths = (layout_query, layout_kv), (actual_seq_lengths_query, actual_seq_lengths_kv)
    inputs = _inputs(api, queries, keys, layouts, lengths, block_table, sparse_mode)
    if sparse_indices.shape[:-1] != (*query.shape[:-2], key.shape[-2]):
        raise ValueError(f"'sparse_indices' must be of shape {(*query.shape[:-2], key.shape[-2], 'count')}")
    k, v, *rope = inputs.keys
    indices = (sparse_indices if layout_query == "BSND" else sparse_indices[None]).transpose(1, 2)
    blocks = chosen(indices, -(-k.shape[2] // sparse_block_size))
    visible = blocks[..., inputs.positions // sparse_block_size] & inputs.visible[:, None]
    q = torch.cat(inputs.queries, -1).unflatten(1, (k.shape[1], -1))
    attention, top, total = attend_to(q, torch.cat([k, *rope], -1), v, visible, scale_value)
    result = _as_queries(attention.flatten(1, 2), layout_query)
    if not return_softmax_lse:
        return result, top.new_empty(0), top.new_empty(0)
    top, total = [x.squeeze(-1).transpose(2, 3) for x in (top, total)]
    return (result, top, total) if layout_query == "BSND" else (result, top.squeeze(0), total.squeeze(0))
