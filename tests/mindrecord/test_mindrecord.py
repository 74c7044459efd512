"""Files of MindRecord: MindSpore's are read, and ours have the same bytes (tests/data/record_mindrecord.py)."""

from __future__ import annotations

import json
import pathlib
import sqlite3
import sys
import zipfile

import numpy as np
import pytest

import torchspore.dataset as ds
from torchspore import mindrecord
from torchspore.mindrecord import FileReader, FileWriter, MindPage

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from record_cases import FILES, NUMBERED, ORDERS, SIZES, numbered_row, orders, plain, typed_row, write

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


def rows_of(path, **options):
    reader = FileReader(str(path), **options)
    rows = list(reader.get_next())
    reader.close()
    return rows


def numbers(path):
    return [row["x"] for row in rows_of(path)]


def tables(path):
    with sqlite3.connect(path) as database:
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
