"""The cells that a `Model` runs for a training step and for evaluation."""

from __future__ import annotations

from typing import Any, Literal

from torchspore.amp.mixed_precision import Level
from torchspore.amp.train_network import BoostLevel, build_train_network
from torchspore.common.frames.user_lines import warn_user
from torchspore.nn.cell import Cell
from torchspore.nn.optim.optimizer import Optimizer
from torchspore.nn.wrap.cell_wrapper import WithEvalCell, WithLossCell

__all__ = ["boosted", "build_eval_network", "build_training", "check_options"]

_FOR = "For 'Model',"


def check_options(optimizer: Optimizer | None, amp_level: Level, options: dict[str, Any]) -> None:
    """Check the further arguments of a Model; one without an optimizer has none."""
    for name in options:
        if name not in ("loss_scale_manager", "keep_batchnorm_fp32"):
            raise ValueError(
                f"{_FOR} there is no argument {name!r}. Further arguments are 'loss_scale_manager', "
                "'keep_batchnorm_fp32', 'boost_config_dict' and 'acc_level'."
            )
    if optimizer is None and (amp_level != "O0" or "loss_scale_manager" in options):
        raise ValueError(
            f"{_FOR} 'amp_level' and 'loss_scale_manager' need an 'optimizer', but there is none. "
            "Pass one, or call amp.auto_mixed_precision on the network."
        )
    if optimizer is None and options:
        warn_user(f"{_FOR} 'keep_batchnorm_fp32' has no effect without an 'optimizer'.")


def boosted(
    network: Cell,
    optimizer: Optimizer | None,
    eval_network: Cell | None,
    level: Literal["O0", "O1", "O2"],
    settings: dict[str, Any] | None,
) -> tuple[Cell, Optimizer | None, Cell | None]:
    """Return a network, its optimizer and its evaluation network after `boost.AutoBoost` with a level and settings.

    At "O0", and without an optimizer, they are unchanged.
    """
    if level == "O0" and settings is None:
        return network, optimizer, eval_network
    from torchspore.boost import AutoBoost

    process = AutoBoost(level, settings or "")
    if level == "O0" or optimizer is None:
        return network, optimizer, eval_network
    network, optimizer = process.network_auto_process_train(network, optimizer)
    if eval_network is not None:
        eval_network = process.network_auto_process_eval(eval_network)
    return network, optimizer, eval_network


def build_training(
    network: Cell,
    loss_fn: Any,
    optimizer: Optimizer | None,
    amp_level: Level,
    boost_level: BoostLevel,
    options: dict[str, Any],
) -> Cell:
    """Return the cell of a training step; without an optimizer, the network, with its loss if there is one."""
    if optimizer is not None:
        return build_train_network(network, optimizer, loss_fn, amp_level, boost_level, **options)
    return network if loss_fn is None else WithLossCell(network, loss_fn)


def build_eval_network(
    network: Cell, loss_fn: Any, eval_network: Cell | None, eval_indexes: list[int] | None, amp_level: Level
) -> tuple[Cell, list[int] | None]:
    """Return the cell of an evaluation, and the positions of loss, prediction and label in its outputs."""
    if eval_network is not None:
        return eval_network, eval_indexes
    if loss_fn is None:
        raise ValueError(
            f"{_FOR} 'metrics' need a 'loss_fn' or an 'eval_network', but got neither. With several inputs or labels, "
            "pass an 'eval_network' that returns the inputs of the metrics."
        )
    return WithEvalCell(network, loss_fn, add_cast_fp32=amp_level in ("O2", "O3", "auto")), [0, 1, 2]
