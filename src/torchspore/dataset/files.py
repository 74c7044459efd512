"""Sources of images: MNIST, CIFAR, a folder for each class, and noise."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from torchspore.dataset.checks import check_folder, check_no_cache, check_workers
from torchspore.dataset.folders import FolderDataset, LabelledFiles
from torchspore.dataset.mapping import computed
from torchspore.dataset.run import Run
from torchspore.dataset.sources import ArrayStore, MappableDataset
from torchspore.dataset.values import Array, Row
from torchspore.dataset.vision.conversion import decoded, in_color
from torchspore.engine.checks import check_bool, check_callable, check_int
from torchspore.engine.reading import check_regular, read_bytes

__all__ = ["Cifar10Dataset", "Cifar100Dataset", "FakeImageDataset", "ImageFolderDataset", "MnistDataset"]

_EXTENSIONS = [".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"]


class _InMemory(FolderDataset):
    """A source whose arrays are read when the first row is asked for."""

    _loaded: ArrayStore | None = None

    def _store(self) -> ArrayStore:
        if self._loaded is None:
            self._loaded = ArrayStore(self._load())
        return self._loaded

    def _load(self) -> Sequence[Array]:
        raise NotImplementedError

    def _there(self, names: list[str]) -> list[str]:
        """Return the files that the folder has, or all if it has none, for the error."""
        return [name for name in names if os.path.exists(os.path.join(self.dataset_dir, name))] or names

    def _bytes(self, name: str) -> Array:
        path = os.path.join(self.dataset_dir, name)
        try:
            check_regular(path)
            return np.fromfile(path, np.uint8)
        except OSError as error:
            raise RuntimeError(
                f"For '{type(self).__name__}', the folder must have the file {name!r}, but it cannot be read: {error}"
            ) from error


class MnistDataset(_InMemory):
    """The handwritten digits of MNIST, and data in that format: images (28, 28, 1) of uint8, labels of uint32.

    Args:
        dataset_dir: the folder with "train-images-idx3-ubyte", "train-labels-idx1-ubyte" and the same with "t10k".
        usage: "train", "test" or "all". Default: None, "all": the parts that there are, the test images first.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import struct, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> with open(f"{folder.name}/train-images-idx3-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">4i", 2051, 2, 28, 28) + bytes(2 * 28 * 28))
        >>> with open(f"{folder.name}/train-labels-idx1-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">2i", 2049, 2) + bytes([7, 4]))
        >>> for row in ds.MnistDataset(folder.name, "train", shuffle=False).create_dict_iterator(num_epochs=1):
        ...     print(row["image"].shape, row["label"])
        (28, 28, 1) 7
        (28, 28, 1) 4
        >>> folder.cleanup()
    """

    def _load(self) -> Sequence[Array]:
        parts = {"train": ["train"], "test": ["t10k"], "all": ["t10k", "train"]}[self.usage]
        images_there = self._there([f"{part}-images-idx3-ubyte" for part in parts])
        parts = [name.partition("-")[0] for name in images_there]
        images = [self._idx(f"{part}-images-idx3-ubyte", 3)[..., None] for part in parts]
        labels = [self._idx(f"{part}-labels-idx1-ubyte", 1).astype(np.uint32) for part in parts]
        if [len(each) for each in images] != [len(each) for each in labels]:
            raise RuntimeError(f"For 'MnistDataset', the files of {parts} must have a label for each image.")
        return np.concatenate(images), np.concatenate(labels)

    def _idx(self, name: str, rank: int) -> Array:
        content = self._bytes(name)
        head = content[: 4 * (rank + 1)].view(">i4") if len(content) >= 4 * (rank + 1) else [0]
        if head[0] != 0x800 + rank or len(content) != 4 * (rank + 1) + int(np.prod(head[1:], dtype=np.int64)):
            raise RuntimeError(
                f"For 'MnistDataset', the file {name!r} must be an idx file of bytes of {rank} dimensions."
            )
        return content[4 * (rank + 1) :].reshape(head[1:])


class _Cifar(_InMemory):
    """CIFAR's binary files: for each row the bytes of its labels, then the planes of an image."""

    _files: dict[str, list[str]]
    _labels: int

    def _load(self) -> Sequence[Array]:
        length = self._labels + 3 * 32 * 32
        rows = []
        for name in self._there([file for part in self._parts() for file in self._files[part]]):
            content = self._bytes(name)
            if len(content) % length:
                raise RuntimeError(
                    f"For '{type(self).__name__}', the file {name!r} must have {length} bytes for each image."
                )
            rows.append(content.reshape(-1, length))
        joined = np.concatenate(rows)
        images = joined[:, self._labels :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        labels = [joined[:, index].astype(np.uint32) for index in range(self._labels)]
        return [np.ascontiguousarray(images), *labels[::-1]]


class Cifar10Dataset(_Cifar):
    """The images of CIFAR-10 in its binary format: images (32, 32, 3) of uint8, labels of uint32.

    Args:
        dataset_dir: the folder with "data_batch_1.bin" to "data_batch_5.bin" and "test_batch.bin".
        usage: "train", "test" or "all"; of their files, those that there are. Default: None, "all".
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> with open(f"{folder.name}/test_batch.bin", "wb") as file:
        ...     _ = file.write(bytes([6]) + bytes(3072))
        >>> for row in ds.Cifar10Dataset(folder.name, "test").create_dict_iterator(num_epochs=1):
        ...     print(row["image"].shape, row["label"])
        (32, 32, 3) 6
        >>> folder.cleanup()
    """

    _files = {"train": [f"data_batch_{number}.bin" for number in range(1, 6)], "test": ["test_batch.bin"]}  # noqa: RUF012
    _labels = 1


class Cifar100Dataset(_Cifar):
    """The images of CIFAR-100 in its binary format: images (32, 32, 3) of uint8, two labels of uint32.

    Args:
        dataset_dir: the folder with "train.bin" and "test.bin".
        usage: "train", "test" or "all". Default: None, "all".
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> with open(f"{folder.name}/test.bin", "wb") as file:
        ...     _ = file.write(bytes([4, 51]) + bytes(3072))
        >>> for row in ds.Cifar100Dataset(folder.name, "test").create_dict_iterator(num_epochs=1):
        ...     print(row["fine_label"], row["coarse_label"])
        51 4
        >>> folder.cleanup()
    """

    columns = ("image", "fine_label", "coarse_label")
    _files = {"train": ["train.bin"], "test": ["test.bin"]}  # noqa: RUF012
    _labels = 2


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

    def __init__(
        self,
        num_images: int = 1000,
        image_size: Sequence[int] = (224, 224, 3),
        num_classes: int = 10,
        base_seed: int = 0,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: Any = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: None = None,
    ) -> None:
        super().__init__(sampler, num_samples, shuffle, num_shards, shard_id)
        api = "FakeImageDataset"
        self.num_images = check_int(num_images, "num_images", api)
        if not isinstance(image_size, (list, tuple)) or len(image_size) != 3:
            raise TypeError(f"For '{api}', 'image_size' must be (height, width, channels), but got {image_size!r}.")
        self.image_size = tuple([check_int(each, "image_size", api) for each in image_size])
        self.class_count = check_int(num_classes, "num_classes", api)
        self.base_seed = check_int(base_seed, "base_seed", api, minimum=0)
        self.num_parallel_workers = check_workers(api, num_parallel_workers)
        check_no_cache(api, cache)

    def _length(self) -> int:
        return self.num_images

    def labels(self, column: str) -> Array:
        """Return the labels of all rows."""
        return np.array([self._image(position)[1] for position in range(self.num_images)])

    def num_classes(self) -> int:
        """Return the number of classes."""
        return self.class_count

    def _rows(self, run: Run) -> Iterator[Row]:
        return _made(self, run, self._image, self._positions(run), self.num_parallel_workers)

    def _image(self, position: int) -> Row:
        random = np.random.default_rng(self.base_seed + position)
        image = random.integers(0, 256, self.image_size, np.uint8)
        return image, np.array(random.integers(self.class_count), np.uint32)


def _made(
    dataset: MappableDataset, run: Run, method: Callable[[int], Row], positions: Iterator[int], workers: int | None
) -> Iterator[Row]:
    call: Any = functools.partial(method)
    call.long_and_safe = True
    rows = computed(dataset, run, type(dataset).__name__, [call], call, positions, workers=workers, processes=False)
    return (row for _, row in rows)


class ImageFolderDataset(LabelledFiles):
    """Image files in a folder for each class: the bytes of a file, or its image, and the number of the class, of int32.

    Args:
        dataset_dir: the folder of the folders.
        num_parallel_workers: the number of files to read at a time. Default: None, several if that is faster.
        extensions: the endings of file names, for example [".jpg"]. Default: None, those of common image formats.
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

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: Any = None,
        sampler: Any = None,
        extensions: Sequence[str] | None = None,
        class_indexing: dict[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: None = None,
        decrypt: Callable[[str], bytes] | None = None,
    ) -> None:
        super().__init__(sampler, num_samples, shuffle, num_shards, shard_id)
        api = "ImageFolderDataset"
        self.dataset_dir = check_folder(api, dataset_dir)
        self.num_parallel_workers = check_workers(api, num_parallel_workers)
        listed = _EXTENSIONS if extensions is None else extensions
        if isinstance(listed, str) or not all(isinstance(each, str) for each in listed):
            raise TypeError(f"For '{api}', 'extensions' must be a list of strs, but got {extensions!r}.")
        self.extensions = tuple([each.lower() for each in listed])
        if class_indexing is not None and not isinstance(class_indexing, dict):
            raise TypeError(f"For '{api}', 'class_indexing' must be a dict, but got {class_indexing!r}.")
        self.class_indexing = class_indexing
        self.decode = check_bool(decode, "decode", api)
        self.decrypt = check_callable(decrypt, "decrypt", api, optional=True)
        check_no_cache(api, cache)

    def get_class_indexing(self) -> dict[str, int]:
        """Return the numbers of the classes by folder name."""
        if self.class_indexing is not None:
            return dict(self.class_indexing)
        folders = sorted(entry.name for entry in os.scandir(self.dataset_dir) if entry.is_dir())
        return {name: number for number, name in enumerate(folders)}

    def num_classes(self) -> int:
        """Return the number of classes."""
        return len(self.get_class_indexing())

    def _find(self) -> list[tuple[str, int]]:
        found = []
        for name, label in sorted(self.get_class_indexing().items()):
            for folder, folders, files in os.walk(os.path.join(self.dataset_dir, name)):
                folders.sort()
                matching = sorted(file for file in files if file.lower().endswith(self.extensions))
                found += [(os.path.join(folder, file), label) for file in matching]
        if not found:
            raise RuntimeError(
                f"For 'ImageFolderDataset', the folders of {self.dataset_dir!r} must have files that end in "
                f"{list(self.extensions)}, but there are none."
            )
        return found

    def _rows(self, run: Run) -> Iterator[Row]:
        return _made(self, run, self._row, self._positions(run), self.num_parallel_workers)

    def _content(self, path: str) -> Array:
        content = read_bytes(path) if self.decrypt is None else self.decrypt(path)
        if self.decode:
            return decoded("ImageFolderDataset", content, in_color)
        return np.frombuffer(content, np.uint8).copy()
