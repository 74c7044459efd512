"""Sources of translated talks: IWSLT's files of 2016 and 2017."""

from __future__ import annotations

import itertools
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Any

from torchspore.dataset.cache import DatasetCache
from torchspore.dataset.checks import check_folder, check_usage
from torchspore.dataset.rows.values import Row
from torchspore.dataset.sampling.samplers import Shuffle
from torchspore.dataset.sources.text_files import KnownFiles, lines_of, parallel
from torchspore.dataset.value_checks import check_choice
from torchspore.engine.storage.reading import read_bytes

__all__ = ["IWSLT2016Dataset", "IWSLT2017Dataset"]

_OTHERS = ("ar", "de", "fr", "cs")
_PAIRS_2016 = [*[("en", other) for other in _OTHERS], *[(other, "en") for other in _OTHERS]]
_PAIRS_2017 = list(itertools.permutations(("en", "nl", "de", "it", "ro"), 2))
_SETS = ("dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014")
_USAGES = ("train", "valid", "test", "all")
# How lines of the training files begin that describe a talk and are not part of its text.
_TAGS = ("<url", "<keywords", "<talkid", "<speaker", "<reviewer", "<translator", "<title", "<description")
_TRAINING = "train.tags"


class _Talks(KnownFiles):
    """Files of two languages in one folder: lines with tags between them for training, and XML for the rest."""

    columns = ("text", "translation")

    def __init__(self, folder: str, pair: tuple[str, str], prefixes: list[str], *settings: Any) -> None:
        self.languages = pair
        super().__init__([os.path.join(folder, f"{prefix}.{pair[0]}-{pair[1]}") for prefix in prefixes], *settings)

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


def _check_pair(api: str, pair: Any, allowed: Sequence[tuple[str, str]]) -> tuple[str, str]:
    if pair is None:
        return "de", "en"
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise TypeError(f"For '{api}', 'language_pair' must be a list of two languages, but got {pair!r}.")
    if tuple(pair) not in allowed:
        raise ValueError(f"For '{api}', 'language_pair' must be one of {list(allowed)}, but got {pair!r}.")
    return pair[0], pair[1]


def _prefixes(usage: str, release: str, valid_set: str, test_set: str) -> list[str]:
    """Return the prefixes of the names of the files of a usage."""
    parts = {"train": _TRAINING, "valid": f"{release}.TED.{valid_set}", "test": f"{release}.TED.{test_set}"}
    return list(parts.values()) if usage == "all" else [parts[usage]]


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

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        language_pair: Sequence[str] | None = None,
        valid_set: str | None = None,
        test_set: str | None = None,
        num_samples: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        num_parallel_workers: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        api = "IWSLT2016Dataset"
        pair = _check_pair(api, language_pair, _PAIRS_2016)
        folder = os.path.join(check_folder(api, dataset_dir), "texts", *pair, "-".join(pair))
        valid, test = valid_set or "tst2013", test_set or "tst2014"
        check_choice(valid, _SETS, "valid_set", api)
        check_choice(test, _SETS, "test_set", api)
        prefixes = _prefixes(check_usage(api, usage, _USAGES), "IWSLT16", valid, test)
        super().__init__(
            folder, pair, prefixes, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )


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

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        language_pair: Sequence[str] | None = None,
        num_samples: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        num_parallel_workers: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        api = "IWSLT2017Dataset"
        pair = _check_pair(api, language_pair, _PAIRS_2017)
        all_languages = "DeEnItNlRo"
        parts = ["texts", all_languages, all_languages, f"{all_languages}-{all_languages}"]
        folder = os.path.join(check_folder(api, dataset_dir), *parts)
        prefixes = _prefixes(check_usage(api, usage, _USAGES), "IWSLT17", "dev2010", "tst2010")
        super().__init__(
            folder, pair, prefixes, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        )
