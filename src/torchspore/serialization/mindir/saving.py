"""MINDIR files on the disk: one, or a graph and a folder with its weights."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, BinaryIO, TypeAlias

import torch

from torchspore.engine.storage.writing import locked, replacing
from torchspore.serialization.tensors import as_bytes
from torchspore.serialization.wire import bytes_header

__all__ = ["Encrypt", "save_model"]

_SUFFIX = ".mindir"
_GRAPH = f"_graph{_SUFFIX}"
_MAX_TOGETHER = 2**30  # bytes of weights; MindSpore writes more into a folder beside the graph, too
_GRAPH_FIELD, _PARAMETER, _RAW_DATA = 7, 3, 9  # numbers of fields, as in `messages`
_ALIGNMENT = 64
_LITTLE_ENDIAN = b"\1"  # how a file of weights begins
Encrypt: TypeAlias = Callable[[bytes | memoryview], Any] | None


def save_model(
    model: Any,
    weights: Sequence[tuple[Any, torch.Tensor]],
    path: str,
    encrypt: Encrypt,
) -> None:
    """Write a message and its weights to `path`; if they are large, to NAME_graph.mindir and NAME_variables/data_0.

    Args:
        model: the message.
        weights: the tensors' messages, without bytes, and the tensors.
        path: the file, NAME.mindir.
        encrypt: returns the bytes to write in place of others; None to write them as they are.
    """
    if sum(tensor.nbytes for _, tensor in weights) <= _MAX_TOGETHER:
        with replacing(path) as file:
            if encrypt is None:
                _write_whole(model, weights, file)
            else:
                content = io.BytesIO()
                _write_whole(model, weights, content)
                file.write(encrypt(content.getbuffer()))
        return
    graph = os.path.realpath(f"{path.removesuffix(_SUFFIX)}{_GRAPH}")
    with locked(os.path.dirname(graph)):
        _save_apart(model, weights, graph, encrypt)


def _save_apart(model: Any, weights: Sequence[tuple[Any, torch.Tensor]], path: str, encrypt: Encrypt) -> None:
    """Write the weights to a file of their own; the old graph keeps its weights until the new one replaces it."""
    folder = f"{path.removesuffix(_GRAPH)}_variables"
    os.makedirs(folder, exist_ok=True)
    paths = (os.path.join(folder, f"data_{number}") for number in count())
    data = next(each for each in paths if not os.path.exists(each))
    try:
        with replacing(data) as file:
            if encrypt is None:
                _write_weights(weights, file, data)
            else:
                content = io.BytesIO()
                _write_weights(weights, content, data)
                file.write(encrypt(content.getbuffer()))
        with replacing(path) as file:
            content = model.SerializeToString()
            file.write(content if encrypt is None else encrypt(content))
    except BaseException:
        with suppress(OSError):
            os.remove(data)
        with suppress(OSError):  # it has others
            os.rmdir(folder)
        raise
    for other in os.listdir(folder):
        if re.fullmatch(r"data_\d+", other) and other != os.path.basename(data):
            os.remove(os.path.join(folder, other))


def _write_whole(model: Any, weights: Sequence[tuple[Any, torch.Tensor]], file: BinaryIO) -> None:
    """Write a message with the bytes of the weights, without the copies of them that messages would have."""
    parts = []
    for message, tensor in weights:
        described = message.SerializeToString() + bytes_header(_RAW_DATA, tensor.nbytes)
        parts.append((bytes_header(_PARAMETER, len(described) + tensor.nbytes) + described, tensor))
    del model.graph.parameter[:]
    graph = model.graph.SerializeToString()
    model.ClearField("graph")
    file.write(model.SerializeToString())
    file.write(bytes_header(_GRAPH_FIELD, len(graph) + sum(len(header) + tensor.nbytes for header, tensor in parts)))
    file.write(graph)
    for header, tensor in parts:
        file.write(header)
        file.write(as_bytes(tensor))


def _write_weights(weights: Sequence[tuple[Any, torch.Tensor]], file: BinaryIO, path: str) -> None:
    """Write tensors to a file at `path`, and their places into their messages."""
    location = "/".join(path.split(os.sep)[-2:])
    file.write(_LITTLE_ENDIAN)
    for message, tensor in weights:
        file.write(bytes(-file.tell() % _ALIGNMENT))
        message.external_data.location = location
        message.external_data.offset = file.tell()
        message.external_data.length = tensor.nbytes
        file.write(as_bytes(tensor))
    file.write(bytes(-file.tell() % _ALIGNMENT))
