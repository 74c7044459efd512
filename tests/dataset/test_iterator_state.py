"""Iterators that continue from the position of another, with the same rows."""

from __future__ import annotations

import itertools
import json
import random

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds
from torchspore.dataset import transforms, vision

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


class Counted:
    """A source that counts the rows it is asked for."""

    def __init__(self, length=1000):
        self.length, self.asked = length, 0

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.asked += 1
        return (np.array(index),)


class Note(ds.DSCallback):
    def ds_begin(self, ds_run_context):
        assert ds_run_context.cur_step_num == 0


def plus_noise(x):
    return x + np.random.randint(1000)


SKIPPING = {  # pipelines that begin at a row without computing the earlier ones; rows of `make(source)`
    "source": lambda source: ds.GeneratorDataset(source, ["x"], shuffle=True),
    "batches": lambda source: ds.GeneratorDataset(source, ["x"], shuffle=True).batch(3),
    "map": lambda source: ds.GeneratorDataset(source, ["x"], shuffle=True).map(plus_noise, "x").batch(2),
    "callbacks": lambda source: ds.GeneratorDataset(source, ["x"]).map(plus_noise, "x", callbacks=Note()),
    "repeated callbacks": lambda source: (
        ds.GeneratorDataset(source, ["x"], num_samples=30).map(plus_noise, "x", callbacks=Note()).repeat(9)
    ),
    "map of batches": lambda source: ds.GeneratorDataset(source, ["x"]).batch(2).map(plus_noise, "x"),
    "names": lambda source: ds.GeneratorDataset(source, ["x"]).rename("x", "y").project(["y"]).map(plus_noise, "y"),
    "parts": lambda source: ds.GeneratorDataset(source, ["x"]).skip(5).take(600).map(plus_noise, "x").skip(2),
    "zip": lambda source: ds.zip(
        (ds.GeneratorDataset(source, ["x"]).map(plus_noise, "x"), ds.NumpySlicesDataset(np.arange(1000), ["y"]))
    ),
    "repeat": lambda source: ds.GeneratorDataset(source, ["x"], num_samples=30).map(plus_noise, "x").repeat(9).batch(4),
    "nested": lambda source: ds.GeneratorDataset(source, ["x"], num_samples=5).repeat(3).map(plus_noise, "x").repeat(7),
    "shards": lambda source: ds.GeneratorDataset(source, ["x"], num_shards=3, shard_id=1).map(plus_noise, "x"),
    "shuffle": lambda source: ds.GeneratorDataset(source, ["x"]).map(plus_noise, "x").shuffle(50).batch(2),
    "shuffles": lambda source: ds.GeneratorDataset(source, ["x"]).map(plus_noise, "x").shuffle(9).shuffle(60),
    "shuffled batches": lambda source: ds.GeneratorDataset(source, ["x"]).batch(3).map(plus_noise, "x").shuffle(7),
    "concat": lambda source: (
        ds.NumpySlicesDataset(np.arange(30), ["x"]).map(plus_noise, "x")
        + ds.GeneratorDataset(source, ["x"], shuffle=True).map(plus_noise, "x")
        + ds.NumpySlicesDataset(np.arange(5), ["x"])
    ),
    "shuffled concat": lambda source: (
        ds.NumpySlicesDataset(np.arange(30), ["x"]) + ds.GeneratorDataset(source, ["x"]).map(plus_noise, "x")
    ).shuffle(20),
    "a shard of concat": lambda source: a_shard(
        ds.NumpySlicesDataset(np.arange(30), ["x"]) + ds.GeneratorDataset(source, ["x"]).map(plus_noise, "x")
    ).shuffle(4),
    "flat_map": lambda source: ds.NumpySlicesDataset([30, 60, 900], ["n"], shuffle=False).flat_map(
        lambda n: ds.GeneratorDataset(source, ["x"], num_samples=int(n)).map(plus_noise, "x")
    ),
    "filter": lambda source: ds.GeneratorDataset(source, ["x"]).filter(lambda x: x % 7 < 5).map(plus_noise, "x"),
    "batches of a filter": lambda source: ds.GeneratorDataset(source, ["x"]).filter(sometimes).batch(2),
    "a part": lambda source: ds.GeneratorDataset(source, ["x"]).map(plus_noise, "x").split([0.5, 0.5], False)[0],
    "padded batches": lambda source: ds.GeneratorDataset(source, ["x"]).map(plus_noise, "x").padded_batch(3),
    "batches of varying sizes": lambda source: ds.GeneratorDataset(source, ["x"]).batch(
        lambda info: 1 + random.randrange(3)
    ),
    "mapped batches": lambda source: ds.GeneratorDataset(source, ["x"]).batch(4, per_batch_map=numbered),
    "given batches": lambda source: ds.GeneratorDataset(
        source, ["x"], batch_sampler=[[n, n + 1] for n in range(90)], collate_fn=lambda x: np.array(plus_noise(x[0]))
    ),
    "buckets": lambda source: buckets(ds.GeneratorDataset(source, ["x"])),
    "buckets of a filter": lambda source: buckets(ds.GeneratorDataset(source, ["x"]).filter(sometimes)),
    "a filter of buckets": lambda source: buckets(ds.GeneratorDataset(source, ["x"])).filter(lambda x: x[0] % 5 > 0),
}


def sometimes(x):
    return np.random.rand() < 0.7


def numbered(values, info):
    return ([plus_noise(value) + info.get_batch_num() for value in values],)


def a_shard(data):
    data.use_sampler(ds.DistributedSampler(3, 2, shuffle=False))
    return data


def buckets(data):
    lengths = {"bucket_boundaries": [2, 5], "bucket_batch_sizes": [3, 4, 2]}
    return data.bucket_batch_by_length(["x"], element_length_function=lambda x: int(x) % 7, **lengths)


@pytest.mark.parametrize("seeded", [False, True])
@pytest.mark.parametrize("make", SKIPPING.values(), ids=SKIPPING)
def test_earlier_rows_are_not_computed(make, seeded):
    seed = ds.config.get_seed()
    if seeded:
        ds.config.set_seed(7)
    try:
        first = make(Counted()).create_tuple_iterator(output_numpy=True)
        shown(first)  # an epoch
        for _ in range(41):
            next(first)
        state = first.state_dict()
        rest = [shown(first), shown(first)]
        source = Counted()
        again = make(source).create_tuple_iterator(output_numpy=True)
        again.load_state_dict(json.loads(json.dumps(state)))
        assert source.asked <= 1  # the one that shows how many columns there are
        assert again.state_dict() == json.loads(json.dumps(state))
        before = source.asked
        next(again)
        assert source.asked - before < 200
        again.load_state_dict(state)
        assert [shown(again), shown(again)] == rest
    finally:
        ds.config.set_seed(seed)


@pytest.mark.parametrize("source", [[1, 2, 3, 4, 5, 6, 7, 8], Counted()], ids=["a source's sampler", "any dataset"])
def test_a_position_in_a_random_part_needs_the_same_part(source):
    def part(seed):
        ds.config.set_seed(seed)
        data = ds.GeneratorDataset(source, ["x"])
        return (data if isinstance(source, list) else data.map(plus_noise, "x")).split([0.5, 0.5])[0].batch(2)

    earlier = ds.config.get_seed()
    try:
        first = part(1).create_tuple_iterator(output_numpy=True)
        next(first)
        state = json.loads(json.dumps(first.state_dict()))
        rest = shown(first)
        same, other = [part(seed).create_tuple_iterator(output_numpy=True) for seed in (1, 2)]
        same.load_state_dict(state)
        assert shown(same) == rest
        with pytest.raises(ValueError, match="a part of a random 'split' with rows other than"):
            other.load_state_dict(state)
    finally:
        ds.config.set_seed(earlier)


def test_positions_go_on_from_each_other():
    """Stop again and again, each time a few rows after the last position."""
    for make in SKIPPING.values():
        ds.config.set_seed(7)
        expected = shown(make(Counted(200)).create_tuple_iterator(num_epochs=1, output_numpy=True))
        iterator, found = make(Counted(200)).create_tuple_iterator(num_epochs=1, output_numpy=True), []
        while len(found) < len(expected):
            state = iterator.state_dict()
            iterator = make(Counted(200)).create_tuple_iterator(num_epochs=1, output_numpy=True)
            iterator.load_state_dict(state)
            found += shown(itertools.islice(iterator, 1 + len(found) % 5))
        ds.config.set_seed(5489)
        assert found == expected


def test_a_source_without_random_access_is_iterated_again():

    def rows():
        for number in range(20):
            yield (np.array(number),)

    def noise(x):
        computed.append(int(x))
        return plus_noise(x)

    computed = []
    data = ds.GeneratorDataset(rows, ["x"]).map(noise, "x")
    first = data.create_tuple_iterator(output_numpy=True)
    for _ in range(7):
        next(first)
    state, rest = first.state_dict(), shown(first)
    computed.clear()
    again = data.create_tuple_iterator(output_numpy=True)
    again.load_state_dict(state)
    assert (shown(again), computed) == (rest, list(range(7, 20)))
    shorter = ds.GeneratorDataset(lambda: iter([(1,), (2,)]), ["x"]).create_tuple_iterator()
    shorter.load_state_dict(state)
    with pytest.raises(
        RuntimeError, match=r"the source must have 7 rows for an iterator to continue .*, but ended after 2"
    ):
        next(shorter)


def test_a_dataset_that_comes_twice_is_computed_again():
    def make():
        data = ds.GeneratorDataset(Counted(50), ["x"], shuffle=True)
        return ds.zip((data.map(plus_noise, "x"), data.rename("x", "y")))

    first = make().create_tuple_iterator(output_numpy=True)
    for _ in range(9):
        next(first)
    again = make().create_tuple_iterator(output_numpy=True)
    again.load_state_dict(first.state_dict())
    assert [np.stack(row).tolist() for row in again] == [np.stack(row).tolist() for row in first]


def test_fewer_rows_than_the_state_says():
    iterator = ds.NumpySlicesDataset(VALUES, ["x"]).batch(3).create_tuple_iterator()
    with pytest.raises(ValueError, match="is at row 5 of an epoch, but the dataset has fewer rows"):
        iterator.load_state_dict({**STATE, "rows": 5})


@pytest.mark.parametrize(
    "arrange",
    [
        lambda data, _: data.batch(2), lambda data, _: data.repeat(2), lambda data, _: data.take(5),
        lambda data, _: data.shuffle(3), lambda data, random: data.concat(random(data)),
    ],
)  # fmt: skip
def test_random_transforms_go_on(arrange):
    images = np.random.RandomState(0).randint(0, 256, (7, 9, 8, 3)).astype(np.uint8)
    parts = [vision.RandomResizedCrop(5), transforms.RandomApply([vision.RandomLighting(0.4)], 0.6)]

    def iterator(processes):
        def random(data):
            return data.map(parts, "x", num_parallel_workers=2, python_multiprocessing=processes)

        data = arrange(random(ds.NumpySlicesDataset({"x": images}, shuffle=True)), random)
        return data.create_tuple_iterator(num_epochs=2, output_numpy=True)

    def rows(of):
        return [None if row is None else row[0].tobytes() for row in of]

    ds.config.set_seed(3)
    first = iterator(False)
    expected = rows([*first, None, *first, None])
    for position in range(0, len(expected), 5):
        stopped = iterator(True)
        assert rows(next(stopped, None) for _ in range(position)) == expected[:position]
        again = iterator(False)
        again.load_state_dict(json.loads(json.dumps(stopped.state_dict())))
        stopped.stop()
        assert rows(next(again, None) for _ in expected[position:]) == expected[position:]
        again.stop()


@pytest.mark.parametrize(
    "arrange",
    [lambda data: data, lambda data: data.shuffle(3), lambda data: data.map(noisy, num_parallel_workers=2).batch(2)],
)
@pytest.mark.parametrize("source", ["map", "objects", "a generator"])
def test_functions_that_one_worker_calls_go_on(source, arrange):
    class Noisy:
        def __len__(self):
            return 7

        def __getitem__(self, index):
            return (index + np.random.rand() + random.random(),)

    def drawn():
        for index in np.random.permutation(7):
            yield (index + random.random(),)

    data = {
        "map": lambda: ds.NumpySlicesDataset(np.arange(7.0), ["x"]).map(
            lambda x: x + random.random(), num_parallel_workers=1
        ),
        "objects": lambda: ds.GeneratorDataset(Noisy(), ["x"], shuffle=True),
        "a generator": lambda: ds.GeneratorDataset(drawn, ["x"]),
    }[source]

    def rows(of):
        return [None if row is None else row[0].tolist() for row in of]

    ds.config.set_seed(3)
    first = arrange(data()).create_tuple_iterator(num_epochs=2, output_numpy=True)
    expected = rows([*first, None, *first, None])
    for position in range(1, len(expected), 2):
        ds.config.set_seed(3)
        stopped = arrange(data()).create_tuple_iterator(num_epochs=2, output_numpy=True)
        assert rows(next(stopped, None) for _ in range(position)) == expected[:position]
        again = arrange(data()).create_tuple_iterator(num_epochs=2, output_numpy=True)
        again.load_state_dict(json.loads(json.dumps(stopped.state_dict())))
        stopped.stop()
        assert rows(next(again, None) for _ in expected[position:]) == expected[position:]
        again.stop()
