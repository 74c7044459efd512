"""The bases of sources that read a folder: their arguments, and records of values and files."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from torchspore.dataset.checks import indexes, usage_of
from torchspore.dataset.parameters import Cache, Count, Folder, Shard, Workers, extends
from torchspore.dataset.pipeline.computing import computed
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.values import Array, Row
from torchspore.dataset.sources.objects import ArrayStore, MappableDataset
from torchspore.dataset.vision.conversion import decoded_in_color
from torchspore.engine.storage.reading import check_regular, read_bytes, read_text

__all__ = [
    "PICTURE_ENDINGS", "ArrayFolder", "FolderDataset", "Picture", "PictureFolder", "Read", "Records", "WholeFolder",
    "WholePictures", "lines_of", "listed", "picture_paths", "read_mat", "rows_of", "whole_numbers",
]  # fmt: skip

PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


class Read(NamedTuple):
    """A value that is read from a file when its row is asked for; a tuple stands for several columns."""

    function: Callable[[str], Any]
    path: str


class Picture(NamedTuple):
    """The image in a file, which is decoded if the source was asked to."""

    path: str


class PictureFolder(MappableDataset):
    """A source in a folder that may hold images; arguments as for `MappableDataset`.

    Args:
        dataset_dir: the folder.
        usage: one of `usages`. Default: None, the class's `default_usage`.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        decrypt: a function that returns the content of the image file at a path. Default: None, the file is read.
    """

    columns: Sequence[str] = ("image", "label")
    usages: Sequence[str] = ("train", "test", "all")
    default_usage = "all"

    @extends(MappableDataset)
    def __init__(
        self, dataset_dir: Folder, usage: str | None = None, num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: bool | None = None, decode: bool | None = False,
        sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
        decrypt: Callable[[str], bytes] | None = None,
    ) -> None:  # fmt: skip
        self.dataset_dir = os.fspath(dataset_dir)
        self.usage = usage_of(type(self).__name__, usage, self.usages, self.default_usage)
        self.num_parallel_workers = num_parallel_workers
        self.decode = bool(decode)
        self.decrypt = decrypt

    def _parts(self) -> list[str]:
        return [each for each in self.usages if each != "all"] if self.usage == "all" else [self.usage]

    def _path(self, *names: str) -> str:
        return os.path.join(self.dataset_dir, *names)

    def _unreadable(self, path: str, error: Exception) -> RuntimeError:
        return RuntimeError(f"For '{type(self).__name__}', the file {path!r} cannot be read: {error}")


class FolderDataset(PictureFolder):
    """The same without `decode`."""

    @extends(PictureFolder)
    def __init__(
        self, dataset_dir: Folder, usage: str | None = None, num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: bool | None = None, sampler: Any = None,
        num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None: ...  # fmt: skip


class WholeFolder(FolderDataset):
    """The same without `usage`."""

    @extends(FolderDataset)
    def __init__(
        self, dataset_dir: Folder, num_samples: Count = None, num_parallel_workers: Workers = None,
        shuffle: bool | None = None, sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None,
        cache: Cache = None,
    ) -> None: ...  # fmt: skip


class WholePictures(PictureFolder):
    """A source without parts; arguments as for `MappableDataset`, and `decode`."""

    @extends(PictureFolder)
    def __init__(
        self, dataset_dir: Folder, num_samples: Count = None, num_parallel_workers: Workers = None,
        shuffle: bool | None = None, decode: bool | None = False, sampler: Any = None, num_shards: Shard = None,
        shard_id: Shard = None, cache: Cache = None,
    ) -> None: ...  # fmt: skip


class ArrayFolder(FolderDataset):
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
        return [name for name in names if os.path.exists(self._path(name))] or names

    def _bytes(self, name: str) -> Array:
        try:
            check_regular(self._path(name))
            return np.fromfile(self._path(name), np.uint8)
        except OSError as error:
            raise RuntimeError(
                f"For '{type(self).__name__}', the folder must have the file {name!r}, but it cannot be read: {error}"
            ) from error


class Records(PictureFolder):
    """A source with a record for each row: a tuple of values, of `Picture` and of `Read`."""

    _found: list[tuple[Any, ...]] | None = None

    def _find(self) -> list[tuple[Any, ...]]:
        """Return all records.

        Raises:
            OSError: a file cannot be read.
            ValueError: one has another format.
        """
        raise NotImplementedError

    def _records(self) -> list[tuple[Any, ...]]:
        if self._found is None:
            try:
                found = self._find()
            except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
                reason = f"it lacks {error}" if isinstance(error, KeyError) else error
                raise RuntimeError(
                    f"For '{type(self).__name__}', {self.dataset_dir!r} cannot be read as that data set: {reason}"
                ) from error
            if not found:
                raise RuntimeError(
                    f"For '{type(self).__name__}', {self.dataset_dir!r} must have files of that data set."
                )
            self._found = found
        return self._found

    def _length(self) -> int:
        return len(self._records())

    def _store(self) -> Any:
        return None

    def labels(self, column: str) -> Array:
        """Return a column of all rows.

        Raises:
            RuntimeError: there is no such column.
        """
        (index,) = indexes(type(self).__name__, self._names(), [column])
        values = [record[index] if index < len(record) else None for record in self._records()]
        if all(isinstance(value, (np.generic, int, str)) for value in values):
            return np.array(values)
        return np.array([self._row(position)[index] for position in range(len(values))])

    def _rows(self, run: Run) -> Iterator[Row]:
        return rows_of(self, run, self._row, self.num_parallel_workers)

    def _row(self, position: int) -> Row:
        row: list[Any] = []
        for value in self._records()[position]:
            if isinstance(value, Picture):
                value = Read(self._content, value.path)
            if not isinstance(value, Read):
                row.append(np.array(value))
                continue
            try:
                content = value.function(value.path)
            except (OSError, ValueError) as error:
                raise self._unreadable(value.path, error) from error
            row.extend(content if isinstance(content, tuple) else [np.asarray(content)])
        return tuple(row)

    def _content(self, path: str) -> Array:
        content = read_bytes(path) if self.decrypt is None else self.decrypt(path)
        if self.decode:
            return decoded_in_color(type(self).__name__, content)
        return np.frombuffer(content, np.uint8).copy()


def rows_of(dataset: MappableDataset, run: Run, method: Callable[[int], Row], workers: int | None) -> Iterator[Row]:
    """Yield what a method of a source returns for its positions, several at a time if that is faster."""
    call: Any = functools.partial(method)
    call.long_and_safe = True
    positions = dataset._positions(run)
    rows = computed(dataset, run, type(dataset).__name__, [call], call, positions, workers=workers, processes=False)
    return (row for _, row in rows)


def listed(folder: str, endings: str | tuple[str, ...] = "", folders: bool = False) -> list[str]:
    """Return the names in a folder, sorted: of folders, or of files with certain endings.

    Raises:
        OSError: it cannot be read.
    """
    with os.scandir(folder) as entries:
        found = [entry.name for entry in entries if entry.is_dir() is folders]
    return sorted(name for name in found if name.lower().endswith(endings))


def picture_paths(folder: str) -> list[str]:
    """Return the paths of the images in a folder, sorted."""
    return [os.path.join(folder, name) for name in listed(folder, PICTURE_ENDINGS)]


def lines_of(path: str) -> list[str]:
    """Return the lines of a text file that are not empty.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not UTF-8.
    """
    return [line for line in read_text(path).split("\n") if line.strip()]


def whole_numbers(texts: Sequence[str], kind: type[np.generic] = np.uint32) -> Array:
    """Return texts as an array of whole numbers.

    Raises:
        ValueError: one is not such a number.
    """
    return np.array([int(text) for text in texts], np.int64).astype(kind)


def read_mat(path: str, *names: str) -> list[Any]:
    """Return variables of a MATLAB file.

    Raises:
        ImportError: SciPy is not installed.
        OSError: it cannot be read.
        ValueError: it has another format, or lacks one of them.
    """
    try:
        from scipy.io import loadmat
    except ImportError as error:
        raise ImportError("MATLAB files need SciPy: pip install scipy, or pip install 'torchspore[vision]'.") from error
    check_regular(path)
    try:
        variables = loadmat(path, variable_names=names)
        return [variables[name] for name in names]
    except Exception as error:  # of any type: SciPy's reader raises many for malformed bytes
        raise ValueError(f"it must be a MATLAB file, up to version 7, with {list(names)}: {error!r:.200}") from error
