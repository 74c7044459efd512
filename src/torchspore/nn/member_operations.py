"""Operations that MindSpore's cells have as attributes: `self.matmul` in a subclass of `Dense`.

Here cells compute by functions, but programs that subclass them use these attributes in a `construct` of their own,
replace them, or say how they are cut: `layer.matmul.shard(...)`. `member_operations.json` has them by class, as
MindSpore's cells had them: a function of `ops`; a primitive and its arguments, where "@name" is an attribute of the
cell; or such an attribute that is a primitive. "construct" says how a cell computes by them: the calls in order, each
with a condition if it has one. In it "x" is the result so far, "input" the first input, and other names refer to
inputs and attributes; methods are called with "x". A cell computes so as soon as one of its operations is not the usual
one. Cells and schedulers do not compute by the attributes in `unused_operations.json`, as MindSpore's do: these cannot
be replaced; "=" after a name says that it is a value.
"""

from __future__ import annotations

import copy
import functools
import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from torchspore import ops
from torchspore.common.names.class_modules import module_of
from torchspore.common.scopes.scope import scope
from torchspore.ops import auto_generate

__all__ = ["by_operations", "member_operation", "note_operation", "set_counting"]


# What MindSpore's compiler notes in every cell; the values of a cell that it has not compiled.
_NOTES: dict[str, Any] = {
    "arguments_key": "", "bprop_debug": False, "compile_cache": set(), "compiled": False, "exist_names": set(),
    "grad_ops_label": False, "is_top_cell": False, "parallel_parameter_merge_net_dict": {},
    "parallel_parameter_name_list": (), "parameter_layout_dict": {}, "pynative": False,
}  # fmt: skip


class _Step(NamedTuple):
    """A call of what a cell has as an attribute.

    Attributes:
        condition: an attribute that says whether there is the call, "!" before it negates; or "".
        name: the attribute that is called.
        arguments: names, or numbers.
    """

    condition: str
    name: str
    arguments: tuple[Any, ...]


# Calls that only change shapes, as operations on rows need them.
_SHAPES: dict[str, Callable[..., Any]] = {
    "rows": lambda x: x if x.ndim == 2 else x.reshape((-1, x.shape[-1])),
    "as_input": lambda x, given: x if given.ndim == 2 else x.reshape((*given.shape[:-1], -1)),
    "flat": lambda x: x.reshape((-1,)),
    "of_indices": lambda x, given: x.reshape((*given.shape, -1)),
}


@functools.cache
def _by_class() -> dict[str, dict[str, Any]]:
    recorded: dict[str, dict[str, Any]] = _read("member_operations")
    return recorded


def _read(table: str) -> Any:
    return json.loads(Path(__file__).with_name(f"{table}.json").read_text(encoding="utf-8"))


@functools.cache
def _of_class(kind: Any) -> dict[str, Any]:
    """Return the operations of the cells of a class, and of the classes that it extends."""
    ours = [base for base in reversed(kind.__mro__) if module_of(base).startswith("torchspore.")]
    return {name: made for base in ours for name, made in _by_class().get(base.__name__, {}).items()}


@functools.cache
def _steps_of(kind: Any) -> tuple[_Step, ...]:
    """Return how cells of a class compute by their operations; nothing if they have a `construct` of their own."""
    classes = kind.__mro__
    own = next(i for i, base in enumerate(classes) if "construct" in vars(base))
    for base in classes[: own + 1]:
        if module_of(base).startswith("torchspore.") and "construct" in _by_class().get(base.__name__, {}):
            found = re.findall(r"(?:(!?\w+)\?)?(\w+)\((.*?)\)", _by_class()[base.__name__]["construct"])
            return tuple([_Step(condition, name, _arguments(text)) for condition, name, text in found])
    return ()


def _arguments(text: str) -> tuple[Any, ...]:
    return tuple([word if word.isidentifier() else json.loads(word) for word in text.split(", ")])


def _operation(name: str) -> Any:
    return getattr(ops, name) if hasattr(ops, name) else getattr(auto_generate, name)


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
    try:
        operation = _made(cell, *made)
    except ValueError:  # arguments that only the cell accepts, such as pad_mode="pad" of a pooling
        return None
    if scope.tracing is None:  # the cell's own, which keeps what `shard` says; a graph that is recorded changes no cell
        cell.__dict__[name] = operation
        if _is_step(kind, name):
            _note(cell, name, operation)
    return operation


def _made(cell: Any, kind: str, arguments: dict[str, Any] | None = None) -> Any:
    """Return a new operation of a cell."""
    if kind.startswith("@"):
        return copy.copy(getattr(cell, kind[1:]))
    found = (arguments or {}).items()
    given = {key: getattr(cell, value[1:]) if str(value)[:1] == "@" else value for key, value in found}
    return _operation(kind)(**given)


def note_operation(cell: Any, name: str, value: Any) -> None:
    """Note that a cell gets an operation, which may also be another attribute.

    Raises:
        NotImplementedError: MindSpore's cell computes by this operation, ours does not, and it is not the usual one.
    """
    kind: Any = type(cell)
    made = _of_class(kind).get(name) if callable(value) else None
    if made is not None and _is_step(kind, name):
        _note(cell, name, None)
    elif made is None or not _is_usual(cell, made, value):
        refuse_unused(cell, name, value, "construct")


def set_counting(scheduler: object, name: str, value: object) -> None:
    """Set an attribute of a scheduler, unless it is one that only MindSpore's schedulers compute by."""
    refuse_unused(scheduler, name, value, "get_lr" if hasattr(scheduler, "get_lr") else "step")
    object.__setattr__(scheduler, name, value)


def refuse_unused(made: object, name: str, value: object, method: str) -> None:
    """Refuse to set what only MindSpore's objects of a class compute by, if `method` is ours.

    Raises:
        NotImplementedError: it is such an attribute.
    """
    kind: Any = type(made)
    unused = _unused(kind, method)
    if f"{name}=" in unused or (callable(value) and name in unused):
        raise NotImplementedError(
            f"For '{kind.__name__}', '{name}' cannot be replaced: its '{method}' does not compute by it. Override "
            f"'{method}' in a subclass instead."
        )


def _note(cell: Any, name: str, usual: Any) -> None:
    known = cell.__dict__.get("_operations") or {}
    cell.__dict__["_operations"] = {**known, name: usual}
    cell._refresh_plain()


def _is_step(kind: Any, name: str) -> bool:
    return any(step.name == name for step in _steps_of(kind))


@functools.cache
def _unused(kind: Any, method: str) -> frozenset[str]:
    """Return the attributes that only MindSpore's objects compute by, if objects of a class run a `method` of ours."""
    own = next(vars(base)[method] for base in kind.__mro__ if method in vars(base))
    if not str(getattr(own, "__module__", None)).startswith("torchspore."):  # None in code that `exec` runs
        code = getattr(inspect.unwrap(own), "__code__", None)
        if code is None or method not in code.co_names:  # it does not call a base class's method
            return frozenset()
    table: dict[str, str] = _read("unused_operations")
    ours = next(base for base in kind.__mro__ if module_of(base).startswith("torchspore."))
    return frozenset(table.get(ours.__name__, "").split())


def _is_usual(cell: Any, made: Any, value: Any) -> bool:
    """Return whether a value computes what the operation does that a cell has anyway."""
    if isinstance(made, str):
        return value is _operation(made)
    if type(value) is not _operation(made[0]):
        return False
    try:
        usual = _made(cell, *made)
    except (AttributeError, ValueError):  # of a cell that is being made, or has arguments that only it accepts
        return True
    return getattr(value, "attrs", None) == getattr(usual, "attrs", None)


def by_operations(cell: Any) -> Callable[..., Any] | None:
    """Return a function that computes by the operations of a cell, or None if all are the usual ones."""
    kind: Any = type(cell)
    for name, usual in cell.__dict__["_operations"].items():
        operation = cell.__dict__.get(name)
        if operation is not None and (operation is not usual or usual.__dict__.get("in_strategy") is not None):
            return functools.partial(_compute, cell, _steps_of(kind))
    return None


def _compute(cell: Any, steps: tuple[_Step, ...], *args: Any, **kwargs: Any) -> Any:
    given = inspect.signature(cell.construct).bind(*args, **kwargs).arguments
    x = first = next(iter(given.values()))
    for step in steps:
        operation = _SHAPES.get(step.name) or getattr(cell, step.name)
        if operation is not None and _is_called(cell, step.condition):
            known = {**given, "x": x, "input": first}
            x = operation(*[_value(cell, argument, known) for argument in step.arguments])
            x = x[0] if isinstance(x, tuple) else x
    return x


def _value(cell: Any, argument: Any, known: dict[str, Any]) -> Any:
    if not isinstance(argument, str):
        return argument
    value = known[argument] if argument in known else getattr(cell, argument)
    return value(known["x"]) if callable(value) else value


def _is_called(cell: Any, condition: str) -> bool:
    if not condition:
        return True
    value = getattr(cell, condition.lstrip("!"))
    return bool(value() if callable(value) else value) != condition.startswith("!")
