"""Adaptive pooling: max and average pooling to a given output size, in one to three spatial dimensions."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import as_int, as_ints
from torchspore.engine.op import op
from torchspore.engine.primitive import Primitive
from torchspore.engine.widening import in_floats
from torchspore.ops.pooling.windowed import check_rank

__all__ = [
    "AdaptiveAvgPool2D", "AdaptiveAvgPool3D", "AdaptiveMaxPool2D", "AdaptiveMaxPool3D", "adaptive_avg_pool1d",
    "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d",
]  # fmt: skip


def output_sizes(value: Any, count: int, api: str) -> tuple[int | None, ...]:
    """Return `output_size`, an int or a tuple of ints and Nones (the input's size), as one for each dimension.

    MindSpore takes -1 for None in two-dimensional maxima.
    """
    if not isinstance(value, (tuple, list)):
        ints = as_ints(value, api, "output_size")
        value = ints if isinstance(ints, tuple) else (ints,) * count
    sizes = tuple([None if size is None else as_int(size, api, "output_size") for size in value])
    if api.lower().replace("_", "") == "adaptivemaxpool2d":
        sizes = tuple([None if size == -1 else size for size in sizes])
    if len(sizes) != count or any(size is not None and size < 0 for size in sizes):
        raise ValueError(
            f"For '{api}', 'output_size' must be an int >= 0 or a tuple of {count} such ints or Nones, but got {value}."
        )
    return sizes


def _equal_windows(function: Any, name: str) -> Any:
    """Make a layer's operation in one dimension: as in MindSpore, for batches only, and windows of one size."""

    def body(input: Tensor, output_size: int) -> Tensor:
        if input.dim() != 3:
            raise ValueError("the input must have 3 dimensions")
        size = input.shape[2]
        if output_size < 1 or size < 1 or size % output_size:
            raise ValueError(f"the input's last dimension, {size}, must be a multiple of 'output_size'")
        return function(input, output_size)

    return op(body, name=name)


def _average(count: int) -> Any:
    """Make the operation of the layer `AdaptiveAvgPool{count}d`."""
    function = F.adaptive_avg_pool2d if count == 2 else in_floats(F.adaptive_avg_pool3d, keeps_dtype=True)

    def body(input: Tensor, output_size: Any) -> Tensor:
        check_rank(input, count)
        return function(input, output_size)

    return op(body, name=f"AdaptiveAvgPool{count}d")


def _maximum(count: int) -> Any:
    """Make the operation of the layer `AdaptiveMaxPool{count}d`."""
    with_indices = F.adaptive_max_pool2d_with_indices if count == 2 else F.adaptive_max_pool3d_with_indices
    function = in_floats(with_indices, keeps_dtype=True)

    def body(input: Tensor, output_size: Any, return_indices: Any) -> Any:
        check_rank(input, count)
        values, indices = function(input, output_size)
        if not return_indices:
            return values
        return values, indices if count == 2 else indices.int()  # MindSpore counts pixels in int64, voxels in int32

    return op(body, name=f"AdaptiveMaxPool{count}d")


# What the layers call.
LAYERS: dict[str, Any] = {
    "AdaptiveAvgPool1d": _equal_windows(torch.adaptive_avg_pool1d, "AdaptiveAvgPool1d"),
    "AdaptiveAvgPool2d": _average(2),
    "AdaptiveAvgPool3d": _average(3),
    "AdaptiveMaxPool1d": _equal_windows(F.adaptive_max_pool1d, "AdaptiveMaxPool1d"),
    "AdaptiveMaxPool2d": _maximum(2),
    "AdaptiveMaxPool3d": _maximum(3),
}


@op
def adaptive_avg_pool1d(input: Tensor, output_size: int) -> Tensor:
    """Adaptive average pooling of sequences, over windows of one size.

    Args:
        input: a Tensor of shape (N, C, L).
        output_size: the length of the output, which divides L.

    Returns:
        A Tensor of shape (N, C, output_size).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.adaptive_avg_pool1d(ms.Tensor([[[1.0, 3.0, 4.0, 6.0]]]), 2))
        [[[2. 5.]]]
    """
    return LAYERS["AdaptiveAvgPool1d"].body(input, output_size)


@op
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Adaptive average pooling of images.

    Window i of n over a dimension of size s begins at floor(i * s / n) and ends before ceil((i + 1) * s / n).

    Args:
        input: a Tensor of shape (N, C, H, W) or (C, H, W).
        output_size: the size of the output, an int or (height, width); None is the input's.

    Returns:
        A Tensor of shape (N, C, *output_size).

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.adaptive_avg_pool2d(ms.ops.ones((1, 3, 8, 9)), (None, 4)).shape
        (1, 3, 8, 4)
    """
    return LAYERS["AdaptiveAvgPool2d"].body(input, output_sizes(output_size, 2, "adaptive_avg_pool2d"))


@op
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """`adaptive_avg_pool2d` for volumes, shape (N, C, D, H, W) or (C, D, H, W).

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.adaptive_avg_pool3d(ms.ops.ones((1, 3, 8, 9, 5)), (None, 4, 1)).shape
        (1, 3, 8, 4, 1)
    """
    return LAYERS["AdaptiveAvgPool3d"].body(input, output_sizes(output_size, 3, "adaptive_avg_pool3d"))


@op
def adaptive_max_pool1d(input: Tensor, output_size: int) -> Tensor:
    """Adaptive max pooling of sequences, over windows of one size; arguments as for `adaptive_avg_pool1d`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.adaptive_max_pool1d(ms.Tensor([[[1.0, 3.0, 4.0, 6.0]]]), 2))
        [[[3. 6.]]]
    """
    return LAYERS["AdaptiveMaxPool1d"].body(input, output_size)


@op
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Adaptive max pooling of images, over the windows of `adaptive_avg_pool2d`.

    Args:
        input, output_size: as for `adaptive_avg_pool2d`.
        return_indices: whether to return the indices of the maxima, too. Default: False.

    Returns:
        A Tensor of shape (N, C, *output_size); with `return_indices`, a tuple of it and an int64 Tensor of each
        maximum's index in its image, row by row.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.adaptive_max_pool2d(ms.ops.ones((1, 3, 8, 9)), (None, 4)).shape
        (1, 3, 8, 4)
    """
    return LAYERS["AdaptiveMaxPool2d"].body(input, output_sizes(output_size, 2, "adaptive_max_pool2d"), return_indices)


@op
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """`adaptive_max_pool2d` for volumes; the indices are int32.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.adaptive_max_pool3d(ms.ops.ones((1, 3, 8, 9, 5)), (None, 4, 1)).shape
        (1, 3, 8, 4, 1)
    """
    return LAYERS["AdaptiveMaxPool3d"].body(input, output_sizes(output_size, 3, "adaptive_max_pool3d"), return_indices)


class AdaptiveAvgPool2D(Primitive):
    """`adaptive_avg_pool2d` with a fixed `output_size`: `AdaptiveAvgPool2D(output_size)(x)`.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.AdaptiveAvgPool2D((2, None))(ms.ops.ones((1, 3, 8, 9))).shape
        (1, 3, 2, 9)
    """

    _count = 2

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_sizes(output_size, self._count, self.name)

    def __call__(self, x: Any) -> Any:
        """Return the averages."""
        return LAYERS[f"AdaptiveAvgPool{self._count}d"](x, self.output_size)


class AdaptiveAvgPool3D(AdaptiveAvgPool2D):
    """`AdaptiveAvgPool2D` for volumes: `AdaptiveAvgPool3D(output_size)(x)`."""

    _count = 3


class AdaptiveMaxPool2D(Primitive):
    """`adaptive_max_pool2d` with a fixed `output_size`; returns maxima and indices."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_sizes(output_size, 2, self.name)

    def __call__(self, input: Any) -> Any:
        """Return the maxima and their indices."""
        return LAYERS["AdaptiveMaxPool2d"](input, self.output_size, True)


class AdaptiveMaxPool3D(Primitive):
    """`adaptive_max_pool3d` with indices: `AdaptiveMaxPool3D()(x, output_size)` returns maxima and indices."""

    def __call__(self, x: Any, output_size: Any) -> Any:
        """Return the maxima and their indices; `output_size` may be a Tensor of ints, too."""
        sizes = output_size.tolist() if isinstance(output_size, _Tensor) else output_size
        return LAYERS["AdaptiveMaxPool3d"](x, output_sizes(sizes, 3, self.name), True)
