"""Exchange of tensors with other libraries."""

from __future__ import annotations

from torchspore.common.tensor import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
