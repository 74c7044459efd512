"""Run the blocks of one document; read [[program, source], ...] from standard input, write what each printed.

Blocks of the same program share a namespace.

A process of its own, because from here on `import mindspore` means TorchSpore.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile

import torchspore.as_mindspore  # noqa: F401  (from here on `import mindspore` works)


def run(source: str, name: str, namespace: dict[str, object]) -> dict[str, str]:
    """Run one block; return what it printed and the error that ended it."""
    printed = io.StringIO()
    error = ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(source, name, "exec"), namespace)
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
    return {"printed": printed.getvalue(), "error": error}


def main() -> None:
    """Run all blocks."""
    programs: dict[str, dict[str, object]] = {}
    sources = json.load(sys.stdin)
    os.chdir(tempfile.mkdtemp())
    results = [
        run(source, f"block {i}", programs.setdefault(program, {"__name__": "__main__"}))
        for i, (program, source) in enumerate(sources)
    ]
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
