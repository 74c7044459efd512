"""Values and arguments that transforms refuse: the class of the error that MindSpore 2.10 raises, and what works after.

Names: `T`, `V`, `X` and `A` are `dataset.transforms`, `vision`, `text` and `audio`; the values are in `NAMES`.
"""

from __future__ import annotations

import builtins

import numpy as np
import pytest

import torchspore as ms
from torchspore.dataset import audio, text, transforms, vision

NAMES = {
    "T": transforms, "V": vision, "X": text, "A": audio, "ms": ms, "np": np,
    "a": np.array([1, 2, 3]), "m": np.arange(6).reshape(2, 3), "words": np.array(["a", "bc"]),
    "inc": lambda x: x + 1, "rgb": np.full((4, 5, 3), 9, np.uint8),
    "pil": vision.ToPIL()(np.zeros((4, 5, 3), np.uint8)),
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
NotImplementedError T.TensorOperation()(a)
NotImplementedError T.PyTensorOperation()(a)
"""


@pytest.mark.parametrize("case", REFUSED.strip().splitlines())
def test_refused(case):
    kind, expression = case.split(" ", 1)
    with pytest.raises(getattr(builtins, kind), match=r"^For '"):
        eval(expression, dict(NAMES))
