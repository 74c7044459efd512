"""Torch's exceptions in MindSpore's types and words."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Tensor, nn, ops
from torchspore.common.error_classes import also
from torchspore.engine.failures.errors import describe, explain
from torchspore.engine.failures.type_names import named_as_here

I, F = torch.tensor([1, 2]), torch.tensor([[1.0, 2.0], [3.0, 4.0]])  # noqa: E741


def raised(function: Callable[[], Any]) -> Exception:
    """Return the exception that a call of torch raises."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        function()
    return caught.value


def _shown(error: Exception) -> type[Exception]:
    """Return the class of Python whose name an error shows."""
    return getattr(builtins, type(error).__name__)


class TestExplain:
    @pytest.mark.parametrize(
        ("failing", "kind"),
        [
            # types
            (lambda: torch.matmul(I, I.float()), TypeError),
            (lambda: torch.cholesky_inverse(I.reshape(1, 2).expand(2, 2)), TypeError),
            (lambda: torch.sum(F, "a"), TypeError),
            (lambda: torch.ones(2, dtype=torch.bool) - torch.ones(2, dtype=torch.bool), TypeError),
            (lambda: -torch.ones(2, dtype=torch.bool), TypeError),
            (lambda: torch.add(1, 2, foo=3), TypeError),
            (lambda: F.add_(1j), TypeError),
            (lambda: torch.nn.functional.conv2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 1).double()), TypeError),
            (lambda: torch.linalg.matrix_exp(I.reshape(1, 2).expand(2, 2)), TypeError),
            (lambda: torch.linalg.vector_norm(I), TypeError),
            # shapes, dimensions, positions
            (lambda: F + torch.ones(3), ValueError),
            (lambda: torch.matmul(F, torch.ones(3, 3)), ValueError),
            (lambda: F.sum(5), ValueError),
            (lambda: F.reshape(3), ValueError),
            (lambda: F.unsqueeze(7), ValueError),
            (lambda: torch.cat([F, torch.ones(3, 3)]), ValueError),
            (lambda: torch.stack([F, torch.ones(3)]), ValueError),
            (lambda: torch.gather(F, 0, torch.tensor([[5]])), ValueError),
            (lambda: F[5], ValueError),
            (lambda: torch.nn.functional.conv2d(torch.ones(1, 2, 2, 2), torch.ones(1, 3, 1, 1)), ValueError),
            (lambda: torch.ones(-1), ValueError),
            (lambda: F.expand(3, 3), ValueError),
            # values
            (lambda: torch.linspace(0, 1, -1), ValueError),
            (lambda: torch.multinomial(torch.tensor([float("nan")]), 1), RuntimeError),
        ],
    )
    def test_types_and_words(self, failing, kind):
        error = raised(failing)
        explained = explain(error, "Api", {"x": ms.Tensor([1, 2]), "axis": 5})
        assert _shown(explained) is kind, (type(error), str(error))
        text = str(explained)
        assert text.startswith("For 'Api', ")
        assert named_as_here(str(error).strip().split("\n")[0].rstrip(".")) in text
        assert text.endswith(" Given: x=Tensor(shape=(2,), dtype=Int64), axis=5 (int).")

    @pytest.mark.parametrize(
        ("error", "kind"),
        [
            *[(TypeError("t"), TypeError), (NotImplementedError("n"), TypeError), (ValueError("v"), ValueError)],
            *[(IndexError("i"), ValueError), (RuntimeError("r"), RuntimeError), (RuntimeError("shape"), ValueError)],
            (RuntimeError("expected scalar type Float but found Long, size 3"), TypeError),
        ],
    )
    def test_the_exceptions_own_type_decides_first(self, error, kind):
        assert _shown(explain(error, "Api", {})) is kind

    def test_types_of_two_tensors_have_our_names(self):
        error = raised(lambda: torch.conv2d(torch.ones(1, 1, 2, 2).bfloat16(), torch.ones(1, 1, 2, 2)))
        assert "(a Tensor of BFloat16) and weight type (a Tensor of Float32)" in str(explain(error, "Api", {}))

    def test_only_the_first_line_is_kept(self):
        explained = explain(RuntimeError("first line.\nC++ stack\nmore"), "Api", {})
        assert str(explained) == "For 'Api', first line."

    @pytest.mark.parametrize(
        "error",
        [
            also(ValueError, TypeError, RuntimeError)("For 'Api', it is explained already."),
            torch.OutOfMemoryError("out of memory, size 3"),
            OSError(2, "no such file"),
            type("Steering", (RuntimeError,), {"__module__": "torch.fx.experimental"})("size"),
            type("Steering", (RuntimeError,), {"__module__": "torch._subclasses"})("dtype"),
        ],
    )
    def test_what_passes_as_it_is(self, error):
        before = str(error)
        assert explain(error, "Api", {"x": 1}) is error
        assert str(error) == before
        assert error.__traceback__ is None

    @pytest.mark.parametrize(
        ("error", "kind"),
        [
            *[(KeyError("a"), ValueError), (ZeroDivisionError("a"), ValueError), (OverflowError("a"), ValueError)],
            *[
                (AttributeError("a"), TypeError),
                (UnboundLocalError("a"), RuntimeError),
                (AssertionError("a"), ValueError),
            ],
        ],
    )
    def test_what_python_raises_becomes_the_cause(self, error, kind):
        explained = explain(error, "Api", {"x": 1})
        assert _shown(explained) is kind
        assert str(explained) == f"For 'Api', {type(error).__name__}: a. Given: x=1 (int)."
        assert explained.__cause__ is error

    def test_ours_names_what_was_called(self):
        error = TypeError("For 'inner', no.")
        explained = explain(error, "Api", {})
        assert str(explained) == "For 'Api', no."
        assert isinstance(explained, TypeError)
        assert isinstance(explained, ValueError)
        assert isinstance(explained, RuntimeError)
        assert explain(explained, "Api", {}) is explained


class TestDescribe:
    @pytest.mark.parametrize(
        ("value", "words"),
        [
            (ms.Tensor([[1.0]]), "Tensor(shape=(1, 1), dtype=Float32)"),
            (ms.Parameter(1.0), "Tensor(shape=(), dtype=Float32)"),
            (torch.ones(2, dtype=torch.bfloat16), "Tensor(shape=(2,), dtype=BFloat16)"),
            (torch.ones(0), "Tensor(shape=(0,), dtype=Float32)"),
            (np.ones((2, 3), np.int8), "numpy.ndarray(shape=(2, 3), dtype=int8)"),
            *[(None, "None"), (True, "True (bool)"), (3, "3 (int)"), (2.5, "2.5 (float)"), (1j, "1j (complex)")],
            *[("a", "'a' (str)"), ((1, "b"), "(1, 'b')"), ((), "()")],
            ([ms.Tensor(1)], "[Tensor(shape=(), dtype=Int64)]"),
            (["x" * 100], "['" + "x" * 39 + "]"),
            (list(range(9)), "an object of type list"),
            *[({}, "an object of type dict"), (int, "the class int"), (ms.float32, "the data type float32")],
        ],
    )
    def test_forms(self, value, words):
        assert describe(value) == words


def put(x, index):
    y = x * 1
    y[index] = 0
    return y


@pytest.mark.parametrize(
    "function",
    [
        lambda x, index: x[index],
        lambda x, index: x[:, index],
        lambda x, index: put(x, index),
        lambda x, index: ops.gather(x, index, 0),
        lambda x, index: ops.gather_nd(x, index.reshape(2, 1)),
        lambda x, index: x.index_select(1, index),
        lambda x, index: ops.tensor_scatter_update(x, index.reshape(2, 1), x[:, :3]),
        lambda x, index: ops.cross_entropy(x, index.int()),
    ],
)
@pytest.mark.parametrize("first", ["wrong", "right"])
def test_an_index_out_of_range_is_the_same_error_in_a_graph(function, first):
    x, wrong, right = ops.ones((2, 3)), Tensor([0, 5]), Tensor([0, 1])
    with pytest.raises((IndexError, ValueError)) as plain:
        function(x, wrong)
    for called in (ms.jit(function), ms.jit(ms.grad(function))):
        if first == "right":
            called(x, right)
        with pytest.raises(_shown(plain.value)):
            called(x, wrong)


class TestTypeNames:
    @pytest.mark.parametrize(
        ("torchs", "ours"),
        [
            ("expected m1 and m2 to have the same dtype, but got: float != c10::Half", "Float32 != Float16: cast one"),
            ("expected scalar type Long but found Int", "expected scalar type Int64 but found Int32: cast one"),
            ("\"bitwise_and_cpu\" not implemented for 'Half'", "not implemented for 'Float16'"),
            (
                "expected dtype c10::BFloat16 for `weight` but got dtype float",
                "dtype BFloat16 for `weight` but got dtype ",
            ),
            ("result type ComplexFloat can't be cast to the desired output type Byte", "Complex64 can't be cast to"),
            ("scalar types: Long; but got torch.FloatTensor instead", "Int64; but got a Tensor of Float32 instead"),
            ("torch.float16 and torch.nn", "Float16 and torch.nn"),
            ("Float: no size of it", "Float32: no size of it."),
        ],
    )
    def test_those_of_torch_do_not_show(self, torchs, ours):
        assert ours in str(explain(RuntimeError(torchs), "Api", {}))

    def test_nor_in_texts_of_this_package(self):
        with pytest.raises(TypeError, match=r"must be ints, but got Float32\. Cast them first\.$"):
            ops.unsorted_segment_sum(Tensor([1.0]), Tensor([0.5]), 1)


def without_end(x):
    return without_end(x + 1)


def in_turns(x):
    return without_end(x) if x is None else also_in_turns(x + 1)


def also_in_turns(x):
    return in_turns(x) * 2


class WithoutEnd(nn.Cell):
    def construct(self, x):
        return self(x) + 1


@pytest.mark.parametrize("fullgraph", [True, False])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: without_end, "without_end"),
        (lambda: ms.grad(in_turns), "(also_)?in_turns"),
        (WithoutEnd, "(WithoutEnd.)?construct"),
    ],
)
def test_a_recursion_without_end_is_named(make, name, fullgraph):
    with pytest.raises(RecursionError, match=rf"^For 'jit', '{name}' \(.*test_errors.py:\d+\) calls itself too often"):
        ms.jit(make(), fullgraph=fullgraph)(Tensor([1.0]))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("optimizer", [nn.Momentum, nn.Adam])
def test_learning_rates_that_end(optimizer, mode):
    ms.set_context(mode=mode)
    net = nn.Dense(1, 1)
    rest = (0.9,) if optimizer is nn.Momentum else ()
    step = nn.TrainOneStepCell(nn.SequentialCell(net), optimizer(net.trainable_params(), [0.1, 0.2], *rest))
    for _ in range(2):
        step(Tensor([[1.0]]))
    name = optimizer.__name__
    for _ in range(2):
        with pytest.raises(
            RuntimeError, match=f"^For '{name}', the learning rates end after 2 steps, and this is step 3"
        ):
            step(Tensor([[1.0]]))
