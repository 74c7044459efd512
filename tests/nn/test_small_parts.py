"""Names of MindSpore that have little or nothing to do here."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn

A = np.array([[1.0, 3.0, 4.0, 7.0], [2.0, 4.0, 2.0, 5.0], [3.0, 1.0, 5.0, 8.0]], np.float32)
B = A[[1, 2, 0]]


def cosines(axis):
    return (A * B).sum(axis) / np.linalg.norm(A, axis=axis) / np.linalg.norm(B, axis=axis)


class TestCosineSimilarity:
    @pytest.mark.parametrize("dim", [0, 1, -1])
    def test_values(self, dim):
        layer = nn.layer.CosineSimilarity(dim)
        np.testing.assert_allclose(layer(Tensor(A), Tensor(B)).asnumpy(), cosines(dim), rtol=1e-6)

    def test_small_vectors(self):
        layer = nn.layer.CosineSimilarity(eps=100.0)
        np.testing.assert_allclose(layer(Tensor(A), Tensor(B)).asnumpy(), (A * B).sum(1) / 100, rtol=1e-6)

    @pytest.mark.parametrize("arguments", [(1.0,), (1, 1)])
    def test_errors(self, arguments):
        with pytest.raises(TypeError, match="For 'CosineSimilarity', "):
            nn.layer.CosineSimilarity(*arguments)

    def test_the_metric_keeps_its_name(self):
        assert nn.CosineSimilarity is ms.train.metrics.CosineSimilarity


def test_three_inputs():
    net = nn.VirtualDatasetCellTriple(nn.BiDense(2, 3, 1))
    names = [p.name for p in net.trainable_params()]
    assert names == ["weight", "bias"]
    triple = nn.VirtualDatasetCellTriple(lambda a, b, c: a * b + c)
    assert float(ms.grad(triple)(Tensor(2.0), Tensor(3.0), Tensor(4.0))) == 3
    with pytest.raises(TypeError, match="'backbone' must be a function"):
        nn.VirtualDatasetCellTriple(1)


def test_parameters_have_values_at_once():
    @nn.no_init_parameters()
    def make():
        return nn.Dense(30, 40)

    net = make()
    before = net.weight.asnumpy().copy()
    assert before.std() > 0.01
    net.init_parameters_data()
    np.testing.assert_array_equal(net.weight.asnumpy(), before)


def test_time_distributed_is_here_too():
    assert nn.wrap.TimeDistributed is nn.TimeDistributed
