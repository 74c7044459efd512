"""Functions whose `while` statements are calls of `repeat`, made from their source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType

__all__ = ["loops_as_operations"]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_STAYS = (
    *(ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.Delete),
    *(ast.Import, ast.ImportFrom, ast.Match, ast.ExceptHandler),
)  # no loop with one of these is rewritten
_IMPORT = """
from torchspore.serialization.exporting.loops import BROKEN as __broken__, ENDED as __ended__, repeat as __repeat__
from torchspore.serialization.exporting.loops import RETURNED as __returned__, UNBOUND as __unbound__
"""
_LOOP = """
def __test__({names}):
    return None
def __body__({names}):
    for __once__ in (None,):
        pass
    else:
        return __ended__, __unbound__, {names}
    return __broken__, __unbound__, {names}
__end__, __result__, {names} = __repeat__(__test__, __body__, {quoted}, locals())
"""
_RETURN_FROM_LOOP = """
if __end__ == __returned__:
    return __result__
"""


@contextmanager
def loops_as_operations(functions: Iterable[FunctionType]) -> Iterator[None]:
    """Let functions run with their `while` statements rewritten within the block; they mean the same."""
    originals: list[tuple[FunctionType, CodeType]] = []
    try:
        for function in functions:
            code = _rewritten(function)
            if code is not None:
                originals.append((function, function.__code__))
                function.__code__ = code
        yield
    finally:
        for function, code in originals:
            function.__code__ = code


def _rewritten(function: FunctionType) -> CodeType | None:
    """Return the code of a function with its `while` statements rewritten; None if it has none, or no source."""
    try:
        lines, first = inspect.getsourcelines(function)
        definition = ast.parse(textwrap.dedent("".join(lines))).body[0]
    except (OSError, TypeError, SyntaxError):
        return None
    has_loops = any(isinstance(node, ast.While) for node in ast.walk(definition))
    if not isinstance(definition, ast.FunctionDef) or not has_loops:
        return None
    definition.body = [*ast.parse(_IMPORT).body, *_Rewriter().statements(definition.body)]
    definition.decorator_list = []
    ast.increment_lineno(definition, first - 1)
    code = _compiled(definition, function)
    return code if code.co_freevars == function.__code__.co_freevars else None


def _compiled(definition: ast.FunctionDef, function: FunctionType) -> CodeType:
    """Return the code of a definition in place of a function: with its class and its closure."""
    names = [name for name in function.__code__.co_freevars if name != "__class__"]
    closure = ast.parse(f"def closure({', '.join(names)}): pass").body[0]
    owner = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    path = ["closure", owner, definition.name] if owner.isidentifier() else ["closure", definition.name]
    inside = ast.ClassDef(owner, [], [], [definition], []) if owner.isidentifier() else definition
    closure.body = [inside]  # type: ignore[attr-defined]
    module = ast.fix_missing_locations(ast.Module([closure], []))
    code: CodeType = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    for name in path:
        code = next(part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name)
    return code


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes inside a node which belong to the same function."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _own(child)


class _Rewriter(ast.NodeTransformer):
    """Rewrite the `while` statements of a function."""

    _names = ""  # the variables of the loop, as text

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return statements in place of others."""
        found: list[ast.stmt] = []
        for statement in body:
            for field in ("body", "orelse", "finalbody"):
                inner = getattr(statement, field, None)
                if inner and not isinstance(statement, ast.ClassDef):
                    setattr(statement, field, self.statements(inner))
            for handler in getattr(statement, "handlers", ()):
                handler.body = self.statements(handler.body)
            found += self._loop(statement) if isinstance(statement, ast.While) else [statement]
        return found

    def _loop(self, loop: ast.While) -> list[ast.stmt]:
        nodes = list(_own(loop))
        uses_super = any(isinstance(node, ast.Name) and node.id == "super" for node in nodes)
        if loop.orelse or uses_super or any(isinstance(node, _STAYS) for node in nodes):
            return [loop]
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        names = sorted(name for name in stored if not name.startswith("__"))
        if not names:
            return [loop]
        self._names = "".join(f"{name}, " for name in names)
        rewritten = _at(loop, _LOOP.format(names=self._names, quoted=names))
        test, body, _ = rewritten
        test.body[0].value = loop.test  # type: ignore[attr-defined]
        body.body[0].body = [self.visit(statement) for statement in loop.body]  # type: ignore[attr-defined]
        if any(isinstance(node, ast.Return) for node in nodes):
            rewritten += _at(loop, _RETURN_FROM_LOOP)
        return rewritten

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Return a statement of the loop's body; what is inside a function or class there stays as it is."""
        return node if isinstance(node, _SCOPES) else super().generic_visit(node)

    def visit_Return(self, statement: ast.Return) -> ast.stmt:
        """Return a statement by which the body of a loop says what the function returns."""
        (found,) = _at(statement, f"return __returned__, None, {self._names}")
        if statement.value is not None:
            found.value.elts[1] = statement.value  # type: ignore[attr-defined]
        return found


def _at(place: ast.stmt, text: str) -> list[ast.stmt]:
    """Return statements, which Python's tracebacks show at the place of another."""
    statements = ast.parse(text).body
    for statement in statements:
        for node in ast.walk(statement):
            ast.copy_location(node, place)
    return statements
