"""Marks and named ranges in a trace."""

from __future__ import annotations

from itertools import count

import torch

from torchspore.engine.parameters import checked
from torchspore.profiler.options import _ExperimentalConfig
from torchspore.runtime.stream import Stream

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
    @checked
    def mark(message: str, stream: Stream | None = None, domain: str = "default") -> None:
        """Put a mark into the trace.

        Args:
            message: the name of the mark.
            stream: a stream; the mark is at the host's time in any case. Default: None.
            domain: a name for the marks of one purpose. Default: "default".
        """
        name = _shown(message, domain)
        if _config.includes(domain):
            with torch.profiler.record_function(name):
                pass

    @staticmethod
    @checked
    def range_start(message: str, stream: Stream | None = None, domain: str = "default") -> int:
        """Begin a range; the trace also shows when a GPU did what was started in it.

        Args:
            message: the name of the range.
            stream: a stream; the range is of the host's time in any case. Default: None.
            domain: a name for the ranges of one purpose. Default: "default".

        Returns:
            A number for `range_end`; 0 when nothing is recorded.
        """
        name = _shown(message, domain)
        if not _config.includes(domain):
            return 0
        number = next(_numbers)
        _ranges[number] = torch.profiler.record_function(name)
        _ranges[number].__enter__()
        return number

    @staticmethod
    @checked
    def range_end(range_id: int, domain: str = "default") -> None:
        """End a range that `range_start` began.

        Args:
            range_id: what `range_start` returned.
            domain: the range's domain. Default: "default".
        """
        begun = _ranges.pop(range_id, None)
        if begun is not None:
            begun.__exit__(None, None, None)


def _shown(message: str, domain: str) -> str:
    """Return the name of a mark in the trace."""
    return message if domain == "default" else f"{domain}: {message}"
