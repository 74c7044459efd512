"""Rewrite the networks of a package to the other framework, and compare each with its original.

    python tools/compare_migrated.py [--reverse] PACKAGE LIST

PACKAGE is an importable package written for PyTorch, for example pytorchcv; with `--reverse` for MindSpore, for
example mindcv. Each line of the file LIST is a module of it, a function that makes a network, the shape of the input,
and keyword arguments:

    models.resnet resnet10 2x3x224x224 num_classes=10

The files of the package are rewritten into a temporary folder by `migrate.rewrite`, which prints how much it left.
For each network the layers, the outputs, all gradients and three optimizer steps are compared, in evaluation and in
training mode, eagerly and in graphs. Before the result stands the number of lines of its module that were left.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import torch

import torchspore as ms
import torchspore.as_mindspore
from torchspore import migrate

RENAMED = "rewritten_"  # goes before the name of the package
REVERSE = "--reverse" in sys.argv


def main() -> None:
    """Rewrite the package and compare its networks."""
    package, listed = [argument for argument in sys.argv[1:] if argument != "--reverse"]
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        left = rewrite(package, Path(folder))
        sys.path.insert(0, folder)
        lines = [line.split() for line in Path(listed).read_text(encoding="utf-8").splitlines() if line.strip()]
        equal = sum([compare(package, left, *line) for line in lines])
    print(f"{equal} of {len(lines)} networks are equal")
    sys.exit(equal < len(lines))


def rewrite(package: str, folder: Path) -> Counter[str]:
    """Write the package's files, rewritten, into a folder, and return how many lines of each module were left."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        sys.exit(f"There is no package {package}.")
    source = Path(spec.origin).parent
    lines, left = 0, Counter[str]()
    for path in sorted(source.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        rewritten = migrate.rewrite(text, reverse=REVERSE)
        lines += text.count("\n")
        left[".".join(path.relative_to(source).with_suffix("").parts)] = len(rewritten.left)
        target = folder / f"{RENAMED}{package}" / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(rewritten.code, encoding="utf-8")
    print(f"{lines} lines, of which {left.total()} were left", flush=True)
    return left


def compare(package: str, left: Counter[str], module: str, function: str, shape: str, *arguments: str) -> bool:
    """Print whether a network and its rewritten form are equal."""
    start = time.perf_counter()
    try:
        problem = differences(package, module, function, [int(size) for size in shape.split("x")], arguments)
    except Exception as error:
        places = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[-4:]]
        problem = f"{type(error).__name__}: {str(error)[:200]} {places}"
    print(
        f"{module}.{function}: {left[module]} lines left, {problem or 'equal'} ({time.perf_counter() - start:.0f} s)",
        flush=True,
    )
    return not problem


def differences(package: str, module: str, function: str, shape: list[int], arguments: tuple[str, ...]) -> str:
    """Return what differs, in a line; an empty string if nothing does."""
    keywords: dict[str, Any] = eval(f"dict({', '.join(arguments)})")
    torch.manual_seed(0)
    ms.set_seed(0)
    original = getattr(importlib.import_module(f"{package}.{module}"), function)(**keywords)
    rewritten = getattr(importlib.import_module(f"{RENAMED}{package}.{module}"), function)(**keywords)
    cell, other = (original, rewritten) if REVERSE else (rewritten, original)
    images = torch.randn(*shape)
    for training, mode in ((False, ms.PYNATIVE_MODE), (True, ms.PYNATIVE_MODE), (True, ms.GRAPH_MODE)):
        report = migrate.compare(cell, other, images, steps=3 if training else 0, training=training, mode=mode)
        if not report.equal:
            return " ".join(str(report).splitlines()[:2])
    return ""


if __name__ == "__main__":
    main()
