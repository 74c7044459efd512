"""Networks that run until a value is reached, and inputs with which they run differently often."""

from __future__ import annotations

import numpy as np

import torchspore as ms
from torchspore import nn, ops


def full(value):
    return ms.Tensor(np.full((2, 3), value, np.float32))


def counted(x, n):
    """The counter is a number of Python."""
    i, out = 0, x
    while i < n:
        out = out + x
        i += 1
    return out


def rows(x, first, end):
    total = ops.zeros((3,), ms.float32)
    while first < end:
        total = total + x[first, :]
        first = first + 1
    return total


def left_early(x):
    i = 0
    while i < 10:
        x = x + 1
        if x.sum() > 20:
            return x * 100
        i += 1
    return x - 1


def with_break(x):
    while True:
        x = x + 1
        if x.max() > 9:
            break
        if x.min() > 3:
            continue
        x = x + 0.5
    return x


def nested(x):
    total, i = ops.zeros_like(x), 0
    while i < 2 + (x.sum() > 0):
        j = ops.zeros((), ms.int64)
        while j < i + 1:
            total = total + x * j
            j = j + 1
        i += 1
    return total


def of_tuples(x):
    pair = (x, x * 2)
    while pair[0].sum() < 30:
        pair = (pair[0] + 1, pair[1] * 2)
    return pair


def in_place(x):
    x = x * 1
    steps = 0.0
    while x.sum() < 30 and steps < 4:
        x[0] = x[0] + ms.Tensor(1.0)
        x += 1
        steps = steps + 0.5
    return x, x * steps


def of_inner_functions(x):
    def until(x, limit):
        last = x
        while x.mean() < limit:
            last, x = x, x * 2 if x.max() < 3 else x + 1
        return last

    return until(x, 7) - until(x, 2)


def of_operations(x):
    return ops.WhileLoop()(lambda value: value.sum() < 30, lambda value: value + 1, x)


def with_functions(x):
    while x.sum() < 30:
        shift = lambda value: value + sum([1 for _ in range(2)])  # noqa: E731
        x = shift(x)
    return x


class Layers(nn.Cell):
    """Parameters, a tensor that is none, a method, a subclass, and a variable that has no value before the loop."""

    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 3, weight_init="ones"), nn.Dense(3, 3, weight_init="ones")])
        self.shift = ms.Tensor([0.5, 1.0, 1.5])

    def until(self, x):
        while x.sum() < 1000:
            for layer in self.layers:
                added = ops.abs(layer(x)) + self.shift
                x = x + added
        return x + added if x.sum() > 2000 else x

    def construct(self, x):
        return self.until(x)


class Derived(Layers):
    def construct(self, x):
        return super().construct(x) * 2


ONE = [(full(1.0),), (full(0.1),), (full(50.0),)]
LOOPS = {
    "counted": (counted, [(full(1.0), ms.Tensor(4)), (full(2.0), ms.Tensor(0))]),
    "rows": (rows, [(full(1.0), ms.Tensor(0), ms.Tensor(2)), (full(2.0), ms.Tensor(1), ms.Tensor(1))]),
    **{function.__name__: (function, ONE) for function in (left_early, with_break, nested, of_tuples, in_place)},
    **{function.__name__: (function, ONE) for function in (of_inner_functions, of_operations, with_functions)},
    "layers": (Derived(), ONE[:2]),
}
