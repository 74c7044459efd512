"""Operations that MindSpore's cells have as attributes: `self.matmul` in a subclass of `Dense`.

Here cells compute by functions, but programs that subclass them use these attributes in a `construct` of their own.
`member_operations.json` has them by class, as MindSpore's cells had them: a function of `ops`, or a primitive and its
arguments, where "@name" is an attribute of the cell.
"""

from __future__ import annotations

import copy
import functools
import json
from pathlib import Path
from typing import Any

from torchspore import ops
from torchspore.common.class_modules import module_of
from torchspore.engine.strategies import in_several_processes
from torchspore.ops import auto_generate

__all__ = ["member_operation"]


# What MindSpore's compiler notes in every cell; the values of a cell that it has not compiled.
_NOTES: dict[str, Any] = {
    "arguments_key": "", "bprop_debug": False, "compile_cache": set(), "compiled": False, "exist_names": set(),
    "grad_ops_label": False, "is_top_cell": False, "parameter_layout_dict": {},
}  # fmt: skip


@functools.cache
def _by_class() -> dict[str, dict[str, Any]]:
    recorded: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return recorded


@functools.cache
def _of_class(kind: type) -> dict[str, Any]:
    """Return the operations of the cells of a class, with those of the classes that it extends."""
    ours = [base for base in reversed(kind.__mro__) if module_of(base).startswith("torchspore.")]
    return {name: made for base in ours for name, made in _by_class().get(base.__name__, {}).items()}


def _operation(name: str) -> Any:
    return getattr(ops, name) if hasattr(ops, name) else getattr(auto_generate, name)


@functools.cache
def _shared(kind: str) -> Any:
    return _operation(kind)()


def member_operation(cell: Any, name: str) -> Any:
    """Return the operation or note that MindSpore's cell has under a name, or None."""
    if name in _NOTES:
        return copy.copy(_NOTES[name])
    if name == "has_bprop":
        return hasattr(type(cell), "bprop")
    kind: Any = type(cell)
    made = _of_class(kind).get(name)
    if made is None or isinstance(made, str):
        return made and _operation(made)
    if in_several_processes():  # the cell's own, which keeps what `shard` says
        cell.__dict__[name] = _made(cell, *made)
        return cell.__dict__[name]
    return _shared(made[0]) if len(made) == 1 else _made(cell, *made)


def _made(cell: Any, kind: str, arguments: dict[str, Any] | None = None) -> Any:
    """Return a new operation of a cell."""
    found = (arguments or {}).items()
    given = {key: getattr(cell, value[1:]) if str(value)[:1] == "@" else value for key, value in found}
    return _operation(kind)(**given)
