"""The rows of `dataset.py` with Grain; transforms are NumPy's and Pillow's."""

from __future__ import annotations

import pathlib
from typing import Any

import dataset_files as files
import dataset_functions as functions
import grain

BATCH = 32


def loader(row: str, folder: pathlib.Path) -> Any:
    """Return the dataset of a row, or None if Grain has nothing for it."""
    name, _, detail = row.partition(", ")
    data: Any
    if name == "slices":
        data = grain.MapDataset.source(functions.Vectors()).shuffle(0)
    elif name == "digits":
        data = grain.MapDataset.source(list(zip(*functions.digits(folder)))).shuffle(0).map(_digit)
    elif name == "photos" and not detail:
        data = grain.MapDataset.source(functions.photos(folder)).shuffle(0).seed(0).random_map(_photo)
    elif name == "text":
        known = {word: number for number, word in enumerate(files.VOCABULARY)}
        lines = (folder / "lines.txt").read_text().split("\n")
        data = grain.MapDataset.source(lines).shuffle(0).map(lambda line: functions.numbers(line, known))
        return _Bucketed(data.to_iter_dataset(_reading(1)))
    elif name == "generator":
        data = grain.MapDataset.source(functions.Vectors()).shuffle(0).map(_scaled)
    elif name == "audio":
        import torch

        torch.set_num_threads(1)
        spectrogram = functions.mel_spectrogram(torch)
        data = grain.MapDataset.source(functions.waves(folder)).shuffle(0)
        data = data.map(lambda path: spectrogram(functions.sound(path)).numpy())
    else:
        return None
    if detail.endswith(("process", "processes")):
        from absl import flags

        flags.FLAGS.mark_as_parsed()  # Grain reads its own flags when it starts processes
        options = grain.MultiprocessingOptions(num_workers=int(detail[0]))
        return data.to_iter_dataset(_reading(1)).batch(BATCH).mp_prefetch(options)
    threads = 2 if name in ("photos", "audio") or detail == "2 threads" else 1
    return data.to_iter_dataset(_reading(threads)).batch(BATCH)


def _reading(threads: int) -> Any:
    return grain.ReadOptions(num_threads=threads, prefetch_buffer_size=16)


class _Bucketed:
    """Batches of a text, bucketed, for which Grain has nothing of its own."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def __iter__(self) -> Any:
        return functions.bucketed(self._rows)


def _digit(pair: Any) -> Any:
    return functions.digit(*pair)


def _photo(pair: Any, random: Any) -> Any:
    return functions.photo(pair[0], random), pair[1]


def _scaled(pair: Any) -> Any:
    return functions.scaled(pair[0]), pair[1]
