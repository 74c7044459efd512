"""Special functions: `mint.special`."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.engine.op import op
from torchspore.mint.from_ops import erfc, exp2, expm1, log1p, sinc
from torchspore.mint.nn.functional.activation import log_softmax

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]


@op
def round(input: Tensor) -> Tensor:
    """The nearest integer, halves to even."""
    return torch.round(input)


_suggest_names(globals())
