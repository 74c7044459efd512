"""What runs a captured graph: straight code (O0), or what Inductor makes of it (O1, O2)."""

from __future__ import annotations

import copy
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from torchspore.common.private_torch import FakeTensorMode
from torchspore.engine.capture import disk_cache, library
from torchspore.engine.capture.compilation import Compilation
from torchspore.engine.capture.generated_python import straight_function
from torchspore.engine.capture.tiered import Tiered, warn_of_level_zero

__all__ = ["LEVELS", "executable"]

LEVELS = ("O0", "O1", "O2")

_MOST_SIZES = 4  # libraries of one graph, each for a range of its open sizes

_log = logging.getLogger(__name__)

_Run = Callable[..., list[torch.Tensor]]


def executable(module: torch.fx.GraphModule, level: str, inputs: Sequence[Any], *, tiered: bool = False) -> _Run:
    """Return a function of the graph's inputs that returns its outputs.

    Args:
        module: the graph.
        level: "O0" for straight code, ready at once; "O1" for Inductor; "O2" for Inductor's longer search for fast
            kernels and, on a GPU, CUDA graphs.
        inputs: the inputs of the first call: Inductor compiles for their shapes, strides and devices, but for the sizes
            that the graph leaves open. What that is not made for is compiled again for other sizes, a few times, and
            then runs as straight code, as do inputs of other strides.
        tiered: whether the graph runs as straight code while another process compiles it. A graph that cannot be a
            library is compiled at once.
    """
    straight = straight_function(module.graph)
    if level == "O0":
        return straight
    others = {type(value).__name__ for value in inputs if not isinstance(value, torch.Tensor)}
    if others:
        warn_of_level_zero(f"it is given an object of type {', '.join(others)}")
        return straight
    options: dict[str, Any] = {"fallback_random": True}  # the same random numbers at every level
    if level == "O2":
        options |= {"max_autotune": True, "triton.cudagraphs": any(value.is_cuda for value in inputs)}
    graph = _Graph(module, straight, options, tiered)
    return graph.compiled(inputs, _Later(graph, _MOST_SIZES - 1) if any(graph.open_sizes) else straight)


class _Graph:
    """What is to be compiled.

    Args:
        module: the graph.
        straight: the same as straight code.
        options: Inductor's options.
        tiered: whether straight code runs meanwhile.

    Attributes:
        straight: as given.
        open_sizes: for each input, the dimensions whose size is open.
    """

    def __init__(self, module: torch.fx.GraphModule, straight: _Run, options: dict[str, Any], tiered: bool) -> None:
        self.straight = straight
        self.open_sizes = library.open_sizes(module)
        self._module = module
        self._options = options
        self._tiered = tiered

    def compiled(self, inputs: Sequence[torch.Tensor], otherwise: _Run) -> _Run:
        """Return compiled code for such inputs, which leaves others to `otherwise`; straight code if there is none."""
        if library.is_possible(self._module, inputs):
            try:
                return self._library(inputs, otherwise)
            except library.NoLibrary as reason:
                _log.info("a graph cannot be a library, Inductor compiles it in this process: %s", reason)
        try:
            return self._here(inputs, otherwise)
        except Exception as error:
            warn_of_level_zero(str(error) or type(error).__name__)
            return self.straight

    def _library(self, inputs: Sequence[torch.Tensor], otherwise: _Run) -> _Run:
        request = library.request(self._module, self._options, inputs)

        def loaded(entry: Path) -> _Run:
            run, condition = library.load(entry, self.open_sizes)
            return self._where(library.layout(self.open_sizes), inputs, condition, run, otherwise)

        entry = disk_cache.find(request.key())
        if entry is None:
            compilation = Compilation(request, beside=self._tiered)
            if self._tiered:
                return Tiered(self.straight, compilation, loaded)
            entry = compilation.wait()
        return loaded(entry)

    def _here(self, inputs: Sequence[torch.Tensor], otherwise: _Run) -> _Run:
        run = _compiled_here(self._module, self._options, inputs)
        is_open = any(self.open_sizes)
        return self._where(_shapes if is_open else library.layout(()), inputs, None, run, otherwise)

    def _where(
        self,
        look: Callable[[Sequence[torch.Tensor]], list[Any]],
        inputs: Sequence[torch.Tensor],
        condition: Callable[[Sequence[torch.Tensor]], bool] | None,
        run: Callable[[list[torch.Tensor]], list[torch.Tensor]],
        otherwise: _Run,
    ) -> _Run:
        """Return what runs compiled code for inputs that look like those it was made for and fulfil its condition."""
        layout = look(inputs)

        def call(*values: torch.Tensor) -> list[torch.Tensor]:
            if look(values) != layout or not (condition is None or condition(values)):
                return otherwise(*values)
            try:
                return run([*values])
            except Exception:
                self.straight(*[value.clone() for value in values])  # if it fails, too, then with the user's line
                raise

        return call


def _shapes(values: Sequence[torch.Tensor]) -> list[Any]:
    return [(value.shape, value.stride()) for value in values]


class _Later:
    """Code for the inputs that other code of a graph is not made for, compiled at the first of them.

    Args:
        graph: the graph.
        most: how often it may be compiled.
    """

    def __init__(self, graph: _Graph, most: int) -> None:
        self._graph = graph
        self._most = most
        self._run: _Run | None = None

    def __call__(self, *values: torch.Tensor) -> list[torch.Tensor]:
        """Run the graph."""
        if self._run is None:
            otherwise = _Later(self._graph, self._most - 1) if self._most > 1 else self._graph.straight
            self._run = self._graph.compiled(values, otherwise)
        return self._run(*values)


def _compiled_here(
    module: torch.fx.GraphModule, options: dict[str, Any], inputs: Sequence[torch.Tensor]
) -> Callable[[list[torch.Tensor]], list[torch.Tensor]]:
    """Compile in this process, with what torch's own cache on disk has of it."""
    from torchspore.common.private_torch import inductor  # they load a large part of torch
    from torchspore.common.private_torch.shapes import ShapeEnv  # Inductor's cache is off without one

    os.environ["TORCHINDUCTOR_CACHE_DIR"] = disk_cache.inductor_directory()
    shapes = FakeTensorMode(shape_env=ShapeEnv(assume_static_by_default=True))
    with torch.no_grad(), inductor.tracing(inductor.TracingContext(shapes)):
        compiled = inductor.compile(copy.deepcopy(module), list(inputs), options=options)
    return lambda values: compiled(*values)
