"""Functions of `ops` as MindSpore 1 had them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torchspore import ops
from torchspore.common.dtype import float_type, int32, int_type, uint_type
from torchspore.common.sparse import COOTensor
from torchspore.common.tensor import Tensor
from torchspore.earlier.forms import form

__all__ = []


@form("ops.split", until="1.10", now="mindspore.ops.Split({axis}, {output_num})({input_x})")
def split(input_x: Tensor, axis: int = 0, output_num: int = 1) -> tuple[Tensor, ...]:
    """Split a tensor into a number of parts."""
    return ops.Split(axis, output_num)(input_x)


@form("ops.max", until="1.10", now="mindspore.ops.ArgMaxWithValue({axis}, {keep_dims})({x})")
def max_with_index(x: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the indices of the largest elements, and the elements."""
    index, value = ops.ArgMaxWithValue(axis, keep_dims)(x)
    return index.astype(int32), value


@form("ops.min", until="1.10", now="mindspore.ops.ArgMinWithValue({axis}, {keep_dims})({x})")
def min_with_index(x: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the indices of the smallest elements, and the elements."""
    index, value = ops.ArgMinWithValue(axis, keep_dims)(x)
    return index.astype(int32), value


@form("ops.argmax", until="1.10", now="mindspore.ops.Argmax({axis}[, {output_type}])({x})")
def argmax(x: Tensor, axis: int = -1, output_type: Any = None) -> Tensor:
    """Return the indices of the largest elements, as int32."""
    return ops.Argmax(axis)(x) if output_type is None else ops.Argmax(axis, output_type)(x)


@form("ops.median", until="1.10", now="mindspore.ops.Median({global_median}, {axis}, {keep_dims})({x})")
def median(x: Tensor, global_median: bool = False, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the medians and their indices."""
    return ops.Median(global_median, axis, keep_dims)(x)


@form("ops.std", until="1.10", now="mindspore.ops.ReduceStd({axis}, {unbiased}, {keep_dims})({input_x})")
def std_and_mean(input_x: Tensor, axis: Any = (), unbiased: bool = True, keep_dims: bool = False) -> Any:
    """Return the standard deviation and the mean."""
    return ops.ReduceStd(axis, unbiased, keep_dims)(input_x)


@form("ops.norm", until="1.10", now="mindspore.ops.LpNorm({axis}, {p}, {keep_dims}, {epsilon})({input_x})")
def norm(
    input_x: Tensor, axis: int | Sequence[int], p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12
) -> Tensor:
    """Return the norms of a tensor over axes."""
    return ops.LpNorm(axis, p, keep_dims, epsilon)(input_x)


@form("ops.pad", until="1.10", now="mindspore.ops.Pad({paddings})({input_x})")
def pad(input_x: Tensor, paddings: Any) -> Tensor:
    """Pad a tensor with zeros, by a pair for each axis."""
    return ops.Pad(tuple(map(tuple, paddings)))(input_x)


@form(
    "ops.avg_pool2d",
    until="1.10",
    now="mindspore.ops.AvgPool({kernel_size}, {strides}, {pad_mode}, {data_format})({x})",
)
def avg_pool2d(
    x: Tensor,
    kernel_size: int | tuple[int, int] = 1,
    strides: int | tuple[int, int] = 1,
    pad_mode: str = "valid",
    data_format: str = "NCHW",
) -> Tensor:
    """Return the averages of windows."""
    return ops.AvgPool(kernel_size, strides, pad_mode, data_format)(x)


@form("ops.dropout", until="1.10", now="mindspore.ops.Dropout(1 - {p}, {seed0}, {seed1})({x})")
def dropout(x: Tensor, p: float = 0.5, seed0: int = 0, seed1: int = 0) -> tuple[Tensor, Tensor]:
    """Return the tensor with some elements set to zero, and the mask."""
    return ops.Dropout(1 - p, seed0, seed1)(x)


@form("ops.dropout2d", until="1.10", now="mindspore.ops.Dropout2D(1 - {p})({x})")
def dropout2d(x: Tensor, p: float = 0.5) -> tuple[Tensor, Tensor]:
    """Return the tensor with some channels of images set to zero, and the mask."""
    return ops.Dropout2D(1 - p)(x)


@form("ops.dropout3d", until="1.10", now="mindspore.ops.Dropout3D(1 - {p})({x})")
def dropout3d(x: Tensor, p: float = 0.5) -> tuple[Tensor, Tensor]:
    """Return the tensor with some channels of volumes set to zero, and the mask."""
    return ops.Dropout3D(1 - p)(x)


@form("ops.interpolate", until="1.10", now="mindspore.ops.interpolate with size and align_corners")
def interpolate(
    x: Tensor,
    roi: Any = None,
    scales: Sequence[float] | None = None,
    sizes: Sequence[int] | None = None,
    coordinate_transformation_mode: str = "align_corners",
    mode: str = "linear",
) -> Tensor:
    """Resize the axes after the second."""
    if sizes is None:
        if scales is None:
            raise ValueError("For 'interpolate' of MindSpore 1, 'sizes' or 'scales' must be given.")
        sizes = [int(size * scale) for size, scale in zip(x.shape[2:], scales[2:])]
    aligned = coordinate_transformation_mode == "align_corners"
    if mode == "bilinear":
        return ops.ResizeBilinearV2(aligned, coordinate_transformation_mode == "half_pixel")(x, tuple(sizes))
    return ops.interpolate(x, tuple(sizes), mode=mode, align_corners=aligned)


@form("ops.meshgrid", until="1.10", now="mindspore.ops.meshgrid(*{inputs}, indexing={indexing})")
def meshgrid(inputs: Sequence[Tensor], indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return the coordinates of the points of a grid."""
    return ops.meshgrid(*inputs, indexing=indexing)


@form("ops.clamp", until="2.0", now="mindspore.ops.clip_by_value({input}, {min}, {max})")
def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """Return a tensor, or several, with their elements between two bounds."""
    if isinstance(input, (tuple, list)):
        return tuple(ops.clamp(each, min, max) for each in input)
    return ops.clamp(input, min, max)


@form("ops.scalar_cast", until="2.0", now="mindspore.ops.scalar_cast with mindspore.int64, float64 or bool_")
def scalar_cast(input_x: Any, input_y: Any) -> Any:
    """Return a number as one of another type, of any size."""
    if input_y in int_type + uint_type:
        return int(input_x)
    return float(input_x) if input_y in float_type else ops.scalar_cast(input_x, input_y)


@form("ops.sparse_add", until="1.10", now="mindspore.ops.coo_add({x1}, {x2}, {thresh})")
def sparse_add(x1: COOTensor, x2: COOTensor, thresh: Tensor) -> COOTensor:
    """Return the sum of two sparse tensors."""
    return ops.coo_add(x1, x2, thresh)


@form("ops.vjp", until="1.10", now="mindspore.ops.vjp(fn, *inputs), which returns the function of v")
def vjp(fn: Callable[..., Any], inputs: Any, v: Any) -> tuple[Any, Any]:
    """Return the outputs of a function, and the product of a vector and its Jacobian."""
    output, pull_back = ops.vjp(fn, *(inputs if isinstance(inputs, (tuple, list)) else (inputs,)))
    return output, pull_back(*(v if isinstance(v, (tuple, list)) else (v,)))


@form("ops.random_gamma", until="1.10", now="mindspore.ops.random_gamma({shape}, {alpha}, {seed})")
def random_gamma(shape: Any, alpha: Tensor, seed: int = 0, seed2: int = 0) -> Tensor:
    """Draw from the gamma distribution."""
    return ops.random_gamma(shape, alpha, seed or seed2 or None)


@form("ops.standard_laplace", until="1.10", now="mindspore.ops.StandardLaplace({seed}, {seed2})({shape})")
def standard_laplace(shape: Any, seed: int = 0, seed2: int = 0) -> Tensor:
    """Draw from the Laplace distribution."""
    return ops.StandardLaplace(seed, seed2)(shape)


@form("ops.standard_normal", until="1.10", now="mindspore.ops.StandardNormal({seed}, {seed2})({shape})")
def standard_normal(shape: Any, seed: int = 0, seed2: int = 0) -> Tensor:
    """Draw from the standard normal distribution."""
    return ops.StandardNormal(seed, seed2)(shape)
