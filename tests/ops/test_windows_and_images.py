"""Windows, resizing, boxes and other primitives for images: in graphs, and where the oracle has no kernel."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import cases
import torchspore as ms
from torchspore import ops

VOLUME = "sig.reshape((1, 1, 4, 4, 4))"
GRID = "Tensor((np.arange(48) * 7 % 48 / 20 - 1.213).astype(np.float32).reshape((2, 3, 4, 2)))"
BOXES = "Tensor([[0.1, 0.2, 0.8, 0.9], [0.9, 0.1, 0.2, 0.7]]), Tensor([0, 1], ms.int32)"

IN_GRAPHS = [
    f"ops.AvgPool3D(2, 2, 'pad', (1, 0, 1, 1, 0, 1))({VOLUME})", f"ops.MaxPool3D(3, 2, 'SAME')({VOLUME})",
    f"ops.MaxPool3DWithArgmax(2, 2, 0)({VOLUME})", "ops.MaxPoolWithArgmax(2, 2, 'same')(img)",
    "ops.MaxPoolWithArgmaxV2(3, 2, 1)(img)", "ops.AdaptiveMaxPool2D((4, 3))(img)", "ops.lp_pool2d(abs(img), 2, 2)",
    "ops.max_unpool2d(*ops.max_pool2d(img, 2, return_indices=True), 2)",
    "ops.FractionalMaxPool([1.0, 2.0, 3.0, 1.0])(img)", "ops.FractionalAvgPool([1.0, 2.0, 3.0, 1.0], True, True)(img)",
    "ops.Conv2DTranspose(3, 3, 'same', stride=2)(img[:, :3, :4, :4], ker, (2, 4, 7, 8))",
    f"ops.conv3d_transpose({VOLUME}, {VOLUME}[:, :, :2, :2, :2], 'same', 0, 2)",
    "ops.deformable_conv2d(img, ker, ops.tile(img, (1, 7, 1, 1))[:, :27, :4, :4], (3, 3), (1, 1, 1, 1), (0, 0, 0, 0))",
    "ops.Dilation2D(1, 2, 'SAME')(img, ker[0])", "ops.ExtractImagePatches(2, 2, 1)(img)",
    "ops.channel_shuffle(img, 2)", "ops.pixel_unshuffle(img, 3)", f"ops.grid_sample(img, {GRID})",
    "ops.interpolate(img, (4, 7), mode='bicubic')", "ops.ResizeBilinearV2()(img, (4, 7))",
    "ops.ResizeNearestNeighbor((4, 7), half_pixel_centers=True)(img)", "ops.ResizeArea()(img, (4, 3))",
    "ops.AdjustHue()(abs(img[..., :3]), Tensor(0.3))", "ops.ROIAlign(2, 2, 0.5)(img, Tensor([[1.0, 0, 1, 6, 5]]))",
    f"ops.crop_and_resize(img, {BOXES}, (3, 2))", "ops.bounding_box_decode(m, m, (3, 3))",
    "ops.multilabel_soft_margin_loss(x, p)", "ops.triplet_margin_loss(x, y, q, swap=True)",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("expression", IN_GRAPHS)
def test_as_a_graph_with_gradients(expression):
    names = cases.names_in(expression)
    values = [ms.Tensor(cases.INPUTS[name]) for name in names]

    compute = eval(f"lambda {', '.join(names)}: {expression}", cases.namespace(ms))

    def total(*given):
        result = compute(*given)
        parts = result if isinstance(result, tuple) else (result,)
        return sum((part * part).sum() for part in parts if part.is_floating_point())

    positions = tuple(range(len(names)))
    found = ms.jit(ms.value_and_grad(total, positions), fullgraph=True)(*values)
    expected = ms.value_and_grad(total, positions)(*values)
    np.testing.assert_allclose(found[0].asnumpy(), expected[0].asnumpy(), rtol=1e-5)
    for ours, eager in zip(found[1], expected[1]):
        np.testing.assert_allclose(ours.asnumpy(), eager.asnumpy(), rtol=1e-4, atol=1e-5)


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(("stride", "dilation", "mode"), [(1, 1, "VALID"), ((2, 1), (1, 2), "SAME")])
def test_dilation_is_the_greatest_sum(stride, dilation, mode):
    x, kernel = _numbers(1, 2, 5, 6), _numbers(2, 2, 3, seed=1)
    found = ops.Dilation2D(stride, dilation, mode)(ms.Tensor(x), ms.Tensor(kernel)).asnumpy()
    (down, right), (tall, wide) = [(n, n) if isinstance(n, int) else n for n in (stride, dilation)]
    reach = [tall + 1, 2 * wide + 1]
    rows, columns = [
        -(-n // s) if mode == "SAME" else (n - r) // s + 1 for n, r, s in zip((5, 6), reach, (down, right))
    ]
    top, left = [max((m - 1) * s + r - n, 0) // 2 for m, s, r, n in zip((rows, columns), (down, right), reach, (5, 6))]
    expected = np.full((1, 2, rows, columns), -np.inf, np.float32)
    for c, i, j, a, b in itertools.product(range(2), range(rows), range(columns), range(2), range(3)):
        y, z = i * down + a * tall - top, j * right + b * wide - left
        if 0 <= y < 5 and 0 <= z < 6:
            expected[0, c, i, j] = max(expected[0, c, i, j], x[0, c, y, z] + kernel[c, a, b])
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_patches_are_windows_as_channels():
    x = _numbers(2, 3, 5, 6)
    found = ops.ExtractImagePatches((1, 1, 2, 3), (1, 1, 2, 1), (1, 1, 2, 1))(ms.Tensor(x)).asnumpy()
    assert found.shape == (2, 18, 2, 4)
    for a, b, c, i, j in itertools.product(range(2), range(3), range(3), range(2), range(4)):
        np.testing.assert_array_equal(found[:, (a * 3 + b) * 3 + c, i, j], x[:, c, i * 2 + a * 2, j + b])
    volume = _numbers(1, 2, 2, 3, 4)
    found = ops.ExtractVolumePatches(2, (1, 1, 1, 1, 1), "SAME")(ms.Tensor(volume)).asnumpy()
    assert found.shape == (1, 16, 2, 3, 4)
    np.testing.assert_array_equal(found[:, 2:4, :, :, :-1], volume[:, :, :, :, 1:])


def test_depthwise_convolution_keeps_channels_apart():
    x, weight = _numbers(2, 3, 6, 6), _numbers(2, 3, 3, 3, seed=1)
    found = ops.DepthwiseConv2dNative(2, 3, pad_mode="pad", pad=1)(ms.Tensor(x), ms.Tensor(weight))
    for c, k in itertools.product(range(3), range(2)):
        alone = ops.conv2d(ms.Tensor(x[:, c : c + 1]), ms.Tensor(weight[k, c][None, None]), pad_mode="pad", padding=1)
        np.testing.assert_allclose(found[:, 2 * c + k].asnumpy(), alone[:, 0].asnumpy(), rtol=1e-4, atol=1e-5)


def test_transposed_convolution_is_a_gradient():
    x, weight = ms.Tensor(_numbers(2, 4, 5, 5)), ms.Tensor(_numbers(3, 4, 3, 3, seed=1))
    dout = ms.Tensor(_numbers(2, 3, 3, 3, seed=2))
    expected = ms.grad(lambda value: (ops.conv2d(value, weight, stride=1) * dout).sum())(x)
    found = ops.conv_transpose2d(dout, weight)
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-5)


def test_places_of_maxima_with_padding():
    x = ms.Tensor(_numbers(2, 3, 5, 7))
    values, places = ops.MaxPoolWithArgmax((2, 3), (2, 2), "same")(x)
    assert places.dtype == ms.int32
    np.testing.assert_array_equal(values.asnumpy(), ops.MaxPool((2, 3), (2, 2), "same")(x).asnumpy())
    taken = np.take_along_axis(x.asnumpy().reshape(2, -1), places.asnumpy().reshape(2, -1), 1)
    np.testing.assert_array_equal(taken.reshape(values.shape), values.asnumpy())


@pytest.mark.parametrize("options", [{}, {"pseudo_random": True}, {"overlapping": True}, {"deterministic": True}])
def test_random_cells_cover_the_images(options):
    x = _numbers(1, 11, 13, 2)
    maxima, rows, columns = ops.FractionalMaxPool([1.0, 1.7, 2.3, 1.0], seed=3, **options)(ms.Tensor(x))
    averages, *bounds = ops.FractionalAvgPool([1.0, 1.7, 2.3, 1.0], seed=3, **options)(ms.Tensor(x))
    assert maxima.shape == averages.shape == (1, 6, 5, 2)
    more = 1 if options.get("overlapping") else 0
    for found, limits, reduce in ((maxima, (rows, columns), np.max), (averages, bounds, np.mean)):
        down, across = [limit.asnumpy() for limit in limits]
        assert (down[0], down[-1], across[0], across[-1]) == (0, 11, 0, 13)
        assert set(np.diff(down)) <= {1, 2}
        assert set(np.diff(across)) <= {2, 3}
        for i, j in itertools.product(range(6), range(5)):
            cell = x[0, down[i] : down[i + 1] + more, across[j] : across[j + 1] + more]
            np.testing.assert_allclose(found[0, i, j].asnumpy(), reduce(cell, (0, 1)), rtol=1e-5, atol=1e-7)


def _suppressed(overlaps, scores, most, overlap, least):
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        if scores[i] > least and all(overlaps[i, j] <= overlap for j in kept) and len(kept) < most:
            kept.append(i)
    return kept


@pytest.mark.parametrize("seed", range(5))
def test_suppression_as_one_by_one(seed):
    random = np.random.default_rng(seed)
    low, scores = random.random((40, 2)).astype(np.float32) * 4, random.random(40).astype(np.float32)
    boxes = np.concatenate((low, low + 0.5 + random.random((40, 2)).astype(np.float32) * 3), 1)
    common = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:]) - np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    common, area = common.clip(0).prod(2), (boxes[:, 2:] - boxes[:, :2]).prod(1)
    overlaps = common / (area[:, None] + area - common)
    expected = _suppressed(overlaps, scores, 12, 0.3, 0.2)
    found = ops.NonMaxSuppressionV3()(ms.Tensor(boxes), ms.Tensor(scores), ms.Tensor(12, ms.int32), 0.3, 0.2)
    np.testing.assert_array_equal(found.asnumpy(), expected)
    _, order, mask = ops.NMSWithMask(0.3)(ms.Tensor(np.concatenate((boxes, scores[:, None]), 1)))
    kept = np.argsort(-scores, kind="stable")[order.asnumpy()[mask.asnumpy()]]
    np.testing.assert_array_equal(kept, _suppressed(overlaps, scores, 40, 0.3, -1.0))


def test_glimpses():
    x = ms.Tensor(np.arange(9, dtype=np.float32).reshape((1, 3, 3, 1)))
    corner = ops.ExtractGlimpse(False, False, False, "zero")(x, ms.Tensor([2, 2], ms.int32), ms.Tensor([[1.0, 1.0]]))
    np.testing.assert_array_equal(corner.asnumpy()[0, :, :, 0], [[0, 1], [3, 4]])
    beyond = ops.ExtractGlimpse(True, True, False, "zero")(x, (3, 3), ms.Tensor([[1.0, 0.0]]))
    np.testing.assert_array_equal(beyond.asnumpy()[0, :, :, 0], [[3, 4, 5], [6, 7, 8], [0, 0, 0]])
    for noise, least, most in (("uniform", 0, 8), ("gaussian", -20, 30)):
        found = ops.ExtractGlimpse(uniform_noise=False, noise=noise)(x, (9, 9), ms.Tensor([[0.0, 0.0]])).asnumpy()
        assert least <= found.min() < found.max() <= most
        assert np.unique(found).size > 50
    with pytest.raises(ValueError, match="'uniform_noise' False"):
        ops.ExtractGlimpse(noise="zero")(x, (3, 3), ms.Tensor([[0.0, 0.0]]))


def test_distorted_boxes_cover_an_object():
    objects = ms.Tensor([[[0.2, 0.3, 0.6, 0.8]]])
    draw = ops.SampleDistortedBoundingBoxV2(3, 0, (0.8, 1.25), (0.3, 0.9))
    seen = set()
    for _ in range(20):
        begin, size, box = [part.asnumpy() for part in draw(ms.Tensor([64, 48, 3]), objects, ms.Tensor([0.5]))]
        assert (begin[2], size[2]) == (0, -1)
        height, width = size[:2]
        assert 0.75 < width / height < 1.35
        assert 0.3 <= height * width / (64 * 48) <= 0.9
        np.testing.assert_allclose(box.ravel()[:2], begin[:2] / [64, 48], rtol=1e-5)
        top, left, bottom, right = box.ravel()
        covered = max(min(bottom, 0.6) - max(top, 0.2), 0) * max(min(right, 0.8) - max(left, 0.3), 0)
        assert covered >= 0.45 * 0.4 * 0.5
        seen.add((begin[0], begin[1]))
    assert len(seen) > 5
    impossible = ops.SampleDistortedBoundingBoxV2(3, area_range=(0.1, 0.2))
    begin, size, _ = impossible(ms.Tensor([64, 48, 3]), ms.Tensor([[[0.0, 0.0, 1.0, 1.0]]]), ms.Tensor([0.9]))
    np.testing.assert_array_equal(size.asnumpy(), [64, 48, -1])
    with pytest.raises(ValueError, match="no bounding boxes"):
        draw(ms.Tensor([64, 48, 3]), ops.zeros((1, 0, 4)), ms.Tensor([0.5]))


def test_losses_without_a_kernel_in_mindspore():
    x, y = _numbers(3, 4), np.sign(_numbers(3, 4, seed=1))
    found = ops.SoftMarginLoss("sum")(ms.Tensor(x), ms.Tensor(y))
    np.testing.assert_allclose(found.asnumpy(), np.log1p(np.exp(-x * y)).sum(), rtol=1e-5)
    target = np.array([[2, 0, -1, 1], [3, 1, 0, -1], [-1, 0, 1, 2]], np.int32)
    loss, is_target = ops.MultilabelMarginLoss("none")(ms.Tensor(x), ms.Tensor(target))
    np.testing.assert_array_equal(is_target.asnumpy(), [[1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]])
    right = is_target.asnumpy().astype(bool)
    for row in range(3):
        pairs = [max(0, 1 - x[row, j] + x[row, i]) for j in np.where(right[row])[0] for i in np.where(~right[row])[0]]
        np.testing.assert_allclose(loss[row].asnumpy(), sum(pairs) / 4, rtol=1e-5)
    near, far = _numbers(3, 4, seed=2), _numbers(3, 4, seed=3)
    found = ops.TripletMarginLoss(3, True, 1e-6, "none")(*map(ms.Tensor, (x, near, far)), ms.Tensor(0.7))
    expected = torch.nn.functional.triplet_margin_loss(
        *map(torch.from_numpy, (x, near, far)), 0.7, 3, 1e-6, True, reduction="none"
    )
    np.testing.assert_allclose(found.asnumpy(), expected.numpy(), rtol=1e-5)


def test_confusion_matrix():
    labels, predictions = ms.Tensor([0, 1, 1, 3], ms.int32), ms.Tensor([1, 2, 1, 3], ms.int32)
    expected = np.zeros((4, 4), np.int32)
    np.add.at(expected, ([0, 1, 1, 3], [1, 2, 1, 3]), 1)
    found = ops.ConfusionMatrix(4)(labels, predictions)
    assert found.dtype == ms.int32
    np.testing.assert_array_equal(found.asnumpy(), expected)
    weighted = ops.ConfusionMatrix(4, "float32")(labels, predictions, ms.Tensor([0.5, 1.0, 2.0, 3.0]))
    assert weighted[1, 1].item() == 2.0


ERRORS = [
    ("ops.MaxPoolWithArgmaxV2(2, argmax_type=ms.float32)(img)", TypeError),
    ("ops.Conv2DTranspose(2, 3)(img[:, :3], ker, (2, 4, 8, 8))", ValueError),
    ("ops.DepthwiseConv2dNative(1, 2)(img, ker)", ValueError),
    ("ops.Dilation2D(1, 1)(img, ker)", ValueError),
    ("ops.Dilation2D((2, 1, 1, 1), 1)(img, ker[0])", ValueError),
    ("ops.ExtractImagePatches(9, 1, 1)(img)", ValueError),
    ("ops.ResizeNearestNeighborV2(True, True)(img, (2, 2))", ValueError),
    ("ops.ResizeLinear1D('none')(sig, (5,))", TypeError),
    ("ops.ROIAlign(2, 2, 0.8, 0)(img, Tensor([[0.0, 0, 0, 1, 1]]))", ValueError),
    ("ops.NonMaxSuppressionV3()(m, v, -1, 0.5, 0.0)", ValueError),
    ("ops.FractionalMaxPool([1.0, 0.5, 2.0, 1.0])(img)", ValueError),
    ("ops.ConfusionMatrix(3)(k, x)", ValueError),
    ("ops.InTopK(2.0)(logits, labels)", TypeError),
    ("ops.affine_grid(x, (1, 1, 2, 2))", ValueError),
]


@pytest.mark.parametrize(("expression", "kind"), ERRORS, ids=[row[0] for row in ERRORS])
def test_errors(expression, kind):
    with pytest.raises(kind, match=r"^For '"):
        eval(expression, cases.namespace(ms))
