"""Models that train with THOR."""

from __future__ import annotations

from typing import Any

from torchspore.amp import LossScaleManager
from torchspore.engine.errors import describe
from torchspore.nn.cell import Cell
from torchspore.nn.optim.optimizer import Optimizer
from torchspore.train.metrics.metric import Metric
from torchspore.train.model import Model

__all__ = ["ConvertModelUtils"]


class ConvertModelUtils:
    """Makes a `Model` that trains with the optimizer `nn.thor`.

    MindSpore needs another kind of model for it. Here the optimizer itself knows in which steps it gathers statistics,
    so that every `Model` trains with it.

    MindSpore: `mindspore.train.ConvertModelUtils`.
    """

    @staticmethod
    def convert_to_thor_model(
        model: Model,
        network: Cell,
        loss_fn: Any = None,
        optimizer: Optimizer | None = None,
        metrics: dict[str, Metric] | set[str] | None = None,
        amp_level: str = "O0",
        loss_scale_manager: LossScaleManager | None = None,
        keep_batchnorm_fp32: bool = False,
    ) -> Model:
        """Return a model of these parts, if the optimizer is `nn.thor`, else the given one.

        Args:
            model: a `Model`.
            network: the network; this and all others are arguments of `Model`.
            loss_fn: the loss. Default: None.
            optimizer: the optimizer. Default: None.
            metrics: the metrics. Default: None.
            amp_level: the level of mixed precision. Default: "O0".
            loss_scale_manager: what scales the loss. Default: None.
            keep_batchnorm_fp32: whether normalisations stay in float32. Default: False.

        Raises:
            TypeError: `model` is no Model, or another argument is of a wrong type.

        Examples:
            >>> import torchspore as ms
            >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 1))
            >>> optimizer = ms.nn.thor(net, ms.Tensor(0.1), damping=ms.Tensor(0.04), momentum=0.9, batch_size=1)
            >>> model = ms.Model(net, ms.nn.MSELoss(), optimizer)
            >>> convert = ms.train.ConvertModelUtils.convert_to_thor_model
            >>> isinstance(convert(model, net, ms.nn.MSELoss(), optimizer), ms.Model)
            True
        """
        if not isinstance(model, Model):
            raise TypeError(f"For 'convert_to_thor_model', 'model' must be a Model, but got {describe(model)}.")
        if not getattr(optimizer, "thor", False):
            return model
        return Model(
            network,
            loss_fn,
            optimizer,
            metrics,
            amp_level=amp_level,
            loss_scale_manager=loss_scale_manager,
            keep_batchnorm_fp32=keep_batchnorm_fp32,
        )
