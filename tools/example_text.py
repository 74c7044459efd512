"""Expressions of the tests as examples, with their imports, inputs and results."""

from __future__ import annotations

import ast
import json
import pathlib
import re
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests"
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

import cases  # noqa: E402

# The modules that expressions name, and how a reader gets them.
MODULES = {
    "ms": ("torchspore", "import torchspore as ms"),
    "ops": ("torchspore.ops", "from torchspore import ops"),
    "nn": ("torchspore.nn", "from torchspore import nn"),
    "mint": ("torchspore.mint", "from torchspore import mint"),
    "M": ("torchspore.mint.nn", "from torchspore.mint import nn as M"),
    "F": ("torchspore.mint.nn.functional", "from torchspore.mint.nn import functional as F"),
    "mnp": ("torchspore.numpy", "import torchspore.numpy as mnp"),
    "msp": ("torchspore.scipy", "import torchspore.scipy as msp"),
}
IMPORTS = {
    "np": "import numpy as np",
    **{name: line for name, (_, line) in MODULES.items()},
    "Tensor": "from torchspore import Tensor",
    "Parameter": "from torchspore import Parameter",
}
SHORT = 24  # the maximum number of elements to print
LINES = 12  # a longer result is shown by its shape


@dataclass
class Example:
    """An expression to show, where it comes from, and its recorded result."""

    source: str
    expression: str
    record: dict[str, Any]

    def setup(self) -> list[str]:
        """Return the lines that the expression needs before it."""
        inputs = [f"{name} = {_literal(cases.INPUTS[name])}" for name in cases.names_in(self.expression)]
        used = {n.id for n in ast.walk(ast.parse("\n".join([*inputs, self.expression]))) if isinstance(n, ast.Name)}
        return [*[line for name, line in IMPORTS.items() if name in used], *inputs]

    def result(self) -> Any:
        """Run the example; return its value."""
        names: dict[str, Any] = {}
        exec("\n".join(self.setup()), names)
        return eval(self.expression, names)

    def text(self) -> str:
        """Return the example as a session."""
        lines = [f">>> {line}" for line in self.setup()]
        value = self.result()
        shown = re.sub(r"Parameter#\d+", "Parameter#...", str(value))
        if shown.count("\n") < LINES and "\n\n" not in shown:
            return "\n".join([*lines, f">>> print({self.expression})", shown])
        show = "[part.shape for part in result]" if isinstance(value, (tuple, list)) else "result.shape"
        shown = str(eval(show, {"result": value}))
        return "\n".join([*lines, f">>> result = {self.expression}", f">>> {show}", shown])


def _literal(array: np.ndarray) -> str:
    """Return an input of the cases as source text."""
    dtype = "" if array.dtype in (np.float32, np.int64, np.bool_) else f", ms.{array.dtype}"
    if 0 < array.size <= SHORT:
        text = json.dumps(array.tolist()) if array.dtype == np.float64 else _listed(array)
        return f"Tensor({text}{dtype})"
    if not array.size:
        return f"Tensor(np.zeros({array.shape}, np.{array.dtype}))"
    spread = cases._grid(*array.shape)
    scale = round(float(array.flat[0] / spread.flat[0]))
    text = f"(np.arange({array.size}) * 7 % {array.size} / {(array.size - 1) / 2} - 0.987).reshape{array.shape}"
    return f"Tensor({text if scale == 1 else f'{text} * {scale}'}, ms.float32)"


def _listed(array: np.ndarray) -> str:
    if array.ndim:
        return f"[{', '.join(map(_listed, array))}]"
    text = str(array)  # the shortest text that is this number
    return f"np.{text.replace('-inf', 'inf')}" if text in ("nan", "inf") else "-np.inf" if text == "-inf" else text


@dataclass
class InProcesses(Example):
    """What two processes run, and the results of both."""

    def text(self) -> str:
        """Return the code with its results as comments."""
        first, second = self.record["results"]
        return (
            "# Two processes, after dist.init_process_group(); x is [1, 2] in the first and [2, 4] in the second.\n"
            f"{self.expression}\n# result: {first} in the first, {second} in the second"
        )
