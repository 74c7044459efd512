"""Pictures of faces: CelebA and Labeled Faces in the Wild.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from torchspore.dataset.parameters import Cache, Count, Folder, Shard, Workers, extends
from torchspore.dataset.sources.folders import Picture, Records, lines_of, whole_numbers

__all__ = ["CelebADataset", "LFWDataset"]


class CelebADataset(Records):
    """The faces of CelebA, with their attributes in the column "attr": 0 or 1 for each, of uint32.

    Args:
        dataset_dir: the folder of the images, with "list_attr_celeba.txt" and, for parts, "list_eval_partition.txt".
        usage: "train", "valid", "test" or "all". Default: "all".
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        extensions: the endings of file names to take. Default: None, any.
        decrypt: a function that returns the content of the image file at a path. Default: None, the file is read.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> _ = pathlib.Path(folder.name, "000001.jpg").write_bytes(b"an image")
        >>> _ = pathlib.Path(folder.name, "list_attr_celeba.txt").write_text("1\\nBald Smiling\\n000001.jpg -1  1\\n")
        >>> for row in ds.CelebADataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["attr"])
        [0 1]
        >>> folder.cleanup()
    """

    columns = ("image", "attr")
    usages = ("train", "valid", "test", "all")

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, num_parallel_workers: Workers = None, shuffle: bool | None = None,
        usage: str | None = "all", sampler: Any = None, decode: bool | None = False,
        extensions: list[str] | None = None, num_samples: Count = None, num_shards: Shard = None,
        shard_id: Shard = None, cache: Cache = None, decrypt: Callable[[str], bytes] | None = None,
    ) -> None:  # fmt: skip
        self.extensions = tuple(extensions) if extensions else ""

    def _find(self) -> list[tuple[Any, ...]]:
        _, names, *lines = lines_of(self._path("list_attr_celeba.txt"))
        count = len(names.split())
        wanted = self._wanted()
        found: list[tuple[Any, ...]] = []
        for line in lines:
            name, *values = line.split()
            if len(values) != count:
                raise ValueError(f"{name!r} must have {count} attributes, but has {len(values)}.")
            if name.endswith(self.extensions) and (wanted is None or name in wanted):
                found.append((Picture(self._path(name)), (whole_numbers(values, np.int64) > 0).astype(np.uint32)))
        return found

    def _wanted(self) -> set[str] | None:
        """Return the names of this part's images, or None for all."""
        if self.usage == "all":
            return None
        number = str(self.usages.index(self.usage))
        lines = [line.split() for line in lines_of(self._path("list_eval_partition.txt"))]
        return {name for name, part in lines if part == number}


_LISTS = {  # the files of names, by task and usage
    ("people", "train"): ["peopleDevTrain.txt"],
    ("people", "test"): ["peopleDevTest.txt"],
    ("people", "all"): ["peopleDevTrain.txt", "peopleDevTest.txt"],
    ("people", "10fold"): ["people.txt"],
    ("pairs", "train"): ["pairsDevTrain.txt"],
    ("pairs", "test"): ["pairsDevTest.txt"],
    ("pairs", "all"): ["pairsDevTrain.txt", "pairsDevTest.txt"],
    ("pairs", "10fold"): ["pairs.txt"],
}


class LFWDataset(Records):
    """The faces of Labeled Faces in the Wild: with the number of the person, or pairs; labels of uint32.

    Args:
        dataset_dir: the folder, with the images in "lfw", "lfw_funneled" or "lfw-deepfunneled", and the lists.
        task: "people" for the columns "image" and "label"; or "pairs" for "image1", "image2" and "label", 1 if both
            show the same person. Default: None, "people".
        usage: "train", "test", "10fold" or "all", which is "train" and "test". Default: None, "all".
        image_set: "original", "funneled" or "deepfunneled". Default: None, "funneled".
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> root = pathlib.Path(folder.name)
        >>> (root / "lfw" / "Ann_Lee").mkdir(parents=True)
        >>> _ = (root / "lfw" / "Ann_Lee" / "Ann_Lee_0001.jpg").write_bytes(b"an image")
        >>> _ = (root / "lfw-names.txt").write_text("Aaron_Ax\\t2\\nAnn_Lee\\t1\\n")
        >>> _ = (root / "peopleDevTest.txt").write_text("1\\nAnn_Lee\\t1\\n")
        >>> data = ds.LFWDataset(folder.name, usage="test", image_set="original")
        >>> [int(row["label"]) for row in data.create_dict_iterator(num_epochs=1)]
        [1]
        >>> folder.cleanup()
    """

    usages = ("10fold", "train", "test", "all")

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, task: Literal["people", "pairs"] | None = None, usage: str | None = None,
        image_set: Literal["original", "funneled", "deepfunneled"] | None = None, num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: bool | None = None, decode: bool | None = False,
        sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.task = task or "people"
        self.image_set = image_set or "funneled"
        self.columns = ["image", "label"] if self.task == "people" else ["image1", "image2", "label"]

    def _find(self) -> list[tuple[Any, ...]]:
        entries = [line.split() for name in _LISTS[self.task, self.usage] for line in lines_of(self._path(name))]
        if self.task == "pairs":
            return [self._pair(entry) for entry in entries if len(entry) in (3, 4)]
        people = {line.split()[0]: label for label, line in enumerate(lines_of(self._path("lfw-names.txt")))}
        return [
            (self._image(entry[0], number), np.uint32(people[entry[0]]))
            for entry in entries
            if len(entry) == 2 and not entry[0].isdigit()
            for number in range(1, int(entry[1]) + 1)
        ]

    def _pair(self, entry: list[str]) -> tuple[Any, ...]:
        if len(entry) == 3:
            person, first, second = entry
            return self._image(person, int(first)), self._image(person, int(second)), np.uint32(1)
        person, first, other, second = entry
        return self._image(person, int(first)), self._image(other, int(second)), np.uint32(0)

    def _image(self, person: str, number: int) -> Picture:
        folder = {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}[self.image_set]
        return Picture(self._path(folder, person, f"{person}_{number:04}.jpg"))
