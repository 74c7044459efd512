"""The levels of captured graphs: generated Python (O0), or code compiled by Inductor (O1, O2)."""

from __future__ import annotations

import copy
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

import torch
from torch.autograd.graph import increment_version

from torchspore.common.private_torch import FakeTensorMode
from torchspore.engine.capture.compiling import cuda_graphs, disk_cache, library
from torchspore.engine.capture.compiling.compilation import Compilation
from torchspore.engine.capture.compiling.generated_python import python_function
from torchspore.engine.capture.compiling.tiered import Tiered, warn_of_level_zero
from torchspore.engine.capture.recording.dead_code import written_inputs

__all__ = ["LEVELS", "executable"]

LEVELS = ("O0", "O1", "O2")

_MAX_SIZES = 4  # libraries of one graph, each for a range of its open sizes

_log = logging.getLogger(__name__)

_Run = Callable[..., list[torch.Tensor]]
_OfLists = Callable[[list[torch.Tensor]], list[torch.Tensor]]


def executable(module: torch.fx.GraphModule, level: str, inputs: Sequence[Any], *, tiered: bool = False) -> _Run:
    """Return a function of the graph's inputs that returns its outputs.

    Args:
        module: the graph.
        level: "O0" for generated Python, ready at once; "O1" for Inductor; "O2" for Inductor's longer search for fast
            kernels and, on a GPU, CUDA graphs.
        inputs: the inputs of the first call. Inductor compiles for their shapes, strides and devices, except for the
            symbolic sizes of the graph. For other sizes the graph is compiled again, a few times; after that, and for
            other strides, generated Python runs.
        tiered: whether generated Python runs while another process compiles the graph. A graph that cannot become a
            library is compiled at once.
    """
    python_code = python_function(module.graph)
    if level == "O0":
        return python_code
    others = {type(value).__name__ for value in inputs if not isinstance(value, torch.Tensor)}
    if others:
        warn_of_level_zero(f"it is given an object of type {', '.join(others)}")
        return python_code
    options: dict[str, Any] = {"fallback_random": True}  # the same random numbers at every level
    if level == "O2":
        options["max_autotune"] = True
    graph = _Graph(module, python_code, options, tiered, replays=level == "O2")
    return graph.compiled(inputs, _CompiledOnDemand(graph, _MAX_SIZES - 1) if any(graph.open_sizes) else python_code)


class _Graph:
    """A graph to be compiled.

    Args:
        module: the graph.
        python_code: the graph as generated Python.
        options: Inductor's options.
        tiered: whether generated Python runs until it is compiled.
        replays: whether the kernels on a GPU are recorded as a CUDA graph.

    Attributes:
        python_code: as given.
        open_sizes: for each input, the dimensions whose size is open.
    """

    def __init__(
        self, module: torch.fx.GraphModule, python_code: _Run, options: dict[str, Any], tiered: bool, replays: bool
    ) -> None:
        self.python_code = python_code
        self.open_sizes = library.open_sizes(module)
        self._module = module
        self._options = options
        self._tiered = tiered
        self._replays = replays

    def compiled(self, inputs: Sequence[torch.Tensor], otherwise: _Run) -> _Run:
        """Return compiled code for such inputs, which calls `otherwise` for others; generated Python if it fails."""
        if library.is_possible(self._module, inputs):
            try:
                return self._library(inputs, otherwise)
            except library.NoLibrary as reason:
                _log.info("a graph cannot be a library, Inductor compiles it in this process: %s", reason)
        try:
            return self._compile_in_process(inputs, otherwise)
        except Exception as error:
            warn_of_level_zero(str(error) or type(error).__name__)
            return self.python_code

    def _library(self, inputs: Sequence[torch.Tensor], otherwise: _Run) -> _Run:
        request = library.request(self._module, self._options, inputs)

        def loaded(entry: Path) -> _Run:
            run, condition = library.load(entry, self.open_sizes)
            return self._guarded(library.layout(self.open_sizes), inputs, condition, run, otherwise)

        entry = disk_cache.find(request.key())
        if entry is None:
            compilation = Compilation(request, in_background=self._tiered)
            if self._tiered:
                return Tiered(self.python_code, compilation, loaded)
            entry = compilation.wait()
        return loaded(entry)

    def _compile_in_process(self, inputs: Sequence[torch.Tensor], otherwise: _Run) -> _Run:
        run: _OfLists = _compiled_in_process(self._module, self._options, inputs)
        is_open = any(self.open_sizes)
        if self._replays and not is_open and cuda_graphs.can_replay(self._module.graph, inputs):
            run = cuda_graphs.Replayed(run, written_inputs(self._module.graph))
        return self._guarded(_shapes if is_open else library.layout(()), inputs, None, run, otherwise)

    def _guarded(
        self,
        look: Callable[[Sequence[torch.Tensor]], list[Any]],
        inputs: Sequence[torch.Tensor],
        condition: Callable[[Sequence[torch.Tensor]], bool] | None,
        run: _OfLists,
        otherwise: _Run,
    ) -> _Run:
        """Return a function that runs compiled code for inputs of the right layout and sizes, else `otherwise`."""
        layout = look(inputs)
        indices = written_inputs(self._module.graph)
        written = itemgetter(*indices) if indices else None

        def call(*values: torch.Tensor) -> list[torch.Tensor]:
            if look(values) != layout or not (condition is None or condition(values)):
                return otherwise(*values)
            try:
                results = run([*values])
            except Exception:
                self.python_code(*[value.clone() for value in values])  # its error names the user's line
                raise
            if written is not None:  # compiled code does not count its writes as torch's operations do
                increment_version(written(values))
            return results

        return call


def _shapes(values: Sequence[torch.Tensor]) -> list[Any]:
    return [(value.shape, value.stride()) for value in values]


class _CompiledOnDemand:
    """Code for inputs that other compiled code of a graph is not valid for, compiled at the first such call.

    Args:
        graph: the graph.
        remaining: the number of times that the graph may still be compiled.
    """

    def __init__(self, graph: _Graph, remaining: int) -> None:
        self._graph = graph
        self._remaining = remaining
        self._run: _Run | None = None

    def __call__(self, *values: torch.Tensor) -> list[torch.Tensor]:
        """Run the graph."""
        if self._run is None:
            more = self._remaining > 1
            otherwise = _CompiledOnDemand(self._graph, self._remaining - 1) if more else self._graph.python_code
            self._run = self._graph.compiled(values, otherwise)
        return self._run(*values)


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    """Set a variable of the environment, which torch reads, for a block."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def _compiled_in_process(
    module: torch.fx.GraphModule, options: dict[str, Any], inputs: Sequence[torch.Tensor]
) -> _OfLists:
    """Compile in this process, with torch's own cache on disk."""
    from torchspore.common.private_torch import inductor  # they load a large part of torch
    from torchspore.common.private_torch.shapes import ShapeEnv  # Inductor's cache is off without one

    shapes = FakeTensorMode(shape_env=ShapeEnv(assume_static_by_default=True))
    with (
        torch.no_grad(),
        inductor.tracing(inductor.TracingContext(shapes)),
        warnings.catch_warnings(),
        _variable("TORCHINDUCTOR_CACHE_DIR", disk_cache.inductor_directory()),
    ):
        # The precision of products is the program's choice, and Inductor itself uses what torch deprecates.
        warnings.filterwarnings("ignore", "TensorFloat32 tensor cores for float32 matrix multiplication available")
        warnings.filterwarnings("ignore", "TypedStorage is deprecated")
        warnings.filterwarnings("ignore", "`torch.jit.script_method` is deprecated")
        compiled = inductor.compile(copy.deepcopy(module), list(inputs), options=options)
    return lambda values: compiled(*values)
