"""Strategies for devices of which a single process has one: they are checked as in the program of all devices.

Programs set `device_num` and compile a network to see whether its strategies fit. Nothing is cut then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from torchspore.common.parameter import Parameter
from torchspore.engine.cutting.changed_classes import change_class
from torchspore.engine.cutting.rules import WHOLE, Call, has_rule, names_of
from torchspore.engine.nested import tensors

__all__ = ["Plan", "Recorded", "check_call", "make_checked", "plan", "recorded", "set_plan", "set_recorded"]


class Plan(NamedTuple):
    """The devices for which a program is written.

    Attributes:
        devices: the number of devices of a stage.
        rows: how many times as many rows all devices have as one.
        has_rank: whether the number of this process is one of theirs.
    """

    devices: int
    rows: int
    has_rank: bool


class Recorded:
    """What a compilation finds: the strategies of operations and the layouts of parameters, by their names."""

    def __init__(self) -> None:
        self.strategies: dict[str, list[list[int]]] = {}
        self.layouts: dict[str, tuple[Any, ...]] = {}


plan: Plan | None = None
recorded: Recorded | None = None


def set_plan(devices: Plan | None) -> None:
    """Check the strategies of all calls against a number of devices, or with None those of no call."""
    global plan
    plan = devices


def set_recorded(found: Recorded | None) -> None:
    """Have the calls that follow note their strategies."""
    global recorded
    recorded = found


def make_checked(primitive: Any) -> None:
    """Have a primitive check its attribute `in_strategy` at each call, while there is a plan."""
    change_class(primitive, _checked)


def _checked(parent: Any) -> Any:
    """Return the `__call__` of primitives that check strategies."""

    def call(self: Any, *inputs: Any, **named: Any) -> Any:
        if plan is not None:
            check_call(self, (*inputs, *named.values()), plan)
        return parent.__call__(self, *inputs, **named)

    return call


class _Strategy(NamedTuple):
    """How a tensor is cut.

    Attributes:
        parts: the number of parts of each dimension.
        axes: the axes of a grid of devices for each dimension, counted from the last, if a `Layout` names them.
        grid: its sizes.
    """

    parts: tuple[int, ...]
    axes: tuple[Any, ...] = ()
    grid: tuple[int, ...] = ()


def _strategy(given: Any) -> _Strategy:
    if isinstance(given, tuple):
        return _Strategy(given)
    described = given.to_dict()
    grid, axes = described["device_matrix"], described["tensor_map"]
    maps = [item if isinstance(item, tuple) else (item,) for item in axes]
    return _Strategy(tuple([math.prod([grid[-1 - axis] for axis in item if axis >= 0]) for item in maps]), axes, grid)


def check_call(primitive: Any, inputs: tuple[Any, ...], planned: Plan) -> None:
    """Check that the strategies of a primitive fit its tensors and the devices, and note them.

    Raises:
        RuntimeError: they do not.
    """
    if not planned.has_rank:
        raise RuntimeError(f"For '{primitive.name}', the 'global_rank' of the program is not one of its devices.")
    if primitive.name == "Reshape":
        raise RuntimeError("For 'Reshape', a strategy has no effect: its input keeps its own. Leave it out.")
    if not has_rule(primitive):
        return
    found = tensors(inputs)
    strategies = primitive.in_strategy
    shapes = [tuple(tensor.shape) for tensor in found if tensor.shape]
    cuts = [cut for cut in map(_strategy, strategies) if cut.parts]
    call = Call(primitive, shapes, inputs, [cut.parts for cut in cuts])
    names = names_of(call) if _fit(call.parts, shapes) else []
    wrong = _mistake(call, cuts, names, planned) if names else f"needs a number for each dimension of {shapes}"
    if not wrong and primitive.__dict__.get("out_strategy") is not None:
        wrong = _mistake_of_output(call, names, list(map(_strategy, primitive.out_strategy)))
    if wrong:
        shown = [cut.parts for cut in cuts]
        raise RuntimeError(f"For '{primitive.name}', the strategy {shown} {wrong}.")
    if recorded is not None:
        recorded.strategies[f"Default/{primitive.name}-op{len(recorded.strategies)}"] = list(map(list, call.parts))
        with_shape = [tensor for tensor in found if tensor.shape]
        for tensor, layout in zip(with_shape, _layouts(call, cuts, names, planned)):
            if isinstance(tensor, Parameter):
                recorded.layouts.setdefault(tensor.name, layout)


def _fit(parts: Sequence[Sequence[int]], shapes: Sequence[Sequence[int]]) -> bool:
    return list(map(len, parts)) == list(map(len, shapes))


def _mistake(call: Call, cuts: Sequence[_Strategy], names: Sequence[Sequence[str]], planned: Plan) -> str:
    """Return what is wrong with the strategies of a call, or an empty string."""
    sizes: dict[str, int] = {}
    axes: dict[str, Any] = {}
    for cut, shape, named in zip(cuts, call.shapes, names):
        if cut.grid and math.prod(cut.grid) != planned.devices:
            return f"has a grid of {cut.grid} for {planned.devices} devices"
        for i, (count, size, name) in enumerate(zip(cut.parts, shape, named)):
            if count < 1 or size * planned.rows % count:
                return f"cuts a dimension of {size} into {count} parts"
            if name == WHOLE and count > 1:
                return f"cuts a dimension of the shape {shape} that must be whole"
            if sizes.setdefault(name, count) != count:
                return f"cuts one dimension of {list(call.shapes)} into {sizes[name]} parts and into {count}"
            if cut.axes and axes.setdefault(name, cut.axes[i]) != cut.axes[i]:
                return f"cuts one dimension of {list(call.shapes)} along different axes"
    needed = 1 if cuts and cuts[0].grid else math.prod(sizes.values())
    return f"needs {needed} devices of {planned.devices}" if planned.devices % needed else ""


def _mistake_of_output(call: Call, names: Sequence[Sequence[str]], wanted: Sequence[_Strategy]) -> str:
    """Return what is wrong with the strategies of the output of a product of matrices, or an empty string.

    Its rows may be cut further along the axis of the inner dimension, of which all devices have a part of the sums.
    """
    if type(call.primitive).__name__ not in ("MatMul", "BatchMatMul"):
        return ""
    sizes = {name: count for named, part in zip(names, call.parts) for name, count in zip(named, part)}
    batch = max((named[:-2] for named in names), key=len)
    rows, columns, inner = sizes["rows"], sizes["columns"], sizes["inner"]
    possible = [(*[sizes.get(name, 1) for name in batch], count, columns) for count in (rows, rows * inner)]
    return "" if [cut.parts for cut in wanted] in ([one] for one in possible) else f"has outputs cut into {possible}"


def _layouts(
    call: Call, cuts: Sequence[_Strategy], names: Sequence[Sequence[str]], planned: Plan
) -> list[tuple[Any, ...]]:
    """Return the layouts of the tensors of a call, as MindSpore's compiler describes them.

    A layout is the grid of devices, the axis of each dimension, counted from the last, and the shape of a part; the
    rest describes cuts by optimizers, of which there are none.
    """
    found = list(zip(names, call.parts))
    is_gather = type(call.primitive).__name__ == "Gather"  # its indices are first, and devices with equal parts
    ordered = found[::-1] if is_gather else found
    sizes = {name: count for named, part in ordered for name, count in zip(named, part) if count > 1}
    spare = planned.devices // math.prod(sizes.values())
    grid = {"": spare, **sizes} if is_gather and call.parts[0][0] > 1 else {**sizes, "": spare}
    axes = {name: axis for axis, name in enumerate(reversed([name for name in grid if grid[name] > 1]))}
    matrix = [size for size in grid.values() if size > 1] or [planned.devices]
    layouts: list[tuple[Any, ...]] = []
    for named, cut, shape in zip(names, cuts, call.shapes):
        matrix = list(cut.grid) or matrix
        tensor_map = list(cut.axes) or [axes[name] if count > 1 else -1 for name, count in zip(named, cut.parts)]
        piece = [size // count for size, count in zip(shape, cut.parts)]
        layouts.append((matrix, tensor_map, piece, 0, True, "", list(shape), piece, False, False, 0, 0))
    return layouts
