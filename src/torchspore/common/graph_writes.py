"""Writes of captured functions, which MindSpore's graphs do in their own way: by name, not by object.

`x[i] = value` gives the name `x` another tensor: other names, the caller's tensor, and elements that were read before
stay. Of what is not a local variable (`self.table[i] = value`, a global), the rest of the call sees the new values, and
the call leaves the old ones. Parameters, and tensors in dicts, are written.

`x += value` and its relatives write into the tensor instead, for all its names and the caller, and keep its dtype.
Views, and elements of a list among the arguments, are copies here too.
"""

from __future__ import annotations

import ast
import ctypes
import pathlib
import sys
from collections.abc import Callable
from inspect import CO_OPTIMIZED
from types import FrameType
from typing import Any

import torch

from torchspore.common.aliases import uses_memory_alone, view_in
from torchspore.common.indexing import put
from torchspore.common.private_torch import is_view
from torchspore.common.scope import scope, writable
from torchspore.common.written_names import written

__all__ = ["assign", "augmented"]

_THIS_PACKAGE = str(pathlib.Path(__file__).parents[1])


class _Probe:
    """Counts the references to itself in calls like those of a tensor that only one name refers to."""

    def __iadd__(self, other: Any) -> Any:
        return _references(self)

    def __setitem__(self, index: Any, value: Any) -> None:
        value.append(_references(self))


def _references(probe: Any) -> int:
    return sys.getrefcount(probe)


def _counts() -> tuple[Any, int]:
    counts: list[int] = []
    probe = _Probe()
    probe[0] = counts
    probe += 1
    return probe, counts[0]


_AUGMENTED, _ASSIGNED = _counts()


def augmented(tensor: Any, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
    """Return what `tensor += other` gives the name on its left, in a captured function.

    Args:
        tensor: a Tensor.
        other: the other operand.
        operation: the operator.
    """
    frame = sys._getframe(2)
    value = tensor._t
    dtype = value.dtype
    if not _is_the_users(frame) or dtype is torch.bool or id(tensor) in scope.listed:
        return operation(tensor, other)
    if isinstance(written(frame.f_code, frame.f_lasti), ast.Attribute):
        return operation(tensor, other)
    if not (dtype.is_floating_point or dtype.is_complex):  # MindSpore casts the operand
        other = int(other) if type(other) is float else other.astype(tensor.dtype) if hasattr(other, "_t") else other
    result = operation(tensor, other)
    computed = getattr(result, "_t", None)
    if computed is None or computed.shape != value.shape or (computed.is_complex() and not dtype.is_complex):
        return result  # MindSpore refuses this
    result._t = computed = computed.to(dtype)
    _forget_copies_of_locals(frame)
    if not hasattr(tensor, "_storage") and sys.getrefcount(tensor) - (id(tensor) in scope.stashed) <= _AUGMENTED:
        return result
    if is_view(value) and not hasattr(tensor, "_storage"):
        tensor._t = computed
    else:
        writable(tensor).copy_(computed)
    return tensor


def assign(tensor: Any, index: Any, value: Any) -> None:
    """Do `tensor[index] = value` in a captured function."""
    frame = sys._getframe(2)
    target = None
    if not hasattr(tensor, "_storage") and _is_the_users(frame):
        target = written(frame.f_code, frame.f_lasti)
    if target is None:
        put(writable(tensor), index, value)
        return
    if type(target) is ast.Name and _is_local(target.id, frame):
        if sys.getrefcount(tensor) - (id(tensor) in scope.stashed) <= _ASSIGNED and uses_memory_alone(tensor):
            put(writable(tensor), index, value)
        else:
            _rebind(frame, target.id, _copy(tensor, index, value))
        return
    root = target
    while isinstance(root, ast.Subscript):
        root = root.value
    owner, name = _owner(root, frame)
    if name and type(owner) is list and _replace(owner, tensor, new := _copy(tensor, index, value)):
        return
    if type(owner) is type(tensor) and not hasattr(owner, "_storage"):
        new = _copy(owner, index, value, tensor)
        if name:
            _rebind(frame, name, new)
        else:
            _set_for_the_call(owner, new._t)
    elif type(owner) is list and not name:
        _set_for_the_call(tensor, _copy(tensor, index, value)._t)
    elif type(owner) is tuple and is_view(tensor._t):
        tensor._t = _copy(tensor, index, value)._t
    else:
        put(writable(tensor), index, value)


def _is_the_users(frame: FrameType) -> bool:
    """Return whether a frame is that of a user's function, which has local variables."""
    code = frame.f_code
    return bool(code.co_flags & CO_OPTIMIZED) and not code.co_filename.startswith(_THIS_PACKAGE)


def _copy(tensor: Any, index: Any, value: Any, part: Any = None) -> Any:
    """Return a new Tensor with the values of `tensor`, in which `part` (default: all of it) has been written."""
    new = object.__new__(type(tensor))
    new._t = tensor._t.clone()
    put(new._t if part is None or part is tensor else view_in(part._t, tensor._t, new._t), index, value)
    return new


def _set_for_the_call(tensor: Any, value: torch.Tensor) -> None:
    scope.temporary.setdefault(id(tensor), (tensor, tensor._t))
    tensor._t = value


def _replace(values: list[Any], old: Any, new: Any) -> bool:
    """Put `new` in the place of an element of a list, or of a list in it; return whether there is one."""
    for i, value in enumerate(values):
        if value is old:
            values[i] = new
            return True
        if type(value) is list and _replace(value, old, new):
            return True
    return False


def _owner(root: ast.expr, frame: FrameType) -> tuple[Any, str]:
    """Return the object that an expression of names and attributes names, and the name if it is a local variable."""
    if isinstance(root, ast.Attribute):
        return getattr(_owner(root.value, frame)[0], root.attr, None), ""
    if not isinstance(root, ast.Name):
        return None, ""
    if root.id in frame.f_locals:
        return frame.f_locals[root.id], root.id if _is_local(root.id, frame) else ""
    return frame.f_globals.get(root.id), ""


def _is_local(name: str, frame: FrameType) -> bool:
    """Return whether a name is a variable of this call of a function, not of an outer function."""
    return name in frame.f_code.co_varnames or name in frame.f_code.co_cellvars


if sys.version_info >= (3, 13):

    def _forget_copies_of_locals(frame: FrameType) -> None:
        """Before Python 3.13, a frame keeps a dict with its variables if something has asked for it."""

    def _rebind(frame: FrameType, name: str, value: Any) -> None:
        frame.f_locals[name] = value

else:

    def _forget_copies_of_locals(frame: FrameType) -> None:
        """Empty the dict with its variables that a frame keeps if something has asked for it."""
        frame.f_locals.clear()

    def _rebind(frame: FrameType, name: str, value: Any) -> None:
        """Give a local variable of a frame another value."""
        frame.f_locals[name] = value
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
        frame.f_locals.clear()
