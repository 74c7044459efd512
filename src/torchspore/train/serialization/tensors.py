"""The bytes of tensors."""

from __future__ import annotations

import math

import numpy as np
import torch

from torchspore.train.serialization.files import DamagedFileError

__all__ = ["Stored", "as_bytes", "check_bools", "check_size", "filled"]

Stored = dict[str, torch.Tensor | str]
"""What a checkpoint holds, by name."""

_LARGEST = 2**63 - 1


def as_bytes(tensor: torch.Tensor) -> memoryview:
    """Return the bytes of a tensor in row order: a view, or a copy where it is on another device or not contiguous."""
    flat = tensor.detach().to("cpu").contiguous().resolve_conj().resolve_neg().reshape(-1)
    return flat.view(torch.uint8).numpy().data


def check_size(dims: list[int], dtype: torch.dtype, length: int) -> None:
    """Check that the bytes are as many as the shape needs, before memory for it is asked for.

    Raises:
        DamagedFileError: they are not, or the shape is negative or too large for any machine.
    """
    if any(dim < 0 or dim > _LARGEST for dim in dims):
        raise DamagedFileError(f"its shape {dims} has a negative or too large size")
    if math.prod(max(dim, 1) for dim in dims) * dtype.itemsize > _LARGEST:
        raise DamagedFileError(f"its shape {dims} is too large")
    needed = math.prod(dims) * dtype.itemsize
    if needed != length:
        raise DamagedFileError(f"its shape {dims} needs {needed} bytes, but there are {length}")


def filled(dims: list[int], dtype: torch.dtype, pieces: list[memoryview]) -> torch.Tensor:
    """Return a new tensor with the bytes of the pieces, which `check_size` has counted.

    Raises:
        DamagedFileError: a bool is neither 0 nor 1.
    """
    result = torch.empty(dims, dtype=dtype)
    target, at = result.reshape(-1).view(torch.uint8).numpy(), 0
    for piece in pieces:
        target[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
        at += len(piece)
    check_bools(result)
    return result


def check_bools(tensor: torch.Tensor) -> None:
    """Check that a tensor of bools has no other bytes than 0 and 1, on which torch relies.

    Raises:
        DamagedFileError: it has.
    """
    if tensor.dtype is torch.bool and tensor.view(torch.uint8).gt(1).any():
        raise DamagedFileError("its bools are not all 0 or 1")
