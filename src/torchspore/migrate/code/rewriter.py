"""Rewriting names, calls, classes and statements of a module in one walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import SequenceMatcher

import libcst as cst
import libcst.matchers as m
from libcst.metadata import CodeRange

from torchspore.migrate.code.calls import KEPT_NAMES, code_of, convert_call
from torchspore.migrate.code.constructs import Constructs
from torchspore.migrate.code.imports import clear_module, gone, without_empty
from torchspore.migrate.code.kinds import Kinds
from torchspore.migrate.code.names import Names, dotted
from torchspore.migrate.code.result import Left, Note, Unconverted
from torchspore.migrate.code.rows import Side, Sides
from torchspore.migrate.code.scaffolding import DECORATORS
from torchspore.migrate.code.targets import Targets
from torchspore.migrate.code.to_mindspore import ToMindSpore
from torchspore.migrate.code.to_torch import ToTorch

__all__ = ["Rewriter"]

# What modules are usually called that a star import of another file may bring.
_USUAL = {"torch": frozenset(("torch", "nn", "F")), "mindspore": frozenset(("mindspore", "ms", "nn", "ops", "mint"))}


class Rewriter(cst.CSTTransformer):
    """Rewrites a module; what it cannot convert stays, and is in `left`.

    Args:
        module: the module.
        names: the full names of the module's names.
        kinds: the kinds of its expressions.
        positions: returns the lines of its nodes, which takes a while.
        sides: the rows of the table.
        targets: collects the names of the other side.
        reverse: whether MindSpore is rewritten to PyTorch.
    """

    def __init__(
        self,
        module: cst.Module,
        names: Names,
        kinds: Kinds,
        positions: Callable[[], Mapping[cst.CSTNode, CodeRange]],
        sides: Sides,
        targets: Targets,
        reverse: bool,
    ) -> None:
        super().__init__()
        self.left: list[Left] = []
        self.notes: list[Note] = []
        self.converted = 0
        self.names, self.kinds, self.sides, self.targets, self.reverse = names, kinds, sides, targets, reverse
        self._positions = positions
        self._lines: Mapping[cst.CSTNode, CodeRange] | None = None
        self._package = "mindspore" if reverse else "torch"
        self._callees: set[cst.CSTNode] = set()
        self._not_read: set[cst.CSTNode] = set()  # names that are not variables: attributes, keywords
        self._calls: list[str] = []
        self._has_star = False
        self._targets_of: dict[cst.CSTNode, cst.BaseExpression] = {}
        self.outer_calls: list[cst.Call] = []
        self._functions: list[cst.FunctionDef | None] = [None]
        self._constructs: Constructs = (ToTorch if reverse else ToMindSpore)(self, module)

    # what constructs use

    def line(self, node: cst.CSTNode) -> int:
        """Return the line of a node of the source."""
        if self._lines is None:
            self._lines = self._positions()
        position = self._lines.get(node)
        return position.start.line if position else 0

    def leave_out(self, node: cst.CSTNode, reason: str) -> None:
        """List a node as left."""
        self.left.append(Left(self.line(node), " ".join(code_of(node).split())[:200], reason))

    def note(self, node: cst.CSTNode, text: str) -> None:
        """Note a difference."""
        if text:
            self.notes.append(Note(self.line(node), text))

    def is_inside(self, *prefixes: str) -> bool:
        """Return whether the walk is in the arguments of a call of one of these APIs."""
        return any(call.startswith(prefixes) for call in self._calls)

    def in_lines_of(self, source: str, changed: str) -> None:
        """Replace line numbers of a changed text by line numbers of its source; a moved line keeps its text."""
        old, new = source.splitlines(), changed.splitlines()
        lines: dict[int, int] = {}
        for i, j, size in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
            lines |= {j + k + 1: i + k + 1 for k in range(size)}
        by_text = {text.strip(): number for number, text in reversed(list(enumerate(old, 1)))}

        def mapped(line: int) -> int:
            return lines.get(line) or by_text.get(new[line - 1].strip() if 0 < line <= len(new) else "", line)

        self.left = [each._replace(line=mapped(each.line)) for each in self.left]
        self.notes = [each._replace(line=mapped(each.line)) for each in self.notes]

    def add(self, left: list[Left], notes: list[Note], converted: int) -> None:
        """Take over what another pass has found; it knows more about its lines."""
        known = {each.line for each in left}
        self.left = [*left, *(each for each in self.left if each.line not in known)]
        self.notes += notes
        self.converted += converted

    def finish(self, source: str) -> None:
        """Replace the code of the lines that were left by the whole lines of the source."""
        lines = source.splitlines()
        found = {(line, reason): text for line, text, reason in self.left}
        self.left = [
            Left(line, lines[line - 1].strip() if 0 < line <= len(lines) else text, reason)
            for (line, reason), text in found.items()
        ]
        self.notes = list(dict.fromkeys(self.notes))

    def ours(self, node: cst.CSTNode) -> str | None:
        """Return the full name of what a node means, if it belongs to the package that is rewritten."""
        full = self.names.full(node)
        return full if full is not None and full.partition(".")[0] == self._package else None

    # names

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        first = (dotted(node.module) or "").partition(".")[0] if node.module and not node.relative else ""
        if isinstance(node.names, cst.ImportStar):
            self._has_star = True
            if first == self._package:
                self.leave_out(node, "a star import hides which names are imported; import them by name")
        elif first in ("torchvision", "torchaudio", "torchtext") and not self.reverse:
            self.leave_out(node, f"{first} has no counterpart in the table; see mindspore.dataset")
        return False

    def visit_Global(self, node: cst.Global) -> bool:
        return False

    def visit_Nonlocal(self, node: cst.Nonlocal) -> bool:
        return False

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        self._not_read.add(node.attr)
        return self.ours(node) is None

    def visit_Decorator(self, node: cst.Decorator) -> bool:
        return self.names.decorator(node) not in DECORATORS

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._not_read.add(node.keyword)

    def visit_Param(self, node: cst.Param) -> None:
        self._not_read.add(node.name)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if original_node in self._not_read or original_node in self._callees:
            return updated_node
        full = self.ours(original_node)
        if full is not None:
            return self._reference(original_node, updated_node, full)
        name = original_node.value
        if self._has_star and name in _USUAL[self._package] and not list(self.names.assignments(original_node)):
            self.leave_out(original_node, f"'{name}' may come from a star import; import it by name")
        return updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        if original_node in self._callees:
            return updated_node
        full = self.ours(original_node)
        if full is not None:
            return self._reference(original_node, updated_node, full)
        try:
            found = self._constructs.attribute(original_node, updated_node)
        except Unconverted as reason:
            self.leave_out(original_node, str(reason))
            return updated_node
        if found is not updated_node:
            self.converted += 1
        return found

    def _reference(
        self, original: cst.Name | cst.Attribute, updated: cst.BaseExpression, full: str
    ) -> cst.BaseExpression:
        """Convert a name that is not called."""
        try:
            found = self._constructs.reference(original, full)
            if found is None:
                side = self.sides.get(full)
                if side is None:
                    raise Unconverted(f"{full} is not in the table")
                if side.target is None:
                    raise Unconverted(side.note or f"{full} has no counterpart")
                side = next((each for each in (side, *side.others) if "{" not in (each.form or "")), side)
                if side.form is not None and "{" in side.form:
                    raise Unconverted(f"{full} is not a plain call on the other side: {side.form}")
                found = (
                    self.targets.expression(str(side.target))
                    if side.form is None
                    else cst.parse_expression(self.targets.in_template(side.form))
                )
                self._note_value(original, side)
        except Unconverted as reason:
            self.leave_out(original, str(reason))
            return updated
        self.converted += 1
        return found.with_changes(lpar=original.lpar, rpar=original.rpar)

    def _note_value(self, node: cst.CSTNode, side: Side) -> None:
        if not side.is_plain and not self.is_inside("isinstance", "issubclass"):
            self.note(node, f"{side.source} is used as a value; the calls of {side.target} need other arguments")

    # calls

    def visit_Assign(self, node: cst.Assign) -> None:
        value = node.value
        while m.matches(value, m.Call(func=m.Attribute(value=m.Call()))):
            value = value.func.value  # type: ignore[attr-defined]
        self._targets_of[value] = node.targets[0].target

    def is_trained(self, node: cst.Call) -> bool:
        """Return whether the program calls `train` of the name that a value is assigned to."""
        target = self._targets_of.get(node)
        method = "set_train" if self.reverse else "train"
        return isinstance(target, cst.Name) and self.kinds.calls_method(self.function, target.value, method)

    def visit_Call(self, node: cst.Call) -> bool:
        self.outer_calls.append(node)
        self._calls.append(self.ours(node.func) or dotted(node.func) or "")
        self._callees.add(node.func)
        return self._asked(node) is None

    def _asked(self, node: cst.Call) -> str | None:
        """Return the API that `hasattr(package, name)` asks for, or None."""
        if not m.matches(node, m.Call(func=m.Name("hasattr"), args=[m.Arg(), m.Arg(m.SimpleString())])):
            return None
        package, name = self.ours(node.args[0].value), node.args[1].value
        return f"{package}.{name.raw_value}" if package and isinstance(name, cst.SimpleString) else None

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        self._calls.pop()
        self.outer_calls.pop()
        full = self.ours(original_node.func)
        asked = self._asked(original_node)
        if asked is not None:  # what the rewriter can write is there
            self.converted += 1
            return cst.Name(str(self.sides.knows(asked) or asked in self.sides.definitions))
        try:
            found = (
                self._function(original_node, updated_node, full)
                if full
                else self._constructs.method(original_node, updated_node)
            )
        except Unconverted as reason:
            self.leave_out(original_node, str(reason))
            return updated_node
        found = self._constructs.finished(original_node, found)
        if found is updated_node:
            return updated_node
        self.converted += 1
        return found.with_changes(lpar=[*updated_node.lpar, *found.lpar], rpar=[*found.rpar, *updated_node.rpar])

    def _function(self, original: cst.Call, updated: cst.Call, full: str) -> cst.BaseExpression:
        found = self._constructs.function(original, updated, full)
        if found is not None:
            return found
        side = self.sides.get(full)
        if side is None:
            raise Unconverted(f"{full} is not in the table")
        return self.by_row(original, updated, side, None)

    def by_row(
        self, original: cst.Call, updated: cst.Call, side: Side, receiver: cst.BaseExpression | None
    ) -> cst.BaseExpression:
        """Convert a call by a row, keeping the spaces of the call."""
        *others, last = (side, *side.others)
        for each in others:
            with suppress(Unconverted):
                return self._by_one_row(original, updated, each, receiver)
        return self._by_one_row(original, updated, last, receiver)

    def _by_one_row(
        self, original: cst.Call, updated: cst.Call, side: Side, receiver: cst.BaseExpression | None
    ) -> cst.BaseExpression:
        found = convert_call(side, updated.args, receiver, self.targets)
        if isinstance(found, cst.Call) and side.form is None:
            found = found.with_changes(
                whitespace_after_func=updated.whitespace_after_func,
                whitespace_before_args=updated.whitespace_before_args,
            )
        self.note(original, side.note)
        if self.reverse and any(arg.star == "**" for arg in updated.args):
            self.note(original, KEPT_NAMES)
        return found

    # statements

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._functions.append(node)
        self._not_read.add(node.name)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._functions.append(None)
        self._not_read.add(node.name)

    @property
    def function(self) -> cst.FunctionDef | None:
        """The function that the walk is in."""
        return self._functions[-1]

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.BaseStatement:
        self._functions.pop()
        return self._constructs.function_definition(original_node, updated_node)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.BaseStatement:
        self._functions.pop()
        return self._constructs.class_definition(original_node, updated_node)

    def visit_With(self, node: cst.With) -> None:
        self._constructs.enter_with(node)

    def leave_With(
        self, original_node: cst.With, updated_node: cst.With
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        return self._constructs.with_statement(original_node, updated_node)

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign | cst.Expr:
        return self._constructs.assignment(original_node, updated_node)

    def leave_Expr(self, original_node: cst.Expr, updated_node: cst.Expr) -> cst.Expr:
        """Remove a statement of which nothing is left but a name, as of `model.to(device)`."""
        changed = isinstance(original_node.value, cst.Call) and m.matches(updated_node.value, m.Name() | m.Attribute())
        return gone() if changed else updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        before = len(self.left)
        try:
            found = self._constructs.line(original_node, updated_node)
        except Unconverted as reason:
            self.leave_out(original_node, str(reason))
            return updated_node
        if found is not updated_node:  # what its parts could not do alone
            line = self.line(original_node)
            self.left = [each for each in self.left if each.line != line] if before else []
            self.converted += 1
        return found

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return without_empty(updated_node)

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        return clear_module(updated_node)
