"""Multi-head attention."""

from __future__ import annotations

from typing import Annotated, Any

from torchspore.common import dtype as mstype
from torchspore.common.initializer import XavierNormal, XavierUniform, initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Limits, Positive, checked
from torchspore.nn.layer.basic import Dense
from torchspore.nn.layer.planned import Planned
from torchspore.ops.attention.multihead import Heads, multihead_attention

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Planned):
    r"""Multi-head attention: each head attends by its own projections of queries, keys and values.

    .. math::
        head_i = softmax(Q W^Q_i (K W^K_i)^T / \sqrt{d}) \, V W^V_i \qquad output = (head_1, ..., head_h) W^O

    d being the size of a head, embed_dim / num_heads. Vaswani et al., Attention Is All You Need, 2017.

    Args:
        embed_dim: the size of the queries and of the output.
        num_heads: the number of heads, which divides `embed_dim`.
        dropout: the probability, in [0, 1), to drop a weight, in training. Default: 0.0.
        has_bias: whether the projections have biases. Default: True.
        add_bias_kv: whether there is one more key, and its value, that are parameters. Default: False.
        add_zero_attn: whether there is one more key, and its value, of zeros. Default: False.
        kdim: the size of the keys. Default: None, `embed_dim`.
        vdim: the size of the values. Default: None, `embed_dim`.
        batch_first: whether the batch is the first dimension, else the second. Default: False.
        dtype: the data type of the parameters. Default: float32.

    Attributes:
        in_proj_weight: the Parameter of shape (3 * embed_dim, embed_dim) that projects queries, keys and values; where
            these differ in size, q_proj_weight, k_proj_weight and v_proj_weight replace it.
        in_proj_bias: the Parameter of shape (3 * embed_dim,), zeros at first.
        bias_k, bias_v: the Parameters of shape (1, 1, embed_dim) of `add_bias_kv`.
        out_proj: the last projection, a `Dense`.

    Inputs:
        - query: a Tensor of shape (L, N, embed_dim), with `batch_first` (N, L, embed_dim), without a batch
          (L, embed_dim).
        - key: of shape (S, N, kdim), (N, S, kdim) or (S, kdim).
        - value: of shape (S, N, vdim), (N, S, vdim) or (S, vdim).
        - key_padding_mask: of shape (N, S), without a batch (S,). Bools hide the keys where they are True, floats are
          added to the scores. Default: None.
        - need_weights: whether to return the weights, too. Without them attention is one fused operation, which is
          faster and needs less memory. Default: True.
        - attn_mask: of shape (L, S) or (N * num_heads, L, S); bools and floats as above. Default: None.
        - average_attn_weights: whether the weights are the mean over the heads. Default: True.

    Outputs:
        (output, weights): of the shape of `query`; and of shape (N, L, S), or (N, num_heads, L, S) by head, without N
        if there is no batch. Without `need_weights` a tuple of the output alone. A query from which all keys are hidden
        gets weights of zero.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.MultiheadAttention(8, 2, batch_first=True)
        >>> x = ms.ops.ones((3, 5, 8))
        >>> output, weights = net(x, x, x, attn_mask=ms.ops.ones((5, 5)).triu(1).bool())
        >>> print(output.shape, weights[0, 1])
        (3, 5, 8) [0.5 0.5 0.  0.  0. ]
    """

    in_proj_weight: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    @checked
    def __init__(
        self,
        embed_dim: Positive,
        num_heads: Positive,
        dropout: Annotated[float, Limits(0, below=1)] = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: Positive | None = None,
        vdim: Positive | None = None,
        batch_first: bool = False,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        if self.embed_dim % self.num_heads:
            raise ValueError("'num_heads' must divide 'embed_dim'. Choose, for example, heads of 64.")
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout = dropout
        self.batch_first = batch_first
        self.add_zero_attn = add_zero_attn
        self.head_dim = embed_dim // num_heads
        self._make_parameters(has_bias, add_bias_kv, dtype)

    def _make_plan(self) -> Heads:
        return Heads(self.num_heads, self.dropout, self.batch_first, self.add_zero_attn)

    def _make_parameters(self, has_bias: bool, add_bias_kv: bool, dtype: mstype.Type) -> None:
        size = self.embed_dim
        same = self.kdim == self.vdim == size
        shapes: dict[str, tuple[Any, tuple[int, ...] | None]] = {
            "in_proj_weight": (XavierUniform(), (3 * size, size) if same else None),
            "q_proj_weight": (XavierUniform(), None if same else (size, size)),
            "k_proj_weight": (XavierUniform(), None if same else (size, self.kdim)),
            "v_proj_weight": (XavierUniform(), None if same else (size, self.vdim)),
            "in_proj_bias": ("zeros", (3 * size,) if has_bias else None),
            "bias_k": (XavierNormal(), (1, 1, size) if add_bias_kv else None),
            "bias_v": (XavierNormal(), (1, 1, size) if add_bias_kv else None),
        }
        for name, (initial, shape) in shapes.items():
            value = None if shape is None else Parameter(initializer(initial, shape, dtype), name=name)
            setattr(self, name, value)
        self._weight_names = ["in_proj_weight"] if same else ["q_proj_weight", "k_proj_weight", "v_proj_weight"]
        self.out_proj = Dense(size, size, has_bias=has_bias, dtype=dtype)

    def construct(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, ...]:
        projection = ([getattr(self, name) for name in self._weight_names], self.in_proj_bias, self.bias_k, self.bias_v)
        options = (self._plan or self._planned(), need_weights, average_attn_weights, self.training)
        attended, *weights = multihead_attention(query, key, value, *projection, key_padding_mask, attn_mask, *options)
        return (self.out_proj(attended), *weights)
