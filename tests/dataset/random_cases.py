"""Seeded random transforms in pipelines and in calls, and digests of what they return."""

from __future__ import annotations

import random
import zlib
from typing import Any

import numpy as np

IMAGE = np.random.RandomState(0).randint(0, 256, (14, 12, 3)).astype(np.uint8)
BOXES = np.array([[2, 3, 6, 7], [1, 1, 9, 8], [4, 5, 6, 5]], np.float32)
SPECTROGRAM = np.random.RandomState(1).rand(2, 12, 16).astype(np.float32)
SINES = np.abs(np.sin(np.arange(20))).reshape(5, 4)

BOTH = [  # of arrays and of PIL images, for which MindSpore has two implementations
    "V.RandomHorizontalFlip(0.4)", "V.RandomVerticalFlip(0.7)", "V.RandomCrop((8, 7))", "V.RandomCrop((14, 5))",
    "V.RandomCrop((14, 12), [2, 3, 4, 1])", "V.RandomCrop((20, 8), pad_if_needed=True)", "V.RandomRotation(30, N)",
    "V.RandomResizedCrop((6, 7), interpolation=N)", "V.RandomResizedCrop((6, 7), (0.5, 1.5), (0.2, 6.0), N)",
    "V.RandomResizedCrop((6, 7), (1, 1), (3, 3.5), N, 3)", "V.RandomColorAdjust(0.5, 0.4, 0.3, 0.1)",
    "V.RandomColorAdjust(contrast=(0.5, 1.5))", "V.RandomSharpness((0.5, 1.5))", "V.RandomColor((0.2, 1.8))",
    "V.RandomLighting(0.3)", "T.RandomApply([V.RandomCrop((14, 12), 3), V.RandomHorizontalFlip()], 0.6)",
    "T.RandomChoice([V.HorizontalFlip(), V.RandomCrop((14, 12), 3)])",
]  # fmt: skip
ARRAYS = [
    "V.RandomPosterize((1, 6))", "V.RandomSolarize((1, 200))", "V.RandomAutoContrast(prob=0.5)",
    "V.RandomEqualize(0.5)", "V.RandomInvert(0.5)", "V.RandomAdjustSharpness(2.0, 0.5)", "V.CutOut(5)",
    "V.CutOut(4, 3)", "V.RandomAffine(15)", "V.RandomAffine((-9, 20), (-0.1, 0.1, -0.2, 0.2), (0.8, 1.2), (-5, 5))",
    "V.RandomAffine(0, shear=(-20, 20, -9, 9))", "V.AutoAugment()", "V.AutoAugment(V.AutoAugmentPolicy.SVHN)",
    "V.RandAugment(1, 12)", "V.TrivialAugmentWide(5)", "V.UniformAugment([V.Invert(), V.HorizontalFlip()], 1)",
    "V.UniformAugment([V.Invert(), V.HorizontalFlip(), V.VerticalFlip(), V.RandomPosterize((1, 8))], 3)",
    "V.RandomSelectSubpolicy([[(V.Invert(), 0.5), (V.HorizontalFlip(), 0.4)], [(V.RandomCrop((14, 12), 2), 0.8)]])",
]  # fmt: skip
OF_PIL = [
    "T.RandomChoice([V.HorizontalFlip(), V.VerticalFlip()])",
    "V.RandomGrayscale(0.4)",
    "V.RandomPerspective(0.5, 0.5, N)",
    "V.RandomAffine(15, scale=(0.8, 1.2))",
]
FUNCTIONS = [  # with one worker they continue the sequences of the program
    "lambda image: image + np.random.randint(9) + random.randrange(9)", "V.ToTensor(), V.RandomErasing(0.6)",
    "V.ToTensor(), V.RandomErasing(0.6, value='random')",
]  # fmt: skip
LISTS = [
    "V.RandomCrop((10, 9), 2), V.RandomHorizontalFlip(), V.RandomColorAdjust(0.4, 0.4), V.RandomRotation(10)",
    "flip := V.RandomHorizontalFlip(), V.RandomInvert(), flip",
]
WITH_BOXES = [
    "V.RandomHorizontalFlipWithBBox(0.5)", "V.RandomVerticalFlipWithBBox(0.5)", "V.RandomCropWithBBox((10, 9), 2)",
    "V.RandomResizedCropWithBBox((6, 7), (0.5, 1.0), interpolation=N)", "V.BoundingBoxAugment(V.Invert(), 0.5)",
]  # fmt: skip
OF_BATCHES = [
    "V.MixUp(6, 0.3)", "V.MixUpBatch(0.2)", "V.MixUpBatch(3.0)", "V.CutMixBatch(V.ImageBatchFormat.NHWC)",
    "V.CutMixBatch(V.ImageBatchFormat.NHWC, 0.5, 0.5)",
]  # fmt: skip
SOUNDS = [
    "A.FrequencyMasking(True, 5, 0, 9.0)", "A.TimeMasking(True, 6, 0, 9.0)", "A.MaskAlongAxisIID(6, 9.0, 2)",
]  # fmt: skip
CASES = [
    *[f"rows({each}, workers={workers})" for each in BOTH + ARRAYS + LISTS for workers in (1, 2)],
    *[f"rows(V.ToPIL(), {each}, np.array)" for each in BOTH[:-1] + OF_PIL],
    *[f"rows({each})" for each in FUNCTIONS],
    "generated(np.random.rand)",
    "generated(random.random)",
    *[f"rows({each}, columns=(IMAGE, BOXES), epochs=1)" for each in WITH_BOXES],
    *[f"batches({each})" for each in OF_BATCHES],
    *[f"rows({each}, columns=(SPECTROGRAM,))" for each in SOUNDS],
    "rows(A.GriffinLim(n_fft=8, n_iter=2), columns=(SINES,))",
    *[f"calls({each})" for each in BOTH + ARRAYS],
    *[f"calls({each}, V.ToPIL()(IMAGE))" for each in BOTH + OF_PIL],
]


def digest(value: Any) -> str:
    """Return a digest of an array; floats count with three decimals."""
    array = np.array(value)
    whole = (array * 1000).round().astype(np.int64) if array.dtype.kind == "f" else array
    return f"{zlib.crc32(np.ascontiguousarray(whole).tobytes()) & 0xFFFFF:05x}"


def digests(ds: Any, vision: Any, transforms: Any, audio: Any, expression: str) -> list[str]:
    """Return digests of what an expression draws, with the packages of MindSpore or ours, for a seed."""

    def data(columns: tuple[Any, ...], count: int) -> Any:
        rows = tuple([[column.copy() for _ in range(count)] for column in columns])
        return ds.NumpySlicesDataset(rows, ["a", "b"][: len(columns)], shuffle=False)

    def of(found: Any, names: list[str], epochs: int = 1) -> list[str]:
        iterator = found.create_dict_iterator(num_epochs=epochs, output_numpy=True)
        return ["".join([digest(row[name]) for name in names]) for _ in range(epochs) for row in iterator]

    def rows(*operations: Any, columns: tuple[Any, ...] = (IMAGE,), workers: int = 1, epochs: int = 2) -> list[str]:
        names = ["a", "b"][: len(columns)]
        return of(data(columns, 5).map([*operations], names, num_parallel_workers=workers), names, epochs)

    def batches(operation: Any) -> list[str]:
        images = [np.roll(IMAGE, number, 0) for number in range(12)]
        found = ds.NumpySlicesDataset(
            (images, [np.eye(5, dtype=np.float32)[number % 5] for number in range(12)]), ["a", "b"], shuffle=False
        )
        return of(found.batch(6).map(operation, ["a", "b"], num_parallel_workers=1), ["a", "b"])

    def calls(operation: Any, image: Any = IMAGE) -> list[str]:
        return [digest(operation(image)) for _ in range(2)]

    def generated(draw: Any) -> list[str]:
        found = [of(ds.GeneratorDataset(lambda: ((draw(),) for _ in range(3)), ["a"]), ["a"], 2) for _ in range(2)]
        return [*found[0], *found[1], digest(draw())]

    names = {
        "V": vision,
        "T": transforms,
        "A": audio,
        "N": vision.Inter.NEAREST,
        "rows": rows,
        "batches": batches,
        "np": np,
    }
    names |= {
        "calls": calls,
        "generated": generated,
        "random": random,
        "IMAGE": IMAGE,
        "BOXES": BOXES,
        "SPECTROGRAM": SPECTROGRAM,
        "SINES": SINES,
    }
    found = []
    for seed in (7, 1234):
        ds.config.set_seed(seed)
        found += eval(expression, names)
    return found
