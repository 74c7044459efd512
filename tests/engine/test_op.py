"""The `op` decorator: the conversions and checks of each annotation; signatures, results, methods."""

from __future__ import annotations

import concurrent.futures
import inspect
import linecache
import pickle
import sys
import traceback
import types
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import torchspore as ms
import torchspore.mint
import torchspore.numpy
from torchspore import nn
from torchspore.common.dtype import Type
from torchspore.common.operations import Operations
from torchspore.engine.generated_functions import complete
from torchspore.engine.op import _CONVERSIONS, _UNCONVERTED, Operand, Size, attach, op, unary

X = ms.Tensor([1.0, 2.0])
P = ms.Parameter(ms.Tensor([1.0, 2.0]))


@pytest.fixture
def methods():
    """Take methods away again that a test gave to tensors."""
    before = set(vars(Operations))
    yield
    for name in set(vars(Operations)) - before:
        delattr(Operations, name)


def received(annotation: str, given: Any) -> Any:
    """Return the value that the body of an operation receives for an argument with this annotation."""
    seen = []

    def api(value):
        seen.append(value)

    api.__annotations__ = {"value": annotation, "return": "None"}
    op(api)(given)
    return seen[0]


def same(found, expected):
    if isinstance(expected, list):
        return isinstance(found, list) and all(map(same, found, expected)) and len(found) == len(expected)
    if isinstance(expected, torch.Tensor):
        return isinstance(found, torch.Tensor) and found.tolist() == expected.tolist()
    return type(found) is type(expected) and found == expected


ONE = torch.tensor(1.0)
ROW = torch.tensor([1.0, 2.0])

ACCEPTED = {
    "Tensor": [(X, ROW), (P, ROW)],
    "Tensor | None": [(X, ROW), (None, None)],
    "Operand": [
        *[(X, ROW), (2, 2), (2.5, 2.5), (True, True), (1j, 1j), (np.float32(2.5), 2.5), (np.int8(3), 3)],
    ],
    "Operand | None": [(X, ROW), (2, 2), (None, None), (np.bool_(True), True)],
    "list[Tensor]": [([X, P], [ROW, ROW]), ((X,), [ROW]), (X, [ONE, ONE + 1]), ([X, 1.0], [ROW, ONE]), ([], [])],
    "int": [(3, 3), (np.int64(3), 3), (ms.Tensor(3), 3), (ms.Tensor([3]), 3), (np.array(3), 3)],
    "int | None": [(3, 3), (None, None), (np.int8(3), 3)],
    "int | tuple[int, ...]": [
        *[(3, 3), ((1, 2), (1, 2)), ([1, 2], (1, 2)), (range(2), (0, 1)), ((), ())],
        *[(ms.Tensor([1, 2]), (1, 2)), (ms.Tensor([[1]]), 1)],
    ],
    "int | tuple[int, ...] | None": [(None, None), ([np.int8(1), ms.Tensor(2)], (1, 2)), (np.array([1, 2]), (1, 2))],
    "Size": [(3, (3,)), ((2, 3), (2, 3)), ([2, 3], (2, 3)), (((2, 3),), (2, 3)), (ms.Tensor([2, 3]), (2, 3)), ((), ())],
    "float": [(2.5, 2.5), (3, 3), (np.float32(2.5), 2.5), (ms.Tensor(2.5), 2.5), (ms.Tensor([3]), 3)],
    "float | None": [(None, None), (2.5, 2.5), (3, 3)],
    "bool": [(True, True), (False, False), (np.bool_(True), True)],
    "bool | None": [(True, True), (np.bool_(False), False), (None, None)],
    "Type": [(ms.float16, torch.float16), ("int8", torch.int8), (np.float64, torch.float64), (bool, torch.bool)],
    "Type | None": [(None, None), (ms.bfloat16, torch.bfloat16)],
    "NumpyType": [(int, torch.int64), (float, torch.float64), (bool, torch.bool), ("int8", torch.int8)],
    "NumpyType | None": [(None, None), (int, torch.int64)],
    "ArrayType": [(int, torch.int32), (float, torch.float32), (bool, torch.bool), (np.float64, torch.float64)],
    "ArrayType | None": [(None, None), (int, torch.int32)],
    **{annotation: [(3, 3), ("a", "a"), (None, None)] for annotation in sorted(_UNCONVERTED)},
}
A_NUMBER = "must be a Tensor or a number, but got"
INTS = "must be an int or a tuple of ints, but got"
TENSORS = "must be a list or tuple of Tensors, but got"
REFUSED = {
    "Tensor": [
        *[(1, "must be a Tensor, but got 1 (int)"), (None, "must be a Tensor, but got None")],
        (np.ones(2), "but got numpy.ndarray(shape=(2,), dtype=float64)"),
    ],
    "Tensor | None": [("a", "must be a Tensor, but got 'a' (str)")],
    "Operand": [
        *[("a", f"{A_NUMBER} 'a' (str)"), (None, f"{A_NUMBER} None"), ({}, f"{A_NUMBER} an object of type dict")],
        *[([1.0, 2.0], f"{A_NUMBER} [1.0, 2.0]"), ((X, X), f"{A_NUMBER} (Tensor(shape=(2,), dtype=Float32)")],
    ],
    "Operand | None": [(object, f"{A_NUMBER} the class object"), (np.str_("a"), A_NUMBER)],
    "list[Tensor]": [(1, f"{TENSORS} 1"), ([X, "a"], f"{TENSORS} [Tensor(shape=(2,), dtype=Float32), 'a']")],
    "int": [
        *[(1.5, "must be an int, but got 1.5 (float)"), (True, "must be an int, but got True")],
        (X, "but got Tensor(shape=(2,)"),
    ],
    "int | None": [("1", "must be an int, but got '1'"), (np.bool_(True), "must be an int")],
    "int | tuple[int, ...]": [(1.5, INTS), ((1, 2.5), "must be an int, but got 2.5"), (None, f"{INTS} None")],
    "int | tuple[int, ...] | None": [
        *[("a", INTS), ([True], "must be an int, but got True"), (np.ones((1, 1)), INTS)],
    ],
    "Size": [(1.5, INTS), (("a",), INTS), ((1, None), "must be an int, but got None"), (None, f"{INTS} None")],
    "float": [
        *[("1", "must be a number, but got '1'"), (None, "must be a number, but got None")],
        (True, "must be a number, but got True"),
        (X, "must be a number, but got Tensor(shape=(2,)"),
    ],
    "float | None": [([1.0], "must be a number, but got [1.0]"), (1j, "must be a number, but got 1j")],
    "bool": [
        *[(1, "must be a bool, but got 1 (int)"), (None, "must be a bool, but got None")],
        (ms.Tensor(True), "must be a bool"),
    ],
    "bool | None": [(1, "must be a bool, but got 1 (int)"), ("a", "must be a bool")],
    **{
        kind: [(wrong, "'dtype' must be a data type such as float32, but got") for wrong in ("foo", None, ms.string)]
        for kind in ("Type", "NumpyType", "ArrayType")
    },
    **{
        f"{kind} | None": [(3, "'dtype' must be a data type such as float32, but got 3")]
        for kind in ("Type", "NumpyType", "ArrayType")
    },
}


def rows(table):
    return [(annotation, *row) for annotation, found in table.items() for row in found]


class TestConversions:
    def test_every_annotation_has_rows(self):
        assert ACCEPTED.keys() == _CONVERSIONS.keys() | _UNCONVERTED
        assert REFUSED.keys() == _CONVERSIONS.keys()

    @pytest.mark.parametrize(("annotation", "given", "expected"), rows(ACCEPTED))
    def test_accepted(self, annotation, given, expected):
        assert same(received(annotation, given), expected)

    @pytest.mark.parametrize(("annotation", "given", "words"), rows(REFUSED))
    def test_refused(self, annotation, given, words):
        with pytest.raises(TypeError) as caught:
            received(annotation, given)
        assert str(caught.value).startswith("For 'api', ")
        assert words in str(caught.value)

    def test_an_unknown_annotation(self):
        @op
        def wrong(x: dict) -> Tensor:
            return x

        @op
        def bare(x) -> Tensor:
            return x

        with pytest.raises(TypeError, match="operation 'wrong': parameter 'x' has the unknown annotation 'dict'"):
            wrong(1)
        with pytest.raises(TypeError, match="operation 'bare': parameter 'x' has the unknown annotation 'missing'"):
            bare(1)

    def test_the_first_calls_of_several_threads(self):
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            for number in range(30):

                @op
                def scaled(x: Tensor, factor: int = 3) -> Tensor:
                    return x * factor

                with concurrent.futures.ThreadPoolExecutor(8) as pool:
                    results = [pool.submit(scaled, ms.Tensor([1.0 + at]), factor=number) for at in range(8)]
                assert [result.result().item() for result in results] == [(1.0 + at) * number for at in range(8)]
        finally:
            sys.setswitchinterval(interval)

    @pytest.mark.slow
    def test_the_code_of_every_function_can_be_generated(self):
        modules = [module for name, module in list(sys.modules.items()) if name.startswith("torchspore.")]
        classes = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
        ours = [cls for cls in classes if cls.__module__.startswith("torchspore.")]
        found = [value for place in (*modules, *ours) for value in vars(place).values()]
        functions = [value for value in found if isinstance(value, types.FunctionType)]
        made = {id(function): function for function in functions if function.__globals__.get("FUNCTION") is function}
        assert len(made) > 1500
        for function in made.values():
            names = [p.name for p in inspect.signature(function).parameters.values()]
            module = function.__globals__["__name__"]
            code = complete(function).__code__
            assert set(names) <= set(code.co_varnames), function
            assert function.__globals__["__name__"] == module  # frames and warnings show it


@op
def affine(input: Tensor, scale: Operand = 2, *, shift: float = 0.0, dtype: Type | None = None) -> Tensor:
    """Scale and shift."""
    result = input * scale + shift
    return result if dtype is None else result.to(dtype)


@op
def parts(input: Tensor, *, count: int = 2) -> Any:
    return tuple(input for _ in range(count)), [input, None], {"k": input}, input.dim(), "text"


@op
def nothing(input: Tensor) -> None:
    input.dim()


@op
def joined(first: Tensor, *rest: Any, factor: Operand = 1) -> Tensor:
    return (first + sum(value._t for value in rest[0])) * factor if rest and rest[0] else first * factor


class TestCalls:
    def test_arguments_by_place_and_name(self):
        assert affine(X).tolist() == [2, 4]
        assert affine(X, 3).tolist() == affine(scale=3, input=X).tolist() == [3, 6]
        assert affine(X, shift=1, dtype=ms.int8).dtype is ms.int8
        assert affine(X, X, shift=ms.Tensor(1.0)).tolist() == [2, 5]

    @pytest.mark.parametrize(
        ("call", "words"),
        [
            (lambda: affine(), "missing 1 required positional argument: 'input'"),
            (lambda: affine(X, 1, 2), "takes from 0 to 2 positional arguments but 3 were given"),
            (lambda: affine(X, foo=1), "got an unexpected keyword argument 'foo'"),
            (lambda: affine(X, input=X), "got multiple values for argument 'input'"),
        ],
    )
    def test_python_checks_the_call(self, call, words):
        with pytest.raises(TypeError, match=words):
            call()

    def test_results(self):
        result = affine(X)
        assert type(result) is ms.Tensor
        assert type(affine(P)) is ms.Tensor
        pair, listed, named, number, text = parts(X)
        assert [type(t) for t in (*pair, listed[0], named["k"])] == [ms.Tensor] * 4
        assert (listed[1], number, text) == (None, 1, "text")
        assert nothing(X) is None

    def test_named_tuples_stay_so(self):
        @op
        def extremes(input: Tensor) -> Any:
            return torch.max(input, 0)

        values, indices = extremes(X)
        assert (values.tolist(), indices.tolist()) == (2, 1)

    def test_gradients_flow(self):
        assert ms.grad(affine)(X, 3).tolist() == [3, 3]
        assert ms.grad(lambda x: parts(x)[0][1])(X).tolist() == [1, 1]

    def test_signature_and_documentation(self):
        assert str(inspect.signature(affine)) == (
            "(input: 'Tensor', scale: 'Operand' = 2, *, shift: 'float' = 0.0, dtype: 'Type | None' = None) -> 'Tensor'"
        )
        assert (affine.__doc__, affine.__name__, affine.__qualname__) == ("Scale and shift.", "affine", "affine")
        assert affine.__module__ == __name__
        assert affine.__annotations__["shift"] == "float"
        assert affine.body(torch.ones(1), 3).tolist() == [3]
        assert inspect.getsource(affine.body).startswith("@op")

    def test_defaults_are_converted_too(self):
        @op
        def filled(size: Size = 2, dtype: Type = ms.int8) -> Tensor:
            return torch.ones(size, dtype=dtype)

        assert (filled().shape, filled().dtype) == ((2,), ms.int8)
        assert inspect.signature(filled).parameters["dtype"].default is ms.int8

    def test_operations_of_the_package_pickle(self):
        assert pickle.loads(pickle.dumps(ms.ops.add)) is ms.ops.add


class TestMethods:
    def test_one_and_several(self, methods):
        @op(method="shifted")
        def shifted(input: Tensor, by: Operand = 1) -> Tensor:
            return input + by

        @op(method=("halved", "half_of"), name="Tensor.halved")
        def _halved(self: Tensor, count: int = 1) -> Tensor:
            return self / 2**count

        assert X.shifted().tolist() == X.shifted(by=1).tolist() == P.shifted().tolist() == [2, 3]
        assert X.halved(2).tolist() == X.half_of(count=2).tolist() == [0.25, 0.5]
        with pytest.raises(TypeError, match=r"For 'Tensor\.halved', 'count' must be an int, but got 1\.5"):
            X.halved(1.5)
        with pytest.raises(TypeError, match="For 'shifted', 'by' must be a Tensor or a number"):
            X.shifted("a")

    def test_names_of_private_functions(self):
        @op
        def _hidden(input: Tensor) -> Tensor:
            return input

        with pytest.raises(TypeError, match="For 'hidden', 'input' must be a Tensor"):
            _hidden(1)

    def test_attach(self, methods):
        attach(property(lambda self: self.ndim + 1), "one_more")
        assert X.one_more == 2

    def test_unary(self, methods):
        tanh = unary(torch.tanh, "Hyperbolic tangent.", name="tanhs", method=("tanhs", "th"))
        assert tanh(X).tolist() == X.tanhs().tolist() == X.th().tolist() == torch.tanh(ROW).tolist()
        assert tanh.__doc__.startswith("Hyperbolic tangent.\n\nArgs:")
        assert (tanh.__name__, tanh.__module__) == ("tanhs", __name__)
        with pytest.raises(TypeError, match="For 'tanhs', 'input' must be a Tensor, but got 1"):
            tanh(1)
        silent = unary(torch.tanh, "Hyperbolic tangent.", name="unseen", method=())
        assert not hasattr(X, "unseen")
        assert silent(P).tolist() == torch.tanh(ROW).tolist()


def deeper(input):
    return {}[input.dim()]  # the line that fails


class TestTracebacks:
    """A maintainer sees where an operation failed; a user sees his line, then ours."""

    @pytest.mark.parametrize("kind", [KeyError, ValueError])
    def test_a_helper_that_fails_is_in_the_traceback(self, kind, monkeypatch):
        @op
        def failing(input: Tensor) -> Tensor:
            return deeper(input) if kind is KeyError else int("no number")

        with pytest.raises(ValueError, match="For 'failing', ") as caught:
            failing(X)
        text = "".join(traceback.format_exception(caught.value))
        assert "return deeper(input) if kind is KeyError else" in text
        assert ("# the line that fails" in text) is (kind is KeyError)
        assert "result = call(input_)" in text

    @pytest.mark.parametrize("call", [lambda: ms.ops.add("a", X), lambda: ms.ops.matmul(X, ms.Tensor([1.0]))])
    def test_a_wrong_argument_ends_at_the_users_line(self, call):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        frames = traceback.extract_tb(caught.value.__traceback__)
        users = [frame.filename == __file__ for frame in frames]
        assert users[:2] == [True, True]
        assert len(frames) <= 5  # one more in the first call
        assert not any(users[2:])
        assert "During handling" not in "".join(traceback.format_exception(caught.value))

    def test_the_users_own_errors_pass(self):
        def users(x):
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            ms.vmap(users)(X)
        with pytest.raises(KeyError, match="mine"):
            nn.SequentialCell([UsersCell()])(X)

    def test_source(self):
        assert inspect.getsource(ms.ops.reshape).startswith("@op\ndef reshape(input: Tensor, shape: Size)")
        assert ms.ops.reshape.__wrapped__.__name__ == "reshape"
        assert str(inspect.signature(ms.ops.reshape)) == "(input: 'Tensor', shape: 'Size') -> 'Tensor'"
        code = complete(ms.ops.reshape).__code__
        assert linecache.getline(code.co_filename, code.co_firstlineno).startswith("def reshape(input=")
        code = complete(ms.ops.ReduceSum.__call__).__code__
        assert linecache.getline(code.co_filename, code.co_firstlineno).startswith("def __call__(self, x, axis=")


class UsersCell(nn.Cell):
    def construct(self, x):
        raise KeyError("mine")


class TestNames:
    """An operation under a second name says that name."""

    @pytest.mark.parametrize(
        ("call", "name"),
        [
            (lambda: ms.ops.acos(1), "acos"),
            (lambda: ms.ops.arccos(1), "arccos"),
            (lambda: ms.mint.arccos(1), "arccos"),
            (lambda: ms.mint.linalg.inv(1), "inv"),
            (lambda: ms.ops.ACos()(1), "ACos"),
            (lambda: ms.ops.subtract("a", 2), "subtract"),
            (lambda: X.arctan2("a"), "arctan2"),
            (lambda: X.ge("a"), "ge"),
            (lambda: X.sum(axis="a"), "sum"),
            (lambda: X + "a", "add"),
            (lambda: nn.ReLU()(1), "ReLU"),
            (lambda: nn.Dense(2, 3)(1), "Dense"),
            (lambda: nn.SequentialCell([nn.Dense(2, 3)])(1), "Dense"),
            (lambda: nn.Conv2d(2, "a", 3), "Conv2d"),
            (lambda: nn.Adam(3), "Adam"),
        ],
    )
    def test_name(self, call, name):
        with pytest.raises(TypeError, match=f"^For '{name}', "):
            call()

    @pytest.mark.parametrize("function", [ms.ops.arccos, ms.mint.gt, ms.mint.linalg.inv, ms.numpy.abs])
    def test_second_names_pickle(self, function):
        assert pickle.loads(pickle.dumps(function)) is function


class TestErrors:
    def test_torchs_words_are_explained(self):
        with pytest.raises(ValueError, match=r"For 'affine', The size of tensor a \(2\) must match .* Given: ") as e:
            affine(X, ms.Tensor([1.0, 2.0, 3.0]))
        text = str(e.value)
        assert "input=Tensor(shape=(2,), dtype=Float32), scale=Tensor(shape=(3,), dtype=Float32)" in text
        assert text.endswith("shift=0.0 (float), dtype=None.")
        assert e.value.__cause__ is None
        assert e.value.__suppress_context__

    def test_ours_name_what_was_called(self):
        @op
        def outer(input: Tensor) -> Tensor:
            raise ValueError("For 'inner', no.")

        with pytest.raises(ValueError, match=r"^For 'outer', no\.$"):
            outer(X)
