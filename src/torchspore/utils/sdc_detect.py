"""Detection of silent data corruption, which only Ascend cards support."""

from __future__ import annotations

from torchspore import log

__all__ = ["get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop"]


def sdc_detect_start() -> None:
    """Log a warning: neither CPUs nor GPUs look for silently wrong results.

    Examples:
        >>> import torchspore as ms
        >>> ms.utils.sdc_detect_start()
    """
    log.warning("For 'sdc_detect_start', only Ascend cards look for silently wrong results: nothing is looked for.")


def sdc_detect_stop() -> None:
    """Do nothing, as nothing was started.

    Examples:
        >>> import torchspore as ms
        >>> ms.utils.sdc_detect_stop()
    """


def get_sdc_detect_result() -> bool:
    """Return whether silently wrong results were found: False, as none are looked for.

    Examples:
        >>> import torchspore as ms
        >>> ms.utils.get_sdc_detect_result()
        False
    """
    return False
