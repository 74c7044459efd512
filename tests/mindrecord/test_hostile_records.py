"""Files of MindRecord whose header or index lies are refused with a reason."""

from __future__ import annotations

import json
import pathlib
import sqlite3
import sys

import pytest

import torchspore.dataset as ds
from torchspore import mindrecord
from torchspore.mindrecord import FileReader, MindPage

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from record_cases import write


@pytest.fixture
def path(tmp_path):
    write(mindrecord, tmp_path, "numbers")
    return tmp_path / "numbers"


def read(path):
    """Read the file in all ways."""
    list(FileReader(str(path)).get_next())
    list(ds.MindDataset(str(path), shuffle=False).create_tuple_iterator(num_epochs=1))
    page = MindPage(str(path))
    page.category_field = "x"
    page.read_category_info()


def change_header(path, change):
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    change(header)
    text = json.dumps(header).encode()
    path.write_bytes((len(text).to_bytes(8, "little") + text).ljust(2**14, b"\0") + content[2**14 :])


def setting(*place):
    """Return what sets a value inside a header: the keys on the way there, and the value."""

    def change(header):
        for key in place[:-2]:
            header = header[key]
        header[place[-2]] = place[-1]

    return change


HEADERS = [
    (setting("version", "9.9"), "its version must be '3.0'"),
    (setting("version", None), "its version must be '3.0'"),
    (setting("schema", []), "must have one schema"),
    (setting("schema", 0, "schema", "x", "type", "object"), "must be one of"),
    (setting("schema", 0, "schema", "x", "type", "bytes"), "its 'blob_fields' must be"),
    (setting("schema", 0, "schema", "x", "type", "string"), "does not fit the schema"),
    (setting("schema", 0, "schema", "y", {"type": "int32"}), "does not fit the schema"),
    (setting("schema", 0, "schema", "x; DROP TABLE INDEXES", {"type": "int32"}), "must consist of letters"),
    (setting("schema", 0, "blob_fields", ["b", "b"]), "its 'blob_fields' must be"),
    (setting("schema", 0, "schema", "b", {"type": "int32", "shape": [2]}), "integers"),
    (setting("schema", 0, "schema", "b", {"type": "float32", "shape": [2]}), "has 2 bytes"),
    (setting("index_fields", 0, "index_field", "x, (SELECT 1)"), "are not fields with one value"),
    (setting("index_fields", 0, "index_field", "b"), "are not fields with one value"),
    (setting("index_fields", [3]), "damaged"),
    (setting("shard_addresses", ["../numbers"]), "which is not beside it"),
    (setting("shard_addresses", ["/etc/passwd", "numbers"]), "which is not beside it"),
    (setting("shard_addresses", ["numbers", "numbers"]), "names a file twice"),
    (setting("shard_addresses", ["numbers", "missing"]), "there is no file at"),
    (setting("shard_addresses", [".."]), "which is not beside it"),
    (setting("shard_addresses", []), "must name 1 to 1000 files"),
    (setting("shard_addresses", [f"a{n}" for n in range(1001)]), "must name 1 to 1000 files"),
    (setting("header_size", -1), "which must be an int in"),
    (setting("header_size", 2**62), "which must be an int in"),
    (setting("page_size", 0), "its 'page_size' is 0"),
    (setting("page_size", 1.5), "which must be an int in"),
    (setting("page_size", True), "which must be an int in"),
    (setting("page_size", 100), "which must be an int in"),
    (setting("page", 1, "page_size", 2**15), "it is cut short: page 1"),
    (setting("page", 0, "page_id", 1), "describes another page"),
    (setting("page", 0, "page_type", "RAW_DATA"), "has rows outside"),
    (setting("page", 0, "row_group_ids", None), "damaged"),
    (setting("page", None), "more rows than the file has room for|rows outside"),
    (setting("page", {}), "more rows than the file has room for"),
]


@pytest.mark.parametrize(("change", "message"), HEADERS)
def test_a_header_that_lies_is_refused(change, message, path):
    change_header(path, change)
    with pytest.raises(RuntimeError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith("For '")


UPDATES = [
    ("UPDATE INDEXES SET PAGE_ID_RAW = 7 WHERE ROW_ID = 3", "has rows outside"),
    ("UPDATE INDEXES SET PAGE_ID_RAW = -1", "has rows outside"),
    ("UPDATE INDEXES SET PAGE_ID_RAW = 0", "has rows outside"),
    ("UPDATE INDEXES SET PAGE_OFFSET_RAW = -8", "has rows outside"),
    ("UPDATE INDEXES SET PAGE_OFFSET_RAW_END = 9000000000000000000", "has rows outside"),
    ("UPDATE INDEXES SET PAGE_OFFSET_RAW_END = PAGE_OFFSET_RAW", "has rows outside"),
    ("UPDATE INDEXES SET PAGE_OFFSET_RAW = PAGE_OFFSET_RAW + 1", "length of a row"),
    ("UPDATE INDEXES SET PAGE_OFFSET_BLOB = PAGE_OFFSET_BLOB + 1", "length of a row"),
    ("UPDATE INDEXES SET PAGE_OFFSET_BLOB = 'x'", "places that are not ints"),
    ("UPDATE INDEXES SET PAGE_OFFSET_BLOB = 0.5", "places that are not ints"),
    ("UPDATE INDEXES SET PAGE_OFFSET_BLOB = x'00'", "places that are not ints"),
    ("UPDATE INDEXES SET ROW_ID = ROW_ID + 100", "does not number the rows"),
    ("DELETE FROM INDEXES WHERE ROW_ID = 4", "does not number the rows"),
    ("DROP TABLE INDEXES", "has no table of rows"),
    ("ALTER TABLE INDEXES DROP COLUMN PAGE_OFFSET_BLOB", "not an index, or damaged"),
    ("ALTER TABLE INDEXES RENAME TO I2; CREATE VIEW INDEXES AS SELECT * FROM I2", "has no table of rows"),
    (
        "INSERT INTO INDEXES WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)"
        " SELECT i, 1, 0, 9, 0, 0, 0, 9, 0, 0, 0, 0 FROM n",
        "more rows than the file has room for",
    ),
]


@pytest.mark.parametrize(("statements", "message"), UPDATES)
def test_an_index_that_lies_is_refused(statements, message, path):
    with sqlite3.connect(f"{path}.db") as database:
        database.executescript(statements)
    database.close()
    with pytest.raises(RuntimeError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith("For '")


def test_an_index_cannot_name_another_file(path):
    with sqlite3.connect(f"{path}.db") as database:
        database.execute("UPDATE SHARD_NAME SET NAME = '/etc/passwd'")
    database.close()
    read(path)


def test_a_journal_beside_the_index_is_ignored(path):
    before = pathlib.Path(f"{path}.db").read_bytes()
    pathlib.Path(f"{path}.db-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600))
    read(path)
    assert pathlib.Path(f"{path}.db").read_bytes() == before
    assert pathlib.Path(f"{path}.db-journal").exists()


@pytest.mark.parametrize("bomb", [b"[" * 60_000, b"[[]," * 15_000, b"0," * 30_000, b'{"a":' * 12_000])
def test_a_header_that_would_take_much_memory_is_refused(bomb, path):
    path.write_bytes(len(bomb).to_bytes(8, "little") + bomb + bytes(2**16))
    with pytest.raises(RuntimeError, match="its header is"):
        read(path)


@pytest.mark.parametrize("size", [0, 7, 8, 500, 2**14, 2**14 + 50, 2**14 + 2**15 + 3])
def test_a_file_that_is_cut_short_is_refused(size, path):
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(RuntimeError, match=r"MindRecord file|cut short|header is damaged"):
        read(path)


def test_a_file_that_shrinks_while_it_is_read_is_named(path):
    reader = FileReader(str(path))
    rows = reader.get_next()
    next(rows)
    path.write_bytes(path.read_bytes()[: 2**14])
    with pytest.raises(RuntimeError, match=r"row 1 of the file .* it became shorter"):
        next(rows)


def test_a_missing_index_is_named(path):
    pathlib.Path(f"{path}.db").unlink()
    with pytest.raises(RuntimeError, match="there is no index of the file"):
        FileReader(str(path))


@pytest.mark.parametrize("place", ["", ".db"])
def test_a_folder_is_not_a_file(place, path):
    target = pathlib.Path(f"{path}{place}")
    target.unlink()
    target.mkdir()
    with pytest.raises(RuntimeError, match="is a folder, a pipe or a device"):
        read(path)
