"""Writing the statements of a function as simple ones: one operation each, whose operands are names or constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchspore.rewrite.expressions import dotted_name

__all__ = ["Names", "Place", "flatten"]

_OPERATIONS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Subscript, ast.Tuple, ast.List, ast.Dict)


class Names:
    """Names that are taken, to find new ones.

    Args:
        taken: the names to begin with.
    """

    def __init__(self, taken: set[str]) -> None:
        self._taken = set(taken)

    def add(self, name: str) -> None:
        """Take a name."""
        self._taken.add(name)

    def unique(self, name: str) -> str:
        """Take and return a name: the given one, or it with the first number that is free."""
        number, free = 0, name
        while free in self._taken:
            number += 1
            free = f"{name}_{number}"
        self._taken.add(free)
        return free


class Place:
    """Where an expression stands in another or in a statement, so that it can be exchanged.

    Args:
        parent: the expression or statement around it, or the list that it is in.
        key: the name of its field, or its index in the list.
    """

    def __init__(self, parent: ast.AST | list[ast.expr], key: str | int) -> None:
        self._parent = parent
        self._key = key

    def read(self) -> ast.expr:
        """Return the expression."""
        if isinstance(self._parent, list):
            return self._parent[int(self._key)]
        return getattr(self._parent, str(self._key))

    def write(self, expression: ast.expr) -> None:
        """Put another expression there."""
        if isinstance(self._parent, list):
            self._parent[int(self._key)] = expression
        else:
            setattr(self._parent, str(self._key), expression)


def flatten(definition: ast.FunctionDef, names: Names) -> None:
    """Give each nested operation of a function a statement and a variable of its own.

    Args:
        definition: the function, which is changed.
        names: the function's variables, to which the new ones are added.
    """
    definition.body = _flatten_block(definition.body, names)


def _flatten_block(statements: list[ast.stmt], names: Names) -> list[ast.stmt]:
    """Flatten statements, last to first, so that the variables of the last statement have the shortest names."""
    pending, done = list(statements), []
    while pending:
        statement = pending.pop()
        loops = (*_OPERATIONS, ast.Attribute) if isinstance(statement, ast.For) else _OPERATIONS
        places = [place for place in _operands(statement) if _is_nested(place.read(), loops)]
        new = [_assign(names.unique(_variable(place.read())), place) for place in places]
        done.append(statement)
        pending.extend(reversed(new))
    done.reverse()
    for statement in done:
        for field in ("body", "orelse"):
            if isinstance(statement, (ast.If, ast.For, ast.While)):
                setattr(statement, field, _flatten_block(getattr(statement, field), names))
    return done


def _assign(name: str, place: Place) -> ast.stmt:
    """Return an assignment of an expression to a variable, which takes its place."""
    statement = ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=place.read())
    place.write(ast.Name(id=name, ctx=ast.Load()))
    return statement


def _operands(statement: ast.stmt) -> Iterator[Place]:
    """Yield the places in a statement where nested operations may stand."""
    if isinstance(statement, ast.Assign):
        if len(statement.targets) == 1:
            yield from _inside(statement.value)
    elif isinstance(statement, ast.Expr):
        if isinstance(statement.value, ast.Call):
            yield from _inside(statement.value)
    elif isinstance(statement, ast.Return):
        if statement.value is not None:
            yield Place(statement, "value")
    elif isinstance(statement, ast.If):
        yield Place(statement, "test")
    elif isinstance(statement, ast.For):
        yield Place(statement, "iter")


def _inside(value: ast.expr) -> Iterator[Place]:
    """Yield the places of the operands of an operation."""
    if isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute):
            yield Place(value.func, "value")
        else:
            yield Place(value, "func")
        yield from (Place(value.args, index) for index in range(len(value.args)))
        yield from (Place(keyword, "value") for keyword in value.keywords if keyword.arg is not None)
    elif isinstance(value, ast.BinOp):
        yield from (Place(value, "left"), Place(value, "right"))
    elif isinstance(value, ast.UnaryOp):
        yield Place(value, "operand")
    elif isinstance(value, ast.Compare):
        yield Place(value, "left")
        if len(value.comparators) == 1:  # the others are computed only if the first comparison holds
            yield Place(value.comparators, 0)
    elif isinstance(value, ast.BoolOp):
        yield Place(value.values, 0)  # the others are computed only if it does not decide
    elif isinstance(value, (ast.Tuple, ast.List)):
        yield from (Place(value.elts, index) for index in range(len(value.elts)))
    elif isinstance(value, ast.Dict):
        yield from (Place(value.values, index) for index in range(len(value.values)))


def _is_nested(value: ast.expr, operations: tuple[type[ast.expr], ...]) -> bool:
    """Return whether an operand is an operation that needs a statement of its own."""
    return isinstance(value, operations) and not any(isinstance(part, ast.Starred) for part in ast.walk(value))


def _variable(value: ast.expr) -> str:
    """Return a name for the variable of an operation's result."""
    if isinstance(value, ast.Call):
        function = value.func
        if isinstance(function, ast.Name):
            return f"{function.id}_var"
        return f"{function.attr}_var" if isinstance(function, ast.Attribute) else "function_var"
    if isinstance(value, (ast.BinOp, ast.UnaryOp, ast.BoolOp)):
        return f"{type(value.op).__name__.lower()}_var"
    if isinstance(value, ast.Attribute):
        return (dotted_name(value) or "attribute_var").replace(".", "_")
    return f"{type(value).__name__.lower()}_var"
