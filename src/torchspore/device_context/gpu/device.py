"""What there is of GPUs.

MindSpore: `mindspore.device_context.gpu`.
"""

from __future__ import annotations

from torchspore import hal

__all__ = ["device_count", "is_available"]


def is_available() -> bool:
    """Return whether PyTorch reaches a device of the kind "GPU".

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.gpu.is_available() == ms.hal.is_available("GPU")
        True

    MindSpore: `mindspore.device_context.gpu.is_available`.
    """
    return hal.is_available("GPU")


def device_count() -> int:
    """Return the number of devices of the kind "GPU".

    Raises:
        ValueError: PyTorch does not reach such a device here.

    Examples:
        >>> import torchspore as ms
        >>> if ms.device_context.gpu.is_available():
        ...     count = ms.device_context.gpu.device_count()

    MindSpore: `mindspore.device_context.gpu.device_count`.
    """
    return hal.device_count("GPU")
