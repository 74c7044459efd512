"""Operations on constants, which are computed when the file is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torchspore.common.private_torch import FakeTensor, no_modes, tree_unflatten
from torchspore.serialization.mindir.building import Value

__all__ = ["known_value"]

_MAX_ELEMENTS = 2**22  # more would make files large that are small as programs


def known_value(operation: Any, leaves: Sequence[Any], spec: Any, expected: Any) -> torch.Tensor | None:
    """Return the result of an operation that takes only constants; None if it takes others, or draws numbers.

    Args:
        operation: the operation.
        leaves: the leaves of its positional and named arguments.
        spec: how they are nested.
        expected: the example of its result.
    """
    if not isinstance(expected, torch.Tensor) or not _is_known(leaves, expected):
        return None
    if torch.Tag.nondeterministic_seeded in operation.tags:
        return None
    given = [leaf.known if isinstance(leaf, Value) else leaf for leaf in leaves]
    args, kwargs = tree_unflatten(given, spec)
    with no_modes(), torch.no_grad():
        found: torch.Tensor = operation(*args, **kwargs)
    return found.to(dtype=expected.dtype, device="cpu").contiguous()


def _is_known(leaves: Sequence[Any], expected: torch.Tensor) -> bool:
    sizes = expected.shape
    if not all(isinstance(size, int) for size in sizes) or expected.numel() > _MAX_ELEMENTS:
        return False
    return all(
        leaf.known is not None if isinstance(leaf, Value) else not isinstance(leaf, (torch.SymInt, FakeTensor))
        for leaf in leaves
    )
