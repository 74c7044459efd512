"""Callbacks that record values or call functions: `History` and `LambdaCallback`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore.common.showing.markup import finite_number, page, plot, table, text
from torchspore.engine.parameters import checked
from torchspore.train.callback.callback import Callback, RunContext, first_output

__all__ = ["History", "LambdaCallback"]

_Function = Callable[[RunContext], Any]


class History(Callback):
    """Record the loss at the end of each epoch, and the metrics of evaluations; a notebook shows a table and a plot.

    Attributes:
        history: lists by name: "net_output" for the loss of the last step, and the metrics. Further trainings append.
        epoch: {"epoch": [1, 2, ...]}, the epochs of the last training.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(1, 1, weight_init="zeros", bias_init="zeros")
        >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.125))
        >>> data = ms.dataset.NumpySlicesDataset(
        ...     (np.ones((2, 1), np.float32), np.ones((2, 1), np.float32)), ["x", "y"]).batch(2)
        >>> history = ms.History()
        >>> model.train(2, data, callbacks=history)
        >>> print(history.epoch, history.history)
        {'epoch': [1, 2]} {'net_output': [1.0, 0.25]}
    """

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] | None = None

    def begin(self, run_context: RunContext) -> None:
        """Discard the epochs of an earlier training."""
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context: RunContext) -> None:
        """Record the epoch."""
        state = run_context.original_args()
        assert self.epoch is not None
        self.epoch["epoch"].append(state.get("cur_epoch_num", 1))
        loss = first_output(state.get("net_outputs"))
        self._append("net_output", float(loss) if hasattr(loss, "__float__") else loss)
        for name, value in state.get("metrics", {}).items():
            self._append(name, value)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Start with an evaluation, unless within a training."""
        if "train_network" not in run_context.original_args():
            self.begin(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """Record an evaluation, unless within a training, whose epoch records it."""
        if "train_network" not in run_context.original_args():
            self.epoch_end(run_context)

    def _append(self, name: str, value: Any) -> None:
        self.history.setdefault(name, []).append(value)

    def _repr_html_(self) -> str:
        if not self.history:
            return page(text("History: no epoch yet"))
        numbers = {name: list(map(finite_number, values)) for name, values in self.history.items()}
        lines = {
            str(name): [(epoch, y) for epoch, y in enumerate(values, 1) if y is not None]
            for name, values in numbers.items()
        }
        count = max(map(len, self.history.values()))
        rows = [[epoch + 1, *[_shown(values, epoch) for values in self.history.values()]] for epoch in range(count)]
        return page(table(["epoch", *self.history], rows), plot(lines))


def _shown(values: list[Any], epoch: int) -> Any:
    if epoch >= len(values):
        return ""
    return f"{values[epoch]:.5g}" if isinstance(values[epoch], float) else values[epoch]


class LambdaCallback(Callback):
    """Call given functions at the moments of `Callback`.

    Args:
        on_train_begin, ...: functions that take a `RunContext`. Default: None.

    Raises:
        TypeError: an argument is neither a function nor None.

    Examples:
        >>> import torchspore as ms
        >>> callback = ms.LambdaCallback(on_train_epoch_end=lambda context: print(context.original_args().net_outputs))
    """

    @checked
    def __init__(
        self,
        on_train_epoch_begin: _Function | None = None,
        on_train_epoch_end: _Function | None = None,
        on_train_step_begin: _Function | None = None,
        on_train_step_end: _Function | None = None,
        on_train_begin: _Function | None = None,
        on_train_end: _Function | None = None,
        on_eval_epoch_begin: _Function | None = None,
        on_eval_epoch_end: _Function | None = None,
        on_eval_step_begin: _Function | None = None,
        on_eval_step_end: _Function | None = None,
        on_eval_begin: _Function | None = None,
        on_eval_end: _Function | None = None,
    ) -> None:
        functions = {name: value for name, value in locals().items() if name.startswith("on_") and value is not None}
        for name, function in functions.items():
            setattr(self, name, function)
