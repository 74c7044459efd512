"""TFRecordDataset of small files, and `save`, by expressions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

# The records of the files.
RECORDS: dict[str, list[dict[str, Any]]] = {
    "a": [
        {
            "x": np.array([n]),
            "f": np.array([n + 0.5, 2], np.float32),
            "s": [b"name%d" % n],
            "m": [b"a", b"bcd"],
            "v": np.arange(n + 1) - 2,
            "e": np.array([], np.int64),
        }
        for n in range(4)
    ],
    **{f"m{k}": [{"x": np.array([10 * k + n])} for n in range(count)] for k, count in enumerate((3, 4, 2))},
}

_M = "[path('m2'), path('m0'), path('m1')]"

# Schemas as JSON: how a `Schema` reads them, and how the source itself reads a file
_DESCRIBED = [
    f", {form}({columns})"
    for form in ("parsed", "file")
    for columns in (
        "x={'type': 'int64', 'rank': 1, 't_impl': 'flex', 'shape': [1]}",
        "x={'type': 'int64', 'rank': 1}",
        "x={'type': 'int64', 'rank': 0}",
        "f={'type': 'float32', 'rank': 2, 'shape': [2, 1]}",
        "s={'type': 'string', 'rank': 1}",
        "m={'type': 'string', 'rank': 1}",
    )
] + [", parsed(x={'type': 'int64', 'name': 'y', 'dim': 3})"]

CASES = [
    *[
        f"read(path('a'){options}, shuffle=False)"
        for options in (
            "", ", columns_list=['s', 'x']", ", schema(x=(ms.int64, [1]), f=(ms.float32, [2]), s=(ms.uint8, None))",
            ", schema(x=(ms.int32, None), f=(ms.float64, None), v=(ms.int8, [-1]))",
            ", schema(s=(ms.string, []), m=(ms.string, [2]))", ", schema(f=(ms.float32, [2, 1]), x=(ms.int64, []))",
            ", schema(f=(ms.int64, None))", ", schema(x=(ms.int64, None), s=(ms.string, [1])), ['s']",
            ", schema(f=(ms.float32, [3]))", ", schema(g=(ms.int64, None))", ", columns_list=['nope']",
            ", compression_type='BZ'", *_DESCRIBED, ", num_samples=2", ", num_shards=2, shard_id=1",
        )
    ],
    *[
        f"read({_M}, shuffle=False, num_parallel_workers=1{options})"
        for options in (
            "", ", num_samples=1", ", num_samples=4", ", num_samples=0", ", num_shards=2, shard_id=0",
            ", num_shards=2, shard_id=1", ", num_shards=2, shard_id=0, shard_equal_rows=True",
            ", num_shards=2, shard_id=1, shard_equal_rows=True", ", num_shards=2, shard_id=1, num_samples=3",
            ", num_shards=4, shard_id=3",
        )
    ],
    "read(path('m1.gz'), compression_type='GZIP', shuffle=False)",
    "read(path('m1.zlib'), compression_type='ZLIB', shuffle=False)",
    "read(path('m1'), compression_type='GZIP', shuffle=False)",
    "read(path('m1.gz'), shuffle=False)",
    "read(path('none'), shuffle=False)",
    *[
        f"saved(rows({values}))"
        for values in (
            *[f"np.arange(3, dtype=np.{kind})" for kind in
              ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
               "float64")],
            "np.array([True, False])", "np.array(['a', 'bc'])", "np.array([b'a', b'bc'])",
            "np.ones((2, 4, 3), np.uint8)",
            "np.ones((2, 4), np.float16)", "np.array([['a', 'b']])",
        )
    ],
    "saved(rows(np.arange(5)).batch(2))",
]  # fmt: skip


def outcome(ms: Any, ds: Any, expression: str, folder: str) -> Any:
    """Return the rows with their types and shapes, or the type of the error."""

    def schema(**columns: Any) -> Any:
        result = ds.Schema()
        for name, (kind, shape) in columns.items():
            result.add_column(name, kind, **({} if shape is None else {"shape": shape}))
        return result

    def parsed(**columns: Any) -> Any:
        result = ds.Schema()
        result.from_json({"datasetType": "TF", "columns": columns})
        return result

    def file(**columns: Any) -> str:
        path = f"{folder}/schema{CASES.index(expression)}.json"
        with open(path, "w") as opened:
            json.dump({"columns": columns}, opened)
        return path

    def rows(values: Any) -> Any:
        return ds.NumpySlicesDataset({"x": values}, shuffle=False)

    def described(data: Any) -> Any:
        found = data.create_dict_iterator(num_epochs=1, output_numpy=True)
        return [
            {name: [str(value.dtype), list(value.shape), plain(value)] for name, value in row.items()} for row in found
        ]

    def saved(data: Any) -> Any:
        path = f"{folder}/saved{CASES.index(expression)}"
        data.save(path)
        return described(ds.MindDataset(path, shuffle=False))

    def read(*arguments: Any, **options: Any) -> Any:
        return described(ds.TFRecordDataset(*arguments, **options))

    scope = {"ms": ms, "ds": ds, "np": np, "schema": schema, "rows": rows, "saved": saved, "read": read}
    scope |= {"parsed": parsed, "file": file, "path": lambda name: f"{folder}/{name}"}
    try:
        return eval(expression, scope)
    except Exception as error:
        return type(error).__name__


def plain(value: Any) -> Any:
    """Return the values of an array as JSON."""
    return [each.decode() if isinstance(each, bytes) else each for each in value.reshape(-1).tolist()]
