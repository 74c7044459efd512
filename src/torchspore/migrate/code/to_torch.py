"""The conversions from MindSpore to PyTorch that no row describes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst
import libcst.matchers as m
import torch
from libcst.metadata import Assignment

from torchspore.migrate.code.calls import COMMA, KEPT_NAMES, code_of
from torchspore.migrate.code.constructs import Constructs, call, values
from torchspore.migrate.code.imports import gone
from torchspore.migrate.code.lambdas import applied
from torchspore.migrate.code.layers_to_torch import initial_value, layer, padding, sequence
from torchspore.migrate.code.passed import Passed, is_partial
from torchspore.migrate.code.result import Unconverted
from torchspore.migrate.code.rows import Side
from torchspore.migrate.code.tree import descendants
from torchspore.migrate.code.walk import Walk

__all__ = ["ToTorch"]

_RENAMED = {
    "trainable_params": "parameters", "get_parameters": "parameters", "parameters_and_names": "named_parameters",
    "cells_and_names": "named_modules", "cells": "children", "insert_child_to_cell": "add_module",
    "insert_param_to_cell": "register_parameter",
}  # fmt: skip
_WEIGHTS = {
    "gamma": "weight", "beta": "bias", "moving_mean": "running_mean", "moving_variance": "running_var",
    "embedding_table": "weight", "group": "groups",
}  # fmt: skip
_INITIALIZER = "mindspore.common.initializer.initializer"
_DECORATORS = {"mindspore.ops.constexpr", "mindspore.jit", "mindspore.ms_function", "mindspore.jit_class"}
_SUM = "grads = tuple(a + b for a, b in zip(grads, more_grads))"


class _Gradient(NamedTuple):
    """A function made by `value_and_grad`.

    Args:
        forward: the function that it differentiates, as code.
        aux: whether that returns more than the loss.
    """

    forward: str
    aux: bool


class ToTorch(Constructs):
    """The conversions to PyTorch."""

    forward, renamed_forward = "construct", "forward"
    tensor = "mindspore.Tensor"

    def __init__(self, rewriter: Walk, module: cst.Module) -> None:
        super().__init__(rewriter)
        self._module = module
        self._passed = Passed(module, self.names)
        self._own_attributes = {each: _attributes(each) for each in descendants(module, cst.ClassDef)}
        self._compared = {
            each for comparison in descendants(module, cst.Comparison) for each in descendants(comparison, cst.Call)
        }
        self._gradients: dict[str, _Gradient] = {}
        for node in descendants(module, cst.Assign):
            called = m.matches(node, m.Assign(targets=[m.AssignTarget(target=m.Name())], value=m.Call()))
            if called and self.names.full(node.value.func) == "mindspore.value_and_grad":
                self._collect(code_of(node.targets[0].target), node.value)

    def _collect(self, name: str, node: cst.Call) -> None:
        given = {arg.keyword.value if arg.keyword else index: code_of(arg.value) for index, arg in enumerate(node.args)}
        position, weights = given.get(1, given.get("grad_position", "0")), given.get(2, given.get("weights", "None"))
        if position == "None" and weights != "None":
            forward = given.get(0) or given.get("fn") or ""
            self._gradients[name] = _Gradient(forward, given.get(3, given.get("has_aux", "False")) == "True")

    def reference(self, node: cst.Name | cst.Attribute, full: str) -> cst.BaseExpression | None:
        if full == "mindspore.nn.Cell":
            return self.targets.expression("torch.nn.Module")
        if full in ("mindspore.Tensor", "mindspore.Parameter"):
            return self.targets.expression(f"torch.{'Tensor' if full.endswith('Tensor') else 'nn.Parameter'}")
        last = full.rpartition(".")[2].rstrip("_")
        if full.rstrip("_") in {
            f"mindspore.{package}{last}" for package in ("", "dtype.", "common.dtype.")
        } and isinstance(getattr(torch, last, None), torch.dtype):
            return self.targets.expression(f"torch.{last}")
        return None

    def function(self, original: cst.Call, updated: cst.Call, full: str) -> cst.BaseExpression | None:
        if full.startswith("mindspore.nn.") and updated.args and updated.args[-1].star == "**":
            return self._with_more(original, updated, full)
        given = values(updated) if not any(arg.star for arg in updated.args) else {}
        if full == "mindspore.Parameter":
            if set(given) - {0, "default_input", "requires_grad", "name"}:
                raise Unconverted("torch.nn.Parameter takes data and requires_grad")
            kept = [arg for arg in updated.args if not (arg.keyword and arg.keyword.value == "name")]
            if isinstance(kept[0].value, (cst.Name, cst.Attribute)):  # which MindSpore copies
                kept[0] = kept[0].with_changes(value=call(cst.Attribute(kept[0].value, cst.Name("clone"))))
            return updated.with_changes(func=self.targets.expression("torch.nn.Parameter"), args=kept)
        if full == _INITIALIZER:
            return initial_value(self.rewriter, given)
        if full == "mindspore.nn.Pad":
            return padding(self.rewriter, given)
        if full == "mindspore.nn.SequentialCell":
            return sequence(self.rewriter, updated, original)
        if full == "mindspore.value_and_grad":
            raise Unconverted(
                "value_and_grad of inputs, or one that is not assigned to a name; call backward on the loss"
            )
        if full == "mindspore.save_checkpoint" and set(given) == {0, 1}:
            state = call(cst.Attribute(given[0], cst.Name("state_dict")))
            return call(self.targets.expression("torch.save"), state, given[1])
        if full == "mindspore.load_checkpoint" and set(given) == {0}:
            return call(self.targets.expression("torch.load"), given[0])
        if full == "mindspore.load_param_into_net" and set(given) == {0, 1}:
            return call(cst.Attribute(given[0], cst.Name("load_state_dict")), given[1])
        if full == "mindspore.ops.stop_gradient" and set(given) == {0}:
            return call(cst.Attribute(given[0], cst.Name("detach")))
        if full == "mindspore._no_grad" and not given:
            return call(self.targets.expression("torch.no_grad"))
        if full == "mindspore.get_context" and [code_of(each).strip("'\"") for each in given.values()] == [
            "device_target"
        ]:
            if original in self._compared:
                available = self.targets.code("torch.cuda.is_available")
                return cst.parse_expression(f'("GPU" if {available}() else "CPU")')
            torch_name = self.targets.code("torch.device").partition(".")[0]
            return cst.parse_expression(f'{torch_name}.device("cuda" if {torch_name}.cuda.is_available() else "cpu")')
        if full == "mindspore.set_seed":
            return updated.with_changes(func=self.targets.expression("torch.manual_seed"))
        return layer(self.rewriter, original, updated, full)

    def method(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        func = updated.func
        if isinstance(func, cst.Lambda):
            return applied(func, updated.args)
        if is_partial(original, self.names):
            side = self.rewriter.sides.get(self.names.full(original.args[0].value) or "")
            return updated if side is None else updated.with_changes(args=renamed(side, updated.args))
        if isinstance(original.func, cst.Name):
            return self._called_name(original.func, original, updated)
        if isinstance(func, cst.Attribute) and isinstance(original.func, cst.Attribute):
            name = func.attr.value
            if name == "__init__" and m.matches(func.value, m.Call(func=m.Name("super"))):
                return self._base_init(original, updated)
            if name == "layer_norm" and self._base() == "mindspore.nn.LayerNorm" and len(updated.args) == 3:
                x, gamma, beta = (code_of(arg.value) for arg in updated.args)
                function = self.targets.code("torch.nn.functional.layer_norm")
                shape = "self.normalized_shape"
                return cst.parse_expression(f"({function}({x}, {shape}, {gamma}, {beta}, self.eps), None, None)")
            if name == "set_data":
                return self._set_data(original, updated, func.value)
            if name == "set_train":
                given = values(updated)
                mode = code_of(next(iter(given.values()))) if given else "True"
                if mode == "False":
                    return call(func.with_changes(attr=cst.Name("eval")))
                return updated.with_changes(func=func.with_changes(attr=cst.Name("train")))
            if name in _RENAMED and name != self.forward:
                return updated.with_changes(func=func.with_changes(attr=cst.Name(_RENAMED[name])))
            if name == "asnumpy":
                detached = call(cst.Attribute(func.value, cst.Name("detach")))
                return updated.with_changes(
                    func=cst.Attribute(call(cst.Attribute(detached, cst.Name("cpu"))), cst.Name("numpy"))
                )
        return super().method(original, updated)

    def _called_name(self, name: cst.Name, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        """Convert the arguments of a call of a name, such as `norm_layer`, that layers are passed under."""
        places = [a.node for a in self.names.assignments(name) if isinstance(a, Assignment)]
        full = self._passed.layer(name.value)
        side = self.rewriter.sides.get(full) if full else None
        if side is None or not places or any(isinstance(each, (cst.ClassDef, cst.FunctionDef)) for each in places):
            return updated
        if self._passed.has_arguments(name.value):
            return updated.with_changes(args=renamed(side, updated.args))
        made = self.rewriter.by_row(original, updated, side, None)
        return updated.with_changes(args=made.args) if isinstance(made, cst.Call) else updated

    def _with_more(self, original: cst.Call, updated: cst.Call, full: str) -> cst.BaseExpression:
        """Convert a layer that also gets the arguments of a dict, whose names are not known."""
        *args, more = updated.args
        known = updated.with_changes(args=args)
        side = self.rewriter.sides.get(full)
        made = self.function(original, known, full)
        if made is None and side is not None:
            made = self.rewriter.by_row(original, known, side, None)
        if not isinstance(made, cst.Call):
            raise Unconverted("the arguments behind ** cannot be compared")
        self.rewriter.note(original, KEPT_NAMES)
        return made.with_changes(args=[*(arg.with_changes(comma=COMMA) for arg in made.args), more])

    def _owner(self) -> cst.ClassDef | None:
        return self.kinds.owner(self.rewriter.function) if self.rewriter.function else None

    def _base(self) -> str | None:
        """Return the layer of MindSpore that the class around derives from."""
        owner = self._owner()
        base = self.names.full(owner.bases[0].value) if owner and owner.bases else None
        return base if base and base.startswith("mindspore.") and base != "mindspore.nn.Cell" else None

    def _is_layer(self, node: cst.Attribute) -> bool:
        """Return whether an `isinstance` around an attribute says that its object is a layer of MindSpore."""
        test = m.Call(func=m.Name("isinstance"), args=[m.Arg(m.Name()), m.Arg()])
        for branch in descendants(self.rewriter.function or self._module, cst.If):
            checked = branch.test
            inside = m.matches(checked, test) and any(each is node for each in descendants(branch.body, cst.Attribute))
            if inside and code_of(checked.args[0].value) == code_of(node.value):
                kind = checked.args[1].value
                kinds = [e.value for e in kind.elements] if isinstance(kind, cst.Tuple) else [kind]
                return all((self.names.full(each) or "").startswith("mindspore.") for each in kinds)
        return False

    def _base_init(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        """Convert the arguments of `super().__init__` in a class that derives from a layer."""
        base = self._base()
        side = self.rewriter.sides.get(base) if base else None
        if base is None or side is None or not updated.args:
            return updated
        made = self.function(original, updated, base) or self.rewriter.by_row(original, updated, side, None)
        if not isinstance(made, cst.Call) or isinstance(made.func, cst.Name):
            raise Unconverted(f"these arguments of {base} need a class of their own")
        return updated.with_changes(args=made.args)

    def _set_data(self, original: cst.Call, updated: cst.Call, receiver: cst.BaseExpression) -> cst.Call:
        if len(updated.args) != 1:
            raise Unconverted("set_data with slice_shape has no counterpart; assign to the attribute data")
        source, value = original.args[0].value, updated.args[0].value
        made = self._initialization(source, value, receiver)
        if made is not None:
            return made
        return call(cst.Attribute(cst.Attribute(receiver, cst.Name("data")), cst.Name("copy_")), value)

    def _initialization(
        self, source: cst.BaseExpression, value: cst.BaseExpression, tensor: cst.BaseExpression
    ) -> cst.Call | None:
        """Return what writes to a tensor the values of an `initializer` call; None if it is not one, or was left."""
        if not (isinstance(source, cst.Call) and isinstance(value, cst.Call) and value.args):
            return None
        if self.names.full(source.func) != _INITIALIZER or code_of(value.func) == code_of(source.func):
            return None
        return value.with_changes(args=[value.args[0].with_changes(value=tensor), *value.args[1:]])

    def attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        name = original.attr.value
        if isinstance(original.value, cst.Name) and original.value.value == "self":
            derived = name in _WEIGHTS and self._base() and name not in self._own_attributes[self._owner()]
            return (
                updated.with_changes(attr=cst.Name(_WEIGHTS[name])) if derived else super().attribute(original, updated)
            )
        if name == "has_bias":
            return cst.parse_expression(f"({code_of(updated.value)}.bias is not None)")
        own = any(name in names for names in self._own_attributes.values())
        if name in _WEIGHTS and (not own or self._is_layer(original)):
            return updated.with_changes(attr=cst.Name(_WEIGHTS[name]))
        return super().attribute(original, updated)

    def assignment(self, original: cst.Assign, updated: cst.Assign) -> cst.Assign | cst.Expr:
        """Write initial values into a Parameter where MindSpore assigns them to its name."""
        source, value, target = original.value, updated.value, original.targets[0].target
        made = self._initialization(source, value, updated.targets[0].target)
        if made is not None and isinstance(source, cst.Call):
            given = values(source)
            shape = given.get(1, given.get("shape"))
            if shape is not None and code_of(shape) == f"{code_of(target)}.shape":
                return cst.Expr(made)
        return super().assignment(original, updated)

    def function_definition(self, original: cst.FunctionDef, updated: cst.FunctionDef) -> cst.FunctionDef:
        kept = [
            new
            for old, new in zip(original.decorators, updated.decorators)
            if self.names.decorator(old) not in _DECORATORS
        ]
        return super().function_definition(original, updated.with_changes(decorators=kept))

    def plausible_tensor_method(
        self, original: cst.Call, updated: cst.Call, name: str, receiver: cst.BaseExpression
    ) -> cst.BaseExpression | None:
        return updated if name in ("to", "item", "tolist", "view", "reshape") else None

    def line(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        """Convert the statements of a training step."""
        if len(original.body) != 1:
            return updated
        statement = original.body[0]
        if isinstance(statement, cst.Assign):
            return self._assigned(statement, updated)
        if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
            called, optimizer = statement.value, statement.value.func
            grads = [arg for arg in called.args if isinstance(arg.value, cst.Name) and "grad" in arg.value.value]
            if len(called.args) == 1 and grads and self._gradients and not self.names.full(optimizer):
                return _with_code(updated, f"{code_of(optimizer)}.step()")
        return updated

    def _assigned(
        self, node: cst.Assign, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        value, target = node.value, node.targets[0].target
        if code_of(node) == _SUM:
            return updated.with_changes(body=[gone()])
        if not isinstance(value, cst.Call):
            return updated
        if isinstance(target, cst.Name) and self.names.full(value.func) == "mindspore.value_and_grad":
            return updated.with_changes(body=[gone()]) if target.value in self._gradients else updated
        full = self.names.full(value.func)
        if full in ("mindspore.ops.clip_by_norm", "mindspore.ops.clip_by_value") and self._gradients:
            return self._clipped(str(full), value, updated)
        gradient = self._gradients.get(code_of(value.func))
        if gradient is None or not isinstance(target, cst.Tuple) or len(target.elements) != 2:
            return updated
        return self._step(gradient, target, value, updated)

    def _step(
        self, gradient: _Gradient, target: cst.Tuple, value: cst.Call, updated: cst.SimpleStatementLine
    ) -> cst.FlattenSentinel[cst.BaseStatement]:
        """Write the calls for `loss, grads = grad_fn(...)`."""
        result, grads = (element.value for element in target.elements)
        new = updated.body[0]
        assert isinstance(new, cst.Assign)
        assert isinstance(new.value, cst.Call)
        arguments = code_of(new.value).partition("(")[2]
        loss = result.elements[0].value if isinstance(result, cst.Tuple) else result
        names = (
            ", ".join(code_of(e.value) for e in result.elements) if isinstance(result, cst.Tuple) else code_of(result)
        )
        if not isinstance(loss, cst.Name) or (gradient.aux and not isinstance(result, cst.Tuple)):
            raise Unconverted("the loss must be assigned to a name")
        if loss.value == "_":
            names, loss = names.replace("_", "loss", 1), cst.Name("loss")
        lines = [f"{names} = {gradient.forward}({arguments}", f"{loss.value}.backward()"]
        if code_of(grads) != "more_grads":
            lines.insert(1, f"{self._optimizer(code_of(grads), self.rewriter.line(value))}.zero_grad()")
        statements = [cst.parse_statement(line) for line in lines]
        statements[0] = statements[0].with_changes(leading_lines=updated.leading_lines)
        statements[-1] = statements[-1].with_changes(trailing_whitespace=updated.trailing_whitespace)
        self.rewriter.converted += 1
        return cst.FlattenSentinel(statements)

    def _optimizer(self, grads: str, line: int) -> str:
        """Return the optimizer that takes the gradients behind a line, as code."""
        inside = self.rewriter.function or self._module
        taken = m.Expr(m.Call(args=[m.Arg(value=m.Name(grads))]))
        calls = {
            self.rewriter.line(e): code_of(e.value.func) for e in descendants(inside, cst.Expr) if m.matches(e, taken)
        }
        later = [each for each in sorted(calls) if each > line]
        if not later:
            raise Unconverted("no optimizer takes the gradients")
        return calls[later[0]]

    def _clipped(
        self, full: str, value: cst.Call, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        given = {
            arg.keyword.value if arg.keyword else index: code_of(arg.value) for index, arg in enumerate(value.args)
        }
        limit = (
            given.get(1, given.get("max_norm")) if full.endswith("norm") else given.get(2, given.get("clip_value_max"))
        )
        optimizer = self._optimizer(given.get(0, "grads"), self.rewriter.line(value))
        parameters = f'[p for group in {optimizer}.param_groups for p in group["params"]]'
        name = "clip_grad_norm_" if full.endswith("norm") else "clip_grad_value_"
        return _with_code(updated, f"{self.targets.code(f'torch.nn.utils.{name}')}({parameters}, {limit})")


def _with_code(line: cst.SimpleStatementLine, code: str) -> cst.SimpleStatementLine:
    statement = cst.parse_statement(code)
    assert isinstance(statement, cst.SimpleStatementLine)
    return line.with_changes(body=statement.body)


def _attributes(node: cst.ClassDef) -> set[str]:
    """Return the names that a class assigns on `self`."""
    targets = (each.target for each in descendants(node, cst.AssignTarget))
    return {target.attr.value for target in targets if m.matches(target, m.Attribute(value=m.Name("self")))}


def renamed(side: Side, args: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Return arguments with their names in PyTorch, where the others of the call are not known."""
    return [
        arg.with_changes(keyword=cst.Name(side.arguments.get(arg.keyword.value, arg.keyword.value)))
        if arg.keyword
        else arg
        for arg in args
    ]
