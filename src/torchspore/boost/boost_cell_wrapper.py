"""Training steps with the optimizations of this package."""

from __future__ import annotations

from typing import Any

from torchspore.boost.adasum import AdaSum
from torchspore.boost.boost import AutoBoost
from torchspore.boost.dim_reduce import DimReduce
from torchspore.boost.grad_accumulation import GradientAccumulation
from torchspore.boost.grad_freeze import FreezeOpt, freeze_cell
from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.nn.cell import Cell
from torchspore.nn.layer.container import CellList
from torchspore.nn.optim import Optimizer
from torchspore.nn.wrap import TrainOneStepCell, TrainOneStepWithLossScaleCell
from torchspore.ops.array.gathering import select
from torchspore.ops.distributed.process_groups import get_world_size
from torchspore.ops.updates.loss_scaling import all_finite, unscaled

__all__ = ["BoostTrainOneStepCell", "BoostTrainOneStepWithLossScaleCell"]

# The factors of a part's loss scale after a step with an overflow, and without one.
_DECREASE = 0.5**0.5
_INCREASE = 2 ** (1 / 1000)


class BoostTrainOneStepCell(TrainOneStepCell):
    """A training step according to the settings of the program, `AutoBoost`, and its optimizer.

    Args:
        network: a Cell whose output is the loss.
        optimizer: an `Optimizer` of the network's parameters, or a `FreezeOpt`.
        sens: the initial gradient of the loss, a number. Default: None, which is 1.

    Inputs:
        The inputs of the network.

    Outputs:
        The loss.

    Raises:
        ValueError: `sens` is 0.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
        >>> step = ms.boost.BoostTrainOneStepCell(ms.nn.WithLossCell(net, ms.nn.MSELoss()), optimizer)
        >>> step(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[0.0]])).shape
        ()
    """

    def __init__(self, network: Cell, optimizer: Optimizer, sens: Any = None) -> None:
        super().__init__(network, optimizer, sens)
        self.auto_boost = AutoBoost()
        self.freeze = isinstance(optimizer, FreezeOpt)
        steps = self.auto_boost.grad_accumulation_step if self.auto_boost.boost_config["grad_accumulation"] else 1
        self.max_accumulation_step = steps
        self.use_grad_accumulation = steps > 1
        self.enable_dim_reduce = self.check_dim_reduce_enable()
        self.enable_adasum = self.check_adasum_enable()
        self.freeze_nets: CellList | None = None
        self.train_strategy: Tensor | None = None
        if isinstance(optimizer, FreezeOpt):
            self.train_strategy = optimizer.train_strategy
            parts: Any = (network, optimizer, self.sens, self.grad, self.use_grad_accumulation, None, None, steps)
            self.freeze_nets = CellList(list(freeze_cell(self.reducer_flag, *parts)), auto_prefix=False)
            self.step = Parameter(Tensor(0, mstype.int32), name="step", requires_grad=False)
        elif self.use_grad_accumulation:
            self.grad_accumulation = GradientAccumulation(steps, optimizer)
        if self.enable_dim_reduce:
            boost = self.auto_boost
            components: Any = boost.local_pca_mat
            processes = get_world_size() if self.reducer_flag else 1
            settings: Any = (boost.n_components, boost.rho, boost.gamma, boost.alpha, boost.sigma, 0, processes)
            self.weights_clone = ParameterTuple(self.weights).clone(prefix="weights_clone", init="same")
            self.dim_reduce = DimReduce(network, optimizer, self.weights, components, *settings)

    def construct(self, *inputs: Any) -> Any:
        return self.gradient_freeze_process(*inputs) if self.freeze else super().construct(*inputs)

    def _update(self, loss: Any, gradients: tuple[Tensor, ...], inputs: tuple[Any, ...]) -> None:
        if self.use_grad_accumulation:
            self.gradient_accumulation_process(loss, gradients, self.sens, *inputs)
        else:
            self._take_step(loss, gradients, self.sens, inputs)

    def _take_step(self, loss: Any, gradients: tuple[Tensor, ...], sens: Any, inputs: tuple[Any, ...]) -> None:
        if self.enable_dim_reduce:
            self.dim_reduce(loss, gradients, sens, self.weights, self.weights_clone, *inputs)
        else:
            self.optimizer(gradients)

    def gradient_freeze_process(self, *inputs: Any) -> Any:
        """Take a step with the next optimizer, and return the loss."""
        assert self.freeze_nets is not None
        strategy = self.train_strategy
        index = self.step if strategy is None else strategy[self.step]
        loss = self.freeze_nets[int(index)](*inputs)
        last = len(self.freeze_nets if strategy is None else strategy) - 1
        self.step = select(self.step >= last, self.step * 0, self.step + 1)
        return loss

    def gradient_accumulation_process(self, loss: Any, grads: tuple[Tensor, ...], sens: Any, *inputs: Any) -> Any:
        """Accumulate gradients, update the weights with their means every few steps, and return the loss."""
        self.grad_accumulation.accumulate(grads, lambda means: self._take_step(loss, means, sens, inputs))
        return loss

    def adasum_process(self, loss: Any, grads: tuple[Tensor, ...]) -> Any:
        """Raise NotImplementedError, see `AdaSum`."""
        return AdaSum(0, self.auto_boost.device_number, 1, grads)

    def check_adasum_enable(self) -> bool:
        """Return whether `AdaSum` is used, which is always False."""
        return False

    def check_dim_reduce_enable(self) -> bool:
        """Return whether the optimizer is one that `AutoBoost` makes for `DimReduce`."""
        return bool(getattr(self.optimizer, "dim_reduce", False))


class BoostTrainOneStepWithLossScaleCell(TrainOneStepWithLossScaleCell, BoostTrainOneStepCell):
    """A training step like `BoostTrainOneStepCell`, with a scaled loss.

    If a gradient is not finite, the parameters are not changed.

    Args:
        network: a Cell whose output is the loss.
        optimizer: an `Optimizer` of the network's parameters.
        scale_sense: the scale: a Tensor of shape () or (1,), or a Cell that changes it, such as
            `nn.DynamicLossScaleUpdateCell`. With "loss_scale_group" in the settings of the program, a
            `GroupLossScaleManager`.

    Inputs:
        The inputs of the network.

    Outputs:
        A tuple of the loss, whether there was an overflow, and the loss scale after the step; with a
        `GroupLossScaleManager` the scale of the first part.

    Raises:
        ValueError: the shape of the scale does not fit, or a parameter is in no part of the network.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> forward = ms.nn.WithLossCell(net, ms.nn.MSELoss())
        >>> optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
        >>> step = ms.boost.BoostTrainOneStepWithLossScaleCell(forward, optimizer, ms.Tensor(1024.0))
        >>> loss, overflow, scale = step(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[0.0]]))
        >>> print(overflow, scale.asnumpy())
        False 1024.0
    """

    enable_enhanced_amp: bool

    def __init__(self, network: Cell, optimizer: Optimizer, scale_sense: Any) -> None:
        api = "BoostTrainOneStepWithLossScaleCell"
        if isinstance(optimizer, FreezeOpt):
            raise TypeError(f"For '{api}', 'optimizer' must not be a FreezeOpt. Give it to BoostTrainOneStepCell.")
        self.__dict__["enable_enhanced_amp"] = AutoBoost().boost_config["loss_scale_group"]
        if not self.enable_enhanced_amp:
            super().__init__(network, optimizer, scale_sense)
            return
        if not hasattr(scale_sense, "set_loss_scale_status"):
            raise TypeError(
                f"For '{api}', 'scale_sense' must be a GroupLossScaleManager, because 'loss_scale_group' is enabled "
                f"in the program's AutoBoost, but got {describe(scale_sense)}."
            )
        BoostTrainOneStepCell.__init__(self, network, optimizer)
        self.loss_scaling_manager = scale_sense
        self.loss_scale_groups = scale_sense.loss_scale_groups
        parts = {id(p): number for number, group in enumerate(self.loss_scale_groups) for p in group}
        missing = [p.name for p in self.weights if id(p) not in parts]
        if missing:
            raise ValueError(
                f"For '{api}', 'loss_scale_groups' must have all parameters, but '{missing[0]}' is in none."
            )
        self._part_of = [parts[id(p)] for p in self.weights]
        scale_sense.set_loss_scale_status(len(self.loss_scale_groups), scale_sense.get_loss_scale())

    def construct(self, *inputs: Any) -> tuple[Any, Any, Any]:
        if self.enable_enhanced_amp:
            return self._step_by_parts(inputs)
        return TrainOneStepWithLossScaleCell.construct(self, *inputs)

    def _step_by_parts(self, inputs: tuple[Any, ...]) -> tuple[Any, Any, Any]:
        manager: Any = self.loss_scaling_manager
        scales = [scale * 1.0 for scale in manager.dynamic_loss_scale[1:-1]]
        loss, own = self._loss_and_gradients(inputs, None)
        scaled = self.grad_reducer(own)
        by_part = [[g for g, index in zip(scaled, self._part_of) if index == part] for part in range(len(scales))]
        overflows = [all_finite(gradients).logical_not() for gradients in by_part]
        for part, overflow in enumerate(overflows):
            manager.update_loss_scale_status(part, select(overflow, Tensor(_DECREASE), Tensor(_INCREASE)))
        overflow = all_finite(list(scaled)).logical_not()
        if not overflow:
            gradients = [unscaled([g], scales[part])[0] for g, part in zip(scaled, self._part_of)]
            self._update(loss, tuple(gradients), inputs)
        return loss, overflow, manager.dynamic_loss_scale[1].value()
