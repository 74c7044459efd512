"""All rows, and the rows of a name.

The files in `rows/` are lists of rows with the fields of `Row`. A row with "names" stands for several: each name takes
the place of `<name>` in its texts; of "SELU:SeLU" the second part takes it in MindSpore's name.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .row import Row

__all__ = ["all_rows", "rows_of", "without_cpu_kernels"]

# The order decides: code is rewritten to the first row of a name that fits.
_FILES = (
    "layers", "modules", "functional", "functions", "mathematics", "tensor", "optimizers", "schedules", "init", "data",
    "gradients", "devices", "distributed", "domains",
)  # fmt: skip


@functools.cache
def all_rows() -> tuple[Row, ...]:
    """Return all rows."""
    folder = Path(__file__).with_name("rows")
    return tuple(
        Row(**{"mindspore": None, **row})
        for name in _FILES
        for entry in json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for row in _rows_of(entry)
    )


def _rows_of(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    names = entry.pop("names", None)
    if names is None:
        yield entry
        return
    for pair in (names if isinstance(names, str) else " ".join(names)).split():
        name, _, other = pair.partition(":")
        yield {key: _named(value, other if key == "mindspore" and other else name) for key, value in entry.items()}


def _named(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _named(inner, name) for key, inner in value.items()}
    return value.replace("<name>", name)


@functools.cache
def _index() -> dict[str, tuple[Row, ...]]:
    found: dict[str, list[Row]] = {}
    for row in all_rows():
        for name in {row.torch, row.mindspore} - {None}:
            found.setdefault(str(name), []).append(row)
    return {name: tuple(same) for name, same in found.items()}


def rows_of(name: str) -> tuple[Row, ...]:
    """Return the rows of a full name in PyTorch or MindSpore, the first choice first; () if there are none."""
    return _index().get(name, ())


@functools.cache
def without_cpu_kernels() -> frozenset[str]:
    """Return the full names of the table that MindSpore does not compute on CPUs, or not with gradients."""
    recorded = json.loads(Path(__file__).with_name("without_cpu_kernels.json").read_text(encoding="utf-8"))
    return frozenset(f"mindspore.{path}.{name}" for path, names in recorded["names"].items() for name in names.split())
