"""Checkpoints as the parts that packages collect and read themselves, with their own names of data types."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from torchspore.common import dtype as mstype
from torchspore.common.conversion import share_numpy
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import AnyPath, checked
from torchspore.engine.storage.encryption import EncryptingFile, check_key, decrypted
from torchspore.engine.storage.files import DamagedFileError
from torchspore.engine.storage.writing import replacing
from torchspore.serialization.checkpoint_file import read_parts, write_parts
from torchspore.serialization.safetensors_file import write_safetensors
from torchspore.serialization.saving import Format
from torchspore.serialization.tensors import Stored, as_bytes

__all__: list[str] = []

# The data types by the titles that checkpoints have.
tensor_to_ms_type = {
    str(dtype): dtype
    for dtype in (
        *(mstype.int8, mstype.uint8, mstype.int16, mstype.uint16, mstype.int32, mstype.uint32, mstype.int64),
        *(mstype.uint64, mstype.float16, mstype.float32, mstype.float64, mstype.bool_, mstype.bfloat16),
    )
} | {"str": mstype.string}


def tensor_to_np_type(tensor_type_str: str) -> Any:
    """Return NumPy's data type for the title of a data type in a checkpoint; of strings its letter."""
    return "U" if tensor_type_str == "str" else mstype.dtype_to_nptype(tensor_to_ms_type[tensor_type_str])


_SAVE = "_exec_save"
_PARSE = "_parse_ckpt_proto"


@checked
def _exec_save(
    ckpt_file_name: AnyPath,
    data_list: dict[str, list[Any]],
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    map_param_inc: bool = False,
    crc_check: bool = False,
    format: Format = "ckpt",
    remove_redundancy: bool | None = None,
) -> None:
    """Write values that are given, by name, as sizes ([0] for none), name of the data type and data."""
    check_key(enc_key, enc_mode, "enc", _SAVE)
    with replacing(os.fspath(ckpt_file_name)) as file:
        if format == "safetensors":
            tensors: Stored = {name: _values(data).reshape(dims) for name, (dims, _, data) in data_list.items()}
            write_safetensors(_SAVE, file, tensors, crc_check)
            return
        sink = file if enc_key is None else EncryptingFile(file, enc_key, enc_mode)
        parts = ((name, list(dims), title, as_bytes(_values(data))) for name, (dims, title, data) in data_list.items())
        write_parts(sink, parts, crc_check)
        if isinstance(sink, EncryptingFile):
            sink.finish()


def _values(data: Any) -> torch.Tensor:
    if isinstance(data, np.ndarray):
        return share_numpy(data)
    if not isinstance(data, Tensor):
        raise TypeError(f"For '{_SAVE}', the data of a value must be an array or a Tensor, but got {describe(data)}.")
    return data._t


@checked
def _parse_ckpt_proto(
    ckpt_file_name: AnyPath, dec_key: bytes | None, dec_mode: str | None, crc_check: bool | None = False
) -> SimpleNamespace:
    """Return the entries of a checkpoint as `value`: each has a `tag` and a `tensor` with the members of the file.

    Raises:
        ValueError: the file cannot be read, or is not a checkpoint.
    """
    check_key(dec_key, dec_mode or "AES-GCM", "dec", _PARSE)
    try:
        with open(ckpt_file_name, "rb") as file:
            content = file if dec_key is None else decrypted(file, dec_key, dec_mode or "AES-GCM")
            parts = read_parts(content, bool(crc_check))
    except (OSError, DamagedFileError) as error:
        raise ValueError(f"For '{_PARSE}', '{ckpt_file_name}' cannot be read: {error}.") from error
    return SimpleNamespace(value=[_entry(*part) for part in parts])


def _entry(name: str, dims: list[int], title: str, content: bytes) -> SimpleNamespace:
    return SimpleNamespace(tag=name, tensor=SimpleNamespace(dims=dims, tensor_type=title, tensor_content=content))
