"""`mint.nn`: layers with weights against torch's, running statistics, padding modes, and how layers print."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Tensor
from torchspore.mint import nn


def _twin(ours, theirs):
    """Give torch's layer the parameters of ours."""
    for name, parameter in ours.parameters_and_names():
        theirs.get_parameter(name).data = parameter.torch.clone()
    return theirs


def _image(*shape):
    return torch.linspace(-2, 2, int(np.prod(shape))).reshape(shape)


CONVOLUTIONS = [
    ("Conv2d", (4, 6, 3), {}, (2, 4, 7, 6)),
    ("Conv2d", (4, 6, (3, 2), (2, 1), (1, 0), 2, 2), {}, (2, 4, 9, 6)),
    ("Conv2d", (4, 6, 3), {"padding": "same", "bias": False}, (4, 7, 6)),
    ("Conv2d", (4, 6, (3, 4)), {"padding": "same", "padding_mode": "circular"}, (2, 4, 7, 6)),
    ("Conv2d", (4, 6, 3), {"padding": "valid", "padding_mode": "reflect"}, (2, 4, 7, 6)),
    ("Conv2d", (4, 6, 3), {"padding": (2, 1), "padding_mode": "reflect"}, (2, 4, 7, 6)),
    ("Conv2d", (4, 6, 3), {"padding": 1, "padding_mode": "replicate", "stride": 2}, (2, 4, 7, 6)),
    ("Conv1d", (4, 2, 3), {"padding": 1}, (2, 4, 8)),
    ("Conv3d", (2, 3, 2), {"stride": (1, 2, 1)}, (1, 2, 3, 5, 4)),
    ("ConvTranspose2d", (4, 6, 3, 2, 1, 1, 2), {}, (2, 4, 5, 6)),
    ("ConvTranspose2d", (4, 6, (2, 3)), {"dilation": 2, "bias": False}, (2, 4, 5, 6)),
]


@pytest.mark.parametrize(("name", "args", "named", "shape"), CONVOLUTIONS)
def test_convolutions(name, args, named, shape):
    ours = getattr(nn, name)(*args, **named)
    theirs = _twin(ours, getattr(torch.nn, name)(*args, **named))
    x = _image(*shape)
    torch.testing.assert_close(ours(Tensor(x)).torch, theirs(x).detach(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [(9, 11), (10, 12)])
def test_transposed_convolution_to_a_size(size):
    ours = nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1)
    theirs = _twin(ours, torch.nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1))
    x = _image(1, 2, 5, 6)
    found = ours(Tensor(x), output_size=size)
    assert found.shape == (1, 3, *size)
    torch.testing.assert_close(found.torch, theirs(x, output_size=size).detach(), rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="output_size"):
        ours(Tensor(x), output_size=(20, 20))


@pytest.mark.parametrize(
    ("size", "extra"), [(None, (1, 1)), ((10, 11), (1, 0)), ((1, 4, 10, 11), (1, 0)), ((9, 11), (0, 0))]
)
def test_layers_of_packages_read_the_output_padding(size, extra):
    layer = nn.ConvTranspose2d(2, 4, 3, stride=2, padding=1, output_padding=1)
    window = (layer.stride, layer.padding, layer.kernel_size, 2, layer.dilation)
    assert tuple(layer._output_padding(Tensor(_image(1, 2, 5, 6)), size, *window)) == extra


@pytest.mark.parametrize(
    ("padding", "sides"),
    [(0, (0, 0, 0, 0)), ((1, 2), (2, 2, 1, 1)), ("same", (1, 2, 1, 2)), ("valid", (0, 0, 0, 0))],
)
def test_layers_of_packages_read_the_padding(padding, sides):
    assert tuple(nn.Conv2d(2, 4, 4, padding=padding)._reversed_padding) == sides


def test_initial_weights_are_those_of_torch():
    """Drawn from U(-sqrt(k), sqrt(k)), k = groups / (in_channels * kernel)."""
    layer = nn.Conv2d(8, 64, 3, groups=2)
    bound = (2 / (8 * 9)) ** 0.5
    for parameter in (layer.weight, layer.bias):
        assert 0.8 * bound < abs(parameter.asnumpy()).max() <= bound


@pytest.mark.parametrize(
    ("name", "shape", "options"),
    [
        ("BatchNorm1d", (6, 3), {}), ("BatchNorm1d", (4, 3, 5), {"momentum": 0.3, "eps": 0.1}),
        ("BatchNorm2d", (2, 3, 4, 5), {}), ("BatchNorm2d", (2, 3, 4, 5), {"affine": False}),
        ("BatchNorm2d", (2, 3, 4, 5), {"momentum": None}),
        ("BatchNorm2d", (2, 3, 4, 5), {"track_running_stats": False}), ("BatchNorm3d", (2, 3, 2, 2, 2), {}),
    ],
)  # fmt: skip
def test_running_statistics(name, shape, options):
    ours, theirs = getattr(nn, name)(3, **options), getattr(torch.nn, name)(3, **options)
    ours.set_train()
    x = _image(*shape)
    for step in range(2):
        torch.testing.assert_close(ours(Tensor(x + step)).torch, theirs(x + step).detach(), rtol=1e-4, atol=1e-5)
    ours.set_train(False)
    theirs.eval()
    torch.testing.assert_close(ours(Tensor(x)).torch, theirs(x).detach(), rtol=1e-4, atol=1e-5)
    for buffer in ("running_mean", "running_var", "num_batches_tracked"):
        value = getattr(theirs, buffer)
        assert (getattr(ours, buffer) is None) is (value is None)
        if value is not None:
            torch.testing.assert_close(getattr(ours, buffer).torch, value)


def test_statistics_move_inside_a_differentiated_function():
    norm = nn.BatchNorm1d(2).set_train()
    x = Tensor(_image(6, 2))
    gradient = ms.value_and_grad(lambda x: (norm(x) ** 3).sum(), 0, norm.trainable_params())
    _, (of_input, of_weights) = gradient(x)
    assert of_input.shape == (6, 2)
    assert [g.shape for g in of_weights] == [(2,), (2,)]
    assert norm.num_batches_tracked.item() == 1
    assert norm.running_mean.tolist() != [0.0, 0.0]


def test_synchronized_batch_norm_of_one_process():
    x = Tensor(_image(2, 3, 4, 5))
    ours, plain = nn.SyncBatchNorm(3).set_train(), nn.BatchNorm2d(3).set_train()
    np.testing.assert_allclose(ours(x).asnumpy(), plain(x).asnumpy())


def test_dropout():
    layer = nn.Dropout(0.5).set_train()
    found = layer(Tensor(np.ones(1000, np.float32)))
    assert set(found.asnumpy()) == {0.0, 2.0}


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (lambda: nn.Conv2d(4, 2, 3, 2, 1, groups=2, bias=False),
         "Conv2d(input_channels=4, output_channels=2, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), "
         "dilation=(1, 1), groups=2, bias=False)"),
        (lambda: nn.Conv1d(4, 3, 3),
         "Conv1d(input_channels=4, output_channels=3, kernel_size=(3,), stride=(1,), padding=(0,), dilation=(1,), "
         "groups=1, bias=True)"),
        (lambda: nn.BatchNorm2d(3),
         "BatchNorm2d(num_features=3, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)"),
        (lambda: nn.GroupNorm(2, 4), "GroupNorm(num_groups=2, num_channels=4, eps=1e-05, affine=True)"),
        (lambda: nn.AdaptiveMaxPool1d(2), "AdaptiveMaxPool1d(output_size=2, return_indices=False)"),
        (lambda: nn.ReLU6(), "ReLU6()"),
    ],
)  # fmt: skip
def test_print(layer, text):
    assert repr(layer()) == text


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: nn.Conv2d(3, 4, 3, padding="same", stride=2), ValueError),
        (lambda: nn.Conv2d(3, 4, 3, padding="a"), ValueError),
        (lambda: nn.Conv2d(3, 4, 3, padding=-1), ValueError),
        (lambda: nn.Conv2d(3, 4, 3, bias=1), TypeError),
        (lambda: nn.ConvTranspose2d(3, 4, 3, padding_mode="reflect"), ValueError),
        (lambda: nn.BatchNorm2d(0), ValueError),
        (lambda: nn.BatchNorm2d(3, momentum=1.5), ValueError),
        (lambda: nn.BatchNorm2d(3)("a"), TypeError),
        (lambda: nn.PReLU(0), ValueError),
        (lambda: nn.ReflectionPad1d("a"), TypeError),
        (lambda: nn.ReplicationPad2d((1, 2)), ValueError),
        (lambda: nn.ConstantPad1d(1, "a"), TypeError),
    ],
)
def test_errors(make, error):
    with pytest.raises(error, match=r"^For '"):
        make()
