"""Recurrent layers as primitives: all time steps in one call."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import torch
from torch import Tensor

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import NotSupported, Only
from torchspore.engine.primitive import as_primitive
from torchspore.ops.recurrent.cells import Plan, run

__all__ = ["LSTM", "BasicLSTMCell", "DynamicGRUV2", "DynamicRNN"]


_Direction: TypeAlias = Annotated[str, Only("UNIDIRECTIONAL")]
_Tanh: TypeAlias = Annotated[str, Only("tanh")]
_One: TypeAlias = Annotated[float, Only(1.0)]
_Always: TypeAlias = Annotated[bool, Only(True)]


def flat_weights(
    flat: Tensor, gates: int, inputs: int, hidden: int, layers: int, has_bias: bool, bidirectional: bool,
    projection: int = 0,
) -> list[Tensor]:  # fmt: skip
    """Return the weights that one flat tensor has by layer and kind, by layer and direction; what follows is not read.

    Args:
        api: the name for errors.
        flat: for each layer the input weights, recurrent weights, projections and biases, each for all directions.
        gates: the number of gates.
        inputs, hidden: the sizes of the input and the output.
        layers: the number of layers.
        has_bias, bidirectional: whether there are biases, and two directions.
        projection: the size of the projected outputs, or 0 if they are not projected. Default: 0.

    Returns the input weights, recurrent weights, projection and bias of each layer and direction.
    """
    directions = 2 if bidirectional else 1
    output = projection or hidden
    shapes: list[tuple[int, ...]] = []
    for layer in range(layers):
        before = directions * output if layer else inputs
        kinds: list[tuple[int, ...]] = [(gates * hidden, before), (gates * hidden, output)]
        if projection:
            kinds.append((projection, hidden))
        if has_bias:
            kinds.append((gates * hidden,))
        shapes += [kind for kind in kinds for _ in range(directions)]
    sizes = [torch.Size(shape).numel() for shape in shapes]
    if flat.numel() < sum(sizes):
        raise ValueError(f"the weight must have {sum(sizes)} elements")
    parts = [part.view(shape) for part, shape in zip(flat.reshape(-1)[: sum(sizes)].split(sizes), shapes)]
    count = len(parts) // layers
    layered = [parts[layer * count : (layer + 1) * count] for layer in range(layers)]
    return [own[i] for own in layered for first in range(directions) for i in range(first, count, directions)]


def run_lstm(
    api: str, x: Tensor, h: Tensor, c: Tensor, w: Tensor, lengths: Tensor | None, sizes: tuple[Any, ...],
    dropout: float, projection: int = 0,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Return the outputs, and the last outputs and states, of an LSTM with its weights in one tensor.

    Args:
        api: the name for errors.
        x, h, c, w: the input, the first output and state, and the weights.
        lengths: the number of time steps of each sequence, or None for all.
        sizes: of the input and the output, the number of layers, whether there are biases, and two directions.
        dropout: the dropout probability between layers.
        projection: the size of the projected outputs, or 0 if they are not projected. Default: 0.
    """
    if not 0 <= dropout <= 1:
        raise ValueError("'dropout' must be in [0, 1]")
    inputs, hidden, layers, has_bias, bidirectional = sizes
    if not 0 <= projection < max(hidden, 1):
        raise ValueError(f"'proj_size' must be in [0, {hidden})")
    count = layers * (2 if bidirectional else 1)
    if x.dim() != 3 or x.shape[-1] != inputs or h.shape[::2] != (count, projection or hidden):
        raise ValueError(
            f"an input of size {inputs} and states of size {hidden} for {layers} layers do not fit {describe(x)} and "
            f"{describe(h)}"
        )
    if min(inputs, hidden) < 1:
        raise ValueError(f"sizes must be > 0, but got {inputs} and {hidden}")
    flat = flat_weights(w, 4, inputs, hidden, layers, has_bias, bidirectional, projection)
    weights = []
    for i in range(0, len(flat), len(flat) // count):
        own = flat[i : i + len(flat) // count]
        biases = [own[-1], own[-1] * 0] if has_bias else []  # torch has a second bias
        weights += [*own[:2], *biases, *(own[2:3] if projection else [])]
    plan = Plan(api, "lstm", *sizes)._replace(dropout=dropout, projection=projection)
    return run(plan, x, (h, c), weights, lengths, dropout > 0)


@as_primitive
def LSTM(
    input: Tensor, h: Tensor, c: Tensor, w: Tensor, *, input_size: int, hidden_size: int, num_layers: int,
    has_bias: bool, bidirectional: bool, dropout: float, proj_size: int = 0,
) -> Any:  # fmt: skip
    """Long short-term memory over a batch of sequences.

    Args:
        input: a Tensor of shape (T, N, input_size).
        h, c: the initial outputs and states, of shape (layers * directions, N, proj_size or hidden_size) and
            (layers * directions, N, hidden_size).
        w: all weights, flattened. For each layer: the input weights, (4 * hidden_size, inputs) for each direction; the
            recurrent weights, (4 * hidden_size, proj_size or hidden_size) for each direction; if there is a
            `proj_size`, the projections, (proj_size, hidden_size) for each direction; and with biases 4 * hidden_size
            for each direction; gates in the order input, forget, cell, output. What follows is not read.
        input_size, hidden_size: the sizes of the input and the output.
        num_layers: the number of layers.
        has_bias: whether there are biases.
        bidirectional: whether each layer also runs backwards.
        dropout: the dropout probability between layers, in [0, 1].
        proj_size: the size to which a matrix projects each output, less than `hidden_size`. Default: 0: none does.

    Returns:
        (output, h, c, reserve, state): the last layer's outputs, of shape (T, N, directions * (proj_size or
        hidden_size)), the last outputs and states of all layers, and two Tensors without meaning.
    """
    sizes = (input_size, hidden_size, num_layers, has_bias, bidirectional)
    output, last, states = run_lstm("LSTM", input, h, c, w, None, sizes, dropout, proj_size)
    unused = input.new_zeros((1, 1))
    return output, last, states, unused, unused.clone()


def _lstm_step(gates: Tensor, c: Tensor, forget_bias: float, cell_clip: float) -> tuple[Tensor, ...]:
    """Return (h, c, i, j, f, o, tanh of c)."""
    i, j, f, o = gates.chunk(4, -1)
    i, j, f, o = torch.sigmoid(i), torch.tanh(j), torch.sigmoid(f + forget_bias), torch.sigmoid(o)
    c = f * c + i * j
    if cell_clip > 0:
        c = c.clamp(-cell_clip, cell_clip)
    squashed = torch.tanh(c)
    return o * squashed, c, i, j, f, o, squashed


@as_primitive
def DynamicRNN(
    x: Tensor, w: Tensor, b: Tensor, seq_length: NotSupported = None, init_h: Tensor | None = None,
    init_c: Tensor | None = None,
    *, cell_type: Annotated[str, Only("LSTM")] = "LSTM", direction: _Direction = "UNIDIRECTIONAL",
    cell_depth: Annotated[int, Only(1)] = 1, use_peephole: Annotated[bool, Only(False)] = False,
    keep_prob: _One = 1.0, cell_clip: float = -1.0, num_proj: Annotated[int, Only(0)] = 0, time_major: _Always = True,
    activation: _Tanh = "tanh", forget_bias: float = 0.0, is_training: bool = True,
) -> Any:  # fmt: skip
    """Long short-term memory of one layer and direction over a batch of sequences, with the values of all gates.

    Args:
        x: a Tensor of shape (T, N, inputs).
        w: the weights, of shape (inputs + hidden, 4 * hidden): gates in the order input, cell, forget, output.
        b: the bias, of shape (4 * hidden,).
        seq_length: None; all sequences have the same length.
        init_h, init_c: the initial outputs and states, of shape (1, N, hidden). Default: None, zeros.
        cell_clip: the bound of the states; -1.0 is none. Default: -1.0.
        forget_bias: what is added to the forget gate. Default: 0.0.
        cell_type, direction, cell_depth, use_peephole, keep_prob, num_proj, time_major, activation: the defaults,
            nothing else.
        is_training: without effect.

    Returns (y, h, c, i, j, f, o, tanh of c), each of shape (T, N, hidden); y and h are the outputs.

    Raises:
        NotImplementedError: another value of an attribute that has only one.
    """
    size = w.shape[1] // 4
    zeros = x.new_zeros((1, x.shape[1], size))
    h, c = (zeros if init_h is None else init_h)[0], (zeros if init_c is None else init_c)[0]
    projected = x @ w[: x.shape[2]] + b
    steps = []
    for t in range(x.shape[0]):
        step = _lstm_step(projected[t] + h @ w[x.shape[2] :], c, forget_bias, cell_clip)
        h, c = step[:2]
        steps.append(step)
    outputs = [torch.stack(part) for part in zip(*steps)]
    return outputs[0], *outputs


@as_primitive
def BasicLSTMCell(
    x: Tensor, h: Tensor, c: Tensor, w: Tensor, b: Tensor, *, keep_prob: _One = 1.0, forget_bias: float = 1.0,
    state_is_tuple: _Always = True, activation: _Tanh = "tanh",
) -> Any:  # fmt: skip
    """One time step of `DynamicRNN`, with `w` transposed.

    Args:
        x: the input, a Tensor of shape (N, inputs).
        h, c: the previous output and state, of shape (N, hidden).
        w: the weights, of shape (4 * hidden, inputs + hidden).
        b: the bias, of shape (4 * hidden,).
        forget_bias: what is added to the forget gate. Default: 1.0.
        keep_prob, state_is_tuple, activation: the defaults, nothing else.

    Returns (c, h, i, j, f, o, tanh of c), each of shape (N, hidden).
    """
    weight = w.reshape(w.shape[0], -1)
    gates = torch.cat((x, h), 1) @ weight.T + b.reshape(-1)
    new_h, new_c, *inside = _lstm_step(gates, c, forget_bias, -1.0)
    return new_c, new_h, *inside


@as_primitive
def DynamicGRUV2(
    x: Tensor, weight_input: Tensor, weight_hidden: Tensor, bias_input: Tensor | None, bias_hidden: Tensor | None,
    seq_length: NotSupported, init_h: Tensor, *, direction: _Direction = "UNIDIRECTIONAL",
    cell_depth: Annotated[int, Only(1)] = 1, keep_prob: _One = 1.0,
    cell_clip: Annotated[float, Only(-1.0)] = -1.0, num_proj: Annotated[int, Only(0)] = 0, time_major: _Always = True,
    activation: _Tanh = "tanh",
    gate_order: Literal["rzh", "zrh"] = "rzh", reset_after: bool = True, is_training: bool = True,
) -> Any:  # fmt: skip
    """Gated recurrent units of one layer and direction over a batch of sequences, with the values of all gates.

    Args:
        x: a Tensor of shape (T, N, inputs).
        weight_input, weight_hidden: the input and recurrent weights, of shape (inputs, 3 * hidden) and
            (hidden, 3 * hidden).
        bias_input, bias_hidden: their biases, of shape (3 * hidden,), or None.
        seq_length: None; all sequences have the same length.
        init_h: the initial outputs, of shape (N, hidden).
        gate_order: the order of the gates, "rzh" (reset, update, new) or "zrh". Default: "rzh".
        reset_after: whether the reset gate applies after the product with the weights. Default: True.
        direction, cell_depth, keep_prob, cell_clip, num_proj, time_major, activation: the defaults, nothing else.
        is_training: without effect.

    Returns:
        (y, h, update, reset, new, hidden_new), each of shape (T, N, hidden): y and h are the outputs, hidden_new is the
        recurrent part of the new gate.

    Raises:
        ValueError: the shapes do not fit, or another order of the gates.
        NotImplementedError: another value of an attribute that has only one.
    """
    projected = x @ weight_input
    if bias_input is not None:
        projected = projected + bias_input
    size = init_h.shape[1]
    bias = torch.zeros_like(weight_hidden[0]) if bias_hidden is None else bias_hidden
    h = init_h.to(projected.dtype)
    steps = []
    for t in range(x.shape[0]):
        *gates, new = projected[t].chunk(3, -1)
        recurrent = h @ weight_hidden[:, : 2 * size] + bias[: 2 * size]
        first, second = [torch.sigmoid(gate + part) for gate, part in zip(gates, recurrent.chunk(2, -1))]
        reset, update = (first, second) if gate_order == "rzh" else (second, first)
        inner = (h if reset_after else reset * h) @ weight_hidden[:, 2 * size :] + bias[2 * size :]
        new = torch.tanh(new + (reset * inner if reset_after else inner))
        h = (1 - update) * new + update * h
        steps.append((h, update, reset, new, inner))
    outputs = [torch.stack(part) for part in zip(*steps)]
    return outputs[0], *outputs
