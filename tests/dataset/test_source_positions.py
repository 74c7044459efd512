"""The positions that `GeneratorDataset` requests from its source."""

from __future__ import annotations

import numpy as np
import pytest

from torchspore import dataset as ds

ARGUMENTS = [
    {}, {"shuffle": False}, {"sampler": [0, 2]}, {"sampler": ds.RandomSampler()}, {"num_shards": 2, "shard_id": 0},
    {"num_samples": 2}, {"num_parallel_workers": 2, "python_multiprocessing": False}, {"num_parallel_workers": 2},
    {"batch_sampler": [[0, 1], [2]]},
]  # fmt: skip


class Source:
    def __len__(self):
        return 4

    def __getitem__(self, index):
        assert type(index) is np.int64
        return np.array(index.item())


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_positions_are_integers_of_numpy(arguments):
    rows = [
        row[0] for row in ds.GeneratorDataset(Source(), ["x"], **arguments).create_tuple_iterator(output_numpy=True)
    ]
    assert set(np.concatenate([np.ravel(row) for row in rows]).tolist()) <= {0, 1, 2, 3}
    assert rows
