"""Files of checkpoints: read straight into the memory that keeps their parts."""

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
NO_CRC = "it has no CRC-32 to check: it was saved without 'crc_check', or its end is missing"
_SHORTER = "it became shorter while it was read"

_STEP = 2**22
_MOST_THREADS = 4


class Sink(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes | memoryview, /) -> object:
        """Take the next bytes."""


class DamagedFileError(ValueError):
    """The bytes of a file are not what its format says."""


def length_of(file: BinaryIO) -> int:
    """Return how many bytes a file has."""
    return file.seek(0, os.SEEK_END)


def read(file: BinaryIO, part: range) -> bytes:
    """Return the bytes at some positions of a file.

    Raises:
        DamagedFileError: the file ends before.
    """
    file.seek(part.start)
    result = file.read(len(part))
    if len(result) < len(part):
        raise DamagedFileError(_SHORTER)
    return result


def checksum(file: BinaryIO, part: range, before: int = 0) -> int:
    """Return the CRC-32 of the bytes at some positions of a file, and of those whose CRC-32 is `before`."""
    for start in part[::_STEP]:
        before = zlib.crc32(read(file, range(start, min(start + _STEP, part.stop))), before)
    return before


def fill(file: BinaryIO, parts: Sequence[tuple[int, memoryview]]) -> None:
    """Read parts of a file into memory; threads share the work, most of which is that the system hands out new memory.

    Args:
        file: a file on the disk or in memory.
        parts: the position of each part's first byte, and where its bytes go.

    Raises:
        DamagedFileError: the file ends before.
    """
    steps = iter([(at + i, room[i : i + _STEP]) for at, room in parts for i in range(0, len(room), _STEP)])
    at_once = hasattr(os, "preadv") and not isinstance(file, io.BytesIO)
    read_at = partial(_read_at_once, file.fileno()) if at_once else partial(_read_alone, file)

    def work() -> None:
        for at, room in steps:
            while room:
                count = read_at(at, room)
                if count == 0:
                    raise DamagedFileError(_SHORTER)
                at, room = at + count, room[count:]

    size = sum(len(room) for _, room in parts)
    threads = min(_MOST_THREADS, os.cpu_count() or 1, size // _STEP + 1) if at_once else 1
    with ThreadPoolExecutor(threads, "torchspore-read") as pool:
        for done in [pool.submit(work) for _ in range(threads)]:
            done.result()


def _read_at_once(descriptor: int, at: int, room: memoryview) -> int:
    return os.preadv(descriptor, [room], at)


def _read_alone(file: BinaryIO, at: int, room: memoryview) -> int:
    file.seek(at)
    return file.readinto(room)  # type: ignore[attr-defined]
