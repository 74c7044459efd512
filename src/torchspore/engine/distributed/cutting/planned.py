"""Strategies for devices of which a single process has one: they are checked as in the program of all devices.

Programs set `device_num` and compile a network to see whether its strategies fit. Nothing is cut then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from torchspore.common.parameter import Parameter
from torchspore.engine.distributed.cutting.changed_classes import change_class
from torchspore.engine.distributed.cutting.mistakes import Strategy, checked
from torchspore.engine.distributed.cutting.rules import Call, Names, gather
from torchspore.engine.values.nested import tensors

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
    """Check the strategies of all calls against a number of devices; None checks no call."""
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


def check_call(primitive: Any, inputs: tuple[Any, ...], planned: Plan) -> None:
    """Check that the strategies of a primitive fit its tensors and the devices, and note them.

    Raises:
        RuntimeError: they do not.
    """
    if not planned.has_rank:
        raise RuntimeError(f"For '{primitive.name}', the 'global_rank' of the program is not one of its devices.")
    if primitive.name == "Reshape":
        raise RuntimeError("For 'Reshape', a strategy has no effect: its input keeps its own. Leave it out.")
    with_shape = [tensor for tensor in tensors(inputs) if tensor.shape]
    shapes = [tuple(tensor.shape) for tensor in with_shape]
    strategies = [strategy for strategy in primitive.in_strategy if strategy != ()]
    found = checked(primitive, strategies, inputs, shapes, planned.devices, planned.rows)
    if found is None or recorded is None:
        return
    recorded.strategies[f"Default/{primitive.name}-op{len(recorded.strategies)}"] = list(map(list, found.call.parts))
    for tensor, layout in zip(with_shape, _layouts(*found, planned)):
        if isinstance(tensor, Parameter):
            recorded.layouts.setdefault(tensor.name, layout)


def _layouts(call: Call, cuts: Sequence[Strategy], names: Names, planned: Plan) -> list[tuple[Any, ...]]:
    """Return the layouts of the tensors of a call, as MindSpore's compiler describes them.

    A layout is the grid of devices, the axis of each dimension, counted from the last, and the shape of a part; the
    rest describes cuts by optimizers, of which there are none.
    """
    found = list(zip(names, call.parts))
    is_gather = call.primitive._cutting is gather  # its indices are first, and devices with equal parts
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
