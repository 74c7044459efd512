"""`lazy_inline` and `no_inline`: decorators that tell MindSpore's compiler to keep a subgraph apart.

Captured graphs are flat and compiled as a whole, so the decorators only check their arguments.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as

__all__ = ["lazy_inline", "no_inline"]


def lazy_inline(
    fn: Callable[..., None] | None = None, attrs: list[str] | str | None = None, policy: str | None = None
) -> Any:
    """Decorate the `__init__` of a cell that MindSpore's compiler is to compile once for many uses.

    Args:
        fn: the `__init__` method; without it, a decorator is returned.
        attrs: names of attributes that tell such cells apart. Default: None.
        policy: None, or "front". Default: None.

    Returns:
        The method.

    Raises:
        ValueError: `fn` is another function than `__init__`, `attrs` is not a name or list of names, or another policy.

    Examples:
        >>> import torchspore as ms
        >>> class Block(ms.nn.Cell):
        ...     @ms.lazy_inline
        ...     def __init__(self, width):
        ...         super().__init__()
        ...         self.layer = ms.nn.Dense(width, width)
        >>> Block(2).layer.in_channels
        2
    """
    names = [attrs] if isinstance(attrs, str) else attrs or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"For 'lazy_inline', 'attrs' must be a name or a list of names, but got {describe(attrs)}.")
    if policy not in (None, "front"):
        raise ValueError(f"For 'lazy_inline', 'policy' must be None or 'front', but got {describe(policy)}.")
    if fn is None:
        return functools.partial(lazy_inline, attrs=attrs, policy=policy)
    if not (inspect.isfunction(fn) or isinstance(fn, type)):
        raise TypeError(f"For 'lazy_inline', 'fn' must be the '__init__' of a cell, but got {describe(fn)}.")
    if fn.__name__ != "__init__":
        raise ValueError(f"For 'lazy_inline', 'fn' must be the '__init__' of a cell, but got '{fn.__name__}'.")
    return fn


def no_inline(fn: Callable[..., Any] | None = None) -> Any:
    """Mark a function that MindSpore's compiler is to keep as a subgraph.

    Args:
        fn: the function; without it, a decorator is returned.

    Returns:
        The function.

    Examples:
        >>> import torchspore as ms
        >>> @ms.no_inline
        ... def triple(x):
        ...     return x * 3
        >>> print(ms.jit(triple)(ms.Tensor([1.0, 2.0])))
        [3. 6.]
    """
    if fn is None:
        return no_inline
    take_as(Callable, fn, "fn", "no_inline")
    return fn
