"""ONNX files: reading them without running anything of them."""

from __future__ import annotations

import importlib.util
import os
from typing import Any

from torchspore.engine.exported_graph import ExportedGraph, GraphInput, ModelInfo, NotReadable, Structure
from torchspore.engine.storage.reading import read_bytes
from torchspore.serialization.onnx_graph.building import build
from torchspore.serialization.onnx_graph.tensor_values import Folder, dtype_of

__all__ = ["read_onnx"]

_MAX_BYTES = 2**31 - 1  # of a message of protocol buffers
# The errors that an invalid content causes, such as text that is not UTF-8.
_DAMAGES = (LookupError, TypeError, ValueError, AttributeError, RuntimeError, ArithmeticError, MemoryError)


def read_onnx(path: str, api: str) -> ExportedGraph:
    """Return the graph in an ONNX file.

    Raises:
        NotReadable: it is not such a file, is damaged, or uses what has no counterpart.
        ModuleNotFoundError: the package onnx is not installed.
    """
    if importlib.util.find_spec("onnx") is None:
        raise ModuleNotFoundError(f"For '{api}', ONNX needs the package onnx: pip install 'torchspore[onnx]'.")
    import onnx

    size = os.path.getsize(path)
    if size > _MAX_BYTES:
        raise NotReadable(f"it has {size} bytes, and a file of protocol buffers has at most {_MAX_BYTES}")
    try:
        model = onnx.ModelProto.FromString(read_bytes(path))
    except Exception as error:  # protobuf's are of a class of its own
        raise NotReadable(f"it is not an ONNX file, or is damaged ({error!s:.200})") from error
    try:
        return _graph(model, Folder(os.path.dirname(os.path.realpath(path))), size)
    except NotReadable:
        raise
    except _DAMAGES as error:
        raise NotReadable(f"it is damaged ({type(error).__name__}: {error!s:.200})") from error


def _graph(model: Any, folder: Folder, size: int) -> ExportedGraph:
    if not model.HasField("graph"):
        raise NotReadable("it has no graph")
    initialized = {tensor.name for tensor in model.graph.initializer}
    inputs = tuple([_input(value) for value in model.graph.input if value.name not in initialized])
    program, held = build(model, [given.name for given in inputs], folder, size)
    results = tuple([Structure() for _ in model.graph.output])
    return ExportedGraph(
        program,
        held,
        inputs,
        Structure(tuple, (), tuple([Structure() for _ in inputs])),
        results[0] if len(results) == 1 else Structure(tuple, (), results),
        (),
        _info(model),
    )


def _input(value: Any) -> GraphInput:
    if value.type.WhichOneof("value") != "tensor_type":
        raise NotReadable(f"its input '{value.name:.100}' is not a tensor")
    described = value.type.tensor_type
    sizes = None
    if described.HasField("shape"):
        sizes = tuple([_size(dimension) for dimension in described.shape.dim])
    return GraphInput(value.name, dtype_of(described.elem_type), sizes)


def _size(dimension: Any) -> int | str | None:
    """Return a size: a number, the name of an open size, or None for any size."""
    kind = dimension.WhichOneof("value")
    if kind == "dim_value":
        return int(dimension.dim_value) if dimension.dim_value >= 0 else None
    return dimension.dim_param or None if kind == "dim_param" else None


def _info(model: Any) -> ModelInfo:
    entries = {entry.key: entry.value for entry in model.metadata_props}
    return ModelInfo(model.producer_name, model.producer_version, entries)
