"""The products of the elements under a convolution's kernel, summed over all positions, without copies of windows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from torchspore.engine.op import op

__all__ = ["window_products"]


@op
def window_products(x: Tensor, kernel: Any, dilation: Any) -> Tensor:
    """Return `rows.T @ rows` in float32 for the matrix `rows` that has a row for every window of stride 1.

    Two elements of a window that lie `down` and `across` apart meet in sums over rectangles of one image, the products
    of it and of its shifted self, whatever their positions in the window are; only the rectangles differ, at the
    border. So the inside is summed once for every distance, not once for every pair of positions.

    Args:
        x: the padded images, of shape (N, C, H, W); no gradient flows back to them.
        kernel: the height and width of the window.
        dilation: the distance between its elements.

    Returns:
        A matrix of C * height * width rows and columns, in this order.
    """
    (kh, kw), (dh, dw), channels = kernel, dilation, x.shape[1]
    height, width = x.shape[2] - dh * (kh - 1), x.shape[3] - dw * (kw - 1)
    images = x.detach().float().permute(1, 2, 0, 3)  # so that some rows of all images are a matrix, without a copy
    result = images.new_empty(channels, kh, kw, channels, kh, kw)
    for across in range(1 - kw, kw):
        left = range(max(0, -across), min(kw, kw - across))  # the columns of the first element of a pair
        edges = _edges(left, dw, width)
        strips = [_strips(images, start, end, across * dw) for start, end in pairwise(edges)]
        for down in range(across < 0, kh):
            top = range(kh - down)
            rows = _edges(top, dh, height)
            sums = torch.stack([_sums(first, second, rows, down * dh) for first, second in strips], 1)
            for i in top:
                part = sums[rows.index(i * dh) : rows.index(i * dh + height)].sum(0)
                for j in left:
                    both = part[edges.index(j * dw) : edges.index(j * dw + width)].sum(0)
                    result[:, i, j, :, i + down, j + across] = both
                    result[:, i + down, j + across, :, i, j] = both.T
    return result.reshape(channels * kh * kw, -1)


def _edges(positions: range, dilation: int, length: int) -> list[int]:
    """Return where intervals of one length begin and end that start at some positions."""
    starts = {position * dilation for position in positions}
    return sorted(starts | {start + length for start in starts})


def _strips(images: Tensor, start: int, end: int, shift: int) -> tuple[Tensor, Tensor]:
    """Return some columns of the images, and those that lie `shift` to the right."""
    return images[..., start:end].contiguous(), images[..., start + shift : end + shift].contiguous()


def _sums(first: Tensor, second: Tensor, edges: list[int], shift: int) -> Tensor:
    """Return, for the rows between each two edges, the products of all channels with those `shift` further down."""
    return torch.stack(
        [first[:, s:e].flatten(1) @ second[:, s + shift : e + shift].flatten(1).T for s, e in pairwise(edges)]
    )
