"""The `op` decorator: a function over torch tensors becomes MindSpore's function and Tensor method.

    @op(method="expand_dims")
    def expand_dims(input_x: Tensor, axis: int) -> Tensor:
        return input_x.unsqueeze(axis)

The body sees torch tensors; `Tensor` in its annotations is torch's. At the first call the decorator reads the
annotations and generates a wrapper that converts each argument as its annotation says (`_CONVERSIONS` below) and wraps
the result. A call costs only attribute reads, the body and one new object. When the body raises, `explain` makes the
error message afterwards: calls that succeed pay nothing for it.

An operation under a second name (`arccos` of `acos`) is a function of its own over the same code, whose errors name it:
`renamed` makes it, and `attach` and `publish` do so for the methods and for the names of packages.
"""

from __future__ import annotations

import functools
import inspect
import math
import textwrap
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any, TypeAlias

import torch

from torchspore.common.frames.stack import caller, module_of
from torchspore.common.names.earlier_names import answer_by_earlier_names, saying_what_it_was
from torchspore.common.names.missing_names import suggest_names
from torchspore.common.operations import Operations
from torchspore.common.tensor import Tensor, _new, wrap
from torchspore.engine.arguments import argument_kinds
from torchspore.engine.arguments import conversions as arguments
from torchspore.engine.arguments.argument_forms import takes
from torchspore.engine.failures.errors import explain
from torchspore.engine.generated_functions import (
    ABSENT,
    argument,
    define,
    generated,
    parameter_list,
    refuse_absent,
    regenerated,
)
from torchspore.engine.parameters.of_operations import check_lines, refuse, take_declarations
from torchspore.engine.values.nested import wrap_tree
from torchspore.engine.widening import each_call, widened

__all__ = [
    "ArrayType",
    "NumpyType",
    "Operand",
    "Size",
    "Type",
    "attach",
    "check_of",
    "op",
    "publish",
    "renamed",
    "unary",
]

Operand: TypeAlias = Any  # a tensor or a number; the body gets a torch tensor or the number
Type: TypeAlias = Any  # a data type of ours, or what names one; the body gets torch's
NumpyType: TypeAlias = Any  # the same, as MindSpore's NumPy functions read it: `int` has 64 bits
ArrayType: TypeAlias = Any  # the same, as those read it that create arrays: `int` has 32 bits
Size: TypeAlias = Any  # an int, or a list or tuple of ints; the body gets a tuple of ints

# For every annotation, the lines that turn the argument {p} into the body's {p}_. A tensor has the attribute `_t`.
_CONVERSIONS = {
    "Tensor": """
            try: {p}_ = {p}._t
            except AttributeError: {p}_ = as_tensor({p}, API, {p!r})""",
    "Tensor | None": """
            try: {p}_ = None if {p} is None else {p}._t
            except AttributeError: {p}_ = as_tensor({p}, API, {p!r})""",
    "Operand": """
            try: {p}_ = {p} if {p}.__class__ in NUMBERS else {p}._t
            except AttributeError: {p}_ = as_operand({p}, API, {p!r})""",
    "Operand | None": """
            try: {p}_ = {p} if {p} is None or {p}.__class__ in NUMBERS else {p}._t
            except AttributeError: {p}_ = as_operand({p}, API, {p!r})""",
    "list[Tensor]": """
            {p}_ = as_tensors({p}, API, {p!r})""",
    "int": """
            {p}_ = {p} if {p}.__class__ is int else as_int({p}, API, {p!r})""",
    "int | None": """
            {p}_ = {p} if {p} is None or {p}.__class__ is int else as_int({p}, API, {p!r})""",
    "int | tuple[int, ...]": """
            {p}_ = {p} if {p}.__class__ is int else as_ints({p}, API, {p!r})""",
    "int | tuple[int, ...] | None": """
            {p}_ = {p} if {p} is None or {p}.__class__ is int else as_ints({p}, API, {p!r})""",
    "Size": """
            {p}_ = as_size({p}, API, {p!r})""",
    "float": """
            {p}_ = {p} if {p}.__class__ is float else as_float({p}, API, {p!r})""",
    "float | None": """
            {p}_ = {p} if {p} is None or {p}.__class__ is float else as_float({p}, API, {p!r})""",
    "bool": """
            {p}_ = {p} if {p} is True or {p} is False else as_bool({p}, API, {p!r})""",
    "bool | None": """
            {p}_ = {p} if {p} is None or {p} is True or {p} is False else as_bool({p}, API, {p!r})""",
    "Type": """
            {p}_ = as_dtype({p}, API)""",
    "Type | None": """
            {p}_ = None if {p} is None else as_dtype({p}, API)""",
    "NumpyType": """
            {p}_ = as_numpy_dtype({p}, API)""",
    "NumpyType | None": """
            {p}_ = None if {p} is None else as_numpy_dtype({p}, API)""",
    "ArrayType": """
            {p}_ = as_array_dtype({p}, API)""",
    "ArrayType | None": """
            {p}_ = None if {p} is None else as_array_dtype({p}, API)""",
}
# The lines that check arguments which are not converted.
_STRINGS = {
    "str": """
            {p} if {p}.__class__ is str else as_string({p}, API, {p!r})""",
    "str | None": """
            {p} if {p} is None or {p}.__class__ is str else as_string({p}, API, {p!r})""",
}
_LOWERED = """
            {p}_ = {p}.lower() if {p}.__class__ is str else {p}"""
_GIVEN = """
            if {p} is ABSENT: raise TypeError"""  # of which `refuse_absent` makes the error
_UNCONVERTED = {"Any", "str", "str | None", "float | str", "Callable", "torch.Generator | None"}
_ANNOTATIONS = {*_CONVERSIONS, *_UNCONVERTED}

_TUPLE = """
        return tuple([wrap(part) for part in result])"""
_TREE = """
        return wrap_tree(result)"""
_RESULTS = {
    "Tensor": """
        wrapped = new(Tensor)
        wrapped._t = result
        return wrapped""",
    "tuple[Tensor, Tensor]": """
        pair = new(Tensor), new(Tensor)
        pair[0]._t, pair[1]._t = result
        return pair""",
    "tuple[Tensor, Tensor, Tensor]": _TUPLE,
    "tuple[Tensor, ...]": _TUPLE,
    "None": """
        return None""",
}

# The names of an error are deleted, or the frames of its traceback would keep themselves and their tensors alive:
# recomputation ends each forward run with an error.
_EXPLAINED = """
                explained = saying_what_it_was(explain(error, API, dict({given})), FUNCTION, API)
                try:
                    if explained is error: raise
                    raise explained
                finally: del explained"""

_NAMES = {
    "Tensor": Tensor, "new": _new, "wrap": wrap, "wrap_tree": wrap_tree, "explain": explain, "widened": widened,
    "each_call": each_call, "ABSENT": ABSENT, "refuse_absent": refuse_absent, "answer": answer_by_earlier_names,
    "saying_what_it_was": saying_what_it_was,
    "refuse": refuse, "_inf": math.inf,
    **arguments.NAMES, **argument_kinds.NAMES,
}  # fmt: skip


def op(
    body: Callable[..., Any] | None = None,
    *,
    method: str | tuple[str, ...] = (),
    name: str | None = None,
    operand: Callable[[Any, str, str], Any] = arguments.as_operand,
    trait: Callable[[Any], Any] = id,
) -> Any:
    """Make a function over torch tensors an operation.

    Args:
        body: the function, its parameters annotated by keys of `_CONVERSIONS`, or by a `Literal` or an `Annotated` that
            declares which of an annotation's values they accept.
        method: the names under which the operation is a method of Tensor too, its first parameter being `self`.
        name: the name in error messages. Default: the function's.
        operand: what converts an `Operand` that is neither a Tensor nor a Python number. Default: `as_operand`.
        trait: a property of its computation, as `widening.wrapping`. Default: none.
    """
    if body is None:
        return lambda function: op(function, method=method, name=name, operand=operand, trait=trait)
    trait(body)
    take_declarations(body, _ANNOTATIONS)
    wrapper = _wrapper(body, name or body.__name__.strip("_"), operand=operand)
    attach(wrapper, *((method,) if isinstance(method, str) else method))
    return wrapper


def check_of(operation: Any, parameter: str) -> str:
    """Return the lines that check an argument as an operation does, with the names of its wrapper, or nothing."""
    annotation = str(operation.__annotations__.get(parameter))
    if not hasattr(operation, "body") and annotation not in ("bool", "int", "float", "str"):
        return ""  # the body of a plain function may take more
    lines = _STRINGS.get(annotation) or _CONVERSIONS.get(annotation, "")
    return textwrap.indent(textwrap.dedent(lines.format(p=parameter)), "    ").rstrip()


def unary(
    torch_function: Callable[[torch.Tensor], torch.Tensor],
    summary: str,
    *,
    name: str | None = None,
    method: str | tuple[str, ...] | None = None,
) -> Any:
    """Make a torch function of one tensor an operation and a method of the same name.

    Args:
        torch_function: the function.
        summary: the first sentence of the docstring.
        name: MindSpore's name. Default: torch's.
        method: the method names. Default: `name`.
    """
    name = name or torch_function.__name__

    def body(input: Any) -> Any:
        return torch_function(input)

    body.__annotations__ = {"input": "Tensor", "return": "Tensor"}
    body.__name__ = body.__qualname__ = name
    body.__module__ = module_of(caller())
    body.__doc__ = (
        f"{summary}\n\nArgs:\n    input: a Tensor of any shape.\n\nReturns:\n    A Tensor of the same shape.\n\n"
        f"Raises:\n    TypeError: `input` is not a Tensor, or of a dtype that `{name}` is not defined for.\n"
    )
    wrapper = _wrapper(body, name, call=torch_function)
    attach(wrapper, *((method,) if isinstance(method, str) else (name,) if method is None else method))
    return wrapper


def attach(function: Any, *names: str) -> None:
    """Make a function (or property) a member of Tensor under the given names."""
    for name in names:
        if isinstance(function, FunctionType) and not name.startswith("__"):  # an operator's errors say `add`
            if hasattr(function, "body"):
                function = renamed(function, name)
            elif function.__name__.startswith("_"):
                function.__name__, function.__qualname__ = name, f"Tensor.{name}"
        setattr(Operations, name, function)


def renamed(operation: Any, name: str, module: str | None = None) -> Any:
    """Return an operation under another name: the same code, whose errors say that name.

    Args:
        operation: what `op` made.
        name: the name; if the operation has it already, it is returned unchanged.
        module: the module that has it under this name. Default: the operation's.
    """
    before = operation.__globals__["API"]
    api = before if before == f"Tensor.{name}" else name
    if operation.__name__ == name and before == api:
        return operation
    made = regenerated(operation, name, module or operation.__module__, API=api)
    made.__dict__.update(operation.__dict__)
    made.__doc__ = operation.__doc__
    made.__annotations__ = operation.__annotations__
    return made


def publish(names: dict[str, Any]) -> None:
    """Make operations that a package exports under second names use these names in their errors.

    A mistyped name of the package raises an error that suggests the nearest one (`suggest_names`).

    Args:
        names: the package's `globals()`.
    """
    for name in names["__all__"]:
        value = names.get(name)
        if isinstance(value, FunctionType) and hasattr(value, "body") and value.__name__ != name:
            names[name] = renamed(value, name, names["__name__"])
    suggest_names(names)


def _wrapper(
    body: Callable[..., Any], api: str, call: Callable[..., Any] | None = None, operand: Any = arguments.as_operand
) -> Callable[..., Any]:
    call = call or body
    names = {"API": api, "call": call, "as_operand": operand}
    wrapper = generated(lambda scope: _generate(body, scope), body.__name__, body.__module__, **names)
    functools.update_wrapper(wrapper, body)
    wrapper.__qualname__ = body.__name__
    wrapper.body = call
    return wrapper


def _generate(body: Callable[..., Any], scope: dict[str, Any]) -> Any:
    """Generate the wrapper of an operation."""
    api = scope["API"]
    signature = inspect.signature(body)
    annotations = {p: str(a) for p, a in body.__annotations__.items()}
    lines, passed, given, raw = [], [], [], []
    variables: dict[str, str] = {}
    parameters = list(signature.parameters.values())
    named = [p.name for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
    for p in signature.parameters.values():
        annotation = annotations.get(p.name, "missing")
        if p.kind is p.VAR_POSITIONAL and annotation == "Tensor":
            annotation = "list[Tensor]"
        if annotation in _CONVERSIONS:
            lines.append(_CONVERSIONS[annotation].format(p=p.name))
            value = f"{p.name}_"
        elif annotation in _STRINGS and takes("case", p.name, body.__name__):
            lines.append(_LOWERED.format(p=p.name))
            value = f"{p.name}_"
        elif annotation in _UNCONVERTED:
            value = p.name
        else:
            raise TypeError(f"operation '{api}': parameter '{p.name}' has the unknown annotation '{annotation}'")
        if _is_required(p) and annotation not in _CONVERSIONS:
            lines.append(_GIVEN.format(p=p.name))
        variables[p.name] = value
        passed.append(argument(p, value))
        given.append(f"{p.name}={p.name}")
        raw.append(argument(p))
    by_place, by_name = _apart(passed, named)
    raw_by_place, raw_by_name = _apart(raw, named)
    given_names = f"({raw_by_place}), dict({raw_by_name})"
    explained = _EXPLAINED.format(given=", ".join(given))
    lines += [check_lines(body, variables, scope), argument_kinds.check_lines(body)]
    special = ""
    if scope["as_operand"] is not arguments.as_operand:
        first, second, *others = signature.parameters
        terms = ", ".join([f"*given.terms({first}, {second})", *[f"{name}={name}" for name in others]])
        special = (
            f"\n        except SparseProduct as product: return product.factor * {first}"
            f"\n        except SequenceTerm as given: return FUNCTION({terms})"
        )
    source = (
        f"def {body.__name__}({parameter_list(_optional(parameters), scope)}, **others):"
        f"\n        if others: return answer(FUNCTION, API, {given_names}, others)"
        f"\n        try:{''.join(lines) or ' pass'}{special}"
        "\n        except Exception as error:"
        f"\n            refuse_absent(FUNCTION, {given_names})"
        f"\n            result = each_call(error, FUNCTION, {given_names})"
        f"\n            if result is error:\n                del result{explained}"
        "\n            return result"
        f"\n        try: result = call({', '.join(passed)})"
        "\n        except Exception as error:"
        f"\n            result = widened(error, call, ({by_place}), dict({by_name}))"
        f"\n            if result is error:\n                del result{explained}"
        f"{_RESULTS.get(annotations['return'], _TREE)}\n"
    )
    scope |= {**_NAMES, "as_operand": scope["as_operand"]}
    return define(source, f"operation {api}", scope)


def _apart(passed: list[str], named: list[str]) -> tuple[str, str]:
    """Return the source of a tuple's elements and of a dict's: what is passed by position and by keyword."""
    by_name = [value for value in passed if value.split("=")[0] in named]
    return " ".join([f"{value}," for value in passed if value not in by_name]), ", ".join(by_name)


def _optional(parameters: Iterable[inspect.Parameter]) -> Iterator[inspect.Parameter]:
    """Yield the parameters; Python lets a call leave out any of them, so that it may give it by an earlier name."""
    for p in parameters:
        yield p.replace(default=ABSENT) if _is_required(p) else p


def _is_required(p: inspect.Parameter) -> bool:
    return p.default is p.empty and p.kind is not p.VAR_POSITIONAL
