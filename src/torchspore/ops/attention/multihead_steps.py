"""Parts of multi-head attention, with which packages compute variants of it.

MindSpore: private functions of `mindspore.ops.function.nn_func`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as
from torchspore.ops.array.joining import chunk
from torchspore.ops.array.padding import pad
from torchspore.ops.attention.multihead import Heads, multihead_attention
from torchspore.ops.linalg.products import dense
from torchspore.ops.neural.dropout import dropout

__all__: list[str] = []


def _check_qkv_shape(query_ndim: int, key_ndim: int, value_ndim: int) -> bool:
    """Return whether queries, keys and values are batched, with 3 dimensions instead of 2."""
    if query_ndim not in (2, 3) or not query_ndim == key_ndim == value_ndim:
        raise ValueError(
            "queries, keys and values must all have 3 dimensions, or 2 without a batch, but have "
            f"{query_ndim}, {key_ndim} and {value_ndim}."
        )
    return query_ndim == 3


def _check_kpm_shape(query_ndim: int, kmp_ndim: int) -> None:
    """Check the number of dimensions of the key mask."""
    if kmp_ndim != query_ndim - 1:
        raise ValueError(f"'key_padding_mask' must have {query_ndim - 1} dimensions, but has {kmp_ndim}.")


def _check_attn_mask_shape(
    query_ndim: int,
    query_shape: Sequence[int],
    key_shape: Sequence[int],
    attn_mask_ndim: int,
    attn_mask_shape: Sequence[int],
    num_heads: int,
) -> None:
    """Check the shape of the attention mask: one for all, or one for each head (of each example)."""
    pairs, masks = (query_shape[0], key_shape[0]), num_heads
    if query_ndim == 3:
        masks *= query_shape[1]
    if tuple(attn_mask_shape) not in (pairs, (masks, *pairs)):
        raise ValueError(
            f"'attn_mask' must be of shape {pairs} or {(masks, *pairs)}, but is of shape {tuple(attn_mask_shape)}."
        )


def _in_projection(
    q: Tensor, k: Tensor, v: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor,
    b_q: Tensor | None = None, b_k: Tensor | None = None, b_v: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Project queries, keys and values."""
    return dense(q, w_q, b_q), dense(k, w_k, b_k), dense(v, w_v, b_v)


def _in_projection_packed(
    q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None, k_is_v: bool, q_is_k: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Project queries, keys and values with stacked weights and biases."""
    biases = (None, None, None) if b is None else chunk(b, 3)
    return _in_projection(q, k, v, *chunk(w, 3), *biases)


def _inner_dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """Apply dropout in training."""
    return dropout(x, p, training) if training and p > 0 else x


def _inner_pad(x: Tensor, padding: tuple[int, ...], value: float | None = None) -> Tensor:
    """Pad the last dimensions of `x` with a number, by default 0."""
    return pad(x, padding, "constant", 0 if value is None else value)


def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int,
    in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None,
    add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Tensor | None,
    training: bool = True, key_padding_mask: Tensor | None = None, attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False, q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None,
    average_attn_weights: bool = True, is_causal: bool = False,
    k_is_v: bool = False, q_is_k: bool = False, dtype: Any = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return what `nn.MultiheadAttention` with these weights returns: the attention and its weights.

    Args:
        query, key, value: of shape (L, N, E) or (L, E).
        embed_dim_to_check: E.
        static_k, static_v: None.
        is_causal: False: causal masks are given as `attn_mask`.
        k_is_v, q_is_k, dtype: without effect: they speed up MindSpore's kernel.

    Raises:
        NotImplementedError: an unsupported argument.
    """
    api = "multi_head_attention_forward"
    take_as(bool, k_is_v, "k_is_v", api)
    take_as(bool, q_is_k, "q_is_k", api)
    if static_k is not None or static_v is not None or is_causal:
        raise NotImplementedError(
            f"For '{api}', 'static_k' and 'static_v' must be None and 'is_causal' False. Give an 'attn_mask'."
        )
    if query.shape[-1] != embed_dim_to_check:
        raise ValueError(f"For '{api}', queries must have {embed_dim_to_check} features: {describe(query)}.")
    separate = [q_proj_weight, k_proj_weight, v_proj_weight]
    weights = separate if use_separate_proj_weight else [in_proj_weight]
    seen, shares = multihead_attention(
        query, key, value, weights, in_proj_bias, bias_k, bias_v, key_padding_mask, attn_mask,
        Heads(num_heads, dropout_p, False, add_zero_attn), True, average_attn_weights, training,
    )  # fmt: skip
    return dense(seen, out_proj_weight, out_proj_bias), shares
