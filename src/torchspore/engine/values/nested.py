"""Tensors in nested tuples, lists and dicts, and in sparse tensors."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import torch

from torchspore.common.scopes.scope import scope
from torchspore.common.sparse_base import Sparse
from torchspore.common.string_tensor import StringTensor
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments.mutable import PLAIN
from torchspore.engine.values.plain_reads import elements


def tensors(tree: Any) -> list[Tensor]:
    """Return the tensors in `tree`, in order."""
    found: list[Tensor] = []
    _collect(tree, found)
    return found


def _collect(tree: Any, found: list[Tensor]) -> None:
    kind = type(tree)
    if issubclass(kind, Tensor):
        if kind is not StringTensor:
            found.append(tree)
    elif issubclass(kind, (tuple, list, dict)):
        for branch in elements(tree):
            _collect(branch, found)
    elif issubclass(kind, Sparse):
        found.extend(tree.parts)


def map_tensors(function: Callable[[Tensor], Any], tree: Any) -> Any:
    """Return a copy of `tree` with every tensor replaced by `function(tensor)`."""
    if isinstance(tree, Tensor):
        return tree if tree.__class__ is StringTensor else function(tree)
    if isinstance(tree, (tuple, list)):
        return rebuilt(tree, [map_tensors(function, branch) for branch in tree])
    if isinstance(tree, dict):
        return rebuilt(tree, [map_tensors(function, branch) for branch in tree.values()])
    return tree.with_parts([function(part) for part in tree.parts]) if isinstance(tree, Sparse) else tree


def rebuilt(tree: Any, parts: list[Any]) -> Any:
    """Return a tuple, list or dict like `tree`, of its class, with other elements or values.

    Classes of tuples that are not named tuples, such as torch's results, become tuples, and what `mutable` has
    marked becomes plain.
    """
    kind = type(tree)
    if kind is tuple:
        return tuple(parts)
    if kind is list:
        return parts
    if kind is dict:
        return dict(zip(tree, parts))
    if isinstance(tree, tuple):
        return kind(*parts) if hasattr(kind, "_fields") else tuple(parts)
    if kind in PLAIN:
        return rebuilt(PLAIN[kind](tree), parts)
    made = copy.copy(tree)
    if isinstance(tree, list):
        made[:] = parts
    else:
        for key, part in zip(tree, parts):
            made[key] = part  # some classes have them as attributes too
    return made


def sequence_like(given: Any, parts: list[Any]) -> list[Any] | tuple[Any, ...]:
    """Return the results for each element of a sequence: a tuple, in a captured function a list if `given` is one."""
    return parts if scope.captured and isinstance(given, list) else tuple(parts)


def filled(tree: Any, values: Iterable[torch.Tensor]) -> Any:
    """Return a copy of `tree` with the tensors replaced, in order, by tensors around `values`."""
    remaining = iter(values)
    return map_tensors(lambda _: wrap(next(remaining)), tree)


def unwrap_tree(tree: Any) -> Any:
    """Return `tree` with the torch tensors underneath in place of the tensors."""
    return map_tensors(lambda tensor: tensor._t, tree)


def wrap_tree(tree: Any) -> Any:
    """Return `tree` with a Tensor around every torch tensor."""
    if isinstance(tree, torch.Tensor):
        return wrap(tree)
    if isinstance(tree, (tuple, list)):
        return rebuilt(tree, [wrap_tree(branch) for branch in tree])
    if isinstance(tree, dict):
        return rebuilt(tree, [wrap_tree(branch) for branch in tree.values()])
    return tree.with_parts([wrap_tree(part) for part in tree.parts]) if isinstance(tree, Sparse) else tree


def with_rest(output: Any) -> tuple[Any, Any]:
    """Return the first of several outputs, which is differentiated with `has_aux`, and the others.

    Raises:
        ValueError: there is one output.
    """
    if not isinstance(output, (tuple, list)) or len(output) < 2:
        given = type(output).__name__ if isinstance(output, Tensor) else repr(output)
        raise ValueError(
            f"With 'has_aux' a function must return a tuple of two outputs or more, but it returned {given}."
        )
    return output[0], output[1:]
