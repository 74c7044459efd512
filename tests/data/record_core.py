"""Records what MindSpore 2.10 makes of small programs about its core: `python record_core.py` writes core.json.

A table per topic: tensors, parameters, data types, settings, cells, their state, primitives. A program's last line is an
expression; what is recorded is its value as text (`show`), or `!` and the type of the exception. The tests evaluate
the same programs here (`recorded`, `evaluate`).
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

_FROM_OPS = ("Primitive", "PrimitiveWithCheck", "PrimitiveWithInfer", "_primexpr", "constexpr", "prim_attr_register")


def evaluate(ms: Any, program: str) -> str:
    """Return the value of a program's last line as text, or `!` and the type of the exception."""
    root = ms.__name__
    primitives = importlib.import_module("mindspore.ops.primitive" if root == "mindspore" else f"{root}.engine.primitive")
    names = {
        "ms": ms, "np": np, "nn": ms.nn, "ops": ms.ops, "copy": copy, "pickle": pickle, "__name__": "program",
        "init": importlib.import_module(f"{root}.common.initializer"), "mstype": ms.common.dtype,
        **{name: getattr(ms, name) for name in ("Tensor", "Parameter", "ParameterTuple")},
        **{name: getattr(primitives, name) for name in _FROM_OPS}, "settle": lambda name: _settle(ms, name),
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


def _settle(ms: Any, option: str) -> None:
    """Set an option of the context to a usual value again, after a program changed it."""
    usual = {"mode": 1, "max_call_depth": 1000, "memory_optimize_level": "O0", "enable_compile_cache": False}
    usual |= {"deterministic": "OFF", "pynative_synchronize": True, "save_graphs": 0, "enable_graph_kernel": False}
    usual |= {"compile_cache_path": "", "graph_kernel_flags": "", "inter_op_parallel_num": 0, "check_bprop": False}
    usual |= {"reserve_class_name_in_scope": True, "support_binary": False, "jit_level": "", "jit_syntax_level": 2}
    usual |= {"jit_config": {}, "exec_order": "bfs", "op_timeout": 900, "debug_level": 0, "enable_profiling": False}
    usual |= {"profiling_options": "training_trace", "runtime_num_threads": 1}
    if option in usual:
        ms.set_context(**{option: usual[option]})


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


def members(kind: type) -> list[str]:
    """Return the public names that a class has."""
    return sorted(name for name in dir(kind) if not name.startswith("_"))


def recorded(topic: str) -> list[tuple[str, str]]:
    """Return a topic's programs and what MindSpore 2.10 made of them."""
    outcomes = json.loads(Path(__file__).with_name("core.json").read_text(encoding="utf-8"))
    return list(outcomes[topic].items())


def main() -> None:
    import mindspore as ms

    ms.set_context(pynative_synchronize=True)  # else an error shows up in a later program
    kinds = {"Cell": ms.nn.Cell, "Parameter": ms.Parameter, "ParameterTuple": ms.ParameterTuple, "Primitive": ms.ops.Primitive}
    outcomes: dict[str, Any] = {topic: {p: evaluate(ms, p) for p in programs()} for topic, programs in TOPICS.items()}
    outcomes["members"] = {name: members(kind) for name, kind in kinds.items()}
    text = json.dumps(outcomes, indent=0, ensure_ascii=False)
    Path(__file__).with_name("core.json").write_text(text + "\n", encoding="utf-8")
    print({topic: len(found) for topic, found in outcomes.items()})


if __name__ == "__main__":
    main()
