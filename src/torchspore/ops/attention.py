"""Attention of several heads, with the layouts and masks of MindSpore's fused operations."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.arguments import as_ints
from torchspore.engine.errors import describe
from torchspore.engine.op import op

__all__ = ["flash_attention_score", "incre_flash_attention", "prompt_flash_attention"]

_FAR = 2147483647


def _by_heads(x: Tensor, heads: int, layout: str, api: str) -> Tensor:
    """Return (N, heads, S, D)."""
    expected = 4 if layout in ("BNSD", "BSND") else 3
    if x.dim() != expected or (expected == 3 and x.shape[2] % heads):
        raise ValueError(
            f"For '{api}', in the layout {layout!r} tensors must have {expected} dimensions and {heads} heads must "
            f"divide the last of 3, but got shape {tuple(x.shape)}."
        )
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return x.transpose(1, 2)
    x = x.unflatten(2, (heads, -1))
    return x.transpose(1, 2) if layout == "BSH" else x.permute(1, 2, 0, 3)


def _as_before(x: Tensor, layout: str) -> Tensor:
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return x.transpose(1, 2)
    return x.transpose(1, 2).flatten(2) if layout == "BSH" else x.permute(2, 0, 1, 3).flatten(2)


def _check_layout(layout: str, accepted: tuple[str, ...], api: str) -> None:
    if layout == "TND" and "BSND" in accepted:
        raise NotImplementedError(
            f"For '{api}', the layout 'TND' is not supported. Pad the sequences to one length, with a mask, and use "
            "'BSND'."
        )
    if layout not in accepted:
        raise ValueError(f"For '{api}', 'input_layout' must be one of {accepted}, but got {layout!r}.")


def _hidden(
    api: str, mask: Tensor | None, mode: int, before: int, behind: int, rows: int, columns: int, device: torch.device
) -> Tensor | None:
    """Return which pairs of query and key do not see each other, or None for none."""
    if mode not in (0, 1, 2, 3, 4):
        raise NotImplementedError(f"For '{api}', 'sparse_mode' must be 0, 1, 2, 3 or 4, but got {mode}.")
    if mode == 1:
        if mask is None:
            raise ValueError(f"For '{api}', 'sparse_mode' 1 needs an 'attn_mask'.")
        return mask.bool()
    if mode == 0 and (mask is None or (before >= columns and behind >= columns)):
        return None if mask is None else mask.bool()
    # How far the key is behind the query; the corner where both begin or end together is on the diagonal.
    shift = columns - rows if mode in (3, 4) else 0
    distance = torch.arange(columns, device=device) - torch.arange(rows, device=device)[:, None] - shift
    if mode in (2, 3):
        return distance > 0
    band = (distance > behind) | (distance < -before)
    return band if mode == 4 or mask is None else band | mask.bool()


def _attend(
    query: Tensor, key: Tensor, value: Tensor, shift: Tensor | None, hidden: Tensor | None, scale: float, drop: float
) -> Tensor:
    bias = shift
    if hidden is not None:
        zeros = query.new_zeros(()) if shift is None else shift
        bias = torch.where(hidden, torch.finfo(query.dtype).min, zeros)
    grouped = query.shape[1] != key.shape[1]
    return F.scaled_dot_product_attention(query, key, value, bias, drop, scale=scale, enable_gqa=grouped)


def _dropped_by_mask(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    shift: Tensor | None,
    hidden: Tensor | None,
    scale: float,
    keep: float,
    bits: Tensor,
) -> Tensor:
    copies = query.shape[1] // key.shape[1]
    key, value = [part.repeat_interleave(copies, 1) for part in (key, value)]
    scores = query @ key.transpose(2, 3) * scale
    scores = scores if shift is None else scores + shift
    scores = scores if hidden is None else scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    places = torch.arange(8, dtype=torch.uint8, device=bits.device)
    kept = ((bits.unsqueeze(-1) >> places) & 1).flatten(-2).bool()
    return torch.where(kept, torch.softmax(scores, -1) / keep, 0) @ value


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
    pre_tokens: int = _FAR,
    next_tokens: int = _FAR,
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
        drop_mask: which scores dropout keeps, as bits: a Tensor of uint8 of shape (B, N, S, S of the keys // 8).
            Default: None, drawn.
        padding_mask: None.
        attn_mask: which keys a query does not see, 1 or True, of shape (S, S of the keys), (B, 1, ...) or (B, N, ...).
            Default: None, it sees all.
        prefix, actual_seq_qlen, actual_seq_kvlen: None.
        keep_prob: the probability to keep a score. Default: 1.0.
        scalar_value: the scale, usually 1 / sqrt(D). Default: 1.0.
        pre_tokens, next_tokens: how far before and behind itself a query sees, for the sparse modes 0 (with a mask)
            and 4. Default: 2147483647.
        inner_precise: without effect.
        input_layout: "BSH", "BNSD", "SBH" or "BSND". Default: "BSH".
        sparse_mode: 0 and 1 use `attn_mask`; else the mask is known: 2 is causal from the upper left corner, 3 from the
            lower right corner, 4 the band of `pre_tokens` and `next_tokens`. Default: 0.

    Returns:
        A Tensor of the shape and dtype of `query`.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an argument is out of its range.
        NotImplementedError: the layout "TND", a prefix, or another sparse mode.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.ops.ones((2, 4, 64))
        >>> ms.ops.flash_attention_score(x, x, x, 4, scalar_value=0.25, sparse_mode=2).shape
        (2, 4, 64)
    """
    api = "flash_attention_score"
    _check_layout(input_layout, ("BSH", "BNSD", "SBH", "BSND"), api)
    for name, given in (
        ("padding_mask", padding_mask),
        ("prefix", prefix),
        ("actual_seq_qlen", actual_seq_qlen),
        ("actual_seq_kvlen", actual_seq_kvlen),
    ):
        if given is not None:
            raise NotImplementedError(f"For '{api}', '{name}' must be None, but got {describe(given)}.")
    if not 0 < keep_prob <= 1:
        raise ValueError(f"For '{api}', 'keep_prob' must be in (0, 1], but got {keep_prob}.")
    q = _by_heads(query, head_num, input_layout, api)
    k, v = [_by_heads(part, _heads_of(part, q, input_layout), input_layout, api) for part in (key, value)]
    if head_num != q.shape[1] or head_num % k.shape[1]:
        raise ValueError(
            f"For '{api}', 'head_num' must be the number of the queries' heads, {q.shape[1]}, and a multiple of that "
            f"of the keys, {k.shape[1]}, but got {head_num}."
        )
    hidden = _hidden(api, attn_mask, sparse_mode, pre_tokens, next_tokens, q.shape[2], k.shape[2], query.device)
    if drop_mask is not None:
        result = _dropped_by_mask(q, k, v, real_shift, hidden, scalar_value, keep_prob, drop_mask)
    else:
        result = _attend(q, k, v, real_shift, hidden, scalar_value, 1 - keep_prob)
    return _as_before(result, input_layout)


def _heads_of(part: Tensor, query: Tensor, layout: str) -> int:
    """Return the number of heads of keys or values, each of the size of a query's."""
    if layout in ("BNSD", "BSND"):
        return part.shape[1 if layout == "BNSD" else 2]
    return max(part.shape[-1] // query.shape[-1], 1)


def _lengths(value: Any, api: str, name: str, device: torch.device) -> Tensor | None:
    if value is None:
        return None
    counts = as_ints(value, api, name)
    return torch.tensor((counts,) if isinstance(counts, int) else counts, device=device)


def _refuse_quantization(api: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"For '{api}', '{name}' is for quantized numbers and caches on Ascend cards.")


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
    pre_tokens: int = _FAR,
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
        actual_seq_lengths: without effect: what queries behind a sequence give, means nothing. Default: None.
        actual_seq_lengths_kv: how many keys of each sample count, of shape (B,). Default: None, all.
        pse_shift: what is added to the scores. Default: None.
        deq_scale1, quant_scale1, deq_scale2, quant_scale2, quant_offset2: None.
        num_heads: the number of the queries' heads. Default: 1.
        scale_value: the scale, usually 1 / sqrt(D). Default: 1.0.
        pre_tokens, next_tokens, sparse_mode: as for `flash_attention_score`. Default: 2147483647, 0 and 0.
        input_layout: "BSH" or "BNSD". Default: "BSH".
        num_key_value_heads: the number of the keys' heads; 0 is that of the queries. Default: 0.
        inner_precise: without effect.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an argument is out of its range.
        NotImplementedError: quantization.
    """
    api = "prompt_flash_attention"
    _check_layout(input_layout, ("BSH", "BNSD"), api)
    _refuse_quantization(
        api,
        deq_scale1=deq_scale1,
        quant_scale1=quant_scale1,
        deq_scale2=deq_scale2,
        quant_scale2=quant_scale2,
        quant_offset2=quant_offset2,
    )
    q = _by_heads(query, num_heads, input_layout, api)
    k, v = [_by_heads(part, num_key_value_heads or num_heads, input_layout, api) for part in (key, value)]
    mask = attn_mask.unsqueeze(1) if attn_mask is not None and attn_mask.dim() == 3 else attn_mask
    hidden = _hidden(api, mask, sparse_mode, pre_tokens, next_tokens, q.shape[2], k.shape[2], query.device)
    counts = _lengths(actual_seq_lengths_kv, api, "actual_seq_lengths_kv", query.device)
    return _as_before(_attend(q, k, v, pse_shift, _with_lengths(hidden, counts, k), scale_value, 0.0), input_layout)


def _with_lengths(hidden: Tensor | None, counts: Tensor | None, key: Tensor) -> Tensor | None:
    if counts is None:
        return hidden
    behind = (torch.arange(key.shape[2], device=key.device) >= counts[:, None])[:, None, None]
    return behind if hidden is None else hidden | behind


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
    block_table: Any = None,
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
        key, value: the keys and values, lists of one Tensor of shape (B, S, H) or (B, N, S, D).
        attn_mask: which keys the query does not see, of shape (B, S), (B, 1, S) or (B, 1, 1, S). Default: None.
        actual_seq_lengths: how many keys of each sample count, of shape (B,). Default: None, all.
        pse_shift: what is added to the scores, of shape (B or 1, N, 1, S). Default: None.
        num_heads: the number of the queries' heads. Default: 1.
        input_layout: "BSH" or "BNSD". Default: "BSH".
        scale_value: the scale, usually 1 / sqrt(D). Default: 1.0.
        num_key_value_heads: the number of the keys' heads; 0 is that of the queries. Default: 0.
        block_size, inner_precise: without effect.
        dequant_scale1, quant_scale1, dequant_scale2, quant_scale2, quant_offset2, antiquant_scale, antiquant_offset,
        block_table, kv_padding_size: None.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an argument is out of its range.
        NotImplementedError: quantization, or a cache in blocks.
    """
    api = "incre_flash_attention"
    _check_layout(input_layout, ("BSH", "BNSD"), api)
    _refuse_quantization(
        api,
        dequant_scale1=dequant_scale1,
        quant_scale1=quant_scale1,
        dequant_scale2=dequant_scale2,
        quant_scale2=quant_scale2,
        quant_offset2=quant_offset2,
        antiquant_scale=antiquant_scale,
        antiquant_offset=antiquant_offset,
        block_table=block_table,
        kv_padding_size=kv_padding_size,
    )
    q = _by_heads(query, num_heads, input_layout, api)
    k, v = [
        _by_heads(_only_one(part, name, api), num_key_value_heads or num_heads, input_layout, api)
        for name, part in (("key", key), ("value", value))
    ]
    hidden = None if attn_mask is None else attn_mask.bool().reshape(attn_mask.shape[0], 1, 1, -1)
    counts = _lengths(actual_seq_lengths, api, "actual_seq_lengths", query.device)
    return _as_before(_attend(q, k, v, pse_shift, _with_lengths(hidden, counts, k), scale_value, 0.0), input_layout)


def _only_one(part: Any, name: str, api: str) -> Tensor:
    if isinstance(part, (list, tuple)) and len(part) == 1:
        part = part[0]
    tensor = getattr(part, "_t", None)
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"For '{api}', '{name}' must be a list of one Tensor, but got {describe(part)}.")
    return tensor
