"""Recurrent layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.serialization.onnx_graph.table import Operation, Table

__all__ = ["TABLE"]

_DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
# By name: a function of the value, alpha and beta; and the defaults of these.
_ACTIVATIONS: dict[str, tuple[Callable[[Tensor, float, float], Tensor], float, float]] = {
    "sigmoid": (lambda x, a, b: torch.sigmoid(x), 0, 0),
    "tanh": (lambda x, a, b: torch.tanh(x), 0, 0),
    "relu": (lambda x, a, b: torch.relu(x), 0, 0),
    "affine": (lambda x, a, b: a * x + b, 1, 0),
    "leakyrelu": (lambda x, a, b: F.leaky_relu(x, a), 0.01, 0),
    "thresholdedrelu": (lambda x, a, b: torch.where(x > a, x, 0), 1, 0),
    "scaledtanh": (lambda x, a, b: a * torch.tanh(b * x), 1, 1),
    "hardsigmoid": (lambda x, a, b: (a * x + b).clamp(0, 1), 0.2, 0.5),
    "elu": (lambda x, a, b: F.elu(x, a), 1, 0),
    "softsign": (lambda x, a, b: F.softsign(x), 0, 0),
    "softplus": (lambda x, a, b: F.softplus(x), 0, 0),
}
_Activation = Callable[[Tensor], Tensor]


@dataclass
class _Layer:
    """A recurrent layer of one direction.

    Attributes:
        w, r: the weights of the input and of the state, of all gates.
        wb, rb: their biases.
        activations: the functions of the gates.
        clip: the bound of what the activations get; None: there is none.
        peepholes: the weights by which the gates see the state of a cell, or None.
        option: `input_forget` of an LSTM, `linear_before_reset` of a GRU.
    """

    w: Tensor
    r: Tensor
    wb: Tensor
    rb: Tensor
    activations: list[_Activation]
    clip: float | None
    peepholes: Tensor | None
    option: bool

    def bounded(self, x: Tensor) -> Tensor:
        return x if self.clip is None else x.clamp(-self.clip, self.clip)

    def gates(self, x: Tensor, count: int) -> list[Tensor]:
        return list(x.chunk(count, -1))


def _rnn_step(layer: _Layer, x: Tensor, states: list[Tensor]) -> list[Tensor]:
    return [layer.activations[0](layer.bounded(x + F.linear(states[0], layer.r, layer.rb)))]


def _gru_step(layer: _Layer, x: Tensor, states: list[Tensor]) -> list[Tensor]:
    (h,) = states
    f, g = layer.activations
    size = h.shape[-1]
    xz, xr, xh = layer.gates(x, 3)
    from_state = F.linear(h, layer.r[: 2 * size], layer.rb[: 2 * size])
    hz, hr = layer.gates(from_state, 2)
    z, r = f(layer.bounded(xz + hz)), f(layer.bounded(xr + hr))
    if layer.option:
        new = r * F.linear(h, layer.r[2 * size :], layer.rb[2 * size :])
    else:
        new = F.linear(r * h, layer.r[2 * size :], layer.rb[2 * size :])
    return [(1 - z) * g(layer.bounded(xh + new)) + z * h]


def _lstm_step(layer: _Layer, x: Tensor, states: list[Tensor]) -> list[Tensor]:
    h, c = states
    f, g, last = layer.activations
    i, o, forget, new = layer.gates(x + F.linear(h, layer.r, layer.rb), 4)
    if layer.peepholes is not None:
        pi, po, pf = layer.peepholes.chunk(3, -1)
        i, forget = i + pi * c, forget + pf * c
    i = f(layer.bounded(i))
    forget = 1 - i if layer.option else f(layer.bounded(forget))
    c = forget * c + i * g(layer.bounded(new))
    if layer.peepholes is not None:
        o = o + po * c
    return [f(layer.bounded(o)) * last(layer.bounded(c)), c]


def _reversal(x: Tensor, lengths: Tensor | None) -> Tensor:
    """Return a sequence backwards, each up to its length."""
    if lengths is None:
        return x.flip(0)
    times = torch.arange(x.shape[0], device=x.device).unsqueeze(1)
    source = torch.where(times < lengths, lengths - 1 - times, times)
    return x[source, torch.arange(x.shape[1], device=x.device).expand_as(source)]


def _run(
    step: Callable[..., list[Tensor]], layer: _Layer, x: Tensor, states: list[Tensor], lengths: Tensor | None
) -> tuple[Tensor, list[Tensor]]:
    """Return the outputs of all times, and the last states."""
    projected = F.linear(x, layer.w, layer.wb)
    outputs = []
    for time in range(x.shape[0]):
        new = step(layer, projected[time], states)
        output = new[0]
        if lengths is not None:
            inside = (time < lengths).unsqueeze(-1)
            output = torch.where(inside, output, 0)
            new = [torch.where(inside, after, before) for after, before in zip(new, states)]
        states = new
        outputs.append(output)
    return torch.stack(outputs) if outputs else x.new_zeros((0, *states[0].shape)), states


def _functions(
    names: Sequence[str], alphas: Sequence[float] | None, betas: Sequence[float] | None
) -> list[_Activation]:
    """Return activations. Alphas and betas are given for those functions that have them, in order."""
    alphas, betas = list(alphas or ()), list(betas or ())
    found: list[_Activation] = []
    for name in names:
        if name.lower() not in _ACTIVATIONS:
            raise ValueError(f"the activation '{name}' is not known")
        function, alpha, beta = _ACTIVATIONS[name.lower()]
        alpha = alphas.pop(0) if alphas and name.lower() not in _PLAIN else alpha
        beta = betas.pop(0) if betas and name.lower() in _WITH_BETA else beta
        found.append(lambda x, function=function, a=alpha, b=beta: function(x, a, b))  # type: ignore[misc]
    return found


_PLAIN = {"sigmoid", "tanh", "relu", "softsign", "softplus"}
_WITH_BETA = {"affine", "scaledtanh", "hardsigmoid"}


@dataclass(frozen=True)
class _Kind:
    """A kind of recurrent layer.

    Attributes:
        gates: the number of gates.
        states: the number of states.
        activations: the functions of a direction.
        step: computes one time.
        order: the gates in the order of torch's kernel.
        kernel: torch's kernel for the usual functions.
    """

    gates: int
    states: int
    activations: tuple[str, ...]
    step: Callable[..., list[Tensor]]
    order: tuple[int, ...]
    kernel: Callable[..., Any]


_RNN = _Kind(1, 1, ("Tanh",), _rnn_step, (0,), torch.rnn_tanh)
_GRU = _Kind(3, 1, ("Sigmoid", "Tanh"), _gru_step, (1, 0, 2), torch.gru)
_LSTM = _Kind(4, 2, ("Sigmoid", "Tanh", "Tanh"), _lstm_step, (0, 2, 3, 1), torch.lstm)


def _check(shapes: dict[str, tuple[Tensor | None, tuple[int, ...]]]) -> None:
    """Check the shapes, which torch's kernels do not."""
    for name, (value, wanted) in shapes.items():
        if value is not None and tuple(value.shape) != wanted:
            raise ValueError(f"{name} must have the shape {wanted}, not {tuple(value.shape)}")


def _recurrent(
    kind: _Kind,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None,
    lengths: Tensor | None,
    states: list[Tensor | None],
    peepholes: Tensor | None,
    option: int,
    options: dict[str, Any],
) -> tuple[Tensor, ...]:
    backwards = _DIRECTIONS.get(options.pop("direction", "forward"))
    names = tuple(options.pop("activations", None) or ())
    alphas, betas = options.pop("activation_alpha", None), options.pop("activation_beta", None)
    clip, layout = options.pop("clip", None), options.pop("layout", 0)
    options.pop("hidden_size", None)
    options.pop("output_sequence", None)
    if options or backwards is None or x.ndim != 3 or r.ndim != 3:
        raise ValueError(f"a recurrent layer over {tuple(x.shape)} with {sorted(options)}")
    x = x.transpose(0, 1) if layout else x
    count, size = len(backwards), r.shape[-1]
    wide = kind.gates * size
    wanted = {"W": (w, (count, wide, x.shape[2])), "R": (r, (count, wide, size)), "B": (b, (count, 2 * wide))}
    _check(wanted | {"P": (peepholes, (count, 3 * size)), "the lengths": (lengths, (x.shape[1],))})
    states = [value.transpose(0, 1) if layout and value is not None else value for value in states]
    given = [x.new_zeros((count, x.shape[1], size)) if value is None else value for value in states]
    _check({f"state {i}": (value, (count, x.shape[1], size)) for i, value in enumerate(given)})
    b = x.new_zeros((count, 2 * wide)) if b is None else b
    names = (names or kind.activations * count)[: len(kind.activations) * count]  # ONNX's default has some too many
    if len(names) != len(kind.activations) * count:
        raise ValueError(f"{len(names)} activations for {count} directions")
    is_usual = [name.lower() for name in names] == [name.lower() for name in kind.activations * count]
    if is_usual and lengths is None and peepholes is None and clip is None and option == (kind is _GRU) and x.numel():
        y, last = _by_kernel(kind, x, w, r, b, given, backwards)
    else:
        functions = _functions(names, alphas, betas)
        outputs, lasts = [], []
        for i, is_backward in enumerate(backwards):
            own = functions[i * len(kind.activations) : (i + 1) * len(kind.activations)]
            peephole = None if peepholes is None else peepholes[i]
            layer = _Layer(w[i], r[i], b[i, :wide], b[i, wide:], own, clip, peephole, bool(option))
            source = _reversal(x, lengths) if is_backward else x
            output, after = _run(kind.step, layer, source, [value[i] for value in given], lengths)
            outputs.append(_reversal(output, lengths) if is_backward else output)
            lasts.append(after)
        y = torch.stack(outputs, 1)
        last = [torch.stack([after[i] for after in lasts]) for i in range(kind.states)]
    if layout:
        return y.permute(2, 0, 1, 3), *[value.transpose(0, 1) for value in last]
    return y, *last


def _by_kernel(
    kind: _Kind, x: Tensor, w: Tensor, r: Tensor, b: Tensor, states: list[Tensor], backwards: Sequence[bool]
) -> tuple[Tensor, list[Tensor]]:
    size = r.shape[-1]
    weights: list[Tensor] = []
    for i in range(len(backwards)):
        for value in (w[i], r[i], *b[i].chunk(2)):
            weights.append(torch.cat([value[gate * size : (gate + 1) * size] for gate in kind.order]))
    is_reversed = tuple(backwards) == (True,)
    source = x.flip(0) if is_reversed else x
    first = tuple([value.contiguous() for value in states])
    given = first if len(first) > 1 else first[0]
    y, *last = kind.kernel(source, given, weights, True, 1, 0.0, False, len(backwards) == 2, False)
    y = y.flip(0) if is_reversed else y
    return y.reshape(*x.shape[:2], len(backwards), size).transpose(1, 2), last


def _rnn(
    x: Tensor, w: Tensor, r: Tensor, b: Tensor | None = None, lengths: Tensor | None = None, h: Tensor | None = None,
    **options: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    return _recurrent(_RNN, x, w, r, b, lengths, [h], None, 0, options)


def _gru(
    x: Tensor, w: Tensor, r: Tensor, b: Tensor | None = None, lengths: Tensor | None = None, h: Tensor | None = None,
    *, linear_before_reset: int = 0, **options: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    return _recurrent(_GRU, x, w, r, b, lengths, [h], None, linear_before_reset, options)


def _lstm(
    x: Tensor, w: Tensor, r: Tensor, b: Tensor | None = None, lengths: Tensor | None = None, h: Tensor | None = None,
    c: Tensor | None = None, peepholes: Tensor | None = None, *, input_forget: int = 0, **options: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    return _recurrent(_LSTM, x, w, r, b, lengths, [h, c], peepholes, input_forget, options)


TABLE: Table = {"GRU": Operation(_gru), "LSTM": Operation(_lstm), "RNN": Operation(_rnn)}
