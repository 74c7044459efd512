"""Attention and rotary positions."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from torchspore.serialization.onnx_graph.table import Operation, Table

__all__ = ["TABLE"]


def _by_heads(x: Tensor, heads: int | None) -> Tensor:
    if x.ndim == 4:
        return x
    if not heads or x.ndim != 3:
        raise ValueError(f"an input of shape {tuple(x.shape)} with {heads} heads")
    return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def _attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    valid_lengths: Tensor | None = None,
    *,
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    left_window_size: int = -1,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    right_window_size: int = -1,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
) -> tuple[Tensor, ...]:
    is_flat = q.ndim == 3
    q, k, v = _by_heads(q, q_num_heads), _by_heads(k, kv_num_heads), _by_heads(v, kv_num_heads)
    before = 0
    if past_key is not None and past_value is not None:
        before = past_key.shape[2]
        k, v = torch.cat([past_key, k], 2), torch.cat([past_value, v], 2)
    present = k, v
    repeats = q.shape[1] // k.shape[1]
    if repeats > 1:
        k, v = k.repeat_interleave(repeats, 1), v.repeat_interleave(repeats, 1)
    factor = math.sqrt(1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    scores = torch.matmul(q * factor, (k * factor).transpose(-1, -2))
    shown = scores
    length, total = scores.shape[-2:]
    bias = None
    if mask is not None:
        bias = torch.where(mask, 0.0, -torch.inf).to(q.dtype) if mask.dtype is torch.bool else mask
        if bias.shape[-1] < total:
            bias = torch.nn.functional.pad(bias, [0, total - bias.shape[-1]], value=-torch.inf)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    if qk_matmul_output_mode == 1:
        shown = scores
    if bias is not None:
        scores = scores + bias
    rows = torch.arange(length, device=q.device).unsqueeze(1) + before
    columns = torch.arange(total, device=q.device)
    hidden = torch.zeros((), dtype=torch.bool, device=q.device)
    if valid_lengths is not None:
        hidden = columns >= valid_lengths.reshape(-1, 1, 1, 1)
        rows = rows + (valid_lengths - length).reshape(-1, 1, 1, 1)
    if is_causal:
        hidden = hidden | (columns > rows)
    if left_window_size >= 0:
        hidden = hidden | (columns < rows - left_window_size)
    if right_window_size >= 0:
        hidden = hidden | (columns > rows + right_window_size)
    scores = scores.masked_fill(hidden, -torch.inf)
    if qk_matmul_output_mode == 2:
        shown = scores
    wide = scores.float() if scores.dtype in (torch.float16, torch.bfloat16) else scores
    weights = torch.nan_to_num(torch.softmax(wide, -1)).to(q.dtype)
    if qk_matmul_output_mode == 3:
        shown = weights
    y = torch.matmul(weights, v)
    if is_flat:
        y = y.transpose(1, 2).reshape(y.shape[0], y.shape[2], -1)
    return y, *present, shown


def _rotary(
    x: Tensor,
    cos: Tensor,
    sin: Tensor,
    positions: Tensor | None = None,
    *,
    interleaved: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Tensor:
    shape = x.shape
    if x.ndim == 4:
        x = x.transpose(1, 2)
    else:
        x = x.reshape(x.shape[0], x.shape[1], num_heads, -1)
    size = rotary_embedding_dim or x.shape[-1]
    turned, rest = x[..., :size], x[..., size:]
    if positions is not None:
        cos, sin = cos[positions.to(torch.int64)], sin[positions.to(torch.int64)]
    cos, sin = cos[..., : size // 2].unsqueeze(2), sin[..., : size // 2].unsqueeze(2)
    a, b = (turned[..., 0::2], turned[..., 1::2]) if interleaved else turned.chunk(2, -1)
    parts = [cos * a - sin * b, sin * a + cos * b]
    turned = torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)
    result = torch.cat([turned, rest], -1)
    return result.transpose(1, 2) if len(shape) == 4 else result.reshape(shape)


TABLE: Table = {"Attention": Operation(_attention), "RotaryEmbedding": Operation(_rotary)}
