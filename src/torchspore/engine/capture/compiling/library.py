"""A graph compiled to a shared library by AOTInductor: built in a separate process, loaded in milliseconds.

Inductor's usual output needs Inductor itself in every process that runs it: seconds of imports and tracing. A library
needs torch only, and a call costs half as much. It is valid for CPU inputs of one layout, and of one shape except for
the symbolic sizes of the graph.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.fx.node import map_aggregate, map_arg

from torchspore.common.private_torch import OpOverload, library_function
from torchspore.engine.capture.recording.dead_code import written

__all__ = ["CONDITION", "NoLibrary", "Request", "is_possible", "layout", "load", "open_sizes", "rebuild", "request"]

CONDITION = "run.condition"  # the file with the condition on symbolic sizes

_FORMAT = 2  # the version of cache entries; a new number invalidates all of them
_LARGE = 400  # nodes; for larger graphs, compiling the calls between kernels costs more than it saves


class NoLibrary(Exception):
    """A graph could not be made a library; the message says why."""


class Request(NamedTuple):
    """What a library is compiled from, and everything that it depends on.

    Attributes:
        operations: the graph's nodes, pickled; see `rebuild`.
        inputs: shape, strides and dtype of each input.
        open_sizes: for each input, the dimensions whose size is open.
        options: Inductor's options.
        threads: the number of threads that its loops use.
        deterministic: whether only algorithms that give the same results in every run are allowed.
        dtype: the default dtype.
        code: the graph's text.
        platform: the versions of torch and of the processor.
    """

    operations: bytes
    inputs: tuple[Any, ...]
    open_sizes: tuple[tuple[int, ...], ...]
    options: dict[str, Any]
    threads: int
    deterministic: bool
    dtype: torch.dtype
    code: str
    platform: str

    def key(self) -> str:
        """Return the name of the entry in the disk cache."""
        return hashlib.sha256(repr((_FORMAT, *self[1:])).encode()).hexdigest()[:32]


_Run = Callable[[list[torch.Tensor]], list[torch.Tensor]]
_Condition = Callable[[Sequence[torch.Tensor]], bool]


class _Name(str):
    """The name of a node, where it is an argument."""


def is_possible(module: torch.fx.GraphModule, inputs: Sequence[Any]) -> bool:
    """Return whether a graph can be a library: if not, Inductor has to compile it in the process that runs it.

    That is so on other systems than Linux and for other devices than the CPU; for objects of this process such as
    random generators inside the graph; for complex numbers, whose conjugates may be the same memory; and where inputs
    that share memory are written.
    """
    nodes = list(module.graph.nodes)
    if sys.platform != "linux" or any(node.op not in ("placeholder", "call_function", "output") for node in nodes):
        return False
    if not all(value.device.type == "cpu" and value.layout is torch.strided for value in inputs):
        return False
    if any(value.is_complex() for value in inputs):
        return False
    memory = [value.untyped_storage().data_ptr() for value in inputs if value.numel()]
    return len(set(memory)) == len(memory) or not any(map(written, nodes))


def request(module: torch.fx.GraphModule, options: dict[str, Any], inputs: Sequence[torch.Tensor]) -> Request:
    """Return what the library of a graph is made from.

    Args:
        module: the graph, one for which it `is_possible`.
        options: Inductor's options.
        inputs: tensors with the shapes, strides and dtypes of the inputs.

    Raises:
        NoLibrary: the graph holds something that cannot be pickled.
    """
    optimized = "O0" if len(module.graph.nodes) > _LARGE else "O1"
    try:
        operations = pickle.dumps([_picklable(node) for node in module.graph.nodes])
    except Exception as error:
        raise NoLibrary(str(error)) from error
    return Request(
        operations,
        tuple([(tuple(value.shape), value.stride(), value.dtype) for value in inputs]),
        open_sizes(module),
        {"aot_inductor.compile_wrapper_opt_level": optimized, **options},
        torch.get_num_threads(),
        torch.are_deterministic_algorithms_enabled(),
        torch.get_default_dtype(),
        module.code,
        f"{torch.__version__} {torch.version.git_version} {_processor()}",
    )


def _picklable(node: torch.fx.Node) -> tuple[Any, ...]:
    target = str(node.target) if isinstance(node.target, OpOverload) else node.target
    arguments = map_arg((node.args, node.kwargs), lambda used: _Name(used.name))
    return (node.op, node.name, target, *arguments)


def rebuild(operations: bytes) -> torch.fx.GraphModule:
    """Return the graph of a request.

    Unpickling a graph's module would trace it, and draw the random numbers in it once and for all.
    """
    graph = torch.fx.Graph()
    made: dict[str, torch.fx.Node] = {}

    def with_nodes(value: Any) -> Any:
        return map_aggregate(value, lambda part: made[part] if isinstance(part, _Name) else part)

    for kind, name, target, args, kwargs in pickle.loads(operations):
        if kind == "call_function" and isinstance(target, str):
            target = functools.reduce(getattr, target.split("."), torch.ops)
        made[name] = graph.create_node(kind, target, with_nodes(args), with_nodes(kwargs), name)
    return torch.fx.GraphModule(torch.nn.Module(), graph)


@functools.cache
def _processor() -> str:
    """Return a description of the processor; compiled code is valid for equal ones only."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    features = next((line for line in lines if line.lower().startswith(("flags", "features"))), platform.processor())
    return f"{platform.system()} {platform.machine()} {features}"


def load(entry: Path, open_sizes: Sequence[tuple[int, ...]]) -> tuple[_Run, _Condition | None]:
    """Return the function of a library, and its condition on symbolic sizes; None if all sizes are fixed.

    Args:
        entry: the directory of the library.
        open_sizes: for each input, the dimensions whose size is open.

    Raises:
        NoLibrary: this machine, or this torch, cannot load it.
    """
    try:
        run = library_function(str(entry / "run.so"))
        if not any(open_sizes):
            return run, None
        from torchspore.engine.capture.recording.symbols import comparison  # it loads a large part of torch

        places = [(i, d) for i, dimensions in enumerate(open_sizes) for d in dimensions]
        return run, comparison((entry / CONDITION).read_text(), places)
    except Exception as error:
        raise NoLibrary(str(error)) from error


def open_sizes(module: torch.fx.GraphModule) -> tuple[tuple[int, ...], ...]:
    """Return, for each input of a graph, the dimensions whose size the graph leaves open."""
    fakes = [node.meta.get("val") for node in module.graph.nodes if node.op == "placeholder"]
    shapes = [getattr(fake, "shape", ()) for fake in fakes]
    return tuple([tuple([d for d, size in enumerate(shape) if isinstance(size, torch.SymInt)]) for shape in shapes])


def layout(open_sizes: Sequence[tuple[int, ...]]) -> Callable[[Sequence[torch.Tensor]], list[Any]]:
    """Return a function that computes the layout of inputs that compiled code relies on: their strides.

    Args:
        open_sizes: for each input, the dimensions whose size is open; those inputs are contiguous or have one shape.
    """
    if not any(open_sizes):
        return lambda values: [value.stride() for value in values]

    def look(values: Sequence[torch.Tensor]) -> list[Any]:
        return [
            value.stride() if not dimensions else value.is_contiguous() or (value.shape, value.stride())
            for value, dimensions in zip(values, open_sizes)
        ]

    return look
