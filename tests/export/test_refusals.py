"""What cannot be exported or loaded says so, and files that are not what they seem run nothing."""

from __future__ import annotations

import io
import json
import os
import pickle
import warnings
import zipfile

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn, ops

X = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
OPEN = ms.Tensor(shape=[None, 3], dtype=ms.float32)


def writing(x):
    x[0] = 1.0
    return x if x.sum() > 0 else -x


class Reading(nn.Cell):
    def construct(self, x):
        return ms.Tensor(x.asnumpy() + 1)


class Printing(nn.Cell):
    def construct(self, x):
        print(x)
        return x


class Summarizing(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scalar, self.histogram = ops.ScalarSummary(), ops.HistogramSummary()

    def construct(self, x):
        self.scalar("mean", x.mean())
        self.histogram("x", x)
        return x * 2


class Fixing(nn.Cell):
    def construct(self, x):
        return x.reshape(4, 3)


class Differentiating(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(3, 2)

    def construct(self, x):
        return ms.grad(self.layer)(x)


class Failing(Differentiating):
    def construct(self, x):
        return [super().construct(x)][1]


class Drawing(nn.Cell):
    def construct(self, x):
        return x + ops.standard_normal((3,), seed=1)


@pytest.mark.parametrize(
    ("net", "inputs", "error", "words"),
    [
        (lambda x: x * int(x.sum()), (X,), ValueError, r"int\(x.sum\(\)\).*: it converts a tensor .* to a Python int"),
        (lambda x: x if x.sum() > 0 else x[0], (X,), ValueError, r"its results have different shapes .* \(2, 3\) of"),
        (lambda x: x if x.sum() > 0 else (x,), (X,), ValueError, "its results have different structures"),
        (writing, (X,), ValueError, "it writes into an input or a parameter, and has conditions on values"),
        (Reading(), (X,), ValueError, r"x.asnumpy\(\) \+ 1\)'\): the value of a tensor was asked for"),
        (Fixing(), (OPEN,), ValueError, "dimension 0 of input 0 is left open, but the network fixes it to 4"),
        (Differentiating(), (X,), ValueError, r"ms.grad\(self.layer\)\(x\)'\): torch does not export the gradient"),
        (Failing(), (X,), IndexError, "list index"),
        (nn.Dense(5, 2), (X,), ValueError, "^For 'Dense'"),
        (nn.Dense(3, 2), (), TypeError, "inputs of construct"),
        (nn.Dense(3, 2), (X, X), TypeError, "inputs of construct"),
        (nn.Dense(3, 2), ([object()],), TypeError, "an object of type object"),
        (3, (X,), TypeError, "'net' must be a Cell or a function, but got 3"),
    ],
)
@pytest.mark.parametrize("file_format", ["PT2", "ONNX"])
def test_networks(net, inputs, error, words, file_format, tmp_path):
    with pytest.raises(error, match=words):
        ms.export(net, *inputs, file_name=tmp_path / "net", file_format=file_format)
    assert os.listdir(tmp_path) == []


def repeating(x):
    for _ in range(x.shape[1] // 2):
        x = x * 2
    return x


def repeating_every(x):
    for _ in range(x.shape[0]):
        x = x * 2
    return x


class Checking(nn.Cell):
    def construct(self, x):
        assert x.shape[0] > 2
        if x.shape[1] % 2:
            raise ValueError("odd")
        return x.reshape(x.shape[0], 2, x.shape[1] // 2)


@pytest.mark.parametrize("file_format", ["MINDIR", "PT2", "ONNX"])
@pytest.mark.parametrize(
    ("network", "line"),
    [
        (lambda x: x if x.shape[1] % 2 else -x, r"x if x.shape\[1\] % 2 else -x"),
        (lambda x: x * int(x.shape[1] / 2), r"int\(x.shape\[1\] / 2\)"),
        (lambda x: x * float(x.shape[1]), r"float\(x.shape\[1\]\)"),
        (lambda x: x[:, : x.shape[1] > 9 and 3], r"x.shape\[1\] > 9 and 3"),
        (repeating, r"for _ in range\(x.shape\[1\] // 2\)"),
        (repeating_every, r"for _ in range\(x.shape\[0\]\)"),
    ],
)
def test_decisions_on_open_sizes(network, line, file_format, tmp_path):
    words = (
        rf"test_refusals.py:\d+ \('.*{line}.*'\): Python needs the value of an open size .* fixed size, or .*ops.where"
    )
    declared = ms.Tensor(shape=[None, None], dtype=ms.float32)
    with pytest.raises(ValueError, match=words):
        ms.export(network, declared, file_name=tmp_path / "net", file_format=file_format)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("network", [Checking(), lambda x: x[:, : min(x.shape[1], 8)]])
def test_what_is_no_decision_on_open_sizes(network, tmp_path):
    """A check by the user, and what torch computes from a size."""
    declared = ms.Tensor(shape=[None, None], dtype=ms.float32)
    ms.export(network, declared, file_name=tmp_path / "net", file_format="PT2")
    cell = nn.GraphCell(ms.load(tmp_path / "net.pt2"))
    for sizes in [(3, 4), (5, 10)]:
        x = ops.ones(sizes, ms.float32)
        assert cell(x).shape == network(x).shape


@pytest.mark.parametrize("file_format", ["PT2", "ONNX"])
def test_summaries_are_left_out(file_format, tmp_path):
    ms.export(Summarizing(), X, file_name=tmp_path / "net", file_format=file_format)
    assert os.listdir(tmp_path) == [f"net.{file_format.lower()}"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"file_format": "mindir"}, ValueError, "must be one of"),
        ({"file_format": "AIR"}, NotImplementedError, "Ascend"),
        ({"file_name": 3}, TypeError, "'file_name' must be a string"),
        ({"dataset": [1]}, NotImplementedError, "'dataset'"),
        ({"incremental": True}, NotImplementedError, "'incremental'"),
        ({"incremental": 1}, NotImplementedError, "'incremental'"),
        ({"custom_func": 3}, TypeError, "'custom_func'"),
        ({"enc_key": "k" * 16}, TypeError, "'enc_key'"),
        ({"enc_key": b"k"}, ValueError, "'enc_key'"),
        ({"enc_key": b"k" * 16, "file_format": "ONNX"}, ValueError, "'enc_key'"),
        ({"unknown": 1}, RuntimeWarning, "no argument 'unknown'"),
    ],
)
def test_arguments(options, error, words, tmp_path):
    with pytest.raises(error, match=words):
        ms.export(nn.ReLU(), X, **{"file_name": tmp_path / "net", "file_format": "PT2"} | options)
    assert os.listdir(tmp_path) == []


def test_a_failing_export_leaves_the_old_file(tmp_path):
    ms.export(nn.ReLU(), X, file_name=tmp_path / "net", file_format="PT2")
    before = (tmp_path / "net.pt2").read_bytes()

    def fail(model):
        raise KeyError("no")

    with pytest.raises(KeyError):
        ms.export(nn.ReLU(), X, file_name=tmp_path / "net", file_format="PT2", custom_func=fail)
    with pytest.raises(ValueError, match="asked for"):
        ms.export(Reading(), X, file_name=tmp_path / "net", file_format="PT2")
    assert (tmp_path / "net.pt2").read_bytes() == before
    assert os.listdir(tmp_path) == ["net.pt2"]


def test_training_flags_come_back(tmp_path):
    """Those of each cell, also after an error."""
    net = nn.SequentialCell(nn.Dropout(p=0.5), Reading(), nn.Dropout(p=0.5))
    net[0].set_train()
    with pytest.raises(ValueError, match="asked for"):
        ms.export(net, X, file_name=tmp_path / "net", file_format="PT2")
    assert [cell.training for cell in net] == [True, False, False]


def test_files_that_are_none(tmp_path):
    for name, content, words in [
        ("a.mindir", b"\n\x031.1\x12\tMindSpore*\x062.10.0", "has no graph"),
        ("b.mindir", b"something", "damaged"),
        ("c.mindir", b"", "has no graph"),
        ("d.mindir", b"PK\x03\x04 and then", "damaged"),
        ("e.txt", b"", "must end with .mindir, .pt2 or .onnx"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=words):
            ms.load(tmp_path / name)
    with pytest.raises(ValueError, match="there is no file"):
        ms.load(tmp_path / "none.mindir")
    with pytest.raises(TypeError, match="'file_name'"):
        ms.load(3)
    with pytest.raises(RuntimeWarning, match="no argument 'unknown'"):
        ms.load("net.pt2", unknown=1)


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """The members of a good file."""
    path = tmp_path_factory.mktemp("good") / "net.pt2"
    ms.export(nn.Dense(3, 2), OPEN, file_name=path, file_format="PT2")
    with zipfile.ZipFile(path) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def load(members, folder, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(folder / "net.pt2", "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(f"archive/{name}", content)
    return ms.load(folder / "net.pt2")


class Bomb:
    """Its pickle makes a folder where it is opened."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


MODEL = "models/model.json"
WEIGHTS = "data/weights/model_weights_config.json"


def test_pickles_are_refused_or_left_alone(members, tmp_path):
    bomb = pickle.dumps(Bomb(str(tmp_path / "exploded")))
    cell = nn.GraphCell(load({**members, "data/sample_inputs/model.pt": bomb, "data/constants/bomb": bomb}, tmp_path))
    assert cell(X).shape == (2, 2)
    config = json.loads(members[WEIGHTS])
    config["config"]["weight"].update(use_pickle=True, path_name="bomb")
    with pytest.raises(ValueError, match="is a pickle"):
        load({**members, WEIGHTS: json.dumps(config), "data/weights/bomb": bomb}, tmp_path)
    assert not (tmp_path / "exploded").exists()


def changed(members, path, value):
    """Return the members with one value in the description replaced."""
    model = json.loads(members[MODEL])
    place = model["graph_module"]
    for key in path[:-1]:
        place = place[key]
    assert path[-1] in (place if isinstance(place, dict) else range(len(place)))
    place[path[-1]] = value
    return {**members, MODEL: json.dumps(model)}


NODE = ("graph", "nodes", 0)
ATTACK = "__import__('os').mkdir('exploded')"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ((*NODE, "target"), "os.system", "calls 'os.system'"),
        ((*NODE, "target"), "torch.ops.aten.from_file.default", "calls 'torch.ops.aten.from_file.default'"),
        ((*NODE, "target"), "torch.ops.aten.__class__.__name__", "which is not among the operations"),
        ((*NODE, "target"), "torch.ops.profiler._record_function_enter.default", "which is not among the operations"),
        ((*NODE, "inputs", 0), {"name": f"x={ATTACK}", "arg": {"as_int": 1}, "kind": 2}, "with the arguments"),
        ((*NODE, "inputs", 0, "arg"), {"as_custom_obj": {"name": "x", "class_fqn": "os"}}, "as_custom_obj"),
        ((*NODE, "inputs", 0, "arg"), {"as_tensor": {"name": "unknown"}}, "damaged"),
        (("graph", "nodes"), 3, "damaged"),
        (("signature", "output_specs", 0), {"token": {"arg": {"name": "x"}}}, "damaged|token"),
    ],
)
def test_descriptions_that_call_for_something_else(path, value, words, members, tmp_path):
    with pytest.raises(ValueError, match=words):
        load(changed(members, path, value), tmp_path)


def test_texts_are_not_evaluated(members, tmp_path, monkeypatch):
    """Torch's own reader would run these."""
    monkeypatch.chdir(tmp_path)
    sizes = json.loads(members[MODEL])["graph_module"]["graph"]["tensor_values"]
    (name,) = [name for name, meta in sizes.items() if "as_expr" in json.dumps(meta) and "args" in name]
    members = changed(members, ("graph", "tensor_values", name, "sizes", 0), {"as_expr": {"expr_str": ATTACK}})
    model = json.loads(members[MODEL])
    model["guards_code"] = [ATTACK]
    text = json.dumps(model).replace(f'"{name}"', json.dumps(f"x={ATTACK}"))  # a placeholder's name
    assert nn.GraphCell(load({**members, MODEL: text}, tmp_path))(X).shape == (2, 2)
    assert not (tmp_path / "exploded").exists()


def test_damages(members, tmp_path):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"archive/{name}", content)
    content = whole.getvalue()
    weight = content.index(members["data/weights/weight_0"])
    for damaged in (content[: len(content) // 2], content[:weight] + b"1234" + content[weight + 4 :]):
        (tmp_path / "net.pt2").write_bytes(damaged)
        with pytest.raises(ValueError, match="it is damaged"):
            ms.load(tmp_path / "net.pt2")
    with pytest.raises(ValueError, match="is compressed"):
        load(members, tmp_path, zipfile.ZIP_DEFLATED)
    for missing in (MODEL, WEIGHTS, "data/weights/weight_0"):
        with pytest.raises(ValueError, match="it has no"):
            load({name: content for name, content in members.items() if name != missing}, tmp_path)
    short = {**members, "data/weights/weight_0": members["data/weights/weight_0"][:8]}
    with pytest.raises(ValueError, match="damaged"):
        load(short, tmp_path)
    version = json.loads(members[MODEL])
    version["schema_version"]["major"] = 99
    with pytest.raises(ValueError, match="version"):
        load({**members, MODEL: json.dumps(version)}, tmp_path)


def described(members, **changes):
    """Return the members with another description of the weight."""
    config = json.loads(members[WEIGHTS])
    for key, value in changes.items():
        config["config"]["weight"]["tensor_meta"][key] = value
    return {**members, WEIGHTS: json.dumps(config)}


def ints(*values):
    return [{"as_int": value} for value in values]


MEMORY = "need more memory than a file of its length"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sizes": ints(10**6, 10**6), "strides": ints(0, 0)}, MEMORY),
        ({"sizes": ints(2**62, 2), "strides": ints(0, 0)}, MEMORY),
        ({"sizes": ints(3, 2), "strides": ints(2**40, 1)}, "damaged"),
        ({"sizes": ints(3, 2), "strides": ints(-2, 1)}, "damaged"),
        ({"storage_offset": {"as_int": 2**60}}, "damaged"),
        ({"storage_offset": {"as_int": -1}}, "damaged"),
        ({"sizes": ints(-1, 2)}, "damaged"),
        ({"dtype": 12, "sizes": ints(8), "strides": ints(1)}, "its bools are not all 0 or 1"),
        ({"dtype": 99}, "damaged"),
    ],
)
def test_tensors_that_are_not_in_the_file(changes, words, members, tmp_path):
    with pytest.raises(ValueError, match=f"^For 'load', .*{words}"):
        load(described(members, **changes), tmp_path)


def test_many_tensors_of_the_same_bytes(members, tmp_path):
    """Each may repeat the bytes a little, but not all of them together."""
    config = json.loads(members[WEIGHTS])
    weight = config["config"]["weight"]
    weight["tensor_meta"].update(sizes=ints(50_000, 2), strides=ints(0, 1))
    model = json.loads(members[MODEL])
    specification = next(each for each in model["graph_module"]["signature"]["input_specs"] if "parameter" in each)
    for number in range(50):
        config["config"][f"w{number}"] = weight
        more = {"parameter": {"arg": {"name": f"w{number}"}, "parameter_name": f"w{number}"}}
        model["graph_module"]["signature"]["input_specs"].insert(0, more)
    assert specification
    with pytest.raises(ValueError, match=MEMORY):
        load({**members, WEIGHTS: json.dumps(config), MODEL: json.dumps(model)}, tmp_path)


def calling(members, target, *values, **named):
    """Return the members with another first operation."""
    arguments = [{"name": "x", "arg": value, "kind": 1} for value in values]
    arguments += [{"name": name, "arg": value, "kind": 2} for name, value in named.items()]
    return changed(changed(members, (*NODE, "target"), target), (*NODE, "inputs"), arguments)


@pytest.mark.parametrize(
    ("target", "values", "words"),
    [
        ("full.default", [{"as_ints": [10**6, 10**12]}, {"as_float": 1.0}], "elements, more than"),
        ("zeros.default", [{"as_ints": [10**18]}], "elements, more than"),
        ("arange.default", [{"as_int": 10**18}], "elements, more than"),
        ("arange.start_step", [{"as_int": -(10**17)}, {"as_int": 10**18}, {"as_int": 3}], "elements, more than"),
        ("eye.m", [{"as_int": 10**9}, {"as_int": 10**9}], "elements, more than"),
        ("linspace.default", [{"as_float": 0.0}, {"as_float": 1.0}, {"as_int": 10**18}], "elements, more than"),
        ("randperm.default", [{"as_int": 10**18}], "elements, more than"),
        ("expand.default", [{"as_none": []}, {"as_ints": [10**18]}], "elements, more than"),
        ("repeat.default", [{"as_none": []}, {"as_ints": [10**9, 10**9]}], "elements, more than"),
        ("to.dtype", [{"as_none": []}, {"as_int": -1}], "a number as its 'dtype'"),
        ("_safe_softmax.default", [{"as_none": []}, {"as_int": 0}, {"as_int": -1}], "a number as its 'dtype'"),
        ("as_strided.default", [{"as_none": []}, {"as_ints": [9]}, {"as_ints": [10**6]}], "not among the operations"),
        ("_reshape_alias.default", [{"as_none": []}, {"as_ints": [9]}, {"as_ints": [9]}], "not among the operations"),
        ("set_.source_Storage", [], "not among the operations"),
        ("remainder.int", [{"as_int": 1}, {"as_int": 0}], "not among the operations"),
    ],
)
def test_operations_for_too_much(target, values, words, members, tmp_path):
    with pytest.raises(ValueError, match=f"^For 'load', .*{words}"):
        load(calling(members, f"torch.ops.aten.{target}", *values), tmp_path)


def test_an_operation_that_fails_says_whose_it_is(members, tmp_path):
    graph = load(calling(members, "torch.ops.aten.eye.m", {"as_int": -3}, {"as_int": 2}), tmp_path)
    with pytest.raises((ValueError, RuntimeError), match=r"^For 'GraphCell', "):
        nn.GraphCell(graph)(X)


def test_archives_whose_members_overlap_or_repeat(members, tmp_path):
    path = tmp_path / "net.pt2"
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")  # zipfile warns of the name
        for name, content in [*members.items(), (MODEL, members[MODEL])]:
            archive.writestr(f"archive/{name}", content)
    with pytest.raises(ValueError, match="two files in it have the same name"):
        ms.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"archive/{name}", content)
        largest = max(archive.infolist(), key=lambda member: member.file_size)
        for number in range(99):  # a central directory in which many names stand for the same bytes
            copied = zipfile.ZipInfo(f"archive/copy{number}")
            copied.header_offset, copied.CRC = largest.header_offset, largest.CRC
            copied.file_size = copied.compress_size = largest.file_size
            archive.filelist.append(copied)
    with pytest.raises(ValueError, match="overlap"):
        ms.load(path)
