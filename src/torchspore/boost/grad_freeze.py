"""Training that freezes the first layers in some of the steps, at random or alternating."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from torchspore.boost.base import OptimizerProcess, ParameterProcess
from torchspore.boost.grad_accumulation import GradientAccumulation
from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.gradients.differentiate import GradOperation
from torchspore.engine.parameters import Limits, Positive, Rule, Where, checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.basic import Identity
from torchspore.nn.layer.container import CellList
from torchspore.nn.optim import LARS, Optimizer
from torchspore.nn.wrap import DistributedGradReducer, TrainOneStepCell

__all__ = ["FreezeOpt", "GradientFreeze", "freeze_cell"]

_Type: TypeAlias = Literal[0, 1]
_ALTERNATING = 0
_GradientOfList: TypeAlias = Annotated[
    GradOperation,
    Where(
        "GradOperation(get_by_list=True, sens_param=True)",
        lambda grad: grad.get_by_list and grad.sens_param and not grad.get_all,
    ),
]
_Indices: TypeAlias = Annotated[
    Tensor,
    Where("an int32 Tensor of one dimension", lambda strategy: strategy.ndim == 1 and strategy.dtype is mstype.int32),
]


class FreezeOpt(Optimizer):
    """An optimizer for each of several groups of parameters, one of which is trained in each step.

    It is for `BoostTrainOneStepCell`.

    Args:
        opt: the optimizer whose settings they have.
        train_parameter_groups: for each optimizer its Parameters, or groups of them. Default: None, one optimizer for
            all.
        train_strategy: the indices of the optimizers in the order of the steps, ints or an int32 Tensor. Default: None,
            one after another.

    Attributes:
        opts: the optimizers.

    Raises:
        ValueError: `train_strategy` without `train_parameter_groups`, or with values that are not ints.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(2, 3)
        >>> groups = [net.trainable_params(), [net.bias]]
        >>> len(ms.boost.FreezeOpt(ms.nn.Momentum(net.trainable_params(), 0.1, 0.9), groups, [0, 1, 1]).opts)
        2
    """

    @checked(Rule(
        "'train_strategy' needs 'train_parameter_groups'",
        lambda train_strategy, train_parameter_groups: train_strategy is None or train_parameter_groups is not None,
    ))  # fmt: skip
    def __init__(
        self,
        opt: Optimizer,
        train_parameter_groups: Sequence[Sequence[Any]] | None = None,
        train_strategy: Sequence[bool | int] | _Indices | None = None,
    ) -> None:
        Cell.__init__(self)
        process = OptimizerProcess(opt)
        self.is_lars = process.is_lars
        self.__dict__["single_opt"] = process.single_opt  # not a child cell, unlike the new optimizers
        self.parameters = process.single_opt.parameters
        self.dynamic_lr = process.single_opt.dynamic_lr
        groups = list(train_parameter_groups or [list(self.parameters)])
        self.train_strategy: Tensor | None = None if train_strategy is None else Tensor(train_strategy, mstype.int32)
        rates = self._rates(process.learning_rate, len(groups))
        self.opts = CellList(auto_prefix=False)
        for number, (group, rate) in enumerate(zip(groups, rates)):
            made = process._create(group, rate)
            _name_states(made, f"boost_{number}.")
            self.opts.append(made)

    def _rates(self, rate: Any, count: int) -> list[Any]:
        """Return the learning rates of the optimizers; a list for all steps is split by the strategy."""
        steps = None if self.train_strategy is None else self.train_strategy.asnumpy().tolist()
        if steps is None or not isinstance(rate, list) or len(rate) > len(steps):
            return [rate] * count
        return [[value for value, taken in zip(rate, steps) if taken == number] or rate for number in range(count)]


class GradientFreeze:
    """Create an optimizer that freezes the first layers in some of the steps.

    Args:
        param_groups: the number of groups: the first has all parameters, and each of the others leaves out more of the
            first layers.
        freeze_type: 0 for alternating groups, 1 for random groups.
        freeze_p: the fraction of steps that train everything, a minimum for random groups; in [0, 1).
        total_steps: the number of steps of the training.

    Raises:
        ValueError: an argument out of its range.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 3), ms.nn.Dense(3, 1))
        >>> freeze = ms.boost.GradientFreeze(2, 0, 0.5, 100)
        >>> net, optimizer = freeze.freeze_generate(net, ms.nn.SGD(net.trainable_params(), 0.1))
        >>> print(optimizer.train_strategy[:6])
        [0 1 0 1 0 1]
    """

    @checked
    def __init__(
        self,
        param_groups: Positive,
        freeze_type: _Type,
        freeze_p: Annotated[float, Limits(0, below=1)],
        total_steps: Positive,
    ) -> None:
        self._param_groups, self._freeze_type = param_groups, freeze_type
        self._freeze_p, self._total_steps = freeze_p, total_steps

    def split_parameters_groups(self, net: Cell, freeze_para_groups_number: int) -> list[list[Parameter]]:
        """Return groups of the trainable parameters: all of them, then only parameters of later and later layers.

        Args:
            net: the network. A layer has at least three consecutive parameters, and the next begins at a parameter
                whose name has neither "bias" nor "bn".
            freeze_para_groups_number: the number of groups.
        """
        layers: list[list[Parameter]] = [[]]
        for parameter in net.trainable_params():
            if len(layers[-1]) >= 3 and "bn" not in parameter.name and "bias" not in parameter.name:
                layers.append([])
            layers[-1].append(parameter)
        stride = len(layers) // freeze_para_groups_number if layers[-1] else 0
        return [[p for layer in layers[i * stride :] for p in layer] for i in range(freeze_para_groups_number)]

    @checked
    def generate_freeze_index_sequence(
        self, parameter_groups_number: int, freeze_strategy: _Type, freeze_p: float, total_steps: int
    ) -> list[int]:
        """Return the indices of the groups to train, in the order of the steps, for slightly more than `total_steps`.

        Args:
            parameter_groups_number: the number of groups; group 0 is everything.
            freeze_strategy, freeze_p, total_steps: as in the constructor. NumPy draws the random groups.
        """
        count = int(total_steps * 1.01)
        last = parameter_groups_number - 1
        if last <= 0:
            return [0] * count
        if freeze_strategy == _ALTERNATING:
            once = [0] * int(freeze_p * last // (1 - freeze_p) + 0.5) + list(range(1, last + 1))
            return once * -(-count // len(once))
        numbers = list(range(last, 0, -1))
        weights = [number / sum(numbers) for number in reversed(numbers)]
        chosen = [0]
        frozen = 0
        while len(chosen) < count:
            if frozen / len(chosen) < 1 - freeze_p:
                chosen.append(int(np.random.choice(numbers, p=weights)))
                frozen += 1
            else:
                chosen.append(0)
        return chosen

    def freeze_generate(self, network: Cell, optimizer: Optimizer) -> tuple[Cell, FreezeOpt]:
        """Return the network and an optimizer for its groups of parameters.

        Args:
            network: the network.
            optimizer: an optimizer of its parameters.
        """
        groups: list[Any] = self.split_parameters_groups(network, self._param_groups)
        origin = OptimizerProcess(optimizer).origin_params
        if origin and isinstance(origin[0], dict):
            groups = [ParameterProcess.generate_group_params(group, origin) for group in groups]
        order = self.generate_freeze_index_sequence(
            self._param_groups, self._freeze_type, self._freeze_p, self._total_steps
        )
        return network, FreezeOpt(optimizer, groups, order)


class _TrainFreezeCell(TrainOneStepCell):
    """A training step that updates the parameters of one optimizer."""

    def __init__(self, net: Cell, sens: Any, reducer: Any, optimizer: Any, steps: int | None) -> None:
        super().__init__(net, optimizer, sens)
        self.grad_reducer = reducer
        self.grad_accumulation = None if steps is None else GradientAccumulation(steps, optimizer)

    def _update(self, loss: Any, gradients: tuple[Tensor, ...], inputs: tuple[Any, ...]) -> None:
        if self.grad_accumulation is None:
            self.optimizer(gradients)
        else:
            self.grad_accumulation(loss, gradients)


@checked
def freeze_cell(
    reducer_flag: bool,
    network: Cell,
    optimizer: FreezeOpt,
    sens: Any,
    grad: _GradientOfList,
    use_grad_accumulation: bool,
    mean: bool | None = None,
    degree: Positive | None = None,
    max_accumulation_step: Positive = 1,
) -> tuple[Cell, ...]:
    """Return the training steps of a network, one for each optimizer in a `FreezeOpt`.

    Args:
        reducer_flag: whether gradients are averaged over processes, by `nn.DistributedGradReducer`.
        network: a Cell whose output is the loss.
        optimizer: the optimizers.
        sens: the initial gradient of the loss.
        grad: `GradOperation(get_by_list=True, sens_param=True)`.
        use_grad_accumulation: whether gradients are accumulated over several steps.
        mean: whether gradients are averaged over processes, or summed. Default: None.
        degree: the number of processes. Default: None.
        max_accumulation_step: the number of steps to accumulate. Default: 1.

    Raises:
        ValueError: `grad` has other settings.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(2, 1, weight_init="ones")
        >>> optimizer = ms.boost.FreezeOpt(ms.nn.SGD(net.trainable_params(), 0.1))
        >>> grad = ms.ops.GradOperation(get_by_list=True, sens_param=True)
        >>> step, = ms.boost.freeze_cell(False, net, optimizer, 1.0, grad, False)
        >>> step(ms.Tensor([[1.0, 2.0]])).shape
        (1, 1)
    """
    steps = max_accumulation_step if use_grad_accumulation else None
    cells = []
    for inner in optimizer.opts:
        reducer: Any = Identity()
        if reducer_flag:
            reducer = DistributedGradReducer(ParameterProcess().assign_parameter_group(inner.parameters), mean, degree)
        cells.append(_TrainFreezeCell(network, sens, reducer, inner, steps))
    return tuple(cells)


def _name_states(optimizer: Optimizer, prefix: str) -> None:
    """Add a prefix to the names of the optimizer's own parameters."""
    inner: Any = optimizer.opt if isinstance(optimizer, LARS) else optimizer
    trained = {id(parameter) for parameter in inner.parameters}
    for parameter in inner.get_parameters():
        if id(parameter) not in trained:
            parameter.name = prefix + parameter.name
