"""The execution mode: whether cells run as captured graphs."""

from __future__ import annotations

__all__ = ["graph", "set_graph"]

graph = False


def set_graph(on: bool) -> None:
    """Run cells as graphs (GRAPH_MODE), or one operation at a time (PYNATIVE_MODE)."""
    global graph
    graph = on
