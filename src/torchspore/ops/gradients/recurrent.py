"""Kernels of gradients of recurrent layers with all weights in one flat tensor."""

from __future__ import annotations

from typing import Annotated, Any

from torch import Tensor

from torchspore.engine.parameters import Only
from torchspore.engine.primitive import as_primitive
from torchspore.ops.gradients.pull_back import pull_back
from torchspore.ops.recurrent.flat import run_gru
from torchspore.ops.recurrent.primitives import run_lstm

__all__ = ["GRUV2Grad", "LSTMGrad"]


@as_primitive
def LSTMGrad(
    x: Tensor, hx: Tensor, cx: Tensor, w: Tensor, y: Tensor, hy: Tensor, cy: Tensor, dy: Tensor, dhy: Tensor,
    dcy: Tensor, reserve: Any, *, input_size: int, hidden_size: int, num_layers: int, has_bias: bool,
    bidirectional: bool, dropout: Annotated[float, Only(0.0)], proj_size: int = 0,
) -> Any:  # fmt: skip
    """The gradients of the inputs of `LSTM`; without dropout, whose random numbers are unknown."""
    sizes = (input_size, hidden_size, num_layers, has_bias, bidirectional)

    def forward(x: Tensor, hx: Tensor, cx: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        return run_lstm("LSTMGrad", x, hx, cx, w, None, sizes, 0.0, proj_size)

    return tuple(pull_back(forward, [x, hx, cx, w], [dy, dhy, dcy]))


@as_primitive
def GRUV2Grad(
    x: Tensor, hx: Tensor, w: Tensor, seq_lengths: Tensor, y: Tensor, hy: Tensor, dy: Tensor, dhy: Tensor,
    reserve: Any, *, input_size: int, hidden_size: int, num_layers: int, has_bias: bool, bidirectional: bool,
    dropout: Annotated[float, Only(0.0)],
) -> Any:  # fmt: skip
    """The gradients of the inputs of `GRUV2`; without dropout, whose random numbers are unknown."""
    sizes = (input_size, hidden_size, num_layers, has_bias, bidirectional)

    def forward(x: Tensor, hx: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        return run_gru(x, hx, w, sizes, 0.0)

    return tuple(pull_back(forward, [x, hx, w], [dy, dhy]))
