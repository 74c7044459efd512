"""The base classes of text transforms and tokenizers, and what they take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.common.error_classes import WrongValue
from torchspore.dataset.transforms.base import Array, TensorOperation, as_array
from torchspore.engine.parameters import Where
from torchspore.engine.storage.reading import read_text

__all__ = [
    "Span", "TextTensorOperation", "Tokenizer", "Words", "are_unique", "each", "narrowed", "read_words",
    "token_offsets",
]  # fmt: skip

Span = tuple[int, int]  # the start of a token in a text, and its end (exclusive)


def are_unique(words: Sequence[str]) -> bool:
    """Return whether no word occurs twice."""
    return len(set(words)) == len(words)


Words: TypeAlias = Annotated[list[str], Where("a list without duplicates", are_unique, WrongValue)]


def read_words(api: str, path: str) -> str:
    """Return the text of a file."""
    try:
        return read_text(path, newline="\n")
    except (OSError, ValueError) as error:
        raise WrongValue(f"For '{api}', the file {path!r} must be readable UTF-8 text: {error}") from error


class TextTensorOperation(TensorOperation):
    """The base class of transforms of a str or an array of strs.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> isinstance(text.CaseFold(), text.TextTensorOperation)
        True

    MindSpore: `mindspore.dataset.text.transforms.TextTensorOperation`.
    """

    long_and_safe = False  # Python's own work: threads would wait for each other
    _strs_only = True
    _ranks: tuple[int, ...] | None = None  # the accepted numbers of dimensions; None for all

    def _taken(self, value: Any) -> Array:
        api = type(self).__name__
        array = as_array(api, value)
        if self._strs_only and array.dtype.kind != "U":
            hint = " Convert bytes with 'text.to_str'." if array.dtype.kind == "S" else ""
            raise TypeError(f"For '{api}', the value must be a str or strs, but got {array.dtype}.{hint}")
        if self._ranks is not None and array.ndim not in self._ranks:
            wanted = " or ".join(map(str, self._ranks))
            raise ValueError(f"For '{api}', the value must have {wanted} dimensions, but got shape {array.shape}.")
        return array


def each(function: Callable[[str], Any], strings: Array) -> Array:
    """Apply a function to each str and return an array of the same shape."""
    return np.array([function(string) for string in strings.reshape(-1).tolist()]).reshape(strings.shape)


def narrowed(array: Array) -> Array:
    """Return an array of strs with the data type of its longest str; other arrays unchanged."""
    if array.dtype.kind != "U":
        return array
    return array.astype(f"U{np.char.str_len(array).max(initial=1)}")


def token_offsets(text: str, spans: Iterable[Span]) -> tuple[list[str], list[int], list[int]]:
    """Return the tokens in the spans of a text, in order, and their starts and ends in bytes of UTF-8."""
    tokens, starts, ends = [], [], []
    passed, size = 0, 0  # characters, and their bytes
    for start, end in spans:
        token = text[start:end]
        size += len(text[passed:start].encode())
        tokens.append(token)
        starts.append(size)
        size += len(token.encode())
        ends.append(size)
        passed = end
    return tokens, starts, ends


class Tokenizer(TextTensorOperation):
    """The base class of tokenizers, which split a str into an array of strs; without a token, into one empty str.

    Args:
        with_offsets: whether to also return where tokens start and end, in bytes of UTF-8. Default: False.
    """

    _ranks: tuple[int, ...] = (0,)

    def __init__(self, with_offsets: bool = False) -> None:
        self.with_offsets = with_offsets

    def _apply(self, value: Array) -> Any:
        if not self.with_offsets:
            return np.array(self._split(value.item()) or [""])
        tokens, starts, ends = self._tokens(value.item())
        return self._result(tokens or [""], starts or [0], ends or [0])

    def _result(self, tokens: Sequence[str], starts: Sequence[int], ends: Sequence[int]) -> Any:
        if not self.with_offsets:
            return np.array(tokens)
        return np.array(tokens), np.array(starts, np.uint32), np.array(ends, np.uint32)

    def _split(self, text: str) -> list[str]:
        return self._tokens(text)[0]

    def _tokens(self, text: str) -> tuple[list[str], list[int], list[int]]:
        return token_offsets(text, self._spans(text))

    def _spans(self, text: str) -> Iterable[Span]:
        raise NotImplementedError
