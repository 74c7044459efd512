"""What programs written for MindSpore do with datasets: answers of MindSpore 2.10."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds


def column(data, name="x"):
    return [row[name].tolist() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize(
    ("parts", "usage", "labels"),
    [
        (["train"], None, [1, 2]),
        (["t10k"], None, [3, 4]),
        (["t10k"], "all", [3, 4]),
        (["train", "t10k"], None, [3, 4, 1, 2]),
        (["train", "t10k"], "train", [1, 2]),
        (["train"], "test", None),
        ([], None, None),
    ],
)
def test_mnist_reads_the_files_that_there_are(tmp_path, parts, usage, labels):
    for part in parts:
        (tmp_path / f"{part}-images-idx3-ubyte").write_bytes(struct.pack(">4i", 2051, 2, 28, 28) + bytes(2 * 784))
        classes = {"train": [1, 2], "t10k": [3, 4]}[part]
        (tmp_path / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 2049, 2) + bytes(classes))
    data = ds.MnistDataset(str(tmp_path), usage, shuffle=False)
    if labels is None:
        with pytest.raises(RuntimeError, match="must have the file"):
            column(data, "label")
    else:
        assert column(data, "label") == labels


class Sequence:
    def __getitem__(self, index):
        return [4, 2, 0][index]

    def __len__(self):
        return 3


class Endless(Sequence):
    def __getitem__(self, index):
        return index


class Iterable:
    def __iter__(self):
        return iter([3, 1])


@pytest.mark.parametrize(
    ("sampler", "rows"), [(Sequence(), [14, 12, 10]), (Endless(), [10, 11, 12]), (Iterable(), [13, 11])]
)
def test_a_sampler_may_be_a_sequence_or_iterable(sampler, rows):
    data = ds.NumpySlicesDataset([10, 11, 12, 13, 14], ["x"], sampler=sampler)
    assert (column(data), data.get_dataset_size()) == (rows, len(rows))


def test_a_map_of_batches_may_return_lists_in_dicts():
    data = ds.NumpySlicesDataset([1, 2], ["x"], shuffle=False).batch(2, per_batch_map=lambda x, info: ({"y": x},))
    (row,) = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert repr(row) == "{'x': {'y': [array(1), array(2)]}}"


def test_values_print_as_arrays():
    data = ds.NumpySlicesDataset({"x": [[1.0, 2.5]], "y": [3]})
    (row,) = data.create_dict_iterator(num_epochs=1)
    assert repr(row["x"]) == "Tensor(shape=[2], dtype=Float64, value= [1. , 2.5])"
    assert repr(row["x"] + 0) == "Tensor(shape=[2], dtype=Float64, value= [ 1.00000000e+00,  2.50000000e+00])"
    (row,) = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert repr(row["y"]) == "array(3, dtype=int64)"


@pytest.mark.parametrize(
    "call",
    [
        lambda data: data.sync_update("q"),
        lambda data: data.sync_update("p", num_batch=0),
        lambda data: data.sync_wait("p"),
    ],
)
def test_updates_need_a_condition(call):
    with pytest.raises(RuntimeError, match=r"^For 'sync_"):
        call(ds.NumpySlicesDataset([1], ["x"]).sync_wait("p"))


def test_iterators_begin_at_the_initial_step():
    data = ds.NumpySlicesDataset(list(range(6)), ["x"], shuffle=False).batch(2)
    data.set_init_step(4)
    assert column(data.take(3)) == [[0, 1], [2, 3], [4, 5]]
    assert [x.tolist() for (x,) in data.create_tuple_iterator(num_epochs=3)] == [[2, 3], [4, 5]]


@pytest.mark.parametrize("kind", [RuntimeError, ValueError])
def test_errors_of_transforms_are_runtime_errors_too(kind):
    with pytest.raises(kind, match=r"^For 'Resize', "):
        ds.vision.Resize([2, 2])(np.zeros(3))


@pytest.mark.parametrize(
    ("content", "options", "rows"),
    [
        ("a,b\n1.5,2x\n-3, +4\n", {"column_defaults": [1, 1]}, [[1, 2], [-3, 4]]),
        ("a\n1e3\n.5\n5.\n-inf\n0x10\n", {"column_defaults": [1.0]}, [[1000], [0.5], [5], [-np.inf], [16]]),
        ("a,b\n1,2\n", {"field_delim": None, "column_names": [], "column_defaults": [True]}, [[1, "2"]]),
        ("a,a\n1,2\n", {}, None),
        ("a,\n1,2\n", {}, None),
        ("1,2\n", {"column_names": ["a", "a"]}, None),
        ("a\n1\n", {"column_defaults": [1, 2]}, None),
        ("a\nx\n", {"column_defaults": [1]}, None),
    ],
)
def test_comma_separated_values(tmp_path, content, options, rows):
    (tmp_path / "a.csv").write_text(content)

    def read():
        data = ds.CSVDataset(str(tmp_path / "a.csv"), shuffle=False, **options)
        return [
            [value.tolist() for value in row] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        ]

    if rows is None:
        with pytest.raises(RuntimeError, match=r"^For 'CSVDataset', "):
            read()
    else:
        assert read() == rows


def test_a_folder_matches_no_pattern(tmp_path):
    with pytest.raises(ValueError, match="must match files"):
        ds.TextFileDataset(str(tmp_path))


def test_lists_may_have_rows_of_unequal_shapes():
    data = ds.NumpySlicesDataset([[1], [2, 3]], ["x"], shuffle=False)
    assert (column(data), data[1][0].tolist(), len(data)) == ([[1], [2, 3]], [2, 3], 2)
    with pytest.raises(RuntimeError, match="must have equal shapes"):
        column(data.batch(2))


@pytest.mark.parametrize("options", [{"shuffle": False}, {"shuffle": True}, {"num_samples": 1}])
def test_a_list_of_positions_wins_over_other_arguments(options):
    for data in (ds.NumpySlicesDataset([5, 6], ["x"], sampler=[1, 0], **options),
                 ds.GeneratorDataset([5, 6], ["x"], sampler=[1, 0], **options)):  # fmt: skip
        assert column(data) == [6, 5][: options.get("num_samples")]


def test_surplus_types_and_shapes_of_a_schema_are_not_compared():
    schema = ds.Schema()
    schema.add_column("x", ms.int32, [1])
    assert column(ds.GeneratorDataset([(np.zeros(2, np.int32),)], schema=schema)) == [[0, 0]]
    assert column(ds.GeneratorDataset([3], ["x"], [ms.int64, ms.int32])) == [3]


@pytest.mark.parametrize(("shape", "found"), [((16, 8, 2), (1, 16, 8, 2)), ((2, 3, 16, 8, 2), (6, 16, 8, 2))])
def test_a_spectrogram_at_its_own_speed_has_four_dimensions(shape, found):
    assert ds.audio.TimeStretch(n_freq=16)(np.ones(shape)).shape == found


def test_objects_of_coco_need_not_say_whether_they_are_crowds(tmp_path):
    note = {"image_id": 0, "category_id": 1, "bbox": [1, 2, 3, 4]}
    content = {
        "images": [{"id": 0, "file_name": "0.jpg"}],
        "categories": [{"id": 1, "name": "a"}],
        "annotations": [note],
    }
    (tmp_path / "notes.json").write_text(json.dumps(content))
    (tmp_path / "0.jpg").write_bytes(b"an image")
    assert column(ds.CocoDataset(str(tmp_path), str(tmp_path / "notes.json")), "iscrowd") == [[[0]]]


def test_too_many_workers_are_refused():
    with pytest.raises(ValueError, match=r"'num_parallel_workers' must be in \[1, \d+\], but got 99999"):
        ds.GeneratorDataset([1], ["x"], num_parallel_workers=99999)
