"""Conversion of checkpoints between formats."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from torchspore.engine.parameters import Positive, checked
from torchspore.serialization.loading import read_file
from torchspore.serialization.saving import write_file

__all__ = ["ckpt_to_safetensors", "safetensors_to_ckpt"]


@checked
def ckpt_to_safetensors(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[Any, Any] | None = None,
    file_name_regex: str | None = None,
    processes_num: Positive = 1,
) -> None:
    """Write the tensors of checkpoints into safetensors files.

    Args:
        file_path: a `.ckpt` file, or a folder: all such files in it and its subfolders.
        save_path: the folder of the new files, made if it does not exist; subfolders are kept. Default: None, beside
            the old files.
        name_map: new names of tensors by their old names. Default: None, unchanged.
        file_name_regex: in a folder, convert only files whose names this regular expression matches.
            Default: None, all.
        processes_num: the number of files that are converted in parallel. Default: 1.

    Raises:
        ValueError: there is no such file or folder, a file is damaged or has a string, which safetensors cannot hold,
            or two tensors would have the same name.
        ModuleNotFoundError: the package safetensors is missing, where files of that format are read.

    Examples:
        >>> import os, tempfile, torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.save_checkpoint(ms.nn.Dense(2, 1), f"{folder}/dense.ckpt")
        ...     ms.ckpt_to_safetensors(f"{folder}/dense.ckpt", name_map={"bias": "b"})
        ...     sorted(os.listdir(folder))
        ['dense.ckpt', 'dense.safetensors']
    """
    given = (file_path, save_path, name_map, file_name_regex, processes_num)
    _convert("ckpt_to_safetensors", "ckpt", "safetensors", *given)


@checked
def safetensors_to_ckpt(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[Any, Any] | None = None,
    file_name_regex: str | None = None,
    processes_num: Positive = 1,
) -> None:
    """Write the tensors of safetensors files into checkpoints.

    Args:
        file_path: a `.safetensors` file, or a folder: all such files in it and its subfolders.
        save_path, name_map, file_name_regex, processes_num: as for `ckpt_to_safetensors`, as are the errors.

    Examples:
        >>> import os, tempfile, torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.save_checkpoint(ms.nn.Dense(2, 1), f"{folder}/dense.safetensors", format="safetensors")
        ...     ms.safetensors_to_ckpt(folder, f"{folder}/new")
        ...     os.listdir(f"{folder}/new")
        ['dense.ckpt']
    """
    given = (file_path, save_path, name_map, file_name_regex, processes_num)
    _convert("safetensors_to_ckpt", "safetensors", "ckpt", *given)


def _convert(
    api: str,
    old: str,
    new: str,
    file_path: str,
    save_path: str | None,
    name_map: dict[Any, Any] | None,
    file_name_regex: str | None,
    threads: int,
) -> None:
    def convert(source: str, target: str) -> None:
        values = read_file(api, source, old, lambda name: True)
        renamed = {(name_map or {}).get(name, name): value for name, value in values.items()}
        if len(renamed) < len(values):
            raise ValueError(f"For '{api}', 'name_map' maps two values of '{source}' to the same name.")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        write_file(api, target, renamed, new)

    with ThreadPoolExecutor(threads) as pool:
        pairs = list(_pairs(api, f".{old}", f".{new}", file_path, save_path, file_name_regex))
        list(pool.map(convert, *zip(*pairs)))


def _pairs(
    api: str, old: str, new: str, file_path: str, save_path: str | None, file_name_regex: str | None
) -> Iterator[tuple[str, str]]:
    """Yield pairs of a file to read and the file to write."""
    if os.path.isfile(file_path):
        if not file_path.endswith(old):
            raise ValueError(f"For '{api}', 'file_path' must end with '{old}', but got '{file_path}'.")
        folder, name = os.path.split(os.path.abspath(file_path))
        yield file_path, os.path.join(os.path.abspath(save_path or folder), name.removesuffix(old) + new)
        return
    if not os.path.isdir(file_path):
        raise ValueError(f"For '{api}', there is no file or folder '{file_path}'.")
    found = False
    for folder, _, names in os.walk(file_path):
        target = os.path.abspath(os.path.join(save_path or file_path, os.path.relpath(folder, file_path)))
        for name in sorted(names):
            if name.endswith(old) and re.search(file_name_regex or "", name):
                found = True
                yield os.path.join(folder, name), os.path.join(target, name.removesuffix(old) + new)
    if not found:
        raise ValueError(f"For '{api}', the folder '{file_path}' has no '{old}' files that match 'file_name_regex'.")
