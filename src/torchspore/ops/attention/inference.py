"""Fused attention for inference and for training, with all options."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.arguments.conversions import as_ints
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import op
from torchspore.engine.parameters import NotSupported, Only
from torchspore.ops.attention.masks_and_scores import (
    FAR,
    Fused,
    KeepProbability,
    Layout,
    Masking,
    all_none,
    as_lengths,
    attend,
    by_heads,
    check_ends,
    check_heads,
    first_position,
    from_pages,
    hidden_by_lengths,
    packed_lengths,
    sample_part,
    statistics,
    to_layout,
)

__all__ = ["fused_infer_attention_score", "speed_fusion_attention"]


def _as_list(x: Any, api: str, name: str) -> list[Tensor]:
    tensors = [getattr(one, "_t", None) for one in (x if isinstance(x, (list, tuple)) else [x])]
    if not tensors or not all(isinstance(one, torch.Tensor) for one in tensors):
        raise TypeError(f"For '{api}', '{name}' must be a Tensor or a list of Tensors, but got {describe(x)}.")
    return tensors  # type: ignore[return-value]


def _padded(samples: list[Tensor]) -> Tensor:
    """Return samples of shape (1, heads, S, D) as one batch, padded to the longest."""
    longest = max(x.shape[2] for x in samples)
    return torch.cat([F.pad(x, (0, 0, 0, longest - x.shape[2])) for x in samples])


@op
def fused_infer_attention_score(
    query: Tensor, key: Any, value: Any, *,
    pse_shift: Tensor | None = None, atten_mask: Tensor | None = None,
    actual_seq_lengths: Any = None, actual_seq_lengths_kv: Any = None,
    dequant_scale1: NotSupported = None, quant_scale1: NotSupported = None, dequant_scale2: NotSupported = None,
    quant_scale2: NotSupported = None,
    quant_offset2: NotSupported = None, antiquant_scale: NotSupported = None, antiquant_offset: NotSupported = None,
    key_antiquant_scale: NotSupported = None, key_antiquant_offset: NotSupported = None,
    value_antiquant_scale: NotSupported = None, value_antiquant_offset: NotSupported = None,
    block_table: Tensor | None = None, query_padding_size: Any = None, kv_padding_size: Any = None,
    key_shared_prefix: NotSupported = None, value_shared_prefix: NotSupported = None,
    actual_shared_prefix_len: NotSupported = None,
    num_heads: int = 1, scale: float = 1.0, pre_tokens: int = FAR, next_tokens: int = FAR,
    input_layout: Literal["BSH", "BNSD", "BSND", "BNSD_BSND"] = "BSH",
    num_key_value_heads: int = 0, sparse_mode: int = 0, inner_precise: int = 1, block_size: int = 0,
    antiquant_mode: Annotated[int, Only(0)] = 0, key_antiquant_mode: Annotated[int, Only(0)] = 0,
    value_antiquant_mode: Annotated[int, Only(0)] = 0, softmax_lse_flag: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Multi-head attention for inference, of whole sequences or of one query to all keys so far.

    Args:
        query: the queries, in the layout `input_layout`.
        key, value: the keys and values in that layout, Tensors or lists of one Tensor; or lists of one Tensor per
            sample, of batch size 1 and the sample's length; or with `block_table`, pages of shape (pages, rows, H) or
            (pages, N, rows, D).
        pse_shift: what is added to the scores, of shape (B or 1, N, S, S of the keys). Default: None.
        atten_mask: the keys hidden from a query, 1 or True, of shape (S, S of the keys), (B or 1, S, S of the keys),
            or (B or 1, 1, S, S of the keys); of a single query also (B, S of the keys). Default: None.
        actual_seq_lengths, actual_seq_lengths_kv: the number of valid queries and keys of each sample, of shape (B,): a
            list, tuple or Tensor of ints. What other queries return is undefined. Default: None, all.
        block_table: the pages of each sample, ints of shape (B, pages of a sample). Default: None.
        query_padding_size, kv_padding_size: the number of padding rows after the sequences, which are then aligned at
            the end of their rows; without the lengths they have no effect. Default: None.
        num_heads: the number of heads of the queries. Default: 1.
        scale: the scale, usually 1 / sqrt(D). Default: 1.0.
        pre_tokens, next_tokens, sparse_mode: as for `flash_attention_score`; without effect on a single query.
        input_layout: "BSH", "BNSD", "BSND", or "BNSD_BSND", where the result is BSND. Default: "BSH".
        num_key_value_heads: the number of heads of the keys; 0 is as many as the queries have. Default: 0.
        inner_precise: without effect: queries that see nothing return 0 with all of its values.
        block_size: the number of rows per page; 0 is as many as the keys have. Default: 0.
        softmax_lse_flag: whether to return the logarithms. Default: False.
        dequant_scale1, quant_scale1, dequant_scale2, quant_scale2, quant_offset2, antiquant_scale, antiquant_offset,
        key_antiquant_scale, key_antiquant_offset, value_antiquant_scale, value_antiquant_offset, key_shared_prefix,
        value_shared_prefix, actual_shared_prefix_len: None.
        antiquant_mode, key_antiquant_mode, value_antiquant_mode: 0.

    Returns:
        The attention; and the log-sum-exp of each query's scores, of float32 and shape (B, N, S, 1), or without
        `softmax_lse_flag` a zero.

    Raises:
        NotImplementedError: quantization, a shared prefix, or another sparse mode.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([[[1.0], [3.0], [5.0]]])
        >>> print(ms.ops.fused_infer_attention_score(0 * x, x, x, actual_seq_lengths_kv=[2])[0].flatten())
        [2. 2. 2.]
    """
    api = "fused_infer_attention_score"
    layout, _, output_layout = input_layout.partition("_")
    q = by_heads(query, num_heads, layout)
    lengths = as_lengths(actual_seq_lengths, api, "actual_seq_lengths", query.device)
    key_lengths = as_lengths(actual_seq_lengths_kv, api, "actual_seq_lengths_kv", query.device)
    heads = num_key_value_heads or num_heads
    keys, values = [_as_list(x, api, name) for name, x in (("key", key), ("value", value))]
    if block_table is not None:
        _check_pages(keys, block_size, key_lengths, (query_padding_size, kv_padding_size))
        k, v = [from_pages(pages[0], block_table, heads) for pages in (keys, values)]
    else:
        if len(keys) > 1 and key_lengths is None:
            key_lengths = torch.tensor([x.shape[2 if layout == "BNSD" else 1] for x in keys], device=query.device)
        k, v = [_padded([by_heads(x, heads, layout) for x in samples]) for samples in (keys, values)]
    check_heads(api, q, k, num_heads, "num_heads")
    if q.shape[2] == 1:
        mask = None if atten_mask is None else atten_mask.reshape(atten_mask.shape[0], 1, 1, -1)
        masking = Masking(api, mask, 0, FAR, FAR)
    else:
        mask = atten_mask.unsqueeze(1) if atten_mask is not None and atten_mask.dim() == 3 else atten_mask
        masking = Masking(api, mask, sparse_mode, pre_tokens, next_tokens)
    first = first_position(q.shape[2], query_padding_size, lengths, api, "query_padding_size")
    first_key = first_position(k.shape[2], kv_padding_size, key_lengths, api, "kv_padding_size")
    hidden = hidden_by_lengths(masking, q, k, lengths, key_lengths, first, first_key)
    result = attend(q, k, v, pse_shift, hidden, scale, 0.0)
    unseeing = None if hidden is None else hidden.all(-1, keepdim=True)
    result = to_layout(result if unseeing is None else result.masked_fill(unseeing, 0), output_layout or layout)
    if not softmax_lse_flag:
        return result, torch.zeros(1, device=query.device)
    top, total = statistics(q, k, pse_shift, hidden, scale)
    log_sum = top + total.log()
    return result, log_sum if unseeing is None else log_sum.masked_fill(unseeing, -torch.inf)


def _check_pages(keys: list[Tensor], block_size: int, lengths: Tensor | None, paddings: tuple[Any, Any]) -> None:
    rows = keys[0].shape[-2]
    if len(keys) != 1 or lengths is None or not all_none(*paddings) or block_size not in (0, rows):
        raise ValueError(
            "a 'block_table' needs one Tensor of keys, their 'actual_seq_lengths_kv', no padding sizes, and a "
            f"'block_size' of {rows} or 0, but got {describe(keys)}, {describe(lengths)}, {describe(list(paddings))} "
            f"and {block_size}"
        )


# Training


def _distance_shift(
    slopes: Tensor, roots: bool, starts: tuple[int, int], dtype: torch.dtype
) -> Callable[[int | None, torch.Size], Tensor]:
    """Return what is added to scores for the distance of query and key: the distance times a slope of each head."""

    def shift(index: int | None, shape: torch.Size) -> Tensor:
        slope = slopes.reshape(-1, shape[1])
        slope = slope[index : index + 1] if index is not None and slope.shape[0] > 1 else slope
        rows, columns = [torch.arange(size, device=slopes.device) + start for size, start in zip(shape[2:], starts)]
        apart = (rows[:, None] - columns).abs().to(slopes.dtype)
        return (-slope[..., None, None] * (apart.sqrt() if roots else apart)).to(dtype)

    return shift


def _start(value: Any, api: str, name: str) -> int:
    if value is None:
        return 0
    given = as_ints(value, api, name)
    if isinstance(given, int) or len(given) != 1:
        raise ValueError(f"For '{api}', '{name}' must be a list of one int, but got {describe(value)}.")
    return int(given[0])


def _shift(
    api: str, query: Tensor, pse: Tensor | None, pse_type: int, scale: float, starts: tuple[Any, Any]
) -> Callable[[int | None, torch.Size], Tensor | None]:
    """Return what `pse` and `pse_type` add to the scores."""
    if pse_type not in (0, 1, 2, 3) or (pse_type in (2, 3) and pse is None):
        raise ValueError(
            f"For '{api}', 'pse_type' must be 0, 1, 2 or 3, and the last two need the slopes 'pse', but got {pse_type} "
            f"and {describe(pse)}."
        )
    if pse_type in (2, 3) and pse is not None:
        q_start, kv_start = [_start(x, api, name) for name, x in zip(("q_start_idx", "kv_start_idx"), starts)]
        return _distance_shift(pse, pse_type == 3, (q_start, kv_start), query.dtype)
    if not all_none(*starts):
        raise ValueError(f"For '{api}', 'q_start_idx' and 'kv_start_idx' are for 'pse_type' 2 and 3.")
    return partial(sample_part, pse * scale if pse is not None and pse_type == 1 else pse)


def speed_fusion(
    api: str, parts: list[Tensor], heads: int, layout: str, pse: Tensor | None, masking: Masking,
    scale: float, keep: float, ends: tuple[Any, Any], pse_type: int, starts: tuple[Any, Any],
    kept: Callable[[int | None, torch.Size], Tensor] | None = None,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Return the attention, the statistics, each number repeated eight times, and the number of scores for dropout.

    Without `kept`, torch draws which scores dropout keeps; see `Fused`.
    """
    check_ends(api, layout, ends, parts, heads)
    lengths = packed_lengths(api, parts[0], parts[1], ends) if layout == "TND" else []
    shift = _shift(api, parts[0], pse, pse_type, scale, starts)
    fused = Fused(masking, scale, keep, shift, with_statistics=True)
    if kept is not None:
        fused = fused._replace(kept=kept)
    result, *statistic = fused.in_layout(parts, heads, layout, lengths)
    if layout == "TND":
        count = heads * sum(rows * columns for rows, columns in lengths)
    else:
        count = statistic[0].numel() * parts[1].shape[{"SBH": 0, "BNSD": 2}.get(layout, 1)]
    numbers = torch.tensor(count if keep < 1 else 0, device=result.device)
    return (result, *[x.expand(*x.shape[:-1], 8).contiguous() for x in statistic], numbers)


@op
def speed_fusion_attention(
    query: Tensor, key: Tensor, value: Tensor, head_num: int, input_layout: Layout, *,
    pse: Tensor | None = None, padding_mask: NotSupported = None, atten_mask: Tensor | None = None,
    scale: float = 1.0, keep_prob: KeepProbability = 1.0, pre_tokens: int = FAR, next_tokens: int = FAR,
    inner_precise: int = 0,
    prefix: Any = None, actual_seq_qlen: Any = None, actual_seq_kvlen: Any = None, sparse_mode: int = 0,
    gen_mask_parallel: bool = True, sync: bool = False, pse_type: int = 1,
    q_start_idx: Any = None, kv_start_idx: Any = None,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Multi-head attention for training, with the statistics of its scores.

    The statistics need a second pass over the scores. Where they are not needed, `flash_attention_score` is faster.

    Args:
        query, key, value, head_num, input_layout, padding_mask, keep_prob, pre_tokens, next_tokens, prefix,
        actual_seq_qlen, actual_seq_kvlen, sparse_mode: as for `flash_attention_score`.
        pse: what is added to the scores, of shape (B or 1, N, S, S of the keys); with `pse_type` 2 and 3 the slope of
            each head, of shape (B, N) or (N,). Default: None.
        atten_mask, scale: its `attn_mask` and `scalar_value`.
        inner_precise, gen_mask_parallel, sync: without effect.
        pse_type: 0: `pse` is added to the scores; 1: before these are multiplied by the scale; 2: the slope times
            -abs(position of the query - position of the key) is added; 3: times the square root of that distance.
            Default: 1.
        q_start_idx, kv_start_idx: the positions of the first query and of the first key, lists of one int, for
            `pse_type` 2 and 3. Default: None, 0.

    Returns:
        Seven Tensors: the attention; the maximum score of each query and the sum of the exponentials of its scores
        minus that maximum, of float32 and shape (B, N, S, 8) or (T, N, 8): the same number eight times; three empty
        ones, for the weights and for the seed and offset of MindSpore's generator, which is not used; and the number
        of scores for dropout.

    Raises:
        NotImplementedError: a padding mask, or another sparse mode.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([[[1.0], [3.0]]])
        >>> attention, top, total, *others = ms.ops.speed_fusion_attention(0 * x, x, x, 1, "BSH", sparse_mode=2)
        >>> print(attention.flatten(), total[0, 0, :, 0])
        [1. 2.] [1. 2.]
    """
    api = "speed_fusion_attention"
    prefixes = as_lengths(prefix, api, "prefix", query.device)
    masking = Masking(api, atten_mask, sparse_mode, pre_tokens, next_tokens, prefixes)
    result, top, total, count = speed_fusion(
        api, [query, key, value], head_num, input_layout, pse, masking, scale, keep_prob,
        (actual_seq_qlen, actual_seq_kvlen), pse_type, (q_start_idx, kv_start_idx),
    )  # fmt: skip
    nothing = torch.empty(0, dtype=torch.int64, device=query.device)
    return result, top, total, query.new_empty(0), nothing, nothing.clone(), count
