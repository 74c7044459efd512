"""Events: places in a stream's queue, to wait for and to measure between."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch

from torchspore.common import device as devices
from torchspore.engine.checks import check_bool
from torchspore.engine.errors import describe

if TYPE_CHECKING:
    from torchspore.runtime.stream import Stream

__all__ = ["Event"]


class Event:
    """A place in the queue of a stream.

    Args:
        enable_timing: whether `elapsed_time` is wanted. Default: False.
        blocking: whether `synchronize` lets the processor sleep. Default: False. A CPU has nothing to wait for.

    Raises:
        TypeError: an argument is no bool.

    Examples:
        >>> import torchspore as ms
        >>> start, end = (ms.runtime.Event(enable_timing=True) for _ in range(2))
        >>> start.record()
        >>> total = ms.Tensor([1, 2]) + 1
        >>> end.record()
        >>> end.synchronize()
        >>> start.elapsed_time(end) > 0
        True

    MindSpore: `mindspore.runtime.Event`.
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        self._timing = check_bool(enable_timing, "enable_timing", "Event")
        check_bool(blocking, "blocking", "Event")
        device = devices.current()
        self._own: Any = None  # torch's event; None on a CPU
        if device.type != "cpu":
            self._own = torch.get_device_module(device).Event(enable_timing=enable_timing, blocking=blocking)
        self._recorded_at: float | None = None  # in seconds of the host's clock

    def record(self, stream: Stream | None = None) -> None:
        """Put the event behind the work that a stream has now.

        Args:
            stream: the stream. Default: None, the one in use.

        Raises:
            TypeError: it is no Stream.
        """
        own = _own(stream, "record")
        self._recorded_at = time.perf_counter()
        if self._own is not None:
            self._own.record(*own)

    def wait(self, stream: Stream | None = None) -> None:
        """Let work that comes later to a stream wait for the event.

        Args:
            stream: the stream. Default: None, the one in use.

        Raises:
            TypeError: it is no Stream.
        """
        own = _own(stream, "wait")
        if self._own is not None:
            self._own.wait(*own)

    def synchronize(self) -> None:
        """Wait until the work before the event is done."""
        if self._own is not None:
            self._own.synchronize()

    def query(self) -> bool:
        """Return whether the work before the event is done."""
        return self._own is None or bool(self._own.query())

    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds from this event to a later one.

        Args:
            end_event: the later event; both are recorded, and made with `enable_timing=True`.

        Raises:
            TypeError: it is no Event.
            RuntimeError: an event is not recorded, has no timing, or is not reached yet.
        """
        if not isinstance(end_event, Event):
            raise TypeError(f"For 'elapsed_time', 'end_event' must be an Event, but got {describe(end_event)}.")
        if not (self._timing and end_event._timing):
            raise RuntimeError("For 'elapsed_time', both events must be made with enable_timing=True.")
        if self._recorded_at is None or end_event._recorded_at is None:
            raise RuntimeError("For 'elapsed_time', both events must be recorded first, with 'record'.")
        if self._own is not None:
            return float(self._own.elapsed_time(end_event._own))
        return (end_event._recorded_at - self._recorded_at) * 1000

    def __repr__(self) -> str:
        return f"Event(enable_timing={self._timing}, recorded={self._recorded_at is not None})"


def _own(stream: Stream | None, api: str) -> tuple[Any, ...]:
    """Return torch's stream as the arguments of torch's methods, none for the stream in use."""
    from torchspore.runtime.stream import check_stream

    own = None if stream is None else check_stream(stream, "stream", api)._own
    return () if own is None else (own,)
