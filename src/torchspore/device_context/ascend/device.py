"""What there is of Ascend cards.

MindSpore: `mindspore.device_context.ascend`.
"""

from __future__ import annotations

from torchspore import hal

__all__ = ["device_count", "is_available"]


def is_available() -> bool:
    """Return whether PyTorch reaches a device of the kind "Ascend".

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.ascend.is_available() == ms.hal.is_available("Ascend")
        True

    MindSpore: `mindspore.device_context.ascend.is_available`.
    """
    return hal.is_available("Ascend")


def device_count() -> int:
    """Return the number of devices of the kind "Ascend".

    Raises:
        ValueError: PyTorch does not reach such a device here.

    Examples:
        >>> import torchspore as ms
        >>> if ms.device_context.ascend.is_available():
        ...     count = ms.device_context.ascend.device_count()

    MindSpore: `mindspore.device_context.ascend.device_count`.
    """
    return hal.device_count("Ascend")
