"""Window functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common.memory import check_room
from torchspore.numpy.arrays import named

__all__ = ["bartlett", "blackman", "hamming", "hanning"]


def _window(name: str, function: Callable[..., Tensor], shape: str) -> Any:
    def body(M: int) -> Tensor:
        check_room(M, torch.float32.itemsize)
        return function(max(M, 0), periodic=False, device=devices.current())

    return named(body, name, f"The {name} window of `M` points in float32, empty if `M` is not positive: {shape}.")


bartlett = _window("bartlett", torch.bartlett_window, "a triangle")
blackman = _window("blackman", torch.blackman_window, "the first three terms of a sum of cosines")
hamming = _window("hamming", torch.hamming_window, "a raised cosine that does not quite reach zero")
hanning = _window("hanning", torch.hann_window, "a raised cosine")
