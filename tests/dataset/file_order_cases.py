"""Sources of several files whose order of rows depends on the seed, the shards and the number of workers."""

from __future__ import annotations

import itertools
import json
import pathlib
from typing import Any

LENGTHS = (1, 2, 3, 1, 2, 3)  # rows of the files; a row is the number of its file, and its own
_SHARDS = ("", ", num_shards=2, shard_id=0", ", num_shards=2, shard_id=1", ", num_shards=4, shard_id=3")
_SHUFFLES = ("False", "True", "FILES")

CASES = [
    *[
        f"{kind}(shuffle={shuffle}, num_parallel_workers={workers}{options})"
        for kind, workers, shuffle, options in itertools.product(
            ("text", "records"), (1, 2), _SHUFFLES,
            (*_SHARDS, ", num_samples=7", ", num_samples=4, num_shards=2, shard_id=1"),
        )
    ],
    *[
        f"records(shuffle={shuffle}, num_parallel_workers={workers}{options}, shard_equal_rows=True)"
        for workers, shuffle, options in itertools.product(
            (1, 2), _SHUFFLES, (*_SHARDS[1:], ", num_samples=4, num_shards=2, shard_id=1")
        )
    ],
    *[
        f"{kind}(shuffle={shuffle}, num_parallel_workers=2{options})"
        for kind, shuffle, options in itertools.product(("csv", "clue"), ("True", "FILES"), _SHARDS[:3])
    ],
    "text(shuffle=True, num_parallel_workers=1).repeat(2)", "text(shuffle=FILES, num_parallel_workers=1).repeat(2)",
    "text(shuffle=True, num_parallel_workers=1).shuffle(3)", "records(shuffle=None, num_parallel_workers=2)",
    "records(shuffle=True, num_parallel_workers=1, num_shards=2, shard_id=1).repeat(3)",
]  # fmt: skip


def write_texts(folder: pathlib.Path) -> None:
    """Write the files, except for TFRecords."""
    for number, length in enumerate(LENGTHS):
        rows = [f"{number}{row}" for row in range(length)]
        (folder / f"{number}.txt").write_text("".join(f"{row}\n" for row in rows))
        (folder / f"{number}.csv").write_text("".join(f"{row}\n" for row in ["x", *rows]))
        objects = [json.dumps({"sentence1": row, "sentence2": "", "label": "0"}) for row in rows]
        (folder / f"{number}.json").write_text("\n".join(objects))


def orders(ds: Any, expression: str, folder: pathlib.Path, stop: tuple[int, int] | None = None) -> list[list[int]]:
    """Return the rows of three epochs, of two iterators if `stop` says in which epoch and row the second goes on."""

    def source(kind: Any, ending: str, column: str, *arguments: Any) -> Any:
        files = [str(folder / f"{number}.{ending}") for number in range(len(LENGTHS))]
        return lambda **options: kind(files, *arguments, **options).project([column])

    sources = {
        "text": source(ds.TextFileDataset, "txt", "text"),
        "csv": source(ds.CSVDataset, "csv", "x"),
        "clue": source(ds.CLUEDataset, "json", "sentence1"),
        "records": source(ds.TFRecordDataset, "tfrecord", "x"),
    }
    ds.config.set_seed(3)

    def iterate() -> Any:
        data = eval(expression, {**sources, "FILES": ds.Shuffle.FILES})
        return data.create_tuple_iterator(num_epochs=3, output_numpy=True)

    def values(rows: Any) -> list[int]:
        return [int(row[0].item()) for row in rows]

    iterator = iterate()
    if stop is None:
        return [values(iterator) for _ in range(3)]
    epochs = [values(iterator) for _ in range(stop[0])]
    epochs.append(values(itertools.islice(iterator, stop[1])))
    again = iterate()
    again.load_state_dict(iterator.state_dict())
    epochs[-1] += values(again)
    return epochs + [values(again) for _ in range(2 - stop[0])]
