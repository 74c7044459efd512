"""Attention of several heads, with the layouts and masks of MindSpore's fused operations."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from torchspore.engine.errors import describe
from torchspore.engine.op import op
from torchspore.ops.attention.masks_and_scores import (
    FAR,
    LAYOUTS,
    Fused,
    Masking,
    as_before,
    as_lengths,
    at_once,
    attend,
    by_heads,
    check_ends,
    check_layout,
    first_place,
    from_pages,
    kept_by_bits,
    known_ends,
    nothing,
    of_lengths,
    packed_lengths,
    part_of,
    refuse_quantization,
)

__all__ = ["flash_attention_score", "incre_flash_attention", "prompt_flash_attention"]


@op
def flash_attention_score(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    head_num: int,
    real_shift: Tensor | None = None,
    drop_mask: Tensor | None = None,
    padding_mask: Tensor | None = None,
    attn_mask: Tensor | None = None,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    keep_prob: float = 1.0,
    scalar_value: float = 1.0,
    pre_tokens: int = FAR,
    next_tokens: int = FAR,
    inner_precise: int = 0,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
) -> Tensor:
    """Attention of several heads: `softmax(scale * query @ key.T + shift) @ value`, for training.

    Args:
        query: the queries, in the layout that `input_layout` names: B is the batch, S the sequence, N the heads, D the
            size of a head, and H = N * D.
        key, value: the keys and values, likewise; they may have fewer heads, each for several of the queries.
        head_num: the number of the queries' heads.
        real_shift: what is added to the scores, of shape (B or 1, N, S of the queries, S of the keys). Default: None.
        drop_mask: which scores dropout keeps, as bits: a Tensor of uint8 of shape (B, N, S, S of the keys // 8); in the
            layout "TND", those of one sequence behind those of the other. Default: None, drawn.
        padding_mask: None.
        attn_mask: which keys a query does not see, 1 or True, of shape (S, S of the keys), (B, 1, ...) or (B, N, ...).
            Default: None, it sees all.
        prefix: for the sparse mode 5, how many of each sample's first keys all its queries see, of shape (B,).
            Default: None.
        actual_seq_qlen, actual_seq_kvlen: for the layout "TND", where each sequence of queries and of keys ends: the
            sums of the lengths so far, a list, tuple or Tensor of ints. A Tensor is not read, so that one graph serves
            all lengths; the scores of all pairs are then in memory. Default: None.
        keep_prob: the probability to keep a score. Default: 1.0.
        scalar_value: the scale, usually 1 / sqrt(D). Default: 1.0.
        pre_tokens, next_tokens: how far before and behind itself a query sees, for the sparse modes 0 (with a mask)
            and 4. Default: 2147483647.
        inner_precise: without effect.
        input_layout: "BSH", "BNSD", "SBH", "BSND", or "TND": of shape (T, N, D), one sequence behind the other, where
            masks and `real_shift` are as large as the longest needs. Default: "BSH".
        sparse_mode: 0 and 1 use `attn_mask`; else the mask is known: 2 is causal from the upper left corner, 3 from the
            lower right corner, 4 the band of `pre_tokens` and `next_tokens`, 5 is 3 with a prefix that all queries see,
            and `attn_mask` in addition. Default: 0.

    Returns:
        A Tensor of the shape and dtype of `query`.

    Raises:
        ValueError: the shapes do not fit, or an argument is out of its range.
        NotImplementedError: a padding mask, or another sparse mode.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.ops.ones((2, 4, 64))
        >>> ms.ops.flash_attention_score(x, x, x, 4, scalar_value=0.25, sparse_mode=2).shape
        (2, 4, 64)
        >>> x, ends = ms.Tensor([[[1.0]], [[3.0]], [[5.0]]]), [2, 3]  # a sequence of two, and one of one
        >>> print(ms.ops.flash_attention_score(0 * x, x, x, 1, actual_seq_qlen=ends, actual_seq_kvlen=ends,
        ...                                    input_layout="TND").flatten())
        [2. 2. 5.]
    """
    api = "flash_attention_score"
    check_layout(input_layout, LAYOUTS, api)
    if padding_mask is not None:
        raise NotImplementedError(f"For '{api}', 'padding_mask' must be None, but got {describe(padding_mask)}.")
    if not 0 < keep_prob <= 1:
        raise ValueError(f"For '{api}', 'keep_prob' must be in (0, 1], but got {keep_prob}.")
    prefixes = as_lengths(prefix, api, "prefix", query.device)
    masking = Masking(api, attn_mask, sparse_mode, pre_tokens, next_tokens, prefixes)
    fused = Fused(masking, scalar_value, keep_prob, partial(part_of, real_shift))
    ends = (actual_seq_qlen, actual_seq_kvlen)
    return _attention(fused, [query, key, value], head_num, input_layout, ends, real_shift, drop_mask)


def _attention(
    fused: Fused,
    parts: list[Tensor],
    heads: int,
    layout: str,
    ends: tuple[Any, Any],
    shift: Tensor | None,
    bits: Tensor | None = None,
) -> Tensor:
    masking = fused.masking
    check_ends(masking.api, layout, ends, parts, heads)
    if layout == "TND" and nothing(shift, bits, masking.prefix) and not known_ends(ends, masking.mask):
        return at_once(parts, ends, masking, fused.scale, 1 - fused.keep)
    lengths = packed_lengths(masking.api, parts[0], parts[1], ends) if layout == "TND" else []
    if bits is not None:
        fused = fused._replace(kept=kept_by_bits(bits, lengths, heads))
    return fused.in_layout(parts, heads, layout, lengths)[0]


@op
def prompt_flash_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    actual_seq_lengths: Any = None,
    actual_seq_lengths_kv: Any = None,
    pse_shift: Tensor | None = None,
    deq_scale1: Any = None,
    quant_scale1: Any = None,
    deq_scale2: Any = None,
    quant_scale2: Any = None,
    quant_offset2: Any = None,
    num_heads: int = 1,
    scale_value: float = 1.0,
    pre_tokens: int = FAR,
    next_tokens: int = 0,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    sparse_mode: int = 0,
    inner_precise: int = 1,
) -> Tensor:
    """Attention of several heads over whole sequences, for inference; see `flash_attention_score`.

    Args:
        query, key, value: as for `flash_attention_score`.
        attn_mask: which keys a query does not see. Default: None, it sees all.
        actual_seq_lengths: how many queries of each sample count, of shape (B,): where their corner is, for the sparse
            modes 3 and 4. What the others give, means nothing. Default: None, all.
        actual_seq_lengths_kv: how many keys of each sample count, of shape (B,). Default: None, all.
        pse_shift: what is added to the scores. Default: None.
        deq_scale1, quant_scale1, deq_scale2, quant_scale2, quant_offset2: None.
        num_heads: the number of the queries' heads. Default: 1.
        scale_value: the scale, usually 1 / sqrt(D). Default: 1.0.
        pre_tokens, next_tokens, sparse_mode: as for `flash_attention_score`. Default: 2147483647, 0 and 0.
        input_layout: "BSH", "BNSD" or "TND"; in the last, the lengths are the ends of the sequences, as for
            `flash_attention_score`. Default: "BSH".
        num_key_value_heads: the number of the keys' heads; 0 is that of the queries. Default: 0.
        inner_precise: without effect.

    Raises:
        ValueError: the shapes do not fit, or an argument is out of its range.
        NotImplementedError: quantization, or another sparse mode.
    """
    api = "prompt_flash_attention"
    check_layout(input_layout, ("BSH", "BNSD", "TND"), api)
    refuse_quantization(
        api,
        deq_scale1=deq_scale1,
        quant_scale1=quant_scale1,
        deq_scale2=deq_scale2,
        quant_scale2=quant_scale2,
        quant_offset2=quant_offset2,
    )
    mask = attn_mask.unsqueeze(1) if attn_mask is not None and attn_mask.dim() == 3 else attn_mask
    masking = Masking(api, mask, sparse_mode, pre_tokens, next_tokens)
    if input_layout == "TND":
        fused = Fused(masking, scale_value, shift=partial(part_of, pse_shift))
        ends = (actual_seq_lengths, actual_seq_lengths_kv)
        return _attention(fused, [query, key, value], num_heads, input_layout, ends, pse_shift)
    q = by_heads(query, num_heads, input_layout, api)
    k, v = [by_heads(part, num_key_value_heads or num_heads, input_layout, api) for part in (key, value)]
    lengths = [
        as_lengths(given, api, name, query.device)
        for name, given in (
            ("actual_seq_lengths", actual_seq_lengths),
            ("actual_seq_lengths_kv", actual_seq_lengths_kv),
        )
    ]
    hidden = of_lengths(masking, q, k, *lengths)
    return as_before(attend(q, k, v, pse_shift, hidden, scale_value, 0.0), input_layout)


@op
def incre_flash_attention(
    query: Tensor,
    key: Any,
    value: Any,
    attn_mask: Tensor | None = None,
    actual_seq_lengths: Any = None,
    pse_shift: Tensor | None = None,
    dequant_scale1: Any = None,
    quant_scale1: Any = None,
    dequant_scale2: Any = None,
    quant_scale2: Any = None,
    quant_offset2: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    block_table: Tensor | None = None,
    num_heads: int = 1,
    input_layout: str = "BSH",
    scale_value: float = 1.0,
    num_key_value_heads: int = 0,
    block_size: int = 0,
    inner_precise: int = 1,
    kv_padding_size: Any = None,
) -> Tensor:
    """Attention of several heads of one query to all keys so far, for inference; see `flash_attention_score`.

    Args:
        query: the queries, of shape (B, 1, H) or (B, N, 1, D).
        key, value: the keys and values, lists of one Tensor of shape (B, S, H) or (B, N, S, D); with `block_table` in
            pages, of shape (pages, rows, H) or (pages, N, rows, D).
        attn_mask: which keys the query does not see, of shape (B, S), (B, 1, S) or (B, 1, 1, S). Default: None.
        actual_seq_lengths: how many keys of each sample count, of shape (B,). Default: None, all.
        pse_shift: what is added to the scores, of shape (B or 1, N, 1, S). Default: None.
        num_heads: the number of the queries' heads. Default: 1.
        input_layout: "BSH" or "BNSD". Default: "BSH".
        scale_value: the scale, usually 1 / sqrt(D). Default: 1.0.
        num_key_value_heads: the number of the keys' heads; 0 is that of the queries. Default: 0.
        block_table: the pages of each sample, ints of shape (B, pages of a sample). Default: None.
        block_size: how many rows a page has; 0 is what the keys have. Default: 0.
        inner_precise: without effect.
        kv_padding_size: how many rows there are behind the keys of each sample, which then are not at the beginning of
            their rows, but at the end; without `actual_seq_lengths` it has no effect. Default: None.
        dequant_scale1, quant_scale1, dequant_scale2, quant_scale2, quant_offset2, antiquant_scale, antiquant_offset:
            None.

    Raises:
        ValueError: the shapes do not fit, or an argument is out of its range.
        NotImplementedError: quantization.
    """
    api = "incre_flash_attention"
    check_layout(input_layout, ("BSH", "BNSD"), api)
    refuse_quantization(
        api,
        dequant_scale1=dequant_scale1,
        quant_scale1=quant_scale1,
        dequant_scale2=dequant_scale2,
        quant_scale2=quant_scale2,
        quant_offset2=quant_offset2,
        antiquant_scale=antiquant_scale,
        antiquant_offset=antiquant_offset,
    )
    q = by_heads(query, num_heads, input_layout, api)
    parts = [_only_one(part, name, api) for name, part in (("key", key), ("value", value))]
    heads = num_key_value_heads or num_heads
    if block_table is None:
        k, v = [by_heads(part, heads, input_layout, api) for part in parts]
    elif actual_seq_lengths is None or kv_padding_size is not None or block_size not in (0, parts[0].shape[-2]):
        raise ValueError(
            f"For '{api}', with a 'block_table' give the 'actual_seq_lengths', no 'kv_padding_size', and the "
            f"'block_size' {parts[0].shape[-2]} or 0."
        )
    else:
        k, v = [from_pages(part, block_table, heads, api) for part in parts]
    mask = None if attn_mask is None else attn_mask.reshape(attn_mask.shape[0], 1, 1, -1)
    counts = as_lengths(actual_seq_lengths, api, "actual_seq_lengths", query.device)
    first = first_place(k.shape[2], kv_padding_size, counts, api, "kv_padding_size")
    hidden = of_lengths(Masking(api, mask, 0, FAR, FAR), q, k, None, counts, first_column=first)
    return as_before(attend(q, k, v, pse_shift, hidden, scale_value, 0.0), input_layout)


def _only_one(part: Any, name: str, api: str) -> Tensor:
    if isinstance(part, (list, tuple)) and len(part) == 1:
        part = part[0]
    tensor = getattr(part, "_t", None)
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"For '{api}', '{name}' must be a list of one Tensor, but got {describe(part)}.")
    return tensor
