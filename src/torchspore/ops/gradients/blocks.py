"""Kernels of gradients of the blocks of large models: attention, routing, fused normalization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common.tensor import wrap
from torchspore.engine.parameters import NotSupported, Only
from torchspore.engine.primitive import as_primitive
from torchspore.ops.attention import from_parts, fused
from torchspore.ops.attention.masks_and_scores import FAR
from torchspore.ops.compat.generated_forms import cross_entropy_loss, gmm
from torchspore.ops.experts import routing
from torchspore.ops.gradients.pull_back import pull_back
from torchspore.ops.neural.fused import rotary_position_embedding

__all__ = [
    "AddLayerNormGrad", "BatchNormElemtGrad", "BatchNormGradExt", "BatchNormReduceGrad", "CrossEntropyLossGrad",
    "FlashAttentionScoreGrad", "GmmBackward", "GmmBackwardFusion", "GmmV2Backward", "GmmV2BackwardFusion",
    "MoeTokenPermuteGrad", "MoeTokenUnpermuteGrad", "MultiScaleDeformableAttnGrad", "RotaryPositionEmbeddingGrad",
]  # fmt: skip


@as_primitive
def AddLayerNormGrad(
    dy: Tensor, x1: Tensor, x2: Tensor, rstd: Tensor, mean: Tensor, gamma: Tensor, dsumOptional: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the sum, the scale and the shift of `add_layer_norm`; `dsumOptional` is added to the first."""
    dx, dgamma, dbeta = torch.ops.aten.native_layer_norm_backward(
        dy, x1 + x2, list(gamma.shape), mean, rstd, gamma, gamma, [True, True, True]
    )
    return dx if dsumOptional is None else dx + dsumOptional, dgamma, dbeta


def _by_channel(values: Tensor, x: Tensor) -> Tensor:
    return values.reshape(-1, *[1] * (x.dim() - 2))


@as_primitive
def BatchNormGradExt(
    dout: Tensor, input: Tensor, weight: Tensor | None = None, running_mean: Tensor | None = None,
    running_var: Tensor | None = None, saved_mean: Tensor | None = None, saved_rstd: Tensor | None = None, *,
    training: bool = False, eps: float = 1e-5, output_mask: Any = (1, 1, 1),
) -> tuple[Tensor, ...]:  # fmt: skip
    """The gradients of the input, the weight and the bias of batch normalization."""
    mask = [bool(flag) for flag in output_mask]
    statistics = (running_mean, running_var, saved_mean, saved_rstd)
    return tuple(torch.ops.aten.native_batch_norm_backward(dout, input, weight, *statistics, training, eps, mask))


@as_primitive
def BatchNormReduceGrad(
    dout: Tensor, input: Tensor, mean: Tensor, invstd: Tensor, weight: Tensor | None, input_g: bool, weight_g: bool,
    bias_g: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The sums over each channel of the gradient and of its product with the centred input, and both gradients."""
    over = [0, *range(2, input.dim())]
    total = dout.sum(over)
    product = (dout * (input - _by_channel(mean, input))).sum(over)
    return total, product, product * invstd, total


@as_primitive
def BatchNormElemtGrad(
    dout: Tensor, input: Tensor, mean: Tensor, invstd: Tensor, weight: Tensor | None, sumd_dy: Tensor,
    sum_dy_xmu: Tensor, count: Tensor,
) -> Tensor:  # fmt: skip
    """The gradient of the input of batch normalization over several processes, by sums over all of them."""
    total = count.sum()
    scale = invstd if weight is None else invstd * weight
    centred = input - _by_channel(mean, input)
    slope = _by_channel(sum_dy_xmu / total * invstd**2, input)
    return (dout - _by_channel(sumd_dy / total, input) - centred * slope) * _by_channel(scale, input)


@as_primitive
def CrossEntropyLossGrad(
    grad_loss: Tensor, log_prob: Tensor, target: Tensor, weight: Tensor | None = None, grad_zloss: NotSupported = None,
    lse_for_zloss: Tensor | None = None, reduction: str = "mean", ignore_index: int = -100,
    label_smoothing: float = 0.0, lse_square_scale_for_zloss: float = 0.0,
) -> Tensor:  # fmt: skip
    """The gradient of the scores of `CrossEntropyLoss`, by the logarithms of the probabilities."""
    rest = (target, weight, reduction, ignore_index, label_smoothing, lse_square_scale_for_zloss)
    return pull_back(lambda scores: cross_entropy_loss.body(scores, *rest)[0], [log_prob], [grad_loss])[0]


@as_primitive
def RotaryPositionEmbeddingGrad(dy: Tensor, cos: Tensor, sin: Tensor, dx: Any = None, mode: int = 0) -> Any:
    """The gradient of `rotary_position_embedding`; given its input `dx`, also for the cosines and sines."""
    x = torch.zeros_like(dy) if dx is None else getattr(dx, "_t", dx)
    found = pull_back(lambda *values: rotary_position_embedding.body(*values, mode), [x, cos, sin], [dy])
    return tuple(found)


# Experts


@as_primitive
def MoeTokenPermuteGrad(
    permuted_tokens_grad: Tensor,
    sorted_indices: Tensor,
    num_topk: int = 1,
    padded_mode: Annotated[bool, Only(False)] = False,
) -> Tensor:
    """The gradient of the tokens of `moe_token_permute`."""
    gathered = permuted_tokens_grad[sorted_indices.long()]
    return gathered.unflatten(0, (-1, num_topk)).sum(1)


@as_primitive
def MoeTokenUnpermuteGrad(
    permuted_tokens: Tensor, unpermuted_tokens_grad: Tensor, sorted_indices: Tensor, probs: Tensor | None = None,
    padded_mode: bool = False, restore_shape: Any = None,
) -> Any:  # fmt: skip
    """The gradients of the tokens and the probabilities of `moe_token_unpermute`."""

    def forward(tokens: Tensor, *rest: Tensor) -> Tensor:
        result = routing.moe_token_unpermute.body(
            tokens, sorted_indices, rest[0] if rest else None, padded_mode, restore_shape
        )
        return getattr(result, "_t", result)

    given = [permuted_tokens] if probs is None else [permuted_tokens, probs]
    found = pull_back(forward, given, [unpermuted_tokens_grad])
    return found[0], found[1] if probs is not None else permuted_tokens.new_empty(0)


def _products(x: list[Tensor], weight: list[Tensor], group_list: Any, kind: int) -> tuple[Tensor, ...]:
    groups = wrap(group_list) if isinstance(group_list, Tensor) else group_list
    results = gmm([wrap(part) for part in x], [wrap(part) for part in weight], None, groups, 0, kind)
    return tuple(result._t for result in results)


@as_primitive
def GmmBackward(
    grad: list[Tensor], x: list[Tensor], weight: list[Tensor], group_list: Any = None, group_list_type: int = 0
) -> Any:
    """The gradients of the inputs and the weights of `gmm`."""
    count = len(x)
    groups = getattr(group_list, "_t", group_list)
    found = pull_back(
        lambda *values: _products(list(values[:count]), list(values[count:]), groups, group_list_type),
        [*x, *weight], grad,
    )  # fmt: skip
    return tuple(found[:count]), tuple(found[count:]), ()


@as_primitive
def GmmBackwardFusion(
    grad: list[Tensor], weight: list[Tensor], group_list: Any = None, group_list_type: int = 0
) -> Any:
    """The gradients of the inputs of `gmm`."""
    groups = getattr(group_list, "_t", group_list)
    return _products(grad, [part.mT for part in weight], groups, group_list_type), (), ()


GmmV2Backward, GmmV2BackwardFusion = GmmBackward, GmmBackwardFusion


# Attention


@as_primitive
def MultiScaleDeformableAttnGrad(
    value: Tensor, shape: Tensor, offset: Tensor, locations_trans: Tensor, weight: Tensor, grad_output: Tensor
) -> tuple[Tensor, ...]:
    """The gradients of the values, locations and weights of `multi_scale_deformable_attn_function`."""
    forward: Callable[..., Tensor] = from_parts.multi_scale_deformable_attn_function.body
    return tuple(
        pull_back(
            lambda value, locations, weight: forward(value, shape, offset, locations, weight),
            [value, locations_trans, weight], [grad_output],
        )
    )  # fmt: skip


@as_primitive
def FlashAttentionScoreGrad(
    query: Tensor, key: Tensor, value: Tensor, dy: Tensor, pse_shift: Tensor | None = None,
    drop_mask: Tensor | None = None, padding_mask: NotSupported = None, atten_mask: Tensor | None = None,
    softmax_max: Any = None, softmax_sum: Any = None, softmax_in: Any = None, attention_in: Any = None,
    prefix: Any = None, actual_seq_qlen: Any = None, actual_seq_kvlen: Any = None, *, head_num: int,
    keep_prob: float = 1.0, scale_value: float = 1.0, pre_tokens: int = FAR, next_tokens: int = FAR,
    inner_precise: int = 1, input_layout: str = "BSH", sparse_mode: int = 0,
) -> Any:  # fmt: skip
    """The gradients of the query, the key, the value and the shift of `flash_attention_score`."""

    def forward(query: Tensor, key: Tensor, value: Tensor, *shift: Tensor) -> Tensor:
        result = fused.flash_attention_score.body(
            query, key, value, head_num, shift[0] if shift else None, drop_mask, padding_mask, atten_mask, prefix,
            actual_seq_qlen, actual_seq_kvlen, keep_prob, scale_value, pre_tokens, next_tokens, inner_precise,
            input_layout, sparse_mode,
        )  # fmt: skip
        return getattr(result, "_t", result)

    given = [query, key, value] if pse_shift is None else [query, key, value, pse_shift]
    found = pull_back(forward, given, [dy])
    return *found, *[dy.new_empty(0)] * (4 - len(found))
