"""Channels shuffled, and moved into space and back."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.primitive import as_primitive

__all__ = ["ChannelShuffle", "channel_shuffle", "pixel_shuffle", "pixel_unshuffle"]


@op
def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """Interleave groups of channels: the first of all groups, then the second of all, and so on.

    Args:
        x: a Tensor of shape (N, C, *).
        groups: the number of groups, a divisor of C; ValueError otherwise.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.channel_shuffle(ms.Tensor([[[0], [1], [2], [3]]]), 2).reshape(-1))
        [0 2 1 3]
    """
    if x.dim() < 3 or groups < 1 or x.shape[1] % groups:
        raise ValueError("the input must have 3 dimensions or more, and 'group' must divide the number of channels")
    return x.unflatten(1, (groups, -1)).transpose(1, 2).flatten(1, 2)


@as_primitive
def ChannelShuffle(x: Tensor, *, group: int) -> Tensor:
    """`channel_shuffle`, its `groups` being `group`."""
    return channel_shuffle.body(x, group)


@op
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Move channels into space: (*, C * r * r, H, W) becomes (*, C, H * r, W * r).

    Args:
        input: a Tensor of 3 dimensions or more.
        upscale_factor: r, >= 1; ValueError unless r * r divides the number of channels.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.pixel_shuffle(ms.Tensor([[[1]], [[2]], [[3]], [[4]]]), 2))
        [[[1 2]
          [3 4]]]
    """
    result = torch.pixel_shuffle(input, upscale_factor)
    return result if input.numel() else input.reshape(result.shape)  # torch's gradient fails without elements


@op
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Move space into channels, the inverse of `pixel_shuffle`: (*, C, H * r, W * r) becomes (*, C * r * r, H, W).

    Args:
        input: a Tensor of 3 dimensions or more.
        downscale_factor: r, >= 1; ValueError unless it divides height and width.
    """
    result = torch.pixel_unshuffle(input, downscale_factor)
    if input.numel():
        return result
    *lead, channels, height, width = input.shape  # torch returns this shape, and its gradient fails
    r = downscale_factor
    return input.reshape(*lead, channels * r * r, height // r, width // r)
