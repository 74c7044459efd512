"""Tensors that cross from one stage to the next.

Torch's stages exchange activations, and a gradient for each of them. So tensors without a gradient, such as masks,
cross as float32, in which they are exact, with the gradient 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

__all__ = ["Spec", "received", "sent"]


class Spec(NamedTuple):
    """What is known of a tensor before it is computed."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    requires_grad: bool

    @property
    def is_encoded(self) -> bool:
        """Whether the tensor crosses as other numbers."""
        return not self.dtype.is_floating_point and not self.dtype.is_complex

    def empty(self, device: torch.device) -> torch.Tensor:
        """Return a tensor like that, without values."""
        return torch.empty(self.shape, dtype=self.dtype, device=device)

    def message(self) -> torch.Tensor:
        """Return a tensor like the one that crosses, without memory."""
        with torch.device("meta"):
            return _encoded(self.empty(torch.device("meta"))).requires_grad_()


def _encoded(value: torch.Tensor) -> torch.Tensor:
    if value.is_floating_point() or value.is_complex():
        return value.contiguous()
    if value.dtype in (torch.int32, torch.int64):
        return value.contiguous().reshape(-1).view(torch.float32)
    return value.to(torch.float32)  # bool and short integers are exact


def _decoded(value: torch.Tensor, spec: Spec) -> torch.Tensor:
    if not spec.is_encoded:
        return value
    if spec.dtype in (torch.int32, torch.int64):
        return value.view(spec.dtype).reshape(spec.shape)
    return value.to(spec.dtype)


class _Received(torch.autograd.Function):
    """The tensors that have been received, and a number that depends on all of them."""

    @staticmethod
    def forward(ctx: Any, specs: tuple[Spec, ...], *values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.specs = specs
        found = [_decoded(value.detach(), spec) for value, spec in zip(values, specs)]
        ctx.mark_non_differentiable(*[value for value, spec in zip(found, specs) if not spec.requires_grad])
        ctx.save_for_backward(*[value for value, spec in zip(values, specs) if not spec.requires_grad])
        return *found, torch.zeros((), device=values[0].device)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        without = iter(ctx.saved_tensors)
        pairs = zip(ctx.specs, gradients)
        return None, *[given if spec.requires_grad else torch.zeros_like(next(without)) for spec, given in pairs]


class _Sent(torch.autograd.Function):
    """The tensors to send; each has a gradient, and all depend on a number."""

    @staticmethod
    def forward(ctx: Any, link: torch.Tensor, *values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.differentiable = ctx.needs_input_grad[1:]
        ctx.device = link.device
        return tuple([_encoded(value.detach()) for value in values])

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        pairs = zip(ctx.differentiable, gradients)
        return torch.zeros((), device=ctx.device), *[given if has else None for has, given in pairs]


def received(values: tuple[torch.Tensor, ...], specs: tuple[Spec, ...]) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Return the tensors that have crossed, and what `sent` needs."""
    if not values:
        return [], torch.zeros((), requires_grad=torch.is_grad_enabled())
    if not any(value.requires_grad for value in values):
        return [_decoded(value, spec) for value, spec in zip(values, specs)], values[0]
    *found, link = _Received.apply(specs, *values)
    return found, link


def sent(values: list[torch.Tensor], link: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return tensors as they cross."""
    if not torch.is_grad_enabled() or not link.requires_grad:
        return tuple([_encoded(value.detach()) for value in values])
    results: tuple[torch.Tensor, ...] = _Sent.apply(link, *values)
    return results
