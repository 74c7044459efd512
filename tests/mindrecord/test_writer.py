"""What FileWriter accepts and refuses, appending, shards, and that files are replaced as a whole."""

from __future__ import annotations

import os
import pathlib
import sys

import numpy as np
import pytest

import torchspore.dataset as ds
from torchspore import mindrecord
from torchspore.mindrecord import FileReader, FileWriter

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from record_cases import FIELDS, FILES, NUMBERED, SIZES, numbered_row, plain, typed_row

ONE = {"x": {"type": "int32"}}


def writer(path, fields=NUMBERED, **options):
    result = FileWriter(str(path), **options)
    result.add_schema(fields)
    result.set_header_size(SIZES[0])
    result.set_page_size(SIZES[1])
    return result


def written(path, rows, fields=NUMBERED, **options):
    result = writer(path, fields, **options)
    result.write_raw_data(rows)
    result.commit()


def numbers(path):
    return [row["x"] for row in FileReader(path if isinstance(path, list) else str(path)).get_next()]


def test_rows_are_appended_to_all_shards(tmp_path):
    rows = [typed_row(n) for n in range(40)]
    written(tmp_path / "a", rows[:10], FIELDS, shard_num=3)
    for some in (rows[10:11], rows[11:]):
        result = FileWriter.open_for_append(str(tmp_path / "a1"))
        result.write_raw_data(some)
        result.commit()
    read = [{key: plain(value) for key, value in row.items()} for row in FileReader(str(tmp_path / "a0")).get_next()]
    wanted = [{key: plain(value) for key, value in row.items()} for row in rows]
    assert sorted(map(repr_of, read)) == sorted(map(repr_of, wanted))


def repr_of(row):
    return repr(sorted(row.items()))


def test_appending_continues_the_last_page(tmp_path):
    fields, _, _, (rows, more) = FILES["texts"]
    written(tmp_path / "a", rows, fields)
    result = FileWriter.open_for_append(str(tmp_path / "a"))
    result.write_raw_data(more)
    result.commit()
    assert [row["t"] for row in FileReader(str(tmp_path / "a")).get_next()] == [row["t"] for row in rows + more]


def test_until_commit_the_old_files_stay(tmp_path):
    written(tmp_path / "a", [numbered_row(1)])
    result = writer(tmp_path / "a", overwrite=True)
    result.write_raw_data([numbered_row(2)])
    assert numbers(tmp_path / "a") == [1]
    result.commit()
    assert numbers(tmp_path / "a") == [2]
    unfinished = FileWriter.open_for_append(str(tmp_path / "a"))
    unfinished.write_raw_data([numbered_row(3)])
    del unfinished
    assert numbers(tmp_path / "a") == [2]
    assert sorted(os.listdir(tmp_path)) == ["a", "a.db"]


def test_files_are_replaced_only_if_that_is_allowed(tmp_path):
    written(tmp_path / "a", [numbered_row(1)])
    with pytest.raises(RuntimeError, match="exists: remove it, or set 'overwrite'"):
        written(tmp_path / "a", [numbered_row(1)])
    written(tmp_path / "a", [numbered_row(2)], overwrite=True)
    assert numbers(tmp_path / "a") == [2]


def test_a_parallel_writer_fills_one_shard_after_the_other(tmp_path):
    result = writer(tmp_path / "a", shard_num=3)
    for start in range(0, 20, 4):
        result.write_raw_data([numbered_row(n) for n in range(start, start + 4)], parallel_writer=True)
    result.commit()
    found = [numbers([str(tmp_path / f"a{number}")]) for number in range(3)]
    assert found == [[0, 1, 2, 3, 12, 13, 14, 15], [4, 5, 6, 7, 16, 17, 18, 19], [8, 9, 10, 11]]


def test_many_small_rows_fill_pages(tmp_path):
    rows = [{"x": n} for n in range(30_000)]
    written(tmp_path / "a", rows, ONE)
    assert numbers(tmp_path / "a") == list(range(30_000))


def test_a_file_without_rows_is_empty(tmp_path):
    writer(tmp_path / "a").commit()
    reader = FileReader(str(tmp_path / "a"))
    assert (reader.len(), list(reader.get_next())) == (0, [])


FITTING = [
    ("int32", [0, -5, 2**31, np.int32(3)]), ("int64", [2**63 - 1, -(2**63), np.int64(3)]),
    ("float32", [1.5, np.float32(1.1), float("nan"), float("-inf"), 1e300]), ("float64", [0.1, np.float64(2.5)]),
    ("string", ["", "a\0b", "ä😀", "x" * 300, "y" * 30_000, np.str_("z")]), ("bytes", [b"", b"\0", b"x" * 30_000]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "values"), FITTING)
def test_values_of_the_type_are_written(kind, values, tmp_path):
    written(tmp_path / "a", [{"x": value} for value in values], {"x": {"type": kind}})
    np.testing.assert_array_equal(numbers(tmp_path / "a"), values)


def test_a_number_that_is_too_large_for_its_column(tmp_path):
    written(tmp_path / "a", [{"x": 2**31}], {"x": {"type": "int32"}})
    with pytest.raises(RuntimeError, match="row 0 does not fit the schema: 2147483648 is not an int32"):
        list(ds.MindDataset(str(tmp_path / "a")).create_tuple_iterator(num_epochs=1))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[({"type": "int32"}, value) for value in (1.0, "1", None, True, np.int64(1), np.array(1), 2**63, b"")],
        *[({"type": "int64"}, value) for value in (np.int32(1), 2**64)],
        *[({"type": "float32"}, value) for value in (1, "1", np.array(1.5, np.float32), None)],
        *[({"type": "float64"}, value) for value in (1, np.float32(1))],
        *[({"type": "string"}, value) for value in (b"a", 1, None)],
        *[({"type": "bytes"}, value) for value in ("a", bytearray(b"a"), np.zeros(1, np.uint8))],
        ({"type": "int32", "shape": [2]}, np.array([1, 2])),
        ({"type": "int32", "shape": [2]}, [1, 2]),
        ({"type": "int32", "shape": [3]}, np.array([1, 2], np.int32)),
        ({"type": "int32", "shape": [-1, 2]}, np.array([1, 2, 3], np.int32)),
        ({"type": "float32", "shape": [-1]}, np.array([1.0])),
        ({"type": "float32", "shape": [2]}, np.array([1, 2], ">f4")),
    ],
)
def test_rows_that_do_not_fit_are_left_out(field, value, tmp_path):
    good = np.zeros([abs(size) for size in field["shape"]], field["type"]) if "shape" in field else None
    good = {"int32": 0, "int64": 0, "string": "", "bytes": b""}.get(field["type"], 0.0) if good is None else good
    result = writer(tmp_path / "a", {"x": field})
    with pytest.raises(RuntimeError, match="1 of 1 rows do not fit the schema: the field 'x' must be"):
        result.write_raw_data([{"x": value}])
    result.write_raw_data([{"x": value}, {"x": good}, {"y": good}])
    result.commit()
    assert len(numbers(tmp_path / "a")) == 1


REFUSED = [
    (lambda w: w.add_schema(ONE), mindrecord.MRMAddSchemaError, "there is a schema already"),
    (lambda w: w.add_index(["b"]), mindrecord.MRMDefineIndexError, "bytes or an array cannot be in the index"),
    (lambda w: w.add_index(["nope"]), RuntimeError, "there is no field 'nope'"),
    (lambda w: w.add_index(["x", "x"]), RuntimeError, "is in the index already"),
    (lambda w: w.add_index("x"), mindrecord.ParamTypeError, "must be a list of names"),
    (lambda w: w.add_index([]), mindrecord.ParamTypeError, "must be a list of names"),
    (lambda w: w.add_index([1]), mindrecord.ParamTypeError, "must be names"),
    (lambda w: w.set_page_size(16384), RuntimeError, "multiple of 4 in"),
    (lambda w: w.set_page_size(32769), RuntimeError, "multiple of 4 in"),
    (lambda w: w.set_page_size(1.5), TypeError, "must be an int"),
    (lambda w: w.set_header_size(2**28), RuntimeError, "multiple of 4 in"),
    (lambda w: w.write_raw_data({}), mindrecord.ParamTypeError, "must be a list"),
    (lambda w: w.write_raw_data([1]), mindrecord.ParamTypeError, "must have dicts"),
    (lambda w: w.write_raw_data([]), RuntimeError, "nothing to write"),
    (lambda w: w.write_raw_data([numbered_row(1)], 1), TypeError, "must be a bool"),
    (lambda w: w.write_raw_data([{**numbered_row(1), "b": bytes(40_000)}]), RuntimeError, "call 'set_page_size'"),
    (lambda w: [w.commit(), w.commit()], RuntimeError, "committed already"),
    (lambda w: [w.commit(), w.write_raw_data([numbered_row(1)])], RuntimeError, "use 'open_for_append'"),
    (lambda w: [w.write_raw_data([numbered_row(1)]), w.add_index(["x"])], RuntimeError, "already"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_wrong_calls_are_refused(call, error, message, tmp_path):
    with pytest.raises(error, match=message) as caught:
        call(writer(tmp_path / "a"))
    assert str(caught.value).startswith("For '")


SCHEMAS = [
    ({}, "not empty"), (None, "must be a dict"), ([], "must be a dict"), ({"x": {}}, "with a 'type'"),
    ({"x": 1}, "with a 'type'"), ({"x": {"type": "uint8"}}, "must be one of"), ({"x": {"type": []}}, "must be one of"),
    ({"x": {"type": "int32", "shape": 2}}, "can have a 'shape'"), ({"x": {"type": "int32", "more": 1}}, "only 'type'"),
    ({"x": {"type": "bytes", "shape": [1]}}, "can have a 'shape'"), ({"x-y": {"type": "int32"}}, "letters, digits"),
    ({"x\n": {"type": "int32"}}, "letters, digits"), ({1: {"type": "int32"}}, "letters, digits"),
    ({"ä": {"type": "int32"}}, "letters, digits"), ({"": {"type": "int32"}}, "letters, digits"),
    ({"x; DROP TABLE INDEXES": {"type": "int32"}}, "letters, digits"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "message"), SCHEMAS)
def test_schemas_of_other_forms_are_refused(schema, message, tmp_path):
    with pytest.raises(mindrecord.MRMInvalidSchemaError, match=message):
        FileWriter(str(tmp_path / "a")).add_schema(schema)


@pytest.mark.parametrize("shape", [[-1, -1], [0], [-2], ["a"], [True], [2.0], [2**70]])
def test_shapes_must_be_sizes(shape, tmp_path):
    with pytest.raises(mindrecord.MRMBuildSchemaError, match="positive ints, at most one of them -1"):
        FileWriter(str(tmp_path / "a")).add_schema({"x": {"type": "int32", "shape": shape}})


@pytest.mark.parametrize(
    "arguments", [(1,), ("",), ("a/",), ("a;b",), ("a\0",), ("a", 0), ("a", 1001), ("a", 1.5), ("a", 1, "yes")]
)
def test_constructors_check_their_arguments(arguments):
    with pytest.raises(mindrecord.ParamValueError, match=r"^For 'FileWriter', "):
        FileWriter(*arguments)


def test_a_header_that_is_too_small_is_named(tmp_path):
    result = writer(tmp_path / "a")
    result.write_raw_data([{**numbered_row(n), "b": bytes(30_000)} for n in range(100)])
    with pytest.raises(RuntimeError, match="call 'set_header_size'"):
        result.commit()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("names", [["x", "X"], ["inc"]])
def test_index_fields_that_sqlite_confuses_are_refused(names, tmp_path):
    with pytest.raises(RuntimeError, match="differ in more than case"):
        written(tmp_path / "a", [dict.fromkeys(names, 1)], dict.fromkeys(names, ONE["x"]))


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        written(tmp_path / "missing" / "a", [numbered_row(1)])


def test_fields_that_the_schema_does_not_have_are_left_out(tmp_path):
    result = writer(tmp_path / "a", {"x": {"type": "int32"}})
    result.write_raw_data([{"x": 1, "y": 2.5}, {"x": 2}, {"y": 3}])
    result.commit()
    assert numbers(tmp_path / "a") == [1, 2]
