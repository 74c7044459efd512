"""Datasets in programs of PyTorch, and datasets of PyTorch and Hugging Face as sources and in `Model`."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

import torchspore as ms
import torchspore.dataset as ds
from torchspore import nn

ARRAYS = {"x": np.arange(12.0, dtype=np.float32).reshape(6, 2), "y": np.arange(6)}


def ordered(**options):
    return ds.NumpySlicesDataset(ARRAYS, shuffle=False, **options)


def shown(rows):
    return [[np.asarray(value).tolist() for value in row] for row in rows]


def noisy(x):
    return x + np.random.randint(1000)


RANDOM_ACCESS = {
    "arrays": ordered,
    "shuffled": lambda: ds.NumpySlicesDataset(ARRAYS, shuffle=True),
    "objects": lambda: ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=True, num_parallel_workers=2),
    "maps": lambda: ordered().map(lambda x: x + 1, "x", num_parallel_workers=2, python_multiprocessing=True),
    "batches": lambda: ordered().batch(4),
    "padded": lambda: ordered().padded_batch(4),
    "parts": lambda: ordered().skip(1).take(4).rename("x", "z").project(["y", "z"]),
    "joined": lambda: ds.zip((ordered() + ordered(), ds.NumpySlicesDataset(np.arange(99), ["z"], shuffle=True))),
    "repeated": lambda: ordered().repeat(3),
    "mixed": lambda: ordered().shuffle(3).shuffle(4),
    "sampled": lambda: ds.NumpySlicesDataset(ARRAYS, sampler=[4, 1, 1]),
    "a part": lambda: ordered().batch(2).split([2, 1])[1],
    "noise": lambda: ds.FakeImageDataset(4, (2, 2, 3)),
}


@pytest.fixture(autouse=True)
def _seed():
    yield
    ds.config.set_seed(5489)


class Rows:
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return ARRAYS["x"][index], ARRAYS["y"][index]


class Named(Rows):
    """What Hugging Face's datasets do."""

    column_names = ("x", "y")

    def __getitem__(self, index):
        return {name: values[index].tolist() for name, values in ARRAYS.items()}


class Endless(Rows, IterableDataset):
    def __iter__(self):
        return iter(zip(*ARRAYS.values()))


@pytest.mark.parametrize("make", RANDOM_ACCESS.values(), ids=RANDOM_ACCESS)
def test_rows_by_number(make):
    ds.config.set_seed(3)
    data = make()
    rows = shown(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert shown(data[number] for number in range(len(rows))) == rows
    numbers = [len(rows) - 1, 0, len(rows) - 1]
    assert shown(data.__getitems__(numbers)) == [rows[number] for number in numbers]
    assert len(shown(DataLoader(data, batch_size=None, shuffle=True))) == len(rows)


@pytest.mark.parametrize("index", [-1, 6])
def test_rows_that_do_not_exist(index):
    for kind in (IndexError, RuntimeError):
        with pytest.raises(kind, match=r"For 'Dataset.__getitem__', 'index' must be in \[0, 5\]"):
            ordered()[index]
    with pytest.raises(TypeError, match="index"):
        ordered()["x"]


@pytest.mark.parametrize(
    "data", [ordered().filter(lambda y: y > 1, "y"), ds.GeneratorDataset(Endless(), ["x", "y"]).batch(2)]
)
def test_no_random_access(data):
    with pytest.raises(RuntimeError, match=r"has no random access.*'to_torch\(\)'"):
        data[0]


def test_random_functions_draw_anew():
    data = ordered().map(noisy, "x")
    assert len({float(data[0][0][0]) for _ in range(5)}) > 1


@pytest.mark.slow
def test_a_data_loader_with_workers():
    data = ordered().map(noisy, "y")
    loader = DataLoader(data, batch_size=2, num_workers=2)
    (x, _), *others = loader
    assert len(others) == 2
    assert x.dtype == torch.float32
    assert x.tolist() == ARRAYS["x"][:2].tolist()
    torch.manual_seed(1)
    shares = DataLoader(ds.NumpySlicesDataset(np.arange(9), ["n"]).filter(lambda n: n != 4).to_torch(), num_workers=2)
    first, second = ([int(n) for (n,) in shares] for _ in range(2))
    assert sorted(first) == sorted(second) == [0, 1, 2, 3, 5, 6, 7, 8]
    assert first != second


def test_texts_are_collated():
    data = ds.NumpySlicesDataset({"text": ["a", "bc"], "n": [1, 2]}, shuffle=False)
    ((texts, numbers),) = DataLoader(data, batch_size=2)
    assert list(texts) == ["a", "bc"]
    assert numbers.tolist() == [1, 2]
    ((texts, numbers),) = DataLoader(data.to_torch(), batch_size=2)
    assert list(texts) == ["a", "bc"]


TENSORS = [torch.from_numpy(values) for values in ARRAYS.values()]


@pytest.mark.parametrize(
    "source",
    [TensorDataset(*TENSORS), Named(), Endless(), DataLoader(TensorDataset(*TENSORS), batch_size=None), ordered()],
    ids=["torch", "by names", "iterable", "a loader", "ours"],
)
def test_sources(source):
    data = ds.GeneratorDataset(source, ["x", "y"], shuffle=False if hasattr(source, "__getitem__") else None)
    assert shown(data.create_tuple_iterator(num_epochs=1, output_numpy=True)) == shown(zip(*ARRAYS.values()))


def test_rows_by_names_in_another_order():
    data = ds.GeneratorDataset(Named(), ["y"], shuffle=False)
    assert shown(data.create_tuple_iterator(output_numpy=True)) == [[number] for number in range(6)]


def test_a_dict_is_the_value_of_a_single_column():
    data = ds.GeneratorDataset([{"x": 1}], ["x"])
    assert next(data.create_dict_iterator(output_numpy=True)) == {"x": {"x": 1}}


LOADERS = {
    "pairs": lambda: DataLoader(TensorDataset(TENSORS[0], TENSORS[0].sum(1, keepdim=True)), batch_size=3),
    "ours": lambda: DataLoader(ds.NumpySlicesDataset((ARRAYS["x"], ARRAYS["x"].sum(1, keepdims=True))), batch_size=3),
    "dicts": lambda: Batches([{"x": x, "y": x.sum(1, keepdims=True)} for x in ARRAYS["x"].reshape(2, 3, 2)]),
    "by number": lambda: Numbered(
        [(x.tolist(), x.sum(1, keepdims=True).tolist()) for x in ARRAYS["x"].reshape(2, 3, 2)]
    ),
}
Batches = collections.UserList


class Numbered:
    def __init__(self, batches):
        self.batches = batches

    def __len__(self):
        return len(self.batches)

    def __getitem__(self, index):
        return [np.array(each, np.float32) for each in self.batches[index]]


@pytest.mark.parametrize("make", LOADERS.values(), ids=LOADERS)
def test_model_accepts_loaders(make):
    ms.set_seed(1)
    net = nn.Dense(2, 1)
    optimizer = nn.Momentum(net.trainable_params(), 0.001, 0.9)
    model = ms.Model(net, nn.MSELoss(), optimizer, metrics={"loss"})
    before = model.eval(make())["loss"]
    model.fit(2, make(), make())
    model.train(20, make())
    assert model.eval(make())["loss"] < before / 2
    assert model.predict(TENSORS[0]).shape == (6, 1)


@pytest.mark.parametrize("data", [[1, 2], {"x": 1}, iter([1]), "data", np.ones(3), 3])
def test_model_refuses_what_is_not_data(data):
    net = nn.Dense(2, 1)
    with pytest.raises(TypeError, match="'train_dataset' must be a dataset"):
        ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, data)
