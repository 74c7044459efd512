"""What a pipeline says of itself before it runs: lengths, names, types; MindSpore's answers."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore.dataset as ds


def source(count=3, **options):
    columns = {"x": np.arange(count), "y": np.arange(2 * count, dtype=np.float32).reshape(count, 2)}
    return ds.NumpySlicesDataset(columns, **{"shuffle": False, **options})


SIZES = [
    (lambda: source(), 3), (lambda: source(num_samples=2), 2), (lambda: source(5, num_shards=2, shard_id=1), 3),
    (lambda: source(shuffle=None, sampler=ds.SubsetSampler([1])), 1), (lambda: source().batch(2), 2),
    (lambda: source().batch(2, True), 1), (lambda: source().repeat(3).batch(2), 5), (lambda: source().repeat(-1), 3),
    (lambda: source().repeat(-1).take(7), 3), (lambda: source(10).split([7, 3])[0], 7),
    (lambda: source(10).split([7, 3], randomize=False)[1], 3),
    (lambda: source(10).map(lambda x: x, "x").split([0.5, 0.5])[0], 5), (lambda: source(4) + source(5), 9),
    (lambda: ds.zip((source(4), source(5).rename(["x", "y"], ["a", "b"]))), 4), (lambda: source(9).skip(40), 0),
    (lambda: source(9).filter(lambda x: x > 3, "x"), 5),
    (lambda: ds.GeneratorDataset(lambda: ((np.array(k),) for k in range(4)), ["a"]), 4),
    (lambda: ds.GeneratorDataset([1, 2, 3], ["a"], num_samples=2), 2),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(SIZES)))
def test_length(number):
    make, expected = SIZES[number]
    dataset = make()
    assert dataset.get_dataset_size() == len(dataset) == expected


def test_parts_of_a_split_of_a_split():
    first, second = source(10).split([6, 4])
    inner = first.split([4, 2])
    assert [len(part) for part in (first, second, *inner)] == [6, 4, 4, 2]
    seen = [int(row[0]) for part in (second, *inner) for row in part]
    assert sorted(seen) == list(range(10))


def test_types_of_texts():
    data = ds.NumpySlicesDataset({"a": ["x", "long"], "b": np.array([b"y", b"z"])}, shuffle=False)
    assert list(map(repr, data.output_types())) == ["dtype('<U')", "dtype('S')"]


def test_names_of_an_iterator():
    assert source().create_dict_iterator(num_epochs=1).get_col_names() == ["x", "y"]
    assert source().rename("x", "z").create_tuple_iterator(num_epochs=1).get_col_names() == ["z", "y"]


def test_queues_of_devices_are_refused():
    queue = source().device_que()
    assert (queue.get_dataset_size(), queue.get_col_names()) == (source().get_dataset_size(), ["x", "y"])
    queue.stop_send(), queue.continue_send(), queue.release()
    with pytest.raises(NotImplementedError, match=r"^For 'TransferDataset.send', "):
        queue.send()
    for call in (queue.create_dict_iterator, queue.create_tuple_iterator, queue.get_data_info, lambda: list(queue)):
        with pytest.raises(RuntimeError, match=r"no iterators|nothing to report"):
            call()
    assert not source().is_sync()


REFUSED = [
    (lambda: source().map(lambda x: x, []), ValueError), (lambda: source().project([]), ValueError),
    (lambda: source().shuffle(2**31), ValueError), (lambda: source().repeat(2**31), ValueError),
    (lambda: source().map(lambda x: x, max_rowsize=[1, 2, 3]), TypeError),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused(number):
    make, error = REFUSED[number]
    with pytest.raises(error, match=r"^For '"):
        make()


def _rows(first="a", second="b"):
    return ds.NumpySlicesDataset({first: np.arange(6), second: np.ones((6, 2))}, shuffle=False)


# As MindSpore answers.
BATCH_SIZES = [
    (lambda: ds.zip((_rows().batch(2), _rows("k", "l").batch(3))), 3),
    (lambda: ds.zip((_rows().batch(2), _rows("k", "l"))), 1),
    (lambda: ds.zip((_rows(), _rows("k", "l").batch(3))), 3),
    (lambda: _rows().batch(2) + _rows().batch(3), 3),
    (lambda: _rows().batch(lambda _: 2) + _rows().batch(3), 3),
    (lambda: _rows().batch(lambda _: 2), -1),
    (lambda: _rows().padded_batch(3), 3),
    (lambda: _rows().batch(2).batch(3), 3),
    (lambda: _rows().bucket_batch_by_length(["b"], [2, 4], [1, 2, 3]), 1),
    (lambda: _rows().batch(2).bucket_batch_by_length(["b"], [2, 4], [1, 2, 3]), 2),
]


@pytest.mark.parametrize(("make", "size"), BATCH_SIZES)
def test_batch_sizes(make, size):
    assert make().get_batch_size() == size
