"""Python's control flow on tensor values: captured functions take the branches of plain ones, with gradients."""

from __future__ import annotations

import contextlib
import time

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.common.private_torch import function_modes, open_modes
from ways import Ways, arrays, assert_same, mixed

FUNCTIONS = {}  # name -> (function, inputs)


def on(*inputs):
    """Put a function of one tensor into the table, with inputs that take different branches."""

    def register(function):
        FUNCTIONS[function.__name__] = function, [np.array(values, np.float32) for values in inputs]
        return function

    return register


@on([1, 2], [-1, -2], [3, -1])
def if_without_else(x):
    if x.sum() > 0:
        x = x * 2
    return x + 1


@on([1, 2], [-1, -2], [-1, 1], [5, 5])
def if_elif_else(x):
    if x.sum() > 8:
        return x * x
    elif x.sum() > 0:
        y = x * 2
    elif x.sum() == 0:
        y = x * x * x
    else:
        y = ops.exp(x)
    return y + x


@on([1, 2], [1, -2], [-1, 2], [-1, -2])
def nested_if(x):
    if x[0] > 0:
        if x[1] > 0:
            return x * 2
        y = x * 3
    else:
        if x[1] > 0:
            y = x * x
        else:
            y = -x
    return y.sum()


@on([1], [2.5], [0.1], [40])
def while_until_large(x):
    while x.sum() < 10:
        x = x * x + 1
    return x


@on([1], [4], [0], [7])
def while_with_else(x):
    k = 0
    while x < 6:
        x = x * 1.5 + 0.5
        k += 1
        if k > 3:
            break
    else:
        x = x * x
    return x * k


@on([3, -1, 2], [-1, 2, 3], [1, 2, 3], [-1, -2, -3])
def for_with_break_and_else(x):
    total = x.sum() * 0
    for element in x:
        if element < 0:
            break
        total = total + element * element
    else:
        total = total * 10
    return total


@on([3, -1, 2], [-1, 2, 3], [1, 2, 3], [-1, -2, -3])
def for_with_continue(x):
    total = x.sum()
    for i in range(len(x)):
        if x[i] < 0:
            continue
        total = total * x[i]
    return total


@on([1, 2], [1, -2], [-1, 2], [-1, -2])
def and_or_not(x):
    a, b = x[0] > 0, x[1] > 0
    if a and b:
        return x * 2
    if a or not b:
        return x * x
    return x * 3


@on([1, 2], [0, 3], [0, 0], [4, 0])
def operands_of_and_and_or(x):
    return (x[0] and x[1] * 2) + (x[0] or x[1] * x[1])


@on([1, 2], [-3, 2], [2, -2])
def ternary(x):
    return (x * 2 if x.sum() > 1 else x * x) + (1 if x[0] > x[1] else x.mean())


@on([0.5], [1.5], [-1], [3])
def chained_comparison(x):
    if 0 < x <= 1:
        return x * x
    return x * 3 if 1 < x < 2 < x + 1 else -x


@on([1, 2], [-1, -2], [9, 9])
def early_return(x):
    if x.sum() < 0:
        return x
    y = x * 2
    if y.sum() > 20:
        return y, x
    return y * y, y


@on([1, 2], [-1, 2], [0, 0])
def raise_and_except(x):
    try:
        if x[0] < 0:
            raise ValueError("negative")
        if x[0] == 0:
            raise KeyError("zero")
        y = x * 2
    except ValueError:
        y = x * x
    except LookupError as error:
        y = x * 3 + len(error.args)
    else:
        y = y + 1
    finally:
        x = x + 1
    return y * x


@on([1, 2], [-1, 2], [-1, -2])
def finally_with_return(x):
    try:
        if x[0] > 0:
            return x * 2
        x = x * x
        if x.sum() > 4:
            raise RuntimeError
    except RuntimeError:
        return x * 3
    finally:
        x = x + 1
    return x


@on([3, -1, 2], [-1, -2, 3], [1, 2, 3])
def generator(x):
    def positive(values):
        for value in values:
            if value > 0:
                yield value * value

    total = x.sum()
    for value in positive(x):
        total = total * value
    return total


@on([3, -1], [-1, 2], [1, 9], [-1, -1])
def generator_that_is_sent_values(x):
    def steps(value):
        while value.sum() < 8:
            factor = yield value
            value = value * factor + 1
        return value * 10

    running = steps(ops.abs(x))
    try:
        value = next(running)
        while True:
            value = running.send(value[0] if value[0] > value[1] else 2)
    except StopIteration as stop:
        return stop.value


@on([3, -1, 2], [-1, -2, 3], [1, 2, 3], [-1, -1, -1])
def comprehension_with_filter(x):
    kept = [value * value for value in x if value > 0]
    by_sign = {bool(value > 2): value for value in x}
    return sum(kept, x[0]) * len(by_sign) + by_sign.get(True, 0)


@on([5], [0.3], [12])
def recursion(x):
    def halve(value, depth):
        return value * depth if value < 1 else halve(value / 2, depth + 1) + value

    return halve(x, 1)


@on([0, 1], [1, 2], [2, 3], [7, 1])
def match_statement(x):
    match int(x[0]), bool(x[1] > 1):
        case 0, _:
            return x * 2
        case 1 | 2 as n, True:
            return x * x * n
        case n, _ if n > 5:
            return x + n
        case _:
            return x


# As text: pytest has the assertions that it finds in this file print their operands, which is to read them.
exec("""
def assertion(x):
    try:
        assert x[0] > 0, "first"
        assert x.sum() > 0
    except AssertionError as error:
        return x * x if error.args else x
    return x * 2
""")
on([1, 2], [-1, 2], [-1, -2])(assertion)  # noqa: F821


@on([1, 2, 3], [3, 1, 2], [2, 3, 1], [-1, -1, -1])
def any_all_max_min_sorted(x):
    if any(value > 2.5 for value in x[:2]):
        x = x * 2
    if all(value > 0 for value in x):
        x = x * x
    low, *_, high = sorted(x)
    return max(x[0], x[1]) * 2 + min(*x) + high * low


@on([0, 1, 2], [1, 1, 2], [2, -1, 3], [-1, 2, 3])
def index_by_int(x):
    i = int(x[0])
    return x[i] * x[0] + [x.sum(), x.mean(), x.max()][x[0].astype(ms.int32)]


@on([0, 2], [1, 2], [3, 2], [2.9, 1])
def range_of_int(x):
    y = x * 1
    for k in range(int(x[0])):
        y = y * x[1] + k
    return y


@on([1], [2], [5])
def walrus(x):
    while (y := x * x) < 20:
        x = y + 1
    return x + y if (z := x.sum()) > 30 else y * z


@on([1, 2], [-1, 2], [-1, -2])
def lambdas(x):
    choose = lambda value, other: value if value.sum() > 0 else other(value)  # noqa: E731
    return choose(x, lambda value: choose(value + 2, lambda negative: negative * negative))


@on([1, 2], [-1, 2], [3, -4])
def closure_with_nonlocal(x):
    calls, total = 0, x * 0

    def add(value):
        nonlocal calls, total
        if value > 0:
            calls += 1
            total = total + value * x

    for value in x:
        add(value)
    return total * calls + x


@on([1, 2], [-1, 2], [-1, -2])
def with_statement(x):
    class Scaling:
        def __enter__(self):
            return x * 2 if x[0] > 0 else x * x

        def __exit__(self, kind, error, traceback):
            return kind is ValueError and bool(x[1] > 0)

    with contextlib.suppress(ValueError), Scaling() as y:
        x = y + 1
        if y[0] <= 1:
            raise ValueError
        x = x * y
    return x


@on([3, 5], [5, 3], [4, 4], [40, 6])
def greatest_common_divisor(x):
    a, b = x[0], x[1]
    while b > 0.5:
        a, b = b, a - b * ops.floor(ops.stop_gradient(a / b))
    return a * x.sum()


@on([0], [-1], [2])
def loops_of_no_iteration(x):
    y = x * x
    while x > 0:
        x = x - 1
        y = y + x
    for _ in range(int(x)):
        y = y * 100
    return y


@on([1, 2], [-1, 2], [-1, -2], [1, -2])
def in_place_inside_branches(x):
    y = x * 1
    if x[0] > 0:
        y[0] = x[1] * 2
    else:
        y += x
    if x[1] < 0:
        y[:] = x * x
    return y * x


@on([1, 2], [-1, 2], [-1, -2])
def writes_its_argument(x):
    if x[0] > 0:
        x.mul_(x[0] * 3)
    elif x[1] > 0:
        x.copy_(x * x + 1)
    return x * x


@on([1, 2], [-1, 2], [-1, -2])
def inner_gradients(x):
    def inner(value):
        return value * value if value.sum() > 0 else value * 3

    gradient = ms.grad(inner)(x)
    return gradient * x if gradient[0] > 0 else ms.grad(lambda value: inner(value) * value)(x + 5)


@on([1, 2], [2, 1], [1, 1])
def tensors_compared_with_tensors_and_numbers(x):
    if x[0] == x[1]:
        return x * 2
    if x[0] != 1:
        return x * 3
    if not x[0] - 1:
        return x * 4
    return x


@on([1, 2], [3, 0], [-1, 5])
def literals_made_in_branches(x):
    y = x * Tensor([2.0, 2.0])
    if x[0] > 2:
        return y + Tensor([1.0, 3.0])
    if x[0] < 0:
        return y + Tensor([2.0, 2.0]) * Tensor(np.array([1.0, 3.0], np.float32))
    return y


@on([1, 2], [-3, 0], [-1, 5])
def other_shapes_and_dtypes_by_branch(x):
    if x[0] > 0:
        return x.reshape((2, 1)) * ops.ones((3,))
    if x.sum() < 0:
        return x.sum()
    return x.astype(ms.float16)


MODES = {"values": lambda f: f, "value_and_grad": ms.value_and_grad}


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_construct_takes_the_ways_of_the_plain_function(name, mode, monkeypatch, strict):
    function, inputs = FUNCTIONS[name]
    plain = MODES[mode](function)
    captured = ms.jit(MODES[mode](function), fullgraph=strict)
    expected = []
    with monkeypatch.context() as patch:
        ways = Ways(patch)
        for value in mixed(inputs):
            argument = Tensor(value.copy())
            expected.append(arrays((ways.run(plain, argument), argument)))
    assert len(ways.seen) >= 2
    for value, wanted in zip(mixed(inputs), expected):
        argument = Tensor(value.copy())
        assert_same(arrays((captured(argument), argument)), wanted)
    assert captured.captures == len(ways.seen)


class Branching(nn.Cell):
    """The base of networks that branch on the values of their parameters and statistics.

    Attributes:
        weight: a parameter that is differentiated.
        state: one that is not.
    """

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([1.0, -0.5]), name="weight")
        self.state = Parameter(Tensor([0.0, 0.0]), name="state", requires_grad=False)


class AssignsInBranches(Branching):
    def construct(self, x):
        y = x * self.weight
        if y.sum() > 0:
            ops.assign(self.state, y)
            y = y * self.state
        else:
            self.state += 1
        return y * self.weight


class BranchesOnItsState(Branching):
    def construct(self, x):
        self.state[0] += 1
        if self.state[0] > 3:
            self.state[0] = 0
            return x * self.weight * 2
        while self.state.sum() < 2:
            self.state[1] += x.max() + 0.5
        return x * self.weight


class CountsInAnInteger(Branching):
    def __init__(self):
        super().__init__()
        self.step = Parameter(Tensor(0, ms.int32), name="step", requires_grad=False)

    def construct(self, x):
        ops.assign_add(self.step, Tensor(1, ms.int32))
        for _ in range(int(self.step) % 3):
            x = x * self.weight + x
        return x


class BranchesAfterBatchNorm(Branching):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(2)

    def construct(self, x):
        y = self.norm(ops.stack([x, x * self.weight, x - 3]))
        if self.norm.moving_mean[0] < 0:
            y = y * self.weight
        elif y[0].sum() > 0:
            y = y * y
        return y


class BranchesAfterDropout(Branching):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        y = self.drop(x * self.weight)
        if y[0] == 0:
            y = self.drop(y + x)
        while y.sum() > 1:
            y = y * 0.5
        return y * self.weight


class KeepsTensors(Branching):
    def __init__(self):
        super().__init__()
        self.last = Tensor([0.0, 0.0])
        self.register_buffer("largest", Tensor([-1.0]))

    def construct(self, x):
        y = x * self.weight + self.last
        if y.sum() > 1:
            self.last = x * 0.1
        elif y.max() > self.largest:
            self.largest = y.max().reshape((1,))
        return y * y


class UndoesWhatFails(Branching):
    def construct(self, x):
        def update(value):
            self.state += value
            if self.state.sum() > 3:
                raise ValueError("too much")
            return value * value * self.weight

        try:
            return ms.grad(update)(x) * self.weight
        except ValueError:
            self.state -= 1
            return x * self.weight


class FreezesByValue(Branching):
    def construct(self, x):
        weight = self.weight if x.sum() > 0 else ops.stop_gradient(self.weight)
        return x * weight * weight


STATEFUL = [
    AssignsInBranches,
    BranchesOnItsState,
    CountsInAnInteger,
    BranchesAfterBatchNorm,
    BranchesAfterDropout,
    KeepsTensors,
    UndoesWhatFails,
    FreezesByValue,
]
BATCHES = [np.array(values, np.float32) for values in ([1, 2], [-1, 2], [2, -3], [3, 0.5])]


def run_of(network, wrap, mode, ways=None):
    """Return the results, parameters and stored tensors for a sequence of batches."""
    ms.set_seed(5)
    net = network().set_train()
    run = wrap(net if mode == "values" else ms.grad(net, 0, net.trainable_params()))
    happened = []
    for batch in mixed(BATCHES):
        result = run(Tensor(batch)) if ways is None else ways.run(run, Tensor(batch))
        kept = [value for value in vars(net).values() if isinstance(value, Tensor)]
        happened.append(arrays((result, kept)))
    return happened, run


@pytest.mark.parametrize("mode", ["values", "grad"])
@pytest.mark.parametrize("network", STATEFUL)
def test_networks_that_branch_on_their_state(network, mode, monkeypatch, strict):
    with monkeypatch.context() as patch:
        ways = Ways(patch)
        expected, _ = run_of(network, lambda run: run, mode, ways)
    assert len(ways.seen) >= 2
    found, captured = run_of(network, lambda run: ms.jit(run, fullgraph=strict), mode)
    for ours, theirs in zip(found, expected):
        assert_same(ours, theirs)
    assert captured.captures == len(ways.seen)


@pytest.mark.parametrize("reason", ["values", "time"])
def test_a_refused_recording_leaves_torch_as_it_was(reason):
    heights = []

    def function(x):
        heights.append((open_modes(), len(function_modes())))
        for _ in range(1001 if reason == "values" else 0):
            x = x if x.sum() > 0 else -x
        time.time()
        heights.append((open_modes(), len(function_modes())))
        return x * 2

    captured = ms.jit(function)
    with pytest.warns(RuntimeWarning, match="more than 1000 values" if reason == "values" else "time.time"):
        assert captured(Tensor([1.0])) == 2
    assert heights == [(1, 1), (0, 0)]


def test_a_branch_takes_only_what_it_uses():
    def function(x, n):
        i = Tensor(0)
        while i < n:
            x = x.sin()
            i = i + 1
        return x.sum()

    captured = ms.jit(ms.grad(function))
    captured(Tensor([1.0, 2.0]), Tensor(40))
    (graph,) = [graph for graphs in captured._graphs.values() for graph in graphs]
    used = [len(segment.used) for segment in graph.tree._segments()]
    assert len(used) == 42
    assert max(used[1:-1]) <= 4  # the last one computes the gradient
