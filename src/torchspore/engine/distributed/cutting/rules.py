"""Which dimensions of an operation's inputs may be cut, and which of them together.

A rule gives every dimension of every input a name. Dimensions of one name must be cut into the same number of parts,
those that are WHOLE must not be cut. Operations without a rule accept any strategy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

__all__ = [
    "WHOLE", "Call", "Names", "aligned", "along_axis", "along_second", "channels", "convolution", "cut_by",
    "first_only", "gather", "gather_elements", "indices_of_elements", "last_whole", "layer_norm", "matrices", "named",
    "scattered", "segments", "slices", "strided_slices", "transposed_convolution",
]  # fmt: skip

Shape = Sequence[int]
Names = list[list[str]]
Rule = Callable[["Call"], Names]

WHOLE = ""


class Call(NamedTuple):
    """A call of an operation.

    Attributes:
        primitive: the operation.
        shapes: the shapes of its tensors.
        inputs: all inputs, as the operation takes them.
        parts: the number of parts of each dimension of the tensors, which have as many dimensions.
    """

    primitive: Any
    shapes: Sequence[Shape]
    inputs: Sequence[Any]
    parts: Sequence[Sequence[int]]


def cut_by(rule: Rule, *primitives: type[Any]) -> None:
    """Set the rule of primitive classes."""
    for primitive in primitives:
        primitive._cutting = staticmethod(rule)


def aligned(call: Call) -> Names:
    """Name dimensions as they are broadcast, from the last one."""
    return [[WHOLE if size == 1 else f"d{len(shape) - i}" for i, size in enumerate(shape)] for shape in call.shapes]


def _except_axis(find: Callable[[Call], Any]) -> Rule:
    """Return the rule of operations that need whole rows along the axes that `find` returns."""

    def rule(call: Call) -> Names:
        axes = find(call)
        names = aligned(call)
        for shape, name in zip(call.shapes, names):
            for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
                if isinstance(axis, int) and -len(shape) <= axis < len(shape):
                    name[axis] = WHOLE
        return names

    return rule


def _of(count: int, rule: Rule) -> Rule:
    """Return a rule for calls with a number of tensors; others are element-wise."""
    return lambda call: rule(call) if len(call.shapes) == count else aligned(call)


along_axis = _except_axis(lambda call: getattr(call.primitive, "axis", None))
along_second = _except_axis(lambda call: call.inputs[1] if len(call.inputs) > 1 else None)


def matrices(call: Call) -> Names:
    """Name rows, columns and batch dimensions of a product of matrices."""

    def matrix(shape: Shape, rows: str, columns: str, transposed: Any) -> list[str]:
        batch = [WHOLE if size == 1 else f"b{len(shape) - i}" for i, size in enumerate(shape[:-2])]
        return [*batch, columns, rows] if transposed else [*batch, rows, columns]

    primitive, shapes = call.primitive, call.shapes
    left, right = shapes[:2]
    names = [
        matrix(left, "rows", "inner", getattr(primitive, "transpose_a", False)),
        matrix(right, "inner", "columns", getattr(primitive, "transpose_b", False)),
    ]
    return names + [["columns"] * len(shape) for shape in shapes[2:]]


def channels(call: Call) -> Names:
    """Name the channels, which are the second dimension of the first input and the only one of the others."""
    shapes = call.shapes
    first = [f"d{i}" for i in range(len(shapes[0]))]
    return [first, *[["d1" if size > 1 else WHOLE for size in shape] for shape in shapes[1:]]]


def layer_norm(call: Call) -> Names:
    shapes = call.shapes
    begin = call.primitive.begin_norm_axis % len(shapes[0])
    first = [f"d{i}" if i < begin else WHOLE for i in range(len(shapes[0]))]
    return [first, *[[WHOLE] * len(shape) for shape in shapes[1:]]]


def _convolution(*channels: str) -> Rule:
    """Return the rule that names batch, channels (those of the weight in their order) and positions."""

    def rule(call: Call) -> Names:
        positions = [f"p{i}" for i in range(len(call.shapes[0]) - 2)]
        window = [WHOLE] * (len(call.shapes[1]) - 2)
        return [["batch", "in", *positions], [*channels, *window]]

    return _of(2, rule)


convolution, transposed_convolution = _convolution("out", "in"), _convolution("in", "out")


@functools.partial(_of, 2)
def gather(call: Call) -> Names:
    """Name the dimensions of a table and of indices: either is cut along the first axis; other axes are whole."""
    table = [f"t{i}" for i in range(len(call.shapes[0]))]
    axis = call.inputs[2] if len(call.inputs) > 2 and isinstance(call.inputs[2], int) else 0
    if axis % len(table) != 0:
        table[axis] = WHOLE
    cut_rows = axis % len(table) == 0 and call.parts[0][0] > 1
    return [table, [WHOLE if cut_rows else f"i{i}" for i in range(len(call.shapes[1]))]]


@functools.partial(_of, 2)
def indices_of_elements(call: Call) -> Names:
    """Name the indices of `GatherNd`; the indices of one element, and the table, are whole."""
    table, indices = call.shapes
    return [[WHOLE] * len(table), [*[f"i{i}" for i in range(len(indices) - 1)], WHOLE]]


@functools.partial(_of, 2)
def gather_elements(call: Call) -> Names:
    """Name the dimensions of a table and of indices of its shape; the latter are whole along the axis."""
    table, indices = along_second(call)
    return [["axis" if name == WHOLE and size > 1 else name for name, size in zip(table, call.shapes[0])], indices]


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _slices(taken: Callable[[int, int, int], int]) -> Rule:
    """Return the rule that makes dimensions whole from which a part is `taken`, by their size and two arguments."""

    def rule(call: Call) -> Names:
        (shape,) = call.shapes
        if any(getattr(call.primitive, mask, 0) for mask in _MASKS):
            return aligned(call)
        sizes = list(map(taken, shape, *call.inputs[1:3]))
        return [[f"d{i}" if i >= len(sizes) or sizes[i] == size else WHOLE for i, size in enumerate(shape)]]

    return _of(1, rule)


slices = _slices(lambda size, begin, count: size - begin if count == -1 else count)
strided_slices = _slices(lambda size, begin, end: len(range(size)[begin:end]))


def named(*lines: str) -> Rule:
    """Return a rule that is the same for all calls: the names for each tensor, "_" for a whole dimension."""
    names = [[WHOLE if name == "_" else name for name in line.split()] for line in lines]
    return lambda call: names if list(map(len, names)) == list(map(len, call.shapes)) else aligned(call)


def first_only(call: Call) -> Names:
    """Name the first dimension of the first tensor; all else is whole."""
    first, *others = [[WHOLE] * len(shape) for shape in call.shapes]
    return [["rows", *first[1:]], *others]


def segments(call: Call) -> Names:
    rows = [f"d{i}" for i in range(len(call.shapes[0]))]
    return [rows, rows[: len(call.shapes[1])]]


def scattered(by_tuples: bool, whole_rows: bool) -> Rule:
    """Return the rule that names the columns of the target and of the values; rows are chosen by whole indices.

    Args:
        by_tuples: whether an index is a tuple of numbers, else one number.
        whole_rows: whether the rows of the target must be whole.
    """

    def rule(call: Call) -> Names:
        target, indices, values = call.shapes
        rows = indices[-1] if by_tuples else 1
        columns = [f"d{i}" for i in range(rows, len(target))]
        first = [WHOLE if whole_rows else f"r{i}" for i in range(rows)]
        return [[*first, *columns], [WHOLE] * len(indices), [*[WHOLE] * (len(values) - len(columns)), *columns]]

    return _of(3, rule)


def last_whole(call: Call) -> Names:
    """Name the dimensions but the last ones, which are whole."""
    return [[*names[:-1], WHOLE] for names in aligned(call)]
