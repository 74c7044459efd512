"""The rows of `dataset.py` with PyTorch's DataLoader; transforms are NumPy's and Pillow's."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import dataset_files as files
import dataset_functions as functions
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

BATCH = 32


class Rows(Dataset[Any]):
    """Rows from a list and a function."""

    def __init__(self, listed: Any, function: Callable[[Any], Any]) -> None:
        self.listed, self.function = listed, function

    def __len__(self) -> int:
        return len(self.listed)

    def __getitem__(self, index: int) -> Any:
        return self.function(self.listed[index])


class Batches(IterableDataset[Any]):
    """Batches of a text, bucketed."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.lines = (folder / "lines.txt").read_text().split("\n")
        self.known = {word: number for number, word in enumerate(files.VOCABULARY)}

    def __iter__(self) -> Any:
        order = torch.randperm(len(self.lines)).tolist()
        batches = functions.bucketed(functions.numbers(self.lines[index], self.known) for index in order)
        return map(torch.from_numpy, batches)


def _digit(pair: Any) -> Any:
    return functions.digit(*pair)


def _photo(pair: Any) -> Any:
    return functions.photo(pair[0], np.random.default_rng(int(torch.randint(2**62, ())))), pair[1]


def _scaled(pair: Any) -> Any:
    return functions.scaled(pair[0]), pair[1]


def loader(row: str, folder: pathlib.Path) -> Any:
    """Return the loader of a row, or None if PyTorch alone has nothing for it."""
    torch.set_num_threads(1)
    name, _, detail = row.partition(", ")
    data: Any
    if name == "slices":
        data = TensorDataset(torch.from_numpy(functions.Vectors().x), torch.arange(functions.VECTORS))
    elif name == "digits":
        data = Rows(list(zip(*functions.digits(folder))), _digit)
    elif name == "photos" and not detail:
        data = Rows(functions.photos(folder), _photo)
    elif name == "text":
        return DataLoader(Batches(folder), batch_size=None)
    elif name == "generator" and detail != "2 threads":
        data = Rows(functions.Vectors(), _scaled)
    elif name == "audio":
        spectrogram = functions.mel_spectrogram(torch)
        data = Rows(functions.waves(folder), lambda path: spectrogram(functions.sound(path)))
    else:
        return None
    processes = {"1 process": 1, "2 processes": 2}.get(detail, 2 if name in ("photos", "audio") else 0)
    return DataLoader(data, batch_size=BATCH, shuffle=True, num_workers=processes, persistent_workers=processes > 0)
