"""`mint.optim` against torch.optim: options, groups, learning rates that change, graphs, and refusals."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.mint import optim

OPTIONS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True}),
    ("Adam", {}),
    ("Adam", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-3, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.1, "amsgrad": True, "maximize": True}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.1, "amsgrad": True}),
]


def _parameters():
    values = [torch.linspace(-1, 1, 6).reshape(2, 3), torch.linspace(0.5, 2, 4)]
    ours = [Parameter(Tensor(value.clone()), name=f"p{i}") for i, value in enumerate(values)]
    return ours, [torch.nn.Parameter(value.clone()) for value in values]


def _gradients(step):
    return [torch.linspace(-1, 2, 6).reshape(2, 3) * (step + 1), torch.linspace(1, -1, 4) + step]


def _run(ours, theirs, parameters, twins, steps=4, call=None):
    for step in range(steps):
        gradients = _gradients(step)
        (call or ours)(tuple(Tensor(gradient.clone()) for gradient in gradients))
        for twin, gradient in zip(twins, gradients):
            twin.grad = gradient.clone()
        theirs.step()
        for parameter, twin in zip(parameters, twins):
            torch.testing.assert_close(parameter.torch, twin.detach(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_steps_equal_those_of_torch(name, options):
    parameters, twins = _parameters()
    _run(getattr(optim, name)(parameters, **options), getattr(torch.optim, name)(twins, **options), parameters, twins)


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_steps_in_a_graph(name, options):
    parameters, twins = _parameters()
    ours, theirs = getattr(optim, name)(parameters, **options), getattr(torch.optim, name)(twins, **options)
    step = ms.jit(lambda *gradients: ours(gradients), fullgraph=True)
    _run(ours, theirs, parameters, twins, call=lambda gradients: step(*gradients))


@pytest.mark.parametrize(("name", "option", "value"), [("SGD", "momentum", 0.5), ("Adam", "betas", (0.5, 0.6))])
def test_groups_have_options_of_their_own(name, option, value):
    parameters, twins = _parameters()

    def groups(p):
        return [{"params": [p[0]], "lr": 0.3}, {"params": [p[1]], option: value}]

    ours, theirs = getattr(optim, name)(groups(parameters), lr=0.1), getattr(torch.optim, name)(groups(twins), lr=0.1)
    assert [group["lr"].item() for group in ours.param_groups] == pytest.approx([0.3, 0.1])
    _run(ours, theirs, parameters, twins)


def test_a_group_added_later():
    parameters, twins = _parameters()
    ours, theirs = optim.Adam(parameters[:1], lr=0.1), torch.optim.Adam(twins[:1], lr=0.1)
    ours.add_param_group({"params": parameters[1:], "lr": 0.2})
    theirs.add_param_group({"params": twins[1:], "lr": 0.2})
    assert len(ours.parameters) == 2
    _run(ours, theirs, parameters, twins)


@pytest.mark.parametrize("mode", ["eager", "graph"])
def test_the_learning_rate_can_be_assigned(mode):
    parameters, twins = _parameters()
    ours, theirs = optim.AdamW(parameters, lr=0.1), torch.optim.AdamW(twins, lr=0.1)
    step = ms.jit(lambda *gradients: ours(gradients)) if mode == "graph" else lambda *gradients: ours(gradients)
    for rate in (0.1, 0.05, 0.2):
        ops.assign(ours.param_groups[0]["lr"], rate)
        theirs.param_groups[0]["lr"] = rate
        _run(ours, theirs, parameters, twins, steps=2, call=lambda gradients: step(*gradients))


def test_training_lowers_the_loss():
    ms.set_seed(1)
    net, data = nn.Dense(3, 1), ops.randn(32, 3)
    target = data.sum(-1, keepdims=True)
    optimizer = optim.Adam(net.trainable_params(), lr=0.1)
    step = ms.value_and_grad(lambda: nn.MSELoss()(net(data), target), None, optimizer.parameters)
    losses = []
    for _ in range(50):
        loss, gradients = step()
        optimizer(gradients)
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 50


def test_states_have_their_names():
    parameters, _ = _parameters()
    names = [name for name, _ in optim.Adam(parameters).parameters_and_names()]
    assert names[2:] == [
        *[f"{kind}.p{i}" for kind in ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") for i in (0, 1)], "state_step",
    ]  # fmt: skip


def test_print():
    text = repr(optim.SGD([{"params": _parameters()[0], "lr": 0.5}], lr=0.1, momentum=0.9))
    assert text == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    lr: 0.5\n    maximize: False\n    momentum: 0.9\n"
        "    nesterov: False\n    weight_decay: 0\n)"
    )


def test_fused_adamw_is_adamw():
    assert issubclass(optim.FusedAdamW, optim.AdamW)
    assert inspect.signature(optim.FusedAdamW) == inspect.signature(optim.AdamW)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda p: optim.SGD([], lr=0.1), ValueError),
        (lambda p: optim.SGD(p[0], lr=0.1), TypeError),
        (lambda p: optim.SGD([Tensor([1.0])], lr=0.1), TypeError),
        (lambda p: optim.SGD([p[0], p[0]], lr=0.1), ValueError),
        (lambda p: optim.SGD([{"params": p, "rate": 1}], lr=0.1), ValueError),
        (lambda p: optim.SGD(p, lr=-1), ValueError),
        (lambda p: optim.SGD(p, lr="a"), TypeError),
        (lambda p: optim.SGD(p, lr=0.1, momentum=-1), ValueError),
        (lambda p: optim.SGD(p, lr=0.1, nesterov=True), ValueError),
        (lambda p: optim.Adam(p, betas=(0.9, 1.0)), ValueError),
        (lambda p: optim.Adam(p, eps=-1), ValueError),
        (lambda p: optim.Adam(p, weight_decay="a"), TypeError),
        (lambda p: optim.Adam(p)((Tensor(np.zeros((2, 3), np.float32)),)), ValueError),
        (lambda p: optim.Adam(p)((Tensor([1.0]), Tensor([1.0]))), ValueError),
        (lambda p: optim.Adam(p)([1.0, 2.0]), TypeError),
    ],
)
def test_errors(make, error):
    with pytest.raises(error, match=r"^For '"):
        make(_parameters()[0])
