"""Files of checkpoints: written whole or not at all, read without a copy."""

from __future__ import annotations

import mmap
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Protocol

__all__ = ["NO_CRC", "WRONG_CRC", "DamagedFileError", "Sink", "mapped", "replacing"]

WRONG_CRC = "its CRC-32 does not match: some of its bytes have changed"
NO_CRC = "it has no CRC-32 to check: it was saved without 'crc_check', or its end is missing"


class Sink(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes | memoryview, /) -> object:
        """Take the next bytes."""


class DamagedFileError(ValueError):
    """The bytes of a file are not what its format says."""


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Give a file to write, which takes the place of `path` when the block ends without an error.

    Until then it is a temporary file in the same folder, so whatever stops the program leaves the old file whole. The
    new bytes are on the disk before the name is theirs.

    Raises:
        FileNotFoundError: the folder does not exist.
        IsADirectoryError: `path` is a folder itself.
        OSError: the file cannot be written.
    """
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(f"'{path}' is a folder: give the name of a file in it.")
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"The folder '{folder}' does not exist: make it first.")
    temporary = os.path.join(folder, f".{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Put the new name on the disk, where the system can do that."""
    with suppress(OSError):  # Windows opens no folders, some network file systems sync none
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def mapped(path: str) -> memoryview:
    """Return the bytes of a file without reading it: the system loads the parts that are looked at.

    Raises:
        OSError: the file cannot be opened.
    """
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
