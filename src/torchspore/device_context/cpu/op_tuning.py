"""How operations run on the CPU."""

from __future__ import annotations

import torch

from torchspore.engine.parameters import Positive, checked

__all__ = ["threads_num"]


@checked
def threads_num(num: Positive) -> None:
    """Set the number of threads that share the work of an operation.

    Args:
        num: the number, > 0. Default of the environment: the number of cores.

    Examples:
        >>> import torch, torchspore as ms
        >>> before = torch.get_num_threads()
        >>> ms.device_context.cpu.op_tuning.threads_num(2)
        >>> torch.get_num_threads()
        2
        >>> ms.device_context.cpu.op_tuning.threads_num(before)
    """
    torch.set_num_threads(num)
