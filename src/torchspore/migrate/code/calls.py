"""Converting a call by a row of the table: names, order and defaults of arguments."""

from __future__ import annotations

import ast
import inspect
import operator
import string
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import libcst as cst
import libcst.matchers as m

from torchspore.migrate.code.result import Unconverted
from torchspore.migrate.code.rows import Side, default_of
from torchspore.migrate.code.targets import Targets
from torchspore.migrate.table.signatures import signatures

__all__ = [
    "COMMA", "KEPT_NAMES", "appended", "as_receiver", "bound", "code_of", "convert_call", "ended", "keyword", "named",
]  # fmt: skip

# Arguments that say where a tensor lives, or how it is stored: MindSpore has one device, and no such choices.
PLACES = frozenset({"device", "non_blocking", "pin_memory", "memory_format", "layout", "generator_device"})
# Arguments that change how something is computed, not the result.
_HARMLESS = frozenset(
    {"inplace", "foreach", "fused", "capturable", "enable_nested_tensor", "mask_check", "use_reentrant", *PLACES}
)
# NumPy's names of arguments, which torch takes as well.
_NUMPY = {"axis": "dim", "keepdims": "keepdim", "x": "input"}
_EMPTY = cst.Module([])
_TYPE_NAME = m.Name(m.MatchRegex(r".*type|b?float\d*|u?int\d+|complex\d+|bool_|short|long|double|half"))
_DATA_TYPE = _TYPE_NAME | m.Attribute(attr=_TYPE_NAME)
COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
KEPT_NAMES = "the arguments behind ** keep MindSpore's names"


def code_of(node: cst.CSTNode) -> str:
    """Return the text of a node."""
    return _EMPTY.code_for_node(node)


def convert_call(
    side: Side, args: Sequence[cst.Arg], receiver: cst.BaseExpression | None, targets: Targets
) -> cst.BaseExpression:
    """Return the call of the other side.

    Args:
        side: the row.
        args: the arguments, already rewritten.
        receiver: the tensor in front of a method.
        targets: the names of the other side.

    Raises:
        Unconverted: the arguments have no counterpart.
    """
    if side.target is None:
        raise Unconverted(side.note or f"{side.source} has no counterpart")
    call = _Call(side, args, receiver)
    return call.by_form(side.form, targets) if side.form is not None else call.by_name(targets)


def takes(name: str, args: Sequence[cst.Arg]) -> bool:
    """Return whether an API takes these arguments, as far as is known."""
    overloads = _known(name)
    return not overloads or any(_parameter_names(signature, args) is not None for signature in overloads)


def bound(name: str, args: Sequence[cst.Arg]) -> list[str | None]:
    """Return the parameter of each argument of the call of an API, None where it is unknown."""
    found = (_parameter_names(signature, args) for signature in _known(name))
    return next((names for names in found if names is not None), [None] * len(args))


def is_method(name: str) -> bool:
    """Return whether a full name is a method of tensors or networks."""
    return name.startswith(("torch.Tensor.", "mindspore.Tensor.", "torch.nn.Module.", "mindspore.nn.Cell."))


def _known(name: str) -> tuple[inspect.Signature, ...]:
    with suppress(AttributeError, ImportError, TypeError, ValueError):
        return signatures(name)
    return ()


class _Call:
    def __init__(self, side: Side, args: Sequence[cst.Arg], receiver: cst.BaseExpression | None) -> None:
        self.side = side
        self.args = list(args)
        self.receiver = receiver
        self.names: list[str | None] = [None] * len(self.args)  # the name of the parameter behind each argument
        self.signature: inspect.Signature | None = None
        self._bind()

    def _bind(self) -> None:
        """Find the overload of the source that takes these arguments, and the parameter that each belongs to."""
        overloads = _known(self.side.source)
        for signature in overloads:
            names = _parameter_names(signature, self.args)
            if names is not None and _plausible(names, self.args, self._takes_sizes()):
                self.names, self.signature = names, signature
                return
        if overloads:
            raise Unconverted(f"{self.side.source} is not known to take these arguments")
        if not self.side.is_plain and any(arg.keyword is None for arg in self.args):
            raise Unconverted(f"the signature of {self.side.source} is unknown; name the arguments")
        self.names = [arg.keyword.value if arg.keyword else None for arg in self.args]

    def by_name(self, targets: Targets) -> cst.BaseExpression:
        target = str(self.side.target)
        args, receiver = self.args, self.receiver
        to_method, from_method = is_method(target), is_method(self.side.source)
        names = list(self.names)
        if from_method and not to_method:
            assert receiver is not None
            args, names = [cst.Arg(receiver), *args], [None, *names]
            if len(args) > 1:
                args[0] = cst.Arg(receiver, comma=COMMA)
        elif to_method and not from_method:
            first = next((i for i, n in enumerate(names) if n in ("input", "self", "tensor", None) or i == 0), None)
            if first is None or args[first].star:
                raise Unconverted("the tensor to call the method of is not among the arguments")
            receiver = args[first].value
            args, names = args[:first] + args[first + 1 :], names[:first] + names[first + 1 :]
        func: cst.BaseExpression
        if to_method:
            assert receiver is not None
            func = cst.Attribute(as_receiver(receiver), cst.Name(target.rpartition(".")[2]))
        else:
            func = targets.expression(target)
        return cst.Call(func, self._arguments(args, names, target, fixed=from_method and not to_method))

    def _arguments(
        self, args: Sequence[cst.Arg], names: Sequence[str | None], target: str, fixed: bool
    ) -> list[cst.Arg]:
        """Return the arguments under the target's names; the first stays where it is if `fixed`."""
        wanted = self._target_signature(target, [n for n in names if n])
        parameters = dict(wanted.parameters) if wanted else {}
        order = [p.name for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        takes_more = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
        takes_names = any(p.kind is p.VAR_KEYWORD for p in parameters.values()) or not wanted
        result: list[cst.Arg] = []
        in_order = True
        variadic, packed = self._variadic(), set[str]()
        for index, (arg, name) in enumerate(zip(args, names)):
            if name is None or arg.star or (fixed and index == 0):
                known = takes_more or self._same_parameters(wanted, arg.star)
                if arg.star and not (known or (arg.star == "**" and self.side.reverse and not self.side.row.arguments)):
                    raise Unconverted("the arguments behind * cannot be compared")
                result.append(arg)
                continue
            value = code_of(arg.value)
            if name in self._computing():
                in_order = False
                continue
            if self._is_dropped(name, value, parameters):
                in_order = False
                continue
            if name in variadic:
                if name in packed:
                    continue
                if not takes_more:
                    new = self.side.arguments.get(name, name)
                    if new not in parameters and not result and order:
                        new = order[0]
                    if new not in parameters:
                        raise Unconverted(f"{target} does not take {name} one by one; pass a tuple")
                    stays = in_order and order[len(result) : len(result) + 1] == [new]
                    result.append(self._packed(args, names, name, None if stays else new))
                    packed.add(name)
                    continue
                result.append(arg)
                continue
            new = self.side.arguments.get(name, name)
            parameter = parameters.get(new)
            if takes_more and arg.keyword is None and not result and (parameter is None or self._takes_sizes()):
                result.append(arg)  # a tuple instead of the numbers one by one
                continue
            unpaired = order[len(result) : len(result) + 1]
            if parameter is None and arg.keyword is None and in_order and unpaired and self._is_unpaired(unpaired[0]):
                result.append(arg)  # the same place under another name
                continue
            if parameter is None and not takes_names:
                raise Unconverted(f"the argument {name}={value} has no counterpart in {target}")
            many = parameter is not None and parameter.kind is parameter.VAR_POSITIONAL
            position = len(result)
            stays = arg.keyword is None and in_order and (many or not wanted or order[position : position + 1] == [new])
            in_order = stays
            result.append(arg.with_changes(keyword=None) if stays else named(arg, new))
        return appended(ended(result, args), list(self._explicit(names, parameters, takes_names)))

    def _packed(self, args: Sequence[cst.Arg], names: Sequence[str | None], name: str, keyword: str | None) -> cst.Arg:
        """Return a tuple of the arguments that the source takes one by one."""
        parts = [arg for arg, each in zip(args, names) if each == name]
        if len(parts) == 1:
            return parts[0] if keyword is None else named(parts[0], keyword)
        elements = [cst.Element(arg.value, comma=arg.comma) for arg in parts[:-1]] + [cst.Element(parts[-1].value)]
        packed = parts[-1].with_changes(value=cst.Tuple(elements), keyword=None)
        return packed if keyword is None else named(packed, keyword)

    def _takes_sizes(self) -> bool:
        """Return whether the source takes numbers one by one, or a tuple of them: `x.view(2, 3)`, `x.view(shape)`."""
        return any(p.kind is p.VAR_POSITIONAL for each in _known(self.side.source) for p in each.parameters.values())

    def _is_unpaired(self, name: str) -> bool:
        """Return whether no argument of the source is known to be an argument of the target."""
        source = self.signature.parameters if self.signature else {}
        return name not in source and name not in self.side.arguments.values() and name not in self.side.computed

    def _variadic(self) -> set[str]:
        parameters = self.signature.parameters.values() if self.signature else ()
        return {p.name for p in parameters if p.kind is p.VAR_POSITIONAL}

    def _computing(self) -> set[str]:
        """Return the arguments of the source that others of the target are computed from."""
        return {field for form in self.side.computed.values() for field in _fields(form)} - {
            name for name in self.side.arguments if name not in self.side.computed
        }

    def _is_dropped(self, name: str, value: str, parameters: dict[str, inspect.Parameter]) -> bool:
        if name in self.side.only_source and (name in self.side.listed or name not in parameters):
            if _same_value(value, self.side.only_source[name]) or name in _HARMLESS:
                return True
            raise Unconverted(
                f"the argument {name}={value} has no counterpart; only {name}={self.side.only_source[name]} has one"
            )
        return name in PLACES and self.side.source.startswith("torch.")

    def _explicit(
        self, names: Sequence[str | None], parameters: dict[str, inspect.Parameter], takes_names: bool
    ) -> Iterator[tuple[str, str]]:
        """Yield the arguments to write because the defaults of the two sides differ."""
        for name, value in self.side.only_target.items():
            parameter = parameters.get(name)
            if parameter is None and not takes_names:
                continue
            if parameter is None or not _same_value(default_of(parameter), value):
                yield name, value
        for name, form in self.side.computed.items():
            value = _folded(self._filled(form))
            parameter = parameters.get(name)
            if parameter is None or not _same_value(default_of(parameter), value):
                yield name, value
        source = dict(self.signature.parameters) if self.signature else {}
        for name, parameter in source.items():
            if name in names or parameter.default is parameter.empty or name in PLACES or name == "dtype":
                continue
            mine = default_of(parameter)
            if name in self.side.implied and name not in self.side.computed:
                yield self.side.arguments.get(name, name), self._filled(self.side.implied[name])
                continue
            if name in self._computing():
                continue
            if name in self.side.only_source and name not in parameters:
                if mine is not None and name in self.side.listed and not _same_value(mine, self.side.only_source[name]):
                    raise Unconverted(
                        f"the default {name}={mine} has no counterpart; pass {name}={self.side.only_source[name]}"
                    )
                continue
            other = parameters.get(self.side.arguments.get(name, name))
            if other is None or mine in (None, "None") or _same_value(default_of(other), mine):
                continue
            if other.default is other.empty or default_of(other) is not None:
                yield other.name, str(mine)

    def _filled(self, form: str) -> str:
        """Return a template with the arguments of the call, or their defaults, in it."""
        given = {name: code_of(arg.value) for name, arg in zip(self.names, self.args) if name}
        tight = {name: code_of(_as_operand(arg.value)) for name, arg in zip(self.names, self.args) if name}
        return form.format(
            **{
                field: (tight if _binds_tighter(form, field) else given)[field]
                if field in given
                else self._default(field)
                for field in _fields(form)
            }
        )

    def _same_parameters(self, wanted: inspect.Signature | None, star: str) -> bool:
        """Return whether unknown arguments mean the same; an unknown keyword raises when the program runs."""
        if wanted is None or self.signature is None or not self.side.is_plain:
            return False
        mine, others = ([p.name for p in each.parameters.values()] for each in (self.signature, wanted))
        return star == "**" or mine[: len(others)] == others[: len(mine)]

    def _target_signature(self, target: str, names: Sequence[str]) -> inspect.Signature | None:
        """Return the overload of the target that has most of the arguments."""
        overloads = _known(target)
        wanted = {self.side.arguments.get(name, name) for name in names}
        several = bool(self._variadic() & set(names))

        def fitting(each: inspect.Signature) -> tuple[int, bool]:
            takes_several = any(p.kind is p.VAR_POSITIONAL for p in each.parameters.values())
            return len(wanted & set(each.parameters)), takes_several == several

        return max(overloads, key=lambda each: fitting(each)[::-1] if several else fitting(each), default=None)

    def by_form(self, form: str, targets: Targets) -> cst.BaseExpression:
        values: dict[str, str] = {}
        if self.receiver is not None:
            values["input"] = code_of(as_receiver(self.receiver))
        fields = _fields(form)
        self._check_conditions()
        rest: list[str] = []
        used = {self.side.field_names.get(name, name) for name in fields}
        for arg, name in zip(self.args, self.names):
            if arg.star or name is None:
                raise Unconverted("the arguments behind * cannot be compared")
            field = self.side.field_names.get(name, name)
            text = code_of(_as_operand(arg.value)) if _binds_tighter(form, field) else code_of(arg.value)
            if field in values and field not in ("input",):
                values[field] += f", {text}"
            elif field in used or field in fields:
                values[field] = text
            elif name in self.side.conditions:
                continue
            elif "arguments" in fields:
                rest.append(code_of(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT)))
            elif not self._is_dropped(name, text, {}):
                raise Unconverted(f"the argument {name}={text} has no counterpart in {self.side.target}")
        if "arguments" in fields:
            values["arguments"] = ", ".join(rest)
        for field in fields:
            if field not in values:
                values[field] = self._default(field)
        found = cst.parse_expression(targets.in_template(form).format(**values))
        return _with_folded_arguments(found) if self.side.row.torch_form else found

    def _check_conditions(self) -> None:
        """Refuse a form that is for other values of some arguments."""
        given = {name: code_of(arg.value) for name, arg in zip(self.names, self.args) if name}
        for name, value in self.side.conditions.items():
            own = given.get(name) or self._default(name)
            if not _same_value(own, value):
                raise Unconverted(f"the argument {name}={own} has no counterpart")

    def _default(self, field: str) -> str:
        for name, parameter in (self.signature.parameters if self.signature else {}).items():
            value = default_of(parameter)
            if self.side.field_names.get(name, name) == field and value is not None:
                return value
        raise Unconverted(f"the argument {field} is missing")


def _fields(form: str) -> list[str]:
    """Return the names of the fields of a template."""
    return [field.partition("[")[0] for _, field, _, _ in string.Formatter().parse(form) if field]


def _folded(code: str) -> str:
    """Return an expression with its parts that are known computed, such as "1 - 0.1" or "1 if True else 2"."""
    with suppress(ValueError, SyntaxError, TypeError):
        node = ast.parse(code, mode="eval").body
        before = ast.dump(node)
        folded = _Folding().visit(node)
        return ast.unparse(folded) if ast.dump(folded) != before else code
    return code


def _with_folded_arguments(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return a call, or a function of one, with numbers that the template computes."""
    if isinstance(node, cst.Lambda):
        return node.with_changes(body=_with_folded_arguments(node.body))
    if not isinstance(node, cst.Call):
        return node
    computed = (cst.BinaryOperation, cst.IfExp)
    args = [
        arg.with_changes(value=cst.parse_expression(_folded(code_of(arg.value))))
        if isinstance(arg.value, computed)
        else arg
        for arg in node.args
    ]
    return node.with_changes(args=args)


class _Folding(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        operation = _OPERATIONS.get(type(node.op))
        numbers = [_number(node.left), _number(node.right)]
        if operation is None or None in numbers:
            return node
        return _constant(round(operation(*numbers), 12))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        with suppress(ValueError):
            return _constant(ast.literal_eval(node.value)[ast.literal_eval(node.slice)])
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        known = isinstance(node.test, ast.Constant)
        return (node.body if ast.literal_eval(node.test) else node.orelse) if known else node


_OPERATIONS: dict[type, Any] = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


def _number(node: ast.AST) -> Any:
    with suppress(ValueError):
        value = ast.literal_eval(node)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    return None


def _constant(value: Any) -> ast.AST:
    return ast.parse(repr(value), mode="eval").body


def _parameter_names(signature: inspect.Signature, args: Sequence[cst.Arg]) -> list[str | None] | None:
    """Return the parameter of each argument, or None if the signature does not take them."""
    parameters = list(signature.parameters.values())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    more = any(p.kind is p.VAR_KEYWORD for p in parameters)
    names: list[str | None] = []
    for index, arg in enumerate(args):
        if arg.star:
            names.append(None)
        elif arg.keyword is not None:
            by_name = {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}
            name = arg.keyword.value
            name = name if name in by_name else _NUMPY.get(name, name)
            if (name not in by_name and not more) or name in names:
                return None
            names.append(name)
        elif index < len(positional):
            names.append(positional[index].name)
        elif rest is not None:
            names.append(rest.name)
        else:
            return None
    required = {p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    return names if required <= set(names) or any(arg.star for arg in args) else None


def _plausible(names: Sequence[str | None], args: Sequence[cst.Arg], may_be_sizes: bool) -> bool:
    """Return whether no size is taken for a data type, as `x.view(-1)` and `x.view(shape)` might be."""
    return not any(
        name == "dtype"
        and arg.keyword is None
        and not (m.matches(arg.value, _DATA_TYPE) if may_be_sizes else isinstance(arg.value, (cst.Attribute, cst.Name)))
        for name, arg in zip(names, args)
    )


def keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    """Return a keyword argument."""
    return cst.Arg(value, keyword=cst.Name(name), equal=_EQUAL)


def named(arg: cst.Arg, name: str) -> cst.Arg:
    """Return an argument with a name, or with another one."""
    return arg.with_changes(keyword=cst.Name(name), equal=_EQUAL if arg.keyword is None else arg.equal)


def ended(kept: list[cst.Arg], args: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Return what is kept of some arguments, ended as the last of them, which may be gone, was."""
    if not (kept and args):
        return kept
    last = kept[-1].with_changes(comma=args[-1].comma, whitespace_after_arg=args[-1].whitespace_after_arg)
    return [*kept[:-1], last]


def appended(args: list[cst.Arg], added: list[tuple[str, str]]) -> list[cst.Arg]:
    """Return the arguments with further ones behind them; those behind ** or on several lines keep their commas."""
    new = [keyword(name, cst.parse_expression(value)) for name, value in added]
    if not new:
        return _without_last_comma(args)
    at = next((i for i, arg in enumerate(args) if arg.star == "**"), len(args))
    if at == len(args) and args and isinstance(args[-1].comma, cst.Comma):  # a trailing comma: the new ones get it
        between = args[-2].comma if len(args) > 1 else COMMA
        new[-1] = new[-1].with_changes(comma=args[-1].comma)
        args[-1] = args[-1].with_changes(comma=between)
    elif at == len(args) and args:
        between = args[-2].comma if len(args) > 1 and isinstance(args[-2].comma, cst.Comma) else COMMA
        new[-1] = new[-1].with_changes(whitespace_after_arg=args[-1].whitespace_after_arg)
        args[-1] = args[-1].with_changes(comma=between, whitespace_after_arg=cst.SimpleWhitespace(""))
    new = [arg if i == len(new) - 1 and at == len(args) else arg.with_changes(comma=COMMA) for i, arg in enumerate(new)]
    return args[:at] + new + args[at:]


def _without_last_comma(args: list[cst.Arg]) -> list[cst.Arg]:
    """Return the arguments without the comma that a dropped last one has left, unless a line ends behind it."""
    if args and isinstance(args[-1].comma, cst.Comma):
        after = args[-1].comma.whitespace_after
        if isinstance(after, cst.SimpleWhitespace):
            return [*args[:-1], args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)]
    return args


def _same_value(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return one is other
    with suppress(ValueError, SyntaxError):
        return bool(ast.literal_eval(one) == ast.literal_eval(other))
    return one.strip() == other.strip()


def _is_atom(node: cst.BaseExpression) -> bool:
    simple = (
        cst.Name,
        cst.Attribute,
        cst.Call,
        cst.Subscript,
        cst.List,
        cst.Dict,
        cst.Set,
        cst.ListComp,
        cst.SimpleString,
    )
    return isinstance(node, simple) or bool(getattr(node, "lpar", ()))


def as_receiver(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return an expression that `.name` may follow."""
    return node if _is_atom(node) else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _as_operand(node: cst.BaseExpression) -> cst.BaseExpression:
    numbers = (cst.Integer, cst.Float)
    return node if _is_atom(node) or isinstance(node, numbers) else as_receiver(node)


def _binds_tighter(form: str, field: str) -> bool:
    """Return whether a template uses a field as an operand, not only as an argument or an index."""
    at = form.find(f"{{{field}}}")
    before, after = form[:at].rstrip()[-1:], form[at + len(field) + 2 :].lstrip()[:1]
    return not (before in ("(", "[", ",", "=", "") and after in (")", "]", ",", ""))
