"""What assignments write to, by their bytecode."""

import ast
import dis
import sys
import types

import pytest

from torchspore.common.written_names import written

_WRITES = ("STORE_SUBSCR", "STORE_SLICE")
# A statement, and what each of its instructions writes to; () stands for an expression without a name.
BOTH_WAYS = sys.version_info >= (3, 12)  # which writes the code after a conditional expression twice
STATEMENTS = [
    ("x[0] = 1", ["x"]),
    ("x[0], y[1] = 2, 3", ["x", "y"]),
    ("x[i] = y[i] = 7", ["x", "y"]),
    ("x[1:2] = 4", ["x"]),
    ("x[..., i:i + 2] = f(x)[0]", ["x"]),
    ("x[0 if c else 1] = y", ["x", "x"] if BOTH_WAYS else ["x"]),
    ("x[c or 1] = y if c else 3", ["x"]),
    ("x[[j for j in y]] = 0", ["x"]),
    ("x[(n := 3)] = 2", ["x"]),
    ("x[f(i)][self.a[0]] = y[0]", ["x[]"]),
    ("self.t[0] = 1", ["self.t"]),
    ("self.t.u[0][1] = 1", ["self.t.u[]"]),
    ("(x if c else y)[0] = 1", ["x", "y"] if BOTH_WAYS else ["()"]),
    ("(x or y)[0] = 1", ["()"]),
    ("f(x)[0] = 3", ["()"]),
    ("f(x).t[0] = 3", ["().t"]),
    ("x += 1", [None]),
    ("x[0] += 1", ["x", "x"]),
    ("x[1:] *= f(y, k=3)", ["x", "x"]),
    ("x[i][i] -= y", ["x[]", "x[]"]),
    ("self.t += 1", ["self.t"]),
    ("self.t[0] **= 2", ["self.t", "self.t"]),
    ("for x[0] in y: pass", ["x"]),
    ("for i in y:\n  if c: x[i] = y\n  else: y[i] += x[i] if c else 1", ["x", "y", "y"]),
    ("try: f(x)\nexcept ValueError as e: y[0] = 2; x[0] += e", ["y", "x", "x"]),
    ("with f(x) as g: g[0] = x; y[1:] += 1", ["g", "y", "y"]),
    ("global G; G[0] = x; G[1] += 1", ["G", "G", "G"]),
]


def _text(target):
    if isinstance(target, ast.Attribute):
        return f"{_text(target.value)}.{target.attr}"
    if isinstance(target, ast.Subscript):
        return f"{_text(target.value)}[]"
    return target and getattr(target, "id", "()")


def _is_write(instruction):
    is_augmented = instruction.opname == "BINARY_OP" and instruction.argrepr.endswith("=")
    return instruction.opname in _WRITES or instruction.opname.startswith("INPLACE_") or is_augmented


@pytest.mark.parametrize(("statement", "expected"), STATEMENTS)
def test_targets(statement, expected):
    source = "def function(self, x, y, i, c, f):\n" + "\n".join("  " + line for line in statement.splitlines())
    code = next(each for each in compile(source, "<text>", "exec").co_consts if isinstance(each, types.CodeType))
    places = [each.offset for each in dis.get_instructions(code) if _is_write(each)]
    assert [_text(written(code, place)) for place in places] == expected


def test_other_instructions():
    code = (lambda x: x.append(1)).__code__
    assert {written(code, each.offset) for each in dis.get_instructions(code)} == {None}
