"""The execution mode: whether cells run as captured graphs, and on how many processes their tensors lie."""

from __future__ import annotations

from typing import Any

__all__ = ["cut", "graph", "reader", "set_cut", "set_graph"]

graph = False
cut: Any = None  # the `engine.cutting.calls.Cutting` that runs all outermost calls; None: tensors are not cut
reader: Any = None  # the same, kept when tensors are no longer cut: those that are still can be read
_wanted = False


def set_graph(on: bool) -> None:
    """Run cells as graphs (GRAPH_MODE), or one operation at a time (PYNATIVE_MODE)."""
    global graph, _wanted
    _wanted = on
    graph = on or cut is not None


def set_cut(cutting: Any) -> None:
    """Cut the tensors of all calls over processes, or with None of no call. Such calls have the meaning of graphs."""
    global cut, reader
    cut = cutting
    reader = cutting or reader
    set_graph(_wanted)
