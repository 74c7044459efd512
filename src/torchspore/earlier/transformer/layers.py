"""Parts of transformers: linear layers, the feed-forward layer, embeddings, masks and the loss."""

from __future__ import annotations

from typing import Any

from torchspore import nn, ops
from torchspore.common import dtype as mstype
from torchspore.common.initializer import initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.earlier.transformer.settings import (
    EmbeddingOpParallelConfig,
    OpParallelConfig,
    check_experts,
    default_dpmp_config,
    default_embedding_parallel_config,
)
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Fraction, Positive, checked
from torchspore.nn.cell import Cell

__all__ = ["AttentionMask", "CrossEntropyLoss", "Dropout", "FeedForward", "LayerNorm", "Linear", "VocabEmbedding"]


class Linear(Cell):
    """A linear layer that computes in another data type than those of its weights and its input.

    Args:
        in_channels, out_channels: the sizes.
        weight_init, bias_init: the initial values. Default: "normal" and "zeros".
        has_bias: whether there is a bias. Default: True.
        activation: the name of an activation, or None. Default: None.
        transpose_b: whether the weight is of shape (out, in). Default: True.
        expert_num: must be 1. Default: 1.
        outer_batch, expert_group_size: kept. Default: 1 and None.
        param_init_type: the data type of the weights. Default: float32.
        compute_dtype: the data type of the computation. Default: float16.

    Inputs and outputs: a Tensor of shape (..., in_channels), and one of shape (..., out_channels) in its data type.

    Raises:
        NotImplementedError: `expert_num` is not 1.

    Source: MindSpore 1.10, `nn.transformer.layers._Linear`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer.layers import Linear
        >>> Linear(3, 2)(ms.ops.ones((4, 3))).shape
        (4, 2)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        activation: str | None = None,
        transpose_b: bool = True,
        expert_num: int = 1,
        outer_batch: int = 1,
        expert_group_size: int | None = None,
        param_init_type: mstype.Type = mstype.float32,
        compute_dtype: mstype.Type = mstype.float16,
    ) -> None:
        super().__init__()
        check_experts(expert_num, "Linear")
        self.transpose_b = transpose_b
        self.dtype = compute_dtype
        self.has_bias = has_bias
        shape = (out_channels, in_channels) if transpose_b else (in_channels, out_channels)
        self.weight = Parameter(initializer(weight_init, shape, param_init_type), name="weight")
        if has_bias:
            self.bias = Parameter(initializer(bias_init, (out_channels,), param_init_type), name="bias")
        self.activation = None if activation is None else nn.get_activation(activation)

    def construct(self, x: Tensor) -> Tensor:
        weight = self.weight.astype(self.dtype)
        result: Tensor = ops.matmul(x.astype(self.dtype), weight.T if self.transpose_b else weight)
        if self.has_bias:
            result = result + self.bias.astype(self.dtype)
        return (result if self.activation is None else self.activation(result)).astype(x.dtype)

    def shard(self, *_strategies: Any, **_named: Any) -> Linear:
        """Return the layer; how it is cut over devices changes nothing on one."""
        return self


class LayerNorm(Cell):
    """Normalize over the last dimension, in the input's data type.

    Args:
        normalized_shape: the shape of the factor and the shift.
        eps: what is added to the variance. Default: 1e-5.
        param_init_type: the data type of the parameters. Default: float32.
        is_self_defined: whether it is computed by single operations; the result is the same. Default: False.

    Inputs and outputs: a Tensor, and one of the same shape and data type.

    Source: MindSpore 1.10, `nn.transformer.layers._LayerNorm`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer.layers import LayerNorm
        >>> print(LayerNorm((2,))(ms.Tensor([[1.0, 3.0]])).asnumpy().round(3))
        [[-1.  1.]]
    """

    def __init__(
        self,
        normalized_shape: tuple[int, ...],
        eps: float = 1e-5,
        param_init_type: mstype.Type = mstype.float32,
        is_self_defined: bool = False,
    ) -> None:
        super().__init__()
        self.gamma = Parameter(initializer("ones", normalized_shape, param_init_type), name="gamma")
        self.beta = Parameter(initializer("zeros", normalized_shape, param_init_type), name="beta")
        self.eps = eps

    def construct(self, x: Tensor) -> Tensor:
        mean = x.mean(-1, keep_dims=True)
        centred = x - mean
        variance = centred.square().mean(-1, keep_dims=True)
        result: Tensor = centred / ops.sqrt(variance + self.eps) * self.gamma + self.beta
        return result.astype(x.dtype)

    def shard(self, *_strategies: Any, **_named: Any) -> LayerNorm:
        """Return the layer; how it is cut over devices changes nothing on one."""
        return self


class Dropout(nn.Dropout):
    """Drop elements in training.

    Args:
        keep_prob: the probability to keep an element. Default: 0.5.
        dtype: kept. Default: float32.

    Source: MindSpore 1.10, `nn.transformer.layers._Dropout`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer.layers import Dropout
        >>> print(Dropout(0.5)(ms.Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, keep_prob: float = 0.5, dtype: mstype.Type = mstype.float32) -> None:
        super().__init__(p=1 - keep_prob)

    def shard(self, *_strategies: Any, **_named: Any) -> Dropout:
        """Return the layer; how it is cut over devices changes nothing on one."""
        return self


class FeedForward(Cell):
    """Two linear layers with an activation between them, and dropout.

    Args:
        hidden_size: the size of the input.
        ffn_hidden_size: the size between the layers.
        dropout_rate: the probability to drop an element.
        hidden_act: the name of the activation. Default: "gelu".
        expert_num: must be 1. Default: 1.
        expert_group_size: kept. Default: None.
        param_init_type: the data type of the weights. Default: float32.
        parallel_config: kept; it changes nothing on one device.

    Inputs:
        - x (Tensor): of shape (..., hidden_size).

    Outputs: a float16 Tensor of the same shape.

    Raises:
        NotImplementedError: `expert_num` is not 1.

    Source: MindSpore 2.0, `parallel._transformer.FeedForward`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer import FeedForward
        >>> FeedForward(4, 8, 0.1)(ms.ops.ones((2, 4))).shape
        (2, 4)
    """

    @checked
    def __init__(
        self,
        hidden_size: Positive,
        ffn_hidden_size: Positive,
        dropout_rate: Fraction,
        hidden_act: str = "gelu",
        expert_num: Positive = 1,
        expert_group_size: Positive | None = None,
        param_init_type: mstype.Type = mstype.float32,
        parallel_config: OpParallelConfig = default_dpmp_config,
    ) -> None:
        super().__init__()
        check_experts(expert_num, "FeedForward")
        self.mapping = Linear(
            hidden_size, ffn_hidden_size, activation=hidden_act, transpose_b=False, param_init_type=param_init_type
        )
        self.projection = Linear(ffn_hidden_size, hidden_size, transpose_b=False, param_init_type=param_init_type)
        self.dropout = nn.Dropout(p=dropout_rate)

    def construct(self, x: Tensor) -> Tensor:
        result: Tensor = self.dropout(self.projection(self.mapping(x.astype(mstype.float16))))
        return result


class AttentionMask(Cell):
    """The mask of a language model: each token sees the valid tokens up to itself.

    Args:
        seq_length: the number of tokens.
        parallel_config: kept; it changes nothing on one device.

    Inputs:
        - input_mask (Tensor): of shape (N, seq_length), 1 for valid tokens and 0 for padding.

    Outputs: a float32 Tensor of shape (N, seq_length, seq_length).

    Source: MindSpore 2.0, `parallel._transformer.AttentionMask`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer import AttentionMask
        >>> print(AttentionMask(2)(ms.Tensor([[1.0, 1.0]])))
        [[[1. 0.]
          [1. 1.]]]
    """

    @checked
    def __init__(self, seq_length: Positive, parallel_config: OpParallelConfig = default_dpmp_config) -> None:
        super().__init__()
        self.seq_length = seq_length

    def construct(self, input_mask: Tensor) -> Tensor:
        mask = input_mask.astype(mstype.float32)
        pairs = mask.expand_dims(2) * mask.expand_dims(1)
        result: Tensor = pairs * ops.tril(ops.ones((self.seq_length, self.seq_length), mstype.float32))
        return result


class VocabEmbedding(Cell):
    """A table of vectors for tokens, which it also returns.

    Args:
        vocab_size: the number of vectors.
        embedding_size: their size.
        parallel_config: kept; it changes nothing on one device.
        param_init: the initializer of the table, its name or a Tensor. Default: "normal".

    Inputs:
        - input_ids (Tensor): the tokens, ints.

    Outputs: the vectors, and the table.

    Source: MindSpore 2.0, `parallel._transformer.VocabEmbedding`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer import VocabEmbedding
        >>> vectors, table = VocabEmbedding(10, 4)(ms.Tensor([[1, 2]]))
        >>> vectors.shape, table.shape
        ((1, 2, 4), (10, 4))
    """

    @checked
    def __init__(
        self,
        vocab_size: Positive,
        embedding_size: Positive,
        parallel_config: EmbeddingOpParallelConfig = default_embedding_parallel_config,
        param_init: Any = "normal",
    ) -> None:
        super().__init__()
        self.vocab_size = vocab_size
        self.embedding_size = embedding_size
        shape = (vocab_size, embedding_size)
        self.embedding_table = Parameter(initializer(param_init, shape, mstype.float32), name="embedding_table")

    def construct(self, input_ids: Tensor) -> tuple[Tensor, Tensor]:
        return ops.gather(self.embedding_table, input_ids, 0), self.embedding_table.value()


class CrossEntropyLoss(Cell):
    """The cross entropy of tokens, averaged over those that count.

    Args:
        parallel_config: kept; it changes nothing on one device.

    Inputs:
        - logits (Tensor): of shape (N, C).
        - label (Tensor): the classes, ints of shape (N,).
        - input_mask (Tensor): the weights of the tokens, of shape (N,).

    Outputs: a float32 Tensor of shape (1,).

    Source: MindSpore 2.0, `parallel._transformer.CrossEntropyLoss`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer import CrossEntropyLoss
        >>> print(CrossEntropyLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1]), ms.Tensor([1.0])))
        [0.6931472]
    """

    def __init__(self, parallel_config: OpParallelConfig = default_dpmp_config) -> None:
        super().__init__()

    def construct(self, logits: Tensor, label: Tensor, input_mask: Tensor) -> Tensor:
        if logits.ndim != 2:
            raise ValueError(f"'logits' must have 2 dimensions, but got {describe(logits)}")
        scores = ops.log_softmax(logits.astype(mstype.float32), -1)
        losses = -ops.gather_elements(scores, 1, label.reshape((-1, 1))).reshape(-1)
        weights = input_mask.reshape(-1).astype(mstype.float32)
        result: Tensor = ((losses * weights).sum() / (weights.sum() + _TINY)).reshape((1,))
        return result


_TINY = 1e-8
