"""Attention with several heads, which can keep the keys and values of earlier tokens."""

from __future__ import annotations

import math
from typing import Any

from torchspore import nn, ops
from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.earlier.transformer.layers import Linear
from torchspore.earlier.transformer.settings import OpParallelConfig, default_dpmp_config
from torchspore.engine.parameters import Fraction, Positive, checked
from torchspore.nn.cell import Cell

__all__ = ["MultiHeadAttention"]

_MASKED = -10000.0  # what is added to the scores of masked tokens


class MultiHeadAttention(Cell):
    """Attention with several heads.

    Args:
        batch_size: the number of sequences.
        src_seq_length, tgt_seq_length: the lengths of the queries and of the keys.
        hidden_size: the size of the vectors, a multiple of `num_heads`.
        num_heads: the number of heads.
        hidden_dropout_rate, attention_dropout_rate: the probabilities to drop elements of the result, and weights.
            Default: 0.1.
        compute_dtype: the data type of the products. Default: float16.
        softmax_compute_type: the data type of the softmax. Default: float32.
        param_init_type: the data type of the weights. Default: float32.
        use_past: whether it keeps the keys and values of earlier tokens; `add_flags_recursive(is_first_iteration=...)`
            says whether a call has the first tokens or one more. Default: False.
        parallel_config: kept; it changes nothing on one device.

    Inputs:
        - query_tensor, key_tensor, value_tensor (Tensor): of shape (N, length, hidden_size) or (N * length,
          hidden_size).
        - attention_mask (Tensor or None): of shape (N, src_seq_length, tgt_seq_length), 0 where a token is masked.
        - key_past, value_past (Tensor): the keys of shape (N, num_heads, size, length) and the values of shape
          (N, num_heads, length, size) of earlier tokens. Default: None.
        - batch_valid_length (Tensor): the number of tokens in each sequence. Default: None.

    Outputs: the result in the shape of the queries, and the pair of keys and values.

    Raises:
        ValueError: `hidden_size` is not a multiple of `num_heads`.

    Source: MindSpore 2.0, `parallel._transformer.MultiHeadAttention`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer import MultiHeadAttention
        >>> attention = MultiHeadAttention(1, 2, 2, hidden_size=4, num_heads=2)
        >>> x = ms.ops.ones((1, 2, 4))
        >>> result, (keys, values) = attention(x, x, x, ms.ops.ones((1, 2, 2)))
        >>> result.shape, keys.shape, values.shape
        ((1, 2, 4), (1, 2, 2, 2), (1, 2, 2, 2))
    """

    @checked
    def __init__(
        self,
        batch_size: Positive,
        src_seq_length: Positive,
        tgt_seq_length: Positive,
        hidden_size: Positive,
        num_heads: Positive,
        hidden_dropout_rate: Fraction = 0.1,
        attention_dropout_rate: Fraction = 0.1,
        compute_dtype: mstype.Type = mstype.float16,
        softmax_compute_type: mstype.Type = mstype.float32,
        param_init_type: mstype.Type = mstype.float32,
        use_past: bool = False,
        parallel_config: OpParallelConfig = default_dpmp_config,
    ) -> None:
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError(f"'hidden_size' must be a multiple of 'num_heads', {num_heads}, but got {hidden_size}")
        self.batch_size = batch_size
        self.src_seq_length = src_seq_length
        self.tgt_seq_length = tgt_seq_length
        self.hidden_size = hidden_size
        self.n_head = num_heads
        self.size_per_head = hidden_size // num_heads
        self.dtype = compute_dtype
        self.softmax_dtype = softmax_compute_type
        self.use_past = use_past
        self.is_first_iteration = True
        types: Any = {"param_init_type": param_init_type, "compute_dtype": compute_dtype}
        self.projection = Linear(hidden_size, hidden_size, transpose_b=False, **types)
        self.dense1 = Linear(hidden_size, hidden_size, **types)
        self.dense2 = Linear(hidden_size, hidden_size, **types)
        self.dense3 = Linear(hidden_size, hidden_size, **types)
        self.dropout = nn.Dropout(p=hidden_dropout_rate)
        self.prob_dropout = nn.Dropout(p=attention_dropout_rate)

    def construct(
        self,
        query_tensor: Tensor,
        key_tensor: Tensor,
        value_tensor: Tensor,
        attention_mask: Tensor | None,
        key_past: Tensor | None = None,
        value_past: Tensor | None = None,
        batch_valid_length: Tensor | None = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        query = self._heads(self.dense1(query_tensor.astype(self.dtype))).transpose((0, 2, 1, 3))
        key = self._heads(self.dense2(key_tensor.astype(self.dtype))).transpose((0, 2, 3, 1))
        value = self._heads(self.dense3(value_tensor.astype(self.dtype))).transpose((0, 2, 1, 3))
        present = key, value
        if self.use_past and key_past is not None and value_past is not None and batch_valid_length is not None:
            positions = ops.arange(self.src_seq_length).reshape((1, -1))
            lengths = batch_valid_length.reshape((-1, 1))
            if self.is_first_iteration:
                kept = (positions < lengths).astype(key.dtype)
                present = key * kept[:, None, None, :], value * kept[:, None, :, None]
            else:  # one more token
                here = (positions == lengths).astype(key.dtype)
                key = key_past + key * here[:, None, None, :]
                value = value_past + value * here[:, None, :, None]
                present = key, value
        weights = self.prob_dropout(self._weights(query, key, attention_mask).astype(value.dtype))
        merged = ops.matmul(weights, value).transpose((0, 2, 1, 3)).reshape((-1, self.hidden_size))
        result = self.dropout(self.projection(merged))
        return result.reshape(query_tensor.shape).astype(query_tensor.dtype), present

    def _heads(self, x: Tensor) -> Tensor:
        heads: Tensor = x.reshape((self.batch_size, -1, self.n_head, self.size_per_head))
        return heads

    def _weights(self, query: Tensor, key: Tensor, mask: Tensor | None) -> Tensor:
        scale = math.sqrt(math.sqrt(self.size_per_head))
        scores = ops.matmul(query / scale, key / scale).astype(self.softmax_dtype)
        if mask is not None:
            hidden = 1.0 - mask.astype(self.softmax_dtype)
            scores = scores + hidden.expand_dims(1) * _MASKED
        weights: Tensor = ops.softmax(scores, -1)
        return weights
