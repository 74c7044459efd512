"""Kernels written in Python for MindSpore's compilers, run as the Python functions that they are."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from torchspore.engine.failures.errors import describe

__all__ = ["kernel", "ms_kernel"]


def _allocate(shape: tuple[int, ...], dtype: Any, scope: str = "global") -> np.ndarray[Any, Any]:
    return np.zeros(shape, dtype)


def _grid(extents: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    return itertools.product(*[range(extent) for extent in extents])


def _block_realize(block: Any) -> contextlib.AbstractContextManager[Any]:
    return contextlib.nullcontext(block)


# The names that such a function may use, besides Python's own.
_WORDS: dict[str, Any] = {
    "allocate": _allocate, "output_tensor": _allocate, "grid": _grid, "block_realize": _block_realize,
    "serial": range, "vectorize": range, "parallel": range, "reduce": range,
    "rsqrt": lambda x: 1 / np.sqrt(x), "erf": np.vectorize(math.erf), "atan": np.arctan,
    **{name: getattr(np, name) for name in (
        "sqrt", "exp", "log", "tanh", "ceil", "floor", "cos", "sin", "isnan", "isinf", "trunc", "power", "expm1",
        "float16", "float32", "float64", "int8", "int16", "int32", "int64",
    )},
}  # fmt: skip


def kernel(
    fn: Callable[..., Any] | None = None,
    reg_info: dict[str, Any] | str | tuple[Any, ...] | None = None,
    compile_attrs: dict[str, Any] | None = None,
) -> Callable[..., Any]:
    """Turn a function in MindSpore's kernel language into a Python function of NumPy arrays.

    It may use `output_tensor`, `allocate`, `grid`, `serial`, `vectorize`, `parallel`, `reduce`, `block_realize`, and
    NumPy's elementwise functions. `Custom` makes an operation of it.

    Args:
        fn: the function. Default: None, which returns a decorator.
        reg_info: a description, from `CustomRegOp`, kept as the attribute `reg_info`. Default: None.
        compile_attrs: options of MindSpore's compilers, kept as the attribute `compile_attrs`. Default: None.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> @ms.ops.kernel
        ... def add(a, b):
        ...     c = output_tensor(a.shape, a.dtype)
        ...     for i, j in grid(a.shape):
        ...         c[i, j] = a[i, j] + b[i, j]
        ...     return c
        >>> add(np.ones((1, 2)), np.ones((1, 2)))
        array([[2., 2.]])
        >>> print(ms.ops.Custom(add)(ms.Tensor([[1.0]]), ms.Tensor([[2.0]])))
        [[3.]]
    """
    if reg_info is not None and not isinstance(reg_info, (dict, str, tuple)):
        raise TypeError(f"For 'kernel', 'reg_info' must be a dict, string or tuple, but got {describe(reg_info)}.")
    if compile_attrs is not None and not isinstance(compile_attrs, dict):
        raise TypeError(f"For 'kernel', 'compile_attrs' must be a dict, but got {describe(compile_attrs)}.")
    if fn is None:
        return functools.partial(kernel, reg_info=reg_info, compile_attrs=compile_attrs)
    if not isinstance(fn, types.FunctionType):
        raise TypeError(f"For 'kernel', 'fn' must be a Python function, but got {describe(fn)}.")
    return _kernel(fn, reg_info, compile_attrs or {})


def _kernel(fn: types.FunctionType, reg_info: Any, compile_attrs: dict[str, Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def run(*args: Any) -> Any:
        # The module's own names, which may change at any time, take precedence over these.
        names = {**_WORDS, **fn.__globals__}
        return types.FunctionType(fn.__code__, names, fn.__name__, fn.__defaults__, fn.__closure__)(*args)

    run.reg_info, run.compile_attrs = reg_info, compile_attrs  # type: ignore[attr-defined]
    return run


ms_kernel = kernel
