"""How well classes were predicted."""

from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.engine.op import op
from torchspore.engine.parameters import Floats, Ints
from torchspore.engine.primitive import as_primitive, primitive

__all__ = ["ConfusionMatrix", "InTopK", "intopk"]


@op
def intopk(x1: Annotated[Floats, "N C"], x2: Annotated[Ints, "N"], k: int) -> Tensor:
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
    exists = (x2 >= 0) & (x2 < x1.shape[1])
    own = x1.gather(1, x2.clamp(0, x1.shape[1] - 1).long().unsqueeze(1))
    return exists & ((x1 > own).sum(1) < k) & own.squeeze(1).isfinite()


InTopK = primitive("InTopK", intopk, "k")


@as_primitive
def ConfusionMatrix(
    labels: Annotated[Tensor, "N"],
    predictions: Annotated[Tensor, "N"],
    weights: Tensor | None = None,
    *,
    num_classes: int,
    dtype: str = "int32",
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
    kind = mstype.to_torch(getattr(mstype, dtype), "ConfusionMatrix")
    values = torch.ones_like(labels) if weights is None else weights
    counts = torch.zeros(num_classes**2, dtype=values.dtype, device=labels.device)
    counts = counts.index_add(0, labels.long() * num_classes + predictions.long(), values)
    return counts.reshape(-1, num_classes).to(kind)
