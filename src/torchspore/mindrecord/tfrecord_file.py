"""Reading and writing TFRecord files: records of bytes, each of which is usually a `tf.train.Example`.

A record is its length, 64 bits, and the checksum of these, 32 bits, both little endian, the data, and its checksum. An
Example is a message of protocol buffers: a map from names to lists of bytes, of floats, or of ints.
"""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np

from torchspore.engine.files import DamagedFileError
from torchspore.engine.reading import check_regular

__all__ = ["pack_example", "places_of_records", "read_records", "unpack_example", "write_records"]

_HEAD = struct.Struct("<QI")
_CHECKSUM = 4
_MASK = 0xA282EAD8
_VARINT, _LONG, _BYTES, _SHORT = 0, 1, 2, 5  # kinds of fields
_CHUNK = 2**20
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
        for number, features in _fields(data):
            if number == 1:
                for entry, item in _fields(features):
                    if entry == 1:
                        parts = dict(_fields(item))
                        result[bytes(parts.get(1, b"")).decode()] = _feature(parts.get(2, b""))
    except (IndexError, ValueError, TypeError, struct.error) as error:
        raise DamagedFileError(f"a record is not an Example: {error}") from None
    return result


def _fields(data: Any) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of each field of a message."""
    position, end = 0, len(data)
    while position < end:
        key, position = _varint(data, position)
        kind = key & 7
        if kind == _BYTES:
            size, position = _varint(data, position)
            if size > end - position:
                raise ValueError("a field is cut short")
            yield key >> 3, data[position : position + size]
            position += size
        elif kind == _VARINT:
            value, position = _varint(data, position)
            yield key >> 3, value
        elif kind in (_SHORT, _LONG):
            size = 4 if kind == _SHORT else 8
            if size > end - position:
                raise ValueError("a field is cut short")
            yield key >> 3, data[position : position + size]
            position += size
        else:
            raise ValueError(f"a field has the unknown kind {kind}")


def _varint(data: Any, position: int) -> tuple[int, int]:
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


def _feature(data: Any) -> Any:
    for kind, values in _fields(data):
        if kind == 1:
            return [bytes(value) for number, value in _fields(values) if number == 1]
        if kind == 2:
            return np.frombuffer(b"".join([value for number, value in _fields(values) if number == 1]), "<f4")
        if kind == 3:
            return _integers(values)
    return []


def _integers(values: Any) -> np.ndarray[Any, Any]:
    found: list[int] = []
    for number, value in _fields(values):
        if number == 1 and isinstance(value, int):
            found.append(value)
        elif number == 1:
            position = 0
            while position < len(value):
                each, position = _varint(value, position)
                found.append(each)
    return np.array([value & 0xFFFFFFFFFFFFFFFF for value in found], np.uint64).astype(np.int64)


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
