"""Small images that lie in a few files: MNIST and its relatives, CIFAR, SVHN, STL-10, Semeion, USPS.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from torchspore.dataset.parameters import Cache, Count, Folder, Shard, Workers, extends
from torchspore.dataset.rows.values import Array, Row
from torchspore.dataset.sources.folders import ArrayFolder, WholeFolder, lines_of, read_mat
from torchspore.dataset.sources.text_corpora import Corpus
from torchspore.engine.storage.reading import idx_array

__all__ = [
    "Cifar10Dataset", "Cifar100Dataset", "EMnistDataset", "FashionMnistDataset", "KMnistDataset", "MnistDataset",
    "QMnistDataset", "STL10Dataset", "SVHNDataset", "SemeionDataset", "USPSDataset",
]  # fmt: skip


class _Idx(ArrayFolder):
    """Files in MNIST's format: arrays of bytes or ints, one with the images and one with the labels of each part."""

    _parts_there: dict[str, list[tuple[str, str]]] = {  # noqa: RUF012
        "test": [("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")],
        "train": [("train-images-idx3-ubyte", "train-labels-idx1-ubyte")],
    }
    _label_rank, _label_kind = 1, 0x8

    def _pairs(self) -> list[tuple[str, str]]:
        """Return the files of images and of labels of each part."""
        return [pair for part, pairs in self._parts_there.items() for pair in pairs if self.usage in (part, "all")]

    def _load(self) -> Sequence[Array]:
        pairs = self._pairs()
        there = self._there([images for images, _ in pairs])
        pairs = [pair for pair in pairs if pair[0] in there]
        images = [self._idx(name, 3)[..., None] for name, _ in pairs]
        labels = [self._labels_of(self._idx(name, self._label_rank, self._label_kind)) for _, name in pairs]
        if [len(each) for each in images] != [len(each) for each in labels]:
            raise RuntimeError(
                f"For '{type(self).__name__}', the files {pairs} must have a label for each image, but they have "
                f"{[len(each) for each in images]} images and {[len(each) for each in labels]} labels."
            )
        return np.concatenate(images), np.concatenate(labels)

    def _labels_of(self, stored: Array) -> Array:
        return stored.astype(np.uint32)

    def _idx(self, name: str, rank: int, code: int = 0x8) -> Array:
        try:
            return idx_array(self._bytes(name), rank, code)
        except ValueError as error:
            raise RuntimeError(
                f"For '{type(self).__name__}', the file {name!r} {str(error).removeprefix('it ')}."
            ) from error


class MnistDataset(_Idx):
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


class FashionMnistDataset(_Idx):
    """The clothes of Fashion-MNIST, in the format of MNIST: images (28, 28, 1) of uint8, labels of uint32.

    Args:
        dataset_dir: the folder, with the files of `MnistDataset`.
        usage: "train", "test" or "all". Default: None, "all": the parts that there are, the test images first.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import struct, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> with open(f"{folder.name}/train-images-idx3-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">4i", 2051, 1, 28, 28) + bytes(28 * 28))
        >>> with open(f"{folder.name}/train-labels-idx1-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">2i", 2049, 1) + bytes([9]))
        >>> for row in ds.FashionMnistDataset(folder.name, "train").create_dict_iterator(num_epochs=1):
        ...     print(row["image"].shape, row["label"])
        (28, 28, 1) 9
        >>> folder.cleanup()
    """


class KMnistDataset(_Idx):
    """The Japanese letters of Kuzushiji-MNIST, in the format of MNIST; everything as for `FashionMnistDataset`.

    Examples:
        >>> import struct, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> with open(f"{folder.name}/t10k-images-idx3-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">4i", 2051, 1, 28, 28) + bytes(28 * 28))
        >>> with open(f"{folder.name}/t10k-labels-idx1-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">2i", 2049, 1) + bytes([3]))
        >>> for row in ds.KMnistDataset(folder.name, "test").create_dict_iterator(num_epochs=1):
        ...     print(row["image"].shape, row["label"])
        (28, 28, 1) 3
        >>> folder.cleanup()
    """


class EMnistDataset(_Idx):
    """The letters and digits of EMNIST, in the format of MNIST: images (28, 28, 1) of uint8, labels of uint32.

    Args:
        dataset_dir: the folder, with files such as "emnist-letters-train-images-idx3-ubyte".
        name: the split: "byclass", "bymerge", "balanced", "letters", "digits" or "mnist".
        usage: "train", "test" or "all". Default: None, "all": the test images first.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import struct, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> with open(f"{folder.name}/emnist-digits-test-images-idx3-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">4i", 2051, 1, 28, 28) + bytes(28 * 28))
        >>> with open(f"{folder.name}/emnist-digits-test-labels-idx1-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">2i", 2049, 1) + bytes([3]))
        >>> for row in ds.EMnistDataset(folder.name, "digits", "test").create_dict_iterator(num_epochs=1):
        ...     print(row["image"].shape, row["label"])
        (28, 28, 1) 3
        >>> folder.cleanup()
    """

    @extends(_Idx)
    def __init__(
        self, dataset_dir: Folder, name: Literal["byclass", "bymerge", "balanced", "letters", "digits", "mnist"],
        usage: str | None = None, num_samples: Count = None, num_parallel_workers: Workers = None,
        shuffle: bool | None = None, sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None,
        cache: Cache = None,
    ) -> None:  # fmt: skip
        self.name = name

    def _pairs(self) -> list[tuple[str, str]]:
        parts = [part for part in ("test", "train") if self.usage in (part, "all")]
        stems = [f"emnist-{self.name}-{part}" for part in parts]
        return [(f"{stem}-images-idx3-ubyte", f"{stem}-labels-idx1-ubyte") for stem in stems]


class QMnistDataset(_Idx):
    """The digits of QMNIST, MNIST's with all that is known of them: images (28, 28, 1) of uint8, labels of uint32.

    Args:
        dataset_dir: the folder, with "qmnist-train-images-idx3-ubyte", "qmnist-train-labels-idx2-int", the same with
            "qmnist-test" and "xnist".
        usage: "train", "test", "test10k", "test50k", "nist" or "all". Default: None, "all".
        compat: label an image with its digit. Otherwise, with all eight numbers of its label. Default: True.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import struct, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> with open(f"{folder.name}/xnist-images-idx3-ubyte", "wb") as file:
        ...     _ = file.write(struct.pack(">4i", 2051, 1, 28, 28) + bytes(28 * 28))
        >>> with open(f"{folder.name}/xnist-labels-idx2-int", "wb") as file:
        ...     _ = file.write(struct.pack(">11i", 0xC02, 1, 8, 7, 6, 5, 4, 3, 2, 1, 0))
        >>> for row in ds.QMnistDataset(folder.name, "nist", compat=False).create_dict_iterator(num_epochs=1):
        ...     print(row["label"])
        [7 6 5 4 3 2 1 0]
        >>> folder.cleanup()
    """

    usages = ("train", "test", "test10k", "test50k", "nist", "all")
    _label_rank, _label_kind = 2, 0xC

    @extends(_Idx)
    def __init__(
        self, dataset_dir: Folder, usage: str | None = None, compat: bool = True, num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: bool | None = None, sampler: Any = None,
        num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.compat = compat

    def _pairs(self) -> list[tuple[str, str]]:
        stems = {"train": "qmnist-train", "test": "qmnist-test", "nist": "xnist"}
        wanted = list(stems) if self.usage == "all" else [self.usage[:4] if "test" in self.usage else self.usage]
        return [(f"{stems[part]}-images-idx3-ubyte", f"{stems[part]}-labels-idx2-int") for part in wanted]

    def _load(self) -> Sequence[Array]:
        part = {"test10k": slice(10_000), "test50k": slice(10_000, None)}.get(self.usage, slice(None))
        return [array[part] for array in super()._load()]

    def _labels_of(self, stored: Array) -> Array:
        if stored.shape[1] != 8:
            raise RuntimeError(f"For 'QMnistDataset', a label must have 8 numbers, but has {stored.shape[1]}.")
        return (stored[:, 0] if self.compat else stored).astype(np.uint32)


class _Cifar(ArrayFolder):
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
        return [np.ascontiguousarray(images), *labels]

    def labels(self, column: str) -> Array:
        """Return the first labels of all rows, whatever column is named."""
        return np.asarray(self._store().columns[1])


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

    columns = ("image", "coarse_label", "fine_label")
    _files = {"train": ["train.bin"], "test": ["test.bin"]}  # noqa: RUF012
    _labels = 2


class STL10Dataset(ArrayFolder):
    """The images of STL-10: images (96, 96, 3) of uint8, labels of int32, -1 for the images without a label.

    Args:
        dataset_dir: the folder, with "train_X.bin", "train_y.bin", "test_X.bin", "test_y.bin" and "unlabeled_X.bin".
        usage: "train", "test", "unlabeled", "train+unlabeled" or "all". Default: None, "all": the test images first.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> _ = pathlib.Path(folder.name, "test_X.bin").write_bytes(bytes(3 * 96 * 96))
        >>> _ = pathlib.Path(folder.name, "test_y.bin").write_bytes(bytes([10]))  # the classes are 1 to 10 in files
        >>> for row in ds.STL10Dataset(folder.name, "test").create_dict_iterator(num_epochs=1):
        ...     print(row["image"].shape, row["label"])
        (96, 96, 3) 9
        >>> folder.cleanup()
    """

    usages = ("train", "test", "unlabeled", "train+unlabeled", "all")

    def _load(self) -> Sequence[Array]:
        parts = ["test", "train", "unlabeled"] if self.usage == "all" else self.usage.split("+")
        images = [self._images(part) for part in parts]
        labels = [self._labels_of(part, len(array)) for part, array in zip(parts, images)]
        return np.concatenate(images), np.concatenate(labels)

    def _images(self, part: str) -> Array:
        content = self._bytes(f"{part}_X.bin")
        if len(content) % (3 * 96 * 96):
            raise RuntimeError(f"For 'STL10Dataset', the file '{part}_X.bin' must have 27648 bytes for each image.")
        return np.ascontiguousarray(content.reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1))

    def _labels_of(self, part: str, count: int) -> Array:
        if part == "unlabeled":
            return np.full(count, -1, np.int32)
        labels = self._bytes(f"{part}_y.bin")
        if len(labels) != count:
            raise RuntimeError(f"For 'STL10Dataset', there are {count} {part} images, but {len(labels)} labels.")
        return labels.astype(np.int32) - 1


class SVHNDataset(ArrayFolder):
    """The house numbers of SVHN, a digit each: images (32, 32, 3) of uint8, labels of uint32.

    Args:
        dataset_dir: the folder, with "train_32x32.mat", "test_32x32.mat" and "extra_32x32.mat".
        usage: "train", "test", "extra" or "all". Default: None, "all".
        num_parallel_workers: has no effect, as the rows lie in memory. Default: 1.
        num_samples, shuffle, sampler, num_shards, shard_id: as for `MappableDataset`.

    Examples:
        >>> import tempfile
        >>> import numpy as np
        >>> from scipy.io import savemat
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> images = np.zeros((32, 32, 3, 1), np.uint8)
        >>> savemat(f"{folder.name}/test_32x32.mat", {"X": images, "y": np.array([[10]])})  # 10 stands for 0
        >>> for row in ds.SVHNDataset(folder.name, "test").create_dict_iterator(num_epochs=1):
        ...     print(row["image"].shape, row["label"])
        (32, 32, 3) 0
        >>> folder.cleanup()
    """

    usages = ("train", "test", "extra", "all")

    @extends(ArrayFolder)
    def __init__(
        self, dataset_dir: Folder, usage: str | None = None, num_samples: Count = None,
        num_parallel_workers: Workers = 1, shuffle: bool | None = None, sampler: Any = None, num_shards: Shard = None,
        shard_id: Shard = None,
    ) -> None: ...  # fmt: skip

    def _load(self) -> Sequence[Array]:
        images, labels = zip(*[self._read(f"{part}_32x32.mat") for part in self._parts()])
        return np.concatenate(images), np.concatenate(labels)

    def _read(self, name: str) -> tuple[Array, Array]:
        try:
            images, labels = read_mat(self._path(name), "X", "y")
            if images.shape != (32, 32, 3, labels.size) or images.dtype != np.uint8:
                raise ValueError(f"'X' must have the shape (32, 32, 3, {labels.size}) of uint8, but has {images.shape}")
        except (OSError, ValueError) as error:
            raise self._unreadable(self._path(name), error) from error
        return np.ascontiguousarray(images.transpose(3, 0, 1, 2)), (labels.ravel() % 10).astype(np.uint32)


class SemeionDataset(WholeFolder, ArrayFolder):
    """The digits of Semeion: images (16, 16) of uint8, 0 or 1, and labels of uint32.

    Args:
        dataset_dir: the folder, with "semeion.data": a line for each digit, 256 pixels and ten numbers, of which one
            is 1.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> line = "1.0000 " * 256 + "0 0 1 0 0 0 0 0 0 0"
        >>> _ = pathlib.Path(folder.name, "semeion.data").write_text(line)
        >>> for row in ds.SemeionDataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["image"].shape, row["label"])
        (16, 16) 2
        >>> folder.cleanup()
    """

    def _load(self) -> Sequence[Array]:
        path = self._path("semeion.data")
        try:
            numbers = np.array([line.split() for line in lines_of(path)], np.float32)
            if numbers.ndim != 2 or numbers.shape[1] != 266:
                raise ValueError("a line must have 266 numbers")
        except (OSError, ValueError) as error:
            raise self._unreadable(path, error) from error
        return numbers[:, :256].astype(np.uint8).reshape(-1, 16, 16), numbers[:, 256:].argmax(1).astype(np.uint32)


class USPSDataset(Corpus):
    """The digits of the US Postal Service: images (16, 16, 1) of uint8, labels of uint32.

    Args:
        dataset_dir: the folder, with "usps" and "usps.t": a line for each digit, its number from 1 on, and 256 pixels,
            "1:-0.5 2:1 ...", from -1 to 1.
        usage: "train", "test" or "all". Default: None, "all".
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> line = "8 " + " ".join(f"{number}:-1" for number in range(1, 257))
        >>> _ = pathlib.Path(folder.name, "usps").write_text(line)
        >>> for row in ds.USPSDataset(folder.name, "train").create_dict_iterator(num_epochs=1):
        ...     print(row["image"].shape, row["label"])
        (16, 16, 1) 7
        >>> folder.cleanup()
    """

    columns = ("image", "label")

    parts = (("train", "usps"), ("test", "usps.t"))

    def _read(self, path: str) -> list[Row]:
        return [_usps_row(line.split()) for line in lines_of(path)]


def _usps_row(fields: list[str]) -> Row:
    values = np.array([field.partition(":")[2] for field in fields[1:]], np.float64)
    if len(values) != 256:
        raise ValueError(f"a line must have a number and 256 pixels, but has {len(values)} pixels.")
    pixels = ((values.astype(np.float32).astype(np.float64) + 1) / 2 * 255).astype(np.uint8)  # as MindSpore rounds
    return pixels.reshape(16, 16, 1), np.uint32(int(fields[0]) - 1)
