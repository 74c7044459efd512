"""What changes around captured functions between their calls: the next call sees it, as a plain function does."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from ways import arrays, assert_same

X = Tensor([1.0, 2.0])

scale = 2.0


class Net(nn.Cell):
    """The base of the networks in this file: one weight, and attributes of the subclasses."""

    def __init__(self, **kept):
        super().__init__()
        self.weight = Parameter(Tensor([2.0, 0.5]), name="weight")
        for name, value in kept.items():
            setattr(self, name, value)


class TestChangesBetweenCalls:
    def check(self, net, *changes, captures):
        """Check a network after each of some changes, and how often it was captured in all."""
        captured = ms.jit(lambda x: net(x), fullgraph=True)
        for change in (lambda: None, *changes):
            change()
            for _ in range(2):
                assert_same(arrays(captured(X)), arrays(net(X)))
        assert captured.captures == captures

    def test_values_are_read_anew(self):
        net = nn.Dense(2, 2)
        self.check(
            net,
            lambda: net.weight.set_data(Tensor([[1.0, 2.0], [3.0, 4.0]])),
            lambda: ops.assign_add(net.bias, Tensor([1.0, -1.0])),
            lambda: ops.assign(net.bias, Tensor([5.0, 6.0])),
            lambda: net.weight.asnumpy().fill(3),
            lambda: net.bias.torch.zero_(),
            captures=1,
        )

    def test_other_parameters_and_modes_are_captured_anew(self):
        net = nn.SequentialCell(nn.Dense(2, 2), nn.BatchNorm1d(2))

        def replace():
            net[0].weight = Parameter(Tensor([[1.0, 0.0], [0.0, 1.0]]))

        net.construct = lambda x: nn.SequentialCell.construct(net, ops.stack([x, x + 1]))
        self.check(net, replace, lambda: net[0].bias.set_data(Tensor([1.0, 1.0])), captures=2)

    def test_training_mode(self):
        net = nn.SequentialCell(nn.BatchNorm1d(2))
        plain = nn.SequentialCell(nn.BatchNorm1d(2))
        captured = ms.jit(net, fullgraph=True)
        batch = Tensor([[1.0, 2.0], [3.0, 5.0]])
        for training in (False, True, False, True):
            net.set_train(training)
            plain.set_train(training)
            assert_same(arrays(captured(batch)), arrays(plain(batch)))
        assert_same(arrays(list(net.get_parameters())), arrays(list(plain.get_parameters())))
        assert captured.captures == 2

    def test_attributes_and_their_kinds(self):
        class Scaled(Net):
            def construct(self, x):
                return x * self.weight if self.factor is None else x * self.factor

        net = Scaled(factor=2)
        change = lambda value: lambda: setattr(net, "factor", value)  # noqa: E731
        self.check(net, *map(change, (3, 2.5, None, Tensor([4.0, 5.0]), Tensor([6.0, 7.0]), 2)), captures=5)

    def test_frozen_parameters(self):
        net = Net()
        net.construct = lambda x: x * net.weight
        plain = ms.value_and_grad(net, 0, net.trainable_params())
        captured = ms.jit(plain, fullgraph=True)
        for flag in (True, False, True):
            net.weight.requires_grad = flag
            assert_same(arrays(captured(X)), arrays(plain(X)))
            (of_weight,) = captured(X)[1][1]
            assert of_weight.asnumpy().any() == flag

    def test_layers_are_added_and_replaced(self):
        net = nn.SequentialCell(nn.Dense(2, 2), nn.ReLU())

        def replace():
            net[1] = nn.Tanh()

        self.check(net, lambda: net.append(nn.Dense(2, 3)), replace, captures=3)

    def test_cells_in_a_plain_list_and_dict(self):
        class Stack(nn.Cell):
            def __init__(self):
                super().__init__()
                self.layers = [nn.Dense(2, 2), nn.Dense(2, 2)]
                self.by_name = {"last": nn.Dense(2, 1)}

            def construct(self, x):
                for layer in self.layers:
                    x = ops.relu(layer(x))
                return self.by_name["last"](x)

        net = Stack()

        def swap():
            net.layers[0] = nn.Dense(2, 2)

        def rename():
            net.by_name["last"] = nn.Dense(2, 3)

        self.check(
            net,
            lambda: net.layers[1].weight.set_data(ops.ones((2, 2))),
            lambda: ops.assign_add(net.by_name["last"].bias, Tensor([1.0])),
            swap,
            lambda: net.layers.append(nn.Dense(2, 2)),
            rename,
            captures=4,
        )

    def test_training_of_cells_in_a_plain_list(self):
        def train(capture):
            ms.set_seed(4)
            layers = [nn.Dense(2, 2), nn.BatchNorm1d(2).set_train(), nn.Dense(2, 1)]
            for number, layer in enumerate(layers):
                layer.update_parameters_name(f"{number}.")
            weights = [w for layer in layers for w in layer.trainable_params()]
            optimizer = nn.Momentum(weights, 0.1, 0.9)

            def forward(x):
                for layer in layers:
                    x = layer(x)
                return (x * x).mean()

            gradients = ms.value_and_grad(forward, None, weights)

            def step(x):
                loss, grads = gradients(x)
                optimizer(grads)
                return loss

            run = capture(step)
            batch = Tensor([[1.0, 2.0], [3.0, 5.0], [-1.0, 0.5]])
            losses = [run(batch) for _ in range(4)]
            return arrays((losses, weights, layers[1].moving_mean))

        found = train(lambda step: ms.jit(step, fullgraph=True))
        for ours, theirs in zip(found, train(lambda step: step)):
            for value, wanted in zip(ours, theirs):
                np.testing.assert_allclose(value, wanted, rtol=1e-4, atol=1e-6)


class Holder:
    factor = 1.0

    def __init__(self):
        self.factor = 2.0
        self.nested = {"list": [1.0, 2.0]}
        self.activation = ops.relu

    def apply(self, x):
        return self.activation(x - 1.5) * self.factor + self.nested["list"][1]


def test_objects_closures_and_globals_may_change_between_calls(monkeypatch):
    holder, shift, flags = Holder(), 1.0, [True, False]

    def helper(value):
        return value * scale

    def function(x):
        y = helper(holder.apply(x)) + shift
        return y if flags[0] else -y

    def change_shift():
        nonlocal shift
        shift = 5.0

    changes = [
        lambda: setattr(holder, "factor", 3.0),
        lambda: setattr(holder, "activation", ops.tanh),
        lambda: holder.nested["list"].__setitem__(1, 9.0),
        lambda: holder.nested.update(list=[0.0, 4.0]),
        lambda: monkeypatch.setattr(sys.modules[__name__], "scale", 10.0),
        change_shift,
        flags.reverse,
        lambda: setattr(holder, "factor", 2),
        lambda: setattr(holder, "factor", 2.0),
    ]
    captured = ms.jit(function, fullgraph=True)
    seen = [captured(X)]
    for number, change in enumerate(changes):
        change()
        assert_same(arrays(captured(X)), arrays(function(X)))
        assert captured.captures == number + 2
        seen.append(captured(X))
    assert len({tuple(values.tolist()) for values in arrays(seen)}) >= len(changes)
    captured(X * 2)
    assert captured.captures == len(changes) + 1


def test_an_old_state_that_comes_back_has_its_graph():
    net = Net(factor=1)
    net.construct = lambda x: x * net.factor
    captured = ms.jit(net, fullgraph=True)
    for factor in (1, 2, 1, 2, 3, 1):
        net.factor = factor
        assert_same(arrays(captured(X)), arrays(X * factor))
    assert captured.captures == 3


class CountsItsCalls(Net):
    def construct(self, x):
        self.factor += 1
        return x * self.factor


class IsGivenAFactor(Net):
    def construct(self, x):
        return x * self.factor


@pytest.mark.parametrize(
    ("network", "reason"),
    [
        (CountsItsCalls, "it depends on the attribute 'factor' of CountsItsCalls, which it changes at each call"),
        (IsGivenAFactor, "what it depends on has changed 16 times"),
    ],
)
def test_a_program_that_changes_at_every_call_runs_eagerly_in_the_end(network, reason):
    net = network(factor=0)
    captured = ms.jit(net)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for factor in range(1, 40):
            if network is IsGivenAFactor:
                net.factor = factor
            assert_same(arrays(captured(X)), arrays(X * factor))
            assert net.factor == factor
    (warning,) = caught
    assert reason in str(warning.message)


def scaled_by(factor):
    """Return a hook of the gradient, or of the inputs, of a cell."""
    return lambda cell, values, *_: (values[0] * factor,)


SGD, Adam = ms.experimental.optim.SGD, ms.experimental.optim.Adam
# name -> optimizer, and a change of the network or the optimizer that the next step has to see
STEPS = {
    "frozen": (lambda w: nn.SGD(w, 0.1), lambda net, _: setattr(net[0].weight, "requires_grad", False)),
    "a number as the rate": (lambda w: SGD(w, 0.1), lambda _, opt: opt.param_groups[0].update(lr=0.5)),
    "the rate": (lambda w: SGD(w, 0.1), lambda _, opt: ops.assign(opt.param_groups[0]["lr"], 0.5)),
    "the rate of one group": (
        lambda w: SGD([{"params": w[:1]}, {"params": w[1:]}], 0.1),
        lambda _, opt: opt.param_groups[1].update(lr=0.5),
    ),
    "momentum": (lambda w: SGD(w, 0.1), lambda _, opt: opt.param_groups[0].update(momentum=0.5)),
    "betas": (lambda w: Adam(w, 0.1), lambda _, opt: opt.param_groups[0].update(betas=(0.1, 0.2))),
    "decay": (lambda w: Adam(w, 0.1), lambda _, opt: opt.param_groups[0].update(weight_decay=0.3)),
    "forward hook": (lambda w: nn.SGD(w, 0.1), lambda net, _: net[0].register_forward_hook(lambda c, i, o: o * 2)),
    "pre-hook": (lambda w: nn.SGD(w, 0.1), lambda net, _: net[0].register_forward_pre_hook(scaled_by(2))),
    "backward hook": (lambda w: nn.SGD(w, 0.1), lambda net, _: net[1].register_backward_hook(scaled_by(3))),
    "backward pre-hook": (lambda w: nn.SGD(w, 0.1), lambda net, _: net[1].register_backward_pre_hook(scaled_by(3))),
    "parameter's hook": (lambda w: nn.SGD(w, 0.1), lambda net, _: net[0].weight.register_hook(lambda g: g * 5)),
    "hook of another step": (lambda w: SGD(w, 0.1), lambda net, _: net[0].weight.register_hook(lambda g: g * 5)),
    "parameter's forward hook": (
        lambda w: nn.SGD(w, 0.1),
        lambda net, _: net[0].register_parameter_forward_hook(lambda p: p * 2),
    ),
}


def step_by_gradients(net, optimizer):
    gradients_of = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())

    def step(x):
        loss, gradients = gradients_of(x)
        optimizer(gradients)
        return loss

    return step


def step_of_a_cell(net, optimizer):
    return nn.TrainOneStepCell(nn.SequentialCell(net, nn.Tanh()), optimizer)


@pytest.mark.parametrize("make_step", [step_by_gradients, step_of_a_cell])
@pytest.mark.parametrize("name", STEPS)
def test_whole_steps_see_changes(name, make_step, strict):
    make_optimizer, change = STEPS[name]
    seen = []
    for capture in (lambda step: step, lambda step: ms.jit(step, fullgraph=strict)):
        ms.set_seed(3)
        net = nn.SequentialCell(nn.Dense(2, 2, "ones"), nn.Dense(2, 1, "ones"))
        optimizer = make_optimizer(net.trainable_params())
        step = capture(make_step(net, optimizer))
        rows = []
        for number in range(4):
            if number == 2:
                handle = change(net, optimizer)
            rows.append([*arrays(step(Tensor([[1.0, -0.5]]))).ravel(), *map(float, arrays(net[0].weight).ravel())])
        if hasattr(handle, "remove"):
            handle.remove()
            step(Tensor([[1.0, -0.5]]))
            rows.append(arrays(net[0].weight).ravel().tolist())
        seen.append(rows)
    assert step.captures == 2 - (name == "the rate")  # the removed hook leads back to the first graph
    for plain, captured in zip(*seen):
        np.testing.assert_allclose(captured, plain, rtol=1e-5)


@pytest.mark.parametrize("kind", [Tensor, Parameter])
def test_hooks_and_flags_of_inputs(kind, strict):
    given, kept = kind(Tensor([1.0, 2.0])), Parameter(Tensor([3.0, 4.0]), name="kept")
    plain = lambda x: ms.grad(lambda x: (x * kept * (1 + kept.requires_grad)).sum())(x)  # noqa: E731
    captured = ms.jit(plain, fullgraph=strict)
    assert_same(arrays(captured(given)), arrays(plain(given)))
    for change in (
        lambda: given.register_hook(lambda g: g * 2),
        lambda: given.register_hook(lambda g: g + 1),
        lambda: setattr(kept, "requires_grad", False),
        lambda: kept.set_data(Tensor([[1.0], [2.0]])),
    ):
        change()
        assert_same(arrays(captured(given)), arrays(plain(given)))
    assert captured.captures == 5
