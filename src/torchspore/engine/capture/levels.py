"""What runs a captured graph: straight code (O0), or what Inductor makes of it (O1, O2)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch

from torchspore.engine.capture.straight import straight_function

__all__ = ["LEVELS", "executable"]

LEVELS = ("O0", "O1", "O2")


def executable(module: torch.fx.GraphModule, level: str, inputs: list[torch.Tensor]) -> Callable[..., Any]:
    """Return a function of the graph's inputs that returns its outputs.

    Args:
        module: the graph.
        level: "O0" for straight code, ready at once; "O1" for Inductor; "O2" for Inductor's longer search for fast
            kernels and, on a GPU, CUDA graphs.
        inputs: the inputs of the first call: Inductor compiles for their shapes, strides and devices.
    """
    if level == "O0":
        return straight_function(module.graph)
    options: dict[str, Any] = {}
    if level == "O2":
        options["max_autotune"] = True
        if any(value.is_cuda for value in inputs):
            options["triton.cudagraphs"] = True
    return torch._inductor.compile(copy.deepcopy(module), list(inputs), options=options)
