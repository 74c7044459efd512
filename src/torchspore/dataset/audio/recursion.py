"""Filters whose output depends on their earlier outputs, computed in blocks."""

from __future__ import annotations

import math

import numpy as np

from torchspore.dataset.transforms.base import Array

__all__ = ["recursive_filter"]

_MAX_BLOCK = 256


def recursive_filter(wave: Array, a: Array, b: Array) -> Array:
    """Return y in float64 along the last axis, with `a[0] y[n] = b[0] x[n] + b[1] x[n-1] + ... - a[1] y[n-1] - ...`.

    Within a block, outputs are a product of the inputs and the impulse response. The contribution of earlier outputs is
    a second product, so only the last outputs of each block are computed in sequence.

    Args:
        wave: x, (..., time).
        a: the coefficients of outputs.
        b: the coefficients of inputs, of the same length.
    """
    length, order = wave.shape[-1], len(a) - 1
    x = wave.reshape(-1, length).astype(np.float64)
    driven = b[0] / a[0] * x
    for delay in range(1, min(order + 1, length)):
        driven[:, delay:] += b[delay] / a[0] * x[:, :-delay]
    if order and length:
        driven = _with_feedback(driven, a[1:] / a[0])
    return driven.reshape(wave.shape)


def _with_feedback(driven: Array, feedback: Array) -> Array:
    channels, length = driven.shape
    order = len(feedback)
    size = max(order, min(math.isqrt(length) + 1, _MAX_BLOCK))
    blocks = -(-length // size)
    padded = np.zeros((channels, blocks * size))
    padded[:, :length] = driven
    inputs, earlier = _block_products(feedback, size)
    own = padded.reshape(channels, blocks, size) @ inputs.T
    last = np.zeros((blocks + 1, channels, order))
    for block in range(blocks):
        last[block + 1] = own[:, block, -order:] + last[block] @ earlier[-order:].T
    outputs = own + last[:-1].transpose(1, 0, 2) @ earlier.T
    return outputs.reshape(channels, -1)[:, :length]


def _block_products(feedback: Array, size: int) -> tuple[Array, Array]:
    """Return how each input of a block, and each of the last outputs before it, contributes to the block's outputs."""
    order = len(feedback)
    basis = np.zeros((order + size, order + 1))
    basis[:order, :order] = np.eye(order)  # rows: outputs; columns: the earlier outputs, and an impulse at the start
    basis[order, order] = 1
    for row in range(order, order + size):
        basis[row] -= feedback @ basis[row - order : row][::-1]
    impulse = np.concatenate([np.zeros(size - 1), basis[order:, order]])
    inputs = np.lib.stride_tricks.sliding_window_view(impulse, size)[:, ::-1]
    return inputs, basis[order:, :order]
