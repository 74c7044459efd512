"""Linear maps, embeddings, convolutions, normalization and dropout, with torch's signatures."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore import ops
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.op import op
from torchspore.engine.parameters import Fraction, take_as
from torchspore.mint.nn.functional.activation import written
from torchspore.ops import conv_transpose2d, embedding, group_norm, layer_norm
from torchspore.ops import dense as linear

__all__ = [
    "batch_norm", "conv1d", "conv2d", "conv3d", "conv_transpose2d", "dropout", "dropout2d", "embedding", "group_norm",
    "layer_norm", "linear", "normalize", "one_hot",
]  # fmt: skip


def _convolution(count: int) -> Any:
    """Make `conv1d`, `conv2d` or `conv3d`."""
    function: Any = (torch.conv1d, torch.conv2d, torch.conv3d)[count - 1]
    sizes = ("L", "H, W", "D, H, W")[count - 1]

    def body(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: int | tuple[int, ...] = 1,
        padding: Any = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
    ) -> Tensor:
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(f"'padding' must be 'same', 'valid' or ints, but is {padding!r}")
        padding = tuple(padding) if isinstance(padding, list) else padding
        return function(input, weight, bias, stride, padding, dilation, groups)

    body.__name__ = body.__qualname__ = f"conv{count}d"
    body.__doc__ = f"""Convolve an input of shape (N, C, {sizes}) or (C, {sizes}).

    Args:
        input: a Tensor of floats.
        weight: a Tensor of shape (outputs, C / groups, *kernel).
        bias: a Tensor of shape (outputs,). Default: None.
        stride: the stride of the window, an int or one for each spatial dimension. Default: 1.
        padding: the zeros on both ends of each dimension, likewise; "valid": none; "same": the output keeps the size.
            Default: 0.
        dilation: the distance between the elements under the kernel, likewise. Default: 1.
        groups: the number of groups into which the channels are split. Default: 1.
    """
    return op(body)


conv1d = _convolution(1)
conv2d = _convolution(2)
conv3d = _convolution(3)


@op
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize every channel over batch and space, then scale and shift it.

    Args:
        input: a Tensor of shape (N, C, *), of a floating-point type.
        running_mean: a Tensor of shape (C,), used outside training and moved towards the observed mean, in place,
            while training; None if there is none.
        running_var: the same for the variance.
        weight: the factor, of shape (C,). Default: None, 1.
        bias: the shift, of shape (C,). Default: None, 0.
        training: whether the statistics are computed from the input. Default: False.
        momentum: the weight of the observed statistics. Default: 0.1.
        eps: what is added to the variance. Default: 1e-5.
    """
    if running_mean is None and not training:
        raise ValueError("outside training 'running_mean' and 'running_var' are needed")
    running_mean, running_var = [
        x.detach() if x is not None and x.requires_grad else x for x in (running_mean, running_var)
    ]
    # The last argument has no effect: torch.backends.cudnn.enabled decides.
    return torch.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def dropout(input: _Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> _Tensor:
    """Set each element to zero with probability `p`, and multiply the others by 1 / (1 - p).

    Args:
        input: a Tensor of a floating-point type.
        p: the probability, in [0, 1]. Default: 0.5.
        training: whether to drop anything; False returns the input. Default: True.
        inplace: whether to write the result into `input`. Default: False.
    """
    return written(input, ops.dropout(input, p, training), take_as(bool, inplace, "inplace", "dropout"))


@op(name="dropout2d")
def _dropout_of_channels(input: Tensor, p: Fraction, training: bool) -> Tensor:
    if input.dim() != 3:
        return torch.feature_dropout(input, p, training)
    return torch.feature_dropout(input.unsqueeze(0), p, training).squeeze(0)


def dropout2d(input: _Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> _Tensor:
    """Set each channel of an input of shape (N, C, H, W) or (C, H, W) to zero with probability `p`; see `dropout`."""
    return written(input, _dropout_of_channels(input, p, training), inplace)


@op
def normalize(input: Tensor, p: float = 2.0, dim: int | tuple[int, ...] = 1, eps: float = 1e-12) -> Tensor:
    """Divide vectors along `dim` by their `p`-norm, but at least by `eps`."""
    return F.normalize(input, p, dim, eps)  # type: ignore[arg-type]  # torch takes several dimensions, too


@op
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Vectors of zeros with a one at the index given by each element.

    Args:
        tensor: a Tensor of integers >= 0.
        num_classes: the length of the vectors. Default: -1, one more than the maximum.

    Returns:
        An int64 Tensor of the shape of `tensor`, and then (num_classes,).
    """
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype is torch.bool:
        raise TypeError("the tensor must hold integers")
    if scope.captured and num_classes > 0:  # torch's function reads the values, which a graph cannot hold
        rows = torch.zeros(*tensor.shape, num_classes, dtype=torch.int64, device=tensor.device)
        return rows.scatter(-1, tensor.long().unsqueeze(-1), 1)
    return F.one_hot(tensor.long(), num_classes)
