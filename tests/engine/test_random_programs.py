"""Random programs that branch and loop on tensor values: captured ones agree with plain ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fuzz
import torchspore as ms
from torchspore import Tensor, ops
from ways import Ways, arrays, assert_same, mixed


class _Writer:
    """Writes a random program: every choice is drawn by hypothesis.

    Args:
        draw: draws from a strategy.
    """

    def __init__(self, draw):
        self._draw = draw
        self._loops = itertools.count()
        self.lines = []

    def program(self):
        """Return the source of a function `f(x, y)` of a vector of three elements and a number."""
        self.line(0, "def f(x, y):")
        self.line(1, "a, b, v = x.sum(), y * 2, x * 1")
        self.block(1, 3, False)
        self.line(1, "return a + b + (v * x).sum()")
        return "\n".join(self.lines)

    def one_of(self, *choices):
        return self._draw(st.sampled_from(choices))

    def line(self, indent, text):
        self.lines.append("    " * indent + text)

    def number(self):
        """Return an expression of a tensor without dimensions."""
        form = self.one_of(
            "a",
            "b",
            "v[1]",
            "v.max()",
            "x[0]",
            "y",
            "a - b",
            "a * 0.5 + b",
            "ops.sin({} * 2)",
            "ops.tanh({} * {})",
            "ops.abs({})",
            "({} if {c} else {})",
            "[a, b, y][int(ops.abs({})) % 3]",
        )
        return self.filled(form)

    def condition(self):
        """Return an expression that Python can evaluate as true or false."""
        form = self.one_of(
            "{} > 0",
            "{} < {}",
            "{} >= 0.5",
            "-1 < {} <= {}",
            "{} > 0 and {c}",
            "{} < 0.5 or {c}",
            "not {} > 1",
            "any(e > 1 for e in (a, {}))",
            "max(a, {}) > b",
        )
        return self.filled(form)

    def filled(self, form):
        while "{" in form:
            form = form.replace("{c}", "{} > 0.1")
            form = form.replace("{}", self.one_of("a", "b", "v[0]", "v[2]", "x[1]", "y", "(a - b)", "(a * y)"), 1)
        return form

    def block(self, indent, depth, in_loop):
        for _ in range(self._draw(st.integers(1, 3))):
            self.statement(indent, depth, in_loop)

    def statement(self, indent, depth, in_loop):
        simple = [self.assign, self.assign, self.write, self.comprehend]
        if depth < 3:
            simple.append(self.leave)
        if in_loop:
            simple.append(self.jump)
        nested = [self.branch, self.branch, self.loop_while, self.loop_for, self.attempt] if depth else []
        self.one_of(*simple, *nested)(indent, depth, in_loop)

    def assign(self, indent, depth, in_loop):
        name = self.one_of("a", "b")
        self.line(indent, f"{name} {self.one_of('=', '=', '+=', '-=')} ({self.number()})")

    def write(self, indent, depth, in_loop):
        form = self.one_of("v[{}] = {}", "v = v * {1} + x", "v = v * 1; v[{}:] += {}", "v = ops.tanh(v) - {1}")
        self.line(indent, form.format(self.one_of(0, 1, 2), self.number()))

    def comprehend(self, indent, depth, in_loop):
        self.line(indent, f"b = sum([e * e for e in (a, y, v[1]) if e < {self.number()}], b) * 0.5")

    def leave(self, indent, depth, in_loop):
        self.line(indent, f"if {self.condition()}: return {self.number()} + {self.one_of('v', 'a', 'x * b')}")

    def jump(self, indent, depth, in_loop):
        self.line(indent, f"if {self.condition()}: {self.one_of('break', 'continue')}")

    def branch(self, indent, depth, in_loop):
        self.line(indent, f"if {self.condition()}:")
        self.block(indent + 1, depth - 1, in_loop)
        for _ in range(self.one_of(0, 0, 1)):
            self.line(indent, f"elif {self.condition()}:")
            self.block(indent + 1, depth - 1, in_loop)
        if self.one_of(True, False):
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, in_loop)

    def loop_while(self, indent, depth, in_loop):
        count = f"n{next(self._loops)}"
        self.line(indent, f"{count} = 0")
        self.line(
            indent,
            "while " + self.one_of("{0} < 3 and ({1})", "({1}) and {0} < 2").format(count, self.condition()) + ":",
        )
        self.line(indent + 1, f"{count} += 1")
        self.block(indent + 1, depth - 1, True)
        self.otherwise(indent, depth, in_loop)

    def loop_for(self, indent, depth, in_loop):
        count = f"n{next(self._loops)}"
        every = self.one_of("range(2)", "range(int(ops.abs({})) % 3)", "v", "(a, b)").format(self.number())
        self.line(indent, f"for {count} in {every}:")
        self.line(indent + 1, f"a = a * 0.5 + {count}")
        self.block(indent + 1, depth - 1, True)
        self.otherwise(indent, depth, in_loop)

    def otherwise(self, indent, depth, in_loop):
        if self.one_of(True, False, False):
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, in_loop)

    def attempt(self, indent, depth, in_loop):
        self.line(indent, "try:")
        self.line(indent + 1, f"if {self.condition()}: raise ValueError")
        self.block(indent + 1, depth - 1, in_loop)
        self.line(indent, "except ValueError:")
        self.block(indent + 1, depth - 1, in_loop)
        if self.one_of(True, False):
            self.line(indent, "finally:")
            self.assign(indent + 1, depth, in_loop)


@st.composite
def programs(draw):
    """Draw the source of a program."""
    return _Writer(draw).program()


NUMBERS = st.integers(-12, 12).map(lambda number: number / 8)
INPUTS = st.lists(st.tuples(st.lists(NUMBERS, min_size=3, max_size=3), NUMBERS), min_size=4, max_size=4)
MODES = {"values": lambda f: f, "value_and_grad": lambda f: ms.value_and_grad(f, (0, 1))}


def outcome(run, vector, number):
    """Return the result of a call and its arguments afterwards, or the type of its error."""
    x, y = Tensor(np.array(vector, np.float32)), Tensor(number, ms.float32)
    try:
        return arrays((run(x, y), x, y))
    except (ValueError, RuntimeError, OverflowError) as error:
        return type(error)


@pytest.mark.slow
@pytest.mark.parametrize("strict", [True, False], ids=["traced", "live"])
@pytest.mark.parametrize("mode", MODES)
@settings(deadline=None, derandomize=True, max_examples=fuzz.inputs(10), suppress_health_check=list(HealthCheck))
@given(source=programs(), inputs=INPUTS)
def test_a_random_program_agrees_with_its_plain_self(mode, strict, source, inputs):
    names = {"ops": ops}
    exec(source, names)
    function = MODES[mode](names["f"])
    captured = ms.jit(function, fullgraph=strict)
    with pytest.MonkeyPatch.context() as patch:
        ways = Ways(patch)
        expected = [outcome(lambda *args: ways.run(function, *args), *pair) for pair in mixed(inputs)]
    for pair, wanted in zip(mixed(inputs), expected):
        found = outcome(captured, *pair)
        if isinstance(wanted, type):
            assert found is wanted
        else:
            assert_same(found, wanted)
    if not any(isinstance(wanted, type) for wanted in expected):
        assert captured.captures == len(ways.seen)
