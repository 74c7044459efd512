"""Saving checkpoints."""

from __future__ import annotations

import functools
import logging
import math
import os
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import torch

from torchspore.common.conversion import share_numpy
from torchspore.common.frames.user_lines import warn_of_unknown
from torchspore.common.generator import Generator
from torchspore.common.parameter import Parameter
from torchspore.common.scopes.scope import concrete
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import AnyNumber, AnyPath, Where, checked
from torchspore.engine.storage.encryption import EncryptingFile, check_key
from torchspore.engine.storage.writing import replacing
from torchspore.nn.cell import Cell
from torchspore.serialization import background
from torchspore.serialization.checkpoint_file import write_checkpoint
from torchspore.serialization.safetensors_file import write_safetensors
from torchspore.serialization.tensors import Stored

__all__ = ["Format", "save_checkpoint", "write_file"]

_log = logging.getLogger(__name__)

_API = "save_checkpoint"
Format: TypeAlias = Literal["ckpt", "safetensors"]
_FileName: TypeAlias = Annotated[AnyPath, Where("a path that is not empty", os.fspath)]
_Array: TypeAlias = np.ndarray | np.generic
_Value: TypeAlias = Tensor | AnyNumber | str
_Named: TypeAlias = Annotated[
    dict[str, Any],
    Where(
        "a dict with a 'name' and a Tensor as 'data'",
        lambda entry: isinstance(entry.get("name"), str) and isinstance(entry.get("data"), Tensor),
        TypeError,
    ),
]
_FLOAT32_MAX = torch.finfo(torch.float32).max
_INT64 = torch.iinfo(torch.int64)


@checked
def save_checkpoint(
    save_obj: Cell | list[Parameter | _Named] | dict[str, _Array | _Value],
    ckpt_file_name: _FileName,
    integrated_save: bool = True,
    async_save: bool | Literal["thread", "process"] = False,
    append_dict: dict[str, _Value | Generator] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    format: Format = "ckpt",
    *,
    remove_redundancy: bool = False,
    incremental: bool = False,
    **kwargs: Any,
) -> None:
    """Save parameters to a file that MindSpore also reads.

    The file appears whole or not at all: an interrupted program leaves the old file unchanged.

    Args:
        save_obj: a Cell; a list of parameters, or of dictionaries with a "name" and "data"; or a dictionary of
            parameters, tensors, NumPy arrays, numbers and strings. Of values with the same name the last one counts.
        ckpt_file_name: the file; a missing suffix of the format is added. The folder must exist.
        integrated_save: whether slices on several devices are joined; on one device there are none. Default: True.
        async_save: whether the values are copied and written in the background; "thread" and "process" mean True. A
            failure is logged, and raised by the next `save_checkpoint`. Default: False.
        append_dict: further values by name: numbers, strings, tensors, and generators, whose state is saved.
            Default: None.
        enc_key: 16, 24 or 32 bytes to encrypt the file with. Default: None, not encrypted.
        enc_mode: "AES-GCM", "AES-CBC" or "SM4-CBC". Default: "AES-GCM".
        choice_func: a function of a name that returns whether to save that value of `save_obj`. Default: None, all.
        crc_check: whether to add a checksum for `load_checkpoint`. Default: False.
        format: "ckpt" or "safetensors". Default: "ckpt".
        remove_redundancy: accepted; on one device there is nothing to remove. Default: False.
        incremental: accepted; it concerns map parameters, which TorchSpore does not have. Default: False.
        kwargs: others give a warning and have no effect.

    Raises:
        TypeError: an argument, or a value to save, has a wrong type.
        ValueError: `format` or `enc_mode` is unknown, the key's length is wrong, `enc_key` comes with `crc_check` or
            with safetensors, or safetensors cannot hold a value.
        ModuleNotFoundError: encryption needs the package cryptography.
        OSError: the file cannot be written.
        RuntimeError: the previous save, in the background, failed.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.save_checkpoint(ms.nn.Dense(2, 1), f"{folder}/dense.ckpt", append_dict={"epoch": 3})
        ...     print(ms.load_checkpoint(f"{folder}/dense.ckpt")["epoch"].asnumpy())
        3
    """
    warn_of_unknown(kwargs, _API, ("remove_redundancy", "incremental"))
    check_key(enc_key, enc_mode, "enc", _API)
    if enc_key is not None and (crc_check or format != "ckpt"):
        conflicting = "crc_check=True" if crc_check else f"format='{format}'"
        raise ValueError(f"For '{_API}', 'enc_key' cannot be combined with {conflicting}. Leave one of them out.")
    path = _with_ending(ckpt_file_name, format)
    values = {name: value for name, value in _collected(save_obj).items() if choice_func is None or choice_func(name)}
    values |= {name: _stored(value) for name, value in (append_dict or {}).items()}
    background.wait(report=True)
    if async_save:
        copies = {k: v if isinstance(v, str) else v.detach().to("cpu", copy=True) for k, v in values.items()}
        write = functools.partial(write_file, _API, path, copies, format, crc_check, enc_key, enc_mode)
        background.start(write, path)
    else:
        write_file(_API, path, values, format, crc_check, enc_key, enc_mode)


def write_file(
    api: str,
    path: str,
    values: Stored,
    format: str,
    crc_check: bool = False,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
) -> None:
    """Write a file in either format, whole or not at all."""
    with replacing(path) as file:
        if format == "safetensors":
            write_safetensors(api, file, values, crc_check)
        elif enc_key is None:
            write_checkpoint(file, values, crc_check)
        else:
            encrypting = EncryptingFile(file, enc_key, enc_mode)
            write_checkpoint(encrypting, values)
            encrypting.finish()


# What to save


def _collected(save_obj: Any) -> Stored:
    """Return the values of `save_obj` by name."""
    if isinstance(save_obj, dict):
        return {name: _stored(value) for name, value in save_obj.items()}
    named = [
        (each["name"], each["data"]) if isinstance(each, dict) else (each.name, each)
        for each in (save_obj if isinstance(save_obj, list) else save_obj.get_parameters())
    ]
    return _by_name([(name, _stored(value)) for name, value in named])


def _by_name(values: list[tuple[str, torch.Tensor | str]]) -> Stored:
    """Return the values by name; of the same name, the last one, as in MindSpore."""
    result = dict(values)
    if len(result) < len(values):
        names = [name for name, count in Counter(name for name, _ in values).items() if count > 1]
        _log.warning("%s: of several values with the same name, only the last one is saved: %s", _API, ", ".join(names))
    return result


def _stored(value: Any) -> torch.Tensor | str:
    """Return the stored form of a value: as in MindSpore, an int as int64 and a float as float32."""
    if isinstance(value, str):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return share_numpy(np.array(value))
    if isinstance(value, Generator):
        value = value.get_state()
    if isinstance(value, Tensor):
        if value.has_init:
            value.init_data()
        return concrete(value).detach()
    if isinstance(value, float):
        fits = abs(value) <= _FLOAT32_MAX or not math.isfinite(value)
        return torch.tensor(value, dtype=torch.float32 if fits else torch.float64)
    if not _INT64.min <= value <= _INT64.max:
        raise ValueError(f"For '{_API}', ints must fit in 64 bits, but got {value}. Save it as a string.")
    return torch.tensor(value, dtype=torch.bool if isinstance(value, bool) else torch.int64)


def _with_ending(path: AnyPath, format: str) -> str:
    full = os.path.realpath(path)
    return full if full.endswith(format) else f"{full}.{format}"
