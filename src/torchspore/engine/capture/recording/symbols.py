"""Symbolic sizes and numbers, so that one graph serves many shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.common.private_torch.shapes import SYMPY_INTERP, DimDynamic, ShapeEnv, StatelessSymbolicContext
from torchspore.common.private_torch.sources import ConstantSource
from torchspore.engine.capture.recording.fake_values import RecordingFakeMode

__all__ = ["Symbols", "comparison"]


class Symbols:
    """The symbols of one trace: some sizes of its fake inputs, and its numbers, stand for any value.

    Args:
        inputs: the real inputs: tensors and numbers.
        dynamic: for each of the first inputs, the dimensions that may vary; the others are fixed.
    """

    def __init__(self, inputs: Sequence[Any], dynamic: Sequence[tuple[int, ...]]) -> None:
        self._environment = ShapeEnv()
        self.mode = RecordingFakeMode(shape_env=self._environment)
        dims = [*dynamic, *[()] * (len(inputs) - len(dynamic))]
        self.fakes = [self._fake(value, own, i) for i, (value, own) in enumerate(zip(inputs, dims))]
        self._locations: list[tuple[int, int | None]] = [(i, d) for i, own in enumerate(dynamic) for d in own]
        self._locations += [(i, None) for i, value in enumerate(inputs) if not isinstance(value, torch.Tensor)]

    def _fake(self, tensor: Any, dynamic: tuple[int, ...], number: int) -> Any:
        if not isinstance(tensor, torch.Tensor):
            return self._symbol(tensor, ConstantSource(f"input{number}"))
        if not dynamic:
            return self.mode.from_tensor(tensor, static_shapes=True)
        sizes = [DimDynamic.DYNAMIC if d in dynamic else DimDynamic.STATIC for d in range(tensor.dim())]
        context: Any = StatelessSymbolicContext(dynamic_sizes=sizes)
        return self.mode.from_tensor(tensor, symbolic_context=context, source=ConstantSource(f"input{number}"))

    def _symbol(self, number: float, source: ConstantSource) -> Any:
        environment: Any = self._environment
        symbol = environment.create_unspecified_symbol(number, source=source, dynamic_dim=DimDynamic.DYNAMIC)
        create = environment.create_symintnode if isinstance(number, int) else environment.create_symfloatnode
        return create(symbol, hint=number, source=source)

    def condition(self) -> Callable[[Sequence[Any]], bool]:
        """Return a function that says whether the trace is valid for the sizes of leaves."""
        holds = comparison(self.code(), self._locations)
        return lambda leaves: holds([leaf._t for leaf in leaves])

    def code(self) -> str:
        """Return the condition as an expression for `comparison`."""
        values = [_read(self.fakes[i], d) for i, d in self._locations]
        return self._environment.produce_guards_expression(values) or "True"


def comparison(code: str, locations: Sequence[tuple[int, int | None]]) -> Callable[[Sequence[Any]], bool]:
    """Return a function that says whether a condition holds for the sizes and values of inputs.

    Args:
        code: the condition, from `Symbols.code`.
        locations: the number of the input, and the dimension, of each value in it; None for a number.
    """
    holds = eval(f"lambda L: {code}", dict(SYMPY_INTERP))
    names = [(f"t{number}", i, d) for number, (i, d) in enumerate(locations)]
    return lambda values: holds({name: _read(values[i], d) for name, i, d in names})


def _read(value: Any, dimension: int | None) -> Any:
    return value if dimension is None else value.shape[dimension]
