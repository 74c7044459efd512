"""The cells that a `Model` runs for a training step and for evaluation."""

from __future__ import annotations

from typing import Any

from torchspore.amp import build_train_network
from torchspore.common.user_lines import warn_user
from torchspore.engine.errors import describe
from torchspore.nn.cell import Cell
from torchspore.nn.optim.optimizer import Optimizer
from torchspore.nn.wrap.cell_wrapper import WithEvalCell, WithLossCell

__all__ = ["boosted", "build_eval_network", "build_training", "check_arguments", "check_eval_indexes"]

_FOR = "For 'Model',"
_LEVELS = ("O0", "O1", "O2", "O3", "auto")


def check_arguments(network: Any, loss_fn: Any, optimizer: Any, amp_level: Any, options: dict[str, Any]) -> None:
    """Check the arguments of a `Model`."""
    if not isinstance(network, Cell):
        raise TypeError(f"{_FOR} 'network' must be a Cell, but got {describe(network)}.")
    if loss_fn is not None and not callable(loss_fn):
        raise TypeError(f"{_FOR} 'loss_fn' must be a Cell, a function or None, but got {describe(loss_fn)}.")
    if optimizer is not None and not isinstance(optimizer, Optimizer):
        raise TypeError(f"{_FOR} 'optimizer' must be an Optimizer or None, but got {describe(optimizer)}.")
    if not isinstance(amp_level, str):
        raise TypeError(f"{_FOR} 'amp_level' must be one of {_LEVELS}, but got {describe(amp_level)}.")
    if amp_level not in _LEVELS:
        raise ValueError(f"{_FOR} 'amp_level' must be one of {_LEVELS}, but got {amp_level!r}.")
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
    network: Cell, optimizer: Optimizer | None, eval_network: Cell | None, level: str, settings: dict[str, Any] | None
) -> tuple[Cell, Optimizer | None, Cell | None]:
    """Return a network, its optimizer and its evaluation network after `boost.AutoBoost` with a level and settings.

    At "O0", and without an optimizer, they are unchanged.
    """
    if level not in ("O0", "O1", "O2"):
        raise ValueError(f"{_FOR} 'boost_level' must be 'O0', 'O1' or 'O2', but got {describe(level)}.")
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
    network: Cell, loss_fn: Any, optimizer: Optimizer | None, amp_level: str, boost_level: str, options: dict[str, Any]
) -> Cell:
    """Return the cell of a training step; without an optimizer, the network, with its loss if there is one."""
    if optimizer is not None:
        return build_train_network(network, optimizer, loss_fn, amp_level, boost_level, **options)
    return network if loss_fn is None else WithLossCell(network, loss_fn)


def build_eval_network(
    network: Cell, loss_fn: Any, eval_network: Cell | None, eval_indexes: list[int] | None, amp_level: str
) -> tuple[Cell, list[int] | None]:
    """Return the cell of an evaluation, and the positions of loss, prediction and label in its outputs."""
    if eval_network is not None:
        if not isinstance(eval_network, Cell):
            raise TypeError(f"{_FOR} 'eval_network' must be a Cell or None, but got {describe(eval_network)}.")
        return eval_network, eval_indexes
    if loss_fn is None:
        raise ValueError(
            f"{_FOR} 'metrics' need a 'loss_fn' or an 'eval_network', but got neither. With several inputs or labels, "
            "pass an 'eval_network' that returns the inputs of the metrics."
        )
    return WithEvalCell(network, loss_fn, add_cast_fp32=amp_level in ("O2", "O3", "auto")), [0, 1, 2]


def check_eval_indexes(eval_indexes: Any, eval_network: Any) -> list[int] | None:
    """Return checked positions of loss, prediction and label, or None."""
    fits = isinstance(eval_indexes, list) and len(eval_indexes) == 3 and all(type(i) is int for i in eval_indexes)
    if eval_indexes is not None and not fits:
        raise ValueError(
            f"{_FOR} 'eval_indexes' must be None or a list of three positions, of the loss, the prediction and the "
            f"label, but got {describe(eval_indexes)}."
        )
    if eval_indexes is not None and eval_network is None:
        raise ValueError(f"{_FOR} 'eval_indexes' are positions in the outputs of an 'eval_network'. Pass one as well.")
    return eval_indexes
