"""SciPy's functions on tensors: cosine transforms, linear algebra and optimization."""

from __future__ import annotations

import torchspore.numpy  # noqa: F401 - before a module in it: threads may import both
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.scipy import fft, linalg, optimize

__all__ = ["fft", "linalg", "optimize"]

_suggest_names(globals())
