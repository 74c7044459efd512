"""Rows of MindRecord files, and the orders in which MindDataset yields them."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

FIELDS: dict[str, Any] = {
    "i": {"type": "int32"}, "l": {"type": "int64"}, "f": {"type": "float32"}, "d": {"type": "float64"},
    "s": {"type": "string"}, "b": {"type": "bytes"}, "ai": {"type": "int32", "shape": [-1]},
    "al": {"type": "int64", "shape": [2, 2]}, "af": {"type": "float32", "shape": [3]},
    "ad": {"type": "float64", "shape": [-1, 2]}, "e": {"type": "bytes"},
}  # fmt: skip

_INTS = (0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769, 65536, 2**31 - 1, -(2**31))
_LONGS = (*_INTS, 2**31, 2**40, -(2**40), 2**63 - 1, -(2**63))


def typed_row(n: int) -> dict[str, Any]:
    """Return a row with all types of fields."""
    return {
        "i": _INTS[n % len(_INTS)],
        "l": _LONGS[n % len(_LONGS)],
        "f": n / 2 + 0.1,
        "d": 1 / (n + 3),
        "s": "" if n == 0 else f"näme {n}" * n,
        "b": b"\x00\xff" * n,
        "ai": np.array((_INTS * 2)[n : n + 1 + n % 7], np.int32),
        "al": np.array(_LONGS[n % 9 : n % 9 + 4], np.int64).reshape(2, 2),
        "af": np.array([n, -n, 0.5], np.float32),
        "ad": np.arange(2 * (n % 3 + 1), dtype=np.float64).reshape(-1, 2) - n,
        "e": b"xyz",
    }


def numbered_row(n: int) -> dict[str, Any]:
    """Return a row with a number, a class and bytes."""
    return {"x": n, "label": n % 3, "b": b"b%d" % n}


NUMBERED = {"x": {"type": "int32"}, "label": {"type": "int64"}, "b": {"type": "bytes"}}
SIZES = (2**14, 2**15)  # of the header and of a page

# The files by name: the fields, the index (None: the default), the number of shards, and lists of rows, each for one
# call of `write_raw_data`.
FILES: dict[str, tuple[dict[str, Any], list[str] | None, int, list[list[dict[str, Any]]]]] = {
    "types": (FIELDS, ["s", "i"], 1, [[typed_row(n) for n in range(40)]]),
    "numbers": (NUMBERED, None, 1, [[numbered_row(n) for n in range(6)], [numbered_row(n) for n in range(6, 10)]]),
    "shards": (NUMBERED, None, 4, [[numbered_row(n) for n in range(10)]]),
    "others": (NUMBERED, None, 1, [[numbered_row(n) for n in range(20, 27)]]),
    "bytes": ({"data": {"type": "bytes"}}, None, 1, [[{"data": bytes([n]) * 9000 * n} for n in range(1, 4)] * 2]),
    "texts": ({"t": {"type": "string"}}, None, 1, [[{"t": f"{n}" * 4000} for n in range(10, 16)]] * 2),
    "floats": (
        {"f": {"type": "float32"}, "d": {"type": "float64"}}, None, 1,
        [[{"f": v, "d": v} for v in (0.0, -0.0, 1.5, 0.1, 1e10 + 0.5, -2.5e-7)]],
    ),
}  # fmt: skip

_ALL = 'path("shards0")'
_LISTED = '[path("others"), path("numbers"), path("shards0"), path("shards2")]'

ORDERS = [
    f"seeded({seed}, {files}{options})"
    for seed, files in ((1, 'path("numbers")'), (7, _ALL), (3, _LISTED))
    for options in ("", ", shuffle=False", ", shuffle=True", ", shuffle=ds.Shuffle.FILES",
                    ", shuffle=ds.Shuffle.INFILE",
                    ", num_samples=4", ", num_samples=25", ", num_samples=4, shuffle=False")
] + [
    f"seeded(3, {files}, num_shards={count}, shard_id={shard}{options})"
    for files, count, shard in ((_ALL, 2, 0), (_ALL, 3, 2), (_LISTED, 2, 1))
    for options in ("", ", shuffle=False", ", shuffle=ds.Shuffle.FILES", ", shuffle=ds.Shuffle.INFILE",
                    ", num_samples=2, shuffle=False", ", num_samples=3")
] + [
    f"seeded(5, {_ALL}, sampler={sampler})"
    for sampler in (
        "ds.SequentialSampler(2, 4)", "ds.RandomSampler()", "ds.RandomSampler(False, 5)", "ds.RandomSampler(True, 5)",
        "ds.RandomSampler(True)", "ds.SubsetSampler([7, 0, 3, 3])", "ds.SubsetRandomSampler([1, 2, 3, 4, 5])",
        "ds.DistributedSampler(3, 1, False)", "ds.DistributedSampler(3, 1)", "ds.DistributedSampler(3, 1, False, 2)",
        *[f"ds.RandomSampler(shuffle=ds.Shuffle.{kind})" for kind in ("GLOBAL", "FILES", "INFILE")],
        *[f"ds.DistributedSampler(2, 1, ds.Shuffle.{kind})" for kind in ("FALSE", "GLOBAL", "FILES", "INFILE")],
    )
] + [
    f"seeded(6, {_ALL}, ['x', 'label'], padded_sample={{'x': -1, 'label': 0}}, num_padded={count}{options})"
    for count, options in ((2, ""), (2, ", shuffle=False"), (5, ", shuffle=False"), (0, ""),
                           (2, ", num_shards=4, shard_id=3"), (2, ", num_shards=4, shard_id=2, shuffle=False"))
] + [f"seeded(4, {_ALL}).repeat(2)", f"seeded(4, {_ALL}).batch(4)"]  # fmt: skip


def orders(ds: Any, expression: str, folder: str) -> tuple[int, list[list[int]]]:
    """Return the number of rows, and the numbers in the rows of three epochs."""

    def seeded(seed: int, files: Any, *columns: Any, **options: Any) -> Any:
        ds.config.set_seed(seed)
        return ds.MindDataset(files, *columns, **options)

    data = eval(expression, {"ds": ds, "seeded": seeded, "path": lambda name: f"{folder}/{name}"})
    iterator = data.create_dict_iterator(num_epochs=3, output_numpy=True)
    rows = [[np.ravel(row["x"]).tolist() for row in iterator] for _ in range(3)]
    return data.get_dataset_size(), [[int(x) for xs in epoch for x in xs] for epoch in rows]


def plain(value: Any) -> Any:
    """Return a value of a row as JSON, with its type; of a long one its digest."""
    if isinstance(value, (str, bytes)) and len(value) > 500:
        return hashlib.md5(value if isinstance(value, bytes) else value.encode()).hexdigest()
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), [plain(each) for each in value.reshape(-1).tolist()]]
    if isinstance(value, bytes):
        return ["bytes", value.hex()]
    return float(value) if isinstance(value, float) and value == value else value


def write(mindrecord: Any, folder: str, name: str) -> None:
    """Write one of the files."""
    fields, index, shards, batches = FILES[name]
    writer = mindrecord.FileWriter(f"{folder}/{name}", shards)
    writer.add_schema(fields, name)
    if index:
        writer.add_index(index)
    writer.set_header_size(SIZES[0])
    writer.set_page_size(SIZES[1])
    for rows in batches:
        writer.write_raw_data(rows)
    writer.commit()
