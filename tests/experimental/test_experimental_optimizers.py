"""`experimental.optim`: ten steps as MindSpore 2.10 makes them, what optimizers consist of, graphs, and errors."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import numpy as np
import pytest
import torch

import torchspore as ms
from data import record_experimental_optimizers as record
from data import record_optimizers as base
from torchspore import Parameter, Tensor, nn, ops
from torchspore.experimental import optim
from torchspore.ops.updates import tensor_lists

RECORD = json.loads((Path(__file__).parent.parent / "data" / "experimental_optimizers.json").read_text("utf-8"))

# Adam's `amsgrad` is ignored by MindSpore 2.10 on the CPU, which fails for an "lr" of another type.
MAKERS = {
    "sgd": lambda params: optim.SGD(params, 0.1, 0.9, 0.5, 0.1),
    "adam": lambda params: optim.Adam(params, 0.1, amsgrad=True),
    "adamw": lambda params: optim.AdamW(params, 0.1, amsgrad=True, maximize=True),
    "adadelta": lambda params: optim.Adadelta(params, 0.5, eps=0.1),
    "adagrad": lambda params: optim.Adagrad(params, 0.1, 0.5, 0.1, 0.2, 0.1),
    "asgd": lambda params: optim.ASGD(params, 0.1, 0.1, t0=1.0),
    "adamax": lambda params: optim.Adamax(params, 0.1, weight_decay=0.1),
    "rmsprop": lambda params: optim.RMSprop(params, 0.01, eps=0.1, momentum=0.5, centered=True),
    "rprop": lambda params: optim.Rprop(params, 0.1),
    "radam": lambda params: optim.RAdam(params, 0.1, (0.9, 0.7)),
    "nadam": lambda params: optim.NAdam(params, 0.1),
}
each_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def make_parameters():
    return [Parameter(Tensor(base.start(shape)), name=name) for name, shape in base.PARAMETERS.items()]


def gradients_of(optimizer, step=0):
    values = [parameter.asnumpy() for parameter in optimizer.parameters]
    return tuple(Tensor(gradient) for gradient in base.gradients(values, step))


def state_of(optimizer):
    return {parameter.name: parameter.asnumpy().copy() for parameter in optimizer.get_parameters()}


def assert_same(found, expected, tolerance=0.0):
    assert found.keys() >= expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize(("devices", "piece"), [(("cpu",), 1 << 16), ((), 2)], ids=["fused", "unfused, in pieces"])
@pytest.mark.parametrize("expression", RECORD["trajectories"])
def test_trajectory(expression, devices, piece, monkeypatch):
    monkeypatch.setattr(tensor_lists, "_FUSED_DEVICES", devices)
    monkeypatch.setattr(tensor_lists, "_PIECE", piece)
    found, expected = record.trajectory(ms, expression), RECORD["trajectories"][expression]
    for ours, theirs in zip(found["steps"], expected["steps"], strict=True):
        assert_same(ours, theirs, 1e-5)
    assert_same(found["state"], expected["state"], 1e-5)


@pytest.mark.parametrize("expression", RECORD["constructions"])
def test_construction(expression):
    expected = RECORD["constructions"][expression]
    found = json.loads(json.dumps(record.construction(ms, expression)))
    if "states" in expected:  # TorchSpore keeps the numbers of groups, too
        assert set(found.pop("states")) >= set(expected["states"])
        expected = {name: value for name, value in expected.items() if name != "states"}
    assert found == expected


@pytest.mark.parametrize("expression", [e for e, facts in RECORD["constructions"].items() if "error" in facts])
def test_error_message(expression):
    with pytest.raises((TypeError, ValueError, KeyError)) as caught:
        eval(expression, record.names(ms))
    assert str(caught.value).strip("\"'").startswith("For '")


@each_maker
def test_steps_in_a_graph(make):
    eager, other = make(make_parameters()), make(make_parameters())
    step = ms.jit(lambda *gradients: other(gradients), fullgraph=True)
    for count in range(6):
        given = gradients_of(eager, count)
        eager(given)
        step(*given)
        if count == 3:
            for optimizer in (eager, other):
                ops.assign(optimizer.param_groups[0]["lr"], 0.05)
    assert_same(state_of(other), state_of(eager), 2e-5)


@each_maker
def test_gradients_are_left_alone(make):
    optimizer = make(make_parameters())
    given = gradients_of(optimizer)
    before = [gradient.asnumpy().copy() for gradient in given]
    for _ in range(2):
        assert optimizer(given) is True
    for gradient, value in zip(given, before):
        np.testing.assert_array_equal(gradient.asnumpy(), value)


@each_maker
def test_states_can_be_loaded(make):
    optimizer, other = make(make_parameters()), make(make_parameters())
    for step in range(3):
        optimizer(gradients_of(optimizer, step))
    for name, parameter in optimizer.parameters_dict().items():
        other.parameters_dict()[name].set_data(parameter)
    twin = copy.deepcopy(optimizer)
    given = gradients_of(optimizer, 3)
    for each in (optimizer, other, twin):
        each(given)
    assert_same(state_of(other), state_of(optimizer), 1e-7)
    assert_same(state_of(twin), state_of(optimizer), 1e-7)


@each_maker
def test_a_group_added_later(make):
    whole, grown = make(make_parameters()), make(make_parameters()[:2])
    grown.add_param_group({"params": make_parameters()[2:]})
    assert grown.group_start_id == [0, 2, 3]
    for step in range(3):
        given = gradients_of(whole, step)
        whole(given)
        grown(given)
    assert_same({p.name: p.asnumpy() for p in grown.parameters}, {p.name: p.asnumpy() for p in whole.parameters}, 1e-6)


def test_order_of_the_options_of_a_group():
    """As in MindSpore: what is given, then the rest in the order of the constructor."""
    parameters = make_parameters()
    optimizer = optim.Adam([{"params": parameters[:1], "weight_decay": 0.1}, {"params": parameters[1:]}], lr=0.2)
    assert list(optimizer.param_groups[0]) == ["params", "weight_decay", "lr", "betas", "eps", "amsgrad", "maximize"]
    assert list(optimizer.param_groups[1]) == ["params", "lr", "betas", "eps", "weight_decay", "amsgrad", "maximize"]


def test_amsgrad_is_that_of_nn():
    ours, theirs = make_parameters(), make_parameters()
    first = optim.Adam(ours, 0.1, (0.5, 0.6), amsgrad=True)
    second = nn.Adam(theirs, 0.1, 0.5, 0.6, use_amsgrad=True)
    for step in range(6):
        given = gradients_of(first, step)
        first(given)
        second(given)
    for found, expected in zip(ours, theirs):
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_an_optimizer_of_ones_own():
    class Descent(optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        def construct(self, gradients):
            for number, group in enumerate(self.param_groups):
                start = self.group_start_id[number]
                for i, parameter in enumerate(group["params"]):
                    ops.assign(parameter, parameter - gradients[start + i] * group["lr"])

    first, second = Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([1.0]), name="b")
    optimizer = Descent([first], 0.5)
    optimizer.add_param_group({"params": second, "lr": 0.25})
    optimizer((Tensor([1.0]), Tensor([1.0])))
    assert (first.asnumpy(), second.asnumpy()) == (0.5, 0.75)


# L-BFGS


def _rosenbrock(x):
    return ((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2).sum()


@pytest.mark.parametrize(
    "options", [{"lr": 0.1}, {"line_search_fn": "strong_wolfe"}, {"lr": 0.5, "max_iter": 3, "history_size": 2}]
)
@pytest.mark.parametrize("jit", [False, True], ids=["eager", "graph"])
def test_lbfgs_equals_torch(options, jit):
    values = [-1.5, 2.0, 0.5]
    weight, twin = Parameter(Tensor(values), name="w"), torch.nn.Parameter(torch.tensor(values))
    ours, theirs = ms.mint.optim.LBFGS([weight], **options), torch.optim.LBFGS([twin], **options)
    closure = ms.value_and_grad(lambda: _rosenbrock(weight), None, ours.parameters)

    def their_closure():
        theirs.zero_grad()
        loss = _rosenbrock(twin)
        loss.backward()
        return loss

    for _ in range(4):
        loss = ours(ms.jit(closure) if jit else closure)
        expected = theirs.step(their_closure)
        np.testing.assert_allclose(loss.asnumpy(), expected.item(), rtol=1e-3)
        np.testing.assert_allclose(weight.asnumpy(), twin.detach().numpy(), rtol=1e-3, atol=1e-4)
    assert weight._t.grad is None


def test_lbfgs_trains_a_network():
    ms.set_seed(1)
    net, data = nn.Dense(3, 1), ops.randn(32, 3)
    target = data.sum(-1, keepdims=True)
    optimizer = optim.LBFGS(net.trainable_params(), line_search_fn="strong_wolfe")
    outputs = ms.value_and_grad(lambda: (((net(data) - target) ** 2).mean(), data), None, optimizer.parameters, True)
    first = optimizer(outputs)
    assert optimizer(outputs).item() < first.item() / 1e6


def test_lbfgs_goes_on_with_new_memory():
    weight = Parameter(Tensor([3.0, -1.0]), name="w")
    optimizer = optim.LBFGS([weight], lr=0.1, max_iter=2)
    closure = ms.value_and_grad(lambda: (weight**2).sum(), None, optimizer.parameters)
    optimizer(closure)
    known = optimizer._solver.state[weight._t]["n_iter"]
    weight._t = weight._storage = weight._t.clone()
    optimizer(closure)
    assert optimizer._solver.state[weight._t]["n_iter"] > known


LBFGS_ERRORS = {
    "groups": (lambda w: optim.LBFGS([{"params": [w]}, {"params": [Parameter(Tensor([1.0]))]}]), ValueError),
    "search": (lambda w: optim.LBFGS([w], line_search_fn="newton"), ValueError),
    "iterations": (lambda w: optim.LBFGS([w], max_iter=0), ValueError),
    "gradients": (lambda w: optim.LBFGS([w])((Tensor([1.0]),)), TypeError),
    "shape": (lambda w: optim.LBFGS([w])(lambda: (Tensor(1.0), (Tensor([1.0, 2.0]),))), ValueError),
}


def test_lbfgs_is_no_part_of_a_graph():
    weight = Parameter(Tensor([3.0, -1.0]), name="w")
    optimizer = optim.LBFGS([weight])
    step = ms.jit(lambda x: optimizer(lambda: ((weight**2).sum() * x, (2 * weight * x,))), fullgraph=True)
    with pytest.raises((NotImplementedError, RuntimeError), match="For 'LBFGS', a step reads values"):
        step(Tensor(1.0))


@pytest.mark.parametrize(("make", "error"), LBFGS_ERRORS.values(), ids=LBFGS_ERRORS)
def test_lbfgs_errors(make, error):
    with pytest.raises(error, match="For 'LBFGS', "):
        make(Parameter(Tensor([1.0]), name="w"))
