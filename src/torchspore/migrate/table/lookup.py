"""`lookup`: what the table says of a name, as a text."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .defaults import default_differences
from .row import Row
from .rows import all_rows, rows_of

__all__ = ["Entry", "lookup"]


_SHORT = {"torchspore": "mindspore", "ms": "mindspore", "F": "torch.nn.functional"}  # what programs write, and mean


@dataclass(frozen=True)
class Entry:
    """What the table says of a name; it prints as a text.

    Args:
        name: the full name in PyTorch or MindSpore.
        rows: its rows, the first choice first.
    """

    name: str
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        return "\n".join(line for row in self.rows for line in _lines(row, self.name == row.torch))

    __repr__ = __str__


def lookup(name: str) -> Entry:
    """Return what corresponds to an API of PyTorch in MindSpore, or the other way round.

    Args:
        name: a full name, such as "torch.nn.Conv2d" or "mindspore.nn.Conv2d"; or one as programs write it, such as
            "nn.Dense" or "F.relu". Where both have it, MindSpore's is meant.

    Raises:
        LookupError: the table does not have the name. The message suggests close ones.

    Examples:
        >>> from torchspore import migrate
        >>> print(migrate.lookup("torch.nn.LayerNorm"))
        torch.nn.LayerNorm -> mindspore.mint.nn.LayerNorm
        torch.nn.LayerNorm -> mindspore.nn.LayerNorm
          arguments: eps -> epsilon
          only in PyTorch: elementwise_affine (same with True), bias (same with True)
          defaults: eps is 1e-05 in PyTorch, 1e-07 in MindSpore
          normalized_shape is a tuple.
    """
    for full in (name, *_full_names(name)):
        if rows := rows_of(full):
            return Entry(full, rows)
    raise LookupError(f"For 'lookup', the table has no {name!r}.{_suggestion(name)}")


def _full_names(name: str) -> Iterator[str]:
    """Yield the full names that a name in a program may stand for."""
    first, dot, rest = name.partition(".")
    if first in _SHORT and dot:
        yield f"{_SHORT[first]}.{rest}"
    yield f"mindspore.{name}"
    yield f"torch.{name}"


def _suggestion(name: str) -> str:
    known = sorted({row.torch for row in all_rows()} | {row.mindspore for row in all_rows() if row.mindspore})
    last = name.rpartition(".")[2].lower()
    equal = [other for other in known if other.rpartition(".")[2].lower() == last]
    close = difflib.get_close_matches(name, equal, 3, 0.0)
    close += [other for other in difflib.get_close_matches(name, known, 3, 0.75) if other not in close]
    return f" Did you mean {' or '.join(repr(other) for other in close[:3])}?" if close else ""


def _lines(row: Row, from_torch: bool) -> Iterator[str]:
    if row.mindspore is None:
        yield f"{row.torch} has no counterpart in MindSpore."
    else:
        names = (row.torch, row.mindspore) if from_torch else (row.mindspore, row.torch)
        yield " -> ".join(names)
        if row.mindspore_form is not None:
            yield f"  written as: {row.mindspore_form}"
        if row.arguments:
            pairs = row.arguments.items()
            yield f"  arguments: {', '.join(' -> '.join(pair if from_torch else pair[::-1]) for pair in pairs)}"
        yield from _computed(row.to_mindspore if from_torch else row.to_torch)
        yield from _alone("PyTorch", row.only_torch)
        yield from _alone("MindSpore", row.only_mindspore)
        yield from _defaults(row)
    if row.note:
        yield f"  {row.note}"


def _computed(templates: Mapping[str, str]) -> Iterator[str]:
    if templates:
        yield f"  computed: {', '.join(f'{name} = {value}' for name, value in templates.items())}"


def _alone(side: str, arguments: Mapping[str, str]) -> Iterator[str]:
    if arguments:
        yield f"  only in {side}: {', '.join(f'{name} (same with {value})' for name, value in arguments.items())}"


def _defaults(row: Row) -> Iterator[str]:
    texts = [f"{name} is {torch!r} in PyTorch, {_shown(mindspore)} in MindSpore"
             for name, (torch, mindspore) in default_differences(row).items()]  # fmt: skip
    texts += [f"{name} of PyTorch is {value} by default" for name, value in row.implied.items()]
    if texts:
        yield f"  defaults: {'; '.join(texts)}"


def _shown(value: object) -> str:
    return "required" if value is inspect.Parameter.empty else repr(value)
