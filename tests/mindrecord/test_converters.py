"""Converters of published datasets, on small folders in their layouts."""

from __future__ import annotations

import gzip
import io
import json
import pathlib
import pickle
import re
import struct
from types import SimpleNamespace

import numpy as np
import pytest

from torchspore import mindrecord
from torchspore.mindrecord import FileReader, tfrecord_file
from torchspore.mindrecord.tfrecord_file import pack_example, read_records, unpack_example, write_records

Image = pytest.importorskip("PIL.Image")

RANDOM = np.random.default_rng(0)


def rows_of(path):
    return list(FileReader(str(path)).get_next())


def index_of(path):
    content = pathlib.Path(path).read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return [field["index_field"] for field in header["index_fields"]]


def is_like(jpeg, image):
    """Return whether a JPEG file is about the image: RGB, and not BGR."""
    decoded = np.asarray(Image.open(io.BytesIO(jpeg)), np.float64)
    return decoded.shape == image.shape and np.abs(decoded - image).mean() < 8


def smooth(count, *shape):
    """Return images of one colour each, which JPEG keeps."""
    return np.broadcast_to(RANDOM.integers(0, 256, (count, *[1] * (len(shape) - 1), shape[-1])), (count, *shape))


def pickled(path, images, **labels):
    content = {b"data": images.transpose(0, 3, 1, 2).reshape(len(images), -1).astype(np.uint8)}
    path.write_bytes(pickle.dumps({**content, **{name.encode(): values for name, values in labels.items()}}))


def test_cifar10(tmp_path):
    images = smooth(12, 32, 32, 3)
    for number in range(5):
        pickled(tmp_path / f"data_batch_{number + 1}", images[2 * number : 2 * number + 2], labels=[number, 9])
    pickled(tmp_path / "test_batch", images[10:], labels=[7, 8])
    mindrecord.Cifar10ToMR(str(tmp_path), str(tmp_path / "c")).transform(["label"])
    train, test = rows_of(tmp_path / "c"), rows_of(tmp_path / "c_test")
    assert [(row["id"], row["label"]) for row in train] == [(n, n // 2 if n % 2 == 0 else 9) for n in range(10)]
    assert [(row["id"], row["label"]) for row in test] == [(0, 7), (1, 8)]
    assert all(is_like(row["data"], image) for row, image in zip(train + test, images))
    assert index_of(tmp_path / "c") == ["label"]


def test_cifar10_of_fewer_files(tmp_path):
    images = smooth(6, 32, 32, 3)
    for number, name in enumerate(("data_batch_10", "data_batch_2", "test_batch")):
        pickled(tmp_path / name, images[2 * number : 2 * number + 2], labels=[number, 9])
    (tmp_path / "batches.meta").write_bytes(b"")
    mindrecord.Cifar10ToMR(str(tmp_path), str(tmp_path / "c")).transform()
    assert [row["label"] for row in rows_of(tmp_path / "c")] == [1, 9, 0, 9]


@pytest.mark.parametrize(("converter", "names"), [
    (mindrecord.Cifar10ToMR, ["test_batch"]), (mindrecord.Cifar10ToMR, ["data_batch_1"]),
    (mindrecord.Cifar100ToMR, ["train"]), (mindrecord.Cifar100ToMR, ["test"]),
])  # fmt: skip
def test_cifar_without_a_file(tmp_path, converter, names):
    for name in names:
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(mindrecord.PathNotExistsError, match="'source' must have files"):
        converter(str(tmp_path), str(tmp_path / "c"))


def test_cifar100(tmp_path):
    images = smooth(3, 32, 32, 3)
    for name in ("train", "test"):
        pickled(tmp_path / name, images, fine_labels=[4, 5, 6], coarse_labels=[1, 2, 3])
    mindrecord.Cifar100ToMR(str(tmp_path), str(tmp_path / "c")).transform()
    rows = rows_of(tmp_path / "c")
    assert [(row["id"], row["fine_label"], row["coarse_label"]) for row in rows] == [(0, 4, 1), (1, 5, 2), (2, 6, 3)]
    assert all(is_like(row["data"], image) for row, image in zip(rows, images))
    assert index_of(tmp_path / "c_test") == ["coarse_label", "fine_label", "id"]


class _Evil:
    def __reduce__(self):
        return print, ("run",)


@pytest.mark.parametrize(
    ("content", "message"),
    [(pickle.dumps(_Evil()), "which a file of CIFAR does not"), (b"", "cannot be read"), (pickle.dumps([1]), "cannot"),
     (pickle.dumps({b"data": np.zeros((2, 3072), np.uint8), b"labels": [1]}), "a label for each image")],
)  # fmt: skip
def test_other_pickles_are_refused(content, message, tmp_path, capsys):
    for name in ("data_batch_1", "test_batch"):
        (tmp_path / name).write_bytes(content)
    with pytest.raises(RuntimeError, match=message):
        mindrecord.Cifar10ToMR(str(tmp_path), str(tmp_path / "c")).transform()
    assert capsys.readouterr().out == ""


def idx(path, array):
    path.write_bytes(
        gzip.compress(struct.pack(f">{1 + array.ndim}i", 0x800 + array.ndim, *array.shape) + array.tobytes())
    )


def test_mnist(tmp_path):
    images = smooth(5, 28, 28).transpose(0, 1, 2).astype(np.uint8)
    for name, part in (("train", images[:3]), ("t10k", images[3:])):
        idx(tmp_path / f"{name}-images-idx3-ubyte.gz", part)
        idx(tmp_path / f"{name}-labels-idx1-ubyte.gz", np.arange(len(part), dtype=np.uint8))
    mindrecord.MnistToMR(str(tmp_path), str(tmp_path / "m"), 2).transform()
    rows = rows_of(tmp_path / "m_train.mindrecord0")
    assert [row["label"] for row in rows] == [0, 1, 2]
    assert all(is_like(row["data"], image) for row, image in zip(rows, images))
    assert len(rows_of(tmp_path / "m_test.mindrecord1")) == 2
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(bytes(20)))
    with pytest.raises(RuntimeError, match="must be an idx file"):
        mindrecord.MnistToMR(str(tmp_path), str(tmp_path / "n")).transform()


def test_imagenet(tmp_path):
    for name in ("n01/b.JPEG", "n01/a.JPEG", "n02/c.JPEG", "n04/d.JPEG"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    (tmp_path / "map").write_text("n01 5\nn02 1\n\nn03 2\n")
    mindrecord.ImageNetToMR(str(tmp_path / "map"), str(tmp_path), str(tmp_path / "i")).transform()
    rows = rows_of(tmp_path / "i")
    names = [("n01/a.JPEG", 5), ("n01/b.JPEG", 5), ("n02/c.JPEG", 1)]
    assert rows == [{"file_name": str(tmp_path / n), "label": label, "image": n.encode()} for n, label in names]
    assert index_of(tmp_path / "i") == ["label", "file_name"]
    (tmp_path / "map").write_text("n01\n")
    with pytest.raises(ValueError, match="line 1 of 'map_file' must be a name and a number"):
        mindrecord.ImageNetToMR(str(tmp_path / "map"), str(tmp_path), str(tmp_path / "j")).transform()


@pytest.mark.parametrize(
    ("text", "columns", "wanted"),
    [
        ("i,s,n\n1,a,1.5\n2,\"b, c\",2\n", None, [{"i": 1, "n": 1.5, "s": "a"}, {"i": 2, "n": 2.0, "s": "b, c"}]),
        ("a,b\n1,2\n,3\n", ["a"], [{"a": 1.0}, {"a": float("nan")}]),
        ("a,b\n1_0,x\n", None, [{"a": "1_0", "b": "x"}]),
        ("a\n99999999999999999999\n", None, [{"a": 1e20}]),
        ("a,b\n1\n", None, [{"a": 1, "b": float("nan")}]),
        ("\ufeffa,b\n-3,1e3\n", ["b", "a"], [{"a": -3, "b": 1000.0}]),
    ],
)  # fmt: skip
def test_csv(text, columns, wanted, tmp_path):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    mindrecord.CsvToMR(str(tmp_path / "a.csv"), str(tmp_path / "a"), columns).transform()
    assert repr(rows_of(tmp_path / "a")) == repr(wanted)


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [("a\n1\n", ["b"], "the columns of the file are"), ("a\n1,2\n", None, "has 2 fields"), ("", None, "^For '"),
     ("a-b\n1\n", None, "letters, digits"), ("a,a\n1,2\n", None, "columns of the file")],
)  # fmt: skip
def test_other_tables_are_refused(text, columns, message, tmp_path):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises((RuntimeError, mindrecord.MRMInvalidSchemaError), match=message):
        mindrecord.CsvToMR(str(tmp_path / "a.csv"), str(tmp_path / "a"), columns).transform()


EXAMPLE = {
    "image/encoded": [b"\xff\xd8"], "name": ["é".encode()], "n": np.array([-5]), "f": np.array([1.5], np.float32),
    "ns": np.array([1, 2**40, -1]), "fs": np.array([0.5, -2], np.float32), "unused": [b"a", b"b"],
}  # fmt: skip
FEATURES = {
    "image/encoded": ([], "string"), "name": ([], "string"), "n": ([], "int64"), "f": ([], "float32"),
    "ns": ([3], "int64"), "fs": ([2], "float32"),
}  # fmt: skip


def features(**changed):
    return {
        name: SimpleNamespace(shape=shape, dtype=SimpleNamespace(name=dtype))
        for name, (shape, dtype) in {**FEATURES, **changed}.items()
    }


def test_tfrecord(tmp_path):
    with open(tmp_path / "a.tfrecord", "wb") as file:
        write_records(file, [pack_example(EXAMPLE)] * 2)
    source = str(tmp_path / "a.tfrecord")
    mindrecord.TFRecordToMR(source, str(tmp_path / "a"), features(), ["image/encoded"]).transform()
    rows = rows_of(tmp_path / "a")
    assert len(rows) == 2
    row = rows[0]
    assert (row["image_encoded"], row["name"], row["n"], row["f"]) == (b"\xff\xd8", "é", -5, 1.5)
    assert (row["ns"].tolist(), row["fs"].tolist()) == ([1, 2**40, -1], [0.5, -2])
    assert (row["ns"].dtype, row["fs"].dtype) == (np.int64, np.float32)


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"n": ([], "float32")}, "must have the type float32|one value"), ({"ns": ([4], "int64")}, "not the shape"),
     ({"missing": ([], "int64")}, "must have the type"), ({"ns": ([], "int64")}, "must have one value"),
     ({"name": ([], "int64")}, "must have the type int64")],
)  # fmt: skip
def test_features_that_records_lack_are_refused(changed, message, tmp_path):
    with open(tmp_path / "a.tfrecord", "wb") as file:
        write_records(file, [pack_example(EXAMPLE)])
    made = mindrecord.TFRecordToMR(
        str(tmp_path / "a.tfrecord"), str(tmp_path / "a"), features(**changed), ["image/encoded"]
    )
    with pytest.raises(RuntimeError, match=message):
        made.transform()


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b[:5], lambda b: b"x" + b[1:], lambda b: b + b"\0"])
def test_damaged_tfrecords_are_refused(damage, tmp_path):
    file = io.BytesIO()
    write_records(file, [b"deep sea"])
    (tmp_path / "a").write_bytes(file.getvalue())
    assert list(read_records(str(tmp_path / "a"))) == [b"deep sea"]
    (tmp_path / "a").write_bytes(damage(file.getvalue()))
    with pytest.raises(ValueError, match=r"cut short|checksum"):
        list(read_records(str(tmp_path / "a")))


@pytest.mark.parametrize("data", [b"\x0a\xff", b"\x0f", b"\x0a\x02\x0a\x05", b"\xff" * 12, b"\x0a\x04\x0a\x02\x0a\xff"])
def test_damaged_examples_are_refused(data):
    with pytest.raises(ValueError, match="a record is not an Example"):
        unpack_example(data)


def unpacked(data):
    try:
        return {name: list(values) for name, values in unpack_example(data).items()}
    except ValueError as error:
        return type(error)


NUMBERS = [0, 1, 127, 128, 300, 2**40, -1, 2**63 - 1, -(2**63)]


@pytest.mark.parametrize("seed", range(20))
def test_the_usual_form_of_examples_is_only_faster(seed, monkeypatch):
    random = np.random.default_rng(seed)
    example = {
        name: [[b"", random.bytes(300)], random.choice(NUMBERS, size), np.ones(size, np.float32), [b"x"]][kind]
        for name, kind, size in zip(["", "é" * 9, "\x12", "n" * 140, "label"], random.permutation(4), [0, 1, 200, 7])
    }
    data = pack_example(example)
    assert unpacked(data) == {name: list(values) for name, values in example.items()}
    tests = [data, data + data]
    for place in random.integers(0, len(data), 100):
        tests += [data[:place], data[:place] + random.bytes(1) + data[place + 1 :], data[:place] + data[place + 1 :]]
    found = [unpacked(each) for each in tests]
    monkeypatch.setattr(tfrecord_file, "_USUAL_ENTRY", re.compile(b"(?!)"))
    assert repr(found) == repr([unpacked(each) for each in tests])  # where nan is nan


@pytest.mark.parametrize("compress", [("GZIP", gzip.compress), ("ZLIB", __import__("zlib").compress)])
def test_compressed_tfrecords_are_read(compress, tmp_path):
    file = io.BytesIO()
    write_records(file, [bytes([n]) * n * 1000 for n in range(50)])
    (tmp_path / "a").write_bytes(compress[1](file.getvalue()))
    assert [len(record) for record in read_records(str(tmp_path / "a"), compress[0])] == [n * 1000 for n in range(50)]
    (tmp_path / "a").write_bytes(compress[1](file.getvalue())[:-9])
    with pytest.raises(ValueError, match=r"compressed data is damaged|cut short"):
        list(read_records(str(tmp_path / "a"), compress[0]))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: mindrecord.Cifar10ToMR("missing", "a"), mindrecord.PathNotExistsError),
        (lambda: mindrecord.MnistToMR(3, "a"), mindrecord.ParamValueError),
        (lambda: mindrecord.MnistToMR(".", "a", 0), mindrecord.ParamValueError),
        (lambda: mindrecord.CsvToMR("missing", "a"), mindrecord.PathNotExistsError),
        (lambda: mindrecord.CsvToMR(__file__, "a", "x"), mindrecord.ParamTypeError),
        (lambda: mindrecord.TFRecordToMR(__file__, "a", {}), mindrecord.ParamTypeError),
        (lambda: mindrecord.TFRecordToMR(__file__, "a", {"x": 1}), mindrecord.ParamTypeError),
        (lambda: mindrecord.TFRecordToMR(__file__, "a", features(), ["y"]), mindrecord.ParamValueError),
    ],
)
def test_wrong_arguments_are_refused(call, error):
    with pytest.raises(error, match=r"^For '\w+ToMR', "):
        call()
