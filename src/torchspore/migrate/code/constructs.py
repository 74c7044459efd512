"""What both directions do beyond the calls of the table: classes, methods of tensors and networks, statements."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m
import torch

from torchspore.migrate.code.calls import code_of, keyword, takes
from torchspore.migrate.code.names import dotted
from torchspore.migrate.code.result import Unconverted
from torchspore.migrate.code.rows import Side
from torchspore.migrate.code.walk import Walk

__all__ = ["Constructs", "call", "values"]

_PYTHON_NAMES = {name for kind in (str, list, dict, set, tuple, bytes, int, float) for name in dir(kind)}
_OTHER_NAMES = (
    set(dir(torch.nn.Module))
    | set(dir(torch.optim.Optimizer))
    | {"shape", "dtype", "fit", "predict", "log", "read", "load", "write", "close"}
)


def call(func: cst.BaseExpression, *args: cst.BaseExpression, **keywords: cst.BaseExpression) -> cst.Call:
    """Return a call."""
    return cst.Call(func, [*map(cst.Arg, args), *(keyword(name, value) for name, value in keywords.items())])


def values(node: cst.Call) -> dict[str | int, cst.BaseExpression]:
    """Return the arguments of a call by position or name.

    Raises:
        Unconverted: some are behind a star.
    """
    if any(arg.star for arg in node.args):
        raise Unconverted("the arguments behind * cannot be compared")
    return {arg.keyword.value if arg.keyword else index: arg.value for index, arg in enumerate(node.args)}


class Constructs:
    """The conversions that no row describes; each returns None, or the node itself, where it has nothing to say.

    Args:
        rewriter: the walk that asks.
    """

    forward, renamed_forward = "forward", "construct"
    tensor = "torch.Tensor"

    def __init__(self, rewriter: Walk) -> None:
        self.rewriter = rewriter
        self.kinds, self.names, self.targets = rewriter.kinds, rewriter.names, rewriter.targets

    def reference(self, node: cst.Name | cst.Attribute, full: str) -> cst.BaseExpression | None:
        """Convert a name that is not called."""
        return None

    def function(self, original: cst.Call, updated: cst.Call, full: str) -> cst.BaseExpression | None:
        """Convert the call of an API by its full name."""
        return None

    def attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        """Convert an attribute of a value, such as `x.T`; also `super().forward`, whose call comes as `method`."""
        name = original.attr.value
        if name == self.forward and self._is_network(original.value):
            return updated.with_changes(attr=cst.Name(self.renamed_forward))
        if self.kinds.of(original.value) == "tensor":
            side = self.rewriter.sides.get(f"{self.tensor}.{name}")
            if side is not None:
                return self._tensor_attribute(original, updated, side)
        return updated

    def _tensor_attribute(self, original: cst.Attribute, updated: cst.Attribute, side: Side) -> cst.BaseExpression:
        if side.target is None:
            raise Unconverted(side.note or f"{side.source} has no counterpart")
        self.rewriter.note(original, side.note)
        if side.form is not None:
            return cst.parse_expression(self.targets.in_template(side.form).format(input=code_of(updated.value)))
        last = side.target.rpartition(".")[2]
        return updated if last == original.attr.value else updated.with_changes(attr=cst.Name(last))

    def _is_network(self, node: cst.BaseExpression) -> bool:
        if m.matches(node, m.Call(func=m.Name("super"))):
            return True
        return self.kinds.of(node) == "module"

    def method(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        """Convert the call of a method of a value."""
        func, new = original.func, updated.func
        if not isinstance(func, cst.Attribute) or not isinstance(new, cst.Attribute):
            return updated
        name = func.attr.value
        if name == self.forward and self._is_network(func.value):
            return updated.with_changes(func=new.with_changes(attr=cst.Name(self.renamed_forward)))
        kind = self.kinds.of(func.value)
        by_kind = getattr(self, f"{kind}_method", None)
        found = by_kind(original, updated, name, new.value) if by_kind else None
        if found is not None:
            return found
        if kind == "tensor" or (
            kind is None and self._only_tensors_have(name) and takes(f"{self.tensor}.{name}", original.args)
        ):
            return self._tensor_call(original, updated, name, new.value)
        if kind is None:
            self._unknown_receiver(original, name)
        return updated

    def _tensor_call(
        self, original: cst.Call, updated: cst.Call, name: str, receiver: cst.BaseExpression
    ) -> cst.BaseExpression:
        found = self.plausible_tensor_method(original, updated, name, receiver)
        if found is not None:
            return found
        side = self.rewriter.sides.get(f"{self.tensor}.{name}")
        if side is not None:
            return self.rewriter.by_row(original, updated, side, receiver)
        if self.tensor == "torch.Tensor" and hasattr(torch.Tensor, name):
            raise Unconverted(f"torch.Tensor.{name} is not in the table")
        return updated

    def plausible_tensor_method(
        self, original: cst.Call, updated: cst.Call, name: str, receiver: cst.BaseExpression
    ) -> cst.BaseExpression | None:
        """Convert a method of a tensor that needs more than a row."""
        return None

    def _only_tensors_have(self, name: str) -> bool:
        return (
            hasattr(torch.Tensor, name)
            and name not in _PYTHON_NAMES
            and name not in _OTHER_NAMES
            and not (self.kinds.uses_numpy and _numpy_has(name))
        )

    def _unknown_receiver(self, node: cst.Call, name: str) -> None:
        """List a method of a value that may be a tensor or not, if that matters."""
        side = self.rewriter.sides.get(f"{self.tensor}.{name}")
        if name == "astype" and not any(self.kinds.of(arg.value) == "dtype" for arg in node.args):
            return  # an array
        if side is None or name in _PYTHON_NAMES or name in _OTHER_NAMES or not takes(side.source, node.args):
            return
        if not side.is_plain or (side.target or "").rpartition(".")[2] != name:
            raise Unconverted(
                f"it is unknown whether {dotted(node.func) or name} is a method of a tensor; "
                f"if it is: {side.target or side.note}"
            )

    def finished(self, original: cst.Call, found: cst.BaseExpression) -> cst.BaseExpression:
        """Add to a converted call what its value needs."""
        return found

    def function_definition(self, original: cst.FunctionDef, updated: cst.FunctionDef) -> cst.FunctionDef:
        """Convert the definition of a function or method."""
        if original.name.value == self.forward and self.kinds.is_module(self.kinds.owner(original)):
            self.rewriter.converted += 1
            return updated.with_changes(name=cst.Name(self.renamed_forward))
        return updated

    def class_definition(self, original: cst.ClassDef, updated: cst.ClassDef) -> cst.ClassDef:
        """Convert the definition of a class."""
        return updated

    def enter_with(self, node: cst.With) -> None:
        """Begin a `with` statement."""

    def with_statement(
        self, original: cst.With, updated: cst.With
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        """Convert a `with` statement."""
        return updated

    def line(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        """Convert a line of statements."""
        return updated

    def assignment(self, original: cst.Assign, updated: cst.Assign) -> cst.Assign | cst.Expr:
        """Convert an assignment."""
        return updated


def _numpy_has(name: str) -> bool:
    import numpy

    return hasattr(numpy.ndarray, name)
