"""Record what MindSpore 2.10 makes of programs in GRAPH_MODE: `python tests/data/record_graph_programs.py`.

The results of `graph_programs.py` go to `graph_programs.json`: nested lists, with tensors as dtype, shape and elements.
"""

import functools
import importlib.util
import sys
import types
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
_HELPERS = {"T", "P", "I", "filled", "outputs_and_gradients", "layer", "optimizer", "distribution"}


def programs(ms):
    """Return the programs by their names, with `ms` as the package."""
    spec = importlib.util.spec_from_file_location("graph_programs", HERE / "graph_programs.py")
    module = sys.modules["graph_programs"] = importlib.util.module_from_spec(spec)
    vars(module).update(ms=ms, nn=ms.nn, ops=ms.ops, Tensor=ms.Tensor, Parameter=ms.Parameter, np=np, raised=raised)
    spec.loader.exec_module(module)
    found = {}
    for kind, rows in module.TABLES.items():
        for row in rows.strip().splitlines():
            found[f"{kind}: {row}"] = functools.partial(getattr(module, kind), row)
    for name, value in vars(module).items():
        if isinstance(value, types.FunctionType) and value.__module__ == "graph_programs" and name not in _HELPERS:
            found[name] = value
    return found


def raised(calls):
    """Return the names of the classes of errors that calls raise, with their bases."""
    found = {}
    for name, call in calls.items():
        try:
            call()
        except Exception as error:
            found[name] = [kind.__name__ for kind in type(error).__mro__]
    return found


def shown(value):
    """Return a result as JSON holds it."""
    if hasattr(value, "asnumpy"):
        numbers = [round(float(number), 5) for number in value.astype("float32").asnumpy().ravel()]
        return [str(value.dtype).rpartition(".")[2], list(value.shape), numbers]
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    return [shown(item) for item in value] if isinstance(value, (tuple, list)) else value


def observed(ms, program):
    """Return what a program returns in GRAPH_MODE."""
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        return shown(program())
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


if __name__ == "__main__":
    import mindspore

    sys.path.insert(0, str(HERE))
    from tables import dump

    recorded = {name: observed(mindspore, program) for name, program in programs(mindspore).items()}
    (HERE / "graph_programs.json").write_text(dump({"programs": recorded}), encoding="utf-8")
