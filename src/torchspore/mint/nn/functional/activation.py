"""Activation functions, with torch's signatures."""

from __future__ import annotations

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.op import Type, op, unary
from torchspore.ops import hardshrink, hardsigmoid, hardswish, prelu, sigmoid, softplus, softshrink, tanh
from torchspore.ops.array.assignment import update
from torchspore.ops.neural import activation as ops

__all__ = [
    "elu", "elu_", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "hardtanh_", "leaky_relu",
    "log_softmax", "logsigmoid", "mish", "prelu", "relu", "relu6", "relu_", "selu", "sigmoid", "sigmoid_",
    "silu", "softmax", "softplus", "softshrink", "tanh", "threshold", "threshold_",
]  # fmt: skip


mish = unary(F.mish, "`input * tanh(softplus(input))`.", method=())
selu = unary(torch.selu, "`scale * elu(input, alpha)`, whose constants keep mean 0 and variance 1.", method=())


def written(input: _Tensor, result: _Tensor, inplace: bool) -> _Tensor:
    """Return the result, or, with `inplace`, the input with the values of the result."""
    return update(input, "copy_", result) if inplace else result


def relu(input: _Tensor, inplace: bool = False) -> _Tensor:
    """The positive part, `max(input, 0)`; nan stays nan. With `inplace`, write the result into `input`.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([-1.0, 0.5])
        >>> y = ms.mint.nn.functional.relu(x, inplace=True)
        >>> print(x)
        [0.  0.5]
    """
    return written(input, ops.relu(input), inplace)


def relu6(input: _Tensor, inplace: bool = False) -> _Tensor:
    """Clamp the elements to [0, 6]; in place with `inplace`."""
    return written(input, ops.relu6(input), inplace)


def silu(input: _Tensor, inplace: bool = False) -> _Tensor:
    """`input * sigmoid(input)`; in place with `inplace`."""
    return written(input, ops.silu(input), inplace)


def elu(input: _Tensor, alpha: float = 1.0, inplace: bool = False) -> _Tensor:
    """`input` where it is positive, else `alpha * (exp(input) - 1)`; in place with `inplace`."""
    return written(input, ops.elu(input, alpha), inplace)


def hardtanh(input: _Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> _Tensor:
    """Clamp the elements to [`min_val`, `max_val`]; in place with `inplace`."""
    return written(input, ops.hardtanh(input, min_val, max_val), inplace)


def threshold(input: _Tensor, threshold: float, value: float, inplace: bool = False) -> _Tensor:
    """The element where it is greater than `threshold`, else `value`; in place with `inplace`."""
    return written(input, ops.threshold(input, threshold, value), inplace)


def relu_(input: _Tensor) -> _Tensor:
    """Replace the elements by their positive part, and return the tensor."""
    return relu(input, True)


def elu_(input: _Tensor, alpha: float = 1.0) -> _Tensor:
    """Replace the elements by their `elu`, and return the tensor."""
    return elu(input, alpha, True)


def hardtanh_(input: _Tensor, min_val: float = -1, max_val: float = 1) -> _Tensor:
    """Clamp the elements to [`min_val`, `max_val`] in place, and return the tensor."""
    return hardtanh(input, min_val, max_val, True)


def threshold_(input: _Tensor, threshold: float, value: float) -> _Tensor:
    """Replace the elements that are not greater than `threshold` by `value`, and return the tensor."""
    return written(input, ops.threshold(input, threshold, value), True)


def sigmoid_(input: _Tensor) -> _Tensor:
    """Replace the elements by their sigmoid, and return the tensor."""
    result = sigmoid(input)
    if result.dtype != input.dtype:
        raise TypeError(f"For 'sigmoid_', 'input' must hold floats, but got {input.dtype}. Use sigmoid.")
    return written(input, result, True)


@op
def gelu(input: Tensor, *, approximate: Literal["none", "tanh"] = "none") -> Tensor:
    """The Gaussian error linear unit: `input` times the probability that a standard normal number is below `input`.

    Args:
        input: a Tensor of any shape, of floats.
        approximate: "none" for the exact probability, "tanh" for an approximation. Default: "none".
    """
    return ops.gelu.body(input, approximate)


@op
def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`input` where it is positive, else `negative_slope * input`."""
    return F.leaky_relu(input, negative_slope)


@op
def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of `sigmoid(input)`, exact where the sigmoid itself is too small for its dtype."""
    return F.logsigmoid(input)


@op
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along `dim` times the sigmoid of the second half.

    Raises:
        ValueError: there is no such dimension, or its length is odd.
    """
    return F.glu(input, dim)


def _dim_of_classes(dim: int | None, input: Tensor) -> int:
    """Return `dim`, or the dimension that torch took by default in the past."""
    if dim is not None:
        return dim
    return 0 if input.dim() in (0, 1, 3) else 1


@op
def softmax(input: Tensor, dim: int | None = None, dtype: Type | None = None) -> Tensor:
    """Exponentials divided by their sum along a dimension: positive numbers that sum to 1.

    Args:
        input: a Tensor of floats.
        dim: the dimension. Default: None: 0 for tensors with 0, 1 or 3 dimensions, else 1.
        dtype: the dtype to convert `input` to first, and of the result. Default: None, the dtype of `input`.
    """
    return torch.softmax(input, _dim_of_classes(dim, input), dtype=dtype)


@op
def log_softmax(input: Tensor, dim: int | None = None, *, dtype: Type | None = None) -> Tensor:
    """The logarithm of `softmax`, computed without leaving the range of the dtype; arguments as for `softmax`."""
    return torch.log_softmax(input, _dim_of_classes(dim, input), dtype=dtype)
