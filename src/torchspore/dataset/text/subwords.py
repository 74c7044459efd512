"""Tokenizers into pieces of words: WordPiece and BERT's."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from torchspore.dataset.text.base import Span, Tokenizer
from torchspore.dataset.text.enums import NormalizeForm
from torchspore.dataset.text.tokenizers import BasicTokenizer
from torchspore.dataset.text.vocabulary import Vocab
from torchspore.dataset.transforms.base import Array
from torchspore.engine.parameters import Limits

__all__ = ["BertTokenizer", "WordpieceTokenizer"]

_CACHE_SIZE = 1 << 16  # words whose pieces are cached: most words of a text are repeated

_Bytes: TypeAlias = Annotated[int, Limits(0, 2**32 - 1)]


class WordpieceTokenizer(Tokenizer):
    """Splits words into the longest pieces of a vocabulary, from the left.

    Args:
        vocab: the vocabulary.
        suffix_indicator: the prefix of pieces in the vocabulary that do not begin a word. Default: "##".
        max_bytes_per_token: the maximum bytes of a word; longer ones are unknown. Default: 100.
        unknown_token: the replacement for a word that cannot be split; "" keeps the word. Default: "[UNK]".
        with_offsets: whether to also return where pieces start and end in their words, in bytes of UTF-8. Default:
            False.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> vocab = text.Vocab.from_list(["deep", "sea", "##er"])
        >>> text.WordpieceTokenizer(vocab)(["deeper", "sky"])
        array(['deep', '##er', '[UNK]'], dtype='<U5')
    """

    _ranks: tuple[int, ...] = (0, 1)

    def __init__(
        self, vocab: Vocab, suffix_indicator: str = "##", max_bytes_per_token: _Bytes = 100,
        unknown_token: str = "[UNK]", with_offsets: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(with_offsets)
        self._pieces = Pieces(vocab, suffix_indicator, max_bytes_per_token, unknown_token)

    def _apply(self, value: Array) -> Any:
        words = value.reshape(-1).tolist()
        found = [self._pieces.of(word) for word in ([word for word in words if word] or [""])]
        return self._result(*[[each for part in parts for each in part] for parts in zip(*found)])


class Pieces:
    """Splits words into pieces of a vocabulary; arguments as for `WordpieceTokenizer`."""

    def __init__(self, vocab: Vocab, suffix_indicator: str, max_bytes_per_token: int, unknown_token: str) -> None:
        self._known = vocab.vocab()
        self._suffix = suffix_indicator
        self._max_bytes = max_bytes_per_token
        self._unknown = unknown_token
        self._cache: dict[str, tuple[list[str], list[int], list[int]]] = {}

    def of(self, word: str) -> tuple[list[str], list[int], list[int]]:
        """Return the pieces of a word and their starts and ends in bytes; callers must not change them."""
        found = self._cache.get(word)
        if found is None:
            found = self._split(word)
            if len(self._cache) < _CACHE_SIZE:
                self._cache[word] = found
        return found

    def _split(self, word: str) -> tuple[list[str], list[int], list[int]]:
        size = len(word.encode())
        spans = self._spans(word) if size <= self._max_bytes else None
        if spans is None:
            return [self._unknown or word], [0], [size]
        pieces = [self._piece(word, start, end) for start, end in spans]
        bounds = [len(word[:end].encode()) for _, end in spans]
        return pieces or [""], [0, *bounds[:-1]], bounds or [0]

    def _piece(self, word: str, start: int, end: int) -> str:
        return (self._suffix if start else "") + word[start:end]

    def _spans(self, word: str) -> list[Span] | None:
        """Return the spans of the longest known pieces from the left, or None if there are none."""
        spans = []
        start = 0
        while start < len(word):
            ends = range(len(word), start, -1)
            end = next((end for end in ends if self._piece(word, start, end) in self._known), None)
            if end is None:
                return None
            spans.append((start, end))
            start = end
        return spans


class BertTokenizer(BasicTokenizer):
    """Splits a text by `BasicTokenizer`, and its words by `WordpieceTokenizer`.

    Args:
        vocab, suffix_indicator, max_bytes_per_token, unknown_token: as for `WordpieceTokenizer`.
        lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets: as for `BasicTokenizer`.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> vocab = text.Vocab.from_list(["deep", "##er", "sea", "!", "[UNK]"])
        >>> text.BertTokenizer(vocab, lower_case=True)("Deeper sea!")
        array(['deep', '##er', 'sea', '!'], dtype='<U4')
    """

    def __init__(
        self, vocab: Vocab, suffix_indicator: str = "##", max_bytes_per_token: _Bytes = 100,
        unknown_token: str = "[UNK]", lower_case: bool = False, keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE, preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets)
        self._pieces = Pieces(vocab, suffix_indicator, max_bytes_per_token, unknown_token)

    def _tokens(self, text: str) -> tuple[list[str], list[int], list[int]]:
        tokens: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        for word, offset, _ in zip(*super()._tokens(text)):
            pieces, first, last = self._pieces.of(word)
            tokens += pieces
            starts += [offset + start for start in first]
            ends += [offset + end for end in last]
        return tokens, starts, ends
