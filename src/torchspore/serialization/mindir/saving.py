"""MINDIR files on the disk: one, or a graph and a folder with its weights."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

import torch

from torchspore.engine.storage.writing import replacing
from torchspore.serialization.tensors import as_bytes

__all__ = ["save_mindir"]

_SUFFIX = ".mindir"
_MAX_TOGETHER = 2**30  # bytes of weights; MindSpore writes more into a folder beside the graph, too
_ALIGNMENT = 64
_LITTLE_ENDIAN = b"\1"  # how a file of weights begins


def save_mindir(
    model: Any,
    weights: Sequence[tuple[Any, torch.Tensor]],
    path: str,
    encrypt: Callable[[bytes], bytes | memoryview] | None,
    api: str,
) -> None:
    """Write a message and its weights to `path`; if they are large, to NAME_graph.mindir and NAME_variables/data_0.

    Args:
        model: the message.
        weights: the tensors' messages, without bytes, and the tensors.
        path: the file, NAME.mindir.
        encrypt: returns the bytes to write in place of others. Default: None.
        api: the name in messages.

    Raises:
        ValueError: the weights are too large to be encrypted.
    """
    if sum(tensor.nbytes for _, tensor in weights) <= _MAX_TOGETHER:
        for message, tensor in weights:
            message.raw_data = bytes(as_bytes(tensor))
        content = model.SerializeToString()
        with replacing(path) as file:
            file.write(content if encrypt is None else encrypt(content))
        return
    if encrypt is not None:
        raise ValueError(f"For '{api}', 'enc_key' is not supported for weights of more than 1 GiB. Leave it out.")
    name = path.removesuffix(_SUFFIX)
    folder = f"{name}_variables"
    # The old graph keeps its weights until the new one replaces it.
    os.makedirs(folder, exist_ok=True)
    paths = (os.path.join(folder, f"data_{number}") for number in count())
    data = next(each for each in paths if not os.path.exists(each))
    try:
        _write_weights(weights, data)
        with replacing(f"{name}_graph{_SUFFIX}") as file:
            file.write(model.SerializeToString())
    except BaseException:
        with suppress(OSError):
            os.remove(data)
        with suppress(OSError):  # it has others
            os.rmdir(folder)
        raise
    for other in os.listdir(folder):
        if re.fullmatch(r"data_\d+", other) and other != os.path.basename(data):
            os.remove(os.path.join(folder, other))


def _write_weights(weights: Sequence[tuple[Any, torch.Tensor]], path: str) -> None:
    """Write tensors to a file, and their places into their messages."""
    location = "/".join(path.split(os.sep)[-2:])
    with replacing(path) as file:
        file.write(_LITTLE_ENDIAN)
        for message, tensor in weights:
            file.write(bytes(-file.tell() % _ALIGNMENT))
            message.external_data.location = location
            message.external_data.offset = file.tell()
            message.external_data.length = tensor.nbytes
            file.write(as_bytes(tensor))
        file.write(bytes(-file.tell() % _ALIGNMENT))
