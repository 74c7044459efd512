"""Compare PYNATIVE training steps with torch eager: `python benchmarks/training_step.py [row words]`.

Both sides run the same model, the same loss and the same optimizer from the same weights; the first losses are compared
before anything is timed.
"""

from __future__ import annotations

import sys

import models_torch
import models_torchspore
import numpy as np
import torch
from harness import cpu_seconds, interleaved, table
from rows import selected


def main() -> None:
    """Print the table."""
    table_rows = []
    for name, row in selected(sys.argv[1:]).items():
        torch.set_num_threads(row.threads)
        task = (row.model, row.optimizer, models_torch.initial_weights(row.model), *row.batch())
        steps = {"torch": models_torch.make_step(*task), "torchspore": models_torchspore.make_step(*task)}
        results = {side: [np.asarray(step()) for _ in range(3)] for side, step in steps.items()}
        np.testing.assert_allclose(results["torchspore"], results["torch"], rtol=2e-3, atol=1e-4)
        contestants = {side: cpu_seconds(step) for side, step in steps.items()}
        median = interleaved(contestants, rounds=row.rounds, calls=row.calls)
        ratio = median["torchspore"] / median["torch"]
        mark = "" if ratio <= row.limit else f" (> {row.limit})"
        figures = [f"{median[side] * 1e3:.3f}" for side in steps]
        table_rows.append([name, *figures, f"{ratio:.2f}{mark}"])
        print(table_rows[-1], file=sys.stderr)
    title = "One step in PYNATIVE mode, ms of CPU time"
    print(table(title, ["step", "torch eager", "torchspore", "ratio"], table_rows))


if __name__ == "__main__":
    main()
