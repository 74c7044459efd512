"""SciPy's functions on tensors: cosine transforms, linear algebra, optimisation."""

from __future__ import annotations

from torchspore.scipy import fft, linalg, optimize

__all__ = ["fft", "linalg", "optimize"]
