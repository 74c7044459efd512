"""Words of Chinese text, as Jieba finds them: by a dictionary, by a hidden Markov model of characters, or both."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

from torchspore.dataset.text.base import Span, Tokenizer, check_path
from torchspore.dataset.text.enums import JiebaMode
from torchspore.engine.checks import check_int, check_kind
from torchspore.engine.errors import describe
from torchspore.engine.reading import read_text

__all__ = ["JiebaTokenizer"]

_NEVER = -3.14e100  # the logarithm that the files have for a probability of zero
_SEPARATORS = " \t\n，。"  # noqa: RUF001
_MOST = 2**32 - 1  # the greatest frequency
_LONGEST = 512  # characters of a word, of which each beginning is noted


def _is_word(text: str) -> bool:
    return 0 < len(text) <= _LONGEST


def _is_frequency(text: str, least: int) -> bool:
    return text.isdecimal() and len(text) <= len(str(_MOST)) and least <= int(text) <= _MOST


class _Dictionary:
    """Words with the logarithms of their probabilities.

    Args:
        path: a file with a word, its frequency and its part of speech in each line.
    """

    def __init__(self, path: str) -> None:
        rows = [line.split(" ") for line in _lines("JiebaTokenizer", "mp_path", path)]
        if not rows or not all(len(row) == 3 and _is_word(row[0]) and _is_frequency(row[1], 1) for row in rows):
            raise ValueError(
                f"For 'JiebaTokenizer', 'mp_path' must be a file of lines with a word of at most {_LONGEST} "
                f"characters, its frequency and its part of speech, but {path!r} has others."
            )
        self._total = sum(int(row[1]) for row in rows)
        self._weights = {row[0]: math.log(int(row[1]) / self._total) for row in rows}
        weights = sorted(self._weights.values())
        self._least = weights[0]
        self._usual = weights[len(weights) // 2]
        self._beginnings: set[str] = set()
        for word in self._weights:
            self._note_beginnings(word)

    def _note_beginnings(self, word: str) -> None:
        self._beginnings.update(word[:length] for length in range(1, len(word) + 1))

    def add(self, word: str, frequency: int | None) -> None:
        """Add a word; without a frequency it gets the median of all."""
        if word:
            self._weights[word] = math.log(frequency / self._total) if frequency else self._usual
            self._note_beginnings(word)

    def spans(self, text: str) -> Iterator[Span]:
        """Yield the words that are most probable together; what is in no word stands alone."""
        best = [(0.0, len(text))] * (len(text) + 1)  # the weight of the rest of the text, and where its word ends
        for start in range(len(text) - 1, -1, -1):
            choices = ((weight + best[limit][0], limit) for limit, weight in self._words(text, start))
            best[start] = max(choices, key=lambda choice: choice[0])
        start = 0
        while start < len(text):
            limit = best[start][1]
            yield start, limit
            start = limit

    def _words(self, text: str, start: int) -> Iterator[tuple[int, float]]:
        yield start + 1, self._weights.get(text[start], self._least)
        for limit in range(start + 2, len(text) + 1):
            word = text[start:limit]
            if word not in self._beginnings:
                return
            if word in self._weights:
                yield limit, self._weights[word]


class _Model:
    """A hidden Markov model of characters that begin (B), end (E), are inside (M), or are alone (S) a word.

    Args:
        path: a file of the logarithms of probabilities: of the first state, four lines of the next state, and four of
            "character:logarithm" with commas between, each for B, E, M and S; lines that begin with # say nothing.
    """

    def __init__(self, path: str) -> None:
        lines = [line for line in _lines("JiebaTokenizer", "hmm_path", path) if not line.startswith("#")]
        try:
            self._first = _four(lines[0])
            self._next = [_four(line) for line in lines[1:5]]
            self._shown = [_emissions(lines[number]) for number in range(5, 9)]
        except (ValueError, IndexError) as error:
            raise ValueError(
                f"For 'JiebaTokenizer', 'hmm_path' must be a file of the model's logarithms, but {path!r} is none."
            ) from error

    def spans(self, text: str) -> Iterator[Span]:
        """Yield words: letters and digits of ASCII together, the other characters by the model."""
        start = 0
        for place in range(len(text) + 1):
            if place < start:
                continue
            if place == len(text) or text[place] < "\x80":
                yield from self._by_states(text, start, place)
                start = place
                if place < len(text):
                    start = _ascii_limit(text, place)
                    yield place, start

    def _by_states(self, text: str, start: int, limit: int) -> Iterator[Span]:
        for place, state in enumerate(self._states(text[start:limit]), start + 1):
            if state in (1, 3) or place == limit:
                yield start, place
                start = place

    def _states(self, text: str) -> list[int]:
        """Return the most probable states of characters, of which the last ends a word (Viterbi's algorithm)."""
        if not text:
            return []
        weights = [first + shown.get(text[0], _NEVER) for first, shown in zip(self._first, self._shown)]
        origins: list[list[int]] = []
        for character in text[1:]:
            before, weights = weights, []
            origins.append([])
            for state, shown in enumerate(self._shown):
                emitted = shown.get(character, _NEVER)
                choices = [weight + self._next[old][state] + emitted for old, weight in enumerate(before)]
                weight = max(choices)
                impossible = weight <= _NEVER
                weights.append(_NEVER if impossible else weight)
                origins[-1].append(1 if impossible else choices.index(weight))
        states = [1 if weights[1] >= weights[3] else 3]
        for origin in reversed(origins):
            states.append(origin[states[-1]])
        return states[::-1]


def _lines(api: str, name: str, path: str) -> list[str]:
    try:
        return [line for line in read_text(path).split("\n") if line]
    except UnicodeDecodeError as error:
        raise ValueError(f"For '{api}', '{name}' must be a text in UTF-8, but {path!r} is none: {error}.") from error


def _four(line: str) -> list[float]:
    first, second, third, fourth = [float(each) for each in line.split()]
    return [first, second, third, fourth]


def _emissions(line: str) -> dict[str, float]:
    pairs = [each.rpartition(":") for each in line.split(",") if each]
    return {character: float(weight) for character, _, weight in pairs}


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


def _ascii_limit(text: str, start: int) -> int:
    """Return the end of a word of letters and digits that begins with a letter, of a number, or of one character."""
    if _is_letter(text[start]):
        more = lambda each: each.isascii() and each.isalnum()  # noqa: E731
    elif text[start].isdecimal():
        more = lambda each: each.isascii() and (each.isdecimal() or each == ".")  # noqa: E731
    else:
        return start + 1
    return next((place for place in range(start, len(text)) if not more(text[place])), len(text))


class JiebaTokenizer(Tokenizer):
    """Divides Chinese text into words, as the program Jieba does.

    Args:
        hmm_path: the file of the hidden Markov model, such as cppjieba's "hmm_model.utf8".
        mp_path: the dictionary, such as cppjieba's "jieba.dict.utf8".
        mode: a `JiebaMode`. Default: MIX.
        with_offsets: give also where the tokens start and end, in bytes of UTF-8. Default: False.

    Raises:
        ValueError: a file has a different format.

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
        self, hmm_path: str, mp_path: str, mode: JiebaMode = JiebaMode.MIX, with_offsets: bool = False
    ) -> None:
        super().__init__(with_offsets)
        check_kind(mode, JiebaMode, "mode", "JiebaTokenizer")
        self.mode = mode
        self._model = _Model(check_path("JiebaTokenizer", "hmm_path", hmm_path))
        self._dictionary = _Dictionary(check_path("JiebaTokenizer", "mp_path", mp_path))

    def add_word(self, word: str, freq: int | None = None) -> None:
        """Add a word to the dictionary.

        Args:
            word: the word.
            freq: its frequency. Default: None, the median of the dictionary's.
        """
        self._dictionary.add(*_checked("JiebaTokenizer.add_word", word, freq))

    def add_dict(self, user_dict: dict[str, int | None] | str) -> None:
        """Add words to the dictionary.

        Args:
            user_dict: the frequencies by word; or the path of a file with a word in each line, and perhaps its
                frequency and its part of speech.

        Raises:
            ValueError: a line has a different format.
        """
        api = "JiebaTokenizer.add_dict"
        if isinstance(user_dict, dict):
            words: dict[Any, Any] = user_dict
        elif isinstance(user_dict, (str, os.PathLike)):
            words = _user_words(api, check_path(api, "user_dict", user_dict))
        else:
            raise TypeError(f"For '{api}', 'user_dict' must be a dict or a path, but got {describe(user_dict)}.")
        checked = [_checked(api, word, frequency) for word, frequency in words.items()]  # before the first is added
        for word, frequency in checked:
            self._dictionary.add(word, frequency)

    def _spans(self, text: str) -> Iterator[Span]:
        start = 0
        for limit in range(len(text) + 1):
            if limit == len(text) or text[limit] in _SEPARATORS:
                part = text[start:limit]
                yield from ((start + first, start + last) for first, last in self._words(part))
                if limit < len(text):
                    yield limit, limit + 1
                start = limit + 1

    def _words(self, text: str) -> Iterator[Span]:
        if self.mode is JiebaMode.MP:
            return self._dictionary.spans(text)
        return self._model.spans(text) if self.mode is JiebaMode.HMM else self._mixed(text)

    def _mixed(self, text: str) -> Iterator[Span]:
        """Yield the words of the dictionary, and those that the model finds among single characters."""
        alone = 0
        for start, limit in [*self._dictionary.spans(text), (len(text), len(text) + 2)]:
            if limit - start == 1:
                continue
            yield from ((alone + first, alone + last) for first, last in self._model.spans(text[alone:start]))
            if start < len(text):
                yield start, limit
            alone = limit


def _checked(api: str, word: Any, freq: Any) -> tuple[str, int | None]:
    check_kind(word, str, "word", api)
    if not _is_word(word):
        raise ValueError(f"For '{api}', 'word' must have 1 to {_LONGEST} characters, but got {len(word)}.")
    return word, None if freq is None else check_int(freq, "freq", api, least=0, most=_MOST)


def _user_words(api: str, path: str) -> dict[str, int | None]:
    words: dict[str, int | None] = {}
    for number, line in enumerate(_lines(api, "user_dict", path), 1):
        word, *fields = line.split() or [""]
        if len(fields) > 2 or len(word) > _LONGEST or not all(_is_frequency(field, 0) for field in fields[:1]):
            raise ValueError(
                f"For '{api}', each line of {path!r} must have a word of at most {_LONGEST} characters, perhaps its "
                f"frequency and its part of speech, but line {number} is {line!r:.200}."
            )
        if word:
            words[word] = int(fields[0]) if fields else None
    return words
