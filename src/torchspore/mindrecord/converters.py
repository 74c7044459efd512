"""Converters of published datasets, and of tables, into MindRecord files.

MindSpore: `mindspore.mindrecord`.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.engine.parameters import Limits, take_as
from torchspore.engine.storage.reading import check_regular, idx_array, read_bytes, read_text
from torchspore.mindrecord.errors import ParamTypeError, ParamValueError, PathNotExistsError
from torchspore.mindrecord.writer import FileWriter

__all__ = ["Cifar10ToMR", "Cifar100ToMR", "CsvToMR", "ImageNetToMR", "MnistToMR"]

_BATCH = 256  # rows that are written at a time
_MAX_SHARDS = 1000
_QUALITY = 95  # of JPEG files, as MindSpore's

Row = dict[str, Any]


_Shards: TypeAlias = Annotated[int, Limits(1, _MAX_SHARDS)]


def write_rows(writer: FileWriter, rows: Iterable[Row]) -> None:
    """Write rows, and complete the files."""
    rows = iter(rows)
    while batch := list(islice(rows, _BATCH)):
        writer.write_raw_data(batch)
    writer.commit()


def existing_path(api: str, name: str, path: Any, is_right: Callable[[str], bool] = os.path.isfile) -> str:
    """Return the path of a file or a folder.

    Raises:
        ParamValueError: it is not a str.
        PathNotExistsError: there is none.
    """
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise ParamValueError.saying(f"For '{api}', '{name}' must be a path, but got {path!r}.")
    found = os.path.expanduser(os.fspath(path))
    if not is_right(found):
        kind = "file" if is_right is os.path.isfile else "folder"
        raise PathNotExistsError.saying(f"For '{api}', '{name}' must be a {kind}, but there is none at {found!r}.")
    return found


def _destination(api: str, path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise ParamValueError.saying(f"For '{api}', 'destination' must be a path, but got {path!r}.")
    return os.path.expanduser(os.fspath(path))


def _parts(api: str, partition_number: Any) -> int:
    try:
        return int(take_as(_Shards, partition_number, "partition_number", api))
    except TypeError as error:
        raise ParamTypeError.saying(str(error)) from None
    except ValueError as error:
        raise ParamValueError.saying(str(error)) from None


def _as_jpeg(api: str, image: np.ndarray[Any, Any]) -> bytes:
    try:
        from PIL import Image
    except ImportError as error:
        message = f"For '{api}', images need the package pillow: pip install 'torchspore[vision]'."
        raise ModuleNotFoundError(message) from error
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


# CIFAR


class _Unpickler(pickle.Unpickler):
    """Reads arrays and plain values only: a pickle of unknown origin could run any code."""

    _ALLOWED = (
        ("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct"), ("numpy", "ndarray"),
        ("numpy", "dtype"), ("_codecs", "encode"),
    )  # fmt: skip

    def find_class(self, module: str, name: str) -> Any:
        """Return one of the functions that arrays need."""
        if (module, name) in self._ALLOWED:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"it needs '{module}.{name}', which a file of CIFAR does not")


class _Cifar:
    """The base of the converters of CIFAR in its Python format: two files, for training and for testing.

    Args:
        source: the folder.
        destination: the file for training; the file for testing ends in "_test".
    """

    _labels: dict[str, str]  # the key of each label's list in the files, by its field
    _names: tuple[str, str]  # of the files for training and for testing; names of several files begin with it

    def __init__(self, source: str, destination: str) -> None:
        self._api = type(self).__name__
        self.source = existing_path(self._api, "source", source, os.path.isdir)
        self._train, self._test = map(self._files, self._names)
        self.destination = _destination(self._api, destination)

    def _files(self, beginning: str) -> list[str]:
        """Return the names of the files that begin so, or have that name."""
        names = sorted(os.listdir(self.source), key=lambda name: (len(name), name))
        found = [name for name in names if name == beginning or (beginning[-1] == "_" and name.startswith(beginning))]
        if not found:
            raise PathNotExistsError.saying(
                f"For '{self._api}', 'source' must have files {beginning!r}, but {self.source!r} has {names[:20]}."
            )
        return found

    def transform(self, fields: list[str] | None = None) -> None:
        """Write the files.

        Args:
            fields: the names of the fields of the index. Default: None, all but the image.

        Raises:
            RuntimeError: a file is missing or damaged, or the files to write exist.
        """
        if fields is not None and not isinstance(fields, list):
            raise ParamTypeError.saying(f"For '{self._api}', 'fields' must be a list or None, but got {fields!r}.")
        parts = (("train", self._train, self.destination), ("test", self._test, f"{self.destination}_test"))
        for part, names, path in parts:
            writer = FileWriter(path)
            labels = {name: {"type": "int64"} for name in self._labels}
            writer.add_schema({"id": {"type": "int64"}, **labels, "data": {"type": "bytes"}}, f"img_{part}")
            if fields:
                writer.add_index(fields)
            write_rows(writer, self._rows(names))

    run = transform

    def _rows(self, names: Sequence[str]) -> Iterator[Row]:
        number = 0
        for name in names:
            images, labels = self._read(os.path.join(self.source, name))
            for image, *values in zip(images, *labels):
                yield {
                    "id": number,
                    **{field: int(value) for field, value in zip(self._labels, values)},
                    "data": _as_jpeg(self._api, image),
                }
                number += 1

    def _read(self, path: str) -> tuple[np.ndarray[Any, Any], list[Any]]:
        try:
            check_regular(path)
            with open(path, "rb") as file:
                content = _Unpickler(file, encoding="bytes").load()
            data, labels = content[b"data"], [content[key.encode()] for key in self._labels.values()]
            images = np.asarray(data, np.uint8).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
            if any(len(each) != len(images) for each in labels):
                raise ValueError("it must have a label for each image")
            return np.ascontiguousarray(images), labels
        except Exception as error:  # damaged pickles raise errors of any kind
            raise RuntimeError(f"For '{self._api}', the file {path!r} cannot be read: {error}") from error


class Cifar10ToMR(_Cifar):
    """Converts CIFAR-10 in its Python format: fields "id", "label" and "data", a JPEG file.

    Args:
        source: the folder with "test_batch", and "data_batch_1" or several such files.
        destination: the file for training images; the file for testing images ends in "_test".

    Raises:
        PathNotExistsError: there is no such folder, or it lacks files.

    Examples:
        >>> from torchspore.mindrecord import Cifar10ToMR
        >>> try:
        ...     Cifar10ToMR("missing", "cifar10.mindrecord").transform()
        ... except FileNotFoundError as error:
        ...     print(error)
        For 'Cifar10ToMR', 'source' must be a folder, but there is none at 'missing'.
    """

    _labels = {"label": "labels"}  # noqa: RUF012
    _names = ("data_batch_", "test_batch")


class Cifar100ToMR(_Cifar):
    """Converts CIFAR-100 in its Python format: fields "id", "fine_label", "coarse_label" and "data", a JPEG file.

    Args:
        source: the folder with "train" and "test".
        destination: the file for training images; the file for testing images ends in "_test".

    Raises:
        PathNotExistsError: there is no such folder, or it lacks files.

    Examples:
        >>> import os, pickle, tempfile
        >>> import numpy as np
        >>> import torchspore.dataset as ds
        >>> from torchspore.mindrecord import Cifar100ToMR
        >>> folder = tempfile.TemporaryDirectory()
        >>> for part in ("train", "test"):
        ...     with open(f"{folder.name}/{part}", "wb") as file:
        ...         images = np.zeros((2, 3072), np.uint8)
        ...         pickle.dump({b"data": images, b"fine_labels": [7, 8], b"coarse_labels": [1, 2]}, file)
        >>> Cifar100ToMR(folder.name, f"{folder.name}/cifar.mindrecord").transform()
        >>> rows = ds.MindDataset(f"{folder.name}/cifar.mindrecord", shuffle=False)
        >>> [int(row["fine_label"]) for row in rows.create_dict_iterator(num_epochs=1)]
        [7, 8]
        >>> folder.cleanup()
    """

    _labels = {"fine_label": "fine_labels", "coarse_label": "coarse_labels"}  # noqa: RUF012
    _names = ("train", "test")


class MnistToMR:
    """Converts MNIST: fields "label" and "data", a JPEG file, into files for training and for testing.

    Args:
        source: the folder with "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz" and the same with "t10k".
        destination: the beginning of the names of the files, which end in "_train.mindrecord" and "_test.mindrecord".
        partition_number: the number of files of each. Default: 1.

    Raises:
        PathNotExistsError: there is no such folder.

    Examples:
        >>> import gzip, struct, tempfile
        >>> import torchspore.dataset as ds
        >>> from torchspore.mindrecord import MnistToMR
        >>> folder = tempfile.TemporaryDirectory()
        >>> for part in ("train", "t10k"):
        ...     with gzip.open(f"{folder.name}/{part}-images-idx3-ubyte.gz", "wb") as file:
        ...         _ = file.write(struct.pack(">4i", 2051, 1, 28, 28) + bytes(28 * 28))
        ...     with gzip.open(f"{folder.name}/{part}-labels-idx1-ubyte.gz", "wb") as file:
        ...         _ = file.write(struct.pack(">2i", 2049, 1) + bytes([5]))
        >>> MnistToMR(folder.name, f"{folder.name}/mnist").transform()
        >>> rows = ds.MindDataset(f"{folder.name}/mnist_train.mindrecord")
        >>> [int(row["label"]) for row in rows.create_dict_iterator(num_epochs=1)]
        [5]
        >>> folder.cleanup()
    """

    def __init__(self, source: str, destination: str, partition_number: int = 1) -> None:
        self.source = existing_path("MnistToMR", "source", source, os.path.isdir)
        self.destination = _destination("MnistToMR", destination)
        self.partition_number = _parts("MnistToMR", partition_number)

    def transform(self) -> None:
        """Write the files.

        Raises:
            RuntimeError: a file is missing or damaged, or the files to write exist.
        """
        for part, name in (("train", "train"), ("test", "t10k")):
            writer = FileWriter(f"{self.destination}_{part}.mindrecord", self.partition_number)
            writer.add_schema({"label": {"type": "int64"}, "data": {"type": "bytes"}}, "mnist_schema")
            writer.add_index(["label"])
            images, labels = self._read(f"{name}-images-idx3-ubyte", 3), self._read(f"{name}-labels-idx1-ubyte", 1)
            if len(images) != len(labels):
                raise RuntimeError(f"For 'MnistToMR', there must be a label for each image of {name!r}.")
            write_rows(
                writer,
                ({"label": int(label), "data": _as_jpeg("MnistToMR", image)} for image, label in zip(images, labels)),
            )

    run = transform

    def _read(self, name: str, rank: int) -> np.ndarray[Any, Any]:
        path = os.path.join(self.source, f"{name}.gz")
        try:
            if os.path.exists(path):
                check_regular(path)
                with gzip.open(path) as file:
                    head = file.read(4 * (rank + 1))
                    size = int(np.prod(np.frombuffer(head, ">i4")[1:], dtype=np.int64))
                    content = head + file.read(size + 1)  # one more, which shows a file that is too long
            else:
                content = read_bytes(os.path.join(self.source, name))
            return idx_array(content, rank)
        except (OSError, EOFError, ValueError, MemoryError, OverflowError) as error:
            raise RuntimeError(f"For 'MnistToMR', the file {name!r} cannot be read: {error}") from error


# Folders and tables


class ImageNetToMR:
    """Converts a folder with a folder of JPEG files for each class: fields "label", "image" and "file_name".

    Args:
        map_file: a text with a line for each class: the name of its folder, and its number.
        image_dir: the folder of the folders.
        destination: the file to write.
        partition_number: the number of files. Default: 1.

    Raises:
        PathNotExistsError: there is no such file or folder.

    Examples:
        >>> import os, tempfile
        >>> from torchspore.mindrecord import FileReader, ImageNetToMR
        >>> folder = tempfile.TemporaryDirectory()
        >>> os.mkdir(f"{folder.name}/n01")
        >>> for name, content in (("n01/1.JPEG", b"..."), ("map.txt", b"n01 0")):
        ...     with open(f"{folder.name}/{name}", "wb") as file:
        ...         _ = file.write(content)
        >>> ImageNetToMR(f"{folder.name}/map.txt", folder.name, f"{folder.name}/images.mindrecord").transform()
        >>> for row in FileReader(f"{folder.name}/images.mindrecord").get_next():
        ...     print(row["label"], row["image"])
        0 b'...'
        >>> folder.cleanup()
    """

    def __init__(self, map_file: str, image_dir: str, destination: str, partition_number: int = 1) -> None:
        self.map_file = existing_path("ImageNetToMR", "map_file", map_file)
        self.image_dir = existing_path("ImageNetToMR", "image_dir", image_dir, os.path.isdir)
        self.destination = _destination("ImageNetToMR", destination)
        self.partition_number = _parts("ImageNetToMR", partition_number)

    def transform(self) -> None:
        """Write the files.

        Raises:
            ValueError: a line of `map_file` is something else.
            RuntimeError: there are no images, or the files to write exist.
        """
        writer = FileWriter(self.destination, self.partition_number)
        fields = {"label": {"type": "int32"}, "image": {"type": "bytes"}, "file_name": {"type": "string"}}
        writer.add_schema(fields, "imagenet_schema")
        writer.add_index(["label", "file_name"])
        write_rows(writer, self._rows())

    run = transform

    def _rows(self) -> Iterator[Row]:
        for number, line in enumerate(read_text(self.map_file).splitlines(), 1):
            words = line.split()
            if words and (len(words) < 2 or not words[1].isdigit()):
                raise ValueError(
                    f"For 'ImageNetToMR', line {number} of 'map_file' must be a name and a number, but is "
                    f"{line!r:.100}."
                )
            folder = os.path.join(self.image_dir, words[0]) if words else ""
            for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    yield {"label": int(words[1]), "image": read_bytes(path), "file_name": path}


class CsvToMR:
    """Converts a table in a CSV file, whose first line has the names of the columns.

    A column of ints becomes a field of int64; one of numbers, or of ints where some are missing, one of float64; and
    any other one of strings.

    Args:
        source: the file.
        destination: the file to write.
        columns_list: the names of the columns to write. Default: None, all.
        partition_number: the number of files. Default: 1.

    Raises:
        PathNotExistsError: there is no such file.
        ParamTypeError, ParamValueError: another argument is of another type, or out of range.

    Examples:
        >>> import tempfile
        >>> from torchspore.mindrecord import CsvToMR, FileReader
        >>> folder = tempfile.TemporaryDirectory()
        >>> with open(f"{folder.name}/pets.csv", "w") as file:
        ...     _ = file.write("name,age\\ncat,3\\ndog,1\\n")
        >>> CsvToMR(f"{folder.name}/pets.csv", f"{folder.name}/pets.mindrecord").transform()
        >>> for row in FileReader(f"{folder.name}/pets.mindrecord").get_next():
        ...     print(row)
        {'age': 3, 'name': 'cat'}
        {'age': 1, 'name': 'dog'}
        >>> folder.cleanup()
    """

    def __init__(
        self, source: str, destination: str, columns_list: list[str] | None = None, partition_number: int = 1
    ) -> None:
        self.source = existing_path("CsvToMR", "source", source)
        self.destination = _destination("CsvToMR", destination)
        if columns_list is not None and (
            not isinstance(columns_list, list) or not all(isinstance(each, str) for each in columns_list)
        ):
            raise ParamTypeError.saying(
                f"For 'CsvToMR', 'columns_list' must be a list of strs or None, but got {columns_list!r}."
            )
        self.columns_list = columns_list
        self.partition_number = _parts("CsvToMR", partition_number)

    def transform(self) -> None:
        """Write the files.

        Raises:
            RuntimeError: the table has no such column or no rows, a line has too many fields, or the files to write
                exist.
            MRMInvalidSchemaError: the name of a column has other characters than letters, digits and "_".
        """
        lines = self._lines()
        names = next(lines, [])
        wanted = self.columns_list or names
        missing = [name for name in wanted if name not in names]
        if missing or len(set(wanted)) != len(wanted):
            raise RuntimeError(f"For 'CsvToMR', the columns of the file are {names}, but got {missing or wanted}.")
        picks = [names.index(name) for name in wanted]
        kinds = self._kinds(lines, picks)
        writer = FileWriter(self.destination, self.partition_number)
        writer.add_schema({name: {"type": kind} for name, kind in zip(wanted, kinds)}, "csv_schema")
        readers = [_READERS[kind] for kind in kinds]
        body = islice(self._lines(), 1, None)
        write_rows(
            writer,
            ({name: read(line[pick]) for name, pick, read in zip(wanted, picks, readers)} for line in body),
        )

    run = transform

    def _lines(self) -> Iterator[list[str]]:
        """Yield the fields of each line; missing ones are empty."""
        try:
            check_regular(self.source)
            with open(self.source, encoding="utf-8-sig", newline="") as file:
                reader = csv.reader(file)
                width = 0
                for line in reader:
                    width = width or len(line)
                    if len(line) > width:
                        raise ValueError(f"line {reader.line_num} has {len(line)} fields, but the first one {width}")
                    if line:
                        yield line + [""] * (width - len(line))
        except (OSError, ValueError, csv.Error) as error:
            raise RuntimeError(f"For 'CsvToMR', the file {self.source!r} cannot be read: {error}.") from error

    @staticmethod
    def _kinds(lines: Iterable[list[str]], picks: Sequence[int]) -> list[str]:
        """Return the type of each column."""
        kinds = ["int64"] * len(picks)
        for line in lines:
            kinds = [
                kind if kind == "string" else max(kind, _kind(line[pick]), key=_ORDER.index)
                for kind, pick in zip(kinds, picks)
            ]
        return kinds


_ORDER = ("int64", "float64", "string")
_READERS: dict[str, Callable[[str], Any]] = {
    "int64": int, "float64": lambda text: float(text) if text.strip() else float("nan"), "string": str,
}  # fmt: skip


def _kind(text: str) -> str:
    if "_" in text:  # Python accepts it in numbers
        return "string"
    try:
        return "int64" if -(2**63) <= int(text) < 2**63 else "float64"
    except ValueError:
        pass
    try:
        float(text.strip() or "nan")
        return "float64"
    except ValueError:
        return "string"
