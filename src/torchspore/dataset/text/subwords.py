"""Tokenizers into pieces of words: WordPiece, BERT's, SentencePiece."""

from __future__ import annotations

from typing import Any

from torchspore.dataset.text.base import Span, Tokenizer
from torchspore.dataset.text.enums import NormalizeForm
from torchspore.dataset.text.tokenizers import BasicTokenizer
from torchspore.dataset.text.vocabulary import Vocab
from torchspore.dataset.transforms.base import Array
from torchspore.engine.checks import check_int, check_kind

__all__ = ["BertTokenizer", "WordpieceTokenizer"]

_KEPT = 1 << 16  # words whose pieces are kept: in a text most words come again


class WordpieceTokenizer(Tokenizer):
    """Divides words into the longest pieces that are in a vocabulary, from the left.

    Args:
        vocab: the vocabulary.
        suffix_indicator: what pieces that do not begin a word begin with in the vocabulary. Default: "##".
        max_bytes_per_token: words with more bytes are unknown. Default: 100.
        unknown_token: what stands for a word that cannot be divided; "" leaves the word as it is. Default: "[UNK]".
        with_offsets: give also where the pieces start and end in their words, in bytes of UTF-8. Default: False.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> vocab = text.Vocab.from_list(["deep", "sea", "##er"])
        >>> text.WordpieceTokenizer(vocab)(["deeper", "sky"])
        array(['deep', '##er', '[UNK]'], dtype='<U5')
    """

    _ranks: tuple[int, ...] = (0, 1)

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",
        with_offsets: bool = False,
    ) -> None:
        super().__init__(with_offsets)
        self._pieces = Pieces("WordpieceTokenizer", vocab, suffix_indicator, max_bytes_per_token, unknown_token)

    def _apply(self, value: Array) -> Any:
        found = [self._pieces.of(word) for word in value.reshape(-1).tolist()]
        return self._result(*[[each for part in parts for each in part] for parts in zip(*found)])


class Pieces:
    """Divides words into pieces of a vocabulary.

    Args:
        api: the name for messages.
        vocab: the vocabulary.
        suffix_indicator: what pieces that do not begin a word begin with.
        max_bytes_per_token: words with more bytes are unknown.
        unknown_token: what stands for unknown words; "" for the word.
    """

    def __init__(self, api: str, vocab: Any, suffix_indicator: Any, max_bytes_per_token: Any, unknown_token: Any):
        check_kind(vocab, Vocab, "vocab", api)
        check_kind(suffix_indicator, str, "suffix_indicator", api)
        check_kind(unknown_token, str, "unknown_token", api)
        self._known = vocab.vocab()
        self._suffix = suffix_indicator
        self._most = check_int(max_bytes_per_token, "max_bytes_per_token", api, least=0)
        self._unknown = unknown_token
        self._divided: dict[str, tuple[list[str], list[int], list[int]]] = {}

    def of(self, word: str) -> tuple[list[str], list[int], list[int]]:
        """Return the pieces of a word, and the bytes at which they start and have ended; they must not be changed."""
        found = self._divided.get(word)
        if found is None:
            found = self._divide(word)
            if len(self._divided) < _KEPT:
                self._divided[word] = found
        return found

    def _divide(self, word: str) -> tuple[list[str], list[int], list[int]]:
        size = len(word.encode())
        spans = self._spans(word) if size <= self._most else None
        if spans is None:
            return [self._unknown or word], [0], [size]
        pieces = [self._piece(word, start, limit) for start, limit in spans]
        bounds = [len(word[:limit].encode()) for _, limit in spans]
        return pieces or [""], [0, *bounds[:-1]], bounds or [0]

    def _piece(self, word: str, start: int, limit: int) -> str:
        return (self._suffix if start else "") + word[start:limit]

    def _spans(self, word: str) -> list[Span] | None:
        """Return the longest known pieces from the left, or None where there is none."""
        spans = []
        start = 0
        while start < len(word):
            limits = range(len(word), start, -1)
            limit = next((limit for limit in limits if self._piece(word, start, limit) in self._known), None)
            if limit is None:
                return None
            spans.append((start, limit))
            start = limit
        return spans


class BertTokenizer(BasicTokenizer):
    """Divides a text as `BasicTokenizer` does, and the words as `WordpieceTokenizer`.

    Args:
        vocab: the vocabulary.
        suffix_indicator: what pieces that do not begin a word begin with in the vocabulary. Default: "##".
        max_bytes_per_token: words with more bytes are unknown. Default: 100.
        unknown_token: what stands for a word that cannot be divided; "" leaves the word as it is. Default: "[UNK]".
        lower_case: make letters small, without accents. Default: False.
        keep_whitespace: give white space as tokens, too. Default: False.
        normalization_form: without `lower_case`, the normal form to bring the text into before. Default: NONE.
        preserve_unused_token: leave [CLS], [SEP], [UNK], [PAD], [MASK] and [unused1] etc. as they are. Default: True.
        with_offsets: give also where the tokens start and end, in bytes of UTF-8. Default: False.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> vocab = text.Vocab.from_list(["deep", "##er", "sea", "!", "[UNK]"])
        >>> text.BertTokenizer(vocab, lower_case=True)("Deeper sea!")
        array(['deep', '##er', 'sea', '!'], dtype='<U4')
    """

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:
        super().__init__(lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets)
        self._pieces = Pieces("BertTokenizer", vocab, suffix_indicator, max_bytes_per_token, unknown_token)

    def _tokens(self, text: str) -> tuple[list[str], list[int], list[int]]:
        tokens: list[str] = []
        starts: list[int] = []
        limits: list[int] = []
        for word, place, _ in zip(*super()._tokens(text)):
            pieces, first, last = self._pieces.of(word)
            tokens += pieces
            starts += [place + each for each in first]
            limits += [place + each for each in last]
        return tokens, starts, limits
