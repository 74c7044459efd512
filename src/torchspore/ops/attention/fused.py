"""Multi-head attention with the layouts and masks of MindSpore's fused operations."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor

from torchspore.common.tensor import wrap
from torchspore.engine.op import op
from torchspore.engine.parameters import NotSupported
from torchspore.ops.attention.masks_and_scores import (
    FAR,
    Fused,
    KeepProbability,
    Masking,
    all_none,
    as_lengths,
    attend,
    attend_packed,
    by_heads,
    check_ends,
    ends_are_known,
    first_position,
    from_pages,
    hidden_by_lengths,
    kept_by_bits,
    packed_lengths,
    sample_part,
    to_layout,
)

__all__ = ["flash_attention_score", "incre_flash_attention", "prompt_flash_attention"]


_CAUSAL = 128  # the size of the mask that stands for the causal one of any size


@op
def flash_attention_score(
    query: Tensor, key: Tensor, value: Tensor, head_num: int,
    real_shift: Tensor | None = None, drop_mask: Tensor | None = None,
    padding_mask: NotSupported = None, attn_mask: Tensor | None = None,
    prefix: Any = None, actual_seq_qlen: Any = None, actual_seq_kvlen: Any = None,
    keep_prob: KeepProbability = 1.0,
    scalar_value: float = 1.0, pre_tokens: int = FAR, next_tokens: int = FAR,
    inner_precise: int = 0, input_layout: Literal["BSH", "BNSD", "SBH", "BSND", "TND", "TH"] = "BSH",
    sparse_mode: int = 0,
) -> Tensor:  # fmt: skip
    """Multi-head attention for training: `softmax(scale * query @ key.T + shift) @ value`.

    Args:
        query: the queries, in the layout `input_layout`: B is the batch, S the sequence, N the heads, D the size of a
            head, and H = N * D.
        key, value: the keys and values, in the same layout; N may be a divisor of the queries' N.
        head_num: the number of heads of the queries.
        real_shift: what is added to the scores, of shape (B or 1, N, S of the queries, S of the keys). Default: None.
        drop_mask: the scores that dropout keeps, as bits: uint8 of shape (B, N, S, S of the keys // 8); in the layout
            "TND" the bits of all sequences, packed. Default: None, drawn.
        padding_mask: None.
        attn_mask: the keys hidden from a query, 1 or True, of shape (S, S of the keys), (B, 1, ...) or (B, N, ...).
            Default: None, none.
        prefix: for the sparse mode 5, the number of keys of each sample that all its queries see, of shape (B,).
            Default: None.
        actual_seq_qlen, actual_seq_kvlen: for the layout "TND", the cumulative lengths of the sequences of queries and
            of keys: a list, tuple or Tensor of ints. A Tensor is not read, so one graph serves all lengths, but the
            scores of all pairs are then in memory. Default: None.
        keep_prob: the probability to keep a score. Default: 1.0.
        scalar_value: the scale, usually 1 / sqrt(D). Default: 1.0.
        pre_tokens, next_tokens: how far a query sees backwards and forwards, for the sparse modes 0 (with a mask) and
            4. Default: 2147483647.
        inner_precise: without effect.
        input_layout: "BSH", "BNSD", "SBH", "BSND", or "TND": packed sequences of shape (T, N, D), where masks and
            `real_shift` have the size of the longest; or "TH", packed sequences of shape (T, H), whose lengths
            `actual_seq_qlen` and `actual_seq_kvlen` are, and where a mask of shape (128, 128) stands for the causal
            one. Default: "BSH".
        sparse_mode: 0 and 1 use `attn_mask`; 2 is causal from the upper left corner, 3 from the lower right corner, 4
            the band of `pre_tokens` and `next_tokens`, 5 is 3 with a prefix, and `attn_mask` in addition. Default: 0.

    Returns a Tensor of the shape and dtype of `query`.

    Raises:
        NotImplementedError: a padding mask, or another sparse mode.

    Examples:
        >>> import torchspore as ms
        >>> x, ends = ms.Tensor([[[1.0]], [[3.0]], [[5.0]]]), [2, 3]  # a sequence of two, and one of one
        >>> print(ms.ops.flash_attention_score(0 * x, x, x, 1, actual_seq_qlen=ends, actual_seq_kvlen=ends,
        ...                                    input_layout="TND").flatten())
        [2. 2. 5.]
    """
    api = "flash_attention_score"
    prefixes = as_lengths(prefix, api, "prefix", query.device)
    masking = Masking(api, attn_mask, sparse_mode, pre_tokens, next_tokens, prefixes)
    fused = Fused(masking, scalar_value, keep_prob, partial(sample_part, real_shift))
    ends = (actual_seq_qlen, actual_seq_kvlen)
    if input_layout == "TH":
        return _of_rows(fused, [query, key, value], head_num, ends, real_shift, drop_mask)
    return _attention(fused, [query, key, value], head_num, input_layout, ends, real_shift, drop_mask)


def _of_rows(fused: Fused, parts: list[Tensor], heads: int, lengths: Any, shift: Any, bits: Any) -> Tensor:
    """Return the attention of packed sequences of shape (T, H), of given lengths: one if these are None."""
    api, mask = fused.masking.api, fused.masking.mask
    if {x.dim() for x in parts} != {2} or parts[0].shape[1] % heads:
        raise ValueError(f"the layout 'TH' needs tensors of 2 dimensions, the last divisible by the {heads} heads")
    if mask is not None and mask.shape == (_CAUSAL, _CAUSAL):
        fused = fused._replace(masking=fused.masking._replace(mask=None, mode=2))
    size = parts[0].shape[1] // heads
    packed = [x.unflatten(1, (-1, size)) for x in parts]
    ends = []
    for x, given, name in zip(parts, lengths, ("actual_seq_qlen", "actual_seq_kvlen")):
        counts = as_lengths(given, api, name, x.device)
        ends.append(wrap(torch.tensor([x.shape[0]], device=x.device) if counts is None else counts.cumsum(0)))
    return _attention(fused, packed, heads, "TND", tuple(ends), shift, bits).flatten(1)


def _attention(
    fused: Fused, parts: list[Tensor], heads: int, layout: str, ends: Any, shift: Tensor | None, bits: Any = None
) -> Tensor:
    masking = fused.masking
    check_ends(masking.api, layout, ends, parts, heads)
    if layout == "TND" and all_none(shift, bits, masking.prefix) and not ends_are_known(ends, masking.mask):
        return attend_packed(parts, ends, masking, fused.scale, 1 - fused.keep)
    lengths = packed_lengths(masking.api, parts[0], parts[1], ends) if layout == "TND" else []
    if bits is not None:
        fused = fused._replace(kept=kept_by_bits(bits, lengths, heads))
    return fused.in_layout(parts, heads, layout, lengths)[0]


@op
def prompt_flash_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
    actual_seq_lengths: Any = None, actual_seq_lengths_kv: Any = None, pse_shift: Tensor | None = None,
    deq_scale1: NotSupported = None, quant_scale1: NotSupported = None, deq_scale2: NotSupported = None,
    quant_scale2: NotSupported = None,
    quant_offset2: NotSupported = None, num_heads: int = 1, scale_value: float = 1.0,
    pre_tokens: int = FAR, next_tokens: int = 0, input_layout: Literal["BSH", "BNSD", "TND"] = "BSH",
    num_key_value_heads: int = 0,
    sparse_mode: int = 0, inner_precise: int = 1,
) -> Tensor:  # fmt: skip
    """Multi-head attention of whole sequences, for inference.

    Args:
        query, key, value, attn_mask, scale_value, pre_tokens, next_tokens, sparse_mode: as for `flash_attention_score`,
            `scale_value` being its `scalar_value`; but `next_tokens` is 0 by default.
        actual_seq_lengths: the number of valid queries of each sample, of shape (B,), on which the corner of the sparse
            modes 3 and 4 depends; what other queries return is undefined. Default: None, all.
        actual_seq_lengths_kv: the number of valid keys of each sample, of shape (B,). Default: None, all.
        pse_shift: what is added to the scores. Default: None.
        deq_scale1, quant_scale1, deq_scale2, quant_scale2, quant_offset2: None.
        num_heads: the number of heads of the queries. Default: 1.
        input_layout: "BSH", "BNSD" or "TND", where the lengths are cumulative. Default: "BSH".
        num_key_value_heads: the number of heads of the keys; 0 is as many as the queries have. Default: 0.
        inner_precise: without effect.

    Raises:
        NotImplementedError: quantization, or another sparse mode.
    """
    api = "prompt_flash_attention"
    mask = attn_mask.unsqueeze(1) if attn_mask is not None and attn_mask.dim() == 3 else attn_mask
    masking = Masking(api, mask, sparse_mode, pre_tokens, next_tokens)
    if input_layout == "TND":
        fused = Fused(masking, scale_value, shift=partial(sample_part, pse_shift))
        ends = (actual_seq_lengths, actual_seq_lengths_kv)
        return _attention(fused, [query, key, value], num_heads, input_layout, ends, pse_shift)
    q = by_heads(query, num_heads, input_layout)
    k, v = [by_heads(part, num_key_value_heads or num_heads, input_layout) for part in (key, value)]
    lengths = [
        as_lengths(given, api, name, query.device)
        for name, given in (
            ("actual_seq_lengths", actual_seq_lengths),
            ("actual_seq_lengths_kv", actual_seq_lengths_kv),
        )
    ]
    hidden = hidden_by_lengths(masking, q, k, *lengths)
    return to_layout(attend(q, k, v, pse_shift, hidden, scale_value, 0.0), input_layout)


@op
def incre_flash_attention(
    query: Tensor, key: Any, value: Any, attn_mask: Tensor | None = None, actual_seq_lengths: Any = None,
    pse_shift: Tensor | None = None, dequant_scale1: NotSupported = None, quant_scale1: NotSupported = None,
    dequant_scale2: NotSupported = None,
    quant_scale2: NotSupported = None, quant_offset2: NotSupported = None, antiquant_scale: NotSupported = None,
    antiquant_offset: NotSupported = None,
    block_table: Tensor | None = None, num_heads: int = 1, input_layout: Literal["BSH", "BNSD"] = "BSH",
    scale_value: float = 1.0,
    num_key_value_heads: int = 0, block_size: int = 0, inner_precise: int = 1, kv_padding_size: Any = None,
) -> Tensor:  # fmt: skip
    """Multi-head attention of one query to all keys so far, for inference.

    Args:
        query: the queries, of shape (B, 1, H) or (B, N, 1, D).
        key, value: lists of one Tensor of shape (B, S, H) or (B, N, S, D); with `block_table`, pages of shape
            (pages, rows, H) or (pages, N, rows, D).
        attn_mask: the keys hidden from the query, of shape (B, S), (B, 1, S) or (B, 1, 1, S). Default: None.
        actual_seq_lengths: the number of valid keys of each sample, of shape (B,). Default: None, all.
        pse_shift: what is added to the scores, of shape (B or 1, N, 1, S). Default: None.
        input_layout: "BSH" or "BNSD". Default: "BSH".
        num_heads, scale_value, num_key_value_heads: as for `prompt_flash_attention`.
        block_table, block_size, kv_padding_size: as for `fused_infer_attention_score`.
        inner_precise: without effect.
        dequant_scale1, quant_scale1, dequant_scale2, quant_scale2, quant_offset2, antiquant_scale, antiquant_offset:
            None.

    Raises:
        NotImplementedError: quantization.
    """
    api = "incre_flash_attention"
    q = by_heads(query, num_heads, input_layout)
    parts = [_only_one(part, name) for name, part in (("key", key), ("value", value))]
    heads = num_key_value_heads or num_heads
    if block_table is None:
        k, v = [by_heads(part, heads, input_layout) for part in parts]
    elif actual_seq_lengths is None or kv_padding_size is not None or block_size not in (0, parts[0].shape[-2]):
        raise ValueError(
            "a 'block_table' needs 'actual_seq_lengths', no 'kv_padding_size', and a 'block_size' of "
            f"{parts[0].shape[-2]} or 0"
        )
    else:
        k, v = [from_pages(part, block_table, heads) for part in parts]
    mask = None if attn_mask is None else attn_mask.reshape(attn_mask.shape[0], 1, 1, -1)
    counts = as_lengths(actual_seq_lengths, api, "actual_seq_lengths", query.device)
    first = first_position(k.shape[2], kv_padding_size, counts, api, "kv_padding_size")
    hidden = hidden_by_lengths(Masking(api, mask, 0, FAR, FAR), q, k, None, counts, first_column=first)
    return to_layout(attend(q, k, v, pse_shift, hidden, scale_value, 0.0), input_layout)


def _only_one(part: Any, name: str) -> Tensor:
    if isinstance(part, (list, tuple)) and len(part) == 1:
        part = part[0]
    tensor = getattr(part, "_t", None)
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"'{name}' must be a list of one Tensor")
    return tensor
