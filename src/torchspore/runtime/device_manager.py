"""The device in use, and reproducible results.

MindSpore: `mindspore.device_manager`.
"""

from __future__ import annotations

from torchspore.context import get_current_device, set_context, set_device
from torchspore.engine.parameters import checked

__all__ = ["get_current_device", "set_deterministic", "set_device"]


@checked
def set_deterministic(deterministic: bool) -> None:
    """Use deterministic algorithms, or allow the fastest ones.

    With the same seed (`set_seed`), the same program and the same device, results are then the same in every run.
    An operation that has no such algorithm on a GPU warns when it is called.

    Args:
        deterministic: whether to use them.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_deterministic(True)
        >>> ms.get_context("deterministic")
        'ON'
        >>> ms.set_deterministic(False)
    """
    set_context(deterministic="ON" if deterministic else "OFF")
