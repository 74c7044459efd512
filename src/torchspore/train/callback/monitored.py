"""Callbacks that monitor a value over epochs: `EarlyStopping` and `ReduceLROnPlateau`."""

from __future__ import annotations

import math
import warnings
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from torchspore.common.np_dtype import standard_array
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Limits, NotNegative, StrictFloat, checked
from torchspore.nn.cell import Cell
from torchspore.train.callback.callback import Callback, RunContext, first_output

__all__ = ["EarlyStopping", "ReduceLROnPlateau"]

_Mode: TypeAlias = Literal["auto", "min", "max"]
# The values that `mode="auto"` minimizes; it maximizes all others.
_MINIMIZED = {
    "loss", "eval_loss", "mae", "mse", "perplexity", "hausdorff_distance", "mean_surface_distance",
    "root_mean_square_distance",
}  # fmt: skip


class _Monitored(Callback):
    """A callback that monitors a value, and whether it improves."""

    def __init__(self, monitor: str, mode: str, min_delta: float, patience: int, verbose: bool) -> None:
        self.monitor, self.mode, self.min_delta = monitor, mode, abs(min_delta)
        self.patience, self.verbose = patience, verbose
        self._minimizes = mode == "min" or (mode == "auto" and monitor in _MINIMIZED)
        self._warned = False
        self._reset()

    def _reset(self) -> None:
        self.wait = 0
        self.best = math.inf if self._minimizes else -math.inf

    def _is_better(self, value: float, than: float, margin: float = 0.0) -> bool:
        return value + margin < than if self._minimizes else value - margin > than

    def _get_monitor_value(self, cb_params: Any) -> float | None:
        """Return the value of this epoch, or None with a warning if it is missing."""
        values = dict(cb_params.get("eval_results", {}))
        values.setdefault("loss", first_output(cb_params.get("net_outputs")))
        value = values.get(self.monitor)
        api = type(self).__name__
        if value is None:
            # A missing evaluation is not an error if other epochs have one.
            if not self._warned and ("eval_results" in cb_params or "valid_dataset" not in cb_params):
                self._warned = True
                warnings.warn(
                    f"For '{api}', there is no '{self.monitor}' at the end of the epoch, so nothing is done. There "
                    f"are: {', '.join(sorted(values))}. Metrics and 'eval_loss' need Model.fit with a 'valid_dataset'.",
                    stacklevel=2,
                )
            return None
        value = standard_array(value) if isinstance(value, Tensor) else value
        if np.size(value) != 1:
            raise ValueError(
                f"For '{api}', '{self.monitor}' must be one number, but got {describe(value)}. Monitor another value."
            )
        return float(np.asarray(value).reshape(()))


class EarlyStopping(_Monitored):
    """End the training when a value stops improving.

    Args:
        monitor: "loss", or after evaluations in `Model.fit` "eval_loss" or the name of a metric. Default: "eval_loss".
        min_delta: the minimum improvement. Default: 0.
        patience: the number of epochs without improvement after which the training ends; with 0 it ends after the
            first epoch. Default: 0.
        verbose: whether to print a message. Default: False.
        mode: "min" or "max" for values to minimize or maximize; "auto" minimizes losses, errors and distances.
            Default: "auto".
        baseline: the count of epochs restarts only at an improvement beyond this value. Default: None.
        restore_best_weights: whether the weights of the best epoch are restored when the training is ended early.
            Default: False.

    Raises:
        ValueError: an unknown `mode`, a negative `patience`; in a training, a value that is not a number.

    Examples:
        >>> import torchspore as ms
        >>> stop = ms.EarlyStopping(monitor="accuracy", patience=3)
        >>> stop.best
        -inf
    """

    @checked
    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: NotNegative = 0,
        verbose: bool = False,
        mode: _Mode = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        self.baseline, self.restore_best_weights = baseline, restore_best_weights
        self.stopped_epoch = 0
        self.best_weights_param_dict: dict[str, Tensor] | None = None
        super().__init__(monitor, mode, min_delta, patience, verbose)

    def on_train_begin(self, run_context: RunContext) -> None:
        """Discard an earlier training."""
        self._reset()
        self.stopped_epoch = 0
        self.best_weights_param_dict = None

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """End the training if the value has not improved for `patience` epochs."""
        state = run_context.original_args()
        value = self._get_monitor_value(state)
        if value is None:
            return
        self.wait += 1
        if self._is_better(value, self.best, self.min_delta):
            self.best = value
            if self.restore_best_weights:
                parameters = state.network.parameters_dict()
                self.best_weights_param_dict = {name: parameter.copy() for name, parameter in parameters.items()}
            if self.baseline is None or self._is_better(value, self.baseline):
                self.wait = 0
        if self.wait >= self.patience:
            self.stopped_epoch = state.cur_epoch_num
            run_context.request_stop()
            self._restore(state.network)

    def _restore(self, network: Cell) -> None:
        if self.best_weights_param_dict is None:
            return
        if self.verbose:
            print("Restoring model weights from the end of the best epoch.", flush=True)
        for name, parameter in network.parameters_dict().items():
            parameter.set_data(self.best_weights_param_dict[name])

    def on_train_end(self, run_context: RunContext) -> None:
        """Print whether the training was stopped."""
        if self.stopped_epoch and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping", flush=True)


class ReduceLROnPlateau(_Monitored):
    """Multiply the learning rate by a factor when a value stops improving.

    Args:
        monitor, mode, verbose: as for `EarlyStopping`.
        factor: the factor, a float in (0, 1). Default: 0.1.
        patience: the number of epochs without improvement before a reduction. Default: 10.
        min_delta: the minimum improvement. Default: 1e-4.
        cooldown: the number of epochs after a reduction that do not count. Default: 0.
        min_lr: the minimum learning rate. Default: 0.

    Raises:
        TypeError, ValueError: as for `EarlyStopping`.
        ValueError: in a training, an optimizer with several learning rates.

    Examples:
        >>> import torchspore as ms
        >>> reduce = ms.ReduceLROnPlateau(monitor="accuracy", factor=0.5, patience=3)
        >>> reduce.best
        -inf
    """

    @checked
    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: Annotated[StrictFloat, Limits(above=0, below=1)] = 0.1,
        patience: NotNegative = 10,
        verbose: bool = False,
        mode: _Mode = "auto",
        min_delta: float = 1e-4,
        cooldown: NotNegative = 0,
        min_lr: float = 0,
    ) -> None:
        self.factor, self.cooldown, self.min_lr = factor, cooldown, min_lr
        self.cooldown_counter = 0
        super().__init__(monitor, mode, min_delta, patience, verbose)

    def on_train_begin(self, run_context: RunContext) -> None:
        """Discard an earlier training."""
        self._reset()
        self.cooldown_counter = 0

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Reduce the learning rate if the value has not improved for `patience` epochs."""
        state = run_context.original_args()
        rate = learning_rate_of(state.optimizer, "ReduceLROnPlateau")
        value = self._get_monitor_value(state)
        if value is None:
            return
        if self.cooldown_counter:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_better(value, self.best, self.min_delta):
            self.best = value
            self.wait = 0
        elif not self.cooldown_counter:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(rate, state.cur_epoch_num)

    def _reduce(self, rate: Parameter, epoch: int) -> None:
        old = np.float32(rate.asnumpy())
        if old <= self.min_lr:
            return
        new = max(old * np.float32(self.factor), np.float32(self.min_lr))
        rate.set_data(Tensor(new, rate.dtype))
        self.cooldown_counter = self.cooldown
        self.wait = 0
        if self.verbose:
            print(f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {new!s}.", flush=True)


def learning_rate_of(optimizer: Any, api: str) -> Parameter:
    """Return the constant learning rate of an optimizer, a Parameter."""
    rate = getattr(optimizer, "learning_rate", None)
    if not isinstance(rate, Parameter):
        raise ValueError(
            f"For '{api}', the optimizer must have one constant learning rate, but got "
            f"{'none' if rate is None else type(rate).__name__}. Pass a number as its 'learning_rate'."
        )
    return rate
