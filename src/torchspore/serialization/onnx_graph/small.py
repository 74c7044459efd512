"""Small values: shapes and what graphs compute from them.

A graph in ONNX computes shapes by operators on tensors. Such values are tensors on the CPU, outside of any recording,
so that reading their numbers costs no synchronization and ends no graph. They have few elements: what may be larger is
an ordinary tensor, whose memory is checked.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common.private_torch import FakeTensor, no_modes, open_modes
from torchspore.common.tensor import wrap

__all__ = ["LIMIT", "Small", "as_tensor", "broadcast_count", "no_count", "numbers", "outside", "small", "truth"]

LIMIT = 1024  # elements of a small value


class Small:
    """A small tensor, whose numbers are known when a graph runs or is recorded.

    Args:
        tensor: the tensor, on the CPU.
    """

    __slots__ = ("_numbers", "_on_device", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self._numbers: Any = None
        self._on_device: Tensor | None = None

    def numbers(self) -> Any:
        """Return the numbers: nested lists, or one number."""
        if self._numbers is None:
            self._numbers = outside(self.tensor.tolist)
        return self._numbers

    def on_device(self) -> Tensor:
        """Return the tensor on the device in use."""
        device = devices.current()
        if self._on_device is None or self._on_device.device != device:
            self._on_device = outside(functools.partial(self.tensor.to, device))
        return self._on_device


def outside(function: Callable[[], Any]) -> Any:
    """Call a function on real tensors, unseen by any recording."""
    if not open_modes():
        return function()
    with no_modes():
        return function()


def small(tensor: Tensor) -> Small | Tensor:
    """Return a tensor on the CPU as a small value, or as a tensor on the device in use if it is not small."""
    value = Small(tensor)
    return value if tensor.numel() <= LIMIT else value.on_device()


def as_tensor(value: Any) -> Any:
    """Return a value with a tensor on the device in use in place of a small one."""
    return value.on_device() if type(value) is Small else value


def numbers(value: Any) -> Any:
    """Return the numbers of a value: nested lists, or one number."""
    if type(value) is Small:
        return value.numbers()
    if not isinstance(value, Tensor):
        return value
    if isinstance(value, FakeTensor):
        return value.tolist()  # what checks the memory or records asks for no values: it stops here, or refuses
    return wrap(value).asnumpy().tolist()


def truth(value: Any) -> bool:
    """Return whether a value of one element is true."""
    if type(value) is Small:
        return bool(value.tensor.reshape(()))
    return bool(wrap(value.reshape(())))


def broadcast_count(*tensors: Any) -> int:
    """Return the number of elements of a result of the common shape of tensors."""
    return math.prod(torch.broadcast_shapes(*[value.shape for value in tensors if isinstance(value, Tensor)]))


def no_count(*values: Any) -> int:
    """Return 0, for results with at most the product of the elements of two small values."""
    return 0


def product(sizes: Sequence[int]) -> int:
    """Return the number of elements of a shape; negative sizes count as 1."""
    return math.prod(max(size, 1) for size in sizes)
