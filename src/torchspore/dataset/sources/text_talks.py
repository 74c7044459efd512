"""Sources of translated talks: IWSLT's files of 2016 and 2017."""

from __future__ import annotations

import itertools
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from torchspore.dataset.parameters import Cache, Count, Folder, Shard, Workers, extends
from torchspore.dataset.rows.values import Row
from torchspore.dataset.sampling.samplers import Level, Shuffle
from torchspore.dataset.sources.text_corpora import Corpus
from torchspore.dataset.sources.text_files import lines_of, parallel
from torchspore.engine.parameters import Where
from torchspore.engine.storage.reading import read_bytes

__all__ = ["IWSLT2016Dataset", "IWSLT2017Dataset"]

_OTHERS = ("ar", "de", "fr", "cs")
_PAIRS_2016 = [*[("en", other) for other in _OTHERS], *[(other, "en") for other in _OTHERS]]
_PAIRS_2017 = list(itertools.permutations(("en", "nl", "de", "it", "ro"), 2))
_Two: TypeAlias = Annotated[Sequence[str], Where("two languages", lambda pair: len(pair) == 2, TypeError)]
_Pair2016: TypeAlias = Annotated[_Two, Where(f"one of {_PAIRS_2016}", lambda pair: tuple(pair) in _PAIRS_2016)]
_Pair2017: TypeAlias = Annotated[_Two, Where(f"one of {_PAIRS_2017}", lambda pair: tuple(pair) in _PAIRS_2017)]
_Set: TypeAlias = Literal["dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014"]
# How lines of the training files begin that describe a talk and are not part of its text.
_TAGS = ("<url", "<keywords", "<talkid", "<speaker", "<reviewer", "<translator", "<title", "<description")
_TRAINING = "train.tags"


class _Talks(Corpus):
    """Talks in two languages."""

    columns = ("text", "translation")
    parts = (("train", ""), ("valid", ""), ("test", ""))
    language_pair: Sequence[str] | None  # an argument, as others
    valid_set: str | None
    test_set: str | None
    _release: str

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of text and translation."""
        return tuple(self.language_pair or ("de", "en"))

    def _folder(self) -> list[str]:
        raise NotImplementedError

    def _names_of_files(self) -> list[str]:
        sets = {"valid": self.valid_set or "tst2013", "test": self.test_set or "tst2014"}
        prefixes = {"train": _TRAINING} | {part: f"{self._release}.TED.{name}" for part, name in sets.items()}
        wanted = prefixes.values() if self.usage == "all" else [prefixes[self.usage]]
        folder = os.path.join(self.dataset_dir, "texts", *self._folder())
        return [os.path.join(folder, f"{prefix}.{'-'.join(self.languages)}") for prefix in wanted]

    def _read(self, path: str) -> list[Row]:
        paths = [f"{path}.{language}" for language in self.languages]
        if os.path.basename(path).startswith(_TRAINING):
            return parallel(_lines_without_tags, paths)
        return parallel(_segments, [f"{each}.xml" for each in paths])


def _lines_without_tags(path: str) -> list[str]:
    return [line.strip() for line in lines_of(path) if not line.startswith(_TAGS)]


def _segments(path: str) -> list[str]:
    try:
        segments = ElementTree.fromstring(read_bytes(path)).iter("seg")
    except (ElementTree.ParseError, LookupError) as error:  # a LookupError: it names an unknown encoding
        raise ValueError(f"it is not XML: {error}.") from error
    return [(segment.text or "").strip() for segment in segments]


class IWSLT2016Dataset(_Talks):
    """The translated talks of IWSLT 2016: "text" and its "translation".

    Args:
        dataset_dir: the folder with "texts/de/en/de-en" and likewise for the other languages, with files such as
            "train.tags.de-en.de" and "IWSLT16.TED.tst2013.de-en.de.xml".
        usage: "train", "valid", "test" or "all". Default: None, "all".
        language_pair: the languages of text and translation: "en", and "ar", "de", "fr" or "cs", in either
            order. Default: None, ["de", "en"].
        valid_set: "dev2010" or "tst2010" to "tst2014". Default: None, "tst2013".
        test_set: the same. Default: None, "tst2014".
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> texts = pathlib.Path(folder.name, "texts/de/en/de-en")
        >>> texts.mkdir(parents=True)
        >>> for language, line in {"de": "Das tiefe Meer.", "en": "The deep sea."}.items():
        ...     _ = (texts / f"train.tags.de-en.{language}").write_text(f"<title>T</title>\\n{line}\\n")
        >>> for row in ds.IWSLT2016Dataset(folder.name, "train").create_dict_iterator(num_epochs=1):
        ...     print(row["text"], row["translation"])
        Das tiefe Meer. The deep sea.
        >>> folder.cleanup()
    """

    _release = "IWSLT16"

    @extends(Corpus)
    def __init__(
        self, dataset_dir: Folder, usage: str | None = None, language_pair: _Pair2016 | None = None,
        valid_set: _Set | None = None, test_set: _Set | None = None, num_samples: Count = None,
        shuffle: Level | None = Shuffle.GLOBAL, num_shards: Shard = None, shard_id: Shard = None,
        num_parallel_workers: Workers = None, cache: Cache = None,
    ) -> None: ...  # fmt: skip

    def _folder(self) -> list[str]:
        return [*self.languages, "-".join(self.languages)]


class IWSLT2017Dataset(_Talks):
    """The translated talks of IWSLT 2017: "text" and its "translation".

    Args:
        dataset_dir: the folder with "texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo", with files such as
            "train.tags.de-en.de" and "IWSLT17.TED.dev2010.de-en.de.xml".
        usage: "train", "valid", "test" or "all". Default: None, "all".
        language_pair: the languages of text and translation: two of "en", "nl", "de", "it" and "ro". Default: None,
            ["de", "en"].
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> texts = pathlib.Path(folder.name, "texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo")
        >>> texts.mkdir(parents=True)
        >>> for language, line in {"de": "Das Meer", "en": "The sea"}.items():
        ...     content = f"<mteval><doc><seg id='1'> {line} </seg></doc></mteval>"
        ...     _ = (texts / f"IWSLT17.TED.tst2010.de-en.{language}.xml").write_text(content)
        >>> for row in ds.IWSLT2017Dataset(folder.name, "test").create_dict_iterator(num_epochs=1):
        ...     print(row["text"], "/", row["translation"])
        Das Meer / The sea
        >>> folder.cleanup()
    """

    _release = "IWSLT17"
    valid_set = "dev2010"
    test_set = "tst2010"

    @extends(Corpus)
    def __init__(
        self, dataset_dir: Folder, usage: str | None = None, language_pair: _Pair2017 | None = None,
        num_samples: Count = None, shuffle: Level | None = Shuffle.GLOBAL, num_shards: Shard = None,
        shard_id: Shard = None, num_parallel_workers: Workers = None, cache: Cache = None,
    ) -> None: ...  # fmt: skip

    def _folder(self) -> list[str]:
        return ["DeEnItNlRo", "DeEnItNlRo", "DeEnItNlRo-DeEnItNlRo"]
