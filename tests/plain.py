"""What tests compare: plain values instead of tensors, the torch operations that run."""

from __future__ import annotations

from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode


def values(tree: Any) -> Any:
    """Return nested tuples of lists."""
    return tuple(map(values, tree)) if isinstance(tree, (tuple, list)) else tree.asnumpy().tolist()


class TorchCalls(TorchDispatchMode):
    """The names of the torch operations that run."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))
