"""Transforms of sequences of words: added tokens, truncation, windows, n-grams, numbers; and strs as bytes."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.common.error_classes import WrongType
from torchspore.dataset.parameters import Int32, Natural, Whole, checked
from torchspore.dataset.text.base import TextTensorOperation, narrowed
from torchspore.dataset.transforms.base import Array
from torchspore.dataset.transforms.operations import numpy_type
from torchspore.engine.parameters import Length, Limits, Where

__all__ = ["AddToken", "Ngram", "SlidingWindow", "ToNumber", "Truncate", "TruncateSequencePair", "to_bytes", "to_str"]

_MAX_LENGTH = 2**31 - 1
_INT = re.compile(r"\s*([+-]?[0-9]+)")
_FLOAT = re.compile(r"\s*([+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan))", re.IGNORECASE)


class AddToken(TextTensorOperation):
    """Adds a token at the beginning or end of a sequence, or of each of several.

    Args:
        token: the token.
        begin: whether it is added at the beginning. Default: True.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.AddToken("<s>")(["deep", "sea"])
        array(['<s>', 'deep', 'sea'], dtype='<U4')
    """

    _ranks = (1, 2)

    def __init__(self, token: str, begin: bool = True) -> None:
        if not token:
            raise ValueError("For 'AddToken', 'token' must not be empty.")
        self.token = token
        self.begin = begin

    def _apply(self, value: Array) -> Array:
        added = np.full((*value.shape[:-1], 1), self.token)
        return np.concatenate([added, value] if self.begin else [value, added], -1)


class Truncate(TextTensorOperation):
    """Truncates a sequence, or each of several.

    Args:
        max_seq_len: the maximum length.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.Truncate(2)(["the", "deep", "sea"])
        array(['the', 'deep'], dtype='<U4')
    """

    _strs_only = False
    _ranks = (1, 2)

    def __init__(self, max_seq_len: Annotated[int, Limits(1, _MAX_LENGTH)]) -> None:
        self.max_seq_len = max_seq_len

    def _apply(self, value: Array) -> Array:
        return narrowed(value[..., : self.max_seq_len])


class TruncateSequencePair(TextTensorOperation):
    """Truncates two sequences to a maximum total length.

    The longer one, or the second of equal ones, loses its last element until the total fits.

    Args:
        max_length: the maximum total length.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.TruncateSequencePair(4)([1, 2, 3], [4, 5])
        (array([1, 2]), array([4, 5]))
    """

    _several = True
    _strs_only = False
    _ranks = (1,)

    def __init__(self, max_length: Whole) -> None:
        self.max_length = max_length

    def _transform(self, values: list[Array]) -> tuple[Array, Array]:
        if len(values) != 2:
            raise TypeError(f"For 'TruncateSequencePair', there must be two values, but got {len(values)}.")
        first, second = values
        half = self.max_length // 2
        kept = min(len(first), max(self.max_length - half, self.max_length - len(second)))
        return narrowed(first[:kept]), narrowed(second[: self.max_length - kept])


class SlidingWindow(TextTensorOperation):
    """Returns all windows of neighboring elements, one in each row.

    Args:
        width: the length of a window.
        axis: the dimension along which it slides, 0 or -1. Default: 0.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.SlidingWindow(2)([1, 2, 3])
        array([[1, 2],
               [2, 3]])
    """

    _strs_only = False
    _ranks = (1,)

    def __init__(self, width: Annotated[int, Limits(1, _MAX_LENGTH)], axis: Int32 = 0) -> None:
        self.width = width
        self.axis = axis

    def _apply(self, value: Array) -> Array:
        if self.axis not in (0, -1):
            raise ValueError(f"For 'SlidingWindow', 'axis' must be 0 or -1 for a sequence, but got {self.axis}.")
        if len(value) < self.width:
            return value[:0].copy()
        return np.lib.stride_tricks.sliding_window_view(value, self.width).copy()


_Count: TypeAlias = Annotated[int, Limits(0), ValueError]
_Padding: TypeAlias = Annotated[tuple[Annotated[str, ValueError], _Count], ValueError]


class Ngram(TextTensorOperation):
    """Joins neighboring words to n-grams.

    Args:
        n: the number of words, or a list of numbers, whose results are concatenated.
        left_pad: (word, count): the padding before the sequence, at most n - 1 words. Default: ("", 0).
        right_pad: the padding after the sequence, likewise. Default: ("", 0).
        separator: the text between the words. Default: " ".

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.Ngram(2, separator="-")(["the", "deep", "sea"])
        array(['the-deep', 'deep-sea'], dtype='<U8')
    """

    _ranks = (1,)

    def __init__(
        self, n: Annotated[Natural | Annotated[list[Natural], Length(1)], ValueError], left_pad: _Padding = ("", 0),
        right_pad: _Padding = ("", 0), separator: str = " ",
    ) -> None:  # fmt: skip
        self.n = [n] if isinstance(n, int) else [*n]
        self.left_pad, self.right_pad = left_pad, right_pad
        self.separator = separator

    def _apply(self, value: Array) -> Array:
        words = value.tolist()
        return np.array([joined for n in self.n for joined in self._joined(words, n)])

    def _joined(self, words: list[str], n: int) -> list[str]:
        (left, before), (right, after) = self.left_pad, self.right_pad
        padded = [left] * min(before, n - 1) + words + [right] * min(after, n - 1)
        return [self.separator.join(padded[start : start + n]) for start in range(len(padded) - n + 1)] or [""]


class ToNumber(TextTensorOperation):
    """Converts strs to numbers.

    White space before a number and text after it are ignored: as an int, "1.5" is 1.

    Args:
        data_type: the data type of the numbers.

    Raises:
        ValueError: a str does not begin with a number, or the number is too large (when called).

    Examples:
        >>> import torchspore as ms
        >>> import torchspore.dataset.text as text
        >>> text.ToNumber(ms.int8)(["1", "-2"])
        array([ 1, -2], dtype=int8)
    """

    def __init__(self, data_type: Any) -> None:
        self.data_type = numpy_type("ToNumber", data_type, numpy=False)
        if self.data_type.kind not in "iuf":
            raise TypeError(f"For 'ToNumber', 'data_type' must be an int or float type, but got {data_type!r}.")

    def _apply(self, value: Array) -> Array:
        read = self._float if self.data_type.kind == "f" else self._int
        numbers = [read(string) for string in value.reshape(-1).tolist()]
        return np.array(numbers, self.data_type).reshape(value.shape)

    def _int(self, string: str) -> int:
        found = _INT.match(string)
        limits = np.iinfo(self.data_type)
        if found and limits.min <= int(found[1]) <= limits.max:
            return int(found[1])
        raise ValueError(f"For 'ToNumber', a str must be a number in [{limits.min}, {limits.max}], but got {string!r}.")

    def _float(self, string: str) -> float:
        found = _FLOAT.match(string)
        limit = float(np.finfo(self.data_type).max)
        if found and not abs(float(found[1])) > limit:
            return float(found[1])
        raise ValueError(f"For 'ToNumber', a str must be a number in [{-limit}, {limit}], but got {string!r}.")


_OF_BYTES = Where("a NumPy array of bytes", lambda array: array.dtype.kind == "S", WrongType)
_OF_STRINGS = Where("a NumPy array of strs", lambda array: array.dtype.kind == "U", WrongType)


@checked
def to_str(array: Annotated[Array, _OF_BYTES], encoding: str = "utf8") -> Array:
    """Return an array of bytes as one of strs.

    Args:
        array: the array.
        encoding: the name of the encoding. Default: "utf8".

    Raises:
        UnicodeDecodeError: the bytes are not valid in that encoding.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.text as text
        >>> text.to_str(np.array([b"deep", b"sea"]))
        array(['deep', 'sea'], dtype='<U4')
    """
    return np.char.decode(array, encoding)


@checked
def to_bytes(array: Annotated[Array, _OF_STRINGS], encoding: str = "utf8") -> Array:
    """Return an array of strs as one of bytes.

    Args:
        array: the array.
        encoding: the name of the encoding. Default: "utf8".

    Raises:
        UnicodeEncodeError: the encoding lacks a character.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.text as text
        >>> text.to_bytes(np.array(["deep", "sea"]))
        array([b'deep', b'sea'], dtype='|S4')
    """
    return np.char.encode(array, encoding)
