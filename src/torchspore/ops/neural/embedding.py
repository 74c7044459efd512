"""Embeddings: rows of a table, by index."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.ops.array.gathering import is_checked, wrapped

__all__ = ["embedding"]


@op
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Tensor:
    """Return rows of a table.

    Args:
        input: the indices, a Tensor of int32 or int64, each in [0, rows).
        weight: the table, a Tensor of shape (rows, size).
        padding_idx: a row without gradient; negative ones count from the end. Default: None.
        max_norm: rows that are used and have a greater norm are first scaled to it, in `weight`. Default: None.
        norm_type: the p of that norm. Default: 2.0.
        scale_grad_by_freq: whether to divide a row's gradient by the number of its uses. Default: False.

    Returns a Tensor of the shape of `input` and then (size,), of the dtype of `weight`.
    Raises ValueError if an index or `padding_idx` is out of range.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.embedding(ms.Tensor([1, 0]), ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[3. 4.]
         [1. 2.]]
    """
    rows = weight.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise ValueError(f"'padding_idx' must be in [{-rows}, {rows})")
    return torch.nn.functional.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)


@op(name="Embedding")
def rows_of(table: Tensor, ids: Tensor) -> Tensor:
    """Return the rows `ids` of `table`; negative ones count from the end, as in MindSpore."""
    if is_checked(ids):
        try:
            return torch.embedding(table, ids)
        except IndexError:
            if not bool((ids < 0).any()):
                raise
    return torch.embedding(table, wrapped(ids, table.shape[0]))


@op(name="Embedding")
def rows_by_product(table: Tensor, ids: Tensor, on_value: Tensor, off_value: Tensor) -> Tensor:
    """Return the rows `ids` of `table` as a product with one-hot vectors of two values; zeros outside it.

    Values of float32 take the dtype of a narrower table: a cell casts only its table (`to_float`).
    """
    dtype = table.dtype if on_value.dtype is torch.float32 else on_value.dtype
    chosen = ids.unsqueeze(-1) == torch.arange(table.shape[0], device=ids.device)
    return torch.where(chosen, on_value.to(dtype), off_value.to(dtype)) @ table


@op(name="EmbeddingLookup")
def rows_or_zeros(table: Tensor, ids: Tensor, max_norm: float | None) -> Tensor:
    """Return the rows `ids` of `table`, zeros outside it, scaled down to the norm `max_norm`."""
    if ids.is_floating_point() or ids.dtype is torch.bool:
        raise TypeError("the indices must be integers")
    rows = torch.embedding(table, ids.clamp(0, table.shape[0] - 1))
    rows = rows * ((ids >= 0) & (ids < table.shape[0])).unsqueeze(-1)
    if max_norm is not None:
        rows = rows * (max_norm / rows.norm(dim=-1, keepdim=True).clamp(min=max_norm))
    return rows
