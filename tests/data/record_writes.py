"""Record what MindSpore 2.10 computes where programs write tensors, into `writes.json` next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_writes.py`.

For each program of `write_programs.py`: the plain run in PyNative mode and the gradients in graph mode; for those that
write parameters also the gradients in PyNative mode.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from data.write_programs import PARAMETER_PROGRAMS, PROGRAMS, cells  # noqa: E402


def numbers(tensor: Any) -> list[float]:
    return [float(f"{value:.6g}") for value in np.asarray(tensor.asnumpy(), float).ravel()]


def recorded(ms: Any, kind: Any, gradients: bool) -> dict[str, list[float]] | None:
    """Return a run's value, gradients and what the tensors hold afterwards; None for an error."""
    net, x = kind(), ms.Tensor([0.5, 1.0, 2.0])
    c = net.c
    try:
        if gradients:
            value, (of_x, of_p) = ms.value_and_grad(net, 0, [net.p])(x)
            found = {"value": numbers(value), "of_x": numbers(of_x), "of_p": numbers(of_p[0])}
        else:
            found = {"value": numbers(net(x))}
        return found | {"x": numbers(x), "p": numbers(net.p), "h": numbers(net.h), "c": numbers(c)}
    except Exception:
        return None


def main() -> None:
    import mindspore as ms

    programs = [*PROGRAMS, *PARAMETER_PROGRAMS]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "write_programs.py").write_text(cells("mindspore", programs))
        sys.path.insert(0, folder)
        module = importlib.import_module("write_programs")
        found: dict[str, dict[str, Any]] = {}
        for number, program in enumerate(programs):
            kind = getattr(module, f"Program{number}")
            ms.set_context(mode=ms.PYNATIVE_MODE, pynative_synchronize=True)
            found[program] = {"plain": recorded(ms, kind, False)}
            if program in PARAMETER_PROGRAMS:
                found[program]["gradients"] = recorded(ms, kind, True)
            ms.set_context(mode=ms.GRAPH_MODE)
            found[program]["graph gradients"] = recorded(ms, kind, True)
    lines = [f"  {json.dumps(program)}: {json.dumps(result)}" for program, result in found.items()]
    (HERE / "writes.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
