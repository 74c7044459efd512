"""Walks through a syntax tree that only read it: LibCST's own `visit` builds every node anew, and takes much longer."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any

import libcst as cst

__all__ = ["descendants", "observe"]

# What the fields of these names hold is spaces, comments, commas and parentheses: never a name.
_SPACES = ("whitespace", "lpar", "rpar", "lbracket", "rbracket", "lbrace", "rbrace", "comma", "equal", "semicolon")
_LINES = ("header", "footer", "leading_lines", "lines_after_decorators", "trailing_whitespace", "operator", "indent")


@functools.cache
def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(kind) if not f.name.startswith(_SPACES) and f.name not in _LINES)


def _children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for name in _fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from value


def descendants(node: cst.CSTNode, *kinds: type[cst.CSTNode]) -> Iterator[Any]:
    """Yield the nodes of some types in a tree, the outer ones first."""
    if isinstance(node, kinds):
        yield node
    for child in _children(node):
        yield from descendants(child, *kinds)


def observe(node: cst.CSTNode, observer: Any) -> None:
    """Call the methods `visit_Name` and `leave_Name` of an observer for each Name of a tree, and so on.

    What is in a node is skipped if its `visit` returns False.
    """
    kinds: tuple[Any, Any] = type(observer), type(node)
    visit, leave = _methods(*kinds)
    if visit is None or visit(observer, node) is not False:
        for child in _children(node):
            observe(child, observer)
    if leave is not None:
        leave(observer, node)


@functools.cache
def _methods(observer: type, kind: type) -> tuple[Any, Any]:
    return getattr(observer, f"visit_{kind.__name__}", None), getattr(observer, f"leave_{kind.__name__}", None)
