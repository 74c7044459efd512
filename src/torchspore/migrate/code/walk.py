"""What the conversions see of the walk through a module."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from torchspore.migrate.code.kinds import Kinds
from torchspore.migrate.code.names import Names
from torchspore.migrate.code.rows import Side, Sides
from torchspore.migrate.code.targets import Targets

__all__ = ["Walk"]


class Walk(Protocol):
    """The walk through a module; `Rewriter` documents its members."""

    names: Names
    kinds: Kinds
    sides: Sides
    targets: Targets
    converted: int
    outer_calls: list[cst.Call]

    @property
    def function(self) -> cst.FunctionDef | None: ...

    def line(self, node: cst.CSTNode) -> int: ...

    def note(self, node: cst.CSTNode, text: str) -> None: ...

    def is_inside(self, *prefixes: str) -> bool: ...

    def is_trained(self, node: cst.Call) -> bool: ...

    def by_row(
        self, original: cst.Call, updated: cst.Call, side: Side, receiver: cst.BaseExpression | None
    ) -> cst.BaseExpression: ...
