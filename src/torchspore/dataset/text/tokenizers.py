"""Tokenizers by white space, characters, scripts, regular expressions, and user functions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from torchspore.dataset.rows.failures import failed
from torchspore.dataset.text import characters
from torchspore.dataset.text.base import Span, Tokenizer
from torchspore.dataset.text.enums import NormalizeForm
from torchspore.dataset.text.regular import compiled
from torchspore.dataset.transforms.base import Array
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as

__all__ = [
    "BasicTokenizer", "PythonTokenizer", "RegexTokenizer", "UnicodeCharTokenizer", "UnicodeScriptTokenizer",
    "WhitespaceTokenizer",
]  # fmt: skip


class PythonTokenizer:
    """Turns a function that splits a str into a transform.

    Args:
        tokenizer: a function from a str to a list of strs. For the strs of an array, the lists must have equal lengths,
            except that one str is repeated.

    Raises:
        RuntimeError: `tokenizer` raises (when called).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.text as text
        >>> text.PythonTokenizer(str.split)(np.array("deep sea"))
        array(['deep', 'sea'], dtype='<U4')
    """

    random = False

    def __init__(self, tokenizer: Callable[[str], Any]) -> None:
        self.tokenizer = take_as(Callable, tokenizer, "tokenizer", "PythonTokenizer")

    def __call__(self, in_array: Array) -> Array:
        if not isinstance(in_array, np.ndarray) or in_array.dtype.kind not in "US":
            given = f"an array of {in_array.dtype}" if isinstance(in_array, np.ndarray) else describe(in_array)
            raise TypeError(f"For 'PythonTokenizer', the value must be a NumPy array of strs, but got {given}.")
        strings = np.char.decode(in_array) if in_array.dtype.kind == "S" else in_array
        try:
            tokens = np.vectorize(self._tokens, signature="()->(n)")(strings)
        except Exception as error:
            raise failed("PythonTokenizer", self.tokenizer, error) from error
        return np.asarray(tokens if tokens.size else tokens.astype("U1"))

    def _tokens(self, string: Any) -> Array:
        return np.array(self.tokenizer(str(string)))


class WhitespaceTokenizer(Tokenizer):
    """Splits at white space, which is removed.

    Args:
        with_offsets: whether to also return where tokens start and end, in bytes of UTF-8. Default: False.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.WhitespaceTokenizer(with_offsets=True)("deep  sea")
        (array(['deep', 'sea'], dtype='<U4'), array([0, 6], dtype=uint32), array([4, 9], dtype=uint32))
    """

    def _spans(self, text: str) -> Iterator[Span]:
        return (found.span() for found in characters.words_between_spaces().finditer(text))

    def _split(self, text: str) -> list[str]:
        if text.isascii() and text.isprintable():  # its only white space is the blank
            return text.split()
        return characters.words_between_spaces().findall(text)


def _runs(text: str, key: Callable[[str], Any]) -> Iterator[tuple[Any, Span]]:
    """Yield (key, span) of runs of characters with the same key."""
    start = 0
    for value, run in itertools.groupby(text, key):
        end = start + sum(1 for _ in run)
        yield value, (start, end)
        start = end


class UnicodeCharTokenizer(Tokenizer):
    """Splits into characters.

    Args:
        with_offsets: whether to also return where tokens start and end, in bytes of UTF-8. Default: False.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.UnicodeCharTokenizer()("sea")
        array(['s', 'e', 'a'], dtype='<U1')
    """

    def _spans(self, text: str) -> Iterator[Span]:
        return ((index, index + 1) for index in range(len(text)))


class UnicodeScriptTokenizer(Tokenizer):
    """Splits where the script changes, such as from Latin to Han or to punctuation, and at white space.

    Args:
        keep_whitespace: whether white space is returned as tokens. Default: False.
        with_offsets: whether to also return where tokens start and end, in bytes of UTF-8. Default: False.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.UnicodeScriptTokenizer()("deep sea, 深海")
        array(['deep', 'sea', ',', '深海'], dtype='<U4')
    """

    def __init__(self, keep_whitespace: bool = False, with_offsets: bool = False) -> None:
        super().__init__(with_offsets)
        self.keep_whitespace = keep_whitespace

    def _spans(self, text: str) -> Iterator[Span]:
        runs = _runs(text, lambda character: (characters.is_space(character), characters.script(character)))
        return (span for (space, _), span in runs if self.keep_whitespace or not space)


class RegexTokenizer(Tokenizer):
    """Splits where a regular expression matches.

    Args:
        delim_pattern: the expression, in ICU's syntax. Properties such as `\\\\p{Han}` and nested sets require the
            package regex.
        keep_delim_pattern: delimiters that fully match this are returned as tokens, too. Default: "", none.
        with_offsets: whether to also return where tokens start and end, in bytes of UTF-8. Default: False.

    Raises:
        ValueError: a pattern is not a regular expression.
        ImportError: a pattern requires the package regex, which is not installed.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.RegexTokenizer("[ ,]", ",")("deep, sea")
        array(['deep', ',', 'sea'], dtype='<U4')
    """

    def __init__(self, delim_pattern: str, keep_delim_pattern: str = "", with_offsets: bool = False) -> None:
        super().__init__(with_offsets)
        self._delimiter = compiled("RegexTokenizer", "delim_pattern", delim_pattern)
        self._kept = compiled("RegexTokenizer", "keep_delim_pattern", keep_delim_pattern)

    def _spans(self, text: str) -> Iterator[Span]:
        passed = 0
        for found in self._delimiter.finditer(text):
            start, end = found.span()
            if start > passed:
                yield passed, start
            if end > start and self._kept.fullmatch(found[0]):
                yield start, end
            passed = end
        if passed < len(text):
            yield passed, len(text)


_SPECIAL = compiled("BasicTokenizer", "pattern", r"\[(?:CLS|SEP|UNK|PAD|MASK|unused\d+)\]")
_SPACE, _WORD = "space", "word"


class BasicTokenizer(Tokenizer):
    """Splits at white space and punctuation, and into single ideographs, as BERT does.

    Punctuation marks are separate tokens. Control characters count as spaces. Offsets refer to the text after
    `lower_case` or `normalization_form` is applied.

    Args:
        lower_case: whether letters are lowercased and lose their accents. Default: False.
        keep_whitespace: whether white space is returned as tokens. Default: False.
        normalization_form: the normal form of the text, ignored with `lower_case`. Default: NONE.
        preserve_unused_token: whether [CLS], [SEP], [UNK], [PAD], [MASK], [unused1] etc. are preserved. Default: True.
        with_offsets: whether to also return where tokens start and end, in bytes of UTF-8. Default: False.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.BasicTokenizer(lower_case=True)("[CLS] Deep Séa!")
        array(['[CLS]', 'deep', 'sea', '!'], dtype='<U5')
    """

    def __init__(
        self, lower_case: bool = False, keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE, preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(with_offsets)
        self.lower_case = lower_case
        self.keep_whitespace = keep_whitespace
        self.normalization_form = normalization_form
        self.preserve_unused_token = preserve_unused_token

    def _tokens(self, text: str) -> tuple[list[str], list[int], list[int]]:
        return super()._tokens(characters.without_controls(self._cleaned(text)))

    def _cleaned(self, text: str) -> str:
        if not self.lower_case:
            return characters.normalized(text, self.normalization_form)
        return "".join([part if special else _lowered(part) for special, part in self._parts(text)])

    def _parts(self, text: str) -> Iterator[tuple[bool, str]]:
        """Yield (whether it is a special token, part) for the parts of a text."""
        passed = 0
        for found in _SPECIAL.finditer(text) if self.preserve_unused_token else ():
            yield False, text[passed : found.start()]
            yield True, found[0]
            passed = found.end()
        yield False, text[passed:]

    def _spans(self, text: str) -> Iterator[Span]:
        start = 0
        for special, part in self._parts(text):
            if special:
                yield start, start + len(part)
            else:
                yield from ((start + first, start + end) for first, end in self._spans_of_words(part))
            start += len(part)

    def _spans_of_words(self, text: str) -> Iterator[Span]:
        for kind, (start, end) in _runs(text, _kind):
            if kind == _WORD or (kind == _SPACE and self.keep_whitespace):
                yield start, end
            elif kind != _SPACE:
                yield from ((index, index + 1) for index in range(start, end))


def _lowered(text: str) -> str:
    return characters.without_marks(characters.case_folded(text))


def _kind(character: str) -> str:
    """Return whether a character is white space, a separate token, or part of a word."""
    if character.isspace():
        return _SPACE
    return "delimiter" if characters.is_delimiter(character) else _WORD
