"""Operators of ONNX files compute in a `GraphCell` what they compute in ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import helper

import torchspore as ms
from export.onnx_models import arrays_of, assert_as_runtime, cell_of, computed, single

RANDOM = np.random.default_rng(0)


def f(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def u8(*shape):
    return RANDOM.integers(0, 255, shape).astype(np.uint8)


def i8(*shape):
    return RANDOM.integers(-127, 127, shape).astype(np.int8)


def ints(*values):
    return np.array(values, np.int64)


def scalar(value, dtype=np.float32):
    return np.array(value, dtype)


P = np.abs(f(2, 3)) + 0.5
IMAGE, SMALL, LINE = f(2, 4, 9, 8), f(1, 1, 4, 4), f(2, 4, 11)
SAME = {"auto_pad": "SAME_UPPER"}
LSTM = (f(5, 2, 3), f(2, 16, 3), f(2, 16, 4), f(2, 32))
GRU = (f(5, 2, 3), f(1, 12, 3), f(1, 12, 4), f(1, 24))
RNN = (f(5, 2, 3), f(1, 4, 3), f(1, 4, 4), f(1, 8))
LENGTHS = np.array([5, 3], np.int32)
ZERO_U8, SCALE = scalar(128, np.uint8), scalar(0.05)
BOXES = np.array([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1]]], np.float32)
SCORES = np.array([[[0.9, 0.75, 0.6, 0.95, 0.5], [0.3, 0.8, 0.2, 0.1, 0.7]]], np.float32)
ROIS = np.array([[0.5, 0.5, 6.3, 7.2], [1, 2, 5, 6]], np.float32)


def resize(mode, coordinates, *, sizes=None, scales=(1, 1, 1.7, 2.3), **options):
    given = (None, None, ints(1, 1, *sizes)) if sizes else (None, np.array(scales, np.float32))
    positions = (3,) if sizes else (2,)
    attributes = {"mode": mode, "coordinate_transformation_mode": coordinates, "opset": 18, **options}
    return ("Resize", SMALL, *given, {"constant": positions, **attributes})


COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
RECURRENT = {"hidden_size": 4, "outputs": 2}
BOTH = {"hidden_size": 4, "direction": "bidirectional", "outputs": 3}

# The operator, its inputs, and then the attributes, with opset, outputs and the positions of constant inputs.
CASES = [
    *[
        (name, f(2, 3))
        for name in (
            "Abs",
            "Atan",
            "Ceil",
            "Cos",
            "Erf",
            "Exp",
            "Floor",
            "Identity",
            "Neg",
            "Relu",
            "Round",
            "Sigmoid",
            "Sign",
            "Sin",
            "Sinh",
            "Softplus",
            "Softsign",
            "Tan",
            "Tanh",
            "Asinh",
            "Cosh",
            "HardSwish",
            "IsNaN",
            "Celu",
            "Elu",
            "HardSigmoid",
            "LeakyRelu",
            "Selu",
            "Shrink",
            "ThresholdedRelu",
        )
    ],
    *[(name, P) for name in ("Log", "Reciprocal", "Sqrt")],
    *[(name, np.clip(f(2, 3), -0.9, 0.9)) for name in ("Acos", "Asin", "Atanh")],
    ("Acosh", P + 1),
    ("Mish", f(2, 3), {"opset": 18}),
    ("Gelu", f(2, 3), {"opset": 20}),
    ("Gelu", f(2, 3), {"opset": 20, "approximate": "tanh"}),
    ("IsInf", np.array([1, np.inf, -np.inf], np.float32)),
    ("IsInf", np.array([1, np.inf, -np.inf], np.float32), {"detect_negative": 0}),
    *[
        (name, f(2, 3), f(3))
        for name in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Less", "Greater", "Equal", "PRelu")
    ],
    *[(name, ints(7, -7, 9, -3), ints(2, 2, -4, -4)) for name in ("Add", "Div", "Mod", "Max", "LessOrEqual", "Sub")],
    *[(name, f(2, 3) > 0, f(3) > 0) for name in ("And", "Or", "Xor")],
    ("Not", f(2) > 0),
    ("Mod", f(2, 3) * 5, f(2, 3), {"fmod": 1}),
    ("Pow", P, f(3)),
    ("Pow", P, ints(1, 2, 3)),
    ("Sum", f(2, 3), f(3), f(2, 1)),
    ("Mean", f(2, 3), f(3)),
    ("Max", f(2, 3), f(3), f(1)),
    ("BitShift", np.array([1, 8], np.uint8), np.array([2, 1], np.uint8), {"direction": "LEFT"}),
    ("Clip", f(2, 3), scalar(-0.5), scalar(0.5)),
    ("Clip", f(2, 3), None, scalar(0.5)),
    ("Clip", f(2, 3), {"opset": 7, "min": -0.5, "max": 0.5}),
    ("Where", f(2, 3) > 0, f(2, 3), f(3)),
    ("Cast", f(2, 3) * 3, {"to": 7}),
    ("Cast", ints(0, 1, 2), {"to": 9}),
    ("Cast", f(3), {"to": 10}),
    # shapes
    ("Reshape", f(2, 6), ints(0, 2, -1)),
    ("Reshape", f(0, 3), ints(3, 0), {"allowzero": 1}),
    ("Flatten", f(2, 3, 4)),
    ("Flatten", f(2, 3, 4), {"axis": -1}),
    ("Squeeze", f(1, 3, 1)),
    ("Squeeze", f(1, 3, 1), ints(0)),
    ("Squeeze", f(1, 3, 1), {"opset": 11, "axes": [2]}),
    ("Unsqueeze", f(2, 3), ints(0, -1)),
    ("Unsqueeze", f(2, 3), {"opset": 11, "axes": [0, 3]}),
    ("Transpose", f(2, 3, 4)),
    ("Transpose", f(2, 3), {"perm": [1, 0]}),
    ("Expand", f(3, 1), ints(2, 1, 4)),
    ("Tile", f(2, 3), ints(2, 3)),
    ("Concat", f(2, 3), f(2, 1), {"axis": 1}),
    ("Split", f(2, 7), {"opset": 18, "axis": 1, "outputs": 3, "num_outputs": 3}),
    ("Split", f(2, 6), {"axis": 1, "outputs": 3}),
    ("Split", f(2, 7), ints(3, 4), {"axis": 1, "outputs": 2}),
    ("Split", f(5), {"opset": 11, "split": [2, 3], "outputs": 2}),
    ("Slice", f(5, 6), ints(1, 0), ints(4, -1)),
    ("Slice", f(5, 6), ints(-1), ints(-9), ints(1), ints(-2)),
    ("Slice", f(5, 6), ints(10), ints(-(2**63)), ints(0), ints(-1)),
    ("Slice", f(5, 6), ints(3), ints(2**63 - 1), ints(-1)),
    ("Slice", f(5, 6), {"opset": 9, "starts": [1], "ends": [3], "axes": [1]}),
    ("Shape", f(2, 3, 4)),
    ("Shape", f(2, 3, 4), {"start": 1, "end": -1}),
    ("Size", f(2, 3)),
    *[("Pad", f(2, 3, 4), ints(0, 1, 2, 0, 2, 1), {"mode": mode}) for mode in ("constant", "reflect", "edge")],
    ("Pad", f(2, 4), ints(1, 2, 3, 3), {"mode": "wrap", "opset": 19}),
    ("Pad", f(2, 3), ints(0, -1, 1, 0), scalar(3.0)),
    ("Pad", f(2, 3), ints(1, 2), None, ints(1), {"opset": 18}),
    ("Pad", f(2, 3), {"opset": 7, "pads": [0, 1, 2, 0], "value": 2.0}),
    ("DepthToSpace", f(1, 8, 2, 3), {"blocksize": 2}),
    ("DepthToSpace", f(1, 8, 2, 3), {"blocksize": 2, "mode": "CRD"}),
    ("SpaceToDepth", f(1, 2, 4, 6), {"blocksize": 2}),
    ("Trilu", f(3, 4)),
    ("Trilu", f(3, 4), scalar(-1, np.int64), {"upper": 0}),
    ("ConstantOfShape", ints(2, 3)),
    ("EyeLike", f(3, 4), {"k": 1}),
    ("Range", scalar(1.0), scalar(3.0), scalar(0.5)),
    ("Range", *map(scalar, (5, -2, -3), [np.int64] * 3)),
    ("CenterCropPad", f(5, 4), ints(3, 7), {"opset": 18}),
    ("ReverseSequence", f(4, 2, 3), ints(4, 2)),
    ("Col2Im", f(1, 8, 9), ints(4, 4), ints(2, 2), {"opset": 18}),
    # indices
    ("Gather", f(5, 3), ints(0, -1, 2)),
    ("Gather", f(5, 3), np.array([[0, 2]], np.int32), {"axis": 1}),
    ("Gather", f(5, 3), scalar(1, np.int64), {"axis": -1}),
    ("GatherElements", f(3, 3), RANDOM.integers(-3, 3, (2, 3)), {"axis": 0}),
    ("GatherND", f(3, 4, 2), RANDOM.integers(0, 3, (2, 2))),
    ("GatherND", f(3, 4, 2), ints(1, 0, -1).reshape(3, 1), {"batch_dims": 1}),
    *[
        (
            "ScatterElements",
            f(3, 3),
            RANDOM.integers(-3, 3, (2, 3)),
            f(2, 3),
            {"reduction": reduction, "opset": 18, "axis": 1},
        )
        for reduction in ("add", "mul", "max", "min")
    ],
    ("ScatterElements", f(3, 3), ints(0, 2, 1).reshape(1, 3), f(1, 3)),
    *[
        ("ScatterND", f(4, 3), ints(1, -1, 1).reshape(3, 1), f(3, 3), {"reduction": reduction, "opset": 18})
        for reduction in ("add", "max")
    ],
    ("ScatterND", f(4, 3), ints(1, -1).reshape(2, 1), f(2, 3)),
    ("OneHot", ints(0, -1, 7), ints(5), np.array([2, 9], np.float32)),
    ("OneHot", ints(0, 3), ints(5), np.array([2, 9], np.float32), {"axis": 0}),
    ("NonZero", f(3, 4) > 0),
    ("Compress", f(3, 2), np.array([True, False, True]), {"axis": 0}),
    ("TopK", f(3, 5), ints(2), {"outputs": 2}),
    ("TopK", ints(3, 1, 3, 1, 2), ints(4), {"outputs": 2, "largest": 0}),
    ("Unique", ints(3, 1, 3, 2), {"outputs": 4}),
    ("Unique", ints(3, 1, 3, 2), {"outputs": 4, "sorted": 0}),
    ("Unique", f(2, 3).round(), {"axis": 1}),
    # reductions
    *[
        (f"Reduce{name}", P, {"axes": [1]})
        for name in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "SumSquare")
    ],
    ("ReduceSum", f(2, 3, 4), ints(0, 2), {"keepdims": 0}),
    ("ReduceSum", f(2, 3), {"noop_with_empty_axes": 1}),
    ("ReduceMean", f(2, 3)),
    ("ReduceMax", f(2, 3), ints(-1), {"opset": 18}),
    ("ArgMax", f(3, 4), {"axis": 1}),
    ("ArgMin", ints(1, 0, 0), {"select_last_index": 1}),
    ("CumSum", f(3, 4), scalar(1, np.int64)),
    ("CumSum", f(3, 4), scalar(0, np.int64), {"exclusive": 1, "reverse": 1}),
    ("Softmax", f(2, 3, 4)),
    ("Softmax", f(2, 3, 4), {"opset": 11, "axis": 1}),
    ("LogSoftmax", f(2, 3), {"axis": 0}),
    ("Hardmax", f(2, 3)),
    ("LpNormalization", f(2, 3), {"p": 1}),
    ("MeanVarianceNormalization", IMAGE),
    # products
    ("MatMul", f(2, 3, 4), f(4, 5)),
    ("Gemm", f(3, 2), f(3, 4), f(4), {"transA": 1, "alpha": 0.5, "beta": 2.0}),
    ("Gemm", f(2, 3), f(4, 3), {"transB": 1}),
    ("Einsum", f(2, 3), f(2, 4), {"equation": "bi, bj -> ij"}),
    ("Det", f(2, 3, 3)),
    ("MatMulInteger", u8(2, 3), u8(3, 4), ZERO_U8, ZERO_U8),
    ("FusedMatMul", f(2, 3), f(2, 4), {"domain": "com.microsoft", "transA": 1, "alpha": 0.5}),
    # images
    ("Conv", IMAGE, f(6, 4, 3, 3), f(6)),
    ("Conv", IMAGE, f(6, 2, 3, 2), {"group": 2, "strides": [2, 1], "pads": [1, 0, 2, 1]}),
    ("Conv", IMAGE, f(6, 4, 3, 3), {"strides": [2, 3], **SAME}),
    ("Conv", IMAGE, f(6, 4, 2, 2), {"auto_pad": "SAME_LOWER", "strides": [2, 2]}),
    ("Conv", LINE, f(3, 4, 3)),
    ("Conv", f(1, 2, 4, 5, 6), f(3, 2, 2, 2, 2)),
    ("ConvTranspose", IMAGE, f(4, 3, 3, 3), f(3), {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]}),
    ("ConvTranspose", IMAGE, f(4, 3, 3, 3), f(3), {"strides": [2, 3], "pads": [0, 1, 2, 1]}),
    ("ConvTranspose", LINE, f(4, 3, 4), {"group": 2}),
    ("ConvTranspose", IMAGE, f(4, 3, 3, 3), {"strides": [2, 2], "output_shape": [19, 18]}),
    ("ConvTranspose", IMAGE, f(4, 3, 3, 3), {"strides": [2, 2], **SAME}),
    *[
        (name, IMAGE, {"kernel_shape": [3, 2], "strides": [2, 2], **more})
        for name in ("MaxPool", "AveragePool")
        for more in ({}, SAME, {"ceil_mode": 1}, {"pads": [1, 0, 2, 1]}, {"pads": [1, 1, 1, 1]})
    ],
    ("MaxPool", IMAGE, {"kernel_shape": [3, 3], "dilations": [2, 2], "outputs": 2, "pads": [1, 0, 0, 1]}),
    ("MaxPool", LINE, {"kernel_shape": [3], "outputs": 2}),
    (
        "AveragePool",
        IMAGE,
        {
            "kernel_shape": [3, 3],
            "pads": [1, 1, 0, 2],
            "count_include_pad": 1,
            "ceil_mode": 1,
            "strides": [2, 2],
            "opset": 19,
        },
    ),
    ("AveragePool", IMAGE, {"kernel_shape": [3, 2], "dilations": [2, 1], "opset": 19}),
    ("LpPool", IMAGE, {"kernel_shape": [2, 2], "opset": 18}),
    ("GlobalAveragePool", IMAGE),
    ("GlobalMaxPool", IMAGE),
    ("LRN", IMAGE, {"size": 3, "alpha": 0.5}),
    ("BatchNormalization", IMAGE, f(4), f(4), f(4), np.abs(f(4))),
    ("InstanceNormalization", IMAGE, f(4), f(4)),
    ("LayerNormalization", f(2, 3, 4), f(4), f(4)),
    ("LayerNormalization", f(2, 3, 4), f(3, 4), {"axis": 1}),
    ("LayerNormalization", f(2, 3, 4), f(4), f(4), {"outputs": 3}),
    ("GroupNormalization", IMAGE, f(2), f(2), {"opset": 18, "num_groups": 2}),
    ("GroupNormalization", IMAGE, f(4), f(4), {"opset": 21, "num_groups": 2}),
    *[
        resize("nearest", "asymmetric", nearest_mode=rounding)
        for rounding in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")
    ],
    *[resize(mode, coordinates) for mode in ("nearest", "linear", "cubic") for coordinates in COORDINATES],
    *[resize(mode, "half_pixel", sizes=(3, 7)) for mode in ("nearest", "linear", "cubic")],
    resize("cubic", "half_pixel", scales=(1, 1, 0.6, 0.7), cubic_coeff_a=-0.5, exclude_outside=1),
    resize("linear", "half_pixel", scales=(1, 1, 0.6, 0.7), antialias=1),
    (
        "Resize",
        SMALL,
        np.array([0, 0, 0.2, 0.4, 1, 1, 0.6, 1.2], np.float32),
        None,
        ints(1, 1, 3, 3),
        {
            "mode": "linear",
            "coordinate_transformation_mode": "tf_crop_and_resize",
            "extrapolation_value": 9.0,
            "constant": (1, 3),
        },
    ),
    ("Upsample", SMALL, np.array([1, 1, 2, 3], np.float32), {"opset": 9, "constant": (1,)}),
    *[
        ("GridSample", IMAGE, np.tanh(f(2, 3, 3, 2)), {"opset": 16, "mode": mode, "padding_mode": padding})
        for mode in ("bilinear", "nearest", "bicubic")
        for padding in ("zeros", "border", "reflection")
    ],
    ("AffineGrid", f(2, 2, 3), ints(2, 3, 4, 5), {"opset": 20}),
    *[
        (
            "RoiAlign",
            IMAGE,
            ROIS,
            ints(0, 1),
            {
                "output_height": 3,
                "output_width": 2,
                "sampling_ratio": ratio,
                "mode": mode,
                "opset": 16,
                "spatial_scale": 0.9,
            },
        )
        for ratio, mode in ((2, "avg"), (0, "avg"), (2, "max"))
    ],
    ("MaxRoiPool", IMAGE, np.array([[0, 0, 0, 6, 7], [1, 2, 2, 4, 4]], np.float32), {"pooled_shape": [2, 2]}),
    ("NonMaxSuppression", BOXES, SCORES, ints(3), scalar(0.5), scalar(0.4)),
    ("NonMaxSuppression", BOXES, SCORES, ints(2), scalar(0.5), {"center_point_box": 1}),
    # recurrent layers
    ("LSTM", *LSTM, BOTH),
    ("LSTM", *LSTM, LENGTHS, f(2, 2, 4), f(2, 2, 4), f(2, 12), BOTH),
    ("GRU", *GRU, {**RECURRENT, "linear_before_reset": 1}),
    ("GRU", *GRU, LENGTHS, {**RECURRENT, "direction": "reverse"}),
    (
        "GRU",
        *GRU,
        {
            "hidden_size": 4,
            "activations": ["HardSigmoid", "Softsign"],
            "activation_alpha": [0.3],
            "activation_beta": [0.4],
        },
    ),
    ("RNN", *RNN, {**RECURRENT, "direction": "reverse"}),
    ("RNN", *RNN, LENGTHS, f(1, 2, 4), {"hidden_size": 4, "activations": ["Relu"], "clip": 0.5}),
    # quantized
    ("QuantizeLinear", f(2, 3) * 4, SCALE, ZERO_U8),
    ("QuantizeLinear", f(2, 3), np.array([0.1, 0.2, 0.3], np.float32), np.zeros(3, np.int8), {"axis": 1}),
    ("DequantizeLinear", u8(2, 3), SCALE, ZERO_U8),
    ("DequantizeLinear", i8(4, 3), P[:, :3], {"axis": 0, "block_size": 2, "opset": 21}),
    *[
        (name, u8(2, 3), SCALE, ZERO_U8, u8(2, 3), SCALE, ZERO_U8, scalar(0.103), ZERO_U8, {"domain": "com.microsoft"})
        for name in ("QLinearAdd", "QLinearMul")
    ],
    ("QLinearSigmoid", u8(2, 3), SCALE, ZERO_U8, scalar(0.004), scalar(0, np.uint8), {"domain": "com.microsoft"}),
    (
        "QLinearConcat",
        SCALE,
        ZERO_U8,
        u8(2, 3),
        SCALE,
        ZERO_U8,
        u8(1, 3),
        SCALE,
        ZERO_U8,
        {"domain": "com.microsoft", "axis": 0},
    ),
    ("QLinearLeakyRelu", u8(2, 3), SCALE, ZERO_U8, SCALE, ZERO_U8, {"domain": "com.microsoft", "alpha": 0.1}),
    ("QLinearGlobalAveragePool", u8(1, 2, 3, 3), SCALE, ZERO_U8, SCALE, ZERO_U8, {"domain": "com.microsoft"}),
    (
        "QGemm",
        u8(2, 3),
        SCALE,
        ZERO_U8,
        u8(4, 3),
        SCALE,
        ZERO_U8,
        np.arange(4, dtype=np.int32),
        scalar(0.5),
        ZERO_U8,
        {"domain": "com.microsoft", "transB": 1},
    ),
    ("DequantizeLinear", i8(3, 4), np.array([0.1, 0.2, 0.3], np.float32), {"axis": 0}),
    ("DynamicQuantizeLinear", f(2, 3), {"outputs": 3}),
    ("ConvInteger", u8(1, 2, 5, 5), u8(3, 2, 3, 3), ZERO_U8),
    ("QLinearMatMul", u8(2, 3), SCALE, ZERO_U8, u8(3, 4), SCALE, ZERO_U8, scalar(0.7), ZERO_U8),
    (
        "QLinearConv",
        u8(1, 2, 5, 5),
        SCALE,
        ZERO_U8,
        i8(3, 2, 3, 3),
        np.array([0.1, 0.2, 0.3], np.float32),
        np.zeros(3, np.int8),
        scalar(5.0),
        ZERO_U8,
        np.array([1, -2, 3], np.int32),
        {"constant": (3, 5)},
    ),
    # losses and signals
    ("NegativeLogLikelihoodLoss", f(3, 4), ints(1, 0, 3)),
    ("SoftmaxCrossEntropyLoss", f(3, 4), ints(1, 0, 3), {"outputs": 2, "reduction": "sum"}),
    ("HannWindow", scalar(8, np.int64)),
    ("DFT", np.abs(f(1, 6, 1)) @ np.float32([[1]]) + 1, {"onesided": 1, "axis": 1}),
    ("DFT", f(1, 6, 2), {"inverse": 1}),
    ("STFT", f(1, 16, 1), scalar(4, np.int64), f(8)),
    ("Dropout", f(2, 3)),
]


def split(case):
    options = case[-1] if isinstance(case[-1], dict) else {}
    return case[0], case[1:-1] if options or isinstance(case[-1], dict) else case[1:], options


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_operators(case, tmp_path):
    name, inputs, options = split(case)
    content, given = single(name, *inputs, **options)
    assert_as_runtime(content, list(given.values()), tmp_path)


@pytest.mark.parametrize("opset", [11, 13])
def test_quantized_softmax(opset, tmp_path):
    """Its attribute has the opset whose softmax it is. ONNX Runtime takes it from a table, which rounds otherwise."""
    inputs = [u8(2, 3, 4), SCALE, ZERO_U8, scalar(0.004), scalar(0, np.uint8)]
    content, _ = single("QLinearSoftmax", *inputs, domain="com.microsoft", axis=1)
    content.graph.node[0].attribute.append(helper.make_attribute("opset", opset))
    (got,) = arrays_of(cell_of(content, tmp_path)(*map(ms.Tensor, inputs)))
    (wanted,) = computed(content.SerializeToString(), inputs)
    assert np.abs(got.astype(int) - wanted).max() <= 1
