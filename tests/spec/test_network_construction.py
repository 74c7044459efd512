"""The behaviours of documents 000 and 002: cells, parameters, initialisation, mixed precision, seeds."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import preloaded
import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.common.initializer import HeNormal, HeUniform, Uniform, initializer


class Wrapped(nn.Cell):
    """A layer and an activation."""

    def __init__(self, forward_net):
        super().__init__(auto_prefix=True)
        self.net = forward_net
        self.relu = ops.ReLU()

    def construct(self, x):
        return self.relu(self.net(x))


class Network(nn.Cell):
    """Two blocks, a pool and a classifier."""

    def __init__(self):
        super().__init__()
        self.layer1 = self.block(3, 12)
        self.layer2 = self.block(12, 4)
        self.pool = nn.AdaptiveMaxPool2d((5, 5))
        self.fc = nn.Dense(100, 10)

    @staticmethod
    def block(cin, cout):
        return nn.SequentialCell(
            [
                nn.Conv2d(cin, cout, kernel_size=3, pad_mode="pad", padding=1),
                nn.BatchNorm2d(cout),
                nn.ReLU(),
                nn.MaxPool2d(kernel_size=2, stride=2),
            ]
        )

    def construct(self, x):
        x = self.pool(self.layer2(self.layer1(x)))
        return self.fc(x.view((-1, 100)))


class TestNames:
    def test_a_child_prefixes_its_parameters(self):
        net = Wrapped(nn.Conv2d(120, 240, 4, has_bias=False))
        expected = "[Parameter (name=net.weight, shape=(240, 120, 4, 4), dtype=Float32, requires_grad=True)]"
        assert str(net.trainable_params()) == expected

    def test_without_auto_prefix(self):
        class Plain(nn.Cell):
            def __init__(self):
                super().__init__(auto_prefix=False)
                self.net = nn.Conv2d(1, 2, 3)

        assert [p.name for p in Plain().get_parameters()] == ["weight"]


class TestBesideTorch:
    """The same convolution in both: the default pad_mode is 'same', PyTorch's is 'pad'."""

    @pytest.fixture
    def nets(self):
        def build(**options):
            theirs = torch.nn.Sequential(torch.nn.Conv2d(120, 240, 4, bias=False), torch.nn.ReLU())
            torch.nn.init.constant_(theirs[0].weight, 0.1)
            ours = Wrapped(nn.Conv2d(120, 240, 4, has_bias=False, **options))
            for _, cell in ours.cells_and_names():
                if isinstance(cell, nn.Conv2d):
                    cell.weight.set_data(initializer(0.1, cell.weight.shape, cell.weight.dtype))
            x = np.random.default_rng(1).uniform(-1, 1, (2, 120, 12, 12)).astype(np.float32)
            return ours(Tensor(x)).asnumpy(), theirs(torch.from_numpy(x)).detach().numpy()

        return build

    def test_same_pads(self, nets):
        ours, theirs = nets()
        assert (ours.shape, theirs.shape) == ((2, 240, 12, 12), (2, 240, 9, 9))

    def test_pad_agrees(self, nets):
        ours, theirs = nets(pad_mode="pad")
        assert np.abs(ours - theirs).max() <= 5e-5  # sums of 1,920 products, each in its own order


class TestMixedPrecision:
    def test_float16_with_float32_normalisation_and_loss(self):
        net = Network()
        net.to_float(ms.float16)
        for _, cell in net.cells_and_names():
            if isinstance(cell, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)):
                cell.to_float(ms.float32)
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean").to_float(ms.float32)
        with_loss = nn.WithLossCell(net, loss_fn=loss)
        x, y = Tensor(np.ones((2, 3, 20, 20), np.float32)), Tensor([1, 2], ms.int32)
        seen = {}
        net.layer1[0].register_forward_hook(lambda c, i, o: seen.update(conv=o.dtype))
        net.layer1[1].register_forward_hook(lambda c, i, o: seen.update(norm=o.dtype))
        value, gradients = ms.value_and_grad(with_loss, None, net.trainable_params())(x, y)
        assert seen == {"conv": ms.float16, "norm": ms.float32}
        assert value.dtype == ms.float32
        assert {g.dtype for g in gradients} == {ms.float32}
        assert {p.dtype for p in net.get_parameters()} == {ms.float32}
        assert net(x).dtype == ms.float16


class TestParameters:
    def test_three_ways_to_get_them(self):
        net = nn.Dense(2, 1, has_bias=True)
        assert list(net.parameters_dict()) == ["weight", "bias"]
        assert [p.name for p in net.get_parameters()] == ["weight", "bias"]
        for param in net.trainable_params():
            if "bias" in param.name:
                param.requires_grad = False
        expected = "[Parameter (name=weight, shape=(1, 2), dtype=Float32, requires_grad=True)]"
        assert str(net.trainable_params()) == expected

    def test_requires_grad_leaves_the_gradient_of_earlier_ones(self):
        first, frozen = nn.Dense(2, 2), nn.Dense(2, 1)
        for param in frozen.get_parameters():
            param.requires_grad = False
        net = nn.SequentialCell(first, frozen)
        gradients = ms.grad(net, None, net.trainable_params())(Tensor([[1.0, 2.0]]))
        assert len(gradients) == 2
        assert any(np.abs(g.asnumpy()).max() > 0 for g in gradients)

    def test_stop_gradient_cuts(self):
        first, second = nn.Dense(2, 2), nn.Dense(2, 1)
        params = [*first.trainable_params(), *second.trainable_params()]
        gradients = ms.grad(lambda x: second(ops.stop_gradient(first(x))), None, params)(Tensor([[1.0, 2.0]]))
        assert [bool(np.abs(g.asnumpy()).max() > 0) for g in gradients] == [False, False, True, True]


class TestInitialisation:
    @pytest.mark.parametrize(
        ("layer", "fan_in"), [(lambda: nn.Conv2d(16, 32, 5, has_bias=True), 16 * 25), (lambda: nn.Dense(400, 300), 400)]
    )
    def test_weights_and_biases_are_uniform(self, layer, fan_in):
        np.random.seed(0)
        cell, bound = layer(), 1 / math.sqrt(fan_in)
        for parameter in (cell.weight, cell.bias):
            values = parameter.asnumpy()
            assert np.abs(values).max() <= bound
            assert np.abs(values).max() > 0.8 * bound
            assert abs(values.std() - bound / math.sqrt(3)) < 0.25 * bound

    def test_grouped_convolution(self):
        cell = nn.Conv2d(8, 8, 3, group=4, has_bias=True)
        bound = math.sqrt(4 / (8 * 9))
        assert bound * 0.6 < np.abs(cell.weight.asnumpy()).max() <= bound

    def test_a_delayed_tensor_is_zero_until_it_is_initialised(self):
        x = initializer(Uniform(), [1, 2, 3], ms.float32)
        assert (x + 1).asnumpy().tolist() == [[[1, 1, 1], [1, 1, 1]]]
        x.init_data()
        assert np.abs(x.asnumpy()).max() > 0
        with pytest.raises(TypeError, match="once"):
            x.init_data()

    def test_printing_initialises(self):
        x = initializer(Uniform(), [1, 2, 3], ms.float32)
        assert "0.0" in str(x)
        assert np.abs(x.asnumpy()).max() > 0
        assert str(x) == str(x)

    def test_initialising_by_cell(self):
        net = Network()
        for _, cell in net.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                init = HeNormal(negative_slope=0, mode="fan_out", nonlinearity="relu")
                cell.weight.set_data(initializer(init, cell.weight.shape, cell.weight.dtype))
            elif isinstance(cell, (nn.BatchNorm2d, nn.GroupNorm)):
                cell.gamma.set_data(initializer("ones", cell.gamma.shape, cell.gamma.dtype))
                cell.beta.set_data(initializer("zeros", cell.beta.shape, cell.beta.dtype))
            elif isinstance(cell, nn.Dense):
                init = HeUniform(negative_slope=math.sqrt(5))
                cell.weight.set_data(initializer(init, cell.weight.shape, cell.weight.dtype))
                cell.bias.set_data(initializer("zeros", cell.bias.shape, cell.bias.dtype))
        assert np.abs(net.fc.weight.asnumpy()).max() <= 0.1
        assert net.fc.bias.asnumpy().tolist() == [0.0] * 10
        assert net(Tensor(np.ones((2, 3, 20, 20), np.float32))).shape == (2, 10)


def test_child_cells_and_their_types():
    class MyCell(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(1, 32, 3, 1)
            self.insert_child_to_cell("conv3", nn.Conv2d(64, 128, 3, 1))
            self.sequential_block = nn.SequentialCell(nn.ReLU(), nn.Conv2d(128, 256, 3, 1))

        def construct(self, x):
            return self.sequential_block(self.conv3(self.conv1(x)))

    names = {name: str(type(cell)) for name, cell in MyCell().cells_and_names()}
    assert list(names) == ["", "conv1", "conv3", "sequential_block", "sequential_block.0", "sequential_block.1"]
    assert names["conv3"] == "<class 'torchspore.nn.layer.conv.Conv2d'>"
    assert names["sequential_block"] == "<class 'torchspore.nn.layer.container.SequentialCell'>"
    assert names["sequential_block.0"] == "<class 'torchspore.nn.layer.activation.ReLU'>"


def test_training_mode():
    net = nn.SequentialCell(nn.Dropout(p=0.5), nn.BatchNorm1d(4))
    x = Tensor(np.arange(32, dtype=np.float32).reshape(8, 4))
    assert net.training is False
    np.testing.assert_allclose(net(x).asnumpy(), x.asnumpy(), rtol=1e-4)
    before = net[1].moving_mean.asnumpy().copy()
    net.set_train()
    assert net[0].training
    assert net[1].training
    net(x)
    assert not np.array_equal(before, net[1].moving_mean.asnumpy())
    assert (net[0](x).asnumpy() == 0).any()


class Sampler(nn.Cell):
    """Takes samples with NumPy; its backward scatters the gradients on request."""

    def __init__(self, count):
        super().__init__()
        self.count = count
        self.runs = 0

    def construct(self, x):
        self.runs += 1
        taken, places = [], []
        for i in range(x.shape[0]):
            row = x[i].asnumpy()
            index = np.random.choice(np.where(row > 0.5)[0], self.count)
            taken.append(Tensor(row[index], ms.float32))
            places.append(Tensor(index, ms.int32))
        return ops.stack(taken, axis=0), ops.stack(places, axis=0)


class SamplerWithGradient(Sampler):
    def bprop(self, x, out, dout):
        rows = [ops.UnsortedSegmentSum()(dout[0][i], out[1][i], x.shape[1]) for i in range(x.shape[0])]
        return ops.stack(rows, axis=0)


class TestCustomBackward:
    @pytest.fixture
    def x(self):
        ms.set_seed(1)
        return Tensor(np.random.uniform(0, 3, (2, 5)), ms.float32)

    def test_numpy_cuts_the_gradient_and_the_forward_runs_twice(self, x):
        sampler = Sampler(3)
        sampler(x)
        assert ms.grad(sampler, grad_position=0)(x).asnumpy().tolist() == [[0.0] * 5] * 2
        assert sampler.runs == 2

    def test_set_grad_runs_the_forward_once(self, x):
        sampler = Sampler(3).set_grad()
        sampler(x)
        ms.grad(sampler, grad_position=0)(x)
        assert sampler.runs == 1

    def test_bprop_scatters(self, x):
        sampler = SamplerWithGradient(3).set_grad()
        _, places = sampler(x)
        expected = [np.bincount(row, minlength=5).tolist() for row in places.asnumpy()]
        assert ms.grad(sampler, grad_position=0)(x).asnumpy().tolist() == expected
        assert sampler.runs == 1

    def test_batch_normalisation_moves_once_per_training_step(self):
        bn = nn.BatchNorm1d(2).set_train().set_grad()
        x = Tensor([[1.0, 2.0], [3.0, 6.0]])
        bn(x)
        ms.grad(bn)(x)
        np.testing.assert_allclose(bn.moving_mean.asnumpy(), [0.2, 0.4], rtol=1e-5)


class TestSeeds:
    PROGRAM = (
        "import torchspore as ms; from torchspore import Tensor, ops\n"
        "a, b = Tensor(1.0, ms.float32), Tensor(2.0, ms.float32)\n"
        "print([ops.uniform((1, 4), a, b, seed=1).asnumpy().tolist() for _ in range(2)])\n"
    )

    @pytest.mark.slow
    def test_same_seed_twice_gives_two_results_and_the_next_run_the_same_two(self):
        output = preloaded.output_of(self.PROGRAM)
        first, second = eval(output)
        assert output == preloaded.run_from_the_start(self.PROGRAM).stdout
        assert first != second
        assert all(1 <= value < 2 for value in first[0] + second[0])

    def test_generator_state(self):
        first, second = ms.Generator(), ms.Generator()
        first.manual_seed(1)
        second.set_state(first.get_state())
        assert first.get_state().dtype == ms.uint8
        assert first.get_state().asnumpy().tolist() == second.get_state().asnumpy().tolist()


def test_parameter_updates_inside_a_network_use_assign():
    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = Parameter(Tensor([0.0]), requires_grad=False)

        def construct(self, x):
            ops.assign(self.count, self.count + 1)
            return x * self.count

    counter = Counter()
    assert ms.grad(counter)(Tensor([5.0])).asnumpy().tolist() == [1]
    assert counter.count.asnumpy().tolist() == [1]


def test_named_data_types_and_devices():
    assert ms.get_context("device_target") in ("CPU", "GPU", "Ascend")
    ms.set_device(ms.get_context("device_target"))
    assert str(ms.float16) == "Float16"
