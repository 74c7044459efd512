"""Marks and named ranges in a trace."""

from __future__ import annotations

from itertools import count

import torch

from torchspore.engine.errors import describe
from torchspore.profiler.options import _ExperimentalConfig
from torchspore.runtime.stream import Stream, check_stream

__all__ = ["mstx", "set_marks"]

_config = _ExperimentalConfig()  # of the profile that records
_ranges: dict[int, torch.profiler.record_function] = {}
_numbers = count(1)


def set_marks(config: _ExperimentalConfig) -> None:
    """Set which marks are recorded from now on."""
    global _config
    _config = config
    mstx.enable = config.mstx


class mstx:
    """Marks and named ranges in the trace of a `profile` whose `_ExperimentalConfig` has `mstx=True`.

    Without one, nothing is recorded.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.profiler import mstx
        >>> config = ms.profiler._ExperimentalConfig(mstx=True)
        >>> with ms.profiler.profile(experimental_config=config) as prof:
        ...     number = mstx.range_start("addition")
        ...     total = ms.Tensor([1, 2]) + 1
        ...     mstx.range_end(number)
        >>> "addition" in prof.table()
        True
    """

    enable = False

    @staticmethod
    def mark(message: str, stream: Stream | None = None, domain: str = "default") -> None:
        """Put a mark into the trace.

        Args:
            message: the name of the mark.
            stream: a stream; the mark is at the host's time in any case. Default: None.
            domain: a name for the marks of one purpose. Default: "default".
        """
        name = _checked(message, stream, domain, "mstx.mark")
        if _config.includes(domain):
            with torch.profiler.record_function(name):
                pass

    @staticmethod
    def range_start(message: str, stream: Stream | None = None, domain: str = "default") -> int:
        """Begin a range; the trace also shows when a GPU did what was started in it.

        Args:
            message: the name of the range.
            stream: a stream; the range is of the host's time in any case. Default: None.
            domain: a name for the ranges of one purpose. Default: "default".

        Returns:
            A number for `range_end`; 0 when nothing is recorded.
        """
        name = _checked(message, stream, domain, "mstx.range_start")
        if not _config.includes(domain):
            return 0
        number = next(_numbers)
        _ranges[number] = torch.profiler.record_function(name)
        _ranges[number].__enter__()
        return number

    @staticmethod
    def range_end(range_id: int, domain: str = "default") -> None:
        """End a range that `range_start` began.

        Args:
            range_id: what `range_start` returned.
            domain: the range's domain. Default: "default".
        """
        if not isinstance(range_id, int) or not isinstance(domain, str):
            raise TypeError(
                f"For 'mstx.range_end', 'range_id' must be an int and 'domain' a string, but got {describe(range_id)} "
                f"and {describe(domain)}."
            )
        begun = _ranges.pop(range_id, None)
        if begun is not None:
            begun.__exit__(None, None, None)


def _checked(message: str, stream: Stream | None, domain: str, api: str) -> str:
    """Return the name of a mark in the trace."""
    if not isinstance(message, str) or not isinstance(domain, str):
        raise TypeError(
            f"For '{api}', 'message' and 'domain' must be strings, but got {describe(message)} and {describe(domain)}."
        )
    if stream is not None:
        check_stream(stream, "stream", api)
    return message if domain == "default" else f"{domain}: {message}"
