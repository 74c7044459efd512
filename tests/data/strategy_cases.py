"""Operations with the shapes of their tensors, for which strategies are recorded.

An entry is how the primitive `P.NAME` is made and what it is called with: `f` makes a tensor of floats, `i` of ints,
`b` of bools and `p` a parameter of a shape. A name before a colon is another call of the same operation.
"""

from __future__ import annotations

import itertools
from typing import Any

__all__ = ["OPERATIONS", "cuts_of", "strategy_of"]

_UNARY = [
    "Abs",
    "Cos",
    "Exp",
    "GeLU",
    "HSwish",
    "Neg",
    "ReLU",
    "Sigmoid",
    "Softmax",
    "Sqrt",
    "Square",
    "Tanh",
    "ZerosLike",
    "Squeeze",
    "Argmax",
    "LogSoftmax",
    "Sort",
    "StopGradient",
]
_BINARY = ["Add", "Sub", "Mul", "RealDiv", "Pow", "Maximum", "Equal", "Greater", "SquaredDifference", "FloorDiv"]
_SCATTERS = ["ScatterUpdate", "ScatterAdd", "ScatterMax"]
_TENSOR_SCATTERS = ["TensorScatterUpdate", "TensorScatterAdd", "TensorScatterMin"]

OPERATIONS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(_UNARY, ("()", "f(8, 16, 32)")),
    **dict.fromkeys(_BINARY, ("()", "f(8, 16, 32), f(8, 16, 32)")),
    **dict.fromkeys(_SCATTERS, ("()", "p(16, 32), i(8), f(8, 32)")),
    **dict.fromkeys(_TENSOR_SCATTERS, ("()", "f(16, 32), i(8, 1), f(8, 32)")),
    "Add:broadcast": ("()", "f(8, 16, 32), f(32)"),
    "AddN": ("()", "(f(8, 16, 32), f(8, 16, 32))"),
    "Assign": ("()", "p(8, 16, 32), f(8, 16, 32)"),
    "BatchMatMul": ("()", "f(8, 16, 32), f(8, 32, 64)"),
    "BatchMatMul:matrix": ("()", "f(8, 16, 32), f(32, 64)"),
    "BatchNorm": ("(is_training=True)", "f(8, 16, 8, 8), p(16), p(16), p(16), p(16)"),
    "BiasAdd": ("()", "f(16, 32), f(32)"),
    "BoundingBoxEncode": ("()", "f(16, 4), f(16, 4)"),
    "Concat": ("(1)", "(f(8, 16, 32), f(8, 16, 32))"),
    "Conv2D": ("(16, 2, stride=2, pad_mode='same')", "f(8, 16, 32, 32), f(16, 16, 2, 2)"),
    "Conv2DTranspose": ("(16, 2, pad_mode='same', stride=2)", "f(8, 16, 16, 16), f(16, 16, 2, 2), (8, 16, 32, 32)"),
    "CropAndResize": ("()", "f(8, 16, 16, 4), f(8, 4), i(8), (16, 16)"),
    "CumSum": ("()", "f(8, 16, 32), 1"),
    "Gather": ("()", "f(16, 32), i(8, 4), 0"),
    "Gather:columns": ("()", "f(16, 32), i(8), 1"),
    "GatherD": ("()", "f(8, 16, 32), 1, i(8, 16, 32)"),
    "GatherNd": ("()", "f(16, 32), i(8, 2)"),
    "IOU": ("()", "f(8, 4), f(16, 4)"),
    "InplaceAdd": ("((0, 1))", "f(16, 32), f(2, 32)"),
    "KLDivLoss": ("()", "f(16, 32), f(16, 32)"),
    "L2Normalize:1": ("(1)", "f(8, 16, 32)"),
    "LayerNorm": ("(2, 2)", "f(8, 16, 32), f(32), f(32)"),
    "LayerNorm:1": ("(1, 1)", "f(8, 16, 32), f(16, 32), f(16, 32)"),
    "Lerp": ("()", "f(8, 16, 32), f(8, 16, 32), f(8, 16, 32)"),
    "MatMul": ("()", "f(16, 32), f(32, 64)"),
    "MatMul:both": ("(transpose_a=True, transpose_b=True)", "f(32, 16), f(64, 32)"),
    "MaxPool": ("(2, 2)", "f(8, 16, 32, 32)"),
    "PReLU": ("()", "f(8, 16, 32), f(16)"),
    "ROIAlign": ("(2, 2, 0.5)", "f(8, 16, 32, 32), f(8, 5)"),
    "ReduceSum": ("()", "f(8, 16, 32), 1"),
    "Reshape": ("()", "f(8, 16, 32), (128, 32)"),
    "Select": ("()", "b(8, 16, 32), f(8, 16, 32), f(8, 16, 32)"),
    "Slice": ("()", "f(8, 16, 32), (0, 0, 0), (8, 8, 32)"),
    "Softmax:1": ("(1)", "f(8, 16, 32)"),
    "SoftmaxCrossEntropyWithLogits": ("()", "f(16, 32), f(16, 32)"),
    "SparseSoftmaxCrossEntropyWithLogits": ("()", "f(16, 32), i(16)"),
    "Split": ("(1, 2)", "f(8, 16, 32)"),
    "StridedSlice": ("()", "f(8, 16, 32), (0, 0, 0), (8, 8, 32), (1, 1, 1)"),
    "Tile": ("()", "f(8, 16, 32), (1, 2, 1)"),
    "TopK": ("()", "f(8, 16, 32), 4"),
    "Transpose": ("()", "f(8, 16, 32), (1, 0, 2)"),
    "UnsortedSegmentSum": ("()", "f(16, 32), i(16), 8"),
}

Cut = tuple[int, int]  # a tensor and its dimension


def cuts_of(shapes: list[tuple[int, ...]]) -> list[tuple[Cut, ...]]:
    """Return which dimensions are cut together: none, each one, each pair in two tensors, and the same one in all."""
    dimensions = [(a, d) for a, shape in enumerate(shapes) for d in range(len(shape))]
    pairs = [pair for pair in itertools.combinations(dimensions, 2) if pair[0][0] != pair[1][0]]
    same = [tuple([cut for cut in dimensions if cut[1] == d]) for d in range(3)] if len(shapes) > 2 else []
    return list(dict.fromkeys([(), *[(cut,) for cut in dimensions], *pairs, *same]))


def strategy_of(shapes: list[tuple[int, ...]], cuts: tuple[Cut, ...]) -> tuple[Any, ...]:
    """Return the strategy that cuts some dimensions into two parts."""
    return tuple([tuple([2 if (a, d) in cuts else 1 for d in range(len(shape))]) for a, shape in enumerate(shapes)])
