"""Streams (queues of work on a device) and events (markers in a stream, for waiting and timing).

The work of one stream runs in order; work of several streams may overlap. A CPU has one stream, and runs everything
synchronously.
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

import torch

from torchspore.common import device as devices
from torchspore.common.frames.user_lines import warn_of_unknown
from torchspore.engine.parameters import checked

__all__ = [
    "Event", "Stream", "StreamCtx", "communication_stream", "current_stream", "default_stream", "set_cur_stream",
    "synchronize",
]  # fmt: skip


class Stream:
    """A queue of work on the device in use.

    A CPU has only one stream, which every `Stream()` is. On a GPU, memory belongs to the stream that allocated it: keep
    a tensor alive until the other streams that use it are done.

    Args:
        priority: on a GPU, a lower number is served first. Default: 0.
        kwargs: `stream_id`, the number of a stream, is refused: streams are objects here.

    Raises:
        TypeError: `priority` is not an int, or another argument is given.
        ValueError: `stream_id` is given.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_device("CPU")
        >>> stream = ms.runtime.Stream()
        >>> with ms.runtime.StreamCtx(stream):
        ...     total = ms.Tensor([1, 2]) + 1
        >>> stream.synchronize()
        >>> stream.query()
        True
        >>> stream
        Stream(device_name=CPU, device_id:0, stream id:0)
    """

    @checked
    def __init__(self, priority: int = 0, **kwargs: Any) -> None:
        if "stream_id" in kwargs:
            raise ValueError(
                f"For 'Stream', there is no stream with the number {kwargs['stream_id']!r} to be found: numbers are "
                "torch's own here. Keep the Stream itself, or call 'current_stream' or 'default_stream'."
            )
        warn_of_unknown(kwargs, "Stream", ["priority"])
        device = devices.current()
        own = None if device.type == "cpu" else torch.get_device_module(device).Stream(device, priority=priority)
        self._hold(device, own)

    def _hold(self, device: torch.device, own: Any) -> None:
        self._device, self._own = device, own  # torch's stream; None on a CPU
        self.id = 0 if own is None else own.stream_id

    @property
    def device_name(self) -> str:
        """The kind of device: "CPU", "GPU" or "Ascend"."""
        return devices.describe(torch.device(self._device.type))

    @property
    def device_id(self) -> int:
        """The number of the device among devices of its kind."""
        return self._device.index or 0

    def stream_id(self) -> int:
        """Return the number of the stream; 0 is the default one."""
        return self.id

    def query(self) -> bool:
        """Return whether all work is done."""
        return self._own is None or bool(self._own.query())

    def synchronize(self) -> None:
        """Wait until all work is done."""
        if self._own is not None:
            self._own.synchronize()

    @checked
    def record_event(self, event: Event | None = None) -> Event:
        """Record an event after the work that is queued now.

        Args:
            event: the event. Default: None, a new one.

        Returns:
            The event.
        """
        event = event or Event()
        event.record(self)
        return event

    @checked
    def wait_event(self, event: Event) -> None:
        """Make later work wait for an event."""
        event.wait(self)

    @checked
    def wait_stream(self, stream: Stream) -> None:
        """Make later work wait for everything that is queued in another stream now."""
        self.wait_event(stream.record_event())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stream):
            return NotImplemented
        return (self._device, self._own) == (other._device, other._own)

    def __hash__(self) -> int:
        return hash((self._device, self.id))

    def __repr__(self) -> str:
        return f"Stream(device_name={self.device_name}, device_id:{self.device_id}, stream id:{self.id})"


class Event:
    """A marker in a stream.

    Args:
        enable_timing: whether `elapsed_time` is wanted. Default: False.
        blocking: whether `synchronize` blocks instead of polling. Default: False. It has no effect on a CPU.

    Examples:
        >>> import torchspore as ms
        >>> start, end = (ms.runtime.Event(enable_timing=True) for _ in range(2))
        >>> start.record()
        >>> total = ms.Tensor([1, 2]) + 1
        >>> end.record()
        >>> end.synchronize()
        >>> start.elapsed_time(end) > 0
        True
    """

    @checked
    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        self._timing = enable_timing
        device = devices.current()
        self._own: Any = None  # torch's event; None on a CPU
        if device.type != "cpu":
            self._own = torch.get_device_module(device).Event(enable_timing=enable_timing, blocking=blocking)
        self._recorded_at: float | None = None  # in seconds of the host's clock

    @checked
    def record(self, stream: Stream | None = None) -> None:
        """Record the event after the work that is queued in a stream now.

        Args:
            stream: the stream. Default: None, the one in use.
        """
        own = _as_arguments(stream)
        self._recorded_at = time.perf_counter()
        if self._own is not None:
            self._own.record(*own)

    @checked
    def wait(self, stream: Stream | None = None) -> None:
        """Make later work of a stream wait for the event.

        Args:
            stream: the stream. Default: None, the one in use.
        """
        own = _as_arguments(stream)
        if self._own is not None:
            self._own.wait(*own)

    def synchronize(self) -> None:
        """Wait until the work before the event is done."""
        if self._own is not None:
            self._own.synchronize()

    def query(self) -> bool:
        """Return whether the work before the event is done."""
        return self._own is None or bool(self._own.query())

    @checked
    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds from this event to a later one.

        Args:
            end_event: the later event; both are recorded, and made with `enable_timing=True`.

        Raises:
            RuntimeError: an event is not recorded, has no timing, or is not complete yet.
        """
        if not (self._timing and end_event._timing):
            raise RuntimeError("For 'elapsed_time', both events must be made with enable_timing=True.")
        if self._recorded_at is None or end_event._recorded_at is None:
            raise RuntimeError("For 'elapsed_time', both events must be recorded first, with 'record'.")
        if self._own is not None:
            return float(self._own.elapsed_time(end_event._own))
        return (end_event._recorded_at - self._recorded_at) * 1000

    def __repr__(self) -> str:
        return f"Event(enable_timing={self._timing}, recorded={self._recorded_at is not None})"


class StreamCtx:
    """A `with` block in which a stream is the current one.

    Args:
        ctx_stream: the stream; None leaves the one in use.

    Examples:
        >>> import torchspore as ms
        >>> with ms.runtime.StreamCtx(ms.runtime.Stream()):
        ...     total = ms.Tensor([1, 2]) + 1
        >>> ms.runtime.synchronize()
        >>> print(total)
        [2 3]
    """

    @checked
    def __init__(self, ctx_stream: Stream | None) -> None:
        self.stream = ctx_stream
        self._before: list[Stream] = []

    def __enter__(self) -> StreamCtx:
        self._before.append(current_stream())
        if self.stream is not None:
            set_cur_stream(self.stream)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        set_cur_stream(self._before.pop())


def _as_arguments(stream: Stream | None) -> tuple[Any, ...]:
    """Return torch's stream as a tuple of arguments for torch's methods; empty for the current stream."""
    own = None if stream is None else stream._own
    return () if own is None else (own,)


def _wrap(name: str) -> Stream:
    """Return the stream that torch's function `name` returns."""
    device = devices.current()
    own = None if device.type == "cpu" else getattr(torch.get_device_module(device), name)(device)
    stream = object.__new__(Stream)
    stream._hold(device, own)
    return stream


def current_stream() -> Stream:
    """Return the current stream.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.current_stream() == ms.runtime.default_stream()
        True
    """
    return _wrap("current_stream")


def default_stream() -> Stream:
    """Return the default stream.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.default_stream().stream_id()
        0
    """
    return _wrap("default_stream")


def communication_stream() -> Stream:
    """Return the stream for communication between processes; on a CPU, the only one.

    Raises:
        NotImplementedError: the device in use is not a CPU: torch does not expose its communication streams.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_device("CPU")
        >>> ms.runtime.communication_stream()
        Stream(device_name=CPU, device_id:0, stream id:0)
    """
    if devices.current().type != "cpu":
        raise NotImplementedError(
            "For 'communication_stream', torch keeps its streams of communication to itself. Wait for an exchange with "
            "the 'wait' of the handle that it returns with async_op=True."
        )
    return current_stream()


@checked
def set_cur_stream(stream: Stream | None) -> None:
    """Set the current stream.

    Args:
        stream: the stream; None leaves the one in use.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.set_cur_stream(ms.runtime.default_stream())
    """
    own = None if stream is None else stream._own
    if own is not None:
        torch.get_device_module(own.device).set_stream(own)


def synchronize() -> None:
    """Wait until all streams of the device in use are done.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.synchronize()
    """
    torch.get_device_module(devices.current()).synchronize()
