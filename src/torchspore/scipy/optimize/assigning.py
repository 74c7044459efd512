"""The assignment problem."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.parameters import Dimensions
from torchspore.numpy.arrays import array

__all__ = ["linear_sum_assignment"]


def _assign(cost: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the column of every row that minimizes the sum of the costs; there are no more rows than columns.

    Shortest augmenting paths: rows are added in sequence. From each, columns are reached in the order of their distance
    in reduced costs (cost - row price - column price), until one is free; the rows along the path move to the next
    column, and the prices are updated so that reduced costs stay positive, and zero where assigned.
    """
    rows, columns = cost.shape
    row_price, column_price = np.zeros(rows), np.zeros(columns)
    column_of, row_of = np.full(rows, -1), np.full(columns, -1)
    for start in range(rows):
        distance, before = np.full(columns, np.inf), np.full(columns, -1)
        remaining = np.arange(columns)[::-1].copy()
        row, length = start, 0.0
        visited = []
        while row >= 0:
            visited.append(row)
            through = length + cost[row, remaining] - row_price[row] - column_price[remaining]
            nearer = remaining[through < distance[remaining]]
            distance[nearer], before[nearer] = through[through < distance[remaining]], row
            length = distance[remaining].min()
            if length == np.inf:
                raise ValueError("the costs allow no assignment")
            ties = np.flatnonzero(distance[remaining] == length)
            free = ties[row_of[remaining[ties]] < 0]
            index = free[-1] if free.size else ties[0]  # as in SciPy, so that ties are resolved equally
            column = remaining[index]
            remaining[index] = remaining[-1]
            remaining = remaining[:-1]
            row = row_of[column]
        row_price[start] += length
        others = visited[1:]
        row_price[others] += length - distance[column_of[others]]
        reached = np.setdiff1d(np.arange(columns), remaining)
        column_price[reached] -= length - distance[reached]
        while row != start:  # backwards along the path
            row = before[column]
            row_of[column] = row
            column_of[row], column = column, column_of[row]
    return column_of


@op
def linear_sum_assignment(
    cost_matrix: Annotated[Tensor, Dimensions(2)], maximize: bool, dimension_limit: Any = None
) -> tuple[Tensor, Tensor]:
    """Assign rows to columns, each to at most one, with the minimum sum of costs.

    Args:
        cost_matrix: a Tensor of shape (M, N), with the cost of every pair.
        maximize: whether the sum is maximized instead.
        dimension_limit: the number of columns to use, an int or a Tensor of one. Default: None, all.

    Returns:
        (rows, columns) in int64, of length min(M, N); with a limit, padded with -1.

    Raises:
        ValueError: the costs allow no assignment.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.scipy.optimize import linear_sum_assignment
        >>> print(*linear_sum_assignment(ms.Tensor([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]]), False))
        [0 1] [1 0]
    """
    limit = sys.maxsize if dimension_limit is None else int(array(dimension_limit))
    cost = cost_matrix.detach().cpu().double().numpy()[:, :limit]
    if np.isnan(cost).any():
        raise ValueError("'cost_matrix' must not hold nan")
    cost = -cost if maximize else cost
    if cost.shape[0] > cost.shape[1]:
        rows = _assign(cost.T)
        order = np.argsort(rows)
        found = rows[order], order
    else:
        found = np.arange(cost.shape[0]), _assign(cost)
    length = min(cost_matrix.shape)
    padded = [np.concatenate((indices, np.full(length - indices.size, -1))) for indices in found]
    assigned_rows, assigned_columns = [torch.from_numpy(x.astype(np.int64)).to(cost_matrix.device) for x in padded]
    return assigned_rows, assigned_columns
