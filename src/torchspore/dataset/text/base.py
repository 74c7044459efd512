"""The base of text transforms, their checks, and tokens with their places in the text."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from torchspore.dataset.transforms.base import Array, TensorOperation, as_array
from torchspore.engine.checks import check_bool, check_kind
from torchspore.engine.reading import read_text

__all__ = [
    "Span", "TextTensorOperation", "Tokenizer", "check_path", "check_special", "check_words", "each", "narrowed",
    "place_tokens", "read_words",
]  # fmt: skip

Span = tuple[int, int]  # where a token starts in a text, and where it has ended


def check_path(api: str, name: str, path: Any) -> str:
    """Return the path of a file that is there."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"For '{api}', '{name}' must be a path, but got {path!r}.")
    if not os.path.isfile(path):
        raise ValueError(f"For '{api}', '{name}' must be a file, but there is none at {os.fspath(path)!r}.")
    return os.fspath(path)


def read_words(api: str, path: str) -> str:
    """Return the text of a file.

    Raises:
        ValueError: it cannot be read, or its encoding is not UTF-8.
    """
    try:
        return read_text(path, newline="\n")
    except (OSError, ValueError) as error:
        raise ValueError(
            f"For '{api}', the file {path!r} must be text in UTF-8, but it cannot be read: {error}"
        ) from error


def check_words(api: str, name: str, words: Any) -> list[str]:
    """Return a list of strs that are all different.

    Raises:
        ValueError: one occurs twice.
    """
    check_kind(words, list, name, api)
    for word in words:
        check_kind(word, str, name, api)
    if len(set(words)) != len(words):
        twice = next(word for word, number in Counter(words).items() if number > 1)
        raise ValueError(f"For '{api}', '{name}' must have each word only once, but got {twice!r} twice.")
    return words


def check_special(api: str, special_tokens: Any, special_first: Any) -> tuple[list[str], bool]:
    """Return the special tokens of a vocabulary, and whether they come first.

    Raises:
        ValueError: one occurs twice.
    """
    special = [] if special_tokens is None else check_words(api, "special_tokens", special_tokens)
    return special, check_bool(special_first, "special_first", api)


class TextTensorOperation(TensorOperation):
    """The base of text transforms: of a str, or an array of strs.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> isinstance(text.CaseFold(), text.TextTensorOperation)
        True

    MindSpore: `mindspore.dataset.text.transforms.TextTensorOperation`.
    """

    long_and_safe = False  # Python's own work: threads would wait for each other
    _ranks: tuple[int, ...] | None = None  # the numbers of dimensions that it takes; None for all

    def _taken(self, value: Any) -> Array:
        array = as_array(type(self).__name__, value)
        self._check(array)
        return array

    def _check(self, array: Array) -> None:
        api = type(self).__name__
        if array.dtype.kind != "U":
            hint = " Convert bytes with 'text.to_str'." if array.dtype.kind == "S" else ""
            raise TypeError(f"For '{api}', the value must be a str or strs, but got {array.dtype}.{hint}")
        self._check_rank(array)

    def _check_rank(self, array: Array) -> None:
        if self._ranks is not None and array.ndim not in self._ranks:
            wanted = " or ".join(map(str, self._ranks))
            raise ValueError(
                f"For '{type(self).__name__}', the value must have {wanted} dimensions, but got shape {array.shape}."
            )


def each(function: Callable[[str], Any], strings: Array) -> Array:
    """Return what a function makes of each str, as an array of the same shape."""
    return np.array([function(string) for string in strings.reshape(-1).tolist()]).reshape(strings.shape)


def narrowed(array: Array) -> Array:
    """Return an array of strs in the data type that fits its longest; other arrays as they are."""
    if array.dtype.kind != "U":
        return array
    return array.astype(f"U{np.char.str_len(array).max(initial=1)}")


def place_tokens(text: str, spans: Iterable[Span]) -> tuple[list[str], list[int], list[int]]:
    """Return tokens, and the bytes of the text's UTF-8 at which they start and have ended.

    Args:
        text: the text.
        spans: where the tokens stand, in order, in characters.
    """
    tokens, starts, limits = [], [], []
    passed, size = 0, 0  # characters, and their bytes
    for start, limit in spans:
        token = text[start:limit]
        size += len(text[passed:start].encode())
        tokens.append(token)
        starts.append(size)
        size += len(token.encode())
        limits.append(size)
        passed = limit
    return tokens, starts, limits


class Tokenizer(TextTensorOperation):
    """The base of tokenizers: divide a str into an array of strs; of a text without a token, one empty str.

    Args:
        with_offsets: give also where the tokens start and end in the text's bytes.
    """

    _ranks: tuple[int, ...] = (0,)

    def __init__(self, with_offsets: bool = False) -> None:
        self.with_offsets = check_bool(with_offsets, "with_offsets", type(self).__name__)

    def _apply(self, value: Array) -> Any:
        tokens, starts, limits = self._tokens(value.item())
        return self._result(tokens or [""], starts or [0], limits or [0])

    def _result(self, tokens: Sequence[str], starts: Sequence[int], limits: Sequence[int]) -> Any:
        if not self.with_offsets:
            return np.array(tokens)
        return np.array(tokens), np.array(starts, np.uint32), np.array(limits, np.uint32)

    def _tokens(self, text: str) -> tuple[list[str], list[int], list[int]]:
        return place_tokens(text, self._spans(text))

    def _spans(self, text: str) -> Iterable[Span]:
        raise NotImplementedError
