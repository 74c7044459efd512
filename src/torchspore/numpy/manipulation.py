"""Shapes, axes, joining, splitting, repeating, rotating."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchspore.engine.arguments.conversions import as_int, as_ints
from torchspore.engine.op import op
from torchspore.numpy.arrays import array, in_range, named, promoted
from torchspore.numpy.arrays import array as _array
from torchspore.numpy.arrays import arrays as _arrays

__all__ = [
    "append", "array_split", "array_str", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to",
    "column_stack", "concatenate", "dsplit", "dstack", "expand_dims", "flip", "fliplr", "flipud", "hsplit", "hstack",
    "moveaxis", "ravel", "repeat", "reshape", "roll", "rollaxis", "rot90", "size", "split", "squeeze", "stack",
    "swapaxes", "tile", "transpose", "vsplit", "vstack",
]  # fmt: skip


# Shapes and axes


@op
def transpose(a: Any, axes: Any = None) -> Tensor:
    """Reorder the dimensions to `axes`, a tuple or list of ints (default: reversed)."""
    a = array(a)
    return a.permute(tuple(reversed(range(a.dim()))) if axes is None else as_ints(axes, "transpose", "axes"))


@op
def swapaxes(x: Any, axis1: int, axis2: int) -> Tensor:
    """Exchange two dimensions."""
    return array(x).swapaxes(axis1, axis2)


@op
def moveaxis(a: Any, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Tensor:
    """Move dimensions to other positions; the rest keep their order.

    Args:
        a: an array.
        source: the dimension, or a tuple of them.
        destination: the new position of each.
    """
    a = array(a)
    return torch.movedim(a, in_range(source, a.dim(), "source"), in_range(destination, a.dim(), "destination"))


@op
def rollaxis(x: Any, axis: int, start: int = 0) -> Tensor:
    """Move the dimension `axis` in front of `start`, or to the end if that is the number of dimensions."""
    x = array(x)
    dims = x.dim()
    (axis,) = in_range(axis, dims)
    (start,) = in_range(start, dims + 1, "start") if start >= 0 else in_range(start, dims, "start")
    return torch.movedim(x, axis, start - 1 if start > axis else start)


@op
def expand_dims(a: Any, axis: int | tuple[int, ...]) -> Tensor:
    """Insert dimensions of size 1 at the positions `axis` of the result, an int or a tuple of different ints."""
    a = array(a)
    axes = axis if isinstance(axis, tuple) else (axis,)
    for dim in sorted(in_range(axes, a.dim() + len(axes))):
        a = a.unsqueeze(dim)
    return a


@op
def squeeze(a: Any, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Remove dimensions of size 1: those in `axis`, or all (default, or with ())."""
    return array(a).squeeze() if axis in (None, ()) else array(a).squeeze(axis)


@op
def reshape(x: Any, new_shape: int | tuple[int, ...]) -> Tensor:
    """Change the shape, in row-major order; one size may be -1, which is inferred from the others."""
    return array(x).reshape(new_shape)


@op
def ravel(x: Any) -> Tensor:
    """Flatten an array to a vector."""
    return array(x).reshape(-1)


def _at_least(dims: int) -> Any:
    function = (torch.atleast_1d, torch.atleast_2d, torch.atleast_3d)[dims - 1]

    def body(*arys: Any) -> Any:
        found = [function(array(x)) for x in arys]
        return found[0] if len(found) == 1 else found

    summary = f"Arrays with at least {dims} dimension{'s' * (dims > 1)}, where missing ones have size 1."
    return named(body, f"atleast_{dims}d", f"{summary} Several arrays are returned as a list.")


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2), _at_least(3)


@op
def broadcast_to(array: Any, shape: int | tuple[int, ...]) -> Tensor:
    """Broadcast an array to a shape."""
    return torch.broadcast_to(_array(array), (shape,) if isinstance(shape, int) else shape)


@op
def broadcast_arrays(*args: Any) -> Any:
    """Broadcast arrays to a common shape; return a list."""
    return list(torch.broadcast_tensors(*[array(x) for x in args]))


@op
def size(a: Any, axis: int | None = None) -> Any:
    """Return the number of elements, or the size of the dimension `axis`, as an int."""
    a = array(a)
    return a.numel() if axis is None else a.size(axis)


def array_str(a: Any) -> str:
    """Return the elements of an array as text."""
    return str(a)


# Joining


@op
def concatenate(arrays: Any, axis: int | None = 0) -> Tensor:
    """Join arrays along a dimension.

    Args:
        arrays: a list or tuple of arrays, or an array, whose rows are joined.
        axis: the dimension; None, or a number >= 32, to join the flattened arrays. Default: 0.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.concatenate(([[1, 2]], [[3.5, 4]]), axis=0))
        [[1.  2. ]
         [3.5 4. ]]
    """
    found = promoted(*_arrays(arrays))
    if axis is None or axis >= 32 or found[0].dim() == 0:
        return torch.cat([x.reshape(-1) for x in found])
    return torch.cat(found, axis)


@op
def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """Append values to an array along the dimension `axis` (default: both are flattened)."""
    return concatenate.body((arr, values), axis)


@op
def stack(arrays: Any, axis: int = 0) -> Tensor:
    """Join a list or tuple of arrays of the same shape along a new dimension `axis` (default: 0).

    A single array stands for its slices along the first dimension; as in MindSpore, `axis` may then be any int, modulo
    the number of dimensions.
    """
    if not isinstance(arrays, (list, tuple)):
        slices = array(arrays)
        if not slices.dim():
            raise ValueError("a single array must have at least one dimension, whose slices are stacked")
        return slices.movedim(0, axis % slices.dim())
    if not arrays:
        raise ValueError("at least one array is needed")
    return torch.stack(promoted(*arrays), axis)


def _stack(name: str, function: Any, layout: str) -> Any:
    def body(tup: Any) -> Tensor:
        if not isinstance(tup, (list, tuple)):
            return array(tup)
        if not tup:
            raise ValueError("at least one array is needed")
        return function(promoted(*tup))

    about = "tup: a list or tuple of at least one array; a single array is returned unchanged."
    return named(body, name, f"Join arrays {layout}.\n\nArgs:\n    {about}")


column_stack = _stack("column_stack", torch.column_stack, "as columns; vectors are columns")
vstack = _stack("vstack", torch.vstack, "along the first dimension; vectors are rows")
hstack = _stack("hstack", torch.hstack, "along the second dimension; vectors along their only one")
dstack = _stack("dstack", torch.dstack, "along the third dimension, which is added if there is none")


# Splitting


def _parts(x: Tensor, sections: Any, axis: int, api: str, even: bool) -> Sequence[Tensor]:
    (axis,) = in_range(axis, x.dim())
    if isinstance(sections, (list, tuple)):
        cuts = as_ints(tuple(sections), api, "indices_or_sections")
        ends = [min(max(cut + x.shape[axis] if cut < 0 else cut, 0), x.shape[axis]) for cut in cuts]
        starts, ends = [0, *ends], [*ends, x.shape[axis]]
        return [x.narrow(axis, start, max(end - start, 0)) for start, end in zip(starts, ends)]
    count = as_int(sections, api, "indices_or_sections")
    if count < 1:
        raise ValueError(f"'indices_or_sections' must be positive, but got {count}")
    if even and x.shape[axis] % count:
        raise ValueError(f"a dimension of size {x.shape[axis]} cannot be split into {count} equal parts")
    return torch.tensor_split(x, count, axis)


def _split(name: str, default: int | None, summary: str, even: bool = True) -> Any:
    about = (
        f"Args:\n    x: an array.\n    indices_or_sections: the number of {'equal ' if even else ''}parts, or a list "
        "or tuple of the indices\n        where a new part starts.\n{axis}\nReturns:\n    A tuple of arrays, "
        "or a list for indices."
    )
    if default is None:

        def body(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
            return _parts(array(x), indices_or_sections, axis, name, even)

        axis = "    axis: the dimension. Default: 0.\n"
    else:

        def body(x: Any, indices_or_sections: Any) -> Any:  # type: ignore[misc]
            return _parts(array(x), indices_or_sections, default, name, even)

        axis = ""
    return named(body, name, f"{summary}\n\n{about.format(axis=axis)}")


split = _split("split", None, "Split an array along a dimension.")
array_split = _split("array_split", None, "Split an array into parts that may differ in size by one.", even=False)
vsplit = _split("vsplit", 0, "Split an array along the first dimension.")
hsplit = _split("hsplit", 1, "Split an array along the second dimension.")
dsplit = _split("dsplit", 2, "Split an array along the third dimension.")


# Repeating and rotating


@op
def tile(a: Any, reps: int | tuple[int, ...]) -> Tensor:
    """Repeat an array `reps` times along each dimension."""
    return torch.tile(array(a), (reps,) if isinstance(reps, int) else reps)


@op
def repeat(a: Any, repeats: int | tuple[int, ...], axis: int | None = None) -> Tensor:
    """Repeat the elements.

    Args:
        a: an array.
        repeats: the number of times, an int, or a list or tuple with one for every element along `axis`.
        axis: the dimension. Default: None, the array is flattened.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.repeat([3, 4], (1, 3)))
        [3 4 4 4]
    """
    a = array(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    if isinstance(repeats, tuple):
        repeats = repeats * a.shape[axis] if len(repeats) == 1 else repeats
        if len(repeats) != a.shape[axis] or min(repeats) < 0:
            size = a.shape[axis]
            raise ValueError(f"'repeats' must have a number for each of the {size} elements, but got {repeats}")
        chosen = [index for index, times in enumerate(repeats) for _ in range(times)]
        return a.index_select(axis, torch.tensor(chosen, dtype=torch.int64, device=a.device))
    return torch.repeat_interleave(a, repeats, axis)


@op
def roll(a: Any, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Shift the elements cyclically.

    Args:
        a: an array.
        shift: the distance, an int or a tuple with one for every dimension.
        axis: the dimension, or a tuple of them. Default: None, the flattened array is shifted.
    """
    a = array(a)
    if axis is None:
        return torch.roll(a, sum(shift) if isinstance(shift, tuple) else shift)
    axes = axis if isinstance(axis, tuple) else (axis,)
    if not axes:
        return a.clone()
    shifts = shift if isinstance(shift, tuple) else (shift,)
    count = max(len(axes), len(shifts))
    return torch.roll(a, shifts * (count // len(shifts)), axes * (count // len(axes)))


@op
def flip(m: Any, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Reverse the order of the elements in the dimensions `axis` (default: all)."""
    m = array(m)
    axes = tuple(range(m.dim())) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return torch.flip(m, axes)


@op
def fliplr(m: Any) -> Tensor:
    """Reverse the order of the columns."""
    m = array(m)
    if m.dim() < 2:
        raise ValueError(f"'m' must have at least two dimensions, but has {m.dim()}")
    return torch.fliplr(m)


@op
def flipud(m: Any) -> Tensor:
    """Reverse the order of the rows."""
    return torch.flipud(array(m))


@op
def rot90(a: Any, k: int = 1, axes: int | tuple[int, ...] = (0, 1)) -> Tensor:
    """Rotate the plane of two dimensions by 90 degrees `k` times, from the first dimension towards the second."""
    return torch.rot90(array(a), k, axes)  # type: ignore[arg-type]
