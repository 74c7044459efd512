"""How alike vectors are, and how far two sets overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.engine.checks import check_bool, check_float
from torchspore.metrics.metric import Metric, check_choice, rearrange_inputs

__all__ = ["CosineSimilarity", "Dice"]


class CosineSimilarity(Metric):
    """How alike the rows of a matrix are, each to each.

    Args:
        similarity (str): `"cosine"`, the cosine of the angle between two rows, or `"dot"`, their product.
            Default: `"cosine"`.
        reduction (str): `"none"`, or `"sum"` or `"mean"` of each row of the result. Default: `"none"`.
        zero_diagonal (bool): Put 0 for the likeness of a row to itself. Default: `True`.

    Raises:
        TypeError: An argument of another type.
        ValueError: `similarity` or `reduction` is none of these.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.CosineSimilarity()
        >>> metric.update([[3.0, 4.0], [4.0, 3.0]])
        >>> print(metric.eval())
        [[0.   0.96]
         [0.96 0.  ]]
    """

    def __init__(self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True) -> None:
        api = type(self).__name__
        check_choice(similarity, "similarity", ("cosine", "dot"), api)
        check_choice(reduction, "reduction", ("none", "sum", "mean"), api)
        self.similarity = similarity
        self.reduction = reduction
        self.zero_diagonal = check_bool(zero_diagonal, "zero_diagonal", api)
        self.clear()

    def clear(self) -> None:
        """Forget what `update` has gathered."""
        self._products: Any = None

    @rearrange_inputs
    def update(self, inputs: Any) -> None:
        """Take a matrix, in place of an earlier one.

        Args:
            inputs: The matrix, a Tensor, a list or an array.

        Raises:
            ValueError: It is not a matrix.
        """
        (rows,) = self._arrays([inputs], "inputs")
        if rows.ndim != 2:
            raise ValueError(f"For 'CosineSimilarity.update', the input must be a matrix, but got {rows.ndim} axes.")
        if self.similarity == "cosine":
            with np.errstate(invalid="ignore"):  # rows of zeros give nan
                rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self._products = rows @ rows.T

    def eval(self) -> Any:
        """Return the similarities, an array of N by N, or of N values if `reduction` is not `"none"`.

        Raises:
            RuntimeError: There is no matrix.
        """
        if self._products is None:
            raise self._nothing()
        products = self._products.copy()
        if self.zero_diagonal:
            np.fill_diagonal(products, 0)
        return products if self.reduction == "none" else getattr(products, self.reduction)(axis=-1)


class Dice(Metric):
    """How far predictions and labels overlap: twice their product, divided by the sum of their squares.

    Args:
        smooth (float): What is added to the divisor. Default: `1e-5`.

    Raises:
        TypeError: `smooth` is not a float.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.Dice()
        >>> metric.update(ms.Tensor([[1.0, 0.0, 1.0, 0.0]]), ms.Tensor([[1, 1, 0, 0]]))
        >>> print(f"{metric.eval():.4f}")
        0.5000
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        self.smooth = check_float(smooth, "smooth", type(self).__name__)
        self.clear()

    def clear(self) -> None:
        """Forget what `update` has gathered."""
        self._dice_sum = 0.0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the overlap of a batch.

        Args:
            inputs: `y_pred` and `y`, Tensors, lists or arrays of the same shape, (N, ...).

        Raises:
            ValueError: Not two inputs, or of different shapes.
        """
        y_pred, y = self._arrays(inputs, "y_pred", "y")
        if not y.ndim or y.shape != y_pred.shape:
            raise self._refuse_shapes(y_pred, y, "both must have the same shape (N, ...)")
        together, squares = (y_pred * y).sum(), np.square(y_pred).sum() + np.square(y).sum()
        self._dice_sum += 2 * float(together) / (float(squares) + self.smooth)
        self._samples_num += len(y)

    def eval(self) -> float:
        """Return the sum of the overlaps of all batches divided by the number of samples.

        Raises:
            RuntimeError: There are no samples.
        """
        if not self._samples_num:
            raise self._nothing()
        return self._dice_sum / self._samples_num
