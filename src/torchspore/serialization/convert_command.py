"""`python -m torchspore convert`: graphs and weights from one format to another."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Literal

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.tensor import Tensor
from torchspore.engine.exported_graph import ExportedGraph, GraphInput
from torchspore.nn.layer.graph_cell import GraphCell
from torchspore.serialization.loading import read_file
from torchspore.serialization.models import export, load
from torchspore.serialization.saving import write_file
from torchspore.serialization.tensors import Stored

__all__ = ["convert", "main"]

_GRAPHS: dict[str, Literal["MINDIR", "ONNX", "PT2"]] = {".mindir": "MINDIR", ".onnx": "ONNX", ".pt2": "PT2"}
_WEIGHTS = {".ckpt": "ckpt", ".safetensors": "safetensors"}
_API = "convert"


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status: 0, or 2 if the file could not be converted."""
    parser = argparse.ArgumentParser(
        prog="python -m torchspore convert",
        description="Rewrite a graph (.mindir, .onnx, .pt2) or weights (.ckpt, .safetensors) in another format.",
        epilog="A graph can be written as weights, but not weights as a graph. The exit status is 2 if that fails.",
    )
    parser.add_argument("source", metavar="FROM", help="the file to read")
    parser.add_argument("target", metavar="TO", help="the file to write")
    options = parser.parse_args(arguments)
    try:
        rows = convert(options.source, options.target)
    except (ValueError, TypeError, NotImplementedError, ModuleNotFoundError, OSError) as error:
        print(f"torchspore convert: {error}", file=sys.stderr)
        return 2
    for kind, name, described in rows:
        print(f"{kind:<10} {name:<40} {described}")
    return 0


def convert(source: str, target: str) -> list[tuple[str, str, str]]:
    """Write the file `target` with what is in the file `source`; return the kind, name and form of what it has.

    Raises:
        ValueError: a suffix is unknown, the file cannot be read, or the target cannot hold what is in it.
    """
    old, new = [os.path.splitext(path)[1] for path in (source, target)]
    for suffix in (old, new):
        if suffix not in _GRAPHS and suffix not in _WEIGHTS:
            raise ValueError(
                f"For '{_API}', a file's name must end with {', '.join([*_GRAPHS, *_WEIGHTS])}, but got '{suffix}'."
            )
    if old in _WEIGHTS:
        if new in _GRAPHS:
            raise ValueError(
                f"For '{_API}', '{source}' has weights and no graph. Load it into the network with 'load_checkpoint', "
                "and export the network."
            )
        return _write_weights(read_file(_API, source, _WEIGHTS[old], lambda name: True), target, new)
    graph = load(source)
    if new in _WEIGHTS:
        return _write_weights({held.name: held.value for held in graph.held if held.name}, target, new)
    examples = graph.arguments.build(map(_example, graph.inputs))
    export(GraphCell(graph), *examples, file_name=target, file_format=_GRAPHS[new])
    return _described(graph)


def _write_weights(values: Stored, target: str, suffix: str) -> list[tuple[str, str, str]]:
    write_file(_API, target, values, _WEIGHTS[suffix])
    return [("weight", name, value if isinstance(value, str) else _form(value.shape, value.dtype))
            for name, value in values.items()]  # fmt: skip


def _example(described: GraphInput) -> object:
    """Return what stands for an input of a graph."""
    if described.dtype is None:
        return described.value
    if described.sizes is None:
        raise ValueError(f"For '{_API}', the input '{described.name}' has an unknown number of dimensions.")
    sizes = [size if isinstance(size, int) else None for size in described.sizes]
    return Tensor(shape=sizes, dtype=FROM_TORCH[described.dtype])


def _described(graph: ExportedGraph) -> list[tuple[str, str, str]]:
    rows = [
        ("input", each.name, str(each.value) if each.dtype is None else _form(each.sizes or (), each.dtype))
        for each in graph.inputs
    ]
    return rows + [("parameter", held.name, _form(held.value.shape, held.value.dtype))
                   for held in graph.held if held.name]  # fmt: skip


def _form(sizes: Sequence[object], dtype: object) -> str:
    return f"({', '.join(map(str, sizes))}) {str(dtype).removeprefix('torch.')}"
