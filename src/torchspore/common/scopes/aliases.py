"""Tensors that share memory, and copying that memory for all of them.

A write inside a differentiation scope must not touch values saved for the backward pass. So the graph keeps the memory,
and every Tensor over it becomes the same view of a copy, which is then written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch.autograd import forward_ad

from torchspore.common.frames.references import count
from torchspore.common.frames.tracked_objects import objects_of
from torchspore.common.operations import Operations
from torchspore.common.private_torch import (
    SAVED_RESULT,
    base_of,
    forward_level,
    functorch_level_of,
    get_unwrapped,
    is_batchedtensor,
    is_functorch_wrapped_tensor,
    is_view,
    storage_id,
    storage_users,
    use_count,
    view_func,
)

__all__ = ["holds_alone", "is_made_outside", "memory", "renew", "shared", "uses_memory_alone", "view_in"]


def _references(tensor: Any) -> int:
    """Count the references to the torch tensor of `tensor`: Python objects, graphs, views, and users of its memory."""
    return use_count(tensor._t) + _users(tensor)


def _users(tensor: Any) -> int:
    """Count the Python objects that refer to the torch tensor of `tensor`, and the users of its memory."""
    value = tensor._t
    return count(value) + storage_users(storage_id(value.untyped_storage()))


class _Alone:
    _t = torch.empty(1)


def _unshared(count: Callable[[Any], int]) -> int:
    tensor = _Alone()
    tensor._t = torch.empty(1)
    return count(tensor)


_UNSHARED = _unshared(_references)
_ONE_USER = _unshared(_users)


def holds_alone(tensor: Any) -> bool:
    """Return whether only `tensor` refers to its torch tensor and its memory: no view, and no graph."""
    value = tensor._t
    if value.layout is not torch.strided or is_functorch_wrapped_tensor(value):
        return False
    del value
    return _references(tensor) == _UNSHARED


def uses_memory_alone(tensor: Any) -> bool:
    """Return whether no other Tensor uses the memory of `tensor`, and no graph has saved it."""
    is_plain = tensor._t.layout is torch.strided and not is_functorch_wrapped_tensor(tensor._t)
    return is_plain and _users(tensor) == _ONE_USER


def is_made_outside(value: torch.Tensor) -> bool:
    """Return whether a torch tensor, or its base, may be from outside the open scope."""
    return _root(value).is_leaf and not is_functorch_wrapped_tensor(value)


def shared(tensor: Any, since: Any, known: Iterable[Any]) -> list[Any]:
    """Return the Tensors over the memory of `tensor`, itself included.

    Args:
        tensor: a Tensor.
        since: an object tracked by the garbage collector; older Tensors may be left out. None: all are searched.
        known: Tensors to check even if they are older.
    """
    key = memory(tensor._t)
    found = [tensor]
    if key is not None and not _is_explained(tensor):
        others = {id(other): other for other in (*known, *_tensors(since)) if other is not tensor}
        found += [other for other in others.values() if memory(other._t) == key]
    return found


def _is_explained(tensor: Any) -> bool:
    """Return whether only `tensor`, and graphs that saved its torch tensor, use the memory."""
    value = tensor._t
    if is_functorch_wrapped_tensor(value):
        return False
    users = storage_users(storage_id(value.untyped_storage())) - 2  # the tensor, and the storage object on this line
    base, known = value, _NAMES
    if is_view(value):
        base = base_of(value)
        users -= 1
        if base is None or _has_other_names(base, known - 1):  # not a Tensor's
            return False
    else:
        known += 1  # the second variable
    if base.is_leaf and base.requires_grad:
        users -= 1  # the tensor that it is an alias of
        known += 1  # the scope's list of leaves
    elif base.grad_fn is not None and hasattr(base.grad_fn, SAVED_RESULT):
        users -= 1
    # The torch tensor object of a parameter is never shared.
    return users <= 0 and (hasattr(tensor, "_storage") or not _has_other_names(value, known))


def _has_other_names(value: Any, known: int) -> bool:
    """Return whether Python objects other than those that are known refer to a torch tensor."""
    return count(value) - (use_count(value) > 1) > known


def _names() -> int:
    tensor = _Alone()
    tensor._t = torch.empty(1)
    value = tensor._t
    known = 0
    while _has_other_names(value, known):
        known += 1
    return known


_NAMES = _names()  # of a torch tensor that is a Tensor's, and a variable's


def _tensors(since: Any) -> Iterator[Any]:
    """Iterate over the Tensors made after `since`, and some of those made before."""
    kinds = set(_subclasses(Operations))
    if since is None:  # a class does not know its instances, but they refer to it
        yield from filter(_has_value, objects_of(kinds, None)[0])
        return
    for generation in range(3):
        found, is_reached = objects_of(kinds, generation, since)
        yield from filter(_has_value, found)
        if is_reached:  # objects younger than another are in its generation or in a younger one
            return


def _subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    for derived in kind.__subclasses__():
        yield derived
        yield from _subclasses(derived)


def _has_value(tensor: Any) -> bool:
    try:
        return tensor._t is not None
    except (AttributeError, TypeError):  # it is being created, or only describes a tensor
        return False


def memory(value: torch.Tensor) -> tuple[int, ...] | None:
    """Return a key of the memory, equal for tensors that share it and are samples of the same `vmap`.

    Inside a gradient transformation of `torch.func`, a view of an outer tensor is wrapped, the outer one is not.
    """
    levels = []
    while is_functorch_wrapped_tensor(value):
        if is_batchedtensor(value):
            levels.append(functorch_level_of(value))
        value = get_unwrapped(value)
    return (storage_id(value.untyped_storage()), *levels) if value.layout is torch.strided else None


def renew(tensor: Any, others: list[Any]) -> torch.Tensor:
    """Give `tensor` and the others over its memory new memory with the same values; return the new torch tensor.

    The new values depend on the old ones: the graph knows the copy.

    Args:
        tensor: a Tensor.
        others: the Tensors over its memory, itself included.
    """
    base = _base([other._t for other in others])
    copy = base.clone()
    first, end = _extent(base)
    if copy.stride() != base.stride() or end - first != base.numel():  # it has gaps, or overlapping elements
        base = base.as_strided((end - first,), (1,), first)
        copy = base.clone()
    views = [view_in(other._t, base, copy) for other in others]
    for other, view in zip(others, views):
        other._t = view.detach() if base.requires_grad and not other._t.requires_grad else view
    return next(view for other, view in zip(others, views) if other is tensor)


def _base(values: list[torch.Tensor]) -> torch.Tensor:
    """Return a torch tensor that contains the others."""
    bases = {id(base): base for base in map(_root, values)}
    if len(bases) == 1:
        return next(iter(bases.values()))
    ordered = sorted(bases.values(), key=lambda base: (base.requires_grad, base.numel()), reverse=True)
    first, end = _extent(ordered[0])
    for base in ordered[1:]:
        start, stop = _extent(base)
        if start < first or stop > end:
            return ordered[0].as_strided((ordered[0].untyped_storage().nbytes() // base.itemsize,), (1,), 0)
    return ordered[0]


def _root(value: torch.Tensor) -> torch.Tensor:
    """Return the torch tensor that `value` is a view of, or itself."""
    base = base_of(value) if is_view(value) else None
    if base is None or (_has_tangent(value) and not _has_tangent(base)):
        return value  # in forward mode, the input is a view of a tensor without a tangent
    return base


def _has_tangent(value: torch.Tensor) -> bool:
    return forward_level() >= 0 and forward_ad.unpack_dual(value).tangent is not None


def _extent(value: torch.Tensor) -> tuple[Any, Any]:
    """Return the offset of a tensor's first element in its storage, and the offset after its last."""
    first = value.storage_offset()
    last = sum((size - 1) * stride for size, stride in zip(value.shape, value.stride()))
    return first, first + last + 1 if value.numel() else first


def view_in(value: Any, base: torch.Tensor, copy: torch.Tensor) -> torch.Tensor:
    """Return the view of `copy` that corresponds to the view `value` of `base`, whose strides it has."""
    if value is base:
        return copy
    if base_of(value) is base:
        view: torch.Tensor = view_func(value, copy)
        return view
    offset = value.storage_offset() - base.storage_offset() + copy.storage_offset()
    return copy.as_strided(value.shape, value.stride(), offset)
