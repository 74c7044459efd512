"""Operations whose parameters have other names."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

__all__ = ["with_parameters"]


def with_parameters(operation: Any, **names: str) -> Any:
    """Return an operation with other names of its parameters: the same code, so that it costs nothing.

    Args:
        operation: what `op` made.
        names: the new names by the old ones.
    """
    code = operation.__code__
    variables = tuple(names.get(name, name) for name in code.co_varnames)
    made = FunctionType(code.replace(co_varnames=variables), operation.__globals__, operation.__name__)
    made.__dict__.update(operation.__dict__)
    for name in ("__doc__", "__defaults__", "__kwdefaults__", "__module__", "__qualname__"):
        setattr(made, name, getattr(operation, name))
    made.__annotations__ = {names.get(name, name): kind for name, kind in operation.__annotations__.items()}
    signature = inspect.signature(operation)
    parameters = [p.replace(name=names.get(p.name, p.name)) for p in signature.parameters.values()]
    made.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return made
