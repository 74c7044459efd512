"""The execution mode: whether cells run as captured graphs, and on how many processes their tensors lie."""

from __future__ import annotations

from typing import Any

__all__ = ["cut", "graph", "meshes", "reader", "set_cut", "set_graph", "set_meshes", "set_reader"]

graph = False
cut: Any = None  # the `Cutting` that runs all outermost calls; None: tensors are not cut
reader: Any = None  # a `Cutting` once there is a tensor that is cut: it reads and updates the parts. It stays
meshes = False  # whether the program itself cuts tensors, as DTensors
_wanted = False


def set_graph(on: bool) -> None:
    """Run cells as graphs (GRAPH_MODE), or one operation at a time (PYNATIVE_MODE)."""
    global graph, _wanted
    _wanted = on
    graph = on or cut is not None


def set_cut(cutting: Any) -> None:
    """Cut the tensors of all calls over processes, or with None of no call. Such calls have the meaning of graphs."""
    global cut
    cut = cutting
    set_reader(cutting or reader)
    set_graph(_wanted)


def set_meshes() -> None:
    """Note that the program itself cuts tensors."""
    global meshes
    meshes = True


def set_reader(cutting: Any) -> None:
    """Let tensors be read and updated that are cut, by the mode above or by the program itself."""
    global reader
    reader = cutting
