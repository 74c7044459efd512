"""Results that Python computes on demand: captured functions return them as tuples or lists, as MindSpore's graphs do.

The kinds and contents were recorded with MindSpore 2.10.
"""

# ruff: noqa: C417 - what `map` returns is tested

from __future__ import annotations

import warnings

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn, ops

X = Tensor([1.0, 2.0])


@pytest.fixture(autouse=True)
def _as_before():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def generator(x):
    yield x
    yield x + 1


CASES = [
    (lambda x: map(lambda a: a + 1, (1, 2, 3)), (2, 3, 4)),
    (lambda x: map(lambda a: a + 1, [1, 2, 3]), [2, 3, 4]),
    (lambda x: map(lambda a: a, range(3)), (0, 1, 2)),
    (lambda x: map(lambda a: a, map(lambda b: b, [1, 2])), [1, 2]),
    (lambda x: map(lambda a: a * 2, (x, x)), ([2.0, 4.0], [2.0, 4.0])),
    (lambda x: zip((1, 2), (x, x)), ((1, [1.0, 2.0]), (2, [1.0, 2.0]))),
    (lambda x: zip([1, 2], [3, 4]), ((1, 3), (2, 4))),
    (lambda x: filter(lambda a: a > 1, (1, 2, 3)), [2, 3]),
    (lambda x: filter(lambda a: a > 1, [1, 2, 3]), [2, 3]),
    (lambda x: filter(lambda a: True, ()), []),
    (lambda x: range(3), (0, 1, 2)),
    (lambda x: range(1, 9, 2), (1, 3, 5, 7)),
    (lambda x: range(0), ()),
    (lambda x: enumerate([4, 5], 3), ((3, 4), (4, 5))),
    (lambda x: (x + i for i in range(2)), [[1.0, 2.0], [2.0, 3.0]]),
    (lambda x: iter((1, 2)), (1, 2)),
    (lambda x: iter([1, 2]), [1, 2]),
    (lambda x: {"a": 1, "b": 2}.keys(), ("a", "b")),
    (lambda x: {"a": 1, "b": 2}.values(), (1, 2)),
    (lambda x: {"a": 1, "b": 2}.items(), [("a", 1), ("b", 2)]),
    (lambda x: (1, map(lambda a: a + 1, (1, 2)), [zip((1,), (2,))]), (1, (2, 3), [((1, 2),)])),
    (lambda x: {"a": range(2), "b": [enumerate([x])]}, {"a": (0, 1), "b": [((0, [1.0, 2.0]),)]}),
    (lambda x: (np.float32(1.5), [np.int64(3)], np.bool_(True)), (1.5, [3], True)),
    (generator, [[1.0, 2.0], [2.0, 3.0]]),
]


def plain(value):
    """Return nested results with lists in place of tensors."""
    if isinstance(value, Tensor):
        return value.asnumpy().tolist()
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return type(value)(map(plain, value)) if isinstance(value, (tuple, list)) else value


def through_numpy(x):
    return zip((1,), (Tensor(np.asarray(x.asnumpy())),))


@pytest.mark.parametrize(("function", "expected"), CASES)
def test_kinds_and_contents(function, expected):
    class Net(nn.Cell):
        def construct(self, x):
            return function(x)

    captured = ms.jit(function)
    for _ in range(2):
        assert plain(captured(X)) == expected
    assert captured.captures == 1
    ms.set_context(mode=ms.GRAPH_MODE)
    assert plain(Net()(X)) == expected


def test_a_captured_function_inside_another_and_inside_a_gradient():
    pairs = ms.jit(lambda x: zip((1, 2), (x, x * 3)))

    @ms.jit
    def outer(x):
        found = pairs(x)
        return found[1][1] * len(found)

    assert np.array_equal(outer(X).asnumpy(), X.asnumpy() * 6)
    assert np.array_equal(ms.grad(lambda x: pairs(x)[1][1].sum())(X).asnumpy(), [3, 3])
    assert np.array_equal(ops.vmap(lambda x: pairs(x)[0][1])(X).asnumpy(), X.asnumpy())


def test_where_the_function_runs_eagerly():
    captured = ms.jit(through_numpy)
    with pytest.warns(RuntimeWarning, match="runs eagerly"):
        assert plain(captured(X)) == ((1, [1.0, 2.0]),)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plain(captured(X)) == ((1, [1.0, 2.0]),)


def test_an_argument_stays_the_same_object():
    given = [X, (1, 2)]
    assert ms.jit(lambda value: value)(given) is given


def test_mutable_containers_are_plain():
    found = ms.jit(lambda x: (ms.mutable((1, 2)), [ms.mutable([x, {"a": ms.mutable({"b": 3})}])]))(Tensor(1.0))
    assert [type(found[0]), type(found[1][0]), type(found[1][0][1]["a"])] == [tuple, list, dict]
    assert found[0] == (1, 2)


@pytest.mark.parametrize("given", [(1, 2.5), [3], {"a": 1}])
def test_mutable_arguments_are_plain_in_results(given):
    captured = ms.jit(lambda m, x: (m, x))
    for changed in (given, {"a": 5} if isinstance(given, dict) else type(given)([7] * len(given))):
        found, _ = captured(ms.mutable(changed), Tensor(1.0))
        assert type(found) is type(given)
        assert found == changed
