"""The bytes of rows: fields with one value as MessagePack, and blobs, where integers take as few bytes as they need.

A row of a raw page is the length of the rest, 64 bits, little endian, and a map of MessagePack from names to values. A
row of a blob page is the length of the rest, likewise, and the blob; if there are several blobs, each comes after its
length, big endian. An array of integers is the number of elements, 32 bits, big endian, two bits for each element that
say whether it has 1, 2, 4 or 8 bytes, and these, little endian. Other arrays are their memory.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchspore.engine.storage.files import DamagedFileError
from torchspore.mindrecord.schema import SCALARS, Field

__all__ = ["pack_blobs", "pack_integers", "pack_map", "unpack_blobs", "unpack_integers", "unpack_map"]

_FLOAT = struct.Struct(">f")
_SIZES = np.array([1, 2, 4, 8], np.int64)  # of integers, by code
_LENGTH = 8


# MessagePack


def pack_map(fields: Sequence[Field]) -> Callable[[dict[str, Any]], bytes]:
    """Return the function that packs the values of some fields of a row, with the length before them."""
    keys = [(field.name, _string(field.name), _PACKERS[field.type]) for field in fields]
    if not keys:
        empty = _with_length(b"\x81" + _string("id") + b"\x00")
        return lambda row: empty
    begin = _count(len(keys))

    def pack(row: dict[str, Any]) -> bytes:
        return _with_length(begin + b"".join([key + packer(row[name]) for name, key, packer in keys]))

    return pack


def _with_length(content: bytes) -> bytes:
    return len(content).to_bytes(_LENGTH, "little") + content


def _count(count: int) -> bytes:
    return bytes([0x80 | count]) if count < 16 else b"\xde" + count.to_bytes(2, "big")


def _string(value: str) -> bytes:
    data = value.encode()
    size = len(data)
    if size < 32:
        return bytes([0xA0 | size]) + data
    width = 1 if size < 1 << 8 else 2 if size < 1 << 16 else 4
    return bytes([{1: 0xD9, 2: 0xDA, 4: 0xDB}[width]]) + size.to_bytes(width, "big") + data


def _integer(value: int) -> bytes:
    value = int(value)
    if -32 <= value < 128:
        return bytes([value & 0xFF])
    if value >= 0:
        width = 1 if value < 1 << 8 else 2 if value < 1 << 16 else 4 if value < 1 << 32 else 8
        return bytes([{1: 0xCC, 2: 0xCD, 4: 0xCE, 8: 0xCF}[width]]) + value.to_bytes(width, "big")
    width = 1 if value >= -1 << 7 else 2 if value >= -1 << 15 else 4 if value >= -1 << 31 else 8
    return bytes([{1: 0xD0, 2: 0xD1, 4: 0xD2, 8: 0xD3}[width]]) + value.to_bytes(width, "big", signed=True)


def _float(value: float) -> bytes:
    try:
        short = _FLOAT.pack(value)
        if _FLOAT.unpack(short)[0] == value:
            return b"\xca" + short
    except OverflowError:
        pass
    return b"\xcb" + struct.pack(">d", value)


_PACKERS: dict[str, Callable[[Any], bytes]] = {
    "int32": _integer, "int64": _integer, "float32": _float, "float64": _float, "string": _string,
}  # fmt: skip

_NUMBERS = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
            0xCA: ">f", 0xCB: ">d"}  # fmt: skip
_READERS = {kind: struct.Struct(form) for kind, form in _NUMBERS.items()}
_STRING_LENGTHS = {0xD9: 1, 0xDA: 2, 0xDB: 4}


def unpack_map(data: bytes) -> dict[str, int | float | str]:
    """Return the values of a row in a raw page by name.

    Raises:
        DamagedFileError: they are not a map from names to numbers and strings.
    """
    _check_length(data)
    try:
        count, position = data[_LENGTH] & 0x0F, _LENGTH + 1
        if data[_LENGTH] == 0xDE:
            count, position = int.from_bytes(data[position : position + 2], "big"), position + 2
        elif data[_LENGTH] >> 4 != 8:
            raise DamagedFileError("a row of a raw page is not a map")
        result: dict[str, int | float | str] = {}
        for _ in range(count):
            name, position = _unpacked(data, position)
            value, position = _unpacked(data, position)
            result[name] = value
    except (IndexError, struct.error, UnicodeDecodeError, TypeError) as error:
        raise DamagedFileError(f"a row of a raw page is damaged: {error}") from None
    if position != len(data):
        raise DamagedFileError("a row of a raw page has a wrong length")
    return result


def _unpacked(data: bytes, position: int) -> tuple[Any, int]:
    kind = data[position]
    position += 1
    if kind < 0x80:
        return kind, position
    if kind >= 0xE0:
        return kind - 256, position
    reader = _READERS.get(kind)
    if reader is not None:
        return reader.unpack_from(data, position)[0], position + reader.size
    if kind >> 5 == 0b101:
        size = kind & 0x1F
    elif kind in _STRING_LENGTHS:
        width = _STRING_LENGTHS[kind]
        size, position = int.from_bytes(data[position : position + width], "big"), position + width
    else:
        raise DamagedFileError(f"a value in a raw page has the unknown kind {kind:#x}")
    if position + size > len(data):
        raise DamagedFileError("a string in a raw page is cut short")
    return data[position : position + size].decode(), position + size


# Blobs


def pack_blobs(fields: Sequence[Field]) -> Callable[[dict[str, Any]], tuple[bytes, int]]:
    """Return the function that packs the blobs of a row, and counts the bytes that packing has saved."""
    keys = [(field.name, _blob_packer(field)) for field in fields]
    if not keys:
        empty = _with_length(bytes(4))
        return lambda row: (empty, 0)

    def pack(row: dict[str, Any]) -> tuple[bytes, int]:
        parts = [packer(row[name]) for name, packer in keys]
        saved = sum([row[name].nbytes - len(part) for part, (name, packer) in zip(parts, keys) if packer in _PACKED])
        if len(parts) > 1:
            parts = [piece for part in parts for piece in (len(part).to_bytes(_LENGTH, "big"), part)]
        size = sum(map(len, parts))
        return b"".join([size.to_bytes(_LENGTH, "little"), *parts]), saved

    return pack


def _blob_packer(field: Field) -> Callable[[Any], bytes]:
    if field.shape is None:
        return bytes
    return pack_integers if field.type in ("int32", "int64") else _memory


def _memory(value: np.ndarray[Any, Any]) -> bytes:
    return value.tobytes()


def pack_integers(value: np.ndarray[Any, Any]) -> bytes:
    """Return integers in as few bytes as each needs."""
    flat = value.reshape(-1)
    count = len(flat).to_bytes(4, "big")
    if not len(flat):
        return count
    low, high = int(flat.min()), int(flat.max())
    code = _code_of(max(high, -low - 1))
    if code == 0:
        return count + bytes(-(-len(flat) // 4)) + flat.astype(np.int8).tobytes()
    wide = flat.astype("<i8")
    magnitudes = np.where(wide < 0, ~wide, wide)
    codes: Any = np.sum([magnitudes >> bits > 0 for bits in (7, 15, 31)], 0, np.uint8)
    padded = np.zeros(-(-len(flat) // 4) * 4, np.uint8)
    padded[: len(flat)] = codes
    controls = padded.reshape(-1, 4) @ np.array([64, 16, 4, 1], np.uint8)
    taken = np.arange(8) < _SIZES[codes][:, None]
    return count + controls.astype(np.uint8).tobytes() + wide.view(np.uint8).reshape(-1, 8)[taken].tobytes()


_PACKED = (pack_integers,)


def _code_of(magnitude: int) -> int:
    return sum([magnitude >> bits > 0 for bits in (7, 15, 31)])


def unpack_integers(data: bytes, dtype: Any) -> np.ndarray[Any, Any]:
    """Return the integers that `pack_integers` has packed.

    Raises:
        DamagedFileError: their lengths do not fit together.
    """
    count = int.from_bytes(data[:4], "big")
    begin = 4 + -(-count // 4)
    if len(data) < max(4, begin) or len(data) - begin < count:
        raise DamagedFileError("an array of integers is cut short")
    if len(data) - begin == count and data.count(0, 4, begin) == begin - 4:
        return np.frombuffer(data, np.int8, count, begin).astype(dtype)
    controls = np.frombuffer(data, np.uint8, begin - 4, 4)
    codes = ((controls[:, None] >> np.array([6, 4, 2, 0], np.uint8)) & 3).reshape(-1)[:count]
    ends = np.cumsum(_SIZES[codes])
    if not count or int(ends[-1]) != len(data) - begin:
        raise DamagedFileError("the lengths in an array of integers do not fit together")
    anywhere: Any = np.ndarray(len(data) - begin, "<i8", data + bytes(8), begin, (1,))  # eight bytes from each one on
    unused = 64 - 8 * _SIZES[codes]
    return (anywhere[ends - _SIZES[codes]] << unused >> unused).astype(dtype)  # extends the sign


def unpack_blobs(data: bytes, fields: Sequence[Field], wanted: Sequence[bool]) -> list[Any]:
    """Return the blobs of a row in a blob page: bytes, arrays, and None for those that are not wanted.

    Raises:
        DamagedFileError: their lengths do not fit together, or an array does not have its shape.
    """
    _check_length(data)
    if len(fields) == 1:
        return [_unpacked_blob(data[_LENGTH:], fields[0]) if wanted[0] else None]
    result, position = [], _LENGTH
    for field, is_wanted in zip(fields, wanted):
        begin = position + _LENGTH
        position = begin + int.from_bytes(data[position:begin], "big")
        if position > len(data):
            raise DamagedFileError("a blob is cut short")
        result.append(_unpacked_blob(data[begin:position], field) if is_wanted else None)
    if position != len(data):
        raise DamagedFileError("the lengths of the blobs of a row do not fit together")
    return result


def _unpacked_blob(data: bytes, field: Field) -> Any:
    if field.shape is None:
        return data
    dtype = np.dtype(SCALARS[field.type])
    if field.type in ("int32", "int64"):
        array = unpack_integers(data, dtype)
    elif len(data) % dtype.itemsize:
        raise DamagedFileError(f"an array of the field '{field.name}' has {len(data)} bytes")
    else:
        array = np.frombuffer(data, dtype.newbyteorder("<")).astype(dtype)
    if array.size == 0 and -1 in field.shape:
        return array.reshape([max(size, 0) for size in field.shape])
    try:
        return array.reshape(field.shape)
    except ValueError:
        raise DamagedFileError(
            f"an array of the field '{field.name}' has {array.size} elements, which do not have the shape "
            f"{list(field.shape)}"
        ) from None


def _check_length(data: bytes) -> None:
    if len(data) < _LENGTH or int.from_bytes(data[:_LENGTH], "little") != len(data) - _LENGTH:
        raise DamagedFileError("the length of a row differs from its length in the index")
