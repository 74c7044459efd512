"""Reading files of checkpoints directly into the memory of their tensors."""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import BinaryIO, Protocol

__all__ = ["NO_CRC", "WRONG_CRC", "DamagedFileError", "Sink", "checksum", "fill", "length_of", "read"]

WRONG_CRC = "its CRC-32 does not match: some of its bytes have changed"
NO_CRC = "The checkpoint has no CRC-32 to check: it was saved without 'crc_check', or its end is missing."
_SHORTER = "it became shorter while it was read"

_CHUNK = 2**22
_MAX_THREADS = 4


class Sink(Protocol):
    """An object to which bytes can be written."""

    def write(self, data: bytes | memoryview, /) -> object:
        """Write the next bytes."""


class DamagedFileError(ValueError):
    """The bytes of a file do not follow its format."""


def length_of(file: BinaryIO) -> int:
    """Return the number of bytes of a file."""
    return file.seek(0, os.SEEK_END)


def read(file: BinaryIO, part: range) -> bytes:
    """Return the bytes at some positions of a file; a shorter file raises `DamagedFileError`."""
    file.seek(part.start)
    result = file.read(len(part))
    if len(result) < len(part):
        raise DamagedFileError(_SHORTER)
    return result


def checksum(file: BinaryIO, part: range, before: int = 0) -> int:
    """Return the CRC-32 of bytes with the CRC-32 `before`, followed by bytes at some positions of a file."""
    for start in part[::_CHUNK]:
        before = zlib.crc32(read(file, range(start, min(start + _CHUNK, part.stop))), before)
    return before


def fill(file: BinaryIO, parts: Sequence[tuple[int, memoryview]]) -> None:
    """Read parts of a file into memory, with several threads, since most of the time goes into allocating memory.

    Args:
        file: a file on the disk or in memory.
        parts: the position of each part's first byte, and the buffer for its bytes.
    """
    chunks = iter(
        [(start + i, buffer[i : i + _CHUNK]) for start, buffer in parts for i in range(0, len(buffer), _CHUNK)]
    )
    positional = hasattr(os, "preadv") and not isinstance(file, io.BytesIO)
    read_at = partial(_read_at_once, file.fileno()) if positional else partial(_read_alone, file)

    def read_chunks() -> None:
        for position, buffer in chunks:
            while buffer:
                count = read_at(position, buffer)
                if count == 0:
                    raise DamagedFileError(_SHORTER)
                position, buffer = position + count, buffer[count:]

    size = sum(len(buffer) for _, buffer in parts)
    threads = min(_MAX_THREADS, os.cpu_count() or 1, size // _CHUNK + 1) if positional else 1
    with ThreadPoolExecutor(threads, "torchspore-read") as pool:
        for done in [pool.submit(read_chunks) for _ in range(threads)]:
            done.result()


def _read_at_once(descriptor: int, position: int, buffer: memoryview) -> int:
    return os.preadv(descriptor, [buffer], position)


def _read_alone(file: BinaryIO, position: int, buffer: memoryview) -> int:
    file.seek(position)
    return file.readinto(buffer)  # type: ignore[attr-defined]
