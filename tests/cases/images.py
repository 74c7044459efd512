"""Colours, boxes, and parts of images."""

_COLORS = "Tensor((np.arange(60) * 7 % 60 / 60).astype(np.float32).reshape((1, 4, 5, 3)))"
_BRIGHT = "Tensor((np.arange(60) * 7 % 60).astype(np.float32).reshape((4, 5, 3)))"
_LAST = "img.transpose(0, 2, 3, 1)[:, :4, :5, :2]"
# not an input: MindSpore's gradients belong to another method or end mode
_PLAIN = "Tensor((np.arange(288) * 7 % 288 / 72 - 2).astype(np.float32).reshape((2, 4, 6, 6)))"
_CROPS = "Tensor([[0.1, 0.2, 0.8, 0.9], [0.9, 0.1, 0.2, 0.7], [-0.2, 0.3, 0.5, 1.2], [0.3, 0.3, 0.3, 0.3]])"
_INSIDE = "Tensor([[0.1, 0.2, 0.8, 0.9], [0.3, 0.1, 0.9, 0.7], [0.3, 0.3, 0.3, 0.3], [0.0, 0.0, 0.45, 0.6]])"
_INDEX = "Tensor([0, 1, 1, 0], ms.int32)"
_SCORED = (
    "Tensor([[10, 10, 50, 60, 0.63], [15, 8, 45, 62, 0.55], [12, 100, 88, 200, 0.9], [28, 130, 106, 172, 0.3], "
    "[11, 11, 51, 59, 0.7]], ms.float32)"
)
_REGIONS = "Tensor([[0, 1, 1, 6, 5], [1, 0.5, 2.2, 7, 3], [1, -3, -2, 2, 1], [0, 4, 4, 4.1, 4.1]], ms.float32)"
_MATRIX = "Tensor([[1, 0.3, 0.2, 0.6], [0.3, 1, 0.9, 0.1], [0.2, 0.9, 1, 0.4], [0.6, 0.1, 0.4, 1]], ms.float32)"
_FOUR = (
    "Tensor([[[[0, 0, 0.5, 0.5]], [[0, 0.02, 0.5, 0.52]], [[0.5, 0.5, 1.2, 1]], [[0.9, 0.9, 0.4, 0.4]]]], ms.float32)"
)
_CLASSES = "Tensor([[[0.9, 0.2], [0.8, 0.6], [0.3, 0.7], [0.35, 0.1]]])"


def _number(value):
    return f"Tensor({value}, ms.{'int32' if isinstance(value, int) else 'float32'})"


CASES = [
    f"ops.RGBToHSV()({_COLORS})", f"ops.HSVToRGB()({_COLORS})", f"ops.RGBToHSV()({_COLORS}.astype(ms.float64))",
    f"ops.AdjustHue()({_BRIGHT}, Tensor(0.2))", f"ops.AdjustHue()({_COLORS}, Tensor(-0.7))",
    f"ops.AdjustSaturation()({_BRIGHT}, Tensor(0.5))", f"ops.AdjustSaturation()({_COLORS}, Tensor(1.7))",
    "ops.RGBToHSV()(img)", "ops.AdjustHue()(v, Tensor(0.2))", "ops.AdjustSaturation()(img, Tensor(0.5))",
    *[
        f"ops.crop_and_resize({_LAST}, {_CROPS}, {_INDEX}, {size}, {more})"
        for size, more in (("(2, 3)", "'bilinear'"), ("(1, 3)", "'bilinear', 7.0"), ("(2, 3)", "'nearest'"))
    ],
    f"ops.crop_and_resize({_PLAIN}, {_INSIDE}, {_INDEX}, (2, 3), 'bilinear_v2')",
    f"ops.CropAndResize('bilinear_v2', 2.0)({_PLAIN}, {_INSIDE}, {_INDEX}, (4, 4))",
    f"ops.crop_and_resize({_LAST}, {_CROPS}, {_INDEX}, (2, 3), 'cubic')",
    f"ops.crop_and_resize({_LAST}, {_CROPS}, {_INDEX}, (2, 0))",
    f"ops.crop_and_resize(sig, {_CROPS}, {_INDEX}, (2, 3))",
    f"ops.crop_and_resize({_LAST}, {_CROPS}, {_CROPS}[:, 0], (2, 3))",
    f"ops.ROIAlign(2, 3, 0.5, 2, 1)(img, {_REGIONS})", f"ops.ROIAlign(2, 3, 0.5, 2, 0)({_PLAIN}, {_REGIONS})",
    f"ops.ROIAlign(2, 2, 0.5, 2)(img.astype(ms.float16), {_REGIONS})",
    f"ops.ROIAlign(3, 2, 1.0, 1, 0)({_PLAIN}, {_REGIONS})", f"ops.ROIAlign(2, 2, 0.8, 3)(img, {_REGIONS})",
    f"ops.ROIAlign(2, 2, 0.8)(img, {_REGIONS}[:, :4])",
    f"ops.NMSWithMask(0.5)({_SCORED})", f"ops.NMSWithMask(0.2)({_SCORED})",
    "ops.NMSWithMask(0.5)(Tensor([[0, 0, 9, 9, 0.5], [0, 0, 9, 4, 0.6], [5, 5, 5, 5, 0.4], [5, 5, 5, 5, 0.3]], "
    "ms.float32))",
    "ops.NMSWithMask()(x)",
    *[
        f"ops.NonMaxSuppressionWithOverlaps()({_MATRIX}, Tensor([0.5, 0.4, 0.45, 0.9]), "
        f"{_number(most)}, {_number(overlap)}, {_number(least)})"
        for most, overlap, least in ((4, 0.5, 0.1), (2, 0.5, 0.42), (4, 0.35, 0.0), (0, 0.5, 0.1), (4, 0.95, 0.43))
    ],
    *[
        f"ops.CombinedNonMaxSuppression({flags})({_FOUR}, {_CLASSES}, {_number(most)}, {_number(total)}, "
        f"{_number(overlap)}, {_number(least)})"
        for flags, most, total, overlap, least in (
            ("", 2, 3, 0.5, 0.15), ("True", 2, 3, 0.5, 0.15), ("True, False", 2, 7, 0.5, 0.15),
            ("False, False", 3, 7, 0.0, 0.65), ("", 1, 5, 0.9, 0.0),
        )
    ],
    "ops.bounding_box_encode(abs(m) * 5, abs(m[:, ::-1]) * 4 + 1)",
    "ops.BoundingBoxEncode((0.1, 0.2, 0.3, 0.4), (0.5, 1.0, 2.0, 1.5))(abs(m) * 5, abs(m[::-1]) * 4)",
    "ops.bounding_box_decode(m * 5, m[::-1] * 2, (4, 7))",
    "ops.BoundingBoxDecode((30, 40), wh_ratio_clip=0.5)(m * 5, m)",
    "ops.BoundingBoxDecode((30, 40), (0.1, 0.2, 0.3, 0.4), (0.5, 1.0, 2.0, 1.5))(m * 5 + 4, m)",
    "ops.bounding_box_encode(m, m, 0.1)", "ops.bounding_box_decode(m, m, 3)", "ops.bounding_box_decode(x, m, (4, 4))",
    "ops.check_valid(abs(m) * 5, Tensor([5.0, 6.0, 1.1]))", "ops.CheckValid()(m, Tensor([5.0, 6.0, 1.1]))",
]  # fmt: skip
