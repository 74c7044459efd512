"""Common operations compared with torch's, at small and large sizes: `python benchmarks/ops.py [row words]`.

Small sizes show the overhead of a call, large sizes reveal additional copies and casts. Both sides get the same
tensors, and their results are compared before timing.

Known operations above the limits: `sort` and `topk` return int32 indices, as MindSpore's do, and the cast of torch's
int64 ones is two thirds of what they cost more. `one_hot` gives rows of zeros for indices that are out of range, where
torch's looks at all indices first and raises. At large size a call finds the caches full of numbers: the code around it
has to be fetched again, and a wrapper takes 4 instead of 1 µs, 2 to 3 % of a sum of a million numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from harness import cpu_seconds, interleaved, table

import torchspore as ms
from torchspore import ops

EXTRA_US, RATIO = 1.2, 1.02  # the limits: the overhead of a call at small size, and the ratio to torch at large size
PASSES = 5  # a row over a limit is measured again in the next pass, as the machine may have been busy
TURN, BUDGET = 1e-3, 0.4  # CPU seconds: minimum of a round, and total of a side at a size


class Inputs(NamedTuple):
    """A function that makes the inputs of an operation: torch tensors, and other values for both sides."""

    small: Callable[[], tuple[Any, ...]]
    large: Callable[[], tuple[Any, ...]]


class Row(NamedTuple):
    """One operation: a function over our tensors, the same one over torch's, and their inputs."""

    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    inputs: Inputs


def alike(expression: Callable[..., Any], inputs: Inputs) -> Row:
    """Return the row of an expression that is the same on both sides."""
    return Row(expression, expression, inputs)


def floats(*shape: int) -> torch.Tensor:
    """Return a tensor of numbers in [0.5, 1.5)."""
    return torch.rand(shape) + 0.5


def indices(high: int, *shape: int) -> torch.Tensor:
    """Return a tensor of ints in [0, high)."""
    return torch.randint(high, shape)


def sized(make: Callable[..., tuple[Any, ...]], small: Any, large: Any) -> Inputs:
    """Return the inputs that `make` makes of two sizes."""
    return Inputs(partial(make, small), partial(make, large))


X = sized(lambda n: (floats(n, n),), 2, 1000)
XY = sized(lambda n: (floats(n, n), floats(n, n)), 2, 1000)
MASK_XY = sized(lambda n: (floats(n, n) > 1, floats(n, n), floats(n, n)), 2, 1000)
X_PLACES = sized(lambda n: (floats(n, n), indices(n, n, n)), 2, 1000)
X_CLASSES = sized(lambda n: (floats(n, n), indices(n, n)), 2, 1000)
X_SCALE_SHIFT = sized(lambda n: (floats(n, n), floats(n), floats(n)), 2, 1000)
MATRICES = sized(lambda n: (floats(n, n), floats(n, n)), 2, 512)
LAYER = sized(lambda n: (floats(n, n), floats(n, n), floats(n)), 2, 512)
BATCHES = sized(lambda n: (floats(8, n, n), floats(8, n, n)), 2, 256)
TABLE_ROWS = sized(lambda n: (floats(n, 100), indices(n, n)), 4, 10000)
CLASSES = sized(lambda n: (indices(10, n),), 4, 100000)
SHAPE = sized(lambda n: ((n, n),), 2, 1000)
TALL = sized(lambda n: (floats(2, n),), 2, 500000)
IMAGES = sized(lambda shape: (floats(*shape),), (1, 1, 4, 4), (8, 64, 56, 56))
FILTERED = sized(lambda shape: (floats(*shape), floats(shape[1], shape[1], 3, 3)), (1, 1, 4, 4), (8, 64, 56, 56))
NORMALIZED = sized(lambda shape: (floats(*shape), *[floats(shape[1]) for _ in range(4)]), (1, 1, 4, 4), (8, 64, 56, 56))


def write(x: Any) -> Any:
    """Write into the first row."""
    x[0] = 1.0
    return x


ROWS = {
    "add": Row(ops.add, torch.add, XY),
    "x + y": alike(lambda x, y: x + y, XY),
    "1 - x": alike(lambda x: 1 - x, X),
    "sub": Row(ops.sub, torch.sub, XY),
    "mul": Row(ops.mul, torch.mul, XY),
    "x * 2.5": alike(lambda x: x * 2.5, X),
    "div": Row(ops.div, torch.div, XY),
    "x / y": alike(lambda x, y: x / y, XY),
    "pow": Row(ops.pow, torch.pow, XY),
    "x ** 2": alike(lambda x: x**2, X),
    "maximum": Row(ops.maximum, torch.maximum, XY),
    "neg": Row(ops.neg, torch.neg, X),
    "x.abs()": alike(lambda x: x.abs(), X),
    "exp": Row(ops.exp, torch.exp, X),
    "log": Row(ops.log, torch.log, X),
    "sqrt": Row(ops.sqrt, torch.sqrt, X),
    "tanh": Row(ops.tanh, torch.tanh, X),
    "sigmoid": Row(ops.sigmoid, torch.sigmoid, X),
    "relu": Row(ops.relu, torch.relu, X),
    "gelu": Row(ops.gelu, F.gelu, X),
    "softmax": Row(ops.softmax, lambda x: torch.softmax(x, -1), X),
    "log_softmax": Row(ops.log_softmax, lambda x: torch.log_softmax(x, -1), X),
    "clamp": Row(lambda x: ops.clamp(x, 0.6, 1.0), lambda x: torch.clamp(x, 0.6, 1.0), X),
    "x > y": alike(lambda x, y: x > y, XY),
    "equal": Row(ops.equal, torch.eq, XY),
    "where": Row(ops.where, torch.where, MASK_XY),
    "select": Row(ops.select, torch.where, MASK_XY),
    "cast": Row(lambda x: ops.cast(x, ms.float16), lambda x: x.to(torch.float16), X),
    "x.astype": Row(lambda x: x.astype(ms.int32), lambda x: x.to(torch.int32), X),
    "zeros": Row(lambda n: ops.zeros(n, ms.float32), lambda n: torch.zeros(n, dtype=torch.float32), SHAPE),
    "zeros_like": Row(ops.zeros_like, torch.zeros_like, X),
    "dropout": Row(lambda x: ops.dropout(x, 1e-9), lambda x: F.dropout(x, 1e-9), X),
    "matmul": Row(ops.matmul, torch.matmul, MATRICES),
    "x @ y": alike(lambda x, y: x @ y, MATRICES),
    "bmm": Row(ops.bmm, torch.bmm, BATCHES),
    "dense": Row(ops.dense, F.linear, LAYER),
    "einsum": Row(partial(ops.einsum, "ij,kj->ik"), partial(torch.einsum, "ij,kj->ik"), MATRICES),
    "conv2d": Row(ops.conv2d, F.conv2d, FILTERED),
    "conv2d, padded": Row(
        lambda x, w: ops.conv2d(x, w, None, 2, "pad", 1), lambda x, w: F.conv2d(x, w, None, 2, 1), FILTERED
    ),
    "conv2d, same": Row(
        lambda x, w: ops.conv2d(x, w, pad_mode="same"), lambda x, w: F.conv2d(x, w, padding=1), FILTERED
    ),
    "max_pool2d": Row(lambda x: ops.max_pool2d(x, 2), lambda x: F.max_pool2d(x, 2), IMAGES),
    "avg_pool2d": Row(lambda x: ops.avg_pool2d(x, 2, 2), lambda x: F.avg_pool2d(x, 2, 2), IMAGES),
    "layer_norm": Row(
        lambda x, w, b: ops.layer_norm(x, x.shape[1:], w, b), lambda x, w, b: F.layer_norm(x, x.shape[1:], w, b),
        X_SCALE_SHIFT,
    ),
    "batch_norm": Row(ops.batch_norm, F.batch_norm, NORMALIZED),
    "batch_norm, training": Row(
        lambda *inputs: ops.batch_norm(*inputs, True), lambda *inputs: F.batch_norm(*inputs, True), NORMALIZED
    ),
    "cross_entropy": Row(ops.cross_entropy, F.cross_entropy, X_CLASSES),
    "sum": Row(ops.sum, torch.sum, X),
    "x.sum(1)": alike(lambda x: x.sum(1), X),
    "mean": Row(lambda x: ops.mean(x, 1), lambda x: torch.mean(x, 1), X),
    "x.mean()": alike(lambda x: x.mean(), X),
    "x.max()": alike(lambda x: x.max(), X),
    "max": Row(lambda x: ops.max(x, 1), lambda x: torch.max(x, 1), X),
    "argmax": Row(lambda x: ops.argmax(x, 1), lambda x: torch.argmax(x, 1), X),
    "topk": Row(lambda x: ops.topk(x, 2), lambda x: torch.topk(x, 2), X),
    "sort": Row(ops.sort, lambda x: torch.sort(x, stable=True), X),
    "cumsum": Row(lambda x: ops.cumsum(x, 1), lambda x: torch.cumsum(x, 1), X),
    "reshape": Row(lambda x: ops.reshape(x, (-1,)), lambda x: torch.reshape(x, (-1,)), X),
    "x.reshape": alike(lambda x: x.reshape(1, -1), X),
    "x.view": alike(lambda x: x.view(1, -1), X),
    "transpose": Row(lambda x: ops.transpose(x, (1, 0)), lambda x: torch.permute(x, (1, 0)), X),
    "x.transpose": alike(lambda x: x.transpose(1, 0), X),
    "x.T": alike(lambda x: x.T, X),
    "expand_dims": Row(lambda x: ops.expand_dims(x, 0), lambda x: torch.unsqueeze(x, 0), X),
    "squeeze": Row(ops.squeeze, torch.squeeze, X),
    "flatten": Row(ops.flatten, lambda x: torch.flatten(x, 1), IMAGES),
    "broadcast_to": Row(
        lambda x: ops.broadcast_to(x, (3, -1, -1)), lambda x: torch.broadcast_to(x, (3, -1, -1)), X
    ),
    "tile": Row(lambda x: ops.tile(x, (2, 2)), lambda x: torch.tile(x, (2, 2)), X),
    "concat": Row(lambda x, y: ops.concat((x, y)), lambda x, y: torch.cat((x, y)), XY),
    "stack": Row(lambda x, y: ops.stack((x, y)), lambda x, y: torch.stack((x, y)), XY),
    "split": Row(lambda x: ops.split(x, 1), lambda x: torch.split(x, 1), TALL),
    "chunk": Row(lambda x: ops.chunk(x, 2), lambda x: torch.chunk(x, 2), TALL),
    "gather": Row(lambda x, i: ops.gather(x, i, 0), lambda x, i: torch.index_select(x, 0, i), TABLE_ROWS),
    "gather_elements": Row(
        lambda x, i: ops.gather_elements(x, 1, i), lambda x, i: torch.gather(x, 1, i), X_PLACES
    ),
    "index_select": Row(lambda x, i: ops.index_select(x, 0, i), lambda x, i: torch.index_select(x, 0, i), TABLE_ROWS),
    "embedding": Row(lambda x, i: ops.embedding(i, x), lambda x, i: F.embedding(i, x), TABLE_ROWS),
    "one_hot": Row(lambda i: ops.one_hot(i, 10, 1.0, 0.0), lambda i: F.one_hot(i, 10).float(), CLASSES),
    "x[0]": alike(lambda x: x[0], X),
    "x[1:3]": alike(lambda x: x[1:3], X),
    "x[..., 0]": alike(lambda x: x[..., 0], X),
    "x[i]": alike(lambda x, i: x[i], TABLE_ROWS),
    "x[mask]": alike(lambda mask, x, y: x[mask], MASK_XY),
    "x[0] = 1": alike(write, X),
}  # fmt: skip


def parts(result: Any) -> list[torch.Tensor]:
    """Return the tensors of a result as torch's."""
    results = result if isinstance(result, (tuple, list)) else [result]
    return [getattr(one, "torch", one) for one in results]


def medians(row: Row, make: Callable[[], tuple[Any, ...]]) -> dict[str, float]:
    """Return the seconds of a call on each side."""
    given = make()
    runs = {
        "torch": partial(row.theirs, *given),
        "torchspore": partial(row.ours, *[ms.Tensor(x) if isinstance(x, torch.Tensor) else x for x in given]),
    }
    torch.testing.assert_close(parts(runs["torchspore"]()), parts(runs["torch"]()), check_dtype=False)
    contestants = {side: cpu_seconds(run) for side, run in runs.items()}
    first = contestants["torch"](3) / 3
    calls = max(1, round(TURN / first))
    return interleaved(contestants, rounds=max(5, round(BUDGET / (first * calls))), calls=calls, budget=BUDGET)


def extra(seconds: dict[str, float]) -> float:
    """Return our additional microseconds."""
    return (seconds["torchspore"] - seconds["torch"]) * 1e6


def ratio(seconds: dict[str, float]) -> float:
    """Return our time divided by torch's; 1 for views, where it is meaningless."""
    return seconds["torchspore"] / seconds["torch"] if seconds["torch"] * (RATIO - 1) * 1e6 > EXTRA_US else 1.0


def measured(
    rows: dict[str, Row], size: str, figure: Callable[[dict[str, float]], float], limit: float
) -> dict[str, dict[str, float]]:
    """Return the medians of every row at one size: of the first pass in which it is within the limit, or the best."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(PASSES):
        for name, row in rows.items():
            if name not in best or figure(best[name]) > limit:
                seconds = medians(row, getattr(row.inputs, size))
                best[name] = min(seconds, best.get(name, seconds), key=figure)
                print(f"{name}, {size}: {figure(seconds):.3f}", file=sys.stderr)
    return best


def main() -> None:
    """Print the table, and which rows are over the limits."""
    torch.set_num_threads(1)
    words = sys.argv[1:]
    rows = {name: row for name, row in ROWS.items() if not words or any(word in name for word in words)}
    small = measured(rows, "small", extra, EXTRA_US)
    large = measured(rows, "large", ratio, RATIO)
    lines = []
    for name in rows:
        few, many = small[name], large[name]
        times = [few["torch"] * 1e6, few["torchspore"] * 1e6, extra(few)]
        share = f"{ratio(many):.3f}" if ratio(many) != 1 else "-"
        lines.append([name, *[f"{time:.2f}" for time in times], f"{many['torch'] * 1e6:.0f}", share])
    header = ["operation", "torch", "torchspore", "over torch", "large: torch", "large: torchspore / torch"]
    print(table("One operation, µs of CPU time", header, lines))
    slow = [name for name in rows if extra(small[name]) > EXTRA_US]
    print(f"{len(rows)} rows. More than {EXTRA_US} µs over torch: {', '.join(slow) or 'none'}.")
    slow = [name for name in rows if ratio(large[name]) > RATIO]
    print(f"More than {RATIO - 1:.0%} over torch at large size: {', '.join(slow) or 'none'}.")


if __name__ == "__main__":
    main()
