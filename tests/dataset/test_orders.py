"""Orders of rows by seed against MindSpore 2.10's (tests/data/record_row_orders.py, record_file_orders.py)."""

from __future__ import annotations

import base64
import json
import pathlib
import sys

import pytest

import torchspore as ms
import torchspore.dataset as ds

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import file_order_cases
from order_cases import CASES, orders

_DATA = pathlib.Path(__file__).parents[1] / "data"
RECORDED = json.loads((_DATA / "row_orders.json").read_text())
FILES = json.loads((_DATA / "file_orders.json").read_text())


@pytest.fixture(autouse=True)
def _seed():
    before = ms.get_seed()
    yield
    ds.config.set_seed(5489)
    ms.set_seed(1 if before is None else before)
    ds.config.set_seed(5489)


@pytest.mark.parametrize("expression", CASES)
def test_rows_come_in_the_order_of_mindspore(expression, tmp_path):
    assert orders(ds, ms, expression, tmp_path) == RECORDED[expression]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    result = tmp_path_factory.mktemp("files")
    file_order_cases.write_texts(result)
    for name, content in FILES["files"].items():
        (result / name).write_bytes(base64.b64decode(content))
    return result


@pytest.mark.parametrize("expression", file_order_cases.CASES)
def test_rows_of_files_come_in_the_order_of_mindspore(expression, folder):
    assert file_order_cases.orders(ds, expression, folder) == FILES["orders"][expression]


@pytest.mark.parametrize("expression", [case for case in file_order_cases.CASES if "True" in case or "FILES" in case])
def test_rows_of_files_go_on_anywhere(expression, folder):
    expected = file_order_cases.orders(ds, expression, folder)
    for epoch, row in ((0, 1), (1, 2), (2, 0)):
        assert file_order_cases.orders(ds, expression, folder, (epoch, min(row, len(expected[epoch])))) == expected, (
            epoch
        )


def test_an_iterator_that_continues_has_the_same_order():
    ds.config.set_seed(8)
    data = ds.NumpySlicesDataset(list(range(9)), ["x"], shuffle=True).shuffle(4).repeat(2)
    iterator = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    next(zip(iterator, range(3)))
    first = list(iterator)
    state = iterator.state_dict()
    rest = list(iterator)
    again = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    again.load_state_dict(state)
    assert list(again) == rest != first
