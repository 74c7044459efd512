"""Examples for the pages of the API, from what the tests run.

A public name has an example in its docstring, in a row of `tests/cases`, whose result is compared with MindSpore's, or
in another table of expressions in the tests; or it shares the row of the operation that it is another form of: an
alias, a method, a primitive.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, TypeAlias

from example_text import IMPORTS, MODULES, SHORT, TESTS, Example, InProcesses
from site_names import Name, identity, names

import cases
from torchspore.engine.primitive import Primitive

METHODS = "Tensor"  # the key of a method is Tensor.NAME

# Where communication is, and the names of these packages in the rows that two processes run.
COMMUNICATION = {
    **dict.fromkeys(
        [f"torchspore.ops.distributed.{name}" for name in ("functions", "primitives", "process_groups")],
        "dist|ops|communication",
    ),
    "torchspore.communication": "comm",
    "torchspore.communication.comm_func": "func",
}
Rows: TypeAlias = dict[str, list[tuple[str, dict[str, Any]]]]


def key_of(node: ast.AST) -> str | None:
    """Return the public name that an attribute in an expression stands for: torchspore.ops.add, Tensor.add."""
    if not isinstance(node, ast.Attribute):
        return None
    head: Any = node.value
    if isinstance(head, ast.Name) and head.id in MODULES:
        return f"{MODULES[head.id][0]}.{node.attr}"
    before = key_of(head)
    if before and before.startswith("torchspore."):
        return f"{before}.{node.attr}"
    while isinstance(head, (ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)):
        head = getattr(head, "left", None) or getattr(head, "value", None) or getattr(head, "func", None)
    return f"{METHODS}.{node.attr}" if isinstance(head, ast.Name) and head.id in {"Tensor", *cases.INPUTS} else None


def path_to(key: str) -> ast.expr:
    """Return the expression for a public name: ops.add for torchspore.ops.add."""
    fitting = [(len(module), name, module) for name, (module, _) in MODULES.items() if key.startswith(module + ".")]
    _, name, module = max(fitting)
    return ast.parse(f"{name}.{key[len(module) + 1 :]}", mode="eval").body


def public() -> Iterator[tuple[str, Any]]:
    """Yield (key, thing) of every public function, class, primitive and attribute of tensors."""
    for name in names():
        if name.kind != "data":
            yield key_in_tables(name), name.thing


def key_in_tables(name: Name) -> str:
    """Return the key of a name in the tables: its full name, or Tensor.NAME."""
    return f"{METHODS}.{name.name}" if name.package.path == METHODS else name.path


def documented(thing: Any) -> bool:
    """Return whether the docstring has an example, or says that the name is not supported."""
    doc = inspect.getdoc(thing) or ""
    return ">>>" in doc or doc.startswith("Not supported")


def _as(old: str, new: str, thing: Any, expression: str) -> str:
    """Return an expression with one form of an operation in the place of another: function, method or primitive."""

    class Rewrite(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            if key_of(node.func) != old:
                return node
            given = [node.func.value, *node.args] if old.startswith(METHODS) else node.args  # type: ignore[attr-defined]
            if new.startswith(METHODS):
                return ast.Call(ast.Attribute(given[0], new.partition(".")[2]), given[1:], node.keywords)
            if _function_of(thing) is not thing and not isinstance(node.func, ast.Call) and not _is_class(old):
                return _as_primitive(thing, path_to(new), given, node.keywords)
            return ast.Call(path_to(new), given, node.keywords)

    return ast.unparse(Rewrite().visit(ast.parse(expression)))


def _is_class(key: str) -> bool:
    return key.rpartition(".")[2][:1].isupper()


def _as_primitive(made: Any, path: ast.expr, given: list[ast.expr], keywords: list[ast.keyword]) -> ast.Call:
    """Return the call of a primitive with what its function was given."""
    attributes = list(inspect.signature(made).parameters)
    names = list(inspect.signature(_function_of(made)).parameters)
    arguments = [*[ast.keyword(name, value) for name, value in zip(names, given)], *keywords]
    first = [k for k in arguments if k.arg in attributes]
    inputs = [k for k in arguments if k.arg not in attributes]
    return ast.Call(ast.Call(path, [], first), [k.value for k in inputs], [])


def _function_of(thing: Any) -> Any:
    """Return the operation that `primitive` has made a class of, or the thing itself."""
    if inspect.isclass(thing) and issubclass(thing, Primitive):
        return getattr(thing.__call__, "__globals__", {}).get("function", thing)
    return thing


class Examples:
    """The examples of all public names."""

    def __init__(self) -> None:
        self.rows: Rows = defaultdict(list)
        self.tests: Rows = defaultdict(list)
        for path in sorted((TESTS / "data").glob("*.json")):
            if (TESTS / "cases" / path.name).with_suffix(".py").exists():
                self._read(path.stem, json.loads(path.read_text()))
        self.processes: dict[str, list[Example]] = defaultdict(list)
        self._read_tests()
        self._read_processes()
        self.keys: dict[int, list[str]] = defaultdict(list)
        for key, thing in public():
            self.keys[identity(thing)].append(key)

    def _read(self, family: str, recorded: dict[str, Any]) -> None:
        module = importlib.import_module(f"cases.{family}")
        for expression in module.CASES:
            if "error" in recorded[expression] or expression in getattr(module, "DIFFERENCES", {}):
                continue
            for key in {key_of(node) for node in ast.walk(ast.parse(expression, mode="eval"))} - {None}:
                self.rows[key].append((expression, recorded[expression]))  # type: ignore[index]

    def _read_tests(self) -> None:
        """Read the other tables of expressions, which tests compare with NumPy, with torch, or with what they give."""
        known = {*cases.INPUTS, *IMPORTS}
        for path in sorted(TESTS.glob("*/test_*.py")):
            for statement in ast.parse(path.read_text(encoding="utf-8")).body:
                for node in ast.walk(statement) if isinstance(statement, ast.Assign) else ():
                    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                        continue
                    with contextlib.suppress(SyntaxError, ValueError):
                        tree = ast.parse(node.value, mode="eval")
                        shown = f"({node.value})" if isinstance(tree.body, ast.Tuple) else node.value
                        if {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} <= known:
                            for key in {key_of(n) for n in ast.walk(tree)} - {None}:
                                self.tests[key].append((shown, {}))  # type: ignore[index]

    def _read_processes(self) -> None:
        """Read the table of what two processes run."""
        path = TESTS / "mint" / "test_distributed.py"
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "ROWS":
                for code, *results in ast.literal_eval(statement.value):
                    for name in re.findall(r"\b\w+\.\w+", code):
                        self.processes[name].append(InProcesses("processes", code, {"results": results}))

    def find(self, key: str, thing: Any) -> Example | None:
        """Return the example of a name from the tables, or None."""
        package, _, name = key.rpartition(".")
        for place in (package, getattr(thing, "__module__", "")):
            words = COMMUNICATION.get(place, "").split("|")
            if found := [example for word in words for example in self.processes[f"{word}.{name}"]]:
                return min(found, key=lambda example: len(example.expression))
        same = dict.fromkeys([key, *self.keys[identity(thing)], *self.keys[identity(_function_of(thing))]])
        for rows, source in ((self.rows, "case"), (self.tests, "test")):
            for form in same:
                for expression, record in sorted(rows[form], key=lambda row: _rank(form, row[0])):
                    example = Example(source, expression if form == key else _as(form, key, thing, expression), record)
                    if _works(example, key):
                        return example
        return None


def _works(example: Example, key: str) -> bool:
    """Return whether an example shows a name and has a result."""
    if all(key_of(node) != key for node in ast.walk(ast.parse(example.expression))):
        return False
    try:
        return example.result() is not None
    except Exception:
        return False


def _rank(key: str, expression: str) -> tuple[bool, bool, bool, int]:
    """Return the sort key of a row: rows that begin with the name, have small inputs and are short come first."""
    node: Any = ast.parse(expression, mode="eval").body
    while isinstance(node, (ast.Call, ast.Attribute)) and key_of(node) != key:
        node = node.func if isinstance(node, ast.Call) else node.value
    small = all(cases.INPUTS[name].size <= SHORT for name in cases.names_in(expression))
    fact = isinstance(ast.parse(expression, mode="eval").body, ast.Attribute)  # a layer's attribute, say
    return key_of(node) != key, fact, not small, len(expression)
