"""Values and arguments that transforms refuse: the class of the error that MindSpore 2.10 raises, and what works after.

Names: `T`, `V`, `X` and `A` are `dataset.transforms`, `vision`, `text` and `audio`; the values are in `NAMES`.
"""

from __future__ import annotations

import builtins

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds
from torchspore.dataset import audio, text, transforms, vision

NAMES = {
    "T": transforms, "V": vision, "X": text, "A": audio, "ms": ms, "np": np,
    "a": np.array([1, 2, 3]), "m": np.arange(6).reshape(2, 3), "words": np.array(["a", "bc"]),
    "inc": lambda x: x + 1, "rgb": np.full((4, 5, 3), 9, np.uint8),
    "pil": vision.ToPIL()(np.zeros((4, 5, 3), np.uint8)), "ds": ds, "rows": ds.NumpySlicesDataset([1], ["x"]),
}  # fmt: skip

REFUSED = """
RuntimeError T.TypeCast(ms.int32)(words)
RuntimeError T.TypeCast("string")(a)
RuntimeError T.OneHot(3)(m)
RuntimeError T.Fill(b"x")(words)
RuntimeError T.Unique()(a)
RuntimeError T.Unique()(words)
RuntimeError T.Slice([])(a)
RuntimeError T.Slice(..., 0)(a)
TypeError T.PadEnd((5,))
TypeError T.Mask(T.Relational.GT, 1, np.int8)
TypeError T.Compose((inc,))
TypeError T.RandomApply((inc,))
ValueError T.Compose([T.Fill])
ValueError T.RandomChoice([int])
RuntimeError T.Compose([inc])(words)
RuntimeError T.RandomApply([inc], 1.0)("s")
RuntimeError T.Compose([lambda x: None])(a)
RuntimeError T.RandomChoice([lambda x: object()])(a)
RuntimeError V.Invert()(rgb[:, :, 0])
RuntimeError V.RandomInvert(1.0)(rgb[:, :, :1])
RuntimeError V.Resize(3)(rgb[:0])
TypeError V.Crop((0, 0), 2)(rgb * 1j)
TypeError V.RgbToHsv(is_hwc=True)(pil)
TypeError V.HsvToRgb(is_hwc=True)(rgb.tolist())
TypeError V.Resize((2, 2), V.Inter.AREA)(pil)
TypeError V.RandomAffine(15, resample=V.Inter.AREA)(pil)
TypeError V.RandomResizedCrop(2, interpolation=V.Inter.AREA)(pil)
RuntimeError V.RandomPerspective(0.5, 1.0, V.Inter.AREA)(pil)
KeyError V.Resize(2, None)
KeyError V.ResizeWithBBox(2, None)
ValueError V.Normalize([0.0, 256.0, 0.0], [1.0] * 3)
ValueError V.Pad((1,))
ValueError V.RandomErasing(scale=(0, 0))
RuntimeError V.encode_jpeg(rgb, 0)
RuntimeError V.encode_png(rgb, 10)
RuntimeError V.encode_png(rgb[:0])
TypeError V.encode_jpeg(pil)
TypeError V.write_file("x", pil)
TypeError V.Decode().device(1)
RuntimeError X.PythonTokenizer(lambda word: 1 / 0)(words)
RuntimeError X.Vocab.from_list(["a"], ["a"])
TypeError X.Vocab.from_dataset(None, ("a",))
TypeError V.Pad(1, [1, 2, 3])
TypeError V.Erase(0, 0, 1, 1, [1, 2, 3])
ValueError V.Rotate(9, center=[1, 2])
RuntimeError V.ResizeWithBBox(3)(rgb, np.array([[1, 2, 3, 1]]))
RuntimeError V.ResizeWithBBox(3)(rgb, np.array([[1.0, 2, 3, 1]]))
AttributeError V.RandomGrayscale(1.0)(rgb)
RuntimeError X.Vocab().vocab()
RuntimeError X.Vocab().tokens_to_ids("a")
TypeError X.Lookup(X.Vocab())
RuntimeError A.Flanger(16000)(np.zeros((5, 9)))
RuntimeError A.MelSpectrogram()(np.ones(50))
RuntimeError A.DetectPitchFrequency(300)(a)
RuntimeError T.PadEnd([2], 7)(words[0])
TypeError ds.Schema(3)
TypeError ds.Schema().add_column("", "int32")
TypeError ds.Schema().add_column(["a"], "int32")
TypeError ds.GeneratorDataset([1], "x", shuffle=ds.Shuffle.FALSE)
TypeError ds.GeneratorDataset([1], "x", max_rowsize=[1, 2])
TypeError ds.FakeImageDataset(3, shuffle=ds.Shuffle.GLOBAL)
ValueError rows.map([V.Resize], "x")
ValueError rows.map(int, "x")
RuntimeError rows.concat([]).get_dataset_size()
RuntimeError rows.zip(()).get_dataset_size()
NotImplementedError T.TensorOperation()(a)
NotImplementedError T.PyTensorOperation()(a)
"""


@pytest.mark.parametrize("case", REFUSED.strip().splitlines())
def test_refused(case):
    kind, expression = case.split(" ", 1)
    with pytest.raises(getattr(builtins, kind), match=r"^For '"):
        eval(expression, dict(NAMES))


# The types of images, as characters of NumPy, that MindSpore's transforms take among "?bBhHiefdlI".
TYPES = """
?bBhHiefd V.AdjustBrightness(1.5) V.CenterCrop(2) V.Crop((0, 0), 2) V.Erase(0, 0, 1, 1) V.HorizontalFlip() V.Pad(2)
?bBhHiefd V.RandomCrop(2) V.RandomLighting(0.0) V.Rescale(0.5,1.0) V.Resize(2,V.Inter.NEAREST) V.ToTensor()
?bBhHifd V.Affine(9,(0,0),1.1,0) V.HWC2CHW() V.Invert() V.RandomAffine(9) V.Rotate(9) V.RandomRotation(9)
?bBhHifd V.RandomInvert(1.0) V.RandomSolarize((9,9)) V.Solarize(9)
?BhHfd V.AdjustSharpness(2.0) V.GaussianBlur(3) V.RandomSharpness() V.RandomResizedCrop(2) V.Resize(2)
?BhHfd V.ResizedCrop(0,0,2,2,3) V.Rotate(9,V.Inter.BILINEAR) V.RandomAffine(9,resample=V.Inter.BICUBIC)
BHf V.AdjustContrast(0.5) V.AdjustSaturation(2.0) V.RandomColorAdjust(contrast=(2,2))
?BHf V.ConvertColor(V.ConvertMode.COLOR_RGB2GRAY) V.RandomColor()
?B V.AutoContrast() V.Equalize() V.RandomAutoContrast(5.0,prob=1.0)
?bB V.Posterize(3) V.RandomPosterize((3,3))
Bf V.AdjustHue(0.2) V.RandomColorAdjust(hue=(0.2,0.2))
B V.RandAugment() V.RandomEqualize(0.0) V.ToPIL() V.TrivialAugmentWide()
?bBhHiefdlI V.CutOut(2) V.Normalize([1.0],[2.0])
"""


@pytest.mark.parametrize("case", TYPES.replace(", ", ",").strip().splitlines())
def test_types_of_images(case):
    types, *calls = case.split()
    for call in calls:
        transform, taken = eval(call, dict(NAMES)), ""
        for each in "?bBhHiefdlI":
            try:
                transform(NAMES["rgb"].astype(each))
            except RuntimeError:
                continue
            taken += each
        assert taken == types, call
