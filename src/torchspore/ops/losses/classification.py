"""How well classes were predicted."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.engine.op import op
from torchspore.engine.primitive import as_primitive, primitive

__all__ = ["ConfusionMatrix", "InTopK", "intopk"]


@op
def intopk(x1: Tensor, x2: Tensor, k: int) -> Tensor:
    """Return whether the right class of each sample has one of the `k` highest scores.

    Args:
        x1: the scores, a floating-point Tensor of shape (N, C).
        x2: the right classes, a Tensor of int32 of shape (N,).
        k: the number of highest scores.

    Returns a Tensor of bool of shape (N,): False also for a class that does not exist or whose score is not finite.
    Raises TypeError or ValueError for an argument of a wrong type, shape or value.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.intopk(ms.Tensor([[1.0, 8.0, 5.0], [4.0, 9.0, 1.0]]), ms.Tensor([2, 2], ms.int32), 2))
        [ True False]
    """
    if x1.dim() != 2 or tuple(x2.shape) != (x1.shape[0],):
        raise ValueError("'x1' must be of shape (N, C) and 'x2' of shape (N,)")
    if x2.is_floating_point() or not x1.is_floating_point():
        raise TypeError("'x1' must hold floats and 'x2' integers")
    exists = (x2 >= 0) & (x2 < x1.shape[1])
    own = x1.gather(1, x2.clamp(0, x1.shape[1] - 1).long().unsqueeze(1))
    return exists & ((x1 > own).sum(1) < k) & own.squeeze(1).isfinite()


InTopK = primitive("InTopK", intopk, "k")


@as_primitive
def ConfusionMatrix(
    labels: Tensor, predictions: Tensor, weights: Tensor | None = None, *, num_classes: int, dtype: str = "int32"
) -> Tensor:
    """Count the pairs of right classes, in rows, and predicted classes, in columns.

    Args:
        labels, predictions: the right and the predicted classes, Tensors of ints of shape (N,).
        weights: the weight of each sample, of shape (N,). Default: None, 1.
        num_classes: the number of classes.
        dtype: the name of the result's data type. Default: "int32".
    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.ConfusionMatrix(2)(ms.Tensor([0, 1, 1]), ms.Tensor([0, 1, 0])))
        [[1 0]
         [1 1]]
    """
    if labels.shape != predictions.shape or labels.dim() != 1:
        raise ValueError("'labels' and 'predictions' must both be of shape (N,)")
    kind = mstype.to_torch(getattr(mstype, dtype), "ConfusionMatrix")
    values = torch.ones_like(labels) if weights is None else weights
    counts = torch.zeros(num_classes**2, dtype=values.dtype, device=labels.device)
    counts = counts.index_add(0, labels.long() * num_classes + predictions.long(), values)
    return counts.reshape(-1, num_classes).to(kind)
