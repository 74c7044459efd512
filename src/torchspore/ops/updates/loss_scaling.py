"""What training with a scaled loss needs: gradients divided by the scale, and whether all of them are finite."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.common import mode
from torchspore.engine.op import op

__all__ = ["all_finite", "unscaled"]


@op
def all_finite(inputs: list[Tensor]) -> Tensor:
    """Return whether all elements of all tensors are finite.

    Args:
        inputs: a list or tuple of floating point tensors.

    Returns:
        A bool Tensor without dimensions.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.ops.updates.loss_scaling import all_finite
        >>> print(all_finite([ms.Tensor([1.0, 2.0]), ms.Tensor([float("inf")])]))
        False
    """
    if mode.cut is not None and mode.cut.stages > 1:  # gradients of parameters of all stages
        is_finite = _are_finite([value for value in inputs if not value.is_meta])
        return mode.cut.most([(~is_finite).float()])[0] == 0
    return _are_finite(inputs)


def _are_finite(inputs: list[Tensor]) -> Tensor:
    if not inputs:
        return torch.tensor(True)
    # The largest absolute value of each tensor in one pass over it: infinite or NaN if an element is.
    largest: Any = torch._foreach_norm([value.float() if value.dim() == 0 else value for value in inputs], float("inf"))
    return torch.stack([value.float().to(inputs[0].device) for value in largest]).isfinite().all()


@op
def unscaled(gradients: list[Tensor], scale: Tensor) -> Any:
    """Return the gradients divided by a scale of one element, in their own data types."""
    factor = scale.reshape(()).reciprocal()
    if all(gradient.is_floating_point() and gradient.dtype is gradients[0].dtype for gradient in gradients):
        return tuple(torch._foreach_mul(gradients, factor.to(gradients[0].dtype))) if gradients else ()
    return tuple([gradient * factor.to(gradient.dtype) for gradient in gradients])
