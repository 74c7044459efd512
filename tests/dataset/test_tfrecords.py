"""TFRecord files, and saving to MindRecord, against MindSpore 2.10 (tests/data/record_tfrecords.py)."""

from __future__ import annotations

import base64
import gzip
import io
import json
import pathlib
import sys
import zlib

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds
from torchspore.mindrecord.tfrecord_file import pack_example, write_records

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from tfrecord_cases import CASES, RECORDS, outcome

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "data" / "tfrecords.json").read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    result = tmp_path_factory.mktemp("tfrecords")
    for name, content in RECORDED["files"].items():
        (result / name).write_bytes(base64.b64decode(content))
    return result


def written(records):
    file = io.BytesIO()
    write_records(file, [pack_example(record) for record in records])
    return file.getvalue()


def test_the_files_are_those_we_write(folder):
    assert {name: (folder / name).read_bytes() for name in RECORDS} == {n: written(r) for n, r in RECORDS.items()}
    assert gzip.decompress((folder / "m1.gz").read_bytes()) == (folder / "m1").read_bytes()
    assert zlib.decompress((folder / "m1.zlib").read_bytes()) == (folder / "m1").read_bytes()


@pytest.mark.parametrize("expression", CASES)
def test_rows_are_mindspores(expression, folder):
    assert outcome(ms, ds, expression, str(folder)) == RECORDED["results"][expression]


def numbers(data):
    return [int(row["x"][0]) for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize("level", [True, ds.Shuffle.GLOBAL, ds.Shuffle.FILES, ds.Shuffle.INFILE])
def test_shuffled_rows_are_all_rows(level, folder):
    data = ds.TFRecordDataset(str(folder / "m?"), shuffle=level)
    assert sorted(numbers(data)) == [0, 1, 2, 10, 11, 12, 13, 20, 21]
    assert data.get_dataset_size() == 9


def test_a_schema_in_a_file_limits_the_rows(folder, tmp_path):
    columns = {"x": {"type": "int64", "rank": 1, "shape": [1]}}
    (tmp_path / "schema.json").write_text(json.dumps({"datasetType": "TF", "numRows": 2, "columns": columns}))
    assert numbers(ds.TFRecordDataset(str(folder / "a"), str(tmp_path / "schema.json"), shuffle=False)) == [0, 1]


@pytest.mark.parametrize("content", [b"", b"deep sea", written(RECORDS["a"])[:-3]])
def test_other_files_are_named(content, tmp_path):
    (tmp_path / "bad").write_bytes(content)
    data = ds.TFRecordDataset(str(tmp_path / "bad"), shuffle=False)
    if not content:
        assert data.get_dataset_size() == 0
        return
    with pytest.raises(RuntimeError, match=r"^For 'TFRecordDataset', the file .*bad' cannot be read"):
        data.get_dataset_size()


def test_a_record_that_is_not_an_example_is_named(tmp_path):
    with open(tmp_path / "bad", "wb") as file:
        write_records(file, [b"deep sea"])
    with pytest.raises(RuntimeError, match=r"bad' cannot be read: a record is not an Example"):
        ds.TFRecordDataset(str(tmp_path / "bad")).get_col_names()


def test_saved_files_replace_none(tmp_path):
    data = ds.NumpySlicesDataset({"x": np.arange(600), "s": ["é"] * 600}, shuffle=False)
    data.save(str(tmp_path / "a"), 2)
    rows = ds.MindDataset(str(tmp_path / "a1"), shuffle=False)
    assert sorted(int(row["x"]) for row in rows.create_dict_iterator(num_epochs=1)) == list(range(600))
    with pytest.raises(RuntimeError, match="exists"):
        data.save(str(tmp_path / "a"), 2)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [((3,), TypeError), (("a", 0), ValueError), (("a", 1, "csv"), ValueError), (("a", 1, "tfrecord"), ValueError)],
)
def test_wrong_arguments_of_save_are_refused(arguments, error):
    with pytest.raises(error, match=r"^For 'save', "):
        ds.NumpySlicesDataset([1], ["x"]).save(*arguments)


@pytest.mark.parametrize("values", [[np.zeros(2), np.zeros((2, 2))], [{"a": 1}], ["a", np.zeros(1)], []])
def test_rows_that_cannot_be_saved_are_refused(values, tmp_path):
    data = ds.GeneratorDataset(lambda: ((value,) for value in values), ["x"])
    with pytest.raises(RuntimeError, match=r"^For 's|^For 'w"):
        data.save(str(tmp_path / "a"))
    assert list(tmp_path.iterdir()) == []
