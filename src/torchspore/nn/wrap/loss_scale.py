"""Training with a scaled loss: small gradients do not vanish in float16, and steps that overflow are skipped."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Where, checked
from torchspore.nn.cell import Cell
from torchspore.nn.wrap.cell_wrapper import TrainOneStepCell
from torchspore.ops.array.assignment import assign
from torchspore.ops.array.gathering import select
from torchspore.ops.control.composite import HyperMap
from torchspore.ops.math.elementwise import maximum
from torchspore.ops.updates.loss_scaling import all_finite, unscaled
from torchspore.parallel_context import ParallelMode

_Scale: TypeAlias = Annotated[Tensor, Where("of shape () or (1,)", lambda scale: scale.shape in ((), (1,)))]
__all__ = ["DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell", "TrainOneStepWithLossScaleCell"]


class FixedLossScaleUpdateCell(Cell):
    """A constant loss scale.

    Args:
        loss_scale_value: the scale.

    Inputs: the loss scale, a Parameter, and whether the gradients overflowed, a bool or Tensor of one bool.
    Outputs: whether they overflowed.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.FixedLossScaleUpdateCell(1024).get_loss_scale()
        1024
    """

    @checked
    def __init__(self, loss_scale_value: int | float) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """Return the scale."""
        return self.loss_scale_value

    def construct(self, _: Any, overflow: Any) -> Any:
        return overflow


class DynamicLossScaleUpdateCell(Cell):
    """A loss scale that shrinks when gradients overflow, and grows after a number of steps without overflow.

    Args:
        loss_scale_value: the first scale.
        scale_factor: the divisor at an overflow, down to 1, and the factor of growth.
        scale_window: the number of steps without overflow after which it grows.

    Inputs: the loss scale, a Parameter, which is changed, and whether the gradients overflowed, a Tensor of one bool.
    Outputs: whether they overflowed.

    Examples:
        >>> import torchspore as ms
        >>> manager = ms.nn.DynamicLossScaleUpdateCell(1024, 2, 100)
        >>> scale = ms.Parameter(ms.Tensor(1024.0))
        >>> overflow = manager(scale, ms.Tensor(True))
        >>> print(scale.asnumpy())
        512.0
    """

    @checked
    def __init__(self, loss_scale_value: int | float, scale_factor: int | float, scale_window: int | float) -> None:
        super().__init__()
        self.loss_scale_value, self.scale_factor, self.scale_window = loss_scale_value, scale_factor, scale_window
        self.cur_iter = Parameter(Tensor(1, mstype.int32), name="current_iterator_step")
        self.last_overflow_iter = Parameter(Tensor(0, mstype.int32), name="last_overflow_iterator_step")

    def get_loss_scale(self) -> float:
        """Return the first scale."""
        return self.loss_scale_value

    def construct(self, loss_scale: Parameter, overflow: Any) -> Any:
        overflow = overflow if isinstance(overflow, Tensor) else Tensor(bool(overflow))
        flag = overflow.reshape(())
        scale = select(flag, maximum(loss_scale / self.scale_factor, 1.0), loss_scale * 1.0)
        last = select(flag, self.cur_iter, self.last_overflow_iter)
        grows = self.cur_iter - last >= self.scale_window
        assign(self.last_overflow_iter, select(grows, self.cur_iter, last))
        assign(loss_scale, select(grows, scale * self.scale_factor, scale))
        self.cur_iter += 1
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """One training step with a scaled loss; if a gradient is not finite, the parameters do not change.

    Args:
        network: a Cell whose output is the loss.
        optimizer: an `Optimizer` of the network's parameters.
        scale_sense: the scale: a Tensor of shape () or (1,), changed by `set_sense_scale`; or a Cell that changes it,
            such as `DynamicLossScaleUpdateCell`.

    Inputs: the inputs of the network.
    Outputs: a tuple of the loss, whether a gradient was not finite, and the loss scale after the step.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> forward = ms.nn.WithLossCell(net, ms.nn.MSELoss())
        >>> optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
        >>> step = ms.nn.TrainOneStepWithLossScaleCell(forward, optimizer, ms.Tensor(1024.0))
        >>> loss, overflow, scale = step(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[0.0]]))
        >>> print(overflow, scale.asnumpy())
        False 1024.0
    """

    gpu_target = ascend_910a_target = ascend_910b_target = False  # read by subclasses: all devices are checked alike
    enable_allfinite = True

    @checked
    def __init__(self, network: Cell, optimizer: Any, scale_sense: _Scale | Cell) -> None:
        super().__init__(network, optimizer)
        # For subclasses that check and scale themselves.
        self.hyper_map = HyperMap()
        self.base, self.base0 = Tensor(1.0, mstype.float32), Tensor(0, mstype.int32)
        self.is_distributed = self.parallel_mode != ParallelMode.STAND_ALONE
        self.loss_scaling_manager: Any = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            scale_sense = Tensor(float(self.loss_scaling_manager.get_loss_scale()), mstype.float32)
        self.scale_sense = Parameter(scale_sense, name="scale_sense")

    def construct(self, *inputs: Any) -> tuple[Any, Any, Any]:
        scale = self.scale_sense
        loss, scaled = self._loss_and_gradients(inputs, scale.reshape(()))
        gradients = self.grad_reducer(unscaled(scaled, scale))
        overflow = self.process_loss_scale(self.get_overflow_status(None, gradients))
        if not overflow:
            self._update(loss, gradients, inputs)
        return loss, overflow, self.scale_sense.value()

    @checked
    def set_sense_scale(self, sens: _Scale) -> None:
        """Set the loss scale."""
        self.scale_sense.set_data(sens.reshape(self.scale_sense.shape))

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Any, Any]:
        """Return what `get_overflow_status` takes, and `compute_input` unchanged: there is nothing to prepare."""
        return Tensor([False]), compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Tensor:
        """Return whether a gradient in `compute_output` is not finite; `status` is not needed here."""
        gradients = [compute_output] if isinstance(compute_output, Tensor) else list(compute_output)
        return all_finite(gradients).logical_not()

    def process_loss_scale(self, overflow: Any) -> Any:
        """Let the manager of the loss scale, if there is one, change the scale; return `overflow`."""
        if self.loss_scaling_manager is None:
            return overflow
        return self.loss_scaling_manager(self.scale_sense, overflow)
