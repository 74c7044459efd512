"""Run the tests on a GPU: `python tools/test_on_gpu.py [FILE OR FOLDER ...]`.

A wrong index stops a GPU for the process that gave it, and many tests give one on purpose. So each file has a process
of its own, in parts if it is long, and a process that has lost its GPU is replaced by one for the tests that remain.
The ids of tests that failed, and of those that stopped the GPU, are printed and, with `--json FILE`, written.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PART = 150_000  # bytes of a test file and its data for one process
LOST = 77  # the exit code of a process that has lost its GPU
# What does not depend on the device: pages, texts and types.
LEFT_OUT = ("site", "editors", "dataset", "mindrecord")


class Journal:
    """A plugin of pytest: writes down what each test gave, runs a part of the tests, and ends without a GPU.

    Args:
        file: where the results go, one JSON list of id and outcome in a line; tests that are in it are not run again.
        part: which of every `parts` tests to run.
        parts: the number of parts.
    """

    def __init__(self, file: pathlib.Path, part: int, parts: int) -> None:
        self.file, self.part, self.parts = file, part, parts

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the tests of this part that have not run."""
        done = {name for name, _ in results(self.file)}
        items[:] = [item for item in items[self.part :: self.parts] if item.nodeid not in done]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write down what a test gave."""
        if report.failed or report.when == "call":
            self._write(report.nodeid, "failed" if report.failed else "passed", str(report.longrepr)[-2000:])

    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """End if the GPU is lost."""
        import torch

        try:
            torch.cuda.synchronize()
        except RuntimeError:
            self._write(item.nodeid, "stopped the GPU", "")
            os._exit(LOST)

    def _write(self, name: str, outcome: str, text: str) -> None:
        with self.file.open("a") as out:
            out.write(json.dumps([name, outcome, text if outcome == "failed" else ""]) + "\n")


def results(file: pathlib.Path) -> Iterator[tuple[str, str]]:
    """Return ids and outcomes of tests; the last outcome of a test counts."""
    if file.exists():
        lines = file.read_text(encoding="utf-8").splitlines()
        yield from {name: outcome for name, outcome, _ in map(json.loads, lines)}.items()


def parts_of(file: pathlib.Path) -> int:
    """Return in how many parts to run a file."""
    return 1 + (12 if file.name == "test_recorded.py" and file.parent.name == "ops" else file.stat().st_size // PART)


def run(file: pathlib.Path, part: int, parts: int, journal: pathlib.Path, options: list[str]) -> str:
    """Run a part of a file's tests, in as many processes as it takes; return what pytest printed if it broke off."""
    command = [sys.executable, __file__, "--journal", str(journal), str(part), str(parts), str(file), *options]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    while True:
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode != LOST:
            return "" if done.returncode in (0, 1, 5) else f"{file}: {done.stdout[-1000:]}{done.stderr[-1000:]}"


def main() -> None:
    """Run the tests and print which failed."""
    if sys.argv[1:2] == ["--journal"]:
        journal, part, parts, *given = sys.argv[2:]
        plugin = Journal(pathlib.Path(journal), int(part), int(parts))
        sys.exit(pytest.main(["-p", "no:cacheprovider", "--tb=short", *given], [plugin]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=pathlib.Path, default=[ROOT / "tests"])
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write the ids by outcome here")
    arguments, options = parser.parse_known_args()
    found = [file for path in arguments.paths for file in ([path] if path.is_file() else path.rglob("test_*.py"))]
    files = sorted(file for file in found if not set(LEFT_OUT) & set(file.parts))
    tasks = [(file, part, parts_of(file)) for file in files for part in range(parts_of(file))]
    outcomes: dict[str, list[str]] = {"passed": [], "failed": [], "stopped the GPU": []}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.processes) as pool:
        journals = [pathlib.Path(folder, f"{number}.jsonl") for number in range(len(tasks))]
        broken = [*filter(None, pool.map(lambda task, journal: run(*task, journal, options), tasks, journals))]
        for journal in journals:
            for name, outcome in results(journal):
                outcomes[outcome].append(name)
    print(*broken, *outcomes["failed"], sep="\n")
    print(", ".join(f"{len(names)} {outcome}" for outcome, names in outcomes.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf-8")
    sys.exit(bool(broken or outcomes["failed"]))


if __name__ == "__main__":
    main()
