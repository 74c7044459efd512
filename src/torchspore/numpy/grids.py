"""Grids of coordinates, and indices of diagonals and triangles."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.conversion import as_shape
from torchspore.common.tensor import wrap
from torchspore.engine.op import NumpyType, op
from torchspore.numpy.arrays import along, array, floating, whole

__all__ = [
    "diag_indices", "indices", "ix_", "meshgrid", "mgrid", "ogrid", "ravel_multi_index", "tril_indices",
    "tril_indices_from", "triu_indices", "triu_indices_from", "unravel_index",
]  # fmt: skip


def _open(vectors: list[Tensor]) -> list[Tensor]:
    return [along(vector, len(vectors), axis) for axis, vector in enumerate(vectors)]


def _range(stop: int) -> Tensor:
    return torch.arange(stop, dtype=torch.int32, device=devices.current())


@op
def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> Any:
    """The coordinates of all points of a grid, as a list with an array for every argument.

    Args:
        xi: the coordinates along each dimension; each array is flattened.
        sparse: whether to return arrays that broadcast to the grid. Default: False.
        indexing: "xy" (the first coordinate runs along the second dimension) or "ij" (along the first). Default: "xy".

    Examples:
        >>> import torchspore.numpy as np
        >>> x, y = np.meshgrid([1, 2, 3], [4, 5])
        >>> print(x[0], y[:, 0])
        [1 2 3] [4 5]
    """
    if indexing not in ("xy", "ij"):
        raise TypeError(f"'indexing' must be 'xy' or 'ij', but got {indexing!r}")
    grids = _open([array(x).reshape(-1) for x in xi])
    if indexing == "xy" and len(grids) > 1:
        grids = [grid.swapaxes(0, 1) for grid in grids]
    return grids if sparse else list(torch.broadcast_tensors(*grids))


class _Grid:
    """Grids by indexing: `mgrid[0:3, 0:2]`.

    A slice `start:stop:step` stands for the numbers from `start` up to, but not including, `stop`; a step such as `5j`
    for five numbers from `start` to `stop`.
    """

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        name = "ogrid" if self._sparse else "mgrid"
        slices = key if isinstance(key, tuple) else (key,)
        if not all(isinstance(index, slice) for index in slices):
            raise TypeError(f"For '{name}', every index must be a slice such as 0:5, but got {key!r}.")
        vectors = [_range_of(index, name) for index in slices]
        if any(vector.is_floating_point() for vector in vectors):
            vectors = [floating(vector) for vector in vectors]
        if not isinstance(key, tuple):
            return wrap(vectors[0])
        if self._sparse:
            return [wrap(vector) for vector in _open(vectors)]
        return wrap(torch.stack(torch.broadcast_tensors(*_open(vectors))))


def _range_of(index: slice, name: str) -> Tensor:
    start, step = (0 if index.start is None else index.start), (1 if index.step is None else index.step)
    numbers = (start, index.stop) if isinstance(step, complex) else (start, index.stop, step)
    if not all(isinstance(number, (int, float)) for number in numbers):
        raise TypeError(f"For '{name}', start and stop must be numbers, and step a number or like 5j, but got {index}.")
    device = devices.current()
    if isinstance(step, complex):
        return torch.linspace(start, index.stop, int(abs(step)), device=device)
    kind = torch.int32 if all(isinstance(number, int) for number in numbers) else torch.float32
    try:
        return torch.arange(start, index.stop, step, dtype=kind, device=device)
    except RuntimeError as error:
        raise ValueError(f"For '{name}', {error}: {index}. The step must lead from start to stop.") from None


mgrid = _Grid(sparse=False)
ogrid = _Grid(sparse=True)


@op
def indices(dimensions: Any, dtype: NumpyType = mstype.int32, sparse: bool = False) -> Any:
    """The indices of a grid, as a list with an array for every dimension.

    Args:
        dimensions: the shape of the grid, a list or tuple of ints.
        dtype: the data type. Default: int32.
        sparse: whether to return arrays that broadcast to the grid. Default: False.
    """
    if not isinstance(dimensions, (list, tuple)):
        raise TypeError(f"'dimensions' must be a list or tuple of ints, but got {dimensions!r}")
    grids = _open([_range(size).to(dtype) for size in as_shape(dimensions, "indices")])
    return grids if sparse else list(torch.broadcast_tensors(*grids))


@op(name="ix_")
def ix_(*args: Any) -> Any:
    """Turn vectors into an open grid, a tuple of arrays: `x[ix_(rows, columns)]` selects all combinations.

    Examples:
        >>> import torchspore.numpy as np
        >>> x = np.arange(12).reshape(3, 4)
        >>> print(x[np.ix_([0, 2], [1, 3])])
        [[ 1  3]
         [ 9 11]]
    """
    vectors = [array(vector) for vector in args]
    if any(vector.dim() != 1 for vector in vectors):
        raise ValueError("every argument must be a vector")
    return tuple(_open(vectors))


@op
def diag_indices(n: int, ndim: int = 2) -> Any:
    """The indices of the main diagonal of an array with `ndim` dimensions of size `n`, as a tuple of arrays."""
    return (_range(n),) * ndim


def _triangle(function: Any, k: float, n: float, m: float | None) -> Any:
    n, k = whole(n, "n"), whole(k, "k")
    m = n if m is None else whole(m, "m")
    found = function(n, m, k, dtype=torch.int32, device=devices.current())
    return tuple(found.unbind(0))


@op
def tril_indices(n: float, k: float = 0, m: float | None = None) -> Any:
    """The indices of the elements at and below a diagonal: (rows, columns).

    Args:
        n: the number of rows.
        k: the diagonal: 0 is the main one, positive ones are above it, negative ones below. Default: 0.
        m: the number of columns. Default: None, `n`.
    """
    return _triangle(torch.tril_indices, k, n, m)


@op
def triu_indices(n: float, k: float = 0, m: float | None = None) -> Any:
    """The indices of the elements at and above a diagonal; arguments as for `tril_indices`."""
    return _triangle(torch.triu_indices, k, n, m)


def _sizes(arr: Any) -> tuple[int, int]:
    shape = array(arr).shape
    if len(shape) != 2:
        raise ValueError(f"'arr' must be a matrix, but has {len(shape)} dimensions")
    return shape[0], shape[1]


@op
def tril_indices_from(arr: Any, k: float = 0) -> Any:
    """`tril_indices` for the shape of a matrix."""
    return _triangle(torch.tril_indices, k, *_sizes(arr))


@op
def triu_indices_from(arr: Any, k: float = 0) -> Any:
    """`triu_indices` for the shape of a matrix."""
    return _triangle(torch.triu_indices, k, *_sizes(arr))


def _strides(shape: tuple[int, ...], order: str) -> list[int]:
    """Return the distance between neighbors along each dimension in the flattened array."""
    if order not in ("C", "F"):
        raise ValueError(f"'order' must be 'C' or 'F', but got {order!r}")
    strides, stride = [], 1
    for size in shape if order == "F" else reversed(shape):
        strides.append(stride)
        stride *= size
    return strides if order == "F" else strides[::-1]


@op
def unravel_index(indices: Any, shape: Any, order: str = "C") -> Any:
    """Convert indices of the flattened array to a tuple with indices of every dimension.

    Args:
        indices: an array of ints, clamped to the valid range; negative ones count from the end.
        shape: the shape of the array.
        order: "C" if the last index changes fastest in the flattened array, "F" for the first. Default: "C".

    Examples:
        >>> import torchspore.numpy as np
        >>> print(*np.unravel_index([1, 4], (2, 3)))
        [0 1] [1 1]
    """
    found, sizes = array(indices), as_shape(shape, "unravel_index")
    strides = _strides(sizes, order)
    total = strides[0] * sizes[0] if order == "C" else strides[-1] * sizes[-1]
    found = torch.clamp(found, -total, total - 1)
    found = torch.where(found < 0, found + total, found)
    return tuple(torch.div(found, stride, rounding_mode="floor") % size for stride, size in zip(strides, sizes))


@op
def ravel_multi_index(multi_index: Any, dims: Any, mode: Literal["clip", "wrap"] = "clip", order: str = "C") -> Tensor:
    """Convert indices of every dimension to indices of the flattened array, in float32 as in MindSpore.

    Args:
        multi_index: a tuple with an array for every dimension, or an array of them.
        dims: the shape of the array.
        mode: the treatment of indices out of range: "clip" or "wrap". Default: "clip".
        order: as for `unravel_index`. Default: "C".

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.ravel_multi_index(np.array([[3, 6], [4, 5]]), (7, 6)))
        [22. 41.]
    """
    found, sizes = array(multi_index), as_shape(dims, "ravel_multi_index")
    if found.dim() == 0 or found.shape[0] != len(sizes):
        raise ValueError(f"'multi_index' must have an index for each of the {len(sizes)} dimensions of 'dims'")
    limited = [torch.clamp(index, 0, size - 1) if mode == "clip" else index % size for index, size in zip(found, sizes)]
    offsets = (index.long() * stride for index, stride in zip(limited, _strides(sizes, order)))
    return sum(offsets, torch.zeros_like(found[0])).float()
