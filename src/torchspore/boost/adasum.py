"""Adaptive summation of the updates of groups of devices, which is not supported."""

from __future__ import annotations

from typing import Any

from torchspore.nn.cell import Cell

__all__ = ["AdaSum"]


class AdaSum(Cell):
    """Not supported: adaptive summation of weight updates between groups of 8 devices.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, rank: int, device_number: int, group_number: int, parameter_tuple: Any) -> None:
        raise NotImplementedError(
            "For 'AdaSum', there is no implementation: it sums the updates of at least two servers with 8 Ascend cards "
            "each. Average the gradients with mint.distributed.all_reduce."
        )
