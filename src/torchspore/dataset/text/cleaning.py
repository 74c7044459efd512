"""Transforms of characters: case, normal forms, and the markup of Wikipedia pages."""

from __future__ import annotations

import functools
import re
from string import ascii_lowercase, ascii_uppercase

from torchspore.dataset.text.base import TextTensorOperation, each
from torchspore.dataset.text.characters import case_folded, normalized
from torchspore.dataset.text.enums import NormalizeForm
from torchspore.dataset.transforms.base import Array

__all__ = ["CaseFold", "FilterWikipediaXML", "NormalizeUTF8"]

_ENTITY = re.compile(r"&[^;]*;")
_TAGS = [re.compile(r"<.*>"), re.compile(r"<[^>]*>")]  # from the first to the last in a line, then across lines
_DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_PLAIN = str.maketrans(ascii_uppercase, ascii_lowercase) | {
    ord(str(digit)): f" {name} " for digit, name in enumerate(_DIGITS)
}


class CaseFold(TextTensorOperation):
    """Lowercases letters and unifies their forms, as Unicode's NFKC_Casefold.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.CaseFold()("Deep Straße").item()
        'deep strasse'
    """

    def _apply(self, value: Array) -> Array:
        return each(case_folded, value)


class NormalizeUTF8(TextTensorOperation):
    """Converts texts to one of Unicode's normal forms.

    Args:
        normalize_form: a `NormalizeForm`. Default: NFKC.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.NormalizeUTF8(text.NormalizeForm.NFKC)("2⁵").item()
        '25'
    """

    def __init__(self, normalize_form: NormalizeForm = NormalizeForm.NFKC) -> None:
        self.normalize_form = normalize_form

    def _apply(self, value: Array) -> Array:
        return each(functools.partial(normalized, form=self.normalize_form), value)


class FilterWikipediaXML(TextTensorOperation):
    """Reduces a Wikipedia page to lowercase English letters and spaces, and spells out digits.

    Tags and entities are removed; a page with "#redirect" becomes empty.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.FilterWikipediaXML()("<title>Sea</title> The Sea&nbsp;has 2 sides!").item()
        'the sea has two sides'
    """

    def _apply(self, value: Array) -> Array:
        return each(_filtered, value)


def _filtered(text: str) -> str:
    if "#redirect" in text or "#REDIRECT" in text:
        return ""
    text = _ENTITY.sub(" ", text)
    for tags in _TAGS:
        text = tags.sub("", text)
    return " ".join(re.findall("[a-z]+", text.translate(_PLAIN)))
