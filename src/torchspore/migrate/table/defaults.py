"""The differences of defaults between the two APIs of a row, read from their signatures."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any

from torchspore.common import dtype as mstype

from .row import Row
from .signatures import parameters

__all__ = ["default_differences"]

_MISSING = inspect.Parameter.empty


def default_differences(row: Row) -> dict[str, tuple[Any, Any]]:
    """Return the arguments of torch whose default differs: the value there and the one in MindSpore.

    Where MindSpore requires the argument, its value is `inspect.Parameter.empty`. Computed arguments have the value
    that is computed from torch's defaults.
    """
    if row.mindspore is None or row.mindspore_form is not None:
        return {}
    theirs, ours = parameters(row.torch), parameters(row.mindspore)
    pairs = {name: (value.default, ours[row.arguments.get(name, name)].default)
             for name, value in theirs.items()
             if row.arguments.get(name, name) in ours and name not in row.implied}  # fmt: skip
    for name, template in row.to_mindspore.items():
        with suppress(Exception):  # a required argument has no default to compute with
            value = eval(template.format(**{key: repr(p.default) for key, p in theirs.items()}), {})
            pairs[name] = (value, ours[name].default)
    return {name: pair for name, pair in pairs.items() if pair[0] is not _MISSING and not _agree(*pair)}


def _agree(torch: Any, mindspore: Any) -> bool:
    """Return whether two defaults mean the same."""
    if callable(torch) and isinstance(mindspore, str):  # an activation function, or ReduceOp.SUM, and its name
        return bool(getattr(torch, "__name__", str(torch).rpartition(".")[2].lower()) == mindspore)
    unset: tuple[Any, ...] = (None, (), ..., mstype.float32)
    both_unset = any(torch is value for value in unset) and any(mindspore is value for value in unset)
    return both_unset or bool(torch == mindspore)
