"""Networks that are cut in one way and then in another: what `tests/data/record_sharded_checkpoints.py` has recorded.

A layout is a tuple: device matrix, tensor map, and the number and step of the devices that share the optimizer's state.
A side is a list of stages, each with the layouts of its parameters; None stands for one whole file.
"""

from __future__ import annotations

import numpy as np

SHAPES = [
    ("w", (8, 6), np.float32), ("v", (4, 8), np.float16), ("b", (8,), np.int32),
    ("embedding", (8, 2), np.float32), ("k", (4, 2, 6), np.float32), ("step", (1,), np.int32),
]  # fmt: skip
FULL = {
    name: np.arange(np.prod(shape), dtype=dtype).reshape(shape) + offset
    for offset, (name, shape, dtype) in enumerate(SHAPES)
}

WHOLE = ((4,), (-1, -1))
ROWS, COLUMNS = ((4,), (0, -1)), ((2, 2), (-1, 0))
GRID, TURNED = ((2, 2), (1, 0)), ((2, 2), (0, 1))
PIPELINE = [
    {"w": ((2,), (0, -1)), "embedding": ((2,), (-1, -1))},
    {"v": ((2,), (-1, 0)), "b": ((2,), (0,)), "embedding": ((2,), (0, -1))},
]

# name: (the parameters in the files, the old cuts, the new cuts)
CASES = {
    "rows to columns": ("w", [{"w": ROWS}], [{"w": COLUMNS}]),
    "grid to turned grid": ("w v", [{"w": GRID, "v": GRID}], [{"w": TURNED, "v": TURNED}]),
    "grid to one": ("w v b", [{"w": GRID, "v": TURNED, "b": ((2, 2), (0,))}], None),
    "one to grid": ("w b", None, [{"w": GRID, "b": ((2, 2), (1,))}]),
    "copies to grid": ("w", [{"w": WHOLE}], [{"w": GRID}]),
    "grid to copies": ("w", [{"w": GRID}], [{"w": WHOLE}]),
    "two to eight": ("w", [{"w": ((2,), (0, -1))}], [{"w": ((4, 2), (1, 0))}]),
    "eight to two": ("w", [{"w": ((4, 2), (1, 0))}], [{"w": ((2,), (-1, 0))}]),
    "three axes": ("k", [{"k": ((2, 2, 2), (2, 1, 0))}], [{"k": ((2, 2, 2), (0, -1, 1))}]),
    "pipeline to one": ("w v b embedding", PIPELINE, None),
    "pipeline to grid": ("w v b embedding", PIPELINE, [{"w": GRID, "v": GRID, "b": ((2, 2), (0,)),
                                                         "embedding": COLUMNS}]),
    "grid to pipeline": ("w v b embedding", [{"w": GRID, "v": GRID, "b": ((2, 2), (0,)), "embedding": COLUMNS}],
                         PIPELINE),
    "one to pipeline": ("w v b embedding", None, PIPELINE),
    "shards of optimizers to one": ("w b", [{"w": ((4,), (-1, -1), 4, 1), "b": ((4,), (-1,), 2, 1)}], None),
    "shards of optimizers in a grid": ("w", [{"w": ((2, 2), (0, -1), 2, 2)}], [{"w": COLUMNS}]),
    "all share the optimizer": ("w", None, [{"w": ((4,), (-1, -1), -1, 1)}]),
    "no layout": ("w step", [{"w": GRID}], [{"w": ROWS}]),
    "a layout of an absent parameter": ("w", [{"w": GRID, "v": GRID}], [{"w": ROWS, "v": ROWS}]),
    "no strategy": ("w", None, None),
    "sizes that cannot be cut": ("w", [{"w": ROWS}], [{"w": ((4,), (-1, 0))}]),
    "other dimensions": ("w", [{"w": ((2,), (0, -1))}], [{"w": ((2,), (0, -1, -1))}]),
}  # fmt: skip


def part_of(value, layout, rank):
    """Return a device's part of a whole value."""
    matrix, axes, shards, step = (*layout, 0, 0)[:4]
    whole = value.size
    coordinates = np.unravel_index(rank, matrix)
    for dimension, axis in enumerate(axes):
        if axis != -1:
            value = np.split(value, matrix[-1 - axis], dimension)[coordinates[-1 - axis]]
    if shards == -1:
        shards = int(np.prod(matrix)) * value.size // whole
    return np.split(value, shards, 0)[rank // step % shards] if shards > 1 else value


def files_of(names, stages):
    """Return the values in the file of each rank."""
    if stages is None:
        return [{name: FULL[name] for name in names}]
    located = {name for stage in stages for name in stage}
    files = []
    for stage in stages:
        size = int(np.prod(next(iter(stage.values()))[0]))
        for rank in range(size):
            here = [name for name in names if name in stage or name not in located]
            files.append({n: part_of(FULL[n], stage[n], rank) if n in stage else FULL[n] for n in here})
    return files
