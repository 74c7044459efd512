"""NumPy's functions and numbers with tensors."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn, ops

SCALE = np.sqrt(8)


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(Tensor([1.0, -2.0]), name="weight")

    def construct(self, x):
        return ops.relu(SCALE * self.weight * x)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_number_on_the_left_keeps_the_gradient(mode):
    ms.set_context(mode=mode)
    try:
        net = Scaled()
        loss, (gradient,) = ms.value_and_grad(net, None, net.trainable_params())(Tensor([3.0, 5.0]))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(loss.asnumpy(), [3 * SCALE, 0], rtol=1e-6)
    np.testing.assert_allclose(gradient.asnumpy(), [3 * SCALE, 0], rtol=1e-6)


def test_a_number_on_the_left_in_graphs_and_maps():
    def scaled(x):
        return SCALE * x, np.int64(3) % x, np.float32(1) > x, np.bool_(True) & (x > 0)

    results = ms.jit(scaled)(Tensor([2.0, -4.0]))
    assert [str(result.dtype) for result in results] == ["Float32", "Float32", "Bool", "Bool"]
    np.testing.assert_allclose(results[1].asnumpy(), [1, -1])
    np.testing.assert_allclose(ops.vmap(lambda x: SCALE * x)(Tensor([2.0])).asnumpy(), [2 * SCALE], rtol=1e-6)


def test_functions_give_arrays():
    x = Tensor([1.0, 2.0])
    for found, expected in (
        (np.float32(2) * x, [2, 4]),
        (np.add(x, 1), [2, 3]),
        (np.multiply.reduce(x), 2),
        (np.add(x, x, where=x > 1, out=np.zeros(2, np.float32)), [0, 4]),
    ):
        assert not isinstance(found, Tensor)
        np.testing.assert_array_equal(found, expected)
    total = np.ones(2)
    total += x
    np.testing.assert_array_equal(total, [2, 3])


def test_numpy_writes_into_arrays_only():
    x = Tensor([1.0, 2.0])
    with pytest.raises(TypeError):
        np.add(1, 2, out=x)
    with pytest.raises(TypeError):
        np.add.at(x, 0, 1)
    np.testing.assert_array_equal(x.asnumpy(), [1, 2])
