"""Compare networks of the package mindone with their originals in transformers and diffusers.

    python tools/compare_mindone.py

Each is built twice, small and random, in one process: mindone's under TorchSpore, the original in PyTorch, with the
same weights. The outputs are compared in PYNATIVE_MODE and in GRAPH_MODE. Needs mindone 0.5, transformers 4.57 and
diffusers.
"""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import torch

import torchspore.as_mindspore  # noqa: F401

# isort: split
import diffusers
import mindspore as ms
import transformers
from mindone import diffusers as own_diffusers
from mindone import transformers as own_transformers

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
WORDS = {"vocab_size": 100}
GPT = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 32}
UNET = {
    "block_out_channels": (32, 64), "layers_per_block": 1, "sample_size": 16, "in_channels": 4, "out_channels": 4,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"), "cross_attention_dim": 32, "attention_head_dim": 8,
    "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
}  # fmt: skip
VAE = {
    "block_out_channels": [32, 64], "down_block_types": ["DownEncoderBlock2D"] * 2, "latent_channels": 4,
    "up_block_types": ["UpDecoderBlock2D"] * 2,
}  # fmt: skip

# The network, the configuration's class or None, its settings, and the shapes of the inputs; none for words.
CASES: list[tuple[str, str | None, dict[str, Any], list[tuple[int, ...]]]] = [
    ("BertModel", "BertConfig", SMALL | WORDS, []),
    ("GPT2Model", "GPT2Config", GPT | WORDS, []),
    ("LlamaModel", "LlamaConfig", SMALL | WORDS | {"num_key_value_heads": 2}, []),
    ("Qwen2Model", "Qwen2Config", SMALL | WORDS | {"num_key_value_heads": 2}, []),
    ("CLIPTextModel", "CLIPTextConfig", SMALL | WORDS, []),
    ("T5EncoderModel", "T5Config", {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4} | WORDS, []),
    ("UNet2DConditionModel", None, UNET, [(1, 4, 16, 16), (), (1, 4, 32)]),
    ("AutoencoderKL", None, VAE, [(1, 3, 32, 32)]),
]


def torch_name(name: str) -> str:
    """Return the name that a parameter has in PyTorch."""
    for ending, other in ((".gamma", ".weight"), (".beta", ".bias"), (".embedding_table", ".weight")):
        if name.endswith(ending):
            return name.removesuffix(ending) + other
    return name


def first(outputs: Any) -> Any:
    """Return the first output."""
    while isinstance(outputs, (tuple, list)):
        outputs = outputs[0]
    return outputs


def compare(name: str, config: str | None, settings: dict[str, Any], shapes: list[tuple[int, ...]]) -> str:
    """Return a line that says whether two networks have the same outputs."""
    package, own = (transformers, own_transformers) if config else (diffusers, own_diffusers)
    arguments = [getattr(transformers, config)(**settings)] if config else []
    made = [getattr(each, name)(*arguments, **({} if config else settings)) for each in (package, own)]
    reference, network = made[0].eval(), made[1].set_train(False)
    values = reference.state_dict()
    for parameter in network.get_parameters():
        parameter.set_data(ms.Tensor(values[torch_name(parameter.name)].clone()))
    random = np.random.RandomState(0)
    inputs = [torch.tensor(random.randn(*shape) if shape else 10, dtype=torch.float32) for shape in shapes]
    inputs = inputs or [torch.arange(12).reshape(2, 6)]
    with torch.no_grad():
        expected = first(reference(*inputs, return_dict=False)).numpy()
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        found = first(network(*map(ms.Tensor, inputs), return_dict=False)).asnumpy()
        if not np.allclose(found, expected, rtol=1e-3, atol=1e-4):
            return f"differs by {np.abs(found - expected).max()}, mode {mode}"
    return "the same"


for case in CASES:
    try:
        print(case[0], compare(*case), flush=True)
    except Exception:
        print(case[0], traceback.format_exc(limit=-1).strip().splitlines()[-1][:300], flush=True)
