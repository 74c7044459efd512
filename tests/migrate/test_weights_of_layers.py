"""Weights of every layer of torch.nn that has a counterpart: equal outputs in both directions, modes and forms."""

# ruff: noqa: E501
from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import migrate

nn, mint, tnn = ms.nn, ms.mint.nn, torch.nn
SAME = {"has_bias": True, "pad_mode": "pad", "padding": 1}
LIKE_TORCH = {"momentum": 0.9, "eps": 1e-5}

# cell, module, shapes of the inputs (a dtype stands for indices below 4)
LAYERS = {
    "Dense": (lambda: nn.Dense(4, 3), lambda: tnn.Linear(4, 3), [(2, 4)]),
    "Linear": (lambda: mint.Linear(4, 3, bias=False), lambda: tnn.Linear(4, 3, bias=False), [(2, 4)]),
    "BiDense": (lambda: nn.BiDense(4, 3, 2), lambda: tnn.Bilinear(4, 3, 2), [(2, 4), (2, 3)]),
    "Conv1d": (lambda: nn.Conv1d(4, 2, 3, **SAME), lambda: tnn.Conv1d(4, 2, 3, padding=1), [(2, 4, 5)]),
    "Conv2d": (lambda: nn.Conv2d(4, 2, 3, group=2, **SAME), lambda: tnn.Conv2d(4, 2, 3, padding=1, groups=2), [(2, 4, 5, 5)]),
    "Conv3d": (lambda: nn.Conv3d(4, 2, 3, **SAME), lambda: tnn.Conv3d(4, 2, 3, padding=1), [(2, 4, 5, 5, 5)]),
    "Conv1dTranspose": (lambda: nn.Conv1dTranspose(4, 2, 3, **SAME), lambda: tnn.ConvTranspose1d(4, 2, 3, padding=1), [(2, 4, 5)]),
    "Conv2dTranspose": (lambda: nn.Conv2dTranspose(4, 6, 3, group=2, **SAME), lambda: tnn.ConvTranspose2d(4, 6, 3, padding=1, groups=2), [(2, 4, 5, 5)]),
    "Conv3dTranspose": (lambda: nn.Conv3dTranspose(4, 2, 3, **SAME), lambda: tnn.ConvTranspose3d(4, 2, 3, padding=1), [(2, 4, 5, 5, 5)]),
    "mint Conv2d": (lambda: mint.Conv2d(4, 2, 3), lambda: tnn.Conv2d(4, 2, 3), [(2, 4, 5, 5)]),
    "mint Conv3d": (lambda: mint.Conv3d(4, 2, 3), lambda: tnn.Conv3d(4, 2, 3), [(2, 4, 5, 5, 5)]),
    "mint ConvTranspose2d": (lambda: mint.ConvTranspose2d(4, 2, 3), lambda: tnn.ConvTranspose2d(4, 2, 3), [(2, 4, 5, 5)]),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4, **LIKE_TORCH), lambda: tnn.BatchNorm1d(4), [(6, 4)]),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(4, **LIKE_TORCH), lambda: tnn.BatchNorm2d(4), [(2, 4, 5, 5)]),
    "BatchNorm2d without weights": (lambda: nn.BatchNorm2d(4, affine=False, **LIKE_TORCH), lambda: tnn.BatchNorm2d(4, affine=False), [(2, 4, 5, 5)]),
    "BatchNorm3d": (lambda: nn.BatchNorm3d(4, **LIKE_TORCH), lambda: tnn.BatchNorm3d(4), [(2, 4, 3, 3, 3)]),
    "SyncBatchNorm": (lambda: nn.SyncBatchNorm(4, **LIKE_TORCH), lambda: tnn.BatchNorm2d(4), [(2, 4, 5, 5)]),
    "mint BatchNorm1d": (lambda: mint.BatchNorm1d(4), lambda: tnn.BatchNorm1d(4), [(6, 4)]),
    "mint BatchNorm2d": (lambda: mint.BatchNorm2d(4), lambda: tnn.BatchNorm2d(4), [(2, 4, 5, 5)]),
    "mint BatchNorm3d": (lambda: mint.BatchNorm3d(4), lambda: tnn.BatchNorm3d(4), [(2, 4, 3, 3, 3)]),
    "InstanceNorm1d": (lambda: nn.InstanceNorm1d(4), lambda: tnn.InstanceNorm1d(4, affine=True), [(2, 4, 5)]),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(4), lambda: tnn.InstanceNorm2d(4, affine=True), [(2, 4, 5, 5)]),
    "InstanceNorm3d": (lambda: nn.InstanceNorm3d(4), lambda: tnn.InstanceNorm3d(4, affine=True), [(2, 4, 3, 3, 3)]),
    "LayerNorm": (lambda: nn.LayerNorm([3, 4], 1, 1, epsilon=1e-5), lambda: tnn.LayerNorm([3, 4]), [(2, 3, 4)]),
    "mint LayerNorm": (lambda: mint.LayerNorm([3, 4]), lambda: tnn.LayerNorm([3, 4]), [(2, 3, 4)]),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), lambda: tnn.GroupNorm(2, 4), [(2, 4, 5, 5)]),
    "mint GroupNorm": (lambda: mint.GroupNorm(2, 4), lambda: tnn.GroupNorm(2, 4), [(2, 4, 5, 5)]),
    "Embedding": (lambda: nn.Embedding(4, 3), lambda: tnn.Embedding(4, 3), [int]),
    "EmbeddingLookup": (lambda: nn.EmbeddingLookup(4, 3), lambda: tnn.Embedding(4, 3), [int]),
    "mint Embedding": (lambda: mint.Embedding(4, 3), lambda: tnn.Embedding(4, 3), [int]),
    "PReLU": (lambda: nn.PReLU(4), lambda: tnn.PReLU(4), [(2, 4, 5, 5)]),
    "mint PReLU": (lambda: mint.PReLU(4), lambda: tnn.PReLU(4), [(2, 4, 5, 5)]),
    "RNN": (lambda: nn.RNN(4, 3, 2), lambda: tnn.RNN(4, 3, 2), [(5, 2, 4)]),
    "LSTM": (lambda: nn.LSTM(4, 3, 2, bidirectional=True), lambda: tnn.LSTM(4, 3, 2, bidirectional=True), [(5, 2, 4)]),
    "GRU": (lambda: nn.GRU(4, 3, 2, has_bias=False, batch_first=True), lambda: tnn.GRU(4, 3, 2, bias=False, batch_first=True), [(5, 2, 4)]),
    "RNNCell": (lambda: nn.RNNCell(4, 3), lambda: tnn.RNNCell(4, 3), [(2, 4), (2, 3)]),
    "GRUCell": (lambda: nn.GRUCell(4, 3), lambda: tnn.GRUCell(4, 3), [(2, 4), (2, 3)]),
    "MultiheadAttention": (lambda: nn.MultiheadAttention(4, 2), lambda: tnn.MultiheadAttention(4, 2), [(5, 2, 4)] * 3),
    "MultiheadAttention of other sizes": (lambda: nn.MultiheadAttention(4, 2, kdim=3, vdim=5, add_bias_kv=True), lambda: tnn.MultiheadAttention(4, 2, kdim=3, vdim=5, add_bias_kv=True), [(5, 2, 4), (5, 2, 3), (5, 2, 5)]),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 8, 0.0), lambda: tnn.TransformerEncoderLayer(4, 2, 8, 0.0), [(5, 2, 4)]),
    "TransformerDecoderLayer": (lambda: nn.TransformerDecoderLayer(4, 2, 8, 0.0), lambda: tnn.TransformerDecoderLayer(4, 2, 8, 0.0), [(5, 2, 4), (3, 2, 4)]),
    "Transformer": (lambda: nn.Transformer(4, 2, 2, 2, 8, 0.0), lambda: tnn.Transformer(4, 2, 2, 2, 8, 0.0), [(5, 2, 4), (3, 2, 4)]),
    "Conv2dBnAct": (lambda: nn.Conv2dBnAct(4, 2, 3, pad_mode="valid", has_bn=True, momentum=0.9, eps=1e-5), lambda: tnn.Sequential(tnn.Conv2d(4, 2, 3, bias=False), tnn.BatchNorm2d(2)), [(2, 4, 5, 5)]),
}  # fmt: skip


def arrays(shapes):
    chance = np.random.default_rng(1)
    return [
        chance.integers(0, 4, (2, 3)).astype(np.int32) if shape is int else chance.normal(size=shape).astype(np.float32)
        for shape in shapes
    ]


def randomized(module):
    """Return a module without weights of 0 or 1, so that exchanged ones show."""
    torch.manual_seed(0)
    with torch.no_grad():
        for value in [*module.parameters(), *module.buffers()]:
            if value.is_floating_point():
                value.add_(torch.rand_like(value) * 0.3)
    return module


def first(result):
    return result[0] if isinstance(result, tuple) else result


def outputs(cell, module, shapes, training):
    cell.set_train(training)
    module.train(training)
    values = arrays(shapes)
    with torch.no_grad():
        expected = first(module(*[torch.from_numpy(value) for value in values]))
    return first(cell(*[ms.Tensor(value) for value in values])).torch.cpu(), expected


def assert_equal(cell, module, shapes):
    for training in (False, True, False):  # the last one with the statistics that the training has changed
        found, expected = outputs(cell, module, shapes, training)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="raise"):
        torch.manual_seed(0)
        np.random.seed(0)
        yield


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_computes_the_same_in_both_directions(name):
    make_cell, make_module, shapes = LAYERS[name]
    cell, module = make_cell(), randomized(make_module())
    weights = migrate.map_weights(cell, module)
    assert weights.complete, str(weights)
    weights.copy_to_cell()
    assert_equal(cell, module, shapes)

    other, fresh = randomized(make_module()), make_module()
    migrate.load_torch(cell, other.state_dict())
    migrate.map_weights(cell, fresh).copy_to_torch()
    assert_equal(cell, fresh, shapes)
    for key, value in migrate.to_torch(cell, fresh).items():
        torch.testing.assert_close(value, fresh.state_dict()[key], rtol=0, atol=0)


@pytest.mark.parametrize("name", ["LSTMCell"])
def test_a_cell_with_two_states(name):
    cell, module = nn.LSTMCell(4, 3), tnn.LSTMCell(4, 3)
    migrate.load_torch(cell, module)
    x, h, c = arrays([(2, 4), (2, 3), (2, 3)])
    expected = module(*map(torch.from_numpy, [x]), tuple(map(torch.from_numpy, (h, c))))
    found = cell(ms.Tensor(x), (ms.Tensor(h), ms.Tensor(c)))
    for one, other in zip(found, expected):
        torch.testing.assert_close(one.torch.cpu(), other.detach(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("cell", "module"), [("BatchNorm2d", "BatchNorm2d"), ("InstanceNorm2d", "InstanceNorm2d")])
def test_values_are_copied_and_not_shared(cell, module):
    ours, theirs = getattr(nn, cell)(4), getattr(tnn, module)(4, affine=True, track_running_stats=True)
    migrate.load_torch(ours, theirs)
    with torch.no_grad():
        theirs.weight.fill_(7)
    assert ours.gamma.asnumpy().tolist() == [1.0] * 4


@pytest.mark.filterwarnings("ignore:.*weight_norm")
@pytest.mark.parametrize("norm", [torch.nn.utils.weight_norm, torch.nn.utils.parametrizations.weight_norm])
@pytest.mark.parametrize("of", ["module", "state"])
@pytest.mark.parametrize("dim", [0, 1, 2, None])
def test_lengths_and_directions_become_one_weight(norm, of, dim):
    module = torch.nn.Sequential(norm(torch.nn.Conv1d(4, 3, 2), dim=dim), norm(torch.nn.Conv1d(3, 2, 1), dim=dim))
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.linspace(0.5, 1.5, weight.numel()).reshape(weight.shape))
    cell = nn.SequentialCell(ms.mint.nn.Conv1d(4, 3, 2), ms.mint.nn.Conv1d(3, 2, 1))
    migrate.load_torch(cell, module if of == "module" else module.state_dict())
    x = torch.linspace(-1, 1, 24).reshape(2, 4, 3)
    torch.testing.assert_close(cell(ms.Tensor(x)).torch.cpu(), module(x))
