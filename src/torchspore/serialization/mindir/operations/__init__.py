"""Torch's operations as MindSpore's primitives."""

from __future__ import annotations

from torchspore.serialization.mindir.operations import (  # noqa: F401
    activations,
    elementwise,
    linear_algebra,
    networks,
    recurrent,
    reductions,
    scattering,
    shapes,
    windows,
)
from torchspore.serialization.mindir.operations.forms import FORMS

__all__ = ["FORMS"]
