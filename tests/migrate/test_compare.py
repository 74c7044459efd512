"""`compare`: equal networks are equal, whatever their dtype, depth and outputs; and everything is restored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn as tnn

import torchspore as ms
from torchspore import mint, nn
from torchspore.experimental import optim
from torchspore.migrate import Report, compare
from torchspore.migrate.comparing.calls import Store
from torchspore.migrate.comparing.networks import network
from torchspore.migrate.comparing.values import tensors

CELL, MODULE = nn.SequentialCell, tnn.Sequential
F = torch.nn.functional


def rows(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(0).standard_normal(shape or (6, 8)).astype(np.float32))


def cell_of(construct: Any, **layers: nn.Cell) -> nn.Cell:
    """Return a cell with these layers."""

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            for name, layer in layers.items():
                setattr(self, name, layer)

        def construct(self, *args: Any) -> Any:
            return construct(self, *args)

    return Net()


def module_of(forward: Any, **layers: tnn.Module) -> tnn.Module:
    """Return a module with these layers."""

    class Net(tnn.Module):
        def __init__(self) -> None:
            super().__init__()
            for name, layer in layers.items():
                setattr(self, name, layer)

        def forward(self, *args: Any) -> Any:
            return forward(self, *args)

    return Net()


def both(function: Any) -> tuple[nn.Cell, tnn.Module]:
    """Return a cell and a module of one Dense that compute a function of both and the input."""
    return cell_of(function, fc=nn.Dense(8, 8)), module_of(function, fc=tnn.Linear(8, 8))


# What the networks return: a function of (network, input), the same for both sides.
OUTPUTS = {
    "a tuple": lambda net, x: (net.fc(x), x),
    "a dict": lambda net, x: {"a": net.fc(x), "b": [x * 2]},
    "None among tensors": lambda net, x: (None, net.fc(x), 3, "text"),
    "a layer called twice": lambda net, x: net.fc(net.fc(x)),
    "a layer that is never called": lambda net, x: x * 2,
    "an integer": lambda net, x: (net.fc(x), x.argmax(1)),
    "nan": lambda net, x: (net.fc(x) - 1e30).log() if False else net.fc(x) / (x - x),
    "an empty tensor": lambda net, x: net.fc(x)[:0],
    "a scalar": lambda net, x: net.fc(x).sum(),
    "the input itself": lambda net, x: x,
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_of_all_kinds(name: str) -> None:
    compare(*both(OUTPUTS[name]), rows(), steps=2).assert_equal()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_equal_networks(mode: int) -> None:
    cell = CELL(
        nn.Conv2d(3, 4, 3, pad_mode="pad", padding=1, has_bias=True), nn.BatchNorm2d(4), nn.ReLU(),
        nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(64, 5),
    )  # fmt: skip
    module = MODULE(
        tnn.Conv2d(3, 4, 3, padding=1), tnn.BatchNorm2d(4), tnn.ReLU(inplace=True), tnn.MaxPool2d(2), tnn.Flatten(),
        tnn.Linear(64, 5),
    )  # fmt: skip
    labels, losses = torch.tensor([1, 4]), (nn.CrossEntropyLoss(), tnn.CrossEntropyLoss())
    previous = ms.get_context("mode")
    report = compare(cell, module, rows(2, 3, 8, 8), labels=labels, loss=losses, steps=3, mode=mode, training=True)
    report.assert_equal()
    assert len(report.losses) == 3
    assert ms.get_context("mode") == previous
    assert [row.verdict for row in report.rows if row.part == "steps"] == ["equal"] * 3


def deep(dtype: torch.dtype, depth: int = 50) -> tuple[nn.Cell, tnn.Module]:
    """Return a deep network of linear layers, normalizations and activations, of both sides."""
    torch.manual_seed(0)
    theirs: list[tnn.Module] = []
    ours: list[nn.Cell] = []
    for i in range(depth):
        theirs += [tnn.Linear(16, 16), (tnn.Tanh(), tnn.LayerNorm(16), tnn.LeakyReLU(0.2))[i % 3]]
        ours += [nn.Dense(16, 16), (nn.Tanh(), nn.LayerNorm((16,), epsilon=1e-5), nn.LeakyReLU(0.2))[i % 3]]
    kind = {torch.float32: ms.float32, torch.float16: ms.float16, torch.bfloat16: ms.bfloat16}[dtype]
    return CELL(*ours).to(kind), MODULE(*theirs).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_deep_networks_are_equal(dtype: torch.dtype) -> None:
    cell, module = deep(dtype)
    compare(cell, module, rows(4, 16).to(dtype), steps=2).assert_equal()


@pytest.mark.parametrize("position", [3, 45, 99])
def test_a_small_change_in_a_deep_network_is_found_there(position: int) -> None:
    cell, module = deep(torch.float32)
    if hasattr(module[position], "eps"):
        module[position].eps += 1e-3
    elif hasattr(module[position], "negative_slope"):
        module[position].negative_slope += 1e-3
    else:
        module[position] = tnn.Hardtanh(-1.001, 1.001)
    first = compare(cell, module, rows(4, 16)).first
    assert first.name == str(position), first
    assert first.cause.verified, first


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_sums_is_rounding(seed: int) -> None:
    """Another algorithm for the same sums is not a difference."""
    torch.manual_seed(seed)
    cell = cell_of(lambda net, x: (x.expand_dims(-2) * net.fc.weight).sum(-1) + net.fc.bias, fc=nn.Dense(512, 8))
    module = module_of(lambda net, x: net.fc(x), fc=tnn.Linear(512, 8))
    compare(cell, module, torch.randn(3, 512), steps=2).assert_equal()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda weights: mint.optim.Adam(weights, lr=0.1, weight_decay=0.01), "Adam"),
        (lambda weights: mint.optim.AdamW(weights, lr=0.1, weight_decay=0.01), "AdamW"),
        (lambda weights: mint.optim.SGD(weights, lr=0.1, weight_decay=0.01), "SGD"),
        (lambda weights: optim.Adam(weights, lr=0.1, weight_decay=0.01), "Adam"),
        (lambda weights: optim.RMSprop(weights, lr=0.1, weight_decay=0.01), "RMSprop"),
        (lambda weights: optim.Adagrad(weights, lr=0.1, weight_decay=0.01), "Adagrad"),
    ],
)
def test_optimizers_with_groups_are_compared(ours: Any, theirs: str) -> None:
    cell = CELL(nn.Dense(8, 4), nn.ReLU(), nn.Dense(4, 2))
    module = MODULE(tnn.Linear(8, 4), tnn.ReLU(), tnn.Linear(4, 2))
    made = getattr(torch.optim, theirs)(module.parameters(), lr=0.1, weight_decay=0.01)
    compare(cell, module, rows(), steps=3, optimizers=(ours, made)).assert_equal()
    slower = getattr(torch.optim, theirs)(module.parameters(), lr=0.05, weight_decay=0.01)
    assert not compare(cell, module, rows(), steps=3, optimizers=(ours, slower)).equal


def test_everything_is_restored() -> None:
    cell, module = CELL(nn.Dense(8, 4), nn.BatchNorm1d(4)), MODULE(tnn.Linear(8, 4), tnn.BatchNorm1d(4))
    cell.set_train(False)
    module.train()
    module[0].weight.grad = torch.ones(4, 8)
    ours, theirs = nn.Adam(cell.trainable_params(), 0.1), torch.optim.Adam(module.parameters(), 0.1)
    storages = [p._storage for p in cell.get_parameters()]
    before = [p.asnumpy().copy() for p in [*cell.get_parameters(), *ours.get_parameters()]]
    state = {name: value.clone() for name, value in module.state_dict().items()}
    torch.manual_seed(3)
    expected = torch.rand(3)
    torch.manual_seed(3)
    compare(cell, module, rows(), steps=3, optimizers=(ours, theirs), training=True).assert_equal()
    assert torch.equal(torch.rand(3), expected)
    for one, other in zip([*cell.get_parameters(), *ours.get_parameters()], before):
        np.testing.assert_array_equal(one.asnumpy(), other)
    assert all(p._storage is storage for p, storage in zip(cell.get_parameters(), storages))
    assert all(torch.equal(value, state[name]) for name, value in module.state_dict().items())
    assert torch.equal(module[0].weight.grad, torch.ones(4, 8))
    assert not theirs.state
    assert not cell.training
    assert module.training
    assert not cell[0]._forward_hooks
    assert not module[0]._forward_hooks


def raises(*_: Any) -> Any:
    raise ValueError("out of order")


@pytest.mark.parametrize("side", ["the cell", "the module"])
def test_exceptions_name_the_side_and_the_layer(side: str) -> None:
    bad_cell, bad_module = cell_of(raises), module_of(raises)
    ours = [nn.Dense(8, 8), bad_cell if side == "the cell" else nn.ReLU()]
    theirs = [tnn.Linear(8, 8), bad_module if side == "the module" else tnn.ReLU()]
    cell, module = CELL(*ours), MODULE(*theirs)
    before = cell[0].weight.asnumpy().copy()
    report = compare(cell, module, rows(), steps=1)
    assert (report.first.name, report.first.verdict, report.first.cause.setting) == ("1", "raised", "error")
    assert f"{side} raised ValueError in '1': out of order" in str(report)
    np.testing.assert_array_equal(cell[0].weight.asnumpy(), before)
    assert not cell[0]._forward_hooks
    assert not module[0]._forward_hooks


def test_random_layers_are_not_compared() -> None:
    cell = cell_of(lambda net, x: net.drop(net.fc(x)), fc=nn.Dense(8, 8), drop=nn.Dropout(p=0.5))
    module = module_of(
        lambda net, x: net.drop(net.fc(x) + 0 * torch.rand(3)[0]), fc=tnn.Linear(8, 8), drop=tnn.Dropout(0.5)
    )
    report = compare(cell, module, rows(), steps=2, training=True)
    report.assert_equal()
    assert [row.verdict for row in report.rows if row.part == "layers"] == ["equal", "random", "equal"]
    assert "Dropout is switched off for gradients and steps: drop." in report.notes


def test_random_operations_do_not_widen_the_tolerance() -> None:
    cell = cell_of(lambda net, x: net.ln(ms.ops.dropout(net.fc(x), 0.5)), fc=nn.Dense(8, 8), ln=nn.LayerNorm((8,)))
    module = module_of(lambda net, x: net.ln(F.dropout(net.fc(x), 0.5)), fc=tnn.Linear(8, 8), ln=tnn.LayerNorm(8))
    report = compare(cell, module, rows(), steps=1)
    assert {row.name: row.verdict for row in report.rows}["ln"] == "random"
    assert "Gradients and steps are not compared: ln draws random numbers." in report.notes


def test_layers_after_one_that_changes_the_shape_are_compared() -> None:
    cell = CELL(nn.Conv2d(3, 4, 3, has_bias=True), nn.Flatten(), nn.Dense(144, 5), nn.LeakyReLU())
    module = MODULE(tnn.Conv2d(3, 4, 3), tnn.Flatten(), tnn.Linear(144, 5), tnn.LeakyReLU())
    report = compare(cell, module, rows(2, 3, 8, 8))
    verdicts = [(row.name, row.verdict) for row in report.rows if row.part == "layers"]
    assert verdicts[:4] == [("0", "diverged"), ("1", "equal"), ("2", "equal"), ("3", "diverged")]


def test_shared_layers_and_integer_inputs() -> None:
    ours, theirs = nn.Embedding(5, 8), tnn.Embedding(5, 8)
    cell = cell_of(lambda net, x, n: net.b(net.a(x)).sum(-1) * n, a=ours, b=nn.Dense(8, 8))
    module = module_of(lambda net, x, n: net.b(net.a(x)).sum(-1) * n, a=theirs, b=tnn.Linear(8, 8))
    compare(cell, module, np.array([[0, 4], [2, 2]]), 3, steps=2).assert_equal()


def test_networks_without_weights() -> None:
    compare(CELL(nn.ReLU(), nn.Sigmoid()), MODULE(tnn.ReLU(), tnn.Sigmoid()), rows(), steps=2).assert_equal()


def test_blocks_nested_differently() -> None:
    cell = CELL(CELL(nn.Dense(8, 8), nn.ReLU()), nn.Dense(8, 2))
    module = module_of(lambda net, x: net.b(F.relu(net.a(x))), a=tnn.Linear(8, 8), b=tnn.Linear(8, 2))
    compare(cell, module, rows(), steps=2).assert_equal()


@pytest.mark.parametrize("kind", ["cells", "modules"])
def test_two_of_one_kind(kind: str) -> None:
    def make(eps: float) -> Any:
        if kind == "cells":
            return CELL(nn.Dense(8, 8), nn.LayerNorm((8,), epsilon=eps))
        return MODULE(tnn.Linear(8, 8), tnn.LayerNorm(8, eps))

    compare(make(1e-5), make(1e-5), rows(), steps=2).assert_equal()
    first = compare(make(1e-5), make(1e-3), rows()).first
    assert (first.name, first.cause.setting, first.cause.verified) == ("1", "eps", True)


def test_frozen_weights_are_reported() -> None:
    cell, module = CELL(nn.Dense(8, 4)), MODULE(tnn.Linear(8, 4))
    module[0].weight.requires_grad_(False)
    first = compare(cell, module, rows()).first
    assert (first.part, first.name, first.cause.setting) == ("gradients", "0.weight", "requires_grad")


@pytest.mark.parametrize("other", [lambda: tnn.Linear(4, 2), lambda: nn.Dense(4, 2)], ids=["module", "cell"])
def test_each_side_gets_the_inputs_on_its_device(other: Any) -> None:
    far, near = network(tnn.Linear(4, 2, device="meta"), "the module"), network(other(), "the other")
    given = (torch.ones(3, 4), [np.ones(2), ms.Tensor([1, 2])], 5)
    assert [t.device.type for t in tensors(far.inputs(given))] == ["meta"] * 3
    assert {t.device for t in tensors(near.inputs(given))} == {near.device()}
    assert given[0].device.type == "cpu"


def test_networks_without_weights_have_the_device_of_their_side() -> None:
    assert network(nn.ReLU(), "the cell").device() == ms.Tensor(0.0).torch.device
    with torch.device("meta"):
        assert network(tnn.ReLU(), "the module").device().type == "meta"


def test_a_user_tolerance() -> None:
    cell, module = CELL(nn.GELU()), MODULE(tnn.GELU())
    assert not compare(cell, module, rows())
    compare(cell, module, rows(), tolerance=1e-2).assert_equal()


def test_the_report_is_text_and_a_page(tmp_path: Any) -> None:
    def net(approximate: str) -> tnn.Module:
        layers = {"a<b>&": tnn.GELU(approximate), "c": tnn.Linear(8, 2)}
        return module_of(lambda net, x: net.c(getattr(net, "a<b>&")(x)), **layers)

    report = compare(net("tanh"), net("none"), rows(), steps=3)
    assert isinstance(report, Report)
    assert "a<b>&" in str(report)
    with pytest.raises(AssertionError, match="approximate"):
        report.assert_equal()
    path = tmp_path / "x.html"
    report.save(path)
    page = path.read_text(encoding="utf-8")
    assert "a&lt;b&gt;&amp;" in page
    assert "a<b>" not in page
    assert "<svg" in page
    assert page.startswith("<!DOCTYPE html>")
    assert "<script" not in page
    assert "src=" not in page
    assert "href=" not in page
    assert "<svg" in report._repr_html_()
    assert "<!DOCTYPE" not in report._repr_html_()


@pytest.mark.parametrize(("arguments", "error"), [
    ({"steps": -1}, "'steps' must be"), ({"mode": 7}, "'mode' must be"), ({"loss": len}, "'loss' must be a pair"),
    ({"loss": (1, 2)}, "'loss' must be a pair"), ({"optimizers": 3}, "'optimizers' must be a pair"),
])  # fmt: skip
def test_wrong_arguments(arguments: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        compare(CELL(nn.ReLU()), MODULE(tnn.ReLU()), rows(), **arguments)


def test_what_is_no_network() -> None:
    with pytest.raises(TypeError, match="the networks must be Cells"):
        compare(nn.ReLU(), 3, rows())


def test_outputs_beyond_the_budget_are_in_files() -> None:
    store = Store(budget=16)
    values = [torch.arange(4, dtype=torch.float32), torch.arange(3, dtype=torch.bfloat16)]
    numbers = [store.put(value) for value in values]
    folder = Path(store._folder.name)
    assert len(list(folder.iterdir())) == 1
    assert all(torch.equal(store.get(number), value) for number, value in zip(numbers, values))
    store.close()
    assert not folder.exists()


@torch.no_grad()
def test_gradients_are_compared_without_the_users_graph() -> None:
    report = compare(*both(OUTPUTS["a tuple"]), rows(), steps=1)
    report.assert_equal()
    assert all(row.expected for row in report.rows if row.part == "gradients")
