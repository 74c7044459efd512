"""Gradients of integers and bools are MindSpore's, in their own data type; plainly, captured, and in GRAPH_MODE."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

import torchspore as ms

DATA = pathlib.Path(__file__).parents[1] / "data"
sys.path.append(str(DATA))
from record_integer_gradients import TABLE, gradient, value  # noqa: E402

RECORDED = json.loads(TABLE.read_text(encoding="utf-8"))
NAMES = {"int8": ms.int8, "int64": ms.int64, "uint8": ms.uint8, "bool": ms.bool_}

# MindSpore's gradient is float32 where the last operation of its backward pass happens to make floats.
FLOATS = {"x / 2", "1 / x", "ops.reciprocal(x)", "ops.sqrt(x)", "x.mean()", "x.mean(1)"}
DIFFERENCES = {
    ("(x * 2) / 4", "bool"): "floats on their way through integers are not cut",
    ("x.astype(ms.int32) / 4", "bool"): "floats on their way through integers are not cut",
    ("x.var()", "int8"): "cut in the middle of the formula",
    ("x.var()", "int64"): "cut in the middle of the formula",
    ("x[0, x[0, 0]]", "bool"): "a bool is taken for an int as an index",
    ("ops.cumprod(x, 0)", "uint8"): "what is behind a 0 counts as constant",
    ("ops.cumprod(x, 0)", "bool"): "what is behind a 0 counts as constant",
    ("x.copy() * 3", "bool"): "the copy of bools has no gradient, that of integers has",
}
OTHER_ERRORS = {
    "ms.grad(Given(Tensor(np.ones((2, 3), np.float32))))(F(2, 3))": "ValueError for a shape that does not fit",
    "ms.grad(Given(Tensor(np.ones((6,), np.float32))))(Tensor(np.ones((2, 3), np.float32)))": "the same",
    "ms.grad(filled)(I(3, 4))": "MindSpore takes it or not, by what ran before",
}


@pytest.fixture(params=["plain", "jit", "graph"])
def way(request):
    """How a gradient function runs."""
    if request.param == "graph":
        ms.set_context(mode=ms.GRAPH_MODE)
    yield ms.jit if request.param == "jit" else lambda function: function
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.filterwarnings("ignore:.*eager")
@pytest.mark.parametrize("body", RECORDED["bodies"])
def test_functions_of_integers(body, way):
    for dtype, expected in RECORDED["bodies"][body].items():
        if expected.startswith("!"):
            continue
        found = gradient(ms, body, dtype, way)
        if body in FLOATS:
            assert found.startswith((str(NAMES[dtype]), "!TypeError")), dtype  # there is no mean of bools
        else:
            assert (found == expected) is ((body, dtype) not in DIFFERENCES), dtype


@pytest.mark.parametrize("program", RECORDED["programs"])
def test_programs(program):
    found, expected = value(ms, program), RECORDED["programs"][program]
    assert (found == expected) is (program not in OTHER_ERRORS)
