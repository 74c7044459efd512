"""Objects sent between two processes over a pair of sockets; large arrays are neither pickled nor copied to send."""

from __future__ import annotations

import pickle
import select
import socket
import struct
from typing import Any

import numpy as np

__all__ = ["Channel"]

_MIN_BUFFER = 1 << 12  # bytes; smaller arrays are part of the pickle
_NUMBER = struct.Struct("<Q")


class Channel:
    """One end of a pair.

    Args:
        end: the socket.
    """

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    @classmethod
    def pair(cls) -> tuple[Channel, Channel]:
        """Return two connected ends."""
        first, second = socket.socketpair()
        return cls(first), cls(second)

    def send(self, thing: Any) -> int:
        """Send an object, and return its number of bytes.

        Raises:
            OSError: the other end is closed.
        """
        buffers: list[memoryview] = []

        def take(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes < _MIN_BUFFER:
                return True
            buffers.append(raw)
            return False

        pickled = pickle.dumps(thing, protocol=5, buffer_callback=take)
        lengths = [len(pickled), *(each.nbytes for each in buffers)]
        head = b"".join(map(_NUMBER.pack, [len(lengths), *lengths]))
        self._end.sendall(head + pickled)
        for each in buffers:
            self._end.sendall(each)
        return sum(lengths)

    def receive(self) -> Any:
        """Wait for the next object and return it.

        Raises:
            EOFError: the other end is closed.
        """
        (count,) = _NUMBER.unpack(self._read(_NUMBER.size))
        numbers = self._read(count * _NUMBER.size)
        lengths = [length for (length,) in _NUMBER.iter_unpack(numbers)]
        pickled, *buffers = [self._read(length) for length in lengths]
        return pickle.loads(pickled, buffers=buffers)

    def ready(self, seconds: float) -> bool:
        """Wait for something to receive, and return whether there is any."""
        poll = select.poll()
        poll.register(self._end, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def close(self) -> None:
        """Close this end."""
        self._end.close()

    def _read(self, length: int) -> memoryview:
        content = np.empty(length, np.uint8).data  # a bytearray would be filled with zeros first
        view = content
        while view.nbytes:
            try:
                read = self._end.recv_into(view)
            except ConnectionResetError:
                read = 0
            if not read:
                raise EOFError
            view = view[read:]
        return content
