"""Data that does not come from `dataset`: PyTorch's DataLoaders, Hugging Face's datasets, and what resembles them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from torchspore.common.tensor import Tensor

__all__ = ["as_dataset"]

_METHODS = ("create_tuple_iterator", "get_dataset_size")
_VALUES = (str, bytes, list, tuple, Mapping, set, frozenset, range, np.ndarray, torch.Tensor, Tensor)


def as_dataset(data: Any) -> Any:
    """Return data as what `Model` iterates over, or None if it cannot be: an iterator could be used only once."""
    if all(callable(getattr(data, method, None)) for method in _METHODS):
        return data
    rows = hasattr(data, "__iter__") or (hasattr(data, "__getitem__") and hasattr(data, "__len__"))
    usable = rows and not isinstance(data, (type, *_VALUES)) and not hasattr(data, "__next__")
    return ForeignData(data) if usable else None


class ForeignData:
    """The batches that an object yields, as lists of Tensors.

    Args:
        data: the object; a batch is a tensor, or a tuple, a list or a dict of them.
    """

    def __init__(self, data: Any) -> None:
        self.data = data
        self._size: int | None = None

    def get_dataset_size(self) -> int:
        """Return the number of batches; by a run if the object does not know it."""
        if self._size is None:
            try:
                self._size = len(self.data)
            except TypeError:
                self._size = sum(1 for _ in self._batches())
        return self._size

    def create_tuple_iterator(self, num_epochs: int = -1) -> ForeignIterator:
        """Return an iterator, of which each `for` is an epoch; -1 is any number of them."""
        return ForeignIterator(self, num_epochs)

    def _batches(self) -> Iterator[Any]:
        if hasattr(self.data, "__iter__"):
            return iter(self.data)
        return (self.data[number] for number in range(len(self.data)))


class ForeignIterator:
    """The epochs of `ForeignData`.

    Args:
        source: the data.
        num_epochs: their number.
    """

    def __init__(self, source: ForeignData, num_epochs: int) -> None:
        self._source, self._left = source, num_epochs

    def __iter__(self) -> Iterator[list[Any]]:
        if self._left == 0:
            raise RuntimeError("For 'create_tuple_iterator', all epochs have been iterated. Use a larger 'num_epochs'.")
        self._left -= 1
        for batch in self._source._batches():
            if isinstance(batch, Mapping):
                values = list(batch.values())
            else:
                values = list(batch) if isinstance(batch, (tuple, list)) else [batch]
            yield [_as_tensor(value) for value in values]


def _as_tensor(value: Any) -> Any:
    """Return numbers as a Tensor, and the rest, such as text, unchanged."""
    if isinstance(value, (torch.Tensor, np.ndarray)):
        return Tensor(value)
    try:
        array = np.asarray(value)
    except ValueError:  # lists of unequal lengths
        return value
    return value if isinstance(value, Tensor) or array.dtype.kind not in "biufc" else Tensor(array)
