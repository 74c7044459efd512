"""Loaders of batches with the interface of PyTorch's: they are PyTorch's, and yield Tensors.

MindSpore: `mindspore.dataset.dataloader`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Annotated, Any, TypeAlias

import numpy as np
import torch
from torch.utils import data as torch_data

from torchspore.common.tensor import Tensor
from torchspore.dataset.parameters import Natural, Whole, take_as
from torchspore.dataset.rows.values import as_output
from torchspore.engine.parameters import Limits, Where

__all__ = [
    "BatchSampler", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset", "RandomSampler", "Sampler",
    "SequentialSampler", "TensorDataset", "default_collate", "default_convert", "get_worker_info",
]  # fmt: skip

get_worker_info = torch_data.get_worker_info

_Sized: TypeAlias = Annotated[Any, Where("an object with a length", lambda value: isinstance(value, Sized), TypeError)]
_Samples: TypeAlias = Annotated[int, Limits(1, 2**63 - 1)] | None
_Seed: TypeAlias = Annotated[int, Limits(-(2**63), 2**64 - 1)]


class Dataset(torch_data.Dataset[Any]):
    """The base of data with `__getitem__` and `__len__`.

    Examples:
        >>> from torchspore.dataset.dataloader import DataLoader, Dataset
        >>> class Squares(Dataset):
        ...     def __len__(self):
        ...         return 3
        ...     def __getitem__(self, index):
        ...         return index**2
        >>> print(*DataLoader(Squares(), batch_size=2))
        [0 1] [4]
    """

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(
            f"For '{type(self).__name__}', a class derived from 'Dataset' must have '__getitem__'."
        )


class IterableDataset(torch_data.IterableDataset[Any], Dataset):
    """The base of data with `__iter__`.

    Examples:
        >>> from torchspore.dataset.dataloader import DataLoader, IterableDataset
        >>> class Squares(IterableDataset):
        ...     def __iter__(self):
        ...         return (number**2 for number in range(3))
        >>> print(*DataLoader(Squares(), batch_size=2))
        [0 1] [4]
    """


class TensorDataset(Dataset):
    """Rows of Tensors along their first dimension.

    Args:
        *tensors: the Tensors.

    Raises:
        ValueError: they have unequal lengths.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.dataset.dataloader import TensorDataset
        >>> len(TensorDataset(ms.Tensor([1, 2]), ms.Tensor([3, 4])))
        2
    """

    def __init__(self, *tensors: Tensor) -> None:
        for tensor in tensors:
            take_as(Tensor, tensor, "tensors", "TensorDataset")
        if not tensors or len({tensor.shape[0] for tensor in tensors}) > 1:
            raise ValueError("For 'TensorDataset', there must be tensors, all of one size in the first dimension.")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class Sampler:
    """The base of samplers: a class derived from it defines `__iter__`, which yields indexes.

    Args:
        data_source: not used. Default: None.
    """

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"For '{type(self).__name__}', a class derived from 'Sampler' must have '__iter__'.")


class SequentialSampler(Sampler):
    """Yields all indexes in order.

    Args:
        data_source: the data, of which the length is taken.

    Examples:
        >>> from torchspore.dataset.dataloader import SequentialSampler
        >>> list(SequentialSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        take_as(_Sized, data_source, "data_source", "SequentialSampler")
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Yields indexes in random order.

    Args:
        data_source: the data, of which the length is taken.
        replacement: whether an index may come several times. Default: False.
        num_samples: the number of indexes. Default: None, the length of the data.
        generator: NumPy's generator to draw from. Default: None, one seeded by NumPy's global one.

    Examples:
        >>> from torchspore.dataset.dataloader import RandomSampler
        >>> sorted(RandomSampler("abc"))
        [0, 1, 2]
    """

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None,
        generator: np.random.Generator | None = None,
    ) -> None:  # fmt: skip
        take_as(_Sized, data_source, "data_source", "RandomSampler")
        self.data_source = data_source
        self.replacement = take_as(bool, replacement, "replacement", "RandomSampler")
        self._limit = take_as(_Samples, num_samples, "num_samples", "RandomSampler")
        self.generator = generator

    @property
    def num_samples(self) -> int:
        """The number of indexes."""
        return len(self.data_source) if self._limit is None else self._limit

    def __iter__(self) -> Iterator[int]:
        random = self.generator or np.random.default_rng(_new_seed())
        size = len(self.data_source)
        if self.replacement:
            return iter(random.integers(size, size=self.num_samples).tolist())
        rounds = -(-self.num_samples // max(size, 1))
        order = [index for _ in range(rounds) for index in random.permutation(size).tolist()]
        return iter(order[: self.num_samples])

    def __len__(self) -> int:
        return self.num_samples


def _new_seed() -> int:
    return int(np.random.randint(2**31 - 1))


class BatchSampler(torch_data.BatchSampler, Sampler):
    """Yields lists of the indexes of another sampler.

    Args:
        sampler: the sampler, or an iterable.
        batch_size: the number of indexes in a list.
        drop_last: whether a shorter last list is left out.

    Examples:
        >>> from torchspore.dataset.dataloader import BatchSampler
        >>> list(BatchSampler(range(3), 2, False))
        [[0, 1], [2]]
    """

    def __init__(self, sampler: Sampler | Iterable[Any], batch_size: int, drop_last: bool) -> None:
        take_as(Natural, batch_size, "batch_size", "BatchSampler")
        take_as(bool, drop_last, "drop_last", "BatchSampler")
        super().__init__(sampler, batch_size, drop_last)


class DistributedSampler(torch_data.DistributedSampler[Any], Sampler):
    """Yields the indexes for one of several processes.

    Args:
        dataset: the data, of which the length is taken.
        num_replicas: the number of processes. Default: None, the number in the process group.
        rank: the number of this process. Default: None, its number in the process group.
        shuffle: whether the order is random: a new one after each `set_epoch`. Default: True.
        seed: the seed, which all processes have in common. Default: 0.
        drop_last: whether the rest is left out that cannot be split evenly; otherwise rows are repeated.
            Default: False.

    Examples:
        >>> from torchspore.dataset.dataloader import DistributedSampler
        >>> list(DistributedSampler(range(5), num_replicas=2, rank=0, shuffle=False))
        [0, 2, 4]
    """

    def __init__(
        self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True,
        seed: int = 0, drop_last: bool = False,
    ) -> None:  # fmt: skip
        api = "DistributedSampler"
        take_as(_Sized, dataset, "dataset", api)
        grouped = torch.distributed.is_available() and torch.distributed.is_initialized()
        count = num_replicas if num_replicas is not None else torch.distributed.get_world_size() if grouped else 1
        own = rank if rank is not None else torch.distributed.get_rank() if grouped else 0
        take_as(Natural, count, "num_replicas", api)
        take_as(Annotated[int, Limits(0, count - 1)], own, "rank", api)
        take_as(_Seed, seed, "seed", api)
        take_as(bool, shuffle, "shuffle", api)
        super().__init__(dataset, count, own, shuffle, seed, take_as(bool, drop_last, "drop_last", api))


class DataLoader(torch_data.DataLoader[Any]):
    """Iterates over batches of data, as Tensors.

    Args:
        dataset: an object with `__getitem__` and `__len__`, or an `IterableDataset`.
        batch_size: the number of rows in a batch; None for single rows. Default: 1.
        shuffle: whether the order is random. Default: None, no.
        sampler: an iterable of indexes, instead of `shuffle`. Default: None.
        batch_sampler: an iterable of lists of indexes, instead of `batch_size`, `shuffle`, `sampler` and `drop_last`.
            Default: None.
        num_workers: the number of processes that load batches; 0 for none. Default: 0.
        collate_fn: makes a batch of a list of rows. Default: None, `default_collate`.
        pin_memory: has no effect: Tensors are moved when they are used. Default: False.
        drop_last: whether a smaller last batch is left out. Default: False.
        timeout: the number of seconds to wait for a batch of a process; 0 for any. Default: 0.
        worker_init_fn: called in each process with its number. Default: None.
        multiprocessing_context: how processes start. Default: None, Python's way.
        generator: NumPy's generator to draw from. Default: None, one seeded by NumPy's global one.
        prefetch_factor: the number of batches that each process loads ahead. Default: None, 2.
        persistent_workers: whether the processes outlive an epoch. Default: False.
        in_order: whether batches come in order. Default: True.

    Raises:
        ValueError: arguments exclude each other.

    Examples:
        >>> from torchspore.dataset.dataloader import DataLoader
        >>> loader = DataLoader([{"x": 1}, {"x": 2}, {"x": 3}], batch_size=2)
        >>> for batch in loader:
        ...     print(batch["x"])
        [1 2]
        [3]
        >>> len(loader)
        2
    """

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None,
        sampler: Sampler | Iterable[Any] | None = None, batch_sampler: Sampler | Iterable[list[Any]] | None = None,
        num_workers: int = 0, collate_fn: Callable[[list[Any]], Any] | None = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0.0, worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None, generator: np.random.Generator | None = None, *,
        prefetch_factor: int | None = None, persistent_workers: bool = False, in_order: bool = True,
    ) -> None:  # fmt: skip
        api = "DataLoader"
        take_as(Natural | None, batch_size, "batch_size", api)
        take_as(Whole, num_workers, "num_workers", api)
        take_as(bool | None, shuffle, "shuffle", api)
        take_as(bool, pin_memory, "pin_memory", api)
        iterable = isinstance(dataset, torch_data.IterableDataset)
        if not iterable and not hasattr(dataset, "__getitem__"):
            raise NotImplementedError(
                f"For '{api}', 'dataset' must have '__getitem__' or be an IterableDataset, but got "
                f"{type(dataset).__name__}."
            )
        if not iterable and sampler is None and batch_sampler is None:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
            shuffle = None
        options: dict[str, Any] = {} if prefetch_factor is None else {"prefetch_factor": prefetch_factor}
        if collate_fn is None:
            collate_fn = default_convert if batch_size is None and batch_sampler is None else default_collate
        seeds = torch.Generator()
        seeds.manual_seed(_new_seed())  # else a loader would draw from PyTorch's default generator
        try:
            super().__init__(
                dataset, batch_size, shuffle, sampler, batch_sampler, num_workers, collate_fn,
                False, take_as(bool, drop_last, "drop_last", api), timeout, worker_init_fn, multiprocessing_context,
                seeds, persistent_workers=take_as(bool, persistent_workers, "persistent_workers", api),
                in_order=take_as(bool, in_order, "in_order", api), **options,
            )  # fmt: skip
        except ValueError as error:
            raise ValueError(f"For '{api}', {error}.") from None


def default_collate(batch: Sequence[Any]) -> Any:
    """Return a batch of rows: numbers, arrays and Tensors are stacked to a Tensor, also inside dicts and sequences.

    Args:
        batch: the rows.

    Raises:
        TypeError: a row has something else. Texts stay in a list.
        RuntimeError: sequences have unequal lengths.

    Examples:
        >>> from torchspore.dataset.dataloader import default_collate
        >>> default_collate([("a", 1), ("b", 2)])
        [('a', 'b'), Tensor(shape=[2], dtype=Int64, value= [1, 2])]
    """
    if not isinstance(batch, Sequence) or isinstance(batch, (str, bytes)) or not batch:
        raise TypeError(f"For 'default_collate', 'batch' must be a list with at least one row, but got {batch!r:.100}.")
    first = batch[0]
    if isinstance(first, Tensor):
        return Tensor(torch.stack([each.torch for each in batch]))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, (np.ndarray, np.generic)) and np.asarray(first).dtype.kind not in "USO":
        return _stacked(np.stack(batch))
    if isinstance(first, (bool, int, float)):
        return _stacked(np.array(batch, np.float64 if isinstance(first, float) else None))
    if isinstance(first, Mapping):
        collated = {key: default_collate([each[key] for each in batch]) for key in first}
        return type(first)(collated)  # type: ignore[call-arg]
    if isinstance(first, Sequence):
        if len({len(each) for each in batch}) > 1:
            raise RuntimeError("For 'default_collate', the sequences in the rows must have equal lengths.")
        columns = [default_collate(column) for column in zip(*batch)]
        return type(first)(*columns) if hasattr(first, "_fields") else columns
    raise TypeError(
        f"For 'default_collate', rows must have numbers, arrays, Tensors, texts, dicts or sequences, but got "
        f"{type(first).__name__}. Give 'collate_fn'."
    )


def _stacked(array: Any) -> Tensor:
    return Tensor(torch.from_numpy(array))


def default_convert(data: Any) -> Any:
    """Return a row with Tensors in place of its arrays, also inside dicts and sequences.

    Args:
        data: the row.

    Examples:
        >>> import numpy as np
        >>> from torchspore.dataset.dataloader import default_convert
        >>> default_convert([np.array([1, 2]), "a"])
        [Tensor(shape=[2], dtype=Int64, value= [1, 2]), 'a']
    """
    if isinstance(data, (np.ndarray, np.generic)) and np.asarray(data).dtype.kind not in "USO":
        return as_output(np.asarray(data))
    if isinstance(data, Mapping):
        return type(data)({key: default_convert(value) for key, value in data.items()})  # type: ignore[call-arg]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        converted = [default_convert(value) for value in data]
        return type(data)(*converted) if hasattr(data, "_fields") else converted
    return data
