"""The arguments that only `dataset` has: columns, and the parts of data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from torchspore.common.error_classes import WrongValue
from torchspore.dataset.parameters import Columns, column_list, take_as
from torchspore.engine.parameters import Where

__all__ = ["as_names", "indexes", "usage_of"]


def usage_of(api: str, usage: Any, allowed: Sequence[str], default: str = "all") -> str:
    """Return the part of a dataset to read, one of those allowed, if there are any; None means `default`."""
    if usage is not None and allowed:
        among = Annotated[str, Where(f"one of {list(allowed)}", allowed.__contains__, WrongValue)]
        take_as(among, usage, "usage", api)
    return usage or default


def as_names(api: str, name: str, value: Any) -> list[str]:
    """Return column names, given as one or as a list; there must be one, and none may be empty or come twice."""
    return column_list(take_as(Columns, value, name, api))


def indexes(api: str, names: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the indexes of the wanted columns, which must all exist."""
    missing = [name for name in wanted if name not in names]
    if missing:
        raise RuntimeError(f"For '{api}', the dataset has the columns {list(names)}, but not {missing}.")
    return [names.index(name) for name in wanted]
