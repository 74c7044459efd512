"""Files of MindRecord: MindSpore's are read, and ours have the same bytes (tests/data/record_mindrecord.py)."""

from __future__ import annotations

import contextlib
import json
import pathlib
import pickle
import shutil
import sqlite3
import sys
import zipfile

import numpy as np
import pytest

import torchspore.dataset as ds
from torchspore import mindrecord
from torchspore.mindrecord import FileReader, FileWriter, MindPage, encryption

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from record_cases import FILES, ORDERS, SIZES, numbered_row, orders, plain, write

DATA = pathlib.Path(__file__).parents[1] / "data"
RECORDED = json.loads((DATA / "mindrecord.json").read_text())
KEY = "0123456789abcdef"


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """The folder of MindSpore's files."""
    folder = tmp_path_factory.mktemp("theirs")
    with zipfile.ZipFile(DATA / "mindrecord.zip") as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(autouse=True)
def _settings():
    seed = ds.config.get_seed()
    yield
    ds.config.set_seed(seed)
    mindrecord.set_enc_key(None)
    mindrecord.set_enc_mode("AES-GCM")
    mindrecord.set_dec_mode(None)


def shards(name):
    return [name] if FILES[name][2] == 1 else [f"{name}{number}" for number in range(FILES[name][2])]


def rows_of(path):
    reader = FileReader(path if isinstance(path, list) else str(path))
    rows = list(reader.get_next())
    reader.close()
    return rows


def numbers(path):
    return [row["x"] for row in rows_of(path)]


def tables(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return [database.execute(f"SELECT * FROM {name}").fetchall() for name in ("INDEXES", "SHARD_NAME")]


@pytest.mark.parametrize("name", FILES)
def test_the_files_of_mindspore_are_read(name, theirs):
    path = theirs / shards(name)[0]
    rows = [{key: plain(value) for key, value in row.items()} for row in rows_of(path)]
    assert rows == RECORDED["rows"][name]
    assert [list(row) for row in rows] == [list(row) for row in RECORDED["rows"][name]]
    reader = FileReader(str(path))
    assert (reader.len(), reader.schema()) == (len(rows), RECORDED["schemas"][name])
    reader.close()


@pytest.mark.parametrize("name", [name for name in FILES if FILES[name][2] == 1])
def test_our_files_have_the_bytes_of_mindspore(name, theirs, tmp_path):
    write(mindrecord, tmp_path, name)
    assert tables(tmp_path / f"{name}.db") == tables(theirs / f"{name}.db")
    ours, wanted = ((folder / name).read_bytes() for folder in (tmp_path, theirs))
    assert ours[SIZES[0] :] == wanted[SIZES[0] :]
    assert header(ours) == header(wanted)


def header(content):
    """Return the JSON of a header; how MindSpore numbers the raw pages is an accident."""
    size = int.from_bytes(content[:8], "little")
    result = json.loads(content[8 : 8 + size])
    for page in result["page"]:
        if page["page_type"] == "RAW_DATA":
            del page["page_type_id"]
    return json.dumps(result)


@pytest.mark.parametrize("name", FILES)
def test_our_files_are_read_again(name, tmp_path):
    write(mindrecord, tmp_path, name)
    written = [{key: plain(value) for key, value in row.items()} for rows in FILES[name][3] for row in rows]
    read = [{key: plain(value) for key, value in row.items()} for row in rows_of(tmp_path / shards(name)[0])]
    assert read == [dict(row) for row in written]


@pytest.mark.parametrize("expression", ORDERS)
def test_rows_come_in_the_order_of_mindspore(expression, theirs):
    assert [*orders(ds, expression, str(theirs))] == RECORDED["orders"][expression]


def test_the_rows_of_a_category_are_read(theirs):
    page = MindPage(str(theirs / "shards0"))
    assert page.category_field is None
    page.category_field = "label"
    rows = [row["x"] for row in page.read_at_page_by_id(1, 0, 3)]
    assert [page.candidate_fields, page.read_category_info(), rows] == RECORDED["pages"]
    assert [row["x"] for row in page.read_at_page_by_name("0", 1, 3)] == [9]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda page: page.read_at_page_by_id(5, 0, 1), RuntimeError),
        (lambda page: page.read_at_page_by_id(-1, 0, 1), mindrecord.ParamValueError),
        (lambda page: page.read_at_page_by_id(0, -1, 1), mindrecord.ParamValueError),
        (lambda page: page.read_at_page_by_id(0, 0, 0), mindrecord.ParamValueError),
        (lambda page: page.read_at_page_by_id(0, 0, 1.5), mindrecord.ParamValueError),
        (lambda page: page.read_at_page_by_id(0, 9, 9), RuntimeError),
        (lambda page: page.read_at_page_by_name("9", 0, 1), RuntimeError),
        (lambda page: setattr(page, "category_field", "b"), mindrecord.MRMDefineCategoryError),
        (lambda page: setattr(page, "category_field", 3), mindrecord.ParamTypeError),
    ],
)
def test_wrong_calls_of_mindpage_are_refused(call, error, theirs):
    page = MindPage(str(theirs / "numbers"))
    with pytest.raises(RuntimeError, match="'category_field' must be set first"):
        page.read_category_info()
    page.category_field = "label"
    with pytest.raises(error, match=r"^For '"):
        call(page)


def test_a_reader_continues_where_it_was(theirs):
    reader = FileReader(str(theirs / "numbers"), columns=["x"])
    assert next(reader.get_next()) == {"x": 0}
    assert next(reader.get_next()) == {"x": 1}
    assert len(list(reader.get_next())) == 8
    assert list(reader.get_next()) == []
    other = FileReader(str(theirs / "numbers"))
    other.close()
    assert list(other.get_next()) == []


def test_mindspores_encrypted_file_is_read(theirs):
    path = theirs / "encrypted" / "numbers"
    mindrecord.set_enc_key(KEY)
    assert (encryption._get_enc_key(), encryption._get_enc_mode(), encryption._get_dec_mode()) == (
        KEY,
        "AES-GCM",
        "AES-GCM",
    )
    assert numbers(path) == list(range(10))
    assert [int(row["x"]) for row in ds.MindDataset(str(path), shuffle=False).create_dict_iterator()] == list(range(10))
    with pytest.raises(RuntimeError, match="it is not encrypted"):
        FileReader(str(theirs / "numbers"))
    mindrecord.set_enc_key(KEY[::-1])
    with pytest.raises(RuntimeError, match="another key"):
        FileReader(str(path))
    mindrecord.set_enc_key(None)
    with pytest.raises(RuntimeError, match="it is encrypted"):
        FileReader(str(path))


def test_encrypted_files_are_written_and_appended_to(tmp_path):
    mindrecord.set_enc_key(KEY)
    write(mindrecord, tmp_path, "numbers")
    writer = FileWriter.open_for_append(str(tmp_path / "numbers"))
    writer.write_raw_data([numbered_row(10)])
    writer.commit()
    assert (tmp_path / "numbers").read_bytes().endswith(b"\0\0\0\0AES-GCMENCRYPT")
    assert numbers(tmp_path / "numbers") == list(range(11))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["numbers", "numbers.db"]


def test_functions_encrypt_and_decrypt(tmp_path):
    def flip(source, size, target, key):
        target.write(bytes(byte ^ len(key) for byte in source.read(size)))

    mindrecord.set_enc_key(KEY)
    mindrecord.set_enc_mode(flip)
    write(mindrecord, tmp_path, "numbers")
    assert (tmp_path / "numbers").read_bytes().endswith(b"\0\0\0\0UDF-ENCENCRYPT")
    assert numbers(tmp_path / "numbers") == list(range(10))
    mindrecord.set_dec_mode("AES-GCM")
    with pytest.raises(RuntimeError, match="encrypted by a function"):
        FileReader(str(tmp_path / "numbers"))


@pytest.mark.parametrize(
    "call",
    [lambda: mindrecord.set_enc_key("short"), lambda: mindrecord.set_enc_key(b"0123456789abcdef"),
     lambda: mindrecord.set_enc_mode("AES-CBC"), lambda: mindrecord.set_enc_mode(None),
     lambda: mindrecord.set_dec_mode(3)],
)  # fmt: skip
def test_other_keys_and_modes_are_refused(call):
    with pytest.raises(ValueError, match=r"^For 'set_(enc|dec)"):
        call()


COLUMNS = [
    (None, {"b": ("|S2", (1,)), "label": ("<i8", ()), "x": ("<i4", ())}),
    ([], {"b": ("|S2", (1,)), "label": ("<i8", ()), "x": ("<i4", ())}),
    (["x", "b"], {"x": ("<i4", ()), "b": ("|S2", (1,))}),
]


@pytest.mark.parametrize(("columns", "wanted"), COLUMNS)
def test_columns_have_mindspores_types(columns, wanted, theirs):
    row = next(ds.MindDataset(str(theirs / "numbers"), columns, shuffle=False).create_dict_iterator(output_numpy=True))
    assert {name: (value.dtype.str, value.shape) for name, value in row.items()} == wanted
    assert list(row) == list(wanted)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (["x"], {}, None, ""),
        ("x", {}, TypeError, "'columns_list' must be a list of strings"),
        (["x", "x"], {}, ValueError, "each once"),
        (["nope"], {}, RuntimeError, "but not 'nope'"),
        (["x"], {"padded_sample": {"x": 1}}, RuntimeError, "must be given together"),
        (["x"], {"num_padded": 1}, RuntimeError, "must be given together"),
        (None, {"padded_sample": {"x": 1}, "num_padded": 1}, RuntimeError, "must be given together"),
        (["x"], {"padded_sample": {"y": 1}, "num_padded": 1}, ValueError, "must be a dict with"),
        (["x"], {"padded_sample": {"x": "a"}, "num_padded": 1}, TypeError, "does not fit the columns"),
        (
            ["x"],
            {"padded_sample": {"x": 1}, "num_padded": 1, "num_shards": 2, "shard_id": 0},
            RuntimeError,
            "divisible",
        ),
        (["x"], {"shuffle": ds.Shuffle.FILES, "num_samples": 2}, ValueError, "cannot be given together"),
        (["x"], {"shuffle": True, "sampler": ds.SequentialSampler()}, ValueError, "cannot be given together"),
        (["x"], {"num_samples": -1}, ValueError, "'num_samples' must be .* but got -1"),
        (["x"], {"num_parallel_workers": 0}, ValueError, "'num_parallel_workers' must be .* but got 0"),
    ],
)
def test_arguments_are_checked(arguments, options, error, message, theirs):
    if error is None:
        ds.MindDataset(str(theirs / "numbers"), arguments, **options)
        return
    with pytest.raises(error, match=message):
        ds.MindDataset(str(theirs / "numbers"), arguments, **options)


def test_classes_are_chosen(theirs):
    data = ds.MindDataset(str(theirs / "shards0"), ["x"], sampler=ds.PKSampler(2))
    rows = [int(row["x"]) % 3 for row in data.create_dict_iterator(num_epochs=1)]
    assert rows == [0, 0, 1, 1, 2, 2]


def test_worker_processes_and_copies_read_rows(theirs):
    data = ds.MindDataset(str(theirs / "shards0"), ["x"], shuffle=False)
    mapped = data.map(np.negative, ["x"], num_parallel_workers=2, python_multiprocessing=True)
    assert [int(row["x"]) for row in mapped.create_dict_iterator(num_epochs=1)] == [-n for n in range(10)]
    copied = pickle.loads(pickle.dumps(data))
    assert [int(row["x"]) for row in copied.create_dict_iterator(num_epochs=1)] == list(range(10))


def test_a_single_file_may_be_renamed_but_not_a_shard(theirs, tmp_path):
    for name, new in (("numbers", "other"), ("shards0", "others0")):
        for end in ("", ".db"):
            shutil.copy(theirs / f"{name}{end}", tmp_path / f"{new}{end}")
    assert numbers(tmp_path / "other") == list(range(10))
    with pytest.raises(RuntimeError, match="Do not rename"):
        FileReader(str(tmp_path / "others0"))
    assert len(numbers([str(tmp_path / "others0")])) in (2, 3)


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda: mindrecord.MRMOpenError(), "[MRMOpenError]: MindRecord File could not open successfully."),
        (
            lambda: mindrecord.ParamTypeError("x", "int"),
            "[ParamTypeError]: Invalid parameter type. 'x' expect int type.",
        ),
        (lambda: mindrecord.ParamValueError("bad {}"), "[ParamValueError]: Invalid parameter value. bad {}"),
        (lambda: mindrecord.MRMInvalidSchemaError("e"), "[MRMInvalidSchemaError]: Schema format is error. Detail: e"),
        (lambda: mindrecord.PathNotExistsError("p"), "[PathNotExistsError]: Invalid path. p"),
    ],
)
def test_exceptions_have_mindspores_texts(make, shown):
    error = make()
    assert str(error) == shown == str(pickle.loads(pickle.dumps(error)))
    assert isinstance(error, mindrecord.MindRecordException)


def test_codes_are_mindspores():
    codes = [mindrecord.UnknownError().error_code, mindrecord.ParamTypeError("a", "b").error_code]
    codes += [mindrecord.MRMCommitError().error_code, mindrecord.MRMDefineCategoryError("a").error_code]
    assert codes == [1347686400, 1347686401, 1347690603, 1347694797]
    with pytest.raises(TypeError, match="the arguments must be"):
        mindrecord.ParamTypeError("a")
