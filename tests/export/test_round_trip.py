"""`export`, `load` and `GraphCell`: what comes back computes the same, and trains."""

from __future__ import annotations

import copy
import os
import warnings
import zipfile

import numpy as np
import pytest
import torch

import torchspore as ms
from export.networks import BRANCHES, NETWORKS, Branching, Normalised, arrays, open_batch
from torchspore import nn, ops
from torchspore.engine import exported_memory
from torchspore.serialization.exporting.graph_json import DTYPES

pytestmark = pytest.mark.slow  # torch.export is

X = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def round_trip(folder, net, *inputs, **options):
    ms.export(net, *inputs, file_name=folder / "net", file_format="PT2", **options)
    return nn.GraphCell(ms.load(folder / "net.pt2"))


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_with_a_batch_of_any_size(name, tmp_path):
    kind, x = NETWORKS[name]
    net = kind()
    net.set_train()
    cell = round_trip(tmp_path, net, open_batch(x))
    assert net.training
    assert {p.name: p.shape for p in cell.get_parameters()} == {p.name: p.shape for p in net.get_parameters()}
    assert {p.name for p in cell.trainable_params()} == {p.name for p in net.trainable_params()}
    net.set_train(False)
    for batch in (x, np.concatenate([x, x]), x[:1]):
        for got, wanted in zip(arrays(cell(ms.Tensor(batch))), arrays(net(ms.Tensor(batch)))):
            np.testing.assert_allclose(got, wanted, atol=1e-6)
    assert np.allclose(arrays(ms.jit(cell)(ms.Tensor(x)))[0], arrays(cell(ms.Tensor(x)))[0], atol=1e-6)  # one graph


def test_torch_reads_the_file(tmp_path):
    net = Normalised()
    x = ms.Tensor(NETWORKS["Normalised"][1])
    ms.export(net, x, file_name=tmp_path / "net", file_format="PT2")
    program = torch.export.load(tmp_path / "net.pt2")
    np.testing.assert_allclose(program.module()(x.torch).detach(), net(x).asnumpy(), atol=1e-6)
    assert set(program.state_dict) == {path for path, _ in net.parameters_and_names()}


@pytest.mark.filterwarnings("ignore:.*treespec:FutureWarning")
@pytest.mark.parametrize("lowered", [False, True])
def test_files_of_torch_are_read(lowered, tmp_path):
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)).eval()
    program = torch.export.export(module, (X.torch,))
    torch.export.save(program.run_decompositions({}) if lowered else program, tmp_path / "net.pt2")
    cell = nn.GraphCell(ms.load(tmp_path / "net.pt2"))
    np.testing.assert_allclose(cell(X).asnumpy(), module(X.torch).detach(), atol=1e-6)
    assert {p.name for p in cell.trainable_params()} == {"0.weight", "0.bias", "1.weight", "1.bias"}


def test_the_file_says_nothing_of_its_makers_computer(tmp_path):
    round_trip(tmp_path, Normalised(), ms.Tensor(NETWORKS["Normalised"][1]))
    with zipfile.ZipFile(tmp_path / "net.pt2") as archive:
        contents = b"".join(archive.read(name) for name in archive.namelist() if name.endswith(".json"))
    assert os.path.dirname(os.path.dirname(__file__)).encode() not in contents
    assert b"Normalised" not in contents


class Structured(nn.Cell):
    def construct(self, pair, by_name, flag, scale=2):
        total = pair[0] + by_name["q"] * scale
        return {"list": [total, None], "flag": flag, "tuple": (total.shape[0], "text")}


def test_structures(tmp_path):
    cell = round_trip(tmp_path, Structured(), (X, X), {"q": X}, True, 3)
    result = cell((X, X), {"q": X}, True, 3)
    np.testing.assert_array_equal(result["list"][0].asnumpy(), X.asnumpy() * 4)
    assert (result["list"][1], result["flag"], result["tuple"]) == (None, True, (2, "text"))
    assert "pair_1" in repr(cell.graph)
    for inputs, words in [
        (((X, X), {"q": X}, False, 3), "'flag' is True"),
        (((X,), {"q": X}, True, 3), "must be a tuple of 2 elements"),
        (((X, X), {"p": X}, True, 3), r"with the keys \['q'\]"),
        (((X, X), {"q": X}), "has 4 inputs, but got 2"),
    ]:
        with pytest.raises(ValueError, match=words):
            cell(*inputs)


def test_other_inputs_are_refused(tmp_path):
    cell = round_trip(tmp_path, nn.Dense(3, 2), X)
    with pytest.raises(ValueError, match=r"'x' must have the shape \(2, 3\)"):
        cell(ms.ops.ones((5, 3)))
    with pytest.raises(TypeError, match=r"'x' must be of dtype Float32, but got .*Float16"):
        cell(X.astype(ms.float16))
    with pytest.raises(TypeError, match="'x' must be a Tensor"):
        cell(1.0)


def test_open_sizes_that_are_equal_stay_equal(tmp_path):
    size = ms.Symbol(divisor=8, unique=True)
    both = ms.Tensor(shape=[size, size], dtype=ms.float32)
    cell = round_trip(tmp_path, Product(), both)
    assert cell(ops.ones((16, 16))).shape == (16, 16)
    with pytest.raises(ValueError, match="must have the shape"):
        cell(ops.ones((16, 8)))


class Product(nn.Cell):
    def construct(self, x):
        return ops.matmul(x, x)


def test_set_inputs(tmp_path):
    net = nn.Dense(3, 2)
    net.set_inputs(ms.Tensor(shape=[None, 3], dtype=ms.float32))
    for inputs in [(X,), ()]:
        assert round_trip(tmp_path, net, *inputs)(ops.ones((7, 3))).shape == (7, 2)


def test_training_goes_on(tmp_path):
    """In both modes, with the gradients of the network that was exported."""
    net = nn.Dense(3, 2)
    cell = round_trip(tmp_path, net, X)

    def loss(run):
        return lambda x: (run(x) ** 2).sum()

    wanted = ms.grad(loss(net), None, net.trainable_params())(X)
    for got, gradient in zip(ms.grad(loss(cell), None, cell.trainable_params())(X), wanted):
        np.testing.assert_allclose(got.asnumpy(), gradient.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(ms.grad(loss(cell))(X).asnumpy(), ms.grad(loss(net))(X).asnumpy(), rtol=1e-6)
    step = nn.TrainOneStepCell(nn.WithLossCell(cell, nn.MSELoss()), nn.SGD(cell.trainable_params(), 0.01))
    step.set_train()
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        losses = [float(step(X, ops.ones((2, 2)))) for _ in range(4)]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert losses == sorted(losses, reverse=True)
    assert losses[0] != losses[-1]


class Counting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = ms.Parameter(ms.Tensor([0.0]), requires_grad=False)
        self.offset = ms.Tensor([10.0])

    def construct(self, x):
        self.count += 1
        return x + self.count + self.offset


def test_parameters_that_the_network_writes(tmp_path):
    net = Counting()
    cell = round_trip(tmp_path, net, ms.Tensor([0.0]))
    assert float(net.count) == 0
    assert [float(cell(ms.Tensor([0.0]))) for _ in range(3)] == [11, 12, 13]
    assert float(cell.count) == 3
    assert float(copy.deepcopy(cell)(ms.Tensor([0.0]))) == 14
    assert float(cell.count) == 3


def test_params_init(tmp_path):
    round_trip(tmp_path, nn.Dense(3, 2, weight_init="zeros"), X)
    graph = ms.load(tmp_path / "net.pt2")
    ones = nn.GraphCell(graph, {"weight": ops.ones((2, 3)), "other": X})
    np.testing.assert_array_equal(ones(X).asnumpy() - nn.GraphCell(graph)(X).asnumpy(), [[3, 3], [12, 12]])
    for params, error in [
        ([1], TypeError), ({1: X}, TypeError), ({"weight": 1}, TypeError), ({"weight": X}, None),
        ({"weight": ops.ones((3, 2))}, ValueError), ({"weight": X.astype(ms.float64)}, ValueError),
    ]:  # fmt: skip
        if error is None:
            nn.GraphCell(graph, params)
        else:
            with pytest.raises(error, match="params_init"):
                nn.GraphCell(graph, params)
    with pytest.raises(TypeError, match="such as 'load' returns"):
        nn.GraphCell(None)
    with pytest.raises(NotImplementedError, match="obf_random_seed"):
        nn.GraphCell(graph, obf_random_seed=1)


DENSE = nn.Dense(3, 2)


@ms.jit
def captured(x):
    return DENSE(x) * 2


def test_functions(tmp_path):
    cell = round_trip(tmp_path, captured, X)
    np.testing.assert_allclose(cell(X).asnumpy(), DENSE(X).asnumpy() * 2, rtol=1e-6)
    assert {p.name for p in cell.get_parameters()} == {"weight", "bias"}


class OddNames(nn.Cell):
    """Its members are called like members of torch's modules."""

    def __init__(self):
        super().__init__()
        self.forward = nn.Dense(3, 3)
        self.type = ms.Parameter(ops.ones((3,)), name="a.b c")

    def construct(self, x):
        return self.forward(x) * self.type


def test_odd_names(tmp_path):
    net = OddNames()
    cell = round_trip(tmp_path, net, X)
    np.testing.assert_array_equal(cell(X).asnumpy(), net(X).asnumpy())
    assert {p.name for p in cell.get_parameters()} == {"a.b c", "forward.weight", "forward.bias"}


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_types(dtype, tmp_path):
    """The format's numbers of the types are those with which torch writes them."""

    class Constant(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("value", torch.ones(3).to(dtype))

        def forward(self, x):
            return x + 1, self.value

    torch.export.save(torch.export.export(Constant(), (X.torch,)), tmp_path / "net.pt2")
    graph = ms.load(tmp_path / "net.pt2")
    (held,) = graph.held
    assert held.value.dtype is dtype
    assert held.value.shape == (3,)


@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC", "SM4-CBC"])
def test_encryption(mode, tmp_path):
    key = b"k" * 16
    round_trip_file = tmp_path / "net.pt2"
    ms.export(DENSE, X, file_name=round_trip_file, file_format="PT2", enc_key=key, enc_mode=mode)
    np.testing.assert_array_equal(
        nn.GraphCell(ms.load(round_trip_file, dec_key=key, dec_mode=mode))(X).asnumpy(), DENSE(X).asnumpy()
    )
    for options in ({}, {"dec_key": b"q" * 16, "dec_mode": mode}):
        with pytest.raises(ValueError, match="encrypt"):
            ms.load(round_trip_file, **options)


def test_encryption_by_functions(tmp_path):
    path = tmp_path / "net.pt2"

    def mirrored(name, key):
        assert key == 7
        with open(name, "rb") as file:
            return file.read()[::-1]

    ms.export(DENSE, X, file_name=path, file_format="PT2", enc_key=7, enc_mode=lambda content, key: content[::-1])
    np.testing.assert_array_equal(
        nn.GraphCell(ms.load(path, dec_key=7, dec_mode=mirrored))(X).asnumpy(), DENSE(X).asnumpy()
    )


def test_info(tmp_path):
    def change(model):
        model.producer_name = "factory"
        model.user_info["version"] = "11.0"

    graph = round_trip(tmp_path, nn.ReLU(), X, custom_func=change).graph
    assert (graph.info.producer_name, graph.info.user_info) == ("factory", {"version": "11.0"})


class Repeated(torch.nn.Module):
    def forward(self, x):
        return (x.expand(10**6, x.shape[0]).clone().sum(0),)


def test_a_file_that_asks_for_all_memory(tmp_path, monkeypatch):
    sizes = {0: torch.export.Dim("size", min=2, max=10**9)}
    torch.export.save(
        torch.export.export(Repeated(), (torch.ones(4),), dynamic_shapes=(sizes,)), str(tmp_path / "repeated.pt2")
    )
    cell = ms.nn.GraphCell(ms.load(str(tmp_path / "repeated.pt2")))
    for _ in range(2):
        with pytest.raises(
            ValueError, match=r"^For 'GraphCell', the graph computes a tensor of shape \(1000000, 20000"
        ):
            cell(ms.ops.ones(20_000_000))
    monkeypatch.setattr(exported_memory, "_WARNED_BYTES", 1 << 20)
    with pytest.warns(RuntimeWarning, match="'clone', which needs 7.6 MiB; it is given 0.0 MiB"):
        assert cell(ms.ops.ones(2))[0].asnumpy().tolist() == [1e6, 1e6]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cell(ms.ops.ones(2))


def test_conditions_on_values(tmp_path):
    net = Branching()
    cell = round_trip(tmp_path, net, open_batch(X.asnumpy()))
    for x in BRANCHES:
        for ours, theirs in zip(arrays(cell(ms.Tensor(x))), arrays(net(ms.Tensor(x))), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_a_length_that_is_left_open(tmp_path):
    given = ms.mutable((X, X), dynamic_len=True)
    with pytest.warns(RuntimeWarning, match="a file holds one length of a list or tuple"):
        cell = round_trip(tmp_path, lambda values: sum(values[1:], values[0]), given)
    assert np.array_equal(cell((X, X)).asnumpy(), 2 * X.asnumpy())
    with pytest.raises(ValueError, match="must be a tuple of 2 elements"):
        cell((X, X, X))
