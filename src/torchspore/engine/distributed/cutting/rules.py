"""Which dimensions of an operation's inputs may be cut, and which of them together.

A rule gives every dimension of every input a name. Dimensions of one name must be cut into the same number of parts,
those that are WHOLE must not be cut. Operations without a rule accept any strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

__all__ = ["WHOLE", "Call", "Names", "has_rule", "names_of"]

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


def has_rule(primitive: Any) -> bool:
    """Return whether strategies of an operation are checked."""
    return type(primitive).__name__ in _RULES


def names_of(call: Call) -> Names:
    """Return the names of the dimensions of each tensor of a call, whose operation has a rule."""
    return _RULES[type(call.primitive).__name__](call)


def _aligned(call: Call) -> Names:
    """Name dimensions as they are broadcast, from the last one."""
    return [[WHOLE if size == 1 else f"d{len(shape) - i}" for i, size in enumerate(shape)] for shape in call.shapes]


def _except_axis(find: Callable[[Call], Any]) -> Rule:
    """Return the rule of operations that need whole rows along an axis."""

    def rule(call: Call) -> Names:
        axes = find(call)
        names = _aligned(call)
        for shape, name in zip(call.shapes, names):
            for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
                if isinstance(axis, int) and -len(shape) <= axis < len(shape):
                    name[axis] = WHOLE
        return names

    return rule


def _setting(name: str) -> Callable[[Call], Any]:
    return lambda call: getattr(call.primitive, name, None)


def _argument(position: int) -> Callable[[Call], Any]:
    return lambda call: call.inputs[position] if len(call.inputs) > position else None


def _matrices(call: Call) -> Names:
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


def _channels(call: Call) -> Names:
    """Name the channels, which are the second dimension of the first input and the only one of the others."""
    shapes = call.shapes
    first = [f"d{i}" for i in range(len(shapes[0]))]
    return [first, *[["d1" if size > 1 else WHOLE for size in shape] for shape in shapes[1:]]]


def _layer_norm(call: Call) -> Names:
    shapes = call.shapes
    begin = call.primitive.begin_norm_axis % len(shapes[0])
    first = [f"d{i}" if i < begin else WHOLE for i in range(len(shapes[0]))]
    return [first, *[[WHOLE] * len(shape) for shape in shapes[1:]]]


def _convolution(call: Call) -> Names:
    """Name batch, channels and positions; the weights of a window are whole."""
    positions = [f"p{i}" for i in range(len(call.shapes[0]) - 2)]
    window = [WHOLE] * (len(call.shapes[1]) - 2)
    weight = ["in", "out"] if type(call.primitive).__name__ == "Conv2DTranspose" else ["out", "in"]
    return [["batch", "in", *positions], [*weight, *window]]


def _gather(call: Call) -> Names:
    """Name the dimensions of a table and of indices: either is cut along the first axis; other axes are whole."""
    table = [f"t{i}" for i in range(len(call.shapes[0]))]
    axis = call.inputs[2] if len(call.inputs) > 2 and isinstance(call.inputs[2], int) else 0
    if axis % len(table) != 0:
        table[axis] = WHOLE
    cut_rows = axis % len(table) == 0 and call.parts[0][0] > 1
    return [table, [WHOLE if cut_rows else f"i{i}" for i in range(len(call.shapes[1]))]]


def _indices_of_elements(call: Call) -> Names:
    """Name the indices of `GatherNd`; the indices of one element, and the table, are whole."""
    table, indices = call.shapes
    return [[WHOLE] * len(table), [*[f"i{i}" for i in range(len(indices) - 1)], WHOLE]]


def _gather_elements(call: Call) -> Names:
    """Name the dimensions of a table and of indices of its shape; the latter are whole along the axis."""
    table, indices = _except_axis(_argument(1))(call)
    return [["axis" if name == WHOLE and size > 1 else name for name, size in zip(table, call.shapes[0])], indices]


def _of(count: int, rule: Rule) -> Rule:
    """Return a rule for calls with a number of tensors; others are element-wise."""
    return lambda call: rule(call) if len(call.shapes) == count else _aligned(call)


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _slices(call: Call) -> Names:
    """Name the dimensions of a tensor; dimensions from which a part is taken are whole."""
    (shape,) = call.shapes
    begin, end = call.inputs[1:3]
    if any(getattr(call.primitive, mask, 0) for mask in _MASKS):
        return _aligned(call)
    if type(call.primitive).__name__ == "StridedSlice":
        taken = [len(range(size)[slice(*part)]) for size, part in zip(shape, zip(begin, end))]
    else:
        taken = [size - first if last == -1 else last for size, first, last in zip(shape, begin, end)]
    return [[f"d{i}" if i >= len(taken) or taken[i] == size else WHOLE for i, size in enumerate(shape)]]


def _named(*lines: str) -> Rule:
    """Return a rule that is the same for all calls: the names for each tensor, "_" for a whole dimension."""
    names = [[WHOLE if name == "_" else name for name in line.split()] for line in lines]
    return lambda call: names if list(map(len, names)) == list(map(len, call.shapes)) else _aligned(call)


def _first_only(call: Call) -> Names:
    """Name the first dimension of the first tensor; all else is whole."""
    first, *others = [[WHOLE] * len(shape) for shape in call.shapes]
    return [["rows", *first[1:]], *others]


def _segments(call: Call) -> Names:
    rows = [f"d{i}" for i in range(len(call.shapes[0]))]
    return [rows, rows[: len(call.shapes[1])]]


def _scattered(call: Call) -> Names:
    """Name the columns of the target and of the values; rows are chosen by whole indices."""
    name = type(call.primitive).__name__
    target, indices, values = call.shapes
    rows = indices[-1] if "Nd" in name or "Tensor" in name else 1
    columns = [f"d{i}" for i in range(rows, len(target))]
    first = [WHOLE if name.endswith(("Update", "Max", "Min")) else f"r{i}" for i in range(rows)]
    return [[*first, *columns], [WHOLE] * len(indices), [*[WHOLE] * (len(values) - len(columns)), *columns]]


_ELEMENTWISE = [
    "ACos",
    "Abs",
    "Acosh",
    "Add",
    "AddN",
    "ApproximateEqual",
    "ArgMaxWithValue",
    "ArgMinWithValue",
    "Argmax",
    "Argmin",
    "Asin",
    "Asinh",
    "Assign",
    "AssignAdd",
    "AssignSub",
    "Atan",
    "Atan2",
    "Atanh",
    "AvgPool",
    "BesselI0e",
    "BesselI1e",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "BroadcastTo",
    "Ceil",
    "Cos",
    "Cosh",
    "Div",
    "DivNoNan",
    "Dropout",
    "Elu",
    "Equal",
    "Erf",
    "Erfc",
    "Erfinv",
    "Exp",
    "ExpandDims",
    "Expm1",
    "FastGeLU",
    "Floor",
    "FloorDiv",
    "FloorMod",
    "Gcd",
    "GeLU",
    "Greater",
    "GreaterEqual",
    "HShrink",
    "HSigmoid",
    "Hypot",
    "Inv",
    "IsFinite",
    "KLDivLoss",
    "L2Loss",
    "Lerp",
    "Less",
    "LessEqual",
    "Lgamma",
    "Log",
    "Log1p",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "MaskedFill",
    "MaxPool",
    "Maximum",
    "Minimum",
    "Mish",
    "Mod",
    "Mul",
    "MulNoNan",
    "Neg",
    "NextAfter",
    "NotEqual",
    "Pow",
    "ReLU",
    "ReLU6",
    "RealDiv",
    "Reciprocal",
    "ReduceAll",
    "ReduceAny",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ResizeNearestNeighbor",
    "Rint",
    "RmsNorm",
    "Round",
    "Rsqrt",
    "SeLU",
    "Select",
    "Sigmoid",
    "SigmoidCrossEntropyWithLogits",
    "Sign",
    "Sin",
    "Sinh",
    "SoftShrink",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Square",
    "SquareSumAll",
    "SquaredDifference",
    "Squeeze",
    "Stack",
    "Sub",
    "Tan",
    "Tanh",
    "Tile",
    "Transpose",
    "TruncateDiv",
    "TruncateMod",
    "Xdivy",
    "Xlogy",
    "ZerosLike",
]

_SCATTERS = [
    "ScatterAdd",
    "ScatterDiv",
    "ScatterMax",
    "ScatterMin",
    "ScatterMul",
    "ScatterNdAdd",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "TensorScatterAdd",
    "TensorScatterDiv",
    "TensorScatterMax",
    "TensorScatterMin",
    "TensorScatterMul",
    "TensorScatterSub",
    "TensorScatterUpdate",
]

_RULES: dict[str, Rule] = {
    **dict.fromkeys(_ELEMENTWISE, _aligned),
    **dict.fromkeys(("Softmax", "LogSoftmax", "L2Normalize", "Sort", "Concat", "Split",
                     "ReverseV2"),
                    _except_axis(_setting("axis"))),
    **dict.fromkeys(("CumSum", "CumProd"), _except_axis(_argument(1))),
    **dict.fromkeys(("Slice", "StridedSlice"), _of(1, _slices)),
    "BatchMatMul": _matrices,
    "MatMul": _matrices,
    "BatchNorm": _channels,
    "BiasAdd": _channels,
    "PReLU": _channels,
    "Conv2D": _of(2, _convolution),
    "Conv2DTranspose": _of(2, _convolution),
    "BoundingBoxDecode": _named("boxes _", "boxes _"),
    "BoundingBoxEncode": _named("boxes _", "boxes _"),
    "Cdist": _named("batch rows _", "batch columns _"),
    "CropAndResize": _named("batch _ _ channels", "boxes _", "boxes"),
    "IOU": _named("boxes _", "others _"),
    "InplaceAdd": _named("_ columns", "_ columns"),
    "ROIAlign": _named("batch channels _ _", "boxes _"),
    "SoftmaxCrossEntropyWithLogits": _named("rows _", "rows _"),
    "SparseSoftmaxCrossEntropyWithLogits": _named("_ _", "_"),
    "GroupNorm": _first_only,
    "UniformCandidateSampler": _first_only,
    "TopK": lambda call: [[*names[:-1], WHOLE] for names in _aligned(call)],
    "Gather": _of(2, _gather),
    "GatherD": _of(2, _gather_elements),
    "GatherNd": _of(2, _indices_of_elements),
    "LayerNorm": _layer_norm,
    **dict.fromkeys(
        ("UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd", "UnsortedSegmentSum"), _segments
    ),
    **dict.fromkeys(_SCATTERS, _of(3, _scattered)),
}  # fmt: skip
