"""oneDNN's LSTM, one layer in one direction, as an operation of captured graphs.

torch's own operation saves tensors for the backward pass only while gradients are recorded, but a captured graph, which
contains its backward pass, runs without that. This one has an argument that says whether there will be a backward pass.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

__all__ = ["lstm_layer"]

_MODE = 2  # torch's number of the LSTM among recurrent layers

_library = torch.library.Library("torchspore", "FRAGMENT")
_library.define(
    "lstm_layer(Tensor x, Tensor weight_ih, Tensor weight_hh, Tensor bias_ih, Tensor bias_hh, Tensor h, Tensor c, "
    "bool training) -> (Tensor output, Tensor last_h, Tensor last_c, Tensor kept)"
)
_library.define(
    "lstm_layer_backward(Tensor x, Tensor weight_ih, Tensor weight_hh, Tensor bias_ih, Tensor bias_hh, Tensor h, "
    "Tensor c, Tensor output, Tensor last_h, Tensor last_c, Tensor kept, Tensor? of_output, Tensor? of_h, "
    "Tensor? of_c) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)"
)
_forward = torch.ops.torchspore.lstm_layer.default
_backward = torch.ops.torchspore.lstm_layer_backward.default


def lstm_layer(
    x: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor, h: Tensor, c: Tensor
) -> tuple[Tensor, ...]:
    """Return the outputs, of shape (T, N, hidden), and the last h and c, of shape (N, hidden)."""
    tensors = (x, weight_ih, weight_hh, bias_ih, bias_hh, h, c)
    return _forward(*tensors, torch.is_grad_enabled() and any(t.requires_grad for t in tensors))[:3]


def _run(*arguments: Any) -> tuple[Tensor, ...]:
    x, *weights_and_states, training = arguments
    if not x.numel():  # oneDNN divides by the size of the batch
        return _empty_results(*arguments)
    hidden = weights_and_states[-1].shape[-1]
    with torch.set_grad_enabled(training):
        *results, kept = torch.ops.aten.mkldnn_rnn_layer(
            x.contiguous(), *weights_and_states, False, [], _MODE, hidden, 1, True, False, False, training
        )
    return *results, x.new_empty(0, dtype=torch.uint8) if kept is None else kept


def _run_backward(*tensors: Any) -> tuple[Tensor, ...]:
    *inputs, output, last_h, last_c, kept, of_output, of_h, of_c = tensors
    if not inputs[0].numel():
        return tuple([gradient.zero_() for gradient in _empty_gradients(*tensors)])
    inputs[0] = inputs[0].contiguous()
    settings: tuple[Any, ...] = (False, _MODE, inputs[-1].shape[-1], 1, True, True, False, [], False)
    gradients = torch.ops.aten.mkldnn_rnn_layer_backward(
        *inputs, output, last_h, last_c, of_output, of_h, of_c, *settings, kept
    )
    *of_others, _, of_first_h, of_first_c = gradients  # in bfloat16 the weights' are float32
    return tuple([gradient.to(inputs[0].dtype) for gradient in (*of_others, of_first_h, of_first_c)])


def _empty_results(x: Tensor, *rest: Any) -> tuple[Tensor, ...]:
    h, c = rest[4:6]
    kept = x.new_empty(0, dtype=torch.uint8)  # oneDNN knows the size
    return x.new_empty((*x.shape[:2], h.shape[-1])), h.new_empty(h.shape), c.new_empty(c.shape), kept


def _empty_gradients(*tensors: Any) -> tuple[Tensor, ...]:
    x, weight_ih, weight_hh, bias, _, h, c = tensors[:7]
    return tuple([tensor.new_empty(tensor.shape) for tensor in (x, weight_ih, weight_hh, bias, h, c)])


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*inputs[:7], *output)


def _differentiate(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
    of_x, of_weight_ih, of_weight_hh, of_bias, of_h, of_c = _backward(*ctx.saved_tensors, *gradients[:3])
    return of_x, of_weight_ih, of_weight_hh, of_bias, of_bias, of_h, of_c, None


for _name, _on_cpu, _shapes in (
    ("lstm_layer", _run, _empty_results),
    ("lstm_layer_backward", _run_backward, _empty_gradients),
):
    _library.impl(_name, _on_cpu, "CPU")
    _library.impl(_name, _shapes, "Meta")
torch.library.register_autograd(_forward, _differentiate, setup_context=_keep, lib=_library)
