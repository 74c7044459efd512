"""THOR, which MindSpore 2.10 does not run on the CPU: against its rule in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn
from torchspore.nn.layer.thor_conversion import ConvertNetUtils

STEPS = 10
BATCH = 6
RATES = 0.05 * 0.9 ** np.arange(STEPS)
DAMPINGS = 0.3 * 0.8 ** np.arange(STEPS)
MOMENTUM = 0.9


def thor(net, rates=RATES, dampings=DAMPINGS, momentum=MOMENTUM, **options):
    options = {"batch_size": BATCH, **options}
    return nn.thor(net, Tensor(rates, ms.float32), Tensor(dampings, ms.float32), momentum, **options)


def training(net, optimizer, loss=None):
    return nn.TrainOneStepCell(nn.WithLossCell(net, loss or nn.MSELoss()), optimizer, optimizer.loss_scale)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def block_inverse(matrix, root):
    """Invert the blocks of 128 of matrix + root * I."""
    inverse = np.zeros_like(matrix)
    for start in range(0, len(matrix), 128):
        block = matrix[start : start + 128, start : start + 128]
        inverse[start : start + 128, start : start + 128] = np.linalg.inv(block + root * np.eye(len(block)))
    return inverse


@pytest.mark.parametrize("inputs", [3, 150])
@pytest.mark.parametrize(
    "options", [{}, {"weight_decay": 0.1}, {"loss_scale": 64.0}, {"use_nesterov": True}, {"enable_clip_grad": True}]
)
def test_a_dense_layer(inputs, options):
    data, label, weight, bias = draw(BATCH, inputs), draw(BATCH, 2, seed=1), draw(2, inputs, seed=2), draw(2, seed=3)
    net = nn.SequentialCell(nn.Dense(inputs, 2, Tensor(weight), Tensor(bias)))
    train = training(net, thor(net, **options))
    found = [weight.astype(np.float64), bias.astype(np.float64)]
    moments = [np.zeros_like(value) for value in found]
    for rate, damping in zip(RATES, DAMPINGS):
        train(Tensor(data), Tensor(label))
        of_output = 2 * (data @ found[0].T + found[1] - label) / label.size
        left = block_inverse(BATCH**2 * of_output.T @ of_output / BATCH, np.sqrt(damping))
        right = block_inverse(data.astype(np.float64).T @ data / inputs, np.sqrt(damping))  # as MindSpore divides it
        updates = [left @ (of_output.T @ data) @ right, of_output.sum(0)]
        for i, update in enumerate(updates):
            update = update + options.get("weight_decay", 0.0) * found[i]
            if options.get("enable_clip_grad"):
                update = update / max(np.linalg.norm(update), 1)
            moments[i] = MOMENTUM * moments[i] + update
            step = update + MOMENTUM * moments[i] if options.get("use_nesterov") else moments[i]
            found[i] = found[i] - rate * step
    np.testing.assert_allclose(net[0].weight.asnumpy(), found[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(net[0].bias.asnumpy(), found[1], rtol=1e-4, atol=1e-5)


class Words(nn.Cell):
    """Every kind of layer that THOR supports, and one that it does not."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, 9)
        self.norm = nn.LayerNorm((9,))
        self.conv = nn.Conv2d(1, 2, 2, 2, pad_mode="valid")
        self.scale = ms.Parameter(Tensor(draw(16), ms.float32))

    def construct(self, words):
        images = self.norm(self.table(words)).expand_dims(1)
        return self.conv(images).reshape(words.shape[0], -1) * self.scale


def expected_update(net, name, gradient, root):
    """The rule for one parameter of Words, from the moments that its layers gathered."""
    if name.startswith("norm"):
        return gradient / (gradient**2 / BATCH + root)
    if name == "table.embedding_table":
        uses, moment = net.table.matrix_a.asnumpy(), net.table.matrix_g.asnumpy()
        return gradient / (uses / BATCH + root)[:, None] @ np.linalg.inv(BATCH**2 * moment + root * np.eye(9))
    if name == "conv.weight":
        places = float(net.conv.a_normalizer.asnumpy()[0])
        inputs, outputs = net.conv.matrix_a_cov.asnumpy(), net.conv.matrix_g_cov.asnumpy()
        right = np.linalg.inv(inputs + root / np.sqrt(places) * np.eye(4)) / np.sqrt(places)
        left = np.linalg.inv(BATCH**2 * outputs + root / np.sqrt(places) * np.eye(2)) / np.sqrt(places)
        return (left @ gradient.reshape(2, 4) @ right).reshape(gradient.shape)
    return gradient


def test_every_kind_of_layer():
    ms.set_seed(1)
    net = Words()
    optimizer = thor(net, momentum=0.0)
    forward = nn.WithLossCell(net, nn.MSELoss())
    words, label = Tensor(np.arange(BATCH * 4).reshape(BATCH, 4) % 5, ms.int32), Tensor(draw(BATCH, 16))
    names = [p.name for p in optimizer.parameters]
    assert names == ["scale", "table.embedding_table", "norm.gamma", "norm.beta", "conv.weight"]
    for rate, damping in zip(RATES, DAMPINGS):
        gradients = ms.grad(forward, None, optimizer.parameters)(words, label)
        before = [p.asnumpy().copy() for p in optimizer.parameters]
        optimizer(gradients)
        for parameter, old, gradient in zip(optimizer.parameters, before, gradients):
            update = expected_update(net, parameter.name, gradient.asnumpy().astype(np.float64), np.sqrt(damping))
            np.testing.assert_allclose(parameter.asnumpy(), old - rate * update, rtol=1e-4, atol=1e-5)


def test_old_inverses_serve_until_new_ones_are_wanted():
    net = nn.SequentialCell(nn.Dense(3, 2))
    optimizer = thor(net, frequency=2)
    train = training(net, optimizer)
    train(Tensor(draw(BATCH, 3)), Tensor(draw(BATCH, 2)))
    before = optimizer.matrix_a[0].asnumpy().copy(), net[0].matrix_a.asnumpy().copy(), net[0].weight.asnumpy().copy()
    optimizer.thor = net[0].thor = False
    train(Tensor(draw(BATCH, 3, seed=5)), Tensor(draw(BATCH, 2)))
    np.testing.assert_array_equal(optimizer.matrix_a[0].asnumpy(), before[0])
    np.testing.assert_array_equal(net[0].matrix_a.asnumpy(), before[1])
    assert np.abs(net[0].weight.asnumpy() - before[2]).max() > 1e-4
    assert optimizer.get_frequency() == 2


def test_in_a_graph():
    found = []
    for captured in (False, True):
        ms.set_seed(1)
        net = Words()
        train = training(net, thor(net))
        step = ms.jit(train, fullgraph=True) if captured else train
        words, label = Tensor(np.arange(BATCH * 4).reshape(BATCH, 4) % 5, ms.int32), Tensor(draw(BATCH, 16))
        losses = [step(words, label).asnumpy() for _ in range(4)]
        found.append([*losses, *[p.asnumpy() for p in train.weights]])
    for eager, graph in zip(*found, strict=True):
        np.testing.assert_allclose(graph, eager, rtol=1e-5, atol=1e-6)


def test_it_learns_faster_than_gradient_descent():
    """A badly scaled problem, which second moments put right."""
    data = draw(64, 8) * np.array([10, 5, 2, 1, 0.5, 0.3, 0.1, 0.05], np.float32)
    label = data @ draw(8, 1, seed=1)

    def loss_after(make):
        ms.set_seed(0)
        net = nn.SequentialCell(nn.Dense(8, 1, has_bias=False))
        train = training(net, make(net))
        return min(float(train(Tensor(data), Tensor(label))) for _ in range(30))

    rates, dampings = np.full(30, 1.0), np.full(30, 0.1)
    second = loss_after(lambda net: thor(net, rates, dampings, 0.0, batch_size=1))
    first = min(loss_after(lambda net, r=r: nn.SGD(net.trainable_params(), r)) for r in (1e-1, 3e-2, 1e-2, 3e-3, 1e-3))
    assert second < first


class TestConversion:
    def test_layers_keep_parameters_and_results(self):
        net = nn.SequentialCell(nn.Conv2d(1, 2, 3, has_bias=True), nn.Flatten(), nn.Dense(32, 3, activation="relu"))
        images = Tensor(draw(2, 1, 4, 4))
        before, parameters, names = net(images), net.trainable_params(), [p.name for p in net.trainable_params()]
        ConvertNetUtils().convert_to_thor_net(net)
        assert [type(cell).__name__ for cell in net] == ["Conv2dThor", "Flatten", "DenseThor"]
        assert all(new is old for new, old in zip(net.trainable_params(), parameters, strict=True))
        assert [p.name for p in net.trainable_params()] == names
        np.testing.assert_allclose(net(images).asnumpy(), before.asnumpy(), rtol=1e-6)
        assert net.cell_type == "second-order"
        net.check_names()

    @pytest.mark.parametrize(
        "layer",
        [
            nn.Conv2d(2, 2, 3, group=2), nn.Conv1d(2, 2, 3), nn.EmbeddingLookup(4, 2), nn.DenseThor(2, 2),
            type("Mine", (nn.Dense,), {})(2, 2),
        ],
    )  # fmt: skip
    def test_other_layers_stay(self, layer):
        net = nn.SequentialCell(layer)
        ConvertNetUtils().convert_to_thor_net(net)
        assert net[0] is layer

    def test_what_is_not_trained_stays(self):
        net = nn.SequentialCell(nn.Dense(2, 2), nn.Embedding(2, 2))
        for parameter in net.get_parameters():
            parameter.requires_grad = False
        ConvertNetUtils().convert_to_thor_net(net)
        assert [type(cell) for cell in net] == [nn.Dense, nn.Embedding]

    def test_a_table_for_a_device(self):
        net = nn.SequentialCell(nn.EmbeddingLookup(4, 2, target="DEVICE"))
        ConvertNetUtils().convert_to_thor_net(net)
        assert isinstance(net[0], nn.EmbeddingLookupThor)
        assert net[0].embedding_table.dtype == ms.float32


RATE = Tensor(0.1, ms.float32)


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        ((1, RATE, RATE, 0.9), {}, TypeError),
        ((None, 0.1, RATE, 0.9), {}, TypeError),
        ((None, RATE, 0.1, 0.9), {}, TypeError),
        ((None, RATE, RATE, 1), {}, TypeError),
        ((None, RATE, RATE, -0.1), {}, ValueError),
        ((None, RATE, RATE, 0.9, -0.1), {}, ValueError),
        ((None, RATE, RATE, 0.9), {"loss_scale": 0.0}, ValueError),
        ((None, RATE, RATE, 0.9), {"use_nesterov": 1}, TypeError),
        ((None, RATE, RATE, 0.9), {"enable_clip_grad": 1}, TypeError),
        ((None, RATE, RATE, 0.9), {"frequency": 1.0}, TypeError),
        ((None, RATE, RATE, 0.9), {"frequency": 1}, ValueError),
        ((None, RATE, RATE, 0.9), {"split_indices": [1]}, NotImplementedError),
        ((None, RATE, Tensor([[0.1]]), 0.9), {}, ValueError),
    ],
)
def test_errors(arguments, options, error):
    net, *others = arguments
    net = nn.SequentialCell(nn.Dense(2, 2)) if net is None else net
    with pytest.raises(error, match=r"^For '"):
        nn.thor(net, *others, **options)


def test_dampings_for_too_few_steps():
    net = nn.SequentialCell(nn.Dense(3, 2))
    train = training(net, thor(net, RATES, [0.1]))
    train(Tensor(draw(BATCH, 3)), Tensor(draw(BATCH, 2)))
    weight = net[0].weight.asnumpy().copy()
    with pytest.raises(RuntimeError, match="'damping' end after 1 steps"):
        train(Tensor(draw(BATCH, 3)), Tensor(draw(BATCH, 2)))
    np.testing.assert_array_equal(net[0].weight.asnumpy(), weight)


class TestModel:
    """Every `frequency`-th step takes the moments."""

    def convert(self, frequency=3):
        ms.set_seed(0)
        net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
        optimizer = thor(net, frequency=frequency)
        model = ms.train.Model(net, nn.MSELoss(), optimizer)
        return net, ms.ConvertModelUtils.convert_to_thor_model(model, net, nn.MSELoss(), optimizer)

    @pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
    def test_steps(self, mode):
        net, model = self.convert()
        step = model.train_network
        ms.set_context(mode=mode)
        try:
            changed = []
            for seed in range(8):
                before = net[0].matrix_a.asnumpy().copy()
                step(Tensor(draw(BATCH, 3, seed=seed)), Tensor(draw(BATCH, 2)))
                changed.append(not np.array_equal(net[0].matrix_a.asnumpy(), before))
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
        assert changed == [True, False, False, True, False, False, True, False]

    def test_training(self):
        net, model = self.convert()
        data = [(draw(BATCH, 3, seed=seed), draw(BATCH, 2, seed=9)) for seed in range(3)]
        before = net[0].weight.asnumpy().copy()
        model.train(2, ms.dataset.GeneratorDataset(data, ["data", "label"]), dataset_sink_mode=False)
        assert not np.allclose(net[0].weight.asnumpy(), before)

    def test_a_training_step(self):
        net = nn.SequentialCell(nn.Dense(3, 2))
        step = training(net, thor(net, frequency=2))
        model = ms.ConvertModelUtils.convert_to_thor_model(ms.train.Model(step), step)
        assert model.train_network.train_network is step

    def test_other_optimizers(self):
        net = nn.SequentialCell(nn.Dense(3, 2))
        model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        assert ms.ConvertModelUtils.convert_to_thor_model(model, net, nn.MSELoss()) is model
        with pytest.raises(TypeError, match="'network' must be a Cell"):
            ms.ConvertModelUtils.convert_to_thor_model(model, 1)
