"""Rows by number, as programs of PyTorch ask for them: `torch.utils.data.DataLoader` accepts a dataset directly."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from torchspore.common.error_classes import also
from torchspore.dataset import config
from torchspore.dataset.parameters import Int32, take_as
from torchspore.dataset.pipeline.dataset import Dataset, attach
from torchspore.dataset.pipeline.positions import Left
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.values import Row
from torchspore.dataset.sources.objects import GeneratorDataset

__all__ = ["TorchRows"]

_OUTSIDE = also(IndexError, RuntimeError)
_NO_ACCESS = also(RuntimeError, TypeError)  # the latter of operations in MindSpore


@attach("__getitem__")
def _item(self: Dataset, index: int) -> Row:
    """Return the row at a position in the order of a new iterator, as NumPy arrays.

    Earlier rows are not computed. The order follows from the seed of `config`; other random numbers are new each time.

    Raises:
        RuntimeError: there is no such row, or the dataset has no random access: some rows depend on others.

    Examples:
        >>> import torch
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).map(lambda x: x * 10)
        >>> [row.item() for row in data[2]]
        [30]
        >>> [batch for batch, in torch.utils.data.DataLoader(data, batch_size=3)]
        [tensor([10, 20, 30])]
    """
    return _items(self, [take_as(Int32, index, "index", "Dataset.__getitem__")])[0]


@attach("__getitems__")
def _batch_of_items(self: Dataset, indexes: Sequence[int]) -> list[Row]:
    """Return the rows at several positions, which DataLoader stacks: texts are strs."""
    return [tuple(map(_collatable, row)) for row in _items(self, [int(index) for index in indexes])]


@attach("to_torch")
def _to_torch(self: Dataset) -> TorchRows:
    """Return the rows as an iterable dataset of PyTorch, for datasets without random access.

    The workers of a DataLoader share the rows, but each computes all of them: use the workers of the dataset instead.

    Examples:
        >>> import torch
        >>> import torchspore.dataset as ds
        >>> data = ds.GeneratorDataset(lambda: ((n,) for n in range(3)), ["x"])
        >>> [batch for batch, in torch.utils.data.DataLoader(data.to_torch(), batch_size=3)]
        [tensor([0, 1, 2])]
    """
    return TorchRows(self)


class TorchRows(IterableDataset[Any]):
    """The rows of a dataset, each a tuple of torch tensors and strs, in an order that the seed of PyTorch decides.

    Args:
        dataset: the dataset.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __iter__(self) -> Iterator[Row]:
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        seed = int(torch.randint(2**31, ()).item()) if worker is None else worker.seed - worker.id
        run = Run(self.dataset, tells=False, seed=seed % 2**31)
        try:
            for row in itertools.islice(self.dataset._rows(run), first, None, step):
                yield tuple([_as_tensor(value) for value in row])
        finally:
            run.close()


def _items(dataset: Dataset, numbers: list[int]) -> list[Row]:
    size = dataset.get_dataset_size()
    outside = [number for number in numbers if not 0 <= number < size]
    if outside:
        raise _OUTSIDE(f"For 'Dataset.__getitem__', 'index' must be in [0, {size - 1}], but got {outside[0]}.")
    wanted = sorted(set(numbers))
    rows = _begun(dataset, Left(wanted[-1], wanted[:-1]), len(wanted)) if wanted else []
    if rows is None:  # an operation that can leave out only the first rows
        found = [_begun(dataset, Left(number), 1) for number in wanted]
        if None in found:
            raise _NO_ACCESS(
                f"For 'Dataset.__getitem__', {type(dataset).__name__} has no random access, as some rows depend on "
                f"others: iterate over it, or give its 'to_torch()' to a DataLoader."
            )
        rows = [row for each in found for row in each or ()]
    by_number = dict(zip(wanted, rows))
    return [by_number[number] for number in numbers]


def _is_iterated(dataset: Dataset) -> bool:
    """Return whether some source has no random access."""
    if isinstance(dataset, GeneratorDataset):
        return not dataset.has_random_access
    return any(map(_is_iterated, dataset.children))


def _begun(dataset: Dataset, left: Left, count: int) -> list[Row] | None:
    """Return the first rows of a pass that leaves some out, or None if it cannot."""
    run = Run(dataset, tells=False, seed=config.current_seed() or config.get_seed())
    if _is_iterated(dataset) or not dataset._skip(run, left):
        return None
    run.alone = True
    try:
        return list(itertools.islice(dataset._rows(run.inside(int(np.random.randint(2**31)))), count))
    finally:
        run.close()


def _collatable(value: Any) -> Any:
    return value.item() if isinstance(value, np.ndarray) and value.dtype.kind in "US" and value.ndim == 0 else value


def _as_tensor(value: Any) -> Any:
    value = _collatable(value)
    return torch.from_numpy(value) if isinstance(value, np.ndarray) and value.dtype.kind not in "US" else value
