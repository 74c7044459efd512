"""Vocabularies: words and their IDs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.error_classes import WrongValue, also
from torchspore.dataset.checks import as_names, indexes
from torchspore.dataset.parameters import File, take_as
from torchspore.dataset.text.base import (
    TextTensorOperation,
    Tokenizer,
    check_special,
    check_unique,
    check_words,
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
from torchspore.dataset.value_checks import check_int, check_kind, wrong_type
from torchspore.engine.failures.errors import describe

if TYPE_CHECKING:
    from torchspore.dataset.pipeline.dataset import Dataset

__all__ = ["Lookup", "Vocab", "words_of"]

_MAX_ID = 2**31 - 1


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
    def _numbered(cls, api: str, words: list[str], special: list[str], special_first: bool) -> Vocab:
        both = sorted(set(words) & set(special))
        if both:
            raise WrongValue(f"For '{api}', 'special_tokens' must not be among the words, but {both} are.")
        ordered = special + words if special_first else words + special
        return cls._of({word: number for number, word in enumerate(ordered)})

    @classmethod
    def from_list(
        cls, word_list: list[str], special_tokens: list[str] | None = None, special_first: bool = True
    ) -> Vocab:
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
        words = check_words("Vocab.from_list", "word_list", word_list)
        return cls._numbered("Vocab.from_list", words, *check_special("Vocab.from_list", special_tokens, special_first))

    @classmethod
    def from_dict(cls, word_dict: dict[str, int]) -> Vocab:
        """Use given IDs.

        Args:
            word_dict: the IDs by word, each >= 0.

        Examples:
            >>> import torchspore.dataset.text as text
            >>> text.Vocab.from_dict({"home": 3, "sea": 5}).ids_to_tokens(5)
            'sea'
        """
        api = "Vocab.from_dict"
        check_kind(word_dict, dict, "word_dict", api)
        for word, number in word_dict.items():
            check_kind(word, str, "word_dict", api)
            check_int(number, f"word_dict[{word!r}]", api, minimum=0, maximum=_MAX_ID)
        return cls._of(dict(word_dict))

    @classmethod
    def from_file(
        cls, file_path: str, delimiter: str = "", vocab_size: int | None = None,
        special_tokens: list[str] | None = None, special_first: bool = True,
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
        path = take_as(File, file_path, "file_path", api)
        check_kind(delimiter, str, "delimiter", api)
        size = None if vocab_size is None else check_int(vocab_size, "vocab_size", api)
        special, first = check_special(api, special_tokens, special_first)
        lines = read_words(api, path).split("\n")
        if not lines[-1]:
            lines.pop()
        words = [line.split(delimiter)[0] if delimiter else line for line in lines[:size]]
        check_unique(api, f"the file {path!r}", words)
        return cls._numbered(api, words, special, first)

    @classmethod
    def from_dataset(
        cls, dataset: Dataset, columns: str | Sequence[str] | None = None,
        freq_range: tuple[int | None, int | None] | None = None, top_k: int | None = None,
        special_tokens: list[str] | None = None, special_first: bool = True,
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
        minimum, maximum = _check_frequencies(api, freq_range)
        count = None if top_k is None else check_int(top_k, "top_k", api, kinds=(int, type(None)))
        special, first = check_special(api, special_tokens, special_first)
        counts = Counter(words_of(api, dataset, columns))
        kept = [word for word, number in counts.items() if minimum <= number <= maximum]
        words = sorted(kept, key=lambda word: (-counts[word], word))[:count]
        return cls._numbered(api, words, special, first)

    def vocab(self) -> dict[str, int]:
        """Return the IDs by word.

        Examples:
            >>> import torchspore.dataset.text as text
            >>> text.Vocab.from_list(["deep", "sea"]).vocab()
            {'deep': 0, 'sea': 1}
        """
        self._check_built("vocab")
        return dict(self._ids)

    def _check_built(self, method: str) -> dict[int, str]:
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
        api = "Vocab.tokens_to_ids"
        self._check_built("tokens_to_ids")
        given = _as_list(api, "tokens", tokens)
        if isinstance(given, list):
            for at, word in enumerate(given):
                check_kind(word, (str, np.str_), f"tokens[{at}]", api)
            return _single([self._ids.get(word, -1) for word in given])
        check_kind(given, (str, list, np.ndarray), "tokens", api)
        return self._ids.get(given, -1)

    def ids_to_tokens(self, ids: int | list[int] | Array) -> str | list[str]:
        """Return the word of an ID, or of the one in a list, or the words of several; an empty str for unknown IDs.

        Args:
            ids: an int >= 0, or a list or one-dimensional array of them.

        Examples:
            >>> import torchspore.dataset.text as text
            >>> text.Vocab.from_list(["deep", "sea"]).ids_to_tokens([1, 7])
            ['sea', '']
        """
        api = "Vocab.ids_to_tokens"
        known = self._check_built("ids_to_tokens")
        given = _as_list(api, "ids", ids)
        if isinstance(given, list):
            numbers = [
                check_int(number, f"ids[{at}]", api, minimum=0, maximum=_MAX_ID, kinds=(int, np.int32))
                for at, number in enumerate(given)
            ]
            return _single([known.get(number, "") for number in numbers])
        number = check_int(given, "ids", api, minimum=0, maximum=_MAX_ID, kinds=(int, list, np.ndarray))
        return known.get(number, "")


def _single(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _as_list(api: str, name: str, value: Any) -> Any:
    """Return an array as a list, other values unchanged."""
    if isinstance(value, np.ndarray) and value.ndim < 2:
        return value.tolist()
    if isinstance(value, (np.ndarray, tuple)):
        raise wrong_type(value, (int if name == "ids" else str, list, np.ndarray), name, api)
    return value


def _check_frequencies(api: str, given: Any) -> tuple[float, float]:
    if given is None:
        return 0, float("inf")
    check_kind(given, tuple, "freq_range", api)
    if len(given) != 2 or not all(limit is None or type(limit) is int for limit in given):
        raise ValueError(f"For '{api}', 'freq_range' must be (minimum, maximum) of ints or None, but got {given!r}.")
    minimum = 0 if given[0] is None else given[0]
    maximum = float("inf") if given[1] is None else given[1]
    if not 0 <= minimum <= maximum:
        raise ValueError(f"For '{api}', 'freq_range' must have 0 <= minimum <= maximum, but got {given!r}.")
    return minimum, maximum


def words_of(api: str, dataset: Any, columns: str | Sequence[str] | None) -> Iterable[str]:
    """Yield the strs of columns of a dataset.

    Raises:
        RuntimeError: a column does not exist.
    """
    if not hasattr(dataset, "create_tuple_iterator"):
        kind = also(TypeError, AttributeError)  # MindSpore looks for an attribute first
        raise kind(f"For '{api}', 'dataset' must be a dataset, but got {describe(dataset)}.")
    names = dataset.get_col_names()
    check_kind([] if columns is None else columns, (str, list), "columns", api)
    wanted = names if not columns else as_names(api, "columns", columns)
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
            check_kind(unknown_token, str, "unknown_token", "Lookup")
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
