"""Rewriting a program that was written for an earlier version of MindSpore to today's names and arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider, ScopeProvider

from torchspore import mindspore_names
from torchspore.earlier import forms, what_to_write
from torchspore.migrate.code.calls import COMMA, code_of, keyword
from torchspore.migrate.code.imports import exchange_imports, unused_imports
from torchspore.migrate.code.names import Names, usual_name
from torchspore.migrate.code.passes import parsed
from torchspore.migrate.code.result import Left, Note, Rewritten, Unconverted
from torchspore.migrate.code.targets import Targets
from torchspore.migrate.table.signatures import signatures

__all__ = ["run"]

_PACKAGE = "mindspore"
_ATOMS = (
    cst.Name,
    cst.Attribute,
    cst.Integer,
    cst.Float,
    cst.SimpleString,
    cst.Call,
    cst.Tuple,
    cst.List,
    cst.Subscript,
)


def run(source: str, version: str | None) -> Rewritten:
    """Rewrite a source text that was written for a version, or for an unknown one."""
    if _PACKAGE not in source:
        return Rewritten(source)
    with parsed("modernize", source) as module:
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        names = Names(dict(wrapper.resolve(ScopeProvider)))
        targets = Targets()
        rewriter = _Modernizer(names, dict(wrapper.resolve(PositionProvider)), targets, version)
        changed = module.visit(rewriter)
        unused = unused_imports(module, _PACKAGE)  # which stay, for other modules may import them from here
        code = exchange_imports(changed, targets, _PACKAGE, {name for name, full in unused.items() if _exists(full)})
        return Rewritten(code, sorted(set(rewriter.left)), sorted(set(rewriter.notes)), rewriter.converted)


class _Modernizer(cst.CSTTransformer):
    """Rewrites names and calls of MindSpore.

    Args:
        names: the full names of the module's names.
        positions: the lines of its nodes.
        targets: collects the names of today.
        version: the version that the module was written for, if that is known.
    """

    def __init__(
        self, names: Names, positions: dict[cst.CSTNode, CodeRange], targets: Targets, version: str | None
    ) -> None:
        super().__init__()
        self.left: list[Left] = []
        self.notes: list[Note] = []
        self.converted = 0
        self._names, self._positions, self._targets, self._version = names, positions, targets, version

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        return self._full(node) is None

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self._renamed(original_node, updated_node)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return self._renamed(original_node, updated_node)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)  # which is no name of this module

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        full = self._full(original_node.func)
        name = (full or "").partition(".")[2]
        form = self._form(name, updated_node.args)
        if full is None or form is None:
            return updated_node
        try:
            found = self._in_form_of_today(updated_node, name, form)
        except Unconverted as reason:
            self._leave(original_node, str(reason))
            return updated_node
        self.converted += 1
        return found

    def _full(self, node: cst.CSTNode) -> str | None:
        full = self._names.full(node)
        return full if full is not None and full.partition(".")[0] == _PACKAGE else None

    def _leave(self, node: cst.CSTNode, reason: str) -> None:
        self.left.append(Left(self._positions[node].start.line, " ".join(code_of(node).split())[:200], reason))

    def _renamed(self, original: cst.CSTNode, updated: cst.BaseExpression) -> cst.BaseExpression:
        full = self._full(original)
        if full is None or full == _PACKAGE or _exists(full):
            return updated
        today = what_to_write(full) or _moved(full)
        if today is None:
            self._leave(original, f"MindSpore {forms.TODAY} has no {full}")
        elif not re.fullmatch(r"mindspore(\.\w+)+", today):
            self._leave(original, f"MindSpore {forms.TODAY} has no {full}; use {today}")
        else:
            self.converted += 1
            return self._targets.expression(today)
        return updated

    def _form(self, name: str, args: Sequence[cst.Arg]) -> forms.Form | None:
        """Return the form of an earlier version that a call of a public name has, or None if it is today's."""
        known = forms.forms_of(name)
        if not known:
            return None
        today = _parameters(name)
        old = {arg.keyword.value for arg in args if arg.keyword} - set(today)
        of_version = [form for form in known if form.is_of(self._version)]
        if of_version and (old or of_version[-1].is_other_by_position(today)):
            return of_version[-1]
        return next((form for form in known if old and old <= form.takes.keys()), None)

    def _in_form_of_today(self, call: cst.Call, name: str, form: forms.Form) -> cst.BaseExpression:
        if any(arg.star for arg in call.args):
            raise Unconverted(f"the arguments behind * may be those of another version; {form.now(name, form.takes)}")
        by_place = [arg for arg in call.args if arg.keyword is None]
        if len(by_place) > len(form.takes):
            raise Unconverted(f"{name} took {len(form.takes)} arguments")
        given = dict(zip(form.takes, by_place))
        given |= {arg.keyword.value: arg for arg in call.args if arg.keyword}
        if form.template is not None:
            return self._by_template(call, form, form.template, given)
        if not form.is_listed:
            raise Unconverted(f"MindSpore {form.until} computed something else; use {form.now(name, given)}")
        today = _parameters(name)
        same = [old == new for old, new in zip(form.takes.values(), today)]
        in_place = min(same.index(False) if False in same else len(same), len(by_place))
        args = [_renamed_arg(arg, form.takes.get(old, old), n < in_place) for n, (old, arg) in enumerate(given.items())]
        named = {form.takes.get(old, old) for old in given}
        args += [
            keyword(parameter, cst.parse_expression(value))
            for parameter, value in form.defaults().items()
            if parameter not in named and form.is_of(self._version)
        ]
        return call.with_changes(args=_with_commas(args))

    def _by_template(
        self, call: cst.Call, form: forms.Form, template: str, given: dict[str, cst.Arg]
    ) -> cst.BaseExpression:
        values = {name: _enclosed(arg.value) for name, arg in given.items()}
        template = re.sub(
            r"\[([^][]*\{(\w+)\}[^][]*)\]", lambda found: found[1] if found[2] in values else "", template
        )
        missing = set(re.findall(r"\{(\w+)\}", template)) - values.keys()
        defaults = form.defaults()
        if not missing <= defaults.keys():
            raise Unconverted(f"'{min(missing - defaults.keys())}' is not given")
        code = self._targets.in_template(template).format_map(defaults | values)
        return cst.parse_expression(code).with_changes(lpar=call.lpar, rpar=call.rpar)


def _exists(full: str) -> bool:
    """Return whether today's MindSpore has a name, in the module that is named or in one that defines its names."""
    path, _, name = full.partition(".")[2].rpartition(".")
    if mindspore_names.has_module(f"{path}.{name}".lstrip(".")):
        return True
    places = [f"{_PACKAGE}.{each}.{name}".replace("..", ".") for each in mindspore_names.modules_with(name)]
    return full in places or full in map(usual_name, places)


def _moved(full: str) -> str | None:
    """Return where today's MindSpore has a name: in the public module nearest to the one that is named."""
    path, _, name = full.partition(".")[2].rpartition(".")
    public = [each for each in mindspore_names.modules_with(name) if not re.search(r"(^|\.)_", each)]
    around = [each for each in public if f"{path}.".startswith(f"{each}.".lstrip("."))]
    found = max(around, key=len, default=None)
    return None if found is None else ".".join(filter(None, (_PACKAGE, found, name)))


def _parameters(name: str) -> list[str]:
    try:
        found = signatures(f"{_PACKAGE}.{name}")
    except (AttributeError, ImportError, TypeError, ValueError):
        return []
    return [parameter for signature in found[:1] for parameter in signature.parameters if parameter != "self"]


def _renamed_arg(arg: cst.Arg, name: str, by_place: bool) -> cst.Arg:
    return arg if by_place and arg.keyword is None else keyword(name, arg.value)


def _with_commas(args: list[cst.Arg]) -> list[cst.Arg]:
    rest = [arg if isinstance(arg.comma, cst.Comma) else arg.with_changes(comma=COMMA) for arg in args[:-1]]
    return [*rest, *(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT) for arg in args[-1:])]


def _enclosed(value: cst.BaseExpression) -> str:
    code = code_of(value)
    return code if isinstance(value, _ATOMS) or value.lpar else f"({code})"
