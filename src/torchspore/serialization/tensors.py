"""The bytes of tensors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

import torch

from torchspore.engine.storage.files import DamagedFileError, fill

__all__ = ["Described", "Stored", "as_bytes", "check_bools", "check_bytes", "naming", "read_tensors"]

Stored = dict[str, torch.Tensor | str]
"""What a checkpoint holds, by name."""


class Described(NamedTuple):
    """A tensor in a file: its sizes, its data type, and the positions of its bytes."""

    dims: list[int]
    dtype: torch.dtype
    pieces: list[range]


_INT64_MAX = 2**63 - 1


def as_bytes(tensor: torch.Tensor) -> memoryview:
    """Return the bytes of a tensor in row order: a view, or a copy where it is on another device or not contiguous."""
    flat = tensor.detach().to("cpu").contiguous().resolve_conj().resolve_neg().reshape(-1)
    return flat.view(torch.uint8).numpy().data


def check_bytes(dims: list[int], dtype: torch.dtype, length: int) -> None:
    """Check that the number of bytes matches the shape, before memory is allocated.

    Raises:
        DamagedFileError: it does not, or the shape is negative or too large.
    """
    if any(dim < 0 or dim > _INT64_MAX for dim in dims):
        raise DamagedFileError(f"its shape {dims} has a negative or too large size")
    if math.prod(max(dim, 1) for dim in dims) * dtype.itemsize > _INT64_MAX:
        raise DamagedFileError(f"its shape {dims} is too large")
    needed = math.prod(dims) * dtype.itemsize
    if needed != length:
        raise DamagedFileError(f"its shape {dims} needs {needed} bytes, but there are {length}")


def read_tensors(file: BinaryIO, described: dict[str, Described]) -> dict[str, torch.Tensor]:
    """Return new tensors with bytes of a file. All shapes are checked before the first tensor is read.

    Raises:
        DamagedFileError: shape, type and bytes do not match, or a bool is neither 0 nor 1.
    """
    result, parts = {}, []
    for name, (dims, dtype, pieces) in described.items():
        with naming(name):
            check_bytes(dims, dtype, sum(map(len, pieces)))
        result[name] = torch.empty(dims, dtype=dtype)
        buffer = as_bytes(result[name])
        for piece in pieces:
            parts.append((piece.start, buffer[: len(piece)]))
            buffer = buffer[len(piece) :]
    fill(file, parts)
    for name, tensor in result.items():
        with naming(name):
            check_bools(tensor)
    return result


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Add the name of the value to the errors of a block."""
    try:
        yield
    except DamagedFileError as error:
        raise DamagedFileError(f"of '{name}', {error}") from None


def check_bools(tensor: torch.Tensor) -> None:
    """Check that the bytes of a tensor of bools are 0 or 1, on which torch relies."""
    if tensor.dtype is torch.bool and tensor.view(torch.uint8).gt(1).any():
        raise DamagedFileError("its bools are not all 0 or 1")
