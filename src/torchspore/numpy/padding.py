"""Padding in all of NumPy's modes except the median."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.argument_forms import number_in
from torchspore.engine.op import op
from torchspore.numpy.arrays import along, array, floating
from torchspore.numpy.selection import apply_along_axis

__all__ = ["pad"]

_Pair = tuple[Any, Any]


def _pairs(given: Any, dims: int, name: str) -> list[_Pair]:
    """Return (before, after) for every dimension, from a number, (number,), (before, after) or a list of such pairs."""
    if not isinstance(given, (list, tuple)):
        return [(given, given)] * dims
    if not any(isinstance(pair, (list, tuple)) for pair in given):
        if len(given) in (1, 2):
            return [(given[0], given[-1])] * dims
    elif all(isinstance(pair, (list, tuple)) and len(pair) in (1, 2) for pair in given) and len(given) in (1, dims):
        pairs = [(pair[0], pair[-1]) for pair in given]
        return pairs if len(pairs) == dims else pairs * dims
    raise ValueError(f"'{name}' must be a number, (before, after), or a list of such pairs for {dims} dimensions")


def _filled(x: Tensor, axis: int, size: int, value: Any) -> Tensor:
    """Return `size` slices across dimension `axis`, filled with a number or with a slice."""
    shape = [size if dim == axis else length for dim, length in enumerate(x.shape)]
    if isinstance(value, Tensor):
        return value.to(x.dtype).expand(shape)
    value = number_in(value)
    return torch.full(shape, value, device=x.device).to(x.dtype)


def _constant(x: Tensor, axis: int, widths: _Pair, values: _Pair) -> Tensor:
    before, after = (_filled(x, axis, size, value) for size, value in zip(widths, values))
    return torch.cat((before, x, after), axis)


def _ramp(x: Tensor, axis: int, widths: _Pair, ends: _Pair) -> Tensor:
    parts = []
    for size, end, position in ((widths[0], ends[0], 0), (widths[1], ends[1], x.shape[axis] - 1)):
        edge, end = floating(x.narrow(axis, position, 1)), number_in(end)
        part = along(torch.arange(size, device=x.device) / max(size, 1), x.dim(), axis)
        parts.append((end + (edge - end) * part.to(edge.dtype)).to(x.dtype))
    return torch.cat((parts[0], x, parts[1].flip(axis)), axis)


def _statistic(function: Callable[[Tensor, int], Tensor]) -> Callable[..., Tensor]:
    def padded(x: Tensor, axis: int, widths: _Pair, lengths: _Pair) -> Tensor:
        size = x.shape[axis]
        first, last = [size if length is None else min(length, size) for length in lengths]
        values = function(x.narrow(axis, 0, first), axis), function(x.narrow(axis, size - last, last), axis)
        return _constant(x, axis, widths, values)

    return padded


def _mean(x: Tensor, axis: int) -> Tensor:
    mean = torch.mean(floating(x), axis, True)
    return mean if x.is_floating_point() else mean.round()


def _by_index(find: Callable[[Tensor, int], Tensor]) -> Callable[..., Tensor]:
    """Pad with copies of slices: `find` maps positions, negative before the array, to those that are copied."""

    def padded(x: Tensor, axis: int, widths: _Pair, _: Any) -> Tensor:
        positions = torch.arange(-widths[0], x.shape[axis] + widths[1], device=x.device)
        return x.index_select(axis, find(positions, x.shape[axis]))

    return padded


def _reflected(positions: Tensor, size: int) -> Tensor:
    if size == 1:
        return torch.zeros_like(positions)
    position = positions % (2 * size - 2)
    return torch.minimum(position, 2 * size - 2 - position)


def _mirrored(positions: Tensor, size: int) -> Tensor:
    position = positions % (2 * size)
    return torch.minimum(position, 2 * size - 1 - position)


def _odd(find: Callable[[Tensor, int], Tensor], period: Callable[[int], int]) -> Callable[..., Tensor]:
    """Pad with reflections through the edges: twice the edge minus the mirror image, and so on."""

    def padded(x: Tensor, axis: int, widths: _Pair, _: Any) -> Tensor:
        size = x.shape[axis]
        positions = torch.arange(-widths[0], size + widths[1], device=x.device)
        periods = along(torch.div(positions, period(size), rounding_mode="floor"), x.dim(), axis)
        image = x.index_select(axis, find(positions, size))
        first, last = x.narrow(axis, 0, 1), x.narrow(axis, size - 1, 1)
        # Two periods shift by twice the span; a single one is a reflection through the edge where it starts.
        shift = torch.div(periods, 2, rounding_mode="floor") * 2 * (last - first)
        return torch.where(periods % 2 == 0, image + shift, 2 * last - image + shift).to(x.dtype)

    return padded


_MODES: dict[str, tuple[Callable[..., Tensor], str]] = {
    "constant": (_constant, "constant_values"),
    "empty": (_constant, "constant_values"),
    "linear_ramp": (_ramp, "end_values"),
    "maximum": (_statistic(lambda x, axis: torch.amax(x, axis, True)), "stat_length"),
    "minimum": (_statistic(lambda x, axis: torch.amin(x, axis, True)), "stat_length"),
    "mean": (_statistic(_mean), "stat_length"),
    "edge": (_by_index(lambda positions, size: torch.clamp(positions, 0, size - 1)), ""),
    "wrap": (_by_index(lambda positions, size: positions % size), ""),
    "reflect": (_by_index(_reflected), ""),
    "symmetric": (_by_index(_mirrored), ""),
}
_ODD_MODES = {
    "reflect": _odd(_reflected, lambda size: max(size - 1, 1)),
    "symmetric": _odd(_mirrored, lambda size: size),
}


@op(name="pad")
def _pad(arr: Any, widths: Any, mode: Any, options: Any, reflect_type: str) -> Tensor:
    if mode == "median":
        raise NotImplementedError("For 'pad', the mode 'median' is not supported.")
    if mode not in _MODES or reflect_type not in ("even", "odd"):
        raise ValueError(f"'mode' must be a function or one of {tuple(_MODES)}, and 'reflect_type' 'even' or 'odd'")
    x = array(arr)
    padded, option = _MODES[mode]
    if reflect_type == "odd":
        padded = _ODD_MODES.get(mode, padded)
    pairs = _pairs(widths, x.dim(), "pad_width"), _pairs(options.get(option), x.dim(), option)
    for axis, (width, value) in enumerate(zip(*pairs)):
        x = padded(x, axis, [max(size, 0) for size in width], value)
    return x


def pad(
    arr: Any,
    pad_width: Any,
    mode: Any = "constant",
    stat_length: Any = None,
    constant_values: Any = 0,
    end_values: Any = 0,
    reflect_type: str = "even",
    **kwargs: Any,
) -> _Tensor:
    """Pad an array.

    Args:
        arr: an array.
        pad_width: the numbers of elements: a number, (before, after), or a list with such a pair for each dimension.
        mode: "constant" numbers, the "edge", a "linear_ramp" from the edge to a number, the "maximum", "minimum" or
            "mean" of the nearest elements, the elements at the other end ("wrap"), the mirror image without the edge
            ("reflect") or with it ("symmetric"), or uninitialized ("empty"). Or a function that returns the padded
            vector, called for every vector along every dimension: with the vector padded with zeros, its (before,
            after), the dimension, and `kwargs` as a dict. Default: "constant".
        stat_length: the number of elements for the maximum, minimum or mean, in the form of `pad_width`. Default: None,
            all.
        constant_values: the numbers, in the form of `pad_width`. Default: 0.
        end_values: the ends of the ramps, in the form of `pad_width`. Default: 0.
        reflect_type: "even", or "odd" for reflections through the edges. Default: "even".
        kwargs: further arguments for the function.

    Raises:
        NotImplementedError: the mode is "median".
        TypeError: there are further arguments, but `mode` is not a function.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.pad([1, 2, 3], (1, 2), mode="reflect"))
        [2 1 2 3 2 1]
    """
    if callable(mode):
        x = _pad(arr, pad_width, "constant", {"constant_values": 0}, reflect_type)
        for axis, width in enumerate(_pairs(pad_width, x.ndim, "pad_width")):
            x = apply_along_axis(mode, axis, x, width, axis, kwargs)
        return x
    if kwargs:
        raise TypeError(f"For 'pad', unknown arguments: {', '.join(kwargs)}. They are for a function as 'mode'.")
    options = {"stat_length": stat_length, "constant_values": constant_values, "end_values": end_values}
    return _pad(arr, pad_width, mode, options, reflect_type)
