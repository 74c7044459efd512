"""The cost of one eager operation on small tensors, beside torch's own: `python benchmarks/eager_ops.py`."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from harness import cpu_seconds, interleaved, table

import torchspore as ms
from torchspore import ops

LIMIT_US = 1.2

a, b = torch.randn(4, 4), torch.rand(4, 4) + 0.5
index = torch.tensor([0, 2, 1])
image, kernel = torch.randn(1, 2, 5, 5), torch.randn(3, 2, 3, 3)
A, B, INDEX, IMAGE, KERNEL = (ms.Tensor(t) for t in (a, b, index, image, kernel))

PAIRS = {
    "x + y": (lambda: A + B, lambda: a + b),
    "x * 2.5": (lambda: A * 2.5, lambda: a * 2.5),
    "1 - x": (lambda: 1 - A, lambda: 1 - a),
    "x / y": (lambda: A / B, lambda: a / b),
    "x > 0": (lambda: A > 0, lambda: a > 0),
    "add": (lambda: ops.add(A, B), lambda: torch.add(a, b)),
    "exp": (lambda: ops.exp(A), lambda: torch.exp(a)),
    "maximum": (lambda: ops.maximum(A, B), lambda: torch.maximum(a, b)),
    "matmul": (lambda: ops.matmul(A, B), lambda: torch.matmul(a, b)),
    "x.sum()": (lambda: A.sum(), lambda: a.sum()),
    "mean(x, 1)": (lambda: ops.mean(A, 1), lambda: torch.mean(a, 1)),
    "x.max()": (lambda: A.max(), lambda: a.max()),
    "reshape": (lambda: A.reshape(2, 8), lambda: a.reshape(2, 8)),
    "transpose": (lambda: A.transpose(1, 0), lambda: a.permute(1, 0)),
    "expand_dims": (lambda: ops.expand_dims(A, 0), lambda: a.unsqueeze(0)),
    "concat": (lambda: ops.concat((A, B)), lambda: torch.cat((a, b))),
    "cast": (lambda: A.astype(ms.float16), lambda: a.to(torch.float16)),
    "x[0]": (lambda: A[0], lambda: a[0]),
    "x[1:3]": (lambda: A[1:3], lambda: a[1:3]),
    "gather": (lambda: ops.gather(A, INDEX, 0), lambda: torch.index_select(a, 0, index)),
    "relu": (lambda: ops.relu(A), lambda: torch.relu(a)),
    "softmax": (lambda: ops.softmax(A), lambda: torch.softmax(a, -1)),
    "gelu": (lambda: ops.gelu(A), lambda: F.gelu(a)),
    "conv2d": (lambda: ops.conv2d(IMAGE, KERNEL), lambda: F.conv2d(image, kernel)),
    "zeros": (lambda: ops.zeros((4, 4), ms.float32), lambda: torch.zeros((4, 4), dtype=torch.float32)),
}


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    rows = []
    for name, (ours, theirs) in PAIRS.items():
        median = interleaved({"ours": cpu_seconds(ours), "torch": cpu_seconds(theirs)}, rounds=15, calls=4000)
        over = (median["ours"] - median["torch"]) * 1e6
        mark = "" if over <= LIMIT_US else f" (> {LIMIT_US})"
        rows.append([name, f"{median['torch'] * 1e6:.2f}", f"{median['ours'] * 1e6:.2f}", f"{over:.2f}{mark}"])
    print(table("One eager operation, µs of CPU time", ["operation", "torch", "torchspore", "over torch"], rows))


if __name__ == "__main__":
    main()
