"""Compare random calls of the operations with MindSpore's results.

    python tools/compare_operations.py PYTHON_WITH_MINDSPORE [--count 1000] [--seed 0] [--answers FILE]

`tests/random_calls.py` writes the calls. Two processes evaluate them, one with MindSpore, one with TorchSpore; they
are restarted after a call that ends or hangs them. The report counts the results by kind and lists the differences by
operation. `--answers` stores MindSpore's results in a file, so a second run computes only the missing ones.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import warnings
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))

import numpy as np

import cases
import random_calls

LIMIT = 20.0  # seconds for a call
TOLERANCES = {"Float16": 4e-3, "BFloat16": 2e-2, "Float64": 1e-6, "Complex128": 1e-6}


def answer_all() -> None:
    """Read expressions from the input, one a line as JSON, and write the answers; what a worker process does."""
    ms = importlib.import_module(sys.argv[2])
    if sys.argv[2] == "mindspore":
        ms.set_context(pynative_synchronize=True)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        answers.write(json.dumps(_answer(ms, json.loads(line))) + "\n")
        answers.flush()


def _answer(ms: Any, expression: str) -> dict[str, Any]:
    try:
        return cases.evaluate(ms, expression, gradients=False)
    except BaseException as error:  # a result that cannot be shown
        return {"error": type(error).__name__}


class Worker:
    """A process that evaluates expressions, and is restarted when one ends or hangs it."""

    def __init__(self, python: str, package: str) -> None:
        self.command = [python, str(pathlib.Path(__file__).resolve()), "--worker", package]
        self.process: subprocess.Popen[str] | None = None

    def answer(self, expression: str) -> dict[str, Any]:
        """Return the answer to an expression: {"results": ...}, {"error": type} or {"crash": how}."""
        while self.process is None:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                cwd=tempfile.gettempdir(),  # MindSpore writes files into the folder that it runs in
            )
            self._ask("1", 10 * LIMIT)  # the import
        return self._ask(expression, LIMIT)

    def _ask(self, expression: str, limit: float) -> dict[str, Any]:
        process = self.process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(expression) + "\n")
            process.stdin.flush()
            ready = select.select([process.stdout], [], [], limit)[0]
            line = process.stdout.readline() if ready else ""
        except BrokenPipeError:
            line, ready = "", [1]
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        process.kill()
        self.process = None
        return {"crash": f"ended with {process.wait()}" if ready else "hung"}


def disagreement(ours: dict[str, Any], theirs: dict[str, Any], compares_values: bool = True) -> str:
    """Return in what two answers differ: "refused", "shape", "dtype", "values", "accepted", "error", or ""."""
    if "crash" in ours:
        return "crash"
    if "crash" in theirs:
        return ""
    if "error" in theirs:
        return ("error" if ours["error"] != theirs["error"] else "") if "error" in ours else "accepted"
    if "error" in ours:
        return "refused"
    pairs = list(zip(ours["results"], theirs["results"]))
    if len(ours["results"]) != len(theirs["results"]) or any(("python" in a) != ("python" in b) for a, b in pairs):
        return "structure"
    tensors = [(a, b) for a, b in pairs if "shape" in a]
    for part in ("shape", "dtype"):
        if any(a[part] != b[part] for a, b in tensors):
            return part
    if not compares_values:
        return ""
    texts = all(a["python"].replace("torchspore", "mindspore") == b["python"] for a, b in pairs if "python" in a)
    return "" if texts and all(_close(a, b) for a, b in tensors) else "values"


def _close(one: dict[str, Any], other: dict[str, Any]) -> bool:
    tolerance = TOLERANCES.get(one["dtype"], 1e-4)
    a, b = np.array(one["values"], np.float64), np.array(other["values"], np.float64)
    scale = max(1.0, float(np.abs(b[np.isfinite(b)]).max(initial=0.0)))
    return np.allclose(a, b, rtol=tolerance, atol=tolerance * min(scale, 1e30), equal_nan=True)


def operation(expression: str) -> str:
    """Return the name of the outermost operation of an expression."""
    head = re.match(r"((?:ops|mint|F|mnp|msp|ms)(?:\.\w+)+)", expression)
    if head:
        return head.group(1)
    method = re.findall(r"\.(\w+)\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)(?:\.\w+)?$", expression)
    return f"Tensor.{method[-1]}" if method and method[-1] != "swapaxes" else "operator"


def main() -> None:
    """Evaluate the calls and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", help="a Python that has MindSpore 2.10")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--answers", type=pathlib.Path, help="where MindSpore's answers are kept")
    parser.add_argument("--kinds", default="refused,structure,shape,dtype,values,crash", help="what to list")
    options = parser.parse_args()
    known = json.loads(options.answers.read_text()) if options.answers and options.answers.exists() else {}
    theirs, ours = Worker(options.python, "mindspore"), Worker(sys.executable, "torchspore")
    counts: collections.Counter[str] = collections.Counter()
    listed: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    for expression in random_calls.calls(options.seed, options.count):
        if expression not in known:
            known[expression] = theirs.answer(expression)
        expected, found = known[expression], ours.answer(expression)
        kind = disagreement(found, expected, not random_calls.is_random(expression))
        counts["accepted by MindSpore"] += "results" in expected
        counts["accepted by both"] += "results" in expected and "results" in found
        counts["MindSpore crashed"] += "crash" in expected
        counts[kind or "agree"] += 1
        if kind in options.kinds.split(","):
            listed[kind, operation(expression)].append(f"{expression}\n        {_short(found)} | {_short(expected)}")
    if options.answers:
        options.answers.write_text(json.dumps(known))
    for (kind, name), calls in sorted(listed.items()):
        print(f"{kind} {name} ({len(calls)})", *[f"    {call}" for call in calls[:4]], sep="\n")
    print(dict(counts))


def _short(answer: dict[str, Any]) -> str:
    parts = [
        f"{p['dtype']}{p['shape']}{p['values'][:6]}" if "shape" in p else p["python"] for p in answer.get("results", [])
    ]
    return ", ".join(parts)[:300] if "results" in answer else str(answer)


if __name__ == "__main__":
    answer_all() if "--worker" in sys.argv else main()
