"""Torch's operations as MindSpore's primitives."""

from __future__ import annotations

from torchspore.serialization.mindir.operations import elementwise, networks, reductions, shapes  # noqa: F401
from torchspore.serialization.mindir.operations.forms import FORMS

__all__ = ["FORMS"]
