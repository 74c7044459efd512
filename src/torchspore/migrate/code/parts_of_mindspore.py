"""Functions of PyTorch that MindSpore lacks and that take more than an expression: programs get their source."""

from __future__ import annotations

__all__ = ["DEFINITIONS", "PARTS", "PLAIN_ARGUMENTS"]

_ATTENTION = '''\
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """Attention as in PyTorch: a mask of bools says what is seen, one of numbers is added to the scores."""
    if enable_gqa:
        key = mindspore.mint.repeat_interleave(key, query.shape[-3] // key.shape[-3], -3)
        value = mindspore.mint.repeat_interleave(value, query.shape[-3] // value.shape[-3], -3)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = mindspore.mint.matmul(query, key.swapaxes(-1, -2)) * scale
    if is_causal:
        attn_mask = mindspore.mint.ones((query.shape[-2], key.shape[-2]), dtype=mindspore.bool_).tril()
    blind = None  # the rows that see nothing, which are 0
    if attn_mask is not None and attn_mask.dtype == mindspore.bool_:
        blind = mindspore.mint.logical_not(mindspore.mint.any(attn_mask, -1, True))
        attn_mask = mindspore.mint.where(mindspore.mint.logical_or(attn_mask, blind), 0.0, -float("inf"))
    if attn_mask is not None:
        scores = scores + attn_mask.to(scores.dtype)
    weights = mindspore.mint.nn.functional.softmax(scores, -1)
    if blind is not None:
        weights = weights.masked_fill(blind, 0.0)
    weights = mindspore.mint.nn.functional.dropout(weights, dropout_p)
    return mindspore.mint.matmul(weights, value)
'''

_RMS_NORM = '''\
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Divide by the root mean square over the last dimensions."""
    axes = tuple(range(-len(normalized_shape), 0))
    eps = 2.0**-23 if eps is None else eps  # that of float32
    result = input * mindspore.mint.rsqrt(mindspore.mint.mean(input * input, axes, True) + eps)
    return result if weight is None else result * weight
'''

PARTS = {"rms_norm": _RMS_NORM, "scaled_dot_product_attention": _ATTENTION}

# Full name -> the part that replaces it.
DEFINITIONS = {f"torch.nn.functional.{name}": name for name in PARTS}

# Functions that the table has a simple form of, for calls with as few arguments.
PLAIN_ARGUMENTS = {"torch.nn.functional.scaled_dot_product_attention": 3}
