"""Random programs that read their environment, and random changes of it: captured, they answer as plain ones do."""

from __future__ import annotations

import os
import random
import sys
import types
import warnings

import pytest

import fuzz
import torchspore as ms
from torchspore import Tensor

CALLS = 6
NUMBERS = ("2", "3.0", "5", "True", "0.5", "-1")
X = Tensor([1.0, 2.0])


class _Program:
    """A random module with a function `f`, and random changes of the module's contents.

    Args:
        draw: the random numbers.
    """

    def __init__(self, draw):
        self.draw = draw
        self.module = types.ModuleType("random_program")
        self.other = types.ModuleType("random_settings")
        vars(self.module)["settings"] = self.other
        self.readers = [self.write_reader(number) for number in range(draw.randint(1, 5))]
        self.write_f()

    def number(self):
        return self.draw.choice(NUMBERS)

    def run(self, text, where=None):
        exec(text, vars(where or self.module))

    def write_reader(self, number):
        """Write something that holds a number; return an expression that reads it, and texts that change it."""
        n, value = number, self.number
        kinds = {
            "global": (f"k{n} = {value()}", f"k{n}", [f"k{n} = {value()}"]),
            "list": (f"k{n} = [{value()}, 1]", f"k{n}[0]", [f"k{n}[0] = {value()}", f"k{n} = [{value()}]"]),
            "dict": (
                f"k{n} = dict(a={value()})",
                f"k{n}['a']",
                [f"k{n}['a'] = {value()}", f"k{n}.update(a={value()})"],
            ),
            "length": (f"k{n} = [1]", f"len(k{n})", [f"k{n}.append(1)", f"k{n}.clear()"]),
            "set": (f"k{n} = {{1, {value()}}}", f"sum(k{n})", [f"k{n}.add({value()})", f"k{n}.clear()"]),
            "helper": (
                f"def h{n}(x=1): return {value()}",
                f"h{n}()",
                [
                    f"def h{n}(x=1): return {value()} + x",
                    f"h{n} = lambda: {value()}",
                    f"h{n}.__code__ = (lambda x=1: {value()}).__code__",
                    f"h{n}.__defaults__ = ({value()},)",
                ],
            ),
            "default": (
                f"def h{n}(*, k={value()}): return k",
                f"h{n}()",
                [f"h{n}.__kwdefaults__['k'] = {value()}", f"h{n}.__kwdefaults__ = dict(k={value()})"],
            ),
            "class": (
                f"class B{n}:\n    k = {value()}\nclass C{n}(B{n}): pass",
                f"C{n}.k",
                [f"C{n}.k = {value()}", f"B{n}.k = {value()}", f"if 'k' in vars(C{n}): del C{n}.k"],
            ),
            "method": (
                f"class C{n}:\n    k = {value()}\n    def m(self): return self.k\nc{n} = C{n}()",
                f"c{n}.m()",
                [
                    f"C{n}.k = {value()}",
                    f"c{n}.k = {value()}",
                    f"vars(c{n}).pop('k', None)",
                    f"C{n}.m = lambda self: {value()}",
                    f"c{n}.m = lambda: {value()}",
                    f"c{n}.__class__ = type('D', (C{n},), dict(k={value()}))",
                ],
            ),
            "property": (
                f"class C{n}:\n    k = {value()}\n    @property\n    def p(self): return self.k\nc{n} = C{n}()",
                f"c{n}.p",
                [f"C{n}.k = {value()}", f"C{n}.p = property(lambda self: {value()})", f"C{n}.p = {value()}"],
            ),
            "closure": (
                f"def make{n}():\n    k = {value()}\n    def read(): return k\n    def change(new):\n"
                f"        nonlocal k\n        k = new\n    return read, change\nread{n}, change{n} = make{n}()",
                f"read{n}()",
                [f"change{n}({value()})", f"read{n}, change{n} = make{n}()"],
            ),
            "by name": (
                f"settings.k{n} = {value()}",
                f"getattr(settings, 'k' + '{n}')",
                [f"settings.k{n} = {value()}"],
            ),
            "missing": ("", f"getattr(settings, 'm{n}', 1)", [f"settings.m{n} = {value()}"]),
            "module": (f"settings.k{n} = {value()}", f"settings.k{n}", [f"settings.k{n} = {value()}"]),
            "builtin": ("", "max(1, 2)", [f"max = lambda *_: {value()}", "globals().pop('max', None)"]),
            "environment": (
                f"import os\nos.environ['RANDOM_K{n}'] = '{value()}'",
                f"len(os.environ['RANDOM_K{n}'])",
                [f"os.environ['RANDOM_K{n}'] = '{value()}'"],
            ),
            "partial": (
                f"import functools\ndef g{n}(k): return k\np{n} = functools.partial(g{n}, {value()})",
                f"p{n}()",
                [f"p{n} = functools.partial(g{n}, {value()})", f"def g{n}(k): return 0"],
            ),
            "cell": (
                f"class N{n}(nn.Cell):\n    k = {value()}\n    def construct(self): return self.k\nn{n} = N{n}()",
                f"n{n}()",
                [
                    f"N{n}.k = {value()}",
                    f"n{n}.k = {value()}",
                    f"N{n}.construct = lambda self: {value()}",
                    f"n{n}.k = [{value()}][0]",
                ],
            ),
            "tensor": (
                f"t{n} = ms.Tensor([{value()}], ms.float32)",
                f"t{n} * getattr(t{n}, 'scale', 1)",
                [f"t{n} = ms.Tensor([{value()}], ms.float32)", f"t{n}.scale = {value()}", f"t{n}[0] = {value()}"],
            ),
            "import": (
                f"import sys, types\nsys.modules['random_import{n}'] = types.ModuleType('a')\n"
                f"sys.modules['random_import{n}'].k = {value()}\n"
                f"def h{n}():\n    from random_import{n} import k\n    return k",
                f"h{n}()",
                [f"sys.modules['random_import{n}'].k = {value()}"],
            ),
        }
        setup, read, changes = kinds[self.draw.choice(list(kinds))]
        vars(self.module).update(ms=ms, nn=ms.nn)
        self.run(setup)
        if self.draw.random() < 0.4:  # behind a helper, or two
            for depth in range(self.draw.randint(1, 2)):
                self.run(f"def through{n}_{depth}(): return {read}")
                read = f"through{n}_{depth}()"
        return read, changes

    def write_f(self):
        lines = ["def f(x):", "    y = x * 1"]
        for read, _ in self.readers:
            lines.append(f"    y = y {self.draw.choice('+*-')} {read}")
        if self.draw.random() < 0.3:
            lines.append("    if (y.sum() > 3): y = y * 2")
        self.run("\n".join([*lines, "    return y"]))

    def change(self):
        for _ in range(self.draw.choice((0, 0, 1, 1, 2))):
            _, changes = self.draw.choice(self.readers)
            self.run(self.draw.choice(changes))


def answer(function):
    try:
        return function(X).asnumpy().tolist()
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("strict", [False, True], ids=["live", "traced"])
@pytest.mark.slow
def test_random_changes_between_calls_are_seen(strict):
    environment = dict(os.environ)
    for seed in fuzz.seeds(40):
        program = _Program(random.Random(seed))
        captured = ms.jit(program.module.f, fullgraph=strict)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for call in range(CALLS):
                expected = answer(program.module.f)
                assert answer(captured) == expected, f"seed {seed}, call {call}"
                program.change()
    for name in [name for name in sys.modules if name.startswith("random_import")]:
        del sys.modules[name]
    os.environ.clear()
    os.environ.update(environment)
