"""Names of MindSpore's operations that are not supported: using one raises an error that says what to use."""

from __future__ import annotations

from typing import Any, NoReturn

from torchspore.common.names.unsupported import unsupported
from torchspore.engine.primitive import Primitive
from torchspore.ops.array.overloads import documented

UNSUPPORTED = unsupported("ops")


class Refusing(Primitive):
    """A primitive that can be made, with any attributes, but not called: programs make some that they never call."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()


def refusing(name: str, reason: str) -> Any:
    """Return a primitive (for a capitalized name) or a function that raises NotImplementedError when it is called.


    Args:
        name: its name.
        reason: why it is not supported, and what to use instead; {name} stands for the name.
    """
    reason = reason.format(name=name)
    message = f"For '{name}', {reason}"

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(message)

    def call(self: Primitive, *inputs: Any) -> NoReturn:
        raise NotImplementedError(message)

    doc = f"Not supported: {reason}"
    if name.lstrip("_")[0].isupper():
        return type(name, (Refusing,), {"__call__": call, "__doc__": doc, "__module__": __name__})
    return documented(refuse, name, doc)


globals().update({name: refusing(name, reason) for name, reason in UNSUPPORTED.items()})

__all__ = [*UNSUPPORTED]
