"""Operations whose parameters have other names."""

from __future__ import annotations

import inspect
from typing import Any

from torchspore.engine.generated_functions import regenerated

__all__ = ["with_parameters"]


def with_parameters(operation: Any, **names: str) -> Any:
    """Return an operation with other names of its parameters: the same code, so that it costs nothing.

    Args:
        operation: what `op` made.
        names: the new names by the old ones.
    """

    def alter(made: Any) -> Any:
        variables = tuple(names.get(name, name) for name in made.__code__.co_varnames)
        made.__code__ = made.__code__.replace(co_varnames=variables)
        return made

    made = regenerated(operation, operation.__name__, operation.__module__, alter)
    made.__dict__.update(operation.__dict__)
    made.__doc__, made.__qualname__ = operation.__doc__, operation.__qualname__
    made.__annotations__ = {names.get(name, name): kind for name, kind in operation.__annotations__.items()}
    signature = inspect.signature(operation)
    parameters = [p.replace(name=names.get(p.name, p.name)) for p in signature.parameters.values()]
    made.__signature__ = signature.replace(parameters=parameters)
    return made
