"""Tables of expressions whose results are recorded from MindSpore 2.10 and compared with ours.

One module per family, with `CASES`, a list of expressions over the names below. `python tests/data/record.py FAMILY`,
run where MindSpore 2.10 is installed, writes `tests/data/FAMILY.json`; `tests/ops/test_recorded.py` compares: shape,
dtype, values, the gradients with respect to the float32 inputs, or the type of the error.
"""

from __future__ import annotations

import functools
import importlib
import re
from typing import Any

import numpy as np


def _grid(*shape: int, scale: float = 1.0, shift: float = 0.0) -> np.ndarray:
    """Return distinct, well-spread numbers: no ties, no values near the kinks of common functions."""
    count = int(np.prod(shape))
    spread = (np.arange(count) * 7 % count) / max(count - 1, 1) * 2 - 1 + 0.013
    return (spread * scale + shift).astype(np.float32).reshape(shape)


INPUTS: dict[str, np.ndarray] = {
    "x": _grid(2, 3, scale=2),  # float32, in (-2, 2)
    "y": _grid(2, 3, scale=1.5, shift=0.2),
    "z": _grid(2, 3, 4, scale=3),
    "p": _grid(2, 3, scale=0.4, shift=0.5),  # in (0, 1)
    "q": _grid(2, 3, scale=2, shift=3),  # positive
    "v": _grid(3),
    "m": _grid(3, 4, scale=1.2),
    "s": np.asarray(0.7, np.float32),  # without dimensions
    "e": np.zeros((0, 3), np.float32),  # empty
    "img": _grid(2, 4, 6, 6, scale=2),  # NCHW
    "ker": _grid(3, 4, 3, 3),  # a convolution's weight
    "sig": _grid(2, 4, 8, scale=2),  # NCW
    "logits": _grid(4, 5, scale=3),
    "i": np.array([[3, -1, 2], [0, 5, -4]], np.int32),
    "j": np.array([[1, 2, 3], [2, 2, 2]], np.int32),
    "k": np.array([2, 0, 1], np.int64),
    "labels": np.array([1, 0, 4, 2], np.int32),
    "b": np.array([[True, False, True], [False, False, True]]),
    "c": np.array([[False, False, True], [True, False, True]]),
    "h": _grid(2, 3).astype(np.float16),
    "d": _grid(2, 3).astype(np.float64),
    "u": np.array([[1, 200, 3], [4, 5, 6]], np.uint8),
    "w": np.array([1 + 2j, -0.5 + 1j], np.complex64),
    "nan": np.array([1.0, np.nan, np.inf, -np.inf, 0.0], np.float32),
}


def names_in(expression: str) -> list[str]:
    """Return the inputs that an expression uses."""
    words = re.findall(r"(?<![\w.'\"])([a-z]+)\b(?!\s*[=(.]|\s*'|\")|(?<![\w.'\"])([a-z]+)(?=\.)", expression)
    return sorted({a or b for a, b in words if (a or b) in INPUTS})


def namespace(ms: Any, expression: str | None = None) -> dict[str, Any]:
    """Return the names that expressions see, with `ms` as MindSpore; for one expression only the inputs in it."""
    used = INPUTS if expression is None else set(re.findall(r"\w+", expression))
    names = {name: ms.Tensor(array) for name, array in INPUTS.items() if name in used}
    names.update(ms=ms, np=np, Tensor=ms.Tensor, Parameter=ms.Parameter, ops=ms.ops, nn=ms.nn)
    names.update(
        {function.__name__[1:]: functools.partial(function, ms) for function in (_wave, _filled, _of_weights, _made)}
    )
    for name, module in (
        ("mnp", "numpy"),
        ("msp", "scipy"),
        ("mint", "mint"),
        ("M", "mint.nn"),
        ("F", "mint.nn.functional"),
        ("msd", "nn.probability.distribution"),
        ("msb", "nn.probability.bijector"),
        ("bnn", "nn.probability.bnn_layers"),
    ):
        names[name] = importlib.import_module(f"{ms.__name__}.{module}")
    names["K"] = _Private(ms)
    return names


class _Private:
    """The primitives of MindSpore's private modules."""

    MODULES = """
        _grad_ops sparse_ops nn_ops array_ops math_ops _inner_ops _scalar_ops _sequence_ops _quant_ops _rl_inner_ops
        linalg_ops inner_ops other_ops image_ops _sparse_grad_ops _embedding_cache_ops
    """

    def __init__(self, ms: Any) -> None:
        self.ms = ms

    def __getattr__(self, name: str) -> Any:
        if self.ms.__name__ == "mindspore":
            paths = ["ops.auto_generate", *(f"ops.operations.{module}" for module in self.MODULES.split())]
        else:
            paths = ["ops.auto_generate"]
        modules = [importlib.import_module(f"{self.ms.__name__}.{path}") for path in paths]
        return next(getattr(module, name) for module in modules if hasattr(module, name))


def _wave(ms: Any, *shape: int) -> Any:
    """Return a tensor of some numbers in [-1, 1]."""
    return ms.Tensor(np.cos(np.arange(np.prod(shape))).astype(np.float32).reshape(shape))


def _made(ms: Any, dtype: str, shape: tuple[int, ...] = (), kind: str = "plain") -> Any:
    """Return a tensor of a data type and a shape.

    Args:
        ms: MindSpore.
        dtype: the name of the data type.
        shape: the shape.
        kind: "plain", numbers between -3 and 3; "unit", between 0 and 1; "index", small ints that count from 0;
            "zero"; "extreme": the limits of the type, for floats inf and nan.
    """
    count = int(np.prod(shape))
    values = np.round(np.cos(np.arange(count) * 1.7) * 3, 2).reshape(shape)
    if kind == "zero":
        values = values * 0
    elif kind == "index":
        values = (np.arange(count) * 2 % 3).reshape(shape)
    elif kind == "unit":
        values = np.abs(values) / 3
    plain = "float32" if dtype == "bfloat16" else dtype
    array = values.astype("int64").astype(plain) if "int" in dtype else (values > 0 if dtype == "bool" else values)
    array = np.asarray(array).astype(plain)
    if dtype.startswith("complex"):
        array = (array + 1j * array[..., ::-1] if shape else array + 1j).astype(plain)
    if kind == "extreme" and dtype != "bool":
        limits = np.iinfo(plain) if "int" in dtype else np.finfo(plain)
        special = (limits.max, limits.min, 0) if "int" in dtype else (np.nan, np.inf, -np.inf, limits.max, -0.0)
        array = np.resize(np.array([*special, 1, 2], plain), shape)
    return ms.Tensor(array).astype(ms.bfloat16) if dtype == "bfloat16" else ms.Tensor(array)


def _filled(ms: Any, net: Any) -> Any:
    """Return a cell whose parameters, small numbers, are the same in every run."""
    for n, parameter in enumerate(net.get_parameters()):
        values = 0.4 * np.sin(np.arange(parameter.size) * 1.7 + n)
        parameter.set_data(ms.Tensor(values.reshape(parameter.shape), parameter.dtype))
    return net


def _of_weights(ms: Any, net: Any, *inputs: Any) -> Any:
    """Return the gradients of a cell's parameters."""
    return ms.grad(lambda *values: _weighted(ms, net(*values)), None, ms.ParameterTuple(net.get_parameters()))(*inputs)


def evaluate(ms: Any, expression: str, *, gradients: bool = True) -> dict[str, Any]:
    """Return the result of an expression as plain data: {"results": [...], "gradients": {...}} or {"error": type}."""
    names = namespace(ms, expression)
    try:
        result = eval(expression, names)
        results = [_plain(ms, part) for part in _flat(result)]
    except Exception as error:
        return {"error": type(error).__name__}
    record: dict[str, Any] = {"results": results}
    inputs = [name for name in names_in(expression) if INPUTS[name].dtype == np.float32]
    if (
        gradients
        and inputs
        and any(isinstance(part, ms.Tensor) and "Float" in str(part.dtype) for part in _flat(result))
    ):
        record["gradients"] = _gradients(ms, expression, names, inputs)
    return record


def _gradients(ms: Any, expression: str, names: dict[str, Any], inputs: list[str]) -> dict[str, Any] | None:
    def total(*values: Any) -> Any:
        return _weighted(ms, eval(expression, {**names, **dict(zip(inputs, values))}))

    try:
        gradients = ms.grad(total, tuple(range(len(inputs))))(*[names[name] for name in inputs])
    except Exception:
        return None
    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
    return {name: _plain(ms, gradient) for name, gradient in zip(inputs, gradients)}


def _weighted(ms: Any, result: Any) -> list[Any]:
    """Return the sum of each tensor of floats, weighted by position, so that a gradient which swaps elements shows."""
    parts = [part for part in _flat(result) if isinstance(part, ms.Tensor) and "Float" in str(part.dtype)]
    return [(part * ms.Tensor(_grid(*part.shape, shift=1.5)).astype(part.dtype)).sum() for part in parts]


def _flat(result: Any) -> list[Any]:
    return [part for branch in result for part in _flat(branch)] if isinstance(result, (tuple, list)) else [result]


def _plain(ms: Any, value: Any) -> Any:
    if not isinstance(value, ms.Tensor):
        return {"python": repr(value)}
    wide = value.astype(ms.float32) if value.dtype == ms.bfloat16 else value
    array = wide.asnumpy()
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], -1)
    return {"shape": list(value.shape), "dtype": str(value.dtype), "values": [float(f"{v:.8g}") for v in array.ravel()]}
