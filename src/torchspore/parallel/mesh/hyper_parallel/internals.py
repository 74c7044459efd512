"""Names of the library `hyper_parallel` that are part of its own design: they are imported, and refuse to be used."""

from __future__ import annotations

from torchspore.common.names.unsupported import refusing, unsupported
from torchspore.parallel.mesh.batches import BatchDimSpec

_NAME = "parallel.mesh.hyper_parallel.internals"
globals().update({name: refusing(_NAME, name) for name in unsupported(_NAME)})

__all__ = ["BatchDimSpec", *unsupported(_NAME)]
