"""Iterators that continue from the position of another, with the same rows."""

from __future__ import annotations

import json

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds

VALUES = np.arange(10, dtype=np.int32)


class Squares:
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return (np.array(index**2),)


def noisy(x):
    return x + np.random.default_rng().integers(0, 1) + np.random.randint(1000)


def counted():
    for value in range(10):
        yield (value,)


PIPELINES = {
    "arrays": lambda: ds.NumpySlicesDataset(VALUES, ["x"], shuffle=True).batch(3),
    "objects": lambda: ds.GeneratorDataset(Squares(), ["x"], shuffle=True).batch(4, drop_remainder=True),
    "a generator": lambda: ds.GeneratorDataset(counted, ["x"]).shuffle(4).batch(2),
    "repetitions": lambda: ds.NumpySlicesDataset(VALUES, ["x"], shuffle=True).repeat(3).batch(4),
    "several shuffles": lambda: ds.NumpySlicesDataset(VALUES, ["x"], shuffle=True).shuffle(5).batch(2).shuffle(3),
    "random functions": lambda: ds.NumpySlicesDataset(VALUES, ["x"], shuffle=True).map(
        noisy, "x", num_parallel_workers=2, python_multiprocessing=True
    ),
    "filters": lambda: ds.NumpySlicesDataset(VALUES, ["x"], shuffle=True).filter(lambda x: x % 3 > 0),
}


STATE = {"epoch": 0, "rows": 0, "seeds": [1, 1, 1, 1, 1, 1], "begun": 0}


def shown(rows):
    return [np.asarray(row[0]).tolist() for row in rows]


def epochs(iterator, count):
    return [shown(iterator) for _ in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("make", PIPELINES.values(), ids=PIPELINES)
@pytest.mark.parametrize(("before", "rows"), [(0, 0), (0, 2), (1, 0), (2, 1)])
def test_the_rest_is_the_same(make, before, rows):
    ms.set_seed(5)
    iterator = make().create_tuple_iterator(num_epochs=4, output_numpy=True)
    epochs(iterator, before)
    for _ in range(rows):
        next(iterator)
    state = json.loads(json.dumps(iterator.state_dict()))
    expected = epochs(iterator, 4 - before)
    ms.set_seed(6)
    again = make().create_tuple_iterator(num_epochs=4, output_numpy=True)
    again.load_state_dict(state)
    assert json.loads(json.dumps(again.state_dict())) == state
    assert epochs(again, 4 - before) == expected
    with pytest.raises(RuntimeError, match="all epochs have been iterated"):
        next(again)


def test_the_end_of_all_epochs_is_a_position():
    data = PIPELINES["arrays"]()
    longer = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    expected = epochs(longer, 3)
    shorter = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    shorter.load_state_dict({**longer.state_dict(), "epoch": 0, "rows": 0})
    assert epochs(shorter, 2) == expected[:2]
    more = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    more.load_state_dict(shorter.state_dict())
    assert epochs(more, 1) == expected[2:]


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({}, "'state' must come from 'state_dict', but got {}"),
        (None, "'state' must come from 'state_dict', but got None"),
        ({**STATE, "rows": "x"}, "must come from 'state_dict'"),
        ({**STATE, "rows": -1}, "must come from 'state_dict'"),
        ({**STATE, "seeds": [1, 2, 3, 4, 5]}, "must come from 'state_dict'"),
        ({**STATE, "seeds": [1, 2, 3, -4, 5, 6]}, "must come from 'state_dict'"),
        ({**STATE, "rows": 5}, "is at row 5 of an epoch, but the dataset has fewer rows"),
    ],
)
def test_other_states_are_refused(state, message):
    iterator = PIPELINES["arrays"]().create_dict_iterator()
    with pytest.raises(ValueError, match=message):
        iterator.load_state_dict(state)
