"""A recurrent layer in one direction as an operation of captured graphs, which leaves the number of time steps open.

torch's own operation becomes one operation per time step in a graph. The backward pass computes the layer once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

__all__ = ["recurrent_layer"]

_library = torch.library.Library("torchspore", "FRAGMENT")
_library.define("recurrent_layer(str kind, Tensor x, Tensor[] weights, Tensor[] states) -> Tensor[]")
_library.define(
    "recurrent_layer_backward(str kind, Tensor x, Tensor[] weights, Tensor[] states, Tensor?[] of_results) -> Tensor[]"
)


class _Context(torch.autograd.function.FunctionCtx):
    """What the backward pass knows of the layer."""

    kind: str
    count: int
    saved_tensors: tuple[Tensor, ...]


def recurrent_layer(kind: str, x: Tensor, weights: list[Tensor], states: Sequence[Tensor]) -> Sequence[Tensor]:
    """Return a layer's outputs, of shape (T, N, hidden), and its last states, of shape (N, hidden), by torch."""
    before = [state[None] for state in states]
    settings = (len(weights) == 4, 1, 0.0, x.is_cuda, False, False)  # cuDNN has gradients in "training" only
    output, *last = getattr(torch, kind)(x, before if kind == "lstm" else before[0], weights, *settings)
    return output, *[state[0] for state in last]


def _run(kind: str, x: Tensor, weights: list[Tensor], states: list[Tensor]) -> list[Tensor]:
    return list(recurrent_layer(kind, x, weights, states))


def _run_backward(
    kind: str, x: Tensor, weights: list[Tensor], states: list[Tensor], of_results: list[Tensor | None]
) -> list[Tensor]:
    inputs = [tensor.detach().requires_grad_() for tensor in (x, *weights, *states)]
    count = len(weights) + 1
    with torch.enable_grad():
        results = recurrent_layer(kind, inputs[0], inputs[1:count], inputs[count:])
    used = [(result, given) for result, given in zip(results, of_results) if given is not None]
    return list(torch.autograd.grad([result for result, _ in used], inputs, [given for _, given in used]))


def _empty_results(kind: str, x: Tensor, weights: list[Tensor], states: list[Tensor]) -> list[Tensor]:
    output = x.new_empty((*x.shape[:2], states[0].shape[-1]))
    return [output, *(state.new_empty(state.shape) for state in states)]


def _empty_gradients(
    kind: str, x: Tensor, weights: list[Tensor], states: list[Tensor], of_results: list[Tensor | None]
) -> list[Tensor]:
    return [tensor.new_empty(tensor.shape) for tensor in (x, *weights, *states)]


def _keep(ctx: _Context, inputs: tuple[Any, ...], output: list[Tensor]) -> None:
    ctx.set_materialize_grads(False)
    ctx.kind, x, weights, states = inputs
    ctx.count = len(weights) + 1
    ctx.save_for_backward(x, *weights, *states)


def _differentiate(ctx: _Context, gradients: list[Tensor | None]) -> tuple[Any, ...]:
    x, *rest = ctx.saved_tensors
    weights, states = rest[: ctx.count - 1], rest[ctx.count - 1 :]
    found = torch.ops.torchspore.recurrent_layer_backward(ctx.kind, x, weights, states, gradients)
    return None, found[0], found[1 : ctx.count], found[ctx.count :]


for _name, _run_it, _shapes in (
    ("recurrent_layer", _run, _empty_results),
    ("recurrent_layer_backward", _run_backward, _empty_gradients),
):
    _library.impl(_name, _run_it, "CPU")
    _library.impl(_name, _run_it, "CUDA")
    _library.impl(_name, _shapes, "Meta")
torch.library.register_autograd(
    torch.ops.torchspore.recurrent_layer.default, _differentiate, setup_context=_keep, lib=_library
)
