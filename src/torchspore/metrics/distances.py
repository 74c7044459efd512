"""Distances between the surfaces of segmented images."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.engine.checks import check_bool, check_number
from torchspore.engine.errors import describe
from torchspore.metrics.metric import Array, Metric, check_choice, rearrange_inputs

__all__ = ["HausdorffDistance", "MeanSurfaceDistance", "RootMeanSquareDistance"]

_METRICS = ("euclidean", "chessboard", "taxicab")


def _surface(mask: Array) -> Array:
    """Return the pixels of a mask that have a neighbour along an axis, or a side of the image, outside it."""
    inside = mask.copy()
    padded = np.pad(mask, 1)
    core = (slice(1, -1),) * mask.ndim
    for axis in range(mask.ndim):
        for step in (-1, 1):
            inside &= np.roll(padded, step, axis)[core]
    return mask & ~inside


def _distances(surface: Array, goal: Array, metric: str) -> Array:
    """Return the distance of every pixel of a surface to the nearest one of another; inf, if that is empty.

    Axis by axis, the distance of a pixel is the least, over the pixels of its line, of the way along the line and from
    there on along the axes before. Along the last axis only the pixels of the surface are asked for.
    """
    points = np.nonzero(surface)
    if not goal.any():
        return np.full(len(points[0]), np.inf)
    far = 4 * sum(goal.shape) ** 2
    ways = np.where(goal, 0, far)
    for axis in range(goal.ndim - 1):
        lines = np.moveaxis(ways, axis, 0)
        nearest = np.full_like(lines, far)
        places = np.arange(len(lines)).reshape(-1, *[1] * (goal.ndim - 1))
        for at, onward in enumerate(lines):
            np.minimum(nearest, _longer(onward, places - at, metric), out=nearest)
        ways = np.moveaxis(nearest, 0, axis)
    steps = points[-1][:, None] - np.arange(goal.shape[-1])
    nearest = _longer(ways[points[:-1]], steps, metric).min(1)
    return np.sqrt(nearest) if metric == "euclidean" else nearest.astype(np.int32)


def _longer(ways: Array, steps: Array, metric: str) -> Array:
    """Return ways, Euclidean ones squared, that go some steps along another axis first."""
    if metric == "euclidean":
        return ways + steps**2
    return np.maximum(ways, np.abs(steps)) if metric == "chessboard" else ways + np.abs(steps)


def _cropped(mask: Array, other: Array) -> tuple[Array, Array]:
    """Return the part of two masks that holds all that is set in either."""
    box = tuple(slice(along.min(), along.max() + 1) for along in np.nonzero(mask | other))
    return mask[box], other[box]


class _SurfaceDistance(Metric):
    """The distances of the pixels of one surface to another, and back; the last update counts."""

    def __init__(self, distance_metric: str, symmetric: bool) -> None:
        check_choice(distance_metric, "distance_metric", _METRICS, type(self).__name__)
        self.distance_metric = distance_metric
        self.symmetric = symmetric
        self.clear()

    def clear(self) -> None:
        """Forget what `update` has gathered."""
        self._ways: list[Array] = []

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Compare two segmentations, in place of earlier ones.

        Args:
            inputs: `y_pred` and `y`, Tensors, lists or arrays of the same shape, and `label_idx`, an int or a float:
                the pixels of this value are compared.

        Raises:
            TypeError: `label_idx` is not a number.
            ValueError: Not three inputs, different shapes, or no pixel has the value.
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
        self._ways = [_distances(edge, other_edge, self.distance_metric)]
        if self.symmetric:
            self._ways.append(_distances(other_edge, edge, self.distance_metric))

    def _gathered(self) -> list[Array]:
        if not self._ways:
            raise self._nothing()
        return self._ways


class HausdorffDistance(_SurfaceDistance):
    """The longest of the distances of the pixels of one surface to the nearest of another.

    Args:
        distance_metric (str): `"euclidean"`; `"chessboard"`, the longest of the ways along the axes; `"taxicab"`, the
            sum of these. Default: `"euclidean"`.
        percentile (float): Take this percentile, from 0 to 100, instead of the longest. Default: `None`.
        directed (bool): Take the distances of the surface in `y_pred` only, not also those of the surface in `y`.
            Default: `False`.
        crop (bool): Leave out the empty margins of the images, which makes no difference to the result. They are
            always left out here. Default: `True`.

    Raises:
        TypeError: An argument of another type.
        ValueError: `distance_metric` is none of these, or `percentile` not from 0 to 100.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> metric = ms.train.HausdorffDistance()
        >>> metric.update(np.array([[1, 1, 0, 0]]), np.array([[0, 1, 1, 1]]), 1)
        >>> print(metric.eval())
        2.0
    """

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        api = type(self).__name__
        if percentile is not None:
            check_number(percentile, "percentile", api, least=0, below=np.nextafter(100, 101))
        self.percentile = percentile
        self.directed = check_bool(directed, "directed", api)
        self.crop = check_bool(crop, "crop", api)
        super().__init__(distance_metric, not directed)

    def eval(self) -> Any:
        """Return the distance; inf, if one of the surfaces is empty.

        Raises:
            RuntimeError: There are no images.
        """
        return max(self._longest(way) for way in self._gathered())

    def _longest(self, way: Array) -> Any:
        if not way.size:
            return np.inf
        return way.max() if self.percentile is None else np.percentile(way, self.percentile)


class MeanSurfaceDistance(_SurfaceDistance):
    """The mean distance of the pixels of one surface to the nearest of another.

    Args:
        symmetric (bool): Take the mean of two means, of the distances of the surface in `y_pred` and of those of the
            surface in `y`, not the first only. Default: `False`.
        distance_metric (str): `"euclidean"`; `"chessboard"`, the longest of the ways along the axes; `"taxicab"`, the
            sum of these. Default: `"euclidean"`.

    Raises:
        TypeError: An argument of another type.
        ValueError: `distance_metric` is none of these.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> metric = ms.train.MeanSurfaceDistance()
        >>> metric.update(np.array([[1, 1, 0, 0]]), np.array([[0, 1, 1, 1]]), 1)
        >>> print(metric.eval())
        0.5
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__(distance_metric, check_bool(symmetric, "symmetric", type(self).__name__))

    def eval(self) -> Any:
        """Return the mean distance; inf, if one of the surfaces is empty.

        Raises:
            RuntimeError: There are no images.
        """
        return _mean(self._gathered())


class RootMeanSquareDistance(_SurfaceDistance):
    """The root mean square distance of the pixels of one surface to the nearest of another.

    Args:
        symmetric (bool): Take the root of the mean of two mean squares, of the distances of the surface in `y_pred`
            and of those of the surface in `y`. Default: `False`, the first mean square, of which no root is taken.
        distance_metric (str): `"euclidean"`; `"chessboard"`, the longest of the ways along the axes; `"taxicab"`, the
            sum of these. Default: `"euclidean"`.

    Raises:
        TypeError: An argument of another type.
        ValueError: `distance_metric` is none of these.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> metric = ms.train.RootMeanSquareDistance(symmetric=True)
        >>> metric.update(np.array([[1, 1, 0, 0]]), np.array([[0, 1, 1, 1]]), 1)
        >>> print(f"{metric.eval():.4f}")
        1.0408
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__(distance_metric, check_bool(symmetric, "symmetric", type(self).__name__))

    def eval(self) -> Any:
        """Return the distance; inf, if one of the surfaces is empty.

        Raises:
            RuntimeError: There are no images.
        """
        square = _mean([way**2 for way in self._gathered()])
        return np.sqrt(square) if self.symmetric else square  # MindSpore takes the root of the symmetric one only


def _mean(ways: list[Array]) -> Any:
    """Return the mean of the means: as in MindSpore, both surfaces weigh the same, whatever their sizes."""
    return np.mean([way.mean() for way in ways]) if all(way.size for way in ways) else np.inf
