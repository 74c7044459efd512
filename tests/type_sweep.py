"""Recorded expressions with inputs of other data types: which questions there are, and how they are answered.

`tests/data/record_type_sweep.py` records the answers to a seeded sample; `tests/ops/test_type_sweep.py` compares.
"""

from __future__ import annotations

import importlib
import json
import pathlib
import random
import re
import warnings
from typing import Any

import numpy as np

import cases

SAMPLE, SEED = 420, 15
FLOATS = ("x", "y", "z", "p", "q", "v", "m", "s", "img", "ker", "sig", "logits")
INTEGERS = ("i", "j", "k", "labels")
DTYPES = (
    "float16", "bfloat16", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool",
)  # fmt: skip
FAMILIES = (
    "activation", "arithmetic", "comparison", "creation", "distances", "elementwise", "extremes", "gathering",
    "gradient_kernels", "images", "inplace", "joining", "linear_algebra", "loss", "mint_elementwise", "mint_reduction",
    "mint_shape", "normalization", "numpy_creation", "numpy_linear_algebra", "numpy_manipulation", "numpy_math",
    "numpy_statistics", "pooling", "rearranging", "reduction", "scatter_writes", "scattering", "searching", "shape",
    "sorting", "special_functions",
)  # fmt: skip
_NOT_REPEATABLE = re.compile(r"\bnn\.|grad\(|rand|dropout|filled|Parameter|\.init|made\(|wave\(")


def questions() -> list[tuple[str, str, str]]:
    """Return all (expression, "floats" or "integers", data type): the inputs of that kind have that type."""
    found = []
    for family in FAMILIES:
        recorded = json.loads((pathlib.Path(__file__).parent / "data" / f"{family}.json").read_text())
        for expression in importlib.import_module(f"cases.{family}").CASES:
            if "error" in recorded[expression] or len(expression) > 110 or _NOT_REPEATABLE.search(expression):
                continue
            for kind, inputs in (("floats", FLOATS), ("integers", INTEGERS)):
                if set(inputs) & set(cases.names_in(expression)):
                    found += [(expression, kind, dtype) for dtype in DTYPES]
    return found


def sample() -> list[tuple[str, str, str]]:
    """Return the questions to record: a seeded choice."""
    return random.Random(SEED).sample(questions(), 2 * SAMPLE)


def _input(ms: Any, name: str, dtype: str) -> Any:
    values = cases.INPUTS[name]
    if dtype == "bool":
        return ms.Tensor(np.round(values) > 0)
    if "int" in dtype:
        values = np.round(np.abs(values) if dtype.startswith("u") else values)
    if dtype == "bfloat16":
        return ms.Tensor(values.astype(np.float32)).astype(ms.bfloat16)
    return ms.Tensor(values.astype(dtype))


def answer(ms: Any, expression: str, kind: str, dtype: str) -> list[Any] | str:
    """Return the results as plain data, or the name of the error's type."""
    names = cases.namespace(ms, expression)
    for name in FLOATS if kind == "floats" else INTEGERS:
        if name in names:
            names[name] = _input(ms, name, dtype)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is not as MindSpore documents it
            return [cases._plain(ms, part) for part in cases._flat(eval(expression, names))]
    except Exception as error:
        return type(error).__name__
