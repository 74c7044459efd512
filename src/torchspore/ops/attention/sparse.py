"""Attention to chosen keys, and native sparse attention (Yuan et al., 2025)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.arguments.conversions import as_ints
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import op
from torchspore.engine.parameters import Positive
from torchspore.ops.attention.masks_and_scores import check_heads, packed_lengths

__all__ = ["nsa_compress", "nsa_compress_attention", "nsa_select_attention"]

_SCORES = 2**26  # in memory at once, where no gradient needs them


def wide(x: Tensor) -> Tensor:
    """Return `x` in at least float32."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def chunks(query: Tensor, key: Tensor) -> Iterator[slice]:
    """Return slices of the queries (dimension -2) whose scores fit into memory."""
    rows = query.shape[-2]
    size = max(1, _SCORES * rows // max(1, query[..., 0].numel() * key.shape[-2]))
    return (slice(begin, begin + size) for begin in range(0, rows, size))


def _weights(query: Tensor, key: Tensor, visible: Tensor | None, scale: float) -> Iterator[tuple[Tensor, ...]]:
    """Yield the weights of the keys for each chunk of queries; they sum up to 1, or to 0 if no key is visible.

    Args:
        query: of shape (B, groups, heads, S, D).
        key: of shape (B, groups, S, D).
        visible: bools that can be broadcast to (B, groups, S of the queries, S of the keys), or None for all.
        scale: the factor of the scores.

    Returns:
        The weights, of shape (B, groups, heads, rows, S of the keys); and the maximum score and the sum of the
        exponentials of the scores minus it, of shape (B, groups, heads, rows, 1).
    """
    key = wide(key).mT
    for rows in chunks(query, key.mT):
        part = wide(query[..., rows, :])
        scores = (part.flatten(2, 3) @ key).unflatten(2, part.shape[2:4]) * scale
        unseen = torch.zeros((), dtype=torch.bool, device=key.device)
        unseen = unseen if visible is None else ~visible[..., rows, :].unsqueeze(-3)
        scores = scores.masked_fill(unseen, torch.finfo(scores.dtype).min)
        top = scores.detach().amax(-1, keepdim=True)
        powers = torch.exp(scores - top).masked_fill(unseen, 0)
        total = powers.sum(-1, keepdim=True)
        yield powers / total.clamp(min=torch.finfo(total.dtype).tiny), top, total.detach()


def attend_to(
    query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None, scale: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the attention, and the statistics of the scores; see `_weights`."""
    results = []
    for weights, top, total in _weights(query, key, visible, scale):
        sums = (weights.flatten(2, 3) @ wide(value)).unflatten(2, weights.shape[2:4])
        results.append((sums.to(query.dtype), top.float(), total.float()))
    attention, tops, totals = [torch.cat(parts, -2) for parts in zip(*results)]
    return attention, tops, totals


def chosen(blocks: Tensor, count: int) -> Tensor:
    """Return the mask of the blocks named along the last dimension; numbers outside [0, `count`) are ignored."""
    known = torch.where((blocks >= 0) & (blocks < count), blocks, count).long()
    flags = torch.zeros((*blocks.shape[:-1], count + 1), dtype=torch.bool, device=blocks.device)
    return flags.scatter(-1, known, True)[..., :-1]


# Native sparse attention. Its tensors have the layout "TND": packed sequences.


def _sequences(api: str, query: Tensor, keys: list[Tensor], ends: tuple[Any, Any], heads: int) -> Iterator[Any]:
    """Yield each sequence's queries (1, groups, heads, S, D), its `keys` (1, groups, S, D), and its rows."""
    if {x.dim() for x in (query, *keys)} != {3}:
        raise ValueError(f"For '{api}', tensors must be of shape (T, N, D), but got {describe([query, *keys])}.")
    check_heads(api, query, keys[0], heads)
    rows, columns = zip(*packed_lengths(api, query, keys[0], ends))
    parts = [x.split(columns) for x in keys]
    for queries, among, *others in zip(query.split(rows), _ranges(rows), *parts):
        in_heads = [x.transpose(0, 1).unsqueeze(0) for x in (queries, *others)]
        yield in_heads[0].unflatten(1, (keys[0].shape[1], -1)), in_heads[1:], among


def _ranges(lengths: tuple[int, ...]) -> list[slice]:
    begins = [sum(lengths[:index]) for index in range(len(lengths))]
    return [slice(begin, begin + length) for begin, length in zip(begins, lengths)]


def _packed(x: Tensor) -> Tensor:
    """Return (1, groups, heads, S, D) in the layout "TND"."""
    return x.flatten(1, 2).squeeze(0).transpose(0, 1)


def _eight(statistic: Tensor) -> Tensor:
    """Return a number per query repeated eight times, as in MindSpore."""
    return _packed(statistic).expand(-1, -1, 8).contiguous()


@op
def nsa_compress(
    input: Tensor,
    weight: Tensor,
    compress_block_size: Positive,
    compress_stride: Positive,
    *,
    actual_seq_len: Any = None,
) -> Tensor:
    """Compress keys or values: weighted sums over windows, as in native sparse attention.

    Args:
        input: packed sequences, of shape (T, N, D).
        weight: the weight of each position in a window for each head, of shape (compress_block_size, N).
        compress_block_size, compress_stride: the size and the stride of the windows.
        actual_seq_len: the cumulative lengths of the sequences. No window crosses their bounds; incomplete windows are
            left out.

    Returns a Tensor of shape (windows, N, D).
    Raises TypeError or ValueError for an argument of a wrong type, shape or value, or without `actual_seq_len`.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([1.0, 2.0, 3.0, 4.0, 5.0]).reshape((5, 1, 1))
        >>> print(ms.ops.nsa_compress(x, ms.ops.ones((2, 1)), 2, 1, actual_seq_len=[3, 5]).flatten())
        [3. 5. 9.]
    """
    api = "nsa_compress"
    if input.dim() != 3 or weight.shape != (compress_block_size, input.shape[1]):
        raise ValueError(f"'input' must be of shape (T, N, D) and 'weight' ({compress_block_size}, N)")
    ends = as_ints(actual_seq_len, api, "actual_seq_len")
    lengths = [rows for rows, _ in packed_lengths(api, input, input, (ends, ends))]
    windows = [
        part.unfold(0, compress_block_size, compress_stride)  # (windows, N, D, compress_block_size)
        for part in input.split(lengths)
        if part.shape[0] >= compress_block_size
    ]
    if not windows:
        return input.new_zeros((0, *input.shape[1:]))
    return torch.einsum("tndw,wn->tnd", torch.cat(windows), weight)


def _importance(weights: Tensor, window: int, block: int, count: int) -> Tensor:
    """Return the importance of blocks of keys, from the weights of windows along the last dimension.

    A block of `block` strides has the windows that begin in it, and the `window - 1` before that reach into it, each
    counted once per shared stride. The paper writes it as a double sum, over positions that count from 1.
    """
    shared = F.conv1d(weights.new_ones(1, 1, block), weights.new_ones(1, 1, window), padding=window - 1).flatten()
    after = block * count - weights.shape[-1]
    padded = F.pad(weights, (window - 1, after))
    return padded.unfold(-1, block + window - 1, block) @ shared


@op
def nsa_compress_attention(
    query: Tensor, key: Tensor, value: Tensor, scale_value: float, head_num: int, compress_block_size: Positive,
    compress_stride: Positive, select_block_size: int, select_block_count: Positive, *, topk_mask: Tensor | None = None,
    atten_mask: Tensor | None = None, actual_seq_qlen: Any = None, actual_cmp_seq_kvlen: Any = None,
    actual_sel_seq_kvlen: Any = None,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Attention to the keys of `nsa_compress`, and the blocks of keys with the highest weights in it.

    Args:
        query: the packed queries, of shape (T, N, D).
        key: the compressed keys, of shape (windows, N of the keys, D); each head serves several of the queries.
        value: the compressed values, of shape (windows, N of the keys, D of the values).
        scale_value: the scale, usually 1 / sqrt(D).
        head_num: the number of heads of the queries.
        compress_block_size, compress_stride: as for `nsa_compress`; the first is a multiple of the second.
        select_block_size: the number of uncompressed keys per block, a multiple of `compress_stride`.
        select_block_count: the number of blocks to choose.
        topk_mask: the blocks not to choose, 1 or True, of shape (S, blocks) of the longest. Default: None.
        atten_mask: the windows hidden from a query, 1 or True, of shape (S, windows) of the longest. Default: None.
        actual_seq_qlen, actual_cmp_seq_kvlen, actual_sel_seq_kvlen: the cumulative numbers of queries, of windows and
            of blocks of the sequences.

    Returns:
        The attention, of shape (T, N, D of the values), which is 0 for queries that see nothing; the chosen blocks, of
        int32 and shape (T, N of the keys, select_block_count), the most important first, filled up with -1; the maximum
        score of each query, and the sum of the exponentials of its scores minus that maximum, both of float32 and shape
        (T, N, 8): the same number eight times.

    Raises TypeError or ValueError for an argument of a wrong type, shape or value, or without the lengths.

    Examples:
        >>> import torchspore as ms
        >>> key = ms.Tensor([0.0, 0.0, 9.0]).reshape((3, 1, 1))  # windows of two rows each: three blocks
        >>> found = ms.ops.nsa_compress_attention(ms.ops.ones((1, 1, 1)), key, key, 1.0, 1, 2, 2, 2, 2,
        ...                                       actual_seq_qlen=[1], actual_cmp_seq_kvlen=[3],
        ...                                       actual_sel_seq_kvlen=[3])
        >>> print(found[1])
        [[[2 0]]]
    """
    api = "nsa_compress_attention"
    if compress_block_size < 1 or compress_block_size % compress_stride or select_block_size % compress_stride:
        raise ValueError("'compress_block_size' and 'select_block_size' must be multiples of 'compress_stride'")
    if select_block_size < compress_block_size:
        raise ValueError("'select_block_size' must be at least 'compress_block_size'")
    ends = as_ints(actual_sel_seq_kvlen, api, "actual_sel_seq_kvlen")
    counts = [end - begin for begin, end in zip((0, *ends), ends)]
    window, block = compress_block_size // compress_stride, select_block_size // compress_stride
    results = []
    sequences = list(_sequences(api, query, [key, value], (actual_seq_qlen, actual_cmp_seq_kvlen), head_num))
    if len(counts) != len(sequences):
        raise ValueError(f"'actual_sel_seq_kvlen' must have {len(sequences)} ends, but got {len(counts)}")
    for (q, (k, v), _), count in zip(sequences, counts):
        visible = None if atten_mask is None else ~atten_mask[: q.shape[3], : k.shape[2]].bool()
        attention, tops, totals, importance = [], [], [], []
        for weights, top, total in _weights(q, k, visible, scale_value):
            attention.append((weights.flatten(2, 3) @ wide(v)).unflatten(2, weights.shape[2:4]).to(query.dtype))
            tops.append(top.float())
            totals.append(total.float())
            importance.append(_importance(weights.detach().sum(2), window, block, count))
        unwanted = None if topk_mask is None else topk_mask[: q.shape[3], :count].bool()
        blocks = _top_blocks(torch.cat(importance, -2).squeeze(0), unwanted, select_block_count)
        whole = [_packed(torch.cat(attention, -2)), blocks, *[_eight(torch.cat(x, -2)) for x in (tops, totals)]]
        results.append(whole)
    return tuple([torch.cat(parts) for parts in zip(*results)])


def _top_blocks(importance: Tensor, unwanted: Tensor | None, count: int) -> Tensor:
    """Return the most important of (groups, S, blocks): (S, groups, count) of int32, -1 for none."""
    if unwanted is not None:
        importance = importance.masked_fill(unwanted, -1)
    found, blocks = importance.topk(min(count, importance.shape[-1]), -1)
    blocks = blocks.masked_fill(found < 0, -1).to(torch.int32)
    return F.pad(blocks, (0, count - blocks.shape[-1]), value=-1).transpose(0, 1)


@op
def nsa_select_attention(
    query: Tensor, key: Tensor, value: Tensor, topk_indices: Tensor, scale_value: float, head_num: int,
    select_block_size: Positive, select_block_count: int, *, atten_mask: Tensor | None = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Attention to the keys of chosen blocks, as in native sparse attention.

    Args:
        query, scale_value, head_num: as for `nsa_compress_attention`.
        key, value: the keys and values, of shape (T of the keys, N of the keys, D) and with the D of the values.
        topk_indices: the blocks of its own sequence that each query sees, of shape (T, N of the keys,
            select_block_count), as `nsa_compress_attention` returns them: -1 is none. One named twice is seen once.
        select_block_size: the number of keys per block.
        select_block_count: the number of blocks that a query names.
        atten_mask: the keys hidden from a query, 1 or True, of shape (S, S of the keys) of the longest. Default: None.
        actual_seq_qlen, actual_seq_kvlen: the cumulative lengths of the sequences of queries and of keys.

    Returns the attention and the statistics, as from `nsa_compress_attention`.
    Raises TypeError or ValueError for an argument of a wrong type, shape or value, or without the lengths.

    Examples:
        >>> import torchspore as ms
        >>> value = ms.Tensor([1.0, 3.0, 5.0, 7.0]).reshape((4, 1, 1))
        >>> chosen = ms.Tensor([[[1, -1]]], ms.int32)
        >>> print(ms.ops.nsa_select_attention(ms.ops.zeros((1, 1, 1)), value, value, chosen, 1.0, 1, 2, 2,
        ...                                   actual_seq_qlen=[1], actual_seq_kvlen=[4])[0])
        [[[6.]]]
    """
    api = "nsa_select_attention"
    if topk_indices.shape != (query.shape[0], key.shape[1], select_block_count):
        raise ValueError(f"'topk_indices' must be of shape {(query.shape[0], key.shape[1], select_block_count)}")
    results = []
    for q, (k, v), rows in _sequences(api, query, [key, value], (actual_seq_qlen, actual_seq_kvlen), head_num):
        columns = k.shape[2]
        blocks = chosen(topk_indices[rows].transpose(0, 1), -(-columns // select_block_size))
        visible = blocks.repeat_interleave(select_block_size, -1)[..., :columns]
        if atten_mask is not None:
            visible = visible & ~atten_mask[: q.shape[3], :columns].bool()
        attention, top, total = attend_to(q, k, v, visible, scale_value)
        results.append((_packed(attention), _eight(top), _eight(total)))
    attention, top, total = [torch.cat(parts) for parts in zip(*results)]
    return attention, top, total
