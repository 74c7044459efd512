"""The questions that each kind of device answers."""

from __future__ import annotations

from collections.abc import Callable

import torchspore.hal as hal
from torchspore.hal.device import Target

__all__ = ["of_kind"]


def of_kind(kind: Target) -> tuple[Callable[[], bool], Callable[[], int]]:
    """Return `is_available` and `device_count` of a kind of device."""

    def is_available() -> bool:
        """Return whether PyTorch can use such a device; see `hal.is_available`.

        Examples:
            >>> from torchspore import device_context
            >>> device_context.cpu.is_available(), device_context.gpu.is_available() in (True, False)
            (True, True)
        """
        return hal.is_available(kind)

    def device_count() -> int:
        """Return the number of such devices; see `hal.device_count`.

        Examples:
            >>> from torchspore import device_context
            >>> device_context.cpu.device_count() >= 1, device_context.gpu.device_count() >= 0
            (True, True)
        """
        return hal.device_count(kind)

    return is_available, device_count
