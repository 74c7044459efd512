"""What runs where: streams, memory, threads, reproducible results."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.unsupported import refusing as _refusing
from torchspore.runtime import affinity, launching, limits, memory, memory_pool, stream
from torchspore.runtime.affinity import *  # noqa: F403
from torchspore.runtime.launching import *  # noqa: F403
from torchspore.runtime.limits import *  # noqa: F403
from torchspore.runtime.memory import *  # noqa: F403
from torchspore.runtime.memory_pool import *  # noqa: F403
from torchspore.runtime.stream import *  # noqa: F403

memory_replay = _refusing("runtime", "memory_replay")

__all__ = ["memory_replay"]
__all__ += affinity.__all__
__all__ += launching.__all__
__all__ += limits.__all__
__all__ += memory.__all__
__all__ += memory_pool.__all__
__all__ += stream.__all__

_suggest_names(globals())
