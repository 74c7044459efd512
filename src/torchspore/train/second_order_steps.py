"""Training with THOR that updates the second moments only in some of the steps."""

from __future__ import annotations

from typing import Any

from torchspore.engine.parameters import checked
from torchspore.nn.cell import Cell
from torchspore.nn.optim.second_order import Thor
from torchspore.nn.wrap.cell_wrapper import TrainOneStepCell
from torchspore.train.model import Model

__all__ = ["ConvertModelUtils"]


class ConvertModelUtils:
    """Convert a model to train with the optimizer `nn.thor` at its `frequency`.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 1))
        >>> optimizer = ms.nn.thor(net, ms.Tensor(0.1), ms.Tensor(0.1), 0.9, frequency=10)
        >>> model = ms.train.Model(net, ms.nn.MSELoss(), optimizer)
        >>> convert = ms.ConvertModelUtils.convert_to_thor_model
        >>> type(convert(model, net, ms.nn.MSELoss(), optimizer)).__name__
        'Model'
    """

    @staticmethod
    @checked
    def convert_to_thor_model(
        model: Model,
        network: Cell,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        amp_level: str = "O0",
        loss_scale_manager: Any = None,
        keep_batchnorm_fp32: bool = False,
    ) -> Model:
        """Return a model that updates the moments and their inverses only in the first of `frequency` steps.

        Args:
            model: a `Model`.
            network: the network; or a training step, a `TrainOneStepCell`, without the further arguments.
            loss_fn, optimizer, metrics, amp_level, loss_scale_manager, keep_batchnorm_fp32: as for `Model`.

        Returns:
            A new model; without `nn.thor`, `model` itself.
        """
        actual = network.optimizer if isinstance(network, TrainOneStepCell) else optimizer
        if not isinstance(actual, Thor):
            return model
        if isinstance(network, TrainOneStepCell):
            converted = Model(network)
        else:
            scale = {} if loss_scale_manager is None else {"loss_scale_manager": loss_scale_manager}
            options = {"amp_level": amp_level, "keep_batchnorm_fp32": keep_batchnorm_fp32, **scale}
            converted = Model(network, loss_fn, actual, metrics, **options)
        converted._train_network = _IntervalSteps(converted._train_network, actual)
        return converted


class _IntervalSteps(Cell):
    """A training step that sets the flag `thor` of layers and optimizer in every `frequency`-th call."""

    def __init__(self, train_network: Cell, optimizer: Thor) -> None:
        super().__init__(auto_prefix=False)
        self.train_network = train_network
        self._optimizer = optimizer
        self._remaining = 0

    def __call__(self, *inputs: Any) -> Any:
        """Take a step; outside `construct`, so that each kind of step is its own graph."""
        if self._remaining == 0:
            self._remaining = self._optimizer.get_frequency()
        updates_moments = self._remaining == self._optimizer.get_frequency()
        self._remaining -= 1
        if self._optimizer.thor is not updates_moments:
            for _, cell in self.cells_and_names():
                if hasattr(cell, "thor"):
                    cell.thor = updates_moments
        return self.train_network(*inputs)
