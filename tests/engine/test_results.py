"""What captured functions return: the objects that the plain function returns, new where those are new.

Arguments and Parameters are returned as copies; `test_own_memory.py` has MindSpore's results.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import torchspore as ms
from torchspore import COOTensor, Parameter, Tensor, nn, ops

X = Tensor([1.0, 2.0])
Pair = namedtuple("Pair", "first second")


class Color(enum.Enum):
    RED = 1


class Point:
    kind = "point"

    def __init__(self, x, y):
        self.x = x
        self.y = y


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x):
        self.x = x


@dataclasses.dataclass(frozen=True)
class Output:
    logits: Tensor
    extra: list = dataclasses.field(default_factory=list)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([2.0, 0.5]), name="weight")
        self.last = Tensor([1.0, 1.0])
        self.history = [Tensor([3.0])]
        self.point = Point(1, [2])


NET = Net()
OUTSIDE = Point(3.0, {"a": 1})
CONSTANT = Tensor([5.0, 6.0])


def shared(x):
    y = x + 1
    return y, [y, y], {"y": y}


def shared_containers(x):
    inner = [x + 1]
    return inner, {"a": inner, "b": (inner, inner)}


def shared_objects(x):
    point = Point(x * 2, 1)
    return point, [point], point.x


def linked_objects(x):
    point = Point(x * 2, None)
    other = Point(point, [point])
    return other, point


def moved(x):
    NET.last = y = x * 2
    return y, NET.last


# name -> (function, arguments)
RESULTS = {
    "shared tensor": (shared, [X]),
    "shared containers": (shared_containers, [X]),
    "shared objects": (shared_objects, [X]),
    "linked objects": (linked_objects, [X]),
    "argument": (lambda x: (x, x, x + 1), [X]),
    "list argument": (lambda values: values, [[X, 1, {"a": X}]]),
    "inside of arguments": (lambda d: (d["a"], d["a"][0], [d["b"]]), [{"a": [X], "b": {"c": 2}}]),
    "keyword argument": (lambda x, *, k: (k, x), [X], {"k": [X]}),
    "parameter argument": (lambda w: (w, w * 2), [NET.weight]),
    "object argument": (lambda p, x: (p, x * p.x), [OUTSIDE, X]),
    "parameter": (lambda x: (NET.weight, x * NET.weight), [X]),
    "tensor of a cell": (lambda x: (NET.last, x * NET.last), [X]),
    "list of a cell": (lambda x: (NET.history, NET.history[0], x), [X]),
    "object of a cell": (lambda x: (NET.point, NET.point.y), [X]),
    "tensor set on a cell": (moved, [X]),
    "tensor of a closure": (lambda x: (CONSTANT, CONSTANT + x), [X]),
    "object of a closure": (lambda x: (OUTSIDE, OUTSIDE.y, x), [X]),
    "cell": (lambda x: (NET, x), [X]),
    "new object": (lambda x: (x + 1, Point([1], {"a": 2})), [X]),
    "object with tensors": (lambda x: Point(x + 1, {"a": (x * 2, "b")}), [X]),
    "object with slots": (lambda x: Slotted([x + 1]), [X]),
    "dataclass": (lambda x: Output(x * 2, [x]), [X]),
    "namedtuple": (lambda x: Pair(x * 2, [1]), [X]),
    "ordered dict": (lambda x: OrderedDict(b=x + 1, a=x), [X]),
    "sets": (lambda x: (x, {1, "a"}, frozenset({2})), [X]),
    "empty containers": (lambda x: (x, (), [], {}, set()), [X]),
    "plain values": (lambda x: (x, 1, True, 1.5, -0.0, math.inf, math.nan, 2j, "a\n'", b"b", None, ...), [X]),
    "other plain values": (lambda x: (x, Color.RED, ms.float32, slice(1, 2), Point), [X]),
    "sparse": (lambda x: COOTensor(Tensor([[0, 1]]), x[:1] * 2, (2, 2)), [X]),
    "sparse argument": (lambda s: (s, s.values), [COOTensor(Tensor([[0, 1]]), Tensor([4.0]), (2, 2))]),
}


def inside(value):
    """Return the parts of an object."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, COOTensor):
        return [value.indices, value.values]
    if isinstance(value, Slotted):
        return [value.x, hasattr(value, "y")]
    return [*vars(value).values()] if isinstance(value, (Point, Output)) else [*value] if is_sequence(value) else []


def is_sequence(value):
    return isinstance(value, (tuple, list))


def structure(value, known):
    """Return the types, values and identities of all that a result consists of.

    Args:
        value: the result.
        known: by id, names of the objects so far.
    """
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, Tensor) or (inside(value) and not isinstance(value, tuple)):
        known[id(value)] = f"object {len(known)}"
    if isinstance(value, Tensor):
        return value.asnumpy().tolist(), str(value.dtype)
    return type(value), [structure(part, known) for part in inside(value)] or repr(value)


def everything(value):
    """Return an object, and all that is inside it."""
    return [value, *[deeper for part in inside(value) for deeper in everything(part)]]


def outside(*arguments):
    """Return names of the objects that no call makes and that results have themselves, by id."""
    things = [NET, NET.last, CONSTANT]
    things += [part for outer in (NET.history, NET.point, OUTSIDE) for part in everything(outer)]
    things += [part for values in arguments for part in everything(values)]
    copied = {id(value) for values in arguments for value in inside(values)}
    things = [thing for thing in things if not (isinstance(thing, Tensor) and id(thing) in copied)]
    counted = [thing for thing in things if isinstance(thing, (Tensor, nn.Cell)) or inside(thing)]
    return {id(thing): f"outside {number}" for number, thing in enumerate(counted)}


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_those_of_the_plain_function(name, strict):
    function, args, kwargs = (*RESULTS[name], {})[:3]
    captured = ms.jit(function, fullgraph=strict)
    expected = structure(function(*args, **kwargs), outside(args, kwargs))
    for _ in range(3):
        result = captured(*args, **kwargs)
        assert structure(result, outside(args, kwargs)) == expected
    assert captured.captures == 1


@pytest.mark.parametrize("name", ["shared containers", "new object", "object with tensors", "dataclass"])
def test_what_is_new_at_each_call_may_be_changed(name, strict):
    function, args = RESULTS[name]
    captured = ms.jit(function, fullgraph=strict)
    first = structure(captured(*args), {})
    kept = captured(*args)
    for part in everything(kept):
        if isinstance(part, list):
            part.append(3)
        elif isinstance(part, dict):
            part["new"] = 4
        elif isinstance(part, Point):
            part.z = 5
    assert structure(kept, {}) != first
    assert structure(captured(*args), {}) == first


def test_what_a_call_sets_and_returns_is_one_object(strict):
    net = Net()

    def step(x):
        previous = net.last
        net.last = x * 2
        net.history_of_x = [x, net.last]
        return previous, net.last

    captured = ms.jit(step, fullgraph=strict)
    before = net.last
    for _ in range(3):
        previous, last = captured(X)
        assert previous is before
        assert last is net.last is net.history_of_x[1]
        assert net.history_of_x[0] is X
        before = last


REFUSED = {
    "array": (lambda x: (x, np.arange(3)), "ndarray"),
    "cell": (lambda x: (x, nn.ReLU()), "ReLU"),
    "function": (lambda x: (x, lambda: 3), "function"),
    "list of a class": (lambda x: (x, type("List", (list,), {})([1])), "List"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_made_anew_runs_eagerly(name):
    function, kind = REFUSED[name]
    captured = ms.jit(function)
    with pytest.warns(RuntimeWarning, match=f"runs eagerly, .*: its result holds a new object of type {kind}"):
        first = captured(X)
    second = captured(X)
    assert type(first) is type(second)
    assert first is not second
    assert not isinstance(first, tuple) or first[1] is not second[1]


def test_open_sizes_and_numbers_in_results_are_those_of_the_call():
    captured = ms.jit(lambda x, k: (x * k, x.shape, x.shape[0] * 2, k + 1), dynamic=1, fullgraph=True)
    for size, k in ((3, 2), (5, 7)):
        scaled, shape, doubled, after = captured(ops.ones((size, 2)), ms.mutable(k))
        assert (scaled.shape, shape, doubled, after) == ((size, 2), (size, 2), 2 * size, k + 1)
        assert [type(value) for value in (*shape, doubled, after)] == [int] * 4
    assert captured.captures == 1
