"""Random calls of all operations: they compute, or say in their own words why not; captured, they do the same."""

from __future__ import annotations

import ast
import inspect
import re
import traceback
import warnings

import numpy as np
import pytest

import cases
import fuzz
import random_calls
import torchspore as ms
from ways import arrays, assert_same

# What Python says of arguments that a function does not have is as good as our own words.
_OF_PYTHON = re.compile(
    r"^For '|\(\) (missing|got|takes)|unsupported operand|object is not (subscriptable|iterable|callable)"
)


def _evaluated(expression):
    """Return the result of an expression, or the exception; random numbers restart."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return eval(expression, cases.namespace(ms))
        except Exception as error:
            return error


def _is_raw(error):
    """Return whether an exception comes out of an operation as torch or Python raised it."""
    ours = any(
        "torchspore" in frame.filename or "<operation" in frame.filename
        for frame in traceback.extract_tb(error.__traceback__)
    )
    return ours and not (
        isinstance(error, (ArithmeticError, TypeError, ValueError, RuntimeError, IndexError))
        and _OF_PYTHON.search(str(error))
    )


@pytest.mark.parametrize("seed", fuzz.seeds(4)[:4])
def test_an_operation_computes_or_says_why_not(seed):
    raw = {}
    for expression in random_calls.calls(seed, fuzz.inputs(150)):
        result = _evaluated(expression)
        if isinstance(result, Exception) and _is_raw(result):
            raw[expression] = f"{type(result).__name__}: {result}"[:150]
    assert not raw


class _Inputs(ast.NodeTransformer):
    """Replaces the tensors of an expression by names."""

    def __init__(self):
        self.found = []

    def _named(self, node):
        self.found.append(ast.unparse(node))
        return ast.Name(f"input{len(self.found) - 1}")

    def visit_Call(self, node):
        is_made = isinstance(node.func, ast.Name) and node.func.id == "made"
        return self._named(node) if is_made else self.generic_visit(node)

    def visit_Name(self, node):
        return self._named(node) if node.id in cases.INPUTS else node


def _function_of_tensors(expression):
    """Return an expression as a function of its tensors, and a function that creates them."""
    inputs = _Inputs()
    body = ast.unparse(inputs.visit(ast.parse(expression, mode="eval")))
    names = cases.namespace(ms)
    function = eval(f"lambda {', '.join(f'input{n}' for n in range(len(inputs.found)))}: {body}", names)
    return function, lambda: [eval(text, cases.namespace(ms)) for text in inputs.found]


_RAISED = "an exception"


def _answer(function, inputs):
    """Return what a call gives as arrays, or that it raised; of two mistakes either may be found first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*inputs)
            if isinstance(result, list):  # what operations give for a list in a captured function; else it is a tuple
                result = tuple(result)
            return str(result) if isinstance(result, ms.ops.Primitive) else arrays(result)
        except Exception:
            return _RAISED


# As in MindSpore: `x.max(1)` are values and indices in a plain call.
_VALUES_ALONE_IN_GRAPHS = re.compile(r"\.(max|min)\(-?\d")


@pytest.mark.slow
@pytest.mark.parametrize("seed", fuzz.seeds(4)[:4])
def test_a_captured_operation_gives_what_it_gives_plainly(seed):
    differ = []
    for expression in random_calls.calls(100 + seed, fuzz.inputs(75)):
        if random_calls.is_random(expression) or _VALUES_ALONE_IN_GRAPHS.search(expression):
            continue
        function, inputs = _function_of_tensors(expression)
        if _answer(inputs, ()) is _RAISED:  # an input that cannot be made
            continue
        plain, captured = _answer(function, inputs()), ms.jit(function)
        for _ in range(2):  # the recording, and the graph
            try:
                assert_same(_answer(captured, inputs()), plain)
            except AssertionError:
                differ.append(expression)
    assert not differ


_UNARY = [
    name
    for name in ms.mint.__all__
    if callable(getattr(ms.mint, name))
    and [p.annotation for p in inspect.signature(getattr(ms.mint, name)).parameters.values()] == ["Tensor"]
    and hasattr(ms.ops, name)
    and hasattr(ms.Tensor, name)
]
# What MindSpore itself makes different.
_DIFFERENT = {"frac", "trace"}


@pytest.mark.parametrize("name", sorted(set(_UNARY) - _DIFFERENT))
def test_a_function_of_one_tensor_is_the_same_in_all_its_forms(name):
    for dtype in sorted(set(random_calls.DTYPES)):
        x = cases.namespace(ms)["made"](dtype, (2, 3))
        forms = [getattr(ms.mint, name), getattr(ms.ops, name), getattr(ms.Tensor, name)]
        of_mint, of_ops, of_tensor = [_answer(form, (x,)) for form in forms]
        np.testing.assert_equal(of_ops, of_mint)
        np.testing.assert_equal(of_tensor, of_mint)
