"""MINDIR files as the messages in them, for programs that look at a graph or change it."""

from __future__ import annotations

import os
from typing import Any

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import AnyPath, checked
from torchspore.engine.storage.reading import read_bytes
from torchspore.engine.storage.writing import replacing
from torchspore.serialization.mindir.messages import check_package, message_class

__all__ = ["load_mindir", "save_mindir"]


@checked
def load_mindir(file_name: AnyPath) -> Any:
    """Read a MINDIR file as a message, a `train.mind_ir_pb2.ModelProto`; `load` makes a graph that runs of it.

    Args:
        file_name: the file.

    Raises:
        TypeError: `file_name` is not a path.
        ValueError: the file does not exist, or is not such a message.
        ModuleNotFoundError: the package protobuf is missing.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.export(ms.nn.ReLU(), ms.Tensor([1.0]), file_name=f"{folder}/relu", file_format="MINDIR")
        ...     model = ms.load_mindir(f"{folder}/relu.mindir")
        >>> [primitive.op_type for primitive in model.primitives]
        ['ReLU']
    """
    check_package("load_mindir")
    path = os.fspath(file_name)
    if not os.path.isfile(path):
        raise ValueError(f"For 'load_mindir', there is no file '{path}'.")
    from google.protobuf.message import DecodeError

    try:
        return message_class("ModelProto").FromString(read_bytes(path))
    except (DecodeError, RecursionError) as error:
        raise ValueError(f"For 'load_mindir', '{path}' is not a MINDIR file, or is damaged: {error!s:.200}") from None


@checked
def save_mindir(model: Any, file_name: AnyPath) -> None:
    """Write a message as a MINDIR file, whole or not at all.

    Args:
        model: a `train.mind_ir_pb2.ModelProto`.
        file_name: the file; the suffix .mindir is added when it is missing, and folders are made.

    Raises:
        TypeError: `model` is not such a message.
        ModuleNotFoundError: the package protobuf is missing.

    Examples:
        >>> import os, tempfile, torchspore as ms
        >>> model = ms.train.mind_ir_pb2.ModelProto(producer_name="a program")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.save_mindir(model, f"{folder}/net")
        ...     ms.load_mindir(f"{folder}/net.mindir").producer_name
        'a program'
    """
    check_package("save_mindir")
    if not isinstance(model, message_class("ModelProto")):
        raise TypeError(
            f"For 'save_mindir', 'model' must be a ModelProto, as of 'load_mindir', but got {describe(model)}."
        )
    path = os.fspath(file_name)
    path = path if path.endswith(".mindir") else f"{path}.mindir"
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with replacing(path) as file:
        file.write(model.SerializeToString())
