"""Gradients of a function of torch tensors, themselves differentiable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchspore.common.private_torch import functorch_level

__all__ = ["gradient_of_shape", "pull_back"]


def pull_back(forward: Callable[..., Any], primals: Sequence[Tensor], cotangents: Sequence[Tensor]) -> list[Tensor]:
    """Return the gradients of the inputs of a function.

    Args:
        forward: a function of torch tensors that returns one or several.
        primals: the inputs. The gradients of integers are computed as float64 and truncated.
        cotangents: the gradients of the first outputs; broadcast to their shapes and cast to their dtypes.
    """
    wide = [primal if _is_inexact(primal) else primal.double() for primal in primals]
    if functorch_level() is None:
        gradients = _by_autograd(forward, wide, cotangents)
    else:  # autograd's leaves cannot be made under a transformation
        pulled: Any = torch.func.vjp(lambda *values: _as_tuple(forward(*values))[: len(cotangents)], *wide)
        gradients = pulled[1](tuple(map(_like, cotangents, pulled[0])))
    return [gradient.to(primal.dtype) for gradient, primal in zip(gradients, primals)]


def _by_autograd(forward: Callable[..., Any], primals: list[Tensor], cotangents: Sequence[Tensor]) -> Sequence[Tensor]:
    recorded = torch.is_grad_enabled()
    create_graph = recorded and any(tensor.requires_grad for tensor in (*primals, *cotangents))
    with torch.enable_grad():
        inputs = [x.view_as(x) if recorded and x.requires_grad else x.detach().requires_grad_() for x in primals]
        results = _as_tuple(forward(*inputs))[: len(cotangents)]
        given = list(map(_like, cotangents, results))
        found = torch.autograd.grad(results, inputs, given, create_graph=create_graph, allow_unused=True)
    return [torch.zeros_like(x) if gradient is None else gradient for gradient, x in zip(found, primals)]


def gradient_of_shape(forward: Callable[[Tensor], Tensor], shape: Sequence[int], cotangent: Tensor) -> Tensor:
    """Return the gradient of the input of a linear function, given the input's shape."""
    wide = cotangent if _is_inexact(cotangent) else cotangent.double()
    return pull_back(forward, [wide.new_zeros(tuple(shape))], [wide])[0].to(cotangent.dtype)


def _is_inexact(tensor: Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _as_tuple(result: Any) -> tuple[Tensor, ...]:
    return (result,) if isinstance(result, Tensor) else tuple(result)


def _like(cotangent: Tensor, result: Tensor) -> Tensor:
    if cotangent.dim() > result.dim() and cotangent.numel() == 1:  # a loss's may have a dimension
        cotangent = cotangent.reshape(())
    return cotangent.to(result.dtype).expand(result.shape)
