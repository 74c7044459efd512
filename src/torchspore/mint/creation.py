"""New tensors: filled with a number, ranges, or random, with torch's signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import as_dtype, as_int, as_size
from torchspore.engine.op import Operand, Size, Type, op
from torchspore.engine.parameters import NotNegative, Positive
from torchspore.ops.array.creation import _filled, _typed
from torchspore.ops.random.fill_in_place import _source

__all__ = [
    "bernoulli", "empty", "empty_like", "full", "linspace", "multinomial", "normal", "ones", "rand", "rand_like",
    "randint", "randint_like", "randn", "randn_like", "randperm", "zeros",
]  # fmt: skip


@op
def zeros(size: Size, *, dtype: Type | None = None) -> Tensor:
    """Zeros of shape `size`, an int or a tuple or list of ints; of `dtype`, by default float32."""
    return torch.zeros(size, dtype=dtype or torch.float32, device=devices.current())


@op
def ones(size: Size, *, dtype: Type | None = None) -> Tensor:
    """Ones of shape `size`, an int or a tuple or list of ints; of `dtype`, by default float32."""
    return torch.ones(size, dtype=dtype or torch.float32, device=devices.current())


@op
def full(size: Size, fill_value: Any, *, dtype: Type | None = None) -> Tensor:
    """A tensor filled with one number.

    Args:
        size: the shape: a tuple or list of ints.
        fill_value: the number, or a Tensor of one.
        dtype: the data type. Default: None: the type of a NumPy number or a Tensor; bool, int64, float32 or complex64
            for Python's numbers, which `numpy.float64` and `numpy.complex128` are too.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.mint.full((2, 2), 1.5))
        [[1.5 1.5]
         [1.5 1.5]]
    """
    if isinstance(fill_value, (np.float64, np.complex128)):
        fill_value = fill_value.item()
    value, own = _typed(fill_value, "full", "fill_value")
    if isinstance(value, Tensor):
        value = value.reshape(())
    return _filled(size, value, dtype or own, devices.current())


@op
def linspace(start: Operand, end: Operand, steps: Positive, *, dtype: Type | None = None) -> Tensor:
    """`steps` equally spaced numbers from `start` to `end`, both included; of `dtype`, by default float32."""
    return torch.linspace(start, end, steps, dtype=dtype or torch.float32, device=devices.current())


def _device(device: Any, api: str, like: Tensor | None = None) -> torch.device:
    """Return the named device, else the device of `like`, else the one in use."""
    if device is not None:
        return devices.parse(device, api)
    return devices.current() if like is None else like.device


@op
def empty(*size: Any, dtype: Type | None = None, device: str | None = None, pin_memory: bool = False) -> Tensor:
    """A tensor with arbitrary content.

    Args:
        size: the shape, as ints or as one tuple or list.
        dtype: the data type. Default: None, float32.
        device: the name of the device, such as "CPU" or "GPU:0". Default: None, the device in use.
        pin_memory: whether the memory is locked so that a GPU can read it; on the CPU only. Default: False.
    """
    where = _device(device, "empty")
    return torch.empty(
        as_size(size, "empty", "size"), dtype=dtype or torch.float32, device=where, pin_memory=pin_memory
    )


@op
def empty_like(
    input: Tensor, *, dtype: Type | None = None, device: str | None = None, pin_memory: bool = False
) -> Tensor:
    """A tensor with arbitrary content in the shape, and by default with the `dtype` and `device`, of `input`."""
    where = _device(device, "empty_like", input)
    return torch.empty(input.shape, dtype=dtype or input.dtype, device=where, pin_memory=pin_memory)


# Random numbers: from the generator given, else from the default one


def _shape(size: tuple[Any, ...], dtype: torch.dtype | None, api: str) -> tuple[tuple[int, ...], torch.dtype]:
    """Return the shape and the data type, which may follow a shape given as one tuple."""
    shape: Any = size
    if len(size) == 2 and isinstance(size[0], (tuple, list)):
        if dtype is not None:
            raise TypeError(f"For '{api}', give the data type once, but got {size[1]!r} and {dtype!r}.")
        shape, dtype = size[0], as_dtype(size[1], api)
    return as_size(shape, api, "size"), dtype or torch.float32


@op
def rand(*size: Any, generator: Any = None, dtype: Type | None = None, device: str | None = None) -> Tensor:
    """Draw from the uniform distribution over [0, 1).

    Args:
        size: the shape, as ints or as one tuple or list, which the data type may follow.
        generator: the Generator to draw from. Default: None, the default generator.
        dtype: a floating-point type. Default: None, float32.
        device: the name of the device. Default: None, the device in use.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.mint.rand(2, 3, generator=ms.Generator())
        >>> x.shape, bool((x >= 0).all() and (x < 1).all())
        ((2, 3), True)
    """
    shape, dtype = _shape(size, dtype, "rand")
    return torch.rand(shape, generator=_source(generator, "rand"), dtype=dtype, device=_device(device, "rand"))


@op
def randn(*size: Any, generator: Any = None, dtype: Type | None = None, device: str | None = None) -> Tensor:
    """Draw from the normal distribution with mean 0 and standard deviation 1; arguments as for `rand`."""
    shape, dtype = _shape(size, dtype, "randn")
    return torch.randn(shape, generator=_source(generator, "randn"), dtype=dtype, device=_device(device, "randn"))


@op
def rand_like(input: Tensor, *, dtype: Type | None = None, device: str | None = None) -> Tensor:
    """Draw from the uniform distribution over [0, 1) in the shape and, by default, the dtype of `input`."""
    return torch.rand_like(input, dtype=dtype, device=_device(device, "rand_like", input))


@op
def randn_like(input: Tensor, *, dtype: Type | None = None, device: str | None = None) -> Tensor:
    """Draw from the standard normal distribution in the shape and, by default, the dtype of `input`."""
    return torch.randn_like(input, dtype=dtype, device=_device(device, "randn_like", input))


def _bounds(given: list[Any], low: Any, high: Any, api: str) -> tuple[int, int]:
    """Return the bounds, given by position (one is `high`) or by name."""
    if high is None and given:
        high = given.pop()
    if given:
        low = given.pop()
    if high is None or given:
        raise TypeError(f"For '{api}', give 'high', or 'low' and 'high', before the other arguments.")
    low, high = as_int(low, api, "low"), as_int(high, api, "high")
    if low >= high:
        raise ValueError(f"For '{api}', 'low' must be less than 'high', but got {low} and {high}.")
    return low, high


def randint(
    *args: Any,
    low: int = 0,
    high: int | None = None,
    size: Any = None,
    generator: Any = None,
    dtype: Any = None,
    device: str | None = None,
) -> _Tensor:
    """Draw integers uniformly from [low, high): `randint(high, size)` or `randint(low, high, size)`.

    Args:
        args: the next three.
        low: the minimum. Default: 0.
        high: the bound, excluded.
        size: the shape, a tuple or list of ints.
        generator, device: as for `rand`.
        dtype: the data type. Default: None, int64.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.mint.randint(1, 10, (2, 3))
        >>> x.shape, bool((x >= 1).all() and (x < 10).all())
        ((2, 3), True)
    """
    *given, size = args if size is None and args else (*args, size)
    low, high = _bounds(given, low, high, "randint")
    return _randint(low, high, size, generator, dtype, device)


@op(name="randint")
def _randint(low: int, high: int, size: Size, generator: Any, dtype: Type | None, device: str | None) -> Tensor:
    source, where = _source(generator, "randint"), _device(device, "randint")
    return torch.randint(low, high, size, generator=source, dtype=dtype or torch.int64, device=where)


def randint_like(
    input: _Tensor, *args: Any, low: int = 0, high: int | None = None, dtype: Any = None, device: str | None = None
) -> _Tensor:
    """Draw integers from [low, high) in the shape and, by default, the dtype of `input`; see `randint`."""
    low, high = _bounds(list(args), low, high, "randint_like")
    return _randint_like(input, low, high, dtype, device)


@op(name="randint_like")
def _randint_like(input: Tensor, low: int, high: int, dtype: Type | None, device: str | None) -> Tensor:
    return torch.randint_like(input, low, high, dtype=dtype, device=_device(device, "randint_like", input))


@op
def randperm(n: NotNegative, *, generator: Any = None, dtype: Type = mstype.int64) -> Tensor:
    """Return the integers from 0 to n - 1 in random order; `generator` as for `rand`."""
    return torch.randperm(n, generator=_source(generator, "randperm"), dtype=dtype, device=devices.current())


@op
def normal(mean: Operand = 0.0, std: Operand = 1.0, size: Any = None, generator: Any = None) -> Tensor:
    """Draw from the normal distribution.

    Args:
        mean: a number, or a Tensor with one for each element. Default: 0.0.
        std: the standard deviation, likewise. Default: 1.0.
        size: the shape, if both are numbers. Default: None.
        generator: the Generator to draw from. Default: None, the default generator.

    Raises:
        TypeError: both are numbers and there is no `size`, or `size` is given with a Tensor.
        RuntimeError: a standard deviation is negative.
    """
    source = _source(generator, "normal")
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        if size is not None:
            raise TypeError("'size' is for numbers only")
        return torch.normal(mean, std, generator=source)
    if size is None:
        raise TypeError("give 'size', or a Tensor as 'mean' or 'std'")
    return torch.normal(mean, std, as_size(size, "normal", "size"), generator=source, device=devices.current())


@op
def bernoulli(input: Tensor, *, generator: Any = None) -> Tensor:
    """Draw zeros and ones; each element of `input` is the probability of a one.

    Raises:
        RuntimeError: a probability is outside [0, 1].
    """
    return torch.bernoulli(input, generator=_source(generator, "bernoulli"))


@op
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Draw indices, each with a probability proportional to its weight.

    Args:
        input: the weights, >= 0, a Tensor of shape (classes,) or (rows, classes).
        num_samples: the number of draws (from each row).
        replacement: whether an index may be drawn again. Default: False.
        generator: the Generator to draw from. Default: None, the default generator.

    Returns:
        A Tensor of int64, of shape (num_samples,) or (rows, num_samples).
    """
    return torch.multinomial(input, num_samples, replacement, generator=_source(generator, "multinomial"))
