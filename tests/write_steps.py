"""Random programs of operations, views, aliases and writes, which run with TorchSpore and with NumPy.

NumPy's arrays and views share memory as MindSpore's tensors do in a plain run. A parameter is a leaf: what is written
into it is a constant, and a difference of the parameter stays on it.
"""

from __future__ import annotations

import gc
import operator
import random

import numpy as np

from torchspore import ops

START = {  # without simple sums, which would be 0 where relu has its kink
    "x": [[0.513, -1.027, 2.071], [1.483, 0.317, -0.729]],
    "p": [[1.019, 1.973, -3.037], [0.223, -0.413, 0.611]],
    "c": [[0.907, -0.811, 0.703], [-0.619, 1.511, 0.419]],
}
UNARY = ("tanh", "sin", "exp", "sigmoid", "square", "twice", "relu")
VIEWS = ("rows", "row", "column", "flat", "transposed", "deeper", "tail", "element", "reshaped")
METHODS = ("add_", "sub_", "mul_", "copy_")
SIMPLE_METHODS = ("tanh_", "sigmoid_", "zero_", "fill_", "twice_")


class Program:
    """A random program: a list of steps over named tensors.

    Args:
        seed: of the random numbers.
    """

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.names = ["x", "p", "c"]
        self.writes_parameter = self.draw.random() < 0.4
        self.steps = [self._step(number) for number in range(self.draw.randint(4, 14))]
        self.weights = [self.draw.uniform(-1, 1) for _ in self.names]

    def _name(self):
        return self.draw.choice(self.names[-4:] if self.draw.random() < 0.6 else self.names)

    def _step(self, number):
        kind = self.draw.choices(
            ("unary", "binary", "view", "alias", "item", "mask", "slice", "method", "simple", "assign"),
            (5, 5, 4, 1, 4, 2, 3, 3, 2, 1),
        )[0]
        new = f"t{number}"
        if kind == "unary":
            step = (kind, new, self.draw.choice(UNARY), self._name())
        elif kind == "binary":
            step = (kind, new, self.draw.choice("*+-"), self._name(), self._name())
        elif kind == "view":
            step = (kind, new, self.draw.choice(VIEWS), self._name())
        elif kind == "alias":
            step = (kind, new, self._name())
        elif kind in ("item", "slice", "mask"):
            source = self._name() if self.draw.random() < 0.6 else round(self.draw.uniform(-1, 1), 2)
            step = (kind, self._name(), source, self.draw.randint(0, 1))
        elif kind == "method":
            step = (kind, self._name(), self.draw.choice(METHODS), self._name())
        elif kind == "simple":
            step = (kind, self._name(), self.draw.choice(SIMPLE_METHODS))
        else:
            step = (kind, "p", self.draw.choice(("assign", "assign_add", "set_data")), self._name())
        if kind in ("unary", "binary", "view", "alias"):
            self.names.append(new)
        return step

    def run(self, api, held):
        """Run the program; return the tensors by name.

        Args:
            api: `Ours` or `InNumPy`.
            held: the first tensors, by name.
        """
        values = dict(held)
        of_parameter = {"p"}
        for kind, name, *rest in self.steps:
            if kind in ("unary", "binary", "view", "alias"):
                sources = rest if kind == "alias" else rest[1:]
                values[name] = self._made(api, kind, rest, [values[source] for source in sources])
                if kind in ("view", "alias") and sources[0] in of_parameter:
                    of_parameter.add(name)
            elif name not in of_parameter or self.writes_parameter:
                target = values[name]
                source = rest[-2 if kind in ("item", "slice", "mask") else -1]
                self._write(api, kind, target, rest, values.get(source, source))
                if name in of_parameter:
                    api.wrote_parameter()
        return values

    def total(self, values):
        """Return the weighted sum of all tensors."""
        total = 0
        for name, weight in zip(self.names, self.weights):
            total = total + (values[name] * weight).sum()
        return total

    def _made(self, api, kind, rest, sources):
        if kind == "alias":
            return sources[0]
        if kind == "unary":
            return api.made(getattr(api, rest[0])(sources[0]))
        if kind == "view":
            return api.view(sources[0], rest[0])
        left, right = sources
        if tuple(left.shape) != tuple(right.shape):
            right = right.sum()
        return api.made(left * right if rest[0] == "*" else left + right if rest[0] == "+" else left - right)

    def _write(self, api, kind, target, rest, source):
        shape = tuple(target.shape)
        number = source if isinstance(source, float) else None
        if kind == "assign":
            api.assign(target, rest[0], api.tanh(source if tuple(source.shape) == shape else target * 0.5))
        elif kind == "simple":
            api.simple(target, rest[0])
        elif kind == "method":
            api.method(target, rest[0], source if tuple(source.shape) == shape else source.sum().reshape(()))
        elif kind == "mask":
            api.mask(target, number if number is not None else 0.25)
        elif shape:
            value = number if number is not None else api.tanh(source).sum()
            index = rest[1] % shape[0] if kind == "item" else slice(rest[1] % shape[0], None)
            if kind == "slice" and number is None and tuple(source.shape) == shape:
                value = source[index]
            operator.setitem(target, index, value)  # in a graph, a statement would give the name another tensor


def taken(array, how):
    """Return a view of an object with NumPy's methods."""
    shape = tuple(array.shape)
    if not shape:
        return array.reshape(1)
    if how == "transposed" and len(shape) == 2:
        return array.T
    if how == "column" and len(shape) == 2:
        return array[:, 1 % shape[1], ...]
    if how in ("flat", "reshaped") and len(shape) < 3:
        return None  # a copy or a view: it depends
    if how == "deeper":
        return array[None]
    if how == "element":
        return array[(*(0,) * len(shape), ...)]
    return array[1 % shape[0] :] if how == "tail" else array[0, ...] if how == "row" else array[:1]


class Ours:
    """The steps with TorchSpore.

    Args:
        draw: makes garbage collections between the steps: writes look for tensors by their age. None: without.
    """

    def __init__(self, draw=None):
        self._draw = draw

    exp = staticmethod(lambda a: ops.exp(a * 0.3))
    sin, sigmoid, relu, tanh = map(staticmethod, (ops.sin, ops.sigmoid, ops.relu, ops.tanh))
    square = staticmethod(lambda a: a * a * 0.3)
    twice = staticmethod(lambda a: a * 2)

    def made(self, tensor):
        if self._draw is not None and self._draw.random() < 0.1:
            gc.collect(self._draw.choice((0, 0, 0, 1, 1, 2)))
        return tensor

    def wrote_parameter(self):
        pass

    def view(self, tensor, how):
        made = taken(tensor, how)
        if made is not None:
            return made
        return tensor.reshape(-1) if how == "flat" else tensor.reshape(*tensor.shape, 1)

    def assign(self, parameter, how, value):
        if how == "set_data":
            parameter.set_data(value)
        else:
            getattr(ops, how)(parameter, value)

    def simple(self, tensor, how):
        if how == "fill_":
            tensor.fill_(0.5)
        elif how == "twice_":
            tensor.mul_(2)
        else:
            getattr(tensor, how)()

    def method(self, tensor, how, value):
        getattr(tensor, how)(value)

    def mask(self, tensor, number):
        operator.setitem(tensor, tensor > 0.4137, number)


class InNumPy:
    """The steps with NumPy.

    Args:
        parameter: the array of the parameter.
        shift: what has been added to the parameter, for differences.
        written: what the parameter was after each write, without the shift; filled if there is no shift.
    """

    def __init__(self, parameter, shift=None, written=None):
        self._parameter = parameter
        self._shift = shift
        self.written = [] if written is None else written
        self._is_first = written is None
        self._writes = 0

    exp = staticmethod(lambda a: np.exp(a * 0.3))
    sin, tanh = np.sin, np.tanh
    sigmoid = staticmethod(lambda a: 1 / (1 + np.exp(-a)))
    relu = staticmethod(lambda a: np.maximum(a, 0))
    square = staticmethod(lambda a: a * a * 0.3)
    twice = staticmethod(lambda a: a * 2)

    def made(self, array):
        return np.asarray(array)  # of arrays without dimensions, NumPy makes numbers

    def wrote_parameter(self):
        if self._is_first:
            self.written.append(self._parameter.copy())
        else:
            self._parameter[...] = self.written[self._writes] + self._shift
        self._writes += 1

    def view(self, array, how):
        made = taken(array, how)
        if made is not None:
            return made
        return array.reshape(-1) if how == "flat" else array.reshape(*array.shape, 1)

    def assign(self, array, how, value):
        array[...] = array + value if how == "assign_add" else value

    def simple(self, array, how):
        new = {
            "tanh_": np.tanh(array),
            "sigmoid_": self.sigmoid(array),
            "zero_": 0.0,
            "fill_": 0.5,
            "twice_": array * 2,
        }
        array[...] = new[how]

    def method(self, array, how, value):
        value = np.array(value)  # as it is before
        array[...] = {"add_": array + value, "sub_": array - value, "mul_": array * value, "copy_": value}[how]

    def mask(self, array, number):
        array[array > 0.4137] = number
