"""ONNX files compute in ONNX Runtime what the network computes."""

from __future__ import annotations

import os

import numpy as np
import pytest

import torchspore as ms
from export.networks import BRANCHES, NETWORKS, Branching, arrays, open_batch
from torchspore import nn, ops
from torchspore.serialization.exporting import onnx_file

pytest.importorskip("onnx")
pytest.importorskip("onnxscript")
runtime = pytest.importorskip("onnxruntime")

pytestmark = pytest.mark.slow  # torch.export is

X = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def run(path, **inputs):
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_with_a_batch_of_any_size(name, tmp_path):
    kind, x = NETWORKS[name]
    net = kind()
    ms.export(net.set_train(), open_batch(x), file_name=tmp_path / "net", file_format="ONNX")
    assert os.listdir(tmp_path) == ["net.onnx"]
    net.set_train(False)
    for batch in (x, np.concatenate([x, x])[:5]):
        for got, wanted in zip(run(tmp_path / "net.onnx", x=batch), arrays(net(ms.Tensor(batch))), strict=True):
            np.testing.assert_allclose(got, wanted, atol=1e-5)


class Two(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 2)

    def construct(self, x, pair):
        return self.dense(x), pair[0] + pair[1]


def test_names(tmp_path):
    net = Two()
    ms.onnx.export(
        net, X, (X, X), file_name=tmp_path / "new" / "net", input_names=["first"], output_names=["out"],
        dynamic_axes={"first": {0: "rows"}, "pair_0": {1: "columns"}, "pair_1": {1: "columns"}},
    )  # fmt: skip
    session = runtime.InferenceSession(tmp_path / "new" / "net.onnx", providers=["CPUExecutionProvider"])
    shapes = {value.name: value.shape for value in session.get_inputs()}
    assert shapes == {"first": ["rows", 3], "pair_0": [2, "columns"], "pair_1": [2, "columns"]}
    assert session.get_outputs()[0].name == "out"
    big = np.ones((9, 3), np.float32)
    pair = {"pair_0": big[:2, :1], "pair_1": big[:2, :1]}
    dense, total = session.run(None, {"first": big, **pair})
    np.testing.assert_allclose(dense, net.dense(ms.Tensor(big)).asnumpy(), atol=1e-5)
    assert total.tolist() == [[2], [2]]


@pytest.mark.parametrize("options", [{"export_params": False}, {"keep_initializers_as_inputs": True}])
def test_weights_as_inputs(options, tmp_path):
    net = nn.Dense(3, 2)
    ms.onnx.export(net, X, file_name=tmp_path / "net.onnx", **options)
    weights = {"weight": np.ones((2, 3), np.float32), "bias": np.zeros(2, np.float32)}
    (got,) = run(tmp_path / "net.onnx", x=X.asnumpy(), **weights)
    assert got.tolist() == [[3, 3], [12, 12]]
    if "export_params" not in options:
        np.testing.assert_allclose(run(tmp_path / "net.onnx", x=X.asnumpy())[0], net(X).asnumpy(), atol=1e-5)


class Sorting(nn.Cell):
    def construct(self, x):
        return (*ops.sort(x, 1), *ops.sort(x, 0, True))


def test_equal_elements_stay_in_order(tmp_path):
    x = ms.Tensor([[3.0, 1, 1, 2], [2, 2, 5, 2]])
    ms.onnx.export(Sorting(), x, file_name=tmp_path / "net.onnx")
    for got, wanted in zip(run(tmp_path / "net.onnx", x=x.asnumpy()), Sorting()(x), strict=True):
        assert got.tolist() == wanted.asnumpy().tolist()


def test_large_weights_go_to_a_second_file(tmp_path, monkeypatch):
    monkeypatch.setattr(onnx_file, "_MAX_BYTES", 1000)
    net = nn.Dense(3, 700)
    ms.onnx.export(net, X, file_name=tmp_path / "net", input_names=["x"])
    assert sorted(os.listdir(tmp_path)) == ["net.onnx", "net.onnx.data"]
    np.testing.assert_allclose(run(tmp_path / "net.onnx", x=X.asnumpy())[0], net(X).asnumpy(), atol=1e-5)


class Unknown(nn.Cell):
    def construct(self, x):
        return ops.eigvals(x)


@pytest.mark.parametrize(
    ("net", "options", "error", "words"),
    [
        (nn.ReLU(), {"input_names": "x"}, TypeError, "'input_names' must be a list"),
        (nn.ReLU(), {"output_names": ("x",)}, TypeError, "'output_names' must be a list"),
        (nn.ReLU(), {"dynamic_axes": [0]}, TypeError, "'dynamic_axes' must be a dict"),
        (nn.ReLU(), {"export_params": 1}, TypeError, "'export_params'"),
        (nn.ReLU(), {"input_names": ["a", "b", "c"]}, ValueError, "has 1 inputs"),
        (nn.ReLU(), {"dynamic_axes": {"y": {0: "n"}}}, ValueError, "the inputs are input"),
        (nn.ReLU(), {"dynamic_axes": {"input": {2: "n"}}}, ValueError, "has 2 dimensions"),
        (Unknown(), {}, ValueError, "has no form in ONNX"),
    ],
)
def test_refusals(net, options, error, words, tmp_path):
    x = ops.ones((3, 3))
    with pytest.raises(error, match=words):
        ms.onnx.export(net, x, file_name=tmp_path / "net", **options)
    assert os.listdir(tmp_path) == []


def test_missing_packages(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for export in (ms.onnx.export, lambda *args, **options: ms.export(*args, file_format="ONNX", **options)):
        with pytest.raises(ModuleNotFoundError, match=r"onnx and onnxscript: pip install 'torchspore\[onnx\]'"):
            export(nn.ReLU(), X, file_name=tmp_path / "net")


def test_conditions_on_values(tmp_path):
    net = Branching()
    ms.export(net, open_batch(X.asnumpy()), file_name=tmp_path / "net", file_format="ONNX")
    for x in BRANCHES:
        for got, wanted in zip(run(tmp_path / "net.onnx", x=x), arrays(net(ms.Tensor(x))), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-5)
