"""MindSpore's checkpoint format.

A file is a protocol buffer message: field 1, repeated, is an entry with a name (field 1) and a tensor (field 2), which
has the sizes (field 1, repeated), the name of the data type (field 2) and the bytes (field 3). A tensor of more than
512 MiB is split into several entries of the same name, type and sizes. A string is an entry of type `str` whose bytes
are UTF-32. The message may be followed by its CRC-32.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import torch

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.frames.user_lines import warn_user
from torchspore.engine.storage.files import NO_CRC, WRONG_CRC, DamagedFileError, Sink, checksum, length_of, read
from torchspore.serialization.tensors import Described, Stored, as_bytes, naming, read_tensors
from torchspore.serialization.wire import bytes_header, fields, read_varint, varint_field

__all__ = ["read_checkpoint", "read_parts", "write_checkpoint", "write_parts"]

_ENTRY = 1
_NAME, _TENSOR, _MAP_TENSOR = 1, 2, 3
_DIM, _TYPE, _CONTENT = 1, 2, 3

_PIECE = 512 * 2**20
_STRING = "str"
_CRC_MARK = b"crc_num"
_CRC_BYTES = 10

# Far more than any tensor has.
_MAX_DIMS = 64

_DTYPES = {dtype.title: torch_dtype for torch_dtype, dtype in FROM_TORCH.items()}


# Writing


def write_checkpoint(file: Sink, values: Stored, crc_check: bool = False) -> None:
    """Write a checkpoint, one tensor after another.

    Args:
        file: the destination of the bytes.
        values: tensors and strings by name.
        crc_check: whether to append a CRC-32. Default: False.
    """
    write_parts(file, ((name, *_parts(value)) for name, value in values.items()), crc_check)


def write_parts(file: Sink, parts: Iterable[tuple[str, list[int], str, memoryview]], crc_check: bool = False) -> None:
    """Write values of which each has a name, sizes, the name of a data type, and bytes."""
    crc = 0
    for name, dims, type_name, content in parts:
        for part in _entries(name, dims, type_name, content):
            file.write(part)
            if crc_check:
                crc = zlib.crc32(part, crc)
    if crc_check:
        file.write(_CRC_MARK + crc.to_bytes(_CRC_BYTES, "big"))


def _parts(value: torch.Tensor | str) -> tuple[list[int], str, memoryview]:
    if isinstance(value, str):
        return [0], _STRING, memoryview((value or "\0").encode("utf-32-le"))
    return list(value.shape), FROM_TORCH[value.dtype].title, as_bytes(value)


def _entries(name: str, dims: list[int], type_name: str, content: memoryview) -> Iterator[bytes | memoryview]:
    """Yield the bytes of a value's entries."""
    encoded, title = name.encode(), type_name.encode()
    front = b"".join(varint_field(_DIM, dim) for dim in dims) + bytes_header(_TYPE, len(title)) + title
    named = bytes_header(_NAME, len(encoded)) + encoded
    for start in range(0, max(len(content), 1), _PIECE):
        piece = content[start : start + _PIECE]
        before = front + bytes_header(_CONTENT, len(piece))
        head = named + bytes_header(_TENSOR, len(before) + len(piece)) + before
        yield bytes_header(_ENTRY, len(head) + len(piece)) + head
        yield piece


# Reading


def read_parts(file: BinaryIO, crc_check: bool = False) -> list[tuple[str, list[int], str, bytes]]:
    """Return the entries of a checkpoint in order: names, sizes, names of data types, and bytes."""
    return [
        (name, entry.dims, entry.type_name, b"".join(read(file, piece) for piece in entry.pieces))
        for name, entry in _read_entries(file, crc_check)
    ]


@dataclass
class _Entry:
    """A tensor or a string in the file; the bytes are not read yet."""

    dims: list[int]
    type_name: str
    pieces: list[range]

    def described(self) -> Described:
        """Return the tensor's description with torch's data type."""
        dtype = _DTYPES.get(self.type_name)
        if dtype is None:
            raise DamagedFileError(f"its data type '{self.type_name}' is not one of {', '.join(_DTYPES)}, {_STRING}")
        # Earlier versions of MindSpore wrote scalars with a size 0.
        is_old_scalar = self.dims == [0] and sum(map(len, self.pieces)) == dtype.itemsize
        return Described([] if is_old_scalar else self.dims, dtype, self.pieces)


def read_checkpoint(file: BinaryIO, wanted: Callable[[str], bool], crc_check: bool = False) -> Stored:
    """Return the tensors and strings of a checkpoint.

    Args:
        file: a file that can be read.
        wanted: whether to return the value of a name; the bytes of the others are not read.
        crc_check: whether the CRC-32 at the end must match; a file without one gets a warning. Default: False.

    Raises:
        DamagedFileError: the file is incomplete or is not a checkpoint.
    """
    result: Stored = {}
    tensors: dict[str, Described] = {}
    for name, entry in _joined_entries(file, crc_check).items():
        if wanted(name):
            with naming(name):
                result[name] = ""  # keeps the place of a tensor
                if entry.type_name == _STRING:
                    content = b"".join(read(file, piece) for piece in entry.pieces)
                    result[name] = _text(content, "utf-32-le").rstrip("\0")
                else:
                    tensors[name] = entry.described()
    return result | read_tensors(file, tensors)


def _joined_entries(file: BinaryIO, crc_check: bool) -> dict[str, _Entry]:
    """Return the entries of a file by name, with entries of the same name joined."""
    entries: dict[str, _Entry] = {}
    for name, entry in _read_entries(file, crc_check):
        known = entries.setdefault(name, entry)
        if known is entry:
            continue
        if (known.dims, known.type_name) != (entry.dims, entry.type_name):
            raise DamagedFileError(f"two entries '{name}' differ in shape or type")
        known.pieces += entry.pieces
    return entries


def _read_entries(file: BinaryIO, crc_check: bool) -> Iterator[tuple[str, _Entry]]:
    position, end = 0, length_of(file)
    while position < end:
        mark = read(file, range(position, min(position + len(_CRC_MARK), end)))
        if end - position == len(_CRC_MARK) + _CRC_BYTES and mark == _CRC_MARK:
            crc = int.from_bytes(read(file, range(end - _CRC_BYTES, end)), "big")
            if crc_check and checksum(file, range(position)) != crc:
                raise DamagedFileError(WRONG_CRC)
            return
        if mark[0] != bytes_header(_ENTRY, 0)[0]:
            raise DamagedFileError(f"it has no entry of a checkpoint at byte {position}")
        length, position = read_varint(file, position + 1, end)
        if length > end - position:
            raise DamagedFileError(
                f"it is cut short: {length} bytes should follow byte {position}, but {end - position} do"
            )
        yield _entry(file, range(position, position + length))
        position += length
    if crc_check:
        warn_user(NO_CRC)


def _entry(file: BinaryIO, message: range) -> tuple[str, _Entry]:
    members, _ = _members(file, message)
    if _MAP_TENSOR in members:
        raise DamagedFileError("it has a map parameter, which is not supported")
    if _NAME not in members or _TENSOR not in members:
        raise DamagedFileError("an entry has no name or no tensor")
    name = _text(read(file, members[_NAME]), "utf-8")
    inside, dims = _members(file, members[_TENSOR])
    if _TYPE not in inside or _CONTENT not in inside:
        raise DamagedFileError(f"the tensor '{name}' has no data type or no content")
    return name, _Entry(dims, _text(read(file, inside[_TYPE]), "utf-8"), [inside[_CONTENT]])


def _members(file: BinaryIO, message: range) -> tuple[dict[int, range], list[int]]:
    """Return the positions of the fields that hold bytes, by number, and the values of field 1."""
    members: dict[int, range] = {}
    numbers = []
    for number, value in fields(file, message):
        if isinstance(value, int):
            if number == _DIM:
                numbers.append(value)
        elif members.setdefault(number, value) is not value:
            raise DamagedFileError(f"the field {number} is there twice")
    if len(numbers) > _MAX_DIMS:
        raise DamagedFileError(f"a tensor has {len(numbers)} dimensions, but at most {_MAX_DIMS} are possible")
    return members, numbers


def _text(content: bytes, encoding: str) -> str:
    try:
        return str(content, encoding)
    except UnicodeDecodeError:
        raise DamagedFileError(f"a text in it is not {encoding.upper()}") from None
