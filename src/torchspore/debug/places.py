"""Where an operation runs: the path of the cell, the API and the user's line."""

from __future__ import annotations

import itertools
from collections.abc import Container, Sequence
from types import CodeType
from typing import Any, NamedTuple

from torchspore.common.frames.stack import caller, code_of, file_of, line_of, owner_of, steps, upwards
from torchspore.common.frames.user_lines import NOT_THE_USERS
from torchspore.engine.capture.recording.source_lines import line_text
from torchspore.engine.failures.errors import called_api
from torchspore.nn.cell import Cell

__all__ = ["CELL_CALL", "Place", "cell_path", "place", "raising_cell"]

CELL_CALL = Cell.__call__.__code__


class Place(NamedTuple):
    """Where an operation runs.

    Attributes:
        cell: the path of the innermost cell, "" outside of cells.
        type: its class.
        api: the name of the function or layer that was called.
        line: the user's "file:line", or "".
    """

    cell: str
    type: str
    api: str
    line: str

    @property
    def code(self) -> str:
        """The line with its text, or ""."""
        return f"{self.line}: {line_text(self.line)}".removesuffix(": ") if self.line else ""


def place(root: Any, operation: str, ends: Container[CodeType]) -> Place:
    """Return where the caller's caller runs, up to a function whose code is in `ends`."""
    frames = list(itertools.takewhile(lambda frame: code_of(frame) not in ends, upwards(caller(0))))
    users = (f for f in frames if code_of(f) is not CELL_CALL and not file_of(f).startswith(NOT_THE_USERS))
    line = next(map(line_of, users), "")
    cells = [owner_of(frame) for frame in frames[::-1] if code_of(frame) is CELL_CALL]
    api = called_api(caller(2), operation)
    return Place(cell_path(root, cells), type(cells[-1]).__name__ if cells else "", api, line)


def raising_cell(error: BaseException) -> Any:
    """Return the innermost cell whose call raised an error, or None."""
    cell = None
    for step in steps(error.__traceback__):
        cell = owner_of(step.tb_frame) if code_of(step.tb_frame) is CELL_CALL else cell
    return cell


def cell_path(root: Any, calls: Sequence[Any]) -> str:
    """Return the path of the last of several cells, each of which calls the next one."""
    parts: list[str] = []
    caller = None
    for cell in calls:
        if cell is caller:
            continue  # a class that overrides `__call__`
        if caller is not None:
            parts.append(_name_in(caller, cell))
        elif cell is not root:
            parts.append(type(cell).__name__)
        caller = cell
    return ".".join(parts)


def _name_in(caller: Any, cell: Any) -> str:
    """Return the path of a cell below one that calls it, or its class if it is not below."""
    own = next((name for name, child in caller._cells.items() if child is cell), None)
    if own is not None:
        return own
    return next((path for path, inner in caller.cells_and_names() if inner is cell), f"({type(cell).__name__})")
