"""What only a GPU does: CUDA graphs, cuDNN's weights, and what a wrong index does. Collected where there is one."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn, ops
from torchspore.engine.capture.compiling import cuda_graphs

LEVEL = ms.JitConfig("O2", tiered=False)


@pytest.fixture
def recordings(monkeypatch):
    """The recordings that are made."""
    made = []
    kind = cuda_graphs._Recording
    monkeypatch.setattr(cuda_graphs, "_Recording", lambda *given: made.append(kind(*given)) or made[-1])
    return made


def losses(level, batches):
    ms.set_seed(3)
    np.random.seed(3)
    net = nn.SequentialCell(nn.Dense(6, 8), nn.ReLU(), nn.Dense(8, 1))
    update = nn.Adam(net.trainable_params(), 0.01)
    value_and_grad = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, update.parameters)

    def step(x):
        loss, gradients = value_and_grad(x)
        update(gradients)
        return loss

    run = step if level is None else ms.jit(step, jit_config=level)
    return [float(run(x)) for x in batches]


@pytest.mark.slow
def test_a_training_from_a_cuda_graph(recordings):
    batches = [Tensor(np.random.default_rng(i).standard_normal((4, 6)).astype(np.float32)) for i in range(8)]
    np.testing.assert_allclose(losses(LEVEL, batches), losses(None, batches), rtol=1e-4)
    assert len(recordings) == 1


@pytest.mark.slow
def test_results_of_a_cuda_graph_are_copies(recordings):
    run = ms.jit(lambda x: (x * 2, x.sum()), jit_config=LEVEL)
    found = [run(Tensor([float(i), 1.0])) for i in range(5)]
    assert [(double.asnumpy().tolist(), float(total)) for double, total in found] == [
        ([2.0 * i, 2.0], i + 1.0) for i in range(5)
    ]
    assert len(recordings) == 1


@pytest.mark.slow
def test_dropout_of_a_cuda_graph_draws_anew(recordings):
    run = ms.jit(lambda x: ops.dropout(x, 0.5, True), jit_config=LEVEL)
    x = Tensor(np.ones(1000, np.float32))
    first, *others = [run(x).asnumpy() for _ in range(4)]
    assert all((first != other).any() for other in others)


@pytest.mark.parametrize("layer", [nn.RNN, nn.LSTM, nn.GRU])
@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "num_layers": 2}, {"has_bias": False}])
def test_the_weights_of_recurrent_layers_are_one_block(layer, options):
    net = layer(3, 4, **options)  # a warning would be an error
    output, _ = net(Tensor(np.ones((5, 2, 3), np.float32)))
    assert np.isfinite(output.asnumpy()).all()
    assert len({parameter.torch.untyped_storage().data_ptr() for parameter in net.get_parameters()}) == 1


@pytest.mark.parametrize("layer", [nn.RNN, nn.LSTM, nn.GRU])
def test_recurrent_layers_have_gradients_in_evaluation(layer):
    net = layer(3, 4, num_layers=2, dropout=0.5).set_train(False)
    gradient = ms.grad(lambda x: net(x)[0].sum())(Tensor(np.ones((5, 2, 3), np.float32)))
    assert (gradient.asnumpy() != 0).any()


@pytest.mark.slow
def test_a_wrong_index_is_explained():
    program = (
        "import torchspore as ms\n"
        "x = ms.ops.gather(ms.Tensor([1.0, 2.0]), ms.Tensor([7]), 0)\n"
        "print((x + 1).asnumpy())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert done.returncode != 0
    assert "an index or a label that is out of range" in done.stderr
