"""Symbols: sizes and numbers that a graph leaves open, so that one graph serves many shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import (
    SYMPY_INTERP,
    DimDynamic,
    ShapeEnv,
    StatelessSymbolicContext,
)

__all__ = ["Symbols"]


class Symbols:
    """The symbols of one trace: its inputs are fake tensors in which some sizes stand for any size.

    Args:
        inputs: the real inputs.
        varying: for each of the first inputs, the dimensions that may vary; the others are fixed.
    """

    def __init__(self, inputs: Sequence[torch.Tensor], varying: Sequence[tuple[int, ...]]) -> None:
        self._environment = ShapeEnv()
        self.mode = FakeTensorMode(shape_env=self._environment, allow_non_fake_inputs=True)
        dims = [*varying, *[()] * (len(inputs) - len(varying))]
        self.fakes = [self._fake(tensor, own, i) for i, (tensor, own) in enumerate(zip(inputs, dims))]
        self._places = [(i, d) for i, own in enumerate(varying) for d in own]

    def _fake(self, tensor: torch.Tensor, varying: tuple[int, ...], number: int) -> Any:
        if not varying:
            return self.mode.from_tensor(tensor, static_shapes=True)
        sizes = [DimDynamic.DYNAMIC if d in varying else DimDynamic.STATIC for d in range(tensor.dim())]
        context: Any = StatelessSymbolicContext(dynamic_sizes=sizes)
        return self.mode.from_tensor(tensor, symbolic_context=context, source=ConstantSource(f"input{number}"))

    def condition(self) -> Callable[[Sequence[Any]], bool]:
        """Return a function that tells whether tensors of ours have sizes for which the trace is right."""
        sizes = [self.fakes[i].shape[d] for i, d in self._places]
        code = self._environment.produce_guards_expression(sizes)
        if code is None:
            return lambda leaves: True
        holds = eval(f"lambda L: {code}", dict(SYMPY_INTERP))
        names = [(f"t{number}", i, d) for number, (i, d) in enumerate(self._places)]
        return lambda leaves: holds({name: leaves[i]._t.shape[d] for name, i, d in names})
