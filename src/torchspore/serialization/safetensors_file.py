"""The safetensors format.

A file is the length of a header (8 bytes, little endian), the header, which is JSON, and the bytes of the tensors. We
write it ourselves, one tensor after another into the file from `replacing`, whatever their layout. The package checks
the header when a file is read.
"""

from __future__ import annotations

import importlib.util
import json
import os
import zlib
from collections.abc import Callable
from operator import itemgetter
from typing import Any, BinaryIO

import torch

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.frames.user_lines import warn_user
from torchspore.engine.storage.files import NO_CRC, WRONG_CRC, DamagedFileError, Sink, checksum, read
from torchspore.serialization.tensors import Described, Stored, as_bytes, check_bools, naming, read_tensors

__all__ = ["map_safetensors", "read_safetensors", "write_safetensors"]

_NAMES = {
    torch.bool: "BOOL", torch.uint8: "U8", torch.int8: "I8", torch.uint16: "U16", torch.int16: "I16",
    torch.uint32: "U32", torch.int32: "I32", torch.uint64: "U64", torch.int64: "I64", torch.float16: "F16",
    torch.bfloat16: "BF16", torch.float32: "F32", torch.float64: "F64", torch.float8_e4m3fn: "F8_E4M3",
    torch.float8_e5m2: "F8_E5M2", torch.complex64: "C64",
}  # fmt: skip

_DTYPES = {name: dtype for dtype, name in _NAMES.items()}

_LENGTH = 8
_ALIGNMENT = 8
_METADATA = "__metadata__"
_CRC = "crc_num"


def write_safetensors(api: str, file: Sink, values: Stored, crc_check: bool = False, framework: str = "ms") -> None:
    """Write tensors, those with the largest elements first, as the package does, so that all are aligned.

    Args:
        api: the function that the user called.
        file: the destination of the bytes.
        values: tensors by name.
        crc_check: whether to add a CRC-32 of the tensors to the header. Default: False.
        framework: the framework that the header names: "ms" or "pt". Default: "ms".

    Raises:
        ValueError: a value is a string, has a data type that the format lacks, or has a reserved name.
    """
    tensors = sorted(_tensors(api, values), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    metadata = {"format": framework}
    if crc_check:
        metadata[_CRC] = str(_crc(tensors))
    header: dict[str, object] = {_METADATA: metadata}
    end = 0
    for name, tensor in tensors:
        start, end = end, end + tensor.numel() * tensor.dtype.itemsize
        header[name] = {"dtype": _NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    file.write(len(text).to_bytes(_LENGTH, "little") + text)
    for _, tensor in tensors:
        file.write(as_bytes(tensor))


def _crc(tensors: list[tuple[str, torch.Tensor]]) -> int:
    """Return the CRC-32 of names and tensors in the order of the names, as MindSpore does."""
    result = 0
    for name, tensor in sorted(tensors, key=itemgetter(0)):
        result = zlib.crc32(as_bytes(tensor), zlib.crc32(name.encode(), result))
    return result


def _tensors(api: str, values: Stored) -> list[tuple[str, torch.Tensor]]:
    """Return the values, which must be tensors that the format can hold."""
    result = []
    for name, value in values.items():
        if name == _METADATA:
            raise ValueError(f"For '{api}', the name '{_METADATA}' is reserved in safetensors files.")
        kind = "strings" if isinstance(value, str) else FROM_TORCH[value.dtype].name
        if isinstance(value, str) or value.dtype not in _NAMES:
            raise ValueError(f"For '{api}', safetensors files hold no {kind}, as '{name}' is: use 'ckpt'.")
        result.append((name, value))
    return result


def read_safetensors(file: BinaryIO, wanted: Callable[[str], bool], crc_check: bool = False) -> Stored:
    """Return the tensors of a file.

    Args:
        file: an open file with a name.
        wanted: whether to return the value of a name.
        crc_check: whether a CRC-32 must be in the header, and match. Default: False.

    Raises:
        DamagedFileError: the file is incomplete, or not in this format.
        ModuleNotFoundError: the package safetensors is missing.
    """
    header, start = _checked_header(file)
    metadata = header.pop(_METADATA, {})
    positions = {name: range(*(start + offset for offset in header[name]["data_offsets"])) for name in sorted(header)}
    if crc_check:
        _check_crc(file, metadata.get(_CRC), positions)
    described = {name: _described(name, header[name], position) for name, position in positions.items() if wanted(name)}
    return {**read_tensors(file, described)}


def map_safetensors(path: str) -> dict[str, torch.Tensor]:
    """Return the tensors of a file as parts of its mapped memory: bytes are read when a tensor is used.

    Raises:
        DamagedFileError: the file is incomplete, or not in this format.
        ModuleNotFoundError: the package safetensors is missing.
    """
    with open(path, "rb") as file:
        header, start = _checked_header(file)
    header.pop(_METADATA, None)
    size = os.path.getsize(path)
    content = torch.from_file(path, shared=False, size=size, dtype=torch.uint8)
    result = {}
    for name, entry in header.items():
        first, end = (start + offset for offset in entry["data_offsets"])
        if end > size:
            raise DamagedFileError(f"of '{name}', bytes are missing")
        dims, dtype, _ = _described(name, entry, range(first, end))
        part = content[first:end] if first % dtype.itemsize == 0 else content[first:end].clone()
        result[name] = part.view(dtype).reshape(dims)
        with naming(name):
            check_bools(result[name])
    return result


def _checked_header(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """Return the header, checked against the file by the package, and the position after it."""
    if importlib.util.find_spec("safetensors") is None:
        raise ModuleNotFoundError(
            "Reading safetensors files needs the package safetensors: pip install 'torchspore[safetensors]'."
        )
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file.name, framework="np"):
            pass
    except SafetensorError as error:
        raise DamagedFileError(str(error)) from error
    start = _LENGTH + int.from_bytes(read(file, range(_LENGTH)), "little")
    return json.loads(read(file, range(_LENGTH, start))), start


def _described(name: str, entry: dict[str, Any], position: range) -> Described:
    dtype = _DTYPES.get(entry["dtype"])
    if dtype is None:
        raise DamagedFileError(f"the data type {entry['dtype']} of '{name}' is not supported")
    return Described(entry["shape"], dtype, [position])


def _check_crc(file: BinaryIO, expected: str | None, positions: dict[str, range]) -> None:
    """Check the CRC-32 of names and tensors, if there is one; `positions` are in the order of the names."""
    if expected is None:
        warn_user(NO_CRC)
        return
    crc = 0
    for name, position in positions.items():
        crc = checksum(file, position, zlib.crc32(name.encode(), crc))
    if expected != str(crc):
        raise DamagedFileError(WRONG_CRC)
