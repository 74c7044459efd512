"""Attention of several heads, and the transformer's layers and stacks."""

_KEY = "wave(5, 3, 4)"
_PADDED = "Tensor([[True, False, False, False, True], [False] * 5, [True, True, False, False, True]])"
_HIDDEN = "Tensor(np.triu(np.ones((2, 5)), 3).astype(bool))"
_OWN = "Tensor(np.triu(np.ones((2, 2)), 1).astype(bool))"
_TWO = "Tensor([[True, False], [False, False], [False, True]])"
_BY_HEAD = "Tensor(np.arange(60).reshape((6, 2, 5)) % 7 == 0)"
_MASKS = [
    f"key_padding_mask={_PADDED}", f"key_padding_mask={_PADDED}.astype(ms.float32) * -2", "key_padding_mask=wave(3, 5)",
    f"key_padding_mask={_PADDED}.astype(ms.int32)", "key_padding_mask=wave(5)", "key_padding_mask=wave(3, 4)",
    f"attn_mask={_HIDDEN}", "attn_mask=wave(2, 5)", f"attn_mask={_BY_HEAD}", "attn_mask=wave(6, 2, 5)",
    f"attn_mask={_HIDDEN}.astype(ms.uint8)", f"attn_mask={_HIDDEN}.astype(ms.int32)",
    "attn_mask=wave(2, 5).astype(ms.float16)", "attn_mask=wave(5, 2)", "attn_mask=wave(3, 2, 5)",
    "attn_mask=wave(1, 2, 5)", "attn_mask=wave(5)", f"key_padding_mask={_PADDED}, attn_mask={_HIDDEN}",
    "key_padding_mask=wave(3, 5), attn_mask=wave(6, 2, 5)",
]  # fmt: skip
_SETTINGS = (
    "4, 2", "4, 1", "4, 4", "4, 2, has_bias=False", "4, 2, add_bias_kv=True", "4, 2, add_zero_attn=True",
    "4, 2, add_bias_kv=True, add_zero_attn=True", "4, 2, batch_first=True", "4, 2, kdim=4, vdim=4",
)  # fmt: skip
_ATTENTION = "filled(nn.MultiheadAttention(4, 2))"
_ENCODER = "nn.TransformerEncoderLayer(4, 2, 6, 0.0{})"
_DECODER = "nn.TransformerDecoderLayer(4, 2, 6, 0.0{})"
_STYLES = (
    "", ", 'gelu'", ", ops.gelu", ", norm_first=True", ", layer_norm_eps=0.1", ", batch_first=True",
    ", batch_first=True, norm_first=True",
)  # fmt: skip
_ACTIVATIONS = ("'tanh'", "nn.Tanh()", "ops.tanh", "None", "1", "nn.ReLU", "lambda x: x * 2")

# Calls that end in an error of another type there: of an attribute that a number has not, or of an index.
_NO_TENSORS = [
    *[f"{_ATTENTION}({call})" for call in ("1, z, z", "z, z", "z, 1, z", "z, z, None", f"z, {_KEY}, {_KEY}, 1")],
    f"{_ATTENTION}(z, {_KEY}, {_KEY}, attn_mask=1)", f"filled({_ENCODER.format('')})(z, 1)",
    f"filled({_ENCODER.format('')})(1)", "filled(nn.Transformer(4, 2, 1, 1, 6, 0.0))(z, 1)",
    "nn.TransformerEncoder(1, 2)", "nn.TransformerDecoder(1, 2)",
]  # fmt: skip
# Arguments that are not sizes, flags or probabilities, but are accepted there, or refused by another type.
_WRONG_TYPES = [
    *[
        f"nn.MultiheadAttention({arguments})"
        for arguments in (
            "4, 2.0", "4.0, 2", "4, True", "4, 2, 'a'", "4, 2, None", "4, 2, kdim='a'", "4, 2, kdim=2.0",
        )
    ],
    *[f"nn.Transformer{part}Layer(4.0, 2)" for part in ("Encoder", "Decoder")],
    f"{_ATTENTION}(z, {_KEY}, {_KEY}, need_weights=1)", "nn.Transformer(4, 2, 1, 1, 6, custom_encoder=1)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6), 2, 1)",
]  # fmt: skip
# Flags of which MindSpore reads the truth alone.
_TRUTH = [
    *[
        f"nn.MultiheadAttention(4, 2, {argument})"
        for argument in ("add_bias_kv=1", "add_zero_attn='a'", "batch_first=1")
    ],
    *[
        f"nn.Transformer{part}Layer(4, 2, 6, {argument}=1)"
        for part in ("Encoder", "Decoder")
        for argument in ("batch_first", "norm_first")
    ],
]
_OUT_OF_RANGE = [
    "nn.MultiheadAttention(4, 0)", "nn.MultiheadAttention(4, -2)", "nn.MultiheadAttention(4, 2, -0.1)",
    "nn.MultiheadAttention(4, 2, 1.0)", "nn.MultiheadAttention(4, 2, 1)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6), -1)", "nn.Transformer(4, 2, -1, 1, 6)",
    f"{_ATTENTION}(z, wave(5, 3, 6), wave(5, 3, 6))", f"filled({_DECODER.format('')})(z, wave(5, 3, 3))",
]  # fmt: skip

CASES = [
    *[f"filled(nn.MultiheadAttention({settings}))(z, z, z)" for settings in _SETTINGS],
    *[f"filled(nn.MultiheadAttention({settings}))(z, z, z, need_weights=False)" for settings in _SETTINGS],
    *[f"filled(nn.MultiheadAttention({settings}))(z[0], z[1], z[1])" for settings in _SETTINGS],
    *[f"of_weights(filled(nn.MultiheadAttention({settings})), *[wave(2, 3, 4)] * 3)" for settings in _SETTINGS],
    *[
        f"of_weights({_ATTENTION}, {tensors})"
        for tensors in (f"wave(2, 3, 4), *[{_KEY}] * 2", f"wave(2, 3, 4), {_KEY}, {_KEY} * 2")
    ],
    *[
        f"{_ATTENTION}(z, {_KEY}, {_KEY}, {options}{mask})"
        for mask in _MASKS
        for options in ("", "need_weights=False, ")
    ],
    *[
        f"filled(nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True))(z, {_KEY}, {_KEY}, {mask})"
        for mask in (f"key_padding_mask={_PADDED}", f"attn_mask={_HIDDEN}", f"{_PADDED}, False, {_HIDDEN}")
    ],
    *[
        f"{_ATTENTION}({call})"
        for call in (
            f"z, {_KEY}, {_KEY}, average_attn_weights=False", "z[0], z[1], z[1], average_attn_weights=False",
            "z[0], z[1], z[1], Tensor([True, False, False])", "z[0], z[1], z[1], Tensor([[True, False, False]])",
            "z[0], z[1], z[1], None, True, wave(2, 3, 3)", "z[0], z[1], z[1], None, False, wave(3, 3)",
            f"z, {_KEY}, wave(4, 3, 4)", "z, wave(5, 2, 4), wave(5, 2, 4)", "z, z[0], z[0]", "z[0], z, z",
            "wave(2, 3, 4, 4), z, z", "*[z.astype(ms.float16)] * 3", "*[z.astype(ms.float64)] * 3",
            "z.astype(ms.int32), z, z",
        )
    ],
    *[
        f"filled(nn.MultiheadAttention(4, 2, {settings}))({call})"
        for settings, call in (
            ("kdim=3, vdim=5", "z, wave(5, 3, 3), wave(5, 3, 5)"),
            ("kdim=3, vdim=5, has_bias=False", "z, wave(5, 3, 3), wave(5, 3, 5)"),
            ("kdim=3, vdim=5, add_bias_kv=True", "z, wave(5, 3, 3), wave(5, 3, 5)"),
            ("kdim=3", "z, wave(5, 3, 3), wave(5, 3, 4)"),
            ("kdim=3", "z, z, z"),
            ("batch_first=True", f"z, wave(2, 5, 4), wave(2, 5, 4), {_PADDED}[:2]"),
            ("batch_first=True", "z, wave(2, 5, 4), wave(2, 5, 4), None, False, wave(3, 5)"),
            ("batch_first=True", "z, wave(2, 5, 4), wave(2, 5, 4), average_attn_weights=False"),
            ("dropout=0.5", "z, z, z"),
            ("dtype=ms.float16", "*[wave(2, 3, 4).astype(ms.float16)] * 3"),
            ("dtype=ms.float64", "*[wave(2, 3, 4).astype(ms.float64)] * 3"),
            ("dtype=ms.float16", "z, z, z"),
        )
    ],
    "of_weights(filled(nn.MultiheadAttention(4, 2, kdim=3, vdim=5)), wave(2, 3, 4), wave(5, 3, 3), wave(5, 3, 5))",
    *[
        f"nn.MultiheadAttention({arguments})"
        for arguments in (
            "5, 2", "0, 2", "-4, 2", "'a', 2", "True, 1", "4, 2, has_bias=1", "4, 2, has_bias=None", "4, 2, kdim=0",
            "4, 2, vdim=-1", "4, 2, dtype=1", "4",
        )
    ],
    *[
        f"nn.MultiheadAttention(4, 2, {options}).{name}"
        for options in ("0.1", "kdim=3", "batch_first=True")
        for name in ("embed_dim", "kdim", "vdim", "num_heads", "dropout", "head_dim", "batch_first", "add_zero_attn")
    ],
    "repr(nn.MultiheadAttention(4, 2))", "nn.MultiheadAttention(4, 2).in_proj_bias",
    "nn.MultiheadAttention(4, 2, has_bias=False).out_proj.bias",
    *[
        f"[(p.name, p.shape) for p in {layer}.get_parameters()]"
        for layer in (
            "nn.MultiheadAttention(4, 2, add_bias_kv=True)", "nn.MultiheadAttention(4, 2, kdim=2, add_bias_kv=True)",
            "nn.TransformerEncoderLayer(4, 2, 6)", "nn.TransformerDecoderLayer(4, 2, 6)",
            "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6), 2, nn.LayerNorm((4,)))",
            "nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6), 2, nn.LayerNorm((4,)))",
            "nn.Transformer(4, 2, 2, 1, 6)",
        )
    ],
    # One layer
    *[f"filled({_ENCODER.format(style)})(z)" for style in _STYLES],
    *[f"filled({_DECODER.format(style)})(z, wave(2, 3, 4))" for style in _STYLES],
    *[
        f"of_weights(filled({layer.format(style)}), {tensors})"
        for style in ("", ", norm_first=True", ", 'gelu'")
        for layer, tensors in ((_ENCODER, "wave(2, 3, 4)"), (_DECODER, "wave(2, 3, 4), wave(5, 3, 4)"))
    ],
    *[f"filled({_ENCODER.format(f', {activation}')})(z)" for activation in _ACTIVATIONS],
    *[f"filled({_DECODER.format(f', {activation}')})(z, z)" for activation in _ACTIVATIONS],
    *[
        f"filled({_ENCODER.format('')})({call})"
        for call in (
            "z[0]", f"z, {_OWN}", "z, wave(2, 2)", "z, wave(6, 2, 2)", f"z, None, {_TWO}", "z, None, wave(3, 2)",
            "z, wave(2, 2), wave(3, 2)", f"z, None, {_TWO}.astype(ms.int32)", "z, wave(3, 3)", "wave(2, 3, 5)",
            "z.astype(ms.float16)", "wave(4)", "z, Tensor([[0, 1], [0, 0]])",
            "z[0], None, Tensor([True, False, False])",
        )
    ],
    *[
        f"filled({_DECODER.format('')})({call})"
        for call in (
            "z[0], wave(5, 4)", f"z, {_KEY}", f"z, {_KEY}, {_OWN}", f"z, {_KEY}, wave(2, 2), wave(2, 5)",
            f"z, {_KEY}, None, {_HIDDEN}", f"z, {_KEY}, None, None, {_TWO}, {_PADDED}",
            f"z, {_KEY}, wave(2, 2), wave(2, 5), wave(3, 2), wave(3, 5)", f"z, {_KEY}, wave(2, 5)", "z",
            "z, wave(5, 2, 4)", f"z, {_KEY}, None, None, {_TWO}.astype(ms.int32)",
        )
    ],
    *[
        f"nn.Transformer{part}Layer({arguments})"
        for part in ("Encoder", "Decoder")
        for arguments in (
            "4, 3", "4", "4, 2, 0", "4, 2, 6, 1.0", "4, 2, 6, -0.1", "4, 2, 6, 'a'", "4, 2, 6, 1", "'a', 2",
            "4, 2, 'a'", "4, 2, 6.0",
        )
    ],
    *[
        f"{layer}.{name}"
        for layer in (
            "nn.TransformerEncoderLayer(4, 2, 6)",
            "nn.TransformerDecoderLayer(4, 2, 6, 0.2, 'gelu', 1e-3, True, True)",
        )
        for name in ("d_model", "nhead", "dim_feedforward", "batch_first", "norm_first", "norm1.epsilon", "dropout1.p")
    ],
    # Stacks
    *[
        f"filled(nn.TransformerEncoder({_ENCODER.format(style)}, 2{norm}))(z)"
        for style in ("", ", norm_first=True")
        for norm in ("", ", nn.LayerNorm((4,))")
    ],
    *[
        f"filled(nn.TransformerDecoder({_DECODER.format(style)}, 2{norm}))(z, {_KEY})"
        for style in ("", ", norm_first=True")
        for norm in ("", ", nn.LayerNorm((4,))")
    ],
    *[
        f"filled(nn.TransformerEncoder({_ENCODER.format('')}, 2))({call})"
        for call in (
            f"z, {_OWN}", "z, wave(2, 2), wave(3, 2)", f"z, None, {_TWO}", f"z, None, {_TWO}.astype(ms.uint8)",
            "z, src_mask=wave(6, 2, 2)",
        )
    ],
    *[
        f"filled(nn.TransformerDecoder({_DECODER.format('')}, 2))({call})"
        for call in (
            f"z, {_KEY}, {_OWN}", f"z, {_KEY}, wave(2, 2), wave(2, 5), wave(3, 2), wave(3, 5)",
            f"z, {_KEY}, memory_key_padding_mask={_PADDED}",
        )
    ],
    *[
        f"nn.Transformer{part}(nn.Transformer{part}Layer(4, 2, 6){arguments})"
        for part in ("Encoder", "Decoder")
        for arguments in (", 'a'", ", 1.0", "")
    ],
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6), 0)(z)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6), 3).num_layers",
    "len(nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6), 3).layers)",
    # All together
    *[
        f"filled(nn.Transformer(4, 2, 2, 1, 6, 0.0{style}))(z, wave(2, 3, 4))"
        for style in (
            "", ", 'gelu'", ", norm_first=True", ", batch_first=True", ", layer_norm_eps=0.1",
            ", custom_encoder=nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 3, 0.0), 1)",
            ", custom_decoder=nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 3, 0.0), 1)",
        )
    ],
    "of_weights(filled(nn.Transformer(4, 2, 1, 1, 6, 0.0)), wave(2, 3, 4), wave(2, 3, 4) * 2)",
    *[
        f"filled(nn.Transformer(4, 2, 1, 1, 6, 0.0))({call})"
        for call in (
            f"{_KEY}, z", "wave(5, 4), z[0]", f"{_KEY}, z, wave(5, 5)",
            f"{_KEY}, z, wave(5, 5), wave(2, 2), wave(2, 5), wave(3, 5), wave(3, 2), wave(3, 5) * 2",
            "z, wave(5, 2, 4)", "z, wave(2, 3, 5)", "z", "z[0], z", "wave(2, 3, 5), z", "*[wave(2, 3, 4, 4)] * 2",
            f"{_KEY}, z, src_key_padding_mask={_PADDED}, memory_key_padding_mask={_PADDED}",
            f"{_KEY}, z, memory_mask={_HIDDEN}", f"{_KEY}, z, src_key_padding_mask={_PADDED}.astype(ms.int32)",
        )
    ],
    *[
        f"nn.Transformer({arguments})"
        for arguments in ("4, 3, 1, 1, 6", "4, 2, 'a'", "4, 2, 1, 1, 6, 2.0", "4, 2, 1, 1, 6, 0.1, 'tanh'")
    ],
    *[
        f"nn.Transformer(4, 2, 1, 2, 6).{name}"
        for name in ("d_model", "nhead", "batch_first", "encoder.num_layers", "decoder.num_layers")
    ],
    *_NO_TENSORS, *_WRONG_TYPES, *_TRUTH, *_OUT_OF_RANGE,
]  # fmt: skip

DIFFERENCES = {
    **dict.fromkeys([*_NO_TENSORS, *_WRONG_TYPES], ("a wrong type is a TypeError, at once", {"error": "TypeError"})),
    **dict.fromkeys(_OUT_OF_RANGE, ("a wrong value is a ValueError, at once", {"error": "ValueError"})),
}
