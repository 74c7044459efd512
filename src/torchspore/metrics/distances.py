"""Distances between the surfaces of segmented images."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Limits, StrictFloat, checked
from torchspore.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["HausdorffDistance", "MeanSurfaceDistance", "RootMeanSquareDistance"]

_Distance: TypeAlias = Literal["euclidean", "chessboard", "taxicab"]


def _surface(mask: Array) -> Array:
    """Return the pixels of a mask that have a neighbour along an axis outside the mask or the image."""
    inside = mask.copy()
    padded = np.pad(mask, 1)
    core = (slice(1, -1),) * mask.ndim
    for axis in range(mask.ndim):
        for shift in (-1, 1):
            inside &= np.roll(padded, shift, axis)[core]
    return mask & ~inside


def _distances(surface: Array, target: Array, metric: str) -> Array:
    """Return the distance of each pixel of a surface to the nearest pixel of another; inf if that is empty.

    This is a distance transform, one axis after another: the distance of a pixel is the minimum, over the pixels of its
    line, of the offset along the line combined with that pixel's distance along the earlier axes. Along the last axis
    only the pixels of the surface are computed.
    """
    points = np.nonzero(surface)
    if not target.any():
        return np.full(len(points[0]), np.inf)
    limit = 4 * sum(target.shape) ** 2
    distances = np.where(target, 0, limit)
    for axis in range(target.ndim - 1):
        lines = np.moveaxis(distances, axis, 0)
        nearest = np.full_like(lines, limit)
        positions = np.arange(len(lines)).reshape(-1, *[1] * (target.ndim - 1))
        for position, earlier in enumerate(lines):
            np.minimum(nearest, _combined(earlier, positions - position, metric), out=nearest)
        distances = np.moveaxis(nearest, 0, axis)
    offsets = points[-1][:, None] - np.arange(target.shape[-1])
    nearest = _combined(distances[points[:-1]], offsets, metric).min(1)
    return np.sqrt(nearest) if metric == "euclidean" else nearest.astype(np.int32)


def _combined(distances: Array, offsets: Array, metric: str) -> Array:
    """Return distances, squared if Euclidean, combined with offsets along another axis."""
    if metric == "euclidean":
        return distances + offsets**2
    return np.maximum(distances, np.abs(offsets)) if metric == "chessboard" else distances + np.abs(offsets)


def _cropped(mask: Array, other: Array) -> tuple[Array, Array]:
    """Return two masks cropped to the box that holds all that is set in either."""
    box = tuple(slice(along.min(), along.max() + 1) for along in np.nonzero(mask | other))
    return mask[box], other[box]


class _SurfaceDistance(Metric):
    """The distances of the pixels of one surface to another, and with `symmetric` back; the last update counts."""

    @checked
    def __init__(self, symmetric: bool = False, distance_metric: _Distance = "euclidean") -> None:
        self.symmetric = symmetric
        self.distance_metric = distance_metric
        self.clear()

    def clear(self) -> None:
        self._distances: list[Array] = []

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Compare two segmentations, which replace earlier ones.

        Args:
            inputs: `y_pred` and `y` of the same shape, and `label_idx`, an int or a float: the pixels of this value,
                of which there must be some, are compared.
        """
        self._check_count(inputs, "y_pred", "y", "label_idx")
        y_pred, y = self._arrays(inputs[:2], "y_pred", "y")
        label = inputs[2]
        if not isinstance(label, (int, float)):
            raise TypeError(
                f"For '{type(self).__name__}.update', 'label_idx' must be a number, but got {describe(label)}."
            )
        if y_pred.shape != y.shape:
            raise self._refuse_shapes(y_pred, y, "both must have the same shape")
        mask, other = y_pred == label, y == label
        if not mask.any() and not other.any():
            raise ValueError(f"For '{type(self).__name__}.update', no pixel of 'y_pred' or 'y' is {label}.")
        edge, other_edge = map(_surface, _cropped(mask, other))
        self._distances = [_distances(edge, other_edge, self.distance_metric)]
        if self.symmetric:
            self._distances.append(_distances(other_edge, edge, self.distance_metric))

    def _results(self) -> list[Array]:
        if not self._distances:
            raise self._nothing()
        return self._distances


class HausdorffDistance(_SurfaceDistance):
    """The maximum distance of the pixels of one surface to the nearest pixel of another.

    Args:
        distance_metric (str): `"euclidean"`; `"chessboard"`, the maximum distance along an axis; `"taxicab"`, the sum
            of those along all axes. Default: `"euclidean"`.
        percentile (float): Return this percentile, from 0 to 100, instead of the maximum. Default: `None`.
        directed (bool): Use only the distances from the surface in `y_pred`, not also from the surface in `y`.
            Default: `False`.
        crop (bool): Crop the empty margins of the images, which does not change the result; they are always cropped.
            Default: `True`.

    Raises:
        TypeError, ValueError: An argument of a wrong type or value.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> metric = ms.train.HausdorffDistance()
        >>> metric.update(np.array([[1, 1, 0, 0]]), np.array([[0, 1, 1, 1]]), 1)
        >>> print(metric.eval())
        2.0
    """

    @checked
    def __init__(
        self,
        distance_metric: _Distance = "euclidean",
        percentile: Annotated[StrictFloat, Limits(0, 100)] | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        self.percentile = percentile
        self.crop = crop
        super().__init__(not directed, distance_metric)

    @property
    def directed(self) -> bool:
        """Whether only the distances of the surface in `y_pred` count."""
        return not self.symmetric

    @directed.setter
    def directed(self, directed: bool) -> None:
        self.symmetric = not directed

    def eval(self) -> Any:
        """Return the distance; inf if one of the surfaces is empty."""
        return max(self._max(distances) for distances in self._results())

    def _max(self, distances: Array) -> Any:
        if not distances.size:
            return np.inf
        return distances.max() if self.percentile is None else np.percentile(distances, self.percentile)


class MeanSurfaceDistance(_SurfaceDistance):
    """The mean distance of the pixels of one surface to the nearest pixel of another.

    Args:
        symmetric (bool): Return the mean of the two means, for the surfaces in `y_pred` and in `y`, instead of
            the first. Default: `False`.
        distance_metric (str): as for `HausdorffDistance`.

    Raises:
        TypeError, ValueError: An argument of a wrong type or value.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> metric = ms.train.MeanSurfaceDistance()
        >>> metric.update(np.array([[1, 1, 0, 0]]), np.array([[0, 1, 1, 1]]), 1)
        >>> print(metric.eval())
        0.5
    """

    def eval(self) -> Any:
        """Return the mean distance; inf if one of the surfaces is empty."""
        return _mean(self._results())


class RootMeanSquareDistance(_SurfaceDistance):
    """The root mean square distance of the pixels of one surface to the nearest pixel of another.

    Args:
        symmetric (bool): Return the root of the mean of the two mean squares, for the surface in `y_pred` and for that
            in `y`. Default: `False`, the first mean square, without the root.
        distance_metric (str): as for `HausdorffDistance`.

    Raises:
        TypeError, ValueError: An argument of a wrong type or value.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> metric = ms.train.RootMeanSquareDistance(symmetric=True)
        >>> metric.update(np.array([[1, 1, 0, 0]]), np.array([[0, 1, 1, 1]]), 1)
        >>> print(f"{metric.eval():.4f}")
        1.0408
    """

    def eval(self) -> Any:
        """Return the distance; inf if one of the surfaces is empty."""
        square = _mean([distances**2 for distances in self._results()])
        return np.sqrt(square) if self.symmetric else square  # as in MindSpore


def _mean(distances: list[Array]) -> Any:
    """Return the mean of the means: as in MindSpore, both surfaces weigh the same, whatever their sizes."""
    return np.mean([each.mean() for each in distances]) if all(each.size for each in distances) else np.inf
