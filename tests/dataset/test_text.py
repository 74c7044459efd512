"""Text transforms and sources of text files, as recorded from MindSpore."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

import torchspore as ms
import torchspore.dataset as ds
import torchspore.dataset.text as text

pytest.importorskip("regex")
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import text_cases
import text_file_cases

DATA = pathlib.Path(__file__).parent.parent / "data"
TABLES = {"dataset_text.json": text_cases, "dataset_text_files.json": text_file_cases}
RECORDED = {name: json.loads((DATA / name).read_text(encoding="utf-8")) for name in TABLES}
OURS = {"TypeError", "ValueError", "RuntimeError"}


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    found = {}
    for name, cases in TABLES.items():
        folder = tmp_path_factory.mktemp("text")
        cases.write_files(folder)
        found[name] = cases.namespace(ms, ds, text, folder)
    return found


def outcome(expression, names):
    """Return the result of an expression as JSON has it, or the type and the message of its error."""
    try:
        found = eval(expression, names)
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}
    return json.loads(json.dumps(text_cases.plain(found)))


def same(found, recorded):
    """Return whether results are equal; a RuntimeError of MindSpore's C++ is a more specific error here."""
    if isinstance(found, dict) and "error" in found and isinstance(recorded, dict) and "error" in recorded:
        return found["error"] in OURS if recorded["error"] == "RuntimeError" else found["error"] == recorded["error"]
    return found == recorded


@pytest.mark.parametrize(("table", "expression"), [(name, each) for name in TABLES for each in RECORDED[name]])
def test_expression(table, expression, names):
    found = outcome(expression, names[table])
    if isinstance(found, dict) and found.get("error") in OURS:
        assert found["message"].startswith("For '")
    assert same(found, RECORDED[table][expression]) == (expression not in TABLES[table].differences())


@pytest.mark.parametrize("table", TABLES)
def test_every_recorded_expression_is_in_the_table(table):
    assert sorted(RECORDED[table]) == sorted(TABLES[table].expressions())
    assert set(TABLES[table].differences()) <= set(RECORDED[table])


def test_forms_of_the_engine():
    assert [int(text.DE_C_INTER_NORMALIZE_FORM[text.NormalizeForm(number)]) for number in range(5)] == [*range(5)]
