"""Batch normalization of large channels-last images: exact statistics, and the gradients of torch."""

import pytest
import torch

import torchspore as ms
from torchspore import Tensor, nn, ops


def _inputs(shape, layout=torch.channels_last, offset=0.5):
    torch.manual_seed(0)
    x = (torch.randn(shape) * 0.2 + offset).contiguous(memory_format=layout)
    return Tensor(x), *[Tensor(torch.rand(shape[1]) + 0.5) for _ in range(4)]


def _wide(tensors):
    return [tensor.astype(ms.float64) for tensor in tensors]


def _loss(x, mean, variance, weight, bias):
    return (ops.batch_norm(x, mean, variance, weight, bias, True, 0.1, 1e-5) ** 3).mean()


def _error(found, expected):
    return float((found - expected).abs().max() / expected.abs().max())


@pytest.mark.parametrize(
    "shape", [(8, 16, 64, 64), (4, 3, 37, 41), (16, 300, 14, 14), (3, 5, 53, 53), (32, 128, 16, 16)]
)
def test_statistics_as_of_float64(shape):
    narrow = _inputs(shape)
    wide = _wide(narrow)
    y, expected = [ops.batch_norm(*values, True, 0.1, 1e-5) for values in (narrow, wide)]
    assert y.torch.stride() == narrow[0].torch.stride()
    assert _error(y.torch, expected.torch) < 1e-5
    for i in (1, 2):
        assert _error(narrow[i].torch, wide[i].torch) < 1e-6
    for found, exact in zip(ms.grad(_loss, (0, 3, 4))(*narrow), ms.grad(_loss, (0, 3, 4))(*wide)):
        assert _error(found.torch, exact.torch) < 1e-4


def test_gradients_of_second_order():
    def second(*values):
        return ms.grad(lambda *inner: (ms.grad(_loss, 0)(*inner) ** 2).sum() * 1e6, (0, 3))(*values)

    narrow = _inputs((4, 3, 32, 32))
    for found, exact in zip(second(*narrow), second(*_wide(narrow))):
        assert _error(found.torch, exact.torch) < 1e-3


def test_other_layouts_are_torchs():
    for shape, layout in (((8, 16, 64, 64), torch.contiguous_format), ((2, 16, 8, 8), torch.channels_last)):
        x, *rest = _inputs(shape, layout)
        own = [value.torch.clone() for value in rest]
        expected = torch.batch_norm(x.torch, own[2], own[3], own[0], own[1], True, 0.1, 1e-5, True)
        assert torch.equal(ops.batch_norm(x, *rest, True, 0.1, 1e-5).torch, expected)


@pytest.mark.parametrize("options", [{}, {"fullgraph": True}, {"dynamic": 1}])
def test_graphs_compute_the_same(options):
    x = _inputs((8, 16, 32, 32))[0]
    found = []
    for capture in (lambda function: function, lambda function: ms.jit(function, **options)):
        norm = nn.BatchNorm2d(16).set_train()
        step = capture(ms.value_and_grad(lambda x, norm=norm: (norm(x) ** 3).sum(), None, norm.trainable_params()))
        for _ in range(3):
            loss, gradients = step(x)
        found.append([value.torch for value in (loss, *gradients, norm.moving_mean, norm.moving_variance)])
    for eager, captured in zip(*found):
        assert torch.allclose(eager, captured, rtol=1e-5, atol=1e-3)


def test_transforms_of_functions():
    x, *rest = _inputs((4, 3, 32, 32))
    rest = [Tensor(value.torch) for value in rest]
    tangent = Tensor(torch.randn(4, 3, 32, 32).contiguous(memory_format=torch.channels_last))
    along = ms.jvp(lambda x: _loss(x, *rest), x, tangent)[1]
    expected = (ms.grad(_loss)(x, *rest) * tangent).sum()
    assert abs(float(along) - float(expected)) < 1e-5


@pytest.mark.parametrize("position", range(1, 5))
def test_parameters_of_another_size_are_refused(position):
    arguments = list(_inputs((4, 3, 32, 32)))
    arguments[position] = Tensor([1.0])
    with pytest.raises(ValueError, match="one element per channel"):
        ops.batch_norm(*arguments, True, 0.1, 1e-5)
