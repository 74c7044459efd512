"""Orders of rows by seed against those of MindSpore 2.10 (tests/data/record_row_orders.py)."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

import torchspore as ms
import torchspore.dataset as ds

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from order_cases import CASES, orders

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "data" / "row_orders.json").read_text())


@pytest.fixture(autouse=True)
def _seed():
    before = ms.get_seed()
    yield
    ds.config.set_seed(5489)
    ms.set_seed(1 if before is None else before)
    ds.config.set_seed(5489)


@pytest.mark.parametrize("expression", CASES)
def test_rows_come_in_the_order_of_mindspore(expression):
    assert orders(ds, ms, expression) == RECORDED[expression]


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
