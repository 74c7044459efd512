"""The layers that a program passes under a name, such as `norm_layer=nn.LayerNorm`: what calls of the name make."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from torchspore.migrate.code.names import Names
from torchspore.migrate.code.tree import descendants

__all__ = ["Passed", "is_partial"]


class Passed:
    """The layers behind the parameters and variables of a program, by the name alone.

    Args:
        module: the program.
        names: its names.
    """

    def __init__(self, module: cst.Module, names: Names) -> None:
        self._names = names
        self._layers: dict[str, set[str]] = {}
        self._partial: set[str] = set()
        for node in descendants(module, cst.Param, cst.Arg, cst.Assign):
            if isinstance(node, cst.Param) and node.default is not None:
                self._add(node.name, node.default)
            elif isinstance(node, cst.Arg) and node.keyword is not None:
                self._add(node.keyword, node.value)
            elif isinstance(node, cst.Assign):
                self._add(node.targets[0].target, node.value)

    def layer(self, name: str) -> str | None:
        """Return the full name of the only layer of MindSpore that a name may mean."""
        found = self._layers.get(name, set())
        return next(iter(found)) if len(found) == 1 else None

    def has_arguments(self, name: str) -> bool:
        """Return whether a name may mean a layer some of whose arguments are given already."""
        return name in self._partial

    def _add(self, name: cst.BaseExpression, value: cst.BaseExpression) -> None:
        if isinstance(name, cst.Name):
            for each in self._values(value):
                layer = self._names.full(each.args[0].value) if isinstance(each, cst.Call) else self._names.full(each)
                if layer is not None and layer.startswith("mindspore.nn."):
                    self._layers.setdefault(name.value, set()).add(layer)
                    if isinstance(each, cst.Call):
                        self._partial.add(name.value)

    def _values(self, node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
        if isinstance(node, (cst.Name, cst.Attribute)) or is_partial(node, self._names):
            yield node
        elif isinstance(node, cst.BooleanOperation):
            yield from (*self._values(node.left), *self._values(node.right))
        elif isinstance(node, cst.IfExp):
            yield from (*self._values(node.body), *self._values(node.orelse))


def is_partial(node: cst.CSTNode, names: Names) -> bool:
    """Return whether an expression is `functools.partial` of something."""
    return isinstance(node, cst.Call) and names.full(node.func) == "functools.partial" and bool(node.args)
