"""Pictures with descriptions.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from torchspore.dataset.parameters import Cache, Count, File, Folder, Shard, Workers, extends
from torchspore.dataset.sources.folders import Picture, Records, WholePictures, lines_of
from torchspore.engine.storage.reading import read_text

__all__ = ["FlickrDataset", "SBUDataset"]


class FlickrDataset(Records):
    """The images of Flickr8k or Flickr30k, with an array of their five descriptions in the column "annotation".

    Args:
        dataset_dir: the folder of the images.
        annotation_file: the file of the descriptions, with lines such as "1.jpg#0", a tab, and a text.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: None, False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> _ = pathlib.Path(folder.name, "1.jpg").write_bytes(b"an image")
        >>> text = "".join(f"1.jpg#{number}\\tDog {number}.\\n" for number in range(5))
        >>> _ = pathlib.Path(folder.name, "tokens.txt").write_text(text)
        >>> data = ds.FlickrDataset(folder.name, f"{folder.name}/tokens.txt")
        >>> for row in data.create_dict_iterator(num_epochs=1):
        ...     print(row["annotation"])
        ['Dog 0.' 'Dog 1.' 'Dog 2.' 'Dog 3.' 'Dog 4.']
        >>> folder.cleanup()
    """

    columns = ("image", "annotation")

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, annotation_file: File, num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: bool | None = None, decode: bool | None = None,
        sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.annotation_file = os.fspath(annotation_file)

    def _find(self) -> list[tuple[Any, ...]]:
        texts: dict[str, list[str]] = {}
        for line in lines_of(self.annotation_file):
            name, _, text = line.partition("\t")
            texts.setdefault(name.rpartition("#")[0], []).append(text)
        return [(Picture(self._path(name)), np.array(listing)) for name, listing in sorted(texts.items())]


class SBUDataset(Records, WholePictures):
    """The photographs of SBU with their captions; those without a file are left out.

    Args:
        dataset_dir: the folder, with "SBU_captioned_photo_dataset_urls.txt", "SBU_captioned_photo_dataset_captions.txt"
            and "sbu_images".
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> root = pathlib.Path(folder.name)
        >>> (root / "sbu_images").mkdir()
        >>> _ = (root / "sbu_images" / "m_3326_42_cd.jpg").write_bytes(b"an image")
        >>> url = "http://static.flickr.com/3326/42_cd.jpg"
        >>> _ = (root / "SBU_captioned_photo_dataset_urls.txt").write_text(url)
        >>> _ = (root / "SBU_captioned_photo_dataset_captions.txt").write_text("A red house.")
        >>> for row in ds.SBUDataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["caption"])
        A red house.
        >>> folder.cleanup()
    """

    columns = ("image", "caption")

    def _find(self) -> list[tuple[Any, ...]]:
        urls, captions = [
            read_text(self._path(f"SBU_captioned_photo_dataset_{kind}.txt")).split("\n")
            for kind in ("urls", "captions")
        ]
        names = ["m_" + "_".join(url.strip().split("/")[3:]) for url in urls]
        paths = [self._path("sbu_images", name) for name in names]
        return [(Picture(path), np.array(text.rstrip())) for path, text in zip(paths, captions) if os.path.isfile(path)]
