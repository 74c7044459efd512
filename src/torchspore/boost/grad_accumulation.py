"""Accumulation of the gradients of several steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Positive, checked
from torchspore.nn.cell import Cell
from torchspore.nn.optim import Optimizer
from torchspore.ops.array.assignment import assign, assign_add
from torchspore.ops.array.creation import zeros_like
from torchspore.ops.control.composite import HyperMap, MultitypeFuncGraph

__all__ = ["GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op"]

gradient_accumulation_op = MultitypeFuncGraph("gradient_accumulation_op")
"""Adds gradient / steps to a sum: `(steps, sum, gradient)`, for `HyperMap`."""

gradient_clear_op = MultitypeFuncGraph("gradient_clear_op")
"""Sets a sum to zero, for `HyperMap`."""


@gradient_accumulation_op.register("Int64", "Tensor", "Tensor")
def _accumulate(steps: int, total: Tensor, gradient: Tensor) -> Tensor:
    return assign_add(total, gradient / steps)


@gradient_clear_op.register("Tensor")
def _clear(total: Tensor) -> Tensor:
    return assign(total, zeros_like(total))


class GradientAccumulation(Cell):
    """Average the gradients of several steps before each step of the optimizer.

    Args:
        max_accumulation_step: the number of steps.
        optimizer: the optimizer.

    Inputs:
        - loss: the loss, which is returned.
        - grads: the gradients of the optimizer's parameters, a tuple of Tensors.

    Outputs:
        The loss.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> accumulation = ms.boost.GradientAccumulation(2, ms.nn.SGD([weight], 1.0))
        >>> for gradient in (0.25, 0.75):
        ...     loss = accumulation(ms.Tensor(0.0), (ms.Tensor([gradient]),))
        ...     print(weight.asnumpy())
        [1.]
        [0.5]
    """

    @checked
    def __init__(self, max_accumulation_step: Positive, optimizer: Optimizer) -> None:
        super().__init__()
        self._max_accumulation_step = max_accumulation_step
        self.hyper_map = HyperMap()  # for subclasses
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, mstype.int32), name="accumulation_step")

    def construct(self, loss: Any, grads: tuple[Tensor, ...]) -> Any:
        self.accumulate(grads, self.optimizer)
        return loss

    def accumulate(self, grads: tuple[Tensor, ...], update: Callable[[tuple[Tensor, ...]], Any]) -> None:
        """Add gradients; after the last step call `update` with the means, and reset them."""
        for total, gradient in zip(self._grad_accumulation, grads):
            _accumulate(self._max_accumulation_step, total, gradient)
        self._accumulation_step += 1
        if self._accumulation_step >= self._max_accumulation_step:
            update(tuple(self._grad_accumulation))
            assign(self._accumulation_step, Tensor(0, mstype.int32))
            for total in self._grad_accumulation:
                _clear(total)
