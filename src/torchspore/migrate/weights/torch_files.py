"""Reading files of weights that torch programs write: pickles, safetensors, and folders of several files.

Nothing in a file is executed. The tensors are parts of the mapped file where the format allows, so a file takes memory
only for the pages that are read.
"""

from __future__ import annotations

import glob
import os
import re
import warnings
import zipfile
from collections.abc import Mapping
from typing import Any

import torch

from torchspore.engine.failures.errors import describe
from torchspore.engine.storage.reading import check_regular, read_json
from torchspore.serialization.safetensors_file import map_safetensors

__all__ = ["read_torch_weights", "state_dict_in"]

_INDEX = ".index.json"
_NESTED = ("state_dict", "model_state_dict", "model", "module", "net", "network", "params", "weights")
_SHOWN = 5
_IN_FOLDERS = (f"*.safetensors{_INDEX}", "model.safetensors", f"*.bin{_INDEX}", "pytorch_model.bin", "*.safetensors",
               "*.bin", "*.pth", "*.pt")  # fmt: skip

State = dict[str, torch.Tensor]


def read_torch_weights(path: str, api: str) -> State:
    """Return the tensors of a file or a folder by name.

    Raises:
        ValueError: there is none, it is damaged, or it needs more than weights.
    """
    try:
        return _read(_file_in(path) if os.path.isdir(path) else path, api)
    except (OSError, ValueError) as error:
        if str(error).startswith("For '"):
            raise
        raise ValueError(f"For '{api}', '{path}' cannot be loaded: {_text(error)}.") from error


def _read(path: str, api: str) -> State:
    if path.endswith(_INDEX):
        return _read_shards(path, api)
    check_regular(path)
    if path.endswith(".safetensors"):
        return map_safetensors(path)
    return state_dict_in(_unpickled(path), api, path)


def _text(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) and error.strerror else str(error)).rstrip(".")


# Folders


def _file_in(folder: str) -> str:
    """Return the file of weights, or the index of several, in a folder as published on Hugging Face."""
    for pattern in _IN_FOLDERS:
        found = glob.glob(os.path.join(glob.escape(folder), pattern))
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(sorted(map(os.path.basename, found))[:_SHOWN])
            raise ValueError(f"the folder has several files of weights without an index: {names}; give one of them")
    raise ValueError("the folder has no .safetensors, .bin, .pth or .pt file")


def _read_shards(path: str, api: str) -> State:
    """Return the tensors of all files that an index names."""
    weight_map = read_json(path, dict).get("weight_map")
    if not isinstance(weight_map, dict) or not all(isinstance(name, str) for name in weight_map.values()):
        raise ValueError("the index must have a 'weight_map' from names to files")
    folder, files = os.path.dirname(path), sorted(set(weight_map.values()))
    if outside := [name for name in files if not _is_plain(name)]:
        raise ValueError(f"the index may only name files beside it, but names {outside[0]!r}")
    if missing := [name for name in files if not os.path.isfile(os.path.join(folder, name))]:
        raise ValueError(f"{len(missing)} of {len(files)} files are missing: {', '.join(missing[:_SHOWN])}")
    shards = {name: _read(os.path.join(folder, name), api) for name in files}
    if absent := [f"'{name}' in '{file}'" for name, file in weight_map.items() if name not in shards[file]]:
        raise ValueError(f"the index names tensors that are not there: {', '.join(absent[:_SHOWN])}")
    return {name: shards[file][name] for name, file in weight_map.items()}


def _is_plain(name: str) -> bool:
    """Return whether a file name has no folder, on any system, and no other meaning."""
    return bool(re.fullmatch(r"[^/\\:\0]+", name)) and name not in (".", "..") and not name.endswith(_INDEX)


# Pickles


def _unpickled(path: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the archive looks like TorchScript: it is refused
        try:
            return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
        except Exception as error:
            raise ValueError(_reason(str(error))) from None


def _reason(text: str) -> str:
    """Return why torch refuses a file."""
    if "TorchScript" in text:
        return "it is a TorchScript program: load it by torch.jit.load and give its state_dict()"
    found = re.search(r"(?:GLOBAL|type|class|instantiate) ([\w.]*\.\w+)", text)
    if "weights_only" in text and found:
        return (
            f"it needs more than weights, '{found[1]}', and so could run any code. If you trust it, load it by "
            "torch.load(path, weights_only=False) and give the state_dict in it"
        )
    return "it is damaged, or not a file of torch (" + re.split(r"[.\n]", text, maxsplit=1)[0][:200] + ")"


def state_dict_in(value: Any, api: str, source: str) -> State:
    """Return the tensors by name of what a file holds: a dictionary of tensors, or of such ones.

    Raises:
        ValueError: it has no tensors, or several dictionaries of tensors of which none has a usual name.
    """
    if isinstance(value, torch.nn.Module):
        return value.state_dict()
    if isinstance(value, Mapping):
        if tensors := _tensors(value):
            return tensors
        inner = {key: found for key, part in value.items() if isinstance(part, Mapping) and (found := _tensors(part))}
        usual = [key for key in _NESTED if key in inner] or list(inner)
        if len(inner) == 1 or (usual and usual[0] in _NESTED):
            return inner[usual[0]]
        if inner:
            raise ValueError(
                f"For '{api}', '{source}' has several dictionaries of tensors: {', '.join(map(repr, inner))}. Load it "
                "by torch.load and give one of them."
            )
    raise ValueError(f"For '{api}', '{source}' has no tensors by name, but holds {describe(value)}.")


def _tensors(mapping: Mapping[Any, Any]) -> State:
    return {name: value for name, value in mapping.items() if isinstance(name, str) and isinstance(value, torch.Tensor)}
