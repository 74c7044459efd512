"""Pipelines in notebooks: the steps from the sources on, their settings, the columns and the sizes. Nothing runs."""

from __future__ import annotations

from typing import Any

from torchspore.common.showing.markup import page, table, text

__all__ = ["pipeline_page"]

_MAX_LENGTH = 120  # of the text of a setting
_NOT_SHOWN = {
    "children", "chosen_rows", "given", "has_random_access", "num_parallel_workers", "python_multiprocessing", "source",
}  # fmt: skip


def pipeline_page(dataset: Any) -> str:
    """Return the HTML of a pipeline."""
    steps: dict[int, list[Any]] = {}
    _add_steps(dataset, steps)
    columns = _columns(dataset)
    parts = [table(["#", "step", "settings", "rows"], steps.values())]
    if columns:
        parts.append(text("columns of the first row looked at" if dataset._first else "columns", kind="dim"))
        parts.append(table(columns[0], columns[1:]))
    return page(*parts)


def _add_steps(node: Any, steps: dict[int, list[Any]]) -> None:
    """Add a row for each step that a node needs, and for the node, by id."""
    if id(node) in steps:
        return
    for child in node.children:
        _add_steps(child, steps)
    before = [steps[id(child)][0] for child in node.children]
    settings = [f"of steps {', '.join(map(str, before))}"] if before not in ([], [len(steps)]) else []
    hidden = {*_NOT_SHOWN, "column_names"} if hasattr(node, "columns") else _NOT_SHOWN  # they are the same
    for name, value in vars(node).items():
        shown = "" if name.startswith("_") or name in hidden else _setting(value)
        settings += [f"{name}={shown}"] if shown else []
    source = getattr(node, "source", None)
    settings += [getattr(source, "__name__", type(source).__name__)] if source is not None else []
    name = type(node).__name__
    name = name.strip("_").removesuffix("Dataset") if before else name
    steps[id(node)] = [len(steps) + 1, name, ", ".join(settings), _size(node)]


def _setting(value: Any) -> str:
    """Return a setting as text; "" for what is absent or says nothing to a reader."""
    if value is None or value is False or (isinstance(value, (list, tuple, dict)) and not value):
        return ""
    if isinstance(value, (bool, int, float, str)):
        shown = str(value)
    elif isinstance(value, (list, tuple)):
        shown = f"[{', '.join(filter(None, map(_setting, value[:8])))}{', …' if len(value) > 8 else ''}]"
    else:
        shown = getattr(value, "__name__", None) or type(value).__name__
    return shown if len(shown) <= _MAX_LENGTH else f"{shown[:_MAX_LENGTH]}…"


def _size(node: Any) -> str:
    """Return the number of rows, if it is known without reading files or running the program's functions."""
    count = node.dataset_size
    if count is None and _is_in_memory(node):
        try:
            count = node._count()
        except Exception:  # of a source or sampler of the program; a picture is not the place to report it
            count = None
    return "?" if count is None else f"{count:,}"


def _is_in_memory(node: Any) -> bool:
    return all(map(_is_in_memory, node.children)) if node.children else getattr(node, "_in_memory", False)


def _columns(node: Any) -> list[list[Any]]:
    """Return the names of the columns, and their types and shapes if they have been looked at."""
    try:
        names = node._names()
    except Exception:  # such as a missing file, which iterating reports
        return []
    types, shapes = node._first or ((), ())
    return [names, *([types, shapes] if len(types) == len(names) else [])]
