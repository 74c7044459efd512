"""Sources that are not a published data set: a folder of images for each class, a manifest, and noise.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.dataset import config
from torchspore.dataset.checks import as_names, indexes
from torchspore.dataset.parameters import (
    Cache,
    Count,
    File,
    Folder,
    Int32,
    Natural,
    Shard,
    Whole,
    Workers,
    checked,
    extends,
)
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.values import Array, Row
from torchspore.dataset.sources.folders import Picture, Records, lines_of, listed, rows_of
from torchspore.dataset.sources.objects import MappableDataset
from torchspore.dataset.sources.schema import Schema
from torchspore.engine.parameters import Where
from torchspore.engine.storage.reading import parse_json

__all__ = ["FakeImageDataset", "ImageFolderDataset", "ManifestDataset", "RandomDataset"]

_Size: TypeAlias = Annotated[
    Sequence[Natural], Where("(height, width, channels)", lambda size: len(size) == 3, TypeError)
]


class FakeImageDataset(MappableDataset):
    """Images of noise, of uint8, and labels of uint32, for trying out programs; a seed always yields the same ones.

    Args:
        num_images: the number of images. Default: 1000.
        image_size: (height, width, channels). Default: (224, 224, 3).
        num_classes: the number of classes. Default: 10.
        base_seed: the seed of the first image; each further one adds 1. Default: 0.
        num_parallel_workers: the number of images to make at a time. Default: None, several if that is faster.
        num_samples, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.FakeImageDataset(num_images=2, image_size=(4, 5, 3))
        >>> [row["image"].shape for row in data.create_dict_iterator(num_epochs=1)]
        [(4, 5, 3), (4, 5, 3)]
    """

    columns = ("image", "label")

    @extends(MappableDataset)
    def __init__(
        self, num_images: Natural = 1000, image_size: _Size = (224, 224, 3), num_classes: Natural = 10,
        base_seed: Whole = 0, num_samples: Count = None, num_parallel_workers: Workers = None,
        shuffle: bool | None = None, sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None,
        cache: Cache = None,
    ) -> None:  # fmt: skip
        self.num_images = num_images
        self.image_size = tuple(image_size)
        self.class_count = num_classes
        self.base_seed = base_seed
        self.num_parallel_workers = num_parallel_workers

    def _length(self) -> int:
        return self.num_images

    def labels(self, column: str) -> Array:
        """Return the labels of all rows."""
        return np.array([self._image(position)[1] for position in range(self.num_images)])

    def num_classes(self) -> int:
        """Return the number of classes."""
        return self.class_count

    def _rows(self, run: Run) -> Iterator[Row]:
        return rows_of(self, run, self._image, self.num_parallel_workers)

    def _image(self, position: int) -> Row:
        random = np.random.default_rng(self.base_seed + position)
        image = random.integers(0, 256, self.image_size, np.uint8)
        return image, np.array(random.integers(self.class_count), np.uint32)


class RandomDataset(MappableDataset):
    """Rows of noise, for trying out programs: all bytes of a value are equal; a seed always yields the same ones.

    Args:
        total_rows: the number of rows. Default: None, a random one.
        schema: a `Schema`, or its JSON file, with names, types and shapes. Default: None, random ones.
        columns_list: the names of the columns, some of the schema's. Default: None, the schema's, or "c0", "c1" ...
        num_parallel_workers: has no effect, as rows are made quickly.
        num_samples, shuffle, num_shards, shard_id, cache: as for `MappableDataset`.

    Raises:
        RuntimeError: `schema` does not have a column of `columns_list`.

    Examples:
        >>> import torchspore as ms
        >>> import torchspore.dataset as ds
        >>> schema = ds.Schema()
        >>> schema.add_column("x", ms.int32, [2, 3])
        >>> [row["x"].shape for row in ds.RandomDataset(2, schema).create_dict_iterator(num_epochs=1)]
        [(2, 3), (2, 3)]
    """

    @extends(MappableDataset)
    def __init__(
        self, total_rows: Natural | None = None, schema: Schema | str | None = None,
        columns_list: list[str] | None = None, num_samples: Count = None, num_parallel_workers: Workers = None,
        cache: Cache = None, shuffle: bool | None = None, num_shards: Shard = None, shard_id: Shard = None,
    ) -> None:  # fmt: skip
        self._seed = config.get_seed()
        random = np.random.default_rng(self._seed)
        self.total_rows = int(random.integers(1, 1000)) if total_rows is None else total_rows
        wanted = None if columns_list is None else as_names("RandomDataset", "columns_list", columns_list)
        if schema is None:
            described = _random_columns(random, wanted)
        else:
            columns = (schema if isinstance(schema, Schema) else Schema(schema)).columns
            kinds = {column["name"]: (np.dtype(column["type"]), column.get("shape", [])) for column in columns}
            indexes("RandomDataset", list(kinds), wanted or [])
            described = {name: kinds[name] for name in wanted or kinds}
        self.columns = list(described)
        self._kinds = list(described.values())

    def _length(self) -> int:
        return self.total_rows

    def _rows(self, run: Run) -> Iterator[Row]:
        return map(self._row, self._positions(run))

    def _row(self, position: int) -> Row:
        random = np.random.default_rng([self._seed, position])
        return tuple([_filled(kind, shape, int(random.integers(256))) for kind, shape in self._kinds])


def _random_columns(random: np.random.Generator, names: list[str] | None) -> dict[str, tuple[np.dtype[Any], list[int]]]:
    chosen = [f"c{number}" for number in range(random.integers(1, 5))] if names is None else names
    kinds = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
    return {
        name: (np.dtype(kinds[random.integers(len(kinds))]), random.integers(1, 30, random.integers(4)).tolist())
        for name in chosen
    }


def _filled(kind: np.dtype[Any], shape: list[int], byte: int) -> Array:
    if kind == np.bool_:
        return np.full(shape, byte > 0)
    return np.full([*[max(size, 1) for size in shape], kind.itemsize], byte, np.uint8).view(kind)[..., 0].copy()


class ImageFolderDataset(Records):
    """Image files in a folder for each class: the bytes of a file, or its image, and the number of the class, of int32.

    Args:
        dataset_dir: the folder of the folders.
        num_parallel_workers: the number of files to read at a time. Default: None, several if that is faster.
        extensions: the endings of file names, for example [".jpg"]. Default: None, all files.
        class_indexing: the numbers of the classes by folder name; other folders are left out. Default: None, all
            folders are numbered in the order of their names.
        decode: return images (height, width, 3) of uint8 instead of the bytes. Default: False.
        decrypt: a function that returns the content of the file at a path. Default: None, the file is read.
        num_samples, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import os, tempfile
        >>> from PIL import Image
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name in ("cat", "dog"):
        ...     os.mkdir(f"{folder.name}/{name}")
        ...     Image.new("RGB", (5, 4)).save(f"{folder.name}/{name}/1.png")
        >>> data = ds.ImageFolderDataset(folder.name, decode=True, shuffle=False)
        >>> for row in data.create_dict_iterator(num_epochs=1):
        ...     print(row["image"].shape, row["label"])
        (4, 5, 3) 0
        (4, 5, 3) 1
        >>> data.get_class_indexing()
        {'cat': 0, 'dog': 1}
        >>> folder.cleanup()
    """

    columns = ("image", "label")

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, num_samples: Count = None, num_parallel_workers: Workers = None,
        shuffle: bool | None = None, sampler: Any = None,
        extensions: Sequence[str] | set[str] | frozenset[str] | None = None,
        class_indexing: dict[str, Int32] | None = None, decode: bool | None = False, num_shards: Shard = None,
        shard_id: Shard = None, cache: Cache = None, decrypt: Callable[[str], bytes] | None = None,
    ) -> None:  # fmt: skip
        self.extensions = frozenset(extensions or ())
        self.class_indexing = class_indexing or None

    def get_class_indexing(self) -> dict[str, int]:
        """Return the numbers of the classes by folder name."""
        if self.class_indexing is not None:
            return dict(self.class_indexing)
        return {name: number for number, name in enumerate(listed(self.dataset_dir, folders=True))}

    def num_classes(self) -> int:
        """Return the number of classes."""
        return len(self.get_class_indexing())

    def _find(self) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for name, label in sorted(self.get_class_indexing().items()):
            found += [(Picture(path), np.int32(label)) for path in self._files_in(os.path.join(self.dataset_dir, name))]
        if not found:
            ending = f" that end in {sorted(self.extensions)}" if self.extensions else ""
            raise ValueError(f"its folders must have files{ending}, but there are none.")
        return found

    def _files_in(self, folder: str) -> list[str]:
        """Return the files of a class; a folder is not one."""
        if not os.path.isdir(folder):  # a class that `class_indexing` names
            return []
        if self.extensions:
            return [
                os.path.join(folder, name) for name in listed(folder) if os.path.splitext(name)[1] in self.extensions
            ]
        inner = listed(folder, folders=True)
        if inner:
            raise ValueError(
                f"the folder of a class must have files only, but {folder!r} has the folder {inner[0]!r}: give "
                f"'extensions' to leave it out."
            )
        return [os.path.join(folder, name) for name in listed(folder)]


class ManifestDataset(Records):
    """The images that a manifest file lists, with a line of JSON for each, and the number of the class, of int32.

    A line has "source", the path; "usage"; and "annotation", a list whose first object has the class as "name".

    Args:
        dataset_file: the path of the manifest.
        usage: "train", "eval" or "inference": the lines to take. Default: "train".
        class_indexing: the numbers of the classes by name; others are left out. Default: None, the classes of the lines
            taken are numbered in the order of their names.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import json, pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> _ = pathlib.Path(folder.name, "1.jpg").write_bytes(b"an image")
        >>> line = {"source": f"{folder.name}/1.jpg", "usage": "train", "annotation": [{"name": "cat"}]}
        >>> _ = pathlib.Path(folder.name, "all.manifest").write_text(json.dumps(line))
        >>> data = ds.ManifestDataset(f"{folder.name}/all.manifest")
        >>> [(row["image"].shape, int(row["label"])) for row in data.create_dict_iterator(num_epochs=1)]
        [((8,), 0)]
        >>> data.get_class_indexing()
        {'cat': 0}
        >>> folder.cleanup()
    """

    usages = ("train", "eval", "inference")
    default_usage = "train"

    @checked()
    def __init__(
        self, dataset_file: File, usage: str | None = "train", num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: bool | None = None, sampler: Any = None,
        class_indexing: dict[str, Int32] | None = None, decode: bool | None = False, num_shards: Shard = None,
        shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.dataset_file = os.fspath(dataset_file)
        folder = os.path.dirname(os.path.abspath(dataset_file))
        super().__init__(
            folder, usage, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id, cache
        )
        self.class_indexing = class_indexing or None
        self._classes: dict[str, int] = {}

    def get_class_indexing(self) -> dict[str, int]:
        """Return the numbers of the classes by name."""
        self._records()
        return dict(self._classes)

    def num_classes(self) -> int:
        """Return the number of classes."""
        return len(self.get_class_indexing())

    def _find(self) -> list[tuple[Any, ...]]:
        lines = [parse_json(line) for line in lines_of(self.dataset_file)]
        taken = [(line["source"], line["annotation"][0]["name"]) for line in lines if line["usage"] == self.usage]
        names = sorted({name for _, name in taken})
        self._classes = self.class_indexing or {name: number for number, name in enumerate(names)}
        return [(Picture(path), np.int32(self._classes[name])) for path, name in taken if name in self._classes]
