"""The questions that each kind of device answers."""

from __future__ import annotations

from collections.abc import Callable

from torchspore import hal

__all__ = ["of_kind"]


def of_kind(kind: str, module: str) -> tuple[Callable[[], bool], Callable[[], int]]:
    """Return `is_available` and `device_count` of a kind of device, for the module that exports them."""

    def is_available() -> bool:
        return hal.is_available(kind)

    def device_count() -> int:
        return hal.device_count(kind)

    is_available.__doc__ = f'Return `hal.is_available("{kind}")`.'
    device_count.__doc__ = f'Return `hal.device_count("{kind}")`, a ValueError if PyTorch cannot use such devices here.'
    for function in (is_available, device_count):
        function.__module__, function.__qualname__ = module, function.__name__
    return is_available, device_count
