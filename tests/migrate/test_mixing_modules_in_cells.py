"""Torch modules inside cells: children that are trained, saved, moved and copied like cells."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import migrate, nn, ops

MODES = [(ms.PYNATIVE_MODE, "O0"), (ms.GRAPH_MODE, "O0"), (ms.GRAPH_MODE, "O1"), (ms.GRAPH_MODE, "O2")]


@pytest.fixture(autouse=True)
def _own_mode():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE, jit_config={"jit_level": "O0"})


def mlp() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Tanh(), torch.nn.Linear(8, 2))


class Shared(torch.nn.Module):
    """Two names for one module, and one parameter in two modules."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first = torch.nn.Linear(4, 4)
        self.second = self.first
        self.tied = torch.nn.Linear(4, 4)
        self.tied.weight = self.first.weight
        self.register_buffer("scale", torch.tensor(0.5), persistent=False)

    def forward(self, x):
        return self.tied(torch.tanh(self.second(self.first(x)))) * self.scale


class Writes(torch.nn.Module):
    """A buffer that is replaced by each call, and one that is written in place."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear = torch.nn.Linear(4, 2)
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0).detach()
        self.calls += 1
        return self.linear(x - self.mean)


class Recurrent(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        torch.manual_seed(0)
        self.layer = kind(4, 3, batch_first=True)

    def forward(self, x):
        return self.layer(x[:, None])[0][:, 0]


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)

    def forward(self, x):
        return self.layer(x[None])[0]


class WithCell(torch.nn.Module):
    """A cell inside a module, with a module inside that cell."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear = torch.nn.Linear(4, 4)
        ms.set_seed(0)
        self.inner = migrate.as_module(nn.SequentialCell(torch.nn.Linear(4, 4), nn.Dense(4, 2), nn.BatchNorm1d(2)))

    def forward(self, x):
        return self.inner(torch.relu(self.linear(x)))


MODULES = {
    "mlp": mlp,
    "shared": Shared,
    "writes": Writes,
    "lstm": lambda: Recurrent(torch.nn.LSTM),
    "gru": lambda: Recurrent(torch.nn.GRU),
    "attention": Attention,
    "with a cell": WithCell,
    "weight norm": lambda: torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(4, 2)),
    "dropout": lambda: torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Dropout(0.0)),
}


class Around(nn.Cell):
    """A cell around a module."""

    def __init__(self, module):
        super().__init__()
        self.inside = module

    def construct(self, x):
        return ops.tanh(self.inside(x * 2))


def data() -> tuple[ms.Tensor, ms.Tensor]:
    rng = np.random.RandomState(0)
    return ms.Tensor(rng.randn(8, 4).astype(np.float32)), ms.Tensor(rng.randn(8, 1).astype(np.float32))


def torch_losses(make, steps: int = 4) -> tuple[list[float], dict[str, torch.Tensor]]:
    torch.manual_seed(0)
    module = make().train()
    optimizer = torch.optim.SGD(module.parameters(), 0.1, momentum=0.9)
    x, y = (tensor.torch for tensor in data())
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((torch.tanh(module(x * 2)) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, module.state_dict()


@pytest.mark.parametrize("mode, level", MODES)
@pytest.mark.parametrize("name", MODULES)
def test_training_is_that_of_torch(name, mode, level, recwarn):
    expected, state = torch_losses(MODULES[name])
    torch.manual_seed(0)
    module = MODULES[name]()
    net = Around(module)
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    ms.set_context(mode=mode, jit_config={"jit_level": level})
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
    x, y = data()
    losses = [step(x, y).asnumpy().item() for _ in expected]
    np.testing.assert_allclose(losses, expected, rtol=2e-5)
    for path, value in module.state_dict().items():
        np.testing.assert_allclose(value.numpy(), state[path].numpy(), rtol=1e-4, atol=1e-5, err_msg=path)
    assert not [str(warning.message) for warning in recwarn if "eagerly" in str(warning.message)]
