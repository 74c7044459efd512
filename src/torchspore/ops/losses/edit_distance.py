"""The edit distance of sequences."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.primitive import primitive

__all__ = ["EditDistance"]


def _sequences(indices: Tensor, values: Tensor) -> dict[tuple[int, ...], list[Any]]:
    """Return the sequences of a sparse tensor: the values by all their indices but the last, in order."""
    if len(indices) != len(values):
        raise ValueError(
            f"For 'EditDistance', there must be an index for each value, but got {len(indices)} and {len(values)}."
        )
    found = defaultdict(list)
    for (*index, _), value in zip(indices.tolist(), values.tolist()):
        found[tuple(index)].append(value)
    return found


def _distance(first: list[Any], second: list[Any]) -> int:
    row = list(range(len(second) + 1))
    for i, ours in enumerate(first, 1):
        diagonal, row[0] = row[0], i
        for j, theirs in enumerate(second, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (ours != theirs))
    return row[-1]


def _share(distance: int, length: int) -> float:
    return distance / length if length else (math.inf if distance else 0.0)


@op(name="EditDistance")
def _edit_distance(
    hypothesis_indices: Tensor,
    hypothesis_values: Tensor,
    hypothesis_shape: Tensor,
    truth_indices: Tensor,
    truth_values: Tensor,
    truth_shape: Tensor,
    normalize: bool = True,
) -> Tensor:
    """The number of elements to insert, delete or replace to turn one sequence into another.

    Args:
        hypothesis_indices: the positions of the elements of the first sequences, a Tensor of ints of shape (n, r):
            r - 1 numbers for the sequence, and the position in it.
        hypothesis_values: the elements, a Tensor of shape (n,).
        hypothesis_shape: the number of sequences and the length of the longest, a Tensor of shape (r,).
        truth_indices, truth_values, truth_shape: the second sequences, likewise.
        normalize: whether to divide by the length of the second sequence: inf if that is 0. Default: True.

    Returns a Tensor of float32 with a distance for each sequence.
    Raises TypeError or ValueError for an argument of a wrong type, shape or value.
    """
    shapes = [shape.tolist() for shape in (hypothesis_shape, truth_shape)]
    if len(shapes[0]) != len(shapes[1]):
        raise ValueError(f"the shapes must be as long, but got {shapes[0]} and {shapes[1]}")
    hypotheses, truths = _sequences(hypothesis_indices, hypothesis_values), _sequences(truth_indices, truth_values)
    result = torch.zeros([max(sizes) for sizes in zip(*shapes)][:-1], device=truth_values.device)
    for index in hypotheses.keys() | truths.keys():
        distance = _distance(hypotheses[index], truths[index])
        result[index] = _share(distance, len(truths[index])) if normalize else distance
    return result


EditDistance = primitive("EditDistance", _edit_distance, normalize=True)
