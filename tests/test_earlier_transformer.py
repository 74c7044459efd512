"""The transformer layers of earlier versions compute what MindSpore 2.0 recorded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import torchspore as ms
from torchspore.earlier import transformer

DATA = Path(__file__).parent / "data"
sys.path.insert(0, str(DATA))
import record_earlier_transformer as recorder  # noqa: E402

FIGURES = np.load(DATA / "earlier_transformer.npz")


def _close(made, wanted):
    assert made.dtype == wanted.dtype
    assert made.shape == wanted.shape
    tolerance = 4e-3 if wanted.dtype == np.float16 else 3e-3
    np.testing.assert_allclose(made.astype(np.float32), wanted.astype(np.float32), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("number", range(len(recorder.CASES)), ids=[case[0] for case in recorder.CASES])
def test_layers(number):
    parameters, results = recorder.run(ms, transformer, *recorder.CASES[number])
    assert [list(each) for each in parameters] == json.loads(str(FIGURES[f"{number}.parameters"]))
    wanted = [FIGURES[f"{number}.{place}"] for place in range(len(results))]
    assert f"{number}.{len(results)}" not in FIGURES
    for made, each in zip(results, wanted):
        _close(made, each)


def test_generation_keeps_earlier_tokens():
    results = recorder.run_with_past(ms, transformer)
    for place, made in enumerate(results):
        _close(made, FIGURES[f"past.{place}"])


def _losses(mode):
    """Return the losses of three steps of training."""
    ms.set_context(mode=mode)
    ms.set_seed(1)
    net = transformer.TransformerEncoder(2, 1, 8, 16, 4, 2, 0.0, 0.0).set_train()
    x, mask = (ms.Tensor(recorder.inputs()[name]) for name in ("x", "mask"))
    optimizer = ms.nn.SGD(net.trainable_params(), 0.05)
    step = ms.value_and_grad(lambda: (net(x, mask)[0] ** 2).mean(), None, optimizer.parameters)
    losses = []
    for _ in range(3):
        loss, gradients = step()
        optimizer(gradients)
        losses.append(float(loss))
    return losses


def test_an_encoder_trains_in_a_graph():
    """With the same loss as eagerly, and less at each step."""
    in_graph = _losses(ms.GRAPH_MODE)
    np.testing.assert_allclose(in_graph, _losses(ms.PYNATIVE_MODE), rtol=2e-3)
    assert in_graph == sorted(in_graph, reverse=True)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: transformer.MultiHeadAttention(1, 2, 2, 5, 2), ValueError, "'hidden_size' must be a multiple"),
        (lambda: transformer.FeedForward(4, 8, 0.1, expert_num=2), NotImplementedError, "'expert_num' must be 1"),
        (lambda: transformer.Transformer(4, 1, 8, 2, 2, 0, 0), ValueError, "'encoder_layers' or 'decoder_layers'"),
        (lambda: transformer.CrossEntropyLoss()(*[ms.Tensor([1])] * 3), ValueError, "'logits' must have 2 dimensions"),
        (lambda: transformer.AttentionMask(0), ValueError, "'seq_length'"),
    ],
)
def test_refusals(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


PROGRAM = """
import mindspore.nn.transformer as old
import mindspore.parallel._transformer.op_parallel_config as settings
from mindspore.parallel._transformer.transformer import TransformerEncoder, default_transformer_config

assert old.TransformerEncoder is TransformerEncoder
assert settings.OpParallelConfig() == default_transformer_config.dp_mp_config
"""


def test_modules_of_both_paths(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    subprocess.run([sys.executable, "-m", "torchspore", str(tmp_path / "program.py")], check=True)


PRIVATE = [
    "from mindspore.nn.transformer.layers import _LayerNorm, _Linear, _Dropout, _args_type_validator_check",
    "from mindspore.nn.transformer.layers import _valid_type_checks, _valid_value_checks, _check_input_shape",
    "from mindspore.parallel._transformer.layers import _check_past_none_input_none",
    "from mindspore.nn.transformer.op_parallel_config import _PipeLineConfig, _Config, _check_config",
    "from mindspore.nn.transformer.op_parallel_config import MoEParallelConfig",
    "from mindspore.nn.transformer.moe import _check_moe_config, MoE",
    "import numpy as np, mindspore as ms",
    "x = ms.Tensor(np.random.RandomState(0).randn(2, 3, 4).astype(np.float32))",
    "print(_LayerNorm((4,)).shard(((1, 1),))(x).asnumpy().ravel()[:4].tolist())",
    "in_float32 = {'transpose_b': False, 'compute_dtype': ms.float32}",
    "for options in {}, {'has_bias': False, 'activation': 'gelu'}, in_float32:",
    "    layer = _Linear(4, 3, **options).shard(strategy_bias=((1,), (1,)))",
    "    layer.weight.set_data(ms.Tensor(np.arange(12).reshape(layer.weight.shape).astype(np.float32) / 7))",
    "    print(layer(x).asnumpy().ravel()[:3].tolist())",
    "print(_Dropout(0.5)(x).asnumpy().ravel()[0].tolist())",
    "@_args_type_validator_check(size=_valid_value_checks([1], 'f'))",
    "def f(size): return size",
    "print(f(2), _check_config(_PipeLineConfig(2, 4)), MoEParallelConfig(2).dpmp.data_parallel)",
]
PRINTED = [  # MindSpore 1.10's
    [0.5905188918113708, -1.3358641862869263, -0.5186692476272583, 1.2640148401260376],
    [1.296875, 4.37109375, 7.44921875],
    [1.1708984375, 4.37109375, 7.44921875],
    [3.8915624618530273, 4.660682678222656, 5.429802894592285],
    1.7640523910522461,
]


def test_private_layers(tmp_path):
    (tmp_path / "program.py").write_text("\n".join(PRIVATE))
    run = [sys.executable, "-W", "ignore", "-m", "torchspore", str(tmp_path / "program.py")]
    *lines, last = subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()
    for line, expected in zip(lines, PRINTED, strict=True):
        np.testing.assert_allclose(json.loads(line), expected, rtol=2e-3)
    assert last == "2 True 2"
