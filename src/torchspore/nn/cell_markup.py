"""Cells in notebooks: a tree that can be folded, with the numbers of parameters."""

from __future__ import annotations

from typing import Any

from torchspore.common.showing.markup import fold, page, text

__all__ = ["cell_page"]

_OPEN_LEVELS = 2


def cell_page(cell: Any) -> str:
    """Return the HTML of a cell."""
    return page(_tree(cell, "", (), {}))


def _tree(cell: Any, label: str, path: tuple[str, ...], seen: dict[int, str]) -> str:
    """Return the HTML of a cell and those inside; `seen` has the paths of the cells so far, by id."""
    if id(cell) in seen:
        return text(f"{label}{type(cell).__name__}, the same cell as {seen[id(cell)]}", kind="leaf dim")
    seen[id(cell)] = f"'{'.'.join(path)}'" if path else "the outermost"
    total = sum(parameter.size for parameter in cell.get_parameters())
    trained = sum(parameter.size for parameter in cell.trainable_params())
    note = f"{total:,} parameters" + (f", {trained:,} of them trained" if trained != total else "")
    inside = [
        text(f"{name}: {p.shape}, {p.dtype}{'' if p.requires_grad else ', not trained'}", kind="leaf dim")
        for name, p in cell._params.items()
        if p is not None
    ]
    inside += [
        _tree(child, f"{name}: ", (*path, name), seen) for name, child in cell._cells.items() if child is not None
    ]
    title = f"{label}{type(cell).__name__}({cell.extend_repr()})"
    if not inside:
        return text(title, kind="leaf")
    return fold(title, note, "".join(inside), is_open=len(path) < _OPEN_LEVELS)
