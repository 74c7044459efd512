"""`python -m torchspore convert` rewrites graphs and weights."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn
from torchspore.serialization.convert_command import convert, main

ROWS = ms.Tensor(np.linspace(-1, 1, 15, dtype=np.float32).reshape(5, 3))


@pytest.fixture
def network():
    return nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))


@pytest.mark.parametrize("new", ["mindir", "pt2", "onnx"])
@pytest.mark.parametrize("old", ["MINDIR", "PT2", "ONNX"])
def test_a_graph(network, old, new, tmp_path):
    """It computes the same, has the same parameters, and its first size stays open.

    ONNX's exporter stores what it computes from constants, such as transposed weights, under other names.
    """
    open_rows = ms.Tensor(shape=[None, 3], dtype=ms.float32)
    ms.export(network, open_rows, file_name=tmp_path / "old", file_format=old)
    rows = convert(str(tmp_path / f"old.{old.lower()}"), str(tmp_path / f"new.{new}"))
    assert [kind for kind, *_ in rows] == ["input", *["parameter"] * 4]
    cell = nn.GraphCell(ms.load(tmp_path / f"new.{new}"))
    if new != "onnx":
        assert {parameter.name for parameter in cell.get_parameters()} == {
            parameter.name for parameter in network.get_parameters()
        }
    np.testing.assert_allclose(cell(ROWS).asnumpy(), network(ROWS).asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("new", ["ckpt", "safetensors"])
def test_weights(network, new, tmp_path):
    ms.export(network, ROWS, file_name=tmp_path / "old", file_format="MINDIR")
    convert(str(tmp_path / "old.mindir"), str(tmp_path / f"new.{new}"))
    back = {"ckpt": "safetensors", "safetensors": "ckpt"}[new]
    convert(str(tmp_path / f"new.{new}"), str(tmp_path / f"back.{back}"))
    found = ms.load_checkpoint(str(tmp_path / f"back.{back}"), format=back)
    for parameter in network.get_parameters():
        np.testing.assert_array_equal(found[parameter.name].asnumpy(), parameter.asnumpy())


def test_the_command(network, tmp_path, capsys):
    ms.export(network, ROWS, file_name=tmp_path / "old", file_format="MINDIR")
    assert main([str(tmp_path / "old.mindir"), str(tmp_path / "new.pt2")]) == 0
    assert "(5, 3) float32" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("a.ckpt", "b.mindir", "has weights and no graph"),
        ("a.mindir", "b.txt", "must end with"),
        ("a.mindir", "b.onnx", "there is no file"),
    ],
)
def test_what_is_impossible(source, target, message, tmp_path, capsys):
    assert main([str(tmp_path / source), str(tmp_path / target)]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
