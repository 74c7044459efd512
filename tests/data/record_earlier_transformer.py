"""Record what MindSpore 2.0's transformer layers compute, into `earlier_transformer.npz`.

PYTHON tests/data/record_earlier_transformer.py    # a Python with MindSpore 2.0
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

BATCH, LENGTH, HIDDEN, HEADS, INNER = 2, 4, 8, 2, 16
# The layers, by the names of the classes and their arguments; then the inputs. "f16", "f32": data types.
CASES = [
    ("AttentionMask", {"seq_length": LENGTH}, ["row_mask"]),
    ("VocabEmbedding", {"vocab_size": 10, "embedding_size": HIDDEN}, ["ids"]),
    *[
        ("FeedForward", {"hidden_size": HIDDEN, "ffn_hidden_size": INNER, "dropout_rate": 0.1, "hidden_act": act},
         ["x"])
        for act in ("gelu", "relu", "fast_gelu", "sigmoid")
    ],
    *[
        (
            "MultiHeadAttention",
            {"batch_size": BATCH, "src_seq_length": LENGTH, "tgt_seq_length": LENGTH, "hidden_size": HIDDEN,
             "num_heads": HEADS, **types},
            ["x", "y", "z", "mask"],
        )
        for types in ({"compute_dtype": "f32"}, {}, {"softmax_compute_type": "f16"})
    ],
    *[
        (
            "TransformerEncoderLayer",
            {"batch_size": BATCH, "hidden_size": HIDDEN, "ffn_hidden_size": INNER, "num_heads": HEADS,
             "seq_length": LENGTH, **options},
            inputs,
        )
        for options, inputs in (
            ({}, ["x", "mask"]), ({"post_layernorm_residual": True}, ["x", "mask"]), ({}, ["x"]),
            ({"layernorm_compute_type": "f16", "hidden_act": "relu"}, ["x", "mask"]),
        )
    ],
    (
        "TransformerDecoderLayer",
        {"hidden_size": HIDDEN, "ffn_hidden_size": INNER, "num_heads": HEADS, "batch_size": BATCH,
         "src_seq_length": LENGTH, "tgt_seq_length": LENGTH},
        ["x", "mask", "y", "full_mask"],
    ),
    (
        "TransformerEncoder",
        {"batch_size": BATCH, "num_layers": 2, "hidden_size": HIDDEN, "ffn_hidden_size": INNER, "seq_length": LENGTH,
         "num_heads": HEADS},
        ["x", "mask"],
    ),
    (
        "TransformerDecoder",
        {"num_layers": 2, "batch_size": BATCH, "hidden_size": HIDDEN, "ffn_hidden_size": INNER,
         "src_seq_length": LENGTH, "tgt_seq_length": LENGTH, "num_heads": HEADS, "post_layernorm_residual": True},
        ["x", "mask", "y", "full_mask"],
    ),
    (
        "Transformer",
        {"hidden_size": HIDDEN, "batch_size": BATCH, "ffn_hidden_size": INNER, "src_seq_length": LENGTH,
         "tgt_seq_length": LENGTH, "encoder_layers": 1, "decoder_layers": 1, "num_heads": HEADS},
        ["x", "full_mask", "y", "mask", "full_mask"],
    ),
    ("CrossEntropyLoss", {}, ["logits", "labels", "weights"]),
]  # fmt: skip


def inputs() -> dict[str, np.ndarray]:
    """Return the inputs of the layers."""
    generator = np.random.RandomState(0)
    made = {name: generator.rand(BATCH, LENGTH, HIDDEN).astype(np.float32) for name in "xyz"}
    made["mask"] = np.tril(np.ones((BATCH, LENGTH, LENGTH), np.float32))
    made["full_mask"] = np.ones((BATCH, LENGTH, LENGTH), np.float32)
    made["row_mask"] = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.float32)
    made["ids"] = np.array([[1, 2], [3, 4]], np.int32)
    made["logits"] = generator.rand(4, 5).astype(np.float32)
    made["labels"], made["weights"] = np.array([0, 1, 2, 3], np.int32), np.array([1, 1, 0, 1], np.float32)
    made["step"] = generator.rand(BATCH, 1, HIDDEN).astype(np.float32)
    return made


def weights(shapes: list[tuple[int, ...]]) -> list[np.ndarray]:
    """Return the values of the parameters."""
    generator = np.random.RandomState(1)
    return [((generator.rand(*shape) - 0.5) * 0.8).astype(np.float32) for shape in shapes]


def leaves(tree: object) -> list:
    """Return the tensors of a nested tuple."""
    return [leaf for part in tree for leaf in leaves(part)] if isinstance(tree, (tuple, list)) else [tree]


def run(ms, layers, kind: str, options: dict, names: list[str]) -> tuple[list, list]:
    """Return the names and shapes of a layer's parameters, and its results."""
    types = {"f16": ms.float16, "f32": ms.float32}
    layer = getattr(layers, kind)(**{name: types.get(value, value) for name, value in options.items()})
    parameters = list(layer.get_parameters())
    for parameter, value in zip(parameters, weights([p.shape for p in parameters])):
        parameter.set_data(ms.Tensor(value, parameter.dtype))
    layer.set_train(False)
    given = [ms.Tensor(inputs()[name]) for name in names]
    if kind == "TransformerEncoderLayer" and len(given) == 1:
        given.append(None)
    result = leaves(layer(*given))
    return [(p.name, list(p.shape)) for p in parameters], [tensor.asnumpy() for tensor in result]


def run_with_past(ms, layers) -> list:
    """Return the results of an encoder layer that generates: of the first tokens, and of one more."""
    layer = layers.TransformerEncoderLayer(BATCH, HIDDEN, INNER, HEADS, LENGTH, use_past=True)
    parameters = list(layer.get_parameters())
    for parameter, value in zip(parameters, weights([p.shape for p in parameters])):
        parameter.set_data(ms.Tensor(value, parameter.dtype))
    layer.set_train(False)
    given, lengths = {name: ms.Tensor(value) for name, value in inputs().items()}, ms.Tensor([3, 3], ms.int32)
    layer.add_flags_recursive(is_first_iteration=True)
    first = layer(given["x"], given["mask"], ms.Tensor([False]), lengths)
    layer.add_flags_recursive(is_first_iteration=False)
    row = ms.Tensor(np.ones((BATCH, 1, LENGTH), np.float32))
    second = layer(given["step"], row, ms.Tensor([True]), lengths)
    return [tensor.asnumpy() for tensor in leaves((first, second))]


def main() -> None:
    import mindspore as ms
    from mindspore.parallel import _transformer as layers

    ms.set_context(device_target="CPU", mode=1)
    recorded = {}
    for number, case in enumerate(CASES):
        parameters, results = run(ms, layers, *case)
        recorded[f"{number}.parameters"] = np.array(json.dumps(parameters))
        recorded.update({f"{number}.{place}": result for place, result in enumerate(results)})
    recorded.update({f"past.{place}": result for place, result in enumerate(run_with_past(ms, layers))})
    np.savez_compressed(Path(__file__).with_name("earlier_transformer.npz"), **recorded)


if __name__ == "__main__":
    main()
