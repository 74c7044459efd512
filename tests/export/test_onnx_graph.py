"""ONNX files in a `GraphCell`: parameters, training, graphs, control flow, and files that are not what they seem."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

import fuzz

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import onnx
import torch
from onnx import helper, numpy_helper

import torchspore as ms
from export.networks import BRANCHES, NETWORKS, Branching, arrays, open_batch
from export.onnx_models import (
    BOOL,
    F32,
    I64,
    arrays_of,
    assert_as_runtime,
    cell_of,
    computed,
    model,
    saved,
    single,
    value,
)
from torchspore import nn, ops
from torchspore.serialization.onnx_graph.tensor_values import DTYPES

RANDOM = np.random.default_rng(0)
node = helper.make_node


def f(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def i(*values):
    return np.array(values, np.int64)


# Networks


@pytest.mark.slow  # torch.export is
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_come_back(name, tmp_path):
    kind, x = NETWORKS[name]
    net = kind()
    ms.export(net.set_train(), open_batch(x), file_name=tmp_path / "net", file_format="ONNX")
    net.set_train(False)
    cell = nn.GraphCell(ms.load(tmp_path / "net.onnx"))
    one_graph = ms.jit(cell, fullgraph=True)
    for batch in (x, np.concatenate([x, x])[:5]):
        for run in (cell, one_graph):
            for got, wanted in zip(arrays(run(ms.Tensor(batch))), arrays(net(ms.Tensor(batch))), strict=True):
                np.testing.assert_allclose(got, wanted, atol=1e-5)


@pytest.mark.slow  # torch.export is
def test_conditions_on_values(tmp_path):
    net = Branching()
    ms.export(net, open_batch(BRANCHES[0]), file_name=tmp_path / "net", file_format="ONNX")
    cell = nn.GraphCell(ms.load(tmp_path / "net.onnx"))
    for x in BRANCHES:
        for got, wanted in zip(arrays(cell(ms.Tensor(x))), arrays(net(ms.Tensor(x))), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-5)


def perceptron():
    """Return a model of two layers with everything that a file may store: weights, scalars, statistics and sizes."""
    stored = {
        "fc1.weight": f(8, 3), "fc1.bias": f(8), "norm.weight": f(8), "norm.mean": f(8), "norm.var": np.abs(f(8)) + 0.5,
        "fc2.weight": f(2, 8), "factor": np.array(0.5, np.float32), "scales": np.array([1, 1, 2], np.float32),
        "shape": i(0, -1), "unused": f(3), "one": i(1),
    }  # fmt: skip
    nodes = [
        node("Gemm", ["x", "fc1.weight", "fc1.bias"], ["a"], transB=1),
        node("Identity", ["norm.weight"], ["norm.bias"]),
        node("BatchNormalization", ["a", "norm.weight", "norm.bias", "norm.mean", "norm.var"], ["b"]),
        node("Mul", ["b", "factor"], ["c"]),
        node("Unsqueeze", ["c", "one"], ["d"]),
        node("Resize", ["d", "", "scales"], ["e"], mode="nearest"),
        node("Slice", ["e", "start", "end", "axis"], ["g"]),
        node("Reshape", ["g", "shape"], ["h"]),
        node("Gemm", ["h", "fc2.weight"], ["y"], transB=1),
    ]
    stored |= {"start": i(0), "end": i(8), "axis": i(2)}
    return model(nodes, [value("x", F32, ["batch", 3])], ["y"], stored)


def test_parameters(tmp_path):
    content = perceptron()
    assert_as_runtime(content, [f(4, 3)], tmp_path)
    cell = cell_of(content, tmp_path)
    trained = {p.name for p in cell.trainable_params()}
    assert trained == {"fc1.weight", "fc1.bias", "norm.weight", "norm.bias", "fc2.weight"}
    assert {p.name for p in cell.get_parameters()} == trained | {"norm.mean", "norm.var"}
    assert repr(cell.graph) == "ExportedGraph(inputs: x; 7 parameters)"
    content.producer_name, content.producer_version = "factory", "2"
    content.metadata_props.add(key="day", value="Monday")
    info = ms.load(saved(content, tmp_path)).info
    assert (info.producer_name, info.producer_version, info.user_info) == ("factory", "2", {"day": "Monday"})


@pytest.mark.parametrize("level", ["PYNATIVE", "O0", pytest.param("O1", marks=pytest.mark.slow)])
def test_training(level, tmp_path):
    """The gradients are those of the same network written with torch."""
    cell = cell_of(perceptron(), tmp_path)
    x, target = f(6, 3), f(6, 2)

    def loss(given):
        return ((cell(given) - ms.Tensor(target)) ** 2).mean()

    before = {p.name: torch.tensor(p.asnumpy()).requires_grad_() for p in cell.get_parameters()}
    hidden = torch.nn.functional.batch_norm(
        torch.nn.functional.linear(torch.from_numpy(x), before["fc1.weight"], before["fc1.bias"]),
        before["norm.mean"].detach(), before["norm.var"].detach(), before["norm.weight"], before["norm.bias"],
    )  # fmt: skip
    doubled = (hidden * 0.5).repeat_interleave(2, 1)[:, :8]
    torch.nn.functional.mse_loss(doubled @ before["fc2.weight"].T, torch.from_numpy(target)).backward()
    if level != "PYNATIVE":
        ms.set_context(mode=ms.GRAPH_MODE, jit_level=level)
    try:
        gradients = ms.grad(loss, None, cell.trainable_params())(ms.Tensor(x))
        for parameter, gradient in zip(cell.trainable_params(), gradients):
            np.testing.assert_allclose(gradient.asnumpy(), before[parameter.name].grad, rtol=1e-4, atol=1e-6)
        step = nn.TrainOneStepCell(nn.WithLossCell(cell, nn.MSELoss()), nn.SGD(cell.trainable_params(), 0.01))
        losses = [float(step(ms.Tensor(x), ms.Tensor(target))) for _ in range(4)]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE, jit_level="")
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > losses[-1]


def test_other_inputs_are_refused(tmp_path):
    cell = cell_of(perceptron(), tmp_path)
    with pytest.raises(ValueError, match=r"'x' must have the shape \(batch, 3\)"):
        cell(ops.ones((2, 4)))
    with pytest.raises(TypeError, match="'x' must be of dtype Float32"):
        cell(ops.ones((2, 3), ms.float16))
    unknown = model([node("Neg", ["x"], ["y"])], [helper.make_tensor_value_info("x", F32, None)], ["y"])
    assert cell_of(unknown, tmp_path)(ops.ones((2, 3, 4, 5))).shape == (2, 3, 4, 5)  # its rank is open


# Shapes


def test_shapes_are_computed_once(tmp_path):
    """Of constants at load, of sizes at the first call with these, and never as part of a graph."""
    nodes = [
        node("Shape", ["x"], ["shape"]),
        node("Gather", ["shape", "zero"], ["batch"]),
        node("Unsqueeze", ["batch", "axis"], ["batch1"]),
        node("Mul", ["four", "three"], ["twelve"]),
        node("Unsqueeze", ["twelve", "axis"], ["twelve1"]),
        node("Concat", ["batch1", "twelve1"], ["target"], axis=0),
        node("Reshape", ["x", "target"], ["y"]),
    ]
    stored = {"zero": np.array(0), "axis": i(0), "four": np.array(4), "three": np.array(3)}
    content = model(nodes, [value("x", F32, ["n", 3, 4])], ["y"], stored)
    assert_as_runtime(content, [f(2, 3, 4)], tmp_path)
    cell = cell_of(content, tmp_path)
    steps = cell.graph.function.steps
    assert [step.node.split("(")[-1] for step in steps] == ["Shape)", "Gather)", "Unsqueeze)", "Concat)", "Reshape)"]
    calls = []
    gather = steps[1].call
    steps[1].call = lambda *given, **options: calls.append(1) or gather(*given, **options)
    for size in (2, 2, 5, 5, 2):
        assert cell(ops.ones((size, 3, 4))).shape == (size, 12)
    assert len(calls) == 3
    steps[1].call = gather
    assert ms.jit(cell, fullgraph=True)(ops.ones((6, 3, 4))).shape == (6, 12)


def test_dynamic_sizes_in_graphs(tmp_path):
    nodes = [
        node("Shape", ["x"], ["shape"]),
        node("ConstantOfShape", ["shape"], ["zeros"]),
        node("Add", ["x", "zeros"], ["y"]),
    ]
    cell = cell_of(model(nodes, [value("x", F32, ["n", 3])], ["y"]), tmp_path)
    cell.set_inputs(ms.Tensor(shape=[None, 3], dtype=ms.float32))
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for size in (2, 3, 4):
            np.testing.assert_array_equal(cell(ops.ones((size, 3))).asnumpy(), np.ones((size, 3)))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


# Control flow


def graph(nodes, inputs, outputs, stored=()):
    return helper.make_graph(nodes, "inner", inputs, outputs, [numpy_helper.from_array(v, k) for k, v in stored])


def branching():
    then = graph([node("Mul", ["x", "w"], ["t"])], [], [value("t", F32, [2, 3])])
    other = graph([node("Sub", ["x", "c"], ["e"])], [], [value("e", F32, [2, 3])], [("c", f(3))])
    nodes = [
        node("ReduceSum", ["x"], ["s"], keepdims=0), node("Greater", ["s", "zero"], ["p"]),
        node("If", ["p"], ["y"], then_branch=then, else_branch=other),
    ]  # fmt: skip
    return model(nodes, {"x": f(2, 3)}, ["y"], {"w": f(3), "zero": np.array(0, np.float32)})


def looping(with_condition):
    """Return a loop with a value that it carries, one that it collects and one from around it."""
    body = graph(
        [
            node("Add", ["v", "x"], ["v1"]), node("Cast", ["n"], ["n1"], to=F32), node("Mul", ["v1", "n1"], ["scan"]),
            node("ReduceMax", ["v1"], ["top"], keepdims=0), node("Less", ["top", "limit"], ["go"]),
        ] if with_condition else
        [
            node("Add", ["v", "x"], ["v1"]), node("Cast", ["n"], ["n1"], to=F32), node("Mul", ["v1", "n1"], ["scan"]),
            node("Identity", ["c"], ["go"]),
        ],
        [value("n", I64, []), value("c", BOOL, []), value("v", F32, [2])],
        [value("go", BOOL, []), value("v1", F32, [2]), value("scan", F32, [2])],
        [("limit", np.array(5, np.float32))] if with_condition else [],
    )  # fmt: skip
    start = ["", "yes"] if with_condition else ["count", ""]
    nodes = [node("Loop", [*start, "zero"], ["last", "all"], body=body)]
    stored = {"yes": np.array(True), "count": np.array(4), "zero": np.zeros(2, np.float32)}
    return model(nodes, {"x": np.array([1.25, 1], np.float32)}, ["last", "all"], stored)


def scanning():
    body = graph(
        [node("Add", ["sum", "row"], ["sum1"]), node("Identity", ["sum1"], ["out"])],
        [value("sum", F32, [3]), value("row", F32, [3])], [value("sum1", F32, [3]), value("out", F32, [3])],
    )  # fmt: skip
    options = {"num_scan_inputs": 1, "scan_input_directions": [1], "scan_output_axes": [1]}
    nodes = [node("Scan", ["s", "x"], ["last", "all"], body=body, **options)]
    return model(nodes, {"s": f(3), "x": f(4, 3)}, ["last", "all"])


def sequences():
    nodes = [
        node("SplitToSequence", ["x"], ["parts"], keepdims=0), node("SequenceAt", ["parts", "two"], ["third"]),
        node("SequenceInsert", ["parts", "third", "zero"], ["more"]), node("SequenceErase", ["more"], ["less"]),
        node("ConcatFromSequence", ["less"], ["y"], axis=0, new_axis=1), node("SequenceLength", ["less"], ["n"]),
    ]  # fmt: skip
    return model(nodes, {"x": f(4, 3)}, ["y", "n"], {"two": np.array(2), "zero": np.array(0)})


X23 = f(2, 3)
FLOWS = {
    "If": (branching, [[np.abs(X23)], [-np.abs(X23)]]),
    "Loop": (lambda: looping(False), [[f(2)]]),
    "while": (lambda: looping(True), [[np.array([1.25, 1], np.float32)], [np.array([9, 1], np.float32)]]),
    "Scan": (scanning, [[f(3), f(4, 3)]]),
    "sequences": (sequences, [[f(4, 3)]]),
}


@pytest.mark.filterwarnings("ignore:.*runs eagerly")  # where a value decides how often a loop runs
@pytest.mark.parametrize("name", FLOWS)
def test_control_flow(name, tmp_path):
    make, calls = FLOWS[name]
    content = make()
    cell = cell_of(content, tmp_path)
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        try:
            for inputs in calls:
                wanted = computed(content.SerializeToString(), inputs)
                got = arrays_of(cell(*map(ms.Tensor, inputs)))
                for ours, theirs in zip(got, wanted, strict=True):
                    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)


def test_functions(tmp_path):
    """Functions in the file, with attributes, and ONNX's own ones."""
    inner = helper.make_function(
        "local", "Scale", ["a", "b"], ["c"],
        [
            helper.make_node("Constant", [], ["k"]), node("Mul", ["a", "k"], ["m"]), node("Add", ["m", "b"], ["c"]),
        ],
        [helper.make_opsetid("", 17)], ["factor"],
    )  # fmt: skip
    reference = inner.node[0].attribute.add(name="value_float", ref_attr_name="factor", type=onnx.AttributeProto.FLOAT)
    assert reference.ref_attr_name == "factor"
    nodes = [
        helper.make_node("Scale", ["x", "w"], ["u"], domain="local", factor=2.0),
        helper.make_node("Scale", ["u", "w"], ["y"], domain="local", factor=-1.0),
    ]
    content = model(nodes, {"x": X23}, ["y"], {"w": f(3)}, functions=[inner])
    content.opset_import.add(domain="local", version=1)
    assert_as_runtime(content, [X23], tmp_path)


# What has no counterpart, and files that are damaged or hostile


def changed(change):
    content = perceptron()
    change(content)
    return content


def assign(place, name, to):
    setattr(place, name, to)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xff\xff", "is not an ONNX file, or is damaged"),
        (b"", "it has no graph"),
        (single("StringNormalizer", X23, opset=17)[0], r"'y0' \(StringNormalizer\) of opset 17 has no counterpart"),
        (single("Gelu", X23, opset=17)[0], r"\(Gelu\) is not an operator of opset 17"),
        (single("Gelu", X23, opset=999)[0], "of opset 999, and the installed package onnx knows"),
        (single("Gelu", X23, domain="other")[0], "of the domain 'other', whose operators have no counterpart"),
        (single("Relu", X23, X23)[0], "has 2 inputs and 1 results"),
        (single("Relu", X23, alpha=1.0)[0], "the attribute 'alpha'"),
        (single("Concat", X23)[0], "has no attribute 'axis'"),
        (changed(lambda m: m.graph.node[0].input.__setitem__(0, "q")), r"has no value 'q' for the node 'a' \(Gemm\)"),
        (changed(lambda m: m.graph.node[3].output.__setitem__(0, "a")), "has the name 'a' twice"),
        (changed(lambda m: m.graph.output[0].__setattr__("name", "q")), "no value 'q' for the results"),
        (changed(lambda m: m.ClearField("opset_import")), "the file does not say of which version"),
        (changed(lambda m: assign(m.graph.initializer[0], "raw_data", b"12345")), "'fc1.weight' is damaged"),
        (changed(lambda m: assign(m.graph.initializer[0], "data_type", 8)), "the data type STRING"),
        (changed(lambda m: m.graph.initializer[0].dims.__setitem__(0, -1)), r"has the shape \[-1, 3\]"),
        (changed(lambda m: m.graph.initializer.add().CopyFrom(m.graph.initializer[0])), "have the same name"),
        (changed(lambda m: m.graph.input[0].type.sequence_type.SetInParent()), "'x' is not a tensor"),
        (changed(lambda m: assign(m.graph.input[0].type.tensor_type, "elem_type", 22)), "the data type INT4"),
        (changed(lambda m: m.graph.sparse_initializer.add()), "sparse"),
    ],
)  # fmt: skip
def test_refusals(content, words, tmp_path):
    with pytest.raises(ValueError, match=f"^For 'load', .* cannot be read: .*{words}"):
        ms.load(saved(content, tmp_path))


def test_functions_that_call_themselves(tmp_path):
    calls = [helper.make_node("F", ["a"], ["b"], domain="local"), helper.make_node("F", ["b"], ["c"], domain="local")]
    function = helper.make_function("local", "F", ["a"], ["c"], calls, [helper.make_opsetid("local", 1)])
    content = model([helper.make_node("F", ["x"], ["y"], domain="local")], {"x": X23}, ["y"], functions=[function])
    with pytest.raises(ValueError, match="call each other more than 32 deep"):
        ms.load(saved(content, tmp_path))
    names = [f"F{number}" for number in range(20)]  # each calls the next one twice
    own, local = helper.make_opsetid("", 17), helper.make_opsetid("local", 1)
    functions = [helper.make_function("local", names[-1], ["a"], ["c"], [node("Neg", ["a"], ["c"])], [own])]
    for name, inner in itertools.pairwise(names):
        calls = [node(inner, ["a"], ["b"], domain="local"), node(inner, ["b"], ["c"], domain="local")]
        functions.append(helper.make_function("local", name, ["a"], ["c"], calls, [local]))
    content = model([helper.make_node("F0", ["x"], ["y"], domain="local")], {"x": X23}, ["y"], functions=functions)
    with pytest.raises(ValueError, match="repeat their nodes more often"):
        ms.load(saved(content, tmp_path))


def test_load_refuses_a_key_and_says_which_package_is_missing(tmp_path, monkeypatch):
    path = saved(perceptron(), tmp_path)
    with pytest.raises(ValueError, match="'dec_key' is not supported for ONNX"):
        ms.load(path, dec_key=b"k" * 16)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"package onnx: pip install 'torchspore\[onnx\]'"):
        ms.load(path)


def external(folder, **places):
    """Return a model whose first tensor is in another file."""
    content = perceptron()
    tensor = content.graph.initializer[0]
    (folder / "weights").write_bytes(b"1234" + tensor.raw_data)
    places = {"location": "weights", "offset": "4", "length": str(len(tensor.raw_data))} | places
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, text in places.items():
        tensor.external_data.add(key=key, value=text)
    return content


def test_tensors_in_other_files(tmp_path):
    content = external(tmp_path)
    wanted = computed(saved(content, tmp_path).as_posix(), [X23])
    got = arrays_of(nn.GraphCell(ms.load(tmp_path / "net.onnx"))(ms.Tensor(X23)))
    np.testing.assert_allclose(got[0], wanted[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ({"location": "/etc/passwd"}, "is not inside its folder"),
        ({"location": "../weights"}, "is not inside its folder"),
        ({"location": "a/../../weights"}, "is not inside its folder"),
        ({"location": "C:\\weights"}, "is not inside its folder"),
        ({"location": ""}, "is not inside its folder"),
        ({"location": "link"}, "a link out of its folder"),
        ({"location": "none"}, "there is no such file"),
        ({"offset": "9"}, "which has 100"),
        ({"offset": "-4"}, "which has 100"),
        ({"offset": "x"}, "has the position"),
        ({"length": "8"}, "is damaged"),
    ],
)
def test_tensors_that_are_elsewhere(places, words, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "outside").write_bytes(b"x" * 100)
    os.symlink(tmp_path / "outside", folder / "link")
    with pytest.raises(ValueError, match=f"^For 'load', .*its tensor 'fc1.weight' .*{words}"):
        ms.load(saved(external(folder, **places), folder))


@pytest.mark.parametrize("kind", [*range(1, 8), *range(10, 14), 16, 17, 19, 21, 22])
@pytest.mark.parametrize("raw", [False, True])
def test_data_types_of_stored_tensors(kind, raw, tmp_path):
    """By the format's numbers; those of four bits are held in bytes."""
    stored = helper.make_tensor("w", kind, [3], [1, 2, 3])
    if raw:
        numbers = torch.tensor([1, 2, 3])
        content = numbers.to(DTYPES[kind]).view(torch.uint8).numpy().tobytes() if kind in DTYPES else b"\x21\x03"
        stored = helper.make_tensor("w", kind, [3], content, raw=True)
    content = model([node("Cast", ["w"], ["c"], to=F32), node("Add", ["x", "c"], ["y"])], {"x": f(3)}, ["y"], opset=21)
    content.graph.initializer.add().CopyFrom(stored)
    got = arrays_of(cell_of(content, tmp_path)(ops.zeros(3)))
    assert got[0].tolist() == [1, 2, 3]


def test_many_tensors_of_the_same_bytes(tmp_path):
    content = external(tmp_path)
    for number in range(4):
        content.graph.initializer.add().CopyFrom(content.graph.initializer[0])
        content.graph.initializer[-1].name = f"copy{number}"
    with pytest.raises(ValueError, match="'copy3' and others take more than 4 times the bytes of 'weights'"):
        ms.load(saved(content, tmp_path))


HUGE = i(10**7, 10**7)
NUMBER = np.array(10**13)
ONE = np.ones((1, 1), np.float32)


def nodes_for_too_much():
    yield single("ConstantOfShape", HUGE, constant=[0])
    yield single("Tile", ONE, HUGE, constant=[0, 1])
    yield single("Tile", ONE, HUGE, constant=[1])
    yield single("Range", np.array(0), NUMBER, np.array(1), constant=[0, 1, 2])
    yield single("OneHot", i(1), NUMBER, np.array([0, 1], np.float32), constant=[1])
    yield single("Pad", ONE, i(0, 0, 10**7, 10**7), constant=[1])
    yield single("Pad", ONE, i(0, 0, 10**13, 0), constant=[1], mode="edge")
    yield single("Resize", ONE, None, None, HUGE, constant=[3])
    yield single("RandomNormal", shape=HUGE.tolist())
    yield single("HannWindow", NUMBER, constant=[0])
    yield single("Upsample", ONE, np.array([1e7, 1e7], np.float32), opset=9, constant=[1])
    yield single("CenterCropPad", ONE, HUGE, opset=18, constant=[1])
    yield single("MaxRoiPool", f(1, 1, 2, 2), f(1, 5), pooled_shape=HUGE.tolist())
    numbers = [np.array(number) for number in (10**12, 16, 8192)]
    yield single("MelWeightMatrix", *numbers, f(1), f(1), constant=[0])


@pytest.mark.parametrize("content", list(nodes_for_too_much()), ids=lambda content: content[0].graph.node[0].op_type)
def test_results_that_fit_nowhere(content, tmp_path):
    """Not at load, where constants are computed, and not in the run."""
    graph, given = content
    cell = cell_of(graph, tmp_path)
    with pytest.raises(ValueError, match=r"^For 'GraphCell', "):
        cell(*map(ms.Tensor, given.values()))


def test_the_smallest_integer_is_divided(tmp_path):
    """By -1, which ends a process of torch."""
    content, _ = single("Div", i(-(2**63), 7, 7), i(-1, -1, 2))
    got = arrays_of(cell_of(content, tmp_path)(ms.Tensor(i(-(2**63), 7, 7)), ms.Tensor(i(-1, -1, 2))))
    assert got[0].tolist() == [-(2**63), -7, 3]


@pytest.mark.parametrize(
    ("scales", "more"), [(f(10**5), {}), (f(2, 1), {"block_size": 2**40}), (f(3, 7), {"block_size": 4})]
)
def test_scales_that_do_not_fit(scales, more, tmp_path):
    content, _ = single(
        "DequantizeLinear", np.ones((1, 10**5), np.int8), scales, constant=[0, 1], axis=0, opset=21, **more
    )
    with pytest.raises(ValueError, match="scales"):
        cell_of(content, tmp_path)()


def test_constants_that_grow(tmp_path):
    """Each node doubles a constant, also one that is small at first."""
    nodes = [node("Concat", [f"v{number}", f"v{number}"], [f"v{number + 1}"], axis=0) for number in range(40)]
    content = model([*nodes, node("Add", ["x", "v40"], ["y"])], {"x": i(1)}, ["y"], {"v0": i(1, 2, 3)})
    with pytest.raises(ValueError, match="the graph computes a tensor of shape"):
        cell_of(content, tmp_path)(ms.Tensor(i(1)))
    nodes[0] = node("Shape", ["x"], ["v1"])
    content = model([*nodes, node("Add", ["x", "v40"], ["y"])], {"x": i(1)}, ["y"])
    with pytest.raises(ValueError, match="the graph computes a tensor of shape"):
        cell_of(content, tmp_path)(ms.Tensor(i(1)))


def mutated(content, random):
    """Return the bytes of a model with some of them changed, lost or added."""
    damaged = bytearray(content)
    for _ in range(random.choice([1, 2, 4, 8])):
        place = random.randrange(len(damaged))
        kind = random.random()
        if kind < 0.6:
            damaged[place] = random.randrange(256)
        elif kind < 0.8:
            del damaged[place : place + random.randrange(1, 9)]
        else:
            damaged[place:place] = random.randbytes(random.randrange(1, 5))
    return bytes(damaged)


@pytest.mark.filterwarnings("ignore")
def test_damaged_files(tmp_path):
    """Whatever is in a file, it is refused or runs."""
    random = fuzz.drawn("onnx")
    contents = [(perceptron(), [f(2, 3)]), *[(make(), calls[0]) for make, calls in FLOWS.values()]]
    outcomes = set()
    for _ in range(fuzz.inputs(120)):
        content, inputs = random.choice(contents)
        try:
            cell = cell_of(mutated(content.SerializeToString(), random), tmp_path)
            outcomes.add("loads")
            cell(*map(ms.Tensor, inputs))
        except (ValueError, TypeError) as error:
            outcomes.add("refuses" if str(error).startswith(("For 'load', ", "For 'GraphCell', ")) else repr(error))
    assert outcomes == {"loads", "refuses"}
