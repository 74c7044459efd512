"""Finding what computes an operator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchspore.engine.exported_graph import NotReadable
from torchspore.serialization.onnx_graph.operations import MICROSOFT, TABLE
from torchspore.serialization.onnx_graph.table import Operation

__all__ = ["function_key", "is_default", "operation_of", "shown_node"]

_MICROSOFT = "com.microsoft"


def is_default(domain: str) -> bool:
    """Return whether a domain is ONNX's own."""
    return domain in ("", "ai.onnx")


def function_key(function_or_node: Any) -> tuple[str, str, str]:
    """Return what a call and the function have in common."""
    name = getattr(function_or_node, "op_type", None) or function_or_node.name
    return function_or_node.domain, name, getattr(function_or_node, "overload", "")


def shown_node(node: Any) -> str:
    """Return what messages call a node."""
    name = node.name or ", ".join(node.output)
    return f"'{name:.100}' ({node.op_type:.50})"


def operation_of(node: Any, opsets: Mapping[str, int], shown: str) -> tuple[Any, Any, Any]:
    """Return the operation of a node, ONNX's description of the operator, and ONNX's function in place of an operation.

    Raises:
        NotReadable: the operator is unknown, or has no counterpart.
    """
    import onnx.defs

    name, domain = node.op_type, "" if is_default(node.domain) else node.domain
    if domain == _MICROSOFT and name in MICROSOFT:
        return MICROSOFT[name], None, None
    version = opsets.get(domain)
    if domain or version is None:
        raise NotReadable(
            f"its node {shown} is of the domain '{node.domain:.100}', whose operators have no counterpart"
            if domain
            else f"its node {shown} is of ONNX's own operators, and the file does not say of which version"
        )
    latest = onnx.defs.onnx_opset_version()
    if version > latest:
        raise NotReadable(f"its operators are of opset {version}, and the installed package onnx knows {latest}")
    try:
        schema: Any = onnx.defs.get_schema(name, version, domain)
    except onnx.defs.SchemaError:
        raise NotReadable(f"its node {shown} is not an operator of opset {version}") from None
    operation = _version(TABLE.get(name), version)
    if operation is None and not schema.has_function:
        raise NotReadable(f"its node {shown} of opset {version} has no counterpart")
    if not schema.min_input <= len(node.input) <= schema.max_input or len(node.output) > schema.max_output:
        raise NotReadable(f"its node {shown} has {len(node.input)} inputs and {len(node.output)} results")
    return operation, schema, None if operation is not None else schema.function_body


def _version(found: Operation | dict[int, Operation] | None, version: int) -> Operation | None:
    if not isinstance(found, dict):
        return found
    return found[max([first for first in found if first <= version], default=min(found))]
