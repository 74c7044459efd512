"""Printing from inside networks."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.capture.recording.printing import emit
from torchspore.engine.primitive import Primitive

__all__ = ["Print", "print_"]

RUNS_USER_CODE = True  # errors name what the user passed, see `engine.failures.errors`


def print_(*input_x: Any) -> None:
    """Print each argument on its own line; a captured graph prints at each run.

    Args:
        input_x: tensors, shown as `repr` shows them, and anything else, shown as `str` does.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.print_("x and its sum:", ms.Tensor([1, 2]), 3)
        x and its sum:
        Tensor(shape=[2], dtype=Int64, value= [1, 2])
        3
    """
    if input_x:
        emit(tuple([wrap(x._t) if isinstance(x, Tensor) else x for x in input_x]), _shown, {"sep": "\n"})


def _shown(part: Any) -> str:
    return repr(part) if isinstance(part, Tensor) else str(part)


class Print(Primitive):
    """`print_` as a primitive.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.Print()("x:", ms.Tensor(1.5))
        x:
        Tensor(shape=[], dtype=Float32, value= 1.5)
    """

    def __init__(self) -> None:
        super().__init__("Print")

    def __call__(self, *args: Any) -> None:
        """Print each argument on its own line."""
        print_(*args)
