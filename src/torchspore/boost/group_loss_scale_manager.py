"""Separate loss scales for the parts of a network."""

from __future__ import annotations

from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.tensor import Tensor
from torchspore.engine.gradients.custom import InsertGradientOf
from torchspore.engine.parameters import AnyFloat, checked
from torchspore.nn.cell import Cell
from torchspore.ops.array.assignment import assign

__all__ = ["GroupLossScaleManager"]


class GroupLossScaleManager(Cell):
    """Scale the gradients of each part of a network by its own factor, which changes during training.

    A network calls it between its parts: before part 1 with the numbers 0 and 1, between parts 1 and 2 with 1 and 2,
    and so on, and at the end with the number of the last part and the next number. `BoostTrainOneStepWithLossScaleCell`
    then decreases the scale of a part with gradients that are not finite, and slowly increases the others.

    Args:
        init_loss_scale: the initial scale: a number, or a list with one for each part.
        loss_scale_groups: the Parameters of the parts, a list of lists. The attribute may be set later.

    Inputs:
        - x: the Tensor between two parts.
        - layer1, layer2: the numbers of the parts before and after it, ints.

    Outputs:
        The Tensor; its gradient is multiplied by the ratio of the scales.

    Examples:
        >>> import torchspore as ms
        >>> manager = ms.boost.GroupLossScaleManager(8, [[]])
        >>> manager.set_loss_scale_status(1, manager.get_loss_scale())
        >>> print(ms.grad(lambda x: manager(x * x, 1, 2))(ms.Tensor([3.0])))
        [48.]
    """

    @checked
    def __init__(
        self, init_loss_scale: int | AnyFloat | list[int | AnyFloat], loss_scale_groups: list[list[Parameter]]
    ) -> None:
        super().__init__()
        self._loss_scale = init_loss_scale
        self.loss_scale_groups = loss_scale_groups
        self.loss_scale_number = 0
        self.dynamic_loss_scale: ParameterTuple | None = None

    def set_loss_scale_status(self, loss_scale_number: int, init_loss_scale: Any) -> None:
        """Create the scales.

        Args:
            loss_scale_number: the number of parts.
            init_loss_scale: their initial scale, or a list with one for each part.
        """
        values = init_loss_scale if isinstance(init_loss_scale, list) else [init_loss_scale] * loss_scale_number
        if len(values) != loss_scale_number:
            raise ValueError(
                f"For 'GroupLossScaleManager', there must be one loss scale for each of the {loss_scale_number} parts, "
                f"but got {len(values)}."
            )
        self.loss_scale_number = loss_scale_number
        self.dynamic_loss_scale = ParameterTuple(
            [
                Parameter(Tensor(value, mstype.float32), name=f"layer_loss_scale_{number}", requires_grad=False)
                for number, value in enumerate([1, *values, 1])
            ]
        )

    def update_loss_scale_status(self, layer: int, update_ratio: Any) -> Tensor:
        """Multiply the scale of a part, counted from 0, by a factor, and return it."""
        assert self.dynamic_loss_scale is not None
        scale = self.dynamic_loss_scale[layer + 1]
        return assign(scale, scale * update_ratio)

    def construct(self, x: Tensor, layer1: int, layer2: int) -> Tensor:
        if self.dynamic_loss_scale is None:  # no training yet
            return x
        ratio = self.dynamic_loss_scale[layer1] / self.dynamic_loss_scale[layer2]
        return InsertGradientOf(lambda dout: (dout * ratio).astype(dout.dtype))(x)

    def get_loss_scale(self) -> Any:
        """Return the initial scale, or the list of initial scales."""
        return self._loss_scale

    def get_update_cell(self) -> Cell:
        """Return the cell that updates the scales, which is this one."""
        return self
