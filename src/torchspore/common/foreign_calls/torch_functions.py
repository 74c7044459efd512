"""Functions of torch called with Tensors: `torch.add(x, 1)`, `torch.nn.functional.relu(x)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

__all__ = ["call"]


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], wrap: Callable[[torch.Tensor], Any]) -> Any:
    """Call a function of torch with the torch tensors of Tensors; its torch tensors come back as Tensors.

    `wrap` makes a Tensor of a torch tensor. Gradients flow through it, in `grad` and in graphs.

    Raises:
        TypeError: it would write into a Tensor, which only functions of this package may do.
    """
    name = getattr(function, "__name__", str(function))
    if _writes(name, args, kwargs):
        raise TypeError(
            f"For 'torch.{name}', torch's function must not write into a Tensor: inside 'grad' and in graphs the write "
            "would be lost. Use the method of Tensor, ops.assign, or x.torch outside them."
        )
    result = function(*_torchs(args), **_torchs(kwargs))
    return result if args and result is args[0] else _ours(result, wrap)


def _writes(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    in_place = (name.endswith("_") and not name.endswith("__")) or name in ("__setitem__", "__iadd__", "__imul__")
    return hasattr(kwargs.get("out"), "_t") or (in_place and bool(args) and hasattr(args[0], "_t"))


def _torchs(tree: Any) -> Any:
    if hasattr(tree, "_t"):
        return tree._t
    if type(tree) in (tuple, list):
        return type(tree)([_torchs(part) for part in tree])
    return {key: _torchs(part) for key, part in tree.items()} if type(tree) is dict else tree


def _ours(tree: Any, wrap: Callable[[torch.Tensor], Any]) -> Any:
    if isinstance(tree, torch.Tensor):
        return wrap(tree)
    if isinstance(tree, (tuple, list)) and not isinstance(tree, torch.Size):
        parts = [_ours(part, wrap) for part in tree]
        return parts if isinstance(tree, list) else tuple(parts)
    return tree
