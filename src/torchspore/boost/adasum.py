"""Adaptive summation of the changes that groups of devices make, which is not supported."""

from __future__ import annotations

from typing import Any

from torchspore.nn.cell import Cell

__all__ = ["AdaSum"]


class AdaSum(Cell):
    """Not supported: adaptive summation of weight changes between groups of 8 devices.

    Raises:
        NotImplementedError: always.

    MindSpore: `mindspore.boost.AdaSum`.
    """

    def __init__(self, rank: int, device_number: int, group_number: int, parameter_tuple: Any) -> None:
        raise NotImplementedError(
            "For 'AdaSum', there is no implementation: it adds up the changes of at least two servers with 8 Ascend "
            "cards each. Average the gradients by mint.distributed.all_reduce."
        )
