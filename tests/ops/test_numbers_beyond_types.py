"""Numbers that a data type cannot hold: beyond the range floats are infinite, and limits of integers saturate.

The calls are written from the signatures of all public operations that take a tensor and a number.
"""

from __future__ import annotations

import inspect
import math
import re
import warnings

import numpy as np
import pytest

import random_calls
import torchspore as ms
from torchspore import Tensor, jit, mint, nn, ops
from torchspore.common.conversion import fitted, saturated
from torchspore.common.dtype import to_torch
from torchspore.common.np_dtype import standard_array
from torchspore.engine.values.nested import map_tensors

VALUES = {
    ms.float16: (1e9, -1e9, 1e5, -(10**9), 65519.0),
    ms.bfloat16: (float(np.finfo(np.float32).min), 1e39, -1e39),
    ms.float32: (1e39, -1e39, float(np.finfo(np.float64).min)),
}
_INDICES = Tensor([0, 1], ms.int32)
# What other parameters get, by name; tensors of `x` if they are annotated so.
_GIVEN = {
    "mask": Tensor([True, False]), "condition": Tensor([True, False]), "index": _INDICES, "indices": _INDICES,
    "axis": 0, "dim": 0, "shape": (2,), "size": (2,), "dims": (2,), "padding": (1, 0), "paddings": (1, 0), "bins": 2,
}  # fmt: skip
# Random numbers, and those whose number of elements is the number.
_APART = ("normal", "uniform", "drop", "rand", "gamma", "poisson", "laplace", "bernoulli", "log_normal", "rrelu",
          "cauchy", "range", "space", "_indices")  # fmt: skip
_ORDERS = (" p", " ord", "istogram max", "histc max")  # of norms; and limits that must be finite


def _arguments(parameters, number, value, x):
    """Return arguments by name: `value` for the parameter `number`, and what the others need."""
    given = {number: value} if number in parameters else {}
    for p in parameters.values():
        if p.name in (number, "self") or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or p.default is not p.empty:
            continue
        is_tensor = "Operand" in str(p.annotation) or "Tensor" in str(p.annotation)
        given[p.name] = _GIVEN.get(p.name, x if is_tensor else x.dtype if p.name in ("dtype", "type") else 1.0)
    return given


def _call(name, kind, found, number):
    """Return a function of a tensor and a number that calls an operation with the number for a parameter."""
    built = inspect.signature(found).parameters if kind == "class" else {}
    called = dict(inspect.signature(found.__call__ if kind == "class" else found).parameters)
    if kind == "method":
        called.pop(next(iter(called)))

    def call(x, value):
        x = x * 1  # some write into it
        operation = getattr(x, name) if kind == "method" else found
        if kind == "class":
            operation = found(**_arguments(built, number, value, x))
        return operation(**_arguments(called, number, value, x))

    return call


def _calls():
    """Yield what is called and how, of all calls that succeed with the number 1."""
    x = Tensor([0.5, 2.0])
    for name, kind, found in random_calls._targets():
        if kind == "operator" or any(word in name.lower() for word in _APART):
            continue
        parameters = {
            **(dict(inspect.signature(found).parameters) if kind == "class" else {}),
            **inspect.signature(found.__call__ if kind == "class" else found).parameters,
        }
        for p in list(parameters.values())[kind == "method" :]:
            call = _call(name, kind, found, p.name)
            if str(p.annotation).startswith(("Operand", "float")) and isinstance(_outcome(call, x, 1.0), list):
                yield f"{name} {p.name}", call, getattr(found, "body", found)


def _outcome(function, *args):
    """Return the arrays of a result, or the text of the error."""
    arrays = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            map_tensors(lambda tensor: arrays.append(standard_array(tensor).copy()), function(*args))
    except Exception as error:
        return str(error)
    return arrays


def _same(found, expected, dtype):
    """Return whether outcomes are equal, after a conversion of both to a data type."""
    if isinstance(found, str) or isinstance(expected, str):
        return isinstance(found, str) and isinstance(expected, str)
    with np.errstate(all="ignore"):
        pairs = [[standard_array(Tensor(a).astype(dtype)) for a in pair] for pair in zip(found, expected)]
    return all(np.allclose(*pair, rtol=2e-2, atol=1e-3, equal_nan=True) for pair in pairs)


def test_calls_are_written():
    assert len(list(_calls())) > 400


@pytest.mark.parametrize("dtype", VALUES, ids=str)
def test_every_operation_takes_them(dtype):
    """The result is as for the number that the type holds instead, or as in a wider type, rounded."""
    x = Tensor([0.5, 2.0], dtype)
    wide = Tensor([0.5, 2.0], ms.float64 if dtype is ms.float32 else ms.float32)
    wrong = []
    for what, call, _ in _calls():
        for value in () if what.endswith(_ORDERS) else VALUES[dtype]:
            found = _outcome(call, x, value)
            if isinstance(found, str) and ("overflow" in found or "must be in range" in found):
                wrong.append((what, value, found))
                continue
            expected = _outcome(call, x, fitted(value, to_torch(dtype))), _outcome(call, wide, value)
            if not any(_same(found, each, dtype) for each in expected):
                wrong.append((what, value, found))
    assert wrong == []


def test_every_operation_takes_them_under_grad():
    x = Tensor([0.5, 2.0], ms.float16)
    found = {
        what: _outcome(ms.grad(lambda x, call=call: ops.cast(call(x, -1e9), ms.float32).sum()), x)
        for what, call, _ in _calls()
        if not what.endswith(_ORDERS)
    }
    assert {what: error for what, error in found.items() if isinstance(error, str) and "overflow" in error} == {}


@pytest.mark.slow
def test_every_operation_takes_them_in_a_graph():
    x = Tensor([0.5, 2.0], ms.float16)
    wrong = []
    distinct = {(body, what.split()[1]): (what, call) for what, call, body in _calls()}
    for what, call in distinct.values():
        graph = ms.jit(lambda x, call=call: call(x, -1e9), fullgraph=True)
        expected, found = _outcome(call, x, -1e9), _outcome(graph, x)
        if not what.startswith(("ops.zeta", "ops.Zeta")) and not _same(found, expected, ms.float32):
            wrong.append((what, found))
    assert wrong == []


M = Tensor([True, False])
FILLS = {  # expression -> result for the infinite number
    "ops.masked_fill(x, M, n)": [np.inf, 2],
    "x.masked_fill(M, n)": [np.inf, 2],
    "ops.MaskedFill()(x, M, n)": [np.inf, 2],
    "x.masked_fill_(M, n)": [np.inf, 2],
    "ops.masked_fill(x, M, np.float64(n))": [np.inf, 2],
    "ops.masked_fill(x, M, Tensor(n, ms.float64))": [np.inf, 2],
    "x.masked_fill_(M, Tensor(n, ms.float64))": [np.inf, 2],
    "ops.full((2,), n, dtype=x.dtype)": [np.inf, np.inf],
    "ops.full((70000,), n, dtype=x.dtype)[:1]": [np.inf],
    "mint.full((2,), n, dtype=x.dtype)": [np.inf, np.inf],
    "ops.full_like(x, n)": [np.inf, np.inf],
    "x.new_full((1,), n)": [np.inf],
    "ops.fill(x.dtype, (1,), n)": [np.inf],
    "x.fill(n)": [np.inf, np.inf],
    "x.fill_(n)": [np.inf, np.inf],
    "x.fill_diagonal_(n) if x.ndim > 1 else x.fill_(n)": [np.inf, np.inf],
    "ops.index_fill(x, 0, Tensor([0], ms.int32), n)": [np.inf, 2],
    "ops.index_fill(x, 0, Tensor([0], ms.int32), Tensor(n, ms.float64))": [np.inf, 2],
    "x.index_fill_(0, Tensor([0], ms.int32), n)": [np.inf, 2],
    "ops.scatter(x, 0, Tensor([0]), n)": [np.inf, 2],
    "x.scatter_(0, Tensor([0]), n)": [np.inf, 2],
    "ops.pad(x, (1, 0), value=n)": [np.inf, 1, 2],
    "ops.pad(x, (1, 0), 'constant', Tensor(n, ms.float64))": [np.inf, 1, 2],
    "nn.ConstantPad1d((1, 0), n)(x)": [np.inf, 1, 2],
    "mint.nn.functional.pad(x, (1, 0), 'constant', n)": [np.inf, 1, 2],
    "ops.threshold(x, 1, n)": [np.inf, 2],
    "ops.where(M, n, x)": [np.inf, 2],
    "x + n": [np.inf, np.inf],
    "x.add_(n)": [np.inf, np.inf],
    "written(x, 0, n)": [np.inf, 2],
    "written(x, M, n)": [np.inf, 2],
    "ops.clip(x, -n, n)": [1, 2],
    "x.clamp(-n, n)": [1, 2],
    "x.clamp_(-n, n)": [1, 2],
    "ops.clip_by_value(x, -n, n)": [1, 2],
    "ops.hardtanh(x, -n, n)": [1, 2],
    "nn.Hardtanh(-n, n)(x)": [1, 2],
    "ops.hardshrink(x, n)": [0, 0],
    "ops.softshrink(x, n)": [0, 0],
    "ops.pow(x, n)": [1, np.inf],
    "x ** n": [1, np.inf],
    "x > n": [0, 0],
    "x < n": [1, 1],
    "ops.nan_to_num(x / 0, posinf=n)": [np.inf, np.inf],
    "ops.amax(x, initial=n)": np.inf,
    "ops.addcmul(x, x, x, n)": [np.inf, np.inf],
}


def _written(x, index, value):
    x[index] = value
    return x


_MODES = {
    "eager": lambda function: function,
    "jit": jit,
    "fullgraph": lambda function: jit(function, fullgraph=True),
    "compiled": lambda function: jit(function, jit_level="O1"),
    "vmap": lambda function: lambda x: ms.vmap(function)(ops.stack([x, x]))[0],
    "grad": lambda function: ms.value_and_grad(lambda x: ops.cast(function(x), ms.float32)),
}
_NOT_IN = {  # those that read values, or need a compilation of seconds
    "fullgraph": r"written|Tensor\(n", "compiled": r"^((?!masked_fill\(x, M, n).)*$", "vmap": r"written|Tensor\(n|_\(",
}  # fmt: skip


@pytest.mark.parametrize("mode", _MODES)
@pytest.mark.parametrize("dtype", VALUES, ids=str)
@pytest.mark.usefixtures("compiling_here")
def test_result(dtype, mode):
    wrong = {}
    number = max(VALUES[dtype])
    names = {"ops": ops, "mint": mint, "ms": ms, "nn": nn, "np": np, "Tensor": Tensor, "M": M, "written": _written}
    for expression, expected in FILLS.items():
        if mode in _NOT_IN and re.search(_NOT_IN[mode], expression):
            continue
        call = _MODES[mode](eval(f"lambda y: (lambda x: {expression})(y * 1)", {**names, "n": number}))
        found = _outcome(call, Tensor([1.0, 2.0], dtype))
        if isinstance(found, str) or not np.array_equal(found[0].astype(np.float64), np.array(expected, np.float64)):
            wrong[expression] = found
    assert wrong == {}


LIMITS = {  # of integers: what they limit is not changed, or is the limit of the type
    "ops.clip(Tensor([1, 2, 3], ms.int8), -1000, 1000)": [1, 2, 3],
    "ops.clamp(Tensor([1, 2, 3], ms.int8), 1000)": [127] * 3,
    "Tensor([1, 2, 3], ms.int32).clamp(None, 2**40)": [1, 2, 3],
    "Tensor([1, 2, 3], ms.int32).clamp_(-(2**40), 2**40)": [1, 2, 3],
    "Tensor([1, 200], ms.uint8).clip(-1, 300)": [1, 200],
    "ops.clip_by_value(Tensor([1, 2], ms.int16), -70000, 1e10)": [1, 2],
    "ops.clip_by_value(Tensor([1, 2], ms.int16), float('-inf'), float('inf'))": [1, 2],
    "mint.clamp(Tensor([1, 2], ms.uint16), -1, 70000)": [1, 2],
    "ops.hardtanh(Tensor([1, 2], ms.int8), -1000, 1000)": [1, 2],
    "ops.hardtanh(Tensor([1, 2], ms.uint8), -1, 1e10)": [1, 2],
    "ops.threshold(Tensor([1, 2], ms.int8), 1e10, 0)": [0, 0],
    "ops.threshold(Tensor([1, 2], ms.int8), -1000, 0)": [1, 2],
    "ops.amax(Tensor([1, 2], ms.int8), initial=-1000)": 2,
    "ops.amin(Tensor([1, 2], ms.int8), initial=float('inf'))": 1,
    "mnp.clip(Tensor([1, 2], ms.int8), -1000, 1000)": [1, 2],
    # what is written wraps around
    "ops.full((1,), 1000, dtype=ms.int8)": [-24],
    "ops.cast(1000, ms.int8)": -24,
    "ops.pad(Tensor([1], ms.int8), (200, 0), value=1000)[198:]": [-24, -24, 1],
    "ops.pad(Tensor([1]), (1, 0), value=2**53 + 1)": [2**53 + 1, 1],
    "ops.index_fill(Tensor([1, 2], ms.uint32), 0, Tensor([0], ms.int32), 2**40)": [0, 2],
    # the number's own type
    "ops.fill(None, (1,), np.float16(2.5)).dtype.itemsize": 2,
    "ops.fill(None, (1,), np.int8(2)).dtype.itemsize": 1,
}


@pytest.mark.parametrize(("expression", "expected"), LIMITS.items(), ids=LIMITS)
@pytest.mark.parametrize("captured", [False, True])
def test_integers(expression, expected, captured):
    names = {"ops": ops, "mint": mint, "ms": ms, "mnp": ms.numpy, "np": np, "Tensor": Tensor}
    function = eval(f"lambda: {expression}", names)
    found = jit(function)() if captured else function()
    assert (found if isinstance(found, int) else found.asnumpy().tolist()) == expected


def test_graph_keeps_the_number():
    """A traced graph computes what the eager call does, without a warning that it runs eagerly."""
    x = Tensor([1.0, 2.0], ms.float16)
    for options in ({"dynamic": 1}, {"fullgraph": True}, {}):
        fill = jit(lambda x: ops.masked_fill(x, M, -1e9), **options)
        assert [fill(x).asnumpy().tolist() for _ in range(3)] == [[-math.inf, 2.0]] * 3


def test_fitted():
    table = [(65519.0, 65504.0), (65520, math.inf), (-65519, -65504.0), (-1e9, -math.inf), (1.5, 1.5)]
    for number, expected in table:
        assert fitted(number, to_torch(ms.float16)) == expected
    assert math.isnan(fitted(math.nan, to_torch(ms.float16)))
    assert saturated(2.7, to_torch(ms.int8)) == 2
    assert saturated(math.inf, to_torch(ms.int8)) == 127
