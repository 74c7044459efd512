"""Functions that stand for a primitive or an initializer in rewritten code, and their calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from torchspore.migrate.code.calls import as_receiver
from torchspore.migrate.code.result import Unconverted

__all__ = ["applied"]


def applied(function: cst.Lambda, args: Sequence[cst.Arg]) -> cst.BaseExpression:
    """Return the body of a lambda with the arguments of a call in it.

    Raises:
        Unconverted: the arguments do not fit.
    """
    parameters = function.params.params
    given = {
        arg.keyword.value if arg.keyword else parameters[index].name.value: arg.value
        for index, arg in enumerate(args)
        if not arg.star and (arg.keyword or index < len(parameters))
    }
    defaults = {each.name.value: each.default for each in parameters if each.default is not None}
    values = {**defaults, **given}
    if len(given) < len(args) or set(values) != {each.name.value for each in parameters}:
        raise Unconverted("the arguments of the primitive do not fit")
    found = function.body.visit(_Filled(values))
    assert isinstance(found, cst.BaseExpression)
    return as_receiver(found)


class _Filled(cst.CSTTransformer):
    def __init__(self, values: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__()
        self._values = values

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self._values.get(original_node.value, updated_node)

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr, value=as_receiver(updated_node.value))

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)
