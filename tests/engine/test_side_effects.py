"""Side effects of captured functions, and changes of their environment between calls: as for plain ones."""

from __future__ import annotations

import random
import re
import sys
import types
import warnings

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from ways import arrays, assert_same

X = Tensor([1.0, 2.0])
INPUTS = [Tensor(values) for values in ([1.0, 2.0], [3.0, -1.0], [-4.0, 1.0], [1.0, 2.0], [-1.0, -1.0])]


class Net(nn.Cell):
    """The base of the networks in this file: one weight, and attributes of the subclasses."""

    def __init__(self, **kept):
        super().__init__()
        self.weight = Parameter(Tensor([2.0, 0.5]), name="weight")
        for name, value in kept.items():
            setattr(self, name, value)


class KeepsTensor(Net):
    def construct(self, x):
        self.last = x * self.weight
        return self.last + 1


class KeepsItsInput(Net):
    def construct(self, x):
        previous, self.last = self.last, x
        return previous + x


class KeepsTuple(Net):
    def construct(self, x):
        h, (c, d) = self.last
        self.last = h + x, (c * self.weight, d - x)
        return h + c


class KeepsDict(Net):
    def construct(self, x):
        self.last = {"x": x + self.last["x"], "names": ["x", self.training]}
        return self.last["x"] * 2


class KeepsBuffer(Net):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", Tensor([0.0, 0.0]))

    def construct(self, x):
        self.last = self.last * 0.5 + x
        return self.last * self.weight


class WritesBuffer(KeepsBuffer):
    def construct(self, x):
        self.last += x
        ops.assign_add(self.last, x)
        return self.last * self.weight


class KeepsByWay(Net):
    def construct(self, x):
        if x.sum() > 0:
            self.last = x
            self.way = "up"
        else:
            self.way = "down"
        return self.last * self.weight


class KeepsNone(Net):
    def construct(self, x):
        self.last = x * 2 if self.last is None else None
        return x + 1


class KeepsOtherShapes(Net):
    def construct(self, x):
        self.last = ops.concat([self.last, x])[-3:]
        return self.last.sum()


class KeepsInAChild(Net):
    def construct(self, x):
        self.child.last = x * self.weight
        return self.child(x) + self.child.last


class SwitchesItsMode(Net):
    def construct(self, x):
        self.set_train(not self.training)
        return x * self.weight if self.training else x


ZEROS = Tensor([0.0, 0.0])
KEEPING = {
    "tensor": lambda: KeepsTensor(last=ZEROS),
    "tensor, new attribute": KeepsTensor,
    "its input": lambda: KeepsItsInput(last=ZEROS),
    "tuple": lambda: KeepsTuple(last=(ZEROS, (Tensor([1.0, 1.0]), ZEROS))),
    "dict": lambda: KeepsDict(last={"x": ZEROS}),
    "buffer": KeepsBuffer,
    "written buffer": WritesBuffer,
    "by way": lambda: KeepsByWay(last=ZEROS, way=""),
    "none": lambda: KeepsNone(last=None),
    "other shapes": lambda: KeepsOtherShapes(last=ZEROS),
    "in a child": lambda: KeepsInAChild(child=KeepsTensor()),
    "training mode": SwitchesItsMode,
}


def kept(net):
    """Return the attributes of a network and of its cells that `construct` may have set."""
    return [
        (name, value)
        for cell in (net, *net.cells())
        for name, value in vars(cell).items()
        if name in ("last", "way", "training", "weight")
    ]


@pytest.mark.parametrize("differentiated", [False, True])
@pytest.mark.parametrize("name", KEEPING)
def test_attributes_set_in_construct(name, differentiated, strict):
    happened = []
    for capture in (lambda run: run, lambda run: ms.jit(run, fullgraph=strict)):
        net = KEEPING[name]()
        run = capture(ms.value_and_grad(net, 0, net.trainable_params()) if differentiated else net)
        happened.append([arrays((run(x), kept(net))) for x in INPUTS])
    assert_same(happened[1], happened[0])


def test_what_a_call_keeps_is_what_later_calls_and_others_read(strict):
    net = KeepsTensor()
    captured = ms.jit(net, fullgraph=strict)
    reader = ms.jit(lambda x: net.last - x, fullgraph=strict)
    for x in INPUTS:
        captured(x)
        assert_same(arrays(reader(x)), arrays(x * net.weight - x))
    net.last = Tensor([7.0, 7.0])
    assert_same(arrays(reader(X)), arrays(Tensor([6.0, 5.0])))


counter = 0


def counting_in_a_closure():
    count = 0

    def function(x):
        nonlocal count
        count += 1
        return x * count

    return function, lambda: count


def counting_in_a_global():
    def function(x):
        global counter
        counter += 1
        return x * counter

    global counter
    counter = 0
    return function, lambda: counter


def counting_in_a_list():
    counts = [0, "text"]

    def function(x):
        counts[0] += 1
        return x * counts[0]

    return function, lambda: list(counts)


def appending_to_a_list():
    log = []

    def function(x):
        log.append(len(log))
        return x + 1

    return function, lambda: list(log)


def counting_in_a_dict():
    counts = {}

    def function(x):
        counts["calls"] = counts.get("calls", 0) + 1
        return x * counts["calls"]

    return function, lambda: dict(counts)


def adding_to_a_set():
    seen = set()

    def function(x):
        seen.add(len(seen))
        return x * len(seen)

    return function, lambda: sorted(seen)


def counting_in_an_object():
    config = types.SimpleNamespace(calls=0)

    def function(x):
        config.calls += 1
        return x * config.calls

    return function, lambda: config.calls


def counting_in_a_default():
    def function(x, counts=[0]):  # noqa: B006
        counts[0] += 1
        return x * counts[0]

    return function, lambda: list(function.__defaults__[0])


def counting_in_a_cells_list():
    net = Net(log=[])

    def function(x):
        net.log.append(len(net.log))
        return x * len(net.log)

    return function, lambda: list(net.log)


def deleting_an_attribute():
    net = Net(last=1)

    def function(x):
        if hasattr(net, "last"):
            del net.last
            return x
        net.last = 1
        return x + 1

    return function, lambda: hasattr(net, "last")


def counting_in_one_way_only():
    count = 0

    def function(x):
        nonlocal count
        if x.sum() > 0:
            count += 1
        return x + 1

    return function, lambda: count


def keeping_tensors_in_a_list():
    log = []

    def function(x):
        log.append(x * 2)
        return x + 1

    return function, lambda: list(log)


def drawing_from_random():
    random.seed(3)

    def function(x):
        return x * random.random()

    return function, random.random


def drawing_from_numpy():
    np.random.seed(3)

    def function(x):
        return x * float(np.random.rand())

    return function, np.random.rand


def drawing_a_way():
    random.seed(3)

    def function(x):
        return x * 2 if random.random() < 0.5 else x * x

    return function, random.random


def computing_with_numpy():
    return lambda x: Tensor(np.sort(x.asnumpy())), lambda: None


EAGER = {  # what a graph cannot repeat -> the reason in the warning
    counting_in_a_closure: "it changes a variable of an outer function",
    counting_in_a_global: "it changes 'counter'",
    counting_in_a_list: "it changes '0'",
    appending_to_a_list: "it changes a variable of an outer function, or the contents of a container",
    counting_in_a_dict: "the contents of a container",
    adding_to_a_set: "the contents of a container",
    counting_in_an_object: "it changes 'calls'",
    counting_in_a_default: "it changes '0'",
    counting_in_a_cells_list: "it changes the contents of 'log' of Net",
    deleting_an_attribute: "it deletes the attribute 'last' of Net",
    counting_in_one_way_only: "it changes a variable of an outer function",
    keeping_tensors_in_a_list: "it changes .* the contents of a container|a tensor was kept outside",
    drawing_from_random: "it draws from Python's or NumPy's random numbers",
    drawing_from_numpy: "it draws from Python's or NumPy's random numbers",
    drawing_a_way: "it draws from Python's or NumPy's random numbers",
    computing_with_numpy: "the value of a tensor was asked for",
}


@pytest.mark.slow
@pytest.mark.parametrize("make", EAGER)
def test_what_a_graph_cannot_repeat_runs_eagerly_with_one_warning(make):
    function, state = make()
    expected = [arrays((function(x), state())) for x in INPUTS]
    function, state = make()
    captured = ms.jit(function)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = [arrays((captured(x), state())) for x in INPUTS]
    assert_same(found, expected)
    (warning,) = caught
    assert re.search(f"runs eagerly, not as one graph: .*({EAGER[make]})", str(warning.message))


@pytest.mark.slow
@pytest.mark.parametrize("make", EAGER)
def test_what_a_graph_cannot_repeat_is_refused_before_anything_changes(make):
    function, state = make()
    expected = arrays(state())
    function, state = make()
    captured = ms.jit(function, fullgraph=True)
    with pytest.raises(RuntimeError, match=EAGER[make]):
        captured(X)
    assert_same(arrays(state()), expected)


def print_around(x):
    print("text", 3, x, sep=" | ")
    y = x * 2
    print(y, y.sum(), end="!\n")
    print(("nested", [y], {"y": y}), x.shape, file=sys.stdout, flush=True)
    return y


def print_in_branches(x):
    print("asking", x.sum())
    if x.sum() > 0:
        print("up", x)
        if x[1] > 0:
            print("and up")
        return x * 2
    print("down", x, "of", x.dtype)
    return x


def print_in_loops(x):
    k = 0
    while x.sum() < 5 and k < 3:
        print(k, x)
        x = x + 1
        k += 1
    print()
    return x


def print_in_gradients(x):
    def inner(value):
        print("inner", value)
        return value * value if value.sum() > 0 else value

    gradient = ms.grad(inner)(x)
    print("gradient", gradient)
    return gradient


def print_what_is_written(x):
    y = x * 1
    print("before", y)
    y[0] = 5.0
    print("after", y)
    return y


def print_what_repeats(x):
    for _ in range(2):
        print("same", x)
    return x + 1


PRINTING = [
    print_around,
    print_in_branches,
    print_in_loops,
    print_in_gradients,
    print_what_is_written,
    print_what_repeats,
]


@pytest.mark.parametrize("mode", ["values", "grad"])
@pytest.mark.parametrize("function", PRINTING)
def test_prints_are_those_of_the_plain_function_at_each_call(function, mode, capsys, strict):
    run = ms.grad(function) if mode == "grad" else function
    captured = ms.jit(run, fullgraph=strict)
    for x in INPUTS:
        run(x)
        expected = capsys.readouterr().out
        captured(x)
        assert capsys.readouterr().out == expected
        assert expected


@pytest.mark.parametrize("transform", [ms.vmap, lambda inner: lambda x: ms.jvp(inner, (x,), (x,))])
def test_prints_of_what_only_a_transformation_knows_are_those_of_the_plain_function(transform):
    def inner(x):
        print("inner", x)
        return x * 2

    def function(x):
        return transform(inner)(x)

    with pytest.raises(RuntimeError, match="cannot be one graph: it prints a value inside 'vmap' or another"):
        ms.jit(function, fullgraph=True).graph(X)


def test_a_parameter_is_printed_as_it_is_at_that_moment(capsys, strict):
    net = Net()

    def step(x):
        print(net.weight)
        net.weight.set_data(net.weight + x)
        print(net.weight)
        return x

    captured = ms.jit(step, fullgraph=strict)
    for _ in range(3):
        captured(X)
    found = capsys.readouterr().out
    net.weight.set_data(Tensor([2.0, 0.5]))
    for _ in range(3):
        step(X)
    assert found == capsys.readouterr().out


def test_an_error_of_one_way_leaves_everything_as_a_plain_run_does():
    def function(x):
        net.weight += x
        if x.sum() < 0:
            raise ArithmeticError("negative")
        return net.weight * 2

    states = []
    for capture in (lambda f: f, ms.jit):
        net = Net()
        run = capture(function)
        for x in INPUTS:
            if x.sum() < 0:
                with pytest.raises(ArithmeticError, match="negative"):
                    run(x)
            else:
                run(x)
            states.append(arrays(net.weight))
    half = len(states) // 2
    assert_same(states[half:], states[:half])
