"""Values in the source of networks. Networks are ordinary Python here, so changing them by their source refuses."""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.common.unsupported import refusing
from torchspore.rewrite.values import NodeType, ScopedValue, ValueType

SymbolTree = refusing("rewrite", "SymbolTree")
SymbolTree.create = SymbolTree.__new__  # how MindSpore's programs make one
Node = refusing("rewrite", "Node")

__all__ = ["Node", "NodeType", "ScopedValue", "SymbolTree", "ValueType"]

_suggest_names(globals())
