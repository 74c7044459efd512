"""The forms of MINDIR files, and files that nobody should trust: they are read, or refused with reasons."""

from __future__ import annotations

import itertools
import random
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn

pytest.importorskip("google.protobuf")

from torchspore.serialization.mindir.messages import AttributeKind, DataType, new_message

FOLDER = Path(__file__).parents[1] / "data/mindir"
KEY = b"0123456789abcdef"
X = ms.Tensor(np.ones((2, 3), np.float32))
WANTED = [[0.375, 2.5, 4.625, 6.75]] * 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("formats")
    zipfile.ZipFile(FOLDER / "formats.zip").extractall(path)
    return path


def applied(path, key):
    return bytes(byte ^ key[0] for byte in Path(path).read_bytes())


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("1.10-AES-GCM", {"dec_key": KEY}),
        ("1.10-AES-CBC", {"dec_key": 2 * KEY, "dec_mode": "AES-CBC"}),
        ("1.10-function", {"dec_key": b"k", "dec_mode": applied}),
        ("1.10-weights_graph", {}),
        ("1.10-secret_graph", {"dec_key": KEY}),
        ("2.10-AES-GCM", {"dec_key": KEY}),
        ("2.10-AES-CBC", {"dec_key": 2 * KEY, "dec_mode": "AES-CBC"}),
        ("2.10-SM4-CBC", {"dec_key": KEY, "dec_mode": "SM4-CBC"}),
        ("2.10-function", {"dec_key": b"k", "dec_mode": applied}),
        ("2.10-weights_graph", {}),
        ("2.10-secret_graph", {"dec_key": KEY}),
        ("2.10-user", {}),
    ],
)
def test_encrypted_files_and_weights_in_other_files(folder, name, options):
    if "dec_key" in options:
        pytest.importorskip("cryptography")
    graph = ms.load(folder / f"{name}.mindir", **options)
    np.testing.assert_allclose(nn.GraphCell(graph)(X).asnumpy(), WANTED)
    assert graph.info.user_info == ({"who": "me"} if "user" in name else {})


def test_open_shapes(folder):
    relu = nn.GraphCell(ms.load(folder / "2.10-rank.mindir"))
    assert relu(X).shape == (2, 3)
    assert relu(X[0, 0]).shape == ()
    dense = nn.GraphCell(ms.load(folder / "2.10-symbol.mindir"))
    assert dense(ms.ops.ones((5, 3))).shape == (5, 4)


def test_weights_are_only_read_in_the_files_folder(folder, tmp_path):
    content = (folder / "2.10-weights_graph.mindir").read_bytes()
    (tmp_path / "a.bin").write_bytes(bytes(400))
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path / "a.bin")
    for location in ("../a.bin", str(tmp_path / "a.bin"), "link", "none", "", "\0", "."):
        model = new_message("ModelProto")
        model.ParseFromString(content)
        for parameter in model.graph.parameter:
            parameter.external_data.location = location
        (inside / "net.mindir").write_bytes(model.SerializeToString())
        with pytest.raises(ValueError, match="there is no such file in its folder"):
            ms.load(inside / "net.mindir")


def test_weights_that_are_not_there(folder, tmp_path):
    (tmp_path / "net.mindir").write_bytes((folder / "2.10-weights_graph.mindir").read_bytes())
    weights = tmp_path / "2.10-weights_variables"
    weights.mkdir()
    (weights / "data_0").write_bytes(bytes(100))
    with pytest.raises(ValueError, match=r"the bytes of its weight '.*weight' are not all in"):
        ms.load(tmp_path / "net.mindir")


# Graphs made here


def graph_of(tmp_path, *nodes, constants=(), functions=(), output="y"):
    """Load a graph of the input x: nodes are (name of a primitive or graph, inputs, output)."""
    model = new_message("ModelProto")
    model.graph.name = "g"
    given = model.graph.input.add(name="x")
    given.tensor.add(data_type=DataType.FLOAT, dims=[2])
    fill(model.graph, nodes, constants, output)
    for name, inputs, inner, result in functions:
        graph = model.functions.add(name=name)
        for each in inputs:
            graph.input.add(name=each)
        fill(graph, inner, (), result)
    (tmp_path / "net.mindir").write_bytes(model.SerializeToString())
    return nn.GraphCell(ms.load(tmp_path / "net.mindir"))


def fill(graph, nodes, constants, output):
    for name, value in constants:
        node = graph.node.add(op_type="Constant", output=[name])
        node.attribute.add(name="value", type=AttributeKind.INT64, i=value)
    for kind, inputs, result in nodes:
        graph.node.add(op_type=kind, name=f"node_{result}", input=inputs, output=[result])
    graph.output.add(name=output)


VECTOR = ms.Tensor(np.array([1, -2], np.float32))


def test_a_graph_made_here(tmp_path):
    assert graph_of(tmp_path, ("ReLU", ["x"], "y"))(VECTOR).asnumpy().tolist() == [1, 0]


def doubled(kind, first, count=70):
    names = [first, *(f"v{number}" for number in range(count))]
    return [(kind, [before, before], after) for before, after in itertools.pairwise(names)]


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        (doubled("MakeTuple", "x"), "parts"),
        ([("MakeTuple", ["x"], "t"), *doubled("SequenceAdd", "t")], "parts"),
        (doubled("ScalarMul", "n"), "64 bits"),
        (doubled("ScalarPow", "n"), "64 bits"),
        ([("MakeTuple", ["x"], "t"), ("SequenceMul", ["t", "big"], "v69")], "parts"),
        ([("MakeTuple", ["x"], "v-99")] + [("MakeTuple", [f"v{i - 1}"], f"v{i}") for i in range(-98, 70)], "nested"),
        ([("ScalarFloorDiv", ["n", "zero"], "v69")], "ZeroDivisionError"),
        ([("Zeros", ["huge", "type"], "v69")], "size"),
        ([("Reshape", ["x", "huge"], "v69")], "shape"),
        ([("TupleGetItem", ["x", "big"], "v69")], "out of"),
        ([("Concat", ["x"], "v69")], "concatenated"),
    ],
)
def test_graphs_that_would_take_too_much(nodes, words, tmp_path):
    nodes = [("MakeTuple", ["big", "big"], "huge"), *nodes]
    constants = [("n", 3), ("big", 2**40), ("zero", 0), ("type", 43)]
    cell = graph_of(tmp_path, *nodes, constants=constants, output="v69")
    with pytest.raises((ValueError, TypeError), match=f"(?s)^For '.*{words}.*by the graph's node 'node_v"):
        cell(VECTOR)


def test_recursion_without_end(tmp_path):
    function = ("f", ["a"], [("REF::f", ["a"], "b"), ("ReLU", ["b"], "c")], "c")
    cell = graph_of(tmp_path, ("REF::f", ["x"], "y"), functions=[function])
    with pytest.raises((ValueError, TypeError, RuntimeError), match=r"^For 'GraphCell', .*recursion"):
        cell(VECTOR)


def test_many_partials(tmp_path):
    function = ("f", ["a"], [("ReLU", ["a"], "c")], "c")
    nodes = [("Partial", ["f"], "p0")] + [("Partial", [f"p{i}"], f"p{i + 1}") for i in range(5000)]
    cell = graph_of(tmp_path, *nodes, ("p5000", ["x"], "y"), functions=[function])
    assert cell(VECTOR).asnumpy().tolist() == [1, 0]


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([("NoSuch", ["x"], "y")], "its node 'node_y' is a 'NoSuch', and TorchSpore has none; export a network that"),
        ([("PyFunc", ["x"], "y")], "its node 'node_y' is a 'PyFunc', and files may not use it"),
        ([("Custom", ["x"], "y")], "'Custom', and files may not use it"),
        ([("AsStrided", ["x"], "y")], "'AsStrided', and files may not use it"),
        ([("as_strided", ["x"], "y")], "its node 'node_y' is a 'as_strided'"),
        ([("__class__", ["x"], "y")], "its node 'node_y' is a '__class__'"),
        ([("AllReduce", ["x"], "y")], "'AllReduce', and files may not use it"),
        ([("ReLU", ["z"], "y")], "'z', which nothing defines before"),
        ([("ReLU", ["y"], "y")], "'y', which nothing defines before"),
        ([("ReLU", ["x"], "y"), ("ReLU", ["x"], "y")], "two values of the name 'y'"),
        ([("ReLU", ["x"], "z")], "'y', which nothing defines before"),
        ([("REF::g", ["x"], "y")], "'g', which it does not describe"),
    ],
)
def test_graphs_that_are_refused(nodes, words, tmp_path):
    with pytest.raises(ValueError, match=f"^For 'load', .*net.mindir' cannot be read: .*{re.escape(words)}"):
        graph_of(tmp_path, *nodes)


def test_errors_name_the_node(tmp_path):
    cell = graph_of(tmp_path, ("ReLU", ["x"], "z"), ("MatMul", ["z", "z"], "y"))
    with pytest.raises(
        ValueError, match=r"^For 'GraphCell', 'input' must have 2 dim.* It is raised by the graph's node 'node_y'\.$"
    ):
        cell(VECTOR)


def test_unused_memory_is_not_shown(tmp_path):
    cell = graph_of(tmp_path, ("MakeTuple", ["n"], "s"), ("Empty", ["s"], "y"), constants=[("n", 100)])
    assert not cell(VECTOR).asnumpy().any()


# Damaged files


def damaged(content, chance):
    """Return a file with some fields of its messages changed."""
    model = new_message("ModelProto")
    model.ParseFromString(content)
    found = [(model, None)]
    for message, _ in found:
        for field, value in message.ListFields():
            if field.type == field.TYPE_MESSAGE:
                found += [(part, field) for part in (value if field.is_repeated else [value])]
    for _ in range(chance.choice([1, 2, 4])):
        message, _ = chance.choice(found)
        fields = message.ListFields()
        if fields:
            change(message, *chance.choice(fields), chance, [name for node in model.graph.node for name in node.output])
    return model.SerializeToString()


def change(message, field, value, chance, names):
    numbers = [0, 1, -1, 2, 7, 41, 2**31 - 1, -(2**31)]
    new = {
        field.TYPE_INT64: [*numbers, 2**62, -(2**63)], field.TYPE_INT32: numbers, field.TYPE_BOOL: [True, False],
        field.TYPE_STRING: [*names, "", "REF::x", "Switch", "Partial", "Conv2D", "BatchNorm", "construct"],
        field.TYPE_BYTES: [b"", b"same", b"NHWC", b"\xff"], field.TYPE_FLOAT: [0.0, -1.0, 1e30, float("nan")],
        field.TYPE_DOUBLE: [0.0, float("inf")],
        field.TYPE_ENUM: [each.number for each in field.enum_type.values] if field.enum_type else None,
    }.get(field.type)  # fmt: skip
    if field.is_repeated and chance.random() < 0.4:
        del value[chance.randrange(len(value))]
    elif field.is_repeated and new is None:
        value[chance.randrange(len(value))].ParseFromString(chance.choice(list(value)).SerializeToString())
    elif field.is_repeated:
        value[chance.randrange(len(value))] = chance.choice(new)
    elif new is None:
        message.ClearField(field.name)
    else:
        setattr(message, field.name, chance.choice(new))


@pytest.mark.parametrize("name", ["lenet", "bert", "while_break", "counter", "slices", "norms"])
@pytest.mark.parametrize("version", ["1.10", "2.10"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_damaged_files(version, name, tmp_path):
    content = zipfile.ZipFile(FOLDER / f"mindspore_{version}.zip").read(f"{name}.mindir")
    chance = random.Random(f"{version} {name} 0")  # none of them has a loop without end
    ends = set()
    for number in range(12):
        data = damaged(content, chance)
        if number % 4 == 3:
            position = chance.randrange(len(content))
            data = content[:position] + bytes([chance.randrange(256)]) + content[position + 1 :]
        (tmp_path / "net.mindir").write_bytes(data)
        try:
            graph = ms.load(tmp_path / "net.mindir")
            shapes = [tuple(2 if size is None else size for size in each.sizes or ()) for each in graph.inputs]
            if all(np.prod(shape, dtype=object) < 10**5 for shape in shapes):
                kinds = [ms.common.dtype.FROM_TORCH[each.dtype] for each in graph.inputs]
                leaves = iter([ms.ops.ones(shape, kind) for shape, kind in zip(shapes, kinds)])
                nn.GraphCell(graph)(*graph.arguments.build(leaves))
            ends.add("read")
        except (ValueError, TypeError, KeyError) as error:
            text = str(error).strip("\"'")
            ends.add("named" if text.startswith("For ") else text)
    assert ends <= {"read", "named"}
