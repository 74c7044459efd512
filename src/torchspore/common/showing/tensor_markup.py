"""Tensors in notebooks: shape, data type and device, and the values, or only the values at the edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from torchspore.common.showing.markup import page, table, text
from torchspore.common.showing.printing import to_numpy

__all__ = ["tensor_page"]

_LONGEST = 20  # a longer dimension is shortened
_EDGE = 5  # the entries kept at either end


def tensor_page(tensor: Any, name: str = "", note: str = "") -> str:
    """Return the HTML of a tensor, with its name and a note. Of a large one only the shown values are read."""
    parts = [type(tensor).__name__, *([f"'{name}'"] if name else []), f"shape {tensor.shape}", str(tensor.dtype)]
    parts += [note] if note else []
    values = tensor._shown_values()
    if isinstance(values, torch.Tensor):
        parts += [tensor.device, f"{tensor.size:,} element{'s' * (tensor.size != 1)}"]
    return page(text(", ".join(parts)), "" if values is None else _values(values))


def _values(values: Any) -> str:
    if 0 in values.shape:
        return ""
    leading = max(len(values.shape) - 2, 0)
    title = text(f"[{', '.join(['0'] * leading)}]", kind="dim") if leading else ""
    values = values[(0,) * leading]
    cuts = [_kept(length) for length in values.shape]
    for axis, kept in enumerate(cuts):
        if None in kept:
            numbers = [index for index in kept if index is not None]
            values = values.take(numbers, axis) if isinstance(values, np.ndarray) else _picked(values, axis, numbers)
    array = values if isinstance(values, np.ndarray) else to_numpy(values)
    rows = [[_shown(value) for value in row] for row in np.atleast_2d(array).tolist()]
    if len(cuts) > 0 and None in cuts[-1]:
        rows = [[*row[:_EDGE], "…", *row[_EDGE:]] for row in rows]
    if len(cuts) > 1 and None in cuts[0]:
        rows[_EDGE:_EDGE] = [["…"] * len(rows[0])]
    return title + table((), rows)


def _kept(length: int) -> list[int | None]:
    """Return the indices that are shown of a dimension, with None for those between."""
    if length <= _LONGEST:
        return list(range(length))
    return [*range(_EDGE), None, *range(length - _EDGE, length)]


def _picked(values: torch.Tensor, axis: int, numbers: list[int]) -> torch.Tensor:
    return values.index_select(axis, torch.tensor(numbers, device=values.device))


def _shown(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, (float, complex)) else str(value)
