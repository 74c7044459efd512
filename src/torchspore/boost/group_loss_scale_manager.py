"""Loss scales of their own for the parts of a network."""

from __future__ import annotations

from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.tensor import Tensor
from torchspore.engine.custom import InsertGradientOf
from torchspore.engine.errors import describe
from torchspore.nn.cell import Cell
from torchspore.ops.array.assignment import assign

__all__ = ["GroupLossScaleManager"]


class GroupLossScaleManager(Cell):
    """Scales the gradients of every part of a network by a number of its own, which changes during the training.

    A network calls it between its parts: before part 1 with the numbers 0 and 1, between parts 1 and 2 with 1 and 2,
    and so on, and at the end with the number of the last part and the next number. `BoostTrainOneStepWithLossScaleCell`
    then makes a part's scale smaller when one of its gradients is not finite, and else a little larger.

    Args:
        init_loss_scale: the first scale: a number, or a list of one for each part.
        loss_scale_groups: the Parameters of the parts, a list of lists. It may be set later, as an attribute.

    Inputs:
        - x: what goes from one part to the next, a Tensor.
        - layer1: the number of the part before, an int.
        - layer2: the number of the part after, an int.

    Outputs:
        The Tensor; its gradient is multiplied by the quotient of the scales.

    Raises:
        TypeError: an argument of a wrong type.

    Examples:
        >>> import torchspore as ms
        >>> manager = ms.boost.GroupLossScaleManager(8, [[]])
        >>> manager.set_loss_scale_status(1, manager.get_loss_scale())
        >>> print(ms.grad(lambda x: manager(x * x, 1, 2))(ms.Tensor([3.0])))
        [48.]

    MindSpore: `mindspore.boost.GroupLossScaleManager`.
    """

    def __init__(self, init_loss_scale: Any, loss_scale_groups: list[list[Parameter]]) -> None:
        super().__init__()
        if not isinstance(loss_scale_groups, list):
            raise TypeError(
                "For 'GroupLossScaleManager', 'loss_scale_groups' must be a list, "
                f"but got {describe(loss_scale_groups)}."
            )
        values = init_loss_scale if isinstance(init_loss_scale, list) else [init_loss_scale]
        if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
            raise TypeError(
                "For 'GroupLossScaleManager', 'init_loss_scale' must be a number or a list of numbers, "
                f"but got {describe(init_loss_scale)}."
            )
        self._loss_scale = init_loss_scale
        self.loss_scale_groups = loss_scale_groups
        self.loss_scale_number = 0
        self.dynamic_loss_scale: ParameterTuple | None = None

    def set_loss_scale_status(self, loss_scale_number: int, init_loss_scale: Any) -> None:
        """Make the scales.

        Args:
            loss_scale_number: the number of parts.
            init_loss_scale: their first scale, or a list of their first scales.

        Raises:
            ValueError: the list has another length.
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
        """Multiply the scale of a part, counted from 0, by a number, and return it."""
        assert self.dynamic_loss_scale is not None
        scale = self.dynamic_loss_scale[layer + 1]
        return assign(scale, scale * update_ratio)

    def construct(self, x: Tensor, layer1: int, layer2: int) -> Tensor:
        if self.dynamic_loss_scale is None:  # no training yet
            return x
        ratio = self.dynamic_loss_scale[layer1] / self.dynamic_loss_scale[layer2]
        return InsertGradientOf(lambda dout: (dout * ratio).astype(dout.dtype))(x)

    def get_loss_scale(self) -> Any:
        """Return the first scale, or the list of them."""
        return self._loss_scale

    def get_update_cell(self) -> Cell:
        """Return the cell itself: training steps take it for what changes the scales."""
        return self
