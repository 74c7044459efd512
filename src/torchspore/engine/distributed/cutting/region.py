"""The outermost call of a program whose tensors are cut, and the inputs that its processes have."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import torch

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.distributed.agreement import differing
from torchspore.engine.distributed.cutting.placements import Placements

__all__ = ["agree_on_shapes", "begin", "region"]


class _Region(threading.local):
    """What a region knows.

    Attributes:
        is_open: whether the thread is inside a region.
        gradients: the gradients of parameters, which stay on the mesh.
        wanted: the placements that operations ask for, of parameters that are not cut yet.
        rows: the number of rows of the inputs of all processes, of which each process has its part; 0: all have all.
        name: what was called.
        shapes: the shapes of the inputs that this process has.
        is_agreed: whether the processes are known to have inputs of the same shapes.
    """

    is_open = False
    rows = 0
    name = ""
    shapes: tuple[tuple[int, ...], ...] = ()
    is_agreed = False

    def __init__(self) -> None:
        self.gradients: dict[int, torch.Tensor] = {}
        self.wanted: dict[Parameter, Placements] = {}


region = _Region()


def begin(function: Any, inputs: Sequence[Tensor]) -> None:
    """Note what is called."""
    region.name = getattr(function, "_name", "").removesuffix(".construct")
    region.shapes = tuple([tensor.shape for tensor in inputs if not isinstance(tensor, Parameter)])
    region.is_agreed = False


def agree_on_shapes() -> None:
    """Refuse inputs whose shapes differ from other processes' inputs, once in a call that exchanges data.

    Raises:
        ValueError: the shapes differ, in all processes.
    """
    if region.is_agreed:
        return
    region.is_agreed = True
    found = differing(repr(region.shapes))
    if found:
        raise ValueError(
            f"For '{region.name}', the inputs of a call must have the same shapes in all processes of a network "
            f"that is cut, but by rank they have {', '.join(found)}. Give each process as many rows, or use "
            "'drop_remainder=True' in 'batch'."
        )
