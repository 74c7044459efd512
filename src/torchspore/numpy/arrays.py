"""Conversion and promotion of arguments, dimensions, and factories of operations for `torchspore.numpy`.

Functions take what `asarray` takes: Tensors, numbers, lists and tuples of both, NumPy arrays. Numbers become arrays of
int32, float32 or bool, and then follow the same rules as any other array: `add(x, 0.5)` of a float16 `x` is float32.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common.conversion import as_torch, share_numpy
from torchspore.common.error_classes import also
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.op import NumpyType, op
from torchspore.engine.widening import alike

__all__ = [
    "along", "array", "arrays", "binary", "common_type", "floating", "in_range", "named", "promoted", "real", "single",
    "unary",
]  # fmt: skip

_OF_NUMBERS = {bool: torch.bool, int: torch.int32, float: torch.float32, complex: torch.complex64}
_OF_NUMPY = {np.dtype(np.int64): torch.int32, np.dtype(np.float64): torch.float32, np.dtype(complex): torch.complex64}
_HALVES = (torch.float16, torch.bfloat16)
_SMALL = (torch.bool, torch.int8, torch.uint8)


def array(value: Any) -> Tensor:
    """Return an argument as a torch tensor; a Tensor's without a copy.

    Raises:
        ValueError: the inner lists differ in their lengths.
    """
    return value._t if isinstance(value, _Tensor) else _from_python(value)


def arrays(values: Any) -> list[Tensor]:
    """Return the torch tensors of a sequence of arrays; one array counts as the sequence of its rows."""
    if isinstance(values, (list, tuple)):
        return [array(value) for value in values]
    whole = array(values)
    if whole.dim() == 0:
        raise TypeError("expected a list or tuple of Tensors, but got a single number")
    return list(whole.unbind(0))


def _from_python(value: Any) -> Tensor:
    if isinstance(value, torch.Tensor):
        return value
    number = next((kind for kind in _OF_NUMBERS if isinstance(value, kind)), None)
    if number is not None:  # including subclasses: NumPy's float64 and complex128, enumerations
        kind = torch.int64 if number is int and abs(value) >= 2**31 else _OF_NUMBERS[number]
        return torch.full((), value, dtype=kind, device=devices.current())
    if isinstance(value, (np.ndarray, np.generic)):
        return as_torch(value, None)
    if isinstance(value, (list, tuple, range)):
        if _holds_tensors(value):
            return torch.stack(promoted(*value))
        numbers = np.array(value)
        if numbers.dtype.kind in "biufc":
            fits = numbers.dtype != np.int64 or not numbers.size or np.abs(numbers).max() < 2**31
            return share_numpy(numbers).to(devices.current(), _OF_NUMPY.get(numbers.dtype) if fits else torch.int64)
    what = "expected a Tensor, a number, or lists or tuples of numbers"
    raise also(TypeError, AttributeError)(f"{what}, but got {value!r:.80}")


def _holds_tensors(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_tensors(element) for element in value)
    return isinstance(value, (_Tensor, torch.Tensor))


def common_type(first: torch.dtype, second: torch.dtype) -> torch.dtype:
    """Return the type that two types promote to."""
    if first is second:
        return first
    try:
        return torch.promote_types(first, second)
    except RuntimeError:  # torch has no rules for unsigned types wider than 8 bits; NumPy has
        numpy_types = [torch.empty(0, dtype=dtype).numpy().dtype for dtype in (first, second)]
        return torch.from_numpy(np.empty(0, np.promote_types(*numpy_types))).dtype


def promoted(*values: Any) -> list[Tensor]:
    """Return arguments as arrays of the type that all of them promote to."""
    found = [array(value) for value in values]
    dtype = found[0].dtype
    if all(x.dtype is dtype for x in found):
        return found
    dtype = functools.reduce(common_type, [x.dtype for x in found])
    return [x.to(dtype) for x in found]


def floating(x: Tensor) -> Tensor:
    """Return integers and bools as float32, other types unchanged."""
    return x if x.is_floating_point() or x.is_complex() else x.float()


def single(x: Tensor) -> Tensor:
    """Return integers, bools and floats of 16 bits as float32, other types unchanged."""
    return x.float() if x.dtype in _HALVES else floating(x)


def real(x: Tensor) -> Tensor:
    """Return integers of 8 bits and bools as float16, wider ones as float32, other types unchanged."""
    return x.half() if x.dtype in _SMALL else floating(x)


def whole(number: float, name: str) -> int:
    """Return an int that may be given as a float without a fraction."""
    if number != int(number):
        raise TypeError(f"'{name}' must be an int or a float without a fraction, but got {number}")
    return int(number)


def in_range(axis: Any, dims: int, name: str = "axis") -> tuple[int, ...]:
    """Return dimensions, given as an int or a tuple of ints, counted from 0."""
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    if any(not -dims <= dim < dims for dim in axes):
        raise ValueError(f"'{name}' must be in [{-dims}, {dims}), but got {axis}")
    counted = tuple(dim % dims for dim in axes)
    if len(set(counted)) < len(counted):
        raise ValueError(f"'{name}' must not have a dimension twice, but got {axis}")
    return counted


def along(x: Tensor, dims: int, axis: int) -> Tensor:
    """Return a vector with its elements along dimension `axis` of `dims` dimensions."""
    return x.reshape([-1 if dim == axis % dims else 1 for dim in range(dims)])


def named(body: Callable[..., Any], name: str, doc: str, like: Callable[..., Any] = id, module: str = "") -> Any:
    """Turn a body that a factory of a module has made into an operation with a docstring, `like` another function."""
    body.__name__ = body.__qualname__ = name
    body.__module__, body.__doc__ = module or body.__module__, f"{doc}\n"
    return op(alike(body, like))


def unary(module: str, name: str, function: Callable[[Tensor], Tensor], summary: str, default: str = "its own") -> Any:
    """Make an operation of a function of one array.

    Args:
        module: the name of the operation's module.
        name: the name of the operation.
        function: a function of torch tensors.
        summary: the first line of the docstring.
        default: the data type of the result, for the docstring. Default: "its own".
    """

    def body(x: Any, dtype: NumpyType | None = None) -> Tensor:
        result = function(array(x))
        return result if dtype is None else result.to(dtype)

    about_dtype = f"dtype: the data type of the result. Default: None, {default}."
    return named(body, name, f"{summary}\n\nArgs:\n    x: an array.\n    {about_dtype}", function, module)


def _adapted(number: Any, like: Any) -> Any:
    dtype = like.dtype if isinstance(like, Tensor) else getattr(getattr(like, "_t", None), "dtype", None)
    if dtype is None or type(number) not in (int, float) or not torch.can_cast(array(number).dtype, dtype):
        return number
    return array(number).to(dtype)


def binary(
    module: str,
    name: str,
    function: Callable[[Tensor, Tensor], Tensor],
    summary: str,
    default: str = "its own",
    prepare: Any = None,
    numbers_adapt: bool = False,
) -> Any:
    """Make an operation of a function of two arrays of one type, as `unary`; `prepare` is applied to each before.

    With `numbers_adapt` numbers get the data type of the array if they can.
    """

    def body(x1: Any, x2: Any, dtype: NumpyType | None = None) -> Tensor:
        if numbers_adapt:
            x1, x2 = _adapted(x1, x2), _adapted(x2, x1)
        if prepare is not None:
            x1, x2 = prepare(array(x1)), prepare(array(x2))
        result = function(*promoted(x1, x2))
        return result if dtype is None else result.to(dtype)

    about_dtype = f"dtype: the data type of the result. Default: None, {default}."
    return named(body, name, f"{summary}\n\nArgs:\n    x1, x2: arrays, broadcast.\n    {about_dtype}", function, module)
