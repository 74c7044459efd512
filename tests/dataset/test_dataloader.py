"""`dataset.dataloader`: loaders as PyTorch's, whose batches are Tensors; MindSpore's batches and errors."""

from __future__ import annotations

import typing

import numpy as np
import pytest

import torchspore as ms
from torchspore.dataset import dataloader
from torchspore.dataset.dataloader import DataLoader, default_collate


class Rows(dataloader.Dataset):
    def __len__(self):
        return 5

    def __getitem__(self, index):
        return np.full((2,), index, np.float32), index


class Stream(dataloader.IterableDataset):
    def __iter__(self):
        return iter([np.array([number]) for number in range(5)])


class Failing(dataloader.Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        raise KeyError("x")


def indexes(loader):
    return [batch[1].asnumpy().tolist() for batch in loader]


def halves():
    return dataloader.BatchSampler(dataloader.SequentialSampler(range(5)), 3, False)


BATCHES = [
    ({}, [[0], [1], [2], [3], [4]]), ({"batch_size": 2}, [[0, 1], [2, 3], [4]]),
    ({"batch_size": 2, "drop_last": True}, [[0, 1], [2, 3]]), ({"sampler": [1, 2], "batch_size": 2}, [[1, 2]]),
    ({"batch_sampler": halves()}, [[0, 1, 2], [3, 4]]), ({"batch_size": 2, "num_workers": 2}, [[0, 1], [2, 3], [4]]),
    ({"batch_size": 3, "num_workers": 1, "prefetch_factor": 1, "persistent_workers": True}, [[0, 1, 2], [3, 4]]),
]  # fmt: skip


@pytest.mark.parametrize(("options", "expected"), BATCHES)
def test_batches(options, expected):
    loader = DataLoader(Rows(), **options)
    assert indexes(loader) == indexes(loader) == expected
    assert len(loader) == len(expected)
    rows, numbers = next(iter(loader))
    assert (type(rows), rows.dtype, numbers.dtype) == (ms.Tensor, ms.float32, ms.int64)
    assert rows.asnumpy().tolist() == [[float(number)] * 2 for number in expected[0]]


def test_single_rows_and_streams():
    row, number = next(iter(DataLoader(Rows(), batch_size=None)))
    assert (row.shape, number) == ((2,), 0)
    found = [batch.asnumpy().tolist() for batch in DataLoader(Stream(), batch_size=2)]
    assert found == [[[0], [1]], [[2], [3]], [[4]]]
    assert list(DataLoader(list(range(3)), batch_size=2, collate_fn=lambda batch: batch)) == [[0, 1], [2]]


def test_random_orders():
    loader = DataLoader(Rows(), shuffle=True)
    ms.set_seed(1)
    first, second = indexes(loader), indexes(loader)
    assert sorted(first) == sorted(second) == [[0], [1], [2], [3], [4]]
    assert first != second
    ms.set_seed(1)
    assert [indexes(loader), indexes(loader)] == [first, second]
    given = [indexes(DataLoader(Rows(), shuffle=True, generator=np.random.default_rng(3))) for _ in range(2)]
    assert given[0] == given[1]
    assert len(list(dataloader.RandomSampler(range(4), num_samples=7))) == 7
    assert len(list(dataloader.RandomSampler(range(4), True, 9))) == 9


class Pair(typing.NamedTuple):
    a: int
    b: str


COLLATED = [  # rows, and their batch, as MindSpore has it
    ([1, 2], "[1 2]"), ([1.5, 2], "[1.5 2. ]"), (["a", "b"], "['a', 'b']"), ([b"a", b"b"], "[b'a', b'b']"),
    ([np.float32(1), np.float32(2)], "[1. 2.]"), ([True, False], "[ True False]"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "expected"), COLLATED)
def test_collate(rows, expected):
    assert str(default_collate(rows)) == expected


def test_collate_containers():
    rows = [{"a": i, "b": (ms.Tensor([i]), [1.5, i]), "c": Pair(i, "t")} for i in range(2)]
    found = default_collate(rows)
    assert found["a"].asnumpy().tolist() == [0, 1]
    assert found["b"][0].shape == (2, 1)
    assert [each.dtype for each in found["b"][1]] == [ms.float64, ms.int64]
    assert found["c"].b == ("t", "t")
    for wrong, error in (
        ([None, None], TypeError),
        ([np.zeros(2), np.zeros(3)], ValueError),
        ([[1], []], RuntimeError),
    ):
        with pytest.raises(error):
            default_collate(wrong)


WRONG = [
    ({"batch_size": 0}, ValueError), ({"num_workers": -1}, ValueError), ({"dataset": 3}, NotImplementedError),
    ({"batch_size": 2, "batch_sampler": [[1]]}, ValueError), ({"prefetch_factor": 2}, ValueError),
    ({"timeout": -1}, ValueError), ({"batch_size": 2.5}, TypeError), ({"shuffle": 3}, TypeError),
    ({"dataset": Stream(), "shuffle": True}, ValueError), ({"sampler": [1], "shuffle": True}, ValueError),
]  # fmt: skip


@pytest.mark.parametrize(("options", "error"), WRONG)
def test_wrong_loaders(options, error):
    with pytest.raises(error, match=r"^For 'DataLoader', "):
        DataLoader(**{"dataset": Rows(), **options})


@pytest.mark.parametrize("workers", [0, 1])
def test_errors_of_rows(workers):
    with pytest.raises(KeyError, match="x"):
        list(DataLoader(Failing(), num_workers=workers))


def test_data_and_samplers():
    pairs = dataloader.TensorDataset(ms.Tensor([1, 2]), ms.Tensor([3, 4]))
    assert [int(each) for each in pairs[1]] == [2, 4]
    with pytest.raises(ValueError, match="TensorDataset"):
        dataloader.TensorDataset(ms.Tensor([1, 2]), ms.Tensor([3]))
    parts = [list(dataloader.DistributedSampler(range(5), 2, rank, shuffle=False)) for rank in (0, 1)]
    assert parts == [[0, 2, 4], [1, 3, 0]]
    assert list(dataloader.DistributedSampler(range(5), 2, 1, False, drop_last=True)) == [1, 3]
    assert len(dataloader.DistributedSampler(range(5))) == 5
    assert dataloader.get_worker_info() is None
    for base in (dataloader.Dataset, dataloader.Sampler):
        with pytest.raises(NotImplementedError, match=f"^For '{base.__name__}'"):
            base()[0] if base is dataloader.Dataset else iter(base())


def test_a_loader_leaves_the_programs_random_numbers():
    import torch

    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    list(DataLoader(Rows(), shuffle=True, batch_size=2))
    assert torch.equal(torch.rand(2), expected)


WRONG_PARTS = [
    (dataloader.DistributedSampler, (3,), TypeError), (dataloader.DistributedSampler, ([1], 2, 2), ValueError),
    (dataloader.DistributedSampler, ([1], 2.5), TypeError), (dataloader.TensorDataset, (), ValueError),
    (dataloader.TensorDataset, ([1],), TypeError), (dataloader.SequentialSampler, (3,), TypeError),
    (dataloader.RandomSampler, (3,), TypeError), (dataloader.RandomSampler, ([1], 3), TypeError),
    (dataloader.BatchSampler, ([1], 0, True), ValueError), (default_collate, ([],), TypeError),
    (default_collate, ("",), TypeError),
]  # fmt: skip


@pytest.mark.parametrize(("make", "arguments", "error"), WRONG_PARTS)
def test_wrong_parts(make, arguments, error):
    with pytest.raises(error, match=f"^For '{make.__name__}', "):
        make(*arguments)
