"""Words of Chinese text, found as by Jieba: with a dictionary, a hidden Markov model of characters, or both."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from typing import Annotated, TypeAlias

from torchspore.dataset.parameters import File, checked
from torchspore.dataset.text.base import Span, Tokenizer
from torchspore.dataset.text.enums import JiebaMode
from torchspore.engine.parameters import Limits, Where
from torchspore.engine.storage.reading import read_text

__all__ = ["JiebaTokenizer"]

_IMPOSSIBLE = -3.14e100  # the logarithm for a probability of zero in the files
_SEPARATORS = " \t\n，。"
_MAX_FREQUENCY = 2**32 - 1
_MAX_WORD = 512  # characters; all prefixes of a word are stored


def _is_word(text: str) -> bool:
    return 0 < len(text) <= _MAX_WORD


_Word: TypeAlias = Annotated[str, Where(f"a string of 1 to {_MAX_WORD} characters", _is_word)]
_Frequency: TypeAlias = Annotated[int, Limits(0, _MAX_FREQUENCY)] | None


def _is_frequency(text: str, minimum: int) -> bool:
    return text.isdecimal() and len(text) <= len(str(_MAX_FREQUENCY)) and minimum <= int(text) <= _MAX_FREQUENCY


class _Dictionary:
    """The log-probabilities of words.

    Args:
        path: a file with a word, its frequency and its part of speech in each line.
    """

    def __init__(self, path: str) -> None:
        rows = [line.split(" ") for line in _lines("JiebaTokenizer", "mp_path", path)]
        if not rows or not all(len(row) == 3 and _is_word(row[0]) and _is_frequency(row[1], 1) for row in rows):
            raise ValueError(
                f"For 'JiebaTokenizer', 'mp_path' must be a file of lines with a word of at most {_MAX_WORD} "
                f"characters, its frequency and its part of speech, but {path!r} has a different format."
            )
        self._total = sum(int(row[1]) for row in rows)
        self._weights = {row[0]: math.log(int(row[1]) / self._total) for row in rows}
        weights = sorted(self._weights.values())
        self._min_weight = weights[0]
        self._median_weight = weights[len(weights) // 2]
        self._prefixes: set[str] = set()
        for word in self._weights:
            self._add_prefixes(word)

    def _add_prefixes(self, word: str) -> None:
        self._prefixes.update(word[:length] for length in range(1, len(word) + 1))

    def add(self, word: str, frequency: int | None) -> None:
        """Add a word, by default with the median frequency."""
        if word:
            self._weights[word] = math.log(frequency / self._total) if frequency else self._median_weight
            self._add_prefixes(word)

    def spans(self, text: str) -> Iterator[Span]:
        """Yield the most probable sequence of words; unknown characters are single words."""
        best = [(0.0, len(text))] * (len(text) + 1)  # the weight of the rest of the text, and the end of its word
        for start in range(len(text) - 1, -1, -1):
            choices = ((weight + best[end][0], end) for end, weight in self._words(text, start))
            best[start] = max(choices, key=lambda choice: choice[0])
        start = 0
        while start < len(text):
            end = best[start][1]
            yield start, end
            start = end

    def _words(self, text: str, start: int) -> Iterator[tuple[int, float]]:
        yield start + 1, self._weights.get(text[start], self._min_weight)
        for end in range(start + 2, len(text) + 1):
            word = text[start:end]
            if word not in self._prefixes:
                return
            if word in self._weights:
                yield end, self._weights[word]


class _Model:
    """A hidden Markov model of characters that begin (B), end (E), are inside (M), or are (S) a word.

    Args:
        path: a file of log-probabilities, each for B, E, M and S: a line for the first state, four lines for the next
            state, and four of comma-separated "character:logarithm"; lines that begin with # are comments.
    """

    def __init__(self, path: str) -> None:
        lines = [line for line in _lines("JiebaTokenizer", "hmm_path", path) if not line.startswith("#")]
        try:
            self._first = _four(lines[0])
            self._next = [_four(line) for line in lines[1:5]]
            self._emitted = [_emissions(lines[number]) for number in range(5, 9)]
        except (ValueError, IndexError) as error:
            wanted = "a file of the model's logarithms"
            raise ValueError(f"For 'JiebaTokenizer', 'hmm_path' must be {wanted}, but {path!r} is not one.") from error

    def spans(self, text: str) -> Iterator[Span]:
        """Yield words: runs of ASCII letters and digits, and other characters by the model."""
        start = 0
        for index in range(len(text) + 1):
            if index < start:
                continue
            if index == len(text) or text[index] < "\x80":
                yield from self._by_states(text, start, index)
                start = index
                if index < len(text):
                    start = _ascii_end(text, index)
                    yield index, start

    def _by_states(self, text: str, start: int, end: int) -> Iterator[Span]:
        for index, state in enumerate(self._states(text[start:end]), start + 1):
            if state in (1, 3) or index == end:
                yield start, index
                start = index

    def _states(self, text: str) -> list[int]:
        """Return the most probable states of characters, the last of which ends a word (Viterbi's algorithm)."""
        if not text:
            return []
        weights = [first + emitted.get(text[0], _IMPOSSIBLE) for first, emitted in zip(self._first, self._emitted)]
        origins: list[list[int]] = []
        for character in text[1:]:
            before, weights = weights, []
            origins.append([])
            for state, emitted in enumerate(self._emitted):
                emission = emitted.get(character, _IMPOSSIBLE)
                choices = [weight + self._next[old][state] + emission for old, weight in enumerate(before)]
                weight = max(choices)
                impossible = weight <= _IMPOSSIBLE
                weights.append(_IMPOSSIBLE if impossible else weight)
                origins[-1].append(1 if impossible else choices.index(weight))
        states = [1 if weights[1] >= weights[3] else 3]
        for origin in reversed(origins):
            states.append(origin[states[-1]])
        return states[::-1]


def _lines(api: str, name: str, path: str) -> list[str]:
    try:
        return [line for line in read_text(path).split("\n") if line]
    except UnicodeDecodeError as error:
        raise ValueError(f"For '{api}', '{name}' must be a UTF-8 text file, unlike {path!r}: {error}.") from error


def _four(line: str) -> list[float]:
    first, second, third, fourth = [float(each) for each in line.split()]
    return [first, second, third, fourth]


def _emissions(line: str) -> dict[str, float]:
    pairs = [each.rpartition(":") for each in line.split(",") if each]
    return {character: float(weight) for character, _, weight in pairs}


_ASCII_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*|[0-9][0-9.]*|.", re.DOTALL)


def _ascii_end(text: str, start: int) -> int:
    """Return the end of a word of letters and digits, of a number, or of one character, which begins with ASCII."""
    found = _ASCII_WORD.match(text, start)
    return found.end() if found else start + 1


class JiebaTokenizer(Tokenizer):
    """Splits Chinese text into words, as the program Jieba does.

    Args:
        hmm_path: the file of the hidden Markov model, such as cppjieba's "hmm_model.utf8".
        mp_path: the dictionary, such as cppjieba's "jieba.dict.utf8".
        mode: a `JiebaMode`. Default: MIX.
        with_offsets: whether to also return where tokens start and end, in bytes of UTF-8. Default: False.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset.text as text
        >>> folder = tempfile.TemporaryDirectory()
        >>> words, model = pathlib.Path(folder.name, "words"), pathlib.Path(folder.name, "model")
        >>> _ = words.write_text("深海 10 n\\n鱼 20 n\\n", encoding="utf-8")
        >>> _ = model.write_text("\\n".join(["-1 -1 -1 -1"] * 5 + ["鱼:-1"] * 4), encoding="utf-8")
        >>> tokenizer = text.JiebaTokenizer(str(model), str(words), mode=text.JiebaMode.MP)
        >>> tokenizer("深海鱼")
        array(['深海', '鱼'], dtype='<U2')
        >>> folder.cleanup()
    """

    def __init__(
        self, hmm_path: File, mp_path: File, mode: JiebaMode = JiebaMode.MIX, with_offsets: bool = False
    ) -> None:
        super().__init__(with_offsets)
        self.mode = mode
        self._model = _Model(os.fspath(hmm_path))
        self._dictionary = _Dictionary(os.fspath(mp_path))

    @checked
    def add_word(self, word: _Word, freq: _Frequency = None) -> None:
        """Add a word to the dictionary.

        Args:
            word: the word.
            freq: its frequency, >= 0. Default: None, the median frequency of the dictionary.
        """
        self._dictionary.add(word, freq)

    @checked
    def add_dict(self, user_dict: dict[_Word, _Frequency] | File) -> None:
        """Add words to the dictionary.

        Args:
            user_dict: the frequencies by word; or the path of a file with a word in each line, optionally followed by
                its frequency and its part of speech.
        """
        if not isinstance(user_dict, dict):
            user_dict = _user_words("JiebaTokenizer.add_dict", os.fspath(user_dict))
        for word, frequency in user_dict.items():
            self._dictionary.add(word, frequency)

    def _spans(self, text: str) -> Iterator[Span]:
        start = 0
        for end in range(len(text) + 1):
            if end == len(text) or text[end] in _SEPARATORS:
                yield from ((start + first, start + last) for first, last in self._words(text[start:end]))
                if end < len(text):
                    yield end, end + 1
                start = end + 1

    def _words(self, text: str) -> Iterator[Span]:
        if self.mode is JiebaMode.MP:
            return self._dictionary.spans(text)
        return self._model.spans(text) if self.mode is JiebaMode.HMM else self._mixed(text)

    def _mixed(self, text: str) -> Iterator[Span]:
        """Yield the words of the dictionary, and those that the model finds among single characters."""
        single = 0
        for start, end in [*self._dictionary.spans(text), (len(text), len(text) + 2)]:
            if end - start == 1:
                continue
            yield from ((single + first, single + last) for first, last in self._model.spans(text[single:start]))
            if start < len(text):
                yield start, end
            single = end


def _user_words(api: str, path: str) -> dict[str, int | None]:
    words: dict[str, int | None] = {}
    for number, line in enumerate(_lines(api, "user_dict", path), 1):
        word, *fields = line.split() or [""]
        if len(fields) > 2 or len(word) > _MAX_WORD or not all(_is_frequency(field, 0) for field in fields[:1]):
            raise ValueError(
                f"For '{api}', each line of {path!r} must have a word of at most {_MAX_WORD} characters, optionally "
                f"its frequency and its part of speech, but line {number} is {line!r:.200}."
            )
        if word:
            words[word] = int(fields[0]) if fields else None
    return words
