"""Functions of sequences: differences, integrals, powers, covariances."""

from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.parameters import Dimensions, NotNegative
from torchspore.engine.widening import wrapping

__all__ = ["cov", "diff", "diff_ext", "trapz", "vander"]


@op(method="diff", trait=wrapping)
def diff(x: Tensor, n: int = 1, axis: int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
    """The differences of adjacent elements along a dimension.

    Args:
        x: a Tensor with at least one dimension; for bools, whether adjacent elements differ.
        n: the number of times to take differences. Default: 1.
        axis: the dimension. Default: -1.
        prepend, append: Tensors to join to `x` first, of its shape except along `axis`. Default: None.

    Returns:
        A Tensor, shorter by `n` in dimension `axis`.

    Raises:
        ValueError: `x` is empty.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.diff(ms.Tensor([1, 3, 6])))
        [2 3]
    """
    if x.numel() == 0:
        raise ValueError("'x' must have elements")
    return torch.diff(x, n, axis, prepend, append)


@op
def diff_ext(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences of adjacent elements along dimension `dim`; see `diff`."""
    return torch.diff(input, n, dim, prepend, append)


def _of_trapezoids(x: Tensor) -> Tensor:
    return x if x.dtype is torch.float64 or x.is_complex() else x.float()


@op
def trapz(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral along a dimension by the trapezoidal rule.

    Args:
        y: a Tensor of the values.
        x: a Tensor of the sample points, of the shape of `y` or one-dimensional. Default: None: `dx` apart.
        dx: the spacing of the sample points. Default: 1.0.
        dim: the dimension. Default: -1.

    Returns:
        A Tensor without the dimension `dim`, of at least float32; without `x`, a result of float16 stays float16.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.trapz(ms.Tensor([1.0, 2.0, 4.0])))
        4.5
    """
    if x is None:
        return torch.trapezoid(y if y.dtype is torch.float16 else _of_trapezoids(y), dx=dx, dim=dim)
    return torch.trapezoid(_of_trapezoids(y), _of_trapezoids(x), dim=dim)


@op
def vander(x: Annotated[Tensor, Dimensions(1)], N: NotNegative | None = None) -> Tensor:
    """The Vandermonde matrix of a vector: its powers as columns, from `N` - 1 down to 0.

    Args:
        x: a Tensor of one dimension.
        N: the number of columns. Default: None: the length of `x`.
    """
    powers = torch.arange((x.shape[0] if N is None else N) - 1, -1, -1, device=x.device)
    return x.unsqueeze(1) ** powers


@op(method="cov")
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariance matrix of variables.

    Args:
        input: a Tensor of shape (variables, observations), or with fewer dimensions for one variable.
        correction: the difference of the number of observations and the divisor. Default: 1.
        fweights: the frequency of each observation, a Tensor of ints of shape (observations,). Default: None: 1.
        aweights: the weight of each observation, a Tensor of shape (observations,). Default: None: 1.

    Returns:
        A Tensor of shape (variables, variables), or a scalar for one variable; of integers, in float32.

    Raises:
        TypeError: `input` holds bools, or `fweights` floats.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.cov(ms.Tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])))
        [[ 1. -1.]
         [-1.  1.]]
    """
    if input.dtype is torch.bool or (fweights is not None and fweights.is_floating_point()):
        raise TypeError("'input' must not hold bools, and 'fweights' must hold integers")
    given = [weights for weights in (fweights, aweights) if weights is not None]
    rows = input.reshape(1, -1) if input.dim() < 2 else input
    if rows.dim() > 2 or any(weights.shape != rows.shape[1:] for weights in given):
        shapes = [tuple(tensor.shape) for tensor in (input, *given)]
        raise ValueError(f"'input' must be a matrix and weights vectors of its width, but got {shapes}")
    rows = rows.to(torch.promote_types(rows.dtype, torch.float32))
    if not given:
        centred = rows - rows.mean(1, keepdim=True)
        return (centred @ centred.mH / max(rows.shape[1] - correction, 0)).squeeze()
    weights = given[0] * given[1] if len(given) == 2 else given[0]
    total = weights.sum()
    centred = rows - (rows * weights).sum(1, keepdim=True) / total
    lost = correction if aweights is None else correction * (weights * aweights).sum() / total
    return (centred * weights @ centred.mH / (total - lost).clamp(min=0)).squeeze()
