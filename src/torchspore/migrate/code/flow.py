"""Which names statements read and bind, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

__all__ = ["Flow", "bound_in", "read_first"]


class Flow(cst.CSTVisitor):
    """The names that statements bind, and those that they read before they bind them.

    Nested functions count as reading all that they read.
    """

    def __init__(self) -> None:
        self.first: dict[str, None] = {}  # read before bound, in order
        self.read: dict[str, None] = {}
        self.bound: dict[str, None] = {}
        self._hidden: list[set[str]] = []

    def _load(self, name: str) -> None:
        if any(name in hidden for hidden in self._hidden):
            return
        self.read[name] = None
        if name not in self.bound:
            self.first.setdefault(name)

    def _store(self, target: cst.BaseExpression) -> None:
        if isinstance(target, cst.Name):
            self.bound[target.value] = None
        elif isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._store(element.value)
        else:
            target.visit(self)

    def visit_Name(self, node: cst.Name) -> None:
        if node.value not in ("True", "False", "None"):
            self._load(node.value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        node.value.visit(self)
        return False

    def visit_Assign(self, node: cst.Assign) -> bool:
        node.value.visit(self)
        for target in node.targets:
            self._store(target.target)
        return False

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        if node.value is not None:
            node.value.visit(self)
            self._store(node.target)
        return False

    def visit_AugAssign(self, node: cst.AugAssign) -> bool:
        node.value.visit(self)
        node.target.visit(self)
        self._store(node.target)
        return False

    def visit_NamedExpr(self, node: cst.NamedExpr) -> bool:
        node.value.visit(self)
        self._store(node.target)
        return False

    def visit_For(self, node: cst.For) -> bool:
        node.iter.visit(self)
        self._store(node.target)
        node.body.visit(self)
        if node.orelse is not None:
            node.orelse.visit(self)
        return False

    def visit_WithItem(self, node: cst.WithItem) -> bool:
        node.item.visit(self)
        if node.asname is not None:
            self._store(node.asname.name)
        return False

    def _comprehension(self, clause: cst.CompFor, parts: Iterable[cst.CSTNode]) -> bool:
        names: set[str] = set()
        each: cst.CompFor | None = clause
        while each is not None:
            inner = Flow()
            inner._store(each.target)
            names |= set(inner.bound)
            each = each.inner_for_in
        self._hidden.append(names)
        each = clause
        while each is not None:
            for node in (each.iter, *each.ifs):
                node.visit(self)
            each = each.inner_for_in
        for node in parts:
            node.visit(self)
        self._hidden.pop()
        return False

    def visit_ListComp(self, node: cst.ListComp) -> bool:
        return self._comprehension(node.for_in, [node.elt])

    def visit_SetComp(self, node: cst.SetComp) -> bool:
        return self._comprehension(node.for_in, [node.elt])

    def visit_GeneratorExp(self, node: cst.GeneratorExp) -> bool:
        return self._comprehension(node.for_in, [node.elt])

    def visit_DictComp(self, node: cst.DictComp) -> bool:
        return self._comprehension(node.for_in, [node.key, node.value])

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        self._hidden.append(_parameter_names(node.params))
        node.body.visit(self)
        self._hidden.pop()
        return False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        inner = Flow()
        node.body.visit(inner)
        for name in inner.first:
            if name not in _parameter_names(node.params):
                self._load(name)
        self.bound[node.name.value] = None
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self.bound[node.name.value] = None
        return False

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def visit_ExceptHandler(self, node: cst.ExceptHandler) -> None:
        if node.name is not None:
            self._store(node.name.name)


def _parameter_names(node: cst.Parameters) -> set[str]:
    stars = [each for each in (node.star_arg, node.star_kwarg) if isinstance(each, cst.Param)]
    return {each.name.value for each in (*node.posonly_params, *node.params, *node.kwonly_params, *stars)}


def flow(statements: Sequence[cst.CSTNode]) -> Flow:
    """Return the flow of names through statements."""
    found = Flow()
    for statement in statements:
        statement.visit(found)
    return found


def read_first(statements: Sequence[cst.CSTNode]) -> list[str]:
    """Return the names that statements read before they bind them."""
    return list(flow(statements).first)


def bound_in(statements: Sequence[cst.CSTNode]) -> set[str]:
    """Return the names that statements bind."""
    return set(flow(statements).bound)
