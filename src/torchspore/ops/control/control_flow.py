"""Loops as operations, and functions with fixed arguments.

Plain Python: a captured graph follows Python's own loops and conditions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torchspore.common.error_classes import also
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import NotNegative, take_as
from torchspore.engine.primitive import Primitive

__all__ = ["ForiLoop", "Partial", "Scan", "WhileLoop", "partial"]

RUNS_USER_CODE = True  # errors name what the user passed, see `engine.failures.errors`


class WhileLoop(Primitive):
    """Update a value while a condition on it holds.

    Inputs:
        The condition, a function of the value; the function that returns the next value; the initial value.

    Outputs:
        The last value.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.WhileLoop()(lambda x: x < 100, lambda x: x * 2, 3)
        192
    """

    def __call__(self, cond_func: Callable[[Any], Any], loop_func: Callable[[Any], Any], init_val: Any) -> Any:
        """Run the loop."""
        take_as(Callable, cond_func, "cond_func", "WhileLoop")
        take_as(Callable, loop_func, "loop_func", "WhileLoop")
        while cond_func(init_val):
            init_val = loop_func(init_val)
        return init_val


class ForiLoop(Primitive):
    """Update a value once for each number of a range.

    Inputs:
        The bounds of the range, ints or Tensors of one int; the function of the number and the value that returns the
        next value; the initial value; `unroll`, which has no effect here. Default: True.

    Outputs:
        The last value.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.ForiLoop()(0, 4, lambda i, x: x + i, 10)
        16
    """

    def __call__(
        self, lower: Any, upper: Any, loop_func: Callable[[int, Any], Any], init_val: Any, unroll: bool = True
    ) -> Any:
        """Run the loop."""
        take_as(Callable, loop_func, "loop_func", "ForiLoop")
        take_as(bool, unroll, "unroll", "ForiLoop")
        for i in range(_bound(lower, "lower"), _bound(upper, "upper")):
            init_val = loop_func(i, init_val)
        return init_val


class Scan(Primitive):
    """Carry a value through a sequence, collecting a result for each element.

    Inputs:
        The function of the carried value and an element that returns the next value and a result; the initial value;
        the sequence, a tuple, list or None; `length`, the length of the sequence (ValueError otherwise), required for
        None. Default: None; `unroll`, which has no effect here. Default: True.

    Outputs:
        A tuple of the last value and the list of the results.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.Scan()(lambda total, x: (total + x, total), 0, [1, 2, 3])
        (6, [0, 1, 3])
    """

    def __call__(
        self, loop_func: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, length: int | None = None,
        unroll: bool = True,
    ) -> tuple[Any, list[Any]]:  # fmt: skip
        """Run the loop."""
        take_as(Callable, loop_func, "loop_func", "Scan")
        take_as(bool, unroll, "unroll", "Scan")
        if xs is not None and not isinstance(xs, (tuple, list)):
            raise TypeError(f"For 'Scan', 'xs' must be a tuple, a list or None, but got {describe(xs)}.")
        if length is not None or xs is None:
            take_as(NotNegative, length, "length", "Scan")
        elements = [None] * (length or 0) if xs is None else xs
        if length is not None and length != len(elements):
            raise ValueError(f"For 'Scan', 'length' must be the length of 'xs', {len(elements)}, but got {length}.")
        results = []
        for element in elements:
            carried = loop_func(init, element)
            if not isinstance(carried, (tuple, list)) or len(carried) != 2:
                raise also(TypeError, ValueError)(
                    f"For 'Scan', 'loop_func' must return the next value and a result, but got {describe(carried)}."
                )
            init, result = carried
            results.append(result)
        return init, results


class Partial(Primitive):
    """Fix the first arguments of a function: `Partial()(function, *arguments)` is a function of the others.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.Partial()(lambda x, y: x - y, 10)(3)
        7
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """Fix the arguments."""
        func, *args = args or (None,)  # type: ignore[assignment]
        take_as(Callable, func, "func", "Partial")
        return functools.partial(func, *args, **kwargs)


partial = Partial()


def _bound(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, Tensor)):
        raise TypeError(f"For 'ForiLoop', '{name}' must be an int or a Tensor of one int, but got {describe(value)}.")
    return int(value)
