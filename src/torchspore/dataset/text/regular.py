"""Regular expressions in ICU's syntax, by `re` or, for features that it lacks, the package regex."""

from __future__ import annotations

import functools
import importlib
import re
from typing import Any

from torchspore.dataset.text.base import TextTensorOperation, each
from torchspore.dataset.transforms.base import Array

__all__ = ["RegexReplace", "compiled"]

# Syntax that `re` lacks or interprets differently: properties, sets in sets, named groups as (?<name>...).
_ONLY_REGEX = re.compile(r"\\[pPhHvVRXNQ]|\\x\{|\[:|\[[^\]]*\[|&&|--|[*+?}]\+|\(\?<[^=!]")
_REFERENCE = re.compile(
    r"\\u(?P<four>[0-9a-fA-F]{4})|\\U(?P<eight>[0-9a-fA-F]{8})|\\(?P<escaped>.)|\$\{(?P<name>\w+)\}"
    r"|\$(?P<number>[0-9]+)|(?P<bare>\$|\\)",
    re.DOTALL,
)


def compiled(api: str, name: str, pattern: str) -> Any:
    """Return a compiled pattern.

    Raises:
        ImportError: it requires the package regex, which is not installed.
    """
    try:
        if not _ONLY_REGEX.search(pattern):
            return re.compile(pattern)
        regex = importlib.import_module("regex")
        return regex.compile(pattern, regex.VERSION1)
    except ImportError as error:
        raise ImportError(
            f"For '{api}', the '{name}' {pattern!r} has syntax that Python's own regular expressions lack: pip install "
            f"regex, or pip install 'torchspore[text]'."
        ) from error
    except Exception as error:
        raise ValueError(f"For '{api}', '{name}' must be a regular expression, not {pattern!r}: {error}.") from error


class RegexReplace(TextTensorOperation):
    """Replaces the matches of a regular expression.

    Args:
        pattern: the expression, in ICU's syntax. Properties such as `\\\\p{Han}` and nested sets require the package
            regex.
        replace: the replacement; "$1" or "${name}" stands for a group, and a backslash escapes any other character.
        replace_all: whether all matches are replaced instead of the first one. Default: True.

    Raises:
        ValueError: `pattern` is not a regular expression, or `replace` names a group that it lacks.
        ImportError: `pattern` requires the package regex, which is not installed.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.RegexReplace("(deep) (sea)", "$2, $1")("the deep sea").item()
        'the sea, deep'
    """

    def __init__(self, pattern: str, replace: str, replace_all: bool = True) -> None:
        self._pattern = compiled("RegexReplace", "pattern", pattern)
        self._parts = _parts(replace, self._pattern)
        self.replace_all = replace_all

    def _apply(self, value: Array) -> Array:
        put = functools.partial(self._pattern.sub, self._replacement, count=0 if self.replace_all else 1)
        return each(lambda text: put(string=text), value)

    def _replacement(self, found: Any) -> str:
        return "".join([part if isinstance(part, str) else found[part[0]] or "" for part in self._parts])


def _parts(template: str, pattern: Any) -> list[str | tuple[int | str]]:
    """Return a replacement as strs, and groups by number or name in tuples."""
    parts: list[str | tuple[int | str]] = []
    passed = 0
    for found in _REFERENCE.finditer(template):
        parts.append(template[passed : found.start()])
        passed = found.end()
        code = found["four"] or found["eight"]
        if code:
            parts.append(chr(int(code, 16)))
        elif found["escaped"] is not None:
            parts.append(found["escaped"])
        elif found["name"] in pattern.groupindex:
            parts.append((found["name"],))
        else:
            parts += _numbered(template, found["number"], pattern.groups)
    return [*parts, template[passed:]]


def _numbered(template: str, digits: str | None, groups: int) -> list[str | tuple[int | str]]:
    """Return the group named by as many leading digits as possible, and the other digits."""
    for count in range(len(digits or ""), 0, -1):
        if digits and int(digits[:count]) <= groups:
            return [(int(digits[:count]),), digits[count:]]
    raise ValueError(
        f"For 'RegexReplace', 'replace' must name groups of the pattern, which has {groups}, but got {template!r}. "
        f"Write \\$ for the character itself."
    )
