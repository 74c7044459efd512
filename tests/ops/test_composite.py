"""Overloads by type, functions mapped over sequences, loops as operations."""

from __future__ import annotations

import pytest

import torchspore as ms
from torchspore import Parameter, ParameterTuple, Tensor, ops
from torchspore.ops.compat import multitype


@pytest.fixture
def combine():
    """Return a function with a definition for each pair of kinds."""
    combined = ops.MultitypeFuncGraph("combine")
    combined.register("Tensor", "Tensor")(lambda x, y: x + y)
    combined.register("Number", "Number")(lambda x, y: x - y)
    combined.register("Tensor", "Number")(lambda x, y: x * y)
    combined.register("Number", "Tuple")(lambda x, y: ("number and tuple", x, y))
    combined.register("String", "Function")(lambda x, f: f(x))
    combined.register(ms.int32)(lambda x: "an int")
    return combined


def test_the_types_choose(combine):
    assert combine(1, 2) == -1
    assert combine(True, 2.5) == -1.5
    assert float(combine(Tensor(1.0), Tensor(2.0))) == 3
    assert float(combine(Tensor(3.0), 2)) == 6
    assert combine(1, (2, 3)) == ("number and tuple", 1, (2, 3))
    assert combine("a", str.upper) == "A"
    assert combine(4) == "an int"


@pytest.mark.parametrize("args", [(1, "a"), ([1], 2), (None, 1), (1, 2, 3)])
def test_no_definition(combine, args):
    with pytest.raises(ValueError, match=r"'combine' has no definition for .*Tensor, Number"):
        combine(*args)


def test_maps(combine):
    assert ops.HyperMap(combine)((1, (2, 3)), (4, (5, 6))) == (-3, (-3, -3))
    assert ops.HyperMap()(combine, [1, 2], (3, 4)) == (-2, -2)
    assert ops.Map(combine, reverse=True)((1, 2), (3, 4)) == (-2, -2)
    weights = ParameterTuple([Parameter(Tensor(1.0), name="w")])
    assert float(ops.HyperMap(combine)(weights, (Tensor(2.0),))[0]) == 3
    assert ops.HyperMap(ops.partial(combine, 10))((1, (2,))) == (9, (8,))


def test_maps_in_graphs_and_gradients(combine):
    def total(x):
        return sum(ops.HyperMap(combine)((x, (x,)), (x, (2,)))[:1])

    captured = ms.jit(total, fullgraph=True)
    assert captured(Tensor([3.0])).asnumpy().tolist() == [6]
    assert ms.grad(captured)(Tensor([3.0])).asnumpy().tolist() == [2]


def test_maps_of_different_lengths_end_with_the_shortest():
    with pytest.warns(RuntimeWarning, match=r"lengths \[2, 3\]"):
        assert ops.Map(max)((1, 2), (1, 2, 3)) == (1, 2)
    with pytest.warns(RuntimeWarning, match=r"lengths \[2, 1\]"):
        assert ops.HyperMap(max)((1, 2), (3,)) == (3,)


@pytest.mark.parametrize(
    ("make", "in_graph", "outside"),
    [
        (lambda x: ops.HyperMap()(ops.neg, [x, (x, [x])]), [-1, (-1, [-1])], (-1, (-1, (-1,)))),
        (lambda x: ops.Map()(ops.neg, [x]), [-1], (-1,)),
        (lambda x: ops.Map()(ops.neg, (x,)), (-1,), (-1,)),
        (lambda x: ops.HyperMap()(abs, []), [], ()),
    ],
)
def test_maps_of_lists_are_lists_in_graphs(make, in_graph, outside):
    one = Tensor(1)
    assert ms.jit(make, fullgraph=True)(one) == in_graph
    assert make(one) == outside


def test_maps_of_dicts_in_graphs():
    assert ms.jit(lambda x: ops.HyperMap()(ops.neg, {"a": x, "b": [x]}))(Tensor(1)) == {"a": -1, "b": [-1]}


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ops.HyperMap(3), TypeError, "'ops' must be a function"),
        (lambda: ops.HyperMap()((1, 2)), TypeError, "first argument of the call"),
        (lambda: ops.HyperMap(abs)(), TypeError, "at least one"),
        (lambda: ops.Map(abs)(3), TypeError, "must be a sequence"),
        (lambda: ops.Map(abs)(Tensor(3)), TypeError, "must be a sequence"),
        (lambda: ms.jit(lambda: ops.Map(max)((1, 2), (1, 2, 3)))(), RuntimeError, r"lengths \[2, 3\]"),
        (lambda: ops.MultitypeFuncGraph(3), TypeError, "'name'"),
        (lambda: ops.MultitypeFuncGraph("f").register("Tensr"), TypeError, "a type must be one of"),
        (lambda: ops.WhileLoop()(1, abs, 2), TypeError, "'cond_func'"),
        (lambda: ops.ForiLoop()(0, 2.5, max, 1), TypeError, "'upper'"),
        (lambda: ops.Scan()(max, 0, 3), TypeError, "'xs'"),
        (lambda: ops.Scan()(max, 0, [1], 2), ValueError, "'length'"),
        (lambda: ops.Scan()(max, 0, None), TypeError, "'length'"),
        (lambda: ops.partial(3), TypeError, "'func'"),
    ],
)
def test_wrong_use(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("captured", [False, True])
def test_loops(captured):
    def loops(x, n):
        doubled = ops.WhileLoop()(lambda v: v.sum() < 100, lambda v: v * 2, x)
        added = ops.ForiLoop()(0, n, lambda i, v: v + i, x)
        carried, kept = ops.Scan()(lambda c, v: (c + v, c * v), x, [x, x])
        return doubled, added, carried, kept[1]

    run = ms.jit(loops, fullgraph=True) if captured else loops
    for start, rounds in ((1.0, 3), (30.0, 0), (1.0, 3)):
        doubled, added, carried, kept = run(Tensor([start]), Tensor(rounds))
        expected = start
        while expected < 100:
            expected *= 2
        assert [float(v) for v in (doubled, added, carried, kept)] == [
            expected, start + sum(range(rounds)), 3 * start, 2 * start * start,
        ]  # fmt: skip


_NAMES_OF_TYPES = ["Number", ms.number, "Int", ms.int_, ms.int64], ["Tensor", ms.tensor_type, Tensor]


@pytest.mark.parametrize("number", _NAMES_OF_TYPES[0])
@pytest.mark.parametrize("tensor", _NAMES_OF_TYPES[1])
def test_types_of_definitions(number, tensor):
    scale = ops.MultitypeFuncGraph("scale")
    scale.register(number, tensor)(lambda x, y: "both")
    scale.register(tensor)(lambda x: "tensor")
    assert scale(2, Tensor([1.0])) == "both"
    assert scale(ms.Parameter(Tensor([1.0]))) == "tensor"


def test_a_bool_is_an_int_only_if_nothing_takes_bools():
    kind = ops.MultitypeFuncGraph("kind")
    kind.register("Int")(lambda x: "int")
    assert kind(True) == "int"
    kind.register(ms.bool_)(lambda x: "bool")
    assert [kind(True), kind(1)] == ["bool", "int"]


def test_map_of_leaves():
    def add(x, y):
        return x + y

    assert ops.HyperMap(add)(Tensor([1, 2]), Tensor([3, 4])).tolist() == [4, 6]
    assert ops.HyperMap()(add, Tensor([1, 2]), 3).tolist() == [4, 5]
    assert ops.HyperMap()(lambda x: x, {"a": 1}) == {"a": 1}
    assert [float(x) for x in ops.Map(add)(Tensor([1, 2]), (3, 4))] == [4, 6]


X = ms.Tensor([2.0])


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("add", (1, 2), 3),
        ("add", ((1,), (2,)), (1, 2)),
        ("add", ("a", "b"), "ab"),
        ("getitem", ({"a": 1}, "a"), 1),
        ("setitem", ([1, 2], 0, 5), [5, 2]),
        ("setitem", ({"a": 1}, "b", 5), {"a": 1, "b": 5}),
        ("logical_and", (1, 2), 2),
        ("logical_not", (0,), True),
        ("not_in_", ("a", {"a": 1}), False),
        ("equal", (None, 1), False),
        ("zeros_like", (3,), 0),
    ],
)
def test_functions_behind_operators(name, inputs, expected):
    assert getattr(multitype, name)(*inputs) == expected


def test_functions_behind_operators_of_tensors():
    assert float(multitype.add(X, 2)[0]) == 4
    assert not multitype.logical_and(X > 1, X > 3)[0]
    assert not multitype.logical_not(X > 1)[0]
    assert multitype.logical_or(X > 1, X > 3)[0]
    assert float(multitype.ones_like((X,))[0][0]) == 1
    assert float(multitype.setitem(X.copy(), 0, 5)[0]) == 5
