"""Resizing of images, sequences and volumes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Size, op
from torchspore.engine.parameters import Length, Limits, Rule
from torchspore.engine.parameters.of_operations import ruled
from torchspore.engine.primitive import as_primitive
from torchspore.engine.widening import in_floats

__all__ = [
    "ResizeArea", "ResizeBicubic", "ResizeBilinearV2", "ResizeLinear1D", "ResizeNearestNeighbor",
    "ResizeNearestNeighborV2", "ScaleAndTranslate", "UpsampleNearest3D", "UpsampleTrilinear3D", "interpolate",
    "upsample",
]  # fmt: skip

_DIMENSIONS = {
    "nearest": (3, 4, 5), "nearest-exact": (3, 4, 5), "area": (3, 4, 5), "linear": (3,), "bilinear": (4,),
    "bicubic": (4,), "trilinear": (5,),
}  # fmt: skip


# torch's kernels, by mode and number of dimensions; those after the first group take `align_corners`.
_NEAREST = {"nearest": "upsample_nearest{}d", "nearest-exact": "_upsample_nearest_exact{}d"}
_LINEAR = {"linear": "upsample_linear1d", "bilinear": "upsample_bilinear2d", "bicubic": "upsample_bicubic2d",
           "trilinear": "upsample_trilinear3d"}  # fmt: skip


def resized(
    x: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Resize as torch's `interpolate`, also where sizes are open, which it would fix."""
    if mode == "area" or not any(isinstance(n, torch.SymInt) for n in x.shape):
        return F.interpolate(x, size, scale_factor, mode, align_corners, recompute_scale_factor)
    old = x.shape[2:]
    sizes, factors = (
        list(given) if isinstance(given, (tuple, list)) else [given] * len(old) for given in (size, scale_factor)
    )
    if size is None:
        ratios = [Fraction(factor).limit_denominator(10**6) for factor in factors]  # floats would not stay open
        sizes = [n * ratio.numerator // ratio.denominator for n, ratio in zip(old, ratios)]
    scales = [None] * len(old) if size is not None or recompute_scale_factor else factors
    corners = [] if mode in _NEAREST else [bool(align_corners)]
    kernel = getattr(torch.ops.aten, (_NEAREST | _LINEAR)[mode].format(len(old))).default
    result: Tensor = kernel(x, sizes, *corners, *scales)
    return result


_resize_area = in_floats(F.interpolate, keeps_dtype=True)  # integers as well


@op
def interpolate(
    input: Tensor,
    size: int | tuple[int, ...] | None = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Resize sequences, images or volumes.

    Args:
        input: a floating-point Tensor of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        size: the sizes of the result, an int or a tuple; either this or `scale_factor`. Default: None.
        scale_factor: the factors of the sizes, a float or a tuple. Default: None.
        mode: "nearest", "nearest-exact", "area", "linear" (sequences), "bilinear", "bicubic" (images) or "trilinear"
            (volumes). Default: "nearest".
        align_corners: whether the centres of the corner elements stay where they are; not for "nearest" and "area".
            Default: None, False.
        recompute_scale_factor: whether the scale follows from the size computed with `scale_factor`. Default: None,
            False.

    Returns a Tensor of shape (N, C, *size).
    Raises ValueError unless exactly one of `size` and `scale_factor` is given, or if the mode does not fit the input.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.interpolate(ms.Tensor([[[1.0, 3.0]]]), size=4, mode="linear"))
        [[[1.  1.5 2.5 3. ]]]
    """
    if mode not in _DIMENSIONS:
        raise ValueError(f"'mode' must be one of {tuple(_DIMENSIONS)}")
    if input.dim() not in _DIMENSIONS[mode]:
        accepted = " or ".join(map(str, _DIMENSIONS[mode]))
        raise ValueError(f"the input must have {accepted} dimensions for the mode {mode!r}")
    for name, value in (("align_corners", align_corners), ("recompute_scale_factor", recompute_scale_factor)):
        if value is not None and not isinstance(value, bool):
            raise TypeError(f"'{name}' must be a bool or None, but got {value!r}")
    if mode == "bicubic" and (size is None) != (scale_factor is None):  # torch's kernel differs from MindSpore's
        factors = scale_factor if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * 2
        sizes = size if size is not None else [_enlarged(n, f) for n, f in zip(input.shape[2:], factors)]
        new = (sizes, sizes) if isinstance(sizes, int) else tuple(sizes)
        if len(new) != 2 or min(new) < 1:
            raise ValueError(f"'size' must be 2 ints > 0, but got {new}")
        return _bicubic(input, new, bool(align_corners), not align_corners)
    resize = _resize_area if mode == "area" else resized
    return resize(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


upsample = interpolate


def _enlarged(size: int, factor: float) -> int:
    """Return the product, rounded down: exactly by ints, which may be open sizes in a graph, if the factor is short."""
    ratio = Fraction(factor)
    return int(size * factor) if ratio.denominator > 2**20 else size * ratio.numerator // ratio.denominator


# The primitives

_Sizes: TypeAlias = Annotated[tuple[int, ...], Length(2, 2), Limits(above=0)]
_not_both = ruled(
    Rule(
        "'align_corners' and 'half_pixel_centers' must not both be True",
        lambda align_corners, half_pixel_centers: not (align_corners and half_pixel_centers),
    )
)


def _step(size: int, new: int, corners: bool) -> Tensor:
    old, new = (size - 1, new - 1) if corners and new > 1 else (size, new)
    return torch.full((), old, dtype=torch.float64) / new  # in a graph sizes may be open: Python cannot divide those


def _positions(size: int, new: int, corners: bool, half: bool, device: torch.device) -> Tensor:
    """Return the positions of the `new` elements among the `size` old ones."""
    positions = torch.arange(new, dtype=torch.float32, device=device)
    step = _step(size, new, corners)
    return (positions + 0.5) * step - 0.5 if half else positions * step


def _weighted(image: Tensor, dim: int, weights: Tensor) -> Tensor:
    """Return weighted sums over a dimension; `weights` has a row for each new element."""
    return torch.tensordot(image, weights.to(image.dtype), dims=([dim], [1])).movedim(-1, dim)


def _one_hot(rows: Tensor, size: int) -> Tensor:
    return (rows.unsqueeze(-1) == torch.arange(size, device=rows.device)).float()


def _bilinear(image: Tensor, size: tuple[int, ...], corners: bool, half: bool) -> Tensor:
    if corners or half:
        return resized(image, size, mode="bilinear", align_corners=corners)
    for dim, new in zip((2, 3), size):
        old = image.shape[dim]
        positions = _positions(old, new, corners, half, image.device)
        lower = positions.floor()
        share = (positions - lower).unsqueeze(-1)
        weights = _one_hot(lower, old) * (1 - share) + _one_hot((lower + 1).clamp(max=old - 1), old) * share
        image = _weighted(image, dim, weights)
    return image


@as_primitive
@_not_both
def ResizeBilinearV2(
    image: Annotated[Tensor, "N C H W"], size: _Sizes, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:
    """Resize images by bilinear interpolation.

    Args:
        image: a Tensor of shape (N, C, H, W).
        size: the new height and width, a tuple or a Tensor of ints.
        align_corners: whether the centres of the corner elements stay where they are. Default: False.
        half_pixel_centers: whether positions are the elements' centres instead of their upper left corners.
            Default: False.

    Returns a Tensor of shape (N, C, *size); of integers in float32.
    Raises ValueError if the shape does not fit, or both flags are True.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.ResizeBilinearV2(True)(ms.Tensor([[[[1.0, 3.0]]]]), (1, 3)))
        [[[[1. 2. 3.]]]]
    """
    image = image if image.is_floating_point() else image.float()
    return _bilinear(image, size, align_corners, half_pixel_centers)


def _nearest(image: Tensor, size: tuple[int, ...], corners: bool, half: bool) -> Tensor:
    for dim, new in zip((2, 3), size):
        old = image.shape[dim]
        positions = torch.arange(new, dtype=torch.float32, device=image.device)
        positions = (positions + 0.5 if half else positions) * _step(old, new, corners)
        positions = (positions + 0.5).floor() if corners else positions.floor()
        image = image.index_select(dim, positions.clamp(max=old - 1).long())
    return image


@as_primitive
@_not_both
def ResizeNearestNeighbor(
    input_x: Annotated[Tensor, "N C H W"],
    *,
    size: _Sizes,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resize images, each new element being the nearest old one; see `ResizeBilinearV2`."""
    return _nearest(input_x, size, align_corners, half_pixel_centers)


@as_primitive
@_not_both
def ResizeNearestNeighborV2(
    image: Annotated[Tensor, "N C H W"], size: _Sizes, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:
    """Resize images, each new element being the nearest old one; see `ResizeBilinearV2`."""
    return _nearest(image, size, align_corners, half_pixel_centers)


def _cubic(distance: Tensor, a: float) -> Tensor:
    """The convolution kernel of cubic interpolation; R. Keys, 1981."""
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return torch.where(distance <= 1, near, torch.where(distance < 2, far, 0))


def _bicubic(image: Tensor, size: tuple[int, ...], corners: bool, half: bool) -> Tensor:
    for dim, new in zip((2, 3), size):
        old = image.shape[dim]
        positions = _positions(old, new, corners, half, image.device)
        lower = positions.floor()
        # MindSpore's kernel reads the weights from a table of 1024 distances
        positions = lower + ((positions - lower) * 1024).round() / 1024
        weights = torch.zeros(new, old, device=image.device)
        for tap in range(-1, 3):
            row = lower + tap
            value = _cubic((positions - row).abs(), -0.5 if half else -0.75)
            weights = weights + _one_hot(row if half else row.clamp(0, old - 1), old) * value.unsqueeze(-1)
        if half:
            weights = weights / weights.sum(1, keepdim=True)
        image = _weighted(image, dim, weights)
    return image


@as_primitive
@_not_both
def ResizeBicubic(
    image: Annotated[Tensor, "N C H W"], size: _Sizes, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:
    """Resize images by bicubic interpolation; see `ResizeBilinearV2`.

    With `half_pixel_centers` the kernel is a different one, and elements outside the image do not count.
    """
    return _bicubic(image, size, align_corners, half_pixel_centers)


@as_primitive
def ResizeLinear1D(
    x: Tensor,
    size: Annotated[tuple[int, ...], Length(1, 1), Limits(above=0)],
    *,
    coordinate_transformation_mode: Literal["align_corners", "half_pixel"] = "align_corners",
) -> Tensor:
    """Resize sequences by linear interpolation.

    Args:
        x: a floating-point Tensor of shape (N, C, L).
        size: the new length, in a tuple or a Tensor of one int.
        coordinate_transformation_mode: "align_corners" or "half_pixel". Default: "align_corners".

    Raises TypeError for another mode, ValueError if the shape does not fit.
    """
    corners = coordinate_transformation_mode == "align_corners"
    return resized(x, size, mode="linear", align_corners=corners)


@as_primitive
def ResizeArea(images: Annotated[Tensor, "N H W C"], size: _Sizes, *, align_corners: bool = False) -> Tensor:
    """Resize images, each new element being the average of the area that it covers.

    Args:
        images: a Tensor of shape (N, H, W, C).
        size: the new height and width, a Tensor of ints.
        align_corners: whether the corner elements cover the corners' centres. Default: False.

    Returns a Tensor of float32 of shape (N, *size, C).
    Raises TypeError or ValueError for an argument of a wrong type, shape or value.
    """
    images = images.float()
    for dim, new in zip((1, 2), size):
        old = images.shape[dim]
        step = _step(old, new, align_corners)
        begin = (torch.arange(new, dtype=torch.float32, device=images.device) * step).unsqueeze(-1)
        element = torch.arange(old, dtype=torch.float32, device=images.device)
        covered = torch.minimum(element + 1, begin + step) - torch.maximum(element, begin)
        weights = covered.clamp(min=0)
        images = _weighted(images, dim, weights / weights.sum(1, keepdim=True))
    return images


def _volume(x: Tensor, output_size: Size, scales: Any, mode: str, corners: bool | None) -> Tensor:
    if x.dim() != 5:
        raise ValueError("'x' must have 5 dimensions")
    if (output_size is None) == (scales is None):
        raise ValueError("pass either 'output_size' or 'scales'")
    given = scales if output_size is None else output_size
    if not isinstance(given, (tuple, list)):
        raise TypeError(f"'output_size' and 'scales' must be tuples or lists, but got {given!r}")
    if len(given) != 3 or min(given) <= 0:
        raise ValueError(f"'output_size' or 'scales' must hold 3 numbers > 0, but got {given}")
    factors = None if scales is None else list(scales)
    return resized(x, output_size and list(output_size), factors, mode, corners)


@as_primitive
def UpsampleNearest3D(x: Tensor, output_size: Any = None, scales: Any = None) -> Tensor:
    """Resize volumes, each new element being the nearest old one.

    Args:
        x: a floating-point Tensor of shape (N, C, D, H, W).
        output_size: the new sizes, three ints; either these or `scales`. Default: None.
        scales: the factors of the sizes, three floats. Default: None.

    Raises ValueError if the shape does not fit, or unless exactly one of `output_size` and `scales` is given.
    """
    return _volume(x, output_size, scales, "nearest", None)


@as_primitive
def UpsampleTrilinear3D(
    x: Tensor, output_size: Any = None, scales: Any = None, *, align_corners: bool = False
) -> Tensor:
    """Resize volumes by trilinear interpolation; see `UpsampleNearest3D`.

    Args:
        x, output_size, scales: as for `UpsampleNearest3D`.
        align_corners: whether the centres of the corner elements stay where they are. Default: False.
    """
    return _volume(x, output_size, scales, "trilinear", align_corners)


def _cubic_kernel(b: float, c: float) -> Any:
    """Return a kernel of D. Mitchell and A. Netravali, 1988."""

    def kernel(x: Tensor) -> Tensor:
        near = ((12 - 9 * b - 6 * c) * x + (-18 + 12 * b + 6 * c)) * x**2 + (6 - 2 * b)
        far = (((-b - 6 * c) * x + (6 * b + 30 * c)) * x + (-12 * b - 48 * c)) * x + (8 * b + 24 * c)
        return torch.where(x < 1, near, torch.where(x < 2, far, 0)) / 6

    return kernel


def _lanczos(n: int) -> Any:
    return lambda x: torch.where(x <= n, torch.sinc(x) * torch.sinc(x / n), 0)


_Kernel: TypeAlias = Literal[
    "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"
]  # fmt: skip
# The kernels and their radii; their arguments are distances.
_KERNELS: dict[str, tuple[Any, float]] = {
    **{f"lanczos{n}": (_lanczos(n), float(n)) for n in (1, 3, 5)},
    "gaussian": (lambda x: torch.where(x < 1.5, torch.exp(-((x / 0.5) ** 2) / 2), 0), 1.5),
    "box": (lambda x: torch.where(x < 0.5, 1.0, torch.where(x == 0.5, 0.5, 0.0)), 1.0),
    "triangle": (lambda x: (1 - x).clamp(min=0), 1.0),
    "keyscubic": (_cubic_kernel(0, 0.5), 2.0),
    "mitchellcubic": (_cubic_kernel(1 / 3, 1 / 3), 2.0),
}


@as_primitive
def ScaleAndTranslate(
    images: Annotated[Tensor, "N H W C"], size: _Sizes, scale: Tensor, translation: Tensor, *,
    kernel_type: _Kernel = "lanczos3",
    antialias: bool = True,
) -> Tensor:  # fmt: skip
    """Scale and move images within a new frame.

    Args:
        images: a Tensor of shape (N, H, W, C).
        size: height and width of the frame, a Tensor of two ints.
        scale: the vertical and horizontal factors, a Tensor of float32.
        translation: the shifts down and to the right, likewise.
        kernel_type: the kernel of the interpolation: "lanczos1", "lanczos3", "lanczos5", "gaussian", "box",
            "triangle", "keyscubic" or "mitchellcubic". Default: "lanczos3".
        antialias: whether the kernel widens as images become smaller. Default: True.

    Returns a Tensor of float32 of shape (N, *size, C).
    Raises ValueError if a shape does not fit, or for another kernel.
    """
    images = images.float()
    kernel, radius = _KERNELS[kernel_type]
    for i, new in enumerate(size):
        old = images.shape[i + 1]
        step = 1 / scale[i]
        width = step.clamp(min=1) if antialias else torch.ones_like(step)
        target = torch.arange(new, dtype=torch.float32, device=images.device).unsqueeze(1)
        position = (target + 0.5 - translation[i]) * step
        element = torch.arange(old, dtype=torch.float32, device=images.device) + 0.5
        distance = (element - position).abs()
        weights = torch.where(distance <= width * radius, kernel(distance / width), 0)
        total = weights.sum(1, keepdim=True)
        weights = torch.where(total.abs() >= 1000 * torch.finfo(torch.float32).tiny, weights / total, 0)
        inside = (position >= 0) & (position <= old)
        images = _weighted(images, i + 1, torch.where(inside, weights, 0))
    return images


# Functions that packages import from MindSpore


def _interploate_ext_make_tuple(input: Any, value: Any) -> tuple[Any, ...]:
    """Return a number for each spatial dimension."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * (len(input.shape) - 2)


def _interpolate_ext_scale_factor_convert_size(input: Any, scale_factor: tuple[float, ...]) -> list[int]:
    """Return the sizes after scaling."""
    return [math.floor(size * scale) for size, scale in zip(input.shape[2:], scale_factor)]


rules.cut_by(rules.aligned, ResizeNearestNeighbor)
