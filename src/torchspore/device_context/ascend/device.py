"""Ascend cards: whether there are any, and their number.

MindSpore: `mindspore.device_context.ascend`.
"""

from __future__ import annotations

from torchspore import hal

__all__ = ["device_count", "is_available"]


def is_available() -> bool:
    """Return `hal.is_available("Ascend")`.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.ascend.is_available() == ms.hal.is_available("Ascend")
        True
    """
    return hal.is_available("Ascend")


def device_count() -> int:
    """Return `hal.device_count("Ascend")`.

    Raises:
        ValueError: PyTorch cannot use such a device here.

    Examples:
        >>> import torchspore as ms
        >>> if ms.device_context.ascend.is_available():
        ...     count = ms.device_context.ascend.device_count()
    """
    return hal.device_count("Ascend")
