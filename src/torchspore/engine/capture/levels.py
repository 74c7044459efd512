"""What runs a captured graph: straight code (O0), or what Inductor makes of it (O1, O2)."""

from __future__ import annotations

import copy
import logging
import os
from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.engine.capture import disk_cache, library
from torchspore.engine.capture.compilation import Compilation
from torchspore.engine.capture.straight import straight_function
from torchspore.engine.capture.tiered import Tiered, warn_of_level_zero

__all__ = ["LEVELS", "executable"]

LEVELS = ("O0", "O1", "O2")

_log = logging.getLogger(__name__)

_Run = Callable[..., list[torch.Tensor]]


def executable(module: torch.fx.GraphModule, level: str, inputs: Sequence[Any], *, tiered: bool = False) -> _Run:
    """Return a function of the graph's inputs that returns its outputs.

    Args:
        module: the graph.
        level: "O0" for straight code, ready at once; "O1" for Inductor; "O2" for Inductor's longer search for fast
            kernels and, on a GPU, CUDA graphs.
        inputs: the inputs of the first call: Inductor compiles for their shapes, strides and devices. Later inputs of
            other strides, or of other sizes where the graph leaves them open, run as straight code.
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
    look = library.layout(module)
    layout = look(inputs)

    def where_it_fits(compiled: Callable[[list[torch.Tensor]], list[torch.Tensor]]) -> _Run:
        return lambda *values: compiled([*values]) if look(values) == layout else straight(*values)

    if library.is_possible(module, inputs):
        try:
            request = library.request(module, options, inputs)
            entry = disk_cache.find(request.key())
            if entry is None:
                compilation = Compilation(request, beside=tiered)
                if tiered:
                    return Tiered(straight, compilation, lambda made: where_it_fits(library.load(made)))
                entry = compilation.wait()
            return where_it_fits(library.load(entry))
        except library.NoLibrary as reason:
            _log.info("a graph cannot be a library, Inductor compiles it in this process: %s", reason)
    try:
        return where_it_fits(_compiled_here(module, options, inputs))
    except Exception as error:
        warn_of_level_zero(str(error) or type(error).__name__)
        return straight


def _compiled_here(
    module: torch.fx.GraphModule, options: dict[str, Any], inputs: Sequence[torch.Tensor]
) -> Callable[[list[torch.Tensor]], list[torch.Tensor]]:
    """Compile in this process, with what torch's own cache on disk has of it."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv  # Inductor's cache is off without one

    os.environ["TORCHINDUCTOR_CACHE_DIR"] = disk_cache.inductor_directory()
    shapes = FakeTensorMode(shape_env=ShapeEnv(assume_static_by_default=True))
    with torch.no_grad(), torch._guards.tracing(torch._guards.TracingContext(shapes)):
        compiled = torch._inductor.compile(copy.deepcopy(module), list(inputs), options=options)
    return lambda values: compiled(*values)
