"""Primitives that MindSpore's compiler adds to networks which are cut over devices: they mark a place in a network.

Programs that test strategies call some of them. On one device they return their inputs.
"""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.gradients.custom import call_with_bprop
from torchspore.engine.primitive import Primitive
from torchspore.engine.values.nested import map_tensors

__all__: list[str] = []  # what programs import, they import by path


class _VirtualDataset(Primitive):
    """Marks the inputs of a network, and returns them."""

    def __init__(self) -> None:
        super().__init__()
        self.order_enforce_skip = True

    def __call__(self, *inputs: Any) -> Any:
        return inputs[0] if len(inputs) == 1 else inputs


class _VirtualOutput(_VirtualDataset):
    """Marks the outputs of a network, and returns them."""


class _VirtualDiv(Primitive):
    """Returns its input, whose gradient is divided by a number.

    Args:
        divisor: the number. Default: None, no division.
    """

    def __init__(self, divisor: float | None = None) -> None:
        super().__init__()
        self.divisor = divisor
        self.order_enforce_skip = True

    def __call__(self, x: Any) -> Any:
        divisor = 1 if self.divisor is None else self.divisor

        def bprop(value: Any, out: Any, dout: Any) -> tuple[Any]:
            return (map_tensors(lambda gradient: gradient / divisor, dout),)

        return call_with_bprop(self.name, lambda value: map_tensors(Tensor.copy, value), bprop, (x,), {}, [])


class _MirrorOperator(Primitive):
    """Returns its input, whose gradient is the sum over a group; on one device it is the gradient there.

    Args:
        group, dev_num, mean_flag: the group, the number of its devices, and whether the sum is divided by it. Default:
            None.
    """

    def __init__(self, group: str | None = None, dev_num: int | None = None, mean_flag: bool | None = None) -> None:
        super().__init__()
        self.group, self.dev_num, self.mean_flag = group, dev_num, mean_flag

    def __call__(self, x: Any) -> Any:
        return x
