"""Pipelines have MindSpore's JSON form: ours is the recorded one, and both can be read."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

import torchspore as ms
import torchspore.dataset as ds
from dataset.published_folders import CASES, arguments_of, made
from torchspore.dataset import audio, text, transforms, vision

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import serialization_cases as cases

pytest.importorskip("PIL")
pytest.importorskip("scipy")

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "data" / "serialization.json").read_text())

# MindSpore leaves out the arguments of these transforms, and so cannot read them again.
WITHOUT_ARGUMENTS = {
    "Slice", "BasicTokenizer", "Lookup", "Ngram", "NormalizeUTF8", "RegexReplace", "RegexTokenizer", "SlidingWindow",
    "TruncateSequencePair", "UnicodeCharTokenizer", "UnicodeScriptTokenizer", "WhitespaceTokenizer",
    "WordpieceTokenizer",
}  # fmt: skip
# Of these sources it writes only that their rows come from Python.
IN_PYTHON = {"Caltech101Dataset", "Flowers102Dataset", "SBDataset", "SVHNDataset"}


@pytest.fixture(autouse=True)
def _seed():
    ds.config.set_seed(5489)  # as if none had been set


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    return {"@": str(folder), **cases.namespace(ms, ds, audio, text, transforms, vision, folder)}


def form(dataset, folder):
    return json.loads(json.dumps(dataset.to_json()).replace(str(folder), "@"))


def without_none(params):
    """Return arguments without those that MindSpore replaces by computed defaults."""
    return {key: value for key, value in (params or {}).items() if value is not None}


def written(operation):
    return ds.NumpySlicesDataset([1]).map(operation).to_json()["operations"][0]


def read(operation):
    tree = ds.FakeImageDataset(1).map(lambda x: x).to_json()
    return ds.deserialize({**tree, "operations": [operation]})


@pytest.mark.parametrize("expression", cases.TRANSFORMS)
def test_transform(expression, names):
    ours, expected = written(eval(expression, names)), RECORDED[expression]
    name = ours["tensor_op_name"]
    assert name == expected["tensor_op_name"]
    assert ours.get("python_module") == expected.get("python_module")
    if name in WITHOUT_ARGUMENTS:
        assert expected["tensor_op_params"] is None
        with pytest.raises(RuntimeError, match="leaves them out"):
            read(expected)
    else:
        known, params = without_none(ours["tensor_op_params"]), expected["tensor_op_params"] or {}
        known["device_target"] = params.get("device_target")  # `AdjustContrast` calls its factor so
        assert known == {key: params.get(key) for key in known}
        again = read(expected).to_json()["operations"][0]
        assert without_none(again["tensor_op_params"]).items() >= without_none(ours["tensor_op_params"]).items()
    assert read(ours).to_json()["operations"] == [ours]


NOT_READ = {
    "lambda": "function|rows or functions|per_batch_map", "Generator": "rows or functions",
    "Numpy": "rows or functions", "sync_wait": "rows or functions",
}  # fmt: skip


@pytest.mark.parametrize("expression", cases.PIPELINES)
def test_pipeline(expression, names):
    dataset = eval(expression, names)
    ours = dataset.to_json()
    assert form(dataset, names["@"]) == RECORDED[expression]
    reason = next((reason for part, reason in NOT_READ.items() if part in expression), None)
    if reason is None or "lambda info: 2" in expression:
        assert ds.deserialize(ours).to_json() == ours
    else:
        with pytest.raises(RuntimeError, match=reason):
            ds.deserialize(ours)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_published_source(number, tmp_path):
    name, folder, arguments = CASES[number]
    dataset = getattr(ds, name)(**arguments_of(name, made(folder, tmp_path), arguments))
    ours, expected = form(dataset, tmp_path), RECORDED["published"][number]
    common = ours.keys() & expected.keys() if name != "USPSDataset" else {"dataset_dir", "usage", "op_type"}
    if name in IN_PYTHON:
        assert expected["op_type"] == "GeneratorDataset"
    else:
        assert {key: ours[key] for key in common} == {key: expected[key] for key in common}
        assert name == "USPSDataset" or expected.keys() <= ours.keys()
    assert ds.deserialize(dataset.to_json()).to_json() == dataset.to_json()


OURS = [  # what MindSpore does not write, or reads as something else
    "ds.ImageFolderDataset(FILES).split([2, 1])[0]",
    "ds.ImageFolderDataset(FILES, shuffle=False).padded_batch(2, True, pad_info={'label': ([], 1)})",
    "ds.ImageFolderDataset(FILES, shuffle=False).map([T.Compose([V.Decode(), V.RandomCrop(3)]), V.HWC2CHW()])",
    "ds.RandomDataset(3, num_samples=2)",
    "ds.TextFileDataset(TEXT).map([X.WhitespaceTokenizer(), X.Lookup(vocab, 'a')])",
    "(ds.TextFileDataset(TEXT) + ds.TextFileDataset(TEXT))",
]


@pytest.mark.parametrize("expression", OURS)
def test_rows_after_reading(expression, names):
    ds.config.set_seed(7)
    dataset = eval(expression, names)
    again = ds.deserialize(json.loads(json.dumps(ds.serialize(dataset))))
    assert ds.compare(dataset, again)
    rows, others = (
        [list(map(str, row)) for row in data.create_tuple_iterator(num_epochs=1)] for data in (dataset, again)
    )
    assert rows == others
    assert rows


def test_files(tmp_path, names):
    path = tmp_path / "pipeline.json"
    dataset = ds.ImageFolderDataset(names["FILES"]).map(vision.Decode(), "image").batch(2)
    assert ds.serialize(dataset, str(path)) == json.loads(path.read_text())
    assert ds.deserialize(json_filepath=str(path)).get_dataset_size() == 2
    assert ds.deserialize(str(path)).get_dataset_size() == 2
    assert ds.deserialize() is None
    path.write_text("{")
    for wrong in ({"json_filepath": str(path)}, {"json_filepath": str(tmp_path)}, {"json_filepath": "none.json"}):
        with pytest.raises(RuntimeError, match=r"^For 'deserialize', the file"):
            ds.deserialize(**wrong)
    with pytest.raises(RuntimeError, match=r"^For 'to_json', the file"):
        ds.serialize(dataset, str(tmp_path / "none" / "x.json"))


WRONG = [
    {}, {"op_type": "Foo", "children": []}, {"op_type": "Map", "children": []}, {"op_type": []}, 3, [],
    {"op_type": None}, {"op_type": "ImageFolderDataset", "dataset_dir": "/none"},
    {"op_type": "Repeat", "children": [3], "count": 1},
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_forms(wrong):
    with pytest.raises(RuntimeError, match=r"^For 'deserialize', "):
        ds.deserialize(wrong)


def test_transform_of_the_user(names):
    class Mine(transforms.PyTensorOperation):
        def __init__(self, number):
            self.number = number

        def __call__(self, value):
            return value

    form = written(Mine(3))
    assert form["tensor_op_name"] == "Mine"
    assert "tensor_op_params" not in form
    with pytest.raises(RuntimeError, match="a function of Python"):
        read(form)
