"""Differences, derivatives, integrals and interpolation."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.parameters import NotNegative
from torchspore.engine.widening import wrapping
from torchspore.numpy.arrays import along, array, in_range, promoted, single

__all__ = ["diff", "ediff1d", "gradient", "interp", "trapz", "unwrap"]


@op(trait=wrapping)
def diff(a: Any, n: NotNegative = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """The differences between neighboring elements.

    Args:
        a: an array.
        n: the number of times differences are taken. Default: 1.
        axis: the dimension. Default: -1.
        prepend, append: a number or an array to put before and after `a` first. Default: None.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.diff([1, 2, 4, 7], prepend=0))
        [1 1 2 3]
    """
    a = array(a)
    (axis,) = in_range(axis, a.dim())
    if n == 0:
        return a
    before, after = ([] if given is None else [_edge(array(given), a, axis)] for given in (prepend, append))
    return torch.diff(torch.cat(promoted(*before, a, *after), axis), n, axis)


def _edge(values: Tensor, a: Tensor, axis: int) -> Tensor:
    if values.dim():
        return values
    return values.expand([1 if dim == axis else size for dim, size in enumerate(a.shape)])


@op
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Tensor:
    """The differences between neighbors in the flattened array, after `to_begin` and before `to_end`."""
    differences = torch.diff(array(ary).reshape(-1))
    parts = [
        part if part is differences else array(part).reshape(-1).to(differences.dtype)
        for part in (to_begin, differences, to_end)
        if part is not None
    ]
    return torch.cat(parts)


@op
def gradient(f: Any, *varargs: Any, axis: int | tuple[int, ...] | None = None, edge_order: int = 1) -> Any:
    """The derivatives of a function from equally spaced values, by central differences.

    Args:
        f: the values, an array.
        varargs: the spacing of the values, one number for all dimensions or one for each. Default: 1.
        axis: the dimensions along which derivatives are taken. Default: None, all.
        edge_order: 1, the only accuracy at the edges. Default: 1.

    Returns:
        A Tensor in the shape of `f`; for several dimensions, a list of them.

    Raises:
        NotImplementedError: `edge_order` is not 1.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.gradient([1, 2, 6]))
        [1.  2.5 4. ]
    """
    if edge_order != 1:
        raise NotImplementedError(f"For 'gradient', 'edge_order' must be 1, but got {edge_order}.")
    f = single(array(f))
    axes = tuple(range(f.dim())) if axis is None else in_range(axis, f.dim())
    spacing = [array(step) for step in varargs] or [array(1.0)]
    if len(spacing) == 1:
        spacing *= len(axes)
    if len(spacing) != len(axes) or any(step.dim() for step in spacing):
        raise ValueError("spacings must be numbers, one for all dimensions or one for each")
    results = [_derivative(f, step, dim) for step, dim in zip(spacing, axes)]
    return results[0] if len(results) == 1 else results


def _derivative(f: Tensor, step: Tensor, axis: int) -> Tensor:
    size = f.shape[axis]
    if size < 2:
        raise ValueError("a derivative needs at least two values along a dimension")
    differences = torch.diff(f, dim=axis)
    inner = (f.narrow(axis, 2, size - 2) - f.narrow(axis, 0, size - 2)) / 2
    return torch.cat((differences.narrow(axis, 0, 1), inner, differences.narrow(axis, size - 2, 1)), axis) / step


@op
def trapz(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """The integral of a function from values, by the trapezoidal rule.

    Args:
        y: the values, an array.
        x: the points of the values, an array that is broadcast. Default: None, points with the spacing `dx`.
        dx: the spacing. Default: 1.0.
        axis: the dimension. Default: -1.
    """
    given = array(y)
    y = given if given.dtype is torch.float16 else single(given)
    (axis,) = in_range(axis, y.dim())
    if x is None:
        return torch.trapezoid(y, dx=dx, dim=axis)
    points = array(x).half() if y.dtype is torch.float16 else single(array(x))
    y, points = promoted(y, along(points, y.dim(), axis) if points.dim() == 1 else points)
    return torch.trapezoid(y.movedim(axis, -1), points.expand(y.shape).movedim(axis, -1))


@op
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Tensor:
    """Interpolate linearly between points.

    Args:
        x: where to evaluate, an array.
        xp: the first coordinates of the points, an ascending vector.
        fp: the second coordinates, a vector of the same length.
        left: the value before the first point. Default: None, the value of the first point.
        right: the value after the last point. Default: None, the value of the last point.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.interp([0, 1, 1.5, 4], [1, 2, 3], [3, 2, 0]))
        [3.  3.  2.5 0. ]
    """
    x, xp, fp = [single(values) for values in promoted(x, xp, fp)]
    if xp.dim() != 1 or fp.shape != xp.shape:
        shapes = tuple(xp.shape), tuple(fp.shape)
        raise ValueError(f"'xp' and 'fp' must be vectors of the same length, but got the shapes {shapes}")
    after = torch.clamp(torch.searchsorted(xp, x.contiguous(), right=True), 1, max(xp.numel() - 1, 1))
    before, after = after - 1, torch.clamp(after, max=xp.numel() - 1)
    width = xp[after] - xp[before]
    part = (x - xp[before]) / torch.where(width == 0, 1, width)
    result = fp[before] + part * (fp[after] - fp[before])
    result = torch.where(x >= xp[-1], fp[-1], result)
    result = torch.where(x < xp[0], fp[0] if left is None else array(left).to(fp.dtype), result)
    return result if right is None else torch.where(x > xp[-1], array(right).to(fp.dtype), result)


@op
def unwrap(p: Any, discont: float = math.pi, axis: int = -1) -> Tensor:
    """Make angles continuous: add multiples of 2 pi where neighbors differ by more than `discont`, at least pi."""
    p = single(array(p))
    (axis,) = in_range(axis, p.dim())
    differences = torch.diff(p, dim=axis)
    wrapped = torch.remainder(differences + math.pi, 2 * math.pi) - math.pi
    wrapped = torch.where((wrapped == -math.pi) & (differences > 0), math.pi, wrapped)
    corrections = torch.where(torch.abs(differences) < discont, 0, wrapped - differences)
    first = p.narrow(axis, 0, 1)
    return torch.cat((first, p.narrow(axis, 1, p.shape[axis] - 1) + torch.cumsum(corrections, axis)), axis)
