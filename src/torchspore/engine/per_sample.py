"""Operations without a rule for `torch.func.vmap`: they run for one sample after the other.

`op` tries this after torch has raised, so that other calls pay nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.private_torch import (
    add_batch_dimension,
    batch_of,
    innermost_vmap,
    tree_flatten,
    tree_unflatten,
)

__all__ = ["for_each_sample"]

_TORCH_ERRORS = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError)


def for_each_sample(error: Exception, body: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the result, computed for each sample alone, of an operation for which torch raised under `vmap`.

    Args:
        error, body, args, named: as for `widening.widened`.

    Returns:
        The results stacked; `error` itself if no `vmap` is the innermost transformation, if the operation also fails
        for a sample, or if the results cannot be stacked.
    """
    vmap = innermost_vmap()
    if vmap is None:
        return error
    level = vmap.level()
    leaves, structure = tree_flatten((args, named))
    batches = [batch_of(leaf, level) if isinstance(leaf, torch.Tensor) else (leaf, None) for leaf in leaves]
    if all(axis is None for _, axis in batches):
        return error

    def run(i: int) -> Any:
        part = [value if axis is None else value.select(axis, i) for value, axis in batches]
        positional, by_name = tree_unflatten(part, structure)
        try:
            return body(*positional, **by_name)
        except _TORCH_ERRORS as again:
            result = for_each_sample(again, body, positional, by_name)
            if result is again:
                raise
            return result

    try:
        with vmap.lower():
            results = [tree_flatten(run(i)) for i in range(vmap.batch_size())]
            parts = list(zip(*[found for found, _ in results]))
            stacked = [torch.stack(each) if isinstance(each[0], torch.Tensor) else each[0] for each in parts]
    except _TORCH_ERRORS:
        return error
    wrapped = [add_batch_dimension(each, 0, level) if isinstance(each, torch.Tensor) else each for each in stacked]
    return tree_unflatten(wrapped, results[0][1])
