"""The user's rules: which names of torch are which names of the cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchspore.engine.failures.errors import describe

__all__ = ["Rename", "Rules", "checked_rules"]

Rules = Mapping[str, "str | None"] | Sequence[tuple[str, "str | None"]] | Callable[[str], "str | None"]
"""Regular expressions for torch's names with replacements, None to leave a name out; or a function of torch's name."""

Rename = Callable[[str], "str | None"]


def checked_rules(rules: Any, api: str) -> Rename:
    """Return a function from torch's name to the cell's, or to None for a name to leave out.

    Raises:
        TypeError: the rules are of another kind.
        ValueError: a pattern is not a regular expression, or its replacement has a group that it lacks.
    """
    if rules is None:
        return lambda name: name
    if callable(rules):
        return _called(rules, api)
    pairs = list(rules.items()) if isinstance(rules, Mapping) else rules
    if not isinstance(pairs, (list, tuple)) or not all(map(_is_pair, pairs)):
        raise TypeError(
            f"For '{api}', 'rules' must be a dict or a list of pairs of strings (a regular expression for torch's "
            f"names and its replacement, or None), or a function, but got {describe(rules)}."
        )
    compiled = [(_pattern(pattern, api), pattern, replacement) for pattern, replacement in pairs]

    def rename(name: str) -> str | None:
        for pattern, text, replacement in compiled:
            if not pattern.search(name):
                continue
            if replacement is None:
                return None
            try:
                name = pattern.sub(replacement, name)
            except (re.error, IndexError) as error:
                raise ValueError(
                    f"For '{api}', the replacement '{replacement}' of the rule '{text}' is wrong: {error}."
                ) from None
        return name

    return rename


def _is_pair(pair: Any) -> bool:
    return (
        isinstance(pair, (tuple, list))
        and len(pair) == 2
        and isinstance(pair[0], str)
        and isinstance(pair[1], (str, type(None)))
    )


def _pattern(text: str, api: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"For '{api}', the rule '{text}' is not a regular expression: {error}.") from None


def _called(function: Callable[[str], Any], api: str) -> Rename:
    def rename(name: str) -> str | None:
        result = function(name)
        if result is not None and not isinstance(result, str):
            raise TypeError(
                f"For '{api}', 'rules' must return a name or None, but returned {describe(result)} for '{name}'."
            )
        return result

    return rename
