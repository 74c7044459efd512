"""Tensors over the memory of buffers, and swapping tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch import UntypedStorage as UntypedStorage  # what `Tensor.untyped_storage` returns

from torchspore.common import change_count
from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor, wrap

__all__ = ["frombuffer", "swap_tensors"]


def frombuffer(buffer: Any, dtype: mstype.Type, count: int = -1, offset: int = 0) -> Tensor:
    """Return a tensor of one dimension over the memory of a buffer; of one that cannot be written, a copy.

    Args:
        buffer: an object with Python's buffer interface, such as a bytearray. On another device than the CPU the tensor
            is a copy.
        dtype: the data type of the elements.
        count: the number of elements. Default: -1, all from `offset` on.
        offset: the position of the first byte. Default: 0.

    Raises:
        ValueError: the buffer is empty or has too few bytes, or they are not a whole number of elements.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.frombuffer(bytearray([1, 2, 3, 4]), ms.uint8, count=2, offset=1))
        [2 3]
    """
    kind = dtype.torch if isinstance(dtype, mstype.Type) else None
    if kind is None:
        raise TypeError(f"For 'frombuffer', 'dtype' must be a data type such as mindspore.uint8, but got {dtype!r}.")
    for name, number in (("count", count), ("offset", offset)):
        if not isinstance(number, int):
            raise TypeError(f"For 'frombuffer', '{name}' must be an int, but got {type(number).__name__}.")
    try:
        view = memoryview(buffer)
    except TypeError:
        raise TypeError(
            f"For 'frombuffer', 'buffer' must have the buffer interface, but got {type(buffer).__name__}."
        ) from None
    _check_room(view.nbytes, kind.itemsize, count, offset)
    memory = bytearray(view) if view.readonly else buffer
    return wrap(torch.frombuffer(memory, dtype=kind, count=count, offset=offset).to(devices.current()))


def _check_room(size: int, item: int, count: int, offset: int) -> None:
    """Check that a buffer of `size` bytes has the elements."""
    if not 0 <= offset < size:
        raise ValueError(f"For 'frombuffer', 'offset' must be a position in the {size} bytes, but got {offset}.")
    if count < -1 or count == 0:
        raise ValueError(f"For 'frombuffer', 'count' must be -1 or > 0, but got {count}.")
    if count == -1 and (size - offset) % item:
        raise ValueError(
            f"For 'frombuffer', the {size - offset} bytes from 'offset' on are not a whole number of elements of "
            f"{item} bytes. Give 'count'."
        )
    if offset + count * item > size:
        raise ValueError(
            f"For 'frombuffer', {count} elements of {item} bytes need {count * item} bytes, but from 'offset' on there "
            f"are {size - offset}."
        )


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Swap two tensors: references to the first see the second from then on, and vice versa.

    Parameters exchange their names and other attributes, too.

    Args:
        t1: a Tensor or Parameter.
        t2: one of the same class.

    Raises:
        TypeError: they are not tensors, or of different classes.
        RuntimeError: a function is being differentiated or captured.

    Examples:
        >>> import torchspore as ms
        >>> x, y = ms.Tensor([1.0, 2.0]), ms.Tensor([3])
        >>> ms.swap_tensors(x, y)
        >>> print(x, y)
        [3] [1. 2.]
    """
    if not isinstance(t1, Tensor) or type(t1) is not type(t2):
        raise TypeError(
            f"For 'swap_tensors', 't1' and 't2' must be two Tensors or two Parameters, but got {type(t1).__name__} and "
            f"{type(t2).__name__}."
        )
    if scope.depth or scope.tracing is not None:
        raise RuntimeError(
            "For 'swap_tensors', tensors cannot be exchanged inside a function that is differentiated or captured."
        )
    t1._t, t2._t = t2._t, t1._t
    first, second = dict(t1.__dict__), dict(t2.__dict__)
    for tensor, attributes in ((t1, second), (t2, first)):
        tensor.__dict__.clear()
        tensor.__dict__.update(attributes)
    change_count.increase()
