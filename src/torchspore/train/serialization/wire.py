"""The wire format of protocol buffers: numbers of seven bits a byte, and fields with a length in front.

MindSpore's checkpoints are such messages. See docs/decisions/0006-checkpoint-files.md for why this is done by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchspore.train.serialization.files import DamagedFileError

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


def read_varint(view: memoryview, at: int) -> tuple[int, int]:
    """Return the number at a position, and the position after it.

    Raises:
        DamagedFileError: it ends too early, or is longer than 64 bits.
    """
    value = 0
    for i, byte in enumerate(view[at : at + _LONGEST_VARINT]):
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            if value >> 64:
                break
            return value, at + i + 1
    if len(view) - at < _LONGEST_VARINT:
        raise DamagedFileError("it ends inside a number")
    raise DamagedFileError("a number in it has more than 64 bits")


def fields(view: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield the fields of a message: (number of the field, number or bytes in it).

    Raises:
        DamagedFileError: a field reaches beyond the message, or is of an unknown kind.
    """
    at = 0
    while at < len(view):
        key, at = read_varint(view, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = read_varint(view, at)
            yield number, value
            continue
        if kind == _BYTES:
            length, at = read_varint(view, at)
        elif kind in (_FIXED32, _FIXED64):
            length = 4 if kind == _FIXED32 else 8
        else:
            raise DamagedFileError(f"it has a field of the unknown kind {kind}")
        if length > len(view) - at:
            raise DamagedFileError(f"a field of {length} bytes does not fit in the {len(view) - at} that are left")
        yield number, view[at : at + length]
        at += length
