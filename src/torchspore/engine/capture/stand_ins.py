"""Stand-ins for the values of tensors while a graph is recorded, and what becomes of other threads that meet them.

A recorded function finds its parameters through Python, so stand-ins have to be where the parameters' values are, for
all threads to see. An operation of another thread on one waits until the recording is over, and then has the value.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from torchspore.common.private_torch import DispatchMode, FakeTensor, FakeTensorMode, tree_map_only

__all__ = ["StandIns", "recording", "stand_in"]

# Held while a graph is recorded, when parameters have stand-ins, and while the inputs of a run are read.
recording = threading.RLock()


class StandIns(FakeTensorMode):
    """The mode of one recording, which makes stand-ins."""

    def __init__(self, **options: Any) -> None:
        self._thread = threading.get_ident()
        self._is_in_kernel = False
        self._waiting = _Waiting()
        super().__init__(allow_non_fake_inputs=True, **options)

    @property
    def in_kernel_invocation(self) -> bool:
        """Whether this thread is inside a kernel that finds out shapes."""
        return self._is_in_kernel and threading.get_ident() == self._thread

    @in_kernel_invocation.setter
    def in_kernel_invocation(self, value: bool) -> None:
        self._is_in_kernel = value

    def __enter__(self) -> Any:
        """Enter the mode; another thread enters one that waits."""
        if threading.get_ident() == self._thread:
            return super().__enter__()
        self._waiting.modes.append(_Values())
        return self._waiting.modes[-1].__enter__()

    def __exit__(self, *error: Any) -> None:
        """Leave the mode."""
        if threading.get_ident() == self._thread:
            super().__exit__(*error)
        else:
            self._waiting.modes.pop().__exit__(*error)


def stand_in(value: torch.Tensor, real: torch.Tensor) -> None:
    """Note what a stand-in is there for."""
    value.stands_for = weakref.ref(real)  # type: ignore[attr-defined]


class _Waiting(threading.local):
    def __init__(self) -> None:
        self.modes: list[_Values] = []


class _Values(DispatchMode):
    """Gives operations the values in place of stand-ins, when the recording is over."""

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        with recording:
            real_args, real_kwargs = tree_map_only(FakeTensor, _value, (tuple(args), dict(kwargs or {})))
        return func(*real_args, **real_kwargs)


def _value(stand_in: torch.Tensor) -> torch.Tensor:
    value = getattr(stand_in, "stands_for", lambda: None)()
    if value is None:
        raise RuntimeError(
            "a thread uses a tensor that another thread only records in a graph: call the captured function once "
            "before the threads start"
        )
    return value
