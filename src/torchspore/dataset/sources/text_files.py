"""Sources of text files: lines, comma-separated values, the tasks of CLUE, the reviews of IMDB."""

from __future__ import annotations

import csv
import glob
import itertools
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from torchspore.dataset import config
from torchspore.dataset.checks import as_names
from torchspore.dataset.parameters import Cache, Count, Shard, Workers, checked, extends
from torchspore.dataset.pipeline.dataset import SourceDataset
from torchspore.dataset.pipeline.positions import Left
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.file_orders import Positions, cut, in_turn, through_buffer
from torchspore.dataset.rows.values import Row
from torchspore.dataset.sampling.samplers import Level, Shuffle, choose
from torchspore.dataset.sources.folders import FolderDataset, Read, Records, listed
from torchspore.engine.parameters import AnyNumber, Where
from torchspore.engine.storage.reading import check_regular, parse_json, read_text

__all__ = ["CLUEDataset", "CSVDataset", "IMDBDataset", "TextFileDataset"]


_Delimiter: TypeAlias = Annotated[
    str, Where("a single character other than a quote", lambda text: len(text) == 1 and text not in '"\r\n')
]
_ALL_ROWS = (Shuffle.GLOBAL, Shuffle.ADAPTIVE, Shuffle.PARTIAL)


class TextSource(SourceDataset):
    """The base of sources of text files, which are read when the first row is asked for.

    Arguments as for `TextFileDataset`. Shards are consecutive parts of equal length: the last one wraps around to the
    first rows.
    """

    columns: Sequence[str] = ("text",)

    @checked()
    def __init__(
        self, dataset_files: str | list[str], num_samples: Count = None, num_parallel_workers: Workers = None,
        shuffle: Level | None = Shuffle.GLOBAL, num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        super().__init__()
        choose(type(self).__name__, None, shuffle, num_samples, num_shards, shard_id)  # which checks them
        self.num_parallel_workers = num_parallel_workers
        self.dataset_files = self._paths(dataset_files)
        self.num_samples = num_samples
        flag = Shuffle.FALSE if shuffle is False else Shuffle.GLOBAL
        self.shuffle_level = shuffle if isinstance(shuffle, Shuffle) else flag
        self.num_shards = num_shards
        self.shard_id = shard_id
        self._loaded: list[list[Row]] | None = None

    def _names(self) -> list[str]:
        return list(self.columns)

    def _paths(self, patterns: str | list[str]) -> list[str]:
        """Return the files that one or several patterns match, in the order of their names."""
        api = type(self).__name__
        listed = [patterns] if isinstance(patterns, str) else patterns
        if not listed or not all(listed):
            raise ValueError(f"For '{api}', 'dataset_files' must name at least one file, but got {patterns!r}.")
        found = {pattern: [path for path in glob.glob(pattern) if not os.path.isdir(path)] for pattern in listed}
        if not listed or not all(found.values()):
            unmatched = [pattern for pattern, paths in found.items() if not paths]
            raise ValueError(f"For '{api}', 'dataset_files' must match files, but there are none for {unmatched}.")
        return sorted(path for pattern in listed for path in found[pattern])

    def _read(self, path: str) -> list[Row]:
        """Return the rows of a file, as strs or arrays.

        Raises:
            ValueError: it has another format.
        """
        raise NotImplementedError

    def _files(self) -> list[list[Row]]:
        """Return the rows of each file."""
        if self._loaded is None:
            self._loaded = [self._rows_of(path) for path in self.dataset_files]
        return self._loaded

    def _rows_of(self, path: str) -> list[Row]:
        try:
            return self._read(path)
        except (OSError, ValueError, OverflowError, csv.Error) as error:
            raise self._unreadable(path, error) from error

    def _unreadable(self, path: str, error: Exception) -> RuntimeError:
        return RuntimeError(f"For '{type(self).__name__}', the file {path!r} cannot be read: {error}")

    def _shard(self, files: list[Positions]) -> list[Positions]:
        """Return the parts of files, given in the order of a pass, whose rows are in this shard."""
        total = sum(map(len, files))
        if self.num_shards is None or not total:
            return files
        length = -(-total // self.num_shards)
        return cut(files, (self.shard_id or 0) * length, length)

    def _rows(self, run: Run) -> Iterator[Row]:
        rows = [row for file in self._files() for row in file]
        for position in self._positions(run):
            yield tuple(map(np.array, rows[position]))

    def _positions(self, run: Run) -> Iterator[int]:
        """Yield the positions of the rows of the next pass among the rows of all files."""
        if not any(map(len, self._files())):
            name, paths = type(self).__name__, ", ".join(map(repr, self.dataset_files))
            raise RuntimeError(f"For '{name}', the files must have rows, but all are empty: {paths}.")
        parts = self._shard(self._in_order(run))
        if self.shuffle_level is Shuffle.INFILE:
            random = run.random(self)
            parts = [random.permutation(part) for part in parts]
        positions = in_turn(parts, self.num_parallel_workers or config.chosen_workers() or 1)[
            : self.num_samples or None
        ]
        if self.shuffle_level in _ALL_ROWS:
            of_file = -(-sum(map(len, self._files())) // (self.num_shards or 1)) // max(len(self._files()), 1)
            words = run.next_words(self, len(positions), lambda number: self._rows_before(run, number))
            positions = through_buffer(positions, of_file, words)
        return iter(run.left_out(self).of(positions).tolist())

    def _in_order(self, run: Run | None) -> list[Positions]:
        """Return the positions of the rows of each file, in the order of the next pass, or of names."""
        ends = [0, *itertools.accumulate(map(len, self._files()))]
        files = [np.arange(*each) for each in itertools.pairwise(ends)]
        if run is None or self.shuffle_level in (Shuffle.FALSE, Shuffle.INFILE):
            return files
        order = run.next_order(self, self.dataset_files, list(range(len(files))), self._file_seeds(run))
        return [files[number] for number in order]

    def _file_seeds(self, run: Run) -> Callable[[int], int]:
        """Return the function from the number of a pass to the seed of its files, which all shards have in common."""
        return lambda number: number + 1 if (self.num_shards or 1) > 1 else run.order_seed

    def _rows_before(self, run: Run, number: int) -> int:
        """Return the number of rows of all passes before one."""
        return number * self._count()

    def _skip(self, run: Run, left: Left) -> bool:
        return run.leave_out(self, left)

    def _count(self) -> int:
        return len(in_turn(self._shard(self._in_order(None)), 1)[: self.num_samples or None])

    def is_shuffled(self) -> bool:
        """Return whether the rows come in random order."""
        return self.shuffle_level is not Shuffle.FALSE

    def is_sharded(self) -> bool:
        """Return whether the rows are one shard of several."""
        return self.num_shards is not None and self.num_shards > 1


def lines_of(path: str) -> list[str]:
    """Return the lines of a file in UTF-8, which end at a line feed."""
    return read_text(path, newline="\n").removesuffix("\n").split("\n")


def parallel(read: Callable[[str], list[str]], paths: Sequence[str]) -> list[Row]:
    """Return the rows of two files, each of which has a text for each text of the other.

    Raises:
        ValueError: they have unequal numbers of texts, or one has another format.
    """
    found = []
    for path in paths:
        try:
            found.append(read(path))
        except ValueError as error:
            raise ValueError(f"{path!r}: {error}") from error
    if len(found[0]) != len(found[1]):
        raise ValueError(
            f"there must be a line for each of the other, but {paths[0]!r} has {len(found[0])} and {paths[1]!r} "
            f"{len(found[1])}."
        )
    return list(zip(*found))


def csv_rows(path: str, count: int, delimiter: str = ",", quoting: Any = csv.QUOTE_MINIMAL) -> list[Row]:
    """Return the fields of each line of a file, without empty lines.

    Args:
        path: the file.
        count: the number of fields of a line.
        delimiter: the character between fields.
        quoting: how quotes around a field are read: one of the constants of the module csv.

    Raises:
        ValueError: a line has a different number of fields.
    """
    check_regular(path)
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, quoting=quoting)
        rows = [(reader.line_num, tuple(row)) for row in reader if row]
    for line, row in rows:
        if len(row) != count:
            raise ValueError(f"line {line} must have {count} fields, but has {len(row)}.")
    return [row for _, row in rows]


class TextFileDataset(TextSource):
    """The lines of text files, without empty lines; unless shuffled, the files come in the order of their names.

    Args:
        dataset_files: a path, a pattern such as "books/*.txt", or a list of them.
        num_samples: the maximum number of rows. Default: None, all.
        num_parallel_workers: the number of files whose rows come in turn. Default: None, what
            `config.set_num_parallel_workers` has set; without it, file after file.
        shuffle: whether to shuffle the rows, or a `Shuffle`. Default: Shuffle.GLOBAL, all rows.
        num_shards: the number of shards to split the rows into. Default: None, one.
        shard_id: the shard to take.
        cache: a `DatasetCache`, which has no effect. Default: None.

    Raises:
        ValueError: there is no such file.
        RuntimeError: a file cannot be read or, in sources derived from this, has another format (when iterated).

    Examples:
        >>> import tempfile
        >>> import torchspore.dataset as ds
        >>> with tempfile.NamedTemporaryFile("w+") as file:
        ...     _ = file.write("the deep\\n\\nsea\\n")
        ...     file.flush()
        ...     data = ds.TextFileDataset(file.name, shuffle=False)
        ...     [row["text"].item() for row in data.create_dict_iterator(num_epochs=1)]
        ['the deep', 'sea']
    """

    def _read(self, path: str) -> list[Row]:
        return [(line,) for line in lines_of(path) if line]


class CSVDataset(TextSource):
    """The lines of files of comma-separated values: a column for each field.

    Args:
        dataset_files: a path, a pattern such as "data/*.csv", or a list of them.
        field_delim: the character between fields. Default: ",", and so None.
        column_defaults: a value for each column, whose type says what to read: an int for int32, a float for float32,
            a str for text. What follows a number in its field is ignored. Default: None, all text.
        column_names: the names of the columns. Default: None, the first line of each file has them.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.

    Examples:
        >>> import tempfile
        >>> import torchspore.dataset as ds
        >>> with tempfile.NamedTemporaryFile("w+") as file:
        ...     _ = file.write("name,depth\\nAtlantic,8376\\nArctic,5550\\n")
        ...     file.flush()
        ...     data = ds.CSVDataset(file.name, column_defaults=["", 0], shuffle=False)
        ...     for row in data.create_dict_iterator(num_epochs=1):
        ...         print(row["name"], row["depth"])
        Atlantic 8376
        Arctic 5550
    """

    @extends(TextSource)
    def __init__(
        self, dataset_files: str | list[str], field_delim: _Delimiter | None = ",",
        column_defaults: Annotated[list[AnyNumber | str], TypeError] | None = None,
        column_names: list[str] | None = None, num_samples: Count = None, num_parallel_workers: Workers = None,
        shuffle: Level | None = Shuffle.GLOBAL, num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.field_delim = "," if field_delim is None else field_delim
        self.column_defaults = column_defaults or []
        self.column_names = as_names("CSVDataset", "column_names", column_names) if column_names else None

    def _names(self) -> list[str]:
        if self.column_names is not None:
            return list(self.column_names)
        path = self.dataset_files[0]
        try:
            return self._header(path)
        except (OSError, ValueError, csv.Error) as error:
            raise self._unreadable(path, error) from error

    def _header(self, path: str) -> list[str]:
        check_regular(path)
        with open(path, encoding="utf-8", newline="") as file:
            names = next(csv.reader(file, delimiter=self.field_delim), [])
        if not all(names) or not names or len(set(names)) < len(names):
            raise ValueError(
                f"its first line must have different names of the columns, but is {names}; or give 'column_names'."
            )
        return names

    def _read(self, path: str) -> list[Row]:
        names = self._names()
        rows = csv_rows(path, len(names), self.field_delim)
        if self.column_names is None:
            if self._header(path) != names:
                raise ValueError(f"its first line must have the names {names}, as in the first file.")
            del rows[0]
        if len(self.column_defaults) > len(names):
            raise ValueError(f"'column_defaults' are {len(self.column_defaults)}, but the columns are {names}.")
        kinds = [type(default) for default in self.column_defaults]
        kinds += [str] * (len(names) - len(kinds))
        return [tuple([_field(*pair) for pair in zip(kinds, row)]) for row in rows]


def _field(kind: type, text: str) -> Any:
    """Return a field as a str, an int32 or a float32."""
    if issubclass(kind, str):
        return text
    is_int = issubclass(kind, int)
    found = (_INTEGER if is_int else _FLOAT).match(text)
    if found is None:
        raise ValueError(f"a field must begin with {'an integer' if is_int else 'a number'}, but is {text!r:.100}.")
    if is_int:
        return np.int32(int(found[0]))
    return np.float32(float.fromhex(found[0]) if "x" in found[0].lower() else float(found[0]))


_INTEGER = re.compile(r"\s*[+-]?[0-9]+")
_FLOAT = re.compile(
    r"\s*[+-]?(0x[0-9a-f]+\.?[0-9a-f]*(p[+-]?[0-9]+)?|([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf(inity)?|nan)",
    re.IGNORECASE,
)


# The columns of CLUE's tasks: columns of all parts, the labels, and columns that only the test part has.
_TASKS = {
    "AFQMC": (["sentence1", "sentence2"], ["label"], ["id"]),
    "CMNLI": (["sentence1", "sentence2"], ["label"], ["id"]),
    "CSL": (["abst", "id", "keyword"], ["label"], []),
    "IFLYTEK": (["sentence"], ["label", "label_des"], ["id"]),
    "TNEWS": (["keywords", "sentence"], ["label", "label_desc"], ["id"]),
    "WSC": (["idx", "span1_index", "span1_text", "span2_index", "span2_text", "text"], ["label"], []),
}


class CLUEDataset(TextSource):
    """The tasks of CLUE, the Chinese Language Understanding Evaluation: files with a JSON object in each line.

    The columns are the task's in alphabetical order: text, numbers of uint32, for "keyword" a list.

    Args:
        dataset_files: a path, a pattern, or a list of them.
        task: "AFQMC", "TNEWS", "IFLYTEK", "CMNLI", "WSC" or "CSL". Default: "AFQMC".
        usage: "train", "test" or "eval". Default: "train".
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.

    Examples:
        >>> import tempfile
        >>> import torchspore.dataset as ds
        >>> with tempfile.NamedTemporaryFile("w+") as file:
        ...     _ = file.write('{"sentence1": "deep sea", "sentence2": "blue sea", "label": "0"}')
        ...     file.flush()
        ...     for row in ds.CLUEDataset(file.name, "AFQMC", "train").create_dict_iterator(num_epochs=1):
        ...         print(row["label"], row["sentence1"], "/", row["sentence2"])
        0 deep sea / blue sea
    """

    @extends(TextSource)
    def __init__(
        self, dataset_files: str | list[str],
        task: Literal["AFQMC", "CMNLI", "CSL", "IFLYTEK", "TNEWS", "WSC"] = "AFQMC",
        usage: Literal["train", "test", "eval"] = "train", num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: Level | None = Shuffle.GLOBAL, num_shards: Shard = None,
        shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        common, labels, only_test = _TASKS[task]
        self.columns = sorted(common + (only_test if usage == "test" else labels))

    def _read(self, path: str) -> list[Row]:
        records = [parse_json(line) for line in lines_of(path) if line]
        return [tuple([_member(record, name) for name in self.columns]) for record in records]


def _member(record: Any, name: str) -> Any:
    """Return a value of a JSON object, or of its "target": a text, a number, or a list of texts."""
    target = record.get("target") if isinstance(record, dict) else None
    holder = next((each for each in (record, target) if isinstance(each, dict) and name in each), None)
    if holder is None:
        raise ValueError(f"each line must have {name!r}, but {record!r:.100} does not.")
    value = holder[name]
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    if not isinstance(value, (str, int)):
        raise ValueError(f"{name!r} must be a text, an integer or a list of texts, but it is {value!r:.100}.")
    return value if isinstance(value, str) else np.uint32(value)


class IMDBDataset(Records, FolderDataset):
    """The film reviews of IMDB: text, and a label of int32, 1 for a positive and 0 for a negative review.

    Args:
        dataset_dir: the folder with "train" and "test", and in each "pos" and "neg" with a file for each review.
        usage: "train", "test" or "all". Default: None, "all".
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name, text in {"pos": "Deep.", "neg": "Shallow."}.items():
        ...     path = pathlib.Path(folder.name, "test", name, "0_1.txt")
        ...     path.parent.mkdir(parents=True)
        ...     _ = path.write_text(text)
        >>> data = ds.IMDBDataset(folder.name, "test", shuffle=False)
        >>> for row in data.create_dict_iterator(num_epochs=1):
        ...     print(row["text"], row["label"])
        Deep. 1
        Shallow. 0
        >>> folder.cleanup()
    """

    columns = ("text", "label")

    def _find(self) -> list[tuple[Any, ...]]:
        return [
            (Read(read_text, self._path(part, name, file)), np.int32(label))
            for part in self._parts()
            for name, label in _LABELS
            for file in listed(self._path(part, name))
        ]

    def num_classes(self) -> int:
        """Return the number of classes, 2."""
        return len(_LABELS)


_LABELS = (("pos", 1), ("neg", 0))
