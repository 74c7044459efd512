"""Dropout of single elements or whole channels; the others are scaled to keep the mean."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common.random import op_generator
from torchspore.engine.arguments.conversions import as_float
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Operand, Size, op
from torchspore.engine.parameters import Fraction, take_as
from torchspore.engine.primitive import Primitive, as_primitive
from torchspore.ops.random.distributions import joined

__all__ = [
    "Dropout", "Dropout2D", "Dropout3D", "DropoutDoMask", "DropoutGenMask", "dropout", "dropout1d", "dropout2d",
    "dropout3d",
]  # fmt: skip


@op
def dropout(input: Tensor, p: Fraction = 0.5, training: bool = True, seed: int | None = None) -> Tensor:
    """Zero each element with probability `p`, and multiply the others by 1 / (1 - p).

    Args:
        input: a floating-point Tensor; with `p` 0 of any dtype.
        p: the probability, in [0, 1]. Default: 0.5.
        training: whether to apply the dropout; False returns the input. Default: True.
        seed: the seed of its own stream, >= 0. Default: None.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.ops.dropout(ms.Tensor([1.0, 2.0, 3.0]), p=0.5)
        >>> bool(((x == 0) | (x == ms.Tensor([2.0, 4.0, 6.0]))).all())
        True
    """
    if not training or (p == 0 and not input.is_floating_point()):
        return input
    if not input.is_floating_point():
        raise TypeError("'input' must be of a floating-point type")
    generator = op_generator("dropout", seed)
    return torch.dropout(input, p, True) if generator is None else input * _mask(input, p, generator)


def _mask(input: Tensor, p: float, generator: torch.Generator | None) -> Tensor:
    kept = torch.empty_like(input).bernoulli_(1 - p, generator=generator)
    return kept.div_(1 - p) if p < 1 else kept


def _of_channels(input: Tensor, p: float, training: bool, dims: tuple[int, ...]) -> Tensor:
    if not training:
        return input
    if input.dim() not in dims:
        accepted = " or ".join(str(count) for count in dims)
        raise ValueError(f"'input' must have {accepted} dimensions")
    return torch.feature_dropout(input, p, True)


@op
def dropout1d(input: Tensor, p: Fraction = 0.5, training: bool = True) -> Tensor:
    """Zero each channel of an input of shape (N, C, L) or (C, L) with probability `p`; see `dropout`."""
    if input.dim() == 2:
        return _of_channels(input.unsqueeze(0), p, training, (3,)).squeeze(0)
    return _of_channels(input, p, training, (2, 3))


@op
def dropout2d(input: Tensor, p: Fraction = 0.5, training: bool = True) -> Tensor:
    """Zero each channel of an input of shape (N, C, H, W) with probability `p`; see `dropout`."""
    return _of_channels(input, p, training, (4,))


@op
def dropout3d(input: Tensor, p: Fraction = 0.5, training: bool = True) -> Tensor:
    """Zero each channel of an input of shape (N, C, D, H, W) with probability `p`; see `dropout`."""
    return _of_channels(input, p, training, (5,))


class Dropout(Primitive):
    """Dropout that also returns its mask: 1 for the elements that are kept, else 0, in the dtype of the input.

    Args:
        keep_prob: the probability to keep an element, in (0, 1]. Default: 0.5.
        Seed0, Seed1: the seeds, >= 0. Default: 0, which follows `set_seed`.
    """

    def __init__(self, keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0) -> None:
        super().__init__()
        self.keep_prob = _probability(keep_prob, "Dropout")
        self.Seed0 = take_as(int, Seed0, "Seed0", "Dropout")
        self.Seed1 = take_as(int, Seed1, "Seed1", "Dropout")

    def __call__(self, x: Any) -> Any:
        return _dropout_with_mask(x, self.keep_prob, joined(self.Seed0, self.Seed1))


@op(name="Dropout")
def _dropout_with_mask(x: Tensor, keep_prob: float, seed: int) -> Any:
    mask = _mask(x, 1 - keep_prob, op_generator("dropout", seed))
    return x * mask, (mask != 0).to(x.dtype)


class Dropout2D(Primitive):
    """Dropout of whole channels of a Tensor of shape (N, C, H, W) that also returns its mask, of bool.

    Args:
        keep_prob: the probability to keep a channel, in [0, 1]. Default: 0.5.
    """

    _dims = 4

    def __init__(self, keep_prob: float = 0.5) -> None:
        super().__init__()
        self.keep_prob = _probability(keep_prob, self.name)

    def __call__(self, x: Any) -> Any:
        return _channels_with_mask(x, self.keep_prob, self._dims)


class Dropout3D(Dropout2D):
    """Dropout of whole channels of a Tensor of shape (N, C, D, H, W); otherwise as `Dropout2D`."""

    _dims = 5


@op(name="Dropout2D")
def _channels_with_mask(x: Tensor, keep_prob: float, dims: int) -> Any:
    ones = torch.ones(x.shape, dtype=x.dtype if x.is_floating_point() else torch.float32, device=x.device)
    mask = _of_channels(ones, 1 - keep_prob, True, (dims,))
    return (x * mask).to(x.dtype), mask != 0


def _probability(value: Any, api: str) -> float:
    keep_prob = as_float(value, api, "keep_prob")
    if not 0 <= keep_prob <= 1:
        raise ValueError(f"'keep_prob' must be in [0, 1], but got {keep_prob}")
    return float(keep_prob)


@as_primitive
def DropoutGenMask(shape: Size, keep_prob: Operand, *, Seed0: int = 0, Seed1: int = 0) -> Tensor:
    """Draw the mask of a dropout, a bit for each element, for `DropoutDoMask`.

    Args:
        shape: the shape of the tensor to mask, a tuple of ints.
        keep_prob: the probability to keep an element, a number or a Tensor of one, in [0, 1].
        Seed0, Seed1: the seeds, >= 0; both 0 follow `set_seed`. Default: 0.

    Returns a Tensor of uint8 with 1 dimension: the bits, the lowest of a byte first, up to a multiple of 128.
    """
    generator = op_generator("DropoutGenMask", joined(Seed0, Seed1))
    count = torch.Size(shape).numel()
    drawn = torch.rand((count + 127) // 128 * 128, generator=generator, device=devices.current())
    bits = (drawn < keep_prob).reshape(-1, 8)
    return (bits * (1 << torch.arange(8, device=bits.device))).sum(1).to(torch.uint8)


@as_primitive
def DropoutDoMask(input_x: Tensor, mask: Tensor, keep_prob: Operand) -> Tensor:
    """Apply a mask of `DropoutGenMask`: elements become zero, or are divided by the probability to keep them.

    Args:
        input_x: a floating-point Tensor.
        mask: the mask for its shape, a Tensor of uint8; ValueError if it has too few bits.
        keep_prob: the probability to keep an element, a number or a Tensor of one.
    """
    bits = (mask.unsqueeze(1) >> torch.arange(8, device=mask.device, dtype=torch.uint8)) & 1
    if bits.numel() < input_x.numel():
        raise ValueError(f"the mask must have {input_x.numel()} bits or more, but has {bits.numel()}")
    kept = bits.flatten()[: input_x.numel()].reshape(input_x.shape).bool()
    return torch.where(kept, input_x / keep_prob, 0)


rules.cut_by(rules.aligned, Dropout)
