"""The wire format of protocol buffers: varints and length-prefixed fields.

MindSpore's checkpoints are such messages. docs/decisions/0006-checkpoint-files.md says why this is done by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from torchspore.engine.storage.files import DamagedFileError, read

__all__ = ["bytes_header", "fields", "read_varint", "varint_field"]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

_MAX_VARINT_BYTES = 10


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
    """Return the header of a field that holds bytes."""
    return _varint(number << 3 | _BYTES) + _varint(length)


def read_varint(file: BinaryIO, position: int, end: int) -> tuple[int, int]:
    """Return the number at a position of a file, and the position after it."""
    value = 0
    for i, byte in enumerate(read(file, range(position, min(position + _MAX_VARINT_BYTES, end)))):
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            if value >> 64:
                break
            return value, position + i + 1
    if end - position < _MAX_VARINT_BYTES:
        raise DamagedFileError("it ends inside a number")
    raise DamagedFileError("a number in it has more than 64 bits")


def fields(file: BinaryIO, message: range) -> Iterator[tuple[int, int | range]]:
    """Yield the fields of a message: (number of the field, its value or the positions of its bytes)."""
    position, end = message.start, message.stop
    while position < end:
        key, position = read_varint(file, position, end)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, position = read_varint(file, position, end)
            yield number, value
            continue
        if kind == _BYTES:
            length, position = read_varint(file, position, end)
        elif kind in (_FIXED32, _FIXED64):
            length = 4 if kind == _FIXED32 else 8
        else:
            raise DamagedFileError(f"it has a field of the unknown kind {kind}")
        if length > end - position:
            raise DamagedFileError(f"a field of {length} bytes does not fit in the {end - position} that are left")
        yield number, range(position, position + length)
        position += length
