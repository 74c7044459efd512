"""The rows of `dataset.py` as pipelines of TorchSpore or of MindSpore, which have the same names."""

from __future__ import annotations

import pathlib
from typing import Any

import dataset_files as files
import numpy as np
from dataset_functions import IMAGENET_MEAN, IMAGENET_STD, VECTORS, Vectors, scaled

BATCH = 32


def pipeline(ds: Any, row: str, folder: pathlib.Path) -> Any:
    """Return the dataset of a row.

    Args:
        ds: `torchspore.dataset` or `mindspore.dataset`.
        row: the name of the row.
        folder: the folder of `dataset_files.write`.
    """
    ds.config.set_num_parallel_workers(2)
    name, _, detail = row.partition(", ")
    return PIPELINES[name](ds, folder, detail)


def _slices(ds: Any, folder: pathlib.Path, detail: str) -> Any:
    data = ds.NumpySlicesDataset((Vectors().x, np.arange(VECTORS)), ["x", "label"], shuffle=True)
    return data.batch(BATCH)


def _digits(ds: Any, folder: pathlib.Path, detail: str) -> Any:
    vision = ds.vision
    data = ds.MnistDataset(str(folder), "train", shuffle=True)
    steps = [vision.Rescale(1 / 255, 0.0), vision.Normalize([0.1307], [0.3081]), vision.HWC2CHW()]
    return data.map(steps, "image").map(ds.transforms.TypeCast(np.int32), "label").batch(BATCH)


def _photos(ds: Any, folder: pathlib.Path, detail: str) -> Any:
    vision = ds.vision
    policy = [vision.RandAugment()] if detail else []
    steps = [
        vision.Decode(),
        vision.RandomResizedCrop(224),
        vision.RandomHorizontalFlip(0.5),
        *policy,
        vision.Normalize(IMAGENET_MEAN, IMAGENET_STD),
        vision.HWC2CHW(),
    ]
    return ds.ImageFolderDataset(str(folder / "photos"), shuffle=True).map(steps, "image").batch(BATCH)


def _text(ds: Any, folder: pathlib.Path, detail: str) -> Any:
    words = ds.text.Vocab.from_list(files.VOCABULARY)
    data = ds.TextFileDataset(str(folder / "lines.txt"), shuffle=True)
    data = data.map([ds.text.WhitespaceTokenizer(), ds.text.Lookup(words)], "text")
    return data.bucket_batch_by_length(["text"], files.BOUNDARIES, files.SIZES, pad_info={"text": ([None], 0)})


def _generator(ds: Any, folder: pathlib.Path, detail: str) -> Any:
    count, kind = detail.split()
    workers = {"num_parallel_workers": int(count), "python_multiprocessing": kind.startswith("process")}
    data = ds.GeneratorDataset(Vectors(), ["x", "label"], shuffle=True)
    return data.map(scaled, "x", **workers).batch(BATCH)


def _mindrecord(ds: Any, folder: pathlib.Path, detail: str) -> Any:
    return ds.MindDataset(str(folder / "rows.mindrecord"), ["x", "label", "data"], shuffle=True).batch(BATCH)


def _tfrecord(ds: Any, folder: pathlib.Path, detail: str) -> Any:
    return ds.TFRecordDataset(str(folder / "rows.tfrecord"), shuffle=True).batch(BATCH)


def _audio(ds: Any, folder: pathlib.Path, detail: str) -> Any:
    mel = ds.audio.MelSpectrogram(sample_rate=files.RATE, n_fft=400, n_mels=64)
    return ds.YesNoDataset(str(folder / "waves"), shuffle=True).map(mel, "waveform").batch(BATCH)


PIPELINES = {
    "slices": _slices,
    "digits": _digits,
    "photos": _photos,
    "text": _text,
    "generator": _generator,
    "MindRecord": _mindrecord,
    "TFRecord": _tfrecord,
    "audio": _audio,
}
