"""Selection by conditions, indices and order; sets; functions applied piecewise and along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.common.tensor import wrap
from torchspore.engine.arguments.conversions import as_int, as_ints
from torchspore.engine.failures.errors import explain
from torchspore.engine.failures.naming import named
from torchspore.engine.op import op
from torchspore.numpy.arrays import array, arrays, in_range, promoted
from torchspore.ops.array import sorting

__all__ = [
    "apply_along_axis", "apply_over_axes", "argwhere", "choose", "digitize", "intersect1d", "piecewise", "searchsorted",
    "select", "setdiff1d", "take", "take_along_axis", "unique", "where",
]  # fmt: skip


@op
def where(condition: Any, x: Any = None, y: Any = None) -> Tensor:
    """Choose elements of `x` where `condition` is true, else of `y`; all three are broadcast.

    Raises:
        TypeError: `x` or `y` is not given.
    """
    if x is None or y is None:
        raise TypeError("'x' and 'y' must both be given; for the indices of true elements, use 'argwhere'")
    x, y = promoted(x, y)
    return torch.where(array(condition).bool(), x, y)


def _in_bounds(indices: Tensor, size: int, mode: str) -> Tensor:
    if mode not in ("clip", "wrap"):
        raise ValueError(f"'mode' must be 'clip' or 'wrap', but got {mode!r}")
    return torch.clamp(indices, 0, size - 1) if mode == "clip" else indices % size


def _integers(indices: Any) -> Tensor:
    found = array(indices)
    if found.is_floating_point() or found.is_complex() or found.dtype is torch.bool:
        raise TypeError("'indices' must be integers")
    return found


@op
def take(a: Any, indices: Any, axis: int | None = None, mode: str = "clip") -> Tensor:
    """Take elements along a dimension.

    Args:
        a: an array.
        indices: an array of ints, whose shape replaces the dimension; negative ones count from the end.
        axis: the dimension. Default: None, the array is flattened.
        mode: the treatment of indices out of range: "clip" or "wrap". Default: "clip".

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.take([10, 20, 30], [[0, -1], [1, 5]], mode="wrap"))
        [[10 30]
         [20 30]]
    """
    a = array(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    (axis,) = in_range(axis, a.dim())
    size = a.shape[axis]
    chosen = _integers(indices)
    chosen = _in_bounds(torch.where(chosen < 0, chosen + size, chosen), size, mode)
    taken = a.index_select(axis, chosen.reshape(-1))
    return taken.reshape(a.shape[:axis] + chosen.shape + a.shape[axis + 1 :])


@op
def take_along_axis(arr: Any, indices: Any, axis: int | None) -> Tensor:
    """Take one element along a dimension for every index.

    Args:
        arr: an array.
        indices: an array of ints with the same number of dimensions; the other dimensions are broadcast with `arr`.
        axis: the dimension; None for the flattened array.
    """
    arr, chosen = array(arr), _integers(indices)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    (axis,) = in_range(axis, arr.dim())
    if chosen.dim() != arr.dim():
        raise ValueError(f"'indices' must have {arr.dim()} dimensions, but got {chosen.dim()}")
    size = arr.shape[axis]
    shape = list(torch.broadcast_shapes(*[(*x.shape[:axis], 1, *x.shape[axis + 1 :]) for x in (arr, chosen)]))
    arr, chosen = [x.expand(*shape[:axis], x.shape[axis], *shape[axis + 1 :]) for x in (arr, chosen)]
    return torch.gather(arr, axis, torch.where(chosen < 0, chosen + size, chosen).long())


@op
def choose(a: Any, choices: Any, mode: str = "clip") -> Tensor:
    """Take every element from the array of `choices` whose index is in `a`.

    Args:
        a: an array of ints.
        choices: a list or tuple of arrays, or an array of them; broadcast with `a`.
        mode: the treatment of indices out of range: "clip" or "wrap". Default: "clip".

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.choose([1, 0, 1], [[1, 2, 3], [10, 20, 30]]))
        [10  2 30]
    """
    found = torch.broadcast_tensors(_integers(a), *promoted(*arrays(choices)))
    chosen = _in_bounds(found[0], len(found) - 1, mode).long()
    return torch.gather(torch.stack(found[1:]), 0, chosen.unsqueeze(0)).squeeze(0)


@op
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """Take every element from the first array of `choicelist` whose condition is true there.

    Args:
        condlist: a list or tuple of conditions, or an array of them.
        choicelist: an array for each condition, in the same form.
        default: the value where no condition is true. Default: 0.

    Examples:
        >>> import torchspore.numpy as np
        >>> x = np.arange(5)
        >>> print(np.select([x < 2, x > 2], [-x, 10 * x], default=7))
        [ 0 -1  7 30 40]
    """
    conditions, choices = arrays(condlist), arrays(choicelist)
    if len(conditions) != len(choices):
        raise ValueError(f"there must be as many choices as conditions, not {len(choices)} for {len(conditions)}")
    choices = promoted(*choices)
    if default.__class__ is int and choices[0].dtype is not torch.bool:
        default = torch.full((), default, dtype=choices[0].dtype, device=choices[0].device)
    *choices, result = promoted(*choices, default)
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        result = torch.where(condition.bool(), choice, result)
    return result


@op
def searchsorted(a: Any, v: Any, side: Literal["left", "right"] = "left", sorter: Any = None) -> Tensor:
    """Find the indices, in int32, where elements must be inserted to keep a vector sorted.

    Args:
        a: a vector, ascending unless `sorter` is given.
        v: the elements, an array of any shape.
        side: "left" or "right" of equal elements. Default: "left".
        sorter: the indices that sort `a`. Default: None.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.searchsorted([1, 2, 3, 5], [3, 4]))
        [2 3]
    """
    a, v = promoted(a, v)
    if a.dim() != 1:
        raise ValueError(f"'a' must be a vector, but has {a.dim()} dimensions")
    if sorter is not None:
        a = a[_integers(sorter).long()]
    return torch.searchsorted(a, v.contiguous(), side=side, out_int32=True)


@op
def digitize(x: Any, bins: Any, right: bool = False) -> Tensor:
    """Find the bin of every element, in int32: 0 before the first edge, the number of edges after the last.

    Args:
        x: an array.
        bins: a vector of edges, ascending or descending.
        right: whether a bin includes its right edge instead of its left one. Default: False.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.digitize([0.2, 6.4, 3.0], [0.0, 1.0, 2.5, 4.0]))
        [1 4 3]
    """
    x, bins = promoted(x, bins)
    if bins.dim() != 1:
        raise ValueError(f"'bins' must be a vector, but has {bins.dim()} dimensions")
    if bins.numel() == 0:
        return torch.zeros(x.shape, dtype=torch.int32, device=x.device)
    x = x.contiguous()
    rising = torch.searchsorted(bins, x, right=not right, out_int32=True)
    falling = bins.numel() - torch.searchsorted(bins.flip(0), x, right=not right, out_int32=True)
    return torch.where(bins[0] <= bins[-1], rising, falling.to(torch.int32))


@op
def argwhere(a: Any) -> Tensor:
    """Return the indices of the elements that are not zero, one row for each."""
    a = array(a)
    if a.dim() == 0:
        raise ValueError("'a' must have at least one dimension")
    return torch.argwhere(a)


@op
def unique(x: Any, return_inverse: bool = False) -> Any:
    """Return the unique elements in the order of their first occurrence.

    Args:
        x: an array; it is flattened.
        return_inverse: whether to return (elements, indices), the indices restoring the flattened `x`. Default: False.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(*np.unique([3, 1, 3, 2], return_inverse=True))
        [3 1 2] [0 1 0 2]
    """
    elements, inverse = sorting.unique.body(array(x).reshape(-1))
    return (elements, inverse) if return_inverse else elements


def _first_of_each(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the unique elements in order, and the index of the first occurrence of each."""
    ordered, indices = torch.sort(x, stable=True)
    first = torch.ones_like(ordered, dtype=torch.bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first], indices[first]


@op
def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Return the unique elements that are in both arrays, in ascending order.

    Args:
        ar1, ar2: arrays, which are flattened.
        assume_unique: whether the elements of each array are unique, which saves time. Default: False.
        return_indices: whether to return (elements, indices in `ar1`, indices in `ar2`). Default: False.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.intersect1d([3, 1, 2, 3], [2, 3, 5]))
        [2 3]
    """
    prepare = torch.sort if assume_unique else _first_of_each
    (first, indices1), (second, indices2) = (prepare(x.reshape(-1)) for x in promoted(ar1, ar2))
    common, common2 = torch.isin(first, second), torch.isin(second, first)
    if not return_indices:
        return first[common]
    return first[common], indices1[common].to(torch.int32), indices2[common2].to(torch.int32)


@op
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Tensor:
    """Return the elements of `ar1` that are not in `ar2`: unique and sorted, or with `assume_unique` as in `ar1`."""
    dtype = array(ar1).dtype
    first, second = [x.reshape(-1) for x in promoted(ar1, ar2)]
    if not assume_unique:
        first = torch.unique(first)
    return first[~torch.isin(first, second)].to(dtype)


@named
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> _Tensor:
    """Compute every element with the function whose condition is true there.

    Args:
        x: an array.
        condlist: a list of conditions, each an array of bools in the shape of `x`; or one condition.
        funclist: a function or number for each condition, and optionally one for where no condition is true (0
            otherwise). Functions are called with all of `x`; where several conditions are true, the last applies.
        args, kw: further arguments for the functions.

    Examples:
        >>> import torchspore.numpy as np
        >>> x = np.array([-2.0, -1.0, 0.5])
        >>> print(np.piecewise(x, [x < -1, x >= 0], [lambda x: -x, lambda x: 10 * x, 7]))
        [2. 7. 5.]
    """
    x = wrap(array(x))
    conditions = _conditions(condlist, x.ndim)
    functions = list(funclist)
    if len(functions) not in (len(conditions), len(conditions) + 1):
        raise ValueError(f"{len(conditions)} conditions need as many functions or one more, not {len(functions)}")
    default = functions.pop() if len(functions) > len(conditions) else 0
    values = [array(value(x, *args, **kw) if callable(value) else value) for value in (default, *functions)]
    result, *choices = promoted(*values)
    try:
        result = result.expand(x.shape)
        for condition, choice in zip(conditions, choices):
            result = torch.where(condition.bool(), choice, result)
    except RuntimeError as error:
        raise explain(error, "piecewise", {"x": x, "condlist": condlist, "funclist": funclist}) from None
    return wrap(result)


def _conditions(given: Any, dims: int) -> list[Tensor]:
    whole = isinstance(given, (list, tuple)) and dims > 0 and all(isinstance(condition, bool) for condition in given)
    if isinstance(given, (list, tuple)) and not whole:
        return [array(condition) for condition in given]
    found = array(given)
    return list(found.unbind(0)) if found.dim() > dims else [found]


@named
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> _Tensor:
    """Apply a function to every vector along a dimension.

    Args:
        func1d: a function of a vector (and the further arguments) that returns an array or a number.
        axis: the dimension.
        arr: an array.
        args, kwargs: further arguments for the function.

    Returns:
        A Tensor in which the dimensions of the function's results replace `axis`.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.apply_along_axis(lambda row: row[0] + row[-1], 1, np.array([[1, 2, 3], [4, 5, 6]])))
        [ 4 10]
    """
    x, axis = array(arr), as_int(axis, "apply_along_axis", "axis")
    if not -x.dim() <= axis < x.dim():
        raise ValueError(f"'axis' must be in [{-x.dim()}, {x.dim()})")
    axis %= x.dim()
    moved = x.movedim(axis, -1)
    vectors = moved.reshape(-1, x.shape[axis]).unbind(0)
    results = [array(func1d(wrap(vector), *args, **kwargs)) for vector in vectors]
    joined = torch.stack(results).reshape(moved.shape[:-1] + results[0].shape)
    last = moved.dim() - 1
    return wrap(joined.movedim(tuple(range(last, joined.dim())), tuple(range(axis, axis + joined.dim() - last))))


@named
def apply_over_axes(func: Callable[[_Tensor, int], Any], a: Any, axes: Any) -> _Tensor:
    """Apply a function over several dimensions in sequence.

    Args:
        func: called as `func(array, axis)`; if its result lacks the dimension, it is restored with size 1.
        a: an array.
        axes: the dimension, or a list or tuple of them.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.apply_over_axes(np.sum, np.arange(6).reshape(2, 3), [0, 1]))
        [[15]]
    """
    result = array(a)
    dims = result.dim()
    over = as_ints(axes, "apply_over_axes", "axes")
    for dim in over if isinstance(over, tuple) else (over,):
        if not -dims <= dim < dims:
            raise ValueError(f"'axes' must be in [{-dims}, {dims}), but got {dim}")
        changed = array(func(wrap(result), dim))
        result = changed.unsqueeze(dim % dims) if changed.dim() == dims - 1 else changed
        if result.dim() != dims:
            kept = f"{dims} dimensions or remove one, but returned {changed.dim()}"
            raise ValueError(f"the function must keep {kept}")
    return wrap(result)
