"""Recurrent layers, step by step: engines differ in how they take the weights of theirs."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from torchspore.serialization.mindir.building import NoForm
from torchspore.serialization.mindir.operations.expansions import expansion

aten = torch.ops.aten


@expansion(aten.lstm.input)
def _lstm(
    x: torch.Tensor, states: Sequence[torch.Tensor], params: Sequence[torch.Tensor], has_biases: bool, layers: int,
    dropout: float, train: bool, bidirectional: bool, batch_first: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
    x = x.transpose(0, 1) if batch_first else x
    if not isinstance(x.shape[0], int):
        raise NoForm("the number of its steps is open")
    count = 4 if has_biases else 2
    last: list[tuple[torch.Tensor, torch.Tensor]] = []
    for _ in range(layers):
        outputs = []
        for backwards in (False, True)[: 1 + bidirectional]:
            place = len(last)
            weights = params[place * count : (place + 1) * count]
            seen, hidden, cell = [], states[0][place], states[1][place]
            for number in range(x.shape[0])[:: -1 if backwards else 1]:
                hidden, cell = _step(x[number], hidden, cell, weights)
                seen.append(hidden)
            outputs.append(torch.stack(seen[::-1] if backwards else seen))
            last.append((hidden, cell))
        x = torch.cat(outputs, -1) if bidirectional else outputs[0]
    hidden, cell = [torch.stack(states) for states in zip(*last)]
    return (x.transpose(0, 1) if batch_first else x), hidden, cell


@expansion(aten.lstm_cell.default)
def _lstm_cell(
    x: torch.Tensor, states: Sequence[torch.Tensor], *weights: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    return _step(x, states[0], states[1], [each for each in weights if each is not None])


@expansion(aten.gru_cell.default)
def _gru_cell(x: torch.Tensor, hidden: torch.Tensor, *weights: torch.Tensor | None) -> torch.Tensor:
    w_x, w_hidden, *biases = weights
    of_x, of_hidden = aten.linear(x, w_x, *biases[:1]), aten.linear(hidden, w_hidden, *biases[1:])
    reset, update, new = of_x.chunk(3, 1)
    reset_hidden, update_hidden, new_hidden = of_hidden.chunk(3, 1)
    kept = (update + update_hidden).sigmoid()
    found = (new + (reset + reset_hidden).sigmoid() * new_hidden).tanh()
    return found + kept * (hidden - found)


def _step(
    x: torch.Tensor, hidden: torch.Tensor, cell: torch.Tensor, weights: Sequence[torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the hidden state and the cell after a step."""
    gates = x @ weights[0].t() + hidden @ weights[1].t()
    gates = gates + (weights[2] + weights[3]) if len(weights) > 2 else gates
    enter, forget, new, leave = gates.chunk(4, 1)
    cell = forget.sigmoid() * cell + enter.sigmoid() * new.tanh()
    return leave.sigmoid() * cell.tanh(), cell
