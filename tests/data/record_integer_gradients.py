"""Records MindSpore 2.10's gradients of integers, of `GradOperation` and of other inputs, in PyNative mode.

`python record_integer_gradients.py` renews integer_gradients.json, which has two tables. "bodies": for the body of a
function of `x` the gradients at inputs of several data types. "programs": for an expression its value. Each is text
(`show`), or `!` and the type of the exception. To add one, write it into its table with any outcome, and record.
"""

from __future__ import annotations

import functools
import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
from tables import dump

TABLE = Path(__file__).with_name("integer_gradients.json")

INPUTS = {
    "int8": [[1, 2, 3], [4, -2, 2]],
    "int64": [[1, 2, 3], [4, -2, 2]],
    "uint8": [[1, 2, 3], [4, 0, 2]],
    "bool": [[True, False, True], [False, True, True]],
}

# What every program finds defined, in a file because MindSpore's transforms read the source of functions.
PRELUDE = Path(__file__).with_name("integer_gradient_functions.py")


def names(ms: Any) -> dict[str, Any]:
    """Return what bodies and programs find defined."""
    module = types.ModuleType(PRELUDE.stem)
    sys.modules[PRELUDE.stem] = module
    found = vars(module)
    found |= {name: getattr(ms, name) for name in ("Tensor", "Parameter", "COOTensor", "CSRTensor", "nn", "ops")}
    found |= {"ms": ms, "np": np, "__file__": str(PRELUDE)}
    exec(_prelude(), found)
    return found


@functools.cache
def _prelude() -> types.CodeType:
    return compile(PRELUDE.read_text(encoding="utf-8"), str(PRELUDE), "exec")


def show(ms: Any, value: Any) -> str:
    """Return a value as text in which both packages agree: a tensor as type, shape and nested lists."""
    if isinstance(value, ms.Tensor):
        return f"{value.dtype}{list(value.shape)} {_rounded(value.asnumpy().tolist())}"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(show(ms, element) for element in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {show(ms, v)}" for k, v in value.items()) + "}"
    return repr(value)


def _rounded(values: Any) -> Any:
    if isinstance(values, list):
        return [_rounded(value) for value in values]
    return float(f"{values:.5g}") if isinstance(values, float) else values


def gradient(ms: Any, body: str, dtype: str, way: Any = lambda function: function) -> str:
    """Return the gradient of a function with a body at integers; `way` is done to the gradient function."""
    function = eval(f"lambda x: {body}", names(ms))
    x = ms.Tensor(np.array(INPUTS[dtype], dtype))
    return outcome(ms, lambda: way(ms.grad(function))(x))


def value(ms: Any, program: str, way: Any = lambda function: function) -> str:
    """Return the value of an expression; `way` is done to a function that computes it."""
    return outcome(ms, way(eval(f"lambda: {program}", names(ms))))


def outcome(ms: Any, call: Any) -> str:
    """Return the result of a call as text, or `!` and the type of its exception."""
    try:
        return show(ms, call())
    except Exception as error:
        return f"!{type(error).__name__}"


def main() -> None:
    import mindspore as ms

    ms.set_context(pynative_synchronize=True)  # else an error shows up in a later program
    tables = json.loads(TABLE.read_text(encoding="utf-8"))
    tables["bodies"] = {
        body: {dtype: gradient(ms, body, dtype) for dtype in dtypes} for body, dtypes in tables["bodies"].items()
    }
    tables["programs"] = {program: value(ms, program) for program in tables["programs"]}
    TABLE.write_text(dump(tables), encoding="utf-8")


if __name__ == "__main__":
    main()
