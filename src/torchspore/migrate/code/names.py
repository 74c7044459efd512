"""Which API a name in the code means: names are followed through imports and aliases, scope by scope."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst
from libcst.metadata import Assignment, BaseAssignment, ImportAssignment, Scope

from torchspore.migrate.code.scaffolding import public_name

__all__ = ["Names", "dotted", "usual_name"]


def dotted(node: cst.CSTNode) -> str | None:
    """Return "a.b.c" for names and their attributes, else None."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        inner = dotted(node.value)
        return None if inner is None else f"{inner}.{node.attr.value}"
    return None


def root(node: cst.CSTNode) -> str | None:
    """Return the first name of "a.b.c"."""
    name = dotted(node)
    return None if name is None else name.partition(".")[0]


# Where MindSpore's modules define what the packages above them offer.
_PLACES = (
    (re.compile(r"mindspore\.ops\.(?:operations|functional|composite|function|primitive)\.(?:\w+\.)*(?=\w+$)"), "ops."),
    (re.compile(r"mindspore\.nn\.(?:layer|cell|optim|loss|wrap)\.(?:\w+\.)*(?=\w+$)"), "nn."),
    (re.compile(r"mindspore\.(?:common\.(?:tensor|parameter|api|seed)|train\.serialization|context)\.(?=\w+$)"), ""),
    (re.compile(r"mindspore\.train\.(?=(?:save_checkpoint|load_checkpoint|load_param_into_net)$)"), ""),
)


def usual_name(full: str) -> str:
    """Return the usual name of an API of MindSpore."""
    for pattern, package in _PLACES if full.startswith("mindspore.") else ():
        full = pattern.sub(f"mindspore.{package}", full)
    return full


class Names:
    """The full names behind the names of a module.

    Args:
        scopes: the scope of each node, as libcst finds them.
    """

    def __init__(self, scopes: dict[cst.CSTNode, Scope | None]) -> None:
        self._scopes = scopes
        self._known: dict[tuple[int, str], str | None] = {}

    def scope(self, node: cst.CSTNode) -> Scope | None:
        """Return the scope that a node is evaluated in."""
        return self._scopes.get(node)

    def full(self, node: cst.CSTNode) -> str | None:
        """Return the full name of what a name or an attribute means if it was imported, else None.

        A name that is also bound otherwise, such as a variable called `F`, has no full name.
        """
        name = dotted(node)
        first: cst.CSTNode = node
        while isinstance(first, cst.Attribute):
            first = first.value
        scope = self._scopes.get(first)
        if name is None or scope is None:
            return None
        key = (id(scope), name)
        if key not in self._known:
            self._known[key] = self._resolve(scope, name)
        return self._known[key]

    def assignments(self, name: cst.Name) -> Iterable[BaseAssignment]:
        """Return the places that bind a name, in the scope that it is found in."""
        scope = self._scopes.get(name)
        return () if scope is None else scope[name.value]

    def decorator(self, node: cst.Decorator) -> str | None:
        """Return the full name of a decorator, also of one with arguments."""
        return self.full(node.decorator.func if isinstance(node.decorator, cst.Call) else node.decorator)

    def is_variable(self, node: cst.CSTNode) -> bool:
        """Return whether a node is a name of a value of this module: not of an import, a function or a class."""
        found = list(self.assignments(node)) if isinstance(node, cst.Name) else []
        defined = (cst.FunctionDef, cst.ClassDef)
        return bool(found) and all(isinstance(a, Assignment) and not isinstance(a.node, defined) for a in found)

    def is_read(self, name: str) -> bool:
        """Return whether code of the module reads a name."""
        scopes = {scope for scope in self._scopes.values() if scope is not None}
        return any(a.references for scope in scopes for a in scope.assignments if a.name == name)

    def local_class(self, node: cst.CSTNode) -> cst.ClassDef | None:
        """Return the class of this module that a name means."""
        found = self._definition(node)
        return found if isinstance(found, cst.ClassDef) else None

    def _definition(self, node: cst.CSTNode) -> cst.CSTNode | None:
        if not isinstance(node, cst.Name):
            return None
        found = [a.node for a in self.assignments(node) if isinstance(a, Assignment)]
        return found[0] if len(found) == 1 else None

    @staticmethod
    def _resolve(scope: Scope, name: str) -> str | None:
        assignments = scope[name.partition(".")[0]]
        found = set()
        for assignment in assignments:
            if not isinstance(assignment, ImportAssignment):
                return None
            found |= {each.name for each in assignment.get_qualified_names_for(name)}
        return public_name(usual_name(found.pop())) if len(found) == 1 else None
