"""Multi-head attention over torch tensors; the layer is `nn.MultiheadAttention`.

Unless the weights are needed it is torch's fused operation. That has no second derivative and no forward mode, so
nested differentiation and torch's function transforms use single operations instead.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.common.private_torch import functorch_level, safe_softmax
from torchspore.common.scopes.scope import scope
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import op

__all__ = ["Heads", "multihead_attention"]

_API = "MultiheadAttention"


class Heads(NamedTuple):
    """The settings of multi-head attention.

    Attributes:
        number: the number of heads.
        dropout: the probability to drop a weight, in training.
        batch_first: whether the batch is the first or the second dimension of batched tensors.
        add_zero_attn: whether to add a key and a value of zeros.
    """

    number: int
    dropout: float = 0.0
    batch_first: bool = False
    add_zero_attn: bool = False


@op(name=_API)
def multihead_attention(
    query: Tensor, key: Tensor, value: Tensor, weights: list[Tensor], bias: Tensor | None, bias_k: Tensor | None,
    bias_v: Tensor | None, key_padding_mask: Tensor | None, attn_mask: Tensor | None, heads: Any, need_weights: bool,
    average: bool, training: bool,
) -> Any:  # fmt: skip
    """Return the concatenated outputs of the heads, before the last projection, and the weights if they are needed.

    Args:
        query, key, value: of shape (L, N, E), or (N, L, E) if the batch comes first, or (L, E).
        weights: the matrix that projects all three, of shape (3 * E, E), or one for each.
        bias: the bias of the projections, of shape (3 * E,).
        bias_k, bias_v: a key and a value to add, of shape (1, 1, E).
        key_padding_mask: the hidden keys, or what is added to their scores, of shape (N, S) or (S,).
        attn_mask: the hidden pairs, or what is added to their scores, of shape (L, S) or (N * heads, L, S).
        heads: a `Heads`.
        need_weights: whether to return the weights.
        average: whether to average the weights over the heads.
        training: whether to apply dropout.
    """
    _check(query, key, value, weights, heads.batch_first)
    batched = query.dim() == 3
    if not batched:
        alone = key is value, query is key
        query, value = query.unsqueeze(0), value.unsqueeze(0)
        key = value if alone[0] else key.unsqueeze(0)
        query = key if alone[1] else query
    batch_first = heads.batch_first or not batched
    q, k, v = [_by_heads(part, heads.number, batch_first) for part in _projected(query, key, value, weights, bias)]
    mask = _shift(key_padding_mask, attn_mask, q, k, batched)
    for extra_keys, extra_values in _added_keys(bias_k, bias_v, heads.add_zero_attn, k):
        k = torch.cat((k, extra_keys.expand(k.shape[0], *extra_keys.shape[1:])), 2)
        v = torch.cat((v, extra_values.expand(v.shape[0], *extra_values.shape[1:])), 2)
        mask = None if mask is None else F.pad(mask, (0, 1))
    drop = heads.dropout if training else 0.0
    if need_weights or scope.depth > 1 or functorch_level() is not None:
        seen, shares = _unfused(q, k, v, mask, drop)
    else:
        seen = F.scaled_dot_product_attention(q, k, v, mask, drop)
    seen = (seen.transpose(1, 2) if batch_first else seen.permute(2, 0, 1, 3)).flatten(2)
    seen = seen if batched else seen.squeeze(0)
    if not need_weights:
        return (seen,)
    shares = shares.mean(1) if average else shares
    return seen, shares if batched else shares.squeeze(0)


def _check(query: Tensor, key: Tensor, value: Tensor, weights: list[Tensor], batch_first: bool) -> None:
    dims, batch = query.dim(), 0 if batch_first else 1
    if dims not in (2, 3) or key.dim() != dims or value.dim() != dims:
        raise ValueError(
            f"For '{_API}', 'query', 'key' and 'value' must all have 3 dimensions, or 2 without a batch, but got "
            f"{describe(query)}, {describe(key)} and {describe(value)}."
        )
    sizes = [matrix.shape[1] for matrix in weights] if len(weights) == 3 else [weights[0].shape[1]] * 3
    for name, part, size in zip(("query", "key", "value"), (query, key, value), sizes):
        if part.shape[-1] != size:
            raise ValueError(f"For '{_API}', the last dimension of '{name}' must be {size}, but got {describe(part)}.")
    if key.shape[:-1] != value.shape[:-1] or (dims == 3 and key.shape[batch] != query.shape[batch]):
        raise ValueError(
            f"For '{_API}', 'key' and 'value' must have the same length, and all three the same batch size, dimension "
            f"{batch}, but got {describe(query)}, {describe(key)} and {describe(value)}."
        )


def _projected(
    query: Tensor, key: Tensor, value: Tensor, weights: list[Tensor], bias: Tensor | None
) -> tuple[Tensor, ...]:
    """Project the three; identical tensors are projected together."""
    if len(weights) == 3:
        biases: Any = (None,) * 3 if bias is None else bias.chunk(3)
        return tuple([F.linear(*each) for each in zip((query, key, value), weights, biases)])
    if query is key and key is value:
        return F.linear(query, weights[0], bias).chunk(3, -1)
    size = query.shape[-1]
    lengths = (size, 2 * size) if key is value else (size,) * 3
    biases = (None,) * len(lengths) if bias is None else bias.split(lengths)
    parts = [F.linear(*each) for each in zip((query, key, value), weights[0].split(lengths), biases)]
    return (parts[0], *parts[1].chunk(2, -1)) if key is value else tuple(parts)


def _by_heads(x: Tensor, count: int, batch_first: bool) -> Tensor:
    """Return (N, heads, L, D)."""
    x = x.unflatten(2, (count, -1))
    return x.transpose(1, 2) if batch_first else x.permute(1, 2, 0, 3)


def _added_keys(bias_k: Tensor | None, bias_v: Tensor | None, zeros: bool, k: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Return the keys and values, of shape (1, heads, 1, D), that do not come from the input."""
    found = []
    if bias_k is not None and bias_v is not None:
        found.append((_alone(bias_k, k), _alone(bias_v, k)))
    if zeros:
        zero = k.new_zeros((1, k.shape[1], 1, k.shape[3]))
        found.append((zero, zero))
    return found


def _alone(bias: Tensor, like: Tensor) -> Tensor:
    return bias.to(like.dtype).reshape(1, like.shape[1], 1, -1)


def _shift(padding: Tensor | None, mask: Tensor | None, q: Tensor, k: Tensor, batched: bool) -> Tensor | None:
    """Return what is added to the scores, broadcastable to (N, heads, L, S)."""
    batch, heads, rows, columns = *q.shape[:3], k.shape[2]
    if padding is not None:
        _check_mask("key_padding_mask", padding, ((batch, columns) if batched else (columns,),))
        padding = _added(padding, q.dtype).reshape(batch, 1, 1, columns)
    if mask is not None:
        _check_mask("attn_mask", mask, ((rows, columns), (batch * heads, rows, columns)))
        mask = _added(mask, q.dtype)
        mask = mask if mask.dim() == 2 else mask.unflatten(0, (batch, heads))
    if padding is None or mask is None:
        return mask if padding is None else padding
    return padding + mask


def _check_mask(name: str, mask: Tensor, shapes: tuple[tuple[int, ...], ...]) -> None:
    if tuple(mask.shape) not in shapes:
        accepted = " or ".join(map(str, shapes))
        raise ValueError(f"For '{_API}', '{name}' must be of shape {accepted}, but got {describe(mask)}.")
    if not mask.is_floating_point() and mask.dtype not in (torch.bool, torch.uint8):
        raise ValueError(f"For '{_API}', '{name}' must hold bools or floats, but got {describe(mask)}.")


def _added(mask: Tensor, dtype: torch.dtype) -> Tensor:
    if mask.is_floating_point():
        return mask.to(dtype)
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask.bool(), -torch.inf)


def _unfused(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, drop: float) -> tuple[Tensor, Tensor]:
    """Attend with operations that all of torch's transforms support, and return the weights, too."""
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(2, 3)
    if mask is None:
        shares = torch.softmax(scores, -1)
    else:
        # A query that sees nothing returns 0, as in the fused operation; a plain softmax would return nan.
        shares = safe_softmax(scores + mask, -1)
    if drop:
        shares = torch.dropout(shares, drop, True)
    return shares @ v, shares
