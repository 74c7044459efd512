"""Changing a network by its statements: a tree of nodes, from which code and a new network are made."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.rewrite.nodes import Node
from torchspore.rewrite.symbol_tree import SymbolTree
from torchspore.rewrite.values import NodeType, ScopedValue, ValueType

__all__ = ["Node", "NodeType", "ScopedValue", "SymbolTree", "ValueType"]

_suggest_names(globals())
