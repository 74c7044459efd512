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
