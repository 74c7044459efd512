"""MindSpore's layers whose arguments torch's lack: initial weights, modes of padding, pads of all axes."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import libcst as cst

from torchspore.migrate.code.calls import appended, bound, code_of, ended, keyword, named
from torchspore.migrate.code.lambdas import applied
from torchspore.migrate.code.result import Unconverted
from torchspore.migrate.code.walk import Walk
from torchspore.migrate.table.from_mindspore import INITIALIZERS

__all__ = ["initial_value", "layer", "padding", "sequence"]

_WEIGHTS = {
    "weight_init": "weight", "bias_init": "bias", "gamma_init": "weight", "beta_init": "bias",
    "moving_mean_init": "running_mean", "moving_var_init": "running_var", "embedding_table": "weight",
}  # fmt: skip
_USUAL = {"gamma_init": "ones", "beta_init": "zeros", "moving_mean_init": "zeros", "moving_var_init": "ones"}
_PADDED = re.compile(r"mindspore\.nn\.(Conv|MaxPool|AvgPool)[123]d")
_PADS = {"CONSTANT": "ConstantPad{}d({}, 0.0)", "REFLECT": "ReflectionPad{}d({})"}


def layer(walk: Walk, original: cst.Call, updated: cst.Call, full: str) -> cst.BaseExpression | None:
    """Convert a layer with initial weights or a mode of padding; None if it has neither."""
    if not full.startswith("mindspore.nn."):
        return None
    names = bound(full, updated.args)
    is_padded = _PADDED.fullmatch(full) is not None
    given = [name for name, arg in zip(names, updated.args) if name in _WEIGHTS and code_of(arg.value) != "None"]
    side = walk.sides.get(full)
    is_dropout = full.startswith("mindspore.nn.Dropout") and "dtype" in names  # the type of no weights
    if side is None or not (given or is_padded or is_dropout):
        return None
    functions = {
        _WEIGHTS[str(name)]: _function(walk, arg.value)
        for name, arg in zip(names, updated.args)
        if name in given and (name not in _USUAL or _text(arg.value) != _USUAL[str(name)])
    }
    mode = next((arg.value for name, arg in zip(names, updated.args) if name == "pad_mode"), None)
    kept = _without(updated.args, names, {*_WEIGHTS, "pad_mode", *(["dtype"] if is_dropout else [])})
    if is_padded:
        made = _padded(walk, original, updated.with_changes(args=kept), full, mode)
    else:
        made = walk.by_row(original, updated.with_changes(args=kept), side, None)
    if not functions:
        return made
    written = [keyword(name, function) for name, function in functions.items()]
    return cst.Call(walk.targets.part("initialized"), [cst.Arg(made), *written])


def _padded(
    walk: Walk, original: cst.Call, updated: cst.Call, full: str, mode: cst.BaseExpression | None
) -> cst.BaseExpression:
    """Convert a convolution or pooling; modes that torch lacks need a class of the program's own."""
    kind = full.rpartition(".")[2]
    default = "same" if kind.startswith("Conv") else "valid"
    text = default if mode is None else _text(mode)
    side = walk.sides.get(full)
    assert side is not None
    found = walk.by_row(original, updated.with_changes(args=_replaced(updated.args, "pad_mode", "'pad'")), side, None)
    assert isinstance(found, cst.Call)
    if text in ("pad", "valid"):
        return found
    if text == "same" and kind.startswith("Conv") and _has_stride_1(full, updated.args):
        return found.with_changes(args=_replaced(found.args, "padding", '"same"'))
    value = '"same"' if mode is None else code_of(mode)
    return found.with_changes(func=walk.targets.part(f"Padded{kind}"), args=_replaced(found.args, "pad_mode", value))


def _has_stride_1(full: str, args: Sequence[cst.Arg]) -> bool:
    strides = [arg.value for name, arg in zip(bound(full, args), args) if name == "stride"]
    return not strides or _literal(strides[0]) in (1, (1, 1), (1, 1, 1))


def _function(walk: Walk, node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the function that fills a tensor as an initializer, a number or a text of MindSpore says."""
    if isinstance(node, cst.Lambda):
        return node
    value = _literal(node)
    if isinstance(value, (int, float)):
        return cst.parse_expression(
            walk.targets.in_template(f"(lambda t: torch.nn.init.constant_(t, {code_of(node)}))")
        )
    if isinstance(value, str):
        names = {name.lower(): name for name in INITIALIZERS} | {"zeros": "Zero", "ones": "One"}
        name = names.get(value.lower().replace("_", ""))
        side = walk.sides.get(f"mindspore.common.initializer.{name}")
        if side is not None:
            return walk.by_row(cst.Call(node), cst.Call(node), side, None)
    raise Unconverted(f"it is unknown which initial values {code_of(node)} means; see torch.nn.init")


def initial_value(walk: Walk, given: dict[str | int, cst.BaseExpression]) -> cst.BaseExpression:
    """Convert the call of `initializer`, with its arguments by position or name."""
    init = given.get(0, given.get("init"))
    shape = given.get(1, given.get("shape"))
    dtype = given.get(2, given.get("dtype"))
    if init is None or shape is None:
        raise Unconverted("initializer of a tensor; write the tensor")
    function = _function(walk, init)
    assert isinstance(function, cst.Lambda)
    args = [cst.Arg(shape)] + ([] if dtype is None else [keyword("dtype", dtype)])
    return applied(function, [cst.Arg(cst.Call(walk.targets.expression("torch.empty"), args))])


def padding(walk: Walk, given: dict[str | int, cst.BaseExpression]) -> cst.BaseExpression:
    """Convert nn.Pad, whose pads of all axes are pairs."""
    pads, mode = given.get(0, given.get("paddings")), given.get(1, given.get("mode"))
    pairs = [e.value for e in pads.elements] if isinstance(pads, (cst.Tuple, cst.List)) else []
    flat = [
        [code_of(e.value) for e in pair.elements] for pair in reversed(pairs) if isinstance(pair, (cst.Tuple, cst.List))
    ]
    form = _PADS.get("CONSTANT" if mode is None else str(_text(mode)))
    count = len(flat) - 2
    if form is None or count not in (1, 2, 3) or flat[count:] != [["0", "0"]] * 2:
        raise Unconverted("torch.nn has pads of the last axes only; see torch.nn.functional.pad")
    sizes = f"({', '.join(each for pair in flat[:count] for each in pair)})"
    return cst.parse_expression(walk.targets.in_template(f"torch.nn.{form.format(count, sizes)}"))


def sequence(walk: Walk, updated: cst.Call, original: cst.Call) -> cst.Call:
    """Convert SequentialCell, which also takes a list."""
    func = walk.targets.expression("torch.nn.Sequential")
    if len(updated.args) != 1 or updated.args[0].star:
        return updated.with_changes(func=func)
    arg, source = updated.args[0], original.args[0].value
    kind = walk.kinds.of(source)
    is_dict = kind == "dict" or (isinstance(source, cst.Call) and (walk.names.full(source.func) or "").endswith("Dict"))
    if kind == "module" or is_dict or isinstance(source, cst.Call):
        return updated.with_changes(func=func)
    return updated.with_changes(func=func, args=[arg.with_changes(star="*", keyword=None)])


def _without(args: Sequence[cst.Arg], names: Sequence[str | None], dropped: set[str]) -> list[cst.Arg]:
    """Return the arguments without some; those behind the first that goes get names."""
    kept: list[cst.Arg] = []
    gone = False
    for arg, name in zip(args, names):
        if name in dropped:
            gone = True
        elif gone and arg.keyword is None and name is not None:
            kept.append(named(arg, name))
        else:
            kept.append(arg)
    return ended(kept, args)


def _replaced(args: Sequence[cst.Arg], name: str, value: str) -> list[cst.Arg]:
    """Return the arguments with another value of a keyword argument, or with a further one."""
    kept = [arg for arg in args if not (arg.keyword and arg.keyword.value == name)]
    return appended(appended(kept, []), [(name, value)])


def _literal(node: cst.BaseExpression) -> Any:
    with suppress(ValueError, SyntaxError):
        return ast.literal_eval(code_of(node))
    return None


def _text(node: cst.BaseExpression) -> str | None:
    value = _literal(node)
    return value if isinstance(value, str) else None
