"""What parameters of operations accept beyond their types: `Literal`, or limits, shapes and data types in `Annotated`.

`op` converts an argument to the type; the lines that are made here check what it has become.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from typing import Any, Literal, NoReturn, TypeVar, get_args, get_origin

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters.declarations import Rule, limit_tests
from torchspore.engine.parameters.kinds import kind_of
from torchspore.engine.parameters.limits import Among, Dimensions, Holding, Length, Limits, Only, Shape, TypeOf, Where

__all__ = ["check_lines", "refuse", "ruled", "take_declarations"]

_F = TypeVar("_F", bound=Callable[..., Any])


def ruled(*rules: Rule) -> Callable[[_F], _F]:
    """Declare relations between the parameters of an operation, which its decorator, above this one, reads."""

    def declare(body: _F) -> _F:
        vars(body)["rules"] = rules
        return body

    return declare


def take_declarations(body: Any, types: Container[str]) -> None:
    """Leave only types in the annotations of a body; what else they say becomes its attribute `declared`."""
    declared = vars(body).setdefault("declared", {})
    for name, annotation in body.__annotations__.items():
        if name == "return" or annotation in types:
            continue
        meant = eval(annotation, body.__globals__)
        is_optional = type(None) in get_args(meant)
        meant = get_args(meant)[0] if is_optional else meant
        if not get_args(meant):
            continue  # `op` does not know it
        declared[name] = meant, is_optional
        named = re.match(r"Annotated\[(\w+), ", annotation)
        word = named[1] if named and named[1] in types else _word(meant)
        body.__annotations__[name] = f"{word} | None" if is_optional else word


def _word(meant: Any) -> str:
    """Return the word of `op` for the type of a declared parameter."""
    first = get_args(meant)[0]
    if any(isinstance(limit, Among) for limit in _limits(meant)):
        return "Type"
    if get_origin(first) is tuple:
        return "Size"
    choices = meant if get_origin(meant) is Literal else first
    type_ = type(get_args(choices)[0]) if get_origin(choices) is Literal else first
    return str(getattr(type_, "__name__", "Any"))  # which `Any` has only from Python 3.11 on


def _limits(meant: Any) -> list[Any]:
    """Return what stands beside the type; a text is a shape."""
    given = () if get_origin(meant) is Literal else get_args(meant)[1:]
    return [Shape(limit) if isinstance(limit, str) else limit for limit in given]


def _order(meant: Any, is_optional: bool) -> int:
    """Return when a parameter is checked: before all what is not supported, last what others may have the sizes of."""
    return 0 if any(isinstance(limit, Only) for limit in _limits(meant)) else 1 + is_optional


def check_lines(body: Any, values: dict[str, str], scope: dict[str, Any]) -> str:
    """Return the lines of an operation's wrapper that check what its parameters declare, and the rules about several.

    Args:
        body: the body of the operation.
        values: the names of the variables that hold the converted arguments.
        scope: the globals of the wrapper, to which names may be added.
    """
    declared = vars(body).get("declared", {})
    sizes = _Sizes(declared, values)
    lines = sizes.lines()
    for name, (meant, is_optional) in sorted(declared.items(), key=lambda item: _order(*item[1])):
        for test, words, error in _tests(name, meant, values, sizes, scope):
            scope[error.__name__] = error
            test = f"{values[name]} is None or {test}" if is_optional else test
            text = f"'{name}' must {words}"
            lines.append(f"if not ({test}): refuse(API, {text!r}, {name}, {error.__name__})")
    for number, rule in enumerate(vars(body).get("rules", ())):
        scope |= {f"HOLDS_{number}": rule.holds, f"REFUSE_{number}": rule.refuse}
        converted = ", ".join([values[name] for name in rule.names])
        lines.append(f"if not HOLDS_{number}({converted}): REFUSE_{number}(API, {', '.join(rule.names)})")
    return "".join([f"\n            {line}" for line in lines])


def _tests(
    name: str, meant: Any, values: dict[str, str], sizes: _Sizes, scope: dict[str, Any]
) -> Iterator[tuple[str, str, type[Exception]]]:
    """Yield the source of the tests of a value, what it must do or be, and the class of the error."""
    value = values[name]
    type_, limits = meant if get_origin(meant) is Literal else get_args(meant)[0], _limits(meant)
    wrong = next((limit for limit in limits if isinstance(limit, type)), ValueError)
    if get_origin(type_) is Literal:
        scope[f"CHOICES_{value}"] = get_args(type_)
        yield f"{value} in CHOICES_{value}", f"be {kind_of(type_).words}", wrong
    for limit in sorted(limits, key=lambda limit: isinstance(limit, Holding)):
        if isinstance(limit, Holding):
            scope[f"DTYPES_{value}"] = limit.dtypes
            yield f"{value}.dtype in DTYPES_{value}", f"hold {limit.words}", TypeError
        elif isinstance(limit, TypeOf):
            yield f"{value}.dtype is {values[limit.name]}.dtype", f"have the data type of '{limit.name}'", TypeError
        elif isinstance(limit, Among):
            scope[f"DTYPES_{value}"] = limit.dtypes
            yield f"{value} in DTYPES_{value}", f"be {limit}", limit.error
        elif isinstance(limit, Only):
            scope[f"CHOICES_{value}"] = limit.values
            test = f"{value} is None" if limit.values == (None,) else f"{value} in CHOICES_{value}"
            yield test, f"be {limit}", NotImplementedError
        elif isinstance(limit, Shape):
            yield sizes.test(name), sizes.words(name), wrong
        elif isinstance(limit, Dimensions):
            maximum = limit.minimum if limit.maximum is None else limit.maximum
            tests = limit_tests(Limits(limit.minimum, maximum), f"{value}.dim()")
            words = f"have {Length(limit.minimum, maximum)} dimension{'s' * (maximum > 1)}"
            yield " and ".join(tests), words, wrong
        elif isinstance(limit, Where):
            scope[f"HOLDS_{name}"] = limit.holds
            yield f"HOLDS_{name}({value})", f"be {limit.words}", limit.error
        elif isinstance(limit, Length):
            tests = limit_tests(Limits(limit.minimum, limit.maximum), f"len({value})")
            yield " and ".join(tests), f"have {limit} elements", wrong
        elif isinstance(limit, Limits):
            number = "each" if get_origin(type_) is tuple else value
            test = " and ".join(limit_tests(limit, number))
            yield (
                (test, f"be {limit}", wrong)
                if number == value
                else (f"all([{test} for each in {value}])", f"hold ints {limit}", wrong)
            )


class _Sizes:
    """The names of sizes in the declared shapes of an operation's tensors, and where each stands first.

    Args:
        declared: what the parameters declare.
        values: the names of the variables that hold the arguments.
    """

    def __init__(self, declared: dict[str, Any], values: dict[str, str]) -> None:
        self._values = values
        self._shapes: dict[str, Shape] = {}
        self._optional = []
        for name, (meant, is_optional) in declared.items():
            for shape in [limit for limit in _limits(meant) if isinstance(limit, Shape)]:
                self._shapes[name] = shape
                self._optional += [name] * is_optional
        self._known = {name: (value, name) for name, value in values.items()}
        for name in [name for name in self._shapes if name not in self._optional]:
            for size, source in self._sources(name):
                self._known.setdefault(size, (source, name))
        self._known.pop("...", None)

    def lines(self) -> list[str]:
        """Return the lines that read the shapes, once: torch makes an object for each reading."""
        guards = {name: f"None if {self._values[name]} is None else " for name in self._optional}
        return [f"SHAPE_{name} = {guards.get(name, '')}{self._values[name]}.shape" for name in self._shapes]

    def _sources(self, name: str) -> list[tuple[str, str]]:
        """Return the sizes of a parameter's shape and the source of each: `SHAPE_x[0]`."""
        sizes = self._shapes[name].sizes.split()
        rest = next((at for at, size in enumerate(sizes) if size[0] in "*."), len(sizes))
        sources = []
        for at, size in enumerate(sizes):
            if at == rest:
                bounds = f"{at or ''}:{at + 1 - len(sizes) or ''}"
                sources.append((size, f"SHAPE_{name}" if bounds == ":" else f"SHAPE_{name}[{bounds}]"))
            else:
                sources.append((size, f"SHAPE_{name}[{at if at < rest else at - len(sizes)}]"))
        return sources

    def test(self, name: str) -> str:
        """Return the source of the test of a parameter's shape."""
        sources = self._sources(name)
        found = [(source, size if size.isdigit() else self._known.get(size, (source,))[0]) for size, source in sources]
        tests = [f"{source} == {known}" for source, known in found if source != known]
        is_open = any(size[0] in "*." for size, _ in sources)
        if len(sources) > is_open:
            tests.insert(0, f"len(SHAPE_{name}) {'>=' if is_open else '=='} {len(sources) - is_open}")
        return " and ".join(tests) or "True"

    def words(self, name: str) -> str:
        """Return what a parameter's shape must be, with the arguments that it depends on."""
        shape = self._shapes[name]
        others = {self._known[size][1]: None for size in shape.sizes.split() if size in self._known}
        others.pop(name, None)
        if [self._shapes.get(other) for other in others] == [shape]:
            return f"have the shape of '{next(iter(others))}'"
        of = [f"'{other}' of shape {found}" if (found := self._shapes.get(other)) else f"'{other}'" for other in others]
        return f"be of shape {shape}{' for ' * bool(of)}{' and '.join(of)}"


def refuse(api: str, text: str, value: Any, error: type[Exception]) -> NoReturn:
    """Raise the error about an argument; `explain` adds to all but NotImplementedErrors what was given."""
    if error is not NotImplementedError:
        raise error(text)
    mistake, dot, advice = text.partition(". ")
    raise error(f"For '{api}', {mistake}, but got {describe(value)}.{dot[1:]}{advice}")
