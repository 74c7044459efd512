"""Torch modules inside cells: children that are trained, saved, moved and copied like cells."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import migrate, nn, ops
from torchspore.common import device

MODES = [(ms.PYNATIVE_MODE, "O0"), (ms.GRAPH_MODE, "O0")]
COMPILED = [("attention", "O1"), ("with a cell", "O2"), ("dropout", "O1"), ("writes", "O2"), ("gru", "O1")]


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
    x, y = (tensor.torch for tensor in data())
    module = make().to(x.device).train()
    optimizer = torch.optim.SGD(module.parameters(), 0.1, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((torch.tanh(module(x * 2)) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, module.state_dict()


@pytest.mark.parametrize(
    ("name", "mode", "level"),
    [
        *[(name, *mode) for name in MODULES for mode in MODES],
        *[pytest.param(name, ms.GRAPH_MODE, level, marks=pytest.mark.slow) for name, level in COMPILED],
    ],
)
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
        np.testing.assert_allclose(value.cpu().numpy(), state[path].cpu().numpy(), rtol=1e-4, atol=1e-5, err_msg=path)
    assert not [str(warning.message) for warning in recwarn if "eagerly" in str(warning.message)]


def test_members_are_found_by_name():
    net = Around(mlp())
    names = [name for name, _ in net.parameters_and_names()]
    assert names[:2] == ["inside.0.weight", "inside.0.bias"]
    assert "inside.1.running_mean" in names
    assert [parameter.name for parameter in net.get_parameters()] == names
    assert not any("running" in parameter.name for parameter in net.trainable_params())
    assert list(net.name_cells()) == ["inside"]
    assert len(net.inside) == 4
    assert [path for path, _ in net.cells_and_names()][:3] == ["", "inside", "inside.0"]
    assert net.inside[0].weight is net.get_sub_cell("inside.0").weight
    assert migrate.as_cell(net.inside.module) is net.inside
    shared = Around(Shared())
    assert len(shared.trainable_params()) == 3


def test_both_sides_see_updates_and_replacements():
    module = mlp()
    net = Around(module)
    weight = net.inside[0].weight
    with torch.no_grad():
        module[0].weight.fill_(2)
    assert (weight.asnumpy() == 2).all()
    weight.set_data(ops.ones((8, 4), ms.float32))
    assert (module[0].weight == 1).all()
    net.to(ms.float16)
    assert module[0].weight.dtype is torch.float16
    assert weight.dtype == ms.float16
    module.float()
    assert net.inside[0].weight is weight
    assert weight.dtype == ms.float32
    module[0].weight.requires_grad_(False)
    assert len(net.trainable_params()) == 5
    assert not weight.requires_grad
    weight.requires_grad = True
    assert len(net.trainable_params()) == 6
    assert module[0].weight.requires_grad
    module[0] = torch.nn.Linear(4, 8, bias=False)
    assert net.inside[0].weight is not weight
    assert net.inside[0].weight.name == "inside.0.weight"
    assert "inside.0.bias" not in dict(net.parameters_and_names())


def test_a_module_moves_to_the_device_in_use(monkeypatch):
    module, elsewhere = mlp(), torch.nn.Linear(4, 2, device="meta")
    module.register_buffer("scale", torch.ones(2), persistent=False)
    unmoved = migrate.as_cell(elsewhere)
    assert {p.device for p in unmoved.get_parameters()} == {"meta"}  # there are no values to move
    monkeypatch.setattr(device, "_current", torch.device("meta"))  # stands for a card
    cell = migrate.as_cell(module)
    assert {p.device for p in cell.get_parameters()} == {"meta"}
    assert {t.device.type for t in (*module.state_dict().values(), module.scale, cell.scale.torch)} == {"meta"}
    assert module[0].weight.is_meta
    with pytest.raises(ValueError, match="is lazy"):
        migrate.as_cell(torch.nn.LazyLinear(2, device="cpu"))


def test_modes_reach_the_module_and_its_own_train_is_used():
    class Frozen(torch.nn.Sequential):
        def train(self, mode=True):
            super().train(mode)
            self[1].eval()
            return self

    module = Frozen(*mlp())
    net = Around(module)
    assert not module.training  # as the cell around it
    net.set_train()
    assert module.training
    assert module[0].training
    assert not module[1].training
    assert not net.inside[1].training
    module.eval()
    assert not net.inside.training


def test_checkpoints_have_parameters_and_buffers(tmp_path):
    x, _ = data()
    net, other = Around(mlp()), Around(mlp())
    net.set_train()(x)
    net.inside[0].weight.set_data(ops.ones((8, 4), ms.float32))
    ms.save_checkpoint(net, str(tmp_path / "net.ckpt"))
    missing = ms.load_param_into_net(other, ms.load_checkpoint(str(tmp_path / "net.ckpt")))
    assert missing == ([], [])
    for path, value in net.inside.module.state_dict().items():
        assert torch.equal(value, other.inside.module.state_dict()[path]), path
    assert net.state_dict().keys() == {"inside." + path for path in net.inside.module.state_dict()}


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
@pytest.mark.parametrize("name", ["mlp", "lstm", "attention", "with a cell"])
def test_copies_are_independent_and_whole(name, duplicate):
    net = Around(MODULES[name]())
    twin = duplicate(net)
    x, _ = data()
    np.testing.assert_array_equal(net(x).asnumpy(), twin(x).asnumpy())
    assert [p.name for p in twin.get_parameters()] == [p.name for p in net.get_parameters()]
    mine = twin.trainable_params()[0]
    mine.set_data(mine * 0 + 5)
    assert (twin.inside.module.state_dict()[mine.name.removeprefix("inside.")] == 5).all()
    assert not (net.trainable_params()[0].asnumpy() == 5).any()
    gradients = ms.grad(lambda x: twin(x).sum(), None, twin.trainable_params())(x)
    assert any(gradient.asnumpy().any() for gradient in gradients)


def test_containers_and_attributes_take_modules():
    net = nn.SequentialCell(torch.nn.Linear(4, 3), nn.ReLU(), torch.nn.Linear(3, 2))
    assert [parameter.name for parameter in net.get_parameters()] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert net(data()[0]).shape == (8, 2)
    assert len(list(nn.CellList([torch.nn.Linear(2, 2)]).get_parameters())) == 2
    assert len(list(nn.CellDict({"a": torch.nn.Linear(2, 2)}).get_parameters())) == 2
    cell = nn.Cell()
    cell.insert_child_to_cell("inside", torch.nn.Linear(2, 2))
    cell.weight = torch.nn.Parameter(torch.ones(2))
    assert [name for name, _ in cell.parameters_and_names()] == ["weight", "inside.weight", "inside.bias"]
    cell.inside = torch.nn.ReLU()
    assert len(list(cell.get_parameters())) == 1
    del cell.inside
    assert not cell.name_cells()

    class Early(nn.Cell):
        def __init__(self):
            self.inside = torch.nn.Linear(2, 2)

    with pytest.raises(AttributeError, match="super"):
        Early()


def test_methods_and_hooks_of_the_module():
    module = mlp()
    seen = []
    module[0].register_forward_hook(lambda _, args, output: seen.append(type(output)))
    net = Around(module)
    net.inside(data()[0])
    assert seen == [torch.Tensor]
    module.twice = lambda x: x
    type(module).double_up = lambda self, x: self(x) * 2
    try:
        x = data()[0]
        np.testing.assert_allclose(net.inside.double_up(x).asnumpy(), net.inside(x).asnumpy() * 2)
        gradient = ms.grad(lambda x: net.inside.double_up(x).sum(), None, net.trainable_params())(x)
        assert gradient[0].asnumpy().any()
    finally:
        del type(module).double_up


def smooth() -> tuple[nn.Cell, ms.Tensor]:
    torch.manual_seed(0)
    return Around(torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh())), data()[0]


def test_gradients_compose():
    net, x = smooth()
    weight = net.trainable_params()[0]
    first = ms.grad(lambda x: net(x).sum(), None, weight)

    def step(x):
        return (first(x) ** 2).sum()

    second = ms.grad(step, None, weight)(x).asnumpy()
    p = weight.twin.value
    (g,) = torch.autograd.grad(torch.tanh(net.inside.module(x.torch * 2)).sum(), p, create_graph=True)
    (expected,) = torch.autograd.grad((g**2).sum(), p)
    np.testing.assert_allclose(second, expected.cpu().numpy(), rtol=1e-5, atol=1e-6)
    rows = ms.vmap(ms.grad(lambda row: net(row).sum()))(x)
    np.testing.assert_allclose(rows.asnumpy(), ms.grad(lambda x: net(x).sum())(x).asnumpy(), rtol=1e-5)
    plain = first(x).asnumpy()
    net.recompute()
    np.testing.assert_array_equal(first(x).asnumpy(), plain)


def test_to_float_reaches_the_module():
    net, x = smooth()
    net.to_float(ms.bfloat16)
    assert net(x).dtype == ms.bfloat16
    gradient = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(x)[0]
    assert gradient.dtype == ms.float32
    assert gradient.asnumpy().any()


def test_a_module_in_a_graph_that_changes_is_recorded_again():
    net, x = smooth()
    net.inside.module.append(torch.nn.Dropout(0.999))
    net.set_train(False)
    ms.set_context(mode=ms.GRAPH_MODE, jit_config={"jit_level": "O0"})
    before = net(x).asnumpy()
    net.inside.module.train()
    assert (net(x).asnumpy() == 0).sum() > 12
    net.inside.module.eval()
    np.testing.assert_array_equal(net(x).asnumpy(), before)
    net.inside.module[0].weight.data = torch.zeros(3, 4)
    assert not np.array_equal(net(x).asnumpy(), before)


@pytest.mark.parametrize(("wrong", "error"), [(nn.Dense(2, 2), TypeError), (3, TypeError)])
def test_as_cell_takes_modules_only(wrong, error):
    with pytest.raises(error, match="For 'as_cell'"):
        migrate.as_cell(wrong)


def test_lazy_and_script_modules_are_refused():
    with pytest.raises(ValueError, match="lazy"):
        migrate.as_cell(torch.nn.LazyLinear(2))


def test_hooks_of_torch_parameters_are_named_and_those_of_ours_run():
    net = Around(mlp())
    called = []
    net.inside.module[0].weight.register_hook(called.append)
    gradient = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())
    x, _ = data()
    with pytest.warns(RuntimeWarning, match="hooks of torch parameters are not called"):
        gradient(x)
    net.inside[0].weight.register_hook(lambda given: called.append(1) or given * 0)
    assert (gradient(x)[0].asnumpy() == 0).all()
    assert called == [1]
