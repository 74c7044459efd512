"""Tensors in ONNX files: their types, and their bytes, in the file or beside it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from torchspore.engine.exported_graph import NotReadable

if TYPE_CHECKING:
    from onnx import TensorProto

__all__ = ["DTYPES", "Folder", "dtype_of", "tensor_of"]

# The format's numbers of torch's types; 0 is not a type.
DTYPES = {
    1: torch.float32, 2: torch.uint8, 3: torch.int8, 4: torch.uint16, 5: torch.int16, 6: torch.int32, 7: torch.int64,
    9: torch.bool, 10: torch.float16, 11: torch.float64, 12: torch.uint32, 13: torch.uint64, 14: torch.complex64,
    15: torch.complex128, 16: torch.bfloat16, 17: torch.float8_e4m3fn, 18: torch.float8_e4m3fnuz,
    19: torch.float8_e5m2, 20: torch.float8_e5m2fnuz,
}  # fmt: skip
_HALF_BYTES = {21: torch.uint8, 22: torch.int8}  # numbers of four bits, which are held in bytes
_FROM_BYTES = {torch.bfloat16: np.int16} | dict.fromkeys([DTYPES[number] for number in range(17, 21)], np.uint8)
_EXTERNAL = 1
_MAX_EXPANSION = 4  # how often the bytes of another file may be read


def dtype_of(number: int) -> torch.dtype:
    """Return torch's type for a number of the format.

    Raises:
        NotReadable: there is none.
    """
    if number not in DTYPES:
        raise NotReadable(f"it uses the data type {_type_name(number)}, which tensors here do not have")
    return DTYPES[number]


def _type_name(number: int) -> str:
    from onnx import TensorProto

    return TensorProto.DataType.Name(number) if number in TensorProto.DataType.values() else str(number)


def tensor_of(proto: TensorProto, folder: Folder) -> torch.Tensor:
    """Return a tensor of a file, on the CPU.

    Args:
        proto: its description.
        folder: the folder that may have files with bytes of tensors.

    Raises:
        NotReadable: the type, the shape and the bytes do not match.
    """
    from onnx import TensorProto, numpy_helper

    number = proto.data_type
    dtype = _HALF_BYTES[number] if number in _HALF_BYTES else dtype_of(number)
    if min(proto.dims, default=0) < 0:
        raise NotReadable(f"its tensor '{proto.name:.100}' has the shape {list(proto.dims)}")
    if proto.data_location == _EXTERNAL or proto.external_data:
        inner = TensorProto(dims=proto.dims, data_type=number, name=proto.name, raw_data=folder.bytes_of(proto))
    else:
        inner = proto
    try:
        if dtype in _FROM_BYTES:
            return _from_bytes(inner, dtype)
        array: Any = numpy_helper.to_array(inner)
    except Exception as error:
        raise NotReadable(f"its tensor '{proto.name:.100}' is damaged ({error!s:.200})") from error
    if number in _HALF_BYTES:
        array = array.astype(np.int8 if dtype is torch.int8 else np.uint8)
    elif dtype is torch.bool:
        array = array.view(np.uint8) != 0
    return torch.from_numpy(np.array(array, order="C"))


def _from_bytes(proto: TensorProto, dtype: torch.dtype) -> torch.Tensor:
    """Return a tensor of a type that NumPy does not have."""
    kind = _FROM_BYTES[dtype]
    if proto.HasField("raw_data"):
        array = np.frombuffer(proto.raw_data, kind)
    else:
        array = np.array(proto.int32_data, np.int64).astype(kind)
    return torch.from_numpy(array.reshape(tuple(proto.dims)).copy()).view(dtype)


class Folder:
    """The folder of a model, which may have files with bytes of its tensors.

    Args:
        path: its path.
    """

    def __init__(self, path: str) -> None:
        self._path = os.path.realpath(path)
        self._bytes_left: dict[str, int] = {}  # by the file

    def bytes_of(self, proto: TensorProto) -> bytes:
        """Return the bytes of a tensor from another file.

        Raises:
            NotReadable: there are none, or the file is not in the folder.
        """
        what = f"its tensor '{proto.name:.100}'"
        described = {entry.key: entry.value for entry in proto.external_data}
        location = described.get("location", "")
        path = self._inside(location, what)
        size = os.path.getsize(path)
        try:
            offset = int(described.get("offset", "0"))
            length = int(described.get("length", str(size - offset)))
        except ValueError as error:
            raise NotReadable(f"{what} has the position {described!r:.200}") from error
        if offset < 0 or length < 0 or offset + length > size:
            raise NotReadable(
                f"{what} is at the bytes {offset} to {offset + length} of '{location!s:.200}', which has {size}"
            )
        self._bytes_left[path] = self._bytes_left.get(path, _MAX_EXPANSION * size) - length
        if self._bytes_left[path] < 0:
            raise NotReadable(
                f"{what} and others take more than {_MAX_EXPANSION} times the bytes of '{location!s:.200}'"
            )
        with open(path, "rb") as file:
            file.seek(offset)
            return file.read(length)

    def _inside(self, location: str, what: str) -> str:
        """Return the path of a file in the folder."""
        parts = location.replace("\\", "/").split("/")
        if not location or os.path.isabs(location) or ":" in parts[0] or ".." in parts or "\0" in location:
            raise NotReadable(f"{what} is in '{location!s:.200}', which is not inside its folder")
        path = os.path.realpath(os.path.join(self._path, *parts))
        if os.path.commonpath([path, self._path]) != self._path:
            raise NotReadable(f"{what} is in '{location!s:.200}', a link out of its folder")
        if not os.path.isfile(path):
            raise NotReadable(f"{what} is in '{location!s:.200}', and there is no such file")
        return path
