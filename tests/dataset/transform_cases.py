"""Expressions over transforms without chance, which `tests/data/record_dataset.py` ran under MindSpore.

Left out, as MindSpore's results are wrong: OneHot with smoothing of several numbers (only the last is set), and
NormalizePad (the fourth channel stands at the end of the memory, not of each pixel).

Names: `T` is `dataset.transforms`, `V` is `dataset.vision`, `ms` the package, `np` NumPy; the images are below.
"""

from __future__ import annotations

import os

import numpy as np
import vision_cases

_RANDOM = np.random.default_rng(0)


def _image(height, width, channels):
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    wave = 127 + 80 * np.sin(x * 0.7 + c) + 40 * np.cos(y * 0.9 - c)
    return np.clip(wave + _RANDOM.integers(-15, 16, wave.shape), 0, 255).astype(np.uint8)


INPUTS = {
    "rgb": _image(8, 10, 3),
    "wide": _image(20, 31, 3),
    "gray": _image(8, 10, 1)[:, :, 0],
    "one": _image(8, 10, 1),
    "a": np.array([1, 2, 3]),
    "m": np.arange(12).reshape(3, 4),
    "f": np.linspace(0, 1, 2 * 3 * 3, dtype=np.float32).reshape(2, 3, 3),
    "words": np.array(["a", "bc"]),
    **vision_cases.INPUTS,
}

TRANSFORMS = [
    "T.TypeCast(ms.float32)(a)", "T.TypeCast(ms.bool_)(a)", "T.TypeCast(np.float16)(a)", "T.TypeCast(np.uint8)(a)",
    "T.TypeCast(ms.int32)(f)", "T.TypeCast('float32')(a)", "T.TypeCast(str)(words)", "T.TypeCast(np.float16)([1, 2])",
    "T.OneHot(4)(np.array(2))", "T.OneHot(4)(np.array([2]))", "T.OneHot(4, 0.2)(np.array(1))",
    "T.OneHot(4)(np.array(2, np.int32))", "T.OneHot(4, 0.1)(np.array(2, np.uint8))", "T.OneHot(4)(np.array([[2, 1]]))",
    "T.OneHot(4)(2)",
    "T.Fill(3)(a)", "T.Fill(3.7)(a)", "T.Fill('x')(words)", "T.Fill(-1)(a.astype(np.int8))", "T.Fill(1.5)(f)",
    *[f"T.Mask(T.Relational.{name}, 2)(a)" for name in ("EQ", "NE", "LT", "LE", "GT", "GE")],
    "T.Mask(T.Relational.GT, 2, ms.int32)(a)", "T.Mask(T.Relational.GT, 2, ms.float16)(m)",
    "T.Mask(T.Relational.EQ, 'a')(words)",
    "T.Slice(slice(1, 3))(m)", "T.Slice(1)(m)", "T.Slice([0, 2])(m)", "T.Slice(slice(1, 2), slice(0, 4, 2))(m)",
    "T.Slice(None)(m)", "T.Slice(...)(m)", "T.Slice(True)(m)", "T.Slice(-1)(m)", "T.Slice(None, [1])(m)",
    "T.Slice(slice(0, 2))(a)", "T.Slice(..., 0)(f)", "T.Slice([1])(words)", "T.Slice(..., 0)(m)",
    "T.Duplicate()(a)",
    "T.Concatenate(0, np.array([9]), np.array([8]))(a)", "T.Concatenate(0)(a, a)",
    "T.Concatenate(-1, np.array([1]))(a)",
    "T.Unique()(np.array([[3, 1, 3], [2, 1, 0]]))", "T.Unique()(m)",
    "T.PadEnd([5], 7)(a)", "T.PadEnd([5])(a)", "T.PadEnd([2], 1)(a)", "T.PadEnd([4, 6], -1)(m)",
    "T.PadEnd([3], 'x')(words)", "T.PadEnd([3])(words)", "T.PadEnd([5], 1.7)(a)",
    "T.Compose([T.Fill(1), lambda x: x + 1])(a)", "T.Compose([T.Duplicate(), lambda x, y: x + y])(a)",
    "T.RandomApply([T.Fill(1)], 1.0)(a)", "T.RandomApply([T.Fill(1)], 0.0)(a)", "T.RandomChoice([T.Fill(1)])(a)",
]  # fmt: skip

BOTH = [  # of an array and of a PIL image
    "V.Resize((4, 5))({})", "V.Resize((13, 17))({})", "V.Resize(4)({})", "V.Resize((4, 5), V.Inter.NEAREST)({})",
    "V.Resize((13, 17), V.Inter.NEAREST)({})", "V.Resize((4, 5), V.Inter.BICUBIC)({})",
    "V.Resize((13, 17), V.Inter.BICUBIC)({})",
    "V.Crop((1, 2), (4, 5))({})", "V.Crop((0, 0), 3)({})",
    "V.CenterCrop(4)({})", "V.CenterCrop((3, 5))({})", "V.CenterCrop((12, 6))({})", "V.CenterCrop((5, 15))({})",
    "V.HorizontalFlip()({})", "V.VerticalFlip()({})", "V.RandomHorizontalFlip(1.0)({})",
    "V.RandomVerticalFlip(1.0)({})", "V.RandomHorizontalFlip(0.0)({})",
    "V.Pad(2)({})", "V.Pad((1, 2))({})", "V.Pad((1, 2, 3, 4), 9)({})", "V.Pad((1, 2, 3, 4), (9, 8, 7))({})",
    *[f"V.Pad((1, 2, 3, 0), padding_mode=V.Border.{mode})({{}})" for mode in ("EDGE", "REFLECT", "SYMMETRIC")],
    "V.PadToSize((12, 14))({})", "V.PadToSize(14, (1, 2), 5)({})",
    "V.RandomCrop((8, 10))({})", "V.RandomCrop((12, 14), (2, 2, 2, 2))({})",
    "V.ResizedCrop(1, 2, 5, 6, (4, 4))({})",
    "V.Invert()({})",
    "V.AdjustBrightness(1.3)({})", "V.AdjustBrightness(0.0)({})", "V.AdjustContrast(0.6)({})",
    "V.AdjustContrast(1.7)({})", "V.AdjustSaturation(0.4)({})", "V.AdjustSaturation(2.0)({})",
    "V.AdjustHue(0.2)({})", "V.AdjustHue(-0.4)({})",
    "V.Rotate(90)({})", "V.Rotate(180)({})", "V.Rotate(30)({})", "V.Rotate(30, V.Inter.BILINEAR)({})",
    "V.Rotate(30, expand=True)({})", "V.Rotate(90, expand=True)({})", "V.Rotate(30, center=(2, 3), fill_value=7)({})",
    "V.RandomRotation((30, 30))({})",
    "V.ToTensor()({})", "V.ToTensor(np.float64)({})",
]  # fmt: skip

ARRAYS = [
    "V.Resize((6, 12))(wide)", "V.Resize((40, 50))(wide)", "V.Resize(10)(wide)", "V.Resize((6, 12))(gray)",
    "V.Resize((6, 12))(one)", "V.Resize((6, 12))(rgb.astype(np.float32))", "V.Resize((4, 5), V.Inter.AREA)(rgb)",
    "V.Resize((13, 17), V.Inter.AREA)(rgb)", "V.Resize((6, 12), V.Inter.PILCUBIC)(wide)",
    "V.CenterCrop(4)(gray)", "V.HorizontalFlip()(gray)", "V.VerticalFlip()(one)",
    "V.Rescale(1 / 255, 0)(rgb)", "V.Rescale(2.0, -1.0)(f)",
    "V.Normalize([121.0, 115.0, 100.0], [70.0, 68.0, 71.0])(rgb)",
    "V.Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4], is_hwc=False)(f.reshape(3, 2, 3))",
    "V.Normalize([127.5], [127.5])(one)", "V.Normalize([127.5], [127.5])(gray)",
    "V.HWC2CHW()(rgb)", "V.HWC2CHW()(one)", "V.HWC2CHW()(gray)",
    "V.ToTensor()(gray)", "V.ToTensor()(one)", "V.ToTensor()(rgb.astype(np.float32))",
    "V.ToType(np.float32)(rgb)", "V.ToType(ms.float16)(rgb)",
    "V.HsvToRgb(is_hwc=True)(f.reshape(2, 3, 3))", "V.RgbToHsv(is_hwc=True)(f.reshape(2, 3, 3))",
    "V.RgbToHsv(is_hwc=True)(rgb / 255)", "V.HsvToRgb()(f.reshape(3, 2, 3))",
    "V.ToPIL()(rgb)", "V.ToPIL()(gray)", "V.RandomColorAdjust((1.2, 1.2), (1, 1), (1, 1), (0, 0))(rgb)",
    "V.RandomColorAdjust(contrast=(0.7, 0.7))(rgb)", "V.RandomColorAdjust(saturation=(1.4, 1.4))(rgb)",
]  # fmt: skip

BOOLS = [
    f"V.{call}(rgb.astype(bool))"
    for call in (
        "Pad(2)", "PadToSize((12, 14))", "RandomCrop((8, 10))", "CenterCrop(4)", "HorizontalFlip()", "Invert()",
        "GaussianBlur(3)", "Posterize(3)", "AutoContrast()", "Equalize()", "AdjustSharpness(0.3)",
        "RandomColor((1.7, 1.7))", "Erase(1, 2, 3, 4)",
    )
]  # fmt: skip

PIL = [
    "V.Grayscale()(pil)", "V.Grayscale(3)(pil)", "V.RandomGrayscale(1.0)(pil)", "V.ToNumpy()(pil)",
    "V.Resize((4, 5), V.Inter.ANTIALIAS)(pil)", "V.ToTensor()(pil_gray)",
    "V.FiveCrop(4)(pil)", "V.TenCrop((3, 4))(pil)",
]  # fmt: skip

EXPRESSIONS = [
    *TRANSFORMS, *ARRAYS, *BOOLS, *PIL, *[each.format(name) for each in BOTH for name in ("rgb", "pil")],
    *vision_cases.EXPRESSIONS,
]  # fmt: skip


def namespace(package, transforms, vision, folder):
    """Return the names that the expressions use; files are written into the folder."""
    from PIL import Image

    images = {"pil": Image.fromarray(INPUTS["rgb"]), "pil_gray": Image.fromarray(INPUTS["gray"])}
    images |= {"pil_many": Image.fromarray(INPUTS["many"]), "turned": images["pil"].copy()}
    images["deep"] = Image.fromarray(INPUTS["gray"].astype(np.uint16) * 200)
    images["turned"].getexif()[0x112] = 6  # a camera on its side

    def saved(image, kind):
        path = os.path.join(folder, f"image.{kind}")
        image.save(path, exif=image.getexif())
        return path

    return {"ms": package, "T": transforms, "V": vision, "np": np, "saved": saved, **INPUTS, **images}


def plain(result):
    """Return a result as something that JSON has: a dict for each array."""
    if isinstance(result, (tuple, list)):
        return [plain(each) for each in result]
    array = np.asarray(result)
    return {"dtype": str(array.dtype), "shape": list(array.shape), "values": array.reshape(-1).tolist()}
