"""Reading and writing TFRecord files: records of bytes, each of which is usually a `tf.train.Example`.

A record is its length, 64 bits, and the checksum of these, 32 bits, both little endian, the data, and its checksum. An
Example is a message of protocol buffers: a map from names to lists of bytes, of floats, or of ints.
"""

from __future__ import annotations

import functools
import gzip
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np

from torchspore.engine.storage.files import DamagedFileError
from torchspore.engine.storage.reading import check_regular

__all__ = ["pack_example", "places_of_records", "read_records", "unpack_example", "write_records"]

_HEAD = struct.Struct("<QI")
_CHECKSUM = 4
_MASK = 0xA282EAD8
_VARINT, _LONG, _BYTES, _SHORT = 0, 1, 2, 5  # kinds of fields
_FIXED = {_LONG: 8, _SHORT: 4}  # the bytes of kinds of one length
Span = tuple[int, int]  # a part of a record: its first byte, and the end
_CHUNK = 2**20
_FEW, _LONGEST = 100, 10  # bytes of numbers that Python reads faster than NumPy; of the longest number
_LENGTH = rb"([\x80-\xff]{0,9}[\x00-\x7f])"
# An entry of a map as writers nearly always write it, up to the values: its length, the name, the length and the kind
# of a feature, the lengths of a list and of its first field, which is the only one of numbers.
_USUAL_ENTRY = re.compile(
    rb"\n%b\n([\x00-\x7f])([^\x12]{0,127})\x12%b([\n\x12\x1a])%b\n%b" % (_LENGTH, _LENGTH, _LENGTH, _LENGTH)
)
_OPENERS: dict[str | None, Any] = {None: open, "": open, "GZIP": gzip.open}


# Records


def read_records(path: str, compression: str | None = None) -> Iterator[bytes]:
    """Yield the records of a file.

    Args:
        path: the file.
        compression: "GZIP", "ZLIB", or None, which is the default.

    Raises:
        OSError: it cannot be read.
        DamagedFileError: it is damaged, or not a TFRecord file.
    """
    check_regular(path)
    try:
        with open(path, "rb") if compression == "ZLIB" else _OPENERS[compression](path, "rb") as opened:
            file: Any = _Inflated(opened) if compression == "ZLIB" else opened
            while head := file.read(_HEAD.size):
                yield _record(file, head)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DamagedFileError(f"its compressed data is damaged: {error}") from error


def _record(file: BinaryIO, head: bytes) -> bytes:
    length = _checked_length(head)
    parts, missing = [], length + _CHECKSUM
    while missing:
        part = file.read(min(missing, _CHUNK))
        if not part:
            raise DamagedFileError(f"it is cut short: a record of {length} bytes is not complete")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)[:-_CHECKSUM]


def places_of_records(path: str) -> list[tuple[int, int]]:
    """Return the position and the length of each record of a file that is not compressed; errors as `read_records`."""
    check_regular(path)
    result, position, end = [], 0, os.stat(path).st_size
    with open(path, "rb") as file:
        while head := file.read(_HEAD.size):
            length = _checked_length(head)
            start = position + _HEAD.size
            position = start + length + _CHECKSUM
            if position > end:
                raise DamagedFileError(f"it is cut short: a record of {length} bytes is not complete")
            result.append((start, length))
            file.seek(length + _CHECKSUM, os.SEEK_CUR)
    return result


def _checked_length(head: bytes) -> int:
    """Return the length of a record, from the bytes before it."""
    if len(head) < _HEAD.size:
        raise DamagedFileError("it is cut short, or not a TFRecord file")
    length, checksum = _HEAD.unpack(head)
    if _masked(_crc(head[:8])) != checksum:
        raise DamagedFileError("the length of a record does not have its checksum: it is not a TFRecord file")
    return int(length)


class _Inflated:
    """Reads a file that is compressed by zlib."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._inflate, self._ready = file, zlib.decompressobj(), b""

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer at the end."""
        while len(self._ready) < size and not self._inflate.eof:
            data = self._inflate.unconsumed_tail or self._file.read(_CHUNK)
            if not data:
                raise EOFError("it is cut short")
            self._ready += self._inflate.decompress(data, _CHUNK)
        result, self._ready = self._ready[:size], self._ready[size:]
        return result


def write_records(file: BinaryIO, records: Iterable[bytes]) -> None:
    """Write records."""
    for data in records:
        length = len(data).to_bytes(8, "little")
        file.write(length + _masked(_crc(length)).to_bytes(4, "little"))
        file.write(data + _masked(_crc(data)).to_bytes(4, "little"))


def _crc_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _crc_table()


def _crc(data: bytes) -> int:
    """Return the CRC-32C, whose polynomial is Castagnoli's."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def _masked(crc: int) -> int:
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


# Examples


def unpack_example(data: bytes) -> dict[str, Any]:
    """Return the features of an Example by name: lists of bytes, or arrays of float32 or int64.

    Raises:
        DamagedFileError: it is not an Example.
    """
    result: dict[str, Any] = {}
    try:
        for position, end in _messages(data, 0, len(data), 1):
            while entry := _usual_entry(data, position, end):
                name, values, position = entry
                result[name] = values
            for part in _messages(data, position, end, 1):
                name, values = _entry(data, *part)
                result[name] = values
    except (IndexError, ValueError) as error:
        raise DamagedFileError(f"a record is not an Example: {error}") from None
    return result


def _usual_entry(data: bytes, position: int, end: int) -> tuple[str, Any, int] | None:
    """Return the name and the values of the entry at a position, and its end; None if its form is not the usual one."""
    found = _USUAL_ENTRY.match(data, position, end)
    head = found and _usual_head(found[0])
    if not found or not head:
        return None
    name, kind, size, rest = head
    start = found.end()
    stop = start + rest
    if stop > end:
        return None
    if kind != b"\n":
        return name, _floats(data, start, stop) if kind == b"\x12" else _integers(data, start, stop), stop
    values = [data[start : start + size]]
    if size < rest:
        values += [data[first:last] for first, last in _messages(data, start + size, stop, 1)]
    return name, values, stop


@functools.lru_cache(1 << 12)
def _usual_head(head: bytes) -> tuple[str, bytes, int, int] | None:
    """Return the name and the kind of an entry from its head, and the sizes of its first field and of all that follow.

    None if they contradict each other.
    """
    found: Any = _USUAL_ENTRY.fullmatch(head)
    name_size, name, kind = found.group(2, 3, 5)
    whole, feature, values, first = [_varint(found[number], 0)[0] for number in (1, 4, 6, 7)]
    stop = found.end(1) + whole
    rest = stop - len(head)
    usual = feature == stop - found.end(4) and values == stop - found.end(6) and name_size[0] == len(name)
    usual &= first <= rest if kind == b"\n" else first == rest
    return (name.decode(), kind, first, rest) if usual else None


def _entry(data: bytes, position: int, end: int) -> tuple[str, Any]:
    """Return the name and the values of an entry."""
    name, value = b"", (0, 0)
    for number, start, stop in _fields(data, position, end):
        if number == 1:
            name = data[start:stop]
        elif number == 2:
            value = start, stop
    return name.decode(), _feature(data, *value)


def _messages(data: bytes, start: int, stop: int, wanted: int) -> list[Span]:
    """Return the parts of a message that are fields with a number."""
    return [(first, last) for number, first, last in _fields(data, start, stop) if number == wanted]


def _fields(data: bytes, position: int, end: int) -> list[tuple[int, int, int]]:
    """Return the number, the start and the end of each field of bytes in a part of a message, without the others."""
    found = []
    while position < end:
        key, start = _varint(data, position)
        kind = key & 7
        if kind in _FIXED:
            size = _FIXED[kind]
        else:
            size, start = _varint(data, start)
            if kind == _VARINT:
                size = 0
            elif kind != _BYTES:
                raise ValueError(f"a field has the unknown kind {kind}")
        position = start + size
        if position > end:
            raise ValueError("a field is cut short")
        if kind == _BYTES:
            found.append((key >> 3, start, position))
    return found


def _varint(data: bytes, position: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[position]
        result |= (byte & 0x7F) << shift
        position += 1
        if byte < 0x80:
            return result, position
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")


def _feature(data: bytes, start: int, stop: int) -> Any:
    for kind, first, last in _fields(data, start, stop):
        if kind == 1:
            return [data[begin:end] for begin, end in _messages(data, first, last, 1)]
        if kind in (2, 3):
            return _numbers(data, first, last, _SHORT if kind == 2 else _VARINT)
    return []


def _numbers(data: bytes, start: int, stop: int, single: int) -> np.ndarray[Any, Any]:
    """Return the floats or ints of a list, which are packed into fields, or each have one of the kind `single`."""
    read = _floats if single == _SHORT else _integers
    parts, position = [], start
    while position < stop:
        key, position = _varint(data, position)
        first, size = position, 4
        if key & 7 == _BYTES:
            size, first = _varint(data, position)
        elif key & 7 != single:
            raise ValueError(f"a list of numbers has a field of the kind {key & 7}")
        elif single == _VARINT:
            size = _varint(data, position)[1] - position
        position = first + size
        if position > stop:
            raise ValueError("a field is cut short")
        if key >> 3 == 1:
            parts.append(data[first:position])
    joined = b"".join(parts)
    return read(joined, 0, len(joined))


def _floats(data: bytes, start: int, stop: int) -> np.ndarray[Any, Any]:
    if (stop - start) % 4:
        raise ValueError("a list of floats is cut short")
    return np.frombuffer(data, "<f4", (stop - start) // 4, start) if stop > start else np.zeros(0, "<f4")


def _integers(data: bytes, start: int, stop: int) -> np.ndarray[Any, Any]:
    if data[start:stop].isascii():  # each is a byte
        return np.frombuffer(data, np.uint8, stop - start, start).astype(np.int64)
    if stop - start > _FEW:
        return _many_integers(np.frombuffer(data, np.uint8, stop - start, start))
    found: list[int] = []
    position = start
    while position < stop:
        value, position = _varint(data, position)
        found.append(value)
    if position > stop:
        raise ValueError("a number is cut short")
    return np.array([value & 0xFFFFFFFFFFFFFFFF for value in found], np.uint64).astype(np.int64)


def _many_integers(content: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    ends = np.flatnonzero(content < 0x80)
    starts = np.concatenate([[0], ends[:-1] + 1])
    longest = int(max(ends - starts, default=_LONGEST)) + 1
    if longest > _LONGEST or ends[-1] + 1 < len(content):
        raise ValueError("a number is cut short or too long")
    result = np.zeros(len(ends), np.uint64)
    for place in range(longest):
        bits = np.where(starts + place <= ends, content[np.minimum(starts + place, ends)] & 0x7F, 0)
        result |= bits.astype(np.uint64) << np.uint64(7 * place)
    return result.view(np.int64)


def pack_example(features: Mapping[str, Any]) -> bytes:
    """Return the Example of some features: lists of bytes, or arrays of floats or ints."""
    items = b""
    for name, values in features.items():
        if isinstance(values, list):
            content = _message(1, b"".join([_message(1, value) for value in values]))
        elif values.dtype.kind == "f":
            content = _message(2, _message(1, values.astype("<f4").tobytes()))
        else:
            content = _message(3, _message(1, b"".join([_as_varint(int(value)) for value in values.reshape(-1)])))
        items += _message(1, _message(1, name.encode()) + _message(2, content))
    return _message(1, items)


def _message(number: int, data: bytes) -> bytes:
    return _as_varint(number << 3 | _BYTES) + _as_varint(len(data)) + data


def _as_varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)
