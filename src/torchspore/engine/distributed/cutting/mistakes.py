"""Checking that the strategies of an operation fit its tensors and the devices, by the rules of the operation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from torchspore.common.error_classes import WrongValue
from torchspore.engine.distributed.cutting.rules import WHOLE, Call, Names, matrices

__all__ = ["Checked", "Strategy", "checked"]


class Strategy(NamedTuple):
    """How a tensor is cut.

    Attributes:
        parts: the number of parts of each dimension.
        axes: the axes of a grid of devices for each dimension, counted from the last, if a `Layout` names them.
        grid: its sizes.
    """

    parts: tuple[int, ...]
    axes: tuple[Any, ...] = ()
    grid: tuple[int, ...] = ()


class Checked(NamedTuple):
    """A call whose strategies fit.

    Attributes:
        call: the call.
        cuts: the strategies of its tensors.
        names: the names of their dimensions.
    """

    call: Call
    cuts: Sequence[Strategy]
    names: Names


def checked(
    primitive: Any,
    strategies: Sequence[Any],
    inputs: tuple[Any, ...],
    shapes: Sequence[Any],
    devices: int,
    rows: int = 1,
) -> Checked | None:
    """Check that the strategies of a primitive fit its tensors and the devices; None if it has no rule.

    Args:
        primitive: the operation.
        strategies: the strategies of the tensors that have dimensions.
        inputs: all inputs, as the operation takes them.
        shapes: the shapes of these tensors.
        devices: the number of devices.
        rows: how many times as many rows all devices have as the shapes say.

    Raises:
        ValueError, RuntimeError: they do not.
    """
    if primitive._cutting is None:
        return None
    cuts = list(map(_strategy, strategies))
    call = Call(primitive, shapes, inputs, [cut.parts for cut in cuts])
    names = primitive._cutting(call) if list(map(len, call.parts)) == list(map(len, shapes)) else []
    wrong = (
        _mistake(call, cuts, names, devices, rows) if names else f"needs a number for each dimension of {list(shapes)}"
    )
    if not wrong and primitive.__dict__.get("out_strategy") is not None:
        wrong = _mistake_of_output(call, names, list(map(_strategy, primitive.out_strategy)))
    if wrong:
        raise WrongValue(f"For '{primitive.name}', the strategy {tuple(call.parts)} {wrong}.")
    return Checked(call, cuts, names)


def _strategy(given: Any) -> Strategy:
    if isinstance(given, tuple):
        return Strategy(given)
    described = given.to_dict()
    axes, is_virtual = described["tensor_map"], described["interleaved_parallel"]
    grid = (*described["device_matrix"][: -1 if is_virtual else None], *[1] * is_virtual)
    maps = [item if isinstance(item, tuple) else (item,) for item in axes]
    return Strategy(tuple([math.prod([grid[-1 - axis] for axis in item if axis >= 0]) for item in maps]), axes, grid)


def _mistake(call: Call, cuts: Sequence[Strategy], names: Names, devices: int, rows: int) -> str:
    """Return what is wrong with the strategies of a call, or an empty string."""
    sizes: dict[str, int] = {}
    axes: dict[str, Any] = {}
    for cut, shape, named in zip(cuts, call.shapes, names):
        if cut.grid and math.prod(cut.grid) != devices:
            return f"has a grid of {cut.grid} for {devices} devices"
        for i, (count, size, name) in enumerate(zip(cut.parts, shape, named)):
            if count < 1 or size * rows % count:
                return f"cuts a dimension of {size} into {count} parts, which are not equal"
            if name == WHOLE and count > 1:
                return f"cuts a dimension of the shape {shape} that must be whole"
            if sizes.setdefault(name, count) != count:
                return f"cuts one dimension of {list(call.shapes)} into {sizes[name]} parts and into {count}"
            if cut.axes and axes.setdefault(name, cut.axes[i]) != cut.axes[i]:
                return f"cuts one dimension of {list(call.shapes)} along different axes"
    needed = 1 if cuts and cuts[0].grid else math.prod(sizes.values())
    return f"needs {needed} devices of {devices}" if devices % needed else ""


def _mistake_of_output(call: Call, names: Names, wanted: Sequence[Strategy]) -> str:
    """Return what is wrong with the strategies of the output of a product of matrices, or an empty string.

    Its rows may be cut further along the axis of the inner dimension, of which all devices have a part of the sums.
    """
    if call.primitive._cutting is not matrices:
        return ""
    sizes = {name: count for named, part in zip(names, call.parts) for name, count in zip(named, part)}
    batch = max((named[:-2] for named in names), key=len)
    rows, columns, inner = sizes["rows"], sizes["columns"], sizes["inner"]
    possible = [(*[sizes.get(name, 1) for name in batch], count, columns) for count in (rows, rows * inner)]
    return "" if [cut.parts for cut in wanted] in ([one] for one in possible) else f"has outputs cut into {possible}"
