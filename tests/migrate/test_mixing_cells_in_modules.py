"""Cells inside torch modules, and torch tensors given to cells, operations and transformations."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import migrate, nn, ops

DEVICE = ms.Tensor(0.0).torch.device  # where cells are made, and torch's side has to be


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], autouse=True)
def mode(request):
    ms.set_context(mode=request.param, jit_config={"jit_level": "O0"})
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class WithBprop(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 2,)


def cell() -> nn.Cell:
    ms.set_seed(0)
    return nn.SequentialCell(nn.Dense(4, 8), nn.BatchNorm1d(8), nn.ReLU(), WithBprop(), nn.Dense(8, 2))


class Net(torch.nn.Module):
    def __init__(self, inside, recompute=False):
        super().__init__()
        torch.manual_seed(0)
        self.linear = torch.nn.Linear(4, 4, device=DEVICE)
        if recompute:
            inside.recompute()
        self.inside = migrate.as_module(inside)

    def forward(self, x):
        return self.inside(torch.tanh(self.linear(x)))


def losses(recompute: bool) -> list[float]:
    net = Net(cell(), recompute).train()
    optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
    x = torch.randn(8, 4, generator=torch.Generator().manual_seed(0)).to(DEVICE)
    found = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = (net(x) ** 2).mean()
        loss.backward()
        assert all(p.grad is not None and p.grad.any() for p in (net.linear.weight, net.inside._modules["0"].weight))
        optimizer.step()
        found.append(loss.item())
    return found


def test_torch_optimizers_train_the_cell():
    found = losses(recompute=False)
    assert found[2] < found[0]
    with pytest.raises(NotImplementedError, match=r"torch\.utils\.checkpoint"):
        losses(recompute=True)
    module, x = migrate.as_module(cell()), torch.randn(8, 4, device=DEVICE)
    torch.utils.checkpoint.checkpoint(module, x, use_reentrant=False).sum().backward()
    assert all(parameter.grad is not None for parameter in module.parameters() if parameter.requires_grad)

    around = nn.SequentialCell(torch.nn.Sequential(Net(cell()).linear, torch.nn.Tanh()), cell()).set_train()
    x = ms.Tensor(torch.randn(8, 4, generator=torch.Generator().manual_seed(0)))
    optimizer = nn.Momentum(around.trainable_params(), 0.1, 0.9)
    gradient = ms.value_and_grad(lambda x: (around(x) ** 2).mean(), None, optimizer.parameters)
    expected = []
    for _ in range(3):
        loss, gradients = gradient(x)
        optimizer(gradients)
        expected.append(loss.asnumpy().item())
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_members_state_and_modes():
    inside = cell()
    net = Net(inside)
    assert "inside.0.weight" in dict(net.named_parameters())
    assert "inside.1.moving_mean" in net.state_dict()
    assert net.inside._modules["0"].weight.data_ptr() == inside[0].weight.torch.data_ptr()
    net.train()
    assert inside.training
    assert inside[1].training
    before = inside[1].moving_mean.asnumpy().copy()
    net(torch.randn(8, 4, device=DEVICE))
    assert not np.array_equal(inside[1].moving_mean.asnumpy(), before)
    net.eval()
    assert not inside[1].training
    state = {name: torch.zeros_like(value) for name, value in net.state_dict().items()}
    net.load_state_dict(state)
    assert not inside[0].weight.asnumpy().any()
    net.double()
    assert net(torch.ones(2, 4, dtype=torch.float64, device=DEVICE)).dtype is torch.float64
    assert inside[0].weight.dtype == ms.float64
    twin = copy.deepcopy(net)
    with torch.no_grad():
        twin.inside._modules["0"].bias.fill_(1)
    assert twin.inside.cell[0].bias.asnumpy().all()
    assert not inside[0].bias.asnumpy().any()
    assert migrate.as_module(inside) is net.inside
    assert migrate.as_cell(net.inside) is inside
    assert migrate.as_module(migrate.as_cell(net)) is net


def test_buffers_that_torch_replaces_reach_the_cell():
    inside = nn.SequentialCell(nn.Dense(4, 2))
    inside.register_buffer("scale", ops.ones(2, ms.float32))
    inside[0].register_buffer("shift", ops.ones(2, ms.float32), persistent=False)
    module = torch.nn.Sequential(migrate.as_module(inside))
    for convert, dtype in ((module.double, ms.float64), (module.half, ms.float16)):
        convert()
        assert [buffer.dtype for buffer in (inside.scale, inside[0].shift, inside[0].weight)] == [dtype] * 3
        assert module[0]._buffers["scale"] is inside.scale.torch
    module.to("meta")
    assert [buffer.device for buffer in (inside.scale, inside[0].shift)] == ["meta"] * 2


def test_functional_call_and_second_derivatives():
    module = migrate.as_module(nn.SequentialCell(nn.Dense(4, 3), nn.Tanh()))
    x = torch.randn(5, 4, device=DEVICE)
    weights = {name: parameter.detach() * 2 for name, parameter in module.named_parameters()}
    expected = torch.tanh(x @ weights["0.weight"].T + weights["0.bias"])
    torch.testing.assert_close(torch.func.functional_call(module, weights, (x,)), expected)
    gradient = torch.func.grad(lambda w: torch.func.functional_call(module, w, (x,)).sum())(weights)
    assert gradient["0.weight"].any()
    (first,) = torch.autograd.grad(module(x).sum(), module._modules["0"].weight, create_graph=True)
    (second,) = torch.autograd.grad((first**2).sum(), module._modules["0"].weight)
    assert second.any()


class Raw(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 2)  # not a child: torch does not know cells

    def forward(self, x):
        return self.dense(x)


def test_a_cell_that_a_module_does_not_know_is_an_error():
    with pytest.raises(TypeError, match=r"For 'Dense'.*'Raw'.*migrate\.as_module"):
        Raw()(torch.ones(2, 4, device=DEVICE))
    with torch.no_grad():
        assert Raw()(torch.ones(2, 4, device=DEVICE)).shape == (2, 2)


X, T = ms.Tensor(np.arange(8, dtype=np.float32).reshape(2, 4)), torch.arange(8.0, device=DEVICE).reshape(2, 4) + 1
CALLS = {
    "relu": lambda x, t: ops.relu(t),
    "add": lambda x, t: x + t,
    "radd": lambda x, t: t + x,
    "product": lambda x, t: t @ x.T,
    "equal": lambda x, t: x == t,
    "cat": lambda x, t: ops.cat([x, t]),
    "stack": lambda x, t: ops.stack((t, t)),
    "index": lambda x, t: x[t > 3],
    "primitive": lambda x, t: ops.ReduceSum()(t, 1),
    "mint": lambda x, t: ms.mint.sum(t, dim=1),
    "loss": lambda x, t: nn.MSELoss()(t, x),
    "keyword": lambda x, t: nn.MSELoss()(logits=t, labels=x),
    "torch.add": lambda x, t: torch.add(x, 1),
    "torch.relu": lambda x, t: torch.nn.functional.relu(x - 3),
    "torch.cat": lambda x, t: torch.cat([x, t]),
    "torch.max": lambda x, t: torch.max(x, 1)[1],
    "jit": lambda x, t: ms.jit(lambda a: a.max(1)[0])(t),
    "grad": lambda x, t: ms.grad(lambda a, b: (a * a * b).sum())(t, x),
    "grad by keyword": lambda x, t: ms.grad(lambda a, b: (a * a * b).sum())(x, b=t),
    "vmap": lambda x, t: ms.vmap(lambda a: a.sum())(t),
    "assign": lambda x, t: ops.assign(ms.Parameter(x), t),
    "set_data": lambda x, t: ms.Parameter(x).set_data(t).value(),
    "copy_": lambda x, t: x.copy().copy_(t),
}


@pytest.mark.parametrize("name", CALLS)
def test_torch_tensors_are_taken(name):
    result, expected = CALLS[name](X, T), CALLS[name](X, ms.Tensor(T))
    assert isinstance(expected, ms.Tensor), name
    assert isinstance(result, ms.Tensor), name
    np.testing.assert_allclose(result.asnumpy(), expected.asnumpy())


def test_construct_gets_tensors():
    class Max(nn.Cell):
        def construct(self, x, *, y=None):
            return x.max(1) if y is None else (x + y).max(axis=1)

    assert isinstance(Max()(T)[0] if isinstance(Max()(T), tuple) else Max()(T), ms.Tensor)
    assert isinstance(Max()(X, y=T), ms.Tensor)


@pytest.mark.parametrize("call", [nn.Dense(4, 2), ops.exp, lambda x: ms.jit(ops.exp)(x), nn.Dense(4, 2).set_grad()])
def test_torchs_autograd_flows_through(call):
    x = torch.ones(2, 4, device=DEVICE, requires_grad=True)
    call(x).torch.sum().backward()
    assert x.grad.any()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ms.grad(ops.exp)(x),
        lambda x: ms.grad(lambda a, b: (a * b).sum())(X, x),
        lambda x: ms.value_and_grad(lambda a, b: (a * b).sum())(X, b=x),
        lambda x: ms.vmap(ops.exp)(x),
        lambda x: ms.vjp(ops.exp, x),
    ],
)
def test_what_would_cut_a_gradient_is_an_error(call):
    with pytest.raises(TypeError, match="requires grad is not supported"):
        call(torch.ones(2, 4, device=DEVICE, requires_grad=True))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ops.relu(T.to_sparse()), "must be a dense Tensor"),
        (lambda: torch.add(T, 1, out=X), "must not write into a Tensor"),
        (lambda: torch.relu_(X), "must not write into a Tensor"),
        (lambda: migrate.as_module(torch.nn.Linear(2, 2)), "must be a Cell"),
    ],
)
def test_the_rest_is_a_named_error(call, text):
    with pytest.raises(TypeError, match=f"For '.*{text}"):
        call()
