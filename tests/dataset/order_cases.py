"""Pipelines whose order of rows depends on the seed."""

from __future__ import annotations

import pathlib
import struct
from typing import Any

import numpy as np

CASES = [
    *[f"seeded({seed}, rows({size}, shuffle=True))" for seed in (0, 1, 7) for size in (1, 2, 5, 6, 10, 300)],
    "seeded(3, rows(70000, shuffle=True).take(5))",
    "seeded(4, rows(10, shuffle=True).repeat(3))",
    "seeded(4, rows(10, sampler=ds.RandomSampler(num_samples=4)))",
    "seeded(4, rows(10, sampler=ds.RandomSampler(replacement=True)))",
    "seeded(4, rows(70000, sampler=ds.RandomSampler(replacement=True, num_samples=6)))",
    "seeded(4, rows(10, sampler=ds.SubsetRandomSampler([5, 1, 7, 2, 9])))",
    "seeded(4, rows(10, sampler=ds.WeightedRandomSampler([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])))",
    *[f"seeded({seed}, rows(9, sampler=ds.SubsetRandomSampler([5, 1, 7, 2, 8], {count})))"
      for seed in (2, 4) for count in (1, 3, 5)],
    *[f"seeded({seed}, rows(6, sampler=ds.WeightedRandomSampler({weights}, 4, False)))"
      for seed in (1, 2) for weights in ([1, 1, 1, 1, 1, 1], [1, 2, 3, 4, 5, 6], [0, 0, 5, 1, 2, 3])],
    "seeded(2, rows(9, sampler=below(ds.SubsetRandomSampler([1, 0, 3, 2], 2), ds.SubsetSampler([8, 7, 6, 5]))))",
    *[f"seeded({seed}, digits([5, 1, 1, 5, 5, 7, 5, 1, 5], ds.PKSampler({arguments})))"
      for seed in (1, 3) for arguments in ("1", "3", "3, shuffle=True", "3, num_samples=4", "2, None, True")],
    "seeded(2, digits([0, 1, 0, 1, 0, 0], ds.PKSampler(3, shuffle=True)).repeat(2))",
    "seeded(4, rows(10, sampler=ds.DistributedSampler(2, 0)))",
    "seeded(4, rows(9, num_shards=2, shard_id=1))",
    *[f"seeded(5, rows({size}, shuffle=False).shuffle({buffer}))"
      for size, buffer in ((5, 5), (10, 4), (10, 20), (1000, 7))],
    "seeded(5, rows(10, shuffle=True).shuffle(10))",
    "seeded(5, rows(5, shuffle=False).shuffle(5).repeat(3))",
    "seeded(5, rows(5, shuffle=False).repeat(2).shuffle(5))",
    "seeded(6, rows(10, shuffle=False).split([6, 4])[0])",
    "seeded(6, rows(10, shuffle=False).split([6, 4])[1])",
    "globally(5, rows(10, shuffle=True))",
    *[f"seeded({seed}, mixed({parts}))" for seed in (1, 2, 7)
      for parts in ("part(0, 5), part(10, 13)", "part(0, 5), part(10, 13), part(20, 24)", "rows(5), part(10, 13)",
                    "part(0, 3) + part(10, 14), part(20, 22)")],
    "seeded(3, mixed(part(0, 3), part(10, 13)).repeat(2))",
    "seeded(3, added(ds.SubsetSampler([5, 6, 7]), ds.SequentialSampler(1, 2)))",
    "seeded(3, added(ds.SequentialSampler(3), ds.SubsetRandomSampler([3, 2, 1]), ds.SequentialSampler(1)))",
]  # fmt: skip


def orders(ds: Any, ms: Any, expression: str, folder: pathlib.Path) -> list[list[int]]:
    """Return the rows of three epochs; files may be written to the folder."""

    def rows(size: int, **options: Any) -> Any:
        return ds.NumpySlicesDataset(list(range(size)), ["x"], **options)

    def digits(labels: list[int], sampler: Any) -> Any:
        images = np.zeros((len(labels), 28, 28), np.uint8)
        images[:, 0, 0] = range(len(labels))
        (folder / "train-images-idx3-ubyte").write_bytes(struct.pack(">4i", 2051, *images.shape) + images.tobytes())
        (folder / "train-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 2049, len(labels)) + bytes(labels))
        return ds.MnistDataset(str(folder), "train", sampler=sampler).map(lambda x: x[0, 0, 0], "image", ["x"])

    def below(sampler: Any, child: Any) -> Any:
        sampler.add_child(child)
        return sampler

    def part(start: int, end: int) -> Any:
        return ds.NumpySlicesDataset(list(range(start, end)), ["x"], shuffle=False)

    def mixed(*parts: Any) -> Any:
        data = parts[0].concat(list(parts[1:]))
        data.use_sampler(ds.RandomSampler())
        return data

    def added(*samplers: Any) -> Any:
        data = rows(9, shuffle=False)
        for number, sampler in enumerate(samplers):
            (data.add_sampler if number else data.use_sampler)(sampler)
        return data

    kind, arguments = expression.split("(", 1)
    seed, pipeline = arguments[:-1].split(", ", 1)
    (ds.config if kind == "seeded" else ms).set_seed(int(seed))
    names = {"ds": ds, "rows": rows, "digits": digits, "below": below, "part": part, "mixed": mixed, "added": added}
    data = eval(pipeline, names)
    iterator = data.create_dict_iterator(num_epochs=3, output_numpy=True)
    return [[int(row["x"]) for row in iterator] for _ in range(3)]
