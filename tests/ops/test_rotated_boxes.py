"""`ops.rotated_iou`: compared with cutting one polygon by the sides of the other."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, ops


def corners(box):
    x, y, width, height, angle = box
    turn = np.deg2rad(angle)
    sides = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) / 2 * [width, height]
    return sides @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + [x, y]


def area(polygon):
    following = np.roll(polygon, -1, 0)
    return abs((polygon[:, 0] * following[:, 1] - polygon[:, 1] * following[:, 0]).sum()) / 2 if len(polygon) else 0.0


def cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


def shared(first, second):
    """Return the area of what is left of a polygon when everything beyond each side of another is cut off."""
    polygon = corners(first)
    cutter = corners(second)
    for start, end in zip(cutter, np.roll(cutter, -1, 0)):
        inside = [cross(end - start, point - start) for point in polygon]
        cut = []
        for i, point in enumerate(polygon):
            before = polygon[i - 1]
            if (inside[i] >= 0) != (inside[i - 1] >= 0):
                cut.append(before + (point - before) * inside[i - 1] / (inside[i - 1] - inside[i]))
            if inside[i] >= 0:
                cut.append(point)
        polygon = np.array(cut).reshape(-1, 2)
    return area(polygon)


def expected(boxes, others, mode=0):
    result = np.zeros((len(boxes), len(boxes[0]), len(others[0])))
    for b, n, k in np.ndindex(result.shape):
        first, second = boxes[b][n], others[b][k]
        common, own, other = shared(first, second), first[2] * first[3], second[2] * second[3]
        result[b, n, k] = common / (own if mode else own + other - common)
    return result


def random_boxes(seed, count):
    random = np.random.default_rng(seed)
    low, high = [-1, -1, 0.2, 0.2, -180], [1, 1, 3, 3, 180]
    return random.uniform(low, high, (2, count, 5)).astype(np.float32)


@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_random_boxes(seed, mode):
    boxes, others = random_boxes(seed, 7), random_boxes(seed + 10, 9)
    found = ops.rotated_iou(Tensor(boxes), Tensor(others), mode=mode).asnumpy()
    np.testing.assert_allclose(found, expected(boxes, others, mode), atol=2e-5)


# Boxes whose sides or corners lie on each other, and the part of both that they share.
TOUCHING = [
    ([0, 0, 2, 2, 0], [0, 0, 2, 2, 0], 1),
    ([3, 4, 2, 1, 33], [3, 4, 2, 1, 33], 1),
    ([3, 4, 2, 1, 33], [3, 4, 1, 2, -57], 1),
    ([0, 0, 2, 2, 0], [1, 0, 2, 2, 0], 1 / 3),
    ([0, 0, 2, 2, 0], [2, 0, 2, 2, 0], 0),
    ([0, 0, 2, 2, 0], [2, 2, 2, 2, 90], 0),
    ([0, 0, 2, 2, 0], [5, 5, 2, 2, 45], 0),
    ([0, 0, 4, 4, 10], [0, 0, 2, 2, 70], 1 / 4),
    ([0, 0, 2, 2, 0], [0, 0, 2, 2, 45], 1 / np.sqrt(2)),
    ([1000, 1000, 2, 2, 0], [1000, 1000, 2, 2, 45], 1 / np.sqrt(2)),
    ([0, 0, 0, 0, 0], [0, 0, 0, 0, 0], 0),
]


@pytest.mark.parametrize(("first", "second", "part"), TOUCHING)
def test_touching_boxes(first, second, part):
    found = ops.rotated_iou(Tensor([[first]], ms.float32), Tensor([[second]], ms.float32))
    np.testing.assert_allclose(found.asnumpy(), [[[part]]], atol=1e-5)


def test_boxes_by_corners_and_small_types():
    boxes, others = random_boxes(5, 3), random_boxes(6, 4)
    by_corners = [np.concatenate((b[..., :2] - b[..., 2:4] / 2, b[..., :2] + b[..., 2:4] / 2, b[..., 4:]), -1)
                  for b in (boxes, others)]  # fmt: skip
    found = ops.rotated_iou(Tensor(by_corners[0]), Tensor(by_corners[1]), trans=True)
    np.testing.assert_allclose(found.asnumpy(), expected(boxes, others), atol=2e-5)
    half = ops.rotated_iou(Tensor(boxes, ms.float16), Tensor(others, ms.float16))
    assert half.dtype == ms.float16
    np.testing.assert_allclose(half.asnumpy(), expected(boxes, others), atol=0.01)


def test_gradient():
    boxes, others = Tensor(random_boxes(7, 3)), Tensor(random_boxes(8, 3))
    gradient = ms.grad(lambda b: ops.rotated_iou(b, others).sum())(boxes).asnumpy()
    for place in ((0, 1, 0), (1, 2, 2), (0, 0, 4)):
        ends = []
        for step in (-0.01, 0.01):
            moved = boxes.asnumpy().astype(np.float64)
            moved[place] += step
            ends.append(ops.rotated_iou(Tensor(moved), Tensor(others, ms.float64)).asnumpy().sum())
        np.testing.assert_allclose(gradient[place], (ends[1] - ends[0]) / 0.02, rtol=0.02, atol=1e-3)


def test_tolerance_counts_corners_and_sides_nearby():
    apart = [Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]]), Tensor([[[2.01, 0.0, 2.0, 2.0, 0.0]]])]
    assert float(ops.rotated_iou(*apart).sum()) == 0
    assert float(ops.rotated_iou(*apart, v_threshold=0.02).sum()) > 0


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda b: ops.rotated_iou(b, b[:, :, :4]), ValueError),
        (lambda b: ops.rotated_iou(b, b[0]), ValueError),
        (lambda b: ops.rotated_iou(b, b[:1]), ValueError),
        (lambda b: ops.rotated_iou(b, 3), TypeError),
        (lambda b: ops.rotated_iou(b, b, is_cross=False), NotImplementedError),
    ],
)
def test_wrong_arguments(call, kind):
    with pytest.raises(kind, match=r"^For 'rotated_iou', "):
        call(Tensor(random_boxes(0, 2)))
