"""A dataset of arrays with what `Model` uses of datasets, and how often its iterators were ended."""

from __future__ import annotations

from torchspore import Tensor


class Batches:
    """Batches of the rows of arrays, in their order."""

    def __init__(self, *columns, size=4):
        self.columns = columns
        self.size = size
        self.open = 0

    def get_dataset_size(self):
        return -(-len(self.columns[0]) // self.size)

    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=False):
        self.open += 1
        return _Iterator(self, num_epochs)


class _Iterator:
    def __init__(self, dataset, epochs):
        self.dataset = dataset
        self.epochs = epochs
        self.done = 0  # batches of the next epoch that are skipped

    def __iter__(self):
        assert self.epochs != 0, "more epochs than announced"
        self.epochs -= 1
        size = self.dataset.size
        first, self.done = self.done * size, 0
        for start in range(first, len(self.dataset.columns[0]), size):
            yield [Tensor(column[start : start + size]) for column in self.dataset.columns]

    def stop(self):
        self.dataset.open -= 1
