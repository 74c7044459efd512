"""Pipelines whose order of rows depends on the seed."""

from __future__ import annotations

from typing import Any

CASES = [
    *[f"seeded({seed}, rows({size}, shuffle=True))" for seed in (0, 1, 7) for size in (1, 2, 5, 6, 10, 300)],
    "seeded(3, rows(70000, shuffle=True).take(5))",
    "seeded(4, rows(10, shuffle=True).repeat(3))",
    "seeded(4, rows(10, sampler=ds.RandomSampler(num_samples=4)))",
    "seeded(4, rows(10, sampler=ds.RandomSampler(replacement=True)))",
    "seeded(4, rows(70000, sampler=ds.RandomSampler(replacement=True, num_samples=6)))",
    "seeded(4, rows(10, sampler=ds.SubsetRandomSampler([5, 1, 7, 2, 9])))",
    "seeded(4, rows(10, sampler=ds.WeightedRandomSampler([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])))",
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
]  # fmt: skip


def orders(ds: Any, ms: Any, expression: str) -> list[list[int]]:
    """Return the rows of three epochs."""

    def rows(size: int, **options: Any) -> Any:
        return ds.NumpySlicesDataset(list(range(size)), ["x"], **options)

    kind, arguments = expression.split("(", 1)
    seed, pipeline = arguments[:-1].split(", ", 1)
    (ds.config if kind == "seeded" else ms).set_seed(int(seed))
    iterator = eval(pipeline, {"ds": ds, "rows": rows}).create_dict_iterator(num_epochs=3, output_numpy=True)
    return [[int(row["x"]) for row in iterator] for _ in range(3)]
