"""Properties of characters, and normal forms of texts."""

from __future__ import annotations

import bisect
import functools
import re
import unicodedata
from typing import Any

from torchspore.dataset.text.enums import NormalizeForm
from torchspore.dataset.text.scripts import SCRIPTS

__all__ = [
    "case_folded", "is_delimiter", "is_space", "normalized", "script", "without_controls", "without_marks",
    "words_between_spaces",
]  # fmt: skip

# Invisible characters, which case folding removes: Unicode's Default_Ignorable_Code_Point.
_IGNORABLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_END_OF_SPACES = 0x3001  # no character from here on is white space
_HAN = [  # the blocks of ideographs, each a word by itself
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F),
]  # fmt: skip


def is_space(character: str) -> bool:
    """Return whether a character is Unicode white space; for Python the separators of ASCII (1C to 1F) are, too."""
    return character.isspace() and not "\x1c" <= character <= "\x1f"


@functools.cache
def words_between_spaces() -> re.Pattern[str]:
    """Return the expression for what is between white space, as by `is_space`."""
    spaces = "".join(filter(is_space, map(chr, range(_END_OF_SPACES))))
    return re.compile(f"[^{spaces}]+")


@functools.lru_cache(1 << 12)
def is_delimiter(character: str) -> bool:
    """Return whether a character is a separate token: punctuation, an ASCII symbol, or an ideograph."""
    code = ord(character)
    if code < 128:
        return 33 <= code <= 126 and not character.isalnum()
    return unicodedata.category(character).startswith("P") or any(low <= code <= high for low, high in _HAN)


@functools.lru_cache(1)
def _scripts() -> tuple[list[int], list[str]]:
    ranges = SCRIPTS.split()
    return [int(each[:-4], 16) for each in ranges], [each[-4:] for each in ranges]


@functools.lru_cache(1 << 12)
def script(character: str) -> str:
    """Return the script of a character: "Latn", "Hani", "Zyyy" for characters of several scripts, ..."""
    starts, names = _scripts()
    return names[bisect.bisect_right(starts, ord(character)) - 1]


def normalized(text: str, form: NormalizeForm) -> str:
    """Return a text in a normal form."""
    name: Any = form.name
    return text if form is NormalizeForm.NONE else unicodedata.normalize(name, text)


def case_folded(text: str) -> str:
    """Return a text with one form for each letter, regardless of case, width and the like: NFKC_Casefold."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", text).casefold())
    return unicodedata.normalize("NFKC", _IGNORABLE.sub("", folded.casefold()))


def without_marks(text: str) -> str:
    """Return a text without accents and other combining marks."""
    if text.isascii():
        return text
    return "".join([each for each in unicodedata.normalize("NFD", text) if unicodedata.category(each) != "Mn"])


def without_controls(text: str) -> str:
    """Return a text with spaces in place of control and format characters."""
    if text.isprintable():
        return text
    return "".join([" " if unicodedata.category(each) in ("Cc", "Cf") else each for each in text])
