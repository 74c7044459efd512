"""Names of MindSpore's operations that cannot be supported: using one says why, and what to use instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from torchspore.common.unsupported import unsupported
from torchspore.engine.primitive import Primitive

UNSUPPORTED = unsupported("ops")


def refusing(name: str, reason: str) -> Any:
    """Return a class or a function that refuses to be used.

    Args:
        name: its name; a capital letter makes it a class.
        reason: why it is not supported, and what to use instead; {name} stands for the name.
    """
    reason = reason.format(name=name)
    message = f"For '{name}', {reason}"

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(message)

    def refuse_to_be_made(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(message)

    doc = f"Not supported: {reason}\n\nMindSpore: `mindspore.ops.{name}`.\n"
    if name.lstrip("_")[0].isupper():
        return type(name, (Primitive,), {"__init__": refuse_to_be_made, "__doc__": doc, "__module__": __name__})
    function: Callable[..., NoReturn] = refuse
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


globals().update({name: refusing(name, reason) for name, reason in UNSUPPORTED.items()})

__all__ = [*UNSUPPORTED]
