"""Training with THOR in which the second moments are taken in some of the steps only."""

from __future__ import annotations

from typing import Any

from torchspore.engine.errors import describe
from torchspore.nn.cell import Cell
from torchspore.nn.optim.second_order import Thor
from torchspore.nn.wrap.cell_wrapper import TrainOneStepCell
from torchspore.train.model import Model

__all__ = ["ConvertModelUtils"]


class ConvertModelUtils:
    """Has a model train with the optimizer `nn.thor` at its `frequency`.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 1))
        >>> optimizer = ms.nn.thor(net, ms.Tensor(0.1), ms.Tensor(0.1), 0.9, frequency=10)
        >>> model = ms.train.Model(net, ms.nn.MSELoss(), optimizer)
        >>> convert = ms.ConvertModelUtils.convert_to_thor_model
        >>> type(convert(model, net, ms.nn.MSELoss(), optimizer)).__name__
        'Model'

    MindSpore: `mindspore.train.ConvertModelUtils`.
    """

    @staticmethod
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
        """Return a model that takes the moments, and computes their inverses, in the first of `frequency` steps only.

        Args:
            model: a `Model`.
            network: the network; or a training step, a `TrainOneStepCell`, without the arguments after it.
            loss_fn, optimizer, metrics, amp_level, loss_scale_manager, keep_batchnorm_fp32: as for `Model`.

        Returns:
            A new model; without `nn.thor`, `model` itself.

        Raises:
            TypeError: `model` is not a Model, or `network` is not a Cell.
        """
        if not isinstance(model, Model):
            raise TypeError(f"For 'convert_to_thor_model', 'model' must be a Model, but got {describe(model)}.")
        if not isinstance(network, Cell):
            raise TypeError(f"For 'convert_to_thor_model', 'network' must be a Cell, but got {describe(network)}.")
        is_step = isinstance(network, TrainOneStepCell)
        used = network.optimizer if is_step else optimizer
        if not isinstance(used, Thor):
            return model
        if is_step:
            converted = Model(network)
        else:
            scale = {} if loss_scale_manager is None else {"loss_scale_manager": loss_scale_manager}
            options = {"amp_level": amp_level, "keep_batchnorm_fp32": keep_batchnorm_fp32, **scale}
            converted = Model(network, loss_fn, used, metrics, **options)
        converted._train_network = _StepsOfTwoKinds(converted._train_network, used)
        return converted


class _StepsOfTwoKinds(Cell):
    """A training step, in every `frequency`-th call of which layers and optimizer have the flag `thor`."""

    def __init__(self, train_network: Cell, optimizer: Thor) -> None:
        super().__init__(auto_prefix=False)
        self.train_network = train_network
        self._optimizer = optimizer
        self._left = 0

    def __call__(self, *inputs: Any) -> Any:
        """Take a step; not in `construct`, so that each kind of step is one graph."""
        if self._left == 0:
            self._left = self._optimizer.get_frequency()
        takes_moments = self._left == self._optimizer.get_frequency()
        self._left -= 1
        if self._optimizer.thor is not takes_moments:
            for _, cell in self.cells_and_names():
                if hasattr(cell, "thor"):
                    cell.thor = takes_moments
        return self.train_network(*inputs)
