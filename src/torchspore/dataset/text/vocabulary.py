"""Vocabularies: words and their IDs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.error_classes import WrongValue, also
from torchspore.dataset.checks import indexes
from torchspore.dataset.parameters import AnyColumns, File, Natural, checked, column_list, take_as
from torchspore.dataset.pipeline.dataset import Dataset
from torchspore.dataset.text.base import (
    TextTensorOperation,
    Tokenizer,
    Words,
    are_unique,
    read_words,
)
from torchspore.dataset.text.tokenizers import (
    BasicTokenizer,
    RegexTokenizer,
    UnicodeCharTokenizer,
    UnicodeScriptTokenizer,
    WhitespaceTokenizer,
)
from torchspore.dataset.transforms.base import Array
from torchspore.dataset.transforms.combined import joins
from torchspore.dataset.transforms.operations import numpy_type
from torchspore.engine.parameters import Limits, Where

__all__ = ["Lookup", "Vocab", "words_of"]

_Id: TypeAlias = Annotated[int, Limits(0, 2**31 - 1)]
_Ids: TypeAlias = _Id | list[_Id]
_Limit: TypeAlias = Annotated[int | None, ValueError]


def _are_limits(limits: tuple[int | None, int | None]) -> bool:
    minimum, maximum = limits[0] or 0, limits[1]
    return minimum >= 0 and (maximum is None or maximum >= minimum)


_Frequencies: TypeAlias = Annotated[
    tuple[_Limit, _Limit], Where("(minimum, maximum) with 0 <= minimum <= maximum, or None for one", _are_limits)
]


class Vocab:
    """Words and their IDs, created by `from_list`, `from_dict`, `from_file` or `from_dataset`.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> vocab = text.Vocab.from_list(["deep", "sea"], special_tokens=["<unk>"])
        >>> vocab.vocab()
        {'<unk>': 0, 'deep': 1, 'sea': 2}
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._words: dict[int, str] | None = None  # until it is built

    @classmethod
    def _of(cls, ids: dict[str, int]) -> Vocab:
        vocab = cls()
        vocab._ids = ids
        vocab._words = {number: word for word, number in ids.items()}
        return vocab

    @classmethod
    def _numbered(cls, api: str, words: list[str], special: list[str] | None, special_first: bool) -> Vocab:
        special = special or []
        both = sorted(set(words) & set(special))
        if both:
            raise WrongValue(f"For '{api}', 'special_tokens' must not be among the words, but {both} are.")
        ordered = special + words if special_first else words + special
        return cls._of({word: number for number, word in enumerate(ordered)})

    @classmethod
    @checked
    def from_list(cls, word_list: Words, special_tokens: Words | None = None, special_first: bool = True) -> Vocab:
        """Number the words of a list.

        Args:
            word_list: the words.
            special_tokens: further words, such as "<unk>". Default: None.
            special_first: whether these come first. Default: True.

        Raises:
            ValueError: a word occurs twice.

        Examples:
            >>> import torchspore.dataset.text as text
            >>> text.Vocab.from_list(["a", "b"], ["<pad>"], special_first=False).vocab()
            {'a': 0, 'b': 1, '<pad>': 2}
        """
        return cls._numbered("Vocab.from_list", word_list, special_tokens, special_first)

    @classmethod
    @checked
    def from_dict(cls, word_dict: dict[str, _Id]) -> Vocab:
        """Use given IDs.

        Args:
            word_dict: the IDs by word, each >= 0.

        Examples:
            >>> import torchspore.dataset.text as text
            >>> text.Vocab.from_dict({"home": 3, "sea": 5}).ids_to_tokens(5)
            'sea'
        """
        return cls._of(dict(word_dict))

    @classmethod
    @checked
    def from_file(
        cls, file_path: File, delimiter: str = "", vocab_size: Natural | None = None,
        special_tokens: Words | None = None, special_first: bool = True,
    ) -> Vocab:  # fmt: skip
        """Number the words of a file, one in each line.

        Args:
            file_path: the file, in UTF-8.
            delimiter: the text that ends the word in its line. Default: "", the whole line is the word.
            vocab_size: the maximum number of words of the file, > 0. Default: None, all.
            special_tokens, special_first: as for `from_list`.

        Raises:
            ValueError: a word occurs twice.

        Examples:
            >>> import tempfile
            >>> import torchspore.dataset.text as text
            >>> with tempfile.NamedTemporaryFile("w+") as file:
            ...     _ = file.write("deep,7\\nsea,3\\n")
            ...     file.flush()
            ...     text.Vocab.from_file(file.name, ",", special_tokens=["<unk>"]).vocab()
            {'<unk>': 0, 'deep': 1, 'sea': 2}
        """
        api = "Vocab.from_file"
        lines = read_words(api, os.fspath(file_path)).split("\n")
        if not lines[-1]:
            lines.pop()
        words = [line.split(delimiter)[0] if delimiter else line for line in lines[:vocab_size]]
        if not are_unique(words):
            duplicate = next(word for word, count in Counter(words).items() if count > 1)
            raise WrongValue(f"For '{api}', the file {file_path!r} must not have {duplicate!r:.100} twice.")
        return cls._numbered(api, words, special_tokens, special_first)

    @classmethod
    @checked
    def from_dataset(
        cls, dataset: Dataset, columns: AnyColumns = None, freq_range: _Frequencies | None = None,
        top_k: Natural | None = None, special_tokens: Words | None = None, special_first: bool = True,
    ) -> Vocab:  # fmt: skip
        """Number the words of a dataset by descending frequency, words of equal frequency in alphabetical order.

        Args:
            dataset: the dataset, with columns of strs.
            columns: the columns of words. Default: None, all.
            freq_range: (minimum, maximum) of the frequency of words; None for no limit. Default: None.
            top_k: the maximum number of words of the dataset, > 0. Default: None, all.
            special_tokens, special_first: as for `from_list`.

        Raises:
            RuntimeError: a column does not exist.

        Examples:
            >>> import torchspore.dataset as ds
            >>> import torchspore.dataset.text as text
            >>> data = ds.NumpySlicesDataset(["sea", "deep", "sea"], ["word"])
            >>> text.Vocab.from_dataset(data, top_k=2).vocab()
            {'sea': 0, 'deep': 1}
        """
        api = "Vocab.from_dataset"
        lowest, highest = freq_range or (None, None)
        counts = Counter(words_of(api, dataset, columns))
        least, most = lowest or 0, float("inf") if highest is None else highest
        kept = [word for word, number in counts.items() if least <= number <= most]
        words = sorted(kept, key=lambda word: (-counts[word], word))[:top_k]
        return cls._numbered(api, words, special_tokens, special_first)

    def vocab(self) -> dict[str, int]:
        """Return the IDs by word.

        Examples:
            >>> import torchspore.dataset.text as text
            >>> text.Vocab.from_list(["deep", "sea"]).vocab()
            {'deep': 0, 'sea': 1}
        """
        self._built("vocab")
        return dict(self._ids)

    def _built(self, method: str) -> dict[int, str]:
        if self._words is None:
            raise also(RuntimeError, TypeError)(f"For 'Vocab.{method}', build it first, by Vocab.from_list.")
        return self._words

    def tokens_to_ids(self, tokens: str | list[str] | Array) -> int | list[int]:
        """Return the ID of a word, or of the one in a list, or the IDs of several; -1 for unknown words.

        Args:
            tokens: a str, or a list or one-dimensional array of them.

        Examples:
            >>> import torchspore.dataset.text as text
            >>> text.Vocab.from_list(["deep", "sea"]).tokens_to_ids(["sea", "sky"])
            [1, -1]
        """
        self._built("tokens_to_ids")
        given = take_as(str | list[str], _listed(tokens), "tokens", "Vocab.tokens_to_ids")
        return self._ids.get(given, -1) if isinstance(given, str) else _single([self._ids.get(x, -1) for x in given])

    def ids_to_tokens(self, ids: int | list[int] | Array) -> str | list[str]:
        """Return the word of an ID, or of the one in a list, or the words of several; an empty str for unknown IDs.

        Args:
            ids: an int >= 0, or a list or one-dimensional array of them.

        Examples:
            >>> import torchspore.dataset.text as text
            >>> text.Vocab.from_list(["deep", "sea"]).ids_to_tokens([1, 7])
            ['sea', '']
        """
        known = self._built("ids_to_tokens")
        given = take_as(_Ids, _listed(ids), "ids", "Vocab.ids_to_tokens")
        return known.get(given, "") if isinstance(given, int) else _single([known.get(x, "") for x in given])


def _single(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _listed(value: Any) -> Any:
    """Return an array as a list, other values unchanged."""
    return value.tolist() if isinstance(value, np.ndarray) and value.ndim < 2 else value


def words_of(api: str, dataset: Dataset, columns: AnyColumns) -> Iterable[str]:
    """Yield the strs of columns of a dataset.

    Raises:
        RuntimeError: a column does not exist.
    """
    names = dataset.get_col_names()
    wanted = column_list(columns) or names
    indexes(api, names, wanted)
    for row in dataset.create_tuple_iterator(wanted, num_epochs=1, output_numpy=True):
        for name, value in zip(wanted, row):
            if value.dtype.kind != "U":
                raise TypeError(f"For '{api}', the columns must have strs, but '{name}' has {value.dtype}.")
            yield from value.reshape(-1).tolist()


class Lookup(TextTensorOperation):
    """Returns the IDs of words.

    Args:
        vocab: the vocabulary.
        unknown_token: the word whose ID unknown words get. Default: None, these are errors.
        data_type: the data type of the IDs. Default: int32.

    Raises:
        ValueError: `unknown_token` is not in the vocabulary; or, without it, a word is not (when called).

    Examples:
        >>> import torchspore.dataset.text as text
        >>> vocab = text.Vocab.from_list(["deep", "sea", "<unk>"])
        >>> text.Lookup(vocab, "<unk>")(["sea", "sky"])
        array([1, 2], dtype=int32)
    """

    def __init__(self, vocab: Vocab, unknown_token: str | None = None, data_type: Any = mstype.int32) -> None:
        self.vocab = vocab
        self.data_type = numpy_type("Lookup", data_type, numpy=False)
        self._ids = vocab.vocab()
        self._unknown: int | None = None
        if unknown_token is not None:
            if unknown_token not in self._ids:
                raise ValueError(f"For 'Lookup', 'unknown_token' must be in the vocabulary, but got {unknown_token!r}.")
            self._unknown = self._ids[unknown_token]

    def _apply(self, value: Array) -> Array:
        return self._ids_of(value.reshape(-1).tolist()).reshape(value.shape)

    def _ids_of(self, words: list[str]) -> Array:
        try:
            found = list(map(self._ids.__getitem__, words))
        except KeyError as error:
            if self._unknown is None:
                raise ValueError(
                    f"For 'Lookup', each word must be in the vocabulary, but {error.args[0]!r} is not. Pass an "
                    f"'unknown_token' for such words."
                ) from None
            found = [self._ids.get(word, self._unknown) for word in words]
        return np.array(found, np.int32).astype(self.data_type, copy=False)


def _ids_of_tokens(tokenizer: Tokenizer, lookup: Lookup, value: Array) -> Array:
    """Split a text and look up the words, without an array of strs in between."""
    if tokenizer.with_offsets or value.ndim or value.dtype.kind != "U":
        raise ValueError
    return lookup._ids_of(tokenizer._split(value.item()) or [""])


for _kind in (BasicTokenizer, RegexTokenizer, UnicodeCharTokenizer, UnicodeScriptTokenizer, WhitespaceTokenizer):
    joins(_kind, Lookup)(_ids_of_tokens)
