"""MINDIR files as messages, which programs read, change and write."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn
from torchspore.train import mind_ir_pb2

pytest.importorskip("google.protobuf")

ARCHIVES = sorted(Path(__file__).parents[1].glob("data/mindir/mindspore_*.zip"))
X = ms.Tensor([[1.0, 2.0]])


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.stem)
def test_files_of_mindspore_are_written_as_they_are(path, tmp_path):
    with zipfile.ZipFile(path) as archive:
        content = archive.read("lenet.mindir")
    (tmp_path / "net.mindir").write_bytes(content)
    model = ms.load_mindir(tmp_path / "net.mindir")
    assert isinstance(model, mind_ir_pb2.ModelProto)
    assert "Conv2D" in {each.op_type for each in model.primitives}
    ms.save_mindir(model, tmp_path / "again")
    again = ms.load_mindir(tmp_path / "again.mindir")
    assert again == model
    assert len((tmp_path / "again.mindir").read_bytes()) == len(content)


def test_a_changed_weight(tmp_path):
    net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
    ms.export(net, X, file_name=tmp_path / "net", file_format="MINDIR")
    model = ms.load_mindir(str(tmp_path / "net.mindir"))
    (weight,) = model.graph.parameter
    assert weight.ref_key == "weight"
    assert mind_ir_pb2.TensorProto.DataType.Name(weight.data_type) == "FLOAT"
    values = np.frombuffer(weight.raw_data, np.float32)
    weight.raw_data = (values * 2).tobytes()
    model.user_info.add(key="author", value="me")
    ms.save_mindir(model, str(tmp_path / "folder/new"))
    graph = ms.load(tmp_path / "folder/new.mindir")
    assert nn.GraphCell(graph)(X).asnumpy().tolist() == [[6.0]]
    assert graph.info.user_info == {"author": "me"}


def test_a_graph_made_of_messages(tmp_path):
    model = mind_ir_pb2.ModelProto(ir_version="0.1.1", producer_name="me", little_endian=True)
    model.graph.name = "net"
    given = model.graph.input.add(name="x")
    given.tensor.add(data_type=mind_ir_pb2.TensorProto.FLOAT, dims=[1, 2])
    kind = mind_ir_pb2.PrimitiveProto.PrimType.Value("PRIMITIVE")
    model.primitives.add(name="ReLU:1", op_type="ReLU", prim_type=kind)
    node = model.graph.node.add(name="relu", op_type="REF::ReLU:1", input=["x"], output=["y"])
    shape = node.attribute.add(name="shape", type=mind_ir_pb2.AttributeProto.TENSORS)
    shape.tensors.add(data_type=1, dims=[1, 2])
    model.graph.output.add(name="y").tensor.add(data_type=1, dims=[1, 2])
    ms.save_mindir(model, tmp_path / "net.mindir")
    assert nn.GraphCell(ms.load(tmp_path / "net.mindir"))(ms.Tensor([[-1.0, 2.0]])).asnumpy().tolist() == [[0, 2]]


def test_names():
    assert mind_ir_pb2.Version.items()[1] == ("IR_VERSION", mind_ir_pb2.IR_VERSION)
    assert mind_ir_pb2.ModelProto.DESCRIPTOR.full_name == "mind_ir.ModelProto"
    assert mind_ir_pb2.TensorProto.CompressionType.Name(2) == "SPARSE"
    assert set(mind_ir_pb2.DESCRIPTOR.message_types_by_name) < set(dir(mind_ir_pb2))
    with pytest.raises(AttributeError, match="has no attribute 'Model'"):
        mind_ir_pb2.Model  # noqa: B018


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda folder: ms.load_mindir(folder / "none.mindir"), ValueError, "'load_mindir', there is no file '.*none"),
        (lambda folder: ms.load_mindir(folder / "bad.mindir"), ValueError, "'load_mindir', '.*' is not a MINDIR file"),
        (lambda folder: ms.load_mindir(3), TypeError, "'load_mindir', 'file_name'"),
        (lambda folder: ms.save_mindir(3, folder / "a"), TypeError, "'model' must be a ModelProto.* got 3"),
        (lambda folder: ms.save_mindir(mind_ir_pb2.GraphProto(), folder / "a"), TypeError, "must be a ModelProto"),
        (lambda folder: ms.save_mindir(mind_ir_pb2.ModelProto(), 3), TypeError, "'save_mindir', 'file_name'"),
    ],
)
def test_refusals(call, error, words, tmp_path):
    (tmp_path / "bad.mindir").write_bytes(b"something")
    with pytest.raises(error, match=words):
        call(tmp_path)
