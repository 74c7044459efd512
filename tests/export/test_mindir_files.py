"""Files that MindSpore 1.10, 2.0 and 2.10 wrote: they compute what MindSpore computed with them.

`tests/data/mindir/record.py` made the archives; `networks.py` and `programs.py` there have the networks.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn

pytest.importorskip("google.protobuf")

FOLDER = Path(__file__).parents[1] / "data/mindir"
ARCHIVES = {path.stem: zipfile.ZipFile(path) for path in sorted(FOLDER.glob("mindspore_*.zip"))}
FILES = [
    (version, name.removesuffix(".mindir"))
    for version, archive in ARCHIVES.items()
    for name in archive.namelist()
    if name.endswith(".mindir")
]
RANDOM = {"random", "dropout"}
TOLERANCE = {"float16": 2e-3, "float32": 1e-5, "complex64": 1e-5, "float64": 1e-9}
IN_GRAPHS = [
    each for each in FILES if each[1] in ("resnet", "gpt", "while_break", "counter", "choice", "indexing", "lstm")
]


class Recorded:
    """What MindSpore recorded of one file."""

    def __init__(self, version, name, folder):
        arrays = np.load(io.BytesIO(ARCHIVES[version].read(f"{name}.npz")))
        text, *self.arrays = [arrays[key] for key in arrays.files]
        self.described = json.loads(str(text))
        self.path = folder / f"{name}.mindir"
        self.path.write_bytes(ARCHIVES[version].read(f"{name}.mindir"))

    def value(self, key, make=lambda array: array):
        return self.nested(self.described[key], make)

    def nested(self, node, make):
        ((kind, value),) = node.items()
        if kind in ("array", "value"):
            return make(self.arrays[value]) if kind == "array" else value
        if kind == "dict":
            return {key: self.nested(part, make) for key, part in value}
        return {"tuple": tuple, "list": list}[kind](self.nested(part, make) for part in value)

    @property
    def results(self):
        return self.value("of_graph" if "of_graph" in self.described else "results")

    def inputs(self, graph):
        given = self.value("inputs", ms.Tensor)
        return [each for each in given if not isinstance(each, (int, float))] if len(graph.inputs) == 1 else given


def assert_same(got, wanted):
    if isinstance(wanted, np.ndarray):
        array = (got.astype(ms.float32) if got.dtype == ms.bfloat16 else got).asnumpy()
        assert (array.shape, array.dtype) == (wanted.shape, wanted.dtype)
        if array.dtype.name in TOLERANCE:
            scale = max(1.0, np.abs(wanted[np.isfinite(wanted)]).max(initial=0))
            np.testing.assert_allclose(array / scale, wanted / scale, rtol=0, atol=TOLERANCE[array.dtype.name])
        else:
            np.testing.assert_array_equal(array, wanted)
    elif isinstance(wanted, (tuple, list, dict)):
        assert type(got) is type(wanted)
        assert len(got) == len(wanted)
        for key in wanted if isinstance(wanted, dict) else range(len(wanted)):
            assert_same(got[key], wanted[key])
    else:
        assert type(got) is type(wanted)
        assert got == wanted


def test_there_are_files_of_all_versions():
    assert {version for version, _ in FILES} == {"mindspore_1.10", "mindspore_2.0", "mindspore_2.10"}
    assert len(FILES) > 190


@pytest.mark.parametrize(("version", "name"), [each for each in FILES if each[1] not in RANDOM])
def test_results(version, name, tmp_path):
    recorded = Recorded(version, name, tmp_path)
    graph = ms.load(recorded.path)
    cell = nn.GraphCell(graph)
    assert [[each.name, each.requires_grad] for each in cell.get_parameters()] == recorded.described["parameters"]
    assert_same(cell(*recorded.inputs(graph)), recorded.results)
    values = cell.parameters_dict()
    for parameter, wanted in recorded.value("after").items():
        assert_same(values[parameter], wanted)


@pytest.mark.parametrize(("version", "name"), IN_GRAPHS)
@pytest.mark.parametrize("level", ["O0", "O1"])
def test_results_in_graphs(version, name, level, tmp_path):
    recorded = Recorded(version, name, tmp_path)
    ms.set_context(mode=ms.GRAPH_MODE, jit_config={"jit_level": level})
    try:
        graph = ms.load(recorded.path)
        for _ in range(2):
            assert_same(nn.GraphCell(graph)(*recorded.inputs(graph)), recorded.results)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE, jit_level="", jit_config={})


WITH_CONTROL_FLOW = [
    each
    for each in FILES
    if each[1] in ("while_break", "continue", "nested", "counter_in_loop", "counter", "early_return", "if_elif_low")
]


@pytest.mark.parametrize("file_format", ["MINDIR", "PT2"])
@pytest.mark.parametrize(("version", "name"), WITH_CONTROL_FLOW)
def test_files_that_are_written_again(version, name, file_format, tmp_path):
    """Loops that the graphs make of calls become operations."""
    recorded = Recorded(version, name, tmp_path)
    graph = ms.load(recorded.path)
    inputs = recorded.inputs(graph)
    ms.export(nn.GraphCell(graph), *inputs, file_name=tmp_path / "again", file_format=file_format)
    again = nn.GraphCell(ms.load(tmp_path / f"again.{file_format.lower()}"))
    assert_same(again(*inputs), recorded.results)
    values = again.parameters_dict()
    for parameter, wanted in recorded.value("after").items():
        assert_same(values[parameter], wanted)


class SumOfSquares(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, *args):
        result = self.net(*args)
        first = result[0] if isinstance(result, tuple) else result
        return (first * first).sum()


TRAINED = [
    (version, name)
    for version, name in FILES
    if "gradients" in json.loads(str(np.load(io.BytesIO(ARCHIVES[version].read(f"{name}.npz")))["arr_0"]))
]


@pytest.mark.parametrize(("version", "name"), TRAINED)
def test_gradients(version, name, tmp_path):
    recorded = Recorded(version, name, tmp_path)
    graph = ms.load(recorded.path)
    net = SumOfSquares(nn.GraphCell(graph))
    wanted = {key.removeprefix("net."): value for key, value in recorded.value("gradients").items()}
    weights = [each for each in net.trainable_params() if each.name.removeprefix("net.") in wanted]
    assert weights
    for each, gradient in zip(weights, ms.grad(net, None, weights)(*recorded.inputs(graph))):
        assert_same(gradient, wanted[each.name.removeprefix("net.")])


def loaded(version, name, folder):
    recorded = Recorded(f"mindspore_{version}", name, folder)
    graph = ms.load(recorded.path)
    return nn.GraphCell(graph)(*recorded.inputs(graph))


@pytest.mark.parametrize("version", ["1.10", "2.0", "2.10"])
def test_random_numbers(version, tmp_path):
    normal, uniform, integers, _ = loaded(version, "random", tmp_path)
    assert normal.shape == uniform.shape == integers.shape == (20, 30)
    assert abs(float(normal.mean())) < 0.2
    assert abs(float(normal.std()) - 1) < 0.2
    assert float(uniform.min()) >= 0
    assert float(uniform.max()) < 1
    assert abs(float(uniform.mean()) - 0.5) < 0.1
    assert set(np.unique(integers.asnumpy())) == {1, 2, 3, 4}


@pytest.mark.parametrize("version", ["1.10", "2.0", "2.10"])
def test_dropout_in_training(version, tmp_path):
    output, mask = loaded(version, "dropout", tmp_path)
    values = output.asnumpy()
    assert np.isin(values, [0, np.float32(1 / 0.75)]).all()
    assert abs((values > 0).mean() - 0.75) < 0.1
    assert mask.shape == (40, 50)
