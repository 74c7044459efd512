"""A training step in mixed precision, in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

import torch

from torchspore.amp.loss_scale_manager import DynamicLossScaleManager, LossScaleManager
from torchspore.amp.mixed_precision import Level, auto_mixed_precision, get_black_list, lower_all_but
from torchspore.common import dtype as mstype
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import named
from torchspore.engine.parameters import checked, one_of
from torchspore.nn.cell import Cell
from torchspore.nn.wrap.cell_wrapper import TrainOneStepCell, WithLossCell
from torchspore.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell

__all__ = ["BoostLevel", "build_train_network", "with_loss"]

BoostLevel: TypeAlias = Literal["O0", "O1", "O2"]

_FloatType: TypeAlias = Annotated[mstype.Type, one_of(mstype.float16, mstype.float32)]
_API = "build_train_network"

# What a level sets; packages with a `build_train_network` of their own read it.
_config_level: dict[str, dict[str, Any]] = {
    level: {
        "keep_batchnorm_fp32": level == "O2",
        "cast_model_type": mstype.float16 if level in ("O2", "O3") else mstype.float32,
        "loss_scale_manager": DynamicLossScaleManager() if level == "O2" else None,
    }
    for level in ("O0", "O1", "O2", "O3", "auto")
}


class _WithFullLossCell(WithLossCell):
    """A network together with its loss, which is computed in float32."""

    def construct(self, data: Any, label: Any) -> Any:
        output, label = self.cast_inputs((self._backbone(data), label), mstype.float32)
        return self._loss_fn(output, label)


@named
@checked
def build_train_network(
    network: Cell,
    optimizer: Any,
    loss_fn: Callable[..., Any] | None = None,
    level: Level = "O0",
    boost_level: BoostLevel = "O0",
    *,
    cast_model_type: _FloatType | None = None,
    keep_batchnorm_fp32: bool | None = None,
    **kwargs: Any,
) -> TrainOneStepCell:
    """Return the training step of a network in mixed precision, in training mode.

    Args:
        network: the network; it is changed as `auto_mixed_precision` says.
        optimizer: an `Optimizer` of its parameters.
        loss_fn: the loss, a Cell or function of the network's output and the label. Default: None, the network returns
            the loss.
        level: "O0", "O1", "O2", "O3" or "auto". "O2" scales the loss with a `DynamicLossScaleManager`. Default: "O0".
        boost_level: "O0"; or "O1" or "O2", which are the same: the training step does what the settings of the program,
            `boost.AutoBoost`, and the optimizer want. Default: "O0".
        cast_model_type: float16 or float32: what the network computes in, whatever the level says.
        keep_batchnorm_fp32: whether normalisations stay in float32 in a network in float16.
        loss_scale_manager: a `LossScaleManager`, or None for no scaling, whatever the level says; with a `boost_level`
            also a `boost.GroupLossScaleManager`.

    Raises:
        ValueError: another level, data type or keyword.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> optimizer = ms.nn.Momentum(net.trainable_params(), 0.1, 0.9)
        >>> step = ms.amp.build_train_network(net, optimizer, ms.nn.MSELoss(), level="O3")
        >>> step(ms.ops.ones((1, 2)), ms.ops.ones((1, 1))).dtype
        torchspore.float32
    """
    plain, scaled, managers = _parts(boost_level != "O0")
    manager = _manager(kwargs, DynamicLossScaleManager() if level == "O2" else None, managers)
    loss_in_full = _lowered(network, level, cast_model_type, keep_batchnorm_fp32)
    if loss_fn is not None:
        network = with_loss(network, loss_fn, loss_in_full)
    if manager is None:
        step = plain(network, optimizer)
    else:
        update = manager.get_update_cell()
        scaling = (plain, manager.get_loss_scale()) if update is None else (scaled, update)
        step = scaling[0](network, optimizer, scaling[1])
    step.set_train()
    return step


def with_loss(network: Cell, loss_fn: Callable[..., Any], in_full: bool) -> WithLossCell:
    """Return a network together with its loss, which is computed in float32 if `in_full` is set."""
    return (_WithFullLossCell if in_full else WithLossCell)(network, loss_fn)


def _parts(boosts: bool) -> tuple[Any, Any, tuple[type, ...]]:
    """Return the training step classes without and with a scaled loss, and the loss scale manager classes."""
    if not boosts:
        return TrainOneStepCell, TrainOneStepWithLossScaleCell, (LossScaleManager,)
    from torchspore import boost

    managers = (LossScaleManager, boost.GroupLossScaleManager)
    return boost.BoostTrainOneStepCell, boost.BoostTrainOneStepWithLossScaleCell, managers


def _manager(options: dict[str, Any], default: Any, managers: tuple[type, ...]) -> Any:
    """Return the loss scale manager, the only further argument, where None does not stand for the default."""
    manager = options.pop("loss_scale_manager", default)
    if manager is not None and not isinstance(manager, managers):
        raise TypeError(
            f"For '{_API}', 'loss_scale_manager' must be a LossScaleManager or None, but got {describe(manager)}."
        )
    if options:
        raise ValueError(
            f"For '{_API}', there is no argument {next(iter(options))!r}. Beside 'level' there are 'cast_model_type', "
            "'keep_batchnorm_fp32' and 'loss_scale_manager'."
        )
    return manager


def _lowered(network: Cell, level: Level, chosen: mstype.Type | None, keeps: bool | None) -> bool:
    """Lower a network; return whether to compute the loss in float32."""
    if level in ("O2", "O3") or chosen is not None:
        in_full = chosen is mstype.float32 or (chosen is None and level not in ("O2", "O3"))
        keeps = level == "O2" if keeps is None else keeps
        if not in_full:  # the network's own results stay in float16, as in MindSpore
            lower_all_but(network, get_black_list() if keeps else [], torch.float16)
        return not in_full
    auto_mixed_precision(network, level)
    return level == "auto"
