"""The wire format of protocol buffers: numbers of seven bits a byte, and fields with a length in front.

MindSpore's checkpoints are such messages. See docs/decisions/0006-checkpoint-files.md for why this is done by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from torchspore.serialization.files import DamagedFileError, read

__all__ = ["bytes_header", "fields", "read_varint", "varint_field"]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

_LONGEST_VARINT = 10


def _varint(value: int) -> bytes:
    """Return a number >= 0 as a varint."""
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def varint_field(number: int, value: int) -> bytes:
    """Return a field that holds a number >= 0."""
    return _varint(number << 3 | _VARINT) + _varint(value)


def bytes_header(number: int, length: int) -> bytes:
    """Return what stands before the bytes of a field."""
    return _varint(number << 3 | _BYTES) + _varint(length)


def read_varint(file: BinaryIO, at: int, end: int) -> tuple[int, int]:
    """Return the number at a position of a file, and the position after it.

    Raises:
        DamagedFileError: it does not end before `end`, or is longer than 64 bits.
    """
    value = 0
    for i, byte in enumerate(read(file, range(at, min(at + _LONGEST_VARINT, end)))):
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            if value >> 64:
                break
            return value, at + i + 1
    if end - at < _LONGEST_VARINT:
        raise DamagedFileError("it ends inside a number")
    raise DamagedFileError("a number in it has more than 64 bits")


def fields(file: BinaryIO, message: range) -> Iterator[tuple[int, int | range]]:
    """Yield the fields of the message at some positions: (number of the field, number in it or positions of its bytes).

    Raises:
        DamagedFileError: a field reaches beyond the message, or is of an unknown kind.
    """
    at, end = message.start, message.stop
    while at < end:
        key, at = read_varint(file, at, end)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = read_varint(file, at, end)
            yield number, value
            continue
        if kind == _BYTES:
            length, at = read_varint(file, at, end)
        elif kind in (_FIXED32, _FIXED64):
            length = 4 if kind == _FIXED32 else 8
        else:
            raise DamagedFileError(f"it has a field of the unknown kind {kind}")
        if length > end - at:
            raise DamagedFileError(f"a field of {length} bytes does not fit in the {end - at} that are left")
        yield number, range(at, at + length)
        at += length
