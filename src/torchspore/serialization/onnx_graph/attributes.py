"""Attributes of nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from torchspore.engine.exported_graph import NotReadable
from torchspore.serialization.onnx_graph.tensor_values import Folder, tensor_of

__all__ = ["attributes_of", "constant_of"]

_IGNORED = {"consumed_inputs"}
_TENSOR = 4
# By the number of the kind of an attribute; a graph stays what it is.
_READERS: dict[int, Callable[[Any], Any]] = {
    1: lambda proto: float(proto.f),
    2: lambda proto: int(proto.i),
    3: lambda proto: proto.s.decode(),
    5: lambda proto: proto.g,
    6: lambda proto: tuple(proto.floats),
    7: lambda proto: tuple(proto.ints),
    8: lambda proto: tuple([text.decode() for text in proto.strings]),
}


def attributes_of(node: Any, schema: Any, bound: Mapping[str, Any], folder: Folder, shown: str) -> dict[str, Any]:
    """Return the attributes of a node, with the defaults of its operator.

    Args:
        node: the node.
        schema: ONNX's description of the operator; None for an operator that is not ONNX's own.
        bound: the attributes of the call of the function that the node is in.
        folder: the folder of the file.
        shown: what messages call the node.

    Raises:
        NotReadable: an attribute is not the operator's, or of another kind.
    """
    found: dict[str, Any] = {}
    for proto in node.attribute:
        given = bound.get(proto.ref_attr_name) if proto.ref_attr_name else proto
        if given is None or proto.name in _IGNORED:
            continue
        described = None if schema is None else schema.attributes.get(proto.name)
        if schema is not None and (described is None or described.type.value != given.type):
            raise NotReadable(f"its node {shown} has the attribute '{proto.name:.100}', or in a form, that is unknown")
        found[proto.name] = _value(given, folder, shown)
    for name, described in ({} if schema is None else schema.attributes).items():
        if name not in found and described.default_value.type:
            found[name] = _value(described.default_value, folder, shown)
        elif name not in found and described.required:
            raise NotReadable(f"its node {shown} has no attribute '{name}'")
    return found


def constant_of(node: Any, bound: Mapping[str, Any], folder: Folder, shown: str) -> torch.Tensor:
    """Return the value of a node that is a constant.

    Raises:
        NotReadable: it is not a tensor or numbers.
    """
    for proto in node.attribute:
        given = bound.get(proto.ref_attr_name) if proto.ref_attr_name else proto
        if given is not None and proto.name in ("value", "value_int", "value_ints", "value_float", "value_floats"):
            value = _value(given, folder, shown)
            if isinstance(value, torch.Tensor):
                return value
            return torch.tensor(value, dtype=torch.float32 if "float" in proto.name else torch.int64)
    raise NotReadable(f"its node {shown} has a value that is neither a tensor nor numbers")


def _value(proto: Any, folder: Folder, shown: str) -> Any:
    if proto.type == _TENSOR:
        return tensor_of(proto.t, folder)
    if proto.type not in _READERS:
        raise NotReadable(f"its node {shown} has the attribute '{proto.name:.100}' of the kind {proto.type}")
    try:
        return _READERS[proto.type](proto)
    except UnicodeDecodeError as error:
        raise NotReadable(f"its node {shown} has text that is not UTF-8") from error
