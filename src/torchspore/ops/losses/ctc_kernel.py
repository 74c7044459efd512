"""torch's CTC loss as an operation of captured graphs.

torch's own operation has a result whose size depends on the lengths, which a graph does not know. In this one the
result is as large as the labels allow.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

__all__ = ["ctc"]

_library = torch.library.Library("torchspore", "FRAGMENT")
_library.define(
    "ctc(Tensor log_probs, Tensor targets, Tensor inputs, Tensor labels, int blank, bool zero_infinity) "
    "-> (Tensor loss, Tensor alpha)"
)
_library.define(
    "ctc_backward(Tensor of_loss, Tensor log_probs, Tensor targets, Tensor inputs, Tensor labels, Tensor loss, "
    "Tensor alpha, int blank, bool zero_infinity) -> Tensor"
)
ctc = torch.ops.torchspore.ctc.default  # (log_probs, targets, inputs, labels, blank, zero_infinity) -> (loss, alpha)
_backward = torch.ops.torchspore.ctc_backward.default


def _run(log_probs: Tensor, targets: Tensor, inputs: Tensor, labels: Tensor, *settings: Any) -> tuple[Tensor, Tensor]:
    loss, alpha = torch.ops.aten._ctc_loss.Tensor(log_probs, targets, inputs, labels, *settings)
    return loss, torch.nn.functional.pad(alpha, (0, 2 * targets.shape[-1] + 1 - alpha.shape[2]))


def _run_backward(
    of_loss: Tensor, log_probs: Tensor, targets: Tensor, inputs: Tensor, labels: Tensor, loss: Tensor, *rest: Any
) -> Tensor:
    alpha, *settings = rest
    alpha = alpha[:, :, : 2 * int(labels.max()) + 1].contiguous()
    return torch.ops.aten._ctc_loss_backward.Tensor(
        of_loss.contiguous(), log_probs, targets, inputs, labels, loss, alpha, *settings
    )


def _empty_results(log_probs: Tensor, targets: Tensor, *rest: Any) -> tuple[Tensor, Tensor]:
    times, batch, _ = log_probs.shape
    return log_probs.new_empty((batch,)), log_probs.new_empty((batch, times, 2 * targets.shape[-1] + 1))


def _empty_gradient(of_loss: Tensor, log_probs: Tensor, *rest: Any) -> Tensor:
    return log_probs.new_empty(log_probs.shape)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*inputs[:4], *output)
    ctx.settings = inputs[4:]


def _differentiate(ctx: Any, of_loss: Tensor, of_alpha: Tensor) -> tuple[Any, ...]:
    return _backward(of_loss, *ctx.saved_tensors, *ctx.settings), None, None, None, None, None


for _name, _really, _shapes in (("ctc", _run, _empty_results), ("ctc_backward", _run_backward, _empty_gradient)):
    _library.impl(_name, _really, "CPU")
    _library.impl(_name, _really, "CUDA")
    _library.impl(_name, _shapes, "Meta")
torch.library.register_autograd(ctc, _differentiate, setup_context=_keep, lib=_library)
