"""The decorator `checked`: the annotations of a function say what its parameters accept.

    @checked
    def __init__(self, kernel_size: Positive, mode: Literal["same", "valid"] = "valid") -> None:

At the first call the decorator reads the annotations and generates a function of the same signature, which checks and
converts each argument before the decorated function runs. Arguments that are what they should be cost a comparison
each. The relations between arguments are a list of rules beside it:

    @checked(Rule("'in_channels' must be divisible by 'group'", lambda in_channels, group: not in_channels % group))
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, TypeVar, get_type_hints, overload

from torchspore.engine.failures.errors import describe
from torchspore.engine.generated_functions import argument, define, generated, parameter_list
from torchspore.engine.parameters.kinds import (
    Anything,
    Choice,
    Conditional,
    Either,
    Flag,
    Function,
    Instance,
    Kind,
    Nothing,
    Number,
    Text,
    kind_of,
)
from torchspore.engine.parameters.limits import Limits

__all__ = ["Rule", "checked", "kinds_of", "limit_tests"]

_F = TypeVar("_F", bound=Callable[..., Any])
# What generated code uses, under names that no parameter has.
_BUILTINS = {f"_{each.__name__}": each for each in (callable, enumerate, float, int, isinstance, str, tuple, type)} | {
    "_inf": math.inf
}


class Rule:
    """A relation between arguments.

    Args:
        text: what must hold, as the error says it: "'in_channels' must be divisible by 'group'".
        holds: a function of these arguments, by their names, that returns whether it does.
        error: the class of the error. Default: ValueError.
        shown: a function of the arguments that returns what the error says was given. Default: all of them.
    """

    def __init__(
        self, text: str, holds: Callable[..., Any], error: type[Exception] = ValueError, shown: Any = None
    ) -> None:
        self.text, self.holds, self.error, self.shown = text, holds, error, shown or self._described
        self.names = tuple(inspect.signature(holds).parameters)

    def check(self, values: dict[str, Any], api: str) -> None:
        """Check the relation between values by their names."""
        given = [values[name] for name in self.names]
        if not self.holds(*given):
            self.refuse(api, *given)

    def refuse(self, api: str, *values: Any) -> None:
        """Raise the error about these arguments."""
        raise self.error(f"For '{api}', {self.text}, but got {self.shown(*values)}.")

    def _described(self, *values: Any) -> str:
        return ", ".join([f"{name}={describe(value)}" for name, value in zip(self.names, values)])


@overload
def checked(function: _F, /) -> _F: ...
@overload
def checked(*rules: Rule, api: str = "") -> Callable[[_F], _F]: ...
def checked(*given: Any, api: str = "") -> Any:
    """Check and convert the arguments of a function as its annotations say.

    Args:
        given: the function, or rules about several arguments, which are applied in order after the annotations.
        api: what errors name. Default: "", the class or the function.
    """
    if len(given) == 1 and isinstance(given[0], FunctionType):
        return _wrapper(given[0], (), api)
    return lambda function: _wrapper(function, given, api)


def _wrapper(function: Any, rules: tuple[Rule, ...], api: str) -> Any:
    generate = functools.partial(_generate, function, rules, api)
    wrapper = generated(generate, function.__name__, function.__module__, _function=function, **_BUILTINS)
    functools.update_wrapper(wrapper, function)
    vars(wrapper)["is_checked"] = True
    return wrapper


def kinds_of(function: Any) -> dict[str, Kind]:
    """Return the kinds of the parameters of a function that have an annotation."""
    hints = get_type_hints(function, include_extras=True)
    names = [name for at, name in enumerate(inspect.signature(function).parameters) if (at, name) != (0, "self")]
    return {name: kind_of(hints[name], _owner(function)) for name in names if name in hints}


def _generate(function: Any, rules: tuple[Rule, ...], api: str, names: dict[str, Any]) -> Any:
    """Generate the wrapper of a function, which checks its arguments."""
    kinds = kinds_of(function)
    called = repr(api) if api else _api(function)
    signature = inspect.signature(function)
    passed, lines = [], []
    for p in signature.parameters.values():
        passed.append(argument(p))
        kind = kinds.get(p.name, Anything())
        if not isinstance(kind, Anything):
            names[f"_take_{p.name}"] = kind.take
            lines.append(f"    {_taking(p, kind, called, names)}")
    for number, rule in enumerate(rules):
        names |= {f"_holds_{number}": rule.holds, f"_refuse_{number}": rule.refuse}
        values = ", ".join(rule.names)
        lines.append(f"    if not _holds_{number}({values}): _refuse_{number}({called}, {values})")
    source = "\n".join(
        [
            f"def {function.__name__}({parameter_list(signature.parameters.values(), names)}):",
            *lines,
            f"    return _function({', '.join(passed)})",
        ]
    )
    return define(source, f"checks of {function.__qualname__}", names)


def _owner(function: Any) -> str:
    """Return the name that a function has where it is defined: `Class`, `Class.method` or `function`."""
    name = function.__qualname__.rpartition("<locals>.")[2]
    return str(name.removesuffix(".__init__").removesuffix(".__call__") if "." in name else name.strip("_"))


def _api(function: Any) -> str:
    """Return the source of the name in errors, in methods with the class of `self`."""
    name = function.__name__
    if next(iter(inspect.signature(function).parameters), "") != "self":
        return repr(_owner(function))
    return "_type(self).__name__" if name in ("__init__", "__call__") else f"_type(self).__name__ + {'.' + name!r}"


def _taking(p: inspect.Parameter, kind: Kind, api: str, names: dict[str, Any]) -> str:
    """Return the source that checks and converts an argument, or each of several."""
    if p.kind is p.VAR_POSITIONAL:
        each = f"_take_{p.name}(each, f'{p.name}[{{at}}]', {api})"
        return f"{p.name} = _tuple([{each} for at, each in _enumerate({p.name})])"
    if p.kind is p.VAR_KEYWORD:
        return f"{p.name} = {{name: _take_{p.name}(each, name, {api}) for name, each in {p.name}.items()}}"
    right = _test(kind, p.name, names)
    test = f"if not ({right}): " if right else ""
    return f"{test}{p.name} = _take_{p.name}({p.name}, {p.name!r}, {api})"


def _test(kind: Kind, p: str, names: dict[str, Any]) -> str:
    """Return the source of a test that an argument needs no conversion; empty if there is none."""

    def bound(value: Any) -> str:
        names[name := f"_{len(names)}"] = value
        return name

    if isinstance(kind, Number):
        is_finite = [f"-_inf < {p} < _inf"] * (kind.type_ is float and kind.is_bounded)
        return " and ".join([f"{p}.__class__ is _{kind.type_.__name__}", *is_finite, *limit_tests(kind.limits, p)])
    if isinstance(kind, Flag):
        return f"{p} is True or {p} is False"
    if isinstance(kind, Text):
        return f"{p}.__class__ is _str"
    if isinstance(kind, Choice):
        return f"{p}.__class__ is {bound(kind.type_)} and {p} in {bound(kind.values)}"
    if isinstance(kind, Instance):
        return f"_isinstance({p}, {bound(kind.class_)})"
    if isinstance(kind, Function):
        return f"_callable({p})"
    if isinstance(kind, Nothing):
        return f"{p} is None"
    if isinstance(kind, Conditional):
        test = _test(kind.kind, p, names)
        return test and f"({test}) and {bound(kind.condition.holds)}({p})"
    if isinstance(kind, Either):
        tests = [_test(each, p, names) for each in kind.kinds]
        return " or ".join([f"({test})" for test in tests if test])
    return ""


def limit_tests(limits: Limits, p: str) -> Iterator[str]:
    """Yield the source of tests that a number is within limits."""
    if limits.minimum == limits.maximum:
        yield f"{p} == {limits.minimum}"
        return
    if limits.above is not None:
        yield f"{p} > {limits.above}"
    elif limits.minimum > -math.inf:
        yield f"{p} >= {limits.minimum}"
    if limits.below is not None:
        yield f"{p} < {'_inf' if limits.below == math.inf else limits.below}"
    elif limits.maximum < math.inf:
        yield f"{p} <= {limits.maximum}"
