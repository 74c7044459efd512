"""Compare the import with torch's, in one fresh process each: `python benchmarks/import_time.py [--limit RATIO]`.

With a limit, the status is 1 if the package takes longer than that part of torch's time.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys

from harness import table

ROUNDS = 5
PROGRAM = """
import time
start = time.process_time()
import torch
middle = time.process_time()
import torchspore
print(middle - start, time.process_time() - middle)
"""


def seconds() -> tuple[float, float]:
    """Return the CPU seconds of torch's import, and of the package's after it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    ended = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True)
    output = ended.stdout
    torch, ours = map(float, output.split())
    return torch, ours


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, help="the largest ratio")
    limit = parser.parse_args().limit
    seconds()  # the first import compiles the modules
    torch, ours = (statistics.median(times) for times in zip(*[seconds() for _ in range(ROUNDS)]))
    rows = [["import torch", f"{torch:.2f}", ""], ["import torchspore, after it", f"{ours:.2f}", f"{ours / torch:.2f}"]]
    print(table("Import, CPU seconds, median", ["", "s", "ratio"], rows))
    if limit is not None and ours > limit * torch:
        sys.exit(f"The import takes {ours / torch:.2f} of torch's, more than {limit}.")


if __name__ == "__main__":
    main()
