"""MindIO, a service of Ascend clusters that loads checkpoints ahead: there is none here."""

from __future__ import annotations

__all__ = ["mindio_preload", "set_mindio_server_info"]


def mindio_preload(ckpt_file_name: str) -> bool:
    """Return whether a checkpoint is being preloaded: False, as there is no such service here.

    Args:
        ckpt_file_name: the path of the file.

    Examples:
        >>> import torchspore as ms
        >>> ms.mindio_preload("net.ckpt")
        False
    """
    if not isinstance(ckpt_file_name, str):
        raise TypeError(
            f"For 'mindio_preload', 'ckpt_file_name' must be a string, but got {type(ckpt_file_name).__name__}."
        )
    return False


def set_mindio_server_info(data_block_pool_capacity_in_gb: int = 100) -> None:
    """Accept the memory limit of a checkpoint service; there is no such service here.

    Args:
        data_block_pool_capacity_in_gb: gigabytes. Default: 100.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_mindio_server_info(50)
    """
    if not isinstance(data_block_pool_capacity_in_gb, int):
        raise TypeError(
            "For 'set_mindio_server_info', 'data_block_pool_capacity_in_gb' must be an int, but got "
            f"{type(data_block_pool_capacity_in_gb).__name__}."
        )
