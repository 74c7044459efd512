"""Encoders and decoders of transformers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore import nn, ops
from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.earlier.transformer.attention import MultiHeadAttention
from torchspore.earlier.transformer.layers import FeedForward
from torchspore.earlier.transformer.settings import (
    MoEConfig,
    OpParallelConfig,
    TransformerOpParallelConfig,
    check_experts,
    default_dpmp_config,
    default_moe_config,
    default_transformer_config,
)
from torchspore.engine.parameters import Fraction, NotNegative, Positive, checked
from torchspore.nn.cell import Cell

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
]  # fmt: skip

_COMPUTE = mstype.float16  # the data type of attention and of the feed-forward layer


class _Block(Cell):
    """What the layers of encoders and decoders share: the normalizations, self-attention and the feed-forward layer."""

    def __init__(
        self,
        batch_size: int,
        hidden_size: int,
        ffn_hidden_size: int,
        num_heads: int,
        src_seq_length: int,
        tgt_seq_length: int,
        attention_dropout_rate: float,
        hidden_dropout_rate: float,
        post_layernorm_residual: bool,
        layernorm_compute_type: mstype.Type,
        softmax_compute_type: mstype.Type,
        param_init_type: mstype.Type,
        hidden_act: str,
        use_past: bool,
        moe_config: MoEConfig,
        crosses: bool,
    ) -> None:
        super().__init__()
        check_experts(moe_config.expert_num, self.cls_name)
        self.batch_size = batch_size
        self.hidden_size = hidden_size
        self.post_layernorm_residual = post_layernorm_residual
        self.layernorm_dtype = layernorm_compute_type
        self.use_past = use_past
        self.is_first_iteration = True
        if use_past:
            heads, size = num_heads, hidden_size // num_heads
            self.key_past = Parameter(ops.zeros((batch_size, heads, size, src_seq_length), _COMPUTE), "key_past")
            self.value_past = Parameter(ops.zeros((batch_size, heads, src_seq_length, size), _COMPUTE), "value_past")
        self.layernorm1 = nn.LayerNorm((hidden_size,), epsilon=1e-5)
        self.layernorm2 = nn.LayerNorm((hidden_size,), epsilon=1e-5)

        def attention(keys: int, past: bool) -> MultiHeadAttention:
            return MultiHeadAttention(
                batch_size, src_seq_length, keys, hidden_size, num_heads, hidden_dropout_rate, attention_dropout_rate,
                _COMPUTE, softmax_compute_type, param_init_type, past,
            )  # fmt: skip

        self.attention = attention(src_seq_length, use_past)
        if crosses:
            self.cross_attention = attention(tgt_seq_length, False)
            self.cross_attention_layernorm = nn.LayerNorm((hidden_size,), epsilon=1e-5)
        self.output = FeedForward(
            hidden_size, ffn_hidden_size, hidden_dropout_rate, hidden_act, param_init_type=param_init_type
        )

    def _normalized(self, layer: Cell, x: Tensor) -> Tensor:
        result: Tensor = layer(x.astype(self.layernorm_dtype)).astype(_COMPUTE)
        return result

    def _attended(
        self, x: Tensor, mask: Tensor | None, init_reset: Any, batch_valid_length: Tensor | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return the tokens after self-attention, and its keys and values."""
        normalized = self._normalized(self.layernorm1, x)
        attended, present = self._attention(normalized, mask, init_reset, batch_valid_length)
        return (normalized if self.post_layernorm_residual else x) + attended, present

    def _attention(
        self, x: Tensor, mask: Tensor | None, init_reset: Any, batch_valid_length: Tensor | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return the result of self-attention, and its keys and values."""
        past: tuple[Any, Any] = (None, None)
        if self.use_past:
            if self.is_first_iteration:
                for kept in (self.key_past, self.value_past):
                    ops.assign(kept, kept * Tensor(init_reset).astype(_COMPUTE))
            past = (self.key_past, self.value_past)
        attended, present = self.attention(x, x, x, mask, *past, batch_valid_length)
        if self.use_past:
            ops.assign(self.key_past, present[0])
            ops.assign(self.value_past, present[1])
        return attended, present

    def _fed_forward(self, x: Tensor) -> Tensor:
        normalized = self._normalized(self.layernorm2, x)
        result: Tensor = (normalized if self.post_layernorm_residual else x) + self.output(normalized)
        return result


class TransformerEncoderLayer(_Block):
    """A layer of an encoder: self-attention and a feed-forward layer.

    Args:
        batch_size: the number of sequences.
        hidden_size: the size of the vectors.
        ffn_hidden_size: the size within the feed-forward layer.
        num_heads: the number of heads.
        seq_length: the number of tokens.
        attention_dropout_rate, hidden_dropout_rate: the probabilities to drop weights and elements. Default: 0.1.
        post_layernorm_residual: whether each sum is normalized, instead of what attention and the feed-forward layer
            are given; in a decoder, whether what is added is normalized. Default: False.
        layernorm_compute_type, softmax_compute_type: the data types of these operations. Default: float32.
        param_init_type: the data type of the weights. Default: float32.
        hidden_act: the name of the activation. Default: "gelu".
        use_past: whether it keeps the keys and values of earlier tokens. Default: False.
        moe_config: must have one expert.
        parallel_config: kept; it changes nothing on one device.

    Inputs:
        - x (Tensor): of shape (N, length, hidden_size) or (N * length, hidden_size).
        - input_mask (Tensor or None): as for `MultiHeadAttention`. Default: None.
        - init_reset (Tensor or bool): False forgets earlier tokens at the first call. Default: True.
        - batch_valid_length (Tensor): the number of tokens in each sequence. Default: None.

    Outputs: the result, and the pair of keys and values.

    Raises:
        NotImplementedError: `moe_config` has several experts.

    Source: MindSpore 2.0, `parallel._transformer.TransformerEncoderLayer`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer import TransformerEncoderLayer
        >>> layer = TransformerEncoderLayer(1, 4, 8, num_heads=2, seq_length=3)
        >>> layer(ms.ops.ones((1, 3, 4)), ms.ops.ones((1, 3, 3)))[0].shape
        (1, 3, 4)
    """

    @checked
    def __init__(
        self,
        batch_size: Positive,
        hidden_size: Positive,
        ffn_hidden_size: Positive,
        num_heads: Positive,
        seq_length: Positive,
        attention_dropout_rate: Fraction = 0.1,
        hidden_dropout_rate: Fraction = 0.1,
        post_layernorm_residual: bool = False,
        layernorm_compute_type: mstype.Type = mstype.float32,
        softmax_compute_type: mstype.Type = mstype.float32,
        param_init_type: mstype.Type = mstype.float32,
        hidden_act: str = "gelu",
        use_past: bool = False,
        moe_config: MoEConfig = default_moe_config,
        parallel_config: OpParallelConfig = default_dpmp_config,
    ) -> None:
        super().__init__(
            batch_size, hidden_size, ffn_hidden_size, num_heads, seq_length, seq_length, attention_dropout_rate,
            hidden_dropout_rate, post_layernorm_residual, layernorm_compute_type, softmax_compute_type,
            param_init_type, hidden_act, use_past, moe_config, False,
        )  # fmt: skip

    def construct(
        self,
        x: Tensor,
        input_mask: Tensor | None = None,
        init_reset: Any = True,
        batch_valid_length: Tensor | None = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        if not self.post_layernorm_residual:
            x, present = self._attended(x, input_mask, init_reset, batch_valid_length)
            return self._fed_forward(x), present
        attended, present = self._attention(x.astype(_COMPUTE), input_mask, init_reset, batch_valid_length)
        normalized = self.layernorm2((x + attended).astype(self.layernorm_dtype))
        result = normalized + self.output(normalized.astype(_COMPUTE))
        return self.layernorm1(result.astype(self.layernorm_dtype)), present


class TransformerDecoderLayer(_Block):
    """A layer of a decoder: self-attention, attention to the encoder's result, and a feed-forward layer.

    Args:
        hidden_size, ffn_hidden_size, num_heads, batch_size: as for `TransformerEncoderLayer`.
        src_seq_length, tgt_seq_length: the numbers of tokens of the decoder and of the encoder.

    The other arguments are as for `TransformerEncoderLayer`.

    Inputs:
        - hidden_stats (Tensor): of shape (N, src_seq_length, hidden_size).
        - decoder_mask (Tensor or None): of shape (N, src_seq_length, src_seq_length).
        - encoder_output (Tensor): of shape (N, tgt_seq_length, hidden_size). Default: None, no attention to it.
        - memory_mask (Tensor): of shape (N, src_seq_length, tgt_seq_length). Default: None.
        - init_reset, batch_valid_length: as for `TransformerEncoderLayer`.

    Outputs: the result, and the keys and values of both attentions.

    Source: MindSpore 2.0, `parallel._transformer.TransformerDecoderLayer`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer import TransformerDecoderLayer
        >>> layer = TransformerDecoderLayer(4, 8, num_heads=2, batch_size=1, src_seq_length=3, tgt_seq_length=2)
        >>> x, y = ms.ops.ones((1, 3, 4)), ms.ops.ones((1, 2, 4))
        >>> layer(x, ms.ops.ones((1, 3, 3)), y, ms.ops.ones((1, 3, 2)))[0].shape
        (1, 3, 4)
    """

    @checked
    def __init__(
        self,
        hidden_size: Positive,
        ffn_hidden_size: Positive,
        num_heads: Positive,
        batch_size: Positive,
        src_seq_length: Positive,
        tgt_seq_length: Positive,
        attention_dropout_rate: Fraction = 0.1,
        hidden_dropout_rate: Fraction = 0.1,
        post_layernorm_residual: bool = False,
        use_past: bool = False,
        layernorm_compute_type: mstype.Type = mstype.float32,
        softmax_compute_type: mstype.Type = mstype.float32,
        param_init_type: mstype.Type = mstype.float32,
        hidden_act: str = "gelu",
        moe_config: MoEConfig = default_moe_config,
        parallel_config: OpParallelConfig = default_dpmp_config,
    ) -> None:
        super().__init__(
            batch_size, hidden_size, ffn_hidden_size, num_heads, src_seq_length, tgt_seq_length,
            attention_dropout_rate, hidden_dropout_rate, post_layernorm_residual, layernorm_compute_type,
            softmax_compute_type, param_init_type, hidden_act, use_past, moe_config, True,
        )  # fmt: skip

    def construct(
        self,
        hidden_stats: Tensor,
        decoder_mask: Tensor | None,
        encoder_output: Tensor | None = None,
        memory_mask: Tensor | None = None,
        init_reset: Any = True,
        batch_valid_length: Tensor | None = None,
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        x, present = self._attended(hidden_stats, decoder_mask, init_reset, batch_valid_length)
        if encoder_output is None:
            return self._fed_forward(x), present
        normalized = self._normalized(self.cross_attention_layernorm, x)
        memory = encoder_output.astype(_COMPUTE)
        attended, crossed = self.cross_attention(normalized, memory, memory, memory_mask)
        x = (normalized if self.post_layernorm_residual else x) + attended
        return self._fed_forward(x), (*present, *crossed)


class TransformerEncoder(Cell):
    """Several layers of an encoder.

    Args:
        batch_size: the number of sequences.
        num_layers: the number of layers.
        hidden_size, ffn_hidden_size: as for `TransformerEncoderLayer`.
        seq_length: the number of tokens.
        num_heads: the number of heads.
        lambda_func: called with each layer, its number, `offset` and the settings; it may set how they are cut over
            devices. Default: None.
        offset: the number of the first layer, for `lambda_func`. Default: 0.

    The other arguments are as for `TransformerEncoderLayer`.

    Inputs: as for `TransformerEncoderLayer`.

    Outputs: the result, and the keys and values of each layer.

    Source: MindSpore 2.0, `parallel._transformer.TransformerEncoder`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer import TransformerEncoder
        >>> encoder = TransformerEncoder(1, 2, 4, 8, seq_length=3, num_heads=2)
        >>> result, present = encoder(ms.ops.ones((1, 3, 4)), ms.ops.ones((1, 3, 3)))
        >>> result.shape, len(present)
        ((1, 3, 4), 2)
    """

    @checked
    def __init__(
        self,
        batch_size: Positive,
        num_layers: Positive,
        hidden_size: Positive,
        ffn_hidden_size: Positive,
        seq_length: Positive,
        num_heads: Positive,
        attention_dropout_rate: Fraction = 0.1,
        hidden_dropout_rate: Fraction = 0.1,
        hidden_act: str = "gelu",
        post_layernorm_residual: bool = False,
        layernorm_compute_type: mstype.Type = mstype.float32,
        softmax_compute_type: mstype.Type = mstype.float32,
        param_init_type: mstype.Type = mstype.float32,
        lambda_func: Callable[..., Any] | None = None,
        offset: NotNegative = 0,
        use_past: bool = False,
        moe_config: MoEConfig = default_moe_config,
        parallel_config: TransformerOpParallelConfig = default_transformer_config,
    ) -> None:
        super().__init__()
        self.num_layers = num_layers
        self.blocks = nn.CellList()
        for number in range(num_layers):
            block = TransformerEncoderLayer(
                batch_size, hidden_size, ffn_hidden_size, num_heads, seq_length, attention_dropout_rate,
                hidden_dropout_rate, post_layernorm_residual, layernorm_compute_type, softmax_compute_type,
                param_init_type, hidden_act, use_past, moe_config,
            )  # fmt: skip
            _place(lambda_func, block, number, num_layers, offset, parallel_config)
            self.blocks.append(block)

    def construct(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None,
        init_reset: Any = True,
        batch_valid_length: Tensor | None = None,
    ) -> tuple[Tensor, tuple[tuple[Tensor, ...], ...]]:
        presents: list[tuple[Tensor, ...]] = []
        for block in self.blocks:
            hidden_states, present = block(hidden_states, attention_mask, init_reset, batch_valid_length)
            presents.append(present)
        return hidden_states, tuple(presents)


class TransformerDecoder(Cell):
    """Several layers of a decoder.

    Args:
        num_layers: the number of layers.
        batch_size, hidden_size, ffn_hidden_size: as for `TransformerDecoderLayer`.
        src_seq_length, tgt_seq_length, num_heads: as for `TransformerDecoderLayer`.
        lambda_func, offset: as for `TransformerEncoder`.

    The other arguments are as for `TransformerDecoderLayer`.

    Inputs: as for `TransformerDecoderLayer`.

    Outputs: the result, and the keys and values of each layer.

    Source: MindSpore 2.0, `parallel._transformer.TransformerDecoder`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer import TransformerDecoder
        >>> decoder = TransformerDecoder(2, 1, 4, 8, src_seq_length=3, tgt_seq_length=2, num_heads=2)
        >>> x, y = ms.ops.ones((1, 3, 4)), ms.ops.ones((1, 2, 4))
        >>> decoder(x, ms.ops.ones((1, 3, 3)), y, ms.ops.ones((1, 3, 2)))[0].shape
        (1, 3, 4)
    """

    @checked
    def __init__(
        self,
        num_layers: Positive,
        batch_size: Positive,
        hidden_size: Positive,
        ffn_hidden_size: Positive,
        src_seq_length: Positive,
        tgt_seq_length: Positive,
        num_heads: Positive,
        attention_dropout_rate: Fraction = 0.1,
        hidden_dropout_rate: Fraction = 0.1,
        post_layernorm_residual: bool = False,
        layernorm_compute_type: mstype.Type = mstype.float32,
        softmax_compute_type: mstype.Type = mstype.float32,
        param_init_type: mstype.Type = mstype.float32,
        hidden_act: str = "gelu",
        lambda_func: Callable[..., Any] | None = None,
        use_past: bool = False,
        offset: NotNegative = 0,
        moe_config: MoEConfig = default_moe_config,
        parallel_config: TransformerOpParallelConfig = default_transformer_config,
    ) -> None:
        super().__init__()
        self.num_layers = num_layers
        self.blocks = nn.CellList()
        for number in range(num_layers):
            block = TransformerDecoderLayer(
                hidden_size, ffn_hidden_size, num_heads, batch_size, src_seq_length, tgt_seq_length,
                attention_dropout_rate, hidden_dropout_rate, post_layernorm_residual, use_past, layernorm_compute_type,
                softmax_compute_type, param_init_type, hidden_act, moe_config,
            )  # fmt: skip
            _place(lambda_func, block, number, num_layers, offset, parallel_config)
            self.blocks.append(block)

    def construct(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None,
        encoder_output: Tensor | None = None,
        memory_mask: Tensor | None = None,
        init_reset: Any = True,
        batch_valid_length: Tensor | None = None,
    ) -> tuple[Tensor, tuple[tuple[Tensor, ...], ...]]:
        presents: list[tuple[Tensor, ...]] = []
        for block in self.blocks:
            hidden_states, present = block(
                hidden_states, attention_mask, encoder_output, memory_mask, init_reset, batch_valid_length
            )
            presents.append(present)
        return hidden_states, tuple(presents)


class Transformer(Cell):
    """An encoder and a decoder, or one of them.

    Args:
        hidden_size, batch_size, ffn_hidden_size, src_seq_length, tgt_seq_length: as for the encoder and decoder:
            `src_seq_length` is the number of the encoder's tokens, `tgt_seq_length` of the decoder's.
        encoder_layers, decoder_layers: the numbers of layers; 0 leaves the part out. Default: 3.
        num_heads: the number of heads. Default: 2.

    The other arguments are as for `TransformerEncoder`.

    Inputs:
        - encoder_inputs, encoder_masks (Tensor): of the encoder.
        - decoder_inputs, decoder_masks, memory_mask (Tensor): of the decoder. Default: None.
        - init_reset, batch_valid_length: as for `TransformerEncoderLayer`.

    Outputs: the result, and the keys and values of the encoder and of the decoder, None for a part that is left out.

    Source: MindSpore 2.0, `parallel._transformer.Transformer`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.transformer import Transformer
        >>> net = Transformer(4, 1, 8, src_seq_length=2, tgt_seq_length=3, encoder_layers=1, decoder_layers=1)
        >>> x, y, ones = ms.ops.ones((1, 2, 4)), ms.ops.ones((1, 3, 4)), ms.ops.ones
        >>> net(x, ones((1, 2, 2)), y, ones((1, 3, 3)), ones((1, 3, 2)))[0].shape
        (1, 3, 4)
    """

    @checked
    def __init__(
        self,
        hidden_size: Positive,
        batch_size: Positive,
        ffn_hidden_size: Positive,
        src_seq_length: Positive,
        tgt_seq_length: Positive,
        encoder_layers: NotNegative = 3,
        decoder_layers: NotNegative = 3,
        num_heads: Positive = 2,
        attention_dropout_rate: Fraction = 0.1,
        hidden_dropout_rate: Fraction = 0.1,
        hidden_act: str = "gelu",
        post_layernorm_residual: bool = False,
        layernorm_compute_type: mstype.Type = mstype.float32,
        softmax_compute_type: mstype.Type = mstype.float32,
        param_init_type: mstype.Type = mstype.float32,
        lambda_func: Callable[..., Any] | None = None,
        use_past: bool = False,
        moe_config: MoEConfig = default_moe_config,
        parallel_config: TransformerOpParallelConfig = default_transformer_config,
    ) -> None:
        super().__init__()
        if encoder_layers + decoder_layers == 0:
            raise ValueError("'encoder_layers' or 'decoder_layers' must be positive")
        self.encoder = self.decoder = None
        if encoder_layers:
            self.encoder = TransformerEncoder(
                batch_size, encoder_layers, hidden_size, ffn_hidden_size, src_seq_length, num_heads,
                attention_dropout_rate, hidden_dropout_rate, hidden_act, post_layernorm_residual,
                layernorm_compute_type, softmax_compute_type, param_init_type, lambda_func, 0, use_past, moe_config,
                parallel_config,
            )  # fmt: skip
        if decoder_layers:
            self.decoder = TransformerDecoder(
                decoder_layers, batch_size, hidden_size, ffn_hidden_size, tgt_seq_length, src_seq_length, num_heads,
                attention_dropout_rate, hidden_dropout_rate, post_layernorm_residual, layernorm_compute_type,
                softmax_compute_type, param_init_type, hidden_act, lambda_func, use_past, encoder_layers, moe_config,
                parallel_config,
            )  # fmt: skip

    def construct(
        self,
        encoder_inputs: Tensor,
        encoder_masks: Tensor | None,
        decoder_inputs: Any = None,
        decoder_masks: Tensor | None = None,
        memory_mask: Tensor | None = None,
        init_reset: Any = True,
        batch_valid_length: Tensor | None = None,
    ) -> tuple[Any, Any, Any]:
        result = encoder_present = decoder_present = None
        if self.encoder is not None:
            result, encoder_present = self.encoder(encoder_inputs, encoder_masks, init_reset, batch_valid_length)
        if self.decoder is not None:
            result, decoder_present = self.decoder(
                decoder_inputs, decoder_masks, result, memory_mask, init_reset, batch_valid_length
            )
        return result, encoder_present, decoder_present


def _place(
    function: Callable[..., Any] | None,
    block: Cell,
    number: int,
    layers: int,
    offset: int,
    settings: TransformerOpParallelConfig,
) -> None:
    """Call the user's function that says where a layer is computed."""
    if function is not None:
        function(block, layer_id=number, layers=layers, offset=offset, parallel_config=settings)
