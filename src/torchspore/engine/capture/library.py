"""A graph compiled to a shared library by AOTInductor: made in a process of its own, loaded in milliseconds.

Inductor's usual output needs Inductor itself in every process that runs it, seconds of imports and tracing. A library
needs torch alone, and a call of it costs half as much. It holds for inputs of fixed shapes and strides on the CPU.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from torchspore.engine.capture.clean import written

__all__ = ["Request", "has_library", "layout", "load", "request"]

_FORMAT = 1  # of the entries; another number makes all of them new
_LARGE = 400  # nodes: from here on the time to compile the calls between kernels counts more than that of the calls


class Request(NamedTuple):
    """What a library is made from, and all that it depends on.

    Attributes:
        module: the graph, pickled.
        inputs: shape, strides and dtype of each input.
        options: Inductor's options.
        threads: how many threads its loops use.
        deterministic: whether only algorithms that give the same results in every run are allowed.
        code: the graph's text.
        platform: torch and the processor.
    """

    module: bytes
    inputs: tuple[Any, ...]
    options: dict[str, Any]
    threads: int
    deterministic: bool
    code: str
    platform: str

    def key(self) -> str:
        """Return the name of the entry in the disk cache."""
        return hashlib.sha256(repr((_FORMAT, *self[1:])).encode()).hexdigest()[:32]


def has_library(module: torch.fx.GraphModule, inputs: Sequence[Any]) -> bool:
    """Tell whether a graph can be a library: if not, Inductor has to compile it in the process that runs it.

    That is so for other devices than the CPU, for objects of this process such as random generators inside the graph,
    for complex numbers (their conjugates look like other numbers), and where inputs that share memory are written.
    """
    nodes = list(module.graph.nodes)
    if any(node.op not in ("placeholder", "call_function", "output") for node in nodes):
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
        module: the graph, one that `has_library`.
        options: Inductor's options.
        inputs: tensors with the shapes, strides and dtypes of the inputs.
    """
    optimized = "O0" if len(module.graph.nodes) > _LARGE else "O1"
    return Request(
        pickle.dumps(module),
        tuple([(tuple(value.shape), value.stride(), value.dtype) for value in inputs]),
        {
            "aot_inductor.compile_wrapper_opt_level": optimized,
            "aot_inductor.enable_line_tables": False,
            **options,
        },
        torch.get_num_threads(),
        torch.are_deterministic_algorithms_enabled(),
        module.code,
        f"{torch.__version__} {torch.version.git_version} {_processor()}",
    )


@functools.cache
def _processor() -> str:
    """Return what tells processors apart that do not run each other's code."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    features = next((line for line in lines if line.lower().startswith(("flags", "features"))), platform.processor())
    return f"{platform.system()} {platform.machine()} {features}"


def load(entry: Path) -> Callable[[list[torch.Tensor]], list[torch.Tensor]]:
    """Return the function of a library: the list of a graph's inputs to the list of its outputs."""
    return torch._C._aoti.AOTIModelContainerRunnerCpu(str(entry / "run.so"), 1).run


def layout(module: torch.fx.GraphModule) -> Callable[[Sequence[torch.Tensor]], list[Any]]:
    """Return what finds, of a graph's inputs, what compiled code takes for granted: strides, and sizes left open."""
    fakes = [node.meta.get("val") for node in module.graph.nodes if node.op == "placeholder"]
    if any(isinstance(size, torch.SymInt) for fake in fakes for size in getattr(fake, "shape", ())):
        return lambda values: [(value.shape, value.stride()) for value in values]
    return lambda values: [value.stride() for value in values]
