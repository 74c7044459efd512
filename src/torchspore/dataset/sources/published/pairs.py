"""Pairs of pictures: large and small ones, or patches that show the same point.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

import functools
import os
from typing import Any, Literal, TypeAlias

import numpy as np

from torchspore.dataset.parameters import Cache, Count, Folder, Natural, Shard, Workers, extends
from torchspore.dataset.rows.values import Array
from torchspore.dataset.sources.folders import FolderDataset, Picture, Read, Records, lines_of, picture_paths
from torchspore.dataset.vision.conversion import decoded
from torchspore.engine.parameters import Rule
from torchspore.engine.storage.reading import read_bytes

__all__ = ["DIV2KDataset", "PhotoTourDataset"]

_Place: TypeAlias = Literal[
    "notredame", "yosemite", "liberty", "notredame_harris", "yosemite_harris", "liberty_harris"
]  # fmt: skip
_DOWNGRADES = {"bicubic": (2, 3, 4, 8), "unknown": (2, 3, 4), "mild": (4,), "difficult": (4,), "wild": (4,)}


class DIV2KDataset(Records):
    """The pairs of images of DIV2K, for super-resolution: columns "hr_image" and "lr_image".

    Args:
        dataset_dir: the folder, with "DIV2K_train_HR", "DIV2K_train_LR_bicubic" and so on.
        usage: "train", "valid" or "all". Default: "train".
        downgrade: how the small images were made: "bicubic", "unknown", "mild", "difficult" or "wild".
            Default: "bicubic".
        scale: how much smaller they are: 2, 3 or 4, for "bicubic" also 8, for "mild", "difficult" and "wild" only 4.
            Default: 2.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: None, False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Raises:
        ValueError: there are no images of this `scale` for `downgrade`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name in ("DIV2K_train_HR/0001.png", "DIV2K_train_LR_bicubic/X2/0001x2.png"):
        ...     path = pathlib.Path(folder.name, name)
        ...     path.parent.mkdir(parents=True)
        ...     _ = path.write_bytes(b"an image")
        >>> data = ds.DIV2KDataset(folder.name)
        >>> [list(row) for row in data.create_dict_iterator(num_epochs=1)]
        [['hr_image', 'lr_image']]
        >>> folder.cleanup()
    """

    columns = ("hr_image", "lr_image")
    usages = ("train", "valid", "all")

    @extends(
        Records,
        Rule("'scale' must be one of those of 'downgrade'", lambda downgrade, scale: scale in _DOWNGRADES[downgrade]),
    )
    def __init__(
        self, dataset_dir: Folder, usage: str | None = "train",
        downgrade: Literal["bicubic", "unknown", "mild", "difficult", "wild"] = "bicubic", scale: Natural = 2,
        num_samples: Count = None, num_parallel_workers: Workers = None, shuffle: bool | None = None,
        decode: bool | None = None, sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None,
        cache: Cache = None,
    ) -> None:  # fmt: skip
        self.downgrade = downgrade
        self.scale = scale

    def _find(self) -> list[tuple[Any, ...]]:
        return [
            (Picture(path), Picture(self._small(part, os.path.basename(path).rpartition(".")[0])))
            for part in self._parts()
            for path in picture_paths(self._path(f"DIV2K_{part}_HR"))
        ]

    def _small(self, part: str, name: str) -> str:
        if self.scale == 8:
            return self._path(f"DIV2K_{part}_LR_x8", f"{name}x8.png")
        folder = f"DIV2K_{part}_LR_{self.downgrade}"
        if self.downgrade in ("bicubic", "unknown"):
            return self._path(folder, f"X{self.scale}", f"{name}x{self.scale}.png")
        return self._path(folder, f"{name}x4{self.downgrade[0]}.png")


class PhotoTourDataset(Records, FolderDataset):
    """The patches of PhotoTour, (64, 64, 1) of uint8: single ones, or pairs that show the same point or not.

    Args:
        dataset_dir: the folder, with a folder for each `name`.
        name: "notredame", "yosemite", "liberty", or one of them with "_harris".
        usage: "train" for the column "image", or "test" for "image1", "image2" and "matches", of uint32.
            Default: None, "train".
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> from PIL import Image
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = pathlib.Path(folder.name, "liberty")
        >>> path.mkdir()
        >>> Image.new("L", (1024, 1024)).save(path / "patches0000.bmp")
        >>> _ = (path / "info.txt").write_text("0 0\\n0 0\\n1 0\\n")  # the point of each patch
        >>> data = ds.PhotoTourDataset(folder.name, "liberty")
        >>> [row["image"].shape for row in data.create_dict_iterator(num_epochs=1)]
        [(64, 64, 1), (64, 64, 1), (64, 64, 1)]
        >>> folder.cleanup()
    """

    usages = ("train", "test")
    default_usage = "train"

    @extends(FolderDataset)
    def __init__(
        self, dataset_dir: Folder, name: _Place, usage: str | None = None, num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: bool | None = None, sampler: Any = None,
        num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.name = name
        self.columns = ["image"] if self.usage == "train" else ["image1", "image2", "matches"]

    def _find(self) -> list[tuple[Any, ...]]:
        count = len(lines_of(self._path(self.name, "info.txt")))
        if self.usage == "train":
            return [(self._patch(number),) for number in range(count)]
        found: list[tuple[Any, ...]] = []
        for line in lines_of(self._path(self.name, "m50_100000_100000_0.txt")):
            first, point, _, second, other, *_ = map(int, line.split())
            if not 0 <= first < count or not 0 <= second < count:
                raise ValueError(f"there are {count} patches, but a pair names {first} and {second}.")
            found.append((self._patch(first), self._patch(second), np.uint32(point == other)))
        return found

    def _patch(self, number: int) -> Read:
        sheet, place = divmod(number, 256)
        return Read(functools.partial(_patch, place), self._path(self.name, f"patches{sheet:04}.bmp"))


def _patch(place: int, path: str) -> Array:
    row, column = divmod(place, 16)
    patch = _sheet(path)[64 * row : 64 * row + 64, 64 * column : 64 * column + 64, None]
    if patch.shape != (64, 64, 1):
        raise ValueError("it must have 1024 x 1024 pixels")
    return patch.copy()


@functools.lru_cache(maxsize=8)
def _sheet(path: str) -> Array:
    return np.asarray(decoded("PhotoTourDataset", read_bytes(path), lambda image: np.array(image.convert("L"))))
