"""Forms of attention operations that MindSpore has in `mindspore.ops.auto_generate` only."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.parameters import NotSupported
from torchspore.ops.attention.inference import fused_infer_attention_score, speed_fusion
from torchspore.ops.attention.masks_and_scores import FAR, KeepProbability, Layout, Masking, as_lengths
from torchspore.ops.random.stateless import rand_like_ext

__all__ = ["fused_infer_form", "speed_fusion_form"]


def fused_infer_form(
    query: Any, key: Any, value: Any, pse_shift: Any = None, attn_mask: Any = None,
    actual_seq_lengths: Any = None, actual_seq_lengths_kv: Any = None,
    dequant_scale1: Any = None, quant_scale1: Any = None, dequant_scale2: Any = None, quant_scale2: Any = None,
    quant_offset2: Any = None, antiquant_scale: Any = None, antiquant_offset: Any = None, block_table: Any = None,
    query_padding_size: Any = None, kv_padding_size: Any = None, key_antiquant_scale: Any = None,
    key_antiquant_offset: Any = None, value_antiquant_scale: Any = None, value_antiquant_offset: Any = None,
    key_shared_prefix: Any = None, value_shared_prefix: Any = None, actual_shared_prefix_len: Any = None,
    num_heads: int = 1, scale_value: float = 1.0, pre_tokens: int = FAR, next_tokens: int = FAR,
    input_layout: str = "BSH", num_key_value_heads: int = 0, sparse_mode: int = 0, inner_precise: int = 1,
    block_size: int = 0, antiquant_mode: int = 0, softmax_lse_flag: bool = False,
    key_antiquant_mode: int = 0, value_antiquant_mode: int = 0,
) -> tuple[Any, Any]:  # fmt: skip
    """Do `ops.fused_infer_attention_score`, with its arguments in another order."""
    given = dict(locals())
    given["atten_mask"], given["scale"] = given.pop("attn_mask"), given.pop("scale_value")
    return fused_infer_attention_score(**given)


@op(name="SpeedFusionAttention")
def speed_fusion_form(
    query: Tensor, key: Tensor, value: Tensor, head_num: int, input_layout: Layout, seed: Any, offset: Any,
    pse: Tensor | None = None, padding_mask: NotSupported = None, atten_mask: Tensor | None = None,
    scale: float = 1.0, keep_prob: KeepProbability = 1.0, pre_tokens: int = FAR, next_tokens: int = FAR,
    inner_precise: int = 0,
    prefix: Any = None, actual_seq_qlen: Any = None, actual_seq_kvlen: Any = None, sparse_mode: int = 0,
    gen_mask_parallel: bool = True, sync: bool = False, pse_type: int = 1,
    q_start_idx: Any = None, kv_start_idx: Any = None,
) -> Any:  # fmt: skip
    """Do `ops.speed_fusion_attention`, where a seed and an offset determine which scores dropout keeps."""
    api = "SpeedFusionAttention"
    prefixes = as_lengths(prefix, api, "prefix", query.device)
    masking = Masking(api, atten_mask, sparse_mode, pre_tokens, next_tokens, prefixes)

    def kept(index: int | None, shape: torch.Size) -> Tensor:
        scores = query.new_empty(shape, dtype=torch.float32)
        return rand_like_ext.body(scores, seed, offset if index is None else offset + index) < keep_prob

    result, top, total, count = speed_fusion(
        api, [query, key, value], head_num, input_layout, pse, masking, scale, keep_prob,
        (actual_seq_qlen, actual_seq_kvlen), pse_type, (q_start_idx, kv_start_idx),
        None if keep_prob == 1 else kept,
    )  # fmt: skip
    return result, top, total, query.new_empty(0), seed, offset, count
