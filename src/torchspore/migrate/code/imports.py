"""Import lines: lines of the old side that nothing needs any more go, lines of the new side come in their place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, ScopeProvider

from torchspore.migrate.code.names import Names, dotted
from torchspore.migrate.code.targets import Targets, choose_names, import_lines
from torchspore.migrate.code.tree import descendants, observe

__all__ = ["exchange_imports", "offered_names", "unused_imports"]


def exchange_imports(module: cst.Module, targets: Targets, package: str, offered: set[str]) -> str:
    """Return the code with its stand-ins spelled and its imports in order.

    Args:
        module: the rewritten module, whose old imports are still there.
        targets: the names of the other side that it uses.
        package: the package whose imports go, "torch" or "mindspore".
        offered: the names that stay although the module does not use them.
    """
    if targets.has_parts:
        module = _with_parts(module, targets.parts(_names(module, set()).taken))
    unused = {each for each in _unused_aliases(module, package) if bound_name(each, False) not in offered}
    names = _names(module, unused)
    modules = targets.used(names.taken)
    bound = {full: name for full, name in names.modules.items() if full in modules}
    chosen = choose_names([each for each in modules if each not in bound], names.taken)
    lines = import_lines(chosen)
    changed = _Exchange(unused, lines, package).of(module) if lines or unused else module
    return targets.spell(changed.code, chosen | bound)


def offered_names(module: cst.Module, names: Names, package: str) -> set[str]:
    """Return the names that a module tries to import from a package and does not use: other modules do."""
    tried = [each for block in descendants(module, cst.Try) for each in descendants(block, cst.ImportFrom)]
    found = {bound_name(alias, False) for each in tried for alias in _aliases(package, each)}
    return {name for name in found if not names.is_read(name)}


def unused_imports(module: cst.Module, package: str) -> dict[str, str]:
    """Return the names that a module imports from a package and does not use, and their full names."""
    unused = _unused_aliases(module, package)
    found = {}
    for node in descendants(module, cst.Import, cst.ImportFrom):
        prefix = f"{dotted(node.module)}." if isinstance(node, cst.ImportFrom) and node.module else ""
        for alias in _aliases(package, node):
            if alias in unused:
                found[bound_name(alias, isinstance(node, cst.Import))] = f"{prefix}{dotted(alias.name)}"
    return found


def _with_parts(module: cst.Module, added: Sequence[cst.BaseStatement]) -> cst.Module:
    """Return a module with definitions behind its imports."""
    body = list(module.body)
    at = max((i + 1 for i, each in enumerate(body) if _has_imports(each)), default=_after_the_head(body))
    return module.with_changes(body=[*body[:at], *added, *body[at:]])


def _has_imports(node: cst.CSTNode) -> bool:
    kinds = (cst.Import, cst.ImportFrom)
    return isinstance(node, cst.SimpleStatementLine) and any(isinstance(each, kinds) for each in node.body)


def is_of(package: str, node: cst.Import | cst.ImportFrom) -> bool:
    """Return whether an import statement imports from a package (also `import os, torch`)."""
    if isinstance(node, cst.ImportFrom):
        return not node.relative and (dotted(node.module) or "").partition(".")[0] == package if node.module else False
    return any((dotted(alias.name) or "").partition(".")[0] == package for alias in node.names)


def _aliases(package: str, node: cst.Import | cst.ImportFrom) -> list[cst.ImportAlias]:
    """Return what an import statement imports from a package, by name."""
    if isinstance(node.names, cst.ImportStar) or not is_of(package, node):
        return []
    return [
        alias
        for alias in node.names
        if isinstance(node, cst.ImportFrom) or (dotted(alias.name) or "").partition(".")[0] == package
    ]


def _unused_aliases(module: cst.Module, package: str) -> set[cst.ImportAlias]:
    """Return the imported names of a package that the code does not use."""
    uses = _Uses()
    observe(module, uses)
    aliases = {
        alias: bound_name(alias, isinstance(node, cst.Import))
        for node in uses.imports
        for alias in _aliases(package, node)
    }
    if not uses.bound.isdisjoint(aliases.values()) or len(set(aliases.values())) < len(aliases):
        return _unused_in_scopes(module, package)  # a name with several meanings
    return {alias for alias, name in aliases.items() if name not in uses.read}


class _OfNames:
    """Observes the names of a module, but not those behind a dot or of keyword arguments."""

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        observe(node.value, self)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        observe(node.value, self)
        return False


class _Uses(_OfNames):
    """Collects the names that are read, those that are bound other than by imports, and the imports."""

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.bound: set[str] = set()
        self.imports: list[cst.Import | cst.ImportFrom] = []

    def visit_Name(self, node: cst.Name) -> None:
        self.read.add(node.value)

    def visit_Annotation(self, node: cst.Annotation) -> None:
        for text in descendants(node, cst.SimpleString):
            self.read.update(re.findall(r"[A-Za-z_]\w*", text.value))

    def _bind_name(self, node: Any) -> None:
        self._bind(node.name)

    visit_Param = visit_FunctionDef = visit_ClassDef = visit_AsName = _bind_name

    def visit_Global(self, node: cst.Global) -> None:
        self.bound.update(item.name.value for item in node.names)

    def _bind_target(self, node: Any) -> None:
        self._bind(node.target)

    visit_AssignTarget = visit_AnnAssign = visit_AugAssign = visit_NamedExpr = _bind_target
    visit_For = visit_CompFor = visit_Del = _bind_target

    def _bind(self, node: cst.CSTNode) -> None:
        self.bound.update(each.value for each in descendants(node, cst.Name))

    def _import(self, node: cst.Import | cst.ImportFrom) -> bool:
        self.imports.append(node)
        return False

    visit_Import = visit_ImportFrom = _import


def _unused_in_scopes(module: cst.Module, package: str) -> set[cst.ImportAlias]:
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    scopes = {scope for scope in wrapper.resolve(ScopeProvider).values() if scope is not None}
    used: set[cst.CSTNode] = set()
    bound: dict[cst.CSTNode, set[str]] = {}
    for scope in scopes:
        for assignment in scope.assignments:
            node = getattr(assignment, "node", None)
            if isinstance(node, (cst.Import, cst.ImportFrom)):
                if assignment.references:
                    bound.setdefault(node, set()).add(assignment.name)
                used.add(node)
    unused: set[cst.ImportAlias] = set()
    for node in used:
        assert isinstance(node, (cst.Import, cst.ImportFrom))
        for alias in _aliases(package, node):
            name = bound_name(alias, isinstance(node, cst.Import))
            if not any(each.partition(".")[0] == name for each in bound.get(node, ())):
                unused.add(alias)
    return unused


def bound_name(alias: cst.ImportAlias, plain: bool) -> str:
    """Return the name that an alias binds; `import a.b` binds a."""
    if alias.asname is not None:
        return dotted(alias.asname.name) or ""
    name = dotted(alias.name) or ""
    return name.partition(".")[0] if plain else name


def _names(module: cst.Module, unused: set[cst.ImportAlias]) -> _Names:
    """Return the names of a module, but for those that nothing but an unused import binds."""
    names = _Names(unused)
    observe(module, names)
    return names


class _Names(_OfNames):
    """Collects the names that the code uses or binds, and the modules that it has already imported."""

    def __init__(self, unused: set[cst.ImportAlias]) -> None:
        self.taken: set[str] = set()
        self.modules: dict[str, str] = {}
        self._unused = unused
        self._depth = 0

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._depth += 1

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._depth -= 1

    def visit_Name(self, node: cst.Name) -> None:
        self.taken.add(node.value)

    def visit_Import(self, node: cst.Import) -> bool:
        self._imported(node.names, "", True)
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        if not isinstance(node.names, cst.ImportStar):
            self._imported(node.names, "" if node.relative or node.module is None else f"{dotted(node.module)}.", False)
        return False

    def _imported(self, aliases: Sequence[cst.ImportAlias], prefix: str, plain: bool) -> None:
        for alias in aliases:
            if alias in self._unused:
                continue
            name = bound_name(alias, plain)
            self.taken.add(name)
            if self._depth == 0 and (alias.asname is not None or "." not in (dotted(alias.name) or "")):
                self.modules.setdefault(f"{prefix}{dotted(alias.name)}", name)


class _Exchange(cst.CSTTransformer):
    """Removes the unused imports, and writes the new ones where the first of the package was."""

    def __init__(self, unused: set[cst.ImportAlias], lines: list[str], package: str) -> None:
        super().__init__()
        self._unused, self._lines, self._package = unused, lines, package

    def of(self, module: cst.Module) -> cst.Module:
        """Return a module with its imports exchanged; only what has imports inside is visited."""
        kinds = (cst.Import, cst.ImportFrom)
        body = [s.visit(self) if any(True for _ in descendants(s, *kinds)) else s for s in module.body]
        return self.leave_Module(module, module.with_changes(body=body))

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.Import | cst.Expr:
        kept = [alias for alias in original_node.names if alias not in self._unused]
        return updated_node if len(kept) == len(original_node.names) else _with_aliases(updated_node, kept)  # type: ignore[return-value]

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom | cst.Expr:
        if isinstance(original_node.names, cst.ImportStar):
            return updated_node
        kept = [alias for alias in original_node.names if alias not in self._unused]
        return updated_node if len(kept) == len(original_node.names) else _with_aliases(updated_node, kept)  # type: ignore[return-value]

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        new = [cst.parse_statement(line) for line in self._lines]
        at = next((i for i, s in enumerate(original_node.body) if self._imports(s)), None)
        body = list(updated_node.body)
        if at is None:
            at = _after_the_head(body)
            if new and at == 0 and body and not isinstance(body[0], cst.SimpleStatementLine):
                body[0] = body[0].with_changes(leading_lines=[cst.EmptyLine(), *body[0].leading_lines])
            return _cleared(updated_node.with_changes(body=[*body[:at], *new, *body[at:]]))
        replaced = _without_gone(body[at])
        assert isinstance(replaced, cst.SimpleStatementLine)
        if not replaced.body and new:
            first = new[0].with_changes(leading_lines=replaced.leading_lines)
            new[0] = first
            if isinstance(new[-1], cst.SimpleStatementLine):
                new[-1] = new[-1].with_changes(trailing_whitespace=replaced.trailing_whitespace)
            body[at : at + 1] = new
        else:
            body[at + 1 : at + 1] = new
        return _cleared(updated_node.with_changes(body=body))

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return without_empty(updated_node)

    def _imports(self, node: cst.CSTNode) -> bool:
        return isinstance(node, cst.SimpleStatementLine) and any(
            isinstance(s, (cst.Import, cst.ImportFrom)) and is_of(self._package, s) for s in node.body
        )


def _with_aliases(
    node: cst.Import | cst.ImportFrom, kept: list[cst.ImportAlias]
) -> cst.Import | cst.ImportFrom | cst.Expr:
    if not kept:
        return gone()
    if not (isinstance(node, cst.ImportFrom) and node.lpar and isinstance(kept[-1].comma, cst.Comma)):
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return node.with_changes(names=kept)


def _after_the_head(body: Sequence[cst.CSTNode]) -> int:
    """Return the index behind the docstring and the imports from `__future__`."""
    at = 0
    for index, statement in enumerate(body):
        if not isinstance(statement, cst.SimpleStatementLine) or not statement.body:
            break
        first = statement.body[0]
        is_text = (
            index == 0
            and isinstance(first, cst.Expr)
            and isinstance(first.value, (cst.SimpleString, cst.ConcatenatedString))
        )
        if not is_text and not isinstance(first, (cst.Import, cst.ImportFrom)):
            break
        at = index + 1
    return at


def without_empty(node: cst.IndentedBlock) -> cst.IndentedBlock:
    """Return a block without its emptied statements; the comments above them stay."""
    body, rest = _filtered(node.body)
    return node.with_changes(body=body, footer=[*rest, *node.footer])


def _cleared(node: cst.Module) -> cst.Module:
    body, rest = _filtered(node.body)
    return node.with_changes(body=body, footer=[*rest, *node.footer])


def clear_module(node: cst.Module) -> cst.Module:
    """Return a module without its emptied statements."""
    return _cleared(node)


_GONE = "__gone_from_here"


def gone() -> cst.Expr:
    """Return the mark of a small statement to remove; libcst would drop the comments above it."""
    return cst.Expr(cst.Name(_GONE))


def _is_gone(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.Name) and node.value.value == _GONE


def _without_gone(node: cst.CSTNode) -> cst.CSTNode:
    """Return a statement without the small ones that are marked; all of them may be."""
    if not isinstance(node, cst.SimpleStatementLine) or not any(map(_is_gone, node.body)):
        return node
    kept = [each for each in node.body if not _is_gone(each)]
    if kept:
        kept[-1] = kept[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    return node.with_changes(body=kept)


def _filtered(statements: Sequence[cst.CSTNode]) -> tuple[list[cst.CSTNode], list[cst.EmptyLine]]:
    body: list[cst.CSTNode] = []
    waiting: list[cst.EmptyLine] = []
    for statement in map(_without_gone, statements):
        if isinstance(statement, cst.SimpleStatementLine) and not statement.body:
            commented = any(line.comment for line in statement.leading_lines)
            waiting += statement.leading_lines if commented or (not waiting and statement.leading_lines) else ()
            continue
        if waiting:
            own = list(getattr(statement, "leading_lines", ()))
            if not any(line.comment for line in waiting) and own and own[0].comment is None:
                waiting = []
            statement = statement.with_changes(leading_lines=[*waiting, *own])
            waiting = []
        body.append(statement)
    return body, [line for line in waiting if line.comment]
