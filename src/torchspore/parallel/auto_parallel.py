"""Networks that MindSpore's compiler splits over devices: not supported."""

from __future__ import annotations

from torchspore.common.unsupported import refusing, unsupported

globals().update({name: refusing("parallel.auto_parallel", name) for name in unsupported("parallel.auto_parallel")})

__all__ = [*unsupported("parallel.auto_parallel")]
