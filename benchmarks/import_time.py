"""Compare the import time with torch's: `python benchmarks/import_time.py`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from harness import table

ROUNDS = 7


def seconds(statement: str) -> float:
    """Return the seconds that a fresh Python needs for one statement."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    times: dict[str, list[float]] = {"import torch": [], "import torchspore": []}
    for _ in range(ROUNDS):
        for statement, found in times.items():
            found.append(seconds(statement))
    medians = {statement: statistics.median(found) for statement, found in times.items()}
    extra = medians["import torchspore"] - medians["import torch"]
    rows = [[statement, f"{median:.2f}"] for statement, median in medians.items()] + [["difference", f"{extra:+.2f}"]]
    print(table("Import time, seconds, median of interleaved runs", ["", "s"], rows))


if __name__ == "__main__":
    main()
