"""The CPU.

MindSpore: `mindspore.device_context.cpu`.
"""

from __future__ import annotations

from torchspore import hal

__all__ = ["device_count", "is_available"]


def is_available() -> bool:
    """Return whether there is a CPU: always.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.cpu.is_available()
        True
    """
    return hal.is_available("CPU")


def device_count() -> int:
    """Return the number of CPUs, which count as one.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.cpu.device_count()
        1
    """
    return hal.device_count("CPU")
