"""What parameters of operations accept beyond their types: `Literal`, and `Annotated` with `Limits` or `Dimensions`.

`op` converts an argument to the type; the lines that are made here check what it has become.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, Literal, NoReturn, get_args, get_origin

from torchspore.engine.parameters.declarations import limit_tests
from torchspore.engine.parameters.kinds import kind_of
from torchspore.engine.parameters.limits import Dimensions, Holding, Length, Limits

__all__ = ["check_lines", "refuse", "take_declarations"]


def take_declarations(body: Any, types: Container[str]) -> None:
    """Leave only types in the annotations of a body; what else they say becomes its attribute `declared`."""
    declared = vars(body).setdefault("declared", {})
    for name, annotation in body.__annotations__.items():
        if name == "return" or annotation in types:
            continue
        meant = eval(annotation, body.__globals__)
        is_optional = type(None) in get_args(meant)
        meant = get_args(meant)[0] if is_optional else meant
        values = get_args(meant)
        if not values:
            continue  # `op` does not know it
        type_ = type(values[0]) if get_origin(meant) is Literal else values[0]
        declared[name] = meant, is_optional
        body.__annotations__[name] = f"{type_.__name__} | None" if is_optional else type_.__name__


def check_lines(body: Any, values: dict[str, str], scope: dict[str, Any]) -> str:
    """Return the lines of an operation's wrapper that check what its parameters declare.

    Args:
        body: the body of the operation.
        values: the names of the variables that hold the converted arguments.
        scope: the globals of the wrapper, to which names may be added.
    """
    lines = []
    for name, (meant, is_optional) in vars(body).get("declared", {}).items():
        for test, words, error in _tests(meant, values[name], scope):
            test = f"{values[name]} is None or {test}" if is_optional else test
            text = f"'{name}' must {words}"
            lines.append(f"\n            if not ({test}): refuse({text!r}, {error})")
    return "".join(lines)


def _tests(meant: Any, value: str, scope: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the source of the tests of a value, what it must do or be, and the name of the class of the error."""
    if get_origin(meant) is Literal:
        scope[f"CHOICES_{value}"] = get_args(meant)
        yield f"{value} in CHOICES_{value}", f"be {kind_of(meant).words}", "ValueError"
        return
    for limit in sorted(get_args(meant)[1:], key=lambda limit: isinstance(limit, Holding)):
        if isinstance(limit, Holding):
            scope[f"DTYPES_{value}"] = limit.dtypes
            yield f"{value}.dtype in DTYPES_{value}", f"hold {limit.words}", "TypeError"
        elif isinstance(limit, Dimensions):
            maximum = limit.minimum if limit.maximum is None else limit.maximum
            tests = limit_tests(Limits(limit.minimum, maximum), f"{value}.dim()")
            words = f"have {Length(limit.minimum, maximum)} dimension{'s' * (maximum > 1)}"
            yield " and ".join(tests), words, "ValueError"
        else:
            yield " and ".join(limit_tests(limit, value)), f"be {limit}", "ValueError"


def refuse(text: str, error: type[Exception]) -> NoReturn:
    """Raise the error about an argument."""
    raise error(text)
