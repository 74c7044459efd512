"""Window functions of signal processing."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.memory import check_room
from torchspore.common.tensor import wrap
from torchspore.engine.op import Type, op
from torchspore.engine.primitive import as_primitive

__all__ = [
    "BartlettWindow", "BlackmanWindow", "HammingWindow", "bartlett_window", "blackman_window", "hamming_window",
    "hann_window", "kaiser_window",
]  # fmt: skip


def _window(api: str, length: int, periodic: bool, dtype: torch.dtype, weights: Callable[[Tensor], Tensor]) -> Tensor:
    """Return the weights, a function of the position in the window from 0 to 1."""
    if length < 0:
        raise ValueError(f"For '{api}', 'window_length' must be >= 0, but got {length}.")
    if not dtype.is_floating_point:
        raise TypeError(f"For '{api}', 'dtype' must be a floating point type, but got {dtype}.")
    check_room(length, torch.float64.itemsize)
    last = length if periodic else length - 1
    position = torch.arange(length, dtype=torch.float64, device=devices.current())
    return weights(position / last if length > 1 else position + 0.5).to(dtype)


def _cosine(t: Tensor, frequency: int = 1) -> Tensor:
    return torch.cos(2 * math.pi * frequency * t)


@op
def bartlett_window(window_length: int, periodic: bool = True, *, dtype: Type | None = None) -> Tensor:
    """The Bartlett window: a triangle.

    Args:
        window_length: the number of weights, an int or a scalar Tensor.
        periodic: whether the window is one period of a function, without its endpoint. Default: True.
        dtype: a floating-point type. Default: None: float32.

    Returns:
        A Tensor of shape (window_length,).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.bartlett_window(4))
        [0.  0.5 1.  0.5]
    """
    return _window("bartlett_window", window_length, periodic, dtype or torch.float32, lambda t: 1 - (2 * t - 1).abs())


@op
def blackman_window(window_length: int, periodic: bool = True, *, dtype: Type | None = None) -> Tensor:
    """The Blackman window, a sum of two cosines; arguments as for `bartlett_window`."""
    return _window(
        "blackman_window",
        window_length,
        periodic,
        dtype or torch.float32,
        lambda t: 0.42 - 0.5 * _cosine(t) + 0.08 * _cosine(t, 2),
    )


@op
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Type | None = None
) -> Tensor:
    """The Hamming window, `alpha - beta * cos`; other arguments as for `bartlett_window`."""
    return _window(
        "hamming_window", window_length, periodic, dtype or torch.float32, lambda t: alpha - beta * _cosine(t)
    )


@op
def hann_window(window_length: int, periodic: bool = True, *, dtype: Type | None = None) -> Tensor:
    """The Hann window, a squared sine, by default in float64; arguments as for `bartlett_window`."""
    return _window("hann_window", window_length, periodic, dtype or torch.float64, lambda t: 0.5 - 0.5 * _cosine(t))


@op
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Type | None = None
) -> Tensor:
    """The Kaiser window, by default in float64, narrower for greater `beta`; arguments as for `bartlett_window`."""

    def weights(t: Tensor) -> Tensor:
        shape = torch.special.i0(beta * torch.sqrt((1 - (2 * t - 1) ** 2).clamp(min=0)))
        return shape / torch.special.i0(torch.full_like(t, beta))

    return _window("kaiser_window", window_length, periodic, dtype or torch.float64, weights)


@as_primitive
def BartlettWindow(window_length: int, *, periodic: bool = True, dtype: Type = mstype.float32) -> Tensor:
    """The Bartlett window; see `bartlett_window`."""
    return bartlett_window.body(window_length, periodic, dtype=dtype)


@as_primitive
def BlackmanWindow(window_length: int, *, periodic: bool = True, dtype: Type = mstype.float32) -> Tensor:
    """The Blackman window; see `blackman_window`."""
    return blackman_window.body(window_length, periodic, dtype=dtype)


@as_primitive
def HammingWindow(
    length: Tensor, *, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, dtype: Type = mstype.float32
) -> Tensor:
    """The Hamming window, with the length in a Tensor of one element; see `hamming_window`."""
    return hamming_window.body(int(wrap(length)), periodic, alpha, beta, dtype=dtype)
