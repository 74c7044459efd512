"""Record which names of the migration table MindSpore computes on a CPU: `migrate/table/without_cpu_kernels.json`.

    python tests/data/record_cpu_kernels.py write RUNS.pkl          with TorchSpore
    python tests/data/record_cpu_kernels.py run RUNS.pkl RUN.json   with MindSpore 2.10

The first writes the cases of the table as calls of MindSpore; the second calls them, with gradients, and records the
names none of whose cases runs. Names that only take other arguments there are left out by hand: `_TAKE_OTHERS`.
"""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

_TYPES = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "bool",
    "complex64",
    "complex128",
]
_TAKE_OTHERS = {
    "mindspore.nn.CrossEntropyLoss", "mindspore.nn.Upsample", "mindspore.ops.interpolate", "mindspore.ops.upsample",
    "mindspore.mint.round", "mindspore.ops.round", "mindspore.Tensor.round", "mindspore.ops.diff",
    "mindspore.Tensor.diff",
}  # fmt: skip


def write(path: str) -> None:
    """Write the cases of the table as calls of MindSpore."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from migrate import table_runs
    from migrate.cases.inputs import arrays
    from migrate.test_table_cases import RUNS

    runs = []
    for row, case in RUNS:
        module, call = table_runs._module_of(case)
        made = table_runs.converted(row, module) if module else None
        called = call if module else table_runs.converted(row, call)
        if not case.endswith(".clone()"):  # which is for writes in place, and has no kernel itself
            called = called.replace(".clone()", ".copy()")
        used = table_runs._names_in(case) if table_runs.run_torch(case)[1] else set()
        floats = [name for name, value in arrays().items() if name in used and value.dtype.kind == "f"]
        runs.append((row.mindspore, made, called, floats))
    Path(path).write_bytes(pickle.dumps((runs, arrays()), protocol=4))


def run(path: str, result: str) -> None:
    """Call the cases in processes of their own, which a kernel may end; write the names that do not run."""
    names = [name for name, *_ in pickle.loads(Path(path).read_bytes())[0]]
    works: set[str] = set()
    done = 0
    while done < len(names):
        command = [sys.executable, __file__, "part", path, str(done)]
        lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
        said = [line for line in lines if line in ("works", "fails")]
        works.update(name for name, how in zip(names[done:], said) if how == "works")
        done += len(said) + (done + len(said) < len(names))  # the next one ended the process
    groups: dict[str, list[str]] = {}
    for name in sorted(set(names) - works - _TAKE_OTHERS):
        owner, _, last = name.rpartition(".")
        groups.setdefault(owner.partition(".")[2], []).append(last)
    recorded = {owner: " ".join(lasts) for owner, lasts in groups.items()}
    Path(result).write_text(json.dumps({"version": "2.10.0", "names": recorded}, indent=1) + "\n")


def part(path: str, start: str) -> None:
    """Call the cases from one on, and print a word for each."""
    import mindspore as ms
    import numpy as np
    from mindspore import mint, scipy  # noqa: F401

    runs, arrays = pickle.loads(Path(path).read_bytes())
    ms.set_context(device_target="CPU", mode=ms.PYNATIVE_MODE, pynative_synchronize=True)
    types = SimpleNamespace(**{name: getattr(ms, "bool_" if name == "bool" else name) for name in _TYPES})
    for _, made, called, floats in runs[int(start) :]:
        values = {each: ms.Tensor(value) for each, value in arrays.items()}
        space = {"mindspore": ms, "torch": types, "np": np, "math": math, **values}
        try:
            if made:
                space["made"] = eval(made, space)
                if isinstance(space["made"], ms.nn.Cell):
                    space["made"].set_train()

            def total(*given: Any, called: str = called, floats: list[str] = floats, space: Any = space) -> Any:
                results = _leaves(eval(called, {**space, **dict(zip(floats, given))}))
                str(results)  # which waits for them
                numbers = [x for x in results if isinstance(x, ms.Tensor) and x.dtype in (ms.float32, ms.float64)]
                return sum([(x * x + x).sum() for x in numbers]) if numbers else None

            inputs = [values[each] for each in floats]
            if total(*inputs) is not None and inputs:
                ms.grad(total, tuple(range(len(inputs))))(*inputs)
            print("works", flush=True)
        except Exception:  # whichever it is: the kernel is not there
            print("fails", flush=True)


def _leaves(value: Any) -> list[Any]:
    value = list(value.values()) if isinstance(value, dict) else value
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, (tuple, list)) else [value]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"write": write, "run": run, "part": part}[sys.argv[1]](*sys.argv[2:])
