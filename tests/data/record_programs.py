"""Record what MindSpore 2.10 makes of small programs, eagerly and as graphs, into `programs.json` next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_programs.py`. The programs are in
`function_programs.txt`, one body of a function per line (`\\n` for a new line), and in `cell_programs.txt`, separated
by lines `#: name`. A program calls `show` with what it computed, and decorates functions with `graph`: `jit` when it
runs as a graph. An outcome is what it showed, and the name of the exception that ended it.
"""

from __future__ import annotations

import importlib
import json
import re
import signal
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent

PRELUDE = """
import copy, functools, math, operator, pickle
import numpy as np
import mindspore as ms
from mindspore import nn, ops, mint, Tensor, Parameter, ParameterTuple, mutable, jit, jit_class, constexpr
from mindspore.common.initializer import initializer
from mindspore.ops import composite as C, functional as F, operations as P
from program_support import graph, show
"""

ARGUMENTS = """
x = Tensor([1.0, 2.0, 3.0])
m = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
i, n, s, l, t, d = Tensor(2), 3, "abc", [1, 2, 3], (4, 5, 6), {"a": 1, "b": 2}
"""


def programs() -> dict[str, str]:
    """Return the text of each program, by its name; a function's body is its own name."""
    found = {}
    for body in (HERE / "function_programs.txt").read_text(encoding="utf-8").splitlines():
        lines = "\n    ".join(body.replace("\\n", "\n").split("; "))
        call = f"{ARGUMENTS}show(f(x, m, i, n, s, l, t, d))\n"
        found[body] = f"@graph\ndef f(x, m, i, n, s, l, t, d):\n    {lines}\n{call}{call}"
    for block in (HERE / "cell_programs.txt").read_text(encoding="utf-8").split("#: ")[1:]:
        name, _, text = block.partition("\n")
        found[name] = text
    return found


def text_of(ms: Any, value: Any) -> str:
    """Return a value as text, with five significant digits."""
    if isinstance(value, ms.Tensor):
        array = (value.astype(ms.float32) if value.dtype == ms.bfloat16 else value).asnumpy()
        kind = f"Parameter {value.name} " if isinstance(value, ms.Parameter) else ""
        return f"{kind}{value.dtype}{_numbers(array)}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{_numbers(value)}"
    if isinstance(value, float):  # np.float64 also
        return f"{float(value):.5g}" if value % 1 else f"{float(value)}"
    if isinstance(value, (tuple, list)):
        kind = "" if type(value) in (tuple, list) else type(value).__name__
        inside = ", ".join(text_of(ms, element) for element in value)
        return f"{kind}({inside})" if isinstance(value, tuple) else f"{kind}[{inside}]"
    if isinstance(value, dict):
        kind = "" if type(value) is dict else type(value).__name__
        return kind + "{" + ", ".join(f"{text_of(ms, k)}: {text_of(ms, v)}" for k, v in value.items()) + "}"
    return re.sub(r"( object)? at 0x[0-9a-f]+", "", repr(value)).replace(f"{ms.__name__}.", "mindspore.")


def _numbers(array: Any) -> str:
    if array.dtype.kind == "c":
        return f"{list(array.shape)} {array.tolist()}"
    return f"{list(array.shape)} {json.dumps(json.loads(json.dumps(array.tolist()), parse_float=_short))}"


def _short(number: str) -> float:
    return float(f"{float(number):.4g}")


def outcome(ms: Any, text: str, folder: Path, graph: bool) -> list[str]:
    """Run a program, whose file is written into a folder of `sys.path`."""
    shown: list[str] = []
    support = types.ModuleType("program_support")
    support.show = lambda *values: shown.extend([text_of(ms, value) for value in values])
    support.graph = ms.jit if graph else lambda function: function
    sys.modules["program_support"] = support
    name = f"program{len(list(folder.iterdir()))}"
    (folder / f"{name}.py").write_text(f"{PRELUDE}\n{text}", encoding="utf-8")
    importlib.invalidate_caches()
    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
    try:
        importlib.import_module(name)
    except Exception as error:
        shown.append(f"!{type(error).__name__}")
    return shown


def record(out: Path) -> None:
    """Append the outcomes of the programs that a file does not have yet; one that hangs ends the process."""
    import mindspore as ms

    ms.set_context(pynative_synchronize=True)  # else an error shows up in a later program
    done = {json.loads(line)[0] for line in out.read_text(encoding="utf-8").splitlines()}
    with tempfile.TemporaryDirectory() as folder, out.open("a", encoding="utf-8") as file:
        sys.path.insert(0, folder)
        for name, text in programs().items():
            if name not in done:
                print(json.dumps([name, None]), file=file, flush=True)
                signal.alarm(60)
                eager, graph = [outcome(ms, text, Path(folder), mode) for mode in (False, True)]
                found = {"eager": eager} if eager == graph else {"eager": eager, "graph": graph}
                print(json.dumps([name, found]), file=file, flush=True)


def main() -> None:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        while subprocess.run([sys.executable, __file__, file.name], check=False).returncode:
            pass
        outcomes = dict(json.loads(line) for line in Path(file.name).read_text(encoding="utf-8").splitlines())
    lines = [f"  {json.dumps(name)}: {json.dumps(found)}" for name, found in outcomes.items() if found]
    (HERE / "programs.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    record(Path(sys.argv[1])) if len(sys.argv) > 1 else main()
