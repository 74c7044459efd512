"""Affine and perspective transforms of images."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

from torchspore.common.error_classes import WrongType
from torchspore.dataset.parameters import TWO, Float32, Int32, PositiveFloat32
from torchspore.dataset.transforms.base import Array, Random
from torchspore.dataset.vision import warp_kernels
from torchspore.dataset.vision.base import (
    FILTERED,
    ImageOperation,
    pil_image,
    pillow,
    types_for,
)
from torchspore.dataset.vision.enums import Inter
from torchspore.dataset.vision.geometry import pil_color, pil_filter
from torchspore.dataset.vision.parameters import Degrees, Fill, MovingInter, Pixel, PositiveScale
from torchspore.dataset.vision.random_geometry import around
from torchspore.engine.parameters import Length, Limits, PositiveFloat, Where
from torchspore.engine.parameters.limits import Strict

__all__ = ["Affine", "Perspective", "RandomAffine", "RandomPerspective"]


_Part: TypeAlias = Annotated[float, Limits(-1, 1)]
_Angle: TypeAlias = Annotated[float, Limits(-180, 180)]
_FOR_AXES = Where(
    "(from, to) for x, or (from, to, from, to) for x and y", lambda ends: len(ends) in (2, 4), WrongType
)  # fmt: skip
_IN_ORDER = Where("ranges with from <= to", lambda ends: all(low <= high for low, high in zip(ends[::2], ends[1::2])))
_Point: TypeAlias = Annotated[Sequence[Int32], TWO]
_Points: TypeAlias = Annotated[Sequence[_Point], Length(4, 4, WrongType)]


class Affine(ImageOperation):
    """Rotates, shears and scales an image around its center, and then shifts it.

    Args:
        degrees: the angle, clockwise, in [-180, 180].
        translate: the shifts to the right and down, as fractions of the width and the height, in [-1, 1].
        scale: the factor, > 0.
        shear: the shear angle along x, or those along (x, y), in [-180, 180].
        resample: NEAREST, BILINEAR, BICUBIC or AREA. Default: Inter.NEAREST.
        fill_value: the pixels outside the image, one int or one for each of three channels. Default: 0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Affine(90, (0, 0), 1, 0)(np.array([[1, 2], [3, 4]], np.uint8))
        array([[3, 1],
               [4, 2]], dtype=uint8)
    """

    _only_arrays = True

    def __init__(
        self, degrees: _Angle, translate: Annotated[Sequence[_Part], TWO], scale: PositiveFloat,
        shear: _Angle | Annotated[Sequence[_Angle], TWO], resample: MovingInter = Inter.NEAREST, fill_value: Fill = 0,
    ) -> None:  # fmt: skip
        self.degrees = degrees
        self.translate = tuple(translate)
        self.scale = scale
        self.shear = (shear, 0.0) if isinstance(shear, float) else tuple(shear)
        self.resample = resample
        self._types = types_for(resample)
        self.fill_value = fill_value

    def _array(self, image: Array, *drawn: Any) -> Array:
        height, width = image.shape[:2]
        shift = self.translate[0] * width, self.translate[1] * height
        center = (width - 1) / 2, (height - 1) / 2
        matrix = warp_kernels.affine_matrix(center, self.degrees, shift, self.scale, self.shear)
        return _mapped(image, matrix, self.resample, self.fill_value)


def _mapped(image: Array, matrix: Array, inter: Inter, fill: Pixel) -> Array:
    return warp_kernels.mapped(image, warp_kernels.inverse(matrix), image.shape[:2], inter, fill)


def _for_axes(ends: Sequence[float]) -> list[tuple[float, float]]:
    """Return the ranges for x and y, given as the ends of both, or of that for x."""
    first, last, *others = [*ends, 0.0, 0.0]
    return [(first, last), (others[0], others[1])]


class RandomAffine(Random, ImageOperation):
    """Rotates, shears and scales an image around its center, and then shifts it, all by random amounts.

    PIL images are transformed by Pillow, with the center half a pixel further right and down, as in MindSpore.

    Args:
        degrees: the range (from, to) of the angle, clockwise, or one number for (-degrees, degrees).
        translate: the ranges of the shifts to the right and down, (from, to, from, to), as fractions of the width and
            the height, in [-1, 1]; or only the first range. Default: None, no shift.
        scale: the range of the factor. Default: None, 1.
        shear: the ranges of the shear angles along x and y, (from, to, from, to); only the first range; or one number
            for (-shear, shear). Default: None, 0.
        resample: NEAREST, BILINEAR, BICUBIC or AREA. Default: Inter.NEAREST.
        fill_value: the pixels outside the image, one int or one for each of three channels; None is 0. Default: 0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomAffine((0, 0), translate=(0.5, 0.5))(np.array([[1, 2], [3, 4]], np.uint8))
        array([[0, 1],
               [0, 3]], dtype=uint8)
    """

    def __init__(
        self, degrees: Degrees, translate: Annotated[Sequence[_Part], _FOR_AXES, _IN_ORDER] | None = None,
        scale: PositiveScale | None = None,
        shear: PositiveFloat32 | Annotated[Sequence[Float32], _FOR_AXES, _IN_ORDER] | None = None,
        resample: MovingInter = Inter.NEAREST, fill_value: Fill | None = 0,
    ) -> None:  # fmt: skip
        self.degrees = around(degrees)
        self.translate = _for_axes((0.0, 0.0) if translate is None else translate)
        self.scale = (1.0, 1.0) if scale is None else tuple(scale)
        self.shear = _for_axes(around(shear or 0.0) if shear is None or isinstance(shear, float) else shear)
        self.resample = resample
        self._types = types_for(resample)
        self.fill_value: Pixel = 0 if fill_value is None else fill_value

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        draw = self._random().uniform32
        degrees = draw(*self.degrees)
        shifts = [draw(low * side, high * side) for (low, high), side in zip(self.translate, (width, height))]
        scale = draw(*self.scale)
        return degrees, shifts, scale, (draw(*self.shear[0]), draw(*self.shear[1]))

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        degrees = random.uniform(*self.degrees)
        shifts = [
            round(random.uniform(low * side, high * side)) for (low, high), side in zip(self.translate, (width, height))
        ]
        scale = random.uniform(*self.scale)
        return degrees, shifts, scale, (random.uniform(*self.shear[0]), random.uniform(*self.shear[1]))

    def _array(self, image: Array, *drawn: Any) -> Array:
        center = (image.shape[1] - 1) / 2, (image.shape[0] - 1) / 2
        return _mapped(image, warp_kernels.affine_matrix(center, *drawn), self.resample, self.fill_value)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        center = (image.width + 1) / 2, (image.height + 1) / 2  # half a pixel further, as in MindSpore
        source = warp_kernels.inverse(warp_kernels.affine_matrix(center, *drawn))
        how = pillow().Transform.AFFINE, source.reshape(-1).tolist(), pil_filter("RandomAffine", self.resample)
        return image.transform(image.size, *how, fillcolor=pil_color(image, self.fill_value))


class Perspective(ImageOperation):
    """Applies the perspective that maps four points of an image to four others.

    Args:
        start_points: the four points (x, y): top left, top right, bottom right, bottom left.
        end_points: their targets.
        interpolation: NEAREST, BILINEAR, BICUBIC or AREA; for arrays also PILCUBIC, which means BILINEAR here.
            Default: Inter.BILINEAR.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> corners = [[0, 0], [1, 0], [1, 1], [0, 1]]
        >>> mirrored = [[1, 0], [0, 0], [0, 1], [1, 1]]
        >>> vision.Perspective(corners, mirrored)(np.array([[1, 2], [3, 4]], np.uint8))
        array([[2, 1],
               [4, 3]], dtype=uint8)
    """

    _types = FILTERED
    _bools_are_bytes = True

    def __init__(
        self, start_points: _Points, end_points: _Points,
        interpolation: MovingInter | Literal[Inter.PILCUBIC] = Inter.BILINEAR,
    ) -> None:  # fmt: skip
        self.start_points = [[*point] for point in start_points]
        self.end_points = [[*point] for point in end_points]
        self.interpolation = interpolation

    def _array(self, image: Array, *drawn: Any) -> Array:
        matrix = warp_kernels.perspective_matrix(self.start_points, self.end_points)
        return warp_kernels.projected(image, matrix, self.interpolation, 0)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return _projected_by_pillow("Perspective", image, self.start_points, self.end_points, self.interpolation)


def _projected_by_pillow(api: str, image: Any, start: Any, end: Any, inter: Inter) -> Any:
    source = warp_kernels.perspective_matrix(end, start).reshape(-1)[:8].tolist()
    return image.transform(image.size, pillow().Transform.PERSPECTIVE, source, pil_filter(api, inter))


class RandomPerspective(ImageOperation):
    """Applies a random perspective, which moves the corners of a PIL image inwards, with a probability.

    Args:
        distortion_scale: the maximum shift, as a fraction of half the width and height, in [0, 1]. Default: 0.5.
        prob: the probability, in [0, 1]. Default: 0.5.
        interpolation: NEAREST, BILINEAR, BICUBIC or AREA. Default: Inter.BICUBIC.

    Raises:
        TypeError: the image is not a PIL image.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> image = vision.ToPIL()(np.full((8, 8), 255, np.uint8))
        >>> vision.RandomPerspective(prob=1.0)(image).size
        (8, 8)
    """

    on_objects = True

    def __init__(
        self, distortion_scale: Annotated[float, Strict(), Limits(0.0, 1.0)] = 0.5,
        prob: Annotated[float, Strict(), Limits(0.0, 1.0)] = 0.5, interpolation: MovingInter = Inter.BICUBIC,
    ) -> None:  # fmt: skip
        self.distortion_scale = distortion_scale
        self.prob = prob
        self.interpolation = interpolation

    def _taken(self, value: Any) -> Any:
        return pil_image("RandomPerspective", value)

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return (None, None) if random.random() >= self.prob else self.corners(height, width)

    def corners(self, height: int, width: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return the corners of an image, and random points that they move to."""
        far = int(width / 2 * self.distortion_scale), int(height / 2 * self.distortion_scale)
        corners = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
        ranges = [[(at - move, at) if at else (0, move) for at, move in zip(corner, far)] for corner in corners]
        ends = [(random.randint(*x), random.randint(*y)) for x, y in ranges]
        return corners, ends

    def _pil(self, image: Any, *drawn: Any) -> Any:
        start, end = drawn
        if start is None:
            return image
        return _projected_by_pillow("RandomPerspective", image, start, end, self.interpolation)
