"""Sources of well-known collections of texts: each class names its columns, files and their format."""

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias, TypeVar

import numpy as np

from torchspore.dataset.checks import usage_of
from torchspore.dataset.parameters import Cache, Count, Folder, Shard, Workers, checked, extends
from torchspore.dataset.rows.values import Row
from torchspore.dataset.sampling.samplers import Level, Shuffle
from torchspore.dataset.sources.text_files import TextSource, csv_rows, lines_of, parallel
from torchspore.engine.parameters import Where
from torchspore.engine.storage.reading import read_json

__all__ = [
    "AGNewsDataset", "AmazonReviewDataset", "CoNLL2000Dataset", "DBpediaDataset", "EnWik9Dataset", "Multi30kDataset",
    "PennTreebankDataset", "SQuADDataset", "SST2Dataset", "SogouNewsDataset", "UDPOSDataset", "WikiTextDataset",
    "YahooAnswersDataset", "YelpReviewDataset",
]  # fmt: skip

_EnglishAndGerman: TypeAlias = Annotated[
    Sequence[str], Where("['en', 'de'] or ['de', 'en']", lambda pair: sorted(pair) == ["de", "en"])
]
Kind = TypeVar("Kind", bound="type[Corpus]")

_DOCUMENTATION = """{what}: {columns}.

    Args:
        dataset_dir: the folder with {files}.
        usage: {usages}. Default: None, "{default}".
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> _ = pathlib.Path(folder.name, {file!r}).write_text({content!r})
        >>> data = ds.{name}(folder.name, {usage!r})
        >>> for row in data.create_dict_iterator(num_epochs=1):
        ...     print(row[{column!r}])
        {shown}
        >>> folder.cleanup()
    """


def _shown_order(usage: str) -> int:
    """Return where errors list a usage."""
    order = ("train", "valid", "dev", "test", "all")
    return order.index(usage) if usage in order else len(order)


class Corpus(TextSource):
    """A folder with files of known names."""

    parts: tuple[tuple[str, str], ...]  # (usage, name of the file); the usage "all" has all, in this order
    default = "all"

    @checked()
    def __init__(
        self, dataset_dir: Folder, usage: str | None = None, num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: Level | None = Shuffle.GLOBAL, num_shards: Shard = None,
        shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.dataset_dir = os.fspath(dataset_dir)
        usages = sorted(self._usages(), key=_shown_order)
        self.usage = usage_of(type(self).__name__, usage, usages, self.default)
        super().__init__(
            self._names_of_files(), num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )

    def _names_of_files(self) -> list[str]:
        """Return the paths of the files of the wanted part, which are first looked for when they are read."""
        names = [name for usage, name in self.parts if self.usage in (usage, "all")]
        return [os.path.join(self.dataset_dir, name) for name in names]

    def _paths(self, patterns: Any) -> list[str]:
        return list(patterns)

    @classmethod
    def _usages(cls) -> list[str]:
        usages = [usage for usage, _ in cls.parts]
        return [*usages, "all"] if cls.default == "all" else usages


class _WorkersLate(Corpus):
    """The same with the number of workers as a later argument, as some have it in MindSpore."""

    @extends(Corpus)
    def __init__(
        self, dataset_dir: Folder, usage: str | None = None, num_samples: Count = None,
        shuffle: Level | None = Shuffle.GLOBAL, num_shards: Shard = None, shard_id: Shard = None,
        num_parallel_workers: Workers = None, cache: Cache = None,
    ) -> None: ...  # fmt: skip


def _documented(file: str, content: str, column: str, shown: str) -> Callable[[Kind], Kind]:
    """Complete the docstring of a class with the common arguments and an example.

    Args:
        file: a file of the example, of the first usage.
        content: its content.
        column: the column to print.
        shown: what is printed.
    """

    def complete(kind: Kind) -> Kind:
        usages = kind._usages()
        kind.__doc__ = _DOCUMENTATION.format(
            what=kind.__doc__,
            columns=", ".join(f'"{name}"' for name in kind.columns),
            files=_listed([name for _, name in kind.parts], "and"),
            usages=_listed(usages, "or"),
            default=kind.default,
            name=kind.__name__,
            usage=next(usage for usage, name in kind.parts if name == file),
            file=file,
            content=content,
            column=column,
            shown=shown,
        )
        return kind

    return complete


def _listed(names: Sequence[str], last: str) -> str:
    quoted = [f'"{name}"' for name in names]
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"


class _Values(Corpus):
    """Files of comma-separated values."""

    def _read(self, path: str) -> list[Row]:
        return csv_rows(path, len(self.columns))


_TEST_FIRST = (("test", "test.csv"), ("train", "train.csv"))
_TRAIN_FIRST = (("train", "train.csv"), ("test", "test.csv"))


@_documented("train.csv", '"1","Deep","Deep sea"\n', "description", "Deep sea")
class AGNewsDataset(_Values):
    """The news of AG, in four classes"""

    columns = ("index", "title", "description")
    parts = _TEST_FIRST


@_documented("train.csv", '"2","Deep","A deep book"\n', "title", "Deep")
class AmazonReviewDataset(_Values):
    """The reviews of Amazon"""

    columns = ("label", "title", "content")
    parts = _TEST_FIRST


@_documented("train.csv", '5,"Deep Sea","The deep sea is dark."\n', "class", "5")
class DBpediaDataset(_Values):
    """The articles of DBpedia, in fourteen classes"""

    columns = ("class", "title", "content")
    parts = _TEST_FIRST


@_documented("train.csv", '"5","Is it deep?","The sea","Yes."\n', "answer", "Yes.")
class YahooAnswersDataset(_Values):
    """The questions and answers of Yahoo, in ten classes"""

    columns = ("class", "title", "content", "answer")
    parts = _TEST_FIRST


@_documented("train.csv", '"1","Deep","Deep sea"\n', "content", "Deep sea")
class SogouNewsDataset(_WorkersLate, _Values):
    """The news of Sogou, in five classes"""

    columns = ("index", "title", "content")
    parts = _TRAIN_FIRST


@_documented("train.csv", '"2","A deep dish."\n', "text", "A deep dish.")
class YelpReviewDataset(_WorkersLate, _Values):
    """The reviews of Yelp"""

    columns = ("label", "text")
    parts = _TRAIN_FIRST


class _Lines(Corpus):
    """Files of lines, without empty lines."""

    def _read(self, path: str) -> list[Row]:
        return [(line,) for line in lines_of(path) if line]


@_documented("ptb.train.txt", "the deep sea\n", "text", "the deep sea")
class PennTreebankDataset(_Lines):
    """The sentences of the Penn Treebank"""

    parts = (("test", "ptb.test.txt"), ("train", "ptb.train.txt"), ("valid", "ptb.valid.txt"))


@_documented("wiki.train.tokens", "the deep sea\n", "text", "the deep sea")
class WikiTextDataset(_Lines):
    """The lines of WikiText's articles"""

    parts = (("test", "wiki.test.tokens"), ("train", "wiki.train.tokens"), ("valid", "wiki.valid.tokens"))


class _Tagged(_WorkersLate):
    """Files with a word and its tags in each line, and an empty line after each sentence."""

    separator: str

    def _fields(self, line: str) -> list[str]:
        return line.split(self.separator)

    def _read(self, path: str) -> list[Row]:
        rows = []
        for filled, lines in itertools.groupby(lines_of(path), bool):
            if filled:
                words = [self._fields(line) for line in lines]
                if any(len(word) != len(self.columns) for word in words):
                    raise ValueError(
                        f"each line must have {len(self.columns)} fields, but one of {words!r:.200} does not."
                    )
                rows.append(tuple([list(column) for column in zip(*words)]))
        return rows


@_documented("train.txt", "Deep JJ B-NP\nsea NN I-NP\n\n", "word", "['Deep' 'sea']")
class CoNLL2000Dataset(_Tagged):
    """The sentences of CoNLL-2000, with the parts of speech and the phrases of their words"""

    columns = ("word", "pos_tag", "chunk_tag")
    parts = (("test", "test.txt"), ("train", "train.txt"))
    separator = " "

    def _fields(self, line: str) -> list[str]:
        return line.split()  # some copies have runs of blanks


@_documented("en-ud-tag.v2.train.txt", "deep\tADJ\tJJ\nsea\tNOUN\tNN\n\n", "universal", "['ADJ' 'NOUN']")
class UDPOSDataset(_Tagged):
    """English sentences of Universal Dependencies, with the parts of speech of their words"""

    columns = ("word", "universal", "stanford")
    parts = (("valid", "en-ud-tag.v2.dev.txt"), ("test", "en-ud-tag.v2.test.txt"), ("train", "en-ud-tag.v2.train.txt"))
    separator = "\t"


@_documented("train.tsv", "sentence\tlabel\na deep film\t1\n", "sentence", "a deep film")
class SST2Dataset(Corpus):
    """The sentences of the Stanford Sentiment Treebank, with labels except for the test"""

    columns = ("sentence", "label")
    parts = (("train", "train.tsv"), ("test", "test.tsv"), ("dev", "dev.tsv"))
    default = "train"

    def _names(self) -> list[str]:
        return ["sentence"] if self.usage == "test" else list(self.columns)

    def _read(self, path: str) -> list[Row]:
        rows = csv_rows(path, 2, "\t", csv.QUOTE_NONE)[1:]
        return [row[1:] for row in rows] if self.usage == "test" else rows


@_documented(
    "train-v1.1.json",
    '{"data": [{"paragraphs": [{"context": "The sea is deep.", "qas": [{"question": "What is deep?", '
    '"answers": [{"text": "The sea", "answer_start": 0}]}]}]}]}',
    "text",
    "['The sea']",
)
class SQuADDataset(Corpus):
    """The questions of SQuAD, with the answers in their context and where they start there, of uint32"""

    columns = ("context", "question", "text", "answer_start")
    parts = (("train", "train-v1.1.json"), ("dev", "dev-v1.1.json"))

    def _read(self, path: str) -> list[Row]:
        content = read_json(path)
        try:
            paragraphs = [paragraph for article in content["data"] for paragraph in article["paragraphs"]]
            return [_question(paragraph["context"], each) for paragraph in paragraphs for each in paragraph["qas"]]
        except (KeyError, TypeError) as error:
            raise ValueError(f"it must be SQuAD's JSON: {error!r:.100}.") from error


_NO_ANSWER = 2**32 - 1  # the start of the answer to a question that has none


def _question(context: str, question: dict[str, Any]) -> Row:
    answers = question["answers"] or [{"text": "", "answer_start": _NO_ANSWER}]
    starts = np.array([answer["answer_start"] for answer in answers], np.uint32)
    texts = [answer["text"] for answer in answers]
    for each in (context, question["question"], *texts):
        if not isinstance(each, str):
            raise TypeError(f"{each!r:.100} is given instead of a text")
    return context, question["question"], texts, starts


class EnWik9Dataset(Corpus):
    """The lines of enwik9, the first 10⁹ bytes of the English Wikipedia: "text".

    Args:
        dataset_dir: the folder with the file "enwik9".
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> _ = pathlib.Path(folder.name, "enwik9").write_text("<page>\\n")
        >>> for row in ds.EnWik9Dataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["text"])
        <page>
        >>> folder.cleanup()
    """

    parts = (("all", "enwik9"),)

    @extends(Corpus)
    def __init__(
        self, dataset_dir: Folder, num_samples: Count = None, num_parallel_workers: Workers = None,
        shuffle: Level | None = True, num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None: ...  # fmt: skip

    def _read(self, path: str) -> list[Row]:
        return [(line,) for line in lines_of(path)]


class Multi30kDataset(Corpus):
    """Descriptions of images in English and German: "text" and its "translation".

    Args:
        dataset_dir: the folder with "training/train.en", "validation/val.en", "mmt16_task1_test/test.en" and the same
            with "de".
        usage: "train", "valid", "test" or "all". Default: None, "all".
        language_pair: the languages of text and translation. Default: None, ["en", "de"].
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for language, text in {"en": "The deep sea.", "de": "Das tiefe Meer."}.items():
        ...     path = pathlib.Path(folder.name, "training", f"train.{language}")
        ...     path.parent.mkdir(exist_ok=True)
        ...     _ = path.write_text(text)
        >>> for row in ds.Multi30kDataset(folder.name, "train").create_dict_iterator(num_epochs=1):
        ...     print(row["text"], row["translation"])
        The deep sea. Das tiefe Meer.
        >>> folder.cleanup()
    """

    columns = ("text", "translation")
    parts = (("test", "mmt16_task1_test/test"), ("train", "training/train"), ("valid", "validation/val"))

    @extends(Corpus)
    def __init__(
        self, dataset_dir: Folder, usage: str | None = None, language_pair: _EnglishAndGerman | None = None,
        num_samples: Count = None, num_parallel_workers: Workers = None, shuffle: bool | None = None,
        num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.language_pair = ["en", "de"] if language_pair is None else language_pair

    def _read(self, path: str) -> list[Row]:
        return parallel(_filled_lines, [f"{path}.{language}" for language in self.language_pair])


def _filled_lines(path: str) -> list[str]:
    return [line for line in lines_of(path) if line]
