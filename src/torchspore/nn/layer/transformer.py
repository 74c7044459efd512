"""The transformer of Vaswani et al., Attention Is All You Need, 2017: layers, encoder, decoder, and both together."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Annotated, Any

from torchspore.common import dtype as mstype
from torchspore.common.error_classes import also
from torchspore.common.initializer import XavierUniform, initializer
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Limits, Where, checked, kind_of
from torchspore.nn.cell import Cell
from torchspore.nn.layer.activation import GELU, ReLU
from torchspore.nn.layer.attention import MultiheadAttention
from torchspore.nn.layer.basic import Dense, Dropout
from torchspore.nn.layer.checks import rank
from torchspore.nn.layer.container import CellList
from torchspore.nn.layer.normalization import LayerNorm
from torchspore.ops.neural.activation import gelu, relu

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
]  # fmt: skip

_ACTIVATIONS: dict[str, Callable[..., Any]] = {"relu": relu, "gelu": gelu}


def _activation(activation: Any, api: str) -> Any:
    named = _ACTIVATIONS.get(activation) if isinstance(activation, str) else None
    if named is not None:
        return named
    if activation is relu or activation is gelu or isinstance(activation, (ReLU, GELU)):
        return activation
    raise ValueError(
        f"For '{api}', 'activation' must be 'relu', 'gelu', ops.relu, ops.gelu, or an nn.ReLU or nn.GELU, but got "
        f"{describe(activation)}."
    )


def _is_mask(value: Any) -> bool:
    """Return whether a Tensor can be a mask; the attention refuses what is none."""
    return not isinstance(value, Tensor) or value.is_floating_point() or value.dtype == mstype.bool_


_PADDING = kind_of(Annotated[Any, Where("of bools or floats", _is_mask, AssertionError)])


class _Layer(Cell):
    """A layer: attentions, and two dense layers with an activation between them, each part added to its input."""

    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention
    norm1: LayerNorm
    norm2: LayerNorm
    norm3: LayerNorm
    dropout1: Dropout
    dropout2: Dropout
    dropout3: Dropout
    _attentions: tuple[str, ...]

    @checked
    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        self._settings = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype,
        )  # fmt: skip
        self.d_model = d_model
        self.nhead = nhead
        self.dim_feedforward = dim_feedforward
        self.batch_first = batch_first
        self.norm_first = norm_first
        self.dtype = dtype
        self.activation = _activation(activation, self.cls_name)
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype))
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        parts = range(1, len(self._attentions) + 2)
        for number in parts:
            setattr(self, f"norm{number}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for number in parts:
            setattr(self, f"dropout{number}", Dropout(p=dropout))

    def _added(self, x: Tensor, part: Callable[[Tensor], Tensor], norm: Cell, dropout: Cell) -> Tensor:
        """Return `x` plus the output of a part for it, normalized before the part or after the sum."""
        return x + dropout(part(norm(x))) if self.norm_first else norm(x + dropout(part(x)))

    def _fed_forward(self, x: Tensor) -> Tensor:
        return self.dense2(self.dropout(self.activation(self.dense1(x))))


class TransformerEncoderLayer(_Layer):
    """A layer of a transformer's encoder: attention of a sequence to itself, and two dense layers.

    Args:
        d_model: the size of input and output.
        nhead: the number of heads, which divides `d_model`.
        dim_feedforward: the size between the two dense layers. Default: 2048.
        dropout: the probability, in [0, 1), to drop an element, in training. Default: 0.1.
        activation: the function between the dense layers: "relu", "gelu", `ops.relu`, `ops.gelu`, or an `nn.ReLU` or
            `nn.GELU`. Default: "relu".
        layer_norm_eps: what the normalizations add to the variance. Default: 1e-5.
        batch_first: whether the batch is the first dimension, else the second. Default: False.
        norm_first: whether attention and dense layers get normalized input, else the sums are normalized.
            Default: False.
        dtype: the data type of the parameters. Default: float32.

    Inputs:
        - src: a Tensor of shape (S, N, d_model), with `batch_first` (N, S, d_model), without a batch (S, d_model).
        - src_mask: the pairs that are hidden from each other (bools), or what is added to their scores, of shape (S, S)
          or (N * nhead, S, S). Default: None.
        - src_key_padding_mask: the positions that are hidden, or what is added to their scores, of shape (N, S) or
          (S,). Default: None.

    Outputs: a Tensor of the shape and dtype of `src`.

    Raises:
        AssertionError: `src_key_padding_mask` holds neither bools nor floats.

    Examples:
        >>> import torchspore as ms
        >>> layer = ms.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> print(layer(ms.ops.ones((3, 5, 8))).shape)
        (3, 5, 8)
    """

    _attentions = ("self_attn",)

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        _PADDING.take(src_key_padding_mask, "src_key_padding_mask", "TransformerEncoderLayer")

        def attended(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)[0]

        x = self._added(src, attended, self.norm1, self.dropout1)
        return self._added(x, self._fed_forward, self.norm2, self.dropout2)


class TransformerDecoderLayer(_Layer):
    """A layer of a transformer's decoder: attention of a sequence to itself and to another, and two dense layers.

    Arguments as for `TransformerEncoderLayer`.

    Inputs:
        - tgt: a Tensor of shape (T, N, d_model), with `batch_first` (N, T, d_model), without a batch (T, d_model).
        - memory: the encoder's output, of shape (S, N, d_model), (N, S, d_model) or (S, d_model).
        - tgt_mask: as `src_mask` of `TransformerEncoderLayer`, of shape (T, T) or (N * nhead, T, T). Default: None.
        - memory_mask: the same between `tgt` and `memory`, of shape (T, S) or (N * nhead, T, S). Default: None.
        - tgt_key_padding_mask: the positions of `tgt` that are hidden, of shape (N, T) or (T,). Default: None.
        - memory_key_padding_mask: the positions of `memory` that are hidden, of shape (N, S) or (S,). Default: None.

    Outputs: a Tensor of the shape and dtype of `tgt`.

    Examples:
        >>> import torchspore as ms
        >>> layer = ms.nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
        >>> print(layer(ms.ops.ones((3, 4, 8)), ms.ops.ones((3, 5, 8))).shape)
        (3, 4, 8)
    """

    _attentions = ("self_attn", "multihead_attn")

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        def attended(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask)[0]

        def attended_memory(x: Tensor) -> Tensor:
            return self.multihead_attn(x, memory, memory, memory_key_padding_mask, False, memory_mask)[0]

        x = self._added(tgt, attended, self.norm1, self.dropout1)
        x = self._added(x, attended_memory, self.norm2, self.dropout2)
        return self._added(x, self._fed_forward, self.norm3, self.dropout3)


class _Stack(Cell):
    """Copies of a layer in sequence; of MindSpore's own layers, copies of a new one with the same arguments."""

    @checked
    def __init__(self, layer: Cell, num_layers: Annotated[int, Limits(0, 65536)], norm: Cell | None, name: str) -> None:
        super().__init__()
        for argument, value in ((name, layer), ("norm", norm)):
            if not isinstance(value, Cell) and (argument == name or value is not None):
                raise also(TypeError, AttributeError)(f"'{argument}' must be a Cell, but got {describe(value)}")
        self.num_layers = num_layers
        if isinstance(layer, _Layer) and type(layer) in (TransformerEncoderLayer, TransformerDecoderLayer):
            layer = type(layer)(*layer._settings)  # as in MindSpore, so that the same seed gives the same weights
        self.layers = CellList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.norm = norm

    def _normalized(self, x: Tensor) -> Tensor:
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """A transformer's encoder: a stack of layers.

    Args:
        encoder_layer: a `TransformerEncoderLayer`, or another Cell with the same inputs. The layers are copies, all
            with the same initial values; a `TransformerEncoderLayer` is first made anew, without its own values.
        num_layers: the number of layers.
        norm: a Cell for the output of the last layer. Default: None.

    Inputs, outputs and errors as for `TransformerEncoderLayer`.

    Examples:
        >>> import torchspore as ms
        >>> encoder = ms.nn.TransformerEncoder(ms.nn.TransformerEncoderLayer(8, 2, 16), 2)
        >>> print(encoder(ms.ops.ones((5, 3, 8))).shape)
        (5, 3, 8)
    """

    def __init__(self, encoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__(encoder_layer, num_layers, norm, "encoder_layer")

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        _PADDING.take(src_key_padding_mask, "src_key_padding_mask", "TransformerEncoder")
        for layer in self.layers:
            src = layer(src, src_mask, src_key_padding_mask)
        return self._normalized(src)


class TransformerDecoder(_Stack):
    """A transformer's decoder: a stack of layers.

    Arguments as for `TransformerEncoder`, with a `TransformerDecoderLayer`; inputs and outputs as for the layer.

    Examples:
        >>> import torchspore as ms
        >>> decoder = ms.nn.TransformerDecoder(ms.nn.TransformerDecoderLayer(8, 2, 16), 2)
        >>> print(decoder(ms.ops.ones((4, 3, 8)), ms.ops.ones((5, 3, 8))).shape)
        (4, 3, 8)
    """

    def __init__(self, decoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm, "decoder_layer")

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return self._normalized(tgt)


class Transformer(Cell):
    """A transformer: an encoder for one sequence, and a decoder for another that looks at the encoder's output.

    Both end with a normalization. All parameters of two or more dimensions start uniformly distributed as Glorot and
    Bengio propose.

    Args:
        d_model, nhead: as for `TransformerEncoderLayer`. Default: 512 and 8.
        num_encoder_layers, num_decoder_layers: the number of layers. Default: 6.
        custom_encoder, custom_decoder: a Cell instead of the encoder or decoder. Default: None.

    The other arguments are as for `TransformerEncoderLayer`.

    Inputs:
        - src: a Tensor of shape (S, N, d_model), with `batch_first` (N, S, d_model), without a batch (S, d_model).
        - tgt: of shape (T, N, d_model), (N, T, d_model) or (T, d_model).
        - src_mask, src_key_padding_mask: as for `TransformerEncoderLayer`. Default: None.
        - tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask: as for `TransformerDecoderLayer`; the
          order of all is src_mask, tgt_mask, memory_mask, src_key_padding_mask, tgt_key_padding_mask,
          memory_key_padding_mask. Default: None.

    Outputs: a Tensor of the shape of `tgt`.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Transformer(8, 2, 1, 1, 16)
        >>> print(net(ms.ops.ones((5, 3, 8)), ms.ops.ones((4, 3, 8))).shape)
        (4, 3, 8)
    """

    encoder: Cell
    decoder: Cell

    @checked
    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        layer = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype)
        for name, custom, of_layer, stack, count in (
            ("encoder", custom_encoder, TransformerEncoderLayer, TransformerEncoder, num_encoder_layers),
            ("decoder", custom_decoder, TransformerDecoderLayer, TransformerDecoder, num_decoder_layers),
        ):
            if custom is None:
                norm = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
                custom = stack(of_layer(*layer), count, norm)
            setattr(self, name, custom)
        for parameter in self.get_parameters():
            if parameter.ndim > 1:
                parameter.set_data(initializer(XavierUniform(), parameter.shape, parameter.dtype))
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def construct(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        dims, batch = rank(src, "Transformer"), 0 if self.batch_first else 1
        if rank(tgt, "Transformer") != dims or dims not in (2, 3):
            raise ValueError("'src' and 'tgt' must both have 3 dimensions, or 2 without a batch")
        if dims == 3 and src.shape[batch] != tgt.shape[batch]:
            raise ValueError(f"'src' and 'tgt' must agree in dimension {batch}, the batch")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError(f"the last dimension of 'src' and 'tgt' must be {self.d_model}")
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
