"""Primitives whose results were others: the classes of their time."""

from __future__ import annotations

from typing import Any

from torchspore import ops
from torchspore.common.dtype import Type, int64
from torchspore.common.tensor import Tensor
from torchspore.earlier.forms import form
from torchspore.earlier.meanings import operations

__all__ = []


@form("ops.AdaptiveMaxPool2D", until="1.10", now="mindspore.ops.AdaptiveMaxPool2D, which returns indices, too")
class AdaptiveMaxPool2D(ops.AdaptiveMaxPool2D):
    """Returns indices only if they are asked for."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def __call__(self, input: Tensor) -> Any:
        """Return the maxima, and their indices if they are asked for."""
        maxima, indices = super().__call__(input)
        return (maxima, indices) if self.return_indices else maxima


@form("ops.ApplyAdagradDA", until="2.0", now="mindspore.ops.ApplyAdagradDA, which returns 'var' alone")
class ApplyAdagradDA(ops.ApplyAdagradDA):
    """Returns all that it updates."""

    def __call__(self, var: Any, gradient_accumulator: Any, gradient_squared_accumulator: Any, *others: Any) -> Any:
        """Update the parameters, and return them."""
        updated = super().__call__(var, gradient_accumulator, gradient_squared_accumulator, *others)
        return updated, gradient_accumulator.value(), gradient_squared_accumulator.value()


@form("ops.ScalarCast", until="2.0", now="mindspore.ops.ScalarCast with mindspore.int64, float64 or bool_")
class ScalarCast(ops.ScalarCast):
    """Takes types of numbers of any size."""

    def __call__(self, input_x: Any, input_y: Any) -> Any:
        """Return the number as one of another type."""
        return operations.scalar_cast(input_x, input_y)


@form("ops.RandpermV2", until="2.0", now="mindspore.ops.RandpermV2(seed, offset, dtype)(n)")
class RandpermV2(ops.RandpermV2):
    """Takes the seed and the offset at the call."""

    def __init__(self, dtype: Type = int64) -> None:
        super().__init__(dtype=dtype)

    def __call__(self, n: Any, seed: int = 0, offset: int = 0) -> Tensor:
        """Return a permutation of the first numbers."""
        permutation: Tensor = ops.randperm(int(n), seed, offset, self.dtype)
        return permutation


@form("ops.ResizeNearestNeighborV2", until="2.0", now="mindspore.ops.ResizeNearestNeighborV2, for images of NCHW")
class ResizeNearestNeighborV2(ops.ResizeNearestNeighborV2):
    """Has its channels last, unless it is told otherwise."""

    def __init__(
        self, align_corners: bool = False, half_pixel_centers: bool = False, data_format: str = "NHWC"
    ) -> None:
        super().__init__(align_corners, half_pixel_centers)
        self.data_format = data_format

    def __call__(self, images: Tensor, size: Any) -> Tensor:
        """Return images of another size."""
        if self.data_format != "NHWC":
            return super().__call__(images, size)
        return super().__call__(images.transpose(0, 3, 1, 2), size).transpose(0, 2, 3, 1)
