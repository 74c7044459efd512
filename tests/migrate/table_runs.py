"""Running an expression on both sides: in PyTorch, and converted by a row of the table in MindSpore."""

from __future__ import annotations

import ast
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import libcst as cst
import numpy as np
import torch

import torchspore as ms
from migrate.cases.inputs import arrays
from torchspore.migrate import load_torch
from torchspore.migrate.code.calls import code_of, convert_call
from torchspore.migrate.code.names import dotted
from torchspore.migrate.code.rows import Side
from torchspore.migrate.code.targets import ALIASES, Targets
from torchspore.migrate.table import Row

_SHORT = {"nn": "torch.nn", "F": "torch.nn.functional", "optim": "torch.optim"}
_TYPES = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "bool",
    "complex64",
    "complex128",
]
# What the converted expression may still call torch: the data types.
_TARGETS = {"signs", "one_sign", "mean", "variance"}  # inputs that functions of torch do not differentiate
_TORCH_IN_MINDSPORE = SimpleNamespace(**{name: getattr(ms, "bool_" if name == "bool" else name) for name in _TYPES})


class _Converter(cst.CSTTransformer):
    def __init__(self, row: Row) -> None:
        super().__init__()
        self.side, self.targets, self.found = Side(row, reverse=False), Targets(), 0
        self._method = row.torch.rpartition(".")[2] if row.torch.startswith("torch.Tensor.") else None

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        func = updated_node.func
        if self._method and isinstance(func, cst.Attribute) and func.attr.value == self._method:
            self.found += 1
            return convert_call(self.side, updated_node.args, func.value, self.targets)
        if _full(func) == self.side.source:
            self.found += 1
            return convert_call(self.side, updated_node.args, None, self.targets)
        return updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        if (
            self._method is None
            or updated_node.attr.value != self._method
            or callable(getattr(torch.Tensor, self._method))
        ):
            return updated_node
        self.found += 1
        if self.side.form is not None:
            return cst.parse_expression(self.side.form.format(input=code_of(updated_node.value)))
        return updated_node.with_changes(attr=cst.Name(str(self.side.target).rpartition(".")[2]))


def _full(node: cst.CSTNode) -> str:
    name = dotted(node) or ""
    first, dot, rest = name.partition(".")
    return _SHORT.get(first, first) + dot + rest


def converted(row: Row, expression: str) -> str:
    """Return an expression of PyTorch with the calls that a row is about converted to MindSpore."""
    converter = _Converter(row)
    tree = cst.parse_expression(expression).visit(converter)
    assert converter.found, f"{expression} does not use {row.torch}"
    return converter.targets.spell(code_of(tree), {module: module for module in ALIASES})


def in_torch(expression: str, values: dict[str, Any]) -> Any:
    """Return the value of an expression in PyTorch."""
    space = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "optim": torch.optim, "np": np}
    return eval(expression, {**space, **values})


def in_mindspore(expression: str, values: dict[str, Any]) -> Any:
    """Return the value of a converted expression in TorchSpore."""
    return eval(expression, {"mindspore": ms, "torch": _TORCH_IN_MINDSPORE, "np": np, **values})


def leaves(value: Any) -> list[Any]:
    """Return the tensors, numbers and texts in a result, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def array(value: Any) -> Any:
    """Return a leaf as an array; a text or a type as its name."""
    if isinstance(value, torch.Tensor):
        return (value.float() if value.dtype == torch.bfloat16 else value).numpy(force=True)
    if isinstance(value, ms.Tensor):
        return array(value.torch)
    if isinstance(value, (torch.dtype, type(ms.float32))):
        return str(value).rpartition(".")[2].lower().rstrip("_")
    return value


def _tensors(values: dict[str, Any], make: Any) -> dict[str, Any]:
    return {name: make(value) for name, value in values.items()}


def run_torch(expression: str) -> tuple[list[Any], list[Any], Any]:
    """Return the results, the gradients of the inputs, and the module that the expression makes, if any."""
    torch.manual_seed(1)
    values = {name: torch.tensor(value) for name, value in arrays().items()}
    module, call = _module_of(expression)
    used = _names_in(expression)
    inputs = {
        name: value.requires_grad_() for name, value in values.items() if name in used and value.is_floating_point()
    }
    space = dict(values)
    if module is not None:
        space["made"] = in_torch(module, values)
        space["made"].train()
    with torch.set_grad_enabled(bool(inputs)):
        results = leaves(in_torch(call, space))
    loss = _loss([r for r in results if isinstance(r, torch.Tensor) and r.requires_grad and r.is_floating_point()])
    gradients: tuple[torch.Tensor, ...] = ()
    if inputs and loss is not None:
        with suppress(RuntimeError):  # torch has no derivative of some functions
            gradients = torch.autograd.grad(loss, list(inputs.values()), allow_unused=True)
    zeros = [g if g is not None else torch.zeros_like(x) for g, x in zip(gradients, inputs.values())]
    return [array(r) for r in results], [array(g) for g in zeros], space.get("made")


def run_mindspore(expression: str, row: Row, made: Any) -> tuple[list[Any], list[Any]]:
    """Return the results and gradients of the converted expression, with the weights of a torch module."""
    ms.set_seed(1)
    values = {name: ms.Tensor(value) for name, value in arrays().items()}
    module, call = _module_of(expression)
    space = dict(values)
    if module is not None:
        space["made"] = in_mindspore(converted(row, module), values)
        if isinstance(space["made"], ms.nn.Cell):
            if made is not None and made.state_dict():
                load_torch(space["made"], made.state_dict(), strict=False)
            space["made"].set_train()
    else:
        call = converted(row, call)
    used = _names_in(expression)
    names = [name for name, value in values.items() if name in used and value.is_floating_point()]

    def results(*given: Any) -> list[Any]:
        return leaves(in_mindspore(call, {**space, **dict(zip(names, given))}))

    def loss(*given: Any) -> Any:
        return _loss([r for r in results(*given) if isinstance(r, ms.Tensor) and r.is_floating_point()])

    return [array(r) for r in results(*(values[n] for n in names))], (names, loss, values)


def gradients_of(parts: Any) -> list[Any]:
    """Return the gradients of the inputs."""
    names, loss, values = parts
    found = ms.grad(loss, tuple(range(len(names))))(*(values[name] for name in names))
    return [array(g) for g in leaves(found)]


def _loss(results: list[Any]) -> Any:
    total = None
    for result in results:
        part = (result * result + result).sum()
        total = part if total is None else total + part
    return total


def _names_in(expression: str) -> set[str]:
    """Return the names of the inputs that an expression uses, perhaps with others."""
    return {node.id for node in ast.walk(ast.parse(expression, mode="eval")) if isinstance(node, ast.Name)} - _TARGETS


def _module_of(expression: str) -> tuple[str | None, str]:
    """Return the part of "nn.Linear(3, 4)(x)" that makes a module, and the call of it as "made(x)"."""
    tree = cst.parse_expression(expression)
    if isinstance(tree, cst.Call) and isinstance(tree.func, cst.Call):
        return code_of(tree.func), code_of(tree.with_changes(func=cst.Name("made")))
    return None, expression
