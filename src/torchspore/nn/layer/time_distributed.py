"""A layer over every time step."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import checked
from torchspore.engine.primitive import Primitive
from torchspore.nn.cell import Cell
from torchspore.ops.array.joining import stack

__all__ = ["TimeDistributed"]


class TimeDistributed(Cell):
    """A layer that is applied to every time step of its input.

    Args:
        layer: a Cell or Primitive.
        time_axis: the axis of time.
        reshape_with_axis: the axis, such as the batch, with which the time is joined, so that one call of the
            layer does all. Default: None: one call for each time step.

    Inputs: a Tensor of at least three dimensions.
    Outputs: a Tensor with time at the same axis, and the other axes as the layer returns them.

    Examples:
        >>> import torchspore as ms
        >>> layer = ms.nn.TimeDistributed(ms.nn.Dense(3, 6), time_axis=1, reshape_with_axis=0)
        >>> layer(ms.ops.ones((32, 10, 3))).shape
        (32, 10, 6)
    """

    @checked
    def __init__(self, layer: Any, time_axis: int, reshape_with_axis: int | None = None) -> None:
        super().__init__()
        if not isinstance(layer, (Cell, Primitive)):
            raise TypeError("'layer' must be a Cell or a Primitive")
        self.layer = layer
        self.time_axis = time_axis
        self.reshape_with_axis = reshape_with_axis

    def construct(self, inputs: Tensor) -> Tensor:
        time = self._axis(inputs, self.time_axis)
        if self.reshape_with_axis is None:
            return stack([self.layer(step) for step in inputs.unbind(time)], time)
        joined = self._axis(inputs, self.reshape_with_axis)
        if joined == time:
            raise ValueError("'time_axis' and 'reshape_with_axis' must be different axes")
        # The joined axes are where `joined` is without the time axis.
        position = joined - (joined > time)
        moved = inputs.movedim(time, position)
        shape = moved.shape
        output = self.layer(moved.reshape(*shape[:position], -1, *shape[position + 2 :]))
        before, after = output.shape[:position], output.shape[position + 1 :]
        return output.reshape(*before, *shape[position : position + 2], *after).movedim(position, time)

    def _axis(self, inputs: Tensor, axis: int) -> int:
        if inputs.ndim < 3:
            raise ValueError(
                f"For 'TimeDistributed', the input must have at least 3 dimensions, but got the shape {inputs.shape}."
            )
        if not -inputs.ndim <= axis < inputs.ndim:
            raise ValueError(f"For 'TimeDistributed', an input of shape {inputs.shape} has no axis {axis}.")
        return axis % inputs.ndim
