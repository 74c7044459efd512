"""New arrays: from numbers, filled, evenly spaced, shaped like others, diagonal and triangular."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.conversion import as_shape
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import as_int
from torchspore.engine.op import ArrayType, NumpyType, Size, op
from torchspore.numpy.arrays import array as _array
from torchspore.numpy.arrays import named, single

__all__ = [
    "arange", "array", "asarray", "asfarray", "copy", "diag", "diagflat", "empty", "empty_like", "eye", "full",
    "full_like", "geomspace", "identity", "linspace", "logspace", "ones", "ones_like", "tri", "tril", "triu", "vander",
    "zeros", "zeros_like",
]  # fmt: skip


@op
def array(obj: Any, dtype: ArrayType | None = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """Make an array.

    Args:
        obj: a number, lists or tuples of numbers or Tensors, a Tensor or a NumPy array. Python's ints become int32 and
            its floats float32; Tensors and NumPy arrays keep their type.
        dtype: the data type. Default: None, as above.
        copy: whether a Tensor is always copied. Default: True.
        ndmin: the minimum number of dimensions; sizes of 1 are prepended to the shape. Default: 0.

    Raises:
        ValueError: the inner lists differ in their lengths.

    Examples:
        >>> import torchspore.numpy as np
        >>> np.array([1, 2], ndmin=2).shape, np.array([1, 2.5]).dtype == np.float32
        ((1, 2), True)
    """
    result = _array(obj)
    converted = result if dtype is None else result.to(dtype)
    if copy and converted is getattr(obj, "_t", None):
        converted = converted.clone()
    return converted.reshape((1,) * (ndmin - converted.dim()) + tuple(converted.shape))


@op
def asarray(a: Any, dtype: ArrayType | None = None) -> Tensor:
    """Make an array unless it is one already; see `array`."""
    return array.body(a, dtype, False)


@op
def asfarray(a: Any, dtype: ArrayType | None = mstype.float32) -> Tensor:
    """Make an array of the floating-point type `dtype`, or float32 if it is not one; None keeps the type of `a`."""
    if dtype is not None and not dtype.is_floating_point:
        dtype = torch.float32
    return array.body(a, dtype, False)


@op
def copy(a: Any) -> Tensor:
    """Return a copy of an array."""
    return _array(a).clone()


@op
def zeros(shape: Size, dtype: ArrayType = mstype.float32) -> Tensor:
    """An array of zeros.

    Args:
        shape: an int, or a list or tuple of ints.
        dtype: the data type. Default: float32.
    """
    return torch.zeros(shape, dtype=dtype, device=devices.current())


@op
def ones(shape: Size, dtype: ArrayType = mstype.float32) -> Tensor:
    """An array of ones; arguments as for `zeros`."""
    return torch.ones(shape, dtype=dtype, device=devices.current())


@op
def empty(shape: Size, dtype: ArrayType = mstype.float32) -> Tensor:
    """An uninitialized array; as in MindSpore, of zeros. Arguments as for `zeros`."""
    return zeros.body(shape, dtype)


@op
def full(shape: Size, fill_value: Any, dtype: ArrayType | None = None) -> Tensor:
    """An array filled with a number, or with an array that is broadcast.

    Args:
        shape: an int, or a list or tuple of ints.
        fill_value: the number or array.
        dtype: the data type. Default: None, the type of `fill_value`.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.full((2, 2), [1, 2]))
        [[1 2]
         [1 2]]
    """
    value = _array(fill_value)
    return value.to(dtype or value.dtype).expand(as_shape(shape, "full")).clone()


def _is_that_of_array(shape: Any) -> bool:
    """Return whether a shape stands for the shape of the array that a new one is like."""
    return shape is None or (isinstance(shape, (tuple, list)) and not shape)


def _like(name: str, function: Callable[..., Tensor], summary: str) -> Any:
    def body(a: Any, dtype: ArrayType | None = None, shape: Any = None) -> Tensor:
        a = _array(a)
        size = a.shape if _is_that_of_array(shape) else as_shape(shape, name)
        return function(size, dtype=dtype or a.dtype, device=a.device)

    about = (
        "Args:\n    a: an array.\n    dtype: the data type. Default: None, the type of `a`.\n"
        "    shape: an int or a tuple of ints. Default: None, like () the shape of `a`."
    )
    return named(body, name, f"{summary} in the shape of `a` or in `shape`.\n\n{about}")


zeros_like = _like("zeros_like", torch.zeros, "Zeros")
ones_like = _like("ones_like", torch.ones, "Ones")


@op
def empty_like(prototype: Any, dtype: ArrayType | None = None, shape: Any = None) -> Tensor:
    """An uninitialized array; as in MindSpore, of zeros. Arguments as for `zeros_like`."""
    return zeros_like.body(prototype, dtype, shape)


@op
def full_like(a: Any, fill_value: Any, dtype: ArrayType | None = None, shape: Any = None) -> Tensor:
    """An array filled with a number, or with an array that is broadcast, in the shape of `a` or in `shape`.

    Args:
        a, dtype, shape: as for `zeros_like`.
        fill_value: the number, which is converted, or an array, whose data type the result has without `dtype`.
    """
    a = _array(a)
    if dtype is None and not isinstance(fill_value, (int, float)):
        dtype = _array(fill_value).dtype
    return full.body(a.shape if _is_that_of_array(shape) else shape, fill_value, dtype or a.dtype)


@op
def arange(start: Any, stop: Any = None, step: Any = None, dtype: NumpyType | None = None) -> Tensor:
    """The numbers from `start` up to, but not including, `stop`, with the spacing `step`.

    Args:
        start: the first number; if it is the only argument, `stop`, with 0 as the first number.
        stop: the end. Default: None.
        step: the spacing. Default: None, 1.
        dtype: the data type. Default: None: int32, or float32 when an argument is a float, a Tensor or an array.

    Raises:
        ZeroDivisionError: `step` is 0.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.arange(5), np.arange(5, 0, -2.0))
        [0 1 2 3 4] [5. 3. 1.]
    """
    if stop is None:
        start, stop = 0, start
    numbers = [_number(value) for value in (start, stop, 1 if step is None else step)]
    if numbers[2] == 0:
        raise ZeroDivisionError("For 'arange', 'step' must not be 0.")
    if (numbers[1] - numbers[0]) * numbers[2] <= 0:
        numbers = [numbers[0], numbers[0], 1]  # the wrong direction: no numbers
    kind = torch.float32 if any(isinstance(number, float) for number in numbers) else torch.int32
    return torch.arange(*numbers, dtype=kind, device=devices.current()).to(dtype or kind)


def _number(value: Any) -> Any:
    if isinstance(value, (np.number, np.ndarray, _Tensor)) and value.size == 1:
        return float(value.item())  # also of ints, as in MindSpore
    if isinstance(value, bool) or not isinstance(value, (int, float, torch.SymInt)):
        raise TypeError(f"expected a number, but got {value!r}")
    return value


@op
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: ArrayType | None = None,
    axis: int = 0,
) -> Any:
    """Evenly spaced numbers from `start` to `stop`.

    Args:
        start, stop: the first and the last number, or arrays of them.
        num: the number of values. Default: 50.
        endpoint: whether `stop` is included. Default: True.
        retstep: whether to return (numbers, spacing). Default: False.
        dtype: the data type. Default: None: float32, or the type of a floating-point argument.
        axis: the dimension of the result that holds the numbers. Default: 0.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.linspace(0, 1, 5), np.linspace(0, 1, 2, endpoint=False))
        [0.   0.25 0.5  0.75 1.  ] [0.  0.5]
    """
    numbers, step = _spaced(start, stop, num, endpoint, axis)
    if dtype is not None:
        numbers = numbers.to(dtype)
    return (numbers, step) if retstep else numbers


def _spaced(start: Any, stop: Any, num: int, endpoint: bool, axis: int) -> tuple[Tensor, Tensor]:
    """Return numbers from `start` to `stop` and their spacing, which is nan for a single number with an endpoint."""
    if num < 1:
        raise ValueError(f"'num' must be positive, but got {num}")
    start, stop = single(_array(start)), single(_array(stop))
    intervals = num - 1 if endpoint else num
    span = stop - start
    step = span / intervals if intervals else torch.full_like(span, float("nan"))
    positions = torch.arange(num, device=span.device).to(span.dtype).reshape((num,) + (1,) * span.dim())
    numbers = start + positions * (step if intervals else 0)
    if endpoint and intervals:  # exactly, in spite of rounding
        numbers = torch.cat((numbers[:-1], stop.expand(span.shape).unsqueeze(0).to(numbers.dtype)))
    return torch.movedim(numbers, 0, axis), step


@op
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: ArrayType | None = None,
    axis: int = 0,
) -> Tensor:
    """Numbers evenly spaced on a logarithmic scale, from `base**start` to `base**stop`.

    Args:
        start, stop: the first and the last exponent, or arrays of them.
        num, endpoint, dtype, axis: as for `linspace`.
        base: the base. Default: 10.0.
    """
    result = torch.pow(base, _spaced(start, stop, num, endpoint, axis)[0])
    return result if dtype is None else result.to(dtype)


@op
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: ArrayType | None = None, axis: int = 0
) -> Tensor:
    """Numbers from `start` to `stop` with a constant ratio; arguments as for `linspace`.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.geomspace(-1, -8, 4))
        [-1. -2. -4. -8.]
    """
    start, stop = single(_array(start)), single(_array(stop))
    exponents = _spaced(torch.zeros_like(start), torch.log2(stop / start), num, endpoint, axis)[0]
    first = start.expand(torch.broadcast_shapes(start.shape, stop.shape))
    result = first.unsqueeze(axis) * torch.exp2(exponents)
    return result if dtype is None else (result.round() if not dtype.is_floating_point else result).to(dtype)


@op
def eye(N: int, M: int | None = None, k: int = 0, dtype: ArrayType = mstype.float32) -> Tensor:
    """A matrix with ones on a diagonal and zeros elsewhere.

    Args:
        N: the number of rows.
        M: the number of columns. Default: None, `N`.
        k: the diagonal: 0 is the main one, positive ones are above it, negative ones below. Default: 0.
        dtype: the data type. Default: float32.
    """
    return torch.ones((N, N if M is None else M), dtype=dtype, device=devices.current()).triu(k).tril(k)


@op
def identity(n: int, dtype: ArrayType = mstype.float32) -> Tensor:
    """The identity matrix of `n` rows."""
    return torch.eye(n, dtype=dtype, device=devices.current())


@op
def tri(N: int, M: int | None = None, k: int = 0, dtype: ArrayType = mstype.float32) -> Tensor:
    """A matrix with ones at and below a diagonal and zeros above it; arguments as for `eye`."""
    return torch.ones((N, N if M is None else M), dtype=dtype, device=devices.current()).tril(k)


def _matrices(m: Any) -> Tensor:
    m = _array(m)
    if m.dim() == 0:
        raise ValueError("'m' must have at least one dimension")
    return m.expand(m.shape[0], m.shape[0]) if m.dim() == 1 else m


@op
def tril(m: Any, k: int = 0) -> Tensor:
    """The elements at and below the diagonal `k` (see `eye`) of matrices; a vector stands for equal rows."""
    return torch.tril(_matrices(m), k)


@op
def triu(m: Any, k: int = 0) -> Tensor:
    """The elements at and above the diagonal `k` (see `eye`) of matrices; a vector stands for equal rows."""
    return torch.triu(_matrices(m), k)


@op
def diag(v: Any, k: int = 0) -> Tensor:
    """The diagonal `k` (see `eye`) of a matrix, or a matrix with a vector on that diagonal."""
    v = _array(v)
    if v.dim() not in (1, 2):
        raise ValueError(f"'v' must have one or two dimensions, but has {v.dim()}")
    return torch.diag(v, k)


@op
def diagflat(v: Any, k: int = 0) -> Tensor:
    """A matrix with the flattened elements of `v` on its diagonal `k` (see `eye`)."""
    return torch.diagflat(_array(v), k)


@op
def vander(x: Any, N: Any = None, increasing: bool = False) -> Tensor:
    """The Vandermonde matrix of a vector: `N` columns (0 and None: its length) of decreasing or `increasing` powers."""
    x = _array(x)
    columns = as_int(N, "vander", "N") if N else x.shape[0]
    if x.dim() != 1 or columns < 0:
        raise ValueError(f"'x' must be a vector and 'N' >= 0, but got {x.dim()} dimensions and {N}")
    powers = torch.arange(columns, device=x.device)
    return x.unsqueeze(-1) ** (powers if increasing else powers.flip(0)).to(x.dtype)
