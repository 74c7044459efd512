"""Recurrent layers with all weights in one flat tensor, which MindSpore keeps private."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.engine.primitive import as_primitive
from torchspore.ops.recurrent.primitives import flat_weights, run_lstm

__all__ = ["GRUV2", "LSTMV2"]


def _gru_layer(x: Tensor, h: Tensor, w_input: Tensor, w_hidden: Tensor, bias: Any = None) -> tuple[Tensor, Tensor]:
    """Return all outputs and the last; the gates are update, reset and new, and reset applies before the product."""
    projected = torch.nn.functional.linear(x, w_input, bias)
    size = h.shape[-1]
    steps = []
    for inputs in projected.unbind():
        recurrent = h @ w_hidden[: 2 * size].mT
        update, reset = torch.sigmoid(inputs[:, : 2 * size] + recurrent).chunk(2, -1)
        new = torch.tanh(inputs[:, 2 * size :] + (reset * h) @ w_hidden[2 * size :].mT)
        h = update * h + (1 - update) * new
        steps.append(h)
    return torch.stack(steps), h


def run_gru(x: Tensor, h: Tensor, w: Tensor, sizes: tuple[Any, ...], dropout: float) -> tuple[Tensor, Tensor]:
    """Return the outputs, and the last outputs of all layers, of a `GRUV2`."""
    _, _, layers, has_bias, bidirectional = sizes
    weights, count = flat_weights(w, 3, *sizes), 3 if has_bias else 2
    lasts: list[Tensor] = []
    for layer in range(layers):
        if layer:
            x = torch.dropout(x, dropout, dropout > 0)
        outputs = []
        for direction in range(1 + bidirectional):
            i = len(lasts)
            own = weights[i * count : (i + 1) * count]
            output, last = _gru_layer(x.flip(0) if direction else x, h[i], *own)
            outputs.append(output.flip(0) if direction else output)
            lasts.append(last)
        x = torch.cat(outputs, -1)
    return x, torch.stack(lasts)


@as_primitive
def GRUV2(
    input: Tensor, h: Tensor, w: Tensor, seq_lengths: Tensor, *, input_size: int, hidden_size: int, num_layers: int,
    has_bias: bool, bidirectional: bool, dropout: float, is_train: bool = True,
) -> Any:  # fmt: skip
    """Gated recurrent units over a batch of sequences; as in MindSpore on a CPU, `seq_lengths` are not used.

    For the weights see `LSTM`; the gates are update, reset and new, and the reset gate applies before the product.
    Returns the outputs, the last outputs of all layers, and two Tensors without meaning.
    """
    sizes = (input_size, hidden_size, num_layers, has_bias, bidirectional)
    output, last = run_gru(input, h, w, sizes, dropout * is_train)
    return output, last, input.new_zeros((1, 1)), input.new_zeros((1, 1))


@as_primitive
def LSTMV2(
    input: Tensor, h: Tensor, c: Tensor, w: Tensor, seq_lengths: Tensor, *, input_size: int, hidden_size: int,
    num_layers: int, has_bias: bool, bidirectional: bool, dropout: float, is_train: bool = True,
) -> Any:  # fmt: skip
    """`LSTM` over a batch of sequences of given lengths."""
    sizes = (input_size, hidden_size, num_layers, has_bias, bidirectional)
    output, last, states = run_lstm("LSTMV2", input, h, c, w, seq_lengths, sizes, dropout * is_train)
    return output, last, states, input.new_zeros((1, 1)), input.new_zeros((1, 1))
