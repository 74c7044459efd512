"""Between `ScopedValue`s and the expressions of Python's syntax trees."""

from __future__ import annotations

import ast
from typing import Any

from torchspore.rewrite.values import ScopedValue, ValueType

__all__ = ["dotted_name", "read_value", "target_values", "write_value"]


def dotted_name(expression: ast.expr) -> str | None:
    """Return the text of a name such as `x` or `self.block.conv`; None for another expression."""
    if isinstance(expression, ast.Name):
        return expression.id
    if isinstance(expression, ast.Attribute):
        scope = dotted_name(expression.value)
        return None if scope is None else f"{scope}.{expression.attr}"
    return None


def read_value(expression: ast.expr) -> ScopedValue:
    """Return the value that an expression stands for."""
    if isinstance(expression, ast.Constant):
        return ScopedValue.create_variable_value(expression.value)
    name = dotted_name(expression)
    if name is None:
        return ScopedValue(ValueType.UnsupportedValue)
    scope, _, last = name.rpartition(".")
    return ScopedValue.create_naming_value(last, scope)


def target_values(target: ast.expr) -> list[ScopedValue]:
    """Return the values of what a statement assigns to."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [value for item in target.elts for value in target_values(item)]
    return [read_value(target)]


def write_value(value: ScopedValue, objects: dict[str, Any]) -> ast.expr:
    """Return the expression of a value.

    Args:
        value: the value.
        objects: receives the objects that have no expression, by the names that stand for them.
    """
    if value.type is ValueType.NamingValue:
        return ast.parse(str(value), mode="eval").body
    if value.type is ValueType.ConstantValue:
        return ast.Constant(value.value)
    if value.type in (ValueType.TupleValue, ValueType.ListValue):
        kind = ast.Tuple if value.type is ValueType.TupleValue else ast.List
        return kind([write_value(item, objects) for item in value.value], ast.Load())
    if value.type is ValueType.DictValue:
        keys: list[ast.expr | None] = [ast.Constant(key) for key in value.value]
        return ast.Dict(keys, [write_value(item, objects) for item in value.value.values()])
    if isinstance(value.value, ScopedValue):  # an item of a container
        return write_value(value.value, objects)
    if value.type is ValueType.CustomObjValue:
        name = f"{type(value.value).__name__.lower()}_{len(objects)}"
        objects[name] = value.value
        return ast.Name(name, ast.Load())
    raise ValueError("For 'ScopedValue', a value of the type UnsupportedValue cannot be written. Give a name instead.")
