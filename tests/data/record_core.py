"""Records what MindSpore 2.10 makes of small programs about its core: `python record_core.py` renews core.json.

core.json has a table per topic: program -> outcome. A program's last line is an expression; the outcome is its value as
text (`show`), or `!` and the type of the exception. To add a program, write it into its table with any outcome, and
record. The settings come last, for they stay changed. The tests evaluate the same programs here.
"""

from __future__ import annotations

import ast
import copy
import importlib
import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np

TABLES = Path(__file__).with_name("core.json")

# What every program finds defined.
PRELUDE = """
class Affine(nn.Cell):
    def __init__(self, **options):
        super().__init__(**options)
        self.w = Parameter(Tensor([2.0, 3.0]))
        self.b = Parameter(Tensor([0.5, 0.5]), name="bias")
    def construct(self, x):
        return x * self.w + self.b

class Pair(nn.Cell):
    def __init__(self, **options):
        super().__init__(**options)
        self.first = Affine()
        self.second = Affine()
    def construct(self, x):
        return self.second(self.first(x))

class Nested(nn.Cell):
    def __init__(self, **options):
        super().__init__(**options)
        self.pair = Pair()
        self.bare = Pair(auto_prefix=False)
        self.leaf = Affine(auto_prefix=False)

class Shared(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one = Affine()
        self.two = self.one
        self.three = Affine()
        self.three.w = self.one.w

class Free(nn.Cell):
    pass

class Extra(Affine):
    def get_extra_state(self):
        return 7
    def set_extra_state(self, state):
        self.got = state

def names(cell):
    return [p.name for p in cell.get_parameters()]

def paths(cell):
    return [path for path, _ in cell.parameters_and_names()]

def cell_paths(cell):
    return [path for path, _ in cell.cells_and_names()]

def tuple_of(*names):
    return ParameterTuple([Parameter(float(i), name=name) for i, name in enumerate(names)])

KINDS = {
    "parameter": lambda: Parameter(Tensor([1.0]), name="v"), "cell": Affine, "tensor": lambda: Tensor([7.0]),
    "number": lambda: 3, "none": lambda: None, "tuple": lambda: tuple_of("v1", "v2"), "list": lambda: [Affine()],
    "string": lambda: "text", "larger tensor": lambda: Tensor([7.0, 8.0]), "half": lambda: Tensor([7.0], ms.float16),
    "lazy": lambda: init.initializer("ones", (1,), ms.float32), "array": lambda: np.ones(1, np.float32),
}

def over(old, new):
    # Assigns one kind of attribute over another: what came of it, and what the registries hold afterwards.
    cell = Free()
    if old == "buffer":
        cell.register_buffer("a", Tensor([5.0]))
    elif old != "nothing":
        cell.a = KINDS[old]()
    outcome = "ok"
    try:
        cell.a = KINDS[new]()
    except Exception as error:
        outcome = type(error).__name__
    value = cell.a
    where = [kind for kind in ("_params", "_cells", "_buffers") if "a" in getattr(cell, kind)]
    values = value.asnumpy().tolist() if isinstance(value, Tensor) else None
    return outcome, type(value).__name__, where, names(cell), values

def members(kind):
    return sorted(name for name in dir(kind) if not name.startswith("_"))

X = Tensor([1.0, 2.0])
"""

_FROM_OPS = ("Primitive", "PrimitiveWithCheck", "PrimitiveWithInfer", "_primexpr", "constexpr", "prim_attr_register")


def evaluate(ms: Any, program: str) -> str:
    """Return the value of a program's last line as text, or `!` and the type of the exception."""
    root = ms.__name__
    primitives = importlib.import_module(f"{root}.ops.primitive" if root == "mindspore" else f"{root}.engine.primitive")
    names = {
        "ms": ms, "np": np, "nn": ms.nn, "ops": ms.ops, "copy": copy, "pickle": pickle, "__name__": "program",
        "init": importlib.import_module(f"{root}.common.initializer"), "mstype": ms.common.dtype,
        **{name: getattr(ms, name) for name in ("Tensor", "Parameter", "ParameterTuple")},
        **{name: getattr(primitives, name) for name in _FROM_OPS},
    }  # fmt: skip
    exec(PRELUDE, names)
    tree = ast.parse(program)
    last = tree.body.pop()
    try:
        exec(compile(tree, "<program>", "exec"), names)
        if not isinstance(last, ast.Expr):
            exec(compile(ast.Module([last], []), "<program>", "exec"), names)
            return "None"
        return show(ms, eval(compile(ast.Expression(last.value), "<program>", "eval"), names))
    except Exception as error:
        return f"!{type(error).__name__}"


def show(ms: Any, value: Any) -> str:
    """Return a value as text in which both packages agree: a tensor as type, shape and nested lists."""
    if isinstance(value, ms.Tensor) and not isinstance(value, ms.Parameter):
        array = value.astype(ms.float32).asnumpy() if value.dtype == ms.bfloat16 else value.asnumpy()
        return f"{value.dtype}{list(value.shape)} {array.tolist()}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)} {value.tolist()}"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(show(ms, element) for element in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{show(ms, k)}: {show(ms, v)}" for k, v in value.items()) + "}"
    if isinstance(value, np.generic):
        value = value.item()
    text = re.sub(r"Parameter#\d+", "Parameter#", repr(value))
    return text.replace(f"{ms.__name__}.", "ms.")


def recorded(topic: str) -> list[tuple[str, str]]:
    """Return a topic's programs and what MindSpore 2.10 made of them."""
    return list(json.loads(TABLES.read_text(encoding="utf-8"))[topic].items())


def main() -> None:
    import mindspore as ms

    ms.set_context(pynative_synchronize=True)  # else an error shows up in a later program
    tables = json.loads(TABLES.read_text(encoding="utf-8"))
    for topic, table in tables.items():
        table.update({program: evaluate(ms, program) for program in table})
        print(topic, len(table))
    TABLES.write_text(json.dumps(tables, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
