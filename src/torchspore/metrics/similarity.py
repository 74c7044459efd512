"""Similarity of vectors, and overlap of sets."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from torchspore.engine.parameters import StrictFloat, checked
from torchspore.metrics.metric import MeanMetric, Metric, rearrange_inputs

__all__ = ["CosineSimilarity", "Dice"]


class CosineSimilarity(Metric):
    """The similarity of each pair of rows of a matrix.

    Args:
        similarity (str): `"cosine"`, the cosine of the angle between two rows, or `"dot"`, their product.
            Default: `"cosine"`.
        reduction (str): `"none"`, or `"sum"` or `"mean"` of each row of the result. Default: `"none"`.
        zero_diagonal (bool): Set the similarity of a row to itself to 0. Default: `True`.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.CosineSimilarity()
        >>> metric.update([[3.0, 4.0], [4.0, 3.0]])
        >>> print(metric.eval())
        [[0.   0.96]
         [0.96 0.  ]]
    """

    @checked
    def __init__(
        self,
        similarity: Literal["cosine", "dot"] = "cosine",
        reduction: Literal["none", "sum", "mean"] = "none",
        zero_diagonal: bool = True,
    ) -> None:
        self.similarity, self.reduction, self.zero_diagonal = similarity, reduction, zero_diagonal
        self.clear()

    def clear(self) -> None:
        self._products: Any = None

    @rearrange_inputs
    def update(self, inputs: Any) -> None:
        """Set the matrix, which replaces an earlier one.

        Args:
            inputs: The matrix.
        """
        (rows,) = self._arrays([inputs], "inputs")
        if rows.ndim != 2:
            raise ValueError(f"For 'CosineSimilarity.update', the input must be a matrix, but got {rows.ndim} axes.")
        if self.similarity == "cosine":
            with np.errstate(invalid="ignore"):  # rows of zeros give nan
                rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self._products = rows @ rows.T

    def eval(self) -> Any:
        """Return the similarities, an array of N by N, or of N values if `reduction` is not `"none"`."""
        if self._products is None:
            raise self._nothing()
        products = self._products.copy()
        if self.zero_diagonal:
            np.fill_diagonal(products, 0)
        return products if self.reduction == "none" else getattr(products, self.reduction)(axis=-1)


class Dice(MeanMetric):
    """The overlap of predictions and labels: twice their product, divided by the sum of their squares.

    Args:
        smooth (float): A number that is added to the divisor. Default: `1e-5`.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.Dice()
        >>> metric.update(ms.Tensor([[1.0, 0.0, 1.0, 0.0]]), ms.Tensor([[1, 1, 0, 0]]))
        >>> print(f"{metric.eval():.4f}")
        0.5000
    """

    @checked
    def __init__(self, smooth: StrictFloat = 1e-5) -> None:
        self.smooth = smooth
        super().__init__()

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the overlap of a batch.

        Args:
            inputs: `y_pred` and `y` of the same shape, (N, ...).
        """
        y_pred, y = self._arrays(inputs, "y_pred", "y")
        if not y.ndim or y.shape != y_pred.shape:
            raise self._refuse_shapes(y_pred, y, "both must have the same shape (N, ...)")
        overlap, squares = (y_pred * y).sum(), np.square(y_pred).sum() + np.square(y).sum()
        self._sum += 2 * float(overlap) / (float(squares) + self.smooth)
        self._count += len(y)

    def eval(self) -> float:
        """Return the sum of the overlaps of all batches divided by the number of samples."""
        return float(super().eval())
