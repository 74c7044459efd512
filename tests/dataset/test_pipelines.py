"""Seeds, epochs, iterators, samplers, files and settings of pipelines."""

from __future__ import annotations

import collections
import copy
import itertools
import struct
import weakref

import numpy as np
import pytest

import preloaded
import torchspore as ms
import torchspore.dataset as ds


@pytest.fixture(autouse=True)
def _no_seed():
    ds.config.set_seed(5489)  # the default, which means none
    yield
    ds.config.set_seed(5489)


def numbers(count=8, **options):
    return ds.NumpySlicesDataset({"x": np.arange(count)}, **options)


def column(data, name="x", epochs=1):
    iterator = data.create_dict_iterator(num_epochs=epochs, output_numpy=True)
    return [row[name].tolist() for _ in range(epochs) for row in iterator]


def chained(lists):
    return list(itertools.chain.from_iterable(lists))


SHUFFLED = {
    "source": lambda: numbers(30),
    "objects": lambda: ds.GeneratorDataset(list(range(30)), "x"),
    "sampler": lambda: numbers(30, sampler=ds.RandomSampler()),
    "buffer": lambda: numbers(30, shuffle=False).shuffle(10),
    "buffer of rows": lambda: numbers(30, shuffle=False).map(lambda x: x).shuffle(30),
    "subset": lambda: numbers(30, sampler=ds.SubsetRandomSampler(range(30))),
    "weights": lambda: numbers(30, sampler=ds.WeightedRandomSampler(np.arange(1, 31), 30, replacement=False)),
}


@pytest.mark.parametrize("make", SHUFFLED.values(), ids=SHUFFLED)
def test_a_seed_decides_the_order(make):
    ds.config.set_seed(1)
    data = make()
    first, again, new = column(data), column(data), column(make())
    assert first == again == new
    assert sorted(first) == list(range(30)) != first
    both = column(data, epochs=2)
    assert both[:30] == first
    same = make is SHUFFLED["weights"]  # from a seed, MindSpore draws by weights the same in each pass
    assert (both[30:] == first) == same
    assert sorted(both[30:]) == sorted(first)
    repeated = column(make().repeat(2))
    assert (repeated[:30] == repeated[30:]) == same
    ds.config.set_seed(2)
    assert column(data) != first


@pytest.mark.parametrize(("seed", "first"), [(1, [0, 2, 5]), (2, [1, 2, 3])])
@pytest.mark.parametrize(
    "data",
    [
        ds.GeneratorDataset(lambda: ((number,) for number in range(7)), ["x"]),
        numbers(7, shuffle=False).map(lambda x: x),
        numbers(14, shuffle=False).map(lambda x: x // 2).batch(2).map(lambda x: x[0]),
    ],
    ids=["generator", "map", "batches"],
)
def test_parts_have_mindspores_rows(data, seed, first):
    ds.config.set_seed(seed)
    one, other = data.split([0.5, 0.5])
    assert [column(one), column(other)] == [first, sorted({*range(7)} - {*first})]


@pytest.mark.parametrize("make", SHUFFLED.values(), ids=SHUFFLED)
def test_operations_above_do_not_change_the_order(make):
    ds.config.set_seed(1)
    assert chained(column(make().map(lambda x: x).batch(5))) == column(make())


@pytest.mark.parametrize("make", SHUFFLED.values(), ids=SHUFFLED)
def test_without_a_seed_orders_differ(make):
    assert column(make()) != column(make())


def test_the_seed_set_last_counts():
    ds.config.set_seed(3)
    own = column(numbers(30))
    ms.set_seed(4)
    assert ds.config.get_seed() == 4
    overall = column(numbers(30))
    assert overall == column(numbers(30)) != own
    ds.config.set_seed(3)
    assert ds.config.get_seed() == 3
    assert column(numbers(30)) == own


def test_shuffling_rows_and_shuffling_positions_are_the_same():
    ds.config.set_seed(1)
    as_positions = numbers(40, shuffle=False).shuffle(7).skip(3).take(20).repeat(2).batch(6)
    as_rows = numbers(40, shuffle=False).map(lambda x: x).shuffle(7).skip(3).take(20).repeat(2).batch(6)
    first, second = column(as_positions), column(as_rows)
    assert [len(batch) for batch in first] == [len(batch) for batch in second] == [6] * 6 + [4]
    for found in (chained(first), chained(second)):
        assert collections.Counter(found).most_common(1)[0][1] == 2


def test_a_shuffle_buffer_is_uniform():
    indexes = collections.Counter(column(numbers(5, shuffle=False).shuffle(5)).index(0) for _ in range(500))
    assert all(60 < indexes[index] < 140 for index in range(5))


def test_rows_have_memory_of_their_own():
    source = np.arange(6).reshape(3, 2)
    for data in (
        ds.NumpySlicesDataset(source, "x", shuffle=False),
        ds.NumpySlicesDataset(source, "x", shuffle=False).batch(2),
        ds.GeneratorDataset(list(source), "x", shuffle=False),
    ):
        for (value,) in data:
            value[...] = -1
    assert (source == np.arange(6).reshape(3, 2)).all()


def test_a_source_may_use_its_memory_again():
    def same_array():
        array = np.zeros(1)
        for number in range(4):
            array[0] = number
            yield (array,)

    assert column(ds.GeneratorDataset(same_array, "x").batch(4)) == [[[0], [1], [2], [3]]]
    assert sorted(column(ds.GeneratorDataset(same_array, "x").shuffle(4))) == [[0], [1], [2], [3]]


def test_a_function_may_write_into_its_argument():
    source = np.ones((3, 2))

    def double(x):
        x *= 2
        return x

    data = ds.GeneratorDataset(list(source), "x").map(double)
    assert column(data) == column(data) == [[2, 2]] * 3


def test_tensors_and_arrays():
    data = ds.GeneratorDataset([(np.float32(1), "text", {"k": 2})], ["a", "b", "c"])
    row = next(data.create_dict_iterator())
    assert isinstance(row["a"], ms.Tensor)
    assert row["a"].dtype is ms.float32
    assert row["b"].item() == "text"
    assert isinstance(row["c"]["k"], ms.Tensor)
    row = next(data.create_dict_iterator(output_numpy=True))
    assert isinstance(row["a"], np.ndarray)
    assert isinstance(row["c"]["k"], np.ndarray)


def test_do_copy():
    kept = np.zeros(2)
    data = numbers(2).map(lambda x: kept)
    copies = [row["x"] for row in data.create_dict_iterator(num_epochs=1, do_copy=True)]
    shared = [row["x"] for row in data.create_dict_iterator(num_epochs=1)]
    kept[0] = 5
    assert [float(each[0]) for each in copies] == [0, 0]
    assert [float(each[0]) for each in shared] == [5, 5]


def test_iterators_can_be_stopped():
    iterator = numbers().create_tuple_iterator()
    iterator.get_next()
    iterator.stop()
    with pytest.raises(RuntimeError, match=r"^For 'TupleIterator', all epochs have been iterated"):
        next(iterator)


def test_loops_over_a_dataset_start_anew():
    data = numbers(3, shuffle=False)
    assert [[int(x) for (x,) in data] for _ in range(2)] == [[0, 1, 2], [0, 1, 2]]
    assert [next(iter(data))[0].item() for _ in range(2)] == [0, 0]


def test_epochs_are_counted():
    seen = []

    def note(values, info):
        seen.append((info.get_epoch_num(), info.get_batch_num()))
        return (values,)

    iterator = numbers(4).batch(2, per_batch_map=note).create_tuple_iterator(num_epochs=2)
    for _ in range(2):
        list(iterator)
    assert seen == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_shards_share_an_order_without_a_seed():
    parts = [column(numbers(12, num_shards=3, shard_id=shard)) for shard in range(3)]
    assert sorted(chained(parts)) == list(range(12)) != chained(parts)
    two = [column(numbers(12, num_shards=3, shard_id=shard), epochs=2) for shard in range(3)]
    assert sorted(chained([part[4:] for part in two])) == list(range(12))
    assert [part[4:] for part in two] != [part[:4] for part in two]


def test_a_joined_dataset_can_be_sharded():
    joined = numbers(3, shuffle=False) + numbers(4, shuffle=False)
    found = []
    for shard in range(2):
        joined.use_sampler(ds.DistributedSampler(2, shard, shuffle=False))
        found.append(column(joined))
        assert joined.get_dataset_size() == len(found[-1])
    assert found == [[0, 2, 1, 3], [1, 0, 2]]


@pytest.mark.parametrize("randomize", [True, False])
def test_a_part_of_a_split_can_be_sharded(randomize):
    train, test = numbers(8, shuffle=False).split([6, 2], randomize)
    rows, kept = column(train), column(test)
    shards = []
    for shard in range(2):
        train.use_sampler(ds.DistributedSampler(2, shard, shuffle=False))
        shards.append(column(train))
        assert train.get_dataset_size() == 3
    assert shards == [rows[::2], rows[1::2]]
    sampler = ds.SequentialSampler(1)
    for part in (train, test):
        part.use_sampler(sampler)
    assert (column(train), column(test)) == (rows[1:], kept[1:])
    sampler.add_child(ds.SequentialSampler())
    with pytest.raises(RuntimeError, match="there is a child already"):
        train.use_sampler(sampler)


def joined(**options):
    return numbers(3, **options) + numbers(4, shuffle=False)


@pytest.mark.parametrize(
    ("data", "sampler", "error", "words"),
    [
        (joined, ds.DistributedSampler(2, 0), ValueError, "must have shuffle=False"),
        (joined, ds.DistributedSampler(2, 0, False, num_samples=1), ValueError, "no 'num_samples'"),
        (joined, ds.RandomSampler(replacement=True), ValueError, "no 'replacement'"),
        (joined, ds.RandomSampler(num_samples=2), ValueError, "no 'num_samples'"),
        (joined, ds.SequentialSampler(), TypeError, "a DistributedSampler or a RandomSampler"),
        (joined, [1, 2], TypeError, "a DistributedSampler or a RandomSampler"),
        (lambda: joined(num_samples=2), ds.DistributedSampler(2, 0, False), ValueError, "that at 0 has one"),
        (lambda: numbers(4).batch(2) + numbers(4).batch(2), ds.DistributedSampler(2, 0, False), TypeError, "batches"),
    ],
)
def test_refused_samplers_of_joined_datasets(data, sampler, error, words):
    both = data()
    with pytest.raises(error, match=f"^For 'concat', .*{words}"):
        both.use_sampler(sampler)
    assert both.sampler is None


def test_a_mixed_dataset():
    data = numbers(3, shuffle=False) + numbers(4, shuffle=False)
    data.use_sampler(ds.RandomSampler())
    assert (data.get_dataset_size(), data.is_shuffled(), data.is_sharded()) == (7, True, False)
    again = ds.deserialize(
        ds.serialize(ds.FakeImageDataset(3, shuffle=False).concat([ds.FakeImageDataset(2, shuffle=False)]))
    )
    assert again.sampler is None
    orders = {tuple(column(data)) for _ in range(9)}
    assert len(orders) > 1
    assert {tuple(sorted(order)) for order in orders} == {(0, 0, 1, 1, 2, 2, 3)}


@pytest.mark.parametrize("kind", [ds.Shuffle.FILES, ds.Shuffle.INFILE])
@pytest.mark.parametrize("sampler", [lambda kind: ds.RandomSampler(shuffle=kind),
                                     lambda kind: ds.DistributedSampler(2, 0, kind)])  # fmt: skip
def test_files_of_sources_without_files(sampler, kind):
    with pytest.raises(RuntimeError, match="is for files of MindRecord, but the source is a NumpySlicesDataset"):
        column(numbers(3, sampler=sampler(kind)))


def test_weights():
    sampler = ds.WeightedRandomSampler([1, 3, 0, 0], 4000)
    drawn = collections.Counter(column(numbers(4000, sampler=sampler)))
    assert set(drawn) == {0, 1}
    assert 2.5 < drawn[1] / drawn[0] < 3.5


def test_classes():
    data = ds.FakeImageDataset(40, (2, 2, 3), 4, sampler=ds.PKSampler(3))
    assert column(data, "label") == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert data.get_dataset_size() == 12
    mixed = ds.FakeImageDataset(40, (2, 2, 3), 4, sampler=ds.PKSampler(7, shuffle=True))
    assert collections.Counter(column(mixed, "label")) == dict.fromkeys(range(4), 7)


def test_a_sampler_of_ones_own():
    class Even(ds.Sampler):
        def __iter__(self):
            return iter(range(0, self.dataset_size, 2))

    data = numbers(7, sampler=Even())
    assert column(data) == [0, 2, 4, 6]
    assert data.get_dataset_size() == 4
    assert column(numbers(7, sampler=Even(2))) == [0, 2]


def test_splits_have_no_row_in_common_in_any_epoch():
    train, test = numbers(20).split([0.75, 0.25])
    for _ in range(2):
        assert sorted(column(train) + column(test)) == list(range(20))
    assert set(column(train, epochs=2)) == set(column(train))
    train, test = numbers(20, shuffle=False).map(lambda x: x).split([15, 5])
    assert sorted(column(train) + column(test)) == list(range(20))


def test_information_that_a_run_gives_is_kept():
    runs = []

    def source():
        runs.append(1)
        yield from [(np.zeros(2),)] * 3

    data = ds.GeneratorDataset(source, "x").batch(2)
    assert [data.get_dataset_size() for _ in range(3)] == [2, 2, 2]
    assert [data.output_shapes(), data.output_types()] == [[[2, 2]], [np.float64]]
    assert len(runs) == 2


def test_input_indexs_is_handed_on():
    data = numbers()
    data.input_indexs = 10
    batches = data.batch(2)
    assert batches.input_indexs == 10
    batches.input_indexs = 20
    assert (data.input_indexs, batches.input_indexs) == (10, 20)


def test_a_dataset_twice_in_a_pipeline():
    data = numbers(4, shuffle=False).map(lambda x: x + 1, num_parallel_workers=2, python_multiprocessing=True)
    assert column(data.zip(data.rename("x", "y")).project("y"), "y") == [1, 2, 3, 4]
    assert column(data + data) == [1, 2, 3, 4] * 2


def test_datasets_can_be_copied():
    data = numbers(4, shuffle=False).batch(2)
    assert column(copy.deepcopy(data)) == column(data)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: numbers().map(lambda x: x, cache=object()), TypeError, "'cache' must be a DatasetCache"),
        (lambda: numbers().map([]), ValueError, "'operations' must not be empty"),
        (
            lambda: numbers().map(lambda x: x, num_parallel_workers=0),
            ValueError,
            "'num_parallel_workers' must be in \\[1, 256\\]",
        ),
        (lambda: numbers().map(lambda x: x, max_rowsize="a"), TypeError, "'max_rowsize' must be an int"),
        (
            lambda: numbers().padded_batch(2, pad_info={"x": 3}),
            TypeError,
            "'pad_info.'x'.' must be a tuple or a list",
        ),
        (lambda: column(numbers().padded_batch(2, pad_info={"z": ([3], 0)})), RuntimeError, r"but not \['z'\]"),
        (
            lambda: column(numbers().padded_batch(2, pad_info={"x": ([3, 3], 0)})),
            RuntimeError,
            "must have 2 dimensions",
        ),
        (lambda: ds.RandomSampler(shuffle=ds.Shuffle.FALSE), TypeError, "'shuffle' must be a Shuffle other"),
        (lambda: numbers(shuffle=3), TypeError, "'shuffle' must be a bool"),
        (lambda: ds.SubsetSampler(["a"]), TypeError, "'indices' must be ints"),
        (lambda: ds.PKSampler(2, 3), NotImplementedError, "'num_class' must be None, as others are not supported"),
        (lambda: ds.config.set_debug_mode(True, [print]), TypeError, "'debug_hook_list.0.' must be a DebugHook"),
        (
            lambda: ds.config.set_multiprocessing_start_method("forkserver"),
            ValueError,
            "'start_method' must be one of .'fork', 'spawn'.",
        ),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=f"^For '.*{words}"):
        call()
    ds.config.set_debug_mode(False)


def test_unequal_rows_name_the_column_and_what_to_do():
    data = ds.GeneratorDataset([(0, np.ones(2)), (0, np.ones(3))], ["a", "b"], shuffle=False).batch(2)
    with pytest.raises(RuntimeError, match=r"column 'b' has \(2,\), \(3,\). Use 'padded_batch' .* 'per_batch_map'"):
        column(data)


def test_failing_rows_can_be_left_out():
    def odd(x):
        if x % 2 == 0:
            raise ValueError("even")
        return x

    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.SKIP)
    try:
        for options in ({}, {"num_parallel_workers": 2}, {"python_multiprocessing": True}):
            data = numbers(6, shuffle=False).map(odd, **options)
            assert column(data) == [1, 3, 5]
            assert data.get_dataset_size() == 3
    finally:
        ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)


def test_debug_mode_stays_in_this_process():
    import os

    ds.config.set_debug_mode(True)
    try:
        data = numbers(3).map(lambda x: os.getpid(), num_parallel_workers=2, python_multiprocessing=True)
        assert set(column(data)) == {os.getpid()}
    finally:
        ds.config.set_debug_mode(False)


def write_mnist(folder, part, count):
    pixels = np.random.default_rng(count).integers(0, 256, (count, 28, 28), np.uint8)
    (folder / f"{part}-images-idx3-ubyte").write_bytes(struct.pack(">4i", 2051, count, 28, 28) + pixels.tobytes())
    (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 2049, count) + bytes(range(count)))
    return pixels


def test_mnist(tmp_path):
    train, test = write_mnist(tmp_path, "train", 5), write_mnist(tmp_path, "t10k", 3)
    for usage, expected in (("train", train), ("test", test), (None, np.concatenate([test, train]))):
        data = ds.MnistDataset(tmp_path, usage, shuffle=False)
        batch = next(data.batch(len(expected)).create_dict_iterator(output_numpy=True))
        assert (batch["image"] == expected[..., None]).all()
        assert (batch["image"].dtype, batch["label"].dtype) == (np.uint8, np.uint32)
    assert column(data, "label") == [0, 1, 2, 0, 1, 2, 3, 4]
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(b"nonsense")
    with pytest.raises(
        RuntimeError, match=r"^For 'MnistDataset', the file 'train-labels-idx1-ubyte' must be an idx file"
    ):
        column(ds.MnistDataset(tmp_path, "train"), "label")


def test_cifar(tmp_path):
    planes = np.random.default_rng(0).integers(0, 256, (4, 3, 32, 32), np.uint8)
    rows = [bytes([label]) + image.tobytes() for label, image in enumerate(planes)]
    (tmp_path / "test_batch.bin").write_bytes(b"".join(rows))
    (tmp_path / "test.bin").write_bytes(b"".join(bytes([9]) + row for row in rows))
    for data, names in (
        (ds.Cifar10Dataset(tmp_path, "test", shuffle=False), ["image", "label"]),
        (ds.Cifar100Dataset(tmp_path, "test", shuffle=False), ["image", "coarse_label", "fine_label"]),
    ):
        assert data.get_col_names() == names
        assert column(data, names[-1]) == [0, 1, 2, 3]
        assert (np.array(column(data, "image")) == planes.transpose(0, 2, 3, 1)).all()
    with pytest.raises(RuntimeError, match=r"^For 'Cifar10Dataset', the folder must have the file 'data_batch_1.bin'"):
        column(ds.Cifar10Dataset(tmp_path, "train"), "label")


def test_image_folders(tmp_path):
    image_module = pytest.importorskip("PIL.Image")
    for name, count in (("dog", 2), ("ant", 1), ("empty", 0)):
        (tmp_path / name).mkdir()
        for number in range(count):
            image_module.new("RGB", (4, 3), (number, 7, 9)).save(tmp_path / name / f"{number}.PNG")
    (tmp_path / "dog" / "notes.txt").write_text("")
    (tmp_path / "dog" / "other.png").write_text("")
    data = ds.ImageFolderDataset(tmp_path, shuffle=False, decode=True, extensions=[".PNG"])
    assert data.get_class_indexing() == {"ant": 0, "dog": 1, "empty": 2}
    assert data.num_classes() == 3
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert [int(row["label"]) for row in rows] == [0, 1, 1]
    assert (rows[2]["image"] == [1, 7, 9]).all()
    assert rows[2]["image"].shape == (3, 4, 3)
    chosen = ds.ImageFolderDataset(tmp_path, class_indexing={"dog": 5}, shuffle=False)
    assert column(chosen, "label") == [5, 5, 5, 5]
    raw = next(chosen.create_dict_iterator(output_numpy=True))["image"]
    assert raw.tobytes() == (tmp_path / "dog" / "0.PNG").read_bytes()
    hidden = ds.ImageFolderDataset(tmp_path, decrypt=lambda path: b"secret")
    assert bytes(next(hidden.create_dict_iterator(output_numpy=True))["image"]) == b"secret"
    with pytest.raises(RuntimeError, match=r"^For 'ImageFolderDataset', the file .* cannot be read"):
        column(ds.ImageFolderDataset(tmp_path, decrypt=lambda path: b"secret", decode=True), "label")
    with pytest.raises(RuntimeError, match="but there are none"):
        column(ds.ImageFolderDataset(tmp_path, extensions=[".gif"]), "label")
    (tmp_path / "dog" / "more").mkdir()
    with pytest.raises(RuntimeError, match=r"must have files only, but .* has the folder 'more'"):
        column(ds.ImageFolderDataset(tmp_path), "label")
    assert column(ds.ImageFolderDataset(tmp_path, extensions=[".PNG"], shuffle=False), "label") == [0, 1, 1]


@pytest.mark.slow
def test_under_mindspores_name():
    program = """
import torchspore.as_mindspore, torchspore.dataset as ds
import mindspore.dataset as theirs
from mindspore.dataset.engine.datasets import BatchInfo
from mindspore.dataset.transforms.transforms import Compose
from mindspore.dataset.vision.utils import Inter
assert theirs is ds
assert (BatchInfo, Compose, Inter) == (ds.BatchInfo, ds.transforms.Compose, ds.vision.Inter)
"""
    preloaded.output_of(program)


def test_iterators_are_not_kept_alive():
    iterator = iter(numbers().map(lambda x: x).batch(2))
    next(iterator)
    gone = weakref.ref(iterator)
    del iterator
    assert gone() is None


@pytest.mark.parametrize("options", [{}, {"num_parallel_workers": 2}, {"python_multiprocessing": True}])
def test_callbacks(options):
    """MindSpore tells the same; when a row ends is a matter of its threads."""
    told = []

    class Note(ds.DSCallback):
        def note(self, name, place):
            told.append((name, place.cur_epoch_num, place.cur_step_num_in_epoch, place.cur_step_num))

        def ds_begin(self, ds_run_context):
            self.note("begin", ds_run_context)

        def ds_epoch_begin(self, ds_run_context):
            self.note("epoch begin", ds_run_context)

        def ds_epoch_end(self, ds_run_context):
            self.note("epoch end", ds_run_context)

        def ds_step_begin(self, ds_run_context):
            self.note("step begin", ds_run_context)

        def ds_step_end(self, ds_run_context):
            self.note("step end", ds_run_context)

    data = numbers(3).map(lambda x: x, callbacks=Note(2), **options)
    assert (data.get_dataset_size(), data.output_shapes(), told) == (3, [[]], [])
    iterator = data.create_tuple_iterator(num_epochs=2)
    for _ in range(2):
        list(iterator)
    assert [each for each in told if each[0] != "step end"] == [
        ("begin", 0, 0, 0), ("epoch begin", 1, 0, 0), ("step begin", 1, 1, 1), ("step begin", 1, 3, 3),
        ("epoch end", 1, 3, 3), ("epoch begin", 2, 0, 3), ("step begin", 2, 1, 4), ("step begin", 2, 3, 6),
        ("epoch end", 2, 3, 6),
    ]  # fmt: skip
    assert [each for each in told if each[0] == "step end"] == [
        ("step end", 1, 1, 1), ("step end", 1, 3, 3), ("step end", 2, 1, 4), ("step end", 2, 3, 6),
    ]  # fmt: skip
    with pytest.raises(TypeError, match=r"^For 'map', 'callbacks' must be a DSCallback, a tuple or a list"):
        numbers().map(lambda x: x, callbacks=3)


class _Counting:
    """A sampler in the style of PyTorch's, whose order depends on the number of epochs that began."""

    epoch = 0

    def __iter__(self):
        self.epoch += 1
        return iter([(self.epoch + k) % 4 for k in range(4)])


class _CountingSampler(ds.Sampler):
    def __init__(self):
        super().__init__()
        self.epoch = 0

    __iter__ = _Counting.__iter__


@pytest.mark.parametrize(
    ("sampler", "first"), [(_Counting, 3), (_CountingSampler, 1), (lambda: ds.IterSampler(_Counting()), 1)]
)
def test_samplers_keep_their_state_within_an_iteration(sampler, first):
    # Figures of MindSpore 2.10: each iteration begins with a copy; iter() of a plain object is called twice before.
    data = ds.NumpySlicesDataset(list(range(4)), ["x"], sampler=sampler())
    expected = [[(first + epoch + k) % 4 for k in range(4)] for epoch in range(2)]
    for _ in range(2):
        assert data.get_dataset_size() == 4
        rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
        assert [[int(x) for (x,) in rows] for _ in range(2)] == expected
