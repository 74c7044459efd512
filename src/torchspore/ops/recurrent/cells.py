"""The computations of recurrent layers and cells, over torch tensors.

Without lengths a whole layer is one operation of torch, which has fused kernels for it. With lengths it is one such
operation per layer and direction, over all time steps, and masks cut off what lies after the ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.backends import cudnn
from torch.backends.cudnn.rnn import get_cudnn_mode
from torch.nn.functional import linear

from torchspore.common.private_torch import flatten_rnn_weights, functorch_level
from torchspore.common.scopes.scope import scope
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import op
from torchspore.ops.conv.convolution import ONEDNN_TYPES
from torchspore.ops.recurrent.layer_operation import recurrent_layer
from torchspore.ops.recurrent.lstm_kernel import lstm_layer

__all__ = ["CELLS", "GATES", "LAYERS", "Plan", "make_compact", "run"]

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}  # torch's name of each kind: its number of gates

_HUGE = 1e4  # sigmoid(_HUGE) and sigmoid(-_HUGE) are exactly 1 and 0 in every type, float16 included


class Plan(NamedTuple):
    """The settings of a recurrent layer.

    Attributes:
        api: the name in messages.
        kind: one of `GATES`.
        input_size, hidden_size: the sizes of the input and the output.
        layers: the number of layers.
        has_bias: whether there are biases.
        bidirectional: whether each layer also runs backwards.
        dropout: the dropout probability between layers, in training.
        batch_first: whether the batch is the first or the second dimension of input and output.
        projection: the size to which a matrix projects each output of an LSTM, or 0.
    """

    api: str
    kind: str
    input_size: int
    hidden_size: int
    layers: int = 1
    has_bias: bool = True
    bidirectional: bool = False
    dropout: float = 0.0
    batch_first: bool = False
    projection: int = 0

    @property
    def directions(self) -> int:
        """1, or 2 if bidirectional."""
        return 2 if self.bidirectional else 1


def run(
    plan: Plan, x: Tensor, states: tuple[Tensor, ...], weights: list[Tensor], lengths: Tensor | None, training: bool
) -> tuple[Tensor, ...]:
    """Return the outputs of the last layer, and the last states of all layers.

    Args:
        plan: the settings of the layer.
        x: the input.
        states: (h, c) for an LSTM, else (h,), of shape (layers * directions, N, hidden_size).
        weights: for each layer and direction the input and recurrent weights, and their biases and the projection if
            there are.
        lengths: the number of time steps of each sequence, of shape (N,), or None for all.
        training: whether to apply dropout.
    """
    one_layer = _by_step if plan.projection else _one_layer(plan.kind, x)
    if lengths is None and one_layer is recurrent_layer:
        hx = states if plan.kind == "lstm" else states[0]
        dropout = plan.dropout if training else 0.0
        keeps = training or x.is_cuda  # cuDNN has gradients in "training" only, which else means dropout alone
        settings = (plan.has_bias, plan.layers, dropout, keeps, plan.bidirectional, plan.batch_first)
        return getattr(torch, plan.kind)(x, hx, weights, *settings)
    if plan.batch_first:
        x = x.transpose(0, 1)
    span = _Whole() if lengths is None else _Ends(x, lengths)
    x = span.masked(x)
    count = (4 if plan.has_bias else 2) + bool(plan.projection)
    finals = []
    for layer in range(plan.layers):
        if layer:
            x = torch.dropout(x, plan.dropout, training)
        outputs = []
        for direction in range(plan.directions):
            i = layer * plan.directions + direction
            before = tuple([state[i] for state in states])
            own = weights[i * count : (i + 1) * count]
            inputs = span.reversed(x) if direction else x
            output, *after = one_layer(plan.kind, *span.frozen(plan.kind, inputs, own), before)
            outputs.append(span.reversed(output) if direction else output)
            finals.append(span.final(output, before, after))
        x = span.masked(torch.cat(outputs, -1) if plan.bidirectional else outputs[0])
    last = [torch.stack(parts) for parts in zip(*finals)]
    return x.transpose(0, 1) if plan.batch_first else x, *last


def make_compact(plan: Plan, weights: list[Tensor]) -> None:
    """Move the new weights of a layer on a GPU into one block of memory, which cuDNN else makes at every call."""
    if not all(weight.is_cuda and cudnn.is_acceptable(weight) for weight in weights):
        return
    sizes = (plan.input_size, get_cudnn_mode(plan.kind.upper()), plan.hidden_size, 0, plan.layers)
    with torch.no_grad():
        flatten_rnn_weights(weights, 4 if plan.has_bias else 2, *sizes, plan.batch_first, plan.bidirectional)


class _Whole:
    """Sequences of shape (T, N, size) that end with the tensor."""

    def masked(self, x: Tensor) -> Tensor:
        """Return `x` with zeros after the ends."""
        return x

    def reversed(self, x: Tensor) -> Tensor:
        """Return `x` with every sequence reversed, within its length."""
        return x.flip(0)

    def frozen(self, kind: str, x: Tensor, weights: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """Return input and weights with which an LSTM keeps its state c after the ends."""
        return x, weights

    def final(self, output: Tensor, before: tuple[Tensor, ...], after: list[Tensor]) -> list[Tensor]:
        """Return the states at the ends, from the outputs, the states before and those after the last time step."""
        return after


class _Ends(_Whole):
    """Sequences with given lengths."""

    def __init__(self, x: Tensor, lengths: Tensor) -> None:
        steps = torch.arange(x.shape[0], device=x.device)[:, None]
        lengths = lengths.long().clamp(0, x.shape[0])
        inside = steps < lengths
        self._inside = inside[:, :, None]
        self._empty = (lengths == 0)[:, None]
        self._last = (lengths - 1).clamp(min=0)[None, :, None]
        self._reversed = torch.where(inside, lengths - 1 - steps, steps)[:, :, None]

    def masked(self, x: Tensor) -> Tensor:
        return torch.where(self._inside, x, 0)

    def reversed(self, x: Tensor) -> Tensor:
        return x.gather(0, self._reversed.expand(-1, -1, x.shape[2]))

    def frozen(self, kind: str, x: Tensor, weights: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        if kind != "lstm":
            return x, weights
        # The input gets another feature, 1 after the ends; its weights open the forget gate and shut the input gate.
        flag = (~self._inside).to(x.dtype)
        weight, *others = weights
        shut, opened, zero = [weight.new_full((weight.shape[0] // 4, 1), value) for value in (-_HUGE, _HUGE, 0.0)]
        column = torch.cat((shut, opened, zero, zero))
        return torch.cat((x, flag), -1), [torch.cat((weight, column), 1), *others]

    def final(self, output: Tensor, before: tuple[Tensor, ...], after: list[Tensor]) -> list[Tensor]:
        last = output.gather(0, self._last.expand(-1, -1, output.shape[2]))[0]
        return [torch.where(self._empty, before[0], last), *after[1:]]


def _one_layer(kind: str, x: Tensor) -> Callable[..., Any]:
    """Return the function for one layer and direction: (kind, x, weights, states) -> outputs and last states."""
    traced = scope.tracing is not None
    if functorch_level() is not None or (traced and scope.depth > 1):
        return _by_step
    if traced and kind == "lstm" and x.is_cpu and x.dtype in ONEDNN_TYPES:
        return _by_onednn
    if scope.tracing is not None and any(isinstance(size, torch.SymInt) for size in x.shape):  # torch's would fix them
        return _by_step if scope.tracing.is_for_file else torch.ops.torchspore.recurrent_layer
    return recurrent_layer


def _by_onednn(kind: str, x: Tensor, weights: list[Tensor], states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Return an LSTM's outputs and last states from one operation, in a graph."""
    if len(weights) == 2:
        zeros = x.new_zeros((weights[0].shape[0],))
        weights = [*weights, zeros, zeros]
    return lstm_layer(x, *weights, *states)


def _by_step(kind: str, x: Tensor, weights: list[Tensor], states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Return the same from operations that all of torch's transforms support."""
    projection = weights[-1] if len(weights) % 2 else None
    weight, recurrent_weight, *biases = weights[:-1] if len(weights) % 2 else weights
    outputs = []
    for projected in linear(x, weight, *biases[:1]).unbind(0):
        output, *others = _STEPS[kind](projected, linear(states[0], recurrent_weight, *biases[1:]), states)
        outputs.append(output if projection is None else linear(output, projection))
        states = (outputs[-1], *others)
    return torch.stack(outputs), *states


def _lstm_step(projected: Tensor, recurrent: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    i, f, g, o = (projected + recurrent).chunk(4, -1)
    c = torch.sigmoid(f) * states[1] + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def _gru_step(projected: Tensor, recurrent: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    (reset, update, new), (r, z, n) = projected.chunk(3, -1), recurrent.chunk(3, -1)
    new = torch.tanh(new + torch.sigmoid(reset + r) * n)
    return (new + torch.sigmoid(update + z) * (states[0] - new),)


# One time step: (input part of the gates, recurrent part, states) -> next states.
_STEPS: dict[str, Callable[[Tensor, Tensor, tuple[Tensor, ...]], tuple[Tensor, ...]]] = {
    "lstm": _lstm_step,
    "gru": _gru_step,
    "rnn_tanh": lambda projected, recurrent, _: (torch.tanh(projected + recurrent),),
    "rnn_relu": lambda projected, recurrent, _: (torch.relu(projected + recurrent),),
}


def _states(api: str, kind: str, hx: Any, x: Tensor) -> tuple[Tensor, ...]:
    """Return the torch tensors of the given states."""
    two = kind == "lstm"
    given = hx if two else (hx,)
    try:
        if not isinstance(given, tuple) or len(given) != 1 + two:
            raise AttributeError
        values = tuple([state._t for state in given])
    except AttributeError:
        accepted = "a tuple of two Tensors (h, c)" if two else "a Tensor"
        raise TypeError(f"For '{api}', 'hx' must be {accepted}, but got {describe(hx)}.") from None
    for value in values:
        if value.dtype != x.dtype:
            raise TypeError(f"For '{api}', 'hx' must have the dtype of 'x', but got {describe(hx)} and {describe(x)}.")
    return values


def _layer(x: Tensor, hx: Any, seq_length: Tensor | None, weights: list[Tensor], plan: Any, training: Any) -> Any:
    batch = _check_input(x, plan)
    shape = (plan.layers * plan.directions, batch, plan.hidden_size)
    if hx is None:
        zeros = x.new_zeros(shape)
        states: tuple[Tensor, ...] = (zeros, zeros) if plan.kind == "lstm" else (zeros,)
    else:
        states = _states(plan.api, plan.kind, hx, x)
        if any(state.shape != shape for state in states):
            raise ValueError(f"For '{plan.api}', 'hx' must be of shape {shape}, but got {describe(hx)}.")
    if seq_length is not None:
        _check_lengths(seq_length, batch, plan.api)
    if weights[0].dtype != x.dtype:
        weights = [weight.to(x.dtype) for weight in weights]
    output, *last = run(plan, x, states, weights, seq_length, training)
    return output, tuple(last) if plan.kind == "lstm" else last[0]


def _check_input(x: Tensor, plan: Plan) -> int:
    """Return the size of the batch."""
    if x.dim() != 3 or x.shape[2] != plan.input_size:
        order = "(N, T, {})" if plan.batch_first else "(T, N, {})"
        raise ValueError(
            f"For '{plan.api}', 'x' must be of shape {order.format(plan.input_size)}, but got {describe(x)}."
        )
    if not x.is_floating_point():
        raise TypeError(f"For '{plan.api}', 'x' must be of a floating-point dtype, but got {describe(x)}.")
    batch, steps = x.shape[:2] if plan.batch_first else (x.shape[1], x.shape[0])
    if steps == 0:
        raise ValueError(f"For '{plan.api}', 'x' must have at least one time step, but got {describe(x)}.")
    return batch


def _check_lengths(lengths: Tensor, batch: int, api: str) -> None:
    if lengths.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"For '{api}', 'seq_length' must be of dtype int32 or int64, but got {describe(lengths)}.")
    if lengths.shape != (batch,):
        raise ValueError(f"For '{api}', 'seq_length' must be of shape ({batch},), but got {describe(lengths)}.")


def _cell(x: Tensor, hx: Any, weights: list[Tensor], kind: Any, api: Any) -> Any:
    states = _states(api, kind, hx, x)
    if x.dim() != 2 or any(state.dim() != 2 for state in states):
        raise ValueError(f"For '{api}', 'x' and 'hx' must have 2 dimensions, but got {describe(x)} and {describe(hx)}.")
    if weights[0].dtype != x.dtype:
        raise TypeError(
            f"For '{api}', 'x' must have the dtype of the weights, but got {describe(x)} and {describe(weights[0])}."
        )
    if functorch_level() is None and all(state.shape[0] == x.shape[0] for state in states):
        return getattr(torch, f"{kind}_cell")(x, states if kind == "lstm" else states[0], *weights)
    weight, recurrent_weight, *biases = weights
    projected, recurrent = linear(x, weight, *biases[:1]), linear(states[0], recurrent_weight, *biases[1:])
    after = _STEPS[kind](projected, recurrent, states)
    return after if kind == "lstm" else after[0]


# What the layers and the cells of each kind call.
LAYERS = {kind: op(_layer, name=kind.split("_")[0].upper()) for kind in GATES}
CELLS = {kind: op(_cell, name=f"{kind.split('_')[0].upper()}Cell") for kind in GATES}
